//! Exchange between the threads of a warp: forms of PTX by one thread, and the shared memory that it takes.

use super::{lower_text, run_kernel, HEAD};
use crate::program::Options;
use warpsmith_isa::ChipInfo as Target;

#[test]
fn every_form_of_ptx_has_a_routine() {
    // A thread alone is lane 0 and exchanges values with itself.
    for (body, words) in [
        ("shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;", [7, 9]),
        ("shfl.idx.b32 %r1|%p1, %r2, 32, 31; selp.u32 %r9, 1, 0, %p1;", [7, 1]),
        ("shfl.sync.up.b32 %r1|%p1, %r2, 1, 0, %r3; selp.u32 %r9, 1, 0, %p1;", [7, 0]),
        ("shfl.sync.down.b32 %r1|%p1, %r2, 0, 0x1f, -1; selp.u32 %r9, 1, 0, %p1;", [7, 1]),
        ("shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 0x1f00, -1; selp.u32 %r9, 1, 0, %p1;", [7, 0]),
        ("vote.sync.ballot.b32 %r1, %p2, -1;", [1, 9]),
        ("vote.sync.ballot.b32 %r1, !%p2, %r3;", [0, 9]),
        ("vote.any.pred %p1, %p2; selp.u32 %r1, 1, 0, %p1;", [1, 9]),
        ("vote.sync.all.pred %p1, !%p2, 1; selp.u32 %r1, 1, 0, %p1;", [0, 9]),
        ("vote.sync.uni.pred %p1, %p2, -1; selp.u32 %r1, 1, 0, %p1;", [1, 9]),
        ("activemask.b32 %r1;", [1, 9]),
        ("match.any.sync.b32 %r1, %r2, -1;", [1, 9]),
        ("match.all.sync.b32 %r1|%p1, %r2, -1; selp.u32 %r9, 1, 0, %p1;", [1, 1]),
        ("match.all.sync.b32 %r1, %r2, -1;", [1, 9]),
        ("redux.sync.add.s32 %r1, %r2, -1;", [7, 9]),
        ("redux.sync.min.u32 %r1, %r2, -1;", [7, 9]),
        ("redux.sync.max.s32 %r1, %r2, -1;", [7, 9]),
        ("redux.sync.xor.b32 %r1, %r2, 1;", [7, 9]),
        ("elect.sync %r1|%p1, -1; selp.u32 %r9, 1, 0, %p1;", [0, 1]),
        ("@!%p2 shfl.sync.idx.b32 %r1, %r3, 0, 31, -1; bar.warp.sync -1;", [5, 9]),
    ] {
        let text = format!(
            "{HEAD}.entry k(.param .u32 o) {{ .reg .b32 %r<16>; .reg .pred %p<4>; ld.param.u32 %r0, [o];
            mov.u32 %r1, 5; mov.u32 %r2, 7; mov.u32 %r3, -1; mov.u32 %r9, 9; setp.eq.u32 %p2, %r2, 7;
            {body} st.global.u32 [%r0], %r1; st.global.u32 [%r0+4], %r9; ret; }}"
        );
        let m = run_kernel(&text, &[0x100], |_| {}).unwrap_or_else(|e| panic!("{body}: {e:?}"));
        assert_eq!([m.word(0x100), m.word(0x104)], words, "{body}");
    }
}

#[test]
fn a_warp_of_the_largest_block_has_32_words() {
    let kernel = |limits: &str, body: &str| {
        let text = format!(
            "{HEAD}.entry k(.param .u32 o) {limits} {{ .reg .b32 %r<3>; ld.param.u32 %r0, [o]; {body} st.global.u32 [%r0], %r1; ret; }}"
        );
        let f = lower_text(&text, "k", &Target { warps: 24, ..Target::unlimited() }, &Options::default());
        (f.shared_bytes - 0x14, f.max_threads)
    };
    let two = "shfl.idx.b32 %r1, %r0, 0, 31; activemask.b32 %r1;";
    assert_eq!(kernel("", two), (24 * 128, Some(24 * 32)));
    assert_eq!(kernel(".maxntid 65, 1, 1", two), (3 * 128, Some(65)));
    assert_eq!(kernel(".reqntid 32, 2, 1", two), (2 * 128, Some(64)));
    assert_eq!(kernel(".maxntid 4096, 1, 1", two), (24 * 128, Some(24 * 32)));
    assert_eq!(kernel("", "mov.u32 %r1, 0;"), (0, None));
}
