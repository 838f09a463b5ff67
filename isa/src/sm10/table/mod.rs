//! The instruction table: one row a form. Encoder, decoder, text and docs are derived from it.
//!
//! A word is 64 bits here: word 0 in bits 31:0, word 1 in bits 63:32; a short word leaves 63:32 zero.
//! Every bit of a form is fixed (`mask`), part of a field (operands, modifiers, predicate, marker, flag
//! destination) or named ignored (`ignored`); [`validate`] proves it.

mod atomic;
mod control;
mod conv;
mod double;
mod field;
mod float;
mod immediate;
mod int;
mod manual;
mod misc;
mod owner;
pub mod place;
mod short;
mod slots;
mod validate;

pub use crate::sm10::role::{Names, Role};
pub use field::{Field, Mod};
pub use owner::Owner;
pub use slots::{conversion_slot, DstSlot, MemSlot, SrcSlot, CONVERSIONS};
pub use validate::validate;

use crate::sm10::op::Op;
use crate::sm10::types::Width;

/// Class of an encoding, decided by word 0 bits 1:0 and, for long words, word 1 bits 1:0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// w0\[1:0\] = 0: 4 bytes.
    Short,
    /// w0\[1:0\] = 2: 4 bytes, control.
    ShortControl,
    /// w0\[1:0\] = 1, w1\[1:0\] = 3: 8 bytes with a 32-bit immediate.
    Immediate,
    /// w0\[1:0\] = 1, w1\[1:0\] = 0, 1, 2 (the marker): 8 bytes.
    Long,
    /// w0\[1:0\] = 3: 8 bytes, control.
    Control,
}

impl Class {
    /// The class a word pair belongs to.
    pub const fn of(w0: u32, w1: u32) -> Class {
        match (w0 & 3, w1 & 3) {
            (0, _) => Class::Short,
            (2, _) => Class::ShortControl,
            (3, _) => Class::Control,
            (_, 3) => Class::Immediate,
            _ => Class::Long,
        }
    }

    /// True for the 8-byte classes.
    pub const fn is_long(self) -> bool {
        matches!(self, Class::Immediate | Class::Long | Class::Control)
    }

    /// Name in listings.
    pub const fn name(self) -> &'static str {
        match self {
            Class::Short => "short",
            Class::ShortControl => "short control",
            Class::Immediate => "immediate",
            Class::Long => "long",
            Class::Control => "control",
        }
    }
}

/// First architecture that has a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Since {
    /// SM 1.0, the machine of this project.
    Sm10,
    /// SM 1.1.
    Sm11,
    /// SM 1.2.
    Sm12,
    /// SM 1.3.
    Sm13,
    /// GT215 (SM 1.2 of the second generation), uncertain in the sources.
    Gt215,
}

impl Since {
    /// Name in listings.
    pub const fn name(self) -> &'static str {
        match self {
            Since::Sm10 => "SM 1.0",
            Since::Sm11 => "SM 1.1",
            Since::Sm12 => "SM 1.2",
            Since::Sm13 => "SM 1.3",
            Since::Gt215 => "GT215",
        }
    }
}

/// Flags an instruction writes to its flag destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flags {
    /// None: the form has no flag destination.
    No,
    /// Zero and sign; carry and overflow become 0.
    ZS,
    /// All four.
    ZSCO,
}

/// What the sources say of the markers of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marked {
    /// 1 is exit and 2 is join on the hardware; the manual of FlexGripPlus says the reverse.
    Either,
    /// Hardware and manual agree.
    Agreed,
}

/// One row: one encoding form of one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// Spelling: base name and the suffixes the form fixes, separated by dots.
    pub mnemonic: &'static str,
    /// Class of the encoding.
    pub class: Class,
    /// Bits the form fixes.
    pub mask: u64,
    /// Values of the fixed bits.
    pub match_: u64,
    /// Operation, all modifiers that fields of the word hold off.
    pub op: Op,
    /// Destination operand.
    pub dst: DstSlot,
    /// Source operands.
    pub src: [SrcSlot; 3],
    /// Memory operand of loads and stores.
    pub mem: MemSlot,
    /// Modifier fields.
    pub mods: &'static [Mod],
    /// Flags written when the word names a flag destination.
    pub flags: Flags,
    /// True when bits 43:39 and 45:44 hold a guard.
    pub predicated: bool,
    /// Whether the manual of FlexGripPlus has its markers as the hardware has.
    pub marked: Marked,
    /// First architecture with this form.
    pub since: Since,
    /// Bits the machine ignores; written as 0 (unsupported rows: not decoded, kept as they are).
    pub ignored: u64,
    /// One sentence on what it does.
    pub doc: &'static str,
    /// Where the encoding is documented.
    pub source: &'static str,
}

