//! Registers read and written by instructions, against a list written by hand.

use crate::common;
use common::instruction;
use warpsmith_isa::*;
use warpsmith_testkit::Random;

fn name(r: Resource) -> String {
    match r {
        Resource::Reg(n) => format!("R{n}"),
        Resource::Addr(n) => format!("A{n}"),
        Resource::Flag(n) => format!("C{n}"),
    }
}

/// "reads -> writes"; a write that keeps some of the old contents ends with `~`.
fn accesses(i: &Instr) -> String {
    let reads: Vec<String> = i.reads().map(name).collect();
    let mark = |w: Write| name(w.to) + if w.partial { "~" } else { "" };
    let writes: Vec<String> = i.writes().map(mark).collect();
    format!("{} -> {}", reads.join(" "), writes.join(" "))
}

/// Source text, accesses.
const LIST: &[(&str, &str)] = &[
    ("MOV32 R1, R2", "R2 -> R1"),
    ("MOV32.U16 R1H, R2L", "R2 -> R1~"),
    ("MOV.L02 R1, R2", "R2 -> R1~"),
    ("MOV R1 (C0.NE), R2", "R2 C0 -> R1~"),
    ("MOV R1, g [A1+0x4]", "A1 -> R1"),
    ("MOV R1, g [0x4]", " -> R1"),
    ("MOV32 R1, g [A2+++0x4]", "A2 -> R1 A2"),
    ("MOV R1 (C3.LT), g [A2+++0x4]", "A2 C3 -> R1~ A2~"),
    ("MVI R1, 0x5", " -> R1"),
    ("MVC R1, c[0x0] [A3+0x4]", "A3 -> R1"),
    ("MVC.U16 R1L, c[0x0] [0x4].U16", " -> R1~"),
    ("IADD32 R1, R1, R1", "R1 -> R1"),
    ("IADD.C2 R1, R3, -R4", "R3 R4 -> R1 C2"),
    ("IADD.C2 o[0x7f] (C1.EQ), R3, R4", "R3 R4 C1 -> C2~"),
    ("IADD.CARRY2 R1, R3, R4", "R3 R4 C2 -> R1"),
    ("IADD32.CARRY0 R1, R3, R4", "R3 R4 C0 -> R1"),
    ("IADD.U16 R1L, R3H, R4L", "R3 R4 -> R1~"),
    ("IADD32I R1, R2, 0x7", "R2 -> R1"),
    ("IMUL.U16.U16 R1, R2L, R2H", "R2 -> R1"),
    ("IMUL32.U24.U24 R1, R2, R3", "R2 R3 -> R1"),
    ("IMAD32.U16 R1, R2L, R3H, R1", "R2 R3 R1 -> R1"),
    ("IMAD.U24 R1, R2, c[0x1][0x3], R5", "R2 R5 -> R1"),
    ("IMAD.CARRY1.U16 R1, R2L, R3L, R5", "R2 R3 R5 C1 -> R1"),
    ("ISAD R1, R2, R3, R4", "R2 R3 R4 -> R1"),
    ("ISET.C1 R1, R2, R3, LT", "R2 R3 -> R1 C1"),
    ("IMAX R1, R2, R3", "R2 R3 -> R1"),
    ("SHL R1, R2, 0x3", "R2 -> R1"),
    ("SHR.S32 R1, R2, R3", "R2 R3 -> R1"),
    ("LOP.XOR R1, R2, ~R3", "R2 R3 -> R1"),
    ("LOP32I.AND R1, R2, 0xff", "R2 -> R1"),
    ("I2I.U32.U16 R1, R2L", "R2 -> R1"),
    ("I2I.U32.U16 R1, g [A1+0x1].U16", "A1 -> R1"),
    ("I2I.U16.U32 R1L, R2", "R2 -> R1~"),
    ("I2F.F32.S32 R1, R2", "R2 -> R1"),
    ("F2I.S32.F32.TRUNC R1, R2", "R2 -> R1"),
    ("F2F.F16.F32 R1H, R2", "R2 -> R1~"),
    ("FADD R1, -R2, R3", "R2 R3 -> R1"),
    ("FADD32I R1, R2, 1.0", "R2 -> R1"),
    ("FMUL32 R1, g [A1+0x4], R3", "R3 A1 -> R1"),
    ("FMAD R1, R2, R3, c[0x0][A1+0x4]", "R2 R3 A1 -> R1"),
    ("FMAX R1, R2, |R3|", "R2 R3 -> R1"),
    ("FSET.C0 o[0x7f], R2, R3, GT", "R2 R3 -> C0"),
    ("FCMP R1, R2, R3, R4", "R2 R3 R4 -> R1"),
    ("RCP R1, R2", "R2 -> R1"),
    ("RRO R1, R2, SIN", "R2 -> R1"),
    ("DFMA R2, R4, R6, -R8", "R4 R5 R6 R7 R8 R9 -> R2 R3"),
    ("DADD.C1 R2, R4, -R6", "R4 R5 R6 R7 -> R2 R3 C1"),
    ("DMUL.TRUNC R2, -R4, R6", "R4 R5 R6 R7 -> R2 R3"),
    ("DMAX R2 (C1.NE), R4, |R6|", "R4 R5 R6 R7 C1 -> R2~ R3~"),
    ("DSET.C0 o[0x7f], R4, R6, LTU", "R4 R5 R6 R7 -> C0"),
    ("F2F.F64.F32 R2, g [A1+0x4]", "A1 -> R2 R3"),
    ("F2F.F32.F64 R2, R4", "R4 R5 -> R2"),
    ("F2I.S64.F64.FLOOR R2, R4", "R4 R5 -> R2 R3"),
    ("I2F.F64.U32 R2, R4", "R4 -> R2 R3"),
    ("C2R R1, C2", "C2 -> R1"),
    ("R2C C2, R1", "R1 -> C2"),
    ("R2C C2 (C1.NE), R1", "R1 C1 -> C2~"),
    // Every active thread gets the result of a vote.
    ("VOTE.ANY C2 (C1.NE)", "C1 -> C2"),
    ("G2R.LOCK.C1 R1, g [0x4]", " -> R1 C1"),
    ("A2R R1, A2", "A2 -> R1"),
    ("A2R R1, A0", " -> R1"),
    ("S2R R1, SR_CLOCK", " -> R1"),
    ("R2A A1, R2, 0x2", "R2 -> A1"),
    ("R2A A0, R2", "R2 -> "),
    ("R2A A1, g [A1+++0x4]", "A1 -> A1"),
    ("ADA A1, A2, 0x8", "A2 -> A1"),
    ("R2G.U32.U32 g[A1+0x4], R5", "R5 A1 -> "),
    ("R2G.U16.U8 g[A1+++0x4], R5L", "R5 A1 -> A1"),
    ("GLD.U32 R1, global14[R2]", "R2 -> R1"),
    ("GLD.S64 R4, global14[R2]", "R2 -> R4 R5"),
    ("GLD.S128 R4 (C0.NE), global14[R2]", "R2 C0 -> R4~ R5~ R6~ R7~"),
    ("GST.U8 global14[R2], R4", "R2 R4 -> "),
    ("GST.S128 global14[R5], R4", "R5 R4 R6 R7 -> "),
    ("GRED.ADD.U32 global14[R2], R4", "R2 R4 -> "),
    ("GATOM.INC R1, global14[R2], R4", "R2 R4 -> R1"),
    ("GATOM.CAS R1 (C0.NE), global14[R2], R4, R6", "R2 R4 R6 C0 -> R1~"),
    ("G2R R1, g [A3+0x4]", "A3 -> R1"),
    ("LLD.S64 R4, local[A1+0x8]", "A1 -> R4 R5"),
    ("LST.S128 local[A1+++0x10], R4", "R4 R5 R6 R7 A1 -> A1"),
    ("BRA C0.NE, 0x0", "C0 -> "),
    ("BRA 0x0", " -> "),
    ("RET C2.EQ", "C2 -> "),
    ("BRK C2.EQ", "C2 -> "),
    ("CAL 0x0", " -> "),
    ("PBK 0x0", " -> "),
    ("SSY 0x0", " -> "),
    ("BAR.ARV.WAIT b0, 0xfff", " -> "),
    ("NOP", " -> "),
    ("NOP.S", " -> "),
    ("TRAP", " -> "),
    ("BPT C1.NE", "C1 -> "),
    ("PMTRIG 0x1", " -> "),
];

