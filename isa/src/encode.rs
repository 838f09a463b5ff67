//! Instructions to words.

use crate::decode::decode;
use crate::instr::*;
use crate::table::{Class, DstSlot, Flags, Form, Kind, MemSlot, Role, SrcSlot, FORMS};

/// Why an instruction has no encoding in its form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{mnemonic}: {what}")]
pub struct EncodeError {
    /// Spelling of the row.
    pub mnemonic: &'static str,
    /// What does not fit, and what would.
    pub what: String,
}

const SHARED: u64 = 1 << 53;
const C3: u64 = 1 << 24;
const C2: u64 = 1 << 23;

/// Encodes one instruction in its own form: word 0 and word 1 (0 for short forms).
///
/// Ignored bits are written as 0, so `decode(encode(i)) == i`.
///
/// # Errors
/// An [`EncodeError`] when an operand or modifier does not fit the form.
pub fn encode(i: &Instr) -> Result<(u32, u32), EncodeError> {
    let Some(f) = FORMS.get(usize::from(i.form)) else {
        return Err(EncodeError {
            mnemonic: "?",
            what: format!(
                "form {} does not exist, the table has {}",
                i.form,
                FORMS.len()
            ),
        });
    };
    let err = |what: String| EncodeError {
        mnemonic: f.mnemonic,
        what,
    };
    let w = if f.kind == Kind::Unsupported {
        raw(i)
    } else {
        Enc { f, w: f.match_ }.run(i).map_err(err)?
    };
    let (w0, w1) = (w as u32, (w >> 32) as u32);
    match decode(w0, w1) {
        Ok(back) if back == *i => Ok((w0, w1)),
        Ok(_) => Err(err(
            "this combination of operands and modifiers has no encoding".into(),
        )),
        Err(e) => Err(err(e.to_string())),
    }
}

/// The words an unsupported instruction carries as operands.
fn raw(i: &Instr) -> u64 {
    let word = |s: Src| if let Src::Imm(v) = s { u64::from(v) } else { 0 };
    word(i.src[0]) | word(i.src[1]) << 32
}

