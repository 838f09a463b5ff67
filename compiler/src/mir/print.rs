//! Text of machine instructions on virtual registers, for `--emit` and for tests.
//!
//! `v7` is a word, `v7.1` a word of a wide register, `v7.lo` a half, `a3` an address register, `f2` a flag register.

use super::{Class, Dst, Function, Guard, Inst, MemRef, Reg, Src, Term, Word};
use std::fmt::{self, Display, Formatter};
use warpsmith_isa::arch::COND_NAMES;

struct In<'a, T>(&'a Function, T);

impl Function {
    fn name_of(&self, r: Reg) -> String {
        let letter = match self.regs.get(r.0 as usize) {
            Some(Class::Gpr(_)) => 'v',
            Some(Class::Addr) => 'a',
            Some(Class::Flag) => 'f',
            None => '?',
        };
        format!("{letter}{}", r.0)
    }

    fn word_name(&self, w: Word) -> String {
        match self.regs.get(w.reg.0 as usize) {
            Some(Class::Gpr(1)) => self.name_of(w.reg),
            _ => format!("{}.{}", self.name_of(w.reg), w.part),
        }
    }

    fn half_name(&self, w: Word, high: bool) -> String {
        format!("{}.{}", self.word_name(w), if high { "hi" } else { "lo" })
    }

    fn place(&self, m: MemRef) -> String {
        let base = m.base.map_or("0".into(), |b| self.name_of(b));
        let mark = if m.post_inc { "++" } else { "+" };
        format!("[{base}{mark}{:#x}].{:?}", m.offset, m.size)
    }
}

impl Display for In<'_, Guard> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let name = COND_NAMES.get(usize::from(self.1.code)).copied();
        write!(f, "{}.{}", self.0.name_of(self.1.flag), name.unwrap_or("?"))
    }
}

impl Display for In<'_, Src> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let n = self.0;
        match self.1 {
            Src::None => f.write_str("_"),
            Src::AddrZero => f.write_str("a0"),
            Src::Word(w) => f.write_str(&n.word_name(w)),
            Src::Half(w, high) => f.write_str(&n.half_name(w, high)),
            Src::Wide(r) | Src::Addr(r) | Src::Flag(r) => f.write_str(&n.name_of(r)),
            Src::Zero => f.write_str("zero"),
            Src::ZeroHalf => f.write_str("zero.lo"),
            Src::Imm(v) => write!(f, "{v:#x}"),
            Src::Imm16(v) => write!(f, "{v:#x}.16"),
            Src::GlobalAddr(v, bytes) => write!(f, "&global{v}{bytes:+}"),
            Src::Shared(m) => write!(f, "s{}", n.place(m)),
            Src::Const(bank, m) => write!(f, "c{bank}{}", n.place(m)),
            Src::Special(s) => write!(f, "special{s}"),
        }
    }
}

impl Display for In<'_, &Inst> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let (n, i) = (self.0, self.1);
        let dst = match i.dst {
            Dst::None => None,
            Dst::Discard => Some("_".into()),
            Dst::Word(w) => Some(n.word_name(w)),
            Dst::Half(w, high) => Some(n.half_name(w, high)),
            Dst::Wide(r) | Dst::Addr(r) | Dst::Flag(r) => Some(n.name_of(r)),
        };
        let both = [dst, i.cdst.map(|c| n.name_of(c))];
        let dst: Vec<String> = both.into_iter().flatten().collect();
        if !dst.is_empty() {
            write!(f, "{} = ", dst.join(", "))?;
        }
        f.write_str(&operation(&format!("{:?}", i.op)))?;
        let last = i.src.iter().rposition(|s| *s != Src::None);
        for (k, s) in i.src.iter().take(last.map_or(0, |l| l + 1)).enumerate() {
            write!(f, "{} {}", if k == 0 { "" } else { "," }, In(n, *s))?;
        }
        if let Some(at) = i.at {
            write!(f, " at {}", n.place(at))?;
        }
        if let Some(c) = i.call {
            write!(f, " routine {}: {} words, overwrites {}", c.routine, c.args, c.gprs)?;
        }
        if let Some(c) = i.carry {
            write!(f, " carry {}", n.name_of(c))?;
        }
        if let Some(g) = i.guard {
            let fresh = if i.fresh { " fresh" } else { "" };
            write!(f, " if {}{fresh}", In(n, g))?;
        }
        Ok(())
    }
}

/// `IAdd { kind: Add, width: W32, sat: false }` as `IAdd.Add.W32`: modifiers that are off left out.
fn operation(debug: &str) -> String {
    let Some((name, rest)) = debug.split_once(" { ") else {
        return debug.into();
    };
    if rest.starts_with("at:") {
        return name.into();
    }
    let mut text = name.to_string();
    for field in rest.trim_end_matches(" }").split(", ") {
        match field.split_once(": ") {
            Some((_, "false" | "Nearest")) => {}
            Some((key, "true")) => text.extend([".", key]),
            Some((key @ ("lanes" | "cond" | "space" | "shift" | "id"), v)) => {
                text.extend([".", key, v]);
            }
            Some((_, v)) => text.extend([".", v]),
            None => text.extend([".", field]),
        }
    }
    text
}

impl Display for In<'_, Term> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let how = |d: bool| if d { "divergent " } else { "" };
        match self.1 {
            Term::Jump(b) => write!(f, "jump b{}", b.0),
            Term::Branch { guard, then, other, divergent } => {
                let g = In(self.0, guard);
                write!(f, "{}branch {g}, b{}, b{}", how(divergent), then.0, other.0)
            }
            Term::ReturnIf { guard, other, divergent } => {
                let g = In(self.0, guard);
                write!(f, "{}return if {g}, b{}", how(divergent), other.0)
            }
            Term::Any { guard, then, other } => {
                let g = In(self.0, guard);
                write!(f, "any {g}, b{}, b{}", then.0, other.0)
            }
            Term::Return => f.write_str("return"),
            Term::Trap => f.write_str("trap"),
        }
    }
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let entry = self.name_of(self.entry);
        write!(f, "kernel {} (R0 in {entry}", self.name)?;
        writeln!(f, ", local {} bytes)", self.local_bytes)?;
        for (r, class) in self.regs.iter().enumerate() {
            if let Class::Gpr(n @ 2..) = class {
                writeln!(f, "  v{r}: {n} words")?;
            }
        }
        for (b, block) in self.blocks.iter().enumerate() {
            write!(f, "b{b}:")?;
            if block.loop_depth > 0 {
                write!(f, "  // loop depth {}", block.loop_depth)?;
            }
            writeln!(f)?;
            for i in &block.insts {
                writeln!(f, "    {}", In(self, i))?;
            }
            writeln!(f, "    {}", In(self, block.term))?;
        }
        Ok(())
    }
}
