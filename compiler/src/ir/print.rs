//! Text of the intermediate representation, for `--emit ir` and for tests.
//!
//! A block is `b2:` with its phis and instructions; values are `%7` (words) and `?7` (predicates).

use super::{Block, Function, Inst, Op, Operand, Phi, Special, Term, Ty, Value};
use std::fmt::{self, Display, Write};

/// Text of a whole function.
pub fn function(f: &Function) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "kernel {} (parameters {} bytes, shared {} bytes{}, local {} bytes)",
        f.name,
        f.param_bytes,
        f.shared_bytes,
        if f.dynamic_shared { " + dynamic" } else { "" },
        f.local_bytes
    );
    if let Some(p) = f.constant_params {
        let _ = writeln!(out, "  parameters in constant bank 0: {} bytes at {}", p.bytes, p.offset);
    }
    for p in &f.params {
        let _ = writeln!(out, "  parameter {}: {} bytes at {}, {:?}", p.name, p.bytes, p.offset, p.kind);
    }
    for b in f.ids() {
        let _ = writeln!(out, "b{}:", b.0);
        block(f, f.block(b), &mut out);
    }
    out
}

fn block(f: &Function, b: &Block, out: &mut String) {
    for p in &b.phis {
        let _ = writeln!(out, "    {}", phi(f, p));
    }
    for i in &b.insts {
        let mut line = format!("    {}", inst(f, i));
        if i.loc.line > 0 {
            while line.len() < 56 {
                line.push(' ');
            }
            let _ = write!(line, "; line {}", i.loc.line);
        }
        let _ = writeln!(out, "{line}");
    }
    let _ = match &b.term {
        Term::Jump(t) => writeln!(out, "    jump b{}", t.0),
        Term::Branch { cond, then, other } => {
            writeln!(out, "    branch {} ? b{} : b{}", Show(f, *cond), then.0, other.0)
        }
        Term::Return => writeln!(out, "    return"),
        Term::Trap => writeln!(out, "    trap"),
    };
}

fn phi(f: &Function, p: &Phi) -> String {
    let args: Vec<String> = p.args.iter().map(|(b, o)| format!("b{}: {}", b.0, Show(f, *o))).collect();
    format!("{} = phi {}", Show(f, Operand::Value(p.dst)), args.join(", "))
}

/// Text of one instruction.
pub fn inst(f: &Function, i: &Inst) -> String {
    let list = |v: Vec<String>| v.join(", ");
    let dst: Vec<String> = i.dst.iter().map(|v| Show(f, Operand::Value(*v)).to_string()).collect();
    let src: Vec<String> = i.src.iter().map(|o| Show(f, *o).to_string()).collect();
    let name = op(&i.op);
    match (dst.is_empty(), src.is_empty()) {
        (true, true) => name,
        (true, false) => format!("{name} {}", list(src)),
        (false, true) => format!("{} = {name}", list(dst)),
        (false, false) => format!("{} = {name} {}", list(dst), list(src)),
    }
}

/// Name of an operation with its modifiers, in lower case.
pub fn op(o: &Op) -> String {
    match o {
        Op::Special(s) => format!("special {}", special(*s)),
        Op::GlobalAddr { var, offset } => format!("address variable {var} {offset:+}"),
        Op::Load { space, ty, offset, volatile } => format!(
            "load.{}.{}{} {offset:+}",
            space.name(),
            format!("{ty:?}").to_lowercase(),
            if *volatile { ".volatile" } else { "" }
        ),
        Op::Store { space, ty, offset, volatile } => format!(
            "store.{}.{}{} {offset:+}",
            space.name(),
            format!("{ty:?}").to_lowercase(),
            if *volatile { ".volatile" } else { "" }
        ),
        Op::Atomic { op, signed, offset } => {
            format!("atomic.{}{} {offset:+}", format!("{op:?}").to_lowercase(), if *signed { ".signed" } else { "" })
        }
        Op::Lock { offset } => format!("lock {offset:+}"),
        Op::Vote { all } => format!("vote.{}", if *all { "all" } else { "any" }),
        Op::Unlock { offset } => format!("unlock {offset:+}"),
        Op::Call { routine } => format!("call routine {routine}"),
        Op::Cmp { rel, signed } => format!("cmp.{}{}", relation(rel.0), if *signed { ".signed" } else { "" }),
        Op::FCmp(rel) => format!("fcmp.{}", relation(rel.0)),
        other => {
            let text = format!("{other:?}");
            let (name, rest) = text.split_once([' ', '(']).map_or((text.as_str(), ""), |(n, r)| (n, r));
            let mut name = name.to_lowercase();
            for part in rest.split(|c: char| !c.is_alphanumeric()) {
                match part {
                    "true" | "signed" | "round" | "high" | "sat" | "" => {}
                    "false" => {}
                    p => {
                        name.push('.');
                        name.push_str(&p.to_lowercase());
                    }
                }
            }
            for flag in ["signed", "high", "sat"] {
                if rest.contains(&format!("{flag}: true")) {
                    name.push('.');
                    name.push_str(flag);
                }
            }
            name
        }
    }
}

fn relation(bits: u8) -> String {
    let base = ["never", "lt", "eq", "le", "gt", "ne", "ge", "ordered"][usize::from(bits & 7)];
    match (bits & 8 != 0, bits & 7) {
        (false, _) => base.into(),
        (true, 0) => "unordered".into(),
        (true, 7) => "always".into(),
        (true, _) => format!("{base}u"),
    }
}

fn special(s: Special) -> &'static str {
    match s {
        Special::TidX => "tid.x",
        Special::TidY => "tid.y",
        Special::TidZ => "tid.z",
        Special::NTidX => "ntid.x",
        Special::NTidY => "ntid.y",
        Special::NTidZ => "ntid.z",
        Special::CtaIdX => "ctaid.x",
        Special::CtaIdY => "ctaid.y",
        Special::NCtaIdX => "nctaid.x",
        Special::NCtaIdY => "nctaid.y",
        Special::Clock => "clock",
    }
}

struct Show<'a>(&'a Function, Operand);

impl Display for Show<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            Operand::Imm(v) if v < 10 => write!(out, "{v}"),
            Operand::Imm(v) => write!(out, "{v:#x}"),
            Operand::Value(Value(n)) => match self.0.types.get(n as usize) {
                Some(Ty::Pred) => write!(out, "?{n}"),
                _ => write!(out, "%{n}"),
            },
        }
    }
}
