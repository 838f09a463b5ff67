//! Dead wires: named values and expressions that nothing reads.

use crate::expr::{Kind, Pool};
use crate::id::{ExprId, SignalId};
use crate::module::{Body, Memory, ReadPort, SignalKind, Stmt, Tap, WritePort};
use std::collections::{HashMap, HashSet};

/// The same body without values that nothing reads, its expressions numbered in the order of their use.
pub fn dead_wires(body: &Body) -> Body {
    let read = read(body);
    let mut signals = vec![];
    let mut renumbered = HashMap::new();
    for (id, signal) in body.numbered() {
        if signal.kind != SignalKind::Wire || read.contains(&id) {
            renumbered.insert(id, SignalId(signals.len() as u32));
            signals.push(signal.clone());
        }
    }
    // A section begins at the first of its signals that is left; one without signals is none.
    let left = |at: &SignalId| SignalId(renumbered.keys().filter(|s| *s < at).count() as u32);
    let mut sections: Vec<(SignalId, String)> = vec![];
    for (at, title) in &body.sections {
        let at = left(at);
        sections.retain(|(before, _)| *before < at);
        if (at.0 as usize) < signals.len() {
            sections.push((at, title.clone()));
        }
    }
    let mut to = Renumber { from: body, signals: renumbered, exprs: HashMap::new(), pool: Pool::default() };
    let wires = body.wires.iter().filter(|(s, _)| read.contains(s));
    let wires = wires.map(|(s, e)| (to.signal(*s), to.expr(*e))).collect();
    let assigns = body.assigns.iter();
    let assigns = assigns.map(|(s, e)| (to.signal(*s), to.expr(*e))).collect();
    let processes = body.processes.iter().map(|p| to.statements(p)).collect();
    let clocked = to.statements(&body.clocked);
    let assertions = body.assertions.iter().map(|(e, says)| (to.expr(*e), says.clone())).collect();
    Body {
        wires,
        assigns,
        processes,
        clocked,
        assertions,
        memory: body.memory.as_ref().map(|m| to.memory(m)),
        taps: body.taps.iter().map(|t| to.tap(t)).collect(),
        signals,
        sections,
        exprs: to.pool.into_list(),
        open: body.open,
        kept: body.kept,
        children: body.children.clone(),
    }
}

/// Named values that something reads.
fn read(body: &Body) -> HashSet<SignalId> {
    let named: HashMap<SignalId, ExprId> = body.wires.iter().copied().collect();
    let mut live = vec![false; body.exprs.len()];
    let mut read = HashSet::new();
    let mut open: Vec<ExprId> = vec![];
    roots(body, &mut |e| open.push(e));
    while let Some(e) = open.pop() {
        if std::mem::replace(&mut live[e.0 as usize], true) {
            continue;
        }
        let kind = &body.expr(e).kind;
        kind.operands(|o| open.push(o));
        if let Kind::Signal(s) = kind {
            if let Some(value) = named.get(s) {
                read.insert(*s);
                open.push(*value);
            }
        }
    }
    read
}

/// Expressions that statements, assignments and assertions read.
fn roots(body: &Body, f: &mut impl FnMut(ExprId)) {
    body.assigns.iter().for_each(|(_, e)| f(*e));
    body.assertions.iter().for_each(|(e, _)| f(*e));
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

    fn memory(&self, m: &Memory) -> Memory {
        let read = |r: &ReadPort| ReadPort {
            address: self.signal(r.address),
            enable: r.enable.map(|e| self.signal(e)),
            data: self.signal(r.data),
        };
        let write = |w: &WritePort| WritePort {
            address: self.signal(w.address),
            data: self.signal(w.data),
            enable: self.signal(w.enable),
        };
        Memory { reads: m.reads.iter().map(read).collect(), write: m.write.as_ref().map(write), ..m.clone() }
    }

    fn tap(&self, tap: &Tap) -> Tap {
        match *tap {
            Tap::Saboteur { output, raw, keep, flip } => Tap::Saboteur {
                output: self.signal(output),
                raw: self.signal(raw),
                keep: self.signal(keep),
                flip: self.signal(flip),
            },
            Tap::Held { output, held } => Tap::Held { output: self.signal(output), held: self.signal(held) },
        }
    }
}
