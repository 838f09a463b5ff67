//! The routines of a kernel: each is selected and allocated before its callers, which then know what it overwrites.

use crate::alloc::{self, Assignment};
use crate::error::CompileError;
use crate::flow::{self, Joins};
use crate::layout::{self, operand::pooled, Part};
use crate::program::OptLevel;
use crate::select::{self, Callee};
use crate::{ir, mir};
use std::collections::HashSet;

/// A routine with its registers.
struct Routine {
    f: mir::Function,
    places: Assignment,
    joins: Joins,
}

impl Routine {
    fn part(&self) -> Part<'_> {
        Part { f: &self.f, places: &self.places, joins: &self.joins }
    }
}

/// All routines of a kernel by their numbers.
pub(crate) struct Routines {
    list: Vec<Option<Routine>>,
    /// What callers have to know.
    pub callees: Vec<Callee>,
    /// Bytes of local memory of the kernel's arrays, and behind them of the routines' spills.
    pub local_bytes: u32,
    literals: HashSet<mir::Src>,
}

/// How the functions of a program are compiled.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    pub level: OptLevel,
    /// Registers a thread may use.
    pub limit: u32,
    /// Entries of the divergence stack that a routine should not exceed.
    pub stack: u32,
}

impl Routines {
    /// Compiles the routines of a kernel.
    ///
    /// # Errors
    /// A [`CompileError`] where one calls itself, or registers do not suffice.
    pub(crate) fn new(kernel: &ir::Function, settings: Settings) -> Result<Routines, CompileError> {
        let n = kernel.routines.len();
        let mut out = Routines {
            list: (0..n).map(|_| None).collect(),
            callees: vec![Callee::default(); n],
            local_bytes: kernel.local_bytes,
            literals: HashSet::new(),
        };
        let mut open = Vec::new();
        for r in 0..n {
            out.compile(kernel, r, settings, &mut open)?;
        }
        Ok(out)
    }

    fn compile(
        &mut self, kernel: &ir::Function, r: usize, settings: Settings, open: &mut Vec<usize>,
    ) -> Result<(), CompileError> {
        if self.list[r].is_some() {
            return Ok(());
        }
        let ir = &kernel.routines[r];
        if open.contains(&r) {
            let message = format!("routine `{}` of the compiler calls itself", ir.name);
            return Err(CompileError { file: kernel.name.clone(), line: None, message });
        }
        open.push(r);
        for i in ir.blocks.iter().flat_map(|b| &b.insts) {
            if let ir::Op::Call { routine } = i.op {
                self.compile(kernel, routine as usize, settings, open)?;
            }
        }
        open.pop();
        let mut f = select::run(ir, &self.callees, settings.level);
        debug_assert_eq!(mir::verify::verify(&f), Ok(()));
        f.local_bytes = self.local_bytes;
        let (taken, mut loaded) = (self.literals.len(), HashSet::new());
        let places = alloc::allocate_beside(&mut f, settings.limit, settings.stack, taken, &mut loaded)?;
        self.local_bytes = f.local_bytes;
        let joins = flow::joins(&f);
        self.literals.extend(pooled(&f, &places).into_keys());
        let routine = Routine { f, places, joins };
        let stack = layout::stack_depth(routine.part());
        let (f, places) = (&routine.f, &routine.places);
        let insts = || f.blocks.iter().flat_map(|b| &b.insts);
        let calls = insts().filter_map(|i| i.call);
        let own = insts().any(|i| matches!(i.dst, mir::Dst::Addr(_)));
        self.callees[r] =
            Callee { gprs: places.registers as u8, addrs: own || calls.clone().any(|c| c.addrs), stack: stack as u8 };
        self.list[r] = Some(routine);
        Ok(())
    }

    /// Different words of constant bank 1 that the routines name.
    pub(crate) fn literals(&self) -> usize {
        self.literals.len()
    }

    /// The routines by their numbers.
    pub(crate) fn parts(&self) -> Vec<Part<'_>> {
        self.list.iter().flatten().map(Routine::part).collect()
    }

    /// The routines as text.
    pub(crate) fn text(&self) -> String {
        self.list.iter().flatten().map(|r| r.f.to_string()).collect()
    }
}
