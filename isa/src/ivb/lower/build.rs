//! Micro-operations of one instruction as they are written down: operands as places, temporaries.

use super::operand::{Destination, From, Source, Special, Start, Step};
use super::Shape;
use crate::ivb::operand::REGISTER;
use crate::uop::{Builtin, Cond, FloatMode, Nan, Op, Place, Region, Round, Src, Tiny, Type, Unimplemented, Uop};

/// Register files of [`Region::file`].
pub mod file {
    /// g0 to g127, 4096 bytes.
    pub const GENERAL: u8 = 0;
    /// a0, 16 bytes.
    pub const ADDRESS: u8 = 1;
    /// f0 and f1, 8 bytes.
    pub const FLAGS: u8 = 2;
    /// cr0, 16 bytes.
    pub const CONTROL: u8 = 3;
    /// sr0, 16 bytes.
    pub const STATE: u8 = 4;
    /// n0 to n2, 12 bytes.
    pub const NOTIFICATIONS: u8 = 5;
    /// Bytes from row to row of a surface, 4 bytes; no register of the set.
    pub const PITCH: u8 = 6;
    /// What a write of ip leaves for the jump, 4 bytes; no register of the set.
    pub const TARGET: u8 = 8;
    /// Address of the System Routine (SIP), 4 bytes, all ones where there is none; no register of the thread.
    pub const SYSTEM: u8 = 7;
}

/// Components of a group of four as they lie.
const IN_ORDER: [u8; 4] = [0, 1, 2, 3];

/// Truth table of a and b.
pub const AND: u8 = 0b1000;
/// Truth table of a or b.
pub const OR: u8 = 0b1110;
/// Truth table of a exclusive or b.
pub const XOR: u8 = 0b0110;
/// Truth table of the complement of a.
pub const NOT: u8 = 0b0101;

/// Numbers that an operation computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Integers; 64 bits with sign hold every one that occurs.
    Integer,
    /// f32.
    Single,
    /// f64.
    Double,
}

impl Class {
    /// Type of the exact or rounded result.
    pub fn ty(self) -> Type {
        match self {
            Class::Integer => Type::S64,
            Class::Single => Type::F32,
            Class::Double => Type::F64,
        }
    }

    /// The class of a type.
    pub fn of(ty: Type) -> Class {
        match ty {
            Type::F64 => Class::Double,
            t if t.is_float() => Class::Single,
            _ => Class::Integer,
        }
    }
}

/// The micro-operations so far.
pub struct Build {
    /// Them.
    pub uops: Vec<Uop>,
    temporaries: u8,
    shape: Shape,
    /// Two channels are one of doubles: both read, compute and write the same.
    pairs: bool,
    /// The destination is of two registers: each has its own element of a0, and so have the halves of a source.
    halves: bool,
    pc: u32,
}

impl Build {
    /// Nothing yet, of an instruction with an operand of doubles or without, with this destination.
    pub fn new(shape: Shape, pairs: bool, destination: Option<&Destination>, pc: u32) -> Build {
        let length = |d: &Destination| ((shape.count - 1) * d.stride + 1) * unit(d.kind);
        let begin = |d: &Destination| match d.start {
            Start::General(byte) => byte % REGISTER,
            _ => 0,
        };
        let halves = destination.is_some_and(|d| begin(d) + length(d) > REGISTER);
        Build { uops: Vec::new(), temporaries: 0, shape, pairs, halves, pc }
    }

    /// Components of a group of four, the second of a pair of channels as the first.
    fn paired(&self, components: [u8; 4]) -> [u8; 4] {
        match self.pairs {
            true => [0, 0, 2, 2].map(|n: usize| components[n]),
            false => components,
        }
    }

    /// A new temporary.
    pub fn temporary(&mut self) -> Place {
        let n = self.temporaries;
        self.temporaries += 1;
        Place::Temporary(n)
    }

    /// Float results of a type.
    fn rounded(ty: Type, round: Round) -> FloatMode {
        let tiny = match flushes(ty) {
            true => Tiny::FlushRounded,
            false => Tiny::Keep,
        };
        FloatMode { round, tiny, nan: Nan::Quiet, ..FloatMode::default() }
    }

    /// An operation with a result in a place.
    pub fn put(&mut self, op: Op, ty: Type, dst: Place, src: &[Src]) -> &mut Uop {
        let mode = Build::rounded(ty, Round::Nearest);
        self.uops.push(Uop::new(op, ty, dst, src.to_vec()).with_mode(mode));
        let last = self.uops.len() - 1;
        &mut self.uops[last]
    }

    /// An operation with its result in a new temporary.
    pub fn op(&mut self, op: Op, ty: Type, src: &[Src]) -> Src {
        let dst = self.temporary();
        self.put(op, ty, dst, src);
        Src::new(dst, ty)
    }

    /// The same with another rounding.
    pub fn op_rounded(&mut self, op: Op, ty: Type, round: Round, src: &[Src]) -> Src {
        let mode = Build::rounded(ty, round);
        let out = self.op(op, ty, src);
        if let Some(last) = self.uops.last_mut() {
            last.mode = mode;
        }
        out
    }

