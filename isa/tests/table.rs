//! The table is sound and equals the reference table.

use crate::common;
use warpsmith_isa::{table, Class, FORMS};

/// Our spelling of a reference name that is no identifier or names two encodings.
fn spelling(name: &str, class: &str) -> String {
    match (name, class) {
        ("I2I.U8(half)", _) => "I2I.U8".into(),
        ("I2I.S8(half)", _) => "I2I.S8".into(),
        ("TXQ/texmisc", _) => "TXQ".into(),
        ("TEXCSAA/TXG", _) => "TEXCSAA".into(),
        ("FCMP(slct)", _) => "FCMP".into(),
        ("DISCARD(KIL)", _) => "DISCARD".into(),
        // The 4-byte control forms share the name of the 8-byte ones.
        (n, "sctrl") => format!("{n}32"),
        (n, _) => n.into(),
    }
}

#[test]
fn every_bit_of_every_form_is_accounted_for_and_no_two_forms_overlap() {
    assert_eq!(table::validate(), Vec::<String>::new());
}

#[test]
fn table_equals_the_reference_in_mask_match_name_class_guard_and_flags() {
    let Some(json) = common::reference("sm10_isa.json", "table") else {
        return;
    };
    let json: serde_json::Value = serde_json::from_str(&json).expect("reference JSON");
    let rows = json["forms"].as_array().expect("forms");
    assert_eq!(rows.len(), FORMS.len());
    let hex = |v: &serde_json::Value| {
        u64::from_str_radix(v.as_str().expect("hex").trim_start_matches("0x"), 16).expect("hex")
    };
    for (f, r) in FORMS.iter().zip(rows) {
        let class = match f.class {
            Class::Short => "short",
            Class::ShortControl => "sctrl",
            Class::Immediate => "imm",
            Class::Long => "long",
            Class::Control => "ctrl",
        };
        assert_eq!(r["form"], class, "{}", f.mnemonic);
        let name = r["mnemonic"].as_str().expect("name");
        assert_eq!(f.mnemonic, spelling(name, class));
        assert_eq!(
            (f.mask, f.match_),
            (hex(&r["mask"]), hex(&r["match"])),
            "{name}"
        );
        assert_eq!(
            f.predicated,
            r["predicated"].as_bool().unwrap_or(false),
            "{name}"
        );
        if r["syntax"].is_array() && name != "QUADOP" {
            let flags = match f.flags {
                table::Flags::No => None,
                table::Flags::ZS => Some("ZS"),
                table::Flags::ZSCO => Some("ZSCO"),
            };
            assert_eq!(flags, r["cc"].as_str(), "{name}");
        }
    }
}

#[test]
fn condition_formulas_equal_the_reference_on_all_flags() {
    let Some(json) = common::reference("sm10_isa.json", "conditions") else {
        return;
    };
    let json: serde_json::Value = serde_json::from_str(&json).expect("reference JSON");
    for p in json["predicates"].as_array().expect("predicates") {
        let code = p["code"].as_str().expect("code").trim_start_matches("0x");
        let code = u8::from_str_radix(code, 16).expect("code");
        let formula = p["formula"].as_str().expect("formula");
        for flags in 0..16 {
            let want = (!(0x14..=0x1b).contains(&code)).then(|| formula_value(formula, flags));
            assert_eq!(
                warpsmith_isa::pred_holds(code, flags),
                want,
                "{code:#x} {flags}"
            );
        }
    }
}

/// Evaluates a formula of Z, S, C, O, 0, 1, `~ & | ^ ( )`; all binary operators associate in brackets only.
fn formula_value(f: &str, flags: u8) -> bool {
    let t: Vec<char> = f.chars().filter(|c| !c.is_whitespace()).collect();
    let mut n = 0;
    expr(&t, &mut n, flags)
}

fn expr(t: &[char], n: &mut usize, flags: u8) -> bool {
    let mut v = atom(t, n, flags);
    while let Some(op) = t.get(*n).filter(|c| "&|^".contains(**c)) {
        *n += 1;
        let w = atom(t, n, flags);
        v = match op {
            '&' => v && w,
            '|' => v || w,
            _ => v ^ w,
        };
    }
    v
}

fn atom(t: &[char], n: &mut usize, flags: u8) -> bool {
    let c = t[*n];
    *n += 1;
    match c {
        '~' => !atom(t, n, flags),
        '(' => {
            let v = expr(t, n, flags);
            *n += 1;
            v
        }
        '0' => false,
        '1' => true,
        c => flags >> "ZSCO".find(c).expect("a flag") & 1 == 1,
    }
}

#[test]
fn pages_name_every_form() {
    let list = warpsmith_isa::doc::list(|_| true);
    let page = warpsmith_isa::doc::markdown();
    for f in &FORMS {
        assert!(list.contains(f.mnemonic) && page.contains(f.mnemonic));
        assert!(warpsmith_isa::doc::show(f.mnemonic).is_some());
        let runs = warpsmith_isa::doc::runs(f);
        let bits: u32 = runs.iter().map(|r| r.0 - r.1 + 1).sum();
        assert_eq!(
            bits,
            if f.class.is_long() { 64 } else { 32 },
            "{}",
            f.mnemonic
        );
    }
    assert!(warpsmith_isa::doc::show("FROB").is_none());
}
