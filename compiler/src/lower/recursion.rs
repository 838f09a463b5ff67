//! Functions that call themselves: their bodies are in the kernel once for each call from outside, and a stack in local
//! memory keeps what a call must not lose.
//!
//! A call within a group of such functions puts the registers that are read behind it on the stack, with the number of
//! the place to go on, and branches to the function; its end branches to that place by a table. Each register and each
//! array has a piece of local memory of its own, an element for every depth: so the memory that a saved pointer points
//! into stays known. The hardware's stack is not used. A call beyond the last element traps.

use super::cycles::{live_behind_calls, Cycles};
use super::inline::{Bound, Inliner};
use super::stack::{Member, Recursion, STACK_BYTES};
use crate::error::CompileError;
use crate::ptx::ast::{
    Base, Body, Function, Inst, LabelId, Operand, Param, RegId, Space, Statement, Symbol, Ty, TypeKind, VarId, Variable,
};
use std::collections::HashMap;

impl<'a> Inliner<'a> {
    /// Puts a call: the function's body, or a branch to a function that is being put already.
    pub(super) fn invoke(
        &mut self, inst: &Inst, f: &'a Function, results: Vec<Operand>, params: Vec<Operand>,
    ) -> Result<(), CompileError> {
        let (module, reached) = (self.module, self.reached());
        match self.cycles.get_or_init(|| Cycles::of(module, reached)).group(f) {
            None => self.enter(inst, f, results, params),
            Some(group) if self.recursions.last().is_some_and(|r| r.group == group) => {
                self.call_within(inst, f, &results, &params)
            }
            Some(group) => self.call_from_outside(inst, group, f, &results, &params),
        }
    }

    fn call_from_outside(
        &mut self, inst: &Inst, group: usize, f: &'a Function, results: &[Operand], params: &[Operand],
    ) -> Result<(), CompileError> {
        let depth = self.register(32);
        self.recursions.push(Recursion {
            group,
            depth,
            members: Vec::new(),
            current: 0,
            pieces: Vec::new(),
            saved: HashMap::new(),
            arrays: HashMap::new(),
            checks: Vec::new(),
        });
        self.add(inst, "mov.u32", vec![Operand::Reg(depth), Operand::Int(0)]);
        let first = self.member(inst, f)?;
        let behind = self.label();
        self.go(inst, first, params, behind)?;
        self.bodies(inst)?;
        self.flat.code.push(Statement::Label(behind));
        self.take_results(inst, first, results);
        self.limit();
        Ok(())
    }

    /// The bodies of all members, and behind them the ends of their calls.
    fn bodies(&mut self, inst: &Inst) -> Result<(), CompileError> {
        let mut n = 0;
        while let Some(m) = self.recursion().members.get(n) {
            let (f, entry, back) = (m.f, m.entry, m.back);
            let kept = m.kept.clone();
            let place = |v: &VarId| kept.iter().find(|(passed, _)| passed == v).map_or(*v, |(_, array)| *array);
            let names = f.params.iter().zip(&m.args).chain(f.results.iter().zip(&m.results));
            let bound = names.map(|(p, v)| (p.name.clone(), Bound::Var(place(v)))).collect();
            self.recursion().current = n;
            self.flat.code.push(Statement::Label(entry));
            for (passed, array) in kept {
                self.keep(inst, passed, array);
            }
            if let Some(body) = &f.body {
                self.body(f, body, bound, Some(back), None, inst.source)?;
            }
            n += 1;
        }
        for n in 0..n {
            let m = &self.recursion().members[n];
            let (back, numbers, places) = (m.back, m.numbers, m.places.clone());
            self.flat.code.push(Statement::Label(back));
            let (number, table) = (self.register(32), self.label());
            let at = self.element(inst, numbers, 4);
            self.add(inst, "ld.local.u32", vec![Operand::Reg(number), Operand::Address(Base::Reg(at), 0)]);
            self.flat.code.push(Statement::Targets(table, places));
            self.add(inst, "brx.idx", vec![Operand::Reg(number), Operand::Label(table)]);
        }
        Ok(())
    }

