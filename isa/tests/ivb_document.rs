//! What Intel's manual of the Ivy Bridge execution unit says of encodings and text, a test a section.

use warpsmith_isa::ivb::{native, Ivb};
use warpsmith_isa::set::{self, Instr, InstructionSet};

/// The instruction of a text.
fn read(text: &str) -> Result<Instr, String> {
    let code = set::assemble(&Ivb, text, "t").map_err(|e| e.to_string())?;
    Ivb.decode(&code.bytes).map_err(|e| e.to_string())
}

#[test]
fn section_5_3_1_1_index_10_of_subregisters_is_byte_20_of_source_0() {
    // mov(8) of types r:ud r:ud, control index 11, data type 2, subregister index 10.
    let short: u64 = 0x01 | 11 << 8 | 2 << 13 | 10 << 18 | 1 << 29 | 0 << 30 | 10 << 40 | 2 << 48;
    let instr = Ivb.decode(&short.to_le_bytes()).expect("a compact instruction");
    assert_eq!(native(&instr).code.bits() >> 64 & 31, 20);
    assert_eq!(native(&instr).code.bits() >> 96 & 31, 0);
    assert_eq!(Ivb.print(&instr, 0), "mov(8) g10<1>UD g2.5<0,1,0>UD { align1 1Q compacted }");
}

#[test]
fn section_3_3_4_an_immediate_float_is_its_value_or_its_bits() {
    // Text, bits; no bits: refused.
    let rows = [
        ("10F", Some(0x4120_0000)),
        ("0F", Some(0)),
        ("1.5F", Some(0x3fc0_0000)),
        ("-2F", Some(0xc000_0000)),
        ("1e3F", Some(0x447a_0000)),
        ("0x0000000aF", Some(0xa)),
        ("0x3f800000F", Some(0x3f80_0000)),
        ("1e40F", None),
        ("1.5D", None),
        ("10VF", None),
    ];
    for (immediate, want) in rows {
        let found = read(&format!("mov(8) g10<1>F {immediate}"));
        let bits = found.as_ref().ok().map(|i| (i.code.bits() >> 96) as u32);
        assert_eq!(bits, want, "{immediate}: {found:?}");
    }
}
