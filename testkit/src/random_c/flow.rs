//! Random statements: loops that end, labels that exist, barriers that all threads reach.

use super::generate::Maker;
use super::program::*;
use rand::Rng;

/// Enclosing statements that a jump may leave.
#[derive(Clone, Copy, Default)]
pub struct Around {
    /// Inside a loop or a switch.
    breaks: bool,
    /// Inside a loop.
    continues: bool,
}

impl Maker<'_> {
    /// Statements without barriers, about `budget` of them.
    pub fn block(&mut self, budget: &mut i32, depth: u32, around: Around) -> Vec<Stmt> {
        let mut out = vec![];
        for _ in 0..self.rng.gen_range(1..=5) {
            if *budget <= 0 {
                break;
            }
            *budget -= 1;
            let s = self.stmt(budget, depth, around);
            let ends = matches!(s, Stmt::Break | Stmt::Continue | Stmt::Return(_));
            out.push(s);
            if ends {
                break;
            }
        }
        out
    }

    fn stmt(&mut self, budget: &mut i32, depth: u32, around: Around) -> Stmt {
        let nested = depth < 4;
        match self.rng.gen_range(0..100) {
            0..=15 if nested => {
                let c = self.condition(2);
                let yes = self.block(budget, depth + 1, around);
                let no = match self.rng.gen_bool(0.5) {
                    true => self.block(budget, depth + 1, around),
                    false => vec![],
                };
                Stmt::If(c, yes, no)
            }
            16..=29 if nested && self.loops < self.most_loops => self.repeat(budget, depth),
            30..=37 if nested => self.switch(budget, depth, around),
            38..=43 if around.breaks => self.sometimes(Stmt::Break),
            44..=48 if around.continues => self.sometimes(Stmt::Continue),
            49..=52 if self.returns_early && depth > 0 => {
                let value = self.returns.map(|ty| self.small(ty, 1));
                self.sometimes(Stmt::Return(value))
            }
            53..=58 if self.pointer.is_some() || !self.arrays.is_empty() => {
                let (a, ty) = match self.pointer {
                    Some(ty) if self.arrays.is_empty() || self.rng.gen() => (POINTER, ty),
                    _ => {
                        let a = self.rng.gen_range(0..self.arrays.len());
                        (a, self.arrays[a])
                    }
                };
                let (i, e) = (self.expr(Ty::U32, 1), self.small(ty, 2));
                Stmt::StoreLocal(a, i, e)
            }
            59..=63 if self.fields > 0 => {
                let f = self.rng.gen_range(0..self.fields);
                let ty = if self.rng.gen() { Ty::I32 } else { Ty::U32 };
                Stmt::SetField(f, self.expr(ty, 2))
            }
            64..=67 if self.in_kernel => {
                let (v, r) = (self.rng.gen_range(0..self.vars.len()), self.rng.gen_range(0..2));
                Stmt::Result(r, Expr::Var(self.vars[v], v))
            }
            _ => {
                let v = self.rng.gen_range(0..self.vars.len());
                Stmt::Assign(v, self.small(self.vars[v], 3))
            }
        }
    }

    /// A jump, mostly under a condition: code behind it is reached.
    fn sometimes(&mut self, jump: Stmt) -> Stmt {
        Stmt::If(self.condition(1), vec![jump], vec![])
    }

    fn repeat(&mut self, budget: &mut i32, depth: u32) -> Stmt {
        let kind = match self.rng.gen_range(0..4) {
            0 | 1 => LoopKind::For,
            2 => LoopKind::While,
            _ => LoopKind::DoWhile,
        };
        let counter = self.counter();
        let most = match self.rng.gen_bool(0.5) {
            true => Expr::Literal(Ty::I32, self.rng.gen_range(1..5)),
            false => {
                let e = Box::new(self.expr(Ty::I32, 1));
                Expr::Binary(Ty::I32, "&", e, Box::new(Expr::Literal(Ty::I32, 3)))
            }
        };
        let more = match self.rng.gen_bool(0.4) {
            true => Some(self.condition(2)),
            false => None,
        };
        self.loops += 1;
        let around = Around { breaks: true, continues: true };
        let body = self.block(budget, depth + 1, around);
        self.loops -= 1;
        Stmt::Loop(kind, counter, most, more, body)
    }

    fn switch(&mut self, budget: &mut i32, depth: u32, around: Around) -> Stmt {
        let mask = [3, 7, 15][self.rng.gen_range(0..3)];
        let value = Box::new(self.expr(Ty::I32, 2));
        let value = Expr::Binary(Ty::I32, "&", value, Box::new(Expr::Literal(Ty::I32, mask)));
        let around = Around { breaks: true, ..around };
        let mut free: Vec<i64> = (0..=mask).collect();
        let mut cases = vec![];
        for _ in 0..self.rng.gen_range(1..5) {
            let mut labels = vec![];
            for _ in 0..self.rng.gen_range(1..3) {
                if !free.is_empty() {
                    labels.push(free.remove(self.rng.gen_range(0..free.len())));
                }
            }
            if !labels.is_empty() {
                let body = self.block(budget, depth + 1, around);
                cases.push((labels, body, self.rng.gen_bool(0.3)));
            }
        }
        let default = match self.rng.gen_bool(0.5) {
            true => self.block(budget, depth + 1, around),
            false => vec![],
        };
        Stmt::Switch(value, cases, default)
    }

    /// Puts labels and jumps to them into statements without barriers: forwards from anywhere before
    /// the label, into and out of blocks, and backwards at most three times.
    pub fn tangle(&mut self, body: &mut Vec<Stmt>) {
        for _ in 0..self.rng.gen_range(0..3) {
            let places = lists(body);
            if places < 2 {
                return;
            }
            let label = self.labels;
            self.labels += 1;
            let mut spots = [self.rng.gen_range(0..places), self.rng.gen_range(0..places)];
            spots.sort_unstable();
            let back = self.rng.gen_bool(0.25);
            let jump = match back {
                true => Stmt::Goto(label, Some(self.counter())),
                false => Stmt::Goto(label, None),
            };
            let jump = self.sometimes(jump);
            let mut insert = |spot: usize, s: Stmt| {
                let mut left = spot;
                put(body, &mut left, &mut Some(s));
            };
            // The later one of the text first: the earlier spot keeps its number.
            if back {
                insert(spots[1], jump);
                insert(spots[0], Stmt::Label(label));
            } else {
                insert(spots[1], Stmt::Label(label));
                insert(spots[0], jump);
            }
        }
    }
}

