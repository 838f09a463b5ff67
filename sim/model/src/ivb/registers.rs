//! Registers of a thread: the general file, accumulators, flags, control.

use crate::uop::read::whole;
use crate::uop::{Cause, Registers};
use warpsmith_isa::ivb::lower::{file, of_magnitude, with_descriptor};
use warpsmith_isa::ivb::{Ivb, REGISTERS};
use warpsmith_isa::set::{Instr, InstructionSet};
use warpsmith_isa::uop::{
    Guard, Lanes, Lowered, Op, Pick, Place, Region, Round, Special, Src, Tiny, Type, Unimplemented, Uop,
};

/// Bytes of a general register.
const REGISTER: usize = 32;
/// Bits of cr0.0: ALT mode of floats, no implied writes of accumulators, one instruction pointer for all channels,
/// the vector mask in place of the dispatch mask, f64 denormals.
const ALTERNATE: u32 = 1 << 0;
const ACCUMULATOR_DISABLE: u32 = 1 << 1;
const SINGLE_FLOW: u32 = 1 << 2;
const VECTOR_MASK: u32 = 1 << 3;
const DENORMALS: u32 = 1 << 6;
/// The thread is in the System Routine; a breakpoint is passed over once (cr0.0).
const MASTER: u32 = 1 << 31;
const SUPPRESS: u32 = 1 << 15;

/// What calls the System Routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exception {
    /// The bit of a breakpoint in an instruction.
    Breakpoint,
    /// The program sets its bit.
    Software,
    /// The instruction `illegal`.
    Illegal,
}

impl Exception {
    /// Bit of cr0.1 that says that it has come.
    fn status(self) -> u32 {
        match self {
            Exception::Breakpoint => 1 << 31,
            Exception::Software => 1 << 29,
            Exception::Illegal => 1 << 28,
        }
    }

    /// Bit of cr0.1 that enables it.
    fn enable(self) -> u32 {
        self.status() >> 16
    }
}

/// Bytes of a0.0 and a0.1, which have 16 bits; the other elements of a0 have 12.
const WHOLE_ADDRESSES: usize = 4;

/// Registers of a thread, all lanes sharing them.
#[derive(Clone, Debug)]
pub struct File {
    /// g0 to g127.
    general: Vec<u8>,
    /// a0, f0 and f1, cr0, sr0, n0 to n2, the pitch of surfaces, SIP, the target of a jump, by number of the file.
    others: [Vec<u8>; 8],
    /// The instruction has left the System Routine.
    leaves: bool,
    /// A channel's part of the accumulators: integers with sign, floats in the low bits.
    accumulators: [u64; 32],
    /// The lane that has the first element of a region.
    first: u32,
    /// Bytes of the general registers that the launch has set.
    defined: usize,
}

impl File {
    /// Registers with the mask of existing channels in sr0.2, that of their groups of four in sr0.3, all others 0.
    pub fn new(dispatched: u32, pitch: u32) -> File {
        let mut state = vec![0; 16];
        state[8..12].copy_from_slice(&dispatched.to_le_bytes());
        state[12..16].copy_from_slice(&groups(dispatched).to_le_bytes());
        let mut control = vec![0; 16];
        control[4..8].copy_from_slice(&Exception::Illegal.enable().to_le_bytes());
        let (pitch, none) = (pitch.to_le_bytes().to_vec(), vec![u8::MAX; 4]);
        File {
            general: vec![0; REGISTERS as usize * REGISTER],
            others: [vec![0; 16], vec![0; 8], control, state, vec![0; 12], pitch, none, vec![0; 4]],
            leaves: false,
            accumulators: [0; 32],
            first: 0,
            defined: 0,
        }
    }

    /// Sets SIP, the byte address of the System Routine.
    pub fn set_routine(&mut self, address: u32) {
        self.others[usize::from(file::SYSTEM) - 1] = address.to_le_bytes().to_vec();
    }

    /// The launch has set so many bytes of the general registers.
    pub fn define(&mut self, bytes: usize) {
        self.defined = bytes;
    }

    /// Sets dword `n` of the general registers.
    pub fn set_dword(&mut self, n: usize, value: u32) {
        self.general[4 * n..4 * n + 4].copy_from_slice(&value.to_le_bytes());
    }

    /// Sets word `n` of the general registers.
    pub fn set_word(&mut self, n: usize, value: u16) {
        self.general[2 * n..2 * n + 2].copy_from_slice(&value.to_le_bytes());
    }

    fn dword(&self, number: u8, n: usize) -> u32 {
        let bytes = &self.others[usize::from(number) - 1][4 * n..4 * n + 4];
        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    }