    fn call_within(
        &mut self, inst: &Inst, f: &'a Function, results: &[Operand], params: &[Operand],
    ) -> Result<(), CompileError> {
        let to = self.member(inst, f)?;
        let (depth, current) = (self.recursion().depth, self.recursion().current);
        let m = &self.recursions.last().expect("one is open").members[current];
        let (late, live) = (m.late.clone(), m.live.get(&self.at).cloned().unwrap_or_default());
        let live: Vec<RegId> = live.into_iter().map(|r| RegId(r.0 + self.first_register)).collect();
        for r in &live {
            self.save(inst, *r, true);
        }
        let words: Vec<(VarId, i64, RegId)> = late.iter().flat_map(|v| self.words(*v)).collect();
        for (v, at, r) in &words {
            let load = format!("ld.param.b{}", self.flat.regs[r.0 as usize].bits);
            self.add(inst, &load, vec![Operand::Reg(*r), parameter(*v, *at)]);
            self.save(inst, *r, true);
        }
        self.add(inst, "add.u32", vec![Operand::Reg(depth), Operand::Reg(depth), Operand::Int(4)]);
        let beyond = self.predicate();
        let check = self.flat.code.len();
        self.recursion().checks.push(check);
        self.add(inst, "setp.ge.u32", vec![Operand::Reg(beyond), Operand::Reg(depth), Operand::Int(0)]);
        self.flat.code.push(Statement::Inst(Inst { guard: Some((beyond, false)), ..inst.beside("trap", Vec::new()) }));
        let behind = self.label();
        self.go(inst, to, params, behind)?;
        self.flat.code.push(Statement::Label(behind));
        self.add(inst, "sub.u32", vec![Operand::Reg(depth), Operand::Reg(depth), Operand::Int(4)]);
        self.take_results(inst, to, results);
        for r in &live {
            self.save(inst, *r, false);
        }
        for (v, at, r) in &words {
            self.save(inst, *r, false);
            let store = format!("st.param.b{}", self.flat.regs[r.0 as usize].bits);
            self.add(inst, &store, vec![parameter(*v, *at), Operand::Reg(*r)]);
        }
        Ok(())
    }

    /// Passes arguments and the number of the place to go on, and branches.
    fn go(&mut self, inst: &Inst, to: usize, params: &[Operand], behind: LabelId) -> Result<(), CompileError> {
        let m = &mut self.recursion().members[to];
        let (numbers, number, entry, args) = (m.numbers, m.places.len(), m.entry, m.args.clone());
        m.places.push(behind);
        for (arg, param) in args.into_iter().zip(params) {
            let Operand::Symbol(Symbol::Local(from), 0) = param else {
                return Err(self.error(inst, "argument of a call that is no place for it"));
            };
            self.copied(inst, *from, arg);
        }
        let at = self.element(inst, numbers, 4);
        let value = self.register(32);
        self.add(inst, "mov.u32", vec![Operand::Reg(value), Operand::Int(number as u64)]);
        self.add(inst, "st.local.u32", vec![Operand::Address(Base::Reg(at), 0), Operand::Reg(value)]);
        self.branch(inst, entry, None);
        Ok(())
    }

    fn take_results(&mut self, inst: &Inst, of: usize, to: &[Operand]) {
        let from = self.recursion().members[of].results.clone();
        for (from, to) in from.into_iter().zip(to) {
            if let Operand::Symbol(Symbol::Local(to), 0) = to {
                self.copied(inst, from, *to);
            }
        }
    }

    /// Copies a parameter into the array that has it for each depth.
    fn keep(&mut self, inst: &Inst, passed: VarId, array: VarId) {
        let bytes = self.recursion().arrays.get(&array).copied().unwrap_or(4);
        let start = self.element(inst, array, bytes);
        for (v, at, r) in self.words(passed) {
            let bits = self.flat.regs[r.0 as usize].bits;
            self.add(inst, &format!("ld.param.b{bits}"), vec![Operand::Reg(r), parameter(v, at)]);
            let place = Operand::Address(Base::Reg(start), at);
            self.add(inst, &format!("st.local.b{bits}"), vec![place, Operand::Reg(r)]);
        }
    }

    /// Copies a variable of a call, in elements of its type, of an array in words where it has whole ones.
    fn copied(&mut self, inst: &Inst, from: VarId, to: VarId) {
        let v = &self.flat.vars[from.0 as usize];
        let (bytes, bits) = (v.bytes(), v.ty.bits);
        let step = match bytes {
            _ if v.count.is_none_or(|n| n == 1) && bits >= 32 => u64::from(bits / 8),
            _ if bytes % 4 == 0 => 4,
            _ => u64::from(bits / 8),
        };
        for at in (0..bytes).step_by(step.max(1) as usize) {
            let r = self.register(8 * step as u32);
            self.add(inst, &format!("ld.param.b{}", 8 * step), vec![Operand::Reg(r), parameter(from, at as i64)]);
            self.add(inst, &format!("st.param.b{}", 8 * step), vec![parameter(to, at as i64), Operand::Reg(r)]);
        }
    }

