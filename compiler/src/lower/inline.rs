//! One kernel without calls: bodies of the functions it calls, and of the routines that stand for
//! long operations, take the place of the calls.

use std::collections::HashMap;

use super::place;
use super::routine;
use crate::error::CompileError;
use crate::program::Target;
use crate::ptx::ast::{
    Base, Body, Function, Inst, LabelId, Module, Operand, Param, RegId, SourceLine, Space,
    Statement, Symbol, Ty, VarId, Variable,
};

/// Statements of a kernel at most, calls inlined.
const MAX_STATEMENTS: usize = 1 << 20;

/// Calls nested at most.
const MAX_DEPTH: usize = 64;

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
}

/// What a name of a callee's parameter stands for at one call.
#[derive(Clone)]
enum Bound {
    Var(VarId),
    Reg(RegId),
}

struct Inliner<'a> {
    module: &'a Module,
    target: &'a Target,
    flat: Flat,
    /// Where the variables of a function begin, but those of calls.
    placed: HashMap<*const Variable, VarId>,
    /// Functions being inlined, outermost first.
    stack: Vec<&'a str>,
    header: HashMap<u32, bool>,
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
pub(super) fn flatten<'a>(
    module: &'a Module,
    target: &'a Target,
    kernel: &'a Function,
) -> Result<Flat, CompileError> {
    let mut i = Inliner {
        module,
        target,
        flat: Flat::default(),
        placed: HashMap::new(),
        stack: Vec::new(),
        header: HashMap::new(),
    };
    if let Some(body) = &kernel.body {
        i.body(kernel, body, HashMap::new(), None, None, None)?;
    }
    Ok(i.flat)
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
    fn label(&mut self) -> LabelId {
        self.flat.labels += 1;
        LabelId(self.flat.labels - 1)
    }

    fn body(
        &mut self,
        f: &'a Function,
        body: &'a Body,
        bound: HashMap<String, Bound>,
        end: Option<LabelId>,
        line: Option<u32>,
        mut source: Option<SourceLine>,
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
                _ => *self.placed.entry(v as *const Variable).or_insert(next),
            };
            if id == next {
                self.flat.vars.push(v.clone());
            }
            frame.vars.push(id);
        }
        self.stack.push(&f.name);
        for s in &body.code {
            if self.flat.code.len() > MAX_STATEMENTS {
                return Err(place::at(
                    self.module,
                    f.line,
                    None,
                    "the kernel is too large with all its calls inlined",
                ));
            }
            match s {
                Statement::Label(l) => {
                    let l = LabelId(l.0 + frame.labels);
                    self.flat.code.push(Statement::Label(l));
                }
                Statement::Targets(l, to) => {
                    let shift = |l: &LabelId| LabelId(l.0 + frame.labels);
                    self.flat
                        .code
                        .push(Statement::Targets(shift(l), to.iter().map(shift).collect()));
                }
                Statement::Inst(inst) => {
                    if inst.source.is_some() {
                        source = self.source(inst.source, source);
                    }
                    let inst = frame.rename(inst, source);
                    self.inst(inst, &frame)?;
                }
            }
        }
        self.stack.pop();
        Ok(())
    }

    /// The source line to name: headers of the compiler keep the line before them.
    fn source(&mut self, new: Option<SourceLine>, old: Option<SourceLine>) -> Option<SourceLine> {
        let new = new?;
        let module = self.module;
        let header = *self
            .header
            .entry(new.file)
            .or_insert_with(|| module.source_file(new.file).is_some_and(is_header));
        if header {
            old.or(Some(new))
        } else {
            Some(new)
        }
    }

    fn error(&self, inst: &Inst, message: impl Into<String>) -> CompileError {
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
                    self.flat.code.push(Statement::Inst(inst));
                    Ok(())
                }
            },
        }
    }

    /// Several statements in place of one: a branch goes around them where the guard does not hold.
    fn guarded(
        &mut self,
        mut inst: Inst,
        expand: impl FnOnce(&mut Self, Inst) -> Result<(), CompileError>,
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
        let mut args = inst.args.clone().into_iter().peekable();
        let results = match args.peek() {
            Some(Operand::List(list)) => {
                let list = list.clone();
                args.next();
                list
            }
            _ => Vec::new(),
        };
        let name = match args.next() {
            Some(Operand::Symbol(Symbol::Name(name), 0)) => name,
            Some(Operand::Reg(_)) => {
                return Err(self.error(
                    &inst,
                    "call through a function pointer: SM 1.0 has no indirect calls; use a switch over direct calls",
                ))
            }
            _ => return Err(self.error(&inst, "`call` names no function")),
        };
        let params = match args.next() {
            Some(Operand::List(list)) => list,
            _ => Vec::new(),
        };
        let found = if name.starts_with(routine::PREFIX) {
            routine::module()?.function(&name)
        } else {
            self.module.function(&name)
        };
        let Some(f) = found else {
            return self.undefined(inst, &name);
        };
        if self.stack.contains(&f.name.as_str()) {
            return Err(self.error(
                &inst,
                format!("`{name}` calls itself: recursion is not possible on SM 1.0; use a loop with a stack in an array"),
            ));
        }
        self.enter(&inst, f, results, params)
    }

    fn undefined(&mut self, mut inst: Inst, name: &str) -> Result<(), CompileError> {
        let what = match name {
            "__assertfail" => {
                inst.op = "trap".into();
                inst.args.clear();
                self.flat.code.push(Statement::Inst(inst));
                return Ok(());
            }
            "vprintf" | "printf" => "printf is not possible on SM 1.0: store the values to a buffer",
            "malloc" | "free" => "memory is allocated by the host: pass a buffer as parameter",
            _ => "declared, but not in this file: put its body into the same source (libraries are not linked)",
        };
        Err(self.error(&inst, format!("`{name}`: {what}")))
    }

    fn enter(
        &mut self,
        inst: &Inst,
        f: &'a Function,
        results: Vec<Operand>,
        params: Vec<Operand>,
    ) -> Result<(), CompileError> {
        let Some(body) = &f.body else {
            return Err(self.error(inst, format!("`{}` has no body", f.name)));
        };
        if self.stack.len() >= MAX_DEPTH {
            return Err(self.error(inst, "calls nested too deep"));
        }
        if params.len() != f.params.len() || results.len() != f.results.len() {
            return Err(self.error(
                inst,
                format!(
                    "`{}` takes {} parameters and gives {} results; called with {} and {}",
                    f.name,
                    f.params.len(),
                    f.results.len(),
                    params.len(),
                    results.len()
                ),
            ));
        }
        let base = self.flat.regs.len() as u32;
        let mut bound = HashMap::new();
        for (p, arg) in f.params.iter().zip(params) {
            let b = self.bind(inst, p, base, Some(arg.clone()))?;
            bound.insert(p.name.clone(), b);
        }
        for (p, arg) in f.results.iter().zip(&results) {
            let wanted = match arg {
                Operand::Symbol(Symbol::Local(_), 0) => Some(arg.clone()),
                _ => None,
            };
            let b = self.bind(inst, p, base, wanted)?;
            bound.insert(p.name.clone(), b);
        }
        let end = self.label();
        let line = f.name.starts_with(routine::PREFIX).then_some(inst.line);
        // Copies into the callee's registers name registers that its body adds now.
        let copies = std::mem::take(&mut bound);
        self.body(f, body, copies.clone(), Some(end), line, inst.source)?;
        self.flat.code.push(Statement::Label(end));
        for (p, arg) in f.results.iter().zip(results) {
            self.result(inst, p, copies.get(&p.name), arg);
        }
        Ok(())
    }

    /// Gives a parameter its place; `value` is copied there unless it is a place itself.
    fn bind(
        &mut self,
        inst: &Inst,
        p: &Param,
        base: u32,
        value: Option<Operand>,
    ) -> Result<Bound, CompileError> {
        if let (None, Some(Operand::Symbol(Symbol::Local(v), 0))) = (p.reg, &value) {
            return Ok(Bound::Var(*v));
        }
        let (bound, op, to) = match p.reg {
            Some(reg) => {
                let reg = RegId(reg.0 + base);
                let op = if p.ty.bits == 1 {
                    "mov.pred".into()
                } else {
                    format!("mov.b{}", p.ty.bits)
                };
                (Bound::Reg(reg), op, Operand::Reg(reg))
            }
            None => {
                let var = VarId(self.flat.vars.len() as u32);
                self.flat.vars.push(Variable {
                    name: p.name.clone(),
                    line: inst.line,
                    space: Space::Param,
                    ty: p.ty,
                    align: p.align,
                    count: Some(p.count),
                    external: false,
                    init: Vec::new(),
                });
                let to = Operand::Address(Base::Symbol(Symbol::Local(var)), 0);
                (Bound::Var(var), format!("st.param.b{}", p.ty.bits), to)
            }
        };
        match value {
            None => {}
            Some(
                value @ (Operand::Reg(_) | Operand::Int(_) | Operand::F32(_) | Operand::F64(_)),
            ) => {
                self.flat.code.push(Statement::Inst(Inst {
                    op,
                    args: vec![to, value],
                    guard: None,
                    ..inst.clone()
                }));
            }
            Some(_) => return Err(self.error(inst, "argument of a call that is no place for it")),
        }
        Ok(bound)
    }

    fn result(&mut self, inst: &Inst, p: &Param, bound: Option<&Bound>, to: Operand) {
        let (op, from) = match (bound, &to) {
            (Some(Bound::Reg(r)), _) if p.ty.bits == 1 => {
                ("mov.pred".to_string(), Operand::Reg(*r))
            }
            (Some(Bound::Reg(r)), _) => (format!("mov.b{}", p.ty.bits), Operand::Reg(*r)),
            (Some(Bound::Var(_)), Operand::Symbol(..)) | (None, _) => return,
            (Some(Bound::Var(v)), _) => (
                format!("ld.param.b{}", p.ty.bits),
                Operand::Address(Base::Symbol(Symbol::Local(*v)), 0),
            ),
        };
        self.flat.code.push(Statement::Inst(Inst {
            op,
            args: vec![to, from],
            guard: None,
            ..inst.clone()
        }));
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
            Operand::Address(Base::Symbol(s), o) => {
                Operand::Address(Base::Symbol(self.symbol(s)), *o)
            }
            Operand::Vector(l) => Operand::Vector(list(l)),
            Operand::List(l) => Operand::List(list(l)),
            Operand::Label(l) => Operand::Label(LabelId(l.0 + self.labels)),
            other => other.clone(),
        }
    }
}
