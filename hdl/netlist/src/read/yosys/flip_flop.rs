//! Flip-flops of one bit.

use super::super::error::{fault, Fault};

/// A flip-flop: active level and value of the reset, active level of the enable.
#[derive(Clone, Copy)]
pub(super) struct FlipFlop {
    pub(super) reset: Option<(bool, bool)>,
    pub(super) enable: Option<bool>,
    pub(super) enable_first: bool,
}

impl FlipFlop {
    /// The flip-flop of a cell type such as `$_SDFFE_PP0P_`; none for other cells.
    pub(super) fn of(kind: &str) -> Result<Option<Self>, Fault> {
        let inner = kind.strip_prefix("$_").and_then(|k| k.strip_suffix('_'));
        let Some((family, letters)) = inner.and_then(|k| k.split_once('_')) else {
            return Ok(None);
        };
        let (reset, enable) = match (family, letters.as_bytes()) {
            ("DFF", [_]) => (None, None),
            ("DFFE", [_, e]) => (None, Some(*e)),
            ("SDFF", [_, r, v]) => (Some((*r, *v)), None),
            ("SDFFE" | "SDFFCE", [_, r, v, e]) => (Some((*r, *v)), Some(*e)),
            _ => return Ok(None),
        };
        if !letters.starts_with('P') {
            return fault(format!("type `{kind}`: only the rising edge of the clock is known"));
        }
        Ok(Some(FlipFlop {
            reset: reset.map(|(r, v)| (r == b'P', v == b'1')),
            enable: enable.map(|e| e == b'P'),
            enable_first: family == "SDFFCE",
        }))
    }
}
