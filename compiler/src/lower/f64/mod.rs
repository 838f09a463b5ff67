//! Floats of 64 bits: pairs of words, computed by routines that are called.
//!
//! A *routine* is a function of PTX whose name begins with [`PREFIX`]: it computes its results from its arguments, touches
//! no memory that the kernel writes and is called, not inlined; so are reads of images ([`super::routine::is_called`]). Those of single instructions are `routines.ptx`, functions of the C library
//! `math.ptx`; clang 19 writes both from C by the command in `compiler/tests/double.rs`, whose test compares them.

mod convert;
mod instructions;

use std::sync::OnceLock;

use super::build::{Lower, ZERO};
use super::routine::{Signature, DOUBLES as PREFIX};
use super::{function, inline, place, Source};
use crate::error::CompileError;
use crate::ir::{self, Op, Operand, Ty, Value};
use crate::program::{Options, Unit};
use crate::ptx;
use crate::ptx::ast::{self, Inst, Module, Param, Symbol, VarId};
use warpsmith_isa::{self as isa, ChipInfo as Target, Level, Number, Round};

type Result<T> = std::result::Result<T, CompileError>;

/// The routines of instructions, and functions of the C library, as text: name and contents of a file.
const TEXTS: [(&str, &str); 2] =
    [("routines.ptx", include_str!("routines.ptx")), ("math.ptx", include_str!("math.ptx"))];

/// Words that arguments or results may have: the registers that pass them.
const MOST: usize = 16;

/// One of the files, read once.
fn module(n: usize) -> Result<&'static Module> {
    static MODULES: [OnceLock<Result<Module>>; 2] = [const { OnceLock::new() }; 2];
    let (name, text) = TEXTS[n];
    MODULES[n].get_or_init(|| ptx::parse(text, name)).as_ref().map_err(Clone::clone)
}

/// Words of parameters or results.
fn words(list: &[Param]) -> usize {
    list.iter().map(|p| p.bytes().div_ceil(4) as usize).sum()
}

/// All routines by number: those called, and those that they call.
pub(super) fn routines(
    module: &Module, unit: &Unit, target: &Target, options: &Options, mut called: Vec<String>,
) -> Result<Vec<ir::Function>> {
    let mut out = Vec::new();
    while let Some(name) = called.get(out.len()) {
        let (of, f) = find(module, name)?;
        let empty = Unit::default();
        let unit = if std::ptr::eq(of, module) { unit } else { &empty };
        let (flat, args, results) = inline::flatten_routine(of, target, f)?;
        let bare = ast::Function { params: Vec::new(), results: Vec::new(), ..f.clone() };
        let options = &Options { environment: false, ..options.clone() };
        let source = Source { module: of, unit, target, options };
        let lowered = function(&source, &bare, flat, Some(Signature { args, results }), &mut called)?;
        let error = |message: &str| Err(place::at(of, f.line, None, format!("`{}`: {message}", f.name)));
        if lowered.local_bytes > 0 {
            return error("a routine keeps no arrays in memory");
        }
        if words(&f.params) > MOST || words(&f.results) > MOST {
            return error("a routine has 16 words of arguments and of results at most");
        }
        out.push(lowered);
    }
    Ok(out)
}

/// A routine and the module it is in.
fn find<'a>(own: &'a Module, name: &str) -> Result<(&'a Module, &'a ast::Function)> {
    if let Some(f) = own.function(name) {
        return Ok((own, f));
    }
    for n in 0..TEXTS.len() {
        let m = module(n)?;
        if let Some(f) = m.function(name) {
            return Ok((m, f));
        }
    }
    Err(CompileError { file: own.file.clone(), line: None, message: format!("there is no routine `{name}`") })
}

/// A rounding by its number in the routines.
fn isa_round(round: u32) -> Round {
    [Round::Nearest, Round::Zero, Round::Down, Round::Up][round as usize & 3]
}

