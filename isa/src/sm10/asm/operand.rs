//! The operands of a statement against the slots of one row.

use super::manual::BAR_MASKS;
use super::parse::{Body, Bracket, Operand};
use super::suffix::Suffixes;
use crate::set::diag::Span;
use crate::sm10::codes::Code;
use crate::sm10::disasm::{condition_name, signed_immediate};
use crate::sm10::instr::*;
use crate::sm10::op::Op;
use crate::sm10::operand::{Dst, MemRef, MemSize, Src};
use crate::sm10::spelling::Entry;
use crate::sm10::table::place as p;
use crate::sm10::table::{conversion_slot, DstSlot, Form, MemSlot, Owner, Role, SrcSlot};

/// Collects the operands of one row.
pub(super) struct Builder {
    pub f: &'static Form,
    pub roles: Vec<(Role, u32)>,
    pub dst: Dst,
    pub src: [Src; 3],
    pub at: Option<MemRef>,
    pub label: Option<(String, Span)>,
}

type Res = Result<(), String>;

/// Code of [`Role::CvtSrc`] for S16.BEXT, a signed byte of a half register or of memory.
const SIGNED_BYTE: u32 = 6;

impl Builder {
    fn expected<T>(&self, what: &str, o: &Operand) -> Result<T, String> {
        // "a half register (R3L or R3H)" reads "a half register here (R3L or R3H)".
        let here = match what.split_once(" (") {
            Some((kind, examples)) => format!("{kind} here ({examples}"),
            None => format!("{what} here"),
        };
        Err(format!("{} takes {here}, found {}", self.f.mnemonic, o.text))
    }

    pub(super) fn role(&self, r: Role) -> u32 {
        self.roles.iter().find(|x| x.0 == r).map_or(0, |x| x.1)
    }

    fn size(&self) -> Option<MemSize> {
        MemSize::from_code(self.role(Role::MemSize))
    }

    /// Takes the operand `o` for `w`; the error is a sentence without its place.
    pub(super) fn operand(&mut self, w: Entry, o: &Operand, sfx: &Suffixes) -> Res {
        if !matches!(w, Entry::Src(_)) && (o.neg || o.not || o.abs) {
            return self.expected("an operand without a sign", o);
        }
        match w {
            Entry::Dst => self.destination(o, sfx),
            Entry::Src(n) => self.source(n, o),
            Entry::Global(n) => match o.body {
                Body::Global(space, r) if space < 16 => {
                    self.roles.push((Role::Space, space));
                    self.src[n] = Src::Reg(r);
                    Ok(())
                }
                _ => self.expected("global memory (global14[R0], spaces 0 to 15)", o),
            },
            Entry::Mem => self.memory(o),
            Entry::Cond => {
                let role = self.f.condition();
                let codes = 0..1u8 << role.and_then(|r| self.f.field(r)).map_or(0, |f| f.width());
                let code = match &o.body {
                    Body::Name(n) if !n.is_empty() => codes.into_iter().find(|c| condition_name(self.f, *c) == n),
                    _ => None,
                };
                match role.zip(code) {
                    Some((role, c)) => {
                        self.roles.push((role, c.into()));
                        Ok(())
                    }
                    None => self.expected("a relation (LT, EQ, LE, GT, NE, GE, F, TRUE; floats also LTU, EQU, LEU, GTU, NEU, GEU, NUM, NAN)", o),
                }
            }
            Entry::Reduction => {
                let name = &self.f.mnemonic[self.f.base().len() + 1..];
                match &o.body {
                    Body::Name(n) if n == name => Ok(()),
                    _ => self.expected("SIN or EX2", o),
                }
            }
            Entry::Shift => self.small(o, Role::Shift4, 16, "a shift 0x0 to 0xf"),
            Entry::Trigger => self.small(o, Role::PmId, 16, "a trigger 0x0 to 0xf"),
            // The one word of the manual's BAR, whatever mask its examples print.
            Entry::Mask if self.f.owner(p::BAR_MASK.lo.0.into()) == Owner::Fixed(true) => match o.body {
                Body::Num(v) if BAR_MASKS.contains(&v) => {
                    self.roles.push((Role::BarMask, p::BAR_MASK.get(u64::MAX)));
                    Ok(())
                }
                _ => self.expected("the mask 0xfff", o),
            },
            Entry::Mask => self.small(o, Role::BarMask, 0x1000, "a mask 0x0 to 0xfff"),
            Entry::Barrier => match o.body {
                Body::Barrier(n) if n < 16 => {
                    self.roles.push((Role::BarId, n));
                    Ok(())
                }
                _ => self.expected("a barrier b0 to b15", o),
            },
            Entry::Target => match &o.body {
                Body::Num(v) if v % 4 == 0 && *v < 1 << 24 => {
                    self.roles.push((Role::Target, v / 4));
                    Ok(())
                }
                Body::Num(_) => self.expected("an address that is a multiple of 4 below 0x1000000", o),
                _ if is_name(&o.text) => {
                    self.label = Some((o.text.clone(), o.span));
                    Ok(())
                }
                _ => self.expected("a label or an address", o),
            },
        }
    }