/// Value of a modifier role in an operation, 0 where the operation has none.
pub(crate) fn role_value(i: &Instr, role: Role) -> u32 {
    use Role as R;
    let b = |v: bool| u32::from(v);
    match (i.op, role) {
        (Op::IAdd { kind, .. } | Op::IMad { kind, .. }, R::AddKind) => match kind {
            AddKind::Add => 0,
            AddKind::Sub => 1,
            AddKind::Subr => 2,
            AddKind::Addc => 3,
        },
        (
            Op::IAdd { sat, .. }
            | Op::FAdd { sat, .. }
            | Op::FMad { sat, .. }
            | Op::Sfu { sat, .. }
            | Op::I2F { sat, .. }
            | Op::F2F { sat, .. },
            R::Sat,
        ) => b(sat),
        (Op::IMul24 { high, .. }, R::High) => b(high),
        (
            Op::IMul24 { signed, .. }
            | Op::ISad { signed, .. }
            | Op::ISet { signed, .. }
            | Op::IMinMax { signed, .. }
            | Op::Shift { signed, .. },
            R::Signed,
        ) => b(signed),
        (Op::IMul16 { signed_a, .. }, R::SignedA) => b(signed_a),
        (Op::IMul16 { signed_b, .. }, R::SignedB) => b(signed_b),
        (
            Op::FAdd { neg_a: n, .. }
            | Op::FMul { neg_a: n, .. }
            | Op::FMad { neg_ab: n, .. }
            | Op::FMinMax { neg_a: n, .. }
            | Op::FSet { neg_a: n, .. }
            | Op::Sfu { neg: n, .. }
            | Op::Rro { neg: n, .. }
            | Op::I2I { neg: n, .. }
            | Op::I2F { neg: n, .. }
            | Op::F2I { neg: n, .. }
            | Op::F2F { neg: n, .. },
            R::NegA,
        ) => b(n),
        (
            Op::FMinMax { abs_a: n, .. }
            | Op::FSet { abs_a: n, .. }
            | Op::Sfu { abs: n, .. }
            | Op::Rro { abs: n, .. }
            | Op::I2I { abs: n, .. }
            | Op::I2F { abs: n, .. }
            | Op::F2I { abs: n, .. }
            | Op::F2F { abs: n, .. },
            R::AbsA,
        ) => b(n),
        (
            Op::FAdd { neg_b, .. }
            | Op::FMul { neg_b, .. }
            | Op::FMinMax { neg_b, .. }
            | Op::FSet { neg_b, .. },
            R::NegB,
        ) => b(neg_b),
        (Op::FMinMax { abs_b, .. } | Op::FSet { abs_b, .. }, R::AbsB) => b(abs_b),
        (Op::FMad { neg_c, .. } | Op::FSlct { neg_c }, R::NegC) => b(neg_c),
        (Op::Logic { not_a, .. }, R::NotA) => b(not_a),
        (Op::Logic { not_b, .. }, R::NotB) => b(not_b),
        (Op::Logic { op, .. }, R::Logic) => match op {
            LogicOp::And => 0,
            LogicOp::Or => 1,
            LogicOp::Xor => 2,
            LogicOp::PassB => 3,
        },
        (Op::ISet { cond, .. }, R::CondI) | (Op::FSet { cond, .. }, R::CondF) => u32::from(cond),
        (
            Op::FAdd { round, .. }
            | Op::FMul { round, .. }
            | Op::I2F { round, .. }
            | Op::F2I { round, .. }
            | Op::F2F { round, .. },
            R::Round | R::RoundNZ,
        ) => match round {
            Round::Nearest => 0,
            Round::Down => 1,
            Round::Up => 2,
            Round::Zero => 3,
        },
        (Op::I2I { src, .. } | Op::I2F { src, .. }, R::CvtSrc) => {
            let full = matches!(i.src[0], Src::Reg(_));
            match src {
                IntType::U16 => 0,
                IntType::U32 => 1,
                IntType::U8 => 2 + b(full),
                IntType::S16 => 4,
                IntType::S32 => 5,
                IntType::S8 => 6 + b(full),
            }
        }
        (Op::Mov { lanes, .. }, R::Lanes) => u32::from(lanes),
        (
            Op::LdGlobal { size, .. }
            | Op::StGlobal { size, .. }
            | Op::LdLocal {
                at: MemRef { size, .. },
            }
            | Op::StLocal {
                at: MemRef { size, .. },
            },
            R::MemSize,
        ) => match size {
            MemSize::U8 => 0,
            MemSize::S8 => 1,
            MemSize::U16 => 2,
            MemSize::S16 => 3,
            MemSize::B64 => 4,
            MemSize::B128 => 5,
            MemSize::B32 => 6,
        },
        (Op::LdGlobal { space, .. } | Op::StGlobal { space, .. }, R::Space) => u32::from(space),
        (Op::Cal { lim, .. }, R::Lim) => b(lim),
        (Op::R2A { shift }, R::Shift4) => u32::from(shift),
        (Op::Bar { id, .. }, R::BarId) => u32::from(id),
        (Op::Bar { arrive, .. }, R::Arrive) => b(arrive),
        (Op::Bar { wait, .. }, R::Wait) => b(wait),
        (Op::Bar { mask, .. }, R::BarMask) => mask.map_or(0, u32::from),
        (
            Op::Bra { target } | Op::Cal { target, .. } | Op::Pbk { target } | Op::Ssy { target },
            R::Target,
        ) => target / 4,
        (Op::PmTrig { id }, R::PmId) => u32::from(id),
        _ => 0,
    }
}

type Res = Result<(), String>;

struct Enc {
    f: &'static Form,
    w: u64,
}

