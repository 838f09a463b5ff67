//! Loads, stores, spaces, variables, parameters and calls.

use super::{lower_text, run_kernel, HEAD};
use crate::ir::{Op, ParamKind, Space};
use crate::program::Options;
use crate::{lower, ptx};
use warpsmith_isa::ChipInfo as Target;

fn spaces(text: &str) -> Vec<Space> {
    let f = lower_text(text, "k", &Target::unlimited(), &Options::default());
    let of = |op: &Op| match op {
        Op::Load { space, .. } | Op::Store { space, .. } if *space != Space::Param => Some(*space),
        _ => None,
    };
    f.blocks.iter().flat_map(|b| &b.insts).filter_map(|i| of(&i.op)).collect()
}

/// Accesses through an address of two or three spaces, as clang makes them of the two sides of a condition.
#[test]
fn addresses_of_several_spaces() {
    let text = format!(
        "{HEAD}.entry k(.param .u32 a, .param .u32 o) {{
        .reg .b32 %r<20>; .reg .pred %p<4>; .reg .b64 %d<4>;
        .shared .align 8 .b8 s[16]; .local .align 4 .b8 q[8];
        ld.param.u32 %r1, [a]; ld.param.u32 %r2, [o];
        mov.u32 %r3, s; mov.u32 %r4, %tid.x; st.shared.u32 [%r3], 11; st.shared.u32 [%r3+4], 12; st.shared.u32 [%r3+8], 13;
        setp.eq.u32 %p1, %r4, 0;
        mov.u32 %r5, q; st.local.u32 [%r5+4], 8; cvta.local.u32 %r5, %r5;
        selp.b32 %r6, %r1, %r5, %p1; ld.u32 %r7, [%r6+4]; st.global.u32 [%r2], %r7;
        selp.b32 %r6, %r5, %r1, %p1; ld.u32 %r7, [%r6+4]; st.global.u32 [%r2+4], %r7;
        selp.b32 %r6, %r3, %r1, %p1; add.u32 %r8, %r6, 4; mov.u32 %r9, %r8; mov.u32 %r6, %r4; ld.u32 %r13, [%r9+4];
        st.global.u32 [%r2+8], %r13;
        add.u32 %r10, %r2, 12;
        selp.b32 %r6, %r3, %r10, %p1; st.u32 [%r6], 21; selp.b32 %r6, %r10, %r3, %p1; st.u32 [%r6], 22;
        ld.shared.u32 %r7, [%r3]; st.global.u32 [%r2+16], %r7;
        selp.b32 %r6, s, %r1, %p1; ld.v2.u32 {{%r11, %r12}}, [%r6+8]; st.global.v2.u32 [%r2+24], {{%r11, %r12}};
        selp.b32 %r6, %r1, %r3, %p1; ld.b64 %d1, [%r6]; st.global.b64 [%r2+32], %d1;
        mov.u32 %r14, s; mov.u32 %r15, 0;
        next: @%p1 mov.u32 %r14, %r5; @%p1 add.u32 %r14, %r14, 4; setp.eq.u32 %p2, %r15, 2; @%p2 mov.u32 %r14, %r1;
        shl.b32 %r16, %r15, 2; add.u32 %r16, %r2, %r16; ld.u32 %r17, [%r14]; st.global.u32 [%r16+40], %r17;
        setp.eq.u32 %p1, %r15, 0; add.u32 %r15, %r15, 1; setp.lt.u32 %p3, %r15, 4; @%p3 bra next;
        setp.eq.u32 %p1, %r4, 0; mov.u32 %r18, 77; @!%p1 ld.u32 %r18, [%r6]; st.global.u32 [%r2+56], %r18; @%p1 ld.u32 %r18, [%r6]; st.global.u32 [%r2+60], %r18;
        ret; }}"
    );
    let m = run_kernel(&text, &[0x1000, 0x2000], |m| {
        for i in 0..4 {
            m.set_word(0x1000 + 4 * i, 100 + i);
        }
    })
    .unwrap();
    let word = |at: u32| m.word(0x2000 + at);
    assert_eq!([0, 4, 8].map(word), [101, 8, 13]);
    assert_eq!([12, 16].map(word), [22, 21]);
    assert_eq!(word(24), 13);
    assert_eq!([32, 36].map(word), [100, 101]);
    // In turn local (twice), global and, where it has stayed, global memory.
    assert_eq!([40, 44, 48, 52].map(word), [8, 8, 100, 100]);
    assert_eq!([56, 60].map(word), [77, 100]);
}

