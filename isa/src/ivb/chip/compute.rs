//! Operations on registers.

use super::operand::{destination, operand, typed, Operand, Region, Temporary, To};
use crate::ivb::fields::SOURCES;
use crate::ivb::lower::operand::{From, Special, Start};
use crate::ivb::lower::{number_first, of_selection, Condition, Parts};
use crate::ivb::operand::IMMEDIATE;
use crate::ivb::table::Format;
use crate::uop::{Cond, Place, Round, Type};

/// A function of `math`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// 1 / x.
    Inv,
    /// log2 x.
    Log,
    /// 2^x.
    Exp,
    /// 1 / sqrt(x).
    Rsq,
    /// Sine.
    Sin,
    /// Cosine.
    Cos,
    /// 1 / sqrt(x), of zero 0 and of infinity infinity: a factor of the square root.
    Root,
}

/// An operation on the sources s0, s1, s2 of the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// The bits of s0.
    Move,
    /// s0 as a number of the type of the result.
    Convert,
    /// s0 + s1.
    Add,
    /// s0 * s1.
    Multiply,
    /// s1 * s2 + s0 of floats, rounded once.
    Fused,
    /// Truth table for each bit: bit s0 + 2 s1 of it.
    Logic(u8),
    /// s0 << (s1 & 31).
    ShiftLeft,
    /// s0 >> (s1 & 31); the sign comes in where s0 is D or W.
    ShiftRight,
    /// The same, zeros come in.
    ShiftRightUnsigned,
    /// Bits of s0 in reverse order.
    Reverse,
    /// s0 & 31 bits of s2 from bit s1 & 31 on.
    Extract,
    /// s0 & 31 ones from bit s1 & 31 on.
    Mask,
    /// (s0 & s1) | (!s0 & s2).
    Merge,
    /// All ones where s0 and s1 compare so, else 0; the flag says the same.
    Compare(Cond),
    /// s0 where they compare so, else s1.
    Choose(Cond),
    /// s0 where the predicate is true, else s1; it does not mask.
    Select,
    /// Zeros above the highest one of s0; 32 where there is none.
    LeadingZeros,
    /// Bits of s0 from the top that are like the sign of D, or 0 of UD; all ones where all are.
    FindHigh,
    /// Zeros below the lowest one of s0; all ones where there is none.
    FindLow,
    /// Ones of s0.
    CountOnes,
    /// s0 as an integral float.
    Round(Round),
    /// f16 in the low word of s0 as float.
    FromHalf,
    /// s0 as f16.
    ToHalf,
    /// A function of s0.
    Special(Function),
    /// s0 where it is a number, else s1.
    Known,
    /// The square root of s0; this and what follows are [sequences](Compute::steps).
    Root,
    /// s0 / s1.
    Quotient,
    /// |s0| to the power s1.
    Power,
    /// s0 less the integral float below.
    Fraction,
    /// s0 * s1 + (1 - s0) * s2.
    Blend,
    /// (s0 + s1 + 1) >> 1.
    Average,
    /// s0 where they compare so, else s1, of floats.
    Best(Cond),
}

/// An operation with its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compute {
    /// Operation.
    pub operation: Operation,
    /// Sources s0, s1, s2 of the instruction.
    pub sources: [Option<Operand>; 3],
    /// The compared integers are signed.
    pub signed: bool,
    /// Where the result goes; `None`: nowhere.
    pub to: Option<To>,
    /// Type of the result, also of one that goes nowhere.
    pub ty: Type,
    /// Of a step that is not the last: where the result goes instead.
    pub keeps: Option<Temporary>,
    /// Integers are clamped to the type, floats to 0 … 1.
    pub saturate: bool,
    /// How a sum is rounded.
    pub round: Round,
    /// Denormals are numbers, of sources and result.
    pub denormals: bool,
    /// Condition of the result, as the instruction word numbers it, that `flag` keeps; of a comparison the flag keeps the
    /// outcome.
    pub condition: Option<u8>,
    /// Flag: 0 to 3 are f0.0, f0.1, f1.0, f1.1.
    pub flag: u8,
}

type Refused = &'static str;

