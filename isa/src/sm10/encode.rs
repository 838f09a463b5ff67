//! Instructions to words.

use crate::sm10::codes::shared_mode;
use crate::sm10::decode::decode_in;
use crate::sm10::instr::*;
use crate::sm10::modifiers::field_value;
use crate::sm10::op::Op;
use crate::sm10::operand::{Dst, MemRef, MemSize, Src};
use crate::sm10::semantics::Semantics;
use crate::sm10::table::place as p;
use crate::sm10::table::{Class, DstSlot, Field, Flags, Form, SrcSlot, ROWS};

/// Why an instruction has no encoding in its form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{mnemonic}: {what}")]
pub struct EncodeError {
    /// Spelling of the row.
    pub mnemonic: &'static str,
    /// The value that does not fit, and the accepted ones.
    pub what: String,
}

/// Encodes one instruction in its own form: word 0 and word 1 (0 for short forms).
///
/// Ignored bits are written as 0, so `decode(encode(i)) == i`.
///
/// # Errors
/// An [`EncodeError`] when an operand or modifier does not fit the form.
pub fn encode(i: &Instr) -> Result<(u32, u32), EncodeError> {
    encode_in(Semantics::G80, i)
}

/// [`encode`] in a reading of the words.
///
/// # Errors
/// Those of [`encode`].
pub fn encode_in(semantics: Semantics, i: &Instr) -> Result<(u32, u32), EncodeError> {
    let Some(f) = ROWS.get(usize::from(i.form)) else {
        return Err(EncodeError {
            mnemonic: "?",
            what: format!("form {} does not exist, the table has {}", i.form, ROWS.len()),
        });
    };
    let err = |what: String| EncodeError { mnemonic: f.mnemonic, what };
    let w = if f.op == Op::Unsupported { raw(i) } else { Enc { semantics, f, w: f.match_ }.run(i).map_err(err)? };
    let (w0, w1) = (w as u32, (w >> 32) as u32);
    match decode_in(semantics, w0, w1) {
        Ok(back) if back == *i => Ok((w0, w1)),
        Ok(_) => Err(err("this combination of operands and modifiers has no encoding".into())),
        Err(e) => Err(err(e.to_string())),
    }
}

/// The words an unsupported instruction carries as operands.
fn raw(i: &Instr) -> u64 {
    let word = |s: Src| if let Src::Imm(v) = s { u64::from(v) } else { 0 };
    word(i.src[0]) | word(i.src[1]) << 32
}

type Res = Result<(), String>;

struct Enc {
    semantics: Semantics,
    f: &'static Form,
    w: u64,
}

