//! One kernel without calls: bodies of the functions it calls, and of the routines that stand for
//! long operations, take the place of the calls.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use super::cycles::Cycles;
use super::failed::{is_failed, Failed};
use super::pointers::{self, Call};
use super::routine;
use super::stack::Recursion;
use super::{place, refuse};
use crate::error::CompileError;
use crate::ptx::ast::{
    Base, Body, Function, Inst, LabelId, Module, Operand, Param, RegId, SourceLine, Space, Statement, Symbol, Ty,
    VarId, Variable,
};
use warpsmith_isa::ChipInfo as Target;

/// Statements of a kernel at most, calls inlined.
const MAX_STATEMENTS: usize = 1 << 20;

/// Calls nested at most.
pub(super) const MAX_DEPTH: usize = 64;

/// A kernel with everything it calls in one list of statements.
#[derive(Default)]
pub(super) struct Flat {
    /// Type of every register.
    pub regs: Vec<Ty>,
    /// Number of labels.
    pub labels: u32,
    /// Variables; each function's are there once, those of calls (`.param`) once a call.
    pub vars: Vec<Variable>,
    /// Statements.
    pub code: Vec<Statement>,
    /// Arrays that stacks are made of, stack by stack; first those of calls from the kernel itself, then those of calls
    /// within one group of functions, and so on. Two stacks of one list are never in use at the same time.
    pub stacks: Vec<Vec<Vec<VarId>>>,
}

/// Value of a callee's parameter at one call.
#[derive(Clone)]
pub(super) enum Bound {
    Var(VarId),
    Reg(RegId),
}

pub(super) struct Inliner<'a> {
    pub(super) module: &'a Module,
    pub(super) target: &'a Target,
    pub(super) flat: Flat,
    /// Where the variables of a function begin, but those of calls.
    placed: HashMap<*const Variable, VarId>,
    /// Functions being inlined, outermost first.
    pub(super) stack: Vec<&'a str>,
    header: HashMap<u32, bool>,
    /// Where assertions that fail go.
    pub(super) failed: Option<Failed>,
    /// Functions that call themselves, and groups of them that are being put, outermost first.
    pub(super) cycles: OnceCell<Cycles>,
    root: &'a Function,
    reached: OnceCell<HashSet<&'a str>>,
    pub(super) recursions: Vec<Recursion<'a>>,
    /// Of the body being put, the statement and the number of its first register.
    pub(super) at: usize,
    pub(super) first_register: u32,
}

impl<'a> Inliner<'a> {
    fn new(module: &'a Module, target: &'a Target, root: &'a Function) -> Self {
        Inliner {
            module,
            target,
            flat: Flat::default(),
            placed: HashMap::new(),
            stack: Vec::new(),
            header: HashMap::new(),
            failed: None,
            cycles: OnceCell::new(),
            root,
            reached: OnceCell::new(),
            recursions: Vec::new(),
            at: 0,
            first_register: 0,
        }
    }
}

/// One body's way into the flat list.
struct Frame {
    regs: u32,
    labels: u32,
    vars: Vec<VarId>,
    bound: HashMap<String, Bound>,
    /// Where `ret` goes; `None` ends the thread.
    end: Option<LabelId>,
    /// Line of the operation that a routine stands for: routines have no lines of their own.
    line: Option<u32>,
}

/// Puts the kernel and all it calls into one list.
pub(super) fn flatten<'a>(module: &'a Module, target: &'a Target, kernel: &'a Function) -> Result<Flat, CompileError> {
    let mut i = Inliner::new(module, target, kernel);
    if let Some(body) = &kernel.body {
        i.body(kernel, body, HashMap::new(), None, None, None)?;
        i.end_of_failed()?;
    }
    Ok(i.flat)
}

/// Puts a routine and all it calls into one list; the variables of its parameters and results.
pub(super) fn flatten_routine<'a>(
    module: &'a Module, target: &'a Target, f: &'a Function,
) -> Result<(Flat, Vec<VarId>, Vec<VarId>), CompileError> {
    let mut i = Inliner::new(module, target, f);
    let mut bound = HashMap::new();
    let mut place = |p: &Param, vars: &mut Vec<Variable>| {
        let id = VarId(vars.len() as u32);
        vars.push(Variable::of_param(p, f.line));
        bound.insert(p.name.clone(), Bound::Var(id));
        id
    };
    let args = f.params.iter().map(|p| place(p, &mut i.flat.vars)).collect();
    let results = f.results.iter().map(|p| place(p, &mut i.flat.vars)).collect();
    let end = i.label();
    if let Some(body) = &f.body {
        // Its lines are none of the program.
        i.body(f, body, bound, Some(end), Some(0), None)?;
    }
    i.flat.code.push(Statement::Label(end));
    Ok((i.flat, args, results))
}

