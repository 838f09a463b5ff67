//! `netlist.json` of an emitted folder (`docs/netlist.md`; [`crate::print::netlist`] writes it).

use super::error::{fault, At, Fault, ReadError};
use crate::check;
use crate::design::Design;
use crate::expr::{Binary, Expr, Kind};
use crate::id::{ExprId, ModuleId, SignalId};
use crate::module::{Body, Child, Memory, MemoryStyle, Module, ReadPort, Signal, SignalKind, Stmt, Tap, WritePort};
use crate::print::netlist::{FORMAT, VERSION};
use serde_json::{Map, Value};
use std::path::Path;
use warpsmith_contract::Direction;

/// What to do about a file that is wrong.
const REMEDY: &str = "`warpsmith emit` writes the folder anew";

/// Reads the text of a netlist file and checks the design ([`check::design`]); `file` is named in errors.
///
/// # Errors
/// [`ReadError`] with file and place: no JSON, another format or version, a missing part, an unknown
/// operation, a reference to nothing, a width that does not fit, an undriven signal, a latch.
pub fn netlist(text: &str, file: &Path) -> Result<Design, ReadError> {
    design(text).map_err(|e| e.error(file, REMEDY))
}

fn design(text: &str) -> Result<Design, Fault> {
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(e) => return fault(format!("no netlist, JSON is needed here ({e})")),
    };
    let file = object(&value)?;
    match file.get("format").and_then(Value::as_str) {
        Some(FORMAT) => {}
        Some(other) => return fault(format!("format is `{other}`, not `{FORMAT}`")),
        None if file.contains_key("creator") => {
            return fault(format!("a netlist of Yosys; format `{FORMAT}` is needed"))
        }
        None => return fault(format!("key `format` with `{FORMAT}` is missing")),
    }
    match number::<u64>(key(file, "version")?).at(|| "version".into())? {
        VERSION => {}
        other => return fault(format!("version is {other}, this program reads {VERSION}")),
    }
    let headers = each(key(file, "headers")?, "headers", |h| each(h, "lines", string))?;
    let mut design = Design { modules: vec![] };
    each(key(file, "modules")?, "modules", |m| {
        let m = object(m)?;
        let name = string(key(m, "name")?).at(|| "name".into())?;
        let module = module(m, name.clone(), &headers, &design.modules);
        design.modules.push(module.at(|| format!("module {name}"))?);
        Ok(())
    })?;
    match check::design(&design) {
        Ok(()) => Ok(design),
        Err(e) => fault(e.to_string()),
    }
}

fn module(m: &Map<String, Value>, name: String, headers: &[Vec<String>], before: &[Module]) -> Result<Module, Fault> {
    let flag = |name: &str| match m.get(name) {
        Some(Value::Bool(b)) => Ok(*b),
        _ => fault(format!("key `{name}` with true or false is missing")),
    };
    let kept = m.contains_key("kept") && flag("kept")?;
    let mut body = Body { open: flag("open")?, kept, ..Body::default() };
    body.children = list(m, "children", child)?;
    let mut wires = vec![];
    let mut nets = Nets { children: &body.children, before, ports: vec![0; body.children.len()] };
    let signals = list(m, "signals", |v| match v.as_array().map(Vec::as_slice) {
        Some([child]) => Ok((nets.next(number(child)?)?, None)),
        _ => {
            let (signal, value) = signal(v)?;
            if let SignalKind::Child { child, .. } = signal.kind {
                nets.next(child)?;
            }
            Ok((signal, value))
        }
    })?;
    for (s, value) in signals {
        let id = body.add_signal(s.name, s.width, s.kind);
        wires.extend(value.map(|e| (id, e)));
    }
    body.sections = list(m, "sections", section)?;
    list(m, "exprs", |v| expr(&mut body, v))?;
    let bounds = Bounds { signals: body.signals.len(), exprs: body.exprs.len() };
    for (s, e) in wires {
        if e.0 as usize >= bounds.exprs {
            let place = || format!("signals[{}]", s.0);
            return fault(format!("there is no expression {}", e.0)).at(place);
        }
        body.wires.push((s, e));
    }
    body.assigns = list(m, "assigns", |v| bounds.pair(v))?;
    body.processes = list(m, "processes", |v| bounds.statements(v))?;
    body.clocked = list(m, "clocked", |v| bounds.statement(v))?;
    body.assertions = list(m, "assertions", |v| bounds.assertion(v))?;
    body.taps = list(m, "taps", |v| bounds.tap(v))?;
    if let Some(value) = m.get("memory") {
        let memory = object(value).and_then(|v| bounds.memory(v));
        body.memory = Some(memory.at(|| "memory".into())?);
    }
    let header: usize = number(key(m, "header")?).at(|| "header".into())?;
    let Some(header) = headers.get(header) else {
        return fault(format!("there is no header {header}"));
    };
    Ok(Module {
        name,
        source: string(key(m, "source")?).at(|| "source".into())?,
        header: header.clone(),
        instances: number(key(m, "instances")?).at(|| "instances".into())?,
        clock: flag("clock")?,
        reset: flag("reset")?,
        body,
    })
}

