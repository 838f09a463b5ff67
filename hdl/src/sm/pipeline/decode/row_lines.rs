//! Rows of SM 1.0's table: a line for each row that the decoder tells apart, high when an instruction is one of it.
//!
//! | port   | width | meaning                                                          |
//! |--------|-------|------------------------------------------------------------------|
//! | `word` | 64    | the instruction; the upper half of a short one is not looked at  |
//! | `hits` | rows  | a line a row, in the order of the table                          |
//!
//! Timing: combinational; the lines stand before the registers of DEC, behind which [`Decode`](super::Decode) takes them.
//! Reset: none. Errors: none; of a word without a row every line is low.
//! Source: the table, `isa/src/sm10`.

use super::row_field::{hit_name, matches};
use crate::config::GpuConfig;
use crate::rtl::prelude::*;
use crate::sm::dims::Dims;
use warpsmith_isa::table::{Class, ADDED};
use warpsmith_isa::Form;

/// A row that the decoder of a chip tells apart.
pub(super) struct Row {
    /// Its number in the table.
    pub index: usize,
    pub form: &'static Form,
    /// The chip executes it.
    pub has: bool,
}

impl Row {
    /// Its line, which is `hit`, by its name.
    fn name(&self, hit: Expr) -> Expr {
        wire(&hit_name(self.index, self.form.mnemonic), hit)
    }
}

/// The rows that the decoder of a chip tells apart, in the order of the table.
fn rows(d: &Dims) -> Vec<Row> {
    let tier = d.floats.tier(d.semantics).at(d.level);
    let all = d.semantics.rows().map(|(index, form)| Row { index, form, has: tier.has(index as u8) });
    all.filter(|row| row.has || !ADDED.contains(&row.index)).collect()
}

/// Lines of [`RowLines`].
pub fn count(d: &Dims) -> usize {
    rows(d).len()
}

/// The class of a word, a bit each.
pub(super) struct Classes {
    pub long: Expr,
    pub control: Expr,
    pub imm: Expr,
}

impl Classes {
    pub fn of(w: &Expr) -> Self {
        let long = wire("long", w.bit(0));
        let control = wire("is_control", w.bit(1));
        let imm = wire("is_imm", &long & !&control & w.bits(32, 2).is(3));
        Self { long, control, imm }
    }

    pub fn is(&self, c: Class) -> Expr {
        let Self { long, control, imm } = self;
        match c {
            Class::Short => !long & !control,
            Class::ShortControl => !long & control,
            Class::Immediate => imm.clone(),
            Class::Long => long & !control & !imm,
            Class::Control => long & control,
        }
    }
}

/// The line of each of [`rows`].
fn lines(d: &Dims, w: &Expr, classes: &Classes) -> Vec<Expr> {
    let matched = |form: &Form| {
        // Word 0 bits 1:0 and the immediate marker are the class's business.
        let mask = form.mask & !3 & if form.class == Class::Immediate { !(3 << 32) } else { !0 };
        classes.is(form.class) & matches(w, mask, form.match_)
    };
    let rows = rows(d);
    let line = |row: &Row| {
        let within = rows.iter().filter(|other| other.has && other.form.is_within(row.form));
        let within: Vec<Expr> = within.map(|other| matched(other.form)).collect();
        let hit = match &within[..] {
            [] => matched(row.form),
            others => matched(row.form) & !any_of(others),
        };
        row.name(hit)
    };
    rows.iter().map(line).collect()
}

/// The rows and their lines, which [`RowLines`] gives.
pub(super) fn named(d: &Dims, hits: &Expr) -> Vec<(Row, Expr)> {
    let named = |(row, line): (Row, Expr)| {
        let line = row.name(line);
        (row, line)
    };
    rows(d).into_iter().zip(hits.each_bit()).map(named).collect()
}

block! {
    /// See the module.
    pub struct RowLines(cfg: &GpuConfig) {
        in word(64),
        out hits(count(&d)),
        keep _d(Dims = d),
    } where {
        let d = Dims::of(cfg);
    }
}

impl Rtl for RowLines {
    fn rtl(&self) {
        let w = get(&self.word);
        let hits = lines(&self._d, &w, &Classes::of(&w));
        set(&self.hits, pack(hits.iter()));
    }
}

rtl_block!(RowLines, "row_lines");
