//! `netlist.json`: the design itself as a file (`docs/netlist.md`; [`crate::read::netlist`] reads it).

use crate::design::Design;
use crate::expr::{Expr, Kind};
use crate::id::{ExprId, SignalId};
use crate::module::{Body, Child, Memory, Module, Signal, SignalKind, Stmt, Tap};
use serde_json::{json, Value};
use std::collections::HashMap;
use std::fmt::Write;
use warpsmith_contract::Direction;

/// Name of the format, the first key of a file.
pub const FORMAT: &str = "warpsmith-netlist";

/// Version of the format.
pub const VERSION: u64 = 1;

/// Expressions within an expression, one in the other: readers of JSON take 128 levels.
pub(crate) const NESTED: usize = 32;

/// The whole file; a module is a few lines, a part of it one.
pub fn file(design: &Design) -> String {
    let mut headers: Vec<&[String]> = vec![];
    let mut modules = vec![];
    for m in &design.modules {
        let known = headers.iter().position(|h| *h == m.header);
        let header = known.unwrap_or_else(|| {
            headers.push(&m.header);
            headers.len() - 1
        });
        modules.push(module(design, m, header));
    }
    let headers: Vec<String> = headers.iter().map(|h| json!(h).to_string()).collect();
    format!(
        "{{\"format\":\"{FORMAT}\",\"version\":{VERSION},\"headers\":[\n{}\n],\"modules\":[\n{}\n]}}\n",
        headers.join(",\n"),
        modules.join(",\n")
    )
}

fn module(design: &Design, m: &Module, header: usize) -> String {
    let body = &m.body;
    let mut o = format!(
        "{{\"name\":{},\"source\":{},\"header\":{header},\"instances\":{},\"clock\":{},\"reset\":{},\"open\":{}",
        json!(m.name),
        json!(m.source),
        m.instances,
        m.clock,
        m.reset,
        body.open
    );
    if body.kept {
        o += ",\"kept\":true";
    }
    let mut part = |name: &str, list: Vec<Value>| {
        if !list.is_empty() {
            write!(o, ",\n\"{name}\":{}", Value::Array(list)).unwrap();
        }
    };
    let values: HashMap<SignalId, ExprId> = body.wires.iter().copied().collect();
    let children = (0..).zip(&body.children);
    let mut nets: Vec<_> = children.map(|(i, c)| nets(design, i, c)).collect();
    let signals = body.numbered().map(|(id, s)| {
        let SignalKind::Child { child, .. } = s.kind else {
            return signal(s, values.get(&id).copied());
        };
        // A net that is called as its port is said by its child alone.
        match nets[child as usize].next() {
            Some(named) if named == *s => json!([child]),
            _ => signal(s, None),
        }
    });
    part("signals", signals.collect());
    part("sections", body.sections.iter().map(|(s, title)| json!([s, title])).collect());
    part("exprs", exprs(body));
    let assigns = body.assigns.iter();
    part("assigns", assigns.map(|(s, e)| json!([s, e])).collect());
    let processes = body.processes.iter();
    part("processes", processes.map(|p| json!(statements(p))).collect());
    part("clocked", statements(&body.clocked));
    part("assertions", body.assertions.iter().map(|(e, says)| json!([e, says])).collect());
    part("taps", body.taps.iter().map(tap).collect());
    part("children", body.children.iter().map(child).collect());
    if let Some(m) = &body.memory {
        write!(o, ",\n\"memory\":{}", memory(m)).unwrap();
    }
    o.push('}');
    o
}

/// Nets at the ports of a child as they are usually called.
fn nets<'a>(design: &'a Design, i: u32, child: &'a Child) -> impl Iterator<Item = Signal> + 'a {
    let ports = design.module(child.module).body.ports();
    ports.map(move |(_, port)| Signal::at_port(i, &child.instance, port))
}

/// `value`: of a named value.
fn signal(s: &Signal, value: Option<ExprId>) -> Value {
    let (name, width) = (&s.name, s.width);
    match s.kind {
        SignalKind::Input => json!([name, width, "in"]),
        SignalKind::Output => json!([name, width, "out"]),
        SignalKind::Reg { reset: None } => json!([name, width, "reg"]),
        SignalKind::Reg { reset: Some(v) } => json!([name, width, "reg", format!("{v:x}")]),
        // Its value, which every named value has.
        SignalKind::Wire => json!([name, width, value]),
        SignalKind::Child { child, direction } => match direction {
            Direction::Input => json!([name, width, "to", child]),
            Direction::Output => json!([name, width, "from", child]),
        },
        SignalKind::Tap => json!([name, width, "tap"]),
    }
}

