//! A source as a number, and a number as a result.

use super::ieee::{self, Value};
use warpsmith_isa::uop::{FloatMode, Src, Type};

/// A number as operations see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// An exact integer.
    Int(i128),
    /// An exact float.
    Float(Value),
}

/// The sign bit of a type.
fn sign(ty: Type) -> u64 {
    1 << (ty.bits() - 1)
}

/// The bits of a source with its modifiers: those of a float act on the sign bit.
pub fn bits(src: &Src, raw: u64) -> u64 {
    if !src.ty.is_float() {
        return whole(src, raw) as u64 & src.ty.mask();
    }
    let mut v = raw & src.ty.mask();
    if src.not {
        v = !v & src.ty.mask();
    }
    if src.flush && ieee::is_denormal(src.ty, v) {
        v &= sign(src.ty);
    }
    if src.abs {
        v &= !sign(src.ty);
    }
    if src.neg {
        v ^= sign(src.ty);
    }
    v
}

/// A source as an integer with its modifiers; the bits of a float as an unsigned number.
pub fn whole(src: &Src, raw: u64) -> i128 {
    if src.ty.is_float() {
        return i128::from(bits(src, raw));
    }
    let mut v = src.ty.integer(if src.not { !raw } else { raw });
    if src.abs {
        v = v.abs();
    }
    if src.neg {
        v = -v;
    }
    v << src.shift.min(32)
}

/// A source as a float with its modifiers; an integer as its value.
pub fn float(src: &Src, raw: u64) -> Value {
    match src.ty.is_float() {
        true => ieee::unpack(src.ty, bits(src, raw)),
        false => Value::integer(whole(src, raw)),
    }
}

/// A source as a number of its type.
pub fn number(src: &Src, raw: u64) -> Number {
    match src.ty.is_float() {
        true => Number::Float(float(src, raw)),
        false => Number::Int(whole(src, raw)),
    }
}

/// Least and greatest integer of a type.
fn range(ty: Type) -> (i128, i128) {
    match ty.is_signed() {
        true => (-(1 << (ty.bits() - 1)), (1 << (ty.bits() - 1)) - 1),
        false => (0, (1 << ty.bits()) - 1),
    }
}

/// A number in a type: floats rounded, integers truncated or, where `saturate`, clamped; from a float to
/// an integer always clamped, NaN 0.
pub fn result(ty: Type, mode: FloatMode, saturate: bool, number: Number) -> u64 {
    if ty.is_float() {
        let value = match number {
            Number::Int(n) => Value::integer(n),
            Number::Float(v) => v,
        };
        let bits = ieee::pack(ty, value, mode);
        return match saturate {
            true => ieee::saturate(ty, bits),
            false => bits,
        };
    }
    let (least, greatest) = range(ty);
    let n = match number {
        Number::Int(n) if saturate => n.clamp(least, greatest),
        Number::Int(n) => n,
        Number::Float(v) => ieee::to_integer(v, mode.round).unwrap_or(0).clamp(least, greatest),
    };
    n as u64 & ty.mask()
}