    /// The number of a function in the group.
    fn member(&mut self, inst: &Inst, f: &'a Function) -> Result<usize, CompileError> {
        let known = self.recursion().members.iter().position(|m| std::ptr::eq(m.f, f));
        if let Some(n) = known {
            return Ok(n);
        }
        if f.params.iter().chain(&f.results).any(|p| p.reg.is_some()) {
            let message = format!("`{}` calls itself and passes registers: pass parameters (.param)", f.name);
            return Err(self.error(inst, message));
        }
        let mut place = |p: &Param| {
            self.flat.vars.push(Variable::of_param(p, inst.line));
            VarId(self.flat.vars.len() as u32 - 1)
        };
        let args: Vec<VarId> = f.params.iter().map(&mut place).collect();
        let results: Vec<VarId> = f.results.iter().map(&mut place).collect();
        let (mut late, mut kept) = (Vec::new(), Vec::new());
        if let Some(body) = &f.body {
            for (p, v) in f.params.iter().zip(&args) {
                match use_of(body, &p.name) {
                    Use::Early => {}
                    Use::Late => late.push(*v),
                    Use::Address => {
                        let array = Variable { space: Space::Local, ..Variable::of_param(p, inst.line) };
                        kept.push((*v, self.deepen(&array)));
                    }
                }
            }
        }
        let (entry, back, numbers) = (self.label(), self.label(), self.piece(inst, 4, 4));
        let live = f.body.as_ref().map(live_behind_calls).unwrap_or_default();
        let m = Member { f, entry, back, args, results, places: Vec::new(), numbers, live, late, kept };
        let members = &mut self.recursion().members;
        members.push(m);
        Ok(members.len() - 1)
    }

    /// The words of a variable of a call, or its bytes where it has no whole ones: byte, and the register that keeps it.
    fn words(&mut self, v: VarId) -> Vec<(VarId, i64, RegId)> {
        let bytes = self.flat.vars[v.0 as usize].bytes();
        let step = if bytes % 4 == 0 { 4 } else { 1 };
        (0..bytes as i64).step_by(step).map(|at| (v, at, self.register(8 * step as u32))).collect()
    }

    /// A piece of the stack.
    fn piece(&mut self, inst: &Inst, bytes: u32, align: u32) -> VarId {
        self.flat.vars.push(Variable {
            name: "the stack of a function that calls itself".into(),
            line: inst.line,
            space: Space::Local,
            ty: Ty { kind: TypeKind::Bits, bits: 8 },
            align,
            count: Some(bytes),
            external: false,
            init: Vec::new(),
            texture: false,
        });
        let v = VarId(self.flat.vars.len() as u32 - 1);
        self.recursion().pieces.push((v, bytes));
        v
    }

    /// Address of the element of a piece at the depth reached.
    fn element(&mut self, inst: &Inst, piece: VarId, bytes: u32) -> RegId {
        let depth = self.recursion().depth;
        let (start, at) = (self.register(32), self.register(32));
        self.add(inst, "mov.u32", vec![Operand::Reg(start), Operand::Symbol(Symbol::Local(piece), 0)]);
        let factor = Operand::Int(u64::from(bytes / 4));
        match bytes {
            4 => self.add(inst, "add.u32", vec![Operand::Reg(at), Operand::Reg(start), Operand::Reg(depth)]),
            _ => {
                let moved = self.register(32);
                self.add(inst, "mul.lo.u32", vec![Operand::Reg(moved), Operand::Reg(depth), factor]);
                self.add(inst, "add.u32", vec![Operand::Reg(at), Operand::Reg(start), Operand::Reg(moved)]);
            }
        }
        at
    }

    /// Puts a register onto the stack, or takes it back.
    fn save(&mut self, inst: &Inst, r: RegId, store: bool) {
        let bits = self.flat.regs[r.0 as usize].bits;
        let bytes = bits.div_ceil(32) * 4;
        let piece = match self.recursion().saved.get(&r).copied() {
            Some(v) => v,
            None => {
                let v = self.piece(inst, bytes, bytes);
                self.recursion().saved.insert(r, v);
                v
            }
        };
        let at = self.element(inst, piece, bytes);
        let place = Operand::Address(Base::Reg(at), 0);
        let (width, word) = match bits {
            1 => (32, self.register(32)),
            bits => (bits, r),
        };
        let value = Operand::Reg(word);
        match (store, bits) {
            (true, 1) => {
                self.add(inst, "selp.u32", vec![value.clone(), Operand::Int(1), Operand::Int(0), Operand::Reg(r)]);
                self.add(inst, "st.local.b32", vec![place, value]);
            }
            (true, _) => self.add(inst, &format!("st.local.b{width}"), vec![place, value]),
            (false, 1) => {
                self.add(inst, "ld.local.b32", vec![value.clone(), place]);
                self.add(inst, "setp.ne.u32", vec![Operand::Reg(r), value, Operand::Int(0)]);
            }
            (false, _) => self.add(inst, &format!("ld.local.b{width}"), vec![value, place]),
        }
    }

