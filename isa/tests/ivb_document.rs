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

/// An instruction that keeps a rule, one that breaks it, the section.
const RULES: &[[&str; 3]] = &[
    ["mov(16) g10<1>DF g12<8,8,1>DF", "mov(32) null<1>UD g12<0,1,0>UD { align1 1H }", "3.3.9 1A"],
    ["mov(8) g10<4>B g12<8,8,1>D", "mov(8) g10<2>B g12<8,8,1>D", "3.3.9 1B"],
    ["add(8) g10<2>W g12<8,8,1>D 1D", "add(8) g10<1>W g12<8,8,1>D 1D", "3.3.9 1B"],
    ["mov(8) g10<1>F g12<8,8,1>F", "mov(4) g10<1>F g12<8,8,1>F", "3.3.9 2A"],
    ["mov(8) g10<2>W g12<16,8,2>W", "mov(8) g10<2>W g12<8,8,2>W", "3.3.9 2B"],
    ["mov(8) g10<1>F g12<1,8,0>F", "mov(8) g10<1>F g12<1,8,1>F", "3.3.9 2B"],
    ["mov(8) g10<1>F g12<1,1,0>F", "mov(8) g10<1>F g12<1,1,1>F", "3.3.9 2D"],
    ["mov(1) g10<1>F g12<0,1,0>F { align1 1N }", "mov(1) g10<1>F g12<8,1,0>F { align1 1N }", "3.3.9 2E"],
    ["mov(8) g10<1>F g12<0,1,0>F", "mov(8) g10<1>F g12<0,4,0>F", "3.3.9 2F"],
    ["mov(8) g10<1>F g12<8,8,1>F", "mov(8) g10<0>F g12<8,8,1>F", "3.3.9 2G"],
    ["mov(8) g10<1>F g12.4<4,4,1>F", "mov(8) g10<1>F g12.4<8,8,1>F", "3.3.9 2H"],
    ["mov(8) g10<1>F g12<8,8,1>F", "mov(16) g10<1>F g12.4<8,8,1>F { align1 1H }", "3.3.9 3A"],
    ["mov(8) g10.1<2>B g11<8,8,1>W", "mov(8) g10.2<4>B g11<8,8,1>D", "3.3.9 3F"],
    ["mov(8) g10<1>B g12<8,8,1>B", "mov(8) g10<1>B -g12<8,8,1>B", "3.3.9 4A"],
    ["mov(8) g10<1>UB g12<8,8,1>UB", "(+f0.0) sel(8) g10<1>UB g12<8,8,1>UB g13<8,8,1>UB", "3.3.9 4A"],
    ["mov(8) g10<1>DF g12<0,2,1>DF", "mov(8) g10<1>DF g12<0,1,0>DF", "3.3.9 5A"],
    ["mov(2) g10<1>DF g12<2,2,1>DF { align1 1N }", "mov(1) g10<1>DF g12<0,1,0>DF { align1 1N }", "3.3.9 5A"],
    ["mov(4) g10<1>.xyDF g12<4>.zwzwDF { align16 1N }", "mov(4) g10<1>DF g12<4>.xzzwDF { align16 1N }", "3.3.9 5B"],
    ["mov(8) g10<1>F g[a0]<VxH,1,0>F", "add(8) g10<1>F g12<8,8,1>F g[a0]<VxH,1,0>F", "3.3.9 6C"],
    ["mov(8) g10<1>W g[a0]<VxH,1,0>W", "mov(8) g10<4>W g[a0]<VxH,1,0>W", "3.3.9 6D"],
    ["mov(8) g10<1>D g[a0.2]<VxH,4,1>D", "mov(8) g10<1>D g[a0.3]<VxH,4,1>D", "3.3.3.4"],
    [
        "mad(8) g10<1>F g2<4,4,1>F g4<4,4,1>F g6<4,4,1>F { align16 1Q }",
        "mad(16) g10<1>F g2<4,4,1>F g4<4,4,1>F g6<4,4,1>F { align16 1H }",
        "3.3.9 7A",
    ],
    ["mov(4) g10<1>DF g12<4>DF { align16 1N }", "mov(8) g10<1>DF g12<4>DF { align16 1Q }", "3.3.9 7A"],
    ["add.z.f0.0(16) g10<1>W g12<16,16,1>W 1W", "add.z.f0.0(32) g10<1>W g12<16,16,1>W 1W { align1 1H }", "3.3.9 7C"],
    ["endif(8) JIP: 2", "endif(8) JIP: 2 { align16 1Q }", "3.3.9 7D"],
    ["mov(8) g10<1>W 0x76543210V", "mov(8) g10<1>D 0x76543210V", "3.3.4"],
    ["add(8) g10<1>W g12<8,8,1>W 0x76543210V", "add(8) g10<1>W g12<8,8,1>D 0x76543210V", "3.3.4 5.2.4.1"],
    ["add(8) g10<1>F g12<8,8,1>F g13<8,8,1>F", "add(8) g10<1>F g12<8,8,1>F g13<8,8,1>D", "3.3.8"],
    ["add(8) g10<1>F acc0<8,8,1>F g13<8,8,1>F", "add(8) g10<1>F g13<8,8,1>F acc0<8,8,1>F", "3.3.3.5"],
    ["mov(8) acc0<1>F g2<8,8,1>F", "mov(16) acc0<1>F g2<8,8,1>F { align1 1H }", "3.3.3.5"],
    ["cmp.z.f0.0(8) g10<1>F g12<8,8,1>F 0x0F", "cmp.o.f0.0(8) g10<1>F g12<8,8,1>F 0x0F", "3.6"],
    ["addc(8) g10<1>UD g2<8,8,1>UD 1UD { align1 1Q AccWrEnable }", "addc(8) g10<1>UD g2<8,8,1>UD 1UD", "5.7"],
    ["rndd(8) g10<1>F g2<8,8,1>F", "rndd(8) g10<1>F g2<8,8,1>F { align1 1Q AccWrEnable }", "5.7"],
    ["mul(8) acc0<1>F g2<8,8,1>F g4<8,8,1>F", "mul(8) g10<1>F acc0<8,8,1>F g4<8,8,1>F", "5.7"],
    ["shl(8) g10<1>UD g2<8,8,1>UD 1UD", "shl(8) acc0<1>UD g2<8,8,1>UD 1UD", "5.7"],
    ["and(8) g10<1>UD acc0<8,8,1>UD 1UD", "and(8) g10<1>UD -acc0<8,8,1>UD 1UD", "5.7"],
    ["mac(8) g10<1>F g2<8,8,1>F g4<8,8,1>F", "mac(8) g10<1>F acc0<8,8,1>F g4<8,8,1>F", "5.7"],
    ["mov(8) g10<1>F acc0<8,8,1>F", "mov(8) acc0<1>F acc0<8,8,1>F", "5.7"],
    ["endif(8) JIP: 2", "endif(8) JIP: 2 { align1 1Q AccWrEnable }", "5.7 rule 1"],
    ["add(8) acc0<1>F g2<8,8,1>F 0x0F", "add(8) acc0<1>F g2<8,8,1>F 0x0F { align1 1Q AccWrEnable }", "5.7 rule 4"],
    ["add(8) acc0<1>F acc0<8,8,1>F 0x0F", "add(8) acc1<1>F acc0<8,8,1>F 0x0F", "5.7 rule 5"],
    ["and.z.f0.0(8) g10<1>UD g2<8,8,1>UD 1UD", "and.g.f0.0(8) g10<1>UD g2<8,8,1>UD 1UD", "5.6"],
    [
        "addc(8) g10<1>UD g2<8,8,1>UD 1UD { align1 1Q AccWrEnable }",
        "addc(8) g10<1>UD -g2<8,8,1>UD 1UD { align1 1Q AccWrEnable }",
        "5.6",
    ],
    ["brc(8) JIP: 2 UIP: 2 { align1 1Q switch }", "brc(8) JIP: 2 UIP: 2", "6.12"],
    ["brd(8) JIP: 2 { align1 1Q switch }", "brd(8) JIP: 2", "6.13"],
    ["call(2) g10<1>UD 2D { align1 1N }", "call(8) g10<1>UD 2D", "6.15"],
    ["call(2) g10<1>UD 2D { align1 1N }", "call(2) g10.1<1>UD 2D { align1 1N }", "6.15"],
    ["cmp.z.f0.0(8) null<1>F g2<8,8,1>F 0x0F { align1 1Q switch }", "cmp.z.f0.0(8) null<1>F g2<8,8,1>F 0x0F", "6.17"],
    ["dp4(8) g10<1>F g2<8,8,1>F g4<8,8,1>F", "dp4(2) g10<1>F g2<2,2,1>F g4<2,2,1>F { align1 1N }", "6.22"],
    ["dp4(8) g10<1>F g2<8,8,1>F g4<8,8,1>F", "dp4(8) g10<1>F g2<0,1,0>F g4<8,8,1>F", "6.22"],
    ["else(8) JIP: 2", "(+f0.0) else(8) JIP: 2", "6.24"],
    ["f32to16(8) g10<2>W g2<8,8,1>F", "f32to16(8) g10<4>W g2<8,8,1>F", "6.27"],
    ["frc(8) g10<1>F g2<8,8,1>F", "frc.sat(8) g10<1>F g2<8,8,1>F", "6.30"],
    ["jmpi(1) 2D { align1 WE_all 1N }", "jmpi(1) 2D { align1 1N }", "6.34"],
    ["jmpi(1) 2D { align1 WE_all 1N }", "jmpi(1) 2UD { align1 WE_all 1N }", "6.34"],
    ["line(8) g10<1>F g2.4<0,1,0>F g4<8,8,1>F", "line(8) g10<1>F g2.1<0,1,0>F g4<8,8,1>F", "6.35"],
    ["lzd(8) g10<1>UD (abs)g2<8,8,1>D", "lzd(8) g10<1>UD g2<8,8,1>D", "6.37"],
    ["math inv(8) g10<1>F g2<8,8,1>F null<8,8,1>F", "math inv(8) g10<1>F f0<8,8,1>F null<8,8,1>F", "6.41"],
    [
        "math intdiv(8) g10<1>D g2<8,8,1>D g4<8,8,1>D",
        "math intdiv(16) g10<1>D g2<8,8,1>D g4<8,8,1>D { align1 1H }",
        "6.41",
    ],
    ["math intdiv(8) g10<1>D g2<8,8,1>D g4<8,8,1>D", "math intdiv(8) g10<1>D g2<8,8,1>D g4<8,8,1>UD", "6.41"],
    ["mov.z.f0.0(8) g10<1>F g2<8,8,1>F", "mov.z.f0.0(8) g10<1>D g2<8,8,1>F", "6.41.10"],
    ["mov(8) g10<1>DF g2<8,8,1>F", "mov(8) g10<1>DF g2<8,8,1>B", "6.41.10"],
    ["movi(8) g10<1>UD g[a0]<8,8,1>UD", "movi(8) g10<1>UD g2<8,8,1>UD", "6.42"],
    ["mul(8) g10<1>D g2<8,8,1>D g4<8,8,1>D", "mul.sat(8) g10<1>D g2<8,8,1>D g4<8,8,1>D", "6.43"],
    ["mul(8) g10<1>D g2<8,8,1>D g4<8,8,1>W", "mul(8) g10<1>D g2<8,8,1>W g4<8,8,1>D", "6.43"],
    ["ret(8) null<1>UD g2<2,2,1>UD", "ret(8) null<1>UD g2<8,8,1>UD", "6.48"],
    ["sad2(8) g10<1>W g2<8,8,1>UB g4<8,8,1>UB", "sad2(1) g10<1>W g2<0,1,0>UB g4<0,1,0>UB { align1 1N }", "6.53"],
    ["sel.l(16) g10<1>W g2<16,16,1>W 1W", "sel(8) g10<1>W g2<8,8,1>W 1W", "6.55"],
    [
        "send(8) null<1>UW g2<8,8,1>UD 0x02000000 urb { align1 1Q EOT }",
        "send(8) g10<1>UW g2<8,8,1>UD 0x02000000 urb { align1 1Q EOT }",
        "6.56",
    ],
    ["mov(1) ip g2<0,1,0>UD { align1 1N }", "mov(8) ip g2<8,8,1>UD", "3.3.3.10"],
    [
        "send(8) g10<1>UD g2<8,8,1>UD a0<0,1,0>UD 0x00000200 data",
        "send(8) g10<1>UD g2<8,8,1>UD g3<0,1,0>UD 0x00000060 data",
        "3.3.3.4",
    ],
    ["wait(1) n0<1>UD { align1 1N }", "wait(8) n0<1>UD", "6.61"],
];

#[test]
fn section_3_3_9_and_5_7_and_6_every_rule_is_kept_at_assembly_and_decoding() {
    for [kept, broken, section] in RULES {
        read(kept).unwrap_or_else(|e| panic!("{kept}: {e}"));
        let e = read(broken).expect_err(broken);
        let named = section.split(' ').next_back().unwrap_or(section);
        assert!(e.contains("(section ") && e.ends_with(&format!("{named})")) || e.contains(section), "{broken}: {e}");
    }
    // The bits of a broken rule are refused as its text is: mov(8) g10<1>B g12<8,8,1>D.
    let kept = read("mov(8) g10<4>B g12<8,8,1>D").expect("a rule kept").code.bits();
    let broken = kept & !(3 << 61) | 1 << 61;
    let e = Ivb.decode(&broken.to_le_bytes()).expect_err("packed bytes");
    assert_eq!(e.to_string(), "mov: only a raw mov writes packed bytes (section 3.3.9 4A)");
}
