//! The instruction sets, and which of them a program without a name is of.
//!
//! [`share`] is the part of the first [`LOOK`] bytes that are instructions of known meaning in their usual
//! encoding, data and `?0x...` bits excluded. A program is taken for another set's when in that set the
//! share is at least [`MOST`] and in the asked one at most [`FEW`], with [`ENOUGH`] bytes to look at.

use crate::set::{print_exact, InstructionSet, Status};
use crate::Isa;

/// The sets, in the order of [`Isa::ALL`].
pub fn sets() -> &'static [&'static dyn InstructionSet] {
    &[&crate::sm10::Sm10(crate::Semantics::G80), &crate::fermi::Fermi, &crate::g13::G13, &crate::ivb::Ivb]
}

/// The set of a name.
pub fn by_name(name: &str) -> Option<&'static dyn InstructionSet> {
    Isa::by_name(name).map(Isa::set)
}

impl Isa {
    /// Its tables and texts.
    pub fn set(self) -> &'static dyn InstructionSet {
        sets()[self as usize]
    }
}

/// Bytes looked at.
pub const LOOK: usize = 4096;
/// Bytes needed for a judgement.
pub const ENOUGH: usize = 16;
/// Share in the set a program is of.
pub const MOST: f64 = 0.9;
/// Share in a set it is not of.
pub const FEW: f64 = 0.6;

/// Part of the bytes that are instructions of a set, 0 to 1: see the head of this module.
pub fn share(set: &dyn InstructionSet, bytes: &[u8]) -> f64 {
    let bytes = &bytes[..bytes.len().min(LOOK)];
    let rows = set.rows();
    let (mut at, mut right) = (0, 0);
    while at < bytes.len() {
        let Ok(i) = set.decode(&bytes[at..]) else {
            at += set.unit();
            continue;
        };
        let text = print_exact(set, &i, at as u64);
        let usual = !text.contains('?') && !text.starts_with('.');
        if usual && rows[i.row].status != Status::Unknown {
            right += i.code.len();
        }
        at += i.code.len();
    }
    right as f64 / bytes.len().max(1) as f64
}

/// A program of another set than the asked one.
#[derive(Clone, Copy)]
pub struct Recognised {
    /// The set.
    pub set: &'static dyn InstructionSet,
    /// Its [`share`].
    pub share: f64,
    /// Share of the set asked for; 0 where the file is none of its.
    pub asked: f64,
}

/// The other set a file is a program of; `bytes` reads the file as one of a set, `None` where that is
/// not possible.
pub fn recognise(
    asked: &dyn InstructionSet, bytes: impl Fn(&dyn InstructionSet) -> Option<Vec<u8>>,
) -> Option<Recognised> {
    let own = bytes(asked).map_or(0.0, |b| share(asked, &b));
    if own > FEW {
        return None;
    }
    let others = sets().iter().filter(|s| s.isa() != asked.isa());
    let read = others.filter_map(|&set| {
        let b = bytes(set).filter(|b| b.len() >= ENOUGH)?;
        let share = share(set, &b);
        (share >= MOST).then_some(Recognised { set, share, asked: own })
    });
    read.max_by(|a, b| a.share.total_cmp(&b.share))
}