    fn set_control(&mut self, n: usize, value: u32) {
        let control = &mut self.others[usize::from(file::CONTROL) - 1];
        control[4 * n..4 * n + 4].copy_from_slice(&value.to_le_bytes());
    }

    fn in_routine(&self) -> bool {
        self.dword(file::CONTROL, 0) & MASTER != 0
    }

    fn enabled(&self, e: Exception) -> bool {
        self.dword(file::CONTROL, 1) & e.enable() != 0
    }

    /// What a write of cr0 does beside it: software clears the bit of the System Routine, and never sets it; cr0.3
    /// holds nothing.
    fn controlled(&mut self, before: u32) {
        let now = self.dword(file::CONTROL, 0);
        self.set_control(0, now & !MASTER | now & before & MASTER);
        self.set_control(3, 0);
        self.leaves |= before & !now & MASTER != 0;
    }

    /// Where the thread goes on after an instruction that left the System Routine.
    pub fn left(&mut self) -> Option<u32> {
        let leaves = std::mem::take(&mut self.leaves);
        leaves.then(|| self.dword(file::CONTROL, 2) & !7)
    }

    /// A software exception waits.
    pub fn asked(&self) -> bool {
        let e = Exception::Software;
        self.enabled(e) && !self.in_routine() && self.dword(file::CONTROL, 1) & e.status() != 0
    }

    /// A breakpoint here calls the System Routine; one that is suppressed is passed over, once.
    pub fn breaks(&mut self) -> bool {
        if !self.enabled(Exception::Breakpoint) || self.in_routine() {
            return false;
        }
        let control = self.dword(file::CONTROL, 0);
        self.set_control(0, control & !SUPPRESS);
        control & SUPPRESS == 0
    }

    /// Notes an exception; true where it calls the System Routine.
    pub fn raise(&mut self, e: Exception) -> bool {
        self.set_control(1, self.dword(file::CONTROL, 1) | e.status());
        self.enabled(e) && !self.in_routine()
    }

    /// `illegal` is enabled and there is no System Routine: it traps.
    pub fn traps(&self) -> bool {
        self.enabled(Exception::Illegal) && !self.in_routine() && self.dword(file::SYSTEM, 0) == u32::MAX
    }

    /// Enters the System Routine from where the thread goes on afterwards; its address.
    ///
    /// # Errors
    /// There is none.
    pub fn enter(&mut self, e: Exception, from: u32) -> Result<u32, Cause> {
        let routine = self.dword(file::SYSTEM, 0);
        if routine == u32::MAX {
            return Err(Cause::Operand(
                "an exception that cr0.1 enables, and no System Routine (key sip of the launch)",
            ));
        }
        self.raise(e);
        self.set_control(2, from);
        self.set_control(0, self.dword(file::CONTROL, 0) | MASTER);
        Ok(routine)
    }

    /// Single floats are in ALT mode.
    fn alternate(&self) -> bool {
        self.dword(file::CONTROL, 0) & ALTERNATE != 0
    }

    /// All channels follow one instruction pointer.
    pub fn single_flow(&self) -> bool {
        self.dword(file::CONTROL, 0) & SINGLE_FLOW != 0
    }

    /// Channels that execute: those of the dispatch mask, or of the vector mask.
    pub fn dispatched(&self) -> u32 {
        let vector = self.dword(file::CONTROL, 0) & VECTOR_MASK != 0;
        self.dword(file::STATE, if vector { 3 } else { 2 })
    }

    /// The lane that has the first element of a region.
    pub fn first(&self) -> usize {
        self.first as usize
    }

    fn flag(&self, register: u8, sub: u8, lane: u32) -> bool {
        let bit = (u32::from(sub & 1) * 16 + lane) % 32;
        self.dword(file::FLAGS, usize::from(register & 1)) >> bit & 1 == 1
    }

    /// The bit of a flag register that a lane sees.
    fn picked(&self, register: u8, sub: u8, pick: Pick, lane: u32) -> bool {
        let flag = |r, l| self.flag(r, sub, l);
        let group = |size: u8| {
            let size = u32::from(size.max(1));
            let base = lane / size * size;
            base..base + size
        };
        match pick {
            Pick::Own => flag(register, lane),
            Pick::Any(size) => group(size).any(|l| flag(register, l)),
            Pick::All(size) => group(size).all(|l| flag(register, l)),
            Pick::AnyOfBoth => [0, 1].iter().any(|s| self.flag(register, *s, lane % 16)),
            Pick::AllOfBoth => [0, 1].iter().all(|s| self.flag(register, *s, lane % 16)),
            Pick::Component(c) => flag(register, lane / 4 * 4 + u32::from(c)),
        }
    }

