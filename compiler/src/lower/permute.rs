//! `prmt`: bytes of two words in a new order.

use super::build::{Lower, ZERO};
use super::inst::{Parts, Result};
use crate::ir::{MemTy, Operand};
use crate::ptx::ast::Inst;

/// Source of a byte of the result.
#[derive(Clone, Copy, PartialEq)]
struct Pick {
    /// Byte of the two words, 0 to 7.
    byte: u32,
    /// All bits are that byte's sign.
    sign: bool,
}

impl Lower<'_> {
    /// `prmt.b32`, with a constant order or a computed one.
    pub(super) fn prmt(&mut self, inst: &Inst, parts: &Parts, a: Operand, b: Operand, selector: Operand) -> Result<()> {
        let mode = ["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"].into_iter().find(|m| parts.has(m));
        let v = match (selector, mode) {
            (Operand::Imm(s), None) => {
                let pick = |i: u32| Pick { byte: s >> (4 * i) & 7, sign: s >> (4 * i + 3) & 1 == 1 };
                self.permute([pick(0), pick(1), pick(2), pick(3)], a, b)
            }
            (Operand::Imm(s), Some(mode)) => {
                let c = s & 3;
                let pick = |i: u32| Pick {
                    byte: match mode {
                        "f4e" => (i + c) & 7,
                        "b4e" => c.wrapping_sub(i) & 7,
                        "rc8" => c,
                        "ecl" => i.max(c),
                        "ecr" => i.min(c),
                        _ => (c & 1) * 2 + (i & 1),
                    },
                    sign: false,
                };
                self.permute([pick(0), pick(1), pick(2), pick(3)], a, b)
            }
            (Operand::Value(_), None) => self.permute_by(selector, a, b),
            (Operand::Value(_), Some(_)) => {
                return Err(self.error(inst, format!("`{}` with an order that is no constant", inst.op)))
            }
        };
        self.set(inst, 0, v)
    }

    /// Runs of bytes that stay together move as one.
    fn permute(&mut self, picks: [Pick; 4], a: Operand, b: Operand) -> Operand {
        let mut out = ZERO;
        let mut at = 0u32;
        while at < 4 {
            let first = picks[at as usize];
            let mut len = 1;
            while at + len < 4 && !first.sign {
                let next = picks[(at + len) as usize];
                let follows = next.byte == first.byte + len && next.byte / 4 == first.byte / 4;
                if next.sign || !follows {
                    break;
                }
                len += 1;
            }
            let word = if first.byte < 4 { a } else { b };
            let part = self.run(word, first.byte % 4, at, len, first.sign);
            out = self.or(out, part);
            at += len;
        }
        out
    }

    /// `len` bytes of a word from byte `from`, moved to byte `to`, zeros around them.
    fn run(&mut self, word: Operand, from: u32, to: u32, len: u32, sign: bool) -> Operand {
        let bits = |n: u32| Operand::Imm(8 * n);
        if len == 4 {
            return word;
        }
        if sign {
            let low = self.shr(word, bits(from), false);
            let byte = self.ext(MemTy::S8, low);
            let fill = self.sign(byte);
            return self.and(fill, Operand::Imm(0xff << (8 * to)));
        }
        if to + len == 4 {
            let low = self.shr(word, bits(from), false);
            return self.shl(low, bits(to));
        }
        if from + len == 4 {
            let low = self.shr(word, bits(from), false);
            return self.shl(low, bits(to));
        }
        if from == to {
            let mask = u32::MAX >> (32 - 8 * len) << (8 * to);
            return self.and(word, Operand::Imm(mask));
        }
        let low = self.shr(word, bits(from), false);
        let cut = match len {
            1 => self.ext(MemTy::U8, low),
            2 => self.ext(MemTy::U16, low),
            _ => self.and(low, Operand::Imm(0x00ff_ffff)),
        };
        self.shl(cut, bits(to))
    }

    /// A computed order: each byte by a shift of the two words.
    fn permute_by(&mut self, selector: Operand, a: Operand, b: Operand) -> Operand {
        let mut out = ZERO;
        for i in 0..4 {
            let nibble = self.shr(selector, Operand::Imm(4 * i), false);
            let byte = self.and(nibble, Operand::Imm(7));
            let n = self.shl(byte, Operand::Imm(3));
            let (low, _) = self.shr64((a, b), n, false);
            let byte = self.ext(MemTy::U8, low);
            let extended = self.ext(MemTy::S8, low);
            let fill = self.sign(extended);
            let fill = self.ext(MemTy::U8, fill);
            let wanted = self.and(nibble, Operand::Imm(8));
            let signed = self.cmp(crate::ir::Rel::NE, false, wanted, ZERO);
            let byte = self.select(signed, fill, byte);
            let part = self.shl(byte, Operand::Imm(8 * i));
            out = self.or(out, part);
        }
        out
    }
}
