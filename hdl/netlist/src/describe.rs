//! A block's description, checked and made into a module.

use crate::check::{self, complete, targets, CheckError};
use crate::expr::Pool;
use crate::id::{ExprId, SignalId};
use crate::module::{Body, Memory, Module, Signal, SignalKind, Stmt};
use crate::pass;
use std::collections::BTreeSet;
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
    /// Titles of what belongs together, each in front of the first signal that it is for.
    pub sections: Vec<(SignalId, String)>,
    /// What holds at every clock edge without a reset, 1 bit each, and the sentence that says it.
    pub assertions: Vec<(ExprId, String)>,
    /// The memory of a block that is one.
    pub memory: Option<Memory>,
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

impl Description {
    /// Checks the description and makes the module: every driven signal in an assignment or in the
    /// process of those it shares conditions with, constants folded, values that nothing reads left out.
    ///
    /// # Errors
    /// [`CheckError`]: a signal that nothing drives, a latch, a register that nothing writes, widths that do
    /// not fit.
    pub fn finish(self) -> Result<Module, CheckError> {
        let is_reg = |s: SignalId| matches!(self.signals[s.0 as usize].kind, SignalKind::Reg { .. });
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
                SignalKind::Child { direction: Direction::Input, .. } => {}
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
        let processes = merge(groups).iter().map(|g| only(&self.statements, g)).collect();
        let clocked = only(&self.statements, &registers);
        let body = Body {
            signals: self.signals,
            exprs: self.exprs.into_list(),
            wires: self.wires,
            assigns,
            processes,
            clocked,
            sections: self.sections,
            assertions: self.assertions,
            memory: self.memory,
            ..Body::default()
        };
        check::body(&self.name, &body)?;
        let body = pass::fold(&body);
        Ok(Module {
            name: self.name,
            source: self.source,
            header: self.header,
            body,
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
