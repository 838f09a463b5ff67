//! Values of signals and expressions, sought from where they are needed.

use super::super::node::Op;
use super::super::wide::{one, pieces, Value};
use super::drivers::Driver;
use super::{Build, FlatError, State};
use crate::expr::Kind;
use crate::id::{ExprId, SignalId};
use crate::module::{SignalKind, Stmt};
use std::collections::HashMap;
use warpsmith_contract::Direction;

impl Build<'_> {
    /// The value of a signal.
    pub(super) fn signal(&mut self, instance: usize, id: SignalId) -> Result<Value, FlatError> {
        match &self.open[instance].signals[id.0 as usize] {
            State::Known(value) => return Ok(value.clone()),
            State::Sought => {
                let name = &self.body(instance).signal(id).name;
                return Err(FlatError::Loop(format!("{}{name}", self.path(instance))));
            }
            State::Unknown => {}
        }
        self.open[instance].signals[id.0 as usize] = State::Sought;
        let mut value = self.driven(instance, id)?;
        if let Some(&site) = self.open[instance].taps.get(&id).filter(|_| self.options.taps) {
            let mut lo = 0;
            for part in &mut value.parts {
                let width = self.flat.graph.width(*part);
                let tap = Op::Tap { site, lo, of: *part };
                *part = self.flat.graph.put(tap, width);
                lo += u32::from(width);
            }
        }
        debug_assert_eq!(value.width, self.body(instance).signal(id).width);
        // A process has given it a value of its own by now.
        self.open[instance].signals[id.0 as usize] = State::Known(value.clone());
        Ok(value)
    }

    fn driven(&mut self, instance: usize, id: SignalId) -> Result<Value, FlatError> {
        let body = self.body(instance);
        let signal = body.signal(id);
        if let Some(driver) = self.drivers[self.open[instance].module].0.get(&id) {
            return match *driver {
                Driver::Expr(e) => self.expr(instance, e),
                Driver::Signal(s) => self.signal(instance, s),
                Driver::Process(p) => {
                    let mut values = HashMap::new();
                    self.execute(instance, &body.processes[p], Some(id), &mut values)?;
                    Ok(values.remove(&id).expect("complete processes, by the checks"))
                }
                Driver::Read(i) => match self.open[instance].held.get(i) {
                    Some(held) => Ok(held.clone()),
                    None => {
                        let memory = body.memory.as_ref().expect("reads are of a memory");
                        self.read(instance, memory.reads[i].address)
                    }
                },
            };
        }
        match (signal.kind, self.open[instance].parent) {
            (SignalKind::Input, Some((parent, child))) => {
                let position = body.ports().position(|(p, _)| p == id);
                let position = position.expect("an input is a port");
                let mut nets = self.body(parent).child_nets(child as usize);
                let (net, _) = nets.nth(position).expect("a net for every port");
                self.signal(parent, net)
            }
            (SignalKind::Input, None) => {
                let port = self.flat.ports.iter().position(|p| p.name == signal.name);
                let port = port.expect("an input of the top is a port") as u32;
                let nodes = pieces(signal.width).enumerate().map(|(word, (_, piece))| {
                    let word = word as u32;
                    self.flat.graph.put(Op::Input { port, word }, piece)
                });
                Ok(Value { parts: nodes.collect(), width: signal.width })
            }
            (SignalKind::Child { child, direction: Direction::Output }, _) => {
                let mut nets = body.child_nets(child as usize);
                let position = nets.position(|(n, _)| n == id).expect("a net of the child");
                let below = self.open[instance].children[child as usize];
                let (port, _) = self.body(below).ports().nth(position).expect("a port");
                self.signal(below, port)
            }
            _ => unreachable!("{}: undriven, against the checks", signal.name),
        }
    }

    /// The word of an instance's memory at an address.
    pub(super) fn read(&mut self, instance: usize, address: SignalId) -> Result<Value, FlatError> {
        let mem = self.open[instance].mem.expect("the memory of a memory");
        let width = self.flat.mems[mem.0 as usize].width;
        let address = self.signal(instance, address)?.parts[0];
        self.own(instance);
        let words = pieces(width).enumerate().map(|(word, (_, piece))| {
            let word = word as u32;
            self.flat.graph.put(Op::Read { mem, word, address }, piece)
        });
        Ok(Value { parts: words.collect(), width })
    }

    /// Runs statements, for one signal or for all: `values` has what was assigned before and gets what
    /// they assign. Of a process only what one signal needs is run: the others may depend on it.
    pub(super) fn execute(
        &mut self, instance: usize, statements: &[Stmt], only: Option<SignalId>, values: &mut HashMap<SignalId, Value>,
    ) -> Result<(), FlatError> {
        for statement in statements {
            match statement {
                Stmt::Set(s, e) => {
                    if only.is_none_or(|o| o == *s) {
                        let value = self.expr(instance, *e)?;
                        values.insert(*s, value);
                    }
                }
                Stmt::If(c, yes, no) => {
                    let mut assigned = vec![];
                    statement.targets(&mut |s| {
                        if only.is_none_or(|o| o == s) {
                            assigned.push(s);
                        }
                    });
                    assigned.sort_unstable();
                    assigned.dedup();
                    if assigned.is_empty() {
                        continue;
                    }
                    let condition = self.expr(instance, *c)?.parts[0];
                    // What it does not assign is not of interest within it.
                    let before = |s: &SignalId| Some((*s, values.get(s)?.clone()));
                    let mut then: HashMap<_, _> = assigned.iter().filter_map(before).collect();
                    let mut otherwise = then.clone();
                    self.execute(instance, yes, only, &mut then)?;
                    self.execute(instance, no, only, &mut otherwise)?;
                    self.own(instance);
                    for s in assigned {
                        let value = match (then.get(&s), otherwise.get(&s)) {
                            (Some(a), Some(b)) => self.flat.graph.choose(condition, a, b),
                            // Assigned again on every path below: what it is here, nobody sees.
                            (Some(a), None) | (None, Some(a)) => a.clone(),
                            (None, None) => continue,
                        };
                        values.insert(s, value);
                    }
                }
            }
        }
        Ok(())
    }

    /// The value of an expression.
    fn expr(&mut self, instance: usize, id: ExprId) -> Result<Value, FlatError> {
        if let Some(value) = &self.open[instance].exprs[id.0 as usize] {
            return Ok(value.clone());
        }
        let body = self.body(instance);
        let expr = body.expr(id);
        let width = expr.width;
        let mut operands = vec![];
        expr.kind.operands(|o| operands.push(o));
        for operand in operands {
            self.expr(instance, operand)?;
        }
        self.own(instance);
        let value = match &expr.kind {
            Kind::Signal(s) => self.signal(instance, *s)?,
            Kind::Lit(v) => self.flat.graph.word(width, *v),
            Kind::Cat(parts) => {
                let mut nodes = vec![];
                for part in parts.iter().rev() {
                    nodes.extend(self.expr(instance, *part)?.parts);
                }
                self.flat.graph.joined(nodes)
            }
            Kind::Repeat(n, a) => {
                let a = self.expr(instance, *a)?;
                if a.width == 1 {
                    let graph = &mut self.flat.graph;
                    let bits = pieces(width).map(|(_, piece)| graph.repeat(a.parts[0], piece));
                    let parts = bits.collect();
                    Value { parts, width }
                } else {
                    self.flat.graph.joined(a.parts.repeat(*n as usize))
                }
            }
            Kind::Slice(a, lo) => {
                let a = self.expr(instance, *a)?;
                self.flat.graph.part(&a, *lo, width)
            }
            Kind::Select(a, index) => {
                let a = self.expr(instance, *a)?;
                let index = self.expr(instance, *index)?;
                self.flat.graph.select(&a, &index, width)
            }
            Kind::Not(a) => {
                let a = self.expr(instance, *a)?;
                let graph = &mut self.flat.graph;
                let parts = a.parts.iter().map(|p| graph.not(*p)).collect();
                Value { parts, width }
            }
            Kind::Any(a) => {
                let a = self.expr(instance, *a)?;
                one(self.flat.graph.any(&a))
            }
            Kind::All(a) => {
                let a = self.expr(instance, *a)?;
                one(self.flat.graph.all(&a))
            }
            Kind::Mux(c, a, b) => {
                let c = self.expr(instance, *c)?.parts[0];
                let (a, b) = (self.expr(instance, *a)?, self.expr(instance, *b)?);
                self.flat.graph.choose(c, &a, &b)
            }
            Kind::Binary(op, a, b) => {
                let (a, b) = (self.expr(instance, *a)?, self.expr(instance, *b)?);
                match self.flat.graph.binary(*op, &a, &b) {
                    Some(value) => value,
                    None => {
                        return Err(FlatError::Wide {
                            path: self.path(instance).into(),
                            what: op.symbol(),
                            width: a.width,
                        })
                    }
                }
            }
        };
        debug_assert_eq!(value.width, width);
        self.open[instance].exprs[id.0 as usize] = Some(value.clone());
        Ok(value)
    }
}