impl Enc {
    fn run(mut self, i: &Instr) -> Result<u64, String> {
        self.beside(i)?;
        if self.f.predicated {
            self.w |= p::CONDITION.put(i.pred.code.into()) | p::GUARD_FLAG.put(i.pred.creg.into());
        }
        if self.f.class == Class::Long {
            self.w |= p::MARKER.put(self.semantics.marker_code(self.f, i.marker));
        }
        if let Some(c) = i.cdst {
            self.w |= p::FLAG_WRITE.bits() | p::FLAG_DST.put(c.into());
        }
        for m in self.f.mods {
            let v = field_value(i, m.role);
            let n = m.field.width();
            if v >> n != 0 {
                return Err(format!("{:?} value {v:#x} does not fit in {n} bits", m.role));
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
            return Err(format!("this form has no field for C{}, its carry is that of C0", i.pred.creg));
        }
        if self.f.class != Class::Long && i.marker != Marker::None {
            return Err("this form takes no marker".into());
        }
        if self.f.flags == Flags::No && i.cdst.is_some() {
            return Err("this form writes no flags".into());
        }
        if self.f.mask & p::FLAG_WRITE.bits() != 0 && i.cdst.is_none() {
            return Err("this form writes flags: name their register (.C0 to .C3)".into());
        }
        match (self.f.src[2], i.src[2], i.dst) {
            (SrcSlot::Acc, Src::Reg(c), Dst::Reg(d)) if c != d => {
                Err(format!("the third source of this form is its destination R{d}, not R{c}"))
            }
            _ => Ok(()),
        }
    }

    fn put(&mut self, v: u32, field: Field, what: &str) -> Res {
        let n = u32::from(field.width());
        if v.checked_shr(n).is_some_and(|high| high != 0) {
            return Err(format!("{what} {v:#x} does not fit in {n} bits (at most {:#x})", (1u32 << n) - 1));
        }
        self.w |= field.put(v);
        Ok(())
    }

    fn dst(&mut self, d: Dst) -> Res {
        use DstSlot as D;
        match (self.f.dst, d) {
            (D::No, Dst::None) => Ok(()),
            (D::Short32, Dst::Reg(r)) => self.short_reg(r, p::SHORT_DST, false),
            (D::Short16, Dst::Half(h)) => self.short_reg(h, p::SHORT_DST, true),
            (D::Reg32 | D::Long32 | D::Sized, Dst::Reg(r))
            | (D::Reg16 | D::Long16 | D::LongSel, Dst::Half(r))
            | (D::Sized | D::Pair, Dst::Pair(r))
            | (D::Sized, Dst::Quad(r)) => self.put(r.into(), p::LONG_DST, "register"),
            (D::LongSel, Dst::Reg(r)) => {
                self.w |= p::FULL_DST.bits();
                self.put(r.into(), p::LONG_DST, "register")
            }
            (D::Long32 | D::Long16 | D::LongSel, Dst::Discard) => self.dst(Dst::Out(127)),
            (D::Long32 | D::Long16 | D::LongSel, Dst::Out(n)) => {
                self.w |= p::OUTPUT.bits();
                self.put(n.into(), p::LONG_DST, "output")
            }
            (D::Addr, Dst::Addr(a)) => self.put(a.into(), p::ADDR_DST, "address register"),
            (D::Cc, Dst::Cc(c)) => self.put(c.into(), p::FLAG_DST, "flag register"),
            (slot, d) => Err(format!("destination {d:?} does not go into a {slot:?} field")),
        }
    }

    fn short_reg(&mut self, r: u8, field: Field, half: bool) -> Res {
        if r < 64 {
            return self.put(r.into(), field, "register");
        }
        let (name, limit) = if half { (half_name(r), "R31H") } else { (format!("R{r}"), "R63") };
        let class = self.f.class.name();
        Err(format!("{name} is beyond the registers of the {class} form (up to {limit})"))
    }

    fn src(&mut self, slot: SrcSlot, s: Src) -> Res {
        use SrcSlot as S;
        let half = slot.is_half();
        match (slot, s) {
            (S::No, Src::None) => Ok(()),
            (S::S1W | S::I1W | S::SReg1W, Src::Reg(r)) | (S::S1H | S::I1H | S::SReg1H, Src::Half(r)) => {
                self.short_reg(r, p::SHORT_SRC1, half)
            }
            (S::S2W | S::SReg2W, Src::Reg(r)) | (S::S2H | S::SReg2H, Src::Half(r)) => {
                self.short_reg(r, p::SHORT_SRC2, half)
            }
            (S::S1W | S::S1H | S::I1W | S::I1H, Src::Shared(m)) => {
                self.w |= p::SHORT_SHARED.bits();
                self.mode(m.size, p::SHORT_SHARED_MODE)?;
                self.near(m, p::SHORT_SHARED_OFFSET)?;
                self.step(m, p::SHORT_AREG)
            }
            (S::S2W | S::S2H, Src::Const { bank, at }) => {
                if p::SHORT_SHARED.is_set(self.w) {
                    return Err("one instruction takes s[] or c[], not both, in the short form".into());
                }
                self.w |= p::CONST2.bits();
                self.put(bank.into(), p::SHORT_BANK, "constant bank of the short form")?;
                unit_is(at, half)?;
                self.near(at, p::SHORT_CONST_OFFSET)?;
                self.step(at, p::SHORT_AREG)
            }
            // The accumulator is the destination register.
            (S::Acc, Src::Reg(_)) => Ok(()),
            (S::L1W | S::LReg1W | S::LPair1 | S::Cvt, Src::Reg(r)) | (S::L1H | S::Cvt, Src::Half(r)) => {
                self.put(r.into(), p::LONG_SRC1, "register")
            }
            (S::L1W | S::L1H | S::Cvt, Src::Shared(m)) => {
                self.w |= p::LONG_SHARED.bits();
                self.mode(m.size, p::LONG_SHARED_MODE)?;
                self.near(m, p::LONG_SHARED_OFFSET)?;
                self.step(m, p::LONG_AREG)
            }
            (s, Src::Imm(n)) if s.is_count() => {
                self.w |= p::COUNT_IMM.bits();
                self.put(n, slot.immediate().unwrap_or(p::LONG_SRC2), "shift count")
            }
            (S::L2W | S::LReg2W | S::LPair2 | S::AtomicData | S::CountW | S::Count5W, Src::Reg(r))
            | (S::L2H | S::CountH | S::Count5H, Src::Half(r)) => self.put(r.into(), p::LONG_SRC2, "register"),
            (S::L2W | S::CountW | S::Count5W | S::L2H | S::CountH | S::Count5H, Src::Const { bank, at }) => {
                self.long_const(bank, at, p::CONST2, p::LONG_SRC2, half)
            }
            (S::L3W | S::LReg3W | S::LPair3, Src::Reg(r)) | (S::L3H, Src::Half(r)) => {
                self.put(r.into(), p::LONG_SRC3, "register")
            }
            (S::L3W | S::L3H, Src::Const { bank, at }) => self.long_const(bank, at, p::CONST3, p::LONG_SRC3, half),
            (S::Imm32 | S::Imm16 | S::Imm12 | S::Imm10, Src::Imm(v)) => {
                self.put(v, slot.immediate().unwrap_or(p::IMM32), "immediate")
            }
            (S::Addr, Src::Addr(a)) => {
                if a > 7 {
                    return Err(format!("A{a} does not exist (A0 to A7)"));
                }
                self.put(a.into(), p::LONG_AREG, "address register")
            }
            (S::Special, Src::Special(n)) => self.put(n.into(), p::SPECIAL, "special register"),
            (S::Cc, Src::Cc(_)) => Ok(()),
            (S::ConstFar | S::ConstFarFixed, Src::Const { bank, at }) => {
                self.put(bank.into(), p::LONG_BANK, "constant bank")?;
                self.mode(at.size, p::FAR_CONST_MODE)?;
                let unit = at.size.bytes();
                self.far(at, p::far_offset(unit), unit)
            }
            (S::StoreSel, Src::Reg(r)) => {
                self.w |= p::FULL_DATA.bits();
                self.put(r.into(), p::LONG_SRC3, "register")
            }
            (S::StoreSel, Src::Half(h)) => self.put(h.into(), p::LONG_SRC3, "register"),
            (S::StoreSized, Src::Reg(r)) => self.put(r.into(), p::LONG_DST, "register"),
            (slot, s) => Err(format!("operand {s:?} does not go into a {slot:?} field")),
        }
    }

    fn long_const(&mut self, bank: u8, at: MemRef, select: Field, offset: Field, half: bool) -> Res {
        if p::CONST2.is_set(self.w) || p::CONST3.is_set(self.w) {
            return Err("only one of the sources can be c[]".into());
        }
        self.w |= select.bits();
        self.put(bank.into(), p::LONG_BANK, "constant bank")?;
        unit_is(at, half)?;
        self.near(at, offset)?;
        if !p::LONG_SHARED.is_set(self.w) {
            return self.step(at, p::LONG_AREG);
        }
        if at.areg != 0 || at.post_inc {
            return Err("beside a g [] source c[] takes no address register".into());
        }
        Ok(())
    }

    /// Address register and post-increment.
    fn step(&mut self, m: MemRef, field: Field) -> Res {
        let limit = (1u8 << field.width()) - 1;
        if m.areg > limit {
            return Err(format!("A{} is beyond the address registers of this form (up to A{limit})", m.areg));
        }
        self.w |= field.put(m.areg.into()) | p::POST_INC.put(m.post_inc.into());
        Ok(())
    }

    /// Offset in units of the access size, signed when post-incrementing.
    fn near(&mut self, m: MemRef, field: Field) -> Res {
        let (unit, n) = (m.size.bytes() as i32, field.width());
        let (min, max) = if m.post_inc { (-(1 << (n - 1)), (1 << (n - 1)) - 1) } else { (0, (1 << n) - 1) };
        let v = m.offset / unit;
        if m.offset % unit != 0 || v < min || v > max {
            return Err(format!("offset of {} bytes does not fit (units of {unit} bytes, {min} to {max})", m.offset));
        }
        self.w |= field.put(v as u32);
        Ok(())
    }

    /// Offset in units of `unit` bytes.
    fn far(&mut self, m: MemRef, field: Field, unit: u32) -> Res {
        let v = m.offset / unit as i32;
        if m.offset < 0 || m.offset % unit as i32 != 0 || v >> field.width() != 0 {
            let max = (1u32 << field.width()) - 1;
            return Err(format!("offset of {} bytes does not fit (units of {unit} bytes, 0 to {max:#x})", m.offset));
        }
        self.w |= field.put(v as u32);
        self.step(m, p::LONG_AREG)
    }

    fn mem(&mut self, at: MemRef) -> Res {
        let slot = self.f.mem;
        match (slot.offset(), slot.size()) {
            (Some(offset), None) => self.far(at, offset, 1),
            (Some(offset), Some(size)) if size == at.size => self.far(at, offset, size.bytes()),
            _ => Err(format!("an access of size {:?} does not fit {slot:?}", at.size)),
        }
    }

    /// Size of an s[] access, or of MVC.
    fn mode(&mut self, size: MemSize, field: Field) -> Res {
        let Some(mode) = shared_mode(size) else {
            return Err(format!("{size:?} is no size of this operand (U8, U16, S16 or 32 bits)"));
        };
        self.put(mode, field, "mode")
    }
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
