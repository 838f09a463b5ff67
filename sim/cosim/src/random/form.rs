//! One random instruction of a given row: modifiers, guard and operands that cannot trap.

use super::code::field;
use super::float::{operands, Operands};
use super::{value, Gen};
use rand::Rng;
use warpsmith_isa::table::{Class, DstSlot, Flags, Kind, MemSlot, Role, SrcSlot};
use warpsmith_isa::{decode, pred_holds, Dst, FORMS};

/// What an address register points to; all are multiples of 16 away from their region's ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Points {
    /// The warp's own part of shared memory.
    Shared,
    /// The first bytes of every constant bank.
    Constant,
    /// Local memory.
    Local,
    /// Anything; never used for an access.
    Free,
}

/// An address register: values from `low` to `high` above the start of its region.
#[derive(Clone, Copy, Debug)]
pub struct Pointer {
    /// Region.
    pub points: Points,
    /// Least value now.
    pub low: i32,
    /// Greatest value now.
    pub high: i32,
    /// Those it is set to.
    pub home: (i32, i32),
}

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

const SHARED: u64 = 1 << 53;
const C3: u64 = 1 << 24;
const C2: u64 = 1 << 23;
const POST: u64 = 1 << 25;

fn areg_bits(a: u8) -> u64 {
    u64::from(a & 3) << 26 | u64::from(a >> 2) << 34
}

