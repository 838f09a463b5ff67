//! Fermi: table, text and words against the public tools' vectors.

use warpsmith_conformance as conformance;
use warpsmith_isa::fermi::table::TABLE;
use warpsmith_isa::fermi::Fermi;
use warpsmith_isa::set::{self, InstructionSet, Place};
use warpsmith_testkit::Random;

#[test]
fn the_table_holds_every_form_and_covers_every_bit() {
    // Building it is the proof; the number guards against a lost file.
    assert_eq!(TABLE.forms().len(), 155);
}

#[test]
fn every_vector_reads_and_assembles_as_stated() {
    let rows = conformance::rows("fermi/pairs.txt");
    for row in &rows {
        let (word, text) = (conformance::number(row.column(0)), row.column(2));
        let pc = match row.column(3) {
            "" => 0,
            at => conformance::number(at),
        };
        let instr = Fermi.decode(&word.to_le_bytes()).expect(text);
        assert_eq!(TABLE.form(&instr).name, row.column(1), "{text}");
        assert_eq!(Fermi.print(&instr, pc), text);
        let back = Fermi.parse(text, &Place::at(pc)).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(back, instr, "{text}: {:#x}", back.code.bits());
        assert_eq!(Fermi.encode(&Fermi.fields(&instr)), Ok(instr));
    }
    println!("fermi/pairs.txt: {} words read and assemble as stated", rows.len());
    assert_eq!(rows.len(), 1261);
}

#[test]
fn every_value_row_and_program_reads_and_assembles_as_stated() {
    let values = conformance::rows("fermi/values.txt");
    let programs = conformance::rows("fermi/programs.txt");
    let values = values.iter().map(|r| (0, r.column(0), r.column(2)));
    let programs = programs.iter().flat_map(|p| {
        let cases = p.cases.iter().enumerate();
        cases.map(|(n, c)| (8 * n as u64, c.column(0), c.column(1)))
    });
    let mut rows = 0;
    for (pc, code, text) in values.chain(programs) {
        let word = conformance::number(code);
        let instr = Fermi.decode(&word.to_le_bytes()).expect(text);
        assert_eq!(Fermi.print(&instr, pc), text);
        assert_eq!(Fermi.parse(text, &Place::at(pc)), Ok(instr), "{text}");
        rows += 1;
    }
    println!("fermi: {rows} words of values and programs read and assemble as stated");
    assert_eq!(rows, 2294 + 37);
}

/// A random word of one form: fixed bits of the row, mostly no reserved bits.
fn random_word(random: &mut Random) -> u64 {
    let form = TABLE.forms()[random.index(TABLE.forms().len())];
    let reserved = match random.index(8) {
        0 => 0,
        _ => form.reserved_mask() as u64,
    };
    (random.bits() & !(form.mask as u64) & !reserved) | form.match_ as u64
}

#[test]
fn any_bytes_survive_listing_and_assembling() {
    // WARPSMITH_WORDS asks for more of them.
    let words = std::env::var("WARPSMITH_WORDS").map_or(20_000, |n| n.parse().expect("a number"));
    let mut random = Random(1);
    let mut legal = 0;
    for _ in 0..words / 1000 {
        let bytes: Vec<u8> = (0..1000)
            .flat_map(|n| {
                let word = match n % 16 {
                    0 => random.bits(),
                    _ => random_word(&mut random),
                };
                word.to_le_bytes()
            })
            .collect();
        let lines = set::disassemble(&Fermi, &bytes);
        let text: Vec<&str> = lines.iter().map(|l| l.text.as_str()).collect();
        let back = set::assemble(&Fermi, &text.join(";\n"), "t").expect("a listing assembles");
        assert_eq!(back.bytes, bytes);
        for l in &lines {
            let Ok(i) = &l.instr else { continue };
            assert_eq!(Fermi.encode(&Fermi.fields(i)), Ok(*i));
            assert!(!l.text.contains('?') && !l.text.contains(".word"), "{}", l.text);
            legal += 1;
        }
    }
    println!("{words} random words listed and assembled without difference, {legal} of them legal");
}

