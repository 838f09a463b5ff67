//! The control word as the test knows it: name and width of every field, lowest first.

use std::collections::HashMap;

/// Fields of the control word and their widths in bits, the lowest first; `pc` is the width of a
/// branch target.
fn layout(pc: usize) -> Vec<(&'static str, usize)> {
    let mut fields = vec![("unit", 4), ("w16", 1), ("kind", 2), ("sat", 1)];
    fields.extend([("signed_a", 1), ("signed_b", 1), ("mul24", 1), ("high", 1)]);
    fields.extend([("accumulate", 1), ("cond", 3), ("right", 1), ("logic", 2)]);
    fields.extend([("not_a", 1), ("not_b", 1), ("from", 3), ("to", 3)]);
    fields.extend([("neg", 1), ("abs", 1), ("neg_b", 1), ("round", 2)]);
    fields.extend([("real", 1), ("unordered", 1), ("abs_b", 1)]);
    fields.push(("sfu", 1));
    fields.extend([("s1_kind", 3), ("s1_half", 1), ("s1_hi", 1), ("r1", 7)]);
    fields.extend([("s1_size", 2)]);
    fields.extend([("s2_kind", 2), ("s2_half", 1), ("s2_hi", 1), ("r2", 7)]);
    fields.extend([("s3_kind", 1), ("s3_half", 1), ("s3_hi", 1), ("r3", 7)]);
    fields.extend([("c_size", 2), ("c_bank", 4), ("c_offset", 16)]);
    fields.extend([("s_offset", 16), ("areg", 3), ("areg_use", 2)]);
    fields.extend([("post_inc", 1), ("imm", 32)]);
    fields.extend([("dst_kind", 2), ("dst_half", 1), ("dst_hi", 1), ("dst", 7)]);
    fields.extend([("flags_we", 1), ("flags_from_y", 1), ("cdst", 2)]);
    fields.extend([("cc", 2), ("pred", 5), ("quad", 4)]);
    fields.extend([("mem", 3), ("mem_size", 3), ("passes", 2)]);
    fields.extend([("flow", 3), ("marker", 2), ("target", pc)]);
    fields.extend([("bar", 1), ("bar_id", 4), ("bar_arrive", 1), ("bar_wait", 1)]);
    fields.extend([("breakpoint", 1), ("long", 1), ("trap", 4)]);
    fields.extend([("use1", 1), ("use2", 1), ("use3", 1), ("use_cc", 1)]);
    fields.push(("use_areg", 1));
    fields
}

/// Where each field of the control word lies.
pub struct Layout {
    places: HashMap<&'static str, (usize, usize)>,
    /// Width of the control word in bits.
    pub width: usize,
}

impl Layout {
    /// The places for branch targets of `pc` bits.
    pub fn new(pc: usize) -> Self {
        let mut width = 0;
        let places = layout(pc)
            .into_iter()
            .map(|(name, bits)| {
                width += bits;
                (name, (width - bits, bits))
            })
            .collect();
        Self { places, width }
    }

    /// The value of a field in a control word.
    pub fn get(&self, word: &[u32], field: &str) -> u64 {
        let (at, bits) = self.places[field];
        let part = |i: usize| u64::from(*word.get(i).unwrap_or(&0));
        let two = part(at / 32) | part(at / 32 + 1) << 32;
        two >> (at % 32) & ((1 << bits) - 1)
    }
}
