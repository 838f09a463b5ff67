//! What holds of every design: widths fit, operands stand before their use, every signal has one driver,
//! no latch, ports of instances are those of their modules.

use crate::design::Design;
use crate::expr::{Binary, Expr, Kind};
use crate::id::{ExprId, SignalId};
use crate::module::{Body, Memory, MemoryStyle, Module, Signal, SignalKind, Stmt, Tap};
use std::collections::{BTreeSet, HashMap, HashSet};
use warpsmith_contract::Direction;

/// Bits that a signal, an expression or a memory's word may have.
pub const MAX_WIDTH: u32 = 1 << 20;

/// Words that a memory may have.
pub const MAX_DEPTH: u32 = 1 << 28;

/// Instances that a chip may have.
pub const MAX_INSTANCES: u64 = 1 << 20;

/// A mistake in a block's description or in a design.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// An output or a child's input without a value.
    #[error("{block}: nothing drives {signal}")]
    Undriven { block: String, signal: String },
    /// A value that is missing under some condition.
    #[error("{block}: {signal} keeps its old value on some path (a latch)")]
    Latch { block: String, signal: String },
    /// A register without a next value.
    #[error("{block}: nothing ever writes register {signal}")]
    NeverWritten { block: String, signal: String },
    /// Anything else, with its place in the module.
    #[error("{block}: {place}: {what}")]
    Wrong { block: String, place: String, what: String },
}

/// Whether every path through the statements gives `signal` a value.
pub(crate) fn complete(statements: &[Stmt], signal: SignalId) -> bool {
    statements.iter().any(|s| match s {
        Stmt::Set(t, _) => *t == signal,
        Stmt::If(_, yes, no) => complete(yes, signal) && complete(no, signal),
    })
}

/// Signals that a statement assigns.
pub(crate) fn targets(statement: &Stmt) -> BTreeSet<SignalId> {
    let mut set = BTreeSet::new();
    statement.targets(&mut |s| {
        set.insert(s);
    });
    set
}

/// Checks every module, the ports of every instance, and the counts of instances.
///
/// # Errors
/// The first mistake.
pub fn design(design: &Design) -> Result<(), CheckError> {
    let count = design.modules.len();
    if count == 0 {
        return wrong("design", "modules", "there is none");
    }
    let mut names = HashSet::new();
    for (i, module) in design.modules.iter().enumerate() {
        let name = &module.name;
        identifier(name, "name", name)?;
        if !names.insert(name) {
            return wrong(name, "name", "another module bears it");
        }
        body(name, &module.body)?;
        children(module, &design.modules[..i])?;
    }
    // Of every module, from the top to what stands first.
    let mut instances = vec![0u64; count];
    instances[count - 1] = 1;
    for (i, module) in design.modules.iter().enumerate().rev() {
        let n = instances[i];
        if n != u64::from(module.instances) {
            let what = format!("there are {n}, not {}", module.instances);
            return wrong(&module.name, "instances", what);
        }
        for child in &module.body.children {
            instances[child.module.0 as usize] += n;
        }
        // Each sum is within the bound, so no product of them overflows.
        if instances[..i].iter().sum::<u64>() > MAX_INSTANCES {
            let what = format!("a chip has at most {MAX_INSTANCES}");
            return wrong(&module.name, "instances", what);
        }
    }
    Ok(())
}

