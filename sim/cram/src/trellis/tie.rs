//! Settings that stand in a wire's multiplexer: `CIB.JA0MUX`, `SLICEB.C1MUX`, `SLICEB.CEMUX`.

use super::tile::{Choice, Code};

/// What the setting `…MUX` of a wire adds to its multiplexer: a constant as a source, an inverter behind it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tie {
    pub(crate) one: Option<Code>,
    /// The constant 0, of a wire without an inverter.
    pub(crate) zero: Option<Code>,
    pub(crate) invert: Option<Code>,
}

/// The setting that ties a multiplexer's wire: `CIB.JA0MUX` of `JA0`, `SLICEB.C1MUX` of `C3`, `SLICEB.CEMUX` of `CE1`.
pub(super) fn tie(choices: &[Choice], wire: &str) -> Tie {
    let digits = wire.trim_start_matches(|c: char| !c.is_ascii_digit());
    let letters = &wire[..wire.len() - digits.len()];
    let slice = |pair: u32| char::from(b'A' + pair as u8);
    let name = match (letters, digits.parse::<u32>()) {
        ("A" | "B" | "C" | "D" | "M", Ok(n)) => format!("SLICE{}.{letters}{}MUX", slice(n / 2), n % 2),
        ("CE", Ok(n)) => format!("SLICE{}.CEMUX", slice(n)),
        // The write enable of distributed RAM; its inverter is that of the set/reset.
        ("LSR", Ok(1)) => "SLICEA.WREMUX".into(),
        _ => format!("CIB.{wire}MUX"),
    };
    let Some(choice) = choices.iter().find(|c| c.name == name) else { return Tie::default() };
    let option = |value: &str| choice.options.iter().find(|o| o.0 == value).map(|o| o.1.clone());
    let (one, zero) = (option("1"), option("0"));
    let Some(one) = one else { return Tie { zero, ..Tie::default() } };
    // Without a code of its own the inverter is what 0 has and 1 has not.
    let invert = option("INV").or_else(|| {
        let bits = zero?.0.into_iter().filter(|b| !one.0.contains(b));
        Some(Code(bits.collect()))
    });
    Tie { invert: invert.filter(|c| !c.0.is_empty() && letters != "LSR"), one: Some(one), zero: None }
}

/// The wire that a setting ties, by its multiplexer's name.
pub(crate) fn tied(name: &str) -> Option<String> {
    if let Some(wire) = name.strip_prefix("CIB.") {
        return wire.strip_suffix("MUX").map(str::to_string);
    }
    let (slice, rest) = name.strip_prefix("SLICE")?.split_once('.')?;
    let pair = u32::from(*slice.as_bytes().first()?).checked_sub(u32::from(b'A'))?;
    match rest.strip_suffix("MUX")? {
        "CE" => Some(format!("CE{pair}")),
        "WRE" => Some("LSR1".into()),
        pin if pin.len() == 2 => {
            let half: u32 = pin[1..].parse().ok()?;
            Some(format!("{}{}", &pin[..1], 2 * pair + half))
        }
        _ => None,
    }
}