impl Lower<'_> {
    /// The chip has a unit for floats of 64 bits.
    fn has_unit(&self) -> bool {
        self.target.tier.level() >= Level::Sm13
    }

    /// Results of an instruction of the unit.
    fn of_unit(&mut self, op: isa::Op, src: &[Operand]) -> Vec<Operand> {
        let dst: Vec<Value> = (0..op.results()).map(|_| self.f.value(Ty::Word)).collect();
        self.push(Op::Double(op), dst.clone(), src.to_vec());
        dst.into_iter().map(Operand::Value).collect()
    }

    /// A conversion by the unit; `round` as the routines number it.
    fn convert_by_unit(&mut self, to: Number, from: Number, to_int: bool, round: u32, src: &[Operand]) -> Vec<Operand> {
        let round = isa_round(round);
        self.of_unit(isa::Op::DConvert { to, from, to_int, round, neg: false, abs: false }, src)
    }

    /// Results of a routine.
    fn routine(&mut self, name: &str, src: &[Operand], results: usize) -> Vec<Operand> {
        let number = match self.called.iter().position(|n| n == name) {
            Some(n) => n,
            None => {
                self.called.push(name.into());
                self.called.len() - 1
            }
        };
        let dst: Vec<Value> = (0..results).map(|_| self.f.value(Ty::Word)).collect();
        self.push(Op::Call { routine: number as u32 }, dst.clone(), src.to_vec());
        dst.into_iter().map(Operand::Value).collect()
    }

    /// `call` of a routine of the module.
    pub(super) fn call(&mut self, inst: &Inst) -> Result<()> {
        let mut lists = inst.args.iter().filter_map(|a| match a {
            ast::Operand::List(l) => Some(l.as_slice()),
            _ => None,
        });
        let name = inst.args.iter().find_map(|a| match a {
            ast::Operand::Symbol(Symbol::Name(name), 0) => Some(name.clone()),
            _ => None,
        });
        let name = name.ok_or_else(|| self.unknown(inst))?;
        let (_, f) = find(self.module, &name)?;
        let (results, params) = (words(&f.results), words(&f.params));
        let to = if results > 0 { lists.next().unwrap_or(&[]) } else { &[] };
        let from = if params > 0 { lists.next().unwrap_or(&[]) } else { &[] };
        let (to, from) = (self.passed(inst, to)?, self.passed(inst, from)?);
        if to.len() != results || from.len() != params {
            return Err(self.error(inst, format!("`{name}` takes {params} words and gives {results}")));
        }
        let src: Vec<Operand> = from.into_iter().map(Operand::Value).collect();
        let values = self.routine(&name, &src, results);
        for (to, v) in to.into_iter().zip(values) {
            self.assign(to, v);
        }
        Ok(())
    }

    /// The words of variables that a call names.
    fn passed(&mut self, inst: &Inst, list: &[ast::Operand]) -> Result<Vec<Value>> {
        let mut out = Vec::new();
        for a in list {
            match a {
                ast::Operand::Symbol(Symbol::Local(v), 0) if self.calls.memory(*v).is_none() => {
                    out.extend(self.words_of(*v));
                }
                _ => return Err(self.unknown(inst)),
            }
        }
        Ok(out)
    }

    /// The words of a variable of a call.
    fn words_of(&mut self, v: VarId) -> Vec<Value> {
        let bytes = self.flat.vars.get(v.0 as usize).map_or(0, |v| v.bytes());
        (0..bytes.div_ceil(4) as i64).map(|k| self.cell(v, 4 * k)).collect()
    }

    /// Takes the arguments of a routine.
    pub(super) fn begin_routine(&mut self) {
        let Some(Signature { args, .. }) = &self.signature else { return };
        let args = args.clone();
        let dst: Vec<Value> = args.into_iter().flat_map(|v| self.words_of(v)).collect();
        self.push(Op::Args, dst, Vec::new());
    }

    /// Gives the results of a routine.
    pub(super) fn end_routine(&mut self) {
        let Some(Signature { results, .. }) = &self.signature else { return };
        let results = results.clone();
        let src = results.into_iter().flat_map(|v| self.words_of(v)).map(Operand::Value).collect();
        self.push(Op::Results, Vec::new(), src);
    }

    /// A predicate as a word's lowest bit says.
    fn is_set(&mut self, word: Operand, mask: u32) -> Operand {
        let bits = self.and(word, Operand::Imm(mask));
        self.cmp(ir::Rel::NE, false, bits, ZERO)
    }
}
