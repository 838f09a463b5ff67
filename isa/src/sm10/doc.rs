//! The table as pages: `isa list`, `isa show MNEMONIC`, `isa doc`.

use crate::sm10::table::{
    place, Class, Field, Flags, Form, MemSlot, OpFamily, Role, Since, SrcSlot, CDST_BITS, FORMS,
    PRED_BITS,
};

/// Rows whose base name or full spelling is `mnemonic` (upper or lower case), with their indexes.
pub fn forms_of(mnemonic: &str) -> Vec<(usize, &'static Form)> {
    let m = mnemonic.to_ascii_uppercase();
    FORMS
        .iter()
        .enumerate()
        .filter(|(_, f)| f.base() == m || f.mnemonic == m)
        .collect()
}

/// True when the machine executes the form (others decode, print and trap as unimplemented).
pub fn executes(f: &Form) -> bool {
    !matches!(f.kind, OpFamily::Unsupported | OpFamily::LdShared)
}

fn availability(f: &Form) -> &'static str {
    match (f.since, executes(f)) {
        (Since::Sm10, true) => "SM 1.0",
        (Since::Sm10, false) => "SM 1.0, traps",
        (s, true) => s.name(),
        (Since::Sm11, false) => "SM 1.1, traps",
        (Since::Sm12, false) => "SM 1.2, traps",
        (Since::Sm13, false) => "SM 1.3, traps",
        (Since::Gt215, false) => "GT215, traps",
    }
}

/// All forms, one a line: spelling, class, match, first architecture, whether model and Verilog
/// (`rtl`) execute it, meaning.
pub fn list(rtl: impl Fn(&Form) -> bool) -> String {
    let mut o = format!(
        "{:<18} {:<13} {:>16} {:<6} {:<5} {:<3} meaning\n",
        "form", "class", "match", "since", "model", "rtl"
    );
    let mark = |yes: bool| if yes { "yes" } else { "-" };
    for f in &FORMS {
        o.push_str(&format!(
            "{:<18} {:<13} {:>16x} {:<6} {:<5} {:<3} {}\n",
            f.mnemonic,
            f.class.name(),
            f.match_,
            f.since.name(),
            mark(executes(f)),
            mark(rtl(f)),
            f.doc
        ));
    }
    o
}

/// Everything about the forms of a mnemonic, `None` when there is none (with [`suggest`] for the nearest).
pub fn show(mnemonic: &str) -> Option<String> {
    let forms = forms_of(mnemonic);
    if forms.is_empty() {
        return None;
    }
    let pages: Vec<String> = forms.iter().map(|(n, f)| page(*n, f)).collect();
    Some(pages.join("\n"))
}

/// The base name that a misspelt mnemonic was meant to be: one letter in three may be wrong.
pub fn suggest(mnemonic: &str) -> Option<&'static str> {
    let m = mnemonic.to_ascii_uppercase();
    let names = FORMS.iter().map(Form::base);
    let near = names.map(|name| (strsim::damerau_levenshtein(name, &m), name));
    let (distance, name) = near.min()?;
    (distance <= m.len().div_ceil(3)).then_some(name)
}

fn page(n: usize, f: &Form) -> String {
    let mut o = format!(
        "{} ({}, {} bytes, {})\n  {}\n",
        f.mnemonic,
        f.class.name(),
        if f.class.is_long() { 8 } else { 4 },
        availability(f),
        f.doc
    );
    o.push_str(&format!(
        "  mask  {:#018x}\n  match {:#018x}\n",
        f.mask, f.match_
    ));
    o.push_str("  bits\n");
    for (hi, lo, label) in runs(f) {
        let place = if hi == lo {
            hi.to_string()
        } else {
            format!("{hi}:{lo}")
        };
        o.push_str(&format!("    {place:>5}  {label}\n"));
    }
    o.push_str(&format!("  operands   {}\n", operands(f)));
    let mods: Vec<String> = f.mods.iter().map(|m| modifier(m.role).into()).collect();
    if !mods.is_empty() {
        o.push_str(&format!("  modifiers  {}\n", mods.join("; ")));
    }
    let flags = match f.flags {
        Flags::No => "none",
        Flags::ZS => "zero and sign with .C0 to .C3 (carry and overflow become 0)",
        Flags::ZSCO => "zero, sign, carry and overflow with .C0 to .C3",
    };
    o.push_str(&format!("  flags      {flags}\n"));
    o.push_str(&format!(
        "  guard      {}\n",
        if f.predicated { "yes" } else { "no" }
    ));
    o.push_str(&format!("  source     {} (row {n})\n", f.source));
    o
}

