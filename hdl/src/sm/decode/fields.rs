//! Choices of the rows: every control field as the or of what its rows want.

use crate::rtl::prelude::*;
use std::collections::BTreeMap;
use warpsmith_isa::table::{Field, SrcSlot};

/// A control field as the or of gated values; rows that give the same value share a gate.
#[derive(Default)]
pub(super) struct Choice {
    list: Vec<(Ex, Vec<Ex>)>,
}

impl Choice {
    pub(super) fn add(&mut self, hit: &Ex, value: Ex) {
        match self.list.iter_mut().find(|c| c.0 == value) {
            Some(c) => c.1.push(hit.clone()),
            None => self.list.push((value, vec![hit.clone()])),
        }
    }

    pub(super) fn value(self, width: usize) -> Ex {
        let gated: Vec<Ex> = self
            .list
            .into_iter()
            .filter(|(value, _)| *value != zero(width))
            .map(|(value, hits)| {
                let gate = any_of(&hits);
                if value == ones(width) {
                    gate.repeat(width)
                } else {
                    gate.repeat(width) & value
                }
            })
            .collect();
        if gated.is_empty() {
            zero(width)
        } else {
            any_of(&gated)
        }
    }
}

pub(super) fn field(w: &Ex, f: Field) -> Ex {
    let lo = w.bits(f.lo.0.into(), f.lo.1.into());
    if f.hi.1 == 0 {
        lo
    } else {
        cat([&w.bits(f.hi.0.into(), f.hi.1.into()), &lo])
    }
}

/// Where a source slot goes in the pipeline.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    A,
    B,
    C,
}

pub(super) fn place(index: usize, slot: SrcSlot) -> Option<Place> {
    Some(match slot {
        SrcSlot::No => return None,
        SrcSlot::Imm32 | SrcSlot::Imm16 | SrcSlot::ConstFar => Place::B,
        SrcSlot::StoreSel | SrcSlot::StoreSized => Place::C,
        _ => [Place::A, Place::B, Place::C][index],
    })
}

/// Fields of the control word that rows choose, by name.
#[derive(Default)]
pub(super) struct Fields {
    list: BTreeMap<&'static str, Choice>,
}

impl Fields {
    pub(super) fn add(&mut self, name: &'static str, hit: &Ex, value: Ex) {
        self.list.entry(name).or_default().add(hit, value);
    }
    pub(super) fn flag(&mut self, name: &'static str, hit: &Ex) {
        self.add(name, hit, lit(1, 1));
    }
    pub(super) fn take(&mut self, name: &str, width: usize) -> Ex {
        let c = self.list.remove(name).unwrap_or_default();
        wire(&format!("f_{name}"), c.value(width))
    }
}

/// A half-register field of 7 bits: register number and which half.
pub(super) fn half_register(raw: &Ex) -> (Ex, Ex) {
    (raw.bits(1, 6).zext(7), raw.bit(0))
}

/// Byte offset of `raw` units of `1 << shift` bytes; negative only where `signed` says so.
pub(super) fn offset(raw: &Ex, shift: usize, signed: &Ex) -> Ex {
    let fill = signed & &raw.msb();
    let body = if shift == 0 {
        raw.clone()
    } else {
        cat([raw, &zero(shift)])
    };
    if body.width() >= 16 {
        return body.bits(0, 16);
    }
    cat([&fill.repeat(16 - body.width()), &body])
}

/// `raw` scaled by the size code `mode` (0 bytes, 1 and 2 halves, 3 words).
pub(super) fn scaled(raw: &Ex, mode: &Ex, signed: &Ex) -> Ex {
    let half = mode.is(1) | mode.is(2);
    mode.is(3).mux(
        &offset(raw, 2, signed),
        &half.mux(&offset(raw, 1, signed), &offset(raw, 0, signed)),
    )
}
