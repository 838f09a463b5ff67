//! What Intel's manual of the Ivy Bridge execution unit says of encodings and text, a test a section.

use proptest::prelude::*;
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
    let short: u64 = 0x01 | 11 << 8 | 2 << 13 | 10 << 18 | 1 << 29 | 10 << 40 | 2 << 48;
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
    ["mov(4) g10.2<1>F g12.6<2,2,1>F { align1 1N }", "mov(4) g10.3<1>F g12.6<2,2,1>F { align1 1N }", "3.3.9 3C"],
    ["mov(16) g10<2>W g12.8<16,8,1>W { align1 1H }", "mov(16) g10<2>W g12.4<4,4,1>W { align1 1H }", "3.3.9 3D"],
    ["mov(16) g10<1>D g12<8,8,1>W { align1 1H }", "mov(16) g10<2>W g12<8,8,1>W { align1 1H }", "3.3.9 3E"],
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
    ["mov(8) g10<1>DF g12<4>DF { align16 1Q }", "mov(16) g10<1>DF g12<4>DF { align16 1H }", "3.3.9 7A"],
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

/// Instructions as the manual prints them, and in the other syntax; with `!` what the refusal says.
const PRINTED: &[[&str; 2]] = &[
    // 1.1
    [
        "(f0.0) add (16) r0.0<1>:f r2.0<8;8,1>:f r4.0<8;8,1>:f",
        "(+f0.0) add(16) g0<1>F g2<8,8,1>F g4<8,8,1>F { align1 1H }",
    ],
    // 3.1
    ["mov (8) r10.0:f r11.0<8;8,1>:f", "mov(8) g10<1>F g11<8,8,1>F { align1 1Q }"],
    ["mov (8) r10.0:f r11.0<4;4,2>:f", "!(section 3.3.9 2H)"],
    ["mov (8) r10.0<2>:w r11.0<8;8,1>:w", "mov(8) g10<2>W g11<8,8,1>W { align1 1Q }"],
    ["mov (8) r10.1:f r11.0<4;4,1>:f", "!(section 3.3.9 3E)"],
    ["mov (4) r10.1:f r11.1<4;4,1>:f", "mov(4) g10.1<1>F g11.1<4,4,1>F { align1 1N }"],
    // 3.2
    [
        "add (4) r3<4>.xyz:f r2<4>.yzwx:f r2.4<4>.zwxy:f {NoMask}",
        "add(4) g3<1>.xyzF g2<4>.yzwxF g2.4<4>.zwxyF { align16 WE_all 1N }",
    ],
    ["add (8) r4<4>.xyz:f r2<0>.yzwx:f r3<4>.zwxy:f", "add(8) g4<1>.xyzF g2<0>.yzwxF g3<4>.zwxyF { align16 1Q }"],
    ["add (16) r18<1>:f r2.1<0;1,0>:f r14<8;8,1>:f {Compr}", "add(16) g18<1>F g2.1<0,1,0>F g14<8,8,1>F { align1 1H }"],
    ["add (8) r19<1>:f r5<8;8,1>:f r15<8;8,1>:f {SecHalf}", "add(8) g19<1>F g5<8,8,1>F g15<8,8,1>F { align1 2Q }"],
    // 3.3.3.4
    ["mov (8) r1.0<1>:uw a0.0<8;8,1>:uw", "mov(8) g1<1>UW a0<8,8,1>UW { align1 1Q }"],
    ["mov (8) r1.8<1>:uw a0.4<0;1,0>:uw", "mov(8) g1.8<1>UW a0.4<0,1,0>UW { align1 1Q }"],
    ["mov (4) a0.0<1>:uw r1.0<4;4,1>:uw", "mov(4) a0<1>UW g1<4,4,1>UW { align1 1N }"],
    ["mov (4) a0.4<1>:uw r1.4<0;1,0>:uw", "mov(4) a0.4<1>UW g1.4<0,1,0>UW { align1 1N }"],
    ["mov (8) r1.0<1>:d r[a0.2]<4,1>:d", "mov(8) g1<1>D g[a0.2]<VxH,4,1>D { align1 1Q }"],
    ["mov (8) r1.0<1>:d r[a0.3]<4,1>:d", "!(section 3.3.3.4)"],
    // 3.3.3.5
    ["add (16) r10:f r11:f r12:f {AccWrEn}", "add(16) g10<1>F g11<8,8,1>F g12<8,8,1>F { align1 1H AccWrEnable }"],
    ["add (8) r10:f r11:f r12:f {AccWrEn, Q2}", "add(8) g10<1>F g11<8,8,1>F g12<8,8,1>F { align1 2Q AccWrEnable }"],
    ["add (16) r10:hf r11:hf r12:hf {AccWrEn, H2}", "!such as r12.0<8;8,1>:f"],
    ["add (8) acc1:f acc0:f", "!"],
    // 3.3.6
    ["add (16)r6.0<1>:w r1.7<16;8,1>:b r2.1<16;8,1>:b", "add(16) g6<1>W g1.7<16,8,1>B g2.1<16,8,1>B { align1 1H }"],
    ["Add (8)r9.0<1>:f r[a0.0]<1,0>:f r8.0<4;4,1>:f", "!Ivy Bridge has no instruction Add"],
    ["add (8)r9.0<1>:f r[a0.0]<1,0>:f r8.0<4;4,1>:f", "add(8) g9<1>F g[a0]<VxH,1,0>F g8<4,4,1>F { align1 1Q }"],
    // 3.3.9
    ["mov (16) r10.0<2>:w r12<16;8,1>:w", "mov(16) g10<2>W g12<16,8,1>W { align1 1H }"],
    ["mov (8) r10.0<2>:w r12<16;8,1>:w", "!(section 3.3.9 2B)"],
    ["mov (16) r10.0<2>:w r12.8<16;8,1>:w", "mov(16) g10<2>W g12.8<16,8,1>W { align1 1H }"],
    ["mov (16) r10.0<2>:w r12.4<4;4,1>:w", "!(section 3.3.9 3D)"],
    ["mov (16) r10.2<2>:w r12<16;8,1>:w", "!(section 3.3.9 3A, 3B)"],
    ["mov (16) r10.0<2>:w r12.0<8;8,1>:w", "!(section 3.3.9 3E)"],
    ["mov (16) r10.0<2>:w r12.0<0;1,0>:w", "mov(16) g10<2>W g12<0,1,0>W { align1 1H }"],
    ["mov (16) r10.0<1>:d r12<8;8,1>:w", "mov(16) g10<1>D g12<8,8,1>W { align1 1H }"],
    ["mov (8) r10.0<1>:d r12<8;8,1>:w", "mov(8) g10<1>D g12<8,8,1>W { align1 1Q }"],
    ["mov (8) r10.0<2>:b r11.0<8;8,1>:w", "mov(8) g10<2>B g11<8,8,1>W { align1 1Q }"],
    ["mov (8) r10.1<2>:b r11.0<8;8,1>:w", "mov(8) g10.1<2>B g11<8,8,1>W { align1 1Q }"],
    ["mov (8) r10.0<1>:df r11.0<8;8,1>:df", "mov(8) g10<1>DF g11<8,8,1>DF { align1 1Q }"],
    ["mov (8) r10.0.xyzw:df r11.0.xyzw:df", "mov(8) g10<1>DF g11<4>DF { align16 1Q }"],
    ["mov (16) r[a0.0]:f r10:f", "mov(16) g[a0]<1>F g10<8,8,1>F { align1 1H }"],
    ["mov (8) r[a0.1]:f r11:f", "mov(8) g[a0.1]<1>F g11<8,8,1>F { align1 1Q }"],
    ["add (16) r[a0.0]:f r[a0.2]:f r[a0.4]:f", "add(16) g[a0]<1>F g[a0.2]<8,8,1>F g[a0.4]<8,8,1>F { align1 1H }"],
    [
        "add (8) r[a0.1]:f r[a0.3]:f r[a0.4]<0;1,0>:f",
        "add(8) g[a0.1]<1>F g[a0.3]<8,8,1>F g[a0.4]<0,1,0>F { align1 1Q }",
    ],
    ["mov (16) r10.0:w r[a0.0]<2,2>:w", "mov(16) g10<1>W g[a0]<VxH,2,2>W { align1 1H }"],
    // 6.15, 6.30
    ["call (2) r1 0x2 {NoMask}", "call(2) g1<1>UD 2D { align1 WE_all 1N }"],
    ["cmp.ne.f0.0 null r4:ud 0x3f800000:ud", "!(section 6.17)"],
    [
        "cmp.ne.f0.0 null r4:ud 0x3f800000:ud {Switch}",
        "cmp.nz.f0.0(8) null<1>UD g4<8,8,1>UD 0x3f800000UD { align1 1Q switch }",
    ],
    ["(f0.0)sel r5:f r4:ud 0x3f7fffff:ud", "!(section 6.55)"],
    // 6.39
    ["mul (8) acc0:d r2.0<8;8,1>:d r3.0<8;8,1>:d", "mul(8) acc0<1>D g2<8,8,1>D g3<8,8,1>D { align1 1Q }"],
    [
        "mach (8) r9<1>:d r2.0<8;8,1>:d r3.0<8;8,1>:d {AccWrEn}",
        "mach(8) g9<1>D g2<8,8,1>D g3<8,8,1>D { align1 1Q AccWrEnable }",
    ],
    ["mov (8) r6.0<1>:d acc0:d", "mov(8) g6<1>D acc0<8,8,1>D { align1 1Q }"],
    // 7.2
    ["mov(8) r6.0<1>:f r6.0<0;8,1>:f", "!(section 3.3.9 2B)"],
    ["mov(8) r6:f r[a0.0,224]<1,0>:f", "mov(8) g6<1>F g[a0 224]<VxH,1,0>F { align1 1Q }"],
    ["mov(8) r6:f r[a0.0,244]<4,1>:f", "mov(8) g6<1>F g[a0 244]<VxH,4,1>F { align1 1Q }"],
    // 7.3
    ["mov (16) r11.0<1>:w 0x01234567:v", "mov(16) g11<1>W 0x01234567V { align1 1H }"],
    ["mac (16)r10.0<1>:w r0.0<16;8,2>:w 32:w", "mac(16) g10<1>W g0<16,8,2>W 32W { align1 1H }"],
    ["mul (16)acc0:w r11.0<0;16,1>:w 4:w", "!(section 3.3.9 2B)"],
    ["mul(8) r1.0<1>:f r0.xzxz 0x1F111F11:v", "!(section"],
    [
        "dp4 (8) r5.0<1>.x:f r0.0<4;4,1>:f r4.0<4;4,1>:f {NoDDClr}",
        "dp4(8) g5<1>.xF g0<4>F g4<4>F { align16 NoDDClr 1Q }",
    ],
    [
        "dp4 (8) r5.0<1>.y:f r1.0<4;4,1>:f r4.0<4;4,1>:f {NoDDClr, NoDDChk}",
        "dp4(8) g5<1>.yF g1<4>F g4<4>F { align16 NoDDClr,NoDDChk 1Q }",
    ],
    ["mov (1) r5.1<1>:f r8.0<1;1,1>:f", "!(section 3.3.9 2D)"],
    ["line (8) acc:f r1<0;1,0>:f r2<0;8,1>:f", "!(section 3.3.9 2B)"],
    ["line (8) acc:f r1<0;1,0>:f r2<8;8,1>:f", "line(8) acc0<1>F g1<0,1,0>F g2<8,8,1>F { align1 1Q }"],
    ["mov (8) r3:d r0:d {NoMask}", "mov(8) g3<1>D g0<8,8,1>D { align1 WE_all 1Q }"],
    ["mov (1) r3.0:d 2*32 {NoMask}", "mov(1) g3<1>D 64D { align1 WE_all 1N }"],
    ["mov (1) r3.1:d 2*32+16 {NoMask}", "mov(1) g3.1<1>D 80D { align1 WE_all 1N }"],
    ["mov (8) r3:d 0x76543210:v {NoMask}", "!(section 3.3.4)"],
    ["add (1) IP IP 4*16:d", "add(1) ip ip 64D { align1 1N }"],
    ["add (1) IP IP -2*16:d", "add(1) ip ip -32D { align1 1N }"],
    ["cmp.g.f0 (8) null r0:d r1:d {Switch}", "cmp.g.f0.0(8) null<1>D g0<8,8,1>D g1<8,8,1>D { align1 1Q switch }"],
    ["cmp.e.f0 (8) null r5 r4 {Switch}", "!the type of null is missing"],
    ["or (1) f0:w f0:w f1:w", "or(1) f0<1>W f0<0,1,0>W f1<0,1,0>W { align1 1N }"],
    ["(f0) if (8) 4", "(+f0.0) if(8) JIP: 4 UIP: 4 { align1 1Q }"],
    ["(-f0.1.any4h) break (8) 4 -2", "(-f0.1.any4h) break(8) JIP: 4 UIP: -2 { align1 1Q }"],
    ["else (8) 4", "else(8) JIP: 4 { align1 1Q }"],
    ["while (8) -8", "while(8) JIP: -8 { align1 1Q }"],
    ["jmpi (1) r0<0;1,0>:d {NoMask}", "jmpi(1) g0<0,1,0>D { align1 WE_all 1N }"],
    // 5.5: what the grammar has beside.
    ["math (8) r10:f r2:f RSQ", "math rsq(8) g10<1>F g2<8,8,1>F null<8,8,1>F { align1 1Q }"],
    ["math (8) r10:f r2:f r4:f POW", "math pow(8) g10<1>F g2<8,8,1>F g4<8,8,1>F { align1 1Q }"],
    [
        "mad.sat (8) r10:f r2.xyzw:f -r4:f (abs)r6:f",
        "mad.sat(8) g10<1>F g2<4,4,1>F -g4<4,4,1>F (abs)g6<4,4,1>F { align16 1Q }",
    ],
    ["sel.ge (8) r10:f r2:f 1.5:f", "sel.ge(8) g10<1>F g2<8,8,1>F 0x3fc00000F { align1 1Q }"],
    // A condition without a flag writes that of the predicate.
    [
        "(f0.1) cmp.z (8) null:f r2:f r4:f {Switch}",
        "(+f0.1) cmp.z.f0.1(8) null<1>F g2<8,8,1>F g4<8,8,1>F { align1 1Q switch }",
    ],
    ["jmpi (1) -2 {NOMASK, nodDClr}", "jmpi(1) -2D { align1 WE_all NoDDClr 1N }"],
    ["wait (1) n0", "!"],
    ["wait (1) n0:ud", "wait(1) n0<1>UD { align1 1N }"],
];

