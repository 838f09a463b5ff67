//! SM 1.0 behind the trait of all sets says what its own decoder, encoder and texts say.

use crate::common;
use warpsmith_isa::set::{self, InstructionSet, Place};
use warpsmith_isa::{decode, encode, text, Sm10, FORMS};
use warpsmith_testkit::Random;

#[test]
fn the_trait_agrees_with_the_decoder_and_the_texts() {
    let mut random = Random(3);
    for n in 0..20_000 {
        let i = common::instruction(n % FORMS.len(), &mut random);
        let (w0, w1) = encode(&i).expect("a decoded instruction encodes");
        let mut bytes = w0.to_le_bytes().to_vec();
        if i.long {
            bytes.extend(w1.to_le_bytes());
        }
        let found = Sm10::default().decode(&bytes).expect("an instruction");
        assert_eq!((found.row, found.code.to_vec()), (i.form.into(), bytes));
        assert_eq!(Sm10::default().instruction(&found), Ok(i));
        assert_eq!(Sm10::default().print(&found, 0), text(&i));
        assert_eq!(Sm10::default().parse(&text(&i), &Place::at(0)), Ok(found));
        assert_eq!(Sm10::default().encode(&Sm10::default().fields(&found)), Ok(found));
    }
}

#[test]
fn fields_and_reserved_bits_cover_every_row() {
    let instr = |row| set::Instr { row, code: set::Code::default() };
    let rows = Sm10::default().rows();
    for (n, f) in FORMS.iter().enumerate() {
        let names = Sm10::default().fields(&instr(n)).values;
        let layout = &rows[n].layout;
        let width = |name: &str| -> u32 {
            let runs = layout.iter().filter(|l| l.2 == name);
            runs.map(|l| u32::from(l.1)).sum()
        };
        let fields: u32 = names.iter().map(|v| width(v.0)).sum();
        let bits = 8 * f.bytes() as u32;
        assert_eq!(fields + f.mask.count_ones() + f.ignored.count_ones(), bits, "{}", f.mnemonic);
    }
}

#[test]
fn ignored_bits_follow_the_text() {
    // IADD with a bit the machine ignores.
    let (w0, w1) = (0x2000_0001u32, 0x0400_0780u32);
    let f = FORMS.iter().find(|f| f.mnemonic == "IADD" && f.class.is_long() && f.ignored != 0);
    let ignored = f.expect("a row with ignored bits").ignored;
    let bit = 1u64 << ignored.trailing_zeros();
    let word = u64::from(w0) | u64::from(w1) << 32 | bit;
    assert!(decode(word as u32, (word >> 32) as u32).is_ok());
    let lines = set::disassemble(&Sm10::default(), &word.to_le_bytes());
    assert_eq!(lines.len(), 1);
    assert!(lines[0].text.ends_with(&format!("?{bit:#x}")), "{}", lines[0].text);
    let i = lines[0].instr.as_ref().expect("an instruction");
    assert_eq!(Sm10::default().fields(i).kept, u128::from(bit));
}

#[test]
fn labels_and_errors_name_their_place() {
    let p = set::assemble(&Sm10::default(), ".isa sm10; NOP; BRA end; NOP\nend: RET", "t").expect("assembles");
    let lines = set::disassemble(&Sm10::default(), &p.bytes);
    assert!(lines[1].text.starts_with("BRA 0x18"), "{}", lines[1].text);
    for (source, message) in [
        ("NOP\n  BRA nowhere", "t:2:7: the label nowhere is not defined"),
        ("NOP\n FROB R1", "t:2:2: FROB is no instruction of SM 1.0"),
        ("@P0 EXIT; .isa fermi", "t:1:16: this is a program of fermi, not of sm10"),
        ("MVI R128, 0x1", "t:1:5: "),
    ] {
        let e = set::assemble(&Sm10::default(), source, "t").expect_err(source);
        assert!(e.to_string().starts_with(message), "{e}");
        let own = warpsmith_isa::assemble(source, "t").expect_err(source);
        assert!(own.to_string().starts_with(message), "{own}");
    }
    assert!(warpsmith_isa::assemble(".isa sm10\nNOP", "t").is_ok());
}