/// Checks instances against the modules that stand before this one.
fn children(module: &Module, before: &[Module]) -> Result<(), CheckError> {
    let (name, body) = (&module.name, &module.body);
    let mut labels = HashSet::new();
    let memory = body.memory.is_some();
    let mut clock = memory || body.registers().next().is_some();
    let reset = |(_, s): (_, &Signal)| matches!(s.kind, SignalKind::Reg { reset: Some(_) });
    let mut reset = body.registers().any(reset);
    let mut nets: Vec<Vec<&Signal>> = vec![vec![]; body.children.len()];
    for signal in &body.signals {
        if let SignalKind::Child { child, .. } = signal.kind {
            match nets.get_mut(child as usize) {
                Some(list) => list.push(signal),
                None => {
                    let what = format!("there is no child {child}");
                    return wrong(name, &signal.name, what);
                }
            }
        }
    }
    for (child, nets) in body.children.iter().zip(nets) {
        let place = format!("instance {}", child.instance);
        identifier(name, &place, &child.instance)?;
        identifier(name, &place, &child.block)?;
        if !labels.insert(&child.instance) {
            return wrong(name, &place, "another instance bears this name");
        }
        let Some(below) = before.get(child.module.0 as usize) else {
            let what = format!("module {} does not stand before this one", child.module.0);
            return wrong(name, &place, what);
        };
        clock |= below.clock;
        reset |= below.reset;
        let ports: Vec<&Signal> = below.body.ports().map(|(_, s)| s).collect();
        if ports.len() != nets.len() {
            let what = format!("{} nets at {} ports", nets.len(), ports.len());
            return wrong(name, &place, what);
        }
        for (port, net) in ports.iter().zip(nets) {
            let input = matches!(net.kind, SignalKind::Child { direction: Direction::Input, .. });
            if port.width != net.width || (port.kind == SignalKind::Input) != input {
                let what = format!(
                    "net {} of {} bits at port {} of {} bits, or another direction",
                    net.name, net.width, port.name, port.width
                );
                return wrong(name, &place, what);
            }
        }
    }
    for (what, said, is) in [("clock", module.clock, clock), ("reset", module.reset, reset)] {
        if said != is {
            return wrong(name, what, format!("{is}, not {said}"));
        }
    }
    Ok(())
}

/// Checks the contents of a module; its children are checked with the design.
///
/// # Errors
/// The first mistake.
pub fn body(block: &str, body: &Body) -> Result<(), CheckError> {
    let check = Check { block, body };
    check.signals()?;
    check.exprs()?;
    check.wires()?;
    check.drivers()?;
    check.clocked()?;
    match &body.memory {
        Some(memory) => check.memory(memory),
        None => Ok(()),
    }
}

struct Check<'a> {
    block: &'a str,
    body: &'a Body,
}

