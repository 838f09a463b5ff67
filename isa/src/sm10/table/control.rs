//! Control transfer, barriers and traps.
//!
//! Columns: spelling, class, mask, match, operation, destination, sources, memory operand, modifiers,
//! flags, guarded, first architecture, ignored bits, meaning, source ("manual" is the FlexGripPlus manual).

use super::field::{C_ARRIVE, C_BAR_ID, C_BAR_MASK, C_LIM, C_TARGET, C_WAIT};
use super::slots::{DstSlot as D, MemSlot as M, SrcSlot as S};
use super::{row, Class::Control, Flags, Form, Since};
use crate::sm10::op::{plain, Op};

#[rustfmt::skip]
pub(super) const ROWS: &[Form] = &[
    row("DISCARD", Control, 0xf0000003, 0x3, Op::Unsupported, D::No, [S::No, S::No, S::No], M::No, &[], Flags::No, true, Since::Sm10, 0xffffc07f0ffffffc, "Fragment discard.", "G80 table (envytools); name: ours"),
    row("BRA", Control, 0xf0000003, 0x10000003, plain::Bra(), D::No, [S::No, S::No, S::No], M::No, &[C_TARGET], Flags::No, true, Since::Sm10, 0xfff0007f080007fc, "Branches under its guard.", "manual p. 8"),
    row("CAL", Control, 0xf0000003, 0x20000003, plain::Cal(), D::No, [S::No, S::No, S::No], M::No, &[C_LIM, C_TARGET], Flags::No, false, Since::Sm10, 0xfff03fbf080007fc, "Calls: pushes the next address; the form without NOINC is limited.", "manual p. 14"),
    row("RET", Control, 0xf0000003, 0x30000003, Op::Ret, D::No, [S::No, S::No, S::No], M::No, &[], Flags::No, true, Since::Sm10, 0xffffc07f0ffffffc, "Returns, or ends the thread at top level, under its guard.", "manual p. 10"),
    row("PBK", Control, 0xf0000003, 0x40000003, plain::Pbk(), D::No, [S::No, S::No, S::No], M::No, &[C_TARGET], Flags::No, false, Since::Sm10, 0xfff03fff080007fc, "Pushes the address BRK continues at.", "G80 table (envytools); name: gpgpu-sim"),
    row("BRK", Control, 0xf0000003, 0x50000003, Op::Brk, D::No, [S::No, S::No, S::No], M::No, &[], Flags::No, true, Since::Sm10, 0xffffc07f0ffffffc, "Leaves the region of the innermost PBK under its guard.", "G80 table (envytools); name: gpgpu-sim"),
    row("QUADON", Control, 0xf0000003, 0x60000003, Op::Unsupported, D::No, [S::No, S::No, S::No], M::No, &[], Flags::No, false, Since::Sm10, 0xffffffff0ffffffc, "Fragment quad control.", "G80 table (envytools); name: ours"),
    row("QUADPOP", Control, 0xf0000003, 0x70000003, Op::Unsupported, D::No, [S::No, S::No, S::No], M::No, &[], Flags::No, false, Since::Sm10, 0xffffffff0ffffffc, "Fragment quad control.", "G80 table (envytools); name: ours"),
    row("BAR", Control, 0x4000f0000003, 0x80000003, Op::Bar { id: 0, arrive: false, wait: false, mask: Some(0) }, D::No, [S::No, S::No, S::No], M::No, &[C_ARRIVE, C_WAIT, C_BAR_ID, C_BAR_MASK], Flags::No, false, Since::Sm10, 0xffffbfff080001fc, "Arrives at and waits for a barrier of the block; the mask is ignored.", "manual p. 9"),
    row("BAR", Control, 0x4000f0000003, 0x400080000003, plain::Bar(), D::No, [S::No, S::No, S::No], M::No, &[C_ARRIVE, C_WAIT, C_BAR_ID], Flags::No, false, Since::Sm10, 0xffffbfff081ffffc, "Arrives at and waits for a barrier of the block, form without a mask.", "manual p. 9"),
    row("TRAP", Control, 0xf0000003, 0x90000003, Op::Trap, D::No, [S::No, S::No, S::No], M::No, &[], Flags::No, false, Since::Sm10, 0xffffffff0ffffffc, "Stops the program.", "manual p. 13"),
    row("SSY", Control, 0xf0000003, 0xa0000003, plain::Ssy(), D::No, [S::No, S::No, S::No], M::No, &[C_TARGET], Flags::No, false, Since::Sm10, 0xfff03fff080007fc, "Pushes the address of the joining .S instruction.", "manual p. 11"),
    row("BPT", Control, 0xf0000003, 0xb0000003, Op::Bpt, D::No, [S::No, S::No, S::No], M::No, &[], Flags::No, true, Since::Sm11, 0xffffc07f0ffffffc, "Stops the program at a breakpoint, under its guard.", "G80 table (envytools); name: ours"),
    row("BRX", Control, 0xf0000003, 0xc0000003, Op::Unsupported, D::No, [S::No, S::No, S::No], M::No, &[], Flags::No, false, Since::Gt215, 0xffffffff0ffffffc, "Branch through constant memory.", "G80 table (envytools); name: gpgpu-sim"),
    row("PRET", Control, 0xf0000003, 0xd0000003, Op::Unsupported, D::No, [S::No, S::No, S::No], M::No, &[], Flags::No, false, Since::Gt215, 0xffffffff0ffffffc, "Pushes a return address.", "G80 table (envytools); name: ours"),
];
