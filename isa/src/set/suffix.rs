//! The suffixes of a mnemonic as text.

use super::{Modifier, Scanner, TextError};

/// The suffixes that the bits select, each after a point.
pub fn suffixes(modifiers: &[Modifier], bits: u128) -> String {
    let names = modifiers.iter().filter_map(|m| m.name(bits));
    names.filter(|n| !n.is_empty()).map(|n| format!(".{n}")).collect()
}

/// `bits` with the suffixes that come next, in the order of the form; those left out have their default.
///
/// # Errors
/// A suffix without default is missing.
pub fn read_suffixes(modifiers: &[Modifier], s: &mut Scanner, bits: u128) -> Result<u128, TextError> {
    let mut bits = bits;
    for m in modifiers {
        let column = s.column();
        match m {
            Modifier::Fixed(name) if s.eat_suffix(name) => {}
            Modifier::Fixed(name) => {
                return s.fault(column, format!("expected .{name}"));
            }
            Modifier::Names(field, names) => {
                let found =
                    names.iter().filter(|n| !n.1.is_empty()).find(|n| s.eat_suffix(n.1)).map(|n| u64::from(n.0));
                let Some(value) = found.or_else(|| m.default()) else {
                    let all: Vec<String> = names.iter().map(|n| format!(".{}", n.1)).collect();
                    return s.fault(column, format!("expected one of {}", all.join(" ")));
                };
                bits = field.put(bits, value);
            }
        }
    }
    Ok(bits)
}
