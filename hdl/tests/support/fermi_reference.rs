//! The control word that an instruction of Fermi must give, from its micro-operations alone.
//!
//! The decoder under test is made from the fields of the instruction table; this reads what
//! `warpsmith_isa::fermi` lowers a word to, so that two readings of the table have to agree.

#[path = "fermi_operation.rs"]
mod operation;

use operation::operation;
use std::collections::HashMap;
use warpsmith_contract::trace::{Destination, MemoryAccess};
use warpsmith_contract::TrapCause;
use warpsmith_hdl::config::WARP;
use warpsmith_hdl::sm::control::uop::{AddressControl, PredicateControl, UopControl};
use warpsmith_hdl::sm::control::{flow, lanes, source1, source23, Control, Numbers, BAR_COUNT};
use warpsmith_hdl::sm::dims::Dims;
use warpsmith_isa::fermi::Fermi;
use warpsmith_isa::set::InstructionSet;
use warpsmith_isa::uop::{
    Access, Axis, Builtin, Entry, Flow, Guard, LaneMask, Lowered, Op, Place, Space, Special, Src, StackFlow, Type, Uop,
};

/// Number of the register that reads 0.
const ZERO: u64 = 127;
/// The predicate that is always true; as a destination none.
const TRUE: u64 = 7;

/// Where each field of the control word and of the register numbers lies.
pub struct Layout {
    places: HashMap<&'static str, (usize, usize)>,
    /// Bits of a pc.
    pc: usize,
}

impl Layout {
    /// The places in a chip; the numbers of the registers are `n_r1` and so on.
    pub fn new(d: &Dims) -> Self {
        let mut places = HashMap::new();
        let mut at = 0;
        let mut add = |name, width: usize| {
            assert!(places.insert(name, (at, width)).is_none(), "{name} twice");
            at += width;
        };
        for (name, width) in Control::fields(d) {
            let parts = match name {
                "alu" => UopControl::fields(()),
                "predicates" => PredicateControl::fields(()),
                "address" => AddressControl::fields(()),
                _ => vec![(name, width)],
            };
            assert_eq!(parts.iter().map(|p| p.1).sum::<usize>(), width);
            parts.into_iter().for_each(|(name, width)| add(name, width));
        }
        // The next port begins with a word of its own.
        let words = at.div_ceil(32);
        let mut at = 32 * words;
        let names = ["n_r1", "n_r2", "n_r3", "n_dst"];
        for (name, (_, width)) in names.into_iter().zip(Numbers::fields(())) {
            places.insert(name, (at, width));
            at += width;
        }
        Self { places, pc: d.pc }
    }

    /// Place and width of a field.
    pub fn place(&self, field: &str) -> (usize, usize) {
        let place = self.places.get(field);
        *place.unwrap_or_else(|| panic!("no field `{field}`"))
    }
}

/// A word, its address, and the value of the launch register REGISTERS.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    pub word: u64,
    pub pc: u32,
    pub registers: u32,
}

/// A field that differs: its name, what it is, what it must be.
pub type Difference = (&'static str, u64, u64);

/// What came out of the decoder, held against what must.
pub struct Check<'a> {
    layout: &'a Layout,
    got: &'a [u32],
    pub wrong: Vec<Difference>,
}

impl Check<'_> {
    fn get(&self, field: &str) -> u64 {
        let (at, width) = self.layout.place(field);
        let part = |i: usize| u64::from(*self.got.get(i).unwrap_or(&0));
        let two = part(at / 32) | part(at / 32 + 1) << 32;
        two >> (at % 32) & ((1 << width) - 1)
    }

    fn is(&mut self, field: &'static str, want: impl Into<u64>) {
        let (got, want) = (self.get(field), want.into());
        if got != want {
            self.wrong.push((field, got, want));
        }
    }

    /// Bits of a field.
    fn masked(&mut self, field: &'static str, mask: u64, want: u64) {
        let got = self.get(field) & mask;
        if got != want & mask {
            self.wrong.push((field, got, want & mask));
        }
    }
}