/// The word from its highest bit down: (highest bit, lowest bit, meaning).
pub fn runs(f: &Form) -> Vec<(u32, u32, String)> {
    let top = if f.class.is_long() { 63 } else { 31 };
    let mut out: Vec<(u32, u32, String)> = Vec::new();
    let mut kinds: Vec<String> = Vec::new();
    for bit in (0..=top).rev() {
        let (kind, text) = label(f, bit);
        match (out.last_mut(), kinds.last()) {
            (Some(run), Some(last)) if *last == kind => {
                run.1 = bit;
                if kind == "fixed" {
                    run.2.push_str(&text);
                }
            }
            _ => {
                out.push((bit, bit, text));
                kinds.push(kind);
            }
        }
    }
    for (run, kind) in out.iter_mut().zip(&kinds) {
        if kind == "fixed" {
            run.2 = format!("= {}", run.2);
        }
    }
    out
}

/// Kind of a bit (equal neighbours join) and its text.
fn label(f: &Form, bit: u32) -> (String, String) {
    let b = 1u64 << bit;
    let same = |s: &str| (s.to_string(), s.to_string());
    if f.mask & b != 0 {
        let v = if f.match_ & b != 0 { "1" } else { "0" };
        return ("fixed".into(), v.into());
    }
    if f.ignored & b != 0 {
        return same(if f.kind == OpFamily::Unsupported {
            "not decoded"
        } else {
            "ignored"
        });
    }
    if let Some(m) = f.mods.iter().find(|m| m.field.bits() & b != 0) {
        return same(modifier(m.role));
    }
    if f.predicated && PRED_BITS & b != 0 {
        return same(if place::CONDITION.is_set(b) {
            "guard condition"
        } else {
            "guard flag register"
        });
    }
    if f.class == Class::Long && place::MARKER.is_set(b) {
        return same("marker: 0 none, 1 exit, 2 join (.S)");
    }
    if f.flags != Flags::No && CDST_BITS & b != 0 {
        return same(if place::FLAG_WRITE.is_set(b) {
            "write flags"
        } else {
            "flag register written"
        });
    }
    if f.dst.bits() & b != 0 {
        return same(match b {
            _ if place::OUTPUT.is_set(b) => "destination is o[]",
            _ if place::FULL_DST.is_set(b) => "32-bit destination",
            _ => "destination",
        });
    }
    let long = f.class == Class::Long;
    if f.mem != MemSlot::No && f.mem.bits() & b != 0 {
        return same(match b {
            _ if place::POST_INC.is_set(b) => "post-increment",
            _ if place::LONG_AREG.is_set(b) => "address register",
            _ => "offset",
        });
    }
    let n = f.src.iter().position(|s| s.bits() & b != 0).unwrap_or(0);
    if f.src[n] == SrcSlot::Addr {
        return same("address register read");
    }
    let slot = f.src[n];
    let immediate = matches!(slot, SrcSlot::Imm32 | SrcSlot::Imm16);
    let is = |field: Field| field.is_set(b);
    let text = match slot {
        _ if immediate => "immediate".to_string(),
        SrcSlot::ConstFar if place::FAR_OFFSET8.is_set(b) => format!("source {}", n + 1),
        _ if is(place::CONST2) => "second source is c[]".into(),
        _ if is(place::CONST3) && long => "third source is c[]".into(),
        _ if is(place::SHORT_SHARED) && !long => "first source is g []".into(),
        _ if is(place::POST_INC) => "post-increment".into(),
        _ if is(place::SHORT_AREG) => "address register".into(),
        _ if is(place::LONG_AREG) && long => "address register, high bit".into(),
        SrcSlot::CountW | SrcSlot::CountH if is(place::COUNT_IMM) => "count is immediate".into(),
        SrcSlot::StoreSel if is(place::FULL_DATA) => "32-bit source numbering".into(),
        _ if is(place::LONG_SHARED) => "first source is g []".into(),
        _ if is(place::LONG_BANK) && long => "constant bank".into(),
        _ => format!("source {}", n + 1),
    };
    same(&text)
}