#[test]
fn accesses_equal_the_list() {
    for (source, want) in LIST {
        let a = assemble(&format!("{source};"), "t").unwrap_or_else(|e| panic!("{source}: {e}"));
        let w1 = a.words.get(1).copied().unwrap_or(0);
        let i = decode(a.words[0], w1).expect("decodes");
        assert_eq!(accesses(&i), *want, "{source}");
    }
}

#[test]
fn every_operation_is_in_the_list() {
    let listed: Vec<String> = LIST.iter().map(|(s, _)| s.split([' ', '.']).next().unwrap_or("").to_string()).collect();
    let missing: Vec<&str> = FORMS
        .iter()
        .filter(|f| f.op != Op::Unsupported)
        .map(|f| f.base())
        .filter(|b| {
            // Short and immediate forms read and write like the long one.
            let long = b.trim_end_matches('I').trim_end_matches("32");
            !listed.iter().any(|l| l.trim_end_matches('I').trim_end_matches("32") == long)
        })
        .collect();
    let same: [&str; 8] = ["IMIN", "FMIN", "DMIN", "RSQ", "LG2", "SIN", "COS", "EX2"];
    assert!(missing.iter().all(|m| same.contains(m)), "{missing:?}");
}

#[test]
fn every_register_of_an_operand_is_listed() {
    let mut random = Random(11);
    for form in 0..FORMS.len() {
        for _ in 0..200 {
            let i = instruction(form, &mut random);
            let reads: Vec<Resource> = i.reads().collect();
            let text = text(&i);
            for s in i.src {
                match s {
                    Src::Reg(r) => assert!(reads.contains(&Resource::Reg(r)), "{text}"),
                    Src::Half(h) => assert!(reads.contains(&Resource::Reg(h >> 1)), "{text}"),
                    Src::Cc(c) => assert!(reads.contains(&Resource::Flag(c)), "{text}"),
                    _ => {}
                }
            }
            let mut once = reads.clone();
            once.sort_unstable();
            once.dedup();
            assert_eq!(once.len(), reads.len(), "{text}");
            if let Some(c) = i.cdst {
                assert!(i.writes().any(|w| w.to == Resource::Flag(c) && w.partial != i.pred.is_always()), "{text}");
            }
        }
    }
}