    fn small(&mut self, o: &Operand, role: Role, limit: u32, what: &str) -> Res {
        match o.body {
            Body::Num(v) if v < limit => {
                self.roles.push((role, v));
                Ok(())
            }
            _ => self.expected(what, o),
        }
    }

    fn destination(&mut self, o: &Operand, sfx: &Suffixes) -> Res {
        use DstSlot as D;
        let byte_half = self.f.dst == D::Long16 && matches!(self.f.op, Op::I2I { dst: IntType::U8 | IntType::S8, .. });
        let outputs = matches!(self.f.dst, D::Long32 | D::Long16 | D::LongSel);
        self.dst = match (self.f.dst, &o.body) {
            (_, Body::Out(n, half)) if outputs && *n < 128 && *half == byte_half => match n {
                127 => Dst::Discard,
                n => Dst::Out(*n as u8),
            },
            (D::Short32 | D::Reg32 | D::Long32, Body::Reg(r)) => Dst::Reg(*r),
            (D::Short16 | D::Reg16 | D::Long16, Body::Half(h)) => Dst::Half(*h),
            (D::LongSel, Body::Reg(r)) if !sfx.half => Dst::Reg(*r),
            (D::LongSel, Body::Half(h)) => Dst::Half(*h),
            (D::Sized, Body::Reg(r)) => match self.size() {
                Some(MemSize::B64) => Dst::Pair(*r),
                Some(MemSize::B128) => Dst::Quad(*r),
                _ => Dst::Reg(*r),
            },
            (D::Pair, Body::Reg(r)) => Dst::Pair(*r),
            (D::Addr, Body::Areg(a)) => Dst::Addr(*a),
            (D::Cc, Body::Creg(c)) => Dst::Cc(*c),
            (D::Addr, _) => return self.expected("an address register (A1 to A7)", o),
            (D::Cc, _) => return self.expected("a flag register (C0 to C3)", o),
            (D::Short16 | D::Reg16 | D::Long16, _) => return self.half_expected(o),
            (D::LongSel, _) if sfx.half => return self.half_expected(o),
            _ => return self.expected("a register (R0 to R127)", o),
        };
        Ok(())
    }

    fn half_expected<T>(&self, o: &Operand) -> Result<T, String> {
        let example = match o.body {
            Body::Reg(r) if r < 64 => r,
            _ => 0,
        };
        self.expected(&format!("a half register (R{example}L or R{example}H)"), o)
    }

    fn memory(&mut self, o: &Operand) -> Res {
        let fixed = self.f.mem.size().unwrap_or(MemSize::B32);
        let load = self.f.dst != DstSlot::No;
        self.at = Some(match (&o.body, self.f.mem) {
            (Body::Local(b), MemSlot::Local) => {
                let Some(size) = self.size() else {
                    return self.expected("an access size", o);
                };
                MemRef { size, ..place(b, MemSize::U8)? }
            }
            (Body::Shared(b, size), m) if m != MemSlot::Local => match size {
                Some(s) if *s != fixed => return self.expected("another access size", o),
                None if load && fixed != MemSize::B32 => return self.expected("another access size", o),
                _ => place(b, fixed)?,
            },
            (_, MemSlot::Local) => return self.expected("local memory (local[0x10])", o),
            _ => return self.expected("shared memory (g [0x4])", o),
        });
        Ok(())
    }

    fn source(&mut self, n: usize, o: &Operand) -> Res {
        let slot = self.f.src[n];
        let value = self.value(n, slot, o)?;
        self.src[n] = value;
        let literal = matches!(o.body, Body::Num(_) | Body::Float(_));
        let plain = !matches!(self.f.op, Op::IAdd { .. });
        if o.neg && !(literal && plain) {
            self.negate(n, o)?;
        }
        self.mark(o.abs, [Role::AbsA, Role::AbsB, Role::Lim], n, "absolute value", o)?;
        self.mark(o.not, [Role::NotA, Role::NotB, Role::Lim], n, "complement", o)
    }

    fn mark(&mut self, on: bool, roles: [Role; 3], n: usize, what: &str, o: &Operand) -> Res {
        if !on {
            return Ok(());
        }
        if !self.f.mods.iter().any(|m| m.role == roles[n]) {
            return self.expected(&format!("no {what}"), o);
        }
        self.roles.push((roles[n], 1));
        Ok(())
    }

    fn negate(&mut self, n: usize, o: &Operand) -> Res {
        if self.f.field(Role::AddKind).is_none() {
            return self.mark(true, [Role::NegA, Role::NegB, Role::NegC], n, "negation", o);
        }
        let adder = match n {
            0 => AddKind::Subr,
            n if n == self.f.last_source() => AddKind::Sub,
            _ => return self.expected("no minus (it goes on another operand)", o),
        };
        if self.roles.iter().any(|r| r.0 == Role::AddKind) {
            return self.expected("at most one minus in all", o);
        }
        self.roles.push((Role::AddKind, adder.code()));
        Ok(())
    }