    /// Bytes of an element of a region in a file.
    fn range(&self, r: &Region, ty: Type, lane: usize) -> Result<(usize, std::ops::Range<usize>), Cause> {
        let channel = (lane as u32).wrapping_sub(self.first) % 32;
        let channel = channel / 4 * 4 + u32::from(r.components[channel as usize % 4]);
        let width = u32::from(r.width.max(1));
        let (row, column) = (channel / width, channel % width);
        let mut at = i64::from(r.byte) + i64::from(column) * i64::from(r.horizontal);
        at += i64::from(row) * i64::from(r.vertical);
        if let Some(element) = r.indirect {
            let n = usize::from(element) + if r.each_row { row as usize } else { 0 };
            let addresses = &self.others[usize::from(file::ADDRESS) - 1];
            let a = addresses.get(2 * n..2 * n + 2).ok_or(Cause::Operand("an element behind the address register"))?;
            at += i64::from(u16::from_le_bytes([a[0], a[1]]));
        }
        let number = usize::from(r.file);
        let length = match number {
            0 => self.general.len(),
            n => self.others.get(n - 1).map_or(0, Vec::len),
        };
        let end = at + i64::from(ty.bytes());
        if at < 0 || end > length as i64 {
            return Err(Cause::Operand("an operand outside its register file"));
        }
        Ok((number, at as usize..end as usize))
    }

    fn accumulator(&self, base: u8, lane: usize) -> usize {
        (usize::from(base) + lane) % 32
    }

    fn write_region(&mut self, r: &Region, ty: Type, lane: usize, bits: u64) -> Result<(), Cause> {
        let (number, range) = self.range(r, ty, lane)?;
        let before = self.dword(file::CONTROL, 0);
        let to = match number {
            0 => &mut self.general,
            n => &mut self.others[n - 1],
        };
        let n = range.len();
        to[range].copy_from_slice(&bits.to_le_bytes()[..n]);
        if r.file == file::CONTROL {
            self.controlled(before);
        } else if r.file == file::ADDRESS {
            let to = &mut self.others[usize::from(file::ADDRESS) - 1];
            let short = to.chunks_exact_mut(2).skip(WHOLE_ADDRESSES / 2);
            short.for_each(|element| element[1] &= 0x0f);
        }
        Ok(())
    }
}

impl Registers for File {
    /// Of the others a0 and the flags are undefined; the rest is the machine's.
    fn undefined(&self, _lanes: u32) -> File {
        let mut out = File::new(0, 0);
        out.general[self.defined..].fill(u8::MAX);
        for (n, file) in out.others.iter_mut().enumerate() {
            let own = n + 1 == usize::from(file::ADDRESS) || n + 1 == usize::from(file::FLAGS);
            file.fill(if own { u8::MAX } else { 0 });
        }
        out.accumulators = [u64::MAX; 32];
        out
    }

    fn located(&self, place: &Place, ty: Type, lane: usize) -> Place {
        let Place::Region(r) = place else { return *place };
        match self.range(r, ty, lane) {
            Ok((_, range)) => Place::Region(Region {
                byte: range.start as i16,
                vertical: 0,
                width: 1,
                horizontal: 0,
                indirect: None,
                ..*r
            }),
            Err(_) => *place,
        }
    }

    fn read(&self, place: &Place, ty: Type, lane: usize) -> Result<u64, Cause> {
        match place {
            Place::Region(r) => {
                let (number, range) = self.range(r, ty, lane)?;
                let from = match number {
                    0 => &self.general,
                    n => &self.others[n - 1],
                };
                let bytes = from[range].iter().rev();
                Ok(bytes.fold(0, |v, b| v << 8 | u64::from(*b)))
            }
            Place::Accumulator(base) => Ok(self.accumulators[self.accumulator(*base, lane)] & ty.mask()),
            Place::Flag(register, sub) => Ok(self.flag(*register, *sub, lane as u32).into()),
            Place::Picked(register, sub, pick) => Ok(self.picked(*register, *sub, *pick, lane as u32).into()),
            _ => Err(Cause::Operand("an operand that the set does not have")),
        }
    }