    /// Whether a function is the member of a group whose body is being put.
    pub(super) fn is_member(&self, f: &Function) -> bool {
        let current = self.recursions.last().and_then(|r| r.members.get(r.current));
        current.is_some_and(|m| std::ptr::eq(m.f, f))
    }

    /// Lets an array of a function that is being put have an element for each depth.
    pub(super) fn deepen(&mut self, v: &Variable) -> VarId {
        let align = v.align.max(4);
        let bytes = (v.bytes() as u32).next_multiple_of(align);
        self.flat.vars.push(Variable {
            ty: Ty { kind: TypeKind::Bits, bits: 8 },
            align,
            count: Some(bytes),
            init: Vec::new(),
            ..v.clone()
        });
        let id = VarId(self.flat.vars.len() as u32 - 1);
        let r = self.recursion();
        r.pieces.push((id, bytes));
        r.arrays.insert(id, bytes);
        id
    }

    /// An instruction with the element of the depth reached in the place of such an array.
    pub(super) fn at_depth(&mut self, mut inst: Inst) -> Inst {
        let Some(r) = self.recursions.last() else { return inst };
        let array = |a: &Operand| match a {
            Operand::Symbol(Symbol::Local(v), _) | Operand::Address(Base::Symbol(Symbol::Local(v)), _) => {
                r.arrays.get(v).map(|bytes| (*v, *bytes))
            }
            _ => None,
        };
        let Some((v, bytes)) = inst.args.iter().find_map(array) else { return inst };
        let place = inst.beside("", Vec::new());
        let start = self.element(&inst, v, bytes);
        for arg in &mut inst.args {
            *arg = match arg {
                Operand::Symbol(Symbol::Local(of), 0) if *of == v => Operand::Reg(start),
                Operand::Symbol(Symbol::Local(of), bytes) if *of == v => {
                    let (moved, bytes) = (self.register(32), *bytes as u64);
                    let args = vec![Operand::Reg(moved), Operand::Reg(start), Operand::Int(bytes)];
                    self.flat.code.push(Statement::Inst(place.beside("add.u32", args)));
                    Operand::Reg(moved)
                }
                Operand::Address(Base::Symbol(Symbol::Local(of)), at) if *of == v => {
                    Operand::Address(Base::Reg(start), *at)
                }
                _ => continue,
            };
        }
        inst
    }

    /// Gives the stack its depth and closes the group.
    fn limit(&mut self) {
        let Some(r) = self.recursions.pop() else { return };
        let nested = self.recursions.len();
        self.flat.stacks.resize(self.flat.stacks.len().max(nested + 1), Vec::new());
        self.flat.stacks[nested].push(r.pieces.iter().map(|(v, _)| *v).collect());
        let frame: u32 = r.pieces.iter().map(|(_, bytes)| bytes).sum();
        let depth = (STACK_BYTES.min(self.target.local_bytes) / frame.max(1)).max(1);
        for (v, bytes) in r.pieces {
            self.flat.vars[v.0 as usize].count = Some(bytes * depth);
        }
        for check in r.checks {
            if let Some(Statement::Inst(Inst { args, .. })) = self.flat.code.get_mut(check) {
                args[2] = Operand::Int(u64::from(4 * depth));
            }
        }
    }

    fn recursion(&mut self) -> &mut Recursion<'a> {
        self.recursions.last_mut().expect("one is open")
    }

    fn register(&mut self, bits: u32) -> RegId {
        self.flat.regs.push(Ty { kind: TypeKind::Bits, bits });
        RegId(self.flat.regs.len() as u32 - 1)
    }
}

fn parameter(v: VarId, at: i64) -> Operand {
    Operand::Address(Base::Symbol(Symbol::Local(v)), at)
}

/// How a body uses a parameter.
enum Use {
    /// It is read in front of the first call and the first branch alone.
    Early,
    /// It is read elsewhere too.
    Late,
    /// Its address is taken.
    Address,
}

fn use_of(body: &Body, name: &str) -> Use {
    let named = |s: &Symbol| matches!(s, Symbol::Name(n) if n == name);
    let (mut front, mut late) = (true, false);
    for s in &body.code {
        let Statement::Inst(inst) = s else {
            front = false;
            continue;
        };
        for a in &inst.args {
            match a {
                Operand::Symbol(s, _) if named(s) => return Use::Address,
                Operand::Address(Base::Symbol(s), _) if named(s) => late |= !front,
                _ => {}
            }
        }
        front &= !["bra", "brx", "call"].contains(&inst.name());
    }
    match late {
        true => Use::Late,
        false => Use::Early,
    }
}
