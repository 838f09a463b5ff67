//! Branches, guards, tables, barriers, special registers, source lines.

use super::{lower_text, run_kernel, HEAD};
use crate::error::Loc;
use crate::ir::eval::Fault;
use crate::ir::Term;
use crate::program::Options;
use crate::{lower, ptx};
use warpsmith_isa::ChipInfo as Target;

#[test]
fn loops_guards_and_exits() {
    let text = format!(
        "{HEAD}.entry k(.param .u32 n, .param .u32 o) {{ .reg .b32 %r<9>; .reg .pred %p<3>;
        ld.param.u32 %r1, [n]; ld.param.u32 %r2, [o]; mov.u32 %r3, 0; mov.u32 %r4, 0;
        setp.eq.u32 %p1, %r1, 0; @%p1 ret;
        bra.uni head;
        add.u32 %r3, %r3, 1000;
head:   add.u32 %r3, %r3, %r4; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r1;
        @!%p1 bra done; bra.uni head;
done:   setp.gt.u32 %p2, %r3, 10; @%p2 add.u32 %r3, %r3, 100; @!%p2 st.global.u32 [%r2+4], %r3;
        st.global.u32 [%r2], %r3; @%p2 exit; st.global.u32 [%r2+8], 1; ret; }}"
    );
    for n in [0u32, 1, 3, 5, 6] {
        let m = run_kernel(&text, &[n, 0x100], |_| {}).unwrap();
        let sum: u32 = (0..n).sum();
        let words = [0x100, 0x104, 0x108].map(|a| m.word(a));
        let want = match (n, sum > 10) {
            (0, _) => [0, 0, 0],
            (_, true) => [sum + 100, 0, 0],
            (_, false) => [sum, sum, 1],
        };
        assert_eq!(words, want, "{n}");
    }
}

#[test]
fn switch_tables() {
    let text = format!(
        "{HEAD}.entry k(.param .u32 n, .param .u32 o) {{ .reg .b32 %r<9>;
        ld.param.u32 %r1, [n]; ld.param.u32 %r2, [o];
        table: .branchtargets a, b, c, b, a;
        brx.idx %r1, table;
        a: st.global.u32 [%r2], 10; ret; b: st.global.u32 [%r2], 20; ret; c: trap; }}"
    );
    for n in 0..5u32 {
        match run_kernel(&text, &[n, 0x100], |_| {}) {
            Ok(m) => assert_eq!(m.word(0x100), [10, 20, 0, 20, 10][n as usize]),
            Err(e) => assert_eq!((n, e), (2, Fault::Trap)),
        }
    }
}

#[test]
fn threads_of_a_block_meet_at_barriers() {
    let text = format!(
        "{HEAD}.shared .align 4 .b8 s[1024]; .entry k(.param .u32 o) {{ .reg .b32 %r<20>;
        mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;
        shl.b32 %r5, %r4, 2; mov.u32 %r6, s; add.u32 %r7, %r6, %r5; st.shared.u32 [%r7], %r4;
        bar.sync 0; mov.u32 %r8, 31; sub.u32 %r8, %r8, %r4; shl.b32 %r8, %r8, 2; add.u32 %r8, %r8, %r6;
        ld.shared.u32 %r9, [%r8]; ld.param.u32 %r10, [o]; add.u32 %r10, %r10, %r5;
        st.global.u32 [%r10], %r9; ret; }}"
    );
    let m = run_kernel(&text, &[0x100], |m| m.block = [8, 4, 1]).unwrap();
    for i in 0..32 {
        assert_eq!(m.word(0x100 + 4 * i), 31 - i);
    }
}

