//! The operations that are swept: control word, operands, and what the golden model says.

use super::leaf::Leaf;
use super::operands::{operands, Shape};
use warpsmith_hdl::sm::control::{float_format, function, int_format, round as rounding, unit, AluControl};
use warpsmith_isa::{FloatType, IntType, Round};
use warpsmith_model::num::{convert, float, int, rro, sfu};

/// Result and flags of three operands.
type Model = Box<dyn Fn([u32; 3]) -> (u32, u8) + Send + Sync>;

/// An operation of a leaf.
pub struct Operation {
    pub name: &'static str,
    pub leaf: Leaf,
    /// What the leaf's control port holds all the time.
    pub control: u64,
    pub shape: Shape,
    /// Seed of the random operands.
    pub seed: u64,
    /// The flags are compared too.
    pub flags: bool,
    pub model: Model,
}

impl Operation {
    /// Operands number `i` of a sweep whose numbers are `stride` apart.
    pub fn operands(&self, i: u64, stride: u32) -> [u32; 3] {
        match self.shape {
            Shape::Unary => {
                let x = (i as u32).wrapping_mul(stride);
                [x, !x, !x]
            }
            shape => operands(shape, self.seed, i),
        }
    }

    /// Operations of a whole sweep: every input, or 2^27 random ones.
    pub fn count(&self) -> u64 {
        match self.shape {
            Shape::Unary => 1 << 32,
            _ => 1 << 27,
        }
    }
}

fn special(name: &'static str, code: u64, f: fn(u32) -> u32) -> Operation {
    Operation {
        name,
        leaf: Leaf::Sfu,
        control: code,
        shape: Shape::Unary,
        seed: 0,
        flags: false,
        model: Box::new(move |x| (f(x[0]), 0)),
    }
}

fn lane(
    name: &'static str, shape: Shape, fields: &[(&str, u64)],
    model: impl Fn([u32; 3]) -> (u32, u8) + Send + Sync + 'static,
) -> Operation {
    Operation {
        name,
        leaf: Leaf::Lane,
        control: AluControl::word((), fields),
        shape,
        seed: 1,
        flags: true,
        model: Box::new(model),
    }
}

fn reduction(name: &'static str, u: u64, f: fn(u32) -> u32) -> Operation {
    Operation {
        // RRO writes no flags.
        flags: false,
        ..lane(name, Shape::Unary, &[("unit", u)], move |x| (f(x[0]), 0))
    }
}

fn code(r: Round) -> u64 {
    match r {
        Round::Nearest => rounding::NEAREST,
        Round::Down => rounding::DOWN,
        Round::Up => rounding::UP,
        Round::Zero => rounding::ZERO,
    }
}

fn word_format(t: IntType) -> u64 {
    int_format::code(t.is_signed(), t.bits() as usize)
}

fn to_integer(name: &'static str, to: IntType, r: Round) -> Operation {
    let fields = [("unit", unit::F2I), ("from", float_format::F32), ("to", word_format(to)), ("round", code(r))];
    lane(name, Shape::Unary, &fields, move |x| {
        let y = convert::f2i(x[0], FloatType::F32, to, r, false, false);
        (y, int::flags_int(to, y))
    })
}

fn to_float(name: &'static str, from: IntType, r: Round) -> Operation {
    let fields = [("unit", unit::I2F), ("from", word_format(from)), ("to", float_format::F32), ("round", code(r))];
    lane(name, Shape::Unary, &fields, move |x| {
        let y = convert::i2f(x[0], from, FloatType::F32, r, false, false, false);
        (y, float::flags(y))
    })
}

fn to_integral(name: &'static str, r: Round) -> Operation {
    let fields =
        [("unit", unit::F2F), ("high", 1), ("from", float_format::F32), ("to", float_format::F32), ("round", code(r))];
    let single = FloatType::F32;
    lane(name, Shape::Unary, &fields, move |x| {
        let y = convert::f2f(x[0], single, single, r, true, false, false, false);
        (y, float::flags(y))
    })
}

fn arithmetic(
    name: &'static str, shape: Shape, u: u64, r: Round, f: impl Fn([u32; 3]) -> u32 + Send + Sync + 'static,
) -> Operation {
    lane(name, shape, &[("unit", u), ("round", code(r))], move |x| {
        let y = f(x);
        (y, float::flags(y))
    })
}

/// The operation called `name`.
pub fn operation(name: &'static str) -> Operation {
    use Round::{Down, Nearest, Up, Zero};
    use Shape::{MultiplyAdd, Product, Sum};
    match name {
        "rcp" => special(name, function::RCP, sfu::rcp),
        "rsq" => special(name, function::RSQ, sfu::rsq),
        "lg2" => special(name, function::LG2, sfu::lg2),
        "sin" => special(name, function::SIN, sfu::sin),
        "cos" => special(name, function::COS, sfu::cos),
        "ex2" => special(name, function::EX2, sfu::ex2),
        "rro_sin" => reduction(name, unit::RRO_SIN, rro::sin),
        "rro_ex2" => reduction(name, unit::RRO_EX2, rro::ex2),
        "f2i_s32_nearest" => to_integer(name, IntType::S32, Nearest),
        "f2i_s32_down" => to_integer(name, IntType::S32, Down),
        "f2i_s32_up" => to_integer(name, IntType::S32, Up),
        "f2i_s32_zero" => to_integer(name, IntType::S32, Zero),
        "f2i_u32_nearest" => to_integer(name, IntType::U32, Nearest),
        "f2i_u32_down" => to_integer(name, IntType::U32, Down),
        "f2i_u32_up" => to_integer(name, IntType::U32, Up),
        "f2i_u32_zero" => to_integer(name, IntType::U32, Zero),
        "i2f_s32_nearest" => to_float(name, IntType::S32, Nearest),
        "i2f_s32_zero" => to_float(name, IntType::S32, Zero),
        "i2f_u32_nearest" => to_float(name, IntType::U32, Nearest),
        "i2f_u32_zero" => to_float(name, IntType::U32, Zero),
        "f2f_round_nearest" => to_integral(name, Nearest),
        "f2f_round_down" => to_integral(name, Down),
        "f2f_round_up" => to_integral(name, Up),
        "f2f_round_zero" => to_integral(name, Zero),
        "fadd_nearest" => arithmetic(name, Sum, unit::FADD, Nearest, |x| float::add(x[0], x[1], Nearest)),
        "fadd_zero" => arithmetic(name, Sum, unit::FADD, Zero, |x| float::add(x[0], x[1], Zero)),
        "fmul_nearest" => arithmetic(name, Product, unit::FMUL, Nearest, |x| float::mul(x[0], x[1], Nearest)),
        "fmul_zero" => arithmetic(name, Product, unit::FMUL, Zero, |x| float::mul(x[0], x[1], Zero)),
        "fmad" => arithmetic(name, MultiplyAdd, unit::FMAD, Nearest, |x| float::mad(x[0], x[1], x[2])),
        _ => panic!("no operation {name}"),
    }
}
