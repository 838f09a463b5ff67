//! `netlist.json`: the design itself as a file (`docs/netlist.md`; [`crate::read::netlist`] reads it).

use crate::design::Design;
use crate::expr::{Expr, Kind};
use crate::module::{Body, Child, Memory, Module, Signal, SignalId, SignalKind, Stmt, Tap};
use serde_json::{json, Value};
use std::fmt::Write;
use warpsmith_contract::Direction;

/// Name of the format, the first key of a file.
pub const FORMAT: &str = "warpsmith-netlist";

/// Version of the format.
pub const VERSION: u64 = 1;

/// The whole file; a module is a few lines, a part of it one.
pub fn file(design: &Design) -> String {
    let modules: Vec<String> = design.modules.iter().map(module).collect();
    format!(
        "{{\"format\":\"{FORMAT}\",\"version\":{VERSION},\"modules\":[\n{}\n]}}\n",
        modules.join(",\n")
    )
}

fn module(m: &Module) -> String {
    let body = &m.body;
    let mut o = format!(
        "{{\"name\":{},\"source\":{},\"instances\":{},\"clock\":{},\"reset\":{},\"open\":{}",
        json!(m.name),
        json!(m.source),
        m.instances,
        m.clock,
        m.reset,
        body.open
    );
    let mut part = |name: &str, list: Vec<Value>| {
        if !list.is_empty() {
            write!(o, ",\n\"{name}\":{}", Value::Array(list)).unwrap();
        }
    };
    part("header", m.header.iter().map(|l| json!(l)).collect());
    part("signals", body.signals.iter().map(signal).collect());
    let exprs = body.exprs.iter();
    part("exprs", exprs.map(|e| expr(body, e)).collect());
    let pairs = |list: &[(SignalId, crate::expr::ExprId)]| -> Vec<Value> {
        list.iter().map(|(s, e)| json!([s, e])).collect()
    };
    part("wires", pairs(&body.wires));
    part("assigns", pairs(&body.assigns));
    let processes = body.processes.iter();
    part(
        "processes",
        processes.map(|p| json!(statements(p))).collect(),
    );
    part("clocked", statements(&body.clocked));
    part("taps", body.taps.iter().map(tap).collect());
    part("children", body.children.iter().map(child).collect());
    if let Some(m) = &body.memory {
        write!(o, ",\n\"memory\":{}", memory(m)).unwrap();
    }
    o.push('}');
    o
}

fn signal(s: &Signal) -> Value {
    let (name, width) = (&s.name, s.width);
    match s.kind {
        SignalKind::Input => json!([name, width, "in"]),
        SignalKind::Output => json!([name, width, "out"]),
        SignalKind::Reg { reset: None } => json!([name, width, "reg"]),
        SignalKind::Reg { reset: Some(v) } => json!([name, width, "reg", format!("{v:x}")]),
        SignalKind::Wire => json!([name, width, "wire"]),
        SignalKind::Child { child, direction } => match direction {
            Direction::Input => json!([name, width, "to", child]),
            Direction::Output => json!([name, width, "from", child]),
        },
        SignalKind::Tap => json!([name, width, "tap"]),
    }
}

fn expr(body: &Body, e: &Expr) -> Value {
    let width = e.width;
    match &e.kind {
        // As wide as the signal.
        Kind::Signal(s) => {
            debug_assert_eq!(body.signal(*s).width, width);
            json!(s)
        }
        Kind::Lit(v) => json!([width, format!("{v:x}")]),
        Kind::Cat(parts) => {
            let mut list = vec![json!("cat"), json!(width)];
            list.extend(parts.iter().map(|p| json!(p)));
            Value::Array(list)
        }
        Kind::Repeat(n, a) => json!(["rep", width, n, a]),
        Kind::Slice(a, lo) => json!(["slice", width, a, lo]),
        Kind::Select(a, index) => json!(["sel", width, a, index]),
        Kind::Not(a) => json!(["not", width, a]),
        Kind::Any(a) => json!(["any", width, a]),
        Kind::All(a) => json!(["all", width, a]),
        Kind::Binary(op, a, b) => json!([op.name(), width, a, b]),
        Kind::Mux(c, a, b) => json!(["mux", width, c, a, b]),
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
        Tap::Saboteur {
            output,
            raw,
            keep,
            flip,
        } => json!(["saboteur", output, raw, keep, flip]),
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
    json!({
        "depth": m.depth,
        "width": m.width,
        "granule": m.granule,
        "style": m.style.name(),
        "rdw_dont_care": m.rdw_dont_care,
        "reads": m.reads.iter().map(read).collect::<Vec<_>>(),
        "write": m.write.as_ref().map(|w| json!([w.address, w.data, w.enable])),
        "words": words.collect::<Vec<_>>(),
    })
}
