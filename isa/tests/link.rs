//! Linked programs: alignment, pairs of short instructions, targets, addresses.

use crate::common;
use common::instruction;
use warpsmith_isa::{program, *};
use warpsmith_testkit::Random;

fn random_items(random: &mut Random) -> (Vec<Item>, u32) {
    let count = 1 + random.index(60);
    let labels = random.index(8) as u32 + 1;
    let mut items = Vec::new();
    let mut places: Vec<usize> = (0..labels).map(|_| random.index(count)).collect();
    places.sort_unstable();
    let mut next = 0;
    for n in 0..count {
        while places.get(next as usize) == Some(&n) {
            items.push(Item::Label(Label(next)));
            next += 1;
        }
        let to = Label(random.index(labels as usize) as u32);
        items.push(match random.index(12) {
            0 => Item::Jump(Draft::bare(Op::Ssy { target: 0 }), to),
            1 => Item::Jump(Draft::bare(Op::Pbk { target: 0 }), to),
            2 => {
                let guard = Pred { code: 5, creg: 2 };
                Item::Jump(Draft::bare(Op::Bra { target: 0 }).guard(guard), to)
            }
            3 => Item::Align,
            _ => loop {
                let i = instruction(random.index(FORMS.len()), random);
                // Targets of control instructions that are no jumps to labels would be at random.
                if i.op != Op::Unsupported && i.op.target().is_none() {
                    break Item::Free(Draft::from(&i));
                }
            },
        });
    }
    items.push(Item::Free(Draft::bare(Op::Ret)));
    (items, labels)
}

#[test]
fn random_programs_are_aligned_without_padding_and_every_target_is_right() {
    let mut random = Random(7);
    let mut short = 0;
    for _ in 0..400 {
        let (items, labels) = random_items(&mut random);
        let l = link(&items).expect("links");
        assert_eq!(program::check(Semantics::G80, &l.words), vec![]);
        assert_eq!(l.pads, vec![]);
        assert_eq!(l.items.len(), items.len());
        assert_eq!(l.labels.len(), labels as usize);
        let mut expected = 0;
        for (n, item) in items.iter().enumerate() {
            let at = l.items[n];
            assert_eq!(at, expected);
            let word = at as usize / 4;
            let read = || {
                let w1 = l.words.get(word + 1).copied().unwrap_or(0);
                decode(l.words[word], w1).expect("decodes")
            };
            match item {
                Item::Label(label) => assert_eq!(l.labels[label], at),
                Item::Align => assert_eq!(at % 8, 0),
                Item::Free(d) => {
                    let i = read();
                    assert_eq!(Draft::from(&i), *d);
                    short += usize::from(!i.long);
                    expected += i.bytes();
                }
                Item::Jump(d, to) => {
                    let mut d = *d;
                    *d.op.target_mut().expect("a target") = l.labels[to];
                    assert_eq!(Draft::from(&read()), d);
                    expected += 8;
                }
                Item::Fixed(_) | Item::Words(_) => unreachable!("not drawn"),
            }
        }
        assert_eq!(expected as usize, 4 * l.words.len());
        assert_eq!(l.words.len() % 2, 0);
    }
    assert!(short > 100, "{short} short instructions");
}

fn mov(d: u8) -> Draft {
    let op = Op::Mov { width: Width::W32, lanes: 15 };
    Draft::new(op, Dst::Reg(d), [Src::Reg(1), Src::None, Src::None])
}

fn texts(items: &[Item]) -> Vec<String> {
    let l = link(items).expect("links");
    disassemble(&l.words).into_iter().map(|l| l.text).collect()
}

#[test]
fn an_unpaired_short_instruction_is_widened() {
    let free = |d| Item::Free(mov(d));
    assert_eq!(
        texts(&[free(2), free(3), free(4), Item::Free(Draft::bare(Op::Ret))]),
        ["MOV32 R2, R1", "MOV32 R3, R1", "MOV R4, R1", "RET"]
    );
    assert_eq!(texts(&[free(2), Item::Label(Label(0)), free(3)]), ["MOV32 R2, R1", "MOV32 R3, R1"]);
    assert_eq!(texts(&[free(2)]), ["MOV R2, R1"]);
    assert_eq!(texts(&[free(2), Item::Align, free(3)]), ["MOV R2, R1", "MOV R3, R1"]);
}

#[test]
fn given_forms_are_padded_and_pads_are_named() {
    let fixed = Item::Fixed(build::shortest(&mov(2)).expect("a form"));
    let items = [
        fixed,
        Item::Label(Label(9)),
        Item::Free(Draft::bare(Op::Ret)),
        Item::Words(vec![0x1000_8200]),
        Item::Align,
        Item::Label(Label(10)),
    ];
    let l = link(&items).expect("links");
    assert_eq!(l.pads, vec![(2, 4), (4, 20)]);
    assert_eq!(l.items, vec![0, 8, 8, 16, 24, 24]);
    assert_eq!((l.labels[&Label(9)], l.labels[&Label(10)]), (8, 24));
    assert_eq!(l.words[1], link::PAD_WORD);
}

#[test]
fn wrong_items_are_named() {
    let message = |items: &[Item]| link(items).expect_err("an error").to_string();
    let bra = Draft::bare(Op::Bra { target: 0 });
    assert_eq!(message(&[Item::Jump(bra, Label(3))]), "item 0: the target is label 3, which is not among the items");
    assert_eq!(message(&[Item::Label(Label(1)), Item::Label(Label(1))]), "item 1: label 1 is among the items twice");
    let e = message(&[Item::Jump(mov(2), Label(3))]);
    assert!(e.starts_with("item 0: only BRA, CAL, PBK and SSY have a target"), "{e}");
    let e = message(&[Item::Align, Item::Free(mov(200))]);
    assert!(e.starts_with("item 1: no form fits: MOV32: R200 is beyond"), "{e}");
    assert_eq!(link(&[]), Ok(Linked::default()));
}
