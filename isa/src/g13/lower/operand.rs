//! Operands as places of micro-operations.

use crate::g13::alu::{mini_float, Mode};
use crate::g13::operand::{Kind, Operand};
use crate::set::{Field, Instr};
use crate::uop::{Cond, FloatMode, Nan, Place, Product, Round, Src, Tiny, Type, Uop};

use crate::g13::table::TABLE;

/// The place that is used where a result is not of the width of its destination.
const RESULT: Place = Place::Temporary(7);

/// Rounding and denormals of floats of 32 bits, also for those of 16.
pub(super) const NEAREST: FloatMode = FloatMode {
    round: Round::Nearest,
    tiny: Tiny::FlushExact,
    nan: Nan::Quiet,
    zero_product: false,
    product: Product::Exact,
};

/// A destination.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dst {
    pub place: Place,
    /// Width in bits.
    pub bits: u32,
    /// Floats are clamped to 0..1.
    pub saturate: bool,
}

/// The place of a lane register by its number in halves.
pub(super) const fn lane(half: u64) -> Place {
    Place::Register { index: (half >> 1) as u16, byte: 2 * (half & 1) as u8 }
}

/// The place of a uniform register by its number in halves.
pub(super) const fn uniform(half: u64) -> Place {
    Place::Uniform { index: (half >> 1) as u16, byte: 2 * (half & 1) as u8 }
}

/// An instruction with its operands.
#[derive(Clone, Copy)]
pub(super) struct Code {
    pub name: &'static str,
    operands: &'static [Operand],
    fields: &'static [Field],
    pub bits: u128,
    /// Address of the next instruction.
    pub next: u32,
    /// Address of this one.
    pub pc: u32,
}

impl Code {
    pub fn new(instr: &Instr, pc: u32) -> Code {
        let form = TABLE.form(instr);
        Code {
            name: form.name,
            operands: form.operands,
            fields: TABLE.fields(instr.row),
            bits: instr.code.bits(),
            next: pc.wrapping_add(instr.code.len() as u32),
            pc,
        }
    }

    /// A field by its name; 0 where the form has none.
    pub fn field(&self, name: &str) -> u64 {
        let field = self.fields.iter().find(|f| f.name == name);
        field.map_or(0, |f| f.get(self.bits))
    }

    /// Field `field` of operand `n`.
    pub fn part(&self, n: usize, field: usize) -> u64 {
        self.operands[n].fields[field].get(self.bits)
    }

    /// The same, sign-extended.
    pub fn signed(&self, n: usize) -> i64 {
        self.operands[n].fields[0].get_signed(self.bits)
    }

    /// Where a branch with operand 0 as offset goes.
    pub fn target(&self) -> u32 {
        self.pc.wrapping_add(self.signed(0) as u32)
    }

    /// The destination that operand `n` is.
    pub fn dst(&self, n: usize) -> Dst {
        let o = &self.operands[n];
        let first = self.part(n, 0);
        let wide = o.dst_is_wide(self.bits);
        // Kinds of halves and words count as the others do.
        let bits = match o.kind {
            Kind::Dst64 if wide && first & 1 == 1 => 64,
            _ if wide => 32,
            _ => 16,
        };
        Dst {
            place: lane(if wide { first & !1 } else { first }),
            bits,
            saturate: o.saturation().is_some_and(|f| f.get(self.bits) == 1),
        }
    }

    /// Place and width in bits of source `n`; the bits of an immediate are those of the code.
    fn read(&self, n: usize) -> (Place, u32) {
        let o = &self.operands[n];
        let v = self.part(n, 0);
        match o.mode(self.bits) {
            // Decoding has refused sources without a mode.
            None | Some(Mode::Number) => (Place::Immediate(v), 16),
            Some(Mode::Uniform { wide, page }) => {
                let half = v | page << 8;
                match wide {
                    true => (uniform(half & !1), 32),
                    false => (uniform(half), 16),
                }
            }
            Some(Mode::Register { halves: 1, .. }) => (lane(v), 16),
            Some(Mode::Register { halves, .. }) => (lane(v & !1), 16 * halves as u32),
        }
    }

    /// Width in bits of source `n`; 16 of an immediate.
    pub fn width(&self, n: usize) -> u32 {
        self.read(n).1
    }

