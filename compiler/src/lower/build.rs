//! The function under construction: blocks, values, instructions with constants folded.

use std::collections::HashMap;

use super::calls::Calls;
use super::inline::Flat;
use super::place;
use super::routine::Signature;
use super::space::Trace;
use super::vars::Layout;
use super::width::Widths;
use crate::error::{CompileError, Loc};
use crate::ir::{self, Block, BlockId, Function, Op, Operand, Term, Ty, Value};
use crate::program::Options;
use crate::ptx::ast::{Inst, LabelId, Module, RegId};
use warpsmith_isa::{ChipInfo as Target, Level};

/// What a chip lacks, and what to do without it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lacking {
    pub name: &'static str,
    pub remedy: &'static str,
}

const INTEGERS: &str = "use integers, or choose a chip that has them";

/// Atomic accesses to global memory.
const ATOMICS: Lacking =
    Lacking { name: "atomic accesses to memory", remedy: "choose a chip of SM 1.1 (--set level=sm11)" };

/// Those to shared memory.
const LOCKS: Lacking = Lacking {
    name: "locks on words of shared memory",
    remedy: "choose a chip of SM 1.2 (--set level=sm12), or atomic accesses to global memory (SM 1.1)",
};

/// Operand that holds 0.
pub(super) const ZERO: Operand = Operand::Imm(0);

/// The word or words of a register.
#[derive(Clone, Copy, Debug)]
pub(super) enum RegValue {
    /// Up to 32 bits, or a predicate.
    One(Value),
    /// 64 bits: low word, high word.
    Two(Value, Value),
}

/// Low and high word of 64 bits.
pub(super) type Pair = (Operand, Operand);

/// Everything that lowering one kernel needs.
pub(super) struct Lower<'a> {
    pub module: &'a Module,
    pub target: &'a Target,
    pub options: &'a Options,
    pub flat: &'a Flat,
    pub layout: &'a Layout,
    pub trace: &'a Trace,
    pub calls: &'a Calls,
    /// Upper bounds of registers.
    pub widths: Widths,
    /// The result.
    pub f: Function,
    /// Block that instructions go to.
    pub block: BlockId,
    /// Line of the instruction being lowered.
    pub loc: Loc,
    /// Carry of `add.cc` and its like, 0 or 1.
    pub carry: Option<Value>,
    /// The first operation that the chip lacks.
    pub lacking: Option<Lacking>,
    regs: HashMap<RegId, RegValue>,
    /// Values of calls' parameters and results by variable and byte.
    pub cells: HashMap<(u32, i64), Value>,
    /// Block of every label.
    pub labels: HashMap<LabelId, BlockId>,
    /// Tables of branch targets.
    pub tables: HashMap<LabelId, Vec<LabelId>>,
    /// Instructions of the block when the PTX instruction began.
    pub start: usize,
    /// Names of the routines that are called, by number.
    pub called: Vec<String>,
    /// Variables of arguments and results, of a routine.
    pub signature: Option<Signature>,
}

impl<'a> Lower<'a> {
    pub(super) fn new(
        module: &'a Module, target: &'a Target, options: &'a Options, flat: &'a Flat, layout: &'a Layout,
        trace: &'a Trace, calls: &'a Calls, name: &str,
    ) -> Self {
        let mut l = Lower {
            module,
            target,
            options,
            flat,
            layout,
            trace,
            calls,
            widths: Widths::new(flat),
            f: Function {
                name: name.into(),
                params: layout.params.clone(),
                param_bytes: layout.param_bytes,
                constant_params: layout.constant_params,
                environment: layout.environment.clone(),
                types: Vec::new(),
                blocks: Vec::new(),
                shared_bytes: layout.shared_bytes,
                shared: layout.shared.clone(),
                dynamic_shared: layout.dynamic_shared,
                local_bytes: layout.local_bytes,
                textures: layout.textures.clone(),
                required_block: None,
                max_threads: None,
                ssa: false,
                routines: Vec::new(),
            },
            block: BlockId(0),
            loc: Loc::default(),
            carry: None,
            lacking: None,
            regs: HashMap::new(),
            cells: HashMap::new(),
            labels: HashMap::new(),
            tables: HashMap::new(),
            start: 0,
            called: Vec::new(),
            signature: None,
        };
        l.block = l.new_block();
        l
    }

    /// An error at an instruction.
    pub(super) fn error(&self, inst: &Inst, message: impl Into<String>) -> CompileError {
        place::at(self.module, inst.line, inst.source, message)
    }

    /// A new block that returns until it gets another end.
    pub(super) fn new_block(&mut self) -> BlockId {
        self.f.blocks.push(Block { phis: Vec::new(), insts: Vec::new(), term: Term::Return, loc: Loc::default() });
        BlockId(self.f.blocks.len() as u32 - 1)
    }

