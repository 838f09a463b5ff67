//! A block's description, checked and made into a module.

use crate::expr::{ExprId, Pool};
use crate::module::{Body, Memory, Module, Signal, SignalId, SignalKind, Stmt};
use std::collections::{BTreeSet, HashMap};
use warpsmith_contract::Direction;

/// What a block says about itself.
#[derive(Clone, Debug, Default)]
pub struct Description {
    /// Name of the block.
    pub name: String,
    /// Rust file, relative to the project.
    pub source: String,
    /// Lines of its documentation, without comment signs.
    pub header: Vec<String>,
    /// Ports, registers and nets of children in the order of their declaration, then named values.
    pub signals: Vec<Signal>,
    /// Expressions.
    pub exprs: Pool,
    /// Named values, each after those it reads.
    pub wires: Vec<(SignalId, ExprId)>,
    /// All statements, in order; registers take their values at the clock edge.
    pub statements: Vec<Stmt>,
    /// The memory of a block that is one.
    pub memory: Option<Memory>,
}

/// A mistake in a description.
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
}

/// Whether every path through the statements gives `signal` a value.
fn complete(statements: &[Stmt], signal: SignalId) -> bool {
    statements.iter().any(|s| match s {
        Stmt::Set(t, _) => *t == signal,
        Stmt::If(_, yes, no) => complete(yes, signal) && complete(no, signal),
    })
}

/// The statements that assign one of `signals`.
fn only(statements: &[Stmt], signals: &BTreeSet<SignalId>) -> Vec<Stmt> {
    let keep = |s: &Stmt| match s {
        Stmt::Set(t, _) => signals.contains(t).then(|| s.clone()),
        Stmt::If(c, yes, no) => {
            let (yes, no) = (only(yes, signals), only(no, signals));
            (!yes.is_empty() || !no.is_empty()).then_some(Stmt::If(*c, yes, no))
        }
    };
    statements.iter().filter_map(keep).collect()
}

fn targets(statement: &Stmt) -> BTreeSet<SignalId> {
    let mut set = BTreeSet::new();
    statement.targets(&mut |s| {
        set.insert(s);
    });
    set
}

impl Description {
    /// Checks the description and makes the module: every driven signal in an assignment or in the
    /// process of those it shares conditions with, values that nothing reads left out.
    ///
    /// # Errors
    /// [`CheckError`]: a signal that nothing drives, a latch, a register that nothing writes.
    pub fn finish(self) -> Result<Module, CheckError> {
        let is_reg =
            |s: SignalId| matches!(self.signals[s.0 as usize].kind, SignalKind::Reg { .. });
        let wrong = |s: SignalId| (self.name.clone(), self.signals[s.0 as usize].name.clone());
        let mut assigned = BTreeSet::new();
        for statement in &self.statements {
            assigned.extend(targets(statement));
        }

        let mut assigns = vec![];
        let mut groups: Vec<BTreeSet<SignalId>> = vec![];
        let mut registers = BTreeSet::new();
        for (id, signal) in (0..).map(SignalId).zip(&self.signals) {
            match signal.kind {
                SignalKind::Reg { .. } => {
                    if !assigned.contains(&id) {
                        let (block, signal) = wrong(id);
                        return Err(CheckError::NeverWritten { block, signal });
                    }
                    registers.insert(id);
                    continue;
                }
                SignalKind::Output if self.memory.is_none() => {}
                SignalKind::Child {
                    direction: Direction::Input,
                    ..
                } => {}
                _ => continue,
            }
            if !assigned.contains(&id) {
                let (block, signal) = wrong(id);
                return Err(CheckError::Undriven { block, signal });
            }
            if !complete(&self.statements, id) {
                let (block, signal) = wrong(id);
                return Err(CheckError::Latch { block, signal });
            }
            if let [Stmt::Set(_, e)] = only(&self.statements, &BTreeSet::from([id]))[..] {
                assigns.push((id, e));
                continue;
            }
            let mut group = BTreeSet::from([id]);
            for statement in &self.statements {
                let with = targets(statement);
                if matches!(statement, Stmt::If(..)) && with.contains(&id) {
                    group.extend(with.into_iter().filter(|s| !is_reg(*s)));
                }
            }
            groups.push(group);
        }
        let processes = merge(groups)
            .iter()
            .map(|g| only(&self.statements, g))
            .collect();
        let clocked = only(&self.statements, &registers);
        let body = Body {
            signals: self.signals,
            exprs: self.exprs.into_list(),
            wires: self.wires,
            assigns,
            processes,
            clocked,
            memory: self.memory,
            ..Body::default()
        };
        Ok(Module {
            name: self.name,
            source: self.source,
            header: self.header,
            body: compact(body),
            instances: 1,
            clock: false,
            reset: false,
        })
    }
}