    /// An operation without a result.
    pub fn effect(&mut self, op: Op, src: &[Src]) {
        self.uops.push(Uop::effect(op, src.to_vec()));
    }

    /// A source as its bits, without the flush of an arithmetic operation.
    pub fn raw(&mut self, s: &Source) -> Result<Src, Unimplemented> {
        self.raw_of(s, None)
    }

    /// The same, each channel reading what channel `components[i mod 4]` of its group of four reads.
    pub fn raw_of(&mut self, s: &Source, components: Option<[u8; 4]>) -> Result<Src, Unimplemented> {
        let place = match s.from {
            From::Immediate(all) if all.iter().all(|v| *v == all[0]) => Place::Immediate(all[0].into()),
            From::Immediate(_) if components.is_some() => {
                return Err(Unimplemented("vector of immediates in this operation"))
            }
            From::Immediate(all) => return Ok(self.vector(&all.map(|v| Place::Immediate(v.into())), s.kind)),
            From::Region(Start::Special(Special::Timestamp, sub), step) => return self.timestamp(sub, step, s.kind),
            From::Region(start, step) => self.place(start, step, s.kind, components)?,
        };
        Ok(Src { abs: s.abs, neg: s.neg, ..Src::new(place, s.kind) })
    }

    /// A source of an arithmetic operation.
    pub fn source(&mut self, s: &Source) -> Result<Src, Unimplemented> {
        let flush = flushes(s.kind);
        Ok(Src { flush, ..self.raw(s)? })
    }

    /// The channel of the operation that a lane is.
    fn channel(&mut self) -> Src {
        let lane = Src::new(Place::Builtin(Builtin::Lane), Type::S32);
        let first = Src::immediate((-i64::from(self.shape.first)) as u64, Type::S32);
        self.op(Op::Add, Type::S32, &[lane, first])
    }

    /// Clock: an element for all channels, or those behind it.
    fn timestamp(&mut self, sub: u32, step: Step, ty: Type) -> Result<Src, Unimplemented> {
        need(ty.bytes() == 4, "timestamp of other than dwords")?;
        let element = |n: u32| match n {
            0 => Place::Builtin(Builtin::ClockLow),
            1 => Place::Builtin(Builtin::ClockHigh),
            _ => Place::Immediate(0),
        };
        let first = sub / 4;
        match step {
            Step::Rows { vertical: 0, width: 1, .. } => Ok(Src::new(element(first), ty)),
            Step::Rows { vertical, width, horizontal: 1 } if vertical == width => {
                Ok(self.vector(&std::array::from_fn(|n| element(first + n as u32)), ty))
            }
            _ => Err(Unimplemented("region of the timestamp with gaps")),
        }
    }

    /// Values, one a channel.
    fn vector(&mut self, all: &[Place; 8], ty: Type) -> Src {
        let channel = self.channel();
        let low = Src::immediate(if self.pairs { 6 } else { 7 }, Type::U32);
        let n = self.op(Op::Logic(AND), Type::U32, &[channel, low]);
        let value = |place: Place| Src::new(place, ty);
        let out = self.op(Op::Move, ty, &[value(all[0])]);
        for (i, v) in all.iter().enumerate().skip(1) {
            let here = Src::immediate(i as u64, Type::U32);
            let op = Op::CompareSelect(Cond(Cond::EQUAL));
            self.put(op, ty, out.place, &[n, here, value(*v), out]);
        }
        out
    }

    /// The place of a source region.
    fn place(&self, start: Start, step: Step, ty: Type, components: Option<[u8; 4]>) -> Result<Place, Unimplemented> {
        let size = unit(ty);
        let (vertical, width, horizontal, own, each_row) = match step {
            Step::Rows { vertical, width, horizontal } => (vertical, width, horizontal, IN_ORDER, false),
            Step::Each { width, horizontal } => (0, width, horizontal, IN_ORDER, true),
            Step::Groups { vertical, components } => (vertical, 4, 1, components, false),
        };
        let components = match components {
            Some(over) => over.map(|c| own[usize::from(c & 3)]),
            None => own,
        };
        // A channel follows the next one in the region.
        let scalar = vertical == 0 && (width == 1 || horizontal == 0);
        let steady = width == vertical && horizontal == 1 || width == 1 && vertical == 1;
        match start {
            Start::Special(Special::Null | Special::Dependencies, _) => return Ok(Place::Immediate(0)),
            Start::Special(Special::Ip, _) => return Ok(Place::Immediate(self.pc.into())),
            Start::Special(Special::Accumulator(n), sub) => {
                let one = self.shape.count == 1;
                if !(steady || scalar && one) || components != IN_ORDER {
                    return Err(Unimplemented("region of an accumulator with gaps"));
                }
                return self.accumulator(n, sub, ty);
            }
            _ => {}
        }
        let (file, byte, indirect) = base(start)?;
        let (mut vertical, mut width, mut each_row) = (vertical, width, each_row);
        if indirect.is_some() && self.halves && !scalar && !each_row {
            need(vertical == width * horizontal, "indirect rows for a destination of two registers")?;
            (vertical, width, each_row) = (0, self.shape.count / 2, true);
        }
        Ok(Place::Region(Region {
            file,
            byte,
            vertical: (vertical * size) as u16,
            width: width as u8,
            horizontal: (horizontal * size) as u16,
            indirect,
            each_row,
            components: self.paired(components),
        }))
    }

