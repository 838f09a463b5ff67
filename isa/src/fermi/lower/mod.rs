//! Fermi's instructions as micro-operations.

mod control;
mod convert;
mod float;
mod integer;
mod memory;
mod misc;

use super::operand::{Kind, Operand, Sign};
use super::table::{fields, TABLE};
use crate::set::{Field, Form, Instr, Modifier};
use crate::uop::{
    Cond, FloatMode, Flow, Guard, Lanes, Lowered, Op, Pick, Place, Round, Src, StackFlow, Tiny, Type, Unimplemented,
    Uop,
};

/// Register that reads as zero.
const ZERO: u64 = 63;
/// Predicate that is always true.
const TRUE: u64 = 7;

/// Truth tables of two bits a, b by bit `a + 2 b`.
const AND: u8 = 0b1000;
const OR: u8 = 0b1110;
const XOR: u8 = 0b0110;
const SECOND: u8 = 0b1100;

type Result<T> = std::result::Result<T, Unimplemented>;

/// The instruction at byte address `pc` as micro-operations.
///
/// # Errors
/// A form without micro-operations, a size without a meaning, a group of registers that is not aligned.
pub fn lower(instr: &Instr, pc: u64) -> Result<Lowered> {
    let l = Lowering { form: TABLE.form(instr), bits: instr.code.bits(), pc };
    let mut uops = match l.form.mnemonic {
        "FADD" | "FADD32I" | "FMUL" | "FMUL32I" | "FFMA" | "DADD" | "DMUL" | "DFMA" | "FSETP" | "DSETP" | "FCMP"
        | "FMNMX" | "MUFU" | "RRO" => float::lower(&l)?,
        "F2I" | "I2F" | "F2F" | "I2I" => convert::lower(&l)?,
        "LD" | "ST" | "LDL" | "LDS" | "STL" | "STS" | "LDC" | "RED" | "ATOM" | "MEMBAR" => memory::lower(&l)?,
        "MOV" | "MOV32I" | "S2R" | "SEL" | "PSETP" | "VOTE" => misc::lower(&l)?,
        "BRA" | "SSY" | "PBK" | "PCNT" | "PRET" | "CAL" | "EXIT" | "RET" | "BRK" | "CONT" | "NOP" | "BAR" => {
            control::lower(&l)?
        }
        _ => integer::lower(&l)?,
    };
    if l.has(fields::JOIN) && l.get(fields::JOIN) == 1 {
        uops.push(Uop::effect(Op::Flow(Flow::Stack(StackFlow::Join)), vec![]));
    }
    Ok(Lowered { lanes: Lanes::default(), guard: l.guard(), uops })
}

/// An instruction and its form.
struct Lowering {
    form: &'static Form<Operand>,
    bits: u128,
    pc: u64,
}

impl Lowering {
    fn get(&self, field: Field) -> u64 {
        field.get(self.bits)
    }

    fn has(&self, field: Field) -> bool {
        self.form.fields.contains(&field)
    }

    /// Value of the modifier of a name; 0 where the form has none.
    fn modifier(&self, name: &str) -> u64 {
        let value = |m: &Modifier| match m {
            Modifier::Names(f, _) if f.name == name => Some(f.get(self.bits)),
            _ => None,
        };
        self.form.modifiers.iter().find_map(value).unwrap_or(0)
    }

    fn on(&self, name: &str) -> bool {
        self.modifier(name) != 0
    }

    /// Whether the form always has a suffix.
    fn fixed(&self, name: &str) -> bool {
        self.form.modifiers.iter().any(|m| matches!(m, Modifier::Fixed(n) if *n == name))
    }

    /// Rounding of a form with `rnd`; others round to nearest.
    fn round(&self) -> Round {
        match self.modifier("rnd") {
            0 => Round::Nearest,
            1 => Round::Down,
            2 => Round::Up,
            _ => Round::Zero,
        }
    }

    /// Rounding and denormals of a form.
    fn mode(&self) -> FloatMode {
        let flush = self.on("ftz") || self.on("fmz");
        FloatMode {
            round: self.round(),
            tiny: match flush {
                true => Tiny::FlushRounded,
                false => Tiny::Keep,
            },
            zero_product: self.on("fmz"),
            ..FloatMode::default()
        }
    }

    fn guard(&self) -> Option<Guard> {
        if !self.has(fields::GUARD) {
            return None;
        }
        let not = self.get(fields::GUARD_NOT) == 1;
        match self.get(fields::GUARD) {
            TRUE if !not => None,
            p => Some(Guard { place: predicate(p), not, pick: Pick::Own }),
        }
    }