impl Enc {
    fn run(mut self, i: &Instr) -> Result<u64, String> {
        self.beside(i)?;
        if self.f.predicated {
            self.w |= u64::from(i.pred.code & 31) << 39 | u64::from(i.pred.creg & 3) << 44;
        }
        if self.f.class == Class::Long {
            self.w |= (match i.marker {
                Marker::None => 0,
                Marker::Exit => 1,
                Marker::Join => 2,
            }) << 32;
        }
        if let Some(c) = i.cdst {
            self.w |= 1 << 38 | u64::from(c & 3) << 36;
        }
        for m in self.f.mods {
            let v = role_value(i, m.role);
            let n = m.field.width();
            if v >> n != 0 {
                return Err(format!(
                    "{:?} value {v:#x} does not fit in {n} bits",
                    m.role
                ));
            }
            self.w |= m.field.put(v);
        }
        self.dst(i.dst)?;
        // Source 1 first: an s[] there owns the address register of the word.
        for (slot, s) in self.f.src.iter().zip(i.src) {
            self.src(*slot, s)?;
        }
        if let Some(at) = i.op.memory() {
            self.mem(at)?;
        }
        Ok(self.w)
    }

    /// Guard, marker and flags need a form that has them.
    fn beside(&self, i: &Instr) -> Res {
        if !self.f.predicated && !i.pred.is_always() {
            return Err("this form takes no guard".into());
        }
        if !self.f.predicated && i.pred.creg != 0 {
            return Err(format!(
                "this form has no field for C{}, its carry is that of C0",
                i.pred.creg
            ));
        }
        if self.f.class != Class::Long && i.marker != Marker::None {
            return Err("this form takes no marker".into());
        }
        if self.f.flags == Flags::No && i.cdst.is_some() {
            return Err("this form writes no flags".into());
        }
        match (self.f.src[2], i.src[2], i.dst) {
            (SrcSlot::Acc, Src::Reg(c), Dst::Reg(d)) if c != d => Err(format!(
                "the third source of this form is its destination R{d}, not R{c}"
            )),
            _ => Ok(()),
        }
    }

    fn put(&mut self, v: u32, lo: u32, n: u32, what: &str) -> Res {
        if v >> n != 0 {
            return Err(format!(
                "{what} {v:#x} does not fit in {n} bits (at most {:#x})",
                (1u32 << n) - 1
            ));
        }
        self.w |= u64::from(v) << lo;
        Ok(())
    }

    fn dst(&mut self, d: Dst) -> Res {
        use DstSlot as D;
        match (self.f.dst, d) {
            (D::No, Dst::None) => Ok(()),
            (D::Short32, Dst::Reg(r)) => self.short_reg(r, 2, false),
            (D::Short16, Dst::Half(h)) => self.short_reg(h, 2, true),
            (D::Reg32 | D::Long32 | D::Sized, Dst::Reg(r))
            | (D::Reg16 | D::Long16 | D::LongSel, Dst::Half(r))
            | (D::Sized, Dst::Pair(r) | Dst::Quad(r)) => self.put(r.into(), 2, 7, "register"),
            (D::LongSel, Dst::Reg(r)) => {
                self.w |= 1 << 58;
                self.put(r.into(), 2, 7, "register")
            }
            (D::Long32 | D::Long16 | D::LongSel, Dst::Discard) => {
                self.w |= 1 << 35;
                self.put(127, 2, 7, "output")
            }
            (D::Long32 | D::Long16 | D::LongSel, Dst::Out(n)) => {
                self.w |= 1 << 35;
                self.put(n.into(), 2, 7, "output")
            }
            (D::Addr, Dst::Addr(a)) => self.put(a.into(), 2, 3, "address register"),
            (D::Cc, Dst::Cc(c)) => self.put(c.into(), 36, 2, "flag register"),
            (slot, d) => Err(format!(
                "destination {d:?} does not go into a {slot:?} field"
            )),
        }
    }

    fn short_reg(&mut self, r: u8, lo: u32, half: bool) -> Res {
        if r < 64 {
            return self.put(r.into(), lo, 6, "register");
        }
        let (name, limit) = if half {
            (half_name(r), "R31H")
        } else {
            (format!("R{r}"), "R63")
        };
        let class = self.f.class.name();
        Err(format!(
            "{name} is beyond the registers of the {class} form (up to {limit})"
        ))
    }

