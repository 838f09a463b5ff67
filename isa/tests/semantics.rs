//! The two readings of words of SM 1.0: where the manual of FlexGripPlus says another thing than the hardware's tables.

use warpsmith_conformance as conformance;
use warpsmith_isa::{assemble_in, decode_in, encode_in, listing, text, AddKind, Dst, Marker, Op, Semantics, Src, ROWS};

const MANUAL: Semantics = Semantics::FlexGripPlus;

fn words(semantics: Semantics, source: &str) -> Vec<u32> {
    let source = format!("{source};");
    assemble_in(Some(semantics), &source, "t").unwrap_or_else(|e| panic!("{source}: {e}")).words
}

#[test]
fn every_format_of_the_manuals_tables_assembles_in_its_reading() {
    let mut found = 0;
    for row in conformance::rows("sm10/formats.txt") {
        let source = row.column(1);
        let source = if source.contains("0x10") && row.column(0) == "1" {
            format!("{source}; NOP; NOP; NOP")
        } else {
            source.to_string()
        };
        let code = words(MANUAL, &source);
        let second = code.get(1).copied().unwrap_or(0);
        let i = decode_in(MANUAL, code[0], second).unwrap_or_else(|e| panic!("{source}: {e}"));
        assert_ne!(i.op, Op::Unsupported, "{source}");
        assert!(MANUAL.has(i.form.into()), "{source} is row {} of the other reading", i.form);
        // What it prints is what it is.
        let again = words(MANUAL, &text(&i));
        assert_eq!(again[..again.len().min(2)], code[..again.len().min(2)], "{source} prints {}", text(&i));
        found += 1;
    }
    assert_eq!(found, 157);
}

/// Words put together by hand from the bits of the manual's pages, with their text.
const BY_HAND: [(u32, u32, &str); 12] = [
    // 41: bits 16 to 27 are added.
    (0x0fff_1405, 0xc000_0780, "R2A A1, R10, 0xfff"),
    // 42: bits 16 to 25 are added to the register of bits 26 and 27.
    (0x0402_0005, 0x4000_0780, "A2R R1, A1, 0x2"),
    // 22: bit 59 is the sign of the second source; each of bits 22 and 28 adds the carry, of the register in 44 and 45.
    (0x2000_0405, 0x0c00_c780, "IADD R1, R2, -R3"),
    (0x2040_0405, 0x0400_d780, "IADD.ENABLE.CARRY1 R1, R2, R3"),
    (0x3000_0405, 0x0400_d780, "IADD.IN.CARRY1 R1, R2, R3"),
    (0x3040_0405, 0x0c00_c780, "IADD.CARRY0 R1, R2, -R3"),
    // 26: bits 58 and 59 are the signs of sources 1 and 3.
    (0x6006_0805, 0x0401_0780, "IMAD.U16 R1, -R2L, R3L, R4"),
    (0x6006_0805, 0x0801_0780, "IMAD.U16 R1, R2L, R3L, -R4"),
    (0x6006_0805, 0x0c01_0780, "IMAD.U16 R1, -R2L, R3L, -R4"),
    // 57 and 31: five bits of condition from bit 46.
    (0xb003_0405, 0x6004_c780, "FSET R1, R2, R3, SIGN"),
    (0x3003_0405, 0x6c04_8780, "ISET.S32 R1, R2, R3, ABOVE"),
    // 21: five bits of count.
    (0x301f_0405, 0xc410_0780, "SHL R1, R2, 0x1f"),
];

#[test]
fn words_put_together_from_the_manuals_bits_read_and_assemble() {
    for (w0, w1, source) in BY_HAND {
        let i = decode_in(MANUAL, w0, w1).unwrap_or_else(|e| panic!("{source}: {e}"));
        assert_eq!(text(&i), source);
        assert_eq!(words(MANUAL, source), [w0, w1], "{source}");
        assert_eq!(encode_in(MANUAL, &i), Ok((w0, w1)), "{source}");
    }
}

#[test]
fn the_hardware_reads_these_words_otherwise() {
    let same = |w0, w1| {
        let found = Semantics::ALL.map(|s| decode_in(s, w0, w1).map(|i| (i.op, i.dst, i.src, i.marker)));
        found[0] == found[1]
    };
    for (w0, w1, source) in BY_HAND {
        // A count below 32, and one minus in the sum, mean the same in the fields of both.
        assert!(!same(w0, w1) || source.starts_with("SHL"), "{source}");
    }
    // A move, and a load from global memory, are the same.
    assert!(same(0x1000_0405, 0x0403_c780));
    assert!(same(0xd00e_0001, 0x8000_0780));
}

#[test]
fn a_marker_of_the_manual_is_the_reverse_but_on_its_pages_of_gst_and_nop() {
    let marker = |semantics, w0, w1: u32| decode_in(semantics, w0, w1).expect("an instruction").marker;
    let (add, gst, nop) = ((0x2000_0405, 0x0400_c780), (0xd00e_0029, 0xa0c0_0780), (0xf000_0001, 0xe000_0000));
    for (code, hardware) in [(0, Marker::None), (1, Marker::Exit), (2, Marker::Join)] {
        let manual = match hardware {
            Marker::None => Marker::None,
            Marker::Exit => Marker::Join,
            Marker::Join => Marker::Exit,
        };
        assert_eq!(marker(Semantics::G80, add.0, add.1 | code), hardware);
        assert_eq!(marker(MANUAL, add.0, add.1 | code), manual);
        for (w0, w1) in [gst, nop] {
            assert_eq!(marker(Semantics::G80, w0, w1 | code), hardware);
            assert_eq!(marker(MANUAL, w0, w1 | code), hardware);
        }
    }
    assert_eq!(words(MANUAL, "IADD.S R1, R2, R3")[1] & 3, 1);
    assert_eq!(words(MANUAL, "NOP.S")[1] & 3, 2);
}