impl Gen<'_> {
    /// A random instruction of row `form`. `None` when a try gave none (the caller tries another).
    pub fn instruction(&mut self, form: usize) -> Option<u64> {
        self.operands = operands(FORMS[form].kind);
        for _ in 0..30 {
            let w = self.attempt(form);
            let Some(w) = w else { continue };
            if let Ok(i) = decode(w as u32, (w >> 32) as u32) {
                if usize::from(i.form) == form {
                    self.wrote(&i.dst);
                    if self.has_floats() {
                        self.age(&i, FORMS[form].kind);
                    }
                    return Some(w);
                }
            }
        }
        None
    }

    fn attempt(&mut self, form: usize) -> Option<u64> {
        let f = &FORMS[form];
        if !self.wanted.is_empty() {
            // In the order they were made for, mostly.
            let first = f.src[1] != SrcSlot::No && self.rng.gen_bool(0.5);
            self.turn = if first { 0 } else { self.rng.gen_range(0..3) };
        }
        let mut w = f.match_;
        for m in f.mods {
            let bits = self.rng.gen::<u32>();
            let v = match m.role {
                Role::Lanes if self.rng.gen_bool(0.5) => 15,
                // Clamped results hide the arithmetic.
                Role::Sat if f.src[1] != SrcSlot::No && f.kind.is_float() => {
                    u32::from(self.rng.gen_bool(0.2))
                }
                _ => bits,
            };
            w |= m.field.put(v) & !f.mask;
        }
        if f.predicated {
            w |= self.guard();
        }
        if f.flags != Flags::No && self.rng.gen_bool(0.6) {
            w |= 1 << 38 | self.rng.gen_range(0..4u64) << 36;
        }
        let memory = self.choose_memory(form, w);
        w |= match memory {
            Memory::None => 0,
            Memory::Shared if f.class == Class::Long => SHARED,
            Memory::Shared => C3,
            Memory::Const2 => C2,
            Memory::Const3 => C3,
            Memory::SharedConst2 => SHARED | C2,
            Memory::SharedConst3 => SHARED | C3,
        };
        w |= self.destination(form, w)?;
        for slot in f.src {
            w |= self.source(slot, form, w, memory)?;
        }
        w |= self.access(form, w)?;
        Some(w)
    }

    /// A guard: mostly always, else any defined condition.
    pub fn guard(&mut self) -> u64 {
        let creg = self.rng.gen_range(0..4u8);
        if self
            .rng
            .gen_bool(if self.wanted.is_empty() { 0.55 } else { 0.8 })
        {
            return super::code::guard(15, creg);
        }
        let code = loop {
            let c = self.rng.gen_range(0..32u8);
            if pred_holds(c, 0).is_some() {
                break c;
            }
        };
        super::code::guard(code, creg)
    }

    fn choose_memory(&mut self, form: usize, w: u64) -> Memory {
        let f = &FORMS[form];
        let has = |slots: &[SrcSlot]| f.src.iter().any(|s| slots.contains(s));
        let cvt_register = has(&[SrcSlot::Cvt]) && w >> 46 & 3 == 3;
        let short = matches!(f.class, Class::Short | Class::Immediate);
        let first = has(&[
            SrcSlot::S1W,
            SrcSlot::S1H,
            SrcSlot::I1W,
            SrcSlot::I1H,
            SrcSlot::L1W,
            SrcSlot::L1H,
        ]) || has(&[SrcSlot::Cvt]) && !cvt_register;
        let count_immediate = has(&[SrcSlot::CountW, SrcSlot::CountH]) && self.rng.gen_bool(0.4);
        self.count_immediate = count_immediate;
        let second = has(&[
            SrcSlot::S2W,
            SrcSlot::S2H,
            SrcSlot::L2W,
            SrcSlot::L2H,
            SrcSlot::CountW,
            SrcSlot::CountH,
        ]) && !count_immediate;
        let third = has(&[SrcSlot::L3W, SrcSlot::L3H]);
        if self
            .rng
            .gen_bool(if self.wanted.is_empty() { 0.5 } else { 0.9 })
        {
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
        let f = &FORMS[form];
        let discard = self.rng.gen_bool(0.04);
        // An accumulator is an operand too.
        let wide = match f.src.contains(&SrcSlot::Acc) {
            true => self.wanted.last().copied().or_else(|| self.preferred()),
            false => None,
        };
        let wide = u64::from(wide.unwrap_or_else(|| self.pool_register(1)));
        let half = 2 * u64::from(self.pool_register(1)) + u64::from(self.rng.gen::<bool>());
        let out = 1 << 35 | 127 << 2;
        Some(match f.dst {
            DstSlot::No => 0,
            DstSlot::Short32 | DstSlot::Reg32 => wide << 2,
            DstSlot::Short16 if half >= 64 => return None,
            DstSlot::Short16 | DstSlot::Reg16 => half << 2,
            DstSlot::Long32 | DstSlot::Long16 | DstSlot::LongSel if discard => out,
            DstSlot::Long32 => wide << 2,
            DstSlot::Long16 => half << 2,
            DstSlot::LongSel if self.rng.gen() => 1 << 58 | wide << 2,
            DstSlot::LongSel => half << 2,
            DstSlot::Sized => {
                let n = registers(form, w)?;
                u64::from(self.pool_register(n)) << 2
            }
            // The free address registers, and $a0, which ignores it.
            DstSlot::Addr => [0, 4, 7, 7][self.rng.gen_range(0..4)] << 2,
            DstSlot::Cc => self.rng.gen_range(0..4u64) << 36,
        })
    }

    fn source(&mut self, slot: SrcSlot, form: usize, w: u64, memory: Memory) -> Option<u64> {
        use SrcSlot::*;
        let from_shared = matches!(
            memory,
            Memory::Shared | Memory::SharedConst2 | Memory::SharedConst3
        );
        let both = matches!(memory, Memory::SharedConst2 | Memory::SharedConst3);
        Some(match slot {
            No | Acc | Cc => match slot {
                Cc => self.rng.gen_range(0..4u64) << 44,
                _ => 0,
            },
            S1W | S1H | I1W | I1H if from_shared => self.shared_operand(4)?,
            L1W | L1H if from_shared => self.shared_operand(5)?,
            Cvt if from_shared => self.shared_operand(5)?,
            S1W | I1W | SReg1W => self.register(6) << 9,
            S1H | I1H | SReg1H => self.half(6) << 9,
            S2W | S2H if memory == Memory::Const2 => {
                self.const_operand(16, 5, if slot == S2W { 4 } else { 2 }, true, true)?
            }
            S2W | SReg2W => self.register(6) << 16,
            S2H | SReg2H => self.half(6) << 16,
            L1W | LReg1W => self.register(7) << 9,
            L1H => self.half(7) << 9,
            Cvt => match w >> 46 & 3 {
                1 | 3 => self.register(7) << 9,
                _ => self.half(7) << 9,
            },
            CountW | CountH if self.count_immediate => {
                // Counts beyond the width are defined too, but should not be most.
                let most = if self.rng.gen() { 40u64 } else { 128 };
                1 << 52 | self.rng.gen_range(0..most) << 16
            }
            L2W | CountW if matches!(memory, Memory::Const2 | Memory::SharedConst2) => {
                self.const_operand(16, 7, 4, !both, false)?
            }
            L2H | CountH if matches!(memory, Memory::Const2 | Memory::SharedConst2) => {
                self.const_operand(16, 7, 2, !both, false)?
            }
            L2W | CountW => self.register(7) << 16,
            L2H | CountH => self.half(7) << 16,
            L3W if matches!(memory, Memory::Const3 | Memory::SharedConst3) => {
                self.const_operand(46, 7, 4, !both, false)?
            }
            L3H if matches!(memory, Memory::Const3 | Memory::SharedConst3) => {
                self.const_operand(46, 7, 2, !both, false)?
            }
            L3W => self.register(7) << 46,
            L3H => self.half(7) << 46,
            Imm32 => {
                let v = u64::from(match FORMS[form].kind.is_float() {
                    true => value::float(&mut self.rng),
                    false => self.value(),
                });
                (v & 63) << 16 | (v >> 6) << 34
            }
            Imm16 => u64::from(self.rng.gen::<u16>()) << 9,
            Addr => areg_bits(self.rng.gen_range(0..8)),
            // Not the clock: model and chip count different things.
            Special => [0u64, 3, 4, 5, 6, 7][self.rng.gen_range(0..6)] << 46,
            ConstFar => self.far_constant()?,
            StoreSel => {
                // The byte form takes either numbering, the others fix it.
                let full = if FORMS[form].mask & SHARED != 0 {
                    FORMS[form].match_ & SHARED != 0
                } else {
                    w & SHARED != 0 || FORMS[form].mem == MemSlot::Shared32 || self.rng.gen()
                };
                if full {
                    SHARED | self.register(7) << 46
                } else {
                    self.half(7) << 46
                }
            }
            StoreSized => {
                let n = registers(form, w)?;
                u64::from(self.pool_register(n)) << 2
            }
        })
    }

    /// `s[]` with an offset field of `n` bits and a 2-bit mode above it.
    fn shared_operand(&mut self, n: u32) -> Option<u64> {
        // Bytes and halves are no singles.
        let float = self.operands != Operands::Any;
        let mode = match float && self.rng.gen_bool(0.7) {
            true => 3,
            false => self.rng.gen_range(0..4u64),
        };
        let size = [1, 2, 2, 4][mode as usize];
        if self.rng.gen_bool(if float { 0.1 } else { 0.3 }) {
            // The header and the parameters: the same for every thread, never written.
            let raw = self.rng.gen_range(0..1u64 << n);
            if (raw as u32 + 1) * size > self.layout.header {
                return None;
            }
            return Some(mode << (9 + n) | raw << 9);
        }
        let a = if n == 4 {
            1
        } else {
            [1, 5][self.rng.gen_range(0..2)]
        };
        let post = self.rng.gen_bool(0.25);
        let raw = self.near(a, n, size, post, self.layout.warp_shared)?;
        Some(areg_bits(a) | if post { POST } else { 0 } | mode << (9 + n) | raw << 9)
    }

    /// `c[]` with an offset field of `n` bits at `lo`.
    fn const_operand(
        &mut self,
        lo: u32,
        n: u32,
        size: u32,
        areg: bool,
        short: bool,
    ) -> Option<u64> {
        let bank = if short {
            self.rng.gen_range(0..2usize)
        } else {
            self.rng.gen_range(0..self.layout.banks.len())
        };
        let (number, bytes) = *self.layout.banks.get(bank)?;
        let select = if short {
            u64::from(number) << 21
        } else {
            u64::from(number) << 54
        };
        if short && number > 1 {
            return None;
        }
        if !areg || self.rng.gen_bool(0.4) {
            let raw = self.rng.gen_range(0..1u64 << n);
            return ((raw as u32 + 1) * size <= bytes).then_some(select | raw << lo);
        }
        let a = if short {
            2
        } else {
            [2, 6][self.rng.gen_range(0..2)]
        };
        let post = self.rng.gen_bool(0.25);
        let raw = self.near(a, n, size, post, bytes)?;
        Some(select | areg_bits(a) | if post { POST } else { 0 } | raw << lo)
    }

    /// Offset field of a near reference through `a` into a region of `bytes`.
    fn near(&mut self, a: u8, n: u32, size: u32, post: bool, bytes: u32) -> Option<u64> {
        let raw = self.rng.gen_range(0..1i32 << n);
        let signed = if post && raw >> (n - 1) & 1 == 1 {
            raw - (1 << n)
        } else {
            raw
        };
        self.reference(a, signed * size as i32, size as i32, post, bytes)?;
        Some(raw as u64)
    }

    /// Whether a reference through `a` stays in its region; post-increments move the pointer.
    fn reference(&mut self, a: u8, offset: i32, size: i32, post: bool, bytes: u32) -> Option<()> {
        let p = &mut self.pointers[usize::from(a)];
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

    fn far_constant(&mut self) -> Option<u64> {
        let (bank, bytes) = self.layout.banks[self.rng.gen_range(0..self.layout.banks.len())];
        let mode = self.rng.gen_range(0..4u64);
        let size = [1u32, 2, 2, 4][mode as usize];
        let bits = mode << 46 | u64::from(bank) << 54;
        if self.rng.gen_bool(0.4) {
            return Some(bits | self.rng.gen_range(0..u64::from(bytes / size)) << 9);
        }
        let (a, raw) = self.far([2, 6], size, bytes)?;
        Some(bits | a | raw << 9)
    }

    /// Address register bits and the field of a far reference through one of `choice`.
    fn far(&mut self, choice: [u8; 2], size: u32, bytes: u32) -> Option<(u64, u64)> {
        let a = choice[self.rng.gen_range(0..2)];
        let post = self.rng.gen_bool(0.3);
        let step = if self.pointers[usize::from(a)].points == Points::Local {
            16
        } else {
            4
        };
        let offset = if post {
            step * self.rng.gen_range(-3..4)
        } else {
            self.rng.gen_range(0..(bytes / size) as i32) * size as i32
        };
        self.reference(a, offset, size as i32, post, bytes)?;
        let raw = u64::from((offset as u32 & 0xffff) / size);
        Some((areg_bits(a) | if post { POST } else { 0 }, raw))
    }

    /// Memory operand of shared stores and local accesses.
    fn access(&mut self, form: usize, w: u64) -> Option<u64> {
        let (size, choice, bytes) = match FORMS[form].mem {
            MemSlot::No => return Some(0),
            MemSlot::SharedU8 => (1, [1, 5], self.layout.warp_shared),
            MemSlot::SharedU16 | MemSlot::SharedS16 => (2, [1, 5], self.layout.warp_shared),
            MemSlot::Shared32 => (4, [1, 5], self.layout.warp_shared),
            MemSlot::Local => {
                let size = access_bytes(form, w)?;
                if self.rng.gen_bool(0.4) {
                    let n = self.layout.local / size;
                    return Some(u64::from(self.rng.gen_range(0..n) * size) << 9);
                }
                let (a, raw) = self.far([3, 3], size, self.layout.local)?;
                // Local offsets are in bytes whatever the size.
                return Some(a | (raw * u64::from(size)) << 9);
            }
        };
        let (a, raw) = self.far(choice, size, bytes)?;
        Some(a | raw << 9)
    }

    fn wrote(&mut self, dst: &Dst) {
        let r = match dst {
            Dst::Reg(r) | Dst::Pair(r) | Dst::Quad(r) => *r,
            Dst::Half(h) => h >> 1,
            _ => return,
        };
        self.recent.rotate_right(1);
        self.recent[0] = r;
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

    /// A source register in a field of `bits` bits; now and then one beyond the allocation.
    fn register(&mut self, bits: u32) -> u64 {
        if let Some(r) = self.preferred() {
            return u64::from(r);
        }
        if bits == 7 && self.rng.gen_bool(0.03) {
            return self.rng.gen_range(u64::from(self.layout.registers)..128);
        }
        let r = if self.rng.gen_bool(0.5) {
            self.recent[self.rng.gen_range(0..self.recent.len())]
        } else {
            self.rng.gen_range(0..self.layout.registers)
        };
        u64::from(r)
    }

    fn half(&mut self, bits: u32) -> u64 {
        if let Some(r) = self.preferred() {
            return 2 * u64::from(r) + u64::from(self.rng.gen::<bool>());
        }
        let limit = (1 << (bits - 1)) as u8;
        loop {
            let r = if self.rng.gen_bool(0.5) {
                self.recent[self.rng.gen_range(0..self.recent.len())]
            } else {
                self.rng.gen_range(0..self.layout.registers)
            };
            if r < limit {
                return 2 * u64::from(r) + u64::from(self.rng.gen::<bool>());
            }
        }
    }

    /// A 32-bit value, corner cases often.
    pub fn value(&mut self) -> u32 {
        const CORNERS: [u32; 12] = [
            0,
            1,
            2,
            0x7fff,
            0x8000,
            0xffff,
            0x0001_0000,
            0x7fff_ffff,
            0x8000_0000,
            0xffff_ffff,
            0x00ff_ffff,
            0x3f80_0000,
        ];
        if self.has_floats() && self.rng.gen_bool(0.4) {
            return value::float(&mut self.rng);
        }
        match self.rng.gen_range(0..4) {
            0 => CORNERS[self.rng.gen_range(0..CORNERS.len())],
            1 => self.rng.gen_range(0..64),
            _ => self.rng.gen(),
        }
    }
}

/// Bytes of an access whose size is a modifier; `None` for the undefined value.
pub fn access_bytes(form: usize, w: u64) -> Option<u32> {
    let v = field(form, Role::MemSize)?.get(w);
    [1, 1, 2, 2, 8, 16, 4].get(v as usize).copied()
}

/// Registers of such an access.
fn registers(form: usize, w: u64) -> Option<u8> {
    Some(access_bytes(form, w)?.div_ceil(4) as u8)
}

/// Whether a row may stand anywhere in straight-line code.
pub fn is_plain(kind: Kind) -> bool {
    use Kind::*;
    !matches!(
        kind,
        Bra | Cal | Ret | Pbk | Brk | Ssy | Bar(_) | Trap | Bpt | LdGlobal | StGlobal
    )
}