#[test]
fn sub_words_and_vectors() {
    let text = format!(
        "{HEAD}.entry k(.param .u32 .ptr .global a, .param .u32 .ptr .global o) {{
        .reg .b32 %r<20>; .reg .b16 %s<9>; .reg .b64 %d<4>; .reg .f32 %f<4>;
        ld.param.u32 %r1, [a]; ld.param.u32 %r2, [o];
        ld.global.u8 %r3, [%r1+1]; st.global.u32 [%r2], %r3;
        ld.global.s8 %r3, [%r1+3]; st.global.u32 [%r2+4], %r3;
        ld.global.s16 %s1, [%r1+2]; cvt.s32.s16 %r3, %s1; st.global.b32 [%r2+8], %r3;
        ld.global.v4.u8 {{%s1, %s2, %s3, %s4}}, [%r1];
        cvt.u32.u16 %r4, %s1; cvt.u32.u16 %r5, %s2; cvt.u32.u16 %r6, %s3; cvt.u32.u16 %r7, %s4;
        st.global.v4.b32 [%r2+16], {{%r4, %r5, %r6, %r7}};
        st.global.v4.b8 [%r2+32], {{%s4, %s3, %s2, %s1}};
        ld.global.v2.s16 {{%r4, %r5}}, [%r1]; st.global.v2.u32 [%r2+40], {{%r4, %r5}};
        st.global.v2.b16 [%r2+48], {{%s1, %s4}};
        ld.global.b64 %d1, [%r1+8]; st.global.b64 [%r2+56], %d1;
        ld.global.s32 %d2, [%r1+8]; st.global.b64 [%r2+64], %d2;
        ld.global.u32 %d2, [%r1+8]; st.global.b64 [%r2+72], %d2;
        ld.global.v2.b64 {{%d1, %d2}}, [%r1+16]; st.global.v2.u64 [%r2+80], {{%d2, %d1}};
        ld.global.v2.u8 {{%r8, %r9}}, [%r1+2]; st.global.v2.u8 [%r2+96], {{%r9, %r8}};
        st.global.v4.u16 [%r2+104], {{%s1, %s2, %s3, %s4}};
        st.global.u8 [%r2+112], %s4; st.global.u16 [%r2+114], %r1;
        ret; }}"
    );
    let m = run_kernel(&text, &[0x1000, 0x2000], |m| {
        for (i, w) in [0x8077_0233u32, 0, 0x8765_4321, 0x1111_2222, 1, 2, 3, 4].into_iter().enumerate() {
            m.set_word(0x1000 + 4 * i as u32, w);
        }
    })
    .unwrap();
    let word = |at: u32| m.word(0x2000 + at);
    assert_eq!(word(0), 0x02);
    assert_eq!(word(4), 0xffff_ff80);
    assert_eq!(word(8), 0xffff_8077);
    assert_eq!([16, 20, 24, 28].map(word), [0x33, 0x02, 0x77, 0x80]);
    assert_eq!(word(32), 0x3302_7780);
    assert_eq!([40, 44].map(word), [0x0233, 0xffff_8077]);
    assert_eq!(word(48), 0x0080_0033);
    assert_eq!([56, 60].map(word), [0x8765_4321, 0x1111_2222]);
    assert_eq!([64, 68].map(word), [0x8765_4321, 0xffff_ffff]);
    assert_eq!([72, 76].map(word), [0x8765_4321, 0]);
    assert_eq!([80, 84, 88, 92].map(word), [3, 4, 1, 2]);
    assert_eq!(word(96), 0x7780);
    assert_eq!([104, 108].map(word), [0x0002_0033, 0x0080_0077]);
    assert_eq!(word(112), 0x1000_0080);
}

#[test]
fn generic_addresses_are_traced() {
    let text = format!(
        "{HEAD}.shared .align 4 .b8 s[64]; .const .align 4 .b8 c[8] = {{1}}; .global .u32 g = 3;
        .entry k(.param .u32 p) {{
        .local .align 8 .b8 depot[32]; .reg .b32 %r<20>; .reg .pred %p;
        ld.param.u32 %r0, [p]; setp.eq.u32 %p, %r0, 0;
        mov.u32 %r1, s; cvta.shared.u32 %r2, %r1; add.u32 %r3, %r2, %r0; ld.u32 %r4, [%r3+4];
        mov.u32 %r5, depot; cvta.local.u32 %r6, %r5; st.u32 [%r6+8], %r4;
        selp.u32 %r7, %r3, %r2, %p; st.u32 [%r7], %r4;
        st.u32 [%r6], %r2; ld.u32 %r8, [%r6]; ld.u32 %r9, [%r8];
        mov.u32 %r10, c; cvta.const.u32 %r10, %r10; ld.u32 %r11, [%r10+4];
        ld.u32 %r12, [g]; ld.u32 %r13, [%r0]; ld.const.u32 %r14, [c];
        mad.lo.s32 %r15, %r0, 4, %r1; st.volatile.u32 [%r15], %r13;
        ret; }}"
    );
    use Space::*;
    assert_eq!(spaces(&text), [Shared, Local, Shared, Local, Local, Shared, Const, Global, Global, Const, Shared]);
}

