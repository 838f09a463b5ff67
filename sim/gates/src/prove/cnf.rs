//! Clauses of gates: a bit is a constant or a literal of the solver, equal gates are one.

use batsat::{lbool, Callbacks, Lit, Solver as Sat, SolverInterface, SolverOpts, Var};
use std::collections::HashMap;
use std::ops::Not;

/// A bit: a constant, a variable or its inverse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bit(u32);

impl Bit {
    /// Zero.
    pub const ZERO: Bit = Bit(0);
    /// One.
    pub const ONE: Bit = Bit(1);

    /// A constant.
    pub fn of(value: bool) -> Bit {
        Bit(u32::from(value))
    }

    /// The value of a constant.
    pub fn constant(self) -> Option<bool> {
        (self.0 < 2).then_some(self.0 == 1)
    }
}

impl Not for Bit {
    type Output = Bit;
    fn not(self) -> Bit {
        Bit(self.0 ^ 1)
    }
}

/// What the solver says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There are values, which can be read.
    Yes,
    /// There are none.
    No,
    /// Too many conflicts: not known.
    Unknown,
}

/// Stops the solver after a number of conflicts.
struct Limit {
    learnt: u64,
    most: u64,
}

impl Callbacks for Limit {
    fn on_new_clause(&mut self, _: &[Lit], _: batsat::ClauseKind) {
        self.learnt += 1;
    }

    fn stop(&self) -> bool {
        self.learnt >= self.most
    }
}

/// Gates as clauses, and their solver.
pub struct Cnf {
    sat: Sat<Limit>,
    vars: Vec<Var>,
    ands: HashMap<(Bit, Bit), Bit>,
    xors: HashMap<(Bit, Bit), Bit>,
    muxes: HashMap<(Bit, Bit, Bit), Bit>,
    clause: Vec<Lit>,
}

impl Default for Cnf {
    fn default() -> Self {
        let sat = Sat::new(SolverOpts::default(), Limit { learnt: 0, most: u64::MAX });
        Cnf { sat, vars: vec![], ands: HashMap::new(), xors: HashMap::new(), muxes: HashMap::new(), clause: vec![] }
    }
}

impl Cnf {
    /// Variables so far.
    pub fn size(&self) -> usize {
        self.vars.len()
    }

    /// A bit that can be either.
    pub fn fresh(&mut self) -> Bit {
        self.vars.push(self.sat.new_var_default());
        Bit(2 * self.vars.len() as u32)
    }

    fn lit(&self, bit: Bit) -> Lit {
        Lit::new(self.vars[bit.0 as usize / 2 - 1], bit.0 & 1 == 0)
    }

    /// One of these bits is one.
    pub fn either(&mut self, bits: &[Bit]) {
        let mut clause = std::mem::take(&mut self.clause);
        clause.clear();
        let mut holds = false;
        for bit in bits {
            match bit.constant() {
                Some(true) => holds = true,
                Some(false) => {}
                None => clause.push(self.lit(*bit)),
            }
        }
        if !holds {
            self.sat.add_clause_reuse(&mut clause);
        }
        self.clause = clause;
    }

    /// Both.
    pub fn and(&mut self, a: Bit, b: Bit) -> Bit {
        let (a, b) = (a.min(b), a.max(b));
        if a == Bit::ZERO || a == !b {
            return Bit::ZERO;
        }
        if a == Bit::ONE || a == b {
            return b;
        }
        if let Some(y) = self.ands.get(&(a, b)) {
            return *y;
        }
        let y = self.fresh();
        self.either(&[!y, a]);
        self.either(&[!y, b]);
        self.either(&[y, !a, !b]);
        self.ands.insert((a, b), y);
        y
    }

    /// One at least.
    pub fn or(&mut self, a: Bit, b: Bit) -> Bit {
        !self.and(!a, !b)
    }

    /// One alone.
    pub fn xor(&mut self, a: Bit, b: Bit) -> Bit {
        let inverse = (a.0 ^ b.0) & 1 != 0;
        let (a, b) = (Bit(a.0 & !1), Bit(b.0 & !1));
        let (a, b) = (a.min(b), a.max(b));
        let y = if a == b {
            Bit::ZERO
        } else if a == Bit::ZERO {
            b
        } else if let Some(y) = self.xors.get(&(a, b)) {
            *y
        } else {
            let y = self.fresh();
            for (x, z) in [(a, b), (!a, !b)] {
                self.either(&[!y, x, z]);
                self.either(&[y, !x, z]);
            }
            self.xors.insert((a, b), y);
            y
        };
        Bit(y.0 ^ u32::from(inverse))
    }

    /// `condition ? yes : no`.
    pub fn mux(&mut self, condition: Bit, yes: Bit, no: Bit) -> Bit {
        let (condition, yes, no) = if condition.0 & 1 != 0 { (!condition, no, yes) } else { (condition, yes, no) };
        if condition == Bit::ZERO {
            return no;
        }
        if yes == no {
            return yes;
        }
        if yes == !no {
            return self.xor(condition, no);
        }
        if yes.constant().is_some() || no.constant().is_some() || yes == condition || no == condition {
            let (a, b) = (self.and(condition, yes), self.and(!condition, no));
            return self.or(a, b);
        }
        if let Some(y) = self.muxes.get(&(condition, yes, no)) {
            return *y;
        }
        let y = self.fresh();
        self.either(&[!condition, !yes, y]);
        self.either(&[!condition, yes, !y]);
        self.either(&[condition, !no, y]);
        self.either(&[condition, no, !y]);
        self.either(&[!yes, !no, y]);
        self.either(&[yes, no, !y]);
        self.muxes.insert((condition, yes, no), y);
        y
    }

    /// Whether one of some bits is one; the list may be of any length.
    pub fn any(&mut self, bits: &[Bit]) -> Bit {
        if bits.contains(&Bit::ONE) {
            return Bit::ONE;
        }
        let mut open: Vec<Bit> = bits.iter().copied().filter(|b| *b != Bit::ZERO).collect();
        open.sort_unstable();
        open.dedup();
        match open[..] {
            [] => return Bit::ZERO,
            [one] => return one,
            _ => {}
        }
        let y = self.fresh();
        for bit in &open {
            self.either(&[y, !*bit]);
        }
        open.push(!y);
        self.either(&open);
        y
    }

    /// Whether there are values under which all of some bits are one; gives up after so many conflicts.
    pub fn solve(&mut self, all: &[Bit], conflicts: u64) -> Answer {
        if all.contains(&Bit::ZERO) {
            return Answer::No;
        }
        let limit = self.sat.cb_mut();
        limit.most = limit.learnt.saturating_add(conflicts);
        let given: Vec<Lit> = all.iter().filter(|b| b.constant().is_none()).map(|b| self.lit(*b)).collect();
        let answer = self.sat.solve_limited(&given);
        match answer {
            a if a == lbool::TRUE => Answer::Yes,
            a if a == lbool::FALSE => Answer::No,
            _ => Answer::Unknown,
        }
    }

    /// The value of a bit after [`Answer::Yes`]; zero where either would do.
    pub fn value(&self, bit: Bit) -> bool {
        bit.constant().unwrap_or_else(|| self.sat.value_lit(self.lit(bit)) == lbool::TRUE)
    }
}