/// Groups that overlap become one; ordered by their first signal.
fn merge(groups: Vec<BTreeSet<SignalId>>) -> Vec<BTreeSet<SignalId>> {
    let mut merged: Vec<BTreeSet<SignalId>> = vec![];
    for mut group in groups {
        while let Some(i) = merged.iter().position(|m| !m.is_disjoint(&group)) {
            group.extend(merged.remove(i));
        }
        merged.push(group);
    }
    merged.sort_by_key(|g| g.first().copied());
    merged
}

/// The same body without values that nothing reads, its expressions numbered in the order of their use.
fn compact(body: Body) -> Body {
    let mut live = vec![false; body.exprs.len()];
    let mut named: HashMap<SignalId, ExprId> = HashMap::new();
    named.extend(body.wires.iter().copied());
    let mut open: Vec<ExprId> = vec![];
    roots(&body, &mut |e| open.push(e));
    let mut read = BTreeSet::new();
    while let Some(e) = open.pop() {
        if std::mem::replace(&mut live[e.0 as usize], true) {
            continue;
        }
        let expr = body.expr(e);
        expr.kind.operands(|o| open.push(o));
        if let crate::expr::Kind::Signal(s) = expr.kind {
            if let Some(value) = named.get(&s) {
                read.insert(s);
                open.push(*value);
            }
        }
    }

    let mut signals = vec![];
    let mut renumbered = HashMap::new();
    for (id, signal) in body.numbered() {
        if signal.kind != SignalKind::Wire || read.contains(&id) {
            renumbered.insert(id, SignalId(signals.len() as u32));
            signals.push(signal.clone());
        }
    }
    let mut to = Renumber {
        from: &body,
        signals: renumbered,
        exprs: HashMap::new(),
        pool: Pool::default(),
    };
    let wires = body.wires.iter().filter(|(s, _)| read.contains(s));
    let wires = wires.map(|(s, e)| (to.signal(*s), to.expr(*e))).collect();
    let assigns = body.assigns.iter();
    let assigns = assigns.map(|(s, e)| (to.signal(*s), to.expr(*e))).collect();
    let processes = body.processes.iter().map(|p| to.statements(p)).collect();
    let clocked = to.statements(&body.clocked);
    // Ports of a memory keep their numbers: there are no wires among them.
    Body {
        signals,
        wires,
        assigns,
        processes,
        clocked,
        exprs: to.pool.into_list(),
        memory: body.memory.clone(),
        ..Body::default()
    }
}

/// Expressions that statements and assignments read.
fn roots(body: &Body, f: &mut impl FnMut(ExprId)) {
    body.assigns.iter().for_each(|(_, e)| f(*e));
    let processes = body.processes.iter().flatten();
    processes.chain(&body.clocked).for_each(|s| s.reads(f));
}

struct Renumber<'a> {
    from: &'a Body,
    signals: HashMap<SignalId, SignalId>,
    exprs: HashMap<ExprId, ExprId>,
    pool: Pool,
}

impl Renumber<'_> {
    fn signal(&self, s: SignalId) -> SignalId {
        self.signals[&s]
    }

    fn expr(&mut self, e: ExprId) -> ExprId {
        if let Some(n) = self.exprs.get(&e) {
            return *n;
        }
        let expr = self.from.expr(e);
        let mut operands = vec![];
        expr.kind.operands(|o| operands.push(o));
        for o in operands {
            self.expr(o);
        }
        let kind = expr.kind.map(|o| self.exprs[o], |s| self.signals[&s]);
        let n = self.pool.intern(kind, expr.width);
        self.exprs.insert(e, n);
        n
    }

    fn statements(&mut self, list: &[Stmt]) -> Vec<Stmt> {
        list.iter()
            .map(|s| match s {
                Stmt::Set(t, e) => Stmt::Set(self.signal(*t), self.expr(*e)),
                Stmt::If(c, yes, no) => {
                    let c = self.expr(*c);
                    let yes = self.statements(yes);
                    Stmt::If(c, yes, self.statements(no))
                }
            })
            .collect()
    }
}
