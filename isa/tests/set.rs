//! The shared part of the instruction sets: fields, checks of a table, lengths.

use warpsmith_isa::set::{
    assemble, cover, Code, DecodeError, EncodeError, Evidence, Field, Fields, Form, Instr, InstructionSet, Length,
    Operand, Overlap, Place, Reserved, Row, Scanner, Status, Table, TableError, TextError,
};
use warpsmith_isa::Isa;

/// An operand that is one field.
#[derive(Clone, Copy)]
struct Plain(Field);

impl Operand for Plain {
    fn fields(&self) -> Vec<Field> {
        vec![self.0]
    }

    fn describe(&self) -> String {
        self.0.name.into()
    }
}

const SPLIT: Field = Field::new("v", &[(8, 4), (20, 2)]);

const fn form(name: &'static str, mask: u128, match_: u128) -> Form<Plain> {
    Form {
        name,
        mnemonic: "op",
        alias: "",
        length: Length::ByBit { bit: 15, short: 2, long: 4 },
        mask,
        match_,
        operands: &[Plain(SPLIT)],
        modifiers: &[],
        fields: &[],
        reserved: &[(12, 3), (16, 4), (22, 10)],
        sem: "",
        status: Status::Unknown,
        evidence: Evidence::Public,
        note: "",
    }
}

const GENERAL: Form<Plain> = Form { fields: &[Field::new("w", &[(7, 1)])], ..form("general", 0x7f, 0x05) };
const SPECIAL: Form<Plain> = form("special", 0xff, 0x85);
const OTHER: Form<Plain> = Form { fields: &[Field::new("w", &[(0, 1)])], ..form("other", 0xfe, 0x84) };

#[test]
fn a_field_of_several_runs_keeps_its_value() {
    for value in 0..64 {
        let bits = SPLIT.put(u128::MAX, value);
        assert_eq!(SPLIT.get(bits), value);
        assert_eq!(bits | SPLIT.mask(), u128::MAX);
    }
    assert_eq!(SPLIT.get_signed(SPLIT.put(0, 63)), -1);
    assert!(SPLIT.fits(63) && !SPLIT.fits(64));
}

#[test]
fn a_table_refuses_gaps_double_owners_and_overlaps() {
    const GAP: &[Form<Plain>] = &[Form { reserved: &[(12, 3), (16, 4)], ..SPECIAL }];
    const TWICE: &[Form<Plain>] = &[Form { reserved: &[(11, 4), (16, 4), (22, 10)], ..SPECIAL }];
    const NESTED: &[Form<Plain>] = &[GENERAL, SPECIAL];
    const CROSSED: &[Form<Plain>] = &[GENERAL, OTHER];
    let new = |rows, overlap| Table::new(&[rows], overlap, Reserved::Ignored).err();
    assert!(matches!(new(GAP, Overlap::Refused), Some(TableError::Uncovered { bits: 0xffc0_0000, .. })));
    assert!(matches!(new(TWICE, Overlap::Refused), Some(TableError::Twice { bits: 0x800, .. })));
    assert!(matches!(new(NESTED, Overlap::Refused), Some(TableError::Overlap { .. })));
    assert_eq!(new(NESTED, Overlap::MostSpecific), None);
    assert!(matches!(new(CROSSED, Overlap::MostSpecific), Some(TableError::Overlap { .. })));
    let outside = cover("f", 8, 0, &[SPLIT], &[]);
    assert!(matches!(outside, Err(TableError::Outside { bits: 8, .. })));
}

#[test]
fn the_length_bit_rules_and_the_most_fixed_bits_win() {
    const ROWS: &[Form<Plain>] = &[GENERAL, SPECIAL];
    let table = Table::new(&[ROWS], Overlap::MostSpecific, Reserved::Ignored).expect("a table");
    let read = |bytes: &[u8]| table.decode(bytes);
    let short = read(&[0x85, 0x03, 0xff, 0xff]).expect("a short one");
    assert_eq!((short.row, short.code.len()), (1, 2));
    let long = read(&[0x05, 0x83, 0x30, 0x00]).expect("a long one");
    assert_eq!((long.row, long.code.len()), (0, 4));
    assert_eq!(SPLIT.get(long.code.bits()), 0x33);
    assert_eq!(read(&[0x05, 0x83]), Err(DecodeError::Truncated { need: 4, have: 2 }));
    for i in [short, long] {
        assert_eq!(table.join(&table.split(&i)), Ok(i));
        assert_eq!(table.canonical(i.row, i.code.bits()), i);
    }
    // The longer of two encodings of one value is not the usual one.
    let idle = read(&[0x05, 0x83, 0, 0]).expect("a long one");
    let usual: Instr = table.canonical(idle.row, idle.code.bits());
    assert_eq!(usual.code.len(), 2);
    assert_eq!(table.join(&table.split(&idle)), Ok(idle));
}

/// A set of one instruction, `j LABEL`: 2 bytes to an even multiple of 2, else 4, so that some labels never
/// settle.
struct Restless;

impl InstructionSet for Restless {
    // No set of the crate: only its name is asked for.
    fn isa(&self) -> Isa {
        Isa::Ivb
    }

    fn name(&self) -> &'static str {
        "restless"
    }

    fn title(&self) -> &'static str {
        "Restless"
    }

    fn unit(&self) -> usize {
        2
    }

    fn decode(&self, bytes: &[u8]) -> Result<Instr, DecodeError> {
        Err(DecodeError::Unknown(Code::read(bytes)))
    }

    fn fields(&self, _: &Instr) -> Fields {
        Fields::default()
    }

    fn encode(&self, fields: &Fields) -> Result<Instr, EncodeError> {
        Err(EncodeError::Row(fields.row))
    }

    fn print(&self, _: &Instr, _: u64) -> String {
        "j".into()
    }

    fn parse(&self, text: &str, place: &Place) -> Result<Instr, TextError> {
        let mut s = Scanner::new(text);
        s.need("j")?;
        let to = (place.label)(s.word()).unwrap_or(0);
        let code = Code::new(0, if to % 4 == 0 { 2 } else { 4 });
        Ok(Instr { row: 0, code })
    }

    fn rows(&self) -> Vec<Row> {
        Vec::new()
    }
}

#[test]
fn labels_that_never_settle_are_named_with_their_line() {
    let settled = assemble(&Restless, "top: j top", "t").expect("it settles");
    assert_eq!(settled.bytes.len(), 2);
    let e = assemble(&Restless, "still:\n j end\n  end: j still", "t").expect_err("it never does");
    let message = "t:3:3: the address of this label does not settle";
    assert!(e.to_string().starts_with(message), "{e}");
}
