//! One random instruction of a given row: modifiers, guard and operands that cannot trap.

use super::super::value;
use super::code;
use super::float::operands;
use super::state::{Gen, Operands, Points};
use rand::Rng;
use warpsmith_isa::codes::{Code, SHARED_MODES};
use warpsmith_isa::table::{conversion_slot, place as p, Class, DstSlot, Field, Flags, Form, MemSlot, Role, SrcSlot};
use warpsmith_isa::{pred_holds, Family, Instr, MemSize, Op, Pred, Resource, ROWS};

/// Which sources come from memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Memory {
    None,
    Shared,
    Const2,
    Const3,
    SharedConst2,
    SharedConst3,
}

/// Address register and post-increment of a memory reference; short words reach A0 to A3.
fn step_bits(areg: u8, post: bool) -> u64 {
    p::LONG_AREG.put(areg.into()) | p::POST_INC.put(post.into())
}

impl Gen<'_> {
    /// A random instruction of row `form`. `None` when a try gave none (the caller tries another).
    pub fn instruction(&mut self, form: usize) -> Option<u64> {
        self.own.operands = operands(&ROWS[form].op);
        for _ in 0..30 {
            let w = self.attempt(form);
            let Some(w) = w else { continue };
            if let Ok(i) = self.limits.tier.decode(w as u32, (w >> 32) as u32) {
                if usize::from(i.form) == form {
                    self.wrote(&i);
                    if self.has_floats() {
                        self.age(&i);
                    }
                    return Some(w);
                }
            }
        }
        None
    }

    fn attempt(&mut self, form: usize) -> Option<u64> {
        let f = &ROWS[form];
        if !self.wanted.is_empty() {
            // In the order they were made for, mostly.
            let first = f.src[1] != SrcSlot::No && self.rng.gen_bool(0.5);
            self.turn = if first { 0 } else { self.rng.gen_range(0..3) };
        }
        let mut w = f.match_;
        for m in f.mods {
            let bits = self.rng.gen::<u32>();
            let v = match m.role {
                _ if self.own.like.is_some() => m.field.get(self.own.like.unwrap_or(0)),
                Role::Lanes if self.rng.gen_bool(0.5) => 15,
                // Clamped results hide the arithmetic.
                Role::Sat if f.src[1] != SrcSlot::No && f.op.is_float() => u32::from(self.rng.gen_bool(0.2)),
                _ => bits,
            };
            w |= m.field.put(v) & !f.mask;
        }
        if f.predicated {
            w |= code::guard(self.guard());
        }
        if f.flags != Flags::No && self.rng.gen_bool(0.6) {
            w |= p::FLAG_WRITE.bits() | p::FLAG_DST.put(self.rng.gen_range(0..4u64) as u32);
        }
        let memory = self.choose_memory(form, w);
        w |= match memory {
            Memory::None => 0,
            Memory::Shared if f.class == Class::Long => p::LONG_SHARED.bits(),
            Memory::Shared => p::SHORT_SHARED.bits(),
            Memory::Const2 => p::CONST2.bits(),
            Memory::Const3 => p::CONST3.bits(),
            Memory::SharedConst2 => p::LONG_SHARED.bits() | p::CONST2.bits(),
            Memory::SharedConst3 => p::LONG_SHARED.bits() | p::CONST3.bits(),
        };
        w |= self.destination(form, w)?;
        for slot in f.src {
            w |= self.source(slot, form, w, memory)?;
        }
        w |= self.access(form, w)?;
        Some(w)
    }

    /// A guard: mostly always, else any defined condition.
    pub fn guard(&mut self) -> Pred {
        let creg = self.rng.gen_range(0..4u8);
        if self.rng.gen_bool(if self.wanted.is_empty() { 0.55 } else { 0.8 }) {
            return Pred { code: 15, creg };
        }
        let code = loop {
            let c = self.rng.gen_range(0..32u8);
            if pred_holds(c, 0).is_some() {
                break c;
            }
        };
        Pred { code, creg }
    }

    fn choose_memory(&mut self, form: usize, w: u64) -> Memory {
        let f = &ROWS[form];
        let has = |slots: &[SrcSlot]| f.src.iter().any(|s| slots.contains(s));
        let from = conversion_slot(SrcSlot::Cvt, p::CVT_SRC.get(w));
        let cvt_register = has(&[SrcSlot::Cvt]) && from == SrcSlot::LReg1W;
        let short = matches!(f.class, Class::Short | Class::Immediate);
        let first = has(&[SrcSlot::S1W, SrcSlot::S1H, SrcSlot::I1W, SrcSlot::I1H, SrcSlot::L1W, SrcSlot::L1H])
            || has(&[SrcSlot::Cvt]) && !cvt_register;
        let counts = f.src.iter().any(|s| s.is_count());
        let count_immediate = counts && self.rng.gen_bool(0.4);
        self.own.count_immediate = count_immediate;
        let second = (counts || has(&[SrcSlot::S2W, SrcSlot::S2H, SrcSlot::L2W, SrcSlot::L2H])) && !count_immediate;
        let third = has(&[SrcSlot::L3W, SrcSlot::L3H]);
        if self.rng.gen_bool(if self.wanted.is_empty() { 0.5 } else { 0.9 }) {
            return Memory::None;
        }
        let mut options = vec![];
        if first {
            options.push(Memory::Shared);
        }
        if second {
            options.push(Memory::Const2);
        }
        if third {
            options.push(Memory::Const3);
        }
        if first && second && !short {
            options.push(Memory::SharedConst2);
        }
        if first && third {
            options.push(Memory::SharedConst3);
        }
        if options.is_empty() {
            Memory::None
        } else {
            options[self.rng.gen_range(0..options.len())]
        }
    }

    fn destination(&mut self, form: usize, w: u64) -> Option<u64> {
        let f = &ROWS[form];
        let discard = self.rng.gen_bool(0.04);
        // An accumulator is an operand too.
        let wide = match f.src.contains(&SrcSlot::Acc) {
            true => self.wanted.last().copied().or_else(|| self.preferred()),
            false => None,
        };
        let wide = u32::from(wide.unwrap_or_else(|| self.pool_register(1)));
        let half = 2 * u32::from(self.pool_register(1)) + u32::from(self.rng.gen::<bool>());
        let out = p::OUTPUT.bits() | p::LONG_DST.put(127);
        Some(match f.dst {
            DstSlot::No => 0,
            DstSlot::Short32 | DstSlot::Reg32 => p::LONG_DST.put(wide),
            DstSlot::Short16 if half >= 64 => return None,
            DstSlot::Short16 | DstSlot::Reg16 => p::LONG_DST.put(half),
            DstSlot::Long32 | DstSlot::Long16 | DstSlot::LongSel if discard => out,
            DstSlot::Long32 => p::LONG_DST.put(wide),
            DstSlot::Long16 => p::LONG_DST.put(half),
            DstSlot::LongSel if self.rng.gen() => p::FULL_DST.bits() | p::LONG_DST.put(wide),
            DstSlot::LongSel => p::LONG_DST.put(half),
            DstSlot::Pair => p::LONG_DST.put(self.pool_register(2).into()),
            DstSlot::Sized => {
                let n = access_size(form, w)?.regs();
                p::LONG_DST.put(self.pool_register(n).into())
            }
            // The free address registers, and $a0, which ignores it.
            DstSlot::Addr => p::ADDR_DST.put([0, 4, 7, 7][self.rng.gen_range(0..4)]),
            DstSlot::Cc => p::FLAG_DST.put(self.rng.gen_range(0..4u64) as u32),
        })
    }

    fn source(&mut self, slot: SrcSlot, form: usize, w: u64, memory: Memory) -> Option<u64> {
        use SrcSlot::*;
        let from_shared = matches!(memory, Memory::Shared | Memory::SharedConst2 | Memory::SharedConst3);
        let both = matches!(memory, Memory::SharedConst2 | Memory::SharedConst3);
        let half = slot.is_half();
        let size = if half { MemSize::U16 } else { MemSize::B32 };
        Some(match slot {
            No | Acc => 0,
            Cc => p::GUARD_FLAG.put(self.rng.gen_range(0..4u64) as u32),
            S1W | S1H | I1W | I1H if from_shared => {
                self.shared_operand(p::SHORT_SHARED_OFFSET, p::SHORT_SHARED_MODE)?
            }
            L1W | L1H | Cvt if from_shared => self.shared_operand(p::LONG_SHARED_OFFSET, p::LONG_SHARED_MODE)?,
            S1W | I1W | SReg1W | S1H | I1H | SReg1H => self.register(p::SHORT_SRC1, half),
            LPair1 => p::LONG_SRC1.put(self.pair()),
            LPair2 => p::LONG_SRC2.put(self.pair()),
            LPair3 => p::LONG_SRC3.put(self.pair()),
            S2W | S2H if memory == Memory::Const2 => self.const_operand(p::SHORT_CONST_OFFSET, size, true, true)?,
            S2W | SReg2W | S2H | SReg2H => self.register(p::SHORT_SRC2, half),
            L1W | LReg1W | L1H => self.register(p::LONG_SRC1, half),
            Cvt => {
                let slot = conversion_slot(slot, p::CVT_SRC.get(w));
                self.register(p::LONG_SRC1, slot.is_half())
            }
            slot if slot.is_count() && self.own.count_immediate => {
                // Counts beyond the width are defined too, but should not be most.
                let most = if self.rng.gen() { 40u64 } else { 128 };
                p::COUNT_IMM.bits() | p::LONG_SRC2.put(self.rng.gen_range(0..most) as u32)
            }
            L2W | CountW | Count5W | L2H | CountH | Count5H
                if matches!(memory, Memory::Const2 | Memory::SharedConst2) =>
            {
                self.const_operand(p::LONG_SRC2, size, !both, false)?
            }
            L2W | LReg2W | AtomicData | CountW | Count5W | L2H | CountH | Count5H => self.register(p::LONG_SRC2, half),
            L3W | L3H if matches!(memory, Memory::Const3 | Memory::SharedConst3) => {
                self.const_operand(p::LONG_SRC3, size, !both, false)?
            }
            L3W | L3H | LReg3W => self.register(p::LONG_SRC3, half),
            Imm32 => p::IMM32.put(match ROWS[form].op.is_float() {
                true => value::float(&mut self.rng),
                false => self.value(),
            }),
            Imm16 | Imm12 | Imm10 => slot.immediate()?.put(self.rng.gen::<u16>().into()),
            Addr => step_bits(self.rng.gen_range(0..8), false),
            // Not the clock: model and chip count different things.
            Special => p::SPECIAL.put([0, 3, 4, 5, 6, 7][self.rng.gen_range(0..6)]),
            ConstFar | ConstFarFixed => self.far_constant(&ROWS[form], slot == ConstFar)?,
            StoreSel => {
                // The byte form takes either numbering, the others fix it.
                let select = p::FULL_DATA.bits();
                let full = if ROWS[form].mask & select != 0 {
                    ROWS[form].match_ & select != 0
                } else {
                    w & select != 0 || ROWS[form].mem == MemSlot::Shared32 || self.rng.gen()
                };
                p::FULL_DATA.put(full.into()) | self.register(p::LONG_SRC3, !full)
            }
            StoreSized => {
                let n = access_size(form, w)?.regs();
                p::LONG_DST.put(self.pool_register(n).into())
            }
        })
    }

    /// `s[]` with its offset and the code of its size.
    fn shared_operand(&mut self, offset: Field, mode: Field) -> Option<u64> {
        // Bytes and halves are no singles.
        let float = self.own.operands != Operands::Any;
        let code = match float && self.rng.gen_bool(0.7) {
            true => 3,
            false => self.rng.gen_range(0..4u64),
        } as u32;
        let size = SHARED_MODES[code as usize];
        if self.rng.gen_bool(if float { 0.1 } else { 0.3 }) {
            // The header and the parameters: the same for every thread, never written.
            let raw = self.rng.gen_range(0..1u64 << offset.width()) as u32;
            if (raw + 1) * size.bytes() > self.layout.header {
                return None;
            }
            return Some(mode.put(code) | offset.put(raw));
        }
        let a = if offset == p::SHORT_SHARED_OFFSET { 1 } else { [1, 5][self.rng.gen_range(0..2)] };
        let post = self.rng.gen_bool(0.25);
        let near = self.near(a, offset, size, post, self.layout.warp_shared)?;
        Some(step_bits(a, post) | mode.put(code) | near)
    }

    /// `c[]` with its offset; `areg`: the word's address register is free for it.
    fn const_operand(&mut self, offset: Field, size: MemSize, areg: bool, short: bool) -> Option<u64> {
        let bank = if short { self.rng.gen_range(0..2usize) } else { self.rng.gen_range(0..self.layout.banks.len()) };
        let (number, bytes) = *self.layout.banks.get(bank)?;
        let select = if short { p::SHORT_BANK } else { p::LONG_BANK }.put(number.into());
        if short && number > 1 {
            return None;
        }
        if !areg || self.rng.gen_bool(0.4) {
            let raw = self.rng.gen_range(0..1u64 << offset.width()) as u32;
            return ((raw + 1) * size.bytes() <= bytes).then_some(select | offset.put(raw));
        }
        let a = if short { 2 } else { [2, 6][self.rng.gen_range(0..2)] };
        let post = self.rng.gen_bool(0.25);
        let near = self.near(a, offset, size, post, bytes)?;
        Some(select | step_bits(a, post) | near)
    }

    /// Offset field of a near reference through `a` into a region of `bytes`.
    fn near(&mut self, a: u8, field: Field, size: MemSize, post: bool, bytes: u32) -> Option<u64> {
        let n = field.width();
        let raw = self.rng.gen_range(0..1i32 << n);
        let signed = if post && raw >> (n - 1) & 1 == 1 { raw - (1 << n) } else { raw };
        let size = size.bytes() as i32;
        self.reference(a, signed * size, size, post, bytes)?;
        Some(field.put(raw as u32))
    }

    /// Whether a reference through `a` stays in its region; post-increments move the pointer.
    fn reference(&mut self, a: u8, offset: i32, size: i32, post: bool, bytes: u32) -> Option<()> {
        let p = &mut self.own.pointers[usize::from(a)];
        let bytes = bytes as i32;
        let alignment = if p.points == Points::Local { 16 } else { 4 };
        if post {
            let (low, high) = (p.low.min(p.low + offset), p.high.max(p.high + offset));
            // The pointer must stay usable at any size, also of threads that did not execute.
            if offset % alignment != 0
                || low < 0
                || high + 16 > self.layout.pointer_room(p.points)
                || high + size > bytes
                || p.high + size > bytes
            {
                return None;
            }
            (p.low, p.high) = (low, high);
            return Some(());
        }
        (p.low + offset >= 0 && p.high + offset + size <= bytes).then_some(())
    }

    /// `c[]` of MVC; `areg`: the row has an address register.
    fn far_constant(&mut self, row: &Form, areg: bool) -> Option<u64> {
        let (bank, bytes) = self.layout.banks[self.rng.gen_range(0..self.layout.banks.len())];
        // A row may be that of some banks alone.
        if (p::LONG_BANK.put(bank.into()) ^ row.match_) & row.mask & p::LONG_BANK.bits() != 0 {
            return None;
        }
        let mode = self.rng.gen_range(0..4u64) as u32;
        let size = SHARED_MODES[mode as usize].bytes();
        let field = p::far_offset(size);
        let bits = p::FAR_CONST_MODE.put(mode) | p::LONG_BANK.put(bank.into());
        if self.rng.gen_bool(0.4) || !areg {
            let raw = self.rng.gen_range(0..u64::from(bytes / size)) as u32;
            return Some(bits | field.put(raw));
        }
        let (step, offset) = self.far([2, 6], size, bytes)?;
        Some(bits | step | field.put(offset / size))
    }

    /// Address register bits and the byte offset of a far reference through one of `choice`.
    fn far(&mut self, choice: [u8; 2], size: u32, bytes: u32) -> Option<(u64, u32)> {
        let a = choice[self.rng.gen_range(0..2)];
        let post = self.rng.gen_bool(0.3);
        let step = if self.own.pointers[usize::from(a)].points == Points::Local { 16 } else { 4 };
        let offset = if post {
            step * self.rng.gen_range(-3..4)
        } else {
            self.rng.gen_range(0..(bytes / size) as i32) * size as i32
        };
        self.reference(a, offset, size as i32, post, bytes)?;
        Some((step_bits(a, post), offset as u32 & 0xffff))
    }

    /// Memory operand of shared stores and local accesses.
    fn access(&mut self, form: usize, w: u64) -> Option<u64> {
        let slot = ROWS[form].mem;
        let Some(field) = slot.offset() else { return Some(0) };
        if let Some(size) = slot.size() {
            let size = size.bytes();
            let (step, offset) = self.far([1, 5], size, self.layout.warp_shared)?;
            return Some(step | field.put(offset / size));
        }
        // Local offsets are in bytes whatever the size.
        let size = access_size(form, w)?.bytes();
        if self.rng.gen_bool(0.4) {
            let n = self.layout.local / size;
            return Some(field.put(self.rng.gen_range(0..n) * size));
        }
        let (step, offset) = self.far([3, 3], size, self.layout.local)?;
        Some(step | field.put(offset / size * size))
    }

    /// Remembers the register that an instruction writes, the first of several.
    fn wrote(&mut self, i: &Instr) {
        let first = i.writes().find_map(|w| match w.to {
            Resource::Reg(r) => Some(r),
            _ => None,
        });
        if let Some(r) = first {
            self.recent.rotate_right(1);
            self.recent[0] = r;
        }
    }

    /// A pool register that has `n - 1` more after it.
    pub fn pool_register(&mut self, n: u8) -> u8 {
        let last = self.layout.pool - n;
        if self.rng.gen_bool(0.35) {
            let r = self.recent[self.rng.gen_range(0..self.recent.len())];
            if r <= last {
                return r;
            }
        }
        self.rng.gen_range(0..=last)
    }

    /// A source register, or a half of one, in a field; now and then one beyond the allocation.
    fn register(&mut self, field: Field, half: bool) -> u64 {
        let r = if half {
            let r = self.half_register(field.width());
            2 * u32::from(r) + u32::from(self.rng.gen::<bool>())
        } else {
            self.full_register(field.width()).into()
        };
        field.put(r)
    }

    /// The first register of a pair; now and then one that ends beyond the allocation.
    fn pair(&mut self) -> u32 {
        match self.rng.gen_bool(0.03) {
            true => self.rng.gen_range(u64::from(self.layout.registers) - 1..128) as u32,
            false => self.pool_register(2).into(),
        }
    }

    fn full_register(&mut self, bits: u8) -> u8 {
        if let Some(r) = self.preferred() {
            return r;
        }
        if bits == 7 && self.rng.gen_bool(0.03) {
            return self.rng.gen_range(u64::from(self.layout.registers)..128) as u8;
        }
        self.recent_or_any()
    }

    fn half_register(&mut self, bits: u8) -> u8 {
        if let Some(r) = self.preferred() {
            return r;
        }
        let limit = 1 << (bits - 1);
        loop {
            let r = self.recent_or_any();
            if r < limit {
                return r;
            }
        }
    }

    fn recent_or_any(&mut self) -> u8 {
        if self.rng.gen_bool(0.5) {
            self.recent[self.rng.gen_range(0..self.recent.len())]
        } else {
            self.rng.gen_range(0..self.layout.registers)
        }
    }

    /// A 32-bit value, corner cases often.
    pub fn value(&mut self) -> u32 {
        if self.has_floats() && self.rng.gen_bool(0.4) {
            return value::float(&mut self.rng);
        }
        value::integer(&mut self.rng)
    }
}

/// Size of an access that is a modifier; `None` for the undefined value.
fn access_size(form: usize, w: u64) -> Option<MemSize> {
    MemSize::from_code(ROWS[form].field(Role::MemSize)?.get(w))
}

/// Whether a row may stand anywhere in straight-line code.
pub fn is_plain(op: &Op) -> bool {
    match op.family() {
        Family::Control => matches!(op, Op::Nop | Op::PmTrig { .. }),
        _ => !matches!(op, Op::LdGlobal { .. } | Op::StGlobal { .. } | Op::Atomic { .. }),
    }
}