    /// True where source `n` asks for sign extension.
    pub fn extends(&self, n: usize) -> bool {
        self.operands[n].extends() && self.part(n, 2) == 1
    }

    /// Source `n` as an integer, extended as the operand says.
    pub fn int(&self, n: usize) -> Src {
        self.int_as(n, self.extends(n))
    }

    /// Source `n` as an integer with or without sign. An immediate has none.
    pub fn int_as(&self, n: usize, signed: bool) -> Src {
        let (place, bits) = self.read(n);
        let signed = signed && !matches!(place, Place::Immediate(_));
        Src::new(place, Type::int(bits, signed))
    }

    /// Source `n` as a float.
    pub fn float(&self, n: usize) -> Src {
        let m = self.part(n, 2);
        let (place, bits) = self.read(n);
        let src = match (place, bits) {
            // Each of the 256 is exact in 32 bits.
            (Place::Immediate(v), _) => Src::immediate((mini_float(v) as f32).to_bits().into(), Type::F32),
            (place, 16) => Src::new(place, Type::F16),
            (place, _) => Src::new(place, Type::F32),
        };
        Src { flush: src.ty == Type::F32, abs: m & 1 == 1, neg: m & 2 == 2, ..src }
    }

    /// The comparison of integers that operand `n` names, and whether it is signed.
    pub fn int_cond(&self, n: usize) -> (Cond, bool) {
        let cc = self.operands[n].combined(self.bits);
        let holds = match cc & 3 {
            0 => Cond::EQUAL,
            1 => Cond::LESS,
            _ => Cond::GREATER,
        };
        (invert(Cond(holds), cc), cc & 4 == 4)
    }

    /// The comparison of floats that operand `n` names.
    pub fn float_cond(&self, n: usize) -> Cond {
        let cc = self.operands[n].combined(self.bits);
        let holds = match cc & 7 {
            0 => Cond::EQUAL,
            1 => Cond::LESS,
            2 => Cond::GREATER,
            3 => Cond::LESS | Cond::NAN_B,
            5 => Cond::GREATER | Cond::EQUAL,
            6 => Cond::LESS | Cond::EQUAL,
            _ => Cond::GREATER | Cond::NAN_B,
        };
        invert(Cond(holds), cc)
    }
}

/// The opposite where the code of the condition says so.
fn invert(cond: Cond, cc: u64) -> Cond {
    if cc & 8 == 8 {
        cond.inverted()
    } else {
        cond
    }
}

impl Dst {
    /// The unsigned type of the destination.
    pub fn ty(&self) -> Type {
        Type::int(self.bits, false)
    }

    /// The type of floats of the destination.
    pub fn float(&self) -> Type {
        match self.bits {
            16 => Type::F16,
            _ => Type::F32,
        }
    }

    /// The micro-operation with this destination; a result of another width is brought to its width
    /// first: an integer is cut or extended, a float rounded again.
    pub fn take(&self, uop: Uop) -> Vec<Uop> {
        let from = uop.ty;
        if from.bits() == self.bits {
            return vec![to(uop, self.place)];
        }
        let src = Src::new(RESULT, from);
        let last =
            if from.is_float() { convert(self.float(), self.place, src) } else { mov(self.ty(), self.place, src) };
        vec![to(uop, RESULT), last]
    }
}

/// The micro-operation with a destination.
pub(super) fn to(uop: Uop, place: Place) -> Uop {
    Uop { dst: [place, Place::None], ..uop }
}

/// Copies an integer.
pub(super) fn mov(ty: Type, place: Place, src: Src) -> Uop {
    Uop::new(crate::uop::Op::Move, ty, place, vec![src])
}

/// Copies a number to nearest.
pub(super) fn convert(ty: Type, place: Place, src: Src) -> Uop {
    let mode = float_mode(ty);
    Uop::new(crate::uop::Op::Convert, ty, place, vec![src]).with_mode(mode)
}

/// Rounding and denormals of results of a type: floats of 16 bits keep denormals.
pub(super) fn float_mode(ty: Type) -> FloatMode {
    FloatMode {
        tiny: match ty {
            Type::F32 => Tiny::FlushExact,
            _ => Tiny::Keep,
        },
        ..NEAREST
    }
}