/// Places in the lists of statements below `body`, in the order of the text.
fn lists(body: &[Stmt]) -> usize {
    body.iter().map(|s| 1 + children(s).iter().map(|c| lists(c)).sum::<usize>()).sum()
}

/// Lists of statements within one.
pub fn children(s: &Stmt) -> Vec<&Vec<Stmt>> {
    match s {
        Stmt::If(_, a, b) => vec![a, b],
        Stmt::Loop(_, _, _, _, a) => vec![a],
        Stmt::Switch(_, cases, default) => cases.iter().map(|c| &c.1).chain([default]).collect(),
        _ => vec![],
    }
}

/// [`children`], to be changed.
pub fn children_mut(s: &mut Stmt) -> Vec<&mut Vec<Stmt>> {
    match s {
        Stmt::If(_, a, b) => vec![a, b],
        Stmt::Loop(_, _, _, _, a) => vec![a],
        Stmt::Switch(_, cases, default) => cases.iter_mut().map(|c| &mut c.1).chain([default]).collect(),
        _ => vec![],
    }
}

/// Inserts `new` before the statement number `left` of the text.
fn put(body: &mut Vec<Stmt>, left: &mut usize, new: &mut Option<Stmt>) {
    let mut i = 0;
    while i < body.len() && new.is_some() {
        if *left == 0 {
            if let Some(s) = new.take() {
                body.insert(i, s);
            }
            return;
        }
        *left -= 1;
        for c in children_mut(&mut body[i]) {
            put(c, left, new);
        }
        i += 1;
    }
}
