//! What G13's decoder must give, from the micro-operations that an instruction lowers to.

#[path = "g13_access.rs"]
mod access;
#[path = "g13_operation.rs"]
mod operation;

use operation::of_uops;
use warpsmith_contract::TrapCause;
use warpsmith_hdl::sm::control::g13::{from, SourceControl};
use warpsmith_hdl::sm::control::uop::{format, tiny, AddressControl, UopControl};
use warpsmith_hdl::sm::control::Control;
use warpsmith_hdl::sm::dims::Dims;
use warpsmith_isa::g13::G13;
use warpsmith_isa::set::{Instr, InstructionSet};
use warpsmith_isa::uop::{Op, Place, Src, Type, Uop};

/// Where fields of the control word are; those of the words in it have names such as `alu.op`.
pub struct Layout {
    fields: Vec<(String, usize, usize)>,
}

impl Layout {
    /// Of a chip.
    pub fn new(d: &Dims) -> Self {
        let mut fields = vec![];
        let mut at = 0;
        for (name, width) in Control::fields(d) {
            let inner = match name {
                "alu" => UopControl::fields(()),
                "address" => AddressControl::fields(()),
                "sources" => SourceControl::fields(()),
                _ => vec![],
            };
            let mut inside = at;
            for (part, width) in inner {
                fields.push((format!("{name}.{part}"), inside, width));
                inside += width;
            }
            fields.push((name.into(), at, width));
            at += width;
        }
        Self { fields }
    }

    /// A field of a control word.
    pub fn get(&self, words: &[u32], name: &str) -> u64 {
        let (_, at, width) = *self.fields.iter().find(|f| f.0 == name).unwrap_or_else(|| panic!("no field {name}"));
        let bit = |i: usize| u64::from(words[i / 32] >> (i % 32) & 1);
        (0..width).fold(0, |v, i| v | bit(at + i) << i)
    }
}

/// Bytes at an address, and the registers a thread owns.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    pub bytes: [u8; 12],
    pub pc: u32,
    pub registers: u32,
}

/// Names and values of fields that matter.
#[derive(Default)]
pub struct Wanted {
    /// Trap cause, 0 for none; with one nothing else matters.
    pub trap: u8,
    fields: Vec<(String, u64)>,
    sources: [Option<Source>; 4],
}

/// A source of the lane.
struct Source {
    from: u64,
    /// Uniform or number.
    n: u64,
    register: u64,
    half: bool,
    high: bool,
    mini: bool,
    extend: bool,
}

fn mini_float(n: u64) -> f32 {
    let (sign, e, f) = (n >> 7, (n >> 4 & 7) as i32, (n & 15) as f32);
    let size = match e {
        0 => f / 64.0,
        _ => (16.0 + f) * 2f32.powi(e - 7),
    };
    if sign == 1 {
        -size
    } else {
        size
    }
}

impl Source {
    fn of(s: &Src) -> Source {
        let half = s.ty.bits() == 16;
        let plain = Source {
            from: from::KIND,
            n: 0,
            register: 0,
            half,
            high: false,
            mini: false,
            extend: s.ty.is_signed() && half,
        };
        match s.place {
            Place::Register { index, byte } => Source { register: index.into(), high: byte == 2, ..plain },
            Place::Uniform { index, byte } => Source { from: from::UNIFORM, n: index.into(), high: byte == 2, ..plain },
            Place::Immediate(v) => {
                let mini = s.ty == Type::F32 && v != 0;
                let n = match s.ty {
                    Type::F32 => (0..256).find(|n| u64::from(mini_float(*n).to_bits()) == v),
                    _ => Some(v),
                };
                Source {
                    from: from::NUMBER,
                    n: n.expect("a float of 8 bits"),
                    mini,
                    half: false,
                    extend: false,
                    ..plain
                }
            }
            _ => panic!("no source: {s:?}"),
        }
    }
}

impl Wanted {
    fn trap(cause: TrapCause) -> Self {
        Self { trap: cause.number(), ..Self::default() }
    }

    fn set(&mut self, name: &str, value: impl Into<u64>) {
        self.fields.push((name.into(), value.into()));
    }

    fn op(&mut self, code: u64) {
        self.set("alu.op", code);
    }

    /// The lane's operands from a on.
    fn operands(&mut self, sources: &[&Src]) {
        for (n, s) in sources.iter().enumerate() {
            self.sources[n] = Some(Source::of(s));
            let Some(letter) = ["a", "b", "c"].get(n) else {
                continue;
            };
            if s.ty.is_float() {
                self.set(&format!("alu.half_{letter}"), s.ty == Type::F16);
                self.set(&format!("alu.abs_{letter}"), s.abs);
                self.set(&format!("alu.neg_{letter}"), s.neg);
                self.set("alu.flush", 1u64);
            }
        }
    }

