//! Drafts to forms: every row is reached, the shortest form is chosen, errors name the obstacle.

use crate::common;
use common::instruction;
use warpsmith_isa::{build, *};
use warpsmith_testkit::Random;

/// The draft in every row of the table that encodes it, found by trying all.
fn brute_force(d: &Draft) -> Vec<Instr> {
    let all = FORMS.iter().enumerate().map(|(form, f)| Instr {
        form: form as u8,
        op: d.op,
        long: f.class.is_long(),
        marker: d.marker,
        pred: d.pred,
        dst: d.dst,
        cdst: d.cdst,
        src: d.src,
    });
    all.filter(|i| encode(i).is_ok()).collect()
}

fn executed() -> impl Iterator<Item = usize> {
    (0..FORMS.len()).filter(|&n| FORMS[n].op != Op::Unsupported)
}

#[test]
fn shortest_is_the_shortest_of_all_rows_and_says_the_same() {
    let mut random = Random(1);
    for form in executed() {
        for _ in 0..40 {
            let i = instruction(form, &mut random);
            let d = Draft::from(&i);
            let built = build::shortest(&d).unwrap_or_else(|e| panic!("{}: {e}", text(&i)));
            let (w0, w1) = encode(&built).expect("encodes");
            let back = decode(w0, w1).expect("decodes");
            assert_eq!(Draft::from(&back), d, "{}", text(&i));
            let all = brute_force(&d);
            let least = all.iter().map(Instr::bytes).min();
            assert_eq!(Some(built.bytes()), least, "{}", text(&i));
            let mut forms: Vec<Instr> = build::forms(&d).collect();
            assert_eq!(forms.first(), Some(&built));
            forms.sort_by_key(|i| i.form);
            assert_eq!(forms, all, "{}", text(&i));
        }
    }
}

#[test]
fn whatever_has_a_short_form_has_a_long_one() {
    let mut random = Random(2);
    for form in executed().filter(|&n| !FORMS[n].class.is_long()) {
        for _ in 0..2_000 {
            let i = instruction(form, &mut random);
            let d = Draft::from(&i);
            let built = build::long(&d).unwrap_or_else(|e| panic!("{}: {e}", text(&i)));
            assert!(built.long);
            assert_eq!(Draft::from(&built), d);
        }
    }
}

const MOV: Op = Op::Mov { width: Width::W32, lanes: 15 };
const MAD: Op = Op::IMad { kind: AddKind::Add, mul: MulKind::U16, sat: false };

fn add(kind: AddKind, dst: u8, a: Src, b: Src) -> Draft {
    let op = Op::IAdd { kind, width: Width::W32, sat: false };
    Draft::new(op, Dst::Reg(dst), [a, b, Src::None])
}

fn spelling(d: &Draft) -> String {
    build::shortest(d).map_or_else(|e| e.to_string(), |i| text(&i))
}

#[test]
fn forms_are_chosen_by_registers_guards_flags_and_markers() {
    use Src::{Half, Imm, Reg};
    let plain = add(AddKind::Add, 1, Reg(2), Reg(3));
    assert_eq!(spelling(&plain), "IADD32 R1, R2, R3");
    assert_eq!(spelling(&add(AddKind::Add, 1, Reg(2), Reg(64))), "IADD R1, R2, R64");
    let ne = Pred { code: 5, creg: 1 };
    assert_eq!(spelling(&plain.guard(ne)), "IADD R1 (C1.NE), R2, R3");
    assert_eq!(spelling(&plain.flags(2)), "IADD.C2 R1, R2, R3");
    assert_eq!(spelling(&plain.marker(Marker::Join)), "IADD.S R1, R2, R3");
    assert_eq!(spelling(&add(AddKind::Add, 1, Reg(2), Imm(7))), "IADD32I R1, R2, 0x7");
    let carry = add(AddKind::Addc, 1, Reg(2), Reg(3));
    assert_eq!(spelling(&carry), "IADD32.CARRY0 R1, R2, R3");
    assert_eq!(spelling(&carry.carry(1)), "IADD.CARRY1 R1, R2, R3");
    let mad = |c| Draft::new(MAD, Dst::Reg(1), [Half(4), Half(7), c]);
    assert_eq!(spelling(&mad(Reg(1))), "IMAD32.U16 R1, R2L, R3H, R1");
    assert_eq!(spelling(&mad(Reg(2))), "IMAD.U16 R1, R2L, R3H, R2");
    let c2r = Draft::new(Op::C2R, Dst::Reg(1), [Src::Cc(3), Src::None, Src::None]);
    assert_eq!(spelling(&c2r), "C2R R1, C3");
}

#[test]
fn errors_name_what_is_in_the_way_in_each_form() {
    use Src::{Imm, None as No, Reg};
    let guarded = add(AddKind::Add, 64, Reg(2), Imm(7));
    assert_eq!(
        spelling(&guarded),
        "no form fits: IADD32: R64 is beyond the registers of the short form (up to R63); \
         IADD32I: R64 is beyond the registers of the immediate form (up to R63); \
         IADD: operand Imm(7) does not go into a L3W field"
    );
    let i = Draft::new(MAD, Dst::Reg(1), [Src::Half(4), Imm(3), Reg(2)]);
    assert!(spelling(&i).contains("the third source of this form is its destination R1, not R2"), "{}", spelling(&i));
    let quad = Draft::new(
        Op::FAdd { neg_a: false, neg_b: false, round: Round::Up, sat: false },
        Dst::Reg(1),
        [Reg(1), Reg(2), No],
    );
    assert!(spelling(&quad).starts_with("no form has the modifiers"), "{}", spelling(&quad));
    let mvi = Draft::new(MOV, Dst::Reg(1), [Imm(1), No, No]).guard(Pred { code: 5, creg: 0 });
    assert!(spelling(&mvi).contains("MVI: this form takes no guard"), "{}", spelling(&mvi));
    assert_eq!(
        spelling(&Draft::bare(Op::Unsupported)),
        "instructions this machine does not execute are written as words"
    );
}

#[test]
fn nothing_out_of_range_panics() {
    let mut random = Random(3);
    for form in executed() {
        for _ in 0..300 {
            let mut d = Draft::from(&instruction(form, &mut random));
            let n = random.bits();
            match random.index(6) {
                0 => d.dst = Dst::Half(n as u8),
                1 => d.dst = Dst::Reg(n as u8),
                2 => d.src[random.index(3)] = Src::Reg(n as u8),
                3 => d.src[random.index(3)] = Src::Imm(n as u32),
                4 => {
                    let at = MemRef {
                        areg: n as u8,
                        offset: n as i32,
                        post_inc: n & 1 << 40 != 0,
                        size: [MemSize::U8, MemSize::B32, MemSize::B128][random.index(3)],
                    };
                    let bank = (n >> 50) as u8;
                    d.src[random.index(3)] = Src::Const { bank, at };
                    d.op.memory_mut().into_iter().for_each(|m| *m = at);
                }
                _ => d.pred = Pred { code: n as u8, creg: (n >> 8) as u8 },
            }
            d.op.target_mut().into_iter().for_each(|t| *t = n as u32);
            if let Ok(i) = build::shortest(&d) {
                let (w0, w1) = encode(&i).expect("encodes");
                assert_eq!(decode(w0, w1), Ok(i));
            }
        }
    }
}