/// Headers whose lines say nothing about the user's program.
fn is_header(name: &str) -> bool {
    let base = name.rsplit('/').next().unwrap_or(name);
    name.starts_with("warpsmith/")
        || base.starts_with("warpsmith_")
        || base.starts_with("__clang_cuda_")
        || base.starts_with("opencl-c")
}

impl<'a> Inliner<'a> {
    /// What the kernel can get to.
    pub(super) fn reached(&self) -> &HashSet<&'a str> {
        self.reached.get_or_init(|| pointers::reached(self.module, self.root))
    }

    /// A new label.
    pub(super) fn label(&mut self) -> LabelId {
        self.flat.labels += 1;
        LabelId(self.flat.labels - 1)
    }

    /// Appends a body; `line` is the line its statements get where they have none of their own.
    pub(super) fn body(
        &mut self, f: &'a Function, body: &'a Body, bound: HashMap<String, Bound>, end: Option<LabelId>,
        line: Option<u32>, mut source: Option<SourceLine>,
    ) -> Result<(), CompileError> {
        let mut frame = Frame {
            regs: self.flat.regs.len() as u32,
            labels: self.flat.labels,
            vars: Vec::with_capacity(body.vars.len()),
            bound,
            end,
            line,
        };
        self.flat.regs.extend(&body.regs);
        self.flat.labels += body.labels.len() as u32;
        for v in &body.vars {
            let next = VarId(self.flat.vars.len() as u32);
            let id = match v.space {
                Space::Param => next,
                Space::Local if self.is_member(f) => {
                    let id = self.deepen(v);
                    frame.vars.push(id);
                    continue;
                }
                _ => *self.placed.entry(v as *const Variable).or_insert(next),
            };
            if id == next {
                self.flat.vars.push(v.clone());
            }
            frame.vars.push(id);
        }
        self.stack.push(&f.name);
        let outer = (self.at, self.first_register);
        self.first_register = frame.regs;
        for (n, s) in body.code.iter().enumerate() {
            self.at = n;
            if self.flat.code.len() > MAX_STATEMENTS {
                return Err(place::at(self.module, f.line, None, "the kernel is too large with all its calls inlined"));
            }
            match s {
                Statement::Label(l) => {
                    let l = LabelId(l.0 + frame.labels);
                    self.flat.code.push(Statement::Label(l));
                }
                Statement::Targets(l, to) => {
                    let shift = |l: &LabelId| LabelId(l.0 + frame.labels);
                    self.flat.code.push(Statement::Targets(shift(l), to.iter().map(shift).collect()));
                }
                Statement::Inst(inst) => {
                    if inst.source.is_some() {
                        source = self.source(inst.source, source);
                    }
                    let inst = self.at_depth(frame.rename(inst, source));
                    self.inst(inst, &frame)?;
                }
            }
        }
        (self.at, self.first_register) = outer;
        self.stack.pop();
        Ok(())
    }

    /// The source line to name: headers of the compiler keep the line before them.
    fn source(&mut self, new: Option<SourceLine>, old: Option<SourceLine>) -> Option<SourceLine> {
        let new = new?;
        let module = self.module;
        let header =
            *self.header.entry(new.file).or_insert_with(|| module.source_file(new.file).is_some_and(is_header));
        if header {
            old.or(Some(new))
        } else {
            Some(new)
        }
    }

    /// An error at an instruction.
    pub(super) fn error(&self, inst: &Inst, message: impl Into<String>) -> CompileError {
        place::at(self.module, inst.line, inst.source, message)
    }

    fn inst(&mut self, mut inst: Inst, frame: &Frame) -> Result<(), CompileError> {
        match inst.name() {
            "ret" => {
                if let Some(end) = frame.end {
                    inst.op = "bra.uni".into();
                    inst.args = vec![Operand::Label(end)];
                }
                self.flat.code.push(Statement::Inst(inst));
                Ok(())
            }
            "call" => self.guarded(inst, |s, inst| s.call(inst)),
            _ => match routine::of(&inst.op, self.target) {
                Some(name) => self.guarded(inst, |s, inst| s.routine(inst, name)),
                None => {
                    if !self.exchange(&inst)? {
                        self.flat.code.push(Statement::Inst(inst));
                    }
                    Ok(())
                }
            },
        }
    }

    /// Several statements in place of one: a branch goes around them where the guard does not hold.
    pub(super) fn guarded(
        &mut self, mut inst: Inst, expand: impl FnOnce(&mut Self, Inst) -> Result<(), CompileError>,
    ) -> Result<(), CompileError> {
        let Some((reg, inverted)) = inst.guard.take() else {
            return expand(self, inst);
        };
        let behind = self.label();
        self.flat.code.push(Statement::Inst(Inst {
            guard: Some((reg, !inverted)),
            op: "bra".into(),
            args: vec![Operand::Label(behind)],
            ..inst.clone()
        }));
        expand(self, inst)?;
        self.flat.code.push(Statement::Label(behind));
        Ok(())
    }

    fn routine(&mut self, inst: Inst, name: &str) -> Result<(), CompileError> {
        let Some(f) = routine::module()?.function(name) else {
            return Err(self.error(&inst, format!("no routine for `{}`", inst.op)));
        };
        let mut args = inst.args.clone().into_iter();
        let results: Vec<Operand> = args.by_ref().take(f.results.len()).collect();
        self.enter(&inst, f, results, args.collect())
    }

    fn call(&mut self, inst: Inst) -> Result<(), CompileError> {
        let Call { mut results, target, params } = Call::of(&inst);
        let name = match target {
            Some(Operand::Symbol(Symbol::Name(name), 0)) => name,
            Some(Operand::Reg(pointer)) => return self.indirect(&inst, pointer, results, params),
            _ => return Err(self.error(&inst, "`call` names no function")),
        };
        if is_failed(&name) {
            return self.fail(&inst, params);
        }
        if routine::is_called(&name) {
            self.flat.code.push(Statement::Inst(inst));
            return Ok(());
        }
        let found = if name.starts_with(routine::PREFIX) {
            routine::module()?.function(routine::named(&name, self.target))
        } else {
            self.module.function(&name)
        };
        let Some(f) = found else {
            return self.undefined(inst, &name);
        };
        if name.starts_with(routine::PREFIX) {
            // C reads the first result alone.
            while results.len() < f.results.len() {
                results.push(self.word());
            }
        }
        self.invoke(&inst, f, results, params)
    }

    fn undefined(&mut self, inst: Inst, name: &str) -> Result<(), CompileError> {
        let what = refuse::function(name)
            .unwrap_or("declared, but not in this file: put its body into the same source (libraries are not linked)");
        Err(self.error(&inst, format!("`{}`: {what}", refuse::symbol_name(name))))
    }
}

