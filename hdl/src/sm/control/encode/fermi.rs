//! Control words of Fermi.

use super::operation::{operation, Operands};
use super::{barrier, executed, known, no_access, plain, ControlWord, Known, Launch, Want};
use crate::config::Isa;
use crate::sm::control::{flow, source1, source23};
use warpsmith_contract::trace::Destination;
use warpsmith_contract::TrapCause;
use warpsmith_isa::fermi::operand::Kind;
use warpsmith_isa::fermi::table::TABLE;
use warpsmith_isa::fermi::{is_double, Fermi};
use warpsmith_isa::uop::{Axis, Builtin, Entry, Flow, Guard, Lowered, Op, Place, Space, Src, StackFlow, Type, Uop};

/// Number of the register that reads 0.
const ZERO: u64 = 127;
/// The destination of what is dropped.
const NOWHERE: u64 = Destination::None as u64;
/// The predicate that is always true; as a destination none.
const TRUE: u64 = super::super::uop::TRUE;

/// The control word of an instruction word at byte address `pc`.
///
/// # Errors
/// The cause of a trap: no instruction, what the chip lacks, a destination beyond the registers.
pub fn decode(word: u64, pc: u32, launch: &Launch) -> Result<ControlWord, TrapCause> {
    let (instr, lowered) = executed(&Fermi, &word.to_le_bytes(), pc, launch.options)?;
    let number = |kind: &Kind| matches!(kind, Kind::ImmF32 | Kind::ImmF64 | Kind::ImmInt | Kind::Imm32);
    let zero = match TABLE.form(&instr).operands.iter().any(|o| number(&o.kind)) {
        true => Zero::Immediate,
        false => Zero::Register,
    };
    encode(&lowered, zero, launch)
}

/// How the second operand is 0 where it is: as an immediate or as the register that reads 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zero {
    /// [`source23::IMM`].
    Immediate,
    /// [`source23::GPR`].
    Register,
}

/// The control word of an instruction that the chip does not lack.
///
/// # Errors
/// [`TrapCause::Register`]: the destination lies beyond the registers.
pub fn encode(lowered: &Lowered, zero: Zero, launch: &Launch) -> Result<ControlWord, TrapCause> {
    let join = |u: &&Uop| u.op == Op::Flow(Flow::Stack(StackFlow::Join));
    let marked = lowered.uops.iter().any(|u| join(&u));
    let uops: Vec<&Uop> = lowered.uops.iter().filter(|u| !join(u)).collect();
    let mut w = plain();
    let o = operation(&mut w, &uops, Isa::Fermi);
    o.fits(launch)?;
    w.control.marker = Want::is(if marked { 2u64 } else { 0 });
    let mut e = Encoder { w, zero, launch };
    e.unused();
    e.control_flow(&uops);
    e.guard(lowered.guard);
    e.second_and_third(&o);
    e.first(&o);
    e.predicates(&o);
    e.result(&o);
    e.access(&o);
    e.double(&uops);
    Ok(e.w)
}

struct Encoder<'a> {
    w: ControlWord,
    zero: Zero,
    launch: &'a Launch,
}

/// A register: its number, and whether it is a real one.
fn register(place: Place) -> (u64, bool) {
    match place {
        Place::Register { index, byte: 0 } if index < 63 => (index.into(), true),
        Place::Register { index: 63, byte: 0 } | Place::Immediate(0) => (ZERO, false),
        other => panic!("{other:?} is no register"),
    }
}

