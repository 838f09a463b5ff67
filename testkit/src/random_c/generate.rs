//! A program from a seed.

use super::flow::Around;
use super::program::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Generator of statements, with the names in scope.
pub struct Maker<'a> {
    /// Source of chance.
    pub rng: &'a mut ChaCha8Rng,
    /// Types of the function's variables.
    pub vars: Vec<Ty>,
    /// Types of its arrays.
    pub arrays: Vec<Ty>,
    /// Number of bit fields.
    pub fields: usize,
    /// Counters used so far.
    pub counters: usize,
    /// Labels used so far.
    pub labels: usize,
    /// Loops around.
    pub loops: u32,
    /// Most loops around a statement.
    pub most_loops: u32,
    /// Thread number, parameters and memory are in reach.
    pub in_kernel: bool,
    /// Type returned by the function.
    pub returns: Option<Ty>,
    /// The function may end anywhere.
    pub returns_early: bool,
    /// Functions in reach: type, parameters, type behind the pointer.
    pub callable: Vec<(Ty, Vec<Ty>, Option<Ty>)>,
    /// Type behind the function's own pointer.
    pub pointer: Option<Ty>,
    /// Types of the tables of the program.
    pub constants: Vec<Ty>,
    /// Types of the tables in global memory.
    pub globals: Vec<Ty>,
    /// Types of the shared arrays.
    pub shared: Vec<Ty>,
    /// Shared arrays may be read everywhere now.
    pub shared_readable: bool,
    /// Types of the kernel's scalar parameters.
    pub params: Vec<Ty>,
}

impl Maker<'_> {
    /// A counter that nothing else uses.
    pub fn counter(&mut self) -> usize {
        self.counters += 1;
        self.counters - 1
    }

    /// Any type.
    fn ty(&mut self) -> Ty {
        match self.rng.gen_bool(0.12) {
            true => Ty::F32,
            false => self.integer(),
        }
    }
}

fn tables(rng: &mut ChaCha8Rng, most: usize) -> Vec<(Ty, Vec<i64>)> {
    (0..rng.gen_range(0..=most))
        .map(|_| {
            let ty = INTEGERS[rng.gen_range(0..INTEGERS.len())];
            (ty, (0..TABLE).map(|_| rng.gen::<i64>() >> rng.gen_range(0..60)).collect())
        })
        .collect()
}

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let constants = tables(&mut rng, 2);
    let globals = tables(&mut rng, 1);
    let params: Vec<(Ty, i64)> = (0..rng.gen_range(0..5))
        .map(|_| (INTEGERS[rng.gen_range(0..INTEGERS.len())], rng.gen::<i64>() >> rng.gen_range(0..60)))
        .collect();
    let shared: Vec<Ty> = match rng.gen_bool(0.4) {
        true => (0..rng.gen_range(1..3)).map(|_| INTEGERS[rng.gen_range(0..INTEGERS.len())]).collect(),
        false => vec![],
    };
    let input = (0..INPUT)
        .map(|i| match i % 4 {
            0 => rng.gen_range(0..64),
            1 => 1u32.wrapping_shl(rng.gen_range(0..32)).wrapping_add(rng.gen_range(0..3)).wrapping_sub(1),
            _ => rng.gen(),
        })
        .collect();
    let mut m = Maker {
        rng: &mut rng,
        vars: vec![],
        arrays: vec![],
        fields: 0,
        counters: 0,
        labels: 0,
        loops: 0,
        most_loops: 1,
        in_kernel: false,
        returns: None,
        returns_early: true,
        callable: vec![],
        pointer: None,
        constants: constants.iter().map(|t| t.0).collect(),
        globals: globals.iter().map(|t| t.0).collect(),
        shared: shared.clone(),
        shared_readable: false,
        params: params.iter().map(|p| p.0).collect(),
    };
    let mut functions = vec![];
    for _ in 0..m.rng.gen_range(0..3) {
        let count = m.rng.gen_range(1..4);
        let ty = m.ty();
        let f = function(&mut m, Some(ty), count);
        let params = f.vars[..count].iter().map(|v| v.0).collect();
        m.callable.push((ty, params, f.pointer));
        functions.push(f);
    }
    let kernel = function(&mut m, None, 0);
    let plane = m.rng.gen_bool(0.3);
    Program { seed, plane, functions, kernel, constants, globals, shared, params, input }
}

