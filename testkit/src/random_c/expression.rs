//! Random expressions of a wanted type.

use super::generate::Maker;
use super::program::*;
use rand::seq::SliceRandom;
use rand::Rng;

/// Magnitude up to which sums and products of floats are exact, with room for one more operation.
const EXACT: i64 = 1 << 22;

/// Fields of vectors.
const VECTORS: [(Ty, Table); 6] = [
    (Ty::U32, Table::Vector("uint4", "x")),
    (Ty::U32, Table::Vector("uint4", "w")),
    (Ty::U32, Table::Vector("uint2", "y")),
    (Ty::I16, Table::Vector("short2", "y")),
    (Ty::U8, Table::Vector("uchar4", "x")),
    (Ty::U8, Table::Vector("uchar4", "z")),
];

fn boxed(e: Expr) -> Box<Expr> {
    Box::new(e)
}

impl Maker<'_> {
    /// An integer type, 32 bits more often.
    pub fn integer(&mut self) -> Ty {
        *INTEGERS.choose(self.rng).unwrap_or(&Ty::I32)
    }

    /// An expression of a type, at most `depth` operations deep.
    pub fn expr(&mut self, ty: Ty, depth: u32) -> Expr {
        if ty == Ty::F32 {
            return self.float(depth).0;
        }
        if depth == 0 || self.rng.gen_ratio(1, 6) {
            return self.leaf(ty);
        }
        let d = depth - 1;
        match self.rng.gen_range(0..100) {
            0..=39 => {
                const OPS: [&str; 11] = ["+", "-", "*", "&", "|", "^", "+", "-", "<<", ">>", ">>"];
                let op = *OPS.choose(self.rng).unwrap_or(&"+");
                let right = match op {
                    "<<" | ">>" if self.rng.gen_bool(0.6) => {
                        Expr::Literal(Ty::U32, self.rng.gen_range(0..i64::from(ty.bits())))
                    }
                    "<<" | ">>" => self.expr(Ty::U32, d.min(1)),
                    "*" | "&" if self.rng.gen_bool(0.3) => self.literal(ty),
                    _ => self.expr(ty, d),
                };
                Expr::Binary(ty, op, boxed(self.expr(ty, d)), boxed(right))
            }
            40..=45 => {
                let op = if self.rng.gen() { "/" } else { "%" };
                let right = match self.rng.gen_bool(0.5) {
                    true => self.literal(ty),
                    false => self.expr(ty, d),
                };
                Expr::Binary(ty, op, boxed(self.expr(ty, d)), boxed(right))
            }
            46..=51 => {
                let op = if self.rng.gen() { "-" } else { "~" };
                Expr::Unary(ty, op, boxed(self.expr(ty, d)))
            }
            52..=61 => {
                let from = match self.rng.gen_bool(0.2) {
                    true => Ty::F32,
                    false => self.integer(),
                };
                Expr::Cast(ty, boxed(self.expr(from, d)))
            }
            62..=69 => {
                let (c, a, b) = (self.condition(d), self.expr(ty, d), self.expr(ty, d));
                Expr::Choose(ty, boxed(c), boxed(a), boxed(b))
            }
            70..=75 => Expr::Cast(ty, boxed(self.condition(d))),
            76..=83 => self.load(ty, d),
            84..=90 => self.builtin(ty, d),
            91..=95 => self.call(ty, d),
            _ => Expr::Cast(ty, boxed(self.special())),
        }
    }

    /// A truth value.
    pub fn condition(&mut self, depth: u32) -> Expr {
        const RELATIONS: [&str; 6] = ["<", "<=", ">", ">=", "==", "!="];
        let d = depth.saturating_sub(1);
        match self.rng.gen_range(0..10) {
            0..=2 if depth > 0 => {
                let op = if self.rng.gen() { "&&" } else { "||" };
                Expr::Logic(op, boxed(self.condition(d)), boxed(self.condition(d)))
            }
            3 if depth > 0 => Expr::Not(boxed(self.condition(d))),
            4 => {
                let e = self.expr(Ty::U32, d);
                let bit = Expr::Literal(Ty::U32, 1 << self.rng.gen_range(0..5));
                Expr::Binary(Ty::U32, "&", boxed(e), boxed(bit))
            }
            _ => {
                let ty = match self.rng.gen_bool(0.15) {
                    true => Ty::F32,
                    false => self.integer(),
                };
                let op = *RELATIONS.choose(self.rng).unwrap_or(&"<");
                let right = match self.rng.gen_bool(0.4) {
                    true => self.literal(ty),
                    false => self.expr(ty, d),
                };
                Expr::Compare(ty, op, boxed(self.expr(ty, d)), boxed(right))
            }
        }
    }

    /// A truth value that is the same for all threads of a block.
    pub fn uniform(&mut self) -> Expr {
        let a = match self.params.is_empty() || self.rng.gen_bool(0.3) {
            true => Expr::Block,
            false => {
                let i = self.rng.gen_range(0..self.params.len());
                Expr::Cast(Ty::U32, boxed(Expr::Param(self.params[i], i)))
            }
        };
        let bit = Expr::Literal(Ty::U32, 1 << self.rng.gen_range(0..4));
        Expr::Binary(Ty::U32, "&", boxed(a), boxed(bit))
    }

    /// A constant: small, a power of two and its neighbours, or anything.
    pub fn literal(&mut self, ty: Ty) -> Expr {
        let value = match self.rng.gen_range(0..10) {
            _ if ty == Ty::F32 => self.rng.gen_range(-64..64),
            0..=4 => self.rng.gen_range(-8..20),
            5..=7 => (1i64 << self.rng.gen_range(0..ty.bits().min(63))) + self.rng.gen_range(-1..2),
            _ => self.rng.gen(),
        };
        Expr::Literal(ty, value)
    }

    fn leaf(&mut self, ty: Ty) -> Expr {
        let same: Vec<usize> = (0..self.vars.len()).filter(|v| self.vars[*v] == ty).collect();
        match self.rng.gen_range(0..10) {
            0..=4 if !same.is_empty() => Expr::Var(ty, same[self.rng.gen_range(0..same.len())]),
            0..=6 => {
                let v = self.rng.gen_range(0..self.vars.len());
                match self.vars[v] {
                    other if other == ty => Expr::Var(ty, v),
                    other => Expr::Cast(ty, boxed(Expr::Var(other, v))),
                }
            }
            7 => Expr::Cast(ty, boxed(self.special())),
            _ => self.literal(ty),
        }
    }

    /// Thread, block, parameter or field.
    fn special(&mut self) -> Expr {
        match self.rng.gen_range(0..6) {
            0 | 1 if self.in_kernel => Expr::Thread,
            2 if self.in_kernel => Expr::Block,
            3 | 4 if self.in_kernel && !self.params.is_empty() => {
                let i = self.rng.gen_range(0..self.params.len());
                Expr::Param(self.params[i], i)
            }
            _ if self.fields > 0 => Expr::Field(self.rng.gen_range(0..self.fields)),
            _ => self.literal(Ty::I32),
        }
    }

    /// An element of any table, converted where its type is another one.
    fn load(&mut self, ty: Ty, depth: u32) -> Expr {
        let index_ty = if self.rng.gen_bool(0.8) { Ty::U32 } else { self.integer() };
        let index = boxed(self.expr(index_ty, depth.min(2)));
        let mut tables: Vec<(Ty, Table)> = vec![];
        if self.in_kernel {
            let ty = self.integer();
            tables.push((ty, Table::Input));
            tables.push(VECTORS[self.rng.gen_range(0..VECTORS.len())]);
        }
        tables.extend(self.pointer.map(|ty| (ty, Table::Pointer)));
        tables.extend(self.arrays.iter().enumerate().map(|(i, t)| (*t, Table::Local(i))));
        tables.extend(self.constants.iter().enumerate().map(|(i, t)| (*t, Table::Constant(i))));
        tables.extend(self.globals.iter().enumerate().map(|(i, t)| (*t, Table::Global(i))));
        if self.shared_readable {
            tables.extend(self.shared.iter().enumerate().map(|(i, t)| (*t, Table::Shared(i))));
        }
        match tables.choose(self.rng) {
            None => self.leaf(ty),
            Some(&(t, table)) if t == ty => Expr::Load(t, table, index),
            Some(&(t, table)) => Expr::Cast(ty, boxed(Expr::Load(t, table, index))),
        }
    }

    fn builtin(&mut self, ty: Ty, depth: u32) -> Expr {
        const NAMES: [(&str, Ty, usize); 13] = [
            ("least", Ty::I32, 2),
            ("most", Ty::I32, 2),
            ("uleast", Ty::U32, 2),
            ("umost", Ty::U32, 2),
            ("distance", Ty::I32, 1),
            ("turn", Ty::U32, 2),
            ("swap", Ty::U32, 1),
            ("ones", Ty::U32, 1),
            ("zeros", Ty::U32, 1),
            ("product24", Ty::I32, 2),
            ("uproduct24", Ty::U32, 2),
            ("upper", Ty::I32, 2),
            ("uupper", Ty::U32, 2),
        ];
        let (name, operand, count) = NAMES[self.rng.gen_range(0..NAMES.len())];
        let args = (0..count).map(|_| self.expr(operand, depth.min(2))).collect();
        Expr::Builtin(ty, name, args)
    }

    fn call(&mut self, ty: Ty, depth: u32) -> Expr {
        if self.callable.is_empty() || self.loops > 1 {
            return self.leaf(ty);
        }
        let f = self.rng.gen_range(0..self.callable.len());
        let (returns, params, pointer) = self.callable[f].clone();
        let array = match pointer {
            None => None,
            Some(behind) => match self.arrays.iter().position(|a| *a == behind) {
                Some(a) => Some(a),
                None => return self.leaf(ty),
            },
        };
        let args = params.iter().map(|p| self.small(*p, depth.min(1))).collect();
        let call = Expr::Call(returns, f, args, array);
        if returns == ty {
            call
        } else {
            Expr::Cast(ty, boxed(call))
        }
    }

    /// A value that may be kept in a variable: floats below 2^10.
    pub fn small(&mut self, ty: Ty, depth: u32) -> Expr {
        if ty != Ty::F32 {
            return self.expr(ty, depth);
        }
        match self.rng.gen_bool(0.6) {
            true => {
                let float = self.float(depth).0;
                Expr::Cast(Ty::F32, boxed(Expr::Cast(Ty::I32, boxed(float))))
            }
            false => {
                let from = self.integer();
                Expr::Cast(Ty::F32, boxed(self.expr(from, depth)))
            }
        }
    }

    /// A float expression and a bound on its magnitude.
    fn float(&mut self, depth: u32) -> (Expr, i64) {
        if depth == 0 {
            let own: Vec<usize> = (0..self.vars.len()).filter(|v| self.vars[*v] == Ty::F32).collect();
            return match own.choose(self.rng) {
                Some(v) if self.rng.gen_bool(0.7) => (Expr::Var(Ty::F32, *v), 1 << 10),
                _ => (self.literal(Ty::F32), 1 << 6),
            };
        }
        let d = depth - 1;
        match self.rng.gen_range(0..10) {
            0..=5 => {
                let ((a, m), (b, n)) = (self.float(d), self.float(d));
                let (op, bound) = match self.rng.gen_range(0..3) {
                    0 => ("+", m + n),
                    1 => ("-", m + n),
                    _ => ("*", m * n),
                };
                if bound > EXACT {
                    return (a, m);
                }
                (Expr::Binary(Ty::F32, op, boxed(a), boxed(b)), bound)
            }
            6 => {
                let (a, m) = self.float(d);
                (Expr::Unary(Ty::F32, "-", boxed(a)), m)
            }
            7 => {
                let c = self.condition(d);
                let ((a, m), (b, n)) = (self.float(d), self.float(d));
                (Expr::Choose(Ty::F32, boxed(c), boxed(a), boxed(b)), m.max(n))
            }
            _ => {
                let from = self.integer();
                (Expr::Cast(Ty::F32, boxed(self.expr(from, d))), 1 << 10)
            }
        }
    }
}
