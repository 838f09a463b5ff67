//! Every form with random operands survives decoding and encoding.
use proptest::prelude::*;
use warpsmith_isa::{assemble_in, decode_in, encode_in, Semantics, ROWS};

/// A reading and a random word pair of one of its forms: fixed bits from the row, all others free, ignored ones zero.
fn words() -> impl Strategy<Value = (Semantics, usize, u32, u32)> {
    (0..ROWS.len(), any::<u64>(), any::<bool>()).prop_map(|(n, r, other)| {
        let f = &ROWS[n];
        let readings = Semantics::ALL.map(|s| s.has(n).then_some(s));
        let [first, second] = if other { [readings[1], readings[0]] } else { readings };
        let semantics = first.or(second).expect("a row of some reading");
        let mut w = (r & !f.mask & !f.ignored) | f.match_;
        if !f.class.is_long() {
            w &= 0xffff_ffff;
        }
        // The immediate class is marker 3: keep random long words out of it.
        if f.class == warpsmith_isa::Class::Long && w >> 32 & 3 == 3 {
            w &= !(1 << 32);
        }
        (semantics, n, w as u32, (w >> 32) as u32)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn encode_gives_back_what_decode_read((semantics, n, w0, w1) in words()) {
        if let Ok(i) = decode_in(semantics, w0, w1) {
            prop_assert_eq!(i.form as usize, n);
            let (e0, e1) = encode_in(semantics, &i).map_err(|e| TestCaseError::fail(format!("{w0:08x} {w1:08x} {i:?}: {e}")))?;
            // Encoding only clears bits the operands do not use.
            prop_assert_eq!(e0 & !w0, 0);
            prop_assert_eq!(e1 & !w1, 0);
            prop_assert_eq!(decode_in(semantics, e0, e1), Ok(i));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn assembling_the_text_gives_the_words_back((semantics, _, w0, w1) in words()) {
        if let Ok(i) = decode_in(semantics, w0, w1) {
            let (e0, e1) = encode_in(semantics, &i).map_err(|e| TestCaseError::fail(e.to_string()))?;
            let text = warpsmith_isa::text(&i);
            let a = assemble_in(Some(semantics), &format!("{text};"), "t")
                .map_err(|e| TestCaseError::fail(format!("{text}: {e}")))?;
            let want = if i.long { vec![e0, e1] } else { vec![e0] };
            prop_assert_eq!(a.words, want, "{}", text);
        }
    }
}
