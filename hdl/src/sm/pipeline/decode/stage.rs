//! Stage DEC: the selected instruction is taken out of its line and decoded.

use super::row_lines::{self, RowLines};
use crate::config::WARP;
use crate::front::decode::{Fetched, Found, FrontDecode};
use crate::rtl::prelude::*;
use crate::sm::control::ivb::ALIGN;
use crate::sm::dims::{Dims, DEPTH};
use crate::sm::pipeline::bundles::{Line, Selected};

group! {
    /// The instruction in DEC.
    pub struct DecodeRegisters(d: &Dims) as "" {
        /// DEC holds an instruction.
        reg valid(1),
        data warp(d.warp),
        data mask(WARP),
        data pc(d.pc),
        data depth(DEPTH),
        /// The upper half of a short one is zero; of G13 what follows stands behind it.
        data word(d.has.line),
        /// Its row in the table, a line each; where the rows are told apart in front of the stage.
        data hits(if d.has.row_lines; row_lines::count(d)),
        /// What of its line is part of the program.
        data inside(d.has.inside => "line_inside"),
    }
}

impl DecodeRegisters {
    /// Takes the selected instruction when it can. `free`: H can take what this stage has. Returns whether it can.
    /// `rows` says which row it is.
    pub fn take(
        &self, (decoder, rows): (&FrontDecode, &Maybe<RowLines>), sel: &Selected<Sink>, line: &Line<Sink>, free: &Expr,
    ) -> Expr {
        let can = wire("decode_free", !get(&self.valid) | free);
        let word = decoder.instruction(&get(&line.line), &get(&sel.pc));
        let word = if rows.get().is_some() { wire("word_selected", word) } else { word };
        when(&can, || {
            set(&self.valid, get(&sel.valid));
            set(&self.warp, get(&sel.warp));
            set(&self.mask, get(&sel.mask));
            set(&self.pc, get(&sel.pc));
            set(&self.depth, get(&sel.depth));
            set(&self.word, &word);
            if let (Some(hits), Some(rows)) = (self.hits.get(), rows.get()) {
                set(hits, get(&rows.hits));
            }
            set(&self.inside, get(&line.inside));
        });
        if let Some(rows) = rows.get() {
            set(&rows.word, &word);
        }
        can
    }

    /// What the decoder makes of the instruction.
    pub fn decode(&self, d: &Dims, decoder: &FrontDecode, registers: &Expr) -> Found {
        let hits = self.hits.get().map(get);
        let at = Fetched { pc: &get(&self.pc), word: &get(&self.word), inside: &get(&self.inside), hits };
        decoder.decode(d, &at, registers)
    }

    /// Address of the instruction, and that of the next one or, with a number above it in its low bits, of the next step.
    pub fn addresses(&self, d: &Dims, found: &Found) -> [Expr; 2] {
        let pc = get(&self.pc);
        let length = found.length.zext(d.pc);
        let Some(goes_on) = &found.goes_on else {
            return [pc.clone(), &pc + &length];
        };
        let step = pc.bits(0, ALIGN) & !get(&self.inside).any().repeat(ALIGN);
        let own = wire("own_pc", cat([&pc.bits(ALIGN, d.pc - ALIGN), &step]));
        let next = goes_on.mux(&(&pc + &lit(d.pc, 1)), &(&own + &length));
        [own, wire("next_pc", next)]
    }
}