/// What an instruction reads and writes, in the places of the lane.
#[derive(Default)]
struct Operands {
    pub a: Option<Src>,
    pub b: Option<Src>,
    /// Bits of b that count where it is an immediate.
    pub b_bits: Option<u64>,
    pub c: Option<Src>,
    pub p: [Option<Src>; 3],
    pub q: [Option<Place>; 2],
    pub dst: Option<Place>,
    /// What is loaded or stored, the address, the data that is stored.
    pub access: Option<(Access, Vec<Src>, Option<Src>)>,
}

/// Differences between what came out for a word and what must, and the trap cause that must.
pub fn check(layout: &Layout, work: &Work, got: &[u32]) -> (Vec<Difference>, u8) {
    let mut c = Check { layout, got, wrong: vec![] };
    let trap = expect(&mut c, work);
    (c.wrong, trap)
}

/// The instruction of a word and its micro-operations, or the trap cause.
fn lowered(work: &Work) -> Result<(Vec<Uop>, bool, Lowered), TrapCause> {
    let bytes = work.word.to_le_bytes();
    let instr = Fermi.decode(&bytes).map_err(|_| TrapCause::Illegal)?;
    let all = Fermi.lower(&instr, work.pc.into());
    let all = all.map_err(|_| TrapCause::Unimplemented)?;
    let join = |u: &Uop| u.op == Op::Flow(Flow::Stack(StackFlow::Join));
    let marked = all.uops.iter().any(join);
    let uops: Vec<Uop> = all.uops.iter().filter(|u| !join(u)).cloned().collect();
    if uops.iter().any(absent) {
        return Err(TrapCause::Unimplemented);
    }
    Ok((uops, marked, all))
}

/// The chip does not execute it.
fn absent(u: &Uop) -> bool {
    let special = |s| matches!(s, Special::Rcp64High | Special::Rsq64High);
    match u.op {
        Op::Atomic(..) => true,
        Op::Load(_) | Op::Store(_) => false,
        Op::Special(s) if special(s) => true,
        _ => u.ty.bits() == 64 || u.src.iter().any(|s| s.ty.bits() == 64),
    }
}

fn expect(c: &mut Check, work: &Work) -> u8 {
    c.is("long", true);
    let (uops, marked, all) = match lowered(work) {
        Ok(found) => found,
        Err(cause) => {
            c.is("trap", cause.number());
            return cause.number();
        }
    };
    let mut o = Operands::default();
    control_flow(c, &uops);
    c.is("marker", if marked { 2u64 } else { 0 });
    operation(c, &uops, &mut o);
    let count = match &o.access {
        Some((a, _, None)) => a.count(),
        _ => 1,
    };
    let beyond = |dst: &Place| match *dst {
        Place::Register { index, .. } => u32::from(index) + count > work.registers - 2,
        _ => false,
    };
    let trap = match o.dst.as_ref().is_some_and(beyond) {
        true => TrapCause::Register.number(),
        false => 0,
    };
    c.is("trap", trap);
    if trap != 0 {
        return trap;
    }
    fixed(c);
    guard(c, all.guard);
    first(c, &o, work);
    second_and_third(c, &o);
    predicates(c, &o);
    result(c, &o);
    access(c, &o);
    for (number, field) in [("n_r1", "r1"), ("n_r2", "r2"), ("n_r3", "r3"), ("n_dst", "dst")] {
        let value = c.get(field);
        c.is(number, value);
    }
    0
}

/// Fields that Fermi does not use.
fn fixed(c: &mut Check) {
    c.is("pred", 15u64);
    c.is("quad", 15u64);
    for field in [
        "s2_half",
        "s2_hi",
        "s3_half",
        "s3_hi",
        "areg",
        "areg_use",
        "post_inc",
        "dst_half",
        "flags_from_y",
        "breakpoint",
        "use_cc",
        "use_areg",
    ] {
        c.is(field, 0u64);
    }
}

fn guard(c: &mut Check, guard: Option<Guard>) {
    let (number, not) = match guard {
        None => (TRUE, false),
        Some(g) => match g.place {
            Place::Predicate(p) => (p.into(), g.not),
            _ => (TRUE, g.not),
        },
    };
    c.is("guard", number);
    c.is("guard_not", not);
}

