//! Spellings of the FlexGripPlus manual that its own rows have no place for.

use super::parse::{Body, Stmt};

/// Masks that the manual prints for its one BAR word.
pub(super) const BAR_MASKS: [u32; 3] = [0xff, 0xfff, 0xffff];

/// The statement in the spelling of the rows: `IADD R1, -R2, R3` is `IADD R1, R3, -R2`, for the second source alone
/// has a sign; `IMAD` without a type is `IMAD.U16`; `BAR.AR.V` is `BAR.ARV`.
pub(super) fn spelled(mut s: Stmt) -> Stmt {
    match s.base.as_str() {
        "IADD" => {
            if let [_, a, b] = &mut s.operands[..] {
                let registers = [&a.body, &b.body].map(|x| matches!(x, Body::Reg(_) | Body::Half(_)));
                if registers == [true; 2] && a.neg && !b.neg {
                    std::mem::swap(a, b);
                }
            }
        }
        "IMAD" => {
            let typed = |t: &str| matches!(t, "U16" | "S16" | "U24" | "S24");
            if !s.suffixes.iter().any(|t| typed(&t.0)) {
                s.suffixes.push(("U16".into(), s.base_span));
            }
        }
        "BAR" => {
            if let [(first, _), (second, _), ..] = &mut s.suffixes[..] {
                if (first.as_str(), second.as_str()) == ("AR", "V") {
                    *first = "ARV".into();
                    s.suffixes.remove(1);
                }
            }
        }
        _ => {}
    }
    s
}
