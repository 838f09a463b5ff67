//! `lop3`: any bitwise function of three words.

use super::build::{Lower, ZERO};
use crate::ir::Operand;

impl Lower<'_> {
    /// Any function of three bits, by its table: one operand decides between two functions of the
    /// others.
    pub(super) fn lop3(&mut self, x: [Operand; 3], table: u8) -> Operand {
        let bit = |a: usize, b: usize, c: usize| table >> (a * 4 + b * 2 + c) & 1;
        // The function of the two others where the pivot is 0 and where it is 1, as 4-bit tables.
        let halves = |pivot: usize| {
            let mut out = [0u8; 2];
            for (value, half) in out.iter_mut().enumerate() {
                for first in 0..2 {
                    for second in 0..2 {
                        let on = match pivot {
                            0 => bit(value, first, second),
                            1 => bit(first, value, second),
                            _ => bit(first, second, value),
                        };
                        *half |= on << (first * 2 + second);
                    }
                }
            }
            out
        };
        let cost = |t: u8| match t {
            0 | 15 | 10 | 12 => 0,
            8 | 14 | 6 | 3 | 5 => 1,
            _ => 2,
        };
        let pivot = (0..3)
            .min_by_key(|p| {
                let [zero, one] = halves(*p);
                cost(zero) + if zero == one { 0 } else { 4 + cost(zero ^ one) }
            })
            .unwrap_or(2);
        let [zero, one] = halves(pivot);
        let others: Vec<Operand> = (0..3).filter(|i| *i != pivot).map(|i| x[i]).collect();
        let base = self.lop2(others[0], others[1], zero);
        if zero == one {
            return base;
        }
        let change = self.lop2(others[0], others[1], zero ^ one);
        let change = self.and(change, x[pivot]);
        self.xor(base, change)
    }

    /// Any function of two bits by its table, bit `2a + b`.
    fn lop2(&mut self, a: Operand, b: Operand, table: u8) -> Operand {
        if table & 1 == 1 && table != 15 {
            // The complement has a 0 for two zeros and is one operation.
            let complement = match table {
                3 => a,
                5 => b,
                _ => self.lop2(a, b, !table & 15),
            };
            return self.not(complement);
        }
        match table {
            15 => Operand::Imm(u32::MAX),
            12 => a,
            10 => b,
            8 => self.and(a, b),
            14 => self.or(a, b),
            6 => self.xor(a, b),
            4 => {
                let b = self.not(b);
                self.and(a, b)
            }
            2 => {
                let a = self.not(a);
                self.and(a, b)
            }
            _ => ZERO,
        }
    }
}