/// The ports of children, which nets take one after the other.
struct Nets<'a> {
    children: &'a [Child],
    before: &'a [Module],
    /// Ports that have a net, by child.
    ports: Vec<usize>,
}

impl Nets<'_> {
    /// The net at the next port of a child.
    fn next(&mut self, child: u32) -> Result<Signal, Fault> {
        let Some(c) = self.children.get(child as usize) else {
            return fault(format!("there is no child {child}"));
        };
        let Some(module) = self.before.get(c.module.0 as usize) else {
            return fault(format!("module {} of child {child} does not stand before", c.module.0));
        };
        let next = &mut self.ports[child as usize];
        *next += 1;
        match module.body.ports().nth(*next - 1) {
            Some((_, port)) => Ok(Signal::at_port(child, &c.instance, port)),
            None => fault(format!("child {child} has {} ports", *next - 1)),
        }
    }
}

/// A signal, and its value if it is a named one.
fn signal(v: &Value) -> Result<(Signal, Option<ExprId>), Fault> {
    let what = "a signal: [name, width, kind], [name, width, expression] or [child]";
    let [name, width, kind, more @ ..] = array(v, what)? else {
        return fault(format!("{what} is needed"));
    };
    let mut value = None;
    let kind = match (kind.as_str(), more) {
        (None, []) => {
            value = Some(ExprId(number(kind)?));
            SignalKind::Wire
        }
        (Some("in"), []) => SignalKind::Input,
        (Some("out"), []) => SignalKind::Output,
        (Some("tap"), []) => SignalKind::Tap,
        (Some("reg"), []) => SignalKind::Reg { reset: None },
        (Some("reg"), [reset]) => match u64::try_from(hex(reset)?) {
            Ok(reset) => SignalKind::Reg { reset: Some(reset) },
            Err(_) => return fault("a reset value has at most 64 bits"),
        },
        (Some("to"), [child]) => SignalKind::Child { child: number(child)?, direction: Direction::Input },
        (Some("from"), [child]) => SignalKind::Child { child: number(child)?, direction: Direction::Output },
        _ => return fault(format!("no kind of signal: {kind} and {} more", more.len())),
    };
    let signal = Signal { name: string(name)?, width: number(width)?, kind };
    Ok((signal, value))
}

/// Adds an expression behind those that stand within it.
fn expr(body: &mut Body, v: &Value) -> Result<ExprId, Fault> {
    let what = "an expression: [signal], [width, constant] or [operation, operand…]";
    let (kind, said) = match array(v, what)? {
        [signal] if signal.is_u64() => {
            let signal: u32 = number(signal)?;
            match body.signals.get(signal as usize) {
                Some(s) => (Kind::Signal(SignalId(signal)), Some(s.width)),
                None => return fault(format!("there is no signal {signal}")),
            }
        }
        [width, value] if width.is_u64() => (Kind::Lit(hex(value)?), Some(number(width)?)),
        [op, args @ ..] => operation(body, &string(op)?, args)?,
        _ => return fault(format!("{what} is needed")),
    };
    let exprs = &body.exprs;
    let mut later = None;
    kind.operands(|o| later = later.or(Some(o.0).filter(|n| *n as usize >= exprs.len())));
    if let Some(n) = later {
        return fault(format!("operand {n} does not stand before it"));
    }
    let width = kind.width(|e| exprs[e.0 as usize].width.into());
    let width = match (width, said) {
        (Some(width), _) => u32::try_from(width).ok(),
        (None, said) => said,
    };
    let Some(width) = width else {
        return fault("an expression is too wide");
    };
    body.exprs.push(Expr { kind, width });
    Ok(ExprId(body.exprs.len() as u32 - 1))
}