impl Check<'_> {
    fn wrong<T>(&self, place: impl Into<String>, what: impl Into<String>) -> Result<T, CheckError> {
        wrong(self.block, place, what)
    }

    fn name(&self, s: SignalId) -> String {
        self.body.signal(s).name.clone()
    }

    fn signals(&self) -> Result<(), CheckError> {
        let mut names = HashSet::new();
        for s in &self.body.signals {
            identifier(self.block, &s.name, &s.name)?;
            if !names.insert(&s.name) {
                return self.wrong(&s.name, "another signal bears this name");
            }
            if s.width == 0 || s.width > MAX_WIDTH {
                let what = format!("{} bits; a signal has 1 to {MAX_WIDTH}", s.width);
                return self.wrong(&s.name, what);
            }
            if let SignalKind::Reg { reset: Some(v) } = s.kind {
                if s.width < 64 && v >> s.width != 0 {
                    let what = format!("reset value {v} does not fit {} bits", s.width);
                    return self.wrong(&s.name, what);
                }
            }
        }
        Ok(())
    }

    fn exprs(&self) -> Result<(), CheckError> {
        for (i, expr) in self.body.exprs.iter().enumerate() {
            if let Err(what) = self.expr(i, expr) {
                return self.wrong(format!("expression {i}"), what);
            }
        }
        Ok(())
    }

    fn expr(&self, i: usize, expr: &Expr) -> Result<(), String> {
        let mut later = None;
        expr.kind.operands(|o| {
            if o.0 as usize >= i {
                later = Some(o.0);
            }
        });
        if let Some(o) = later {
            return Err(format!("operand {o} does not stand before it"));
        }
        let width = |e: ExprId| u64::from(self.body.expr(e).width);
        match &expr.kind {
            Kind::Signal(s) => match self.body.signals.get(s.0 as usize) {
                Some(s) if s.kind == SignalKind::Tap => {
                    return Err(format!("{} is a tap, which only its tap reads", s.name))
                }
                Some(s) if s.width == expr.width => {}
                Some(s) => return Err(format!("{} bits of {}, which has {}", expr.width, s.name, s.width)),
                None => return Err(format!("there is no signal {}", s.0)),
            },
            Kind::Lit(v) => {
                if expr.width < 128 && v >> expr.width != 0 {
                    return Err(format!("constant {v:#x} does not fit {} bits", expr.width));
                }
            }
            Kind::Slice(a, lo) => {
                self.part_of(*a)?;
                let end = u64::from(*lo) + u64::from(expr.width);
                if end > width(*a) {
                    return Err(format!("bits up to {end} of {}", width(*a)));
                }
            }
            Kind::Select(a, _) => {
                self.part_of(*a)?;
                if u64::from(expr.width) > width(*a) {
                    return Err(format!("{} bits of {}", expr.width, width(*a)));
                }
            }
            Kind::Binary(op, a, b) => {
                let shift = matches!(op, Binary::Shl | Binary::Shr);
                if !shift && width(*a) != width(*b) {
                    let (a, b) = (width(*a), width(*b));
                    return Err(format!("{} of {a} and {b} bits", op.name()));
                }
            }
            Kind::Mux(c, a, b) => {
                if width(*c) != 1 || width(*a) != width(*b) {
                    let (c, a, b) = (width(*c), width(*a), width(*b));
                    return Err(format!("a choice by {c} bits between {a} and {b} bits"));
                }
            }
            Kind::Cat(_) | Kind::Repeat(..) | Kind::Not(_) | Kind::Any(_) | Kind::All(_) => {}
        }
        let said = u64::from(expr.width);
        let needed = expr.kind.width(width).unwrap_or(said);
        if said == 0 || said > MAX_WIDTH.into() || said != needed {
            return Err(format!("{said} bits, its operands make {needed}"));
        }
        Ok(())
    }

    /// Verilog selects bits of names alone.
    fn part_of(&self, e: ExprId) -> Result<(), String> {
        match self.body.expr(e).kind {
            Kind::Signal(_) => Ok(()),
            _ => Err(format!("a part of expression {}, which is no signal", e.0)),
        }
    }

    /// The expression of an assignment is there and as wide as its target.
    fn fits(&self, s: SignalId, e: ExprId) -> Result<(), CheckError> {
        let signal = self.body.signal(s);
        match self.body.exprs.get(e.0 as usize) {
            Some(expr) if expr.width == signal.width => Ok(()),
            Some(expr) => {
                let what = format!("{} bits, its value has {}", signal.width, expr.width);
                self.wrong(&signal.name, what)
            }
            None => self.wrong(&signal.name, format!("there is no expression {}", e.0)),
        }
    }

    /// Every named value is given once, in the order of the signals, and reads only those before it.
    fn wires(&self) -> Result<(), CheckError> {
        if let Some(pair) = self.body.wires.windows(2).find(|p| p[0].0 >= p[1].0) {
            let what = "two values, or one that stands before an earlier signal's";
            return self.wrong(self.name(pair[1].0), what);
        }
        let positions = self.body.wires.iter().enumerate();
        let position: HashMap<SignalId, usize> = positions.map(|(i, (s, _))| (*s, i)).collect();
        // Behind the last named value that an expression reads.
        let mut behind = vec![0; self.body.exprs.len()];
        for (i, expr) in self.body.exprs.iter().enumerate() {
            let mut last = match expr.kind {
                Kind::Signal(s) if self.body.signal(s).kind == SignalKind::Wire => match position.get(&s) {
                    Some(p) => p + 1,
                    None => return self.undriven(s),
                },
                _ => 0,
            };
            expr.kind.operands(|o| last = last.max(behind[o.0 as usize]));
            behind[i] = last;
        }
        for (i, (s, e)) in self.body.wires.iter().enumerate() {
            self.fits(*s, *e)?;
            if self.body.signal(*s).kind != SignalKind::Wire {
                return self.wrong(self.name(*s), "a named value is a wire");
            }
            if behind[e.0 as usize] > i {
                return self.wrong(self.name(*s), "reads a named value that stands after it");
            }
        }
        let unnamed = |(s, signal): &(SignalId, &Signal)| signal.kind == SignalKind::Wire && !position.contains_key(s);
        match self.body.numbered().find(unnamed) {
            Some((s, _)) => self.undriven(s),
            None => Ok(()),
        }
    }

    fn undriven<T>(&self, s: SignalId) -> Result<T, CheckError> {
        Err(CheckError::Undriven { block: self.block.into(), signal: self.name(s) })
    }

    /// Every output, input of a child and tapped value has one driver, without a latch.
    fn drivers(&self) -> Result<(), CheckError> {
        let mut driven = HashSet::new();
        let mut drive = |s: SignalId| match driven.insert(s) {
            true => Ok(()),
            false => self.wrong(self.name(s), "two drivers"),
        };
        // Taps drive outputs; what drove these drives taps.
        let mut tapped = HashSet::new();
        for tap in &self.body.taps {
            let (output, others) = match *tap {
                Tap::Saboteur { output, raw, keep, flip } => (output, vec![raw, keep, flip]),
                Tap::Held { output, held } => (output, vec![held]),
            };
            let wide = |s: SignalId| self.body.signal(s).width;
            for s in &others {
                let tap = self.body.signal(*s).kind == SignalKind::Tap && tapped.insert(*s);
                if !tap || wide(*s) != wide(output) {
                    return self.wrong(self.name(*s), "no tap of its output alone");
                }
            }
            if self.body.signal(output).kind != SignalKind::Output {
                return self.wrong(self.name(output), "taps are of outputs");
            }
            drive(output)?;
            // Masks are the simulator's.
            others.iter().skip(1).try_for_each(|s| drive(*s))?;
        }
        for (s, e) in &self.body.assigns {
            self.fits(*s, *e)?;
            drive(*s)?;
        }
        let resets = |(_, s): (SignalId, &Signal)| matches!(s.kind, SignalKind::Reg { reset: Some(_) });
        for (e, says) in &self.body.assertions {
            let place = format!("assertion `{says}`");
            match self.body.expr(*e).width {
                1 if self.body.registers().any(resets) => {}
                1 => return self.wrong(place, "no register with a reset value: there is no reset to wait for"),
                w => return self.wrong(place, format!("{w} bits; an assertion has 1")),
            }
        }
        for process in &self.body.processes {
            self.statements(process)?;
            let all: BTreeSet<SignalId> = process.iter().flat_map(targets).collect();
            for s in all {
                drive(s)?;
                if !complete(process, s) {
                    return Err(CheckError::Latch { block: self.block.into(), signal: self.name(s) });
                }
            }
        }
        for read in self.body.memory.iter().flat_map(|m| &m.reads) {
            drive(read.data)?;
        }
        for (s, signal) in self.body.numbered() {
            let drivable = matches!(
                signal.kind,
                SignalKind::Output | SignalKind::Tap | SignalKind::Child { direction: Direction::Input, .. }
            );
            match (drivable, driven.contains(&s)) {
                (true, false) => return self.undriven(s),
                (false, true) => return self.wrong(&signal.name, "is not driven here"),
                _ => {}
            }
            if signal.kind == SignalKind::Tap && !tapped.contains(&s) {
                return self.wrong(&signal.name, "a tap of nothing");
            }
        }
        Ok(())
    }

    fn clocked(&self) -> Result<(), CheckError> {
        self.statements(&self.body.clocked)?;
        let written: BTreeSet<SignalId> = self.body.clocked.iter().flat_map(targets).collect();
        for (s, signal) in self.body.numbered() {
            match (signal.kind, written.contains(&s)) {
                (SignalKind::Reg { .. }, false) => {
                    return Err(CheckError::NeverWritten { block: self.block.into(), signal: self.name(s) })
                }
                (SignalKind::Reg { .. }, true) | (_, false) => {}
                (_, true) => return self.wrong(&signal.name, "clocked, but no register"),
            }
        }
        Ok(())
    }

    fn statements(&self, list: &[Stmt]) -> Result<(), CheckError> {
        for statement in list {
            match statement {
                Stmt::Set(s, e) => self.fits(*s, *e)?,
                Stmt::If(c, yes, no) => {
                    match self.body.exprs.get(c.0 as usize) {
                        Some(e) if e.width == 1 => {}
                        _ => {
                            let place = format!("expression {}", c.0);
                            return self.wrong(place, "a condition has one bit");
                        }
                    }
                    self.statements(yes)?;
                    self.statements(no)?;
                }
            }
        }
        Ok(())
    }

    fn memory(&self, m: &Memory) -> Result<(), CheckError> {
        let no = |what: String| self.wrong("memory", what);
        let b = self.body;
        let alone = b.exprs.is_empty() && b.children.is_empty() && b.clocked.is_empty();
        if !alone || b.registers().next().is_some() {
            return no("it is the whole of its module".into());
        }
        if m.depth == 0 || m.depth > MAX_DEPTH || m.width == 0 || m.width > MAX_WIDTH {
            return no(format!("{} words of {} bits", m.depth, m.width));
        }
        if m.granule == 0 || m.width % m.granule != 0 {
            return no(format!("granules of {} bits in {}", m.granule, m.width));
        }
        let fits = |w: &u64| m.width >= 64 || w >> m.width == 0;
        match (&m.write, m.words.len()) {
            (Some(_), 0) => {}
            (None, n) if n != m.depth as usize || m.width > 64 => {
                return no(format!("{n} constants for {} words of {} bits", m.depth, m.width))
            }
            (None, _) if m.words.iter().all(fits) => {}
            _ => return no("a write port and constants, or a constant that does not fit".into()),
        }
        if (m.style == MemoryStyle::Table) != m.write.is_none() && m.style != MemoryStyle::Lut {
            return no("constants in block RAM are a table, anything else is none".into());
        }
        let port = |s: SignalId, width: Option<u32>, input: bool| {
            let signal = b.signal(s);
            let kind = match input {
                true => signal.kind == SignalKind::Input,
                false => matches!(signal.kind, SignalKind::Output | SignalKind::Tap),
            };
            match kind && width.is_none_or(|w| w == signal.width) && (!input || signal.width <= 64) {
                true => Ok(()),
                false => self.wrong(&signal.name, "no port of the memory, or of another width"),
            }
        };
        for read in &m.reads {
            port(read.address, None, true)?;
            port(read.data, Some(m.width), false)?;
            match (m.style, read.enable) {
                (MemoryStyle::Block, Some(enable)) => port(enable, Some(1), true)?,
                (MemoryStyle::Lut | MemoryStyle::Table, None) => {}
                _ => return no("block RAM has read enables, nothing else has".into()),
            }
        }
        if let Some(w) = &m.write {
            port(w.address, None, true)?;
            // Data and enables may be wider than 64 bits.
            for (s, width) in [(w.data, m.width), (w.enable, m.width / m.granule)] {
                let signal = b.signal(s);
                if signal.kind != SignalKind::Input || signal.width != width {
                    return self.wrong(&signal.name, format!("no input of {width} bits"));
                }
            }
        }
        Ok(())
    }
}

fn wrong<T>(block: &str, place: impl Into<String>, what: impl Into<String>) -> Result<T, CheckError> {
    Err(CheckError::Wrong { block: block.into(), place: place.into(), what: what.into() })
}

/// Refuses what Verilog takes for no name.
fn identifier(block: &str, place: &str, name: &str) -> Result<(), CheckError> {
    let letter = |b: u8| b.is_ascii_alphanumeric() || b"_$".contains(&b);
    match !name.is_empty() && name.len() <= 1024 && name.bytes().all(letter) {
        true => Ok(()),
        false => wrong(block, place, format!("`{}` is no name", name.escape_debug())),
    }
}