    /// How a float result is formed, `to` the destination.
    fn float(&mut self, uop: &Uop, to: Type) {
        let (code, below) = match (uop.ty, to.bits()) {
            (Type::F16, _) => (format::F16, tiny::KEEP),
            (_, 16) => (format::F32_F16, tiny::FLUSH_EXACT),
            _ => (format::F32, tiny::FLUSH_EXACT),
        };
        self.set("alu.format", code);
        self.set("alu.tiny", below);
        self.set("alu.sat", uop.saturate);
    }

    fn compare(&mut self, cond: u8, a: &Src, b: &Src) {
        self.set("alu.cond", cond);
        self.set("alu.float", a.ty.is_float());
        if !a.ty.is_float() && a.ty.bits() == 32 {
            self.set("alu.signed_a", a.ty.is_signed());
        }
        self.operands(&[a, b]);
    }

    /// Field and value of what differs.
    pub fn differences(&self, layout: &Layout, got: &[u32]) -> Vec<(String, u64, u64)> {
        let of = |name: &str| layout.get(got, name);
        let mut wrong = vec![];
        let mut check = |name: String, want: u64| {
            let is = of(&name);
            if is != want {
                wrong.push((name, is, want));
            }
        };
        check("trap".into(), self.trap.into());
        if self.trap != 0 {
            return wrong;
        }
        for (name, want) in &self.fields {
            check(name.clone(), *want);
        }
        for (i, s) in self.sources.iter().enumerate() {
            let Some(s) = s else { continue };
            let n = i + 1;
            check(format!("sources.from{n}"), s.from);
            match s.from {
                from::KIND => {
                    let port = match n {
                        3 | 4 => of(&format!("sources.port{n}")),
                        _ => 0,
                    };
                    let port = if port == 0 { n.min(3) as u64 } else { port };
                    check(format!("r{port}"), s.register);
                    check(format!("use{port}"), 1);
                }
                from::NUMBER => {
                    check(format!("sources.n{n}"), s.n);
                    // 0 is 0 either way.
                    if n < 4 && s.n != 0 {
                        check(format!("sources.mini{n}"), s.mini.into());
                    }
                    continue;
                }
                _ => check(format!("sources.n{n}"), s.n),
            }
            let (half, high) = match n {
                4 => ("sources.half4".into(), "sources.hi4".into()),
                _ => (format!("s{n}_half"), format!("s{n}_hi")),
            };
            check(half, s.half.into());
            check(high, s.high.into());
            if n < 4 {
                check(format!("sources.extend{n}"), s.extend.into());
            }
        }
        wrong
    }
}

/// The lane register and half of a destination.
fn register(place: Place) -> Option<(u64, bool)> {
    match place {
        Place::Register { index, byte } => Some((index.into(), byte == 2)),
        _ => None,
    }
}

/// What the decoder must give.
pub fn expected(w: &Work, pc_bits: usize) -> Wanted {
    let Ok(instr) = G13.decode(&w.bytes) else {
        return Wanted::trap(TrapCause::Illegal);
    };
    let Ok(lowered) = G13.lower(&instr, w.pc.into()) else {
        return Wanted::trap(TrapCause::Unimplemented);
    };
    let lacks = G13.lacks(&instr, &lowered);
    let found = of_uops(&instr, &lowered.uops, w, pc_bits);
    assert_eq!(lacks.is_some(), found.is_none(), "{}: {lacks:?}", G13.print(&instr, 0));
    let Some(mut wanted) = found else {
        return Wanted::trap(TrapCause::Unimplemented);
    };
    let gpr = wanted.fields.iter().find(|f| f.0 == "dst").map(|f| f.1);
    let passes = wanted.fields.iter().find(|f| f.0 == "passes").map_or(0, |f| f.1);
    let last = gpr.map(|r| r + [0, 1, 3, 2][passes as usize]);
    if last.is_some_and(|r| r + 2 >= u64::from(w.registers)) {
        return Wanted::trap(TrapCause::Register);
    }
    if lowered.uops.iter().any(|u| u.op == Op::Trap) {
        wanted.trap = TrapCause::Trap.number();
    }
    wanted
}

/// The name of the instruction's form.
pub fn name(instr: &Instr) -> &'static str {
    warpsmith_isa::g13::table::TABLE.form(instr).name
}