    fn src(&mut self, slot: SrcSlot, s: Src) -> Res {
        use SrcSlot as S;
        match (slot, s) {
            (S::No, Src::None) => Ok(()),
            (S::S1W | S::I1W | S::SReg1W, Src::Reg(r)) => self.short_reg(r, 9, false),
            (S::S1H | S::I1H | S::SReg1H, Src::Half(h)) => self.short_reg(h, 9, true),
            (S::S2W | S::SReg2W, Src::Reg(r)) => self.short_reg(r, 16, false),
            (S::S2H | S::SReg2H, Src::Half(h)) => self.short_reg(h, 16, true),
            (S::S1W | S::S1H | S::I1W | S::I1H, Src::Shared(m)) => {
                self.w |= C3;
                self.put(mode(m.size)?, 13, 2, "mode")?;
                self.near(m, 9, 4)?;
                self.areg(m, false)
            }
            (S::S2W | S::S2H, Src::Const { bank, at }) => {
                if self.w & C3 != 0 {
                    return Err(
                        "one instruction takes s[] or c[], not both, in the short form".into(),
                    );
                }
                self.w |= C2;
                self.put(bank.into(), 21, 1, "constant bank of the short form")?;
                unit_is(at, slot == S::S2H)?;
                self.near(at, 16, 5)?;
                self.areg(at, false)
            }
            // The accumulator is the destination register.
            (S::Acc, Src::Reg(_)) => Ok(()),
            (S::L1W | S::LReg1W, Src::Reg(r)) | (S::L1H, Src::Half(r)) => {
                self.put(r.into(), 9, 7, "register")
            }
            (S::Cvt, Src::Reg(r) | Src::Half(r)) => self.put(r.into(), 9, 7, "register"),
            (S::L1W | S::L1H | S::Cvt, Src::Shared(m)) => {
                self.w |= SHARED;
                self.put(mode(m.size)?, 14, 2, "mode")?;
                self.near(m, 9, 5)?;
                self.areg(m, true)
            }
            (S::CountW | S::CountH, Src::Imm(n)) => {
                self.w |= 1 << 52;
                self.put(n, 16, 7, "shift count")
            }
            (S::L2W | S::CountW, Src::Reg(r)) | (S::L2H | S::CountH, Src::Half(r)) => {
                self.put(r.into(), 16, 7, "register")
            }
            (S::L2W | S::CountW | S::L2H | S::CountH, Src::Const { bank, at }) => {
                self.long_const(bank, at, C2, 16, matches!(slot, S::L2H | S::CountH))
            }
            (S::L3W, Src::Reg(r)) | (S::L3H, Src::Half(r)) => self.put(r.into(), 46, 7, "register"),
            (S::L3W | S::L3H, Src::Const { bank, at }) => {
                self.long_const(bank, at, C3, 46, slot == S::L3H)
            }
            (S::Imm32, Src::Imm(v)) => {
                self.w |= u64::from(v & 0x3f) << 16 | u64::from(v >> 6) << 34;
                Ok(())
            }
            (S::Imm16, Src::Imm(v)) => self.put(v, 9, 16, "immediate"),
            (S::Addr, Src::Addr(a)) => {
                if a > 7 {
                    return Err(format!("A{a} does not exist (A0 to A7)"));
                }
                self.w |= u64::from(a & 3) << 26 | u64::from(a >> 2) << 34;
                Ok(())
            }
            (S::Special, Src::Special(n)) => self.put(n.into(), 46, 4, "special register"),
            (S::Cc, Src::Cc(_)) => Ok(()),
            (S::ConstFar, Src::Const { bank, at }) => {
                self.put(bank.into(), 54, 4, "constant bank")?;
                self.put(mode(at.size)?, 46, 2, "mode")?;
                let n = match at.size.bytes() {
                    1 => 16,
                    2 => 15,
                    _ => 14,
                };
                self.far(at, n, at.size.bytes())
            }
            (S::StoreSel, Src::Reg(r)) => {
                self.w |= SHARED;
                self.put(r.into(), 46, 7, "register")
            }
            (S::StoreSel, Src::Half(h)) => self.put(h.into(), 46, 7, "register"),
            (S::StoreSized, Src::Reg(r)) => self.put(r.into(), 2, 7, "register"),
            (slot, s) => Err(format!("operand {s:?} does not go into a {slot:?} field")),
        }
    }