/// Pointers in variables that only the kernel writes point where those that it stored do; numbers
/// from parameters and memory, added to an address, change nothing.
#[test]
fn addresses_in_memory_are_traced() {
    let text = format!(
        "{HEAD}.shared .align 4 .b8 s[64]; .shared .align 4 .u32 sp; .shared .align 4 .b8 t[64];
        .entry k(.param .u32 p, .param .u32 n) {{
        .local .align 8 .b8 q[16]; .reg .b32 %r<20>; .reg .b64 %d<3>;
        ld.param.u32 %r0, [p]; ld.param.u32 %r9, [n];
        mov.u32 %r1, s; add.u32 %r2, %r1, %r9; st.shared.u32 [sp], %r2;
        ld.u32 %r3, [%r0]; st.shared.u32 [t+4], %r3;
        ld.shared.u32 %r4, [sp]; add.u32 %r5, %r3, %r4; ld.u32 %r6, [%r5];
        mov.u32 %r7, q; cvta.local.u32 %r7, %r7; mov.b64 %d1, {{%r1, %r1}}; st.u64 [%r7+8], %d1;
        add.u32 %r8, %r7, %r9; ld.u32 %r10, [%r8]; ld.u32 %r11, [%r10+8];
        ld.u32 %r12, [%r0]; ld.u32 %r13, [%r12];
        ret; }}"
    );
    use Space::*;
    assert_eq!(spaces(&text), [Shared, Global, Shared, Shared, Shared, Local, Local, Shared, Global, Global]);
}

/// The difference of two addresses is a number, and what it is added to decides.
#[test]
fn differences_of_addresses() {
    let text = format!(
        "{HEAD}.shared .align 4 .b8 s[64];
        .entry k(.param .u32 .ptr .global p) {{ .reg .b32 %r<9>; .reg .pred %q;
        ld.param.u32 %r0, [p]; mov.u32 %r1, s; add.u32 %r2, %r1, 16;
next:   sub.u32 %r3, %r2, %r1; add.u32 %r4, %r0, %r3; ld.u32 %r5, [%r4]; st.u32 [%r2], %r5;
        add.u32 %r2, %r2, 4; setp.ne.u32 %q, %r5, 0; @%q bra next; ret; }}"
    );
    assert_eq!(spaces(&text), [Space::Global, Space::Shared]);
}

#[test]
fn constant_pointer_arguments_are_buffers() {
    let text = format!(
        "{HEAD}.const .align 4 .b8 t[8] = {{1}};
        .entry k(.param .u32 .ptr .const .align 4 p, .param .u32 .ptr .shared .align 4 l) {{
        .reg .b32 %r<9>; ld.param.u32 %r0, [p]; add.s32 %r1, %r0, 8; ld.const.u32 %r2, [%r1];
        mov.u32 %r3, t; ld.const.u32 %r4, [%r3]; ld.param.u32 %r5, [l]; st.u32 [%r5], %r4; ret; }}"
    );
    assert_eq!(spaces(&text), [Space::Global, Space::Const, Space::Shared]);
    let f = lower_text(&text, "k", &Target::unlimited(), &Options::default());
    assert!(f.dynamic_shared);
    let kinds: Vec<_> = f.params.iter().map(|p| p.kind).collect();
    assert_eq!(kinds, [ParamKind::Constant, ParamKind::Shared]);
}

#[test]
fn pointers_of_cuda_are_inferred() {
    let text = format!(
        "{HEAD}.entry k(.param .u32 a, .param .u32 n, .param .u32 b, .param .align 4 .b8 s[8], .param .u32 .ptr .align 1 c, .param .u32 d) {{
        .reg .b32 %r<9>; ld.param.u32 %r0, [a]; cvta.to.global.u32 %r1, %r0; ld.param.u32 %r2, [n];
        shl.b32 %r3, %r2, 2; add.s32 %r4, %r1, %r3; ld.global.u32 %r5, [%r4];
        ld.param.u32 %r6, [b]; add.s32 %r7, %r6, %r3; st.u32 [%r7], %r5;
        ld.param.u32 %r8, [d]; st.global.u32 [%r8], %r5; ret; }}"
    );
    let f = lower_text(&text, "k", &Target::unlimited(), &Options::default());
    use ParamKind::*;
    let kinds: Vec<_> = f.params.iter().map(|p| (p.offset, p.kind)).collect();
    assert_eq!(kinds, [(0, Global), (4, Value), (8, Global), (12, Value), (20, Global), (24, Global)]);
    assert_eq!(f.param_bytes, 28);
    assert_eq!(f.shared_bytes, 16 + 28);
}

