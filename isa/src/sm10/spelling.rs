//! What the text of a form consists of: the suffixes of its mnemonic and its operands, for the assembler and the
//! disassembler.

use super::op::Op;
use super::table::{DstSlot, Form, MemSlot, Names, Role, SrcSlot};

/// A suffix of a mnemonic.
pub(super) enum Suffix {
    /// Always this one.
    Fixed(&'static str),
    /// The name of a modifier's value.
    Value(Role, Names),
}

const SIGNED_16: Names = &[(0, "U16"), (1, "S16")];
const SIGNED_24: Names = &[(0, "U24"), (1, "S24")];
const SIGNED_32: Names = &[(0, ""), (1, "S32"), (0, "U32")];
const INTEGRAL: Names = &[(0, "ROUND"), (1, "FLOOR"), (2, "CEIL"), (3, "TRUNC")];

/// Modifiers that every form names alike, in the order of listings.
const NAMED: [Role; 11] = [
    Role::SignedWord,
    Role::CvtSrc,
    Role::Round,
    Role::RoundNZ,
    Role::Sat,
    Role::CarryIn,
    Role::Lanes,
    Role::MemSize,
    Role::Lim,
    Role::Arrive,
    Role::Wait,
];

/// The suffixes of a form, in the order of listings.
pub(super) fn suffixes(f: &Form) -> Vec<Suffix> {
    use Suffix::{Fixed, Value};
    let has = |role: &Role| f.field(*role).is_some();
    let named = |role: Role| Value(role, role.names());
    let fixed = || f.mnemonic.split('.').skip(1);
    let mut out = Vec::new();
    if has(&Role::SignedA) {
        out.extend([Value(Role::SignedA, SIGNED_16), Value(Role::SignedB, SIGNED_16)]);
    } else if has(&Role::High) {
        out.extend([named(Role::High), Value(Role::Signed, SIGNED_24), Value(Role::Signed, SIGNED_24)]);
    } else if has(&Role::Signed) {
        out.push(Value(Role::Signed, if fixed().any(|t| t == "U16") { SIGNED_16 } else { SIGNED_32 }));
    } else if !is_reduction(f) {
        out.extend(has(&Role::Logic).then(|| named(Role::Logic)));
        out.extend(fixed().map(|t| if t == "ROUND" { Value(Role::Round, INTEGRAL) } else { Fixed(t) }));
    }
    let integral = fixed().any(|t| t == "ROUND");
    out.extend(NAMED.into_iter().filter(|r| has(r) && !(integral && *r == Role::Round)).map(named));
    out
}

/// Whether the suffix that the form fixes is written as its last operand.
pub(super) fn is_reduction(f: &Form) -> bool {
    matches!(f.op, Op::Rro { .. })
}

/// An operand as texts list it.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Entry {
    Dst,
    Src(usize),
    /// Global memory at the address in a source.
    Global(usize),
    /// The memory operand of other loads and stores.
    Mem,
    Cond,
    Reduction,
    Shift,
    Target,
    Barrier,
    Mask,
    Trigger,
}

/// The operands of a form in reading order.
pub(super) fn entries(f: &Form) -> Vec<Entry> {
    let has = |role| f.field(role).is_some();
    let source = |n| if n == 0 && has(Role::Space) { Entry::Global(n) } else { Entry::Src(n) };
    let mut out = Vec::new();
    out.extend((f.dst != DstSlot::No).then_some(Entry::Dst));
    out.extend((f.mem != MemSlot::No).then_some(Entry::Mem));
    out.extend((0..3).filter(|&n| f.src[n] != SrcSlot::No).map(source));
    let last = [
        (f.condition().is_some(), Entry::Cond),
        (is_reduction(f), Entry::Reduction),
        (has(Role::Shift4), Entry::Shift),
        (has(Role::Target), Entry::Target),
        (has(Role::BarId), Entry::Barrier),
        (has(Role::BarMask), Entry::Mask),
        (has(Role::PmId), Entry::Trigger),
    ];
    out.extend(last.into_iter().filter(|e| e.0).map(|e| e.1));
    out
}