/// An operation, and its width where the file says it. That widths fit is a check of the design.
fn operation(body: &mut Body, op: &str, args: &[Value]) -> Result<(Kind<ExprId>, Option<u32>), Fault> {
    let mut id = |v: &Value| match v.is_array() {
        true => expr(body, v),
        false => number(v).map(ExprId),
    };
    let binary = Binary::ALL.into_iter().find(|b| b.name() == op);
    let kind = match (op, args) {
        ("cat", parts) => Kind::Cat(parts.iter().map(id).collect::<Result<_, _>>()?),
        ("rep", [n, a]) => Kind::Repeat(number(n)?, id(a)?),
        ("[]", [a, lo, width]) => return Ok((Kind::Slice(id(a)?, number(lo)?), Some(number(width)?))),
        ("sel", [a, index, width]) => {
            let a = id(a)?;
            return Ok((Kind::Select(a, id(index)?), Some(number(width)?)));
        }
        ("~", [a]) => Kind::Not(id(a)?),
        ("any", [a]) => Kind::Any(id(a)?),
        ("all", [a]) => Kind::All(id(a)?),
        ("?", [c, a, b]) => {
            let c = id(c)?;
            let a = id(a)?;
            Kind::Mux(c, a, id(b)?)
        }
        (_, [a, b]) if binary.is_some() => {
            let a = id(a)?;
            Kind::Binary(binary.expect("there"), a, id(b)?)
        }
        _ => {
            let n = args.len();
            return fault(format!("no operation: `{op}` with {n} operands"));
        }
    };
    Ok((kind, None))
}

fn child(v: &Value) -> Result<Child, Fault> {
    match array(v, "a child")? {
        [instance, block, module] => {
            Ok(Child { instance: string(instance)?, block: string(block)?, module: ModuleId(number(module)?) })
        }
        _ => fault("a child is needed: [instance, block, module]"),
    }
}

/// Numbers of signals and expressions of a module end here.
struct Bounds {
    signals: usize,
    exprs: usize,
}

impl Bounds {
    fn signal(&self, v: &Value) -> Result<SignalId, Fault> {
        match number::<u32>(v)? {
            n if (n as usize) < self.signals => Ok(SignalId(n)),
            n => fault(format!("there is no signal {n}")),
        }
    }

    fn expr(&self, v: &Value) -> Result<ExprId, Fault> {
        match number::<u32>(v)? {
            n if (n as usize) < self.exprs => Ok(ExprId(n)),
            n => fault(format!("there is no expression {n}")),
        }
    }

    fn pair(&self, v: &Value) -> Result<(SignalId, ExprId), Fault> {
        match array(v, "a pair")? {
            [s, e] => Ok((self.signal(s)?, self.expr(e)?)),
            _ => fault("a pair is needed: [signal, expression]"),
        }
    }

    fn assertion(&self, v: &Value) -> Result<(ExprId, String), Fault> {
        match array(v, "an assertion")? {
            [e, says] => Ok((self.expr(e)?, string(says)?)),
            _ => fault("an assertion is needed: [expression, text]"),
        }
    }

    fn statements(&self, v: &Value) -> Result<Vec<Stmt>, Fault> {
        let list = array(v, "a list of statements")?.iter().enumerate();
        list.map(|(i, s)| self.statement(s).at(|| format!("statement {i}"))).collect()
    }

    fn statement(&self, v: &Value) -> Result<Stmt, Fault> {
        let list = array(v, "a statement")?;
        if let [s, e] = list {
            if !e.is_array() {
                return Ok(Stmt::Set(self.signal(s)?, self.expr(e)?));
            }
        }
        let (chain, last) = match list.len() % 2 {
            1 => (&list[..list.len() - 1], self.statements(&list[list.len() - 1])?),
            _ => (list, vec![]),
        };
        let mut no = last;
        for pair in chain.chunks(2).rev() {
            let statement = Stmt::If(self.expr(&pair[0])?, self.statements(&pair[1])?, no);
            no = vec![statement];
        }
        match (no.pop(), chain.is_empty()) {
            (Some(statement), false) => Ok(statement),
            _ => fault("a statement is needed: [signal, expression] or [condition, statements, …]"),
        }
    }

    fn tap(&self, v: &Value) -> Result<Tap, Fault> {
        let what = "a tap: [\"saboteur\", output, raw, keep, flip] or [\"held\", output, held]";
        let [kind, signals @ ..] = array(v, what)? else {
            return fault(format!("{what} is needed"));
        };
        let signals = signals.iter().map(|s| self.signal(s));
        let signals = signals.collect::<Result<Vec<_>, _>>()?;
        match (kind.as_str(), &signals[..]) {
            (Some("saboteur"), &[output, raw, keep, flip]) => Ok(Tap::Saboteur { output, raw, keep, flip }),
            (Some("held"), &[output, held]) => Ok(Tap::Held { output, held }),
            _ => fault(format!("{what} is needed")),
        }
    }