    fn value(&self, n: usize, slot: SrcSlot, o: &Operand) -> Result<Src, String> {
        use SrcSlot as S;
        // A conversion source is a half register, a full one, or a full one only, by its type.
        let slot = conversion_slot(slot, self.role(Role::CvtSrc));
        let half = slot.is_half();
        let first = matches!(slot, S::S1W | S::S1H | S::I1W | S::I1H | S::L1W | S::L1H);
        let count = slot.is_count();
        let second = count || matches!(slot, S::S2W | S::S2H | S::L2W | S::L2H | S::L3W | S::L3H);
        let full = matches!(
            slot,
            S::S1W
                | S::I1W
                | S::S2W
                | S::SReg1W
                | S::SReg2W
                | S::L1W
                | S::L2W
                | S::L3W
                | S::LReg1W
                | S::LReg2W
                | S::LReg3W
                | S::LPair1
                | S::LPair2
                | S::LPair3
                | S::AtomicData
                | S::CountW
                | S::Count5W
                | S::StoreSel
                | S::StoreSized
        );
        Ok(match (slot, &o.body) {
            (S::Acc, Body::Reg(r)) if self.dst == Dst::Reg(*r) => Src::Reg(*r),
            (S::Acc, _) => return self.expected("the destination register again", o),
            (_, Body::Reg(r)) if full => Src::Reg(*r),
            (_, Body::Half(h)) if half || slot == S::StoreSel => Src::Half(*h),
            // A conversion from S8 reads a byte, whose sign it finds itself.
            (_, Body::Shared(b, Some(MemSize::S8))) if first && self.role(Role::CvtSrc) == SIGNED_BYTE => {
                Src::Shared(place(b, MemSize::U8)?)
            }
            (_, Body::Shared(b, size)) if first => Src::Shared(place(b, size.unwrap_or(MemSize::B32))?),
            (_, Body::Const(bank, b, None)) if second && *bank < 16 => {
                Src::Const { bank: *bank as u8, at: place(b, if half { MemSize::U16 } else { MemSize::B32 })? }
            }
            (S::ConstFar | S::ConstFarFixed, Body::Const(bank, b, size)) if *bank < 16 => {
                Src::Const { bank: *bank as u8, at: place(b, size.unwrap_or(MemSize::B32))? }
            }
            (_, Body::Num(v)) if count && !o.neg => Src::Imm(*v),
            (S::Imm12 | S::Imm10, Body::Num(v)) if !o.neg => Src::Imm(*v),
            (S::Imm32 | S::Imm16, Body::Num(v)) => {
                let minus = o.neg && !matches!(self.f.op, Op::IAdd { .. });
                let v = if minus { v.wrapping_neg() } else { *v };
                Src::Imm(if slot == S::Imm16 && minus { v & 0xffff } else { v })
            }
            (S::Imm32, Body::Float(v)) if signed_immediate(self.f) || matches!(self.f.op, Op::Mov { .. }) => {
                Src::Imm(if o.neg { v ^ 0x8000_0000 } else { *v })
            }
            (S::Imm32, Body::Paren(v)) if signed_immediate(self.f) => Src::Imm(*v),
            (S::Addr, Body::Areg(a)) => Src::Addr(*a),
            (S::Cc, Body::Creg(c)) => Src::Cc(*c),
            (S::Special, Body::Special(s)) => Src::Special(*s),
            (S::ConstFar | S::ConstFarFixed, _) => return self.expected("constant memory (c[0x1] [0x2])", o),
            (S::Addr, _) => return self.expected("an address register (A0 to A7)", o),
            (S::Cc, _) => return self.expected("a flag register (C0 to C3)", o),
            (S::Special, _) => return self.expected("a special register (SR_CLOCK, SR2)", o),
            (S::Imm32 | S::Imm16 | S::Imm12 | S::Imm10, _) => return self.expected("a number", o),
            (_, Body::Shared(..)) => {
                return self
                    .expected(&format!("no g [] as operand {} (only the first source may be shared memory)", n + 1), o)
            }
            (_, Body::Const(..)) => {
                return self.expected("no such c[][] operand (second or third source, bank 0x0 to 0xf)", o)
            }
            _ if half => return self.half_expected(o),
            _ => return self.expected("a 32-bit register (R0 to R127)", o),
        })
    }
}

fn is_name(t: &str) -> bool {
    t.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$')
        && t.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')
}

fn place(b: &Bracket, size: MemSize) -> Result<MemRef, String> {
    let bytes = b.offset * i64::from(size.bytes());
    match i32::try_from(bytes) {
        Ok(offset) => Ok(MemRef { areg: b.areg.unwrap_or(0), offset, post_inc: b.post, size }),
        Err(_) => Err(format!("the offset {:#x} is too large", b.offset)),
    }
}
