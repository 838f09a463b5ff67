//! Statements in order: blocks at labels, branches, guards, ends of threads.

use std::collections::HashSet;

use super::build::Lower;
use crate::error::CompileError;
use crate::ir::{BlockId, Operand, Rel, Term};
use crate::ptx::ast::{self, Inst, LabelId, Statement};

type Result<T> = std::result::Result<T, CompileError>;

impl Lower<'_> {
    /// Lowers all statements of the kernel.
    pub(super) fn statements(&mut self) -> Result<()> {
        let flat = self.flat;
        self.begin_routine();
        let mut targets: HashSet<LabelId> = HashSet::new();
        for s in &flat.code {
            match s {
                Statement::Targets(l, to) => {
                    targets.extend(to);
                    self.tables.insert(*l, to.clone());
                }
                Statement::Inst(inst) => targets.extend(inst.args.iter().filter_map(|a| match a {
                    ast::Operand::Label(l) => Some(*l),
                    _ => None,
                })),
                Statement::Label(_) => {}
            }
        }
        // Code behind a branch and in front of the next label is never reached.
        let mut reachable = true;
        for s in &flat.code {
            match s {
                Statement::Label(l) if targets.contains(l) => {
                    let block = self.label_block(*l);
                    if reachable {
                        self.end(Term::Jump(block), block);
                    } else {
                        self.enter(block);
                    }
                    reachable = true;
                }
                Statement::Inst(inst) if reachable => {
                    self.loc = super::place::loc(self.module, inst.line, inst.source);
                    self.start = self.f.block(self.block).insts.len();
                    reachable = self.statement(inst)?;
                    if let Some(what) = self.lacking.take() {
                        return Err(self.error(
                            inst,
                            format!(
                                "`{}` needs {}, which chip {} lacks: {}",
                                inst.op, what.name, self.target.name, what.remedy
                            ),
                        ));
                    }
                }
                _ => {}
            }
        }
        self.end_routine();
        super::tidy::tidy(&mut self.f);
        Ok(())
    }

    fn label_block(&mut self, l: LabelId) -> BlockId {
        if let Some(b) = self.labels.get(&l) {
            return *b;
        }
        let b = self.new_block();
        self.labels.insert(l, b);
        b
    }

    /// Lowers one instruction with its guard; false when control never comes behind it.
    fn statement(&mut self, inst: &Inst) -> Result<bool> {
        let end = match inst.name() {
            "bra" => {
                let Some(ast::Operand::Label(l)) = inst.args.first() else {
                    return Err(self.error(inst, "`bra` names no label"));
                };
                Some(Term::Jump(self.label_block(*l)))
            }
            "ret" | "exit" => Some(Term::Return),
            "trap" => Some(Term::Trap),
            _ => None,
        };
        let Some((guard, inverted)) = inst.guard else {
            return match end {
                Some(term) => {
                    let dead = self.block;
                    self.end(term, dead);
                    Ok(false)
                }
                None if inst.name() == "brx" => self.table(inst).map(|()| false),
                None => self.instruction(inst).map(|()| true),
            };
        };
        let cond = self.pred_reg(inst, guard)?;
        let yes = match end {
            Some(Term::Jump(to)) => to,
            _ => self.new_block(),
        };
        let next = self.new_block();
        let (then, other) = if inverted { (next, yes) } else { (yes, next) };
        self.end(Term::Branch { cond, then, other }, yes);
        match end {
            Some(Term::Jump(_)) => {}
            Some(term) => {
                let dead = self.block;
                self.end(term, dead);
            }
            None if inst.name() == "brx" => self.table(inst)?,
            None => {
                self.instruction(inst)?;
                self.end(Term::Jump(next), next);
            }
        }
        self.enter(next);
        Ok(true)
    }

    /// `brx.idx`: comparisons that halve the table.
    fn table(&mut self, inst: &Inst) -> Result<()> {
        let index = self.word(inst, 0)?;
        let table = match inst.args.get(1) {
            Some(ast::Operand::Label(l)) => self.tables.get(l).cloned(),
            _ => None,
        };
        let Some(table) = table.filter(|t| !t.is_empty()) else {
            return Err(self.error(inst, "`brx.idx` names no table of labels"));
        };
        let blocks: Vec<BlockId> = table.iter().map(|l| self.label_block(*l)).collect();
        let mut open = vec![(self.block, 0, blocks.len())];
        while let Some((block, first, behind)) = open.pop() {
            self.enter(block);
            let same = blocks[first..behind].iter().all(|b| *b == blocks[first]);
            if same {
                let dead = self.block;
                self.end(Term::Jump(blocks[first]), dead);
                continue;
            }
            let middle = first + (behind - first) / 2;
            let cond = self.cmp(Rel::LT, false, index, Operand::Imm(middle as u32));
            let (then, other) = (self.new_block(), self.new_block());
            let dead = self.block;
            self.end(Term::Branch { cond, then, other }, dead);
            open.push((other, middle, behind));
            open.push((then, first, middle));
        }
        Ok(())
    }
}