    fn memory(&self, m: &Map<String, Value>) -> Result<Memory, Fault> {
        let style = string(key(m, "style")?)?;
        let Some(style) = MemoryStyle::ALL.into_iter().find(|s| s.name() == style) else {
            return fault(format!("style: there is no `{style}`"));
        };
        let size = |name: &str| number(key(m, name)?).at(|| name.into());
        let read = |v: &Value| {
            let (address, data, enable) = match array(v, "a read port")? {
                [address, data] => (address, data, None),
                [address, data, enable] => (address, data, Some(self.signal(enable)?)),
                _ => return fault("a read port is needed: [address, data] or [address, data, enable]"),
            };
            Ok(ReadPort { address: self.signal(address)?, enable, data: self.signal(data)? })
        };
        let write = match key(m, "write")? {
            Value::Null => None,
            v => match array(v, "a write port")? {
                [address, data, enable] => Some(WritePort {
                    address: self.signal(address)?,
                    data: self.signal(data)?,
                    enable: self.signal(enable)?,
                }),
                _ => return fault("a write port is needed: [address, data, enable]"),
            },
        };
        let word = |v: &Value| match u64::try_from(hex(v)?) {
            Ok(word) => Ok(word),
            Err(_) => fault("a constant word has at most 64 bits"),
        };
        let Value::Bool(rdw_dont_care) = *key(m, "rdw_dont_care")? else {
            return fault("rdw_dont_care: true or false is needed");
        };
        let zeroed = match m.get("zeroed") {
            None => false,
            Some(Value::Bool(zeroed)) => *zeroed,
            Some(_) => return fault("zeroed: true or false is needed"),
        };
        Ok(Memory {
            depth: size("depth")?,
            width: size("width")?,
            granule: size("granule")?,
            style,
            rdw_dont_care,
            zeroed,
            reads: list(m, "reads", read)?,
            write,
            words: list(m, "words", word)?,
        })
    }
}

fn object(v: &Value) -> Result<&Map<String, Value>, Fault> {
    match v {
        Value::Object(o) => Ok(o),
        _ => fault("an object is needed"),
    }
}

fn key<'a>(o: &'a Map<String, Value>, name: &str) -> Result<&'a Value, Fault> {
    match o.get(name) {
        Some(v) => Ok(v),
        None => fault(format!("key `{name}` is missing")),
    }
}

fn array<'a>(v: &'a Value, what: &str) -> Result<&'a [Value], Fault> {
    match v {
        Value::Array(list) => Ok(list),
        _ => fault(format!("{what} is needed")),
    }
}

fn section(v: &Value) -> Result<(SignalId, String), Fault> {
    match v.as_array().map(Vec::as_slice) {
        Some([at, title]) => Ok((SignalId(number(at)?), string(title)?)),
        _ => fault("a signal and a title are needed"),
    }
}

fn string(v: &Value) -> Result<String, Fault> {
    match v {
        Value::String(s) => Ok(s.clone()),
        _ => fault("a text is needed"),
    }
}

fn number<T: TryFrom<u64>>(v: &Value) -> Result<T, Fault> {
    match v.as_u64().map(T::try_from) {
        Some(Ok(n)) => Ok(n),
        Some(Err(_)) => fault(format!("{v} is too large")),
        None => fault(format!("{v}: a number from 0 is needed")),
    }
}

/// Hexadecimal digits.
fn hex(v: &Value) -> Result<u128, Fault> {
    let digits = |s: &&str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_hexdigit());
    let value = v.as_str().filter(digits);
    match value.map(|s| u128::from_str_radix(s, 16)) {
        Some(Ok(n)) => Ok(n),
        _ => fault(format!("{v}: at most 32 hexadecimal digits are needed")),
    }
}

/// The items of a list, each read by `f`; a list that is missing is empty.
fn list<T>(o: &Map<String, Value>, name: &str, f: impl FnMut(&Value) -> Result<T, Fault>) -> Result<Vec<T>, Fault> {
    o.get(name).map_or(Ok(vec![]), |v| each(v, name, f))
}

fn each<T>(v: &Value, name: &str, mut f: impl FnMut(&Value) -> Result<T, Fault>) -> Result<Vec<T>, Fault> {
    let items = array(v, "a list").at(|| name.into())?.iter().enumerate();
    items.map(|(i, v)| f(v).at(|| format!("{name}[{i}]"))).collect()
}