    /// The part of an accumulator that channel 0 of the operation has at an element of acc0 or acc1; a
    /// register has 16 channels of words, 8 of dwords and floats, 4 pairs of doubles.
    fn accumulator(&self, n: u8, sub: u32, ty: Type) -> Result<Place, Unimplemented> {
        let size = unit(ty);
        if size == 1 {
            return Err(Unimplemented("accumulator of bytes"));
        }
        let channel = u32::from(n) * (REGISTER / size) + sub / size;
        Ok(Place::Accumulator(((channel + 32 - self.shape.first) % 32) as u8))
    }

    /// The place of a destination.
    pub fn destination(&self, d: &Destination) -> Result<Place, Unimplemented> {
        let size = unit(d.kind);
        match d.start {
            Start::Special(Special::Null, _) => return Ok(Place::None),
            // Writes to what is read only are dropped.
            Start::Special(Special::Notification(_) | Special::Dependencies | Special::Timestamp, _) => {
                return Ok(Place::None)
            }
            Start::Special(Special::Accumulator(n), sub) => {
                if d.stride != 1 && self.shape.count != 1 {
                    return Err(Unimplemented("region of an accumulator with gaps"));
                }
                return self.accumulator(n, sub, d.kind);
            }
            _ => {}
        }
        let (file, byte, indirect) = base(d.start)?;
        let step = d.stride * size;
        let each_row = indirect.is_some() && self.halves;
        let (vertical, width, horizontal) = match each_row {
            true => (0, REGISTER / step, step),
            false => (step, 1, 0),
        };
        Ok(Place::Region(Region {
            file,
            byte,
            vertical: vertical as u16,
            width: width as u8,
            horizontal: horizontal as u16,
            indirect,
            each_row,
            components: self.paired(IN_ORDER),
        }))
    }

    /// Elements of a type behind each other from a byte of the general registers on.
    pub fn row(&self, byte: u32, ty: Type) -> Place {
        Place::Region(Region {
            file: file::GENERAL,
            byte: byte as i16,
            vertical: ty.bytes() as u16,
            width: 1,
            horizontal: 0,
            indirect: None,
            each_row: false,
            components: IN_ORDER,
        })
    }

    /// What was written into ip.
    pub fn target(&self) -> Src {
        let mut target = self.scalar(0, Type::U32);
        if let Place::Region(r) = &mut target.place {
            r.file = file::TARGET;
        }
        target
    }

    /// One element at a byte of the general registers for all lanes.
    pub fn scalar(&self, byte: u32, ty: Type) -> Src {
        let place = Place::Region(Region {
            file: file::GENERAL,
            byte: byte as i16,
            vertical: 0,
            width: 1,
            horizontal: 0,
            indirect: None,
            each_row: false,
            components: IN_ORDER,
        });
        Src { flush: flushes(ty), ..Src::new(place, ty) }
    }
}

/// Bytes that strides of a region of a type count: a double is a pair of packed floats.
fn unit(ty: Type) -> u32 {
    ty.bytes().min(4)
}

/// Denormals of a type are zeros; those of f16 are numbers, those of f64 where the program says so.
pub fn flushes(ty: Type) -> bool {
    matches!(ty, Type::F32 | Type::F64)
}

/// What is not implemented, where something does not hold.
pub fn need(ok: bool, reason: &'static str) -> Result<(), Unimplemented> {
    match ok {
        true => Ok(()),
        false => Err(Unimplemented(reason)),
    }
}

/// The opposite of a source.
pub fn minus(s: Src) -> Src {
    Src { neg: !s.neg, ..s }
}

/// An integer without a place.
pub fn number(n: i64) -> Src {
    Src::immediate(n as u64, Type::S64)
}

/// File, byte and address register of a start.
fn base(start: Start) -> Result<(u8, i16, Option<u8>), Unimplemented> {
    Ok(match start {
        Start::General(byte) => (file::GENERAL, byte as i16, None),
        Start::Indirect { element, offset } => (file::GENERAL, offset as i16, Some(element)),
        Start::Special(special, sub) => {
            let at = |file, register: u32| (file, (register + sub) as i16, None);
            match special {
                Special::Address => at(file::ADDRESS, 0),
                Special::Flag(n) => at(file::FLAGS, 4 * u32::from(n)),
                Special::State => at(file::STATE, 0),
                Special::Control => at(file::CONTROL, 0),
                Special::Notification(n) => at(file::NOTIFICATIONS, 4 * u32::from(n)),
                Special::Ip => (file::TARGET, 0, None),
                _ => return Err(Unimplemented("this register as an operand")),
            }
        }
    })
}