/// A function with `params` parameters, or the kernel.
fn function(m: &mut Maker, returns: Option<Ty>, params: usize) -> Function {
    let kernel = returns.is_none();
    m.in_kernel = kernel;
    m.returns = returns;
    m.most_loops = if kernel { 3 } else { 1 };
    m.counters = 0;
    m.labels = 0;
    m.vars = vec![];
    m.arrays = vec![];
    m.fields = 0;
    m.shared_readable = false;
    let count = if kernel { m.rng.gen_range(3..=RESULTS - 2) } else { params + 1 };
    let mut vars = vec![];
    for i in 0..count {
        let ty = m.ty();
        let first = match i {
            0 if kernel => Expr::Cast(ty, Box::new(Expr::Thread)),
            _ if kernel && i < 4 && ty != Ty::F32 => {
                let index =
                    Expr::Binary(Ty::U32, "+", Box::new(Expr::Thread), Box::new(Expr::Literal(Ty::U32, i as i64 * 9)));
                Expr::Load(ty, Table::Input, Box::new(index))
            }
            _ => m.literal(ty),
        };
        vars.push((ty, first));
        m.vars.push(ty);
    }
    m.pointer = match !kernel && m.rng.gen_bool(0.3) {
        true => Some(m.ty()),
        false => None,
    };
    if m.rng.gen_bool(0.3) {
        let ty = m.ty();
        m.arrays.push(ty);
    }
    if kernel {
        let wanted = m.callable.iter().filter_map(|c| c.2);
        m.arrays.extend(wanted);
    }
    let mut fields = vec![];
    if m.rng.gen_bool(0.2) {
        for _ in 0..m.rng.gen_range(1..5) {
            fields.push((m.rng.gen_range(1..=32), m.rng.gen()));
        }
    }
    m.fields = fields.len();
    let body = match kernel {
        true => kernel_body(m),
        false => {
            m.returns_early = true;
            let mut budget = 8;
            let mut body = m.block(&mut budget, 0, Around::default());
            m.tangle(&mut body);
            body
        }
    };
    let last = returns.map(|ty| m.small(ty, 2));
    Function {
        returns,
        params,
        vars,
        counters: m.counters,
        arrays: m.arrays.clone(),
        pointer: m.pointer,
        fields,
        apart: m.rng.gen_bool(0.5),
        body,
        last,
    }
}

/// Parts without barriers; between them every thread writes its elements of the shared arrays, waits,
/// and reads those of others. Behind the last barrier threads may end early.
fn kernel_body(m: &mut Maker) -> Vec<Stmt> {
    let size = [10, 20, 40][m.rng.gen_range(0..3)];
    let mut body = vec![];
    if !m.shared.is_empty() {
        for _ in 0..m.rng.gen_range(1..4) {
            m.returns_early = false;
            let mut part = phase(m, size / 3);
            match m.rng.gen_range(0..5) {
                0 => {
                    let counter = m.counter();
                    let most = Expr::Literal(Ty::I32, m.rng.gen_range(1..4));
                    body.push(Stmt::Loop(LoopKind::For, counter, most, None, part));
                }
                1 => {
                    // The first part stands alone: what it writes is read later.
                    if body.is_empty() {
                        body.append(&mut part);
                    }
                    let inner = phase(m, size / 3);
                    body.push(Stmt::If(m.uniform(), inner, vec![]));
                }
                _ => body.append(&mut part),
            }
        }
    }
    m.returns_early = m.rng.gen_bool(0.6);
    let mut budget = size;
    for _ in 0..3 {
        let mut part = m.block(&mut budget, 0, Around::default());
        m.tangle(&mut part);
        body.append(&mut part);
    }
    let results = m.vars.clone();
    body.extend(results.iter().enumerate().map(|(v, ty)| Stmt::Result(v + 2, Expr::Var(*ty, v))));
    body
}

/// A part of its own, stores, a barrier, a part that reads, a barrier.
fn phase(m: &mut Maker, size: i32) -> Vec<Stmt> {
    let mut budget = size;
    let mut out = m.block(&mut budget, 1, Around::default());
    m.tangle(&mut out);
    for a in 0..m.shared.len() {
        let e = m.small(m.shared[a], 2);
        out.push(Stmt::StoreShared(a, e));
    }
    out.push(Stmt::Barrier);
    m.shared_readable = true;
    let mut budget = size;
    let mut part = m.block(&mut budget, 1, Around::default());
    m.tangle(&mut part);
    out.append(&mut part);
    m.shared_readable = false;
    out.push(Stmt::Barrier);
    out
}
