//! Makes a failing program small: takes away statements, branches and operands while it still fails
//! in the same way.

use super::flow::{children, children_mut};
use super::program::*;
use super::run::{self, Failure};
use std::path::Path;
use std::time::{Duration, Instant};
use warpsmith_compiler::clang::Clang;

/// Candidates tried in one call of the compilers.
const TOGETHER: usize = 12;

/// The smallest program found within the time, and how it fails.
pub fn reduce(
    clang: &Clang, program: &Program, failure: &Failure, folder: &Path, time: Duration,
) -> (Program, Failure) {
    let end = Instant::now() + time;
    let mut best = (program.clone(), failure.clone());
    // Which of the candidates fails like the first program.
    let failing = |candidates: &[Program]| -> Option<(usize, Failure)> {
        let wanted: Vec<usize> = (0..candidates.len()).filter(|c| ordered(&candidates[*c], program)).collect();
        let try_some = |some: &[usize]| {
            let list: Vec<&Program> = some.iter().map(|c| &candidates[*c]).collect();
            let batch = run::batch(clang, &list, folder, &run::target(run::TINY)).ok()?;
            let found = batch.failures.into_iter().find(|(_, f)| f.kind == failure.kind);
            Some(found.and_then(|(p, f)| {
                let at = some.iter().find(|c| candidates[**c] == p)?;
                Some((*at, f))
            }))
        };
        match try_some(&wanted) {
            Some(found) => found,
            // One of them is no valid program: each for itself.
            None => wanted.iter().find_map(|c| try_some(&[*c]).flatten()),
        }
    };
    loop {
        let mut smaller = false;
        let mut step = 0;
        loop {
            let candidates: Vec<Program> = (step..step + TOGETHER).map_while(|s| change(&best.0, s)).collect();
            if candidates.is_empty() {
                break;
            }
            match failing(&candidates) {
                Some((at, f)) => {
                    best = (candidates[at].clone(), f);
                    smaller = true;
                    step += at;
                }
                None => step += candidates.len(),
            }
            if Instant::now() > end {
                return best;
            }
        }
        if !smaller {
            return best;
        }
    }
}

/// Barriers, and stores to shared arrays, are as many as before: without them threads would race.
fn ordered(p: &Program, original: &Program) -> bool {
    fn count(body: &[Stmt]) -> usize {
        body.iter()
            .map(|s| {
                usize::from(matches!(s, Stmt::Barrier | Stmt::StoreShared(..)))
                    + children(s).iter().map(|c| count(c)).sum::<usize>()
            })
            .sum()
    }
    count(&p.kernel.body) == count(&original.kernel.body) || !reads_shared(p)
}

fn reads_shared(p: &Program) -> bool {
    format!("{:?}", p.kernel).contains("Shared(") && !p.shared.is_empty() && {
        // A load names the table `Shared`, a store is `StoreShared`.
        let text = format!("{:?}", p.kernel).replace("StoreShared(", "");
        text.contains("Shared(")
    }
}

/// Change number `step` of all that may make the program smaller; none when there are no more.
fn change(p: &Program, step: usize) -> Option<Program> {
    let mut p = p.clone();
    let mut left = step;
    let done = halves(&mut p.kernel.body, &mut left)
        || statements(&mut p.kernel.body, &mut left)
        || p.functions.iter_mut().any(|f| statements(&mut f.body, &mut left))
        || expressions(&mut p, &mut left);
    done.then_some(p)
}

/// True for the change that is wanted.
fn turn(left: &mut usize) -> bool {
    if *left == 0 {
        return true;
    }
    *left -= 1;
    false
}

/// Takes away halves and quarters of a list.
fn halves(body: &mut Vec<Stmt>, left: &mut usize) -> bool {
    for parts in [2, 4] {
        if body.len() < 2 * parts {
            continue;
        }
        for k in 0..parts {
            if turn(left) {
                let (a, b) = (k * body.len() / parts, (k + 1) * body.len() / parts);
                body.drain(a..b);
                return true;
            }
        }
    }
    false
}

/// Takes away a statement, or puts one of its parts in its place.
fn statements(body: &mut Vec<Stmt>, left: &mut usize) -> bool {
    for i in 0..body.len() {
        if turn(left) {
            body.remove(i);
            return true;
        }
        for k in 0..children(&body[i]).len() {
            if turn(left) {
                let part = children(&body[i])[k].clone();
                body.splice(i..=i, part);
                return true;
            }
        }
        if children_mut(&mut body[i]).into_iter().any(|c| statements(c, left)) {
            return true;
        }
    }
    false
}

/// Puts 0, 1 or an operand in the place of an expression.
fn expressions(p: &mut Program, left: &mut usize) -> bool {
    let mut functions: Vec<&mut Function> = p.functions.iter_mut().chain([&mut p.kernel]).collect();
    functions.iter_mut().any(|f| {
        f.vars.iter_mut().any(|v| simpler(&mut v.1, left))
            || in_body(&mut f.body, left)
            || f.last.iter_mut().any(|e| simpler(e, left))
    })
}

fn in_body(body: &mut [Stmt], left: &mut usize) -> bool {
    body.iter_mut().any(|s| {
        let own: Vec<&mut Expr> = match s {
            Stmt::Assign(_, e)
            | Stmt::SetField(_, e)
            | Stmt::StoreShared(_, e)
            | Stmt::Result(_, e)
            | Stmt::If(e, ..)
            | Stmt::Switch(e, ..)
            | Stmt::Return(Some(e)) => vec![e],
            Stmt::StoreLocal(_, i, e) => vec![i, e],
            Stmt::Loop(_, _, most, more, _) => [most].into_iter().chain(more).collect(),
            _ => vec![],
        };
        own.into_iter().any(|e| simpler(e, left)) || children_mut(s).into_iter().any(|c| in_body(c, left))
    })
}

fn operands(e: &mut Expr) -> Vec<&mut Expr> {
    match e {
        Expr::Binary(_, _, a, b) | Expr::Compare(_, _, a, b) | Expr::Logic(_, a, b) => vec![a, b],
        Expr::Unary(_, _, a) | Expr::Not(a) | Expr::Cast(_, a) | Expr::Load(_, _, a) => vec![a],
        Expr::Choose(_, c, a, b) => vec![c, a, b],
        Expr::Call(_, _, args, _) | Expr::Builtin(_, _, args) => args.iter_mut().collect(),
        _ => vec![],
    }
}

fn simpler(e: &mut Expr, left: &mut usize) -> bool {
    let ty = e.ty();
    if !matches!(e, Expr::Literal(..) | Expr::Var(..) | Expr::Thread) {
        let parts: Vec<Expr> = operands(e).into_iter().filter(|o| o.ty() == ty).map(|o| o.clone()).collect();
        for part in parts {
            if turn(left) {
                *e = part;
                return true;
            }
        }
        for value in 0..2 {
            if turn(left) {
                *e = Expr::Literal(ty, value);
                return true;
            }
        }
    }
    operands(e).into_iter().any(|o| simpler(o, left))
}
