//! Special registers.

use super::build::{Lower, ZERO};
use super::vars::environment_register;
use crate::error::CompileError;
use crate::ir::{MemTy, Op, Operand, Space, Special};
use crate::ptx::ast::Inst;

impl Lower<'_> {
    fn read(&mut self, s: Special) -> Operand {
        self.op(Op::Special(s), &[])
    }

    /// Number of the thread in its block, x fastest.
    fn linear(&mut self) -> Operand {
        let (z, y, x) = (self.read(Special::TidZ), self.read(Special::TidY), self.read(Special::TidX));
        let height = self.read(Special::NTidY);
        let width = self.read(Special::NTidX);
        let rows = self.mul(z, height);
        let rows = self.add(rows, y);
        let threads = self.mul(rows, width);
        self.add(threads, x)
    }

    /// A register of the environment: its parameter word, or 0 where the launch passes none.
    fn environment(&mut self, name: &str) -> Operand {
        let number = environment_register(name);
        let words = &self.layout.environment;
        let Some((_, offset)) = words.iter().find(|(n, _)| Some(*n) == number) else {
            return ZERO;
        };
        let load = Op::Load { space: Space::Param, ty: MemTy::B32, offset: 0, volatile: false };
        self.op(load, &[Operand::Imm(*offset)])
    }

    fn lane(&mut self) -> Operand {
        let n = self.linear();
        self.and(n, Operand::Imm(31))
    }

    /// A special register's value; `name` has no `%`.
    pub(super) fn special(&mut self, inst: &Inst, name: &str) -> Result<Operand, CompileError> {
        let special = match name {
            "tid.x" => Special::TidX,
            "tid.y" => Special::TidY,
            "tid.z" => Special::TidZ,
            "ntid.x" => Special::NTidX,
            "ntid.y" => Special::NTidY,
            "ntid.z" => Special::NTidZ,
            "ctaid.x" => Special::CtaIdX,
            "ctaid.y" => Special::CtaIdY,
            "nctaid.x" => Special::NCtaIdX,
            "nctaid.y" => Special::NCtaIdY,
            "clock" | "clock64" => Special::Clock,
            // A grid has two dimensions.
            "ctaid.z" => return Ok(ZERO),
            "nctaid.z" => return Ok(Operand::Imm(1)),
            "tid.w" | "ntid.w" | "ctaid.w" | "nctaid.w" | "gridid" | "clock_hi" => return Ok(ZERO),
            "laneid" => return Ok(self.lane()),
            "warpid" => {
                let n = self.linear();
                return Ok(self.shr(n, Operand::Imm(5), false));
            }
            "nwarpid" => {
                let (x, y, z) = (self.read(Special::NTidX), self.read(Special::NTidY), self.read(Special::NTidZ));
                let n = self.mul(x, y);
                let n = self.mul(n, z);
                let n = self.add(n, Operand::Imm(31));
                return Ok(self.shr(n, Operand::Imm(5), false));
            }
            "lanemask_eq" | "lanemask_lt" | "lanemask_le" | "lanemask_gt" | "lanemask_ge" => {
                let lane = self.lane();
                let bit = self.shl(Operand::Imm(1), lane);
                let below = self.sub(bit, Operand::Imm(1));
                return Ok(match &name[9..] {
                    "eq" => bit,
                    "lt" => below,
                    "le" => self.or(below, bit),
                    "ge" => self.not(below),
                    _ => {
                        let up_to = self.or(below, bit);
                        self.not(up_to)
                    }
                });
            }
            _ if name.starts_with("envreg") => return Ok(self.environment(name)),
            _ => {
                return Err(self.error(
                    inst,
                    format!("`%{name}` does not exist on SM 1.0: it has thread, block and grid indices, and %clock"),
                ))
            }
        };
        Ok(self.read(special))
    }
}