#[test]
fn labels_directives_and_errors_name_their_place() {
    let source = "// Sum.\n.isa fermi;\ntop: @P0 BRA end; /* to the\n end */ BRA top\nend: EXIT; .word 0x7";
    let p = set::assemble(&Fermi, source, "t").expect("the source assembles");
    assert_eq!(p.bytes.len(), 32);
    assert_eq!(p.labels, [("top".into(), 0), ("end".into(), 16)]);
    let lines = set::disassemble(&Fermi, &p.bytes);
    let text: Vec<&str> = lines.iter().map(|l| l.text.as_str()).collect();
    assert_eq!(text[..3], ["@P0 BRA 0x10", "BRA 0x0", "EXIT"]);
    assert_eq!(text[3], ".word 0x0000000000000007");

    for (source, message) in [
        ("NOP;\n FADD R1, R2", "t:2:13: expected `,` and another operand, found the end"),
        ("FAD R1, R2, R3", "t:1:1: Fermi has no instruction FAD, did you mean FADD?"),
        ("BRA nowhere", "t:1:5: the label nowhere is not defined, define it with `nowhere:`"),
        ("a: NOP\na: NOP", "t:2:1: the label a is already defined"),
        (".isa sm10", "t:1:6: this is a program of sm10, not of fermi: `warpsmith asm --isa sm10` assembles it"),
        (".isa volta", "t:1:6: there is no instruction set volta, one of"),
        (
            ".byte 1; EXIT",
            "t:1:10: this instruction would lie at 0x1, which is no multiple of 8: add 7 bytes with .byte",
        ),
        ("MOV R1, 0x100000", "t:1:9: 0x100000 does not fit the 20 bits of the field"),
        ("IADD R1, -R2, -R3", "t:1:6: only one operand can have a minus; both bits together mean .PO, sum + 1"),
        ("FADD.SAT.FTZ R1, R2, R3", "t:1:9: expected a modifier of this instruction, in its order, found `.`"),
        ("FADD R1, R64, R3", "t:1:10: expected a register, R0 to R62 or RZ, found `R64`"),
    ] {
        let e = set::assemble(&Fermi, source, "t").expect_err(source);
        assert!(e.to_string().starts_with(message), "{e}");
    }
    let short = Fermi.decode(&[4, 0, 0, 0]).expect_err("four bytes are too few");
    assert!(short.to_string().contains("4 are left") || short.to_string().contains("no encoding"));
}

/// What the seed's page leaves optional, and its floats in instructions.
#[test]
fn the_syntax_of_the_seed_assembles() {
    let word = |text: &str| {
        let instr = Fermi.parse(text, &Place::at(0)).unwrap_or_else(|e| panic!("{text}: {e}"));
        instr.code.bits() as u64
    };
    for (seed, ours) in [
        ("FSETP.LT P0, R1, R2", "FSETP.LT.AND P0, PT, R1, R2, PT"),
        ("FSETP.LT P0, P1, R1, R2", "FSETP.LT.AND P0, P1, R1, R2, PT"),
        ("FSETP.LT P0, |P1, -|R1|, |R2|", "FSETP.LT.AND P0, P1, -|R1|, |R2|, PT"),
        ("FSETP.GEU.XOR P0, R1, c[0x0][0x20], !P3", "FSETP.GEU.XOR P0, PT, R1, c[0x0][0x20], !P3"),
        ("DSETP.NUM P0, -|R2|, R4", "DSETP.NUM.AND P0, PT, -|R2|, R4, PT"),
        ("DSETP.EQ.OR P0, P2, R2, F1.5, P1", "DSETP.EQ.OR P0, P2, R2, 0x3ff80, P1"),
        ("ISETP.LT P0, R1, 0x5", "ISETP.LT.AND P0, PT, R1, 0x5, PT"),
        ("@P1 FSETP.LT.S P0, R1, R2", "@P1 FSETP.LT.AND.S P0, PT, R1, R2, PT"),
        // A minus in front of F is a modifier, behind it the sign of the number.
        ("FADD R1, R2, -F1.5", "FADD R1, R2, -0x3fc00"),
        ("FADD R1, R2, F-1.5", "FADD R1, R2, 0xbfc00"),
        ("FMUL32I.SAT R1, R2, F-123.123", "FMUL32I.SAT R1, R2, 0xc2f63efa"),
        // Floats are cut off.
        ("FADD R1, R2, F1.1", "FADD R1, R2, 0x3f8cc"),
        ("FFMA R1, R2, F-1.1, -R3", "FFMA R1, R2, 0xbf8cc, -R3"),
        ("DADD R2, R4, F1.1", "DADD R2, R4, 0x3ff19"),
    ] {
        assert_eq!(word(seed), word(ours), "{seed}");
    }
    for (text, plain, bit) in [
        ("FADD.FTZ.FMA R1, R2, R3", "FADD.FTZ R1, R2, R3", 57),
        ("FMUL.FMA R1, R2, c[0x0][0x20]", "FMUL R1, R2, c[0x0][0x20]", 8),
        ("FMUL.SAT.FMA2 R1, R2, F1.5", "FMUL.SAT R1, R2, F1.5", 9),
        ("FMUL32I.FMA R1, R2, F1.5", "FMUL32I R1, R2, F1.5", 8),
    ] {
        assert_eq!(word(text), word(plain) | 1 << bit, "{text}");
        assert!(Fermi.decode(&word(text).to_le_bytes()).is_err(), "{text} is no instruction");
    }
    for (text, notes) in [("FADD R1, R2, F1.5", 0), ("FADD R1, R2, F1.1", 1), ("FADD.FMA R1, R2, F1.1", 2)] {
        assert_eq!(Fermi.parse_noted(text, &Place::at(0)).map(|p| p.1.len()), Ok(notes), "{text}");
    }
    for text in [
        "FADD R1", "PSETP.AND.AND P0, P1, P2", "FMNMX R1, R2, R3", "FSETP.LT P0", "FSETP P0, R1, R2",
        "FFMA.FMA R1, R2, R3, R4",
    ] {
        assert!(Fermi.parse(text, &Place::at(0)).is_err(), "{text}");
    }
}