#[test]
fn a_barrier_of_the_manual_is_one_word() {
    for source in ["BAR.ARV.WAIT b0, 0xff", "BAR.ARV.WAIT b0, 0xfff", "BAR.AR.V.WAIT b0, 0xffff"] {
        assert_eq!(words(MANUAL, source), [0x861f_fe03, 0], "{source}");
    }
    assert!(decode_in(MANUAL, 0x863f_fe03, 0).is_err(), "barrier 1");
    assert!(decode_in(Semantics::G80, 0x863f_fe03, 0).is_ok());
    for source in ["BAR.ARV.WAIT b1, 0xfff;", "BAR.ARV.WAIT b0, 0x7f;", "BAR.WAIT b0, 0xfff;"] {
        assert!(assemble_in(Some(MANUAL), source, "t").is_err(), "{source}");
    }
}

#[test]
fn a_conversion_of_the_manual_reads_codes_3_and_7_as_words() {
    for code in [3u32, 7] {
        let (w0, w1) = (0xa000_0205, 0x0400_0780 | code << 14);
        let op = |semantics| decode_in(semantics, w0, w1).expect("a conversion").op;
        let from = |op| match op {
            Op::I2I { src, .. } => src,
            other => panic!("{other:?}"),
        };
        assert_eq!(from(op(MANUAL)).bits(), 32);
        assert_eq!(from(op(Semantics::G80)).bits(), 8);
    }
    // S8 is a spelling of the byte whose sign the conversion finds.
    assert_eq!(words(MANUAL, "I2I.S32.S16.BEXT R1, g [0x1].S8"), words(MANUAL, "I2I.S32.S16.BEXT R1, g [0x1].U8"));
    assert!(assemble_in(Some(MANUAL), "MOV R1, g [0x1].S8;", "t").is_err());
}

#[test]
fn a_constant_of_the_manual_has_an_address_register_where_bit_54_is_clear() {
    let source = |semantics, w0, w1| decode_in(semantics, w0, w1).expect("MVC").src[0];
    // c[0x1] with the bits of A1.
    let (w0, w1) = (0x1400_0205, 0x2440_c780);
    let areg = |s| match s {
        Src::Const { at, .. } => at.areg,
        other => panic!("{other:?}"),
    };
    assert_eq!(areg(source(MANUAL, w0, w1)), 0);
    assert_eq!(areg(source(Semantics::G80, w0, w1)), 1);
    assert_eq!(areg(source(MANUAL, w0, w1 & !(1 << 22))), 1);
    assert!(assemble_in(Some(MANUAL), "MVC R1, c[0x1] [A1+0x0];", "t").is_err());
}

#[test]
fn a_source_says_how_it_is_read() {
    let a = assemble_in(None, ".semantics flexgripplus; R2A A1, R2, 0x800;", "t").expect("assembles");
    assert_eq!((a.semantics, &a.words[..]), (MANUAL, &[0x0800_0405, 0xc000_0780][..]));
    let refused = |asked, source| assemble_in(asked, source, "t").expect_err(source).message;
    let e = refused(Some(Semantics::G80), ".semantics flexgripplus; NOP;");
    assert!(e.contains("the source is of flexgripplus, g80 was asked for"), "{e}");
    assert!(refused(None, "NOP; .semantics flexgripplus;").contains("before the first instruction"));
    assert!(refused(None, ".semantics g90;").contains("expected g80 or flexgripplus, found g90"));
    // A shift of 16 or more is none of the hardware's.
    assert!(refused(None, "R2A A1, R2, 0x800;").contains("a shift 0x0 to 0xf"));
}

#[test]
fn listings_of_the_manuals_reading_assemble_to_the_same_words() {
    let mut program: Vec<u32> = BY_HAND.iter().flat_map(|(w0, w1, _)| [*w0, *w1]).collect();
    program.extend([0x861f_fe03, 0]);
    let lines = warpsmith_isa::disassemble_in(MANUAL, &program);
    let source: String = lines.iter().map(|l| format!("{};\n", l.text)).collect();
    assert_eq!(assemble_in(Some(MANUAL), &source, "t").expect("a listing").words, program);
    assert_ne!(source, listing(&program));
}

#[test]
fn the_manuals_rows_take_the_place_of_the_hardwares() {
    let has = |semantics: Semantics, of: fn(&Op) -> bool| semantics.rows().any(|(_, f)| of(&f.op));
    assert!(has(Semantics::G80, |o| matches!(o, Op::R2A { .. })));
    assert!(!has(MANUAL, |o| matches!(o, Op::R2A { .. })));
    assert!(!has(Semantics::G80, |o| matches!(o, Op::ISum { .. } | Op::IMadSigned { .. })));
    // Short forms have the hardware's kinds: the manual's pages of them have no field for another.
    let kinds = |o: &Op| matches!(o, Op::IAdd { kind: AddKind::Add, .. });
    assert!(has(MANUAL, kinds));
    let shared = (0..ROWS.len()).filter(|n| Semantics::ALL.iter().all(|s| s.has(*n))).count();
    assert_eq!((ROWS.len(), Semantics::G80.rows().count(), MANUAL.rows().count()), (239, 192, 47 + shared));
    assert!(matches!(decode_in(MANUAL, 0x0fff_1405, 0xc000_0780).map(|i| i.dst), Ok(Dst::Addr(1))));
}
