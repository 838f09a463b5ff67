//! Operand fields against an independent decoder's readings.

use warpsmith_conformance as conformance;
use warpsmith_isa::*;

fn reg(prefix: &str, n: u8) -> String {
    format!("${prefix}{n}")
}

fn half(h: u8) -> String {
    format!("$r{}{}", h >> 1, if h & 1 == 1 { 'h' } else { 'l' })
}

fn mem(space: &str, m: MemRef) -> String {
    let off = format!("{:#x}", i64::from(m.offset));
    let a = if m.areg == 0 { "0x0".into() } else { reg("a", m.areg) };
    match (m.post_inc, m.areg) {
        (true, _) => format!("{space}[{a}++{off}]"),
        (false, 0) => format!("{space}[{off}]"),
        (false, _) if m.offset == 0 => format!("{space}[{a}]"),
        _ => format!("{space}[{a}+{off}]"),
    }
}

fn source(s: Src) -> String {
    match s {
        Src::None => String::new(),
        Src::Reg(r) => reg("r", r),
        Src::Half(h) => half(h),
        Src::Imm(v) => format!("{v:#x}"),
        Src::Shared(m) => mem("s", m),
        Src::Const { bank, at } => mem(&format!("c{bank}"), at),
        Src::Addr(0) => "0x0".into(),
        Src::Addr(a) => reg("a", a),
        Src::Cc(c) => reg("c", c),
        Src::Special(n) => match arch::SPECIAL_NAMES[n as usize] {
            "" => format!("$sr{n}"),
            name => format!("${}", name.to_lowercase()),
        },
    }
}

/// The operands of an instruction in the order the reference prints them.
fn operands(i: &Instr) -> Vec<String> {
    let mut o = Vec::new();
    o.extend(i.cdst.map(|c| reg("c", c)));
    let store = match i.op {
        Op::StShared { at, .. } => Some(mem("s", at)),
        Op::StLocal { at } => Some(mem("l", at)),
        Op::StGlobal { space, .. } => Some(format!("g{space}[{}]", source(i.src[0]))),
        _ => None,
    };
    o.extend(store);
    match i.dst {
        Dst::None => {}
        Dst::Reg(r) => o.push(reg("r", r)),
        Dst::Half(h) => o.push(half(h)),
        Dst::Pair(r) => o.push(format!("$r{r}d")),
        Dst::Quad(r) => o.push(format!("$r{r}q")),
        Dst::Addr(0) => o.push("0x0".into()),
        Dst::Addr(a) => o.push(reg("a", a)),
        Dst::Cc(c) => o.push(reg("c", c)),
        Dst::Discard => o.push("#".into()),
        Dst::Out(n) => o.push(format!("o[{n}]")),
    }
    let sized = |s: MemSize, t: String| match s.regs() {
        2 => t + "d",
        4 => t + "q",
        _ => t,
    };
    match i.op {
        Op::LdGlobal { space, .. } => o.push(format!("g{space}[{}]", source(i.src[0]))),
        Op::LdLocal { at } => o.push(mem("l", at)),
        Op::LdShared { at, .. } => o.push(mem("s", at)),
        Op::StGlobal { size, .. } => o.push(sized(size, source(i.src[1]))),
        Op::StLocal { at } => o.push(sized(at.size, source(i.src[0]))),
        _ => o.extend(i.src.iter().map(|s| source(*s)).filter(|s| !s.is_empty())),
    }
    match i.op {
        Op::R2A { shift } => o.push(format!("{shift:#x}")),
        Op::Bra { target } | Op::Cal { target, .. } | Op::Pbk { target } | Op::Ssy { target } => {
            o.push(format!("{target:#x}"));
        }
        Op::Bar { id, mask, .. } => {
            o.push(format!("{id:#x}"));
            o.extend(mask.map(|m| format!("{m:#x}")));
        }
        Op::PmTrig { id } => o.push(format!("{id:#x}")),
        Op::IAdd { kind: AddKind::Addc, .. } | Op::IMad { kind: AddKind::Addc, .. } => {
            o.push(reg("c", i.pred.creg));
        }
        _ => {}
    }
    o
}

#[test]
fn operands_equal_those_of_an_independent_decoder() {
    let rows = conformance::rows("sm10/operands.txt");
    for row in &rows {
        let (words, reading) = (conformance::words(row.column(0)), row.column(1));
        let i = decode(words[0], *words.get(1).unwrap_or(&0)).expect(reading);
        assert_eq!(operands(&i).join(" "), reading, "{}", row.column(0));
    }
    assert!(rows.len() > 300, "{}", rows.len());
}

#[test]
fn the_reduction_stands_behind_the_mnemonic_or_last() {
    for (one, other) in [("RRO.SIN R0, R1;", "RRO R0, R1, SIN;"), ("RRO.EX2 R2, -|R5|;", "RRO R2, -|R5|, EX2;")] {
        let words = |text: &str| {
            let program = warpsmith_isa::assemble(text, "k.sass").unwrap_or_else(|e| panic!("{e}"));
            program.words
        };
        assert_eq!(words(one), words(other), "{one}");
    }
    let e = warpsmith_isa::assemble("RRO.SIN R0, R1, SIN;", "k.sass").unwrap_err();
    assert!(e.to_string().contains("takes 2 operands, found 3"), "{e}");
}