/// What a chip lacks, where something does not hold.
fn need(ok: bool, reason: Refused) -> Result<(), Refused> {
    match ok {
        true => Ok(()),
        false => Err(reason),
    }
}

const MODIFIER: Refused = "integers of chips have a minus in add and mov alone, and no absolute value";
const TO_FLOAT: Refused = "chips convert in mov alone";

/// The immediate of an instruction is a vector.
fn has_vector(p: &Parts) -> bool {
    let vector =
        |s: &crate::ivb::fields::Source| s.file.get(p.bits) == IMMEDIATE && matches!(s.kind.get(p.bits), 4..=6);
    SOURCES.iter().any(vector)
}

/// The sources of a format that chips read.
fn sources(p: &Parts, format: Format, one: bool, sixteen: bool) -> Result<[Option<Operand>; 3], Refused> {
    need(format == Format::Three || !has_vector(p), "chips have no vectors of immediates")?;
    let mut out = [None; 3];
    for (to, s) in out.iter_mut().zip(&p.sources) {
        *to = match s {
            Some(s)
                if format == Format::Math && matches!(s.from, From::Region(Start::Special(Special::Null, _), _)) =>
            {
                None
            }
            Some(s) => Some(operand(s, one, sixteen)?),
            None => None,
        };
    }
    Ok(out)
}