    fn long_const(&mut self, bank: u8, at: MemRef, select: u64, lo: u32, half: bool) -> Res {
        if self.w & (C2 | C3) != 0 {
            return Err("only one of the sources can be c[]".into());
        }
        self.w |= select;
        self.put(bank.into(), 54, 4, "constant bank")?;
        unit_is(at, half)?;
        self.near(at, lo, 7)?;
        if self.w & SHARED == 0 {
            return self.areg(at, true);
        }
        if at.areg != 0 || at.post_inc {
            return Err("beside a g [] source c[] takes no address register".into());
        }
        Ok(())
    }

    fn areg(&mut self, m: MemRef, long: bool) -> Res {
        let limit = if long { 7 } else { 3 };
        if m.areg > limit {
            return Err(format!(
                "A{} is beyond the address registers of this form (up to A{limit})",
                m.areg
            ));
        }
        self.w |= u64::from(m.areg & 3) << 26 | u64::from(m.areg >> 2) << 34;
        self.w |= u64::from(m.post_inc) << 25;
        Ok(())
    }

    /// Offset in units of the access size, signed when post-incrementing.
    fn near(&mut self, m: MemRef, lo: u32, n: u32) -> Res {
        let unit = m.size.bytes() as i32;
        let (min, max) = if m.post_inc {
            (-(1 << (n - 1)), (1 << (n - 1)) - 1)
        } else {
            (0, (1 << n) - 1)
        };
        let v = m.offset / unit;
        if m.offset % unit != 0 || v < min || v > max {
            return Err(format!(
                "offset of {} bytes does not fit (units of {unit} bytes, {min} to {max})",
                m.offset
            ));
        }
        self.w |= u64::from(v as u32 & ((1 << n) - 1)) << lo;
        Ok(())
    }

    fn far(&mut self, m: MemRef, n: u32, unit: u32) -> Res {
        let v = m.offset / unit as i32;
        if m.offset < 0 || m.offset % unit as i32 != 0 || v >> n != 0 {
            let max = (1u32 << n) - 1;
            return Err(format!(
                "offset of {} bytes does not fit (units of {unit} bytes, 0 to {max:#x})",
                m.offset
            ));
        }
        self.w |= u64::from(v as u32) << 9;
        self.areg(m, true)
    }

    fn mem(&mut self, at: MemRef) -> Res {
        match (self.f.mem, at.size) {
            (MemSlot::SharedU8, MemSize::U8) => self.far(at, 16, 1),
            (MemSlot::SharedU16, MemSize::U16) | (MemSlot::SharedS16, MemSize::S16) => {
                self.far(at, 15, 2)
            }
            (MemSlot::Shared32, MemSize::B32) => self.far(at, 14, 4),
            (MemSlot::Local, _) => self.far(at, 16, 1),
            (slot, size) => Err(format!("an access of size {size:?} does not fit {slot:?}")),
        }
    }
}

fn mode(size: MemSize) -> Result<u32, String> {
    Ok(match size {
        MemSize::U8 => 0,
        MemSize::U16 => 1,
        MemSize::S16 => 2,
        MemSize::B32 => 3,
        _ => {
            return Err(format!(
                "{size:?} is no size of this operand (U8, U16, S16 or 32 bits)"
            ))
        }
    })
}

fn unit_is(at: MemRef, half: bool) -> Res {
    let want = if half { MemSize::U16 } else { MemSize::B32 };
    if at.size == want {
        return Ok(());
    }
    Err(format!("c[] is read as {want:?} here, not {:?}", at.size))
}

/// `R3L` or `R3H` for a half-register number.
pub(crate) fn half_name(h: u8) -> String {
    format!("R{}{}", h >> 1, if h & 1 == 1 { 'H' } else { 'L' })
}
