//! The table is sound and equals the reference table.

use warpsmith_conformance as conformance;
use warpsmith_isa::{table, Class, Semantics, FORMS};

#[test]
fn every_bit_of_every_form_is_accounted_for_and_no_two_forms_overlap() {
    for semantics in Semantics::ALL {
        assert_eq!(table::validate(semantics), Vec::<String>::new(), "{semantics}");
    }
}

#[test]
fn table_equals_the_reference_in_name_class_mask_match_guard_and_flags() {
    let rows = conformance::rows("sm10/forms.txt");
    assert_eq!(rows.len(), FORMS.len());
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