impl Form {
    /// Base name: the mnemonic up to its first dot.
    pub fn base(&self) -> &'static str {
        self.mnemonic.split('.').next().unwrap_or(self.mnemonic)
    }

    /// The form with markers that no source disputes.
    const fn agreed(self) -> Form {
        Form { marked: Marked::Agreed, ..self }
    }

    /// Whether some word matches both.
    pub const fn overlaps(&self, other: &Form) -> bool {
        self.class as u8 == other.class as u8 && (self.match_ ^ other.match_) & self.mask & other.mask == 0
    }

    /// Whether it says more of some words of another row, which has no operation or is one of an earlier architecture.
    pub fn is_within(&self, wide: &Form) -> bool {
        let all = self.mask & wide.mask == wide.mask && self.overlaps(wide);
        all && self.op != Op::Unsupported && (wide.op == Op::Unsupported || wide.since < self.since)
    }

    /// The role of its condition, where it has one.
    pub fn condition(&self) -> Option<Role> {
        [Role::CondI, Role::CondF].into_iter().find(|role| self.field(*role).is_some())
    }

    /// Number of the last source; 0 without any.
    pub fn last_source(&self) -> usize {
        self.src.iter().rposition(|s| *s != SrcSlot::No).unwrap_or(0)
    }

    /// Field of the modifier `role`, where the form has one.
    pub fn field(&self, role: Role) -> Option<Field> {
        self.mods.iter().find(|m| m.role == role).map(|m| m.field)
    }
}

/// The rows of the hardware, a slice for each file. Manifests have the numbers of rows: new ones come last.
const PARTS: [&[Form]; 9] = [
    short::ROWS,
    immediate::ROWS,
    misc::MOVES,
    int::ROWS,
    conv::ROWS,
    float::ROWS,
    control::ROWS,
    atomic::ROWS,
    double::ROWS,
];

/// Number of rows of the hardware.
pub const FORM_COUNT: usize = {
    let (mut p, mut n) = (0, 0);
    while p < PARTS.len() {
        n += PARTS[p].len();
        p += 1;
    }
    n
};

/// Numbers of the rows that later levels have added: for a chip that lacks one its words are those of the row around it, or
/// undefined.
pub const ADDED: std::ops::Range<usize> = FORM_COUNT - atomic::ROWS.len() - double::ROWS.len()..FORM_COUNT;

/// The table of the hardware. Of rows that match the same word the [narrower](Form::is_within) one is meant.
pub static FORMS: [Form; FORM_COUNT] = hardware();

/// Both tables: [`FORMS`], and behind them the rows of the manual of FlexGripPlus, see
/// [`Semantics`](crate::sm10::Semantics).
pub static ROWS: [Form; FORM_COUNT + manual::ROWS.len()] = {
    let mut out = [short::ROWS[0]; FORM_COUNT + manual::ROWS.len()];
    let forms = hardware();
    let mut n = 0;
    while n < out.len() {
        out[n] = if n < FORM_COUNT { forms[n] } else { manual::ROWS[n - FORM_COUNT] };
        n += 1;
    }
    out
};

/// Whether a row of the hardware shares words with a row of the manual, which takes its place there.
pub(super) static REPLACED: [bool; FORM_COUNT] = {
    let (mut out, forms) = ([false; FORM_COUNT], hardware());
    let mut n = 0;
    while n < out.len() {
        let mut m = 0;
        while m < manual::ROWS.len() {
            out[n] |= manual::ROWS[m].overlaps(&forms[n]);
            m += 1;
        }
        n += 1;
    }
    out
};

const fn hardware() -> [Form; FORM_COUNT] {
    let mut out = [short::ROWS[0]; FORM_COUNT];
    let (mut p, mut n) = (0, 0);
    while p < PARTS.len() {
        let mut i = 0;
        while i < PARTS[p].len() {
            out[n] = PARTS[p][i];
            n += 1;
            i += 1;
        }
        p += 1;
    }
    out
}

/// The plain move, of all lanes of a quad.
const fn mov(width: Width) -> Op {
    Op::Mov { width, lanes: 0xf }
}

/// Row constructor, arguments in column order.
const fn row(
    mnemonic: &'static str, class: Class, mask: u64, match_: u64, op: Op, dst: DstSlot, src: [SrcSlot; 3],
    mem: MemSlot, mods: &'static [Mod], flags: Flags, predicated: bool, since: Since, ignored: u64, doc: &'static str,
    source: &'static str,
) -> Form {
    let marked = Marked::Either;
    Form {
        mnemonic,
        class,
        mask,
        match_,
        op,
        dst,
        src,
        mem,
        mods,
        flags,
        predicated,
        marked,
        since,
        ignored,
        doc,
        source,
    }
}