/// Where a source is; of an immediate float of 64 bits its high word, as its low word is 0.
fn word(s: &Src) -> Place {
    match s.place {
        Place::Immediate(v) if s.ty == Type::F64 => Place::Immediate(v >> 32),
        place => place,
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

/// Number and inversion of a predicate.
fn predicate(place: Place) -> u64 {
    match place {
        Place::Predicate(p) => p.into(),
        Place::Immediate(1) | Place::None => TRUE,
        other => panic!("{other:?} is no predicate"),
    }
}

impl Encoder<'_> {
    /// Fields of the word that Fermi does not use.
    fn unused(&mut self) {
        let c = &mut self.w.control;
        for field in [&mut c.s2_half, &mut c.s2_hi, &mut c.s3_half, &mut c.s3_hi, &mut c.dst_half] {
            *field = Want::is(0u64);
        }
    }

    /// Floats of 64 bits: the sources are read in two passes, the result comes later.
    fn double(&mut self, uops: &[&Uop]) {
        let found = uops.iter().find(|u| is_double(u));
        self.w.double.is_double = Want::is(found.is_some());
        let (mut wide, mut wide_result) = (false, false);
        if let Some(u) = found {
            wide = u.src[0].ty.bits() == 64;
            wide_result = u.ty.bits() == 64;
            if wide {
                self.w.control.passes = Want::is(1u64);
            }
            let later = !matches!(u.op, Op::Compare { .. }) && self.w.control.dst_kind != Want::is(NOWHERE);
            self.w.control.sfu = Want::is(later);
        }
        (self.w.double.wide, self.w.double.wide_result) = (Want::is(wide), Want::is(wide_result));
    }

    fn guard(&mut self, guard: Option<Guard>) {
        let (number, not) = guard.map_or((TRUE, false), |g| (predicate(g.place), g.not));
        self.w.predicates.guard = Want::is(number);
        self.w.predicates.guard_not = Want::is(not);
    }

    /// Operand a is a register.
    fn register_1(&mut self, place: Place) {
        let (number, real) = register(place);
        (self.w.control.r1, self.w.control.use1) = (Want::is(number), Want::is(real));
    }

    fn register_2(&mut self, place: Place) {
        let (number, real) = register(place);
        (self.w.control.r2, self.w.control.use2) = (Want::is(number), Want::is(real));
    }

    fn register_3(&mut self, place: Place) {
        let (number, real) = register(place);
        (self.w.control.r3, self.w.control.use3) = (Want::is(number), Want::is(real));
    }

    fn first(&mut self, o: &Operands) {
        let c = &mut self.w.control;
        (c.s1_kind, c.s1_half, c.s1_hi, c.use1) =
            (Want::is(source1::GPR), Want::is(0u64), Want::is(0u64), Want::is(0u64));
        self.w.address.header = Want::is(0u64);
        self.w.machine_register = Want::is(0u64);
        match o.a {
            None => {
                if matches!(&o.access, Some((a, _, None)) if a.space == Space::Shared) {
                    c.s1_kind = Want::is(source1::SHARED);
                }
            }
            Some(s) => match s.place {
                Place::Builtin(b) => self.builtin(b),
                _ if o.from_b => {
                    c.s1_kind = Want::is(source1::SECOND);
                    self.second(word(&s), u64::MAX);
                }
                place => self.register_1(place),
            },
        }
    }

    fn builtin(&mut self, b: Builtin) {
        let c = &mut self.w.control;
        match (known(b), b) {
            (Some(Known::Machine(half)), _) => {
                let which = 1 + half / 2;
                self.w.machine_register = Want::is(which);
                c.r1 = Want::is(self.launch.machine_register(which));
                (c.s1_half, c.s1_hi) = (Want::is(1u64), Want::is(half & 1));
            }
            (Some(Known::Header(byte)), _) => self.w.header(byte),
            (Some(Known::Lanes(which)), _) => self.w.lanes(which),
            (None, Builtin::GridSize(Axis::Z)) => {
                (c.s1_kind, c.s2_kind) = (Want::is(source1::SECOND), Want::is(source23::IMM));
                c.imm = Want::is(1u64);
            }
            (None, Builtin::ClockLow) => c.s1_kind = Want::is(source1::CLOCK),
            _ => c.s1_kind = Want::is(source1::ZERO),
        }
    }

    /// The second operand: a register, a constant or an immediate, whose bits `mask` count.
    fn second(&mut self, place: Place, mask: u64) {
        self.w.control.use2 = Want::is(0u64);
        let kind = match place {
            Place::Constant { bank, offset } => {
                self.constant(bank, offset);
                source23::CONST
            }
            Place::Immediate(v) if v != 0 || self.zero == Zero::Immediate => {
                self.w.control.imm = Want::low(v, mask & 0xffff_ffff);
                source23::IMM
            }
            _ => {
                self.register_2(place);
                source23::GPR
            }
        };
        self.w.control.s2_kind = Want::is(kind);
    }

    fn constant(&mut self, bank: u8, offset: u32) {
        let c = &mut self.w.control;
        (c.c_bank, c.c_offset, c.c_size) = (Want::is(bank), Want::is(offset), Want::is(3u64));
        self.w.address.indexed = Want::is(0u64);
    }

    fn second_and_third(&mut self, o: &Operands) {
        let c = &mut self.w.control;
        (c.s2_kind, c.use2) = (Want::is(source23::GPR), Want::is(0u64));
        (c.s3_kind, c.use3) = (Want::is(source23::GPR), Want::is(0u64));
        if o.vote {
            c.s2_kind = Want::is(source23::IMM);
        }
        if let Some(b) = o.b {
            self.second(word(&b), o.b_bits.unwrap_or(u64::MAX));
        }
        match (o.c, &o.access) {
            (Some(s), _) => match s.place {
                Place::Constant { bank, offset } => {
                    self.constant(bank, offset);
                    self.w.control.s3_kind = Want::is(source23::CONST);
                }
                place => self.register_3(place),
            },
            (None, Some((_, _, Some(data)))) => self.register_3(data.place),
            _ => {}
        }
    }

    fn predicates(&mut self, o: &Operands) {
        let p = &mut self.w.predicates;
        let sources = [(&mut p.p1, &mut p.p1_not), (&mut p.p2, &mut p.p2_not), (&mut p.p3, &mut p.p3_not)];
        for (s, (number, not)) in o.p.iter().zip(sources) {
            *number = Want::is(s.map_or(TRUE, |s| predicate(s.place)));
            *not = Want::is(s.is_some_and(|s| s.not));
        }
        let [q1, q2] = o.q.map(|q| q.map_or(TRUE, predicate));
        (p.q1, p.q2) = (Want::is(q1), Want::is(q2));
        self.w.control.flags_we = Want::is([q1, q2] != [TRUE, TRUE]);
    }

    fn result(&mut self, o: &Operands) {
        let c = &mut self.w.control;
        c.dst_kind = Want::is(NOWHERE);
        match o.dst {
            Some(Place::Register { index, byte: 0 }) => {
                (c.dst_kind, c.dst) = (Want::is(Destination::Gpr as u64), Want::is(index));
            }
            Some(Place::None) => c.dst = Want::is(ZERO),
            None => {}
            Some(other) => panic!("{other:?} is no register"),
        }
    }

    fn access(&mut self, o: &Operands) {
        let a = &mut self.w.address;
        (a.base, a.far, a.indexed) = (Want::is(0u64), Want::is(0u64), Want::is(0u64));
        let Some((a, address, data)) = &o.access else {
            return no_access(&mut self.w);
        };
        let load = data.is_none();
        o.accesses(&mut self.w, a.space, load);
        let c = &mut self.w.control;
        let (operand, size) = sizes(a.element);
        let (size, passes) = match a.count() {
            1 => (size, 0u64),
            2 => (4, 1),
            _ => (5, 2),
        };
        (c.mem_size, c.passes) = (Want::is(size), Want::is(passes));
        let [base, offset] = &address[..] else {
            panic!("an address of {address:?}");
        };
        let Place::Immediate(offset) = offset.place else {
            panic!("an offset of {offset:?}");
        };
        c.imm = Want::is(offset & 0xffff_ffff);
        if let Space::Constant(bank) = a.space {
            (c.s2_kind, c.c_bank, c.c_size) = (Want::is(source23::CONST), Want::is(bank), Want::is(operand));
            self.w.address.indexed = Want::is(1u64);
        }
        if a.space == Space::Shared && load {
            c.s1_size = Want::is(operand);
        }
        self.register_1(base.place);
        self.w.address.base = Want::is(register(base.place).1);
        if a.address == Type::U64 {
            self.w.address.far = Want::is(1u64);
            self.register_2(match base.place {
                Place::Register { index, .. } => Place::Register { index: index + 1, byte: 0 },
                zero => zero,
            });
        }
    }

    fn control_flow(&mut self, uops: &[&Uop]) {
        for u in uops {
            match u.op {
                Op::Flow(Flow::Exit) => self.w.control.flow = Want::is(flow::EXIT),
                Op::Flow(Flow::Stack(f)) => self.stack(f),
                Op::Barrier(b) => barrier(&mut self.w, b),
                _ => {}
            }
        }
    }

    fn stack(&mut self, f: StackFlow) {
        let (code, target) = match f {
            StackFlow::Branch { target } => (flow::BRA, Some(target)),
            StackFlow::Call { target } => (flow::CAL, Some(target)),
            StackFlow::Push { entry: Entry::Join, target } => (flow::SSY, Some(target)),
            StackFlow::Push { entry: Entry::Break, target } => (flow::PBK, Some(target)),
            StackFlow::Push { entry: Entry::Continue, target } => (flow::PCNT, Some(target)),
            StackFlow::Push { entry: Entry::Return, target } => (flow::PRET, Some(target)),
            StackFlow::Leave(Entry::Break) => (flow::BRK, None),
            StackFlow::Leave(Entry::Continue) => (flow::CONT, None),
            StackFlow::Leave(Entry::Return) => (flow::RET, None),
            StackFlow::Leave(Entry::Join) | StackFlow::Join => panic!("{f:?} is the marker"),
        };
        self.w.control.flow = Want::is(code);
        if let Some(target) = target {
            self.w.control.target = self.launch.target(target);
        }
    }
}