/// A source in a register: its number, and whether it is a real one.
fn register(place: Place) -> (u64, bool) {
    match place {
        Place::Register { index, byte: 0 } if index < 63 => (index.into(), true),
        Place::Register { index: 63, byte: 0 } | Place::Immediate(0) => (ZERO, false),
        other => panic!("{other:?} is no register"),
    }
}

/// The register of a source, checked.
fn reads(c: &mut Check, place: Place, [number, used]: [&'static str; 2]) {
    let (n, real) = register(place);
    c.is(number, n);
    c.is(used, real);
}

fn first(c: &mut Check, o: &Operands, work: &Work) {
    let header = |c: &mut Check, byte: u64| {
        c.is("s1_kind", source1::SHARED);
        c.is("s1_size", 1u64);
        c.is("imm", byte);
    };
    c.is("header", false);
    let place = match o.a {
        None => {
            let shared = matches!(&o.access, Some((a, _, None)) if a.space == Space::Shared);
            c.is("s1_kind", if shared { source1::SHARED } else { source1::GPR });
            c.is("s1_half", false);
            if o.access.is_none() {
                c.is("use1", false);
            }
            return;
        }
        Some(s) => s.place,
    };
    let Place::Builtin(b) = place else {
        c.is("s1_half", false);
        if c.get("s1_kind") == source1::SECOND {
            assert!(o.b.is_none(), "b is another operand");
            c.is("use1", false);
            return general(c, place, 0xffff_ffff);
        }
        c.is("s1_kind", source1::GPR);
        return reads(c, place, ["r1", "use1"]);
    };
    c.wrong.retain(|d| d.0 != "header");
    let machine = |c: &mut Check, back: u32, hi: bool| {
        c.is("s1_kind", source1::GPR);
        c.is("r1", u64::from(work.registers - back) & 127);
        c.is("s1_half", true);
        c.is("s1_hi", hi);
    };
    c.is("use1", false);
    let from_header = matches!(b, Builtin::Block(_) | Builtin::BlockSize(_)) && b != Builtin::Block(Axis::Z)
        || matches!(b, Builtin::GridSize(Axis::X | Axis::Y));
    c.is("header", from_header);
    let mask = |c: &mut Check, kind: u64| {
        c.is("s1_kind", source1::LANE);
        c.is("table", kind);
    };
    match b {
        Builtin::Thread(Axis::X) => machine(c, 2, false),
        Builtin::Thread(Axis::Y) => machine(c, 2, true),
        Builtin::Thread(Axis::Z) => machine(c, 1, false),
        Builtin::BlockSize(Axis::X) => header(c, 2),
        Builtin::BlockSize(Axis::Y) => header(c, 4),
        Builtin::BlockSize(Axis::Z) => header(c, 6),
        Builtin::GridSize(Axis::X) => header(c, 8),
        Builtin::GridSize(Axis::Y) => header(c, 10),
        Builtin::GridSize(Axis::Z) => {
            c.is("s1_kind", source1::SECOND);
            c.is("s2_kind", source23::IMM);
            c.is("imm", 1u64);
        }
        Builtin::Block(Axis::X) => header(c, 12),
        Builtin::Block(Axis::Y) => header(c, 14),
        Builtin::Lane => mask(c, lanes::NUMBER),
        Builtin::Mask(LaneMask::Equal) => mask(c, lanes::EQUAL),
        Builtin::Mask(LaneMask::Less) => mask(c, lanes::LESS),
        Builtin::Mask(LaneMask::LessEqual) => mask(c, lanes::LESS_EQUAL),
        Builtin::Mask(LaneMask::Greater) => mask(c, lanes::GREATER),
        Builtin::Mask(LaneMask::GreaterEqual) => mask(c, lanes::GREATER_EQUAL),
        Builtin::ClockLow => c.is("s1_kind", source1::CLOCK),
        _ => c.is("s1_kind", source1::ZERO),
    }
}

/// The second operand: a register, a constant or an immediate, whose bits `mask` count.
fn general(c: &mut Check, place: Place, mask: u64) {
    match place {
        Place::Constant { bank, offset } => {
            c.is("s2_kind", source23::CONST);
            c.is("use2", false);
            constant(c, bank, offset);
        }
        Place::Immediate(v) if v != 0 || c.get("s2_kind") == source23::IMM => {
            c.is("s2_kind", source23::IMM);
            c.is("use2", false);
            c.masked("imm", mask, v & 0xffff_ffff);
        }
        _ => {
            c.is("s2_kind", source23::GPR);
            reads(c, place, ["r2", "use2"]);
        }
    }
}

fn constant(c: &mut Check, bank: u8, offset: u32) {
    c.is("c_bank", bank);
    c.is("c_offset", offset);
    c.is("c_size", 3u64);
    c.is("indexed", false);
}

fn second_and_third(c: &mut Check, o: &Operands) {
    let only = c.get("s1_kind") == source1::SECOND;
    match &o.b {
        Some(b) => general(c, b.place, o.b_bits.unwrap_or(0xffff_ffff)),
        // Checked as the first, or an address.
        None if only || o.access.is_some() => {}
        None => {
            let kind = c.get("s2_kind");
            if kind == source23::CONST {
                c.wrong.push(("s2_kind", kind, source23::GPR));
            }
            c.is("use2", false);
        }
    }
    match (&o.c, &o.access) {
        (Some(s), _) => match s.place {
            Place::Constant { bank, offset } => {
                c.is("s3_kind", source23::CONST);
                c.is("use3", false);
                constant(c, bank, offset);
            }
            place => {
                c.is("s3_kind", source23::GPR);
                reads(c, place, ["r3", "use3"]);
            }
        },
        (None, Some((_, _, Some(data)))) => {
            c.is("s3_kind", source23::GPR);
            reads(c, data.place, ["r3", "use3"]);
        }
        _ => {
            c.is("s3_kind", source23::GPR);
            c.is("use3", false);
        }
    }
}

fn predicates(c: &mut Check, o: &Operands) {
    let names = [("p1", "p1_not"), ("p2", "p2_not"), ("p3", "p3_not")];
    for (p, (number, not)) in o.p.iter().zip(names) {
        let (n, inverted) = match p {
            None => (TRUE, false),
            Some(s) => match s.place {
                Place::Predicate(p) => (p.into(), s.not),
                Place::Immediate(1) => (TRUE, s.not),
                other => panic!("{other:?} is no predicate"),
            },
        };
        c.is(number, n);
        c.is(not, inverted);
    }
    let mut any = false;
    for (q, name) in o.q.iter().zip(["q1", "q2"]) {
        let number = match q {
            None | Some(Place::None) => TRUE,
            Some(Place::Predicate(p)) => u64::from(*p),
            Some(other) => panic!("{other:?} is no predicate"),
        };
        any |= number != TRUE;
        c.is(name, number);
    }
    c.is("flags_we", any);
}

fn result(c: &mut Check, o: &Operands) {
    match o.dst {
        Some(Place::Register { index, byte: 0 }) => {
            c.is("dst_kind", Destination::Gpr as u64);
            c.is("dst", index);
        }
        Some(Place::None) => {
            c.is("dst_kind", Destination::None as u64);
            c.is("dst", ZERO);
        }
        None => c.is("dst_kind", Destination::None as u64),
        Some(other) => panic!("{other:?} is no register"),
    }
}

/// Size of an element as an operand has it, and as an access.
fn sizes(ty: Type) -> (u64, u64) {
    match ty {
        Type::U8 => (0, 0),
        Type::S8 => (4, 1),
        Type::U16 => (1, 2),
        Type::S16 => (2, 3),
        _ => (3, 6),
    }
}

fn access(c: &mut Check, o: &Operands) {
    let Some((a, address, data)) = &o.access else {
        c.is("mem", MemoryAccess::None as u64);
        c.is("passes", 0u64);
        c.is("base", false);
        c.is("far", false);
        c.is("indexed", false);
        return;
    };
    let load = data.is_none();
    let mem = match (a.space, load) {
        (Space::Global, true) => MemoryAccess::GlobalLoad,
        (Space::Global, false) => MemoryAccess::GlobalStore,
        (Space::Local, true) => MemoryAccess::LocalLoad,
        (Space::Local, false) => MemoryAccess::LocalStore,
        (Space::Shared, false) => MemoryAccess::SharedStore,
        _ => MemoryAccess::None,
    };
    c.is("mem", mem as u64);
    let (operand, size) = sizes(a.element);
    let (size, passes) = match a.count() {
        1 => (size, 0u64),
        2 => (4, 1),
        _ => (5, 2),
    };
    c.is("passes", passes);
    // Of an operand only the wide sizes matter.
    if mem != MemoryAccess::None || passes != 0 {
        c.is("mem_size", size);
    } else if c.get("mem_size") & 6 == 4 {
        c.wrong.push(("mem_size", c.get("mem_size"), size));
    }
    let [base, offset] = &address[..] else {
        panic!("an address of {address:?}");
    };
    let Place::Immediate(offset) = offset.place else {
        panic!("an offset of {offset:?}");
    };
    c.is("imm", offset & 0xffff_ffff);
    reads(c, base.place, ["r1", "use1"]);
    c.is("base", register(base.place).1);
    let far = a.address == Type::U64;
    c.is("far", far);
    let is_constant = matches!(a.space, Space::Constant(_));
    c.is("indexed", is_constant);
    if let Space::Constant(bank) = a.space {
        c.is("s2_kind", source23::CONST);
        c.is("c_bank", bank);
        c.is("c_size", operand);
    } else {
        let kind = c.get("s2_kind");
        if kind == source23::CONST {
            c.wrong.push(("s2_kind", kind, source23::GPR));
        }
    }
    if a.space == Space::Shared && load {
        c.is("s1_size", operand);
    }
    match (far, base.place) {
        (true, Place::Register { index, .. }) => {
            let high = Place::Register { index: index + 1, byte: 0 };
            reads(c, high, ["r2", "use2"]);
        }
        (true, zero) => reads(c, zero, ["r2", "use2"]),
        _ => c.is("use2", false),
    }
}

fn control_flow(c: &mut Check, uops: &[Uop]) {
    let (mut what, mut to, mut bar) = (flow::NONE, None, None);
    for u in uops {
        match u.op {
            Op::Flow(Flow::Exit) => what = flow::EXIT,
            Op::Flow(Flow::Stack(f)) => {
                (what, to) = match f {
                    StackFlow::Branch { target } => (flow::BRA, Some(target)),
                    StackFlow::Call { target } => (flow::CAL, Some(target)),
                    StackFlow::Push { entry, target } => (
                        match entry {
                            Entry::Join => flow::SSY,
                            Entry::Break => flow::PBK,
                            Entry::Continue => flow::PCNT,
                            Entry::Return => flow::PRET,
                        },
                        Some(target),
                    ),
                    StackFlow::Leave(entry) => (
                        match entry {
                            Entry::Join => panic!("nothing leaves to a join"),
                            Entry::Break => flow::BRK,
                            Entry::Continue => flow::CONT,
                            Entry::Return => flow::RET,
                        },
                        None,
                    ),
                    StackFlow::Join => panic!("the marker is no control flow"),
                };
            }
            Op::Barrier(b) => bar = Some(b),
            _ => {}
        }
    }
    c.is("flow", what);
    if let Some(target) = to {
        // The first address beyond the largest program stands for all of them.
        c.is("target", target.min(1 << (c.layout.pc - 1)));
    }
    c.is("bar", bar.is_some());
    if let Some(b) = bar {
        c.is("bar_id", b.id);
        c.is("bar_arrive", true);
        c.is("bar_wait", b.wait);
        // The most that can be said is more than any block has.
        let warps = u64::from(b.threads).div_ceil(WARP as u64);
        c.is("imm", warps.min((1 << BAR_COUNT) - 1));
    }
}