    fn write(&mut self, place: &Place, ty: Type, lane: usize, bits: u64) -> Result<(), Cause> {
        match place {
            Place::Region(r) => self.write_region(r, ty, lane, bits),
            Place::Accumulator(base) | Place::ImpliedAccumulator(base) => {
                let at = self.accumulator(*base, lane);
                self.accumulators[at] = bits;
                Ok(())
            }
            Place::Flag(register, sub) => {
                let bit = 1 << ((u32::from(sub & 1) * 16 + lane as u32) % 32);
                let n = usize::from(register & 1);
                let old = self.dword(file::FLAGS, n);
                let new = if bits & 1 == 1 { old | bit } else { old & !bit };
                let flags = &mut self.others[usize::from(file::FLAGS) - 1];
                flags[4 * n..4 * n + 4].copy_from_slice(&new.to_le_bytes());
                Ok(())
            }
            _ => Err(Cause::Operand("a destination that the set does not have")),
        }
    }

    fn begin(&mut self, lanes: Lanes) {
        self.first = lanes.first.into();
    }

    fn passes(&self, guard: &Guard, lane: usize) -> Result<bool, Cause> {
        match guard.place {
            Place::Flag(register, sub) => Ok(self.picked(register, sub, guard.pick, lane as u32) != guard.not),
            _ => Err(Cause::Operand("a guard that is no flag")),
        }
    }

    /// A message with its descriptor in a0.0; in ALT mode logarithms and roots, of magnitudes.
    fn lowered(&self, instr: &Instr, pc: u32) -> Result<Option<Lowered>, Cause> {
        let magnitude = || of_magnitude(instr).filter(|_| self.alternate());
        let Some(now) = with_descriptor(instr, self.dword(file::ADDRESS, 0)).or_else(magnitude) else {
            return Ok(None);
        };
        let lowered = Ivb.lower(&now, pc.into());
        let why = |e: Unimplemented| Cause::Unimplemented { text: Ivb.print(&now, pc.into()), reason: e.0.into() };
        lowered.map(Some).map_err(why)
    }

    /// In ALT mode an operation on floats reads no infinity and no NaN; constants of the lowering are its own.
    fn taken(&self, uop: &Uop, n: usize, bits: u64) -> u64 {
        let source = uop.src.get(n);
        let single = source.is_some_and(|s| s.ty == Type::F32 && !matches!(s.place, Place::Immediate(_)));
        match single && self.alternate() && !matches!(uop.op, Op::Move | Op::Select) {
            true => finite(bits),
            false => bits,
        }
    }

    /// And gives none.
    fn given(&self, uop: &Uop, bits: u64) -> u64 {
        let reduced = matches!(uop.op, Op::Special(Special::ReduceEx2 | Special::ReduceSin));
        let single = uop.ty == Type::F32 && !reduced && !matches!(uop.op, Op::Move | Op::Select);
        match single && self.alternate() {
            true => finite(bits),
            false => bits,
        }
    }

    /// Rounding, f64 denormals and implied accumulators of cr0.0.
    fn adjusted(&self, uop: &Uop) -> Option<Uop> {
        let control = self.dword(file::CONTROL, 0);
        let keep = control & DENORMALS != 0;
        let round = match control >> 4 & 3 {
            0 => Round::Nearest,
            1 => Round::Up,
            2 => Round::Down,
            _ => Round::Zero,
        };
        let implied = matches!(uop.dst[0], Place::ImpliedAccumulator(_));
        let dropped = implied && control & ACCUMULATOR_DISABLE != 0;
        if !keep && round == Round::Nearest && !dropped {
            return None;
        }
        let mut out = uop.clone();
        if dropped {
            out.dst[0] = Place::None;
        }
        // The rounding of an operation that names one is its own.
        let own = matches!(uop.op, Op::RoundToIntegral) || uop.ty == Type::F16;
        if out.mode.round == Round::Nearest && !own {
            out.mode.round = round;
        }
        if keep {
            let double = |s: &mut Src| s.flush &= s.ty != Type::F64;
            out.src.iter_mut().for_each(double);
            if out.ty == Type::F64 {
                out.mode.tiny = Tiny::Keep;
            }
        }
        Some(out)
    }
}

/// A single float without infinities, which are the largest number, and NaNs, which are 0.
fn finite(bits: u64) -> u64 {
    match bits & 0x7fff_ffff {
        0x7f80_0000 => bits - 1,
        0x7f80_0001.. => 0,
        _ => bits,
    }
}

/// The groups of four that have a channel of a mask.
fn groups(mask: u32) -> u32 {
    let first = 0x1111_1111 & (mask | mask >> 1 | mask >> 2 | mask >> 3);
    first * 15
}

/// The sum of the sources of a branch, as its first lane reads them.
pub fn sum(uop: &Uop, file: &File) -> Result<i128, Cause> {
    uop.src.iter().try_fold(0, |n, s| {
        Ok(n + match s.place {
            Place::Immediate(bits) => whole(s, bits),
            _ => whole(s, file.source(s, file.first())?),
        })
    })
}