#[test]
fn special_registers() {
    let names = [
        "tid.x", "tid.z", "ntid.y", "ctaid.y", "ctaid.z", "nctaid.x", "nctaid.z", "laneid", "warpid", "nwarpid",
        "lanemask_lt", "lanemask_ge", "envreg3",
    ];
    let mut code = String::new();
    for (i, n) in names.iter().enumerate() {
        code += &format!("mov.u32 %r1, %{n}; st.global.u32 [%r0+{}], %r1;\n", 4 * i);
    }
    // The last thread of the block stores last.
    let text = format!("{HEAD}.entry k(.param .u32 o) {{ .reg .b32 %r<3>; ld.param.u32 %r0, [o]; {code} ret; }}");
    let m = run_kernel(&text, &[0x100], |m| {
        m.block = [7, 3, 2];
        m.grid = [9, 8];
        m.ctaid = [4, 5];
    })
    .unwrap();
    let got: Vec<u32> = (0..names.len() as u32).map(|i| m.word(0x100 + 4 * i)).collect();
    let lane = 41 & 31;
    let want = [6, 1, 3, 5, 0, 9, 1, lane, 1, 2, (1 << lane) - 1, !((1u32 << lane) - 1), 0];
    assert_eq!(got, want);
}

#[test]
fn empty_and_dead_blocks_are_dropped() {
    let text = format!(
        "{HEAD}.entry k() {{ .reg .pred %p; setp.eq.u32 %p, 1, 1; @%p bra a; bra b; x: bra c; c: bra x;
        a: bra b; b: ret; }}"
    );
    let f = lower_text(&text, "k", &Target::unlimited(), &Options::default());
    assert_eq!(f.blocks.len(), 2);
    assert!(matches!(f.blocks[0].term, Term::Jump(_)));
}

#[test]
fn source_lines_are_kept() {
    let text = ".version 7.0\n.target sm_20\n.address_size 32
.entry k(.param .u32 o)\n.maxntid 64, 2, 1\n{ .reg .b32 %r<3>;
.loc 2 5 0
ld.param.u32 %r0, [o];
.loc 1 9 3, function_name $L__info, inlined_at 2 5 1
st.global.u32 [%r0], 1;
.loc 3 77 1
st.global.u32 [%r0], 2;
.loc 2 0 1
st.global.u32 [%r0], 3;
ret; }
.section .debug_info { .b8 1\n.b32 $L__x\n }
.file 1 \"h.h\"\n.file 2 \"/src\" \"./k.cu\"\n.file 3 \"/usr/lib/__clang_cuda_builtin_vars.h\"\n";
    let m = ptx::parse(text, "k.ptx").unwrap();
    let (f, unit) = lower::kernel(&m, "k", &Target::unlimited(), &Options::default()).unwrap();
    assert_eq!(unit.files, ["h.h", "/src/k.cu", "/usr/lib/__clang_cuda_builtin_vars.h"]);
    let lines: Vec<Loc> = f.blocks[0].insts.iter().map(|i| i.loc).collect();
    let at = |file, line| Loc { file, line };
    assert_eq!(lines, [at(1, 5), at(0, 9), at(0, 9), at(0, 9)]);
    assert_eq!(f.max_threads, Some(128));
    let text = format!("{HEAD}.entry k() .reqntid 16, 4\n{{ bar.sync 0;\nret; }}");
    let m = ptx::parse(&text, "k.ptx").unwrap();
    let (f, unit) = lower::kernel(&m, "k", &Target::unlimited(), &Options::default()).unwrap();
    assert_eq!(unit.files, ["k.ptx"]);
    assert_eq!(f.blocks[0].insts[0].loc, at(0, 5));
    assert_eq!(f.required_block, Some([16, 4, 1]));
}

#[test]
fn registers_of_the_environment_are_parameter_words() {
    let text = format!(
        "{HEAD}.entry k(.param .u32 o) {{ .reg .b32 %r<4>; ld.param.u32 %r0, [o];
        mov.u32 %r1, %envreg7; st.global.u32 [%r0], %r1;
        mov.u32 %r2, %envreg3; st.global.u32 [%r0+4], %r2;
        mov.u32 %r3, %envreg7; st.global.u32 [%r0+8], %r3; ret; }}"
    );
    let options = |environment| Options { environment, ..Options::default() };
    let lower = |o: &Options| lower_text(&text, "k", &Target::unlimited(), o);
    let with = lower(&options(true));
    assert_eq!(with.environment, [(3, 4), (7, 8)]);
    assert_eq!((with.params.len(), with.param_bytes), (1, 12));
    assert_eq!(with.shared_bytes, 16 + 12);
    let without = lower(&options(false));
    assert!(without.environment.is_empty());
    assert_eq!((without.param_bytes, without.shared_bytes), (4, 20));
}