    /// Ends the block; instructions go to `next` from now on.
    pub(super) fn end(&mut self, term: Term, next: BlockId) {
        let loc = self.loc;
        let b = self.f.block_mut(self.block);
        b.term = term;
        b.loc = loc;
        self.enter(next);
    }

    /// Instructions go to this block from now on.
    pub(super) fn enter(&mut self, block: BlockId) {
        self.block = block;
        self.start = self.f.block(block).insts.len();
    }

    /// The value or values of a register.
    pub(super) fn reg(&mut self, r: RegId) -> RegValue {
        if let Some(v) = self.regs.get(&r) {
            return *v;
        }
        let bits = self.flat.regs.get(r.0 as usize).map_or(32, |t| t.bits);
        let v = match bits {
            1 => RegValue::One(self.f.value(Ty::Pred)),
            64.. => {
                let low = self.f.value(Ty::Word);
                RegValue::Two(low, self.f.value(Ty::Word))
            }
            _ => RegValue::One(self.f.value(Ty::Word)),
        };
        self.regs.insert(r, v);
        v
    }

    /// Bits of a register's type.
    pub(super) fn reg_bits(&self, r: RegId) -> u32 {
        self.flat.regs.get(r.0 as usize).map_or(32, |t| t.bits)
    }

    /// Appends an instruction.
    pub(super) fn push(&mut self, op: Op, dst: Vec<Value>, src: Vec<Operand>) {
        self.need(op);
        let loc = self.loc;
        self.f.block_mut(self.block).insts.push(ir::Inst { op, dst, src, loc });
    }

    /// Notes what the chip lacks; the instruction's error names it.
    fn need(&mut self, op: Op) {
        let float = matches!(
            op,
            Op::FAdd { .. }
                | Op::FMul { .. }
                | Op::FMad { .. }
                | Op::FMin
                | Op::FMax
                | Op::FNeg
                | Op::FAbs
                | Op::FSat
                | Op::FRound(_)
                | Op::FCmp(_)
                | Op::IntToF { .. }
                | Op::FToInt { .. }
                | Op::FToHalf(_)
                | Op::HalfToF
                | Op::RroSin
                | Op::RroEx2
        );
        let special = matches!(op, Op::Rcp | Op::Rsq | Op::Lg2 | Op::Sin | Op::Cos | Op::Ex2);
        if matches!(op, Op::Atomic { .. }) && self.target.tier.level() < Level::Sm11 {
            self.lacking.get_or_insert(ATOMICS);
        }
        if matches!(op, Op::Lock { .. }) && self.target.tier.level() < Level::Sm12 {
            self.lacking.get_or_insert(LOCKS);
        }
        if (float || special) && !self.target.float() {
            self.lacking.get_or_insert(Lacking { name: "float instructions", remedy: INTEGERS });
        }
        if special && !self.target.sfu() {
            let name = "special functions (1/x, square root, logarithm, sine …)";
            self.lacking.get_or_insert(Lacking { name, remedy: INTEGERS });
        }
    }

    /// An instruction with one new result.
    pub(super) fn op(&mut self, op: Op, src: &[Operand]) -> Operand {
        let pred = match op {
            Op::Cmp { .. } | Op::FCmp(_) => true,
            Op::Copy | Op::And | Op::Or | Op::Xor | Op::Not => src.iter().any(|s| self.is_pred(*s)),
            Op::Select => src[1..].iter().any(|s| self.is_pred(*s)),
            _ => false,
        };
        let v = self.f.value(if pred { Ty::Pred } else { Ty::Word });
        self.push(op, vec![v], src.to_vec());
        Operand::Value(v)
    }

    fn is_pred(&self, o: Operand) -> bool {
        matches!(o, Operand::Value(v) if self.f.ty(v) == Ty::Pred)
    }

    /// An instruction with two new results.
    pub(super) fn op2(&mut self, op: Op, src: &[Operand]) -> Pair {
        let (a, b) = (self.f.value(Ty::Word), self.f.value(Ty::Word));
        self.push(op, vec![a, b], src.to_vec());
        (Operand::Value(a), Operand::Value(b))
    }

    /// Gives `to` the operand: by renaming the result of the instruction that made it where that
    /// is possible, else by a copy.
    pub(super) fn assign(&mut self, to: Value, from: Operand) {
        let start = self.start;
        if let Operand::Value(v) = from {
            if v == to {
                return;
            }
            let insts = &mut self.f.blocks[self.block.0 as usize].insts;
            for inst in insts.iter_mut().skip(start).rev() {
                if let Some(at) = inst.dst.iter().position(|d| *d == v) {
                    if inst.dst.contains(&to) {
                        break;
                    }
                    inst.dst[at] = to;
                    return;
                }
                let names = |x: Value| inst.dst.contains(&x) || inst.src.contains(&Operand::Value(x));
                if names(v) || names(to) {
                    break;
                }
            }
        }
        self.push(Op::Copy, vec![to], vec![from]);
    }
}