#[test]
fn shared_variables_are_placed_behind_the_parameters() {
    let text = format!(
        "{HEAD}.extern .shared .align 4 .b8 dyn[]; .extern .shared .align 8 .b8 other[]; .shared .align 1 .b8 unused[100];
        .shared .align 8 .b8 a[12]; .entry k(.param .u32 o) {{
        .shared .align 4 .b8 b[4]; .reg .b32 %r<9>; ld.param.u32 %r0, [o];
        mov.u32 %r1, a; st.global.u32 [%r0], %r1; mov.u32 %r1, b; st.global.u32 [%r0+4], %r1;
        mov.u32 %r1, dyn; st.global.u32 [%r0+8], %r1; mov.u32 %r1, other+4; st.global.u32 [%r0+12], %r1;
        ret; }}"
    );
    let m = run_kernel(&text, &[0x100], |_| {}).unwrap();
    let words = [0x100, 0x104, 0x108, 0x10c].map(|a| m.word(a));
    assert_eq!(words, [0x18, 0x24, 0x30, 0x34]);
    let f = lower_text(&text, "k", &Target::unlimited(), &Options::default());
    assert_eq!((f.shared_bytes, f.dynamic_shared), (0x30, true));
}

#[test]
fn variables_with_initial_values() {
    let text = format!(
        "{HEAD}.visible .const .align 4 .b8 tab[16] = {{0, 0, 128, 63, 5}};
        .const .align 1 .b8 last[1] = {{7}};
        .global .align 4 .u32 g = 5; .global .align 4 .u32 p = generic(g); .global .u32 q[2] = {{3, p+4}};
        .global .align 4 .b8 packed[8] = {{0xFF(g), 0xFF00(g), 0xFF0000(g), 0xFF000000(g), 9}};
        .global .align 4 .f32 f[2] = {{0f3F800000}}; .global .align 2 .b8 zero[6];
        .entry k(.param .u32 o) {{ .reg .b32 %r<9>; .reg .b16 %s; ld.param.u32 %r0, [o];
        ld.const.f32 %r1, [tab]; st.global.b32 [%r0], %r1; ld.const.u8 %s, [last]; st.global.u8 [%r0+4], %s;
        mov.u32 %r2, q; st.global.u32 [%r0+8], %r2; ld.global.u32 %r3, [q+4]; ret; }}"
    );
    let module = ptx::parse(&text, "t").unwrap();
    let unit = lower::unit(&module).unwrap();
    let names: Vec<&str> = unit.globals.iter().map(|g| g.name.as_str()).collect();
    assert_eq!(names, ["tab", "last", "g", "p", "q", "packed", "f", "zero"]);
    let tab = &unit.globals[0];
    assert_eq!(tab.constant_offset, Some(0));
    assert_eq!(tab.init.as_deref(), Some(&[0, 0, 128, 63, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0][..]));
    assert_eq!(unit.globals[1].constant_offset, Some(16));
    assert_eq!(unit.constant_bytes, 17);
    assert_eq!(unit.globals[3].pointers, [(0, 2, 0)]);
    assert_eq!(unit.globals[4].pointers, [(4, 3, 4)]);
    assert_eq!(unit.globals[5].pointers, [(0, 2, 0)]);
    assert_eq!(unit.globals[5].init.as_ref().unwrap()[4], 9);
    assert_eq!(unit.globals[6].init.as_ref().unwrap()[..4], 1f32.to_le_bytes());
    assert_eq!(unit.globals[7].init, None);
    let m = run_kernel(&text, &[0x100], |m| {
        m.constant = vec![0; 17];
        m.constant[..4].copy_from_slice(&1f32.to_le_bytes());
        m.constant[16] = 7;
        m.variables = vec![0, 0, 0x4000, 0x4004, 0x4008];
    })
    .unwrap();
    assert_eq!(m.word(0x100), 1f32.to_bits());
    assert_eq!(m.word(0x104), 7);
    assert_eq!(m.word(0x108), 0x4008);
}