/// All expressions: one that stands directly before the one that uses it stands within it.
fn exprs(body: &Body) -> Vec<Value> {
    // What is not yet within another: its text, number of its first part, and levels.
    let mut open: Vec<(Value, usize, usize)> = vec![];
    for (i, e) in body.exprs.iter().enumerate() {
        let mut operands = vec![];
        e.kind.operands(|o| operands.push(o));
        let mut written: Vec<Value> = operands.iter().map(|o| json!(o)).collect();
        let (mut first, mut levels) = (i, 1);
        for (operand, written) in operands.iter().zip(&mut written).rev() {
            // The last part that is open ends where the next one begins.
            let (Some((_, _, below)), next) = (open.last(), operand.0 as usize + 1) else {
                break;
            };
            if next == first && *below < NESTED {
                let (value, from, below) = open.pop().expect("there is one");
                (*written, first) = (value, from);
                levels = levels.max(below + 1);
            }
        }
        open.push((expr(e, written), first, levels));
    }
    open.into_iter().map(|(value, ..)| value).collect()
}

fn expr(e: &Expr, operands: Vec<Value>) -> Value {
    let width = e.width;
    let op = |name: &str, before: &[u32], after: &[u32]| {
        let mut list = vec![json!(name)];
        list.extend(before.iter().map(|n| json!(n)));
        list.extend(operands.clone());
        list.extend(after.iter().map(|n| json!(n)));
        Value::Array(list)
    };
    match &e.kind {
        Kind::Signal(s) => json!([s]),
        Kind::Lit(v) => json!([width, format!("{v:x}")]),
        Kind::Cat(_) => op("cat", &[], &[]),
        Kind::Repeat(n, _) => op("rep", &[*n], &[]),
        Kind::Slice(_, lo) => op("[]", &[], &[*lo, width]),
        Kind::Select(..) => op("sel", &[], &[width]),
        Kind::Not(_) => op("~", &[], &[]),
        Kind::Any(_) => op("any", &[], &[]),
        Kind::All(_) => op("all", &[], &[]),
        Kind::Binary(b, ..) => op(b.name(), &[], &[]),
        Kind::Mux(..) => op("?", &[], &[]),
    }
}

/// A chain of conditions is one statement: condition, statements, condition, statements, … and what is
/// done when none holds.
fn statements(list: &[Stmt]) -> Vec<Value> {
    let statement = |s: &Stmt| {
        let (mut c, mut yes, mut no) = match s {
            Stmt::Set(s, e) => return json!([s, e]),
            Stmt::If(c, yes, no) => (c, yes, no),
        };
        let mut chain = vec![json!(c), json!(statements(yes))];
        while let [Stmt::If(next, y, n)] = &no[..] {
            (c, yes, no) = (next, y, n);
            chain.extend([json!(c), json!(statements(yes))]);
        }
        if !no.is_empty() {
            chain.push(json!(statements(no)));
        }
        Value::Array(chain)
    };
    list.iter().map(statement).collect()
}

fn tap(t: &Tap) -> Value {
    match *t {
        Tap::Saboteur { output, raw, keep, flip } => json!(["saboteur", output, raw, keep, flip]),
        Tap::Held { output, held } => json!(["held", output, held]),
    }
}

fn child(c: &Child) -> Value {
    json!([c.instance, c.block, c.module])
}

fn memory(m: &Memory) -> Value {
    let read = |r: &crate::module::ReadPort| match r.enable {
        Some(enable) => json!([r.address, r.data, enable]),
        None => json!([r.address, r.data]),
    };
    let words = m.words.iter().map(|w| format!("{w:x}"));
    let mut value = json!({
        "depth": m.depth,
        "width": m.width,
        "granule": m.granule,
        "style": m.style.name(),
        "rdw_dont_care": m.rdw_dont_care,
        "reads": m.reads.iter().map(read).collect::<Vec<_>>(),
        "write": m.write.as_ref().map(|w| json!([w.address, w.data, w.enable])),
        "words": words.collect::<Vec<_>>(),
    });
    if m.zeroed {
        value["zeroed"] = true.into();
    }
    value
}
