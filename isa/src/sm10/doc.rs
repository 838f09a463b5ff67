//! The tables as pages: `isa list`, `isa show MNEMONIC`, `isa doc`.

use crate::message::nearest;
use crate::sm10::level::Level;
use crate::sm10::op::Op;
use crate::sm10::semantics::Semantics;
use crate::sm10::table::{Flags, Form, MemSlot, Owner, SrcSlot};
use crate::sm10::types::Marker;

/// Rows of a reading whose base name or full spelling is `mnemonic` (upper or lower case), with their indexes.
pub fn forms_of(semantics: Semantics, mnemonic: &str) -> Vec<(usize, &'static Form)> {
    let m = mnemonic.to_ascii_uppercase();
    semantics.rows().filter(|(_, f)| f.base() == m || f.mnemonic == m).collect()
}

/// True when machines of some level execute the form (others decode, print and trap as unimplemented).
pub fn executes(f: &Form) -> bool {
    Level::of(f).is_some()
}

/// Whether every machine executes the form, or from which level on.
fn executed(f: &Form) -> &'static str {
    Level::of(f).map_or("-", |l| if l == Level::Sm10 { "yes" } else { l.name() })
}

fn availability(f: &Form) -> String {
    let level = match Level::of(f) {
        None => ", traps".into(),
        Some(Level::Sm10) => String::new(),
        Some(level) => format!(", on chips with level = \"{level}\""),
    };
    format!("{}{level}", f.since.name())
}

/// All forms of a reading, one a line: spelling, class, match, first architecture, whether model and Verilog
/// (`rtl`) execute it, or from which [level](Level) on, meaning.
pub fn list(semantics: Semantics) -> String {
    let mut o =
        format!("{:<18} {:<13} {:>16} {:<6} {:<5} {:<4} meaning\n", "form", "class", "match", "since", "model", "rtl");
    for (_, f) in semantics.rows() {
        o.push_str(&format!(
            "{:<18} {:<13} {:>16x} {:<6} {:<5} {:<4} {}\n",
            f.mnemonic,
            f.class.name(),
            f.match_,
            f.since.name(),
            executed(f),
            executed(f),
            f.doc
        ));
    }
    o
}

/// Everything about the forms of a mnemonic, without the last modifiers where no form has them; `None`
/// when there is none (with [`suggest`] for the nearest).
pub fn show(semantics: Semantics, mnemonic: &str) -> Option<String> {
    let forms = forms_of(semantics, mnemonic);
    if forms.is_empty() {
        return mnemonic.rsplit_once('.').and_then(|(base, _)| show(semantics, base));
    }
    let pages: Vec<String> = forms.iter().map(|(n, f)| page(semantics, *n, f)).collect();
    Some(pages.join("\n"))
}

/// The base name that a misspelt mnemonic was meant to be: one letter in three may be wrong.
pub fn suggest(semantics: Semantics, mnemonic: &str) -> Option<&'static str> {
    let m = mnemonic.to_ascii_uppercase();
    nearest(&m, semantics.rows().map(|(_, f)| f.base()))
}

fn page(semantics: Semantics, n: usize, f: &Form) -> String {
    let mut o = format!("{} ({}, {} bytes, {})\n  {}\n", f.mnemonic, f.class.name(), f.bytes(), availability(f), f.doc);
    o.push_str(&format!("  mask  {:#018x}\n  match {:#018x}\n", f.mask, f.match_));
    o.push_str("  bits\n");
    for (hi, lo, label) in runs(semantics, f) {
        let place = if hi == lo { hi.to_string() } else { format!("{hi}:{lo}") };
        o.push_str(&format!("    {place:>5}  {label}\n"));
    }
    let operands = match slots(f) {
        none if none.is_empty() => "none".into(),
        some => some.join(", "),
    };
    o.push_str(&format!("  operands   {operands}\n"));
    let mods: Vec<&str> = f.mods.iter().map(|m| m.role.meaning()).collect();
    if !mods.is_empty() {
        o.push_str(&format!("  modifiers  {}\n", mods.join("; ")));
    }
    let flags = match f.flags {
        Flags::No => "none",
        Flags::ZS => "zero and sign with .C0 to .C3 (carry and overflow become 0)",
        Flags::ZSCO => "zero, sign, carry and overflow with .C0 to .C3",
    };
    o.push_str(&format!("  flags      {flags}\n"));
    o.push_str(&format!("  guard      {}\n", if f.predicated { "yes" } else { "no" }));
    o.push_str(&format!("  source     {} (row {n})\n", f.source));
    o
}

/// The word from its highest bit down: (highest bit, lowest bit, meaning).
pub fn runs(semantics: Semantics, f: &Form) -> Vec<(u32, u32, String)> {
    let mut out: Vec<(u32, u32, String)> = Vec::new();
    let mut above = None;
    for bit in (0..8 * f.bytes() as u32).rev() {
        let owner = f.owner(bit);
        let fixed = matches!(owner, Owner::Fixed(_)) && matches!(above, Some(Owner::Fixed(_)));
        match out.last_mut() {
            Some(run) if fixed => {
                run.1 = bit;
                run.2.push_str(&label(semantics, f, owner));
            }
            Some(run) if above == Some(owner) => run.1 = bit,
            _ if matches!(owner, Owner::Fixed(_)) => {
                out.push((bit, bit, format!("= {}", label(semantics, f, owner))));
            }
            _ => out.push((bit, bit, label(semantics, f, owner))),
        }
        above = Some(owner);
    }
    out
}

/// Meaning of the bits of an owner.
fn label(semantics: Semantics, f: &Form, owner: Owner) -> String {
    match owner {
        Owner::Marker if semantics.marker(f, 1) == Some(Marker::Join) => "marker: 0 none, 1 join (.S), 2 exit".into(),
        Owner::Ignored if f.op == Op::Unsupported => "not decoded".into(),
        owner => owner.meaning(),
    }
}

/// Slots of the operands in reading order.
pub(crate) fn slots(f: &Form) -> Vec<String> {
    let mut v = Vec::new();
    if f.dst != crate::sm10::table::DstSlot::No {
        v.push(format!("{:?}", f.dst));
    }
    if f.mem != MemSlot::No {
        v.push(format!("{:?}", f.mem));
    }
    v.extend(f.src.iter().filter(|s| **s != SrcSlot::No).map(|s| format!("{s:?}")));
    v
}

/// The whole table of a reading as one Markdown page.
pub fn markdown(semantics: Semantics) -> String {
    let mut o = match semantics {
        Semantics::G80 => String::from("# Instruction set of SM 1.0\n\n"),
        Semantics::FlexGripPlus => String::from("# Instruction set of SM 1.0 as FlexGripPlus's manual reads it\n\n"),
    };
    o.push_str(
        "Generated from the instruction table. Bit 0 is the lowest bit of word 0, bit 32 the lowest of word 1.\n\n",
    );
    o.push_str("| Form | Class | Mask | Match | Flags | Available | Meaning | Source |\n|--|--|--|--|--|--|--|--|\n");
    for (_, f) in semantics.rows() {
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
    for (n, f) in semantics.rows() {
        o.push_str(&format!("\n## {} ({})\n\n```text\n{}```\n", f.mnemonic, f.class.name(), page(semantics, n, f)));
    }
    o
}
