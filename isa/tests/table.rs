//! The table is sound and equals the reference table.

use warpsmith_conformance as conformance;
use warpsmith_isa::{table, Class, Op, Semantics, FORMS};

#[test]
fn every_bit_of_every_form_is_accounted_for_and_no_two_forms_overlap() {
    for semantics in Semantics::ALL {
        assert_eq!(table::validate(semantics), Vec::<String>::new(), "{semantics}");
    }
}

#[test]
fn table_equals_the_reference_in_name_class_mask_match_guard_and_flags() {
    let rows = conformance::rows("sm10/forms.txt");
    // The reference names no operations of atomic accesses, no locks, and no conversions of 64 bits: those of the first lie
    // within its own rows.
    let (own, new) = FORMS.split_at(rows.len());
    let is_within = |f: &&table::Form| own.iter().any(|wide| f.is_within(wide));
    let (within, beside): (Vec<&table::Form>, Vec<&table::Form>) = new.iter().partition(is_within);
    assert_eq!(within.len(), 19);
    let (double, beside): (Vec<&table::Form>, Vec<&table::Form>) =
        beside.into_iter().partition(|f| matches!(f.op, Op::DConvert { .. }));
    assert_eq!(double.len(), 16);
    assert_eq!(beside.iter().map(|f| f.mnemonic).collect::<Vec<_>>(), ["G2R.LOCK"]);
    for (f, row) in FORMS.iter().zip(&rows) {
        let class = match f.class {
            Class::Short => "short",
            Class::ShortControl => "sctrl",
            Class::Immediate => "imm",
            Class::Long => "long",
            Class::Control => "ctrl",
        };
        let flags = match f.flags {
            table::Flags::No => "-",
            table::Flags::ZS => "ZS",
            table::Flags::ZSCO => "ZSCO",
        };
        let digits = if f.class.is_long() { 16 } else { 8 };
        let hex = |bits: u64| format!("{bits:0digits$x}");
        let guard = if f.predicated { "guard" } else { "-" };
        let ours = [f.mnemonic, class, &hex(f.mask), &hex(f.match_), guard];
        for (n, ours) in ours.iter().enumerate() {
            assert_eq!(*ours, row.column(n), "{}", f.mnemonic);
        }
        assert!(["?", flags].contains(&row.column(5)), "{}", f.mnemonic);
    }
}

/// Words of atomic accesses as another compiler for this hardware writes them: the operation, whether it has signed words, and
/// how it differs from a reduction.
#[test]
fn atomic_accesses_have_the_words_that_other_tools_give_them() {
    let operations = [
        ("ADD.U32", 0, 0),
        ("ADD.S32", 0, 1),
        ("EXCH", 1, 0),
        ("CAS", 2, 0),
        ("INC", 4, 0),
        ("DEC", 5, 0),
        ("MAX.U32", 6, 0),
        ("MAX.S32", 6, 1),
        ("MIN.U32", 7, 0),
        ("MIN.S32", 7, 1),
        ("AND", 10, 0),
        ("OR", 11, 0),
        ("XOR", 12, 0),
    ];
    let (address, data, last, dst, space) = (3u32, 5, 7, 9, 14);
    let always = 0x780;
    for (name, code, signed) in operations {
        let w1 = 0xc0c0_0000 | signed << 21 | code << 2 | always;
        if !matches!(code, 1 | 2) {
            let w0 = 0xd000_0001 | space << 16 | address << 9 | data << 2;
            let text = format!("GRED.{name} global14[R3], R5");
            check(&text, (w0, w1));
        }
        let w0 = 0xd000_0001 | space << 23 | data << 16 | address << 9 | dst << 2;
        let w1 = w1 | 0x2000_0000;
        match code {
            2 => check(&format!("GATOM.{name} R9, global14[R3], R5, R7"), (w0, w1 | last << 14)),
            _ => check(&format!("GATOM.{name} R9, global14[R3], R5"), (w0, w1)),
        }
    }
    // 64 bits, and operations that nobody names: words.
    for w1 in [0xc080_0780, 0xe0c0_078c, 0xc0c0_0784] {
        let i = warpsmith_isa::decode(0xd000_0001, w1).expect("the row around them");
        assert_eq!(i.op, warpsmith_isa::Op::Unsupported, "{w1:#x}");
    }
}

fn check(text: &str, (w0, w1): (u32, u32)) {
    let i = warpsmith_isa::decode(w0, w1).expect(text);
    assert_eq!(warpsmith_isa::text(&i), text);
    let program = warpsmith_isa::assemble(&format!("{text};"), "t").unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(program.words, [w0, w1], "{text}");
}

/// The same of votes and locks on words of shared memory.
#[test]
fn votes_and_locks_have_the_words_that_other_tools_give_them() {
    let (always, not_equal) = (0x780, 5 << 7);
    let flags = |n: u32| 0x40 | n << 4;
    check("VOTE.ANY C2 (C1.NE)", (0x1000_0201, 0x6000_0000 | 2 << 4 | 1 << 12 | not_equal));
    check("VOTE.ALL C0 (C0.NE)", (0x1000_0401, 0x6000_0000 | not_equal));
    check("G2R.LOCK.C1 R9, g [0x4]", (0x1000_0001 | 4 << 9 | 9 << 2, 0x4480_c000 | flags(1) | always));
    check("R2G.UNLOCK g[0x4], R5", (0x0000_0001 | 4 << 9, 0xe4a0_0000 | 5 << 14 | always));
    // A lock without a flag register is none.
    let e = warpsmith_isa::assemble("G2R.LOCK R9, g [0x4];", "t").expect_err("no flags");
    assert!(e.to_string().contains(".C0 to .C3"), "{e}");
    // A chip below SM 1.2 stores.
    let tier = warpsmith_isa::Tier::full();
    let i = tier.decode(0x0000_0001 | 4 << 9, 0xe4a0_0000 | 5 << 14 | always).expect("a store");
    assert_eq!(warpsmith_isa::text(&i), "R2G.U32.U32 g[0x4], R5");
}

#[test]
fn conditions_hold_for_the_flags_of_the_reference() {
    let rows = conformance::rows("sm10/conditions.txt");
    assert_eq!(rows.len(), 32);
    for row in &rows {
        let code = conformance::number(row.column(0)) as u8;
        for flags in 0..16 {
            let want = match row.column(1) {
                "-" => None,
                holds => Some(conformance::number(holds) >> flags & 1 == 1),
            };
            assert_eq!(warpsmith_isa::pred_holds(code, flags), want, "{code:#x} {flags}");
        }
    }
}

#[test]
fn pages_name_every_form() {
    let list = warpsmith_isa::doc::list(Semantics::G80);
    let page = warpsmith_isa::doc::markdown(Semantics::G80);
    for f in &FORMS {
        assert!(list.contains(f.mnemonic) && page.contains(f.mnemonic));
        assert!(warpsmith_isa::doc::show(Semantics::G80, f.mnemonic).is_some());
        let runs = warpsmith_isa::doc::runs(Semantics::G80, f);
        let bits: u32 = runs.iter().map(|r| r.0 - r.1 + 1).sum();
        assert_eq!(bits, if f.class.is_long() { 64 } else { 32 }, "{}", f.mnemonic);
    }
    assert!(warpsmith_isa::doc::show(Semantics::G80, "FROB").is_none());
}
