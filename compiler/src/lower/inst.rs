//! Dispatches a PTX instruction by name and type to the file that lowers it.

use super::build::Lower;
use super::refuse;
use crate::error::CompileError;
use crate::ir::{Op, Operand, Space};
use crate::ptx::ast::{self, Inst, Ty, TypeKind};

pub(super) type Result<T> = std::result::Result<T, CompileError>;

/// An instruction's opcode, taken apart.
pub(super) struct Parts<'a> {
    /// Name and modifiers in order.
    pub all: Vec<&'a str>,
    /// The type: the last modifier that is one.
    pub ty: Option<Ty>,
    /// The type in front of it (`cvt`, `set`, `slct`).
    pub first: Option<Ty>,
}

impl<'a> Parts<'a> {
    fn new(op: &'a str) -> Self {
        let all: Vec<&str> = op.split('.').collect();
        let types: Vec<Ty> = all.iter().skip(1).filter_map(|p| Ty::parse(p)).collect();
        Parts { ty: types.last().copied(), first: types.len().checked_sub(2).map(|i| types[i]), all }
    }

    /// A modifier is there.
    pub(super) fn has(&self, modifier: &str) -> bool {
        self.all[1..].contains(&modifier)
    }
}

impl Lower<'_> {
    /// Lowers an instruction that is no branch, without its guard.
    pub(super) fn instruction(&mut self, inst: &Inst) -> Result<()> {
        let parts = Parts::new(&inst.op);
        match parts.all[0] {
            "ld" | "ldu" => return self.load(inst),
            "st" => return self.store(inst),
            "atom" | "red" => return self.atomic(inst, &parts),
            "mov" => return self.mov(inst, &parts),
            "cvta" => {
                let v = self.word(inst, 1)?;
                return self.set(inst, 0, v);
            }
            "cvt" => return self.cvt(inst, &parts),
            "bar" | "barrier" => return self.barrier(inst, &parts),
            "membar" | "fence" => {
                self.push(Op::Fence, Vec::new(), Vec::new());
                return Ok(());
            }
            "prefetch" | "prefetchu" | "discard" | "applypriority" | "nop" => return Ok(()),
            "isspacep" => return self.isspacep(inst, &parts),
            "vote" if self.vote(inst)? => return Ok(()),
            "call" => return self.call(inst),
            _ => {}
        }
        if let Some(reason) = refuse::reason(&parts.all) {
            return Err(self.error(inst, format!("`{}`: {reason}", inst.op)));
        }
        let Some(ty) = parts.ty else {
            return Err(self.unknown(inst));
        };
        match parts.all[0] {
            "setp" => return self.setp(inst, &parts, ty),
            "set" => return self.set_word(inst, &parts, ty),
            "selp" => return self.selp(inst, ty),
            "slct" => return self.slct(inst, &parts, ty),
            "popc" | "clz" | "bfind" | "brev" | "bfe" | "bfi" | "prmt" | "shf" | "lop3" | "szext" | "bmsk" | "fns" => {
                return self.bits(inst, &parts, ty)
            }
            "testp" => return self.testp(inst, &parts, ty),
            _ => {}
        }
        if !refuse::is_arithmetic(parts.all[0]) {
            return Err(self.unknown(inst));
        }
        match (ty.kind, ty.bits) {
            (TypeKind::Pred, _) => self.pred_op(inst, &parts),
            (TypeKind::Float, 32) => self.float(inst, &parts),
            (TypeKind::Float, 64) => self.double(inst, &parts),
            (TypeKind::Float, _) => Err(self.error(
                inst,
                format!(
                    "`{}`: SM 1.0 stores half precision but does not compute in it: convert to float first",
                    inst.op
                ),
            )),
            (_, 64) => self.wide(inst, &parts, ty),
            (_, 32) => self.int(inst, &parts, ty),
            (_, 8 | 16) => self.narrow(inst, &parts, ty),
            _ => Err(self.unknown(inst)),
        }
    }

    /// The error for an instruction that is not known.
    pub(super) fn unknown(&self, inst: &Inst) -> CompileError {
        self.error(inst, format!("`{}` is not possible on SM 1.0, or no instruction of PTX", inst.op))
    }

    fn mov(&mut self, inst: &Inst, parts: &Parts) -> Result<()> {
        if parts.has("pred") {
            let p = self.pred(inst, 1)?;
            return self.set_pred(inst, 0, p);
        }
        let bits = parts.ty.map_or(32, |t| t.bits);
        let (to, from) = (self.arg(inst, 0)?, self.arg(inst, 1)?);
        match (to, from) {
            (ast::Operand::Vector(to), _) => {
                let words = self.split(inst, from, bits, to.len())?;
                if words.len() != to.len() {
                    return Err(self.unknown(inst));
                }
                for (to, w) in to.iter().zip(words) {
                    match w {
                        (low, Some(high)) => self.set_pair_of(inst, to, (low, high))?,
                        (low, None) => self.set_of(inst, to, low)?,
                    }
                }
                Ok(())
            }
            (_, ast::Operand::Vector(from)) => {
                let mut words = Vec::new();
                for f in from {
                    words.push(self.word_of(inst, f)?);
                }
                match (bits, words.as_slice()) {
                    (64, [low, high]) => self.set_pair(inst, 0, (*low, *high)),
                    (64, [_, _, _, _]) => {
                        let low = self.pack(&words[..2], 16);
                        let high = self.pack(&words[2..], 16);
                        self.set_pair(inst, 0, (low, high))
                    }
                    (32, [_, _]) => {
                        let w = self.pack(&words, 16);
                        self.set(inst, 0, w)
                    }
                    (32, [_, _, _, _]) => {
                        let w = self.pack(&words, 8);
                        self.set(inst, 0, w)
                    }
                    (16, [_, _]) => {
                        let w = self.pack(&words, 8);
                        self.set(inst, 0, w)
                    }
                    _ => Err(self.unknown(inst)),
                }
            }
            _ if bits == 64 => {
                let v = self.pair_of(inst, from)?;
                self.set_pair(inst, 0, v)
            }
            _ if bits > 64 => Err(self.unknown(inst)),
            _ => {
                let v = self.word_of(inst, from)?;
                self.set(inst, 0, v)
            }
        }
    }

    /// The parts of a register, lowest first; 64-bit parts have a second word.
    fn split(
        &mut self, inst: &Inst, from: &ast::Operand, bits: u32, parts: usize,
    ) -> Result<Vec<(Operand, Option<Operand>)>> {
        let words = match bits {
            64 => {
                let (low, high) = self.pair_of(inst, from)?;
                vec![low, high]
            }
            _ => vec![self.word_of(inst, from)?],
        };
        if words.len() == parts {
            return Ok(words.into_iter().map(|w| (w, None)).collect());
        }
        let step = bits / parts.max(1) as u32;
        let mut out = Vec::new();
        for w in words {
            for at in (0..bits.min(32)).step_by(step.clamp(1, 32) as usize) {
                // Upper bits of narrow values say nothing, so a shift is enough.
                out.push((self.shr(w, Operand::Imm(at), false), None));
            }
        }
        Ok(out)
    }

    fn barrier(&mut self, inst: &Inst, parts: &Parts) -> Result<()> {
        if parts.has("warp") {
            // The threads of a warp run in step.
            self.push(Op::Fence, Vec::new(), Vec::new());
            return Ok(());
        }
        if !parts.has("sync") {
            let what = "only the barrier that all threads of a block wait at exists: use __syncthreads()";
            return Err(self.error(inst, format!("`{}`: {what}", inst.op)));
        }
        match inst.args.as_slice() {
            [] | [ast::Operand::Int(0)] => {
                self.push(Op::Barrier, Vec::new(), Vec::new());
                Ok(())
            }
            [ast::Operand::Int(0), _] => {
                Err(self
                    .error(inst, "barrier for some threads of a block: use __syncthreads(), which all threads reach"))
            }
            _ => Err(self.error(inst, "barrier other than number 0: use __syncthreads()")),
        }
    }

    fn isspacep(&mut self, inst: &Inst, parts: &Parts) -> Result<()> {
        use super::space::One;
        let fact = match self.arg(inst, 1)? {
            ast::Operand::Reg(r) => self.trace.reg(*r).target(),
            _ => One::None,
        };
        let asked = parts.all.iter().find_map(|p| Space::parse(p));
        let is = match (asked, fact) {
            (_, One::Mixed) => return Err(self.error(inst, "the space of this address is known only at run time")),
            (Some(Space::Global), One::None) => true,
            (Some(asked), One::Just(space)) => asked == space && asked != Space::Param,
            _ => false,
        };
        self.set_pred(inst, 0, Operand::Imm(u32::from(is)))
    }

    /// Operations on predicates.
    fn pred_op(&mut self, inst: &Inst, parts: &Parts) -> Result<()> {
        let a = self.pred(inst, 1)?;
        let op = match parts.all[0] {
            "not" => {
                let v = self.op(Op::Not, &[a]);
                return self.set_pred(inst, 0, v);
            }
            "and" => Op::And,
            "or" => Op::Or,
            "xor" => Op::Xor,
            _ => return Err(self.unknown(inst)),
        };
        let b = self.pred(inst, 2)?;
        let v = self.pred_logic(op, a, b);
        self.set_pred(inst, 0, v)
    }

    /// `and`, `or`, `xor` of predicates, folded where one is constant.
    pub(super) fn pred_logic(&mut self, op: Op, a: Operand, b: Operand) -> Operand {
        let (a, b) = if matches!(a, Operand::Imm(_)) { (b, a) } else { (a, b) };
        match (op, b) {
            (Op::And, Operand::Imm(0)) => Operand::Imm(0),
            (Op::Or, Operand::Imm(1)) => Operand::Imm(1),
            (Op::And, Operand::Imm(_)) | (Op::Or | Op::Xor, Operand::Imm(0)) => a,
            (Op::Xor, Operand::Imm(_)) => match a {
                Operand::Imm(x) => Operand::Imm(x ^ 1),
                _ => self.op(Op::Not, &[a]),
            },
            _ => self.op(op, &[a, b]),
        }
    }
}