#[test]
fn section_5_5_the_text_of_the_manual_is_a_second_syntax() {
    let right = |[printed, other]: &&[&str; 2]| match (other.strip_prefix('!'), read(printed)) {
        (Some(why), Err(e)) => e.contains(why),
        (None, Ok(instr)) => Ivb.print(&instr, 0) == *other,
        _ => false,
    };
    let found = |[printed, _]: &[&str; 2]| read(printed).map(|i| Ivb.print(&i, 0));
    let wrong: Vec<_> = PRINTED.iter().filter(|row| !right(row)).map(|row| (row, found(row))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    // A program of it: statements, labels, remarks.
    let source = "mov (8) r1.0<1>:f r2.0<8;8,1>:f {NoMask}; // a remark\n\
        (f0.0) if (8) NO END; add (8) r1:f r1:f 1.0:f\nNO: else (8) END\nEND: endif (8) 2";
    let program = set::assemble(&Ivb, source, "t").unwrap_or_else(|e| panic!("{e}"));
    let lines = set::disassemble(&Ivb, &program.bytes);
    assert_eq!(lines[1].text, "(+f0.0) if(8) JIP: 4 UIP: 6 { align1 1Q }");
    assert_eq!((lines.len(), program.labels.len()), (5, 2));
}

/// Texts of the manual with a wrong word, and the error with its column.
const WRONG: &[[&str; 2]] = &[
    ["(f2) add (8) r1:f r2:f r3:f", "2: expected a flag, one of f0.0 f0.1 f1.0 f1.1, found `f2`"],
    ["(f0.0.any3h) add (8) r1:f r2:f r3:f", "6: any3h is no predicate here, one of anyv allv any2h"],
    ["(f0.1) cmp.z.f0.0 (8) null:f r1:f r2:f", "2: predicate and condition have one flag register"],
    ["ad (8) r1:f r2:f r3:f", "1: Ivy Bridge has no instruction ad, did you mean add?"],
    ["cmp.xx.f0.0 (8) null:f r1:f r2:f", "5: expected a condition, one of z nz g ge l le o u, found `xx`"],
    ["add.f0.1 (8) r1:f r2:f r3:f", "5: no condition writes this flag"],
    ["math.z (8) r1:f r2:f INV", "6: expected sat, the function stands at the end, found `z`"],
    ["add (3) r1:f r2:f r3:f", "6: the execution size is one of 1 2 4 8 16 32"],
    ["mov (8) r10:hf r11:f", "13: expected a type, one of ud d uw w ub b df f, such as r12.0<8;8,1>:f, found `hf`"],
    ["mov (8) r128:f r2:f", "9: expected a register such as r12, acc0, null or r[a0.0], found `r128`"],
    ["mov (8) r10:f r11<8;3,1>:f", "21: the width is one of 1 2 4 8 16"],
    ["mov (8) r1:f r2<4>:f", "14: a region of align1 has three numbers, such as 8;8,1"],
    ["mov (8) r1:f r2.9:f", "17: a register has 8 elements of F"],
    ["mov (8) r1:f r[a0.9]<1,0>:f", "19: a0 has the elements 0 to 7"],
    ["mov (8) r1<1>.yx:f r2:f", "14: the channels stand in the order xyzw, each once"],
    ["mov (8) r1:f r2.xy:f", "16: expected one component or four, such as .x or .xyzz"],
    ["mad (8) r1:f r2:f acc0:f r4:f", "19: an operand of three sources is a general register"],
    ["mad (8) r1:f r2:f r3:f r4:d", "27: the three sources have one type"],
    ["cmp.e.f0 (8) null r5 r4 {Switch}", "14: the type of null is missing, such as null:f"],
    ["add (8) r1:f 1:f r2:f", "14: an immediate is the last source only"],
    ["add (8) r1:f r2:f 2*x:f", "19: 2*x is no number, such as 2, 0x1f, 2*32+16 or 1.5:f"],
    ["mov (8) r1:uw 70000:uw", "15: the value does not fit 16 bits of UW"],
    ["mov (8) r1:df 1", "12: expected a type, one of UD D UW W UV VF V F, found `DF`"],
    ["math (8) r1:f r2:f r3:f FOO", "25: expected a function, one of inv log exp"],
    ["add (8) r1:f r2:f r3:f r4:f", "24: expected the options in { }, or the end of the instruction, found `r4`"],
    ["mov (8) r1:f r2:f {NoMsk}", "20: expected an option, one of NoMask AccWrEn"],
    ["mov (8) r1:f r2:f {H2}", "20: with 8 channels it is one of 1Q 2Q 3Q 4Q"],
    ["jmpi (1) NOWHERE {NoMask}", "10: the label NOWHERE is not defined, define it with `NOWHERE:`"],
    ["if (8) 4 x", "10: the label x is not defined, define it with `x:`"],
    ["send (8) r1:ud r2:ud data", "22: expected a number such as 31"],
    ["send (8) r1:ud r2:ud 0x1a 0x02106eff", "22: 0x1a names no shared function"],
    ["send (8) r1:ud r2:ud 0xa 0x102106eff", "26: "],
];

#[test]
fn section_5_5_an_error_in_the_text_of_the_manual_has_the_column_of_the_wrong_word() {
    let found = |text: &str| read(text).expect_err(text);
    let wrong = WRONG.iter().filter(|[text, error]| !found(text).starts_with(&format!("t:1:{error}")));
    let wrong: Vec<_> = wrong.map(|row| (row, found(row[0]))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A program with pragmas, and the same without.
const PRAGMAS: &[[&str; 2]] = &[
    // The examples of 7.2.2; their region <0;8,1> of a single row breaks rule 2B of 3.3.9.
    [
        ".declare Block Base=r0 ElementSize=1 Region=<32;8,1> Type=b\nmov (16) r20.0<2>:b Block(0,16)",
        "mov (16) r20.0<2>:b r0.16<32;8,1>:b",
    ],
    [
        ".declare Trans Base=r5 ElementSize=4 Region=<8;8,1> Type=f\nmov (8) r20:f Trans(1)",
        "mov (8) r20:f r6.0<8;8,1>:f",
    ],
    [
        ".declare Trans Base=r5 ElementSize=4 Region=<8;8,1> Type=f\nmov (8) r20:f Trans[a0.0,2]",
        "mov (8) r20:f r[a0.0,224]<8;8,1>:f",
    ],
    [
        ".declare Trans Base = r5 ElementSize = 4 Region = <8; 8, 1> Type = f\nmov (8) r20:f Trans[a0.0,2]<1,0>",
        "mov (8) r20:f r[a0.0,224]<1,0>:f",
    ],
    [
        ".declare Trans Base=r5 ElementSize=4 Region=<8;8,1> Type=f\nmov (8) r20:f Trans[a0.0,2]<4,1>",
        "mov (8) r20:f r[a0.0,224]<4,1>:f",
    ],
    // Elements count by the size declared; without an offset it is the origin.
    [
        ".declare T Base=r5.2 ElementSize=4 SrcRegion=<4;4,1> DstRegion=<1> Type=ud\nadd (4) T(0,2) -T(1) T[a0.1, 0, 1]<0;1,0>",
        "add (4) r5.4<1>:ud -r6.2<4;4,1>:ud r[a0.1,172]<0;1,0>:ud",
    ],
    [".declare T Base=r5 ElementSize=4 Type=f\nmov (8) T (abs)T(1)", "mov (8) r5.0:f (abs)r6.0:f"],
    // 7.2.1: definitions of definitions, sizes and types that are left out.
    [".define N 2\n.define BYTES N*32\nadd (8) r1:d r2:d BYTES", "add (8) r1:d r2:d 2*32"],
    [".default_execution_size (4)\nmov r1.0<1>:f r2.0<4;4,1>:f", "mov (4) r1.0<1>:f r2.0<4;4,1>:f"],
    [
        ".default_execution_size 8\n.default_execution_size_UW (16)\nmov r1.0<1>:uw r2.0<16;16,1>:uw\nmov r3:f r4:f",
        "mov (16) r1.0<1>:uw r2.0<16;16,1>:uw\nmov (8) r3:f r4:f",
    ],
    [".default_register_type F\nadd (8) r1 r2 r3", "add (8) r1:f r2:f r3:f"],
    [".default_register_type_r UD\n(f0.0) L: mov (8) r1 r2 {NoMask}", "L: (f0.0) mov (8) r1:ud r2:ud {NoMask}"],
    [
        ".default_source_register_region <0;1,0>\n.default_destination_register_region_D <2>\n\
         add (4) r1:d r2.1:d r3.0<4;4,1>:d",
        "add (4) r1<2>:d r2.1<0;1,0>:d r3.0<4;4,1>:d",
    ],
    // 7.2.3: the skeleton; its defaults end with it.
    [
        ".kernel sum\n.reg_count_total 16\n.reg_count_payload 4\n.default_register_type UD\n.code\n\
         mov (8) r1 r2\n.end_code\n.end_kernel\nmov (8) r1:f r2:f",
        "mov (8) r1:ud r2:ud\nmov (8) r1:f r2:f",
    ],
];

#[test]
fn section_7_2_pragmas_stand_for_what_they_declare() {
    for [with, without] in PRAGMAS {
        let without = without.replace("L: (f0.0)", "(f0.0)");
        let with = with.replace("(f0.0) L:", "L: (f0.0)");
        let bytes = |source: &str| set::assemble(&Ivb, source, "t").unwrap_or_else(|e| panic!("{source}: {e}")).bytes;
        assert_eq!(bytes(&with), bytes(&without), "{with}");
    }
}

#[test]
fn section_7_2_a_wrong_pragma_is_refused_with_its_line() {
    let declared = ".declare T Base=r5 ElementSize=4 Type=f\n";
    let rows = [
        (".declare T ElementSize=4".to_string(), "t:1:1: T needs Base="),
        (".declare T Base=r5 ElementSize=3".to_string(), "t:1:1: expected a register"),
        (".declare T Base=r5 ElementSize=4 Colour=red".to_string(), "t:1:1: colour is no part of .declare"),
        ("\n .declare T Base=r5 ElementSize=4 Type=q".to_string(), "t:2:2: expected a type"),
        (".define N".to_string(), "t:1:1: expected a name"),
        (".define A B\n.define B A\nmov (8) A B".to_string(), "t:3:1: definitions name each other"),
        (".default_execution_size (3)".to_string(), "t:1:1: expected an execution size"),
        (".default_source_register_region 8".to_string(), "t:1:1: expected a region"),
        (format!("{declared}mov (8) T(123) r1:f"), "t:2:1: T(123, 0) is r128.0"),
        (format!("{declared}mov (8) T(1 r1:f"), "t:2:1: the ( behind T is never closed"),
        (format!("{declared}mov (8) T(1,2,3) r1:f"), "t:2:1: T(…) has too many parts"),
        (format!("{declared}mov (8) r1:f T[a0.0,0xffffffff]"), "t:2:21: 137438953600 does not fit 10 bits"),
        (".kernel a\n.kernel b".to_string(), "t:2:1: a source holds one kernel"),
        (".reg_count_total 129".to_string(), "t:1:1: expected at most 128"),
        (format!("{declared}.frob"), "t:2:1: .frob is no directive"),
        (
            ".declare Trans Base=r5 ElementSize=4 Region=<0;8,1> Type=f\nmov (8) r20:f Trans(1)".to_string(),
            "t:2:1: mov: a single row has its length as vertical stride (section 3.3.9 2B)",
        ),
    ];
    for (source, wanted) in rows {
        let found = set::assemble(&Ivb, &source, "t").expect_err(&source).to_string();
        assert!(found.starts_with(wanted), "{source}: {found}");
    }
}

/// What a wrong pragma is made of.
const PIECES: [&str; 8] = ["", "0xffffffff", "4294967295", "-1", "[a0.0,", "(abs)", "<", "é"];

proptest! {
    #[test]
    fn a_changed_pragma_never_panics(
        row in 0..PRAGMAS.len(), at in any::<prop::sample::Index>(), length in 0..4usize, piece in 0..PIECES.len(),
    ) {
        let text: Vec<char> = PRAGMAS[row][0].chars().collect();
        let at = at.index(text.len());
        let (before, rest) = text.split_at(at);
        let behind = &rest[length.min(rest.len())..];
        let changed = [&before.iter().collect::<String>(), PIECES[piece], &behind.iter().collect::<String>()].concat();
        let _ = set::assemble(&Ivb, &changed, "t");
    }
}

#[test]
fn section_6_send_the_syntax_of_its_page_is_read() {
    let rows = [
        ["send (8) r10:ud r2:ud 0xa 0x02106eff", "send(8) g10<1>UD g2<8,8,1>UD 0x02106eff data"],
        [
            "(f0.0) send (16) r10:uw r2:ud 0x2 0x04423203",
            "(+f0.0) send(16) g10<1>UW g2<8,8,1>UD 0x04423203 sampler { align1 1H }",
        ],
        ["send (8) r10:ud r2:ud 0xa a0.0<0;1,0>:ud", "send(8) g10<1>UD g2<8,8,1>UD a0<0,1,0>UD 0x00000200 data"],
        [
            "send (8) null:uw r112:ud 0x27 0x02000010",
            "send(8) null<1>UW g112<8,8,1>UD 0x02000010 thread spawner { align1 1Q EOT }",
        ],
        [
            "sendc (8) null:uw r112:ud 0x27 0x02000010",
            "sendc(8) null<1>UW g112<8,8,1>UD 0x02000010 thread spawner { align1 1Q EOT }",
        ],
    ];
    for [manual, other] in rows {
        let [found, wanted] = [manual, other].map(|text| read(text).unwrap_or_else(|e| panic!("{text}: {e}")));
        assert_eq!(found, wanted, "{manual} is {}", Ivb.print(&found, 0));
    }
}