/// Calls as clang 14 writes them, with a struct by value, and a function that passes registers.
const CALLS: &str = "
.func (.param .align 4 .b8 ret[12]) make (.param .b32 make_param_0, .param .b64 make_param_1)
{ .reg .b32 %r<9>; .reg .b64 %d<2>; .reg .pred %p;
  ld.param.u32 %r1, [make_param_0]; ld.param.u64 %d1, [make_param_1]; mov.b64 {%r2, %r3}, %d1;
  setp.lt.s32 %p, %r1, 5; @%p bra small;
  st.param.b32 [ret+0], %r1; st.param.b32 [ret+4], %r2; st.param.b32 [ret+8], %r3; ret;
small:
  st.param.b32 [ret+0], 50; st.param.b32 [ret+4], %r3; st.param.b32 [ret+8], %r2; ret; }
.func (.reg .u32 %x) twice (.reg .u32 %a) { add.u32 %a, %a, %a; mov.u32 %x, %a; ret; }
.func (.param .b32 r) index (.param .align 4 .b8 index_param_0[16], .param .b32 index_param_1)
{ .reg .b32 %r<9>; mov.b32 %r1, index_param_0; ld.param.u32 %r2, [index_param_1]; shl.b32 %r2, %r2, 2;
  add.s32 %r3, %r1, %r2; ld.param.u32 %r4, [%r3]; st.param.b32 [r], %r4; ret; }
.entry k(.param .u32 n, .param .u32 o) { .reg .b32 %r<20>; .reg .b64 %d<4>;
  ld.param.u32 %r1, [n]; ld.param.u32 %r2, [o]; mov.u64 %d1, 0x700000008;
  { .param .b32 param0; st.param.b32 [param0+0], %r1; .param .b64 param1; st.param.b64 [param1+0], %d1;
    .param .align 4 .b8 retval0[12];
    call.uni (retval0), make, (param0, param1);
    ld.param.b32 %r3, [retval0+0]; ld.param.b32 %r4, [retval0+4]; ld.param.b32 %r5, [retval0+8]; }
  call (%r6), twice, (%r3);
  { .param .align 4 .b8 param0[16]; .param .b32 param1; .param .b32 retval0;
    st.param.v2.b32 [param0], {%r3, %r4}; st.param.b32 [param0+8], %r5; st.param.b32 [param0+12], %r6;
    and.b32 %r8, %r1, 3; st.param.b32 [param1], %r8;
    call.uni (retval0), index, (param0, param1); ld.param.b32 %r7, [retval0]; }
  st.global.v4.u32 [%r2], {%r3, %r4, %r5, %r6}; st.global.u32 [%r2+16], %r7;
  ret; }";

#[test]
fn calls_are_inlined() {
    let text = format!("{HEAD}{CALLS}");
    for (n, want) in [(3u32, [50, 7, 8, 100, 100]), (7, [7, 8, 7, 14, 14])] {
        let m = run_kernel(&text, &[n, 0x100], |_| {}).unwrap_or_else(|e| panic!("{e:?}"));
        let words: Vec<u32> = (0..5).map(|i| m.word(0x100 + 4 * i)).collect();
        assert_eq!(words, want, "{n}");
    }
}

#[test]
fn parameters_with_offsets_and_registers() {
    let text = format!(
        "{HEAD}.entry k(.param .u8 a, .param .u16 b, .param .align 8 .b8 s[12], .param .u64 l, .param .u32 o) {{
        .reg .b32 %r<20>; .reg .b64 %d; .reg .b16 %h;
        ld.param.u32 %r0, [o]; ld.param.s8 %h, [a]; cvt.s32.s16 %r1, %h; st.global.u32 [%r0], %r1;
        ld.param.u16 %r1, [b]; st.global.u32 [%r0+4], %r1; ld.param.u64 %d, [l]; st.global.b64 [%r0+8], %d;
        mov.u32 %r2, s; add.u32 %r2, %r2, 4; ld.param.u32 %r3, [%r2+4]; st.global.u32 [%r0+16], %r3;
        ld.param.v2.u32 {{%r4, %r5}}, [s]; st.global.v2.u32 [%r0+24], {{%r4, %r5}}; ret; }}"
    );
    let words = [0x0102_00fe, 0, 11, 12, 13, 0, 0x55, 0x66, 0x200];
    let m = run_kernel(&text, &words, |_| {}).unwrap();
    let got = [0x200, 0x204, 0x208, 0x20c, 0x210, 0x218, 0x21c].map(|a| m.word(a));
    assert_eq!(got, [0xffff_fffe, 0x0102, 0x55, 0x66, 13, 11, 12]);
}
