//! Random structured programs on one number a thread, and what each thread alone makes of it.

use warpsmith_testkit::Random;

/// Functions of a program; each calls later ones only.
pub const FUNCTIONS: usize = 3;

/// A statement on the thread's number `x`.
pub enum Statement {
    /// `x = factor * x + n`.
    Mix(u32),
    /// The bit of `x` chooses.
    If(u32, Vec<Statement>, Option<Vec<Statement>>),
    /// So many turns, or 1 + (`x` & 3) of the start; a bit that is 0 at the end of a turn leaves it, where there is one.
    Loop(Option<u32>, Vec<Statement>, Option<u32>),
    /// So many turns as `x` says, of a loop that nobody leaves early.
    Plain(Vec<Statement>),
    /// Leaves the loop where the bit is 1.
    Break(u32),
    /// Ends the turn where the bit is 1.
    Continue(u32),
    /// Leaves the function, or the program, where the bit is 1.
    Return(u32),
    /// Ends the thread where bits of [`Kinds::end`] are 1 from this bit on.
    End(u32),
    /// Calls a function, where the bit is 1 or always.
    Call(usize, Option<u32>),
}

/// Statements that the programs of a set have, and what they mean there.
#[derive(Clone, Copy)]
pub struct Kinds {
    /// Factor of a mix.
    pub factor: u32,
    /// Statements of a body, at most.
    pub most: u32,
    /// Bits that statements test are those below.
    pub bits: u32,
    /// Mask of the bits, from the tested one on, that end a thread where all are 1.
    pub end: u32,
    /// One in so many statements drawn as an end is one.
    pub rare: u32,
    /// Loops have turns of their own, or calls depend on bits.
    pub conditions: bool,
    /// Functions return early, and there are plain loops.
    pub returns: bool,
    pub calls: bool,
}

/// What surrounds a statement.
#[derive(Clone, Copy)]
pub struct Within {
    depth: u32,
    /// Directly inside a loop that break and continue leave.
    in_loop: bool,
    /// Functions from here on may be called.
    callable: usize,
}

impl Within {
    /// At the top of the program, or of a function.
    pub fn top(depth: u32, callable: usize) -> Self {
        Within { depth, in_loop: false, callable }
    }
}

impl Kinds {
    /// A list of statements.
    pub fn body(&self, r: &mut Random, w: Within) -> Vec<Statement> {
        (0..1 + r.below(self.most)).map(|_| self.statement(r, w)).collect()
    }

    fn statement(&self, r: &mut Random, w: Within) -> Statement {
        use Statement::*;
        let bit = r.below(self.bits);
        let inner = Within { depth: w.depth + 1, ..w };
        match r.below(if w.depth >= 4 { 7 } else { 13 }) {
            1 if w.in_loop && self.conditions => Break(bit),
            2 if w.in_loop => Break(bit),
            3 if w.in_loop => Continue(bit),
            4 if self.returns => Return(bit),
            5 if r.below(self.rare) == 0 => End(bit),
            6 | 7 if self.calls && w.callable < FUNCTIONS => {
                let function = w.callable + r.below((FUNCTIONS - w.callable) as u32) as usize;
                Call(function, (self.conditions && r.below(2) == 0).then_some(bit))
            }
            7..=9 => {
                let then = self.body(r, inner);
                If(bit, then, (r.below(3) > 0).then(|| self.body(r, inner)))
            }
            12 if self.returns => Plain(self.body(r, Within { in_loop: false, ..inner })),
            10..=12 => {
                let turns = self.conditions.then(|| 1 + r.below(4));
                let body = self.body(r, Within { in_loop: true, ..inner });
                Loop(turns, body, (self.conditions && r.below(2) == 0).then_some(bit))
            }
            _ => Mix(r.bits() as u32),
        }
    }

    /// What one thread makes of its number.
    pub fn evaluate(&self, body: &[Statement], functions: &[Vec<Statement>], x: &mut u32) -> Left {
        let bit = |x: u32, n: &u32| x >> n & 1 == 1;
        for s in body {
            let left = match s {
                Statement::Mix(n) => {
                    *x = x.wrapping_mul(self.factor).wrapping_add(*n);
                    Left::Normally
                }
                Statement::If(n, then, other) => {
                    let side = if bit(*x, n) { then } else { other.as_deref().unwrap_or_default() };
                    self.evaluate(side, functions, x)
                }
                Statement::Loop(turns, body, leave) => self.turns(*turns, body, leave, functions, x),
                Statement::Plain(body) => self.turns(None, body, &None, functions, x),
                Statement::Break(n) if bit(*x, n) => Left::Broken,
                Statement::Continue(n) if bit(*x, n) => Left::Continued,
                Statement::Return(n) if bit(*x, n) => Left::Returned,
                Statement::End(n) if *x >> n & self.end == self.end => Left::Ended,
                Statement::Call(f, when) if when.is_none_or(|n| bit(*x, &n)) => {
                    match self.evaluate(&functions[*f], functions, x) {
                        Left::Ended => Left::Ended,
                        _ => Left::Normally,
                    }
                }
                _ => Left::Normally,
            };
            if left != Left::Normally {
                return left;
            }
        }
        Left::Normally
    }

    fn turns(
        &self, turns: Option<u32>, body: &[Statement], leave: &Option<u32>, functions: &[Vec<Statement>], x: &mut u32,
    ) -> Left {
        for _ in 0..turns.unwrap_or(1 + (*x & 3)) {
            match self.evaluate(body, functions, x) {
                Left::Broken => break,
                Left::Normally if leave.is_some_and(|n| *x >> n & 1 == 0) => break,
                Left::Normally | Left::Continued => {}
                out => return out,
            }
        }
        Left::Normally
    }
}

/// How statements are left.
#[derive(Clone, Copy, PartialEq)]
pub enum Left {
    Normally,
    Broken,
    Continued,
    Returned,
    Ended,
}