impl Frame {
    fn rename(&self, inst: &Inst, source: Option<SourceLine>) -> Inst {
        Inst {
            line: self.line.unwrap_or(inst.line),
            source,
            guard: inst.guard.map(|(r, inverted)| (self.reg(r), inverted)),
            op: inst.op.clone(),
            args: inst.args.iter().map(|a| self.operand(a)).collect(),
        }
    }

    fn reg(&self, r: RegId) -> RegId {
        RegId(r.0 + self.regs)
    }

    fn symbol(&self, s: &Symbol) -> Symbol {
        match s {
            Symbol::Local(v) => match self.vars.get(v.0 as usize) {
                Some(v) => Symbol::Local(*v),
                None => s.clone(),
            },
            Symbol::Name(name) => match self.bound.get(name) {
                Some(Bound::Var(v)) => Symbol::Local(*v),
                _ => s.clone(),
            },
        }
    }

    fn operand(&self, a: &Operand) -> Operand {
        let list = |l: &[Operand]| l.iter().map(|a| self.operand(a)).collect();
        match a {
            Operand::Reg(r) => Operand::Reg(self.reg(*r)),
            Operand::NotReg(r) => Operand::NotReg(self.reg(*r)),
            Operand::RegPair(p, q) => Operand::RegPair(self.reg(*p), self.reg(*q)),
            Operand::Symbol(s, o) => Operand::Symbol(self.symbol(s), *o),
            Operand::Address(Base::Reg(r), o) => Operand::Address(Base::Reg(self.reg(*r)), *o),
            Operand::Address(Base::Symbol(s), o) => Operand::Address(Base::Symbol(self.symbol(s)), *o),
            Operand::Vector(l) => Operand::Vector(list(l)),
            Operand::List(l) => Operand::List(list(l)),
            Operand::Label(l) => Operand::Label(LabelId(l.0 + self.labels)),
            other => other.clone(),
        }
    }
}
