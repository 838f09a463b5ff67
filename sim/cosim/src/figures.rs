//! Numbers and colours as every page, table and message shows them.

use warpsmith_contract::StallCause;

/// A whole number with spaces between thousands: 1234567 as `1 234 567`.
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            out.push(' ');
        }
        out.push(c);
    }
    out
}

/// Colour of cycles in which an instruction was issued, as red, green and blue.
pub const ISSUED: [u8; 3] = [0, 114, 178];

/// Colour of causes that a chart joins, as red, green and blue.
pub const OTHERS: [u8; 3] = [120, 120, 120];

/// Colour of cycles lost to a cause, as red, green and blue; the same in every chart. The eight causes that cost
/// most have those of Okabe and Ito, which differ for colour-blind readers too.
pub const fn colour(cause: StallCause) -> [u8; 3] {
    match cause {
        StallCause::Hazard => [230, 159, 0],
        StallCause::Load => [86, 180, 233],
        StallCause::Memory => [0, 158, 115],
        StallCause::Control => [204, 121, 167],
        StallCause::Barrier => [240, 228, 66],
        StallCause::SharedConflict => [213, 94, 0],
        StallCause::ConstantConflict => [156, 70, 2],
        StallCause::Sfu => [134, 103, 191],
        StallCause::Fetch => [150, 112, 74],
        StallCause::Launch => [160, 175, 188],
        StallCause::Operand => [120, 148, 62],
        StallCause::Select => [72, 84, 140],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn thousands_are_separated() {
        for (n, text) in [(7, "7"), (1904, "1 904"), (1_234_567, "1 234 567")] {
            assert_eq!(thousands(n), text);
        }
    }

    #[test]
    fn every_cause_has_a_colour_of_its_own() {
        let all: BTreeSet<[u8; 3]> = StallCause::ALL.iter().map(|c| colour(*c)).collect();
        assert_eq!(all.len(), StallCause::ALL.len());
        assert!(!all.contains(&ISSUED) && !all.contains(&OTHERS));
    }
}