    /// Operand `n` in assembler order.
    fn operand(&self, n: usize) -> Result<&'static Operand> {
        let operands: &'static [Operand] = self.form.operands;
        operands.get(n).ok_or(Unimplemented("the form has fewer operands"))
    }

    /// Whether a sign of an operand is set.
    fn sign(&self, operand: &Operand, wanted: fn(&Sign) -> bool) -> bool {
        let found = operand.signs.iter().find(|s| wanted(s));
        found.is_some_and(|s| self.get(s.field()) == 1)
    }

    /// Whether operand `n` has its minus bit set.
    fn minus(&self, n: usize) -> Result<bool> {
        let neg = |s: &Sign| matches!(s, Sign::Neg(_));
        Ok(self.sign(self.operand(n)?, neg))
    }

    /// Operand `n` as a source of a type, with its signs.
    fn src(&self, n: usize, ty: Type) -> Result<Src> {
        let o = self.operand(n)?;
        let value = self.get(o.fields[0]);
        let place = match o.kind {
            Kind::Pred => predicate(value),
            Kind::Const | Kind::Const64 => {
                Place::Constant { bank: value as u8, offset: 4 * self.get(o.fields[1]) as u32 }
            }
            Kind::ImmF32 => Place::Immediate(value << 12),
            Kind::ImmF64 => Place::Immediate(value << 44),
            Kind::ImmInt => Place::Immediate(o.fields[0].get_signed(self.bits) as u64),
            Kind::Imm32 | Kind::Number | Kind::Optional => Place::Immediate(value),
            _ => group(value, ty.bytes().div_ceil(4))?,
        };
        Ok(Src {
            neg: self.sign(o, |s| matches!(s, Sign::Neg(_))),
            abs: self.sign(o, |s| matches!(s, Sign::Abs(_))),
            not: self.sign(o, |s| matches!(s, Sign::Not(_))),
            ..Src::new(place, ty)
        })
    }

    /// The same of a float, flushed by FTZ and FMZ.
    fn float(&self, n: usize, ty: Type) -> Result<Src> {
        Ok(Src { flush: self.mode().tiny != Tiny::Keep, ..self.src(n, ty)? })
    }

    /// Operand `n` as the place of a result of a type.
    fn dst(&self, n: usize, ty: Type) -> Result<Place> {
        let o = self.operand(n)?;
        let value = self.get(o.fields[0]);
        match o.kind {
            Kind::Pred if value == TRUE => Ok(Place::None),
            Kind::Pred => Ok(Place::Predicate(value as u8)),
            _ => destination(value, ty.bytes().div_ceil(4)),
        }
    }

    /// Truth table of a modifier AND, OR, XOR.
    fn logic(&self, name: &str) -> u8 {
        [AND, OR, XOR, SECOND][self.modifier(name) as usize & 3]
    }

    /// Condition of `cmp`: bits less, equal, greater, unordered.
    fn cond(&self) -> Cond {
        let code = self.modifier("cmp") as u8;
        let unordered = if code & 8 != 0 { Cond::UNORDERED } else { 0 };
        Cond(code & 7 | unordered)
    }

    /// `PD, PN2, A, B, PC`: both outcomes, each combined with PC.
    fn set_predicates(&self, a: Src, b: Src) -> Result<Vec<Uop>> {
        let op = Op::Compare { cond: self.cond(), combine: self.logic("log") };
        let src = vec![a, b, self.src(4, Type::Bool)?];
        let mut u = Uop::new(op, Type::Bool, self.dst(0, Type::Bool)?, src);
        u.dst[1] = self.dst(1, Type::Bool)?;
        Ok(vec![u])
    }

    /// `D, A, B, P`: the smaller where P holds, else the larger.
    fn min_max(&self, ty: Type, a: Src, b: Src) -> Result<Vec<Uop>> {
        let dst = self.dst(0, ty)?;
        let chosen = |op, dst| Uop::new(op, ty, dst, vec![a, b]).with_mode(self.mode());
        let p = self.src(3, Type::Bool)?;
        if let Place::Immediate(_) = p.place {
            return Ok(vec![chosen(if p.not { Op::Max } else { Op::Min }, dst)]);
        }
        let kept = |n| Src::new(Place::Temporary(n), ty);
        Ok(vec![
            chosen(Op::Min, Place::Temporary(0)),
            chosen(Op::Max, Place::Temporary(1)),
            Uop::new(Op::Select, ty, dst, vec![kept(0), kept(1), p]),
        ])
    }
}

/// A predicate as a place to read.
fn predicate(n: u64) -> Place {
    match n {
        TRUE => Place::Immediate(1),
        n => Place::Predicate(n as u8),
    }
}

/// `count` registers from `n` on, to be read.
fn group(n: u64, count: u32) -> Result<Place> {
    match n {
        ZERO => Ok(Place::Immediate(0)),
        n if n % u64::from(count) != 0 => {
            Err(Unimplemented("the first register of a group is no multiple of its size"))
        }
        n => Ok(Place::register(n as u16)),
    }
}

/// The same to be written.
fn destination(n: u64, count: u32) -> Result<Place> {
    Ok(match group(n, count)? {
        Place::Immediate(_) => Place::None,
        place => place,
    })
}
