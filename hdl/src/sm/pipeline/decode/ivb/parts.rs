//! The operands of an instruction, and what its fields say beside them.

use super::region::{Channels, Source, Target, ThirdSource};
use super::steps::Steps;
use super::word::Word;
use crate::rtl::prelude::*;
use warpsmith_isa::ivb::fields::{CONDITION, EXEC, PREDICATE, SATURATE, SOURCES, THIRDS};
use warpsmith_isa::ivb::table::Format;

/// Roundings.
pub(super) const ROUNDINGS: [&str; 4] = ["rndu", "rndd", "rnde", "rndz"];
/// An instruction taken apart.
pub(super) struct Parts {
    pub w: Word,
    pub channels: Channels,
    /// Sources of an instruction with one or two.
    pub s: [Source; 2],
    /// Those of one with three.
    pub t: [ThirdSource; 3],
    pub dst: Target,
    pub one: Expr,
    pub two: Expr,
    pub math: Expr,
    pub three: Expr,
    /// Format Jip, JipUip, both.
    pub jip: Expr,
    pub branches: Expr,
    pub send: Expr,
    /// Format Bare.
    pub bare: Expr,
    /// A comparison.
    pub compares: Expr,
    /// Condition, function or shared function.
    pub condition: Expr,
    pub conditional: Expr,
    pub predicate: Expr,
    pub saturate: Expr,
    pub steps: Steps,
}

impl Parts {
    /// Of a step of an instruction of 128 bits; `step`: its number.
    pub fn of(bits: &Expr, step: &Expr) -> Self {
        let w = Word::of(bits);
        let exec = w.field(EXEC);
        let channels = Channels {
            one: wire("one_channel", exec.is(0)),
            eight: wire("eight_channels", exec.is(3)),
            sixteen: wire("sixteen_channels", exec.is(4)),
        };
        let condition = w.field(CONDITION);
        let jip = wire("is_jip", w.of_format(Format::Jip));
        let s = [0, 1].map(|n| Source::of(&w, ["s0", "s1"][n], &SOURCES[n], &channels));
        let best = all_of(&[w.is("sel"), condition.any(), s[0].kind.float.clone()]);
        Self {
            steps: Steps::of(&w, &condition, best, step),
            s,
            t: [0, 1, 2].map(|n| ThirdSource::of(&w, ["t0", "t1", "t2"][n], &THIRDS[n], &channels)),
            dst: Target::of(&w, &channels),
            one: wire("is_one", w.of_format(Format::One)),
            two: wire("is_two", w.of_format(Format::Two)),
            math: w.is("math"),
            three: wire("is_three", w.of_format(Format::Three)),
            branches: wire("is_branch", &jip | w.of_format(Format::JipUip)),
            jip,
            send: wire("is_send", w.of_format(Format::Send)),
            bare: wire("is_bare", w.of_format(Format::Bare)),
            compares: wire("compares", w.any(&["cmp", "cmpn"])),
            conditional: wire("has_condition", condition.any()),
            condition,
            predicate: w.field(PREDICATE),
            saturate: w.field(SATURATE),
            channels,
            w,
        }
    }

    /// It computes.
    pub fn computes(&self) -> Expr {
        any_of(&[self.one.clone(), self.two.clone(), self.math.clone(), self.three.clone()])
    }

    /// Its first source is a float; of three sources all are.
    pub fn float(&self) -> &Expr {
        &self.s[0].kind.float
    }

    /// `sel` with a condition.
    pub fn chooses(&self) -> Expr {
        self.w.is("sel") & &self.conditional
    }

    /// A function of two sources: fdiv, pow.
    pub fn two_of_math(&self) -> Expr {
        &self.math & &(self.condition.is(9) | self.condition.is(10))
    }

    /// A product of two dwords, which takes the low word of the second.
    pub fn wide_product(&self) -> Expr {
        let words = &self.s[0].kind.word | &self.s[1].kind.word;
        self.w.is("mul") & !(words | self.float())
    }
}