/// The operation of an instruction with one channel, or with 16.
///
/// # Errors
/// What chips lack.
pub(super) fn compute(p: &Parts, format: Format, one: bool, sixteen: bool) -> Result<Compute, Refused> {
    let d = p.destination().map_err(|u| u.0)?;
    let (to, ty) = (destination(d, one)?, typed(d.kind)?);
    let sources = sources(p, format, one, sixteen)?;
    let s0 = sources[0].ok_or("operands of chips are general registers")?;
    let kind = |n: usize| sources[n].map_or(s0.ty, |s| s.ty);
    let float = s0.ty.is_float();
    let plain = sources.iter().flatten().all(Operand::is_plain);
    let outcomes = match p.condition {
        Some(Condition::Overflow) => return Err("chips have no condition .o"),
        Some(Condition::Outcomes(cond)) => Some(cond),
        None => None,
    };
    let saturates = matches!(p.name, "mov" | "add" | "mul" | "mad" | "rndu" | "rndd" | "rnde" | "rndz");
    need(saturates || !p.saturate, "chips saturate in mov, add, mul, mad and roundings alone")?;
    // But for conversions and comparisons: of integers to integers, of floats to floats.
    let same_class = || need(ty.is_float() == float, TO_FLOAT);
    let integers = || need(float || plain, MODIFIER);
    let mut out = Compute {
        operation: Operation::Move,
        sources,
        signed: false,
        to,
        ty,
        keeps: None,
        saturate: p.saturate,
        round: Round::Nearest,
        denormals: false,
        condition: outcomes.map(|_| p.code as u8),
        flag: flag(p),
    };
    out.operation = match p.name {
        "mov" => {
            need(float || !s0.abs, MODIFIER)?;
            match s0.ty == ty && plain && !p.saturate {
                true => Operation::Move,
                false => Operation::Convert,
            }
        }
        "add" => {
            same_class()?;
            let negated = sources.iter().flatten().filter(|s| s.neg).count();
            let absolute = sources.iter().flatten().any(|s| s.abs);
            need(float || negated < 2 && !absolute, MODIFIER)?;
            Operation::Add
        }
        "mul" => {
            same_class()?;
            integers()?;
            if !float && kind(0).bits() == 32 && kind(1).bits() == 32 {
                out.sources[1] = sources[1].map(Operand::low_word);
            }
            Operation::Multiply
        }
        "mad" => {
            need(float, "types of chips are UD, D, UW, W and F")?;
            Operation::Fused
        }
        "cmp" | "cmpn" => {
            integers()?;
            let cond = outcomes.ok_or("comparison without a condition")?;
            out.condition = Some(NOT_ZERO);
            out.signed = signed(&sources)?;
            Operation::Compare(if p.name == "cmpn" { number_first(cond) } else { cond })
        }
        "sel" => {
            out.condition = None;
            match outcomes {
                Some(cond) if float => {
                    same_class()?;
                    Operation::Best(of_selection(cond))
                }
                Some(cond) => {
                    same_class()?;
                    integers()?;
                    out.signed = signed(&sources)?;
                    Operation::Choose(cond)
                }
                None => {
                    let same = sources.iter().flatten().all(|s| s.ty == ty);
                    need(same && plain, "chips select by a predicate what has one type and no modifiers")?;
                    Operation::Select
                }
            }
        }
        "rndu" => Operation::Round(Round::Up),
        "rndd" => Operation::Round(Round::Down),
        "rnde" => Operation::Round(Round::Nearest),
        "rndz" => Operation::Round(Round::Zero),
        "f32to16" => {
            need(outcomes.is_none(), "condition on an f16")?;
            Operation::ToHalf
        }
        "f16to32" => {
            need(plain, MODIFIER)?;
            Operation::FromHalf
        }
        "frc" => {
            need(!matches!(s0.region, Region::Immediate(_)), "chips take the fraction of a register")?;
            Operation::Fraction
        }
        "lrp" => Operation::Blend,
        "avg" => {
            same_class()?;
            integers()?;
            out.signed = signed(&sources)?;
            Operation::Average
        }
        "math" => {
            need(matches!(p.code, 1..=7 | 9 | 10), "chips do not divide integers")?;
            need(!one, "functions of chips have 8 or 16 channels")?;
            need(sources[1].is_some() == matches!(p.code, 9 | 10), "functions of one source have the second null")?;
            out.condition = None;
            match p.code {
                1 => Operation::Special(Function::Inv),
                2 => Operation::Special(Function::Log),
                3 => Operation::Special(Function::Exp),
                4 => Operation::Root,
                5 => Operation::Special(Function::Rsq),
                6 => Operation::Special(Function::Sin),
                7 => Operation::Special(Function::Cos),
                9 => Operation::Quotient,
                _ => Operation::Power,
            }
        }
        name => {
            same_class()?;
            integers()?;
            match name {
                "not" => Operation::Logic(0b0101),
                "and" => Operation::Logic(0b1000),
                "or" => Operation::Logic(0b1110),
                "xor" => Operation::Logic(0b0110),
                "shl" => Operation::ShiftLeft,
                "asr" => Operation::ShiftRight,
                "shr" => {
                    // A word is one of 32 bits where the destination is.
                    let extends = kind(0) == Type::S16 && ty.bits() == 32;
                    out.sources[0] = Some(Operand { extends, ..s0 });
                    Operation::ShiftRightUnsigned
                }
                "bfrev" => Operation::Reverse,
                "bfe" => Operation::Extract,
                "bfi1" => Operation::Mask,
                "bfi2" => Operation::Merge,
                "lzd" => Operation::LeadingZeros,
                "fbh" => Operation::FindHigh,
                "fbl" => Operation::FindLow,
                "cbit" => Operation::CountOnes,
                _ => return Err("chips do not have this opcode"),
            }
        }
    };
    Ok(out)
}

/// Condition of a comparison's result.
pub const NOT_ZERO: u8 = 2;

/// The flag of predicate and condition.
pub(super) fn flag(p: &Parts) -> u8 {
    match p.flag {
        Place::Flag(register, sub) => 2 * register + sub,
        _ => 0,
    }
}

/// Whether two integers of 32 bits compare with a sign, which UD has not.
///
/// # Errors
/// One is UD, the other has a sign.
fn signed(sources: &[Option<Operand>; 3]) -> Result<bool, Refused> {
    let [Some(x), Some(y), _] = sources else { return Ok(false) };
    let natural = x.is_natural() || y.is_natural();
    let mixed = |s: Type, t: Type| s == Type::U32 && matches!(t, Type::S32 | Type::S16);
    need(natural || !(mixed(x.ty, y.ty) || mixed(y.ty, x.ty)), "chips do not compare UD with D and W")?;
    let signed = |ty: Type| matches!(ty, Type::S32 | Type::S16);
    Ok(signed(x.ty) || x.ty != Type::U32 && signed(y.ty))
}