fn modifier(r: Role) -> &'static str {
    match r {
        Role::AddKind => "0 add, 1 subtract, 2 reversed subtract, 3 add with carry",
        Role::Sat => "saturate (.SAT)",
        Role::High => "high part (.HI)",
        Role::Signed => "signed",
        Role::SignedA => "first source signed",
        Role::SignedB => "second source signed",
        Role::NegA => "negate first source",
        Role::AbsA => "absolute value of first source",
        Role::NegB => "negate second source",
        Role::AbsB => "absolute value of second source",
        Role::NegC => "negate third source",
        Role::NotA => "complement first source",
        Role::NotB => "complement second source",
        Role::CondI => "relation: bit 0 lt, 1 eq, 2 gt",
        Role::CondF => "relation: bit 0 lt, 1 eq, 2 gt, 3 unordered",
        Role::Logic => "0 AND, 1 OR, 2 XOR, 3 PASS_B",
        Role::Round => "rounding: 0 nearest, 1 FLOOR, 2 CEIL, 3 TRUNC",
        Role::RoundNZ => "rounding: 0 nearest, 3 TRUNC",
        Role::CvtSrc => {
            "source type: 0 U16, 1 U32, 2 U16.BEXT, 3 U8, 4 S16, 5 S32, 6 S16.BEXT, 7 S8"
        }
        Role::Lanes => "quad lane mask",
        Role::MemSize => "size: 0 U8, 1 S8, 2 U16, 3 S16, 4 S64, 5 S128, 6 U32",
        Role::Lim => "limited call (absent with .NOINC)",
        Role::Shift4 => "left shift",
        Role::BarId => "barrier",
        Role::BarMask => "mask (ignored)",
        Role::Arrive => "arrive (.ARV)",
        Role::Wait => "wait (.WAIT)",
        Role::Target => "target address / 4",
        Role::Space => "global space",
        Role::PmId => "trigger",
    }
}

fn operands(f: &Form) -> String {
    let mut v = Vec::new();
    if f.dst != crate::sm10::table::DstSlot::No {
        v.push(format!("{:?}", f.dst));
    }
    if f.mem != MemSlot::No {
        v.push(format!("{:?}", f.mem));
    }
    v.extend(
        f.src
            .iter()
            .filter(|s| **s != SrcSlot::No)
            .map(|s| format!("{s:?}")),
    );
    if v.is_empty() {
        "none".into()
    } else {
        v.join(", ")
    }
}

/// The whole table as one Markdown page.
pub fn markdown() -> String {
    let mut o = String::from("# Instruction set of SM 1.0\n\n");
    o.push_str("Generated from the instruction table. Bit 0 is the lowest bit of word 0, bit 32 the lowest of word 1.\n\n");
    o.push_str("| Form | Class | Mask | Match | Flags | Available | Meaning | Source |\n|--|--|--|--|--|--|--|--|\n");
    for f in &FORMS {
        let flags = match f.flags {
            Flags::No => "",
            Flags::ZS => "ZS",
            Flags::ZSCO => "ZSCO",
        };
        o.push_str(&format!(
            "| {} | {} | {:#x} | {:#x} | {flags} | {} | {} | {} |\n",
            f.mnemonic,
            f.class.name(),
            f.mask,
            f.match_,
            availability(f),
            f.doc,
            f.source
        ));
    }
    for (n, f) in FORMS.iter().enumerate() {
        o.push_str(&format!(
            "\n## {} ({})\n\n```text\n{}```\n",
            f.mnemonic,
            f.class.name(),
            page(n, f)
        ));
    }
    o
}
