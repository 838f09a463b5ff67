//! What a set's registers are to the shared execution.

use super::cause::Cause;
use warpsmith_isa::set::Instr;
use warpsmith_isa::uop::{Guard, Lanes, Lowered, Pick, Place, Src, Type, Uop};

/// Temporaries of an instruction.
pub(super) const TEMPORARIES: usize = 16;

/// Registers of one warp. Places that no register is (constants, built-in numbers, temporaries) never
/// come here; of immediates only that of a guard.
pub trait Registers {
    /// Bits of a value in a lane, without modifiers.
    ///
    /// # Errors
    /// A place that the set does not have.
    fn read(&self, place: &Place, ty: Type, lane: usize) -> Result<u64, Cause>;

    /// Writes a value in a lane; a place that drops what is written takes it.
    ///
    /// # Errors
    /// A place that the set does not have.
    fn write(&mut self, place: &Place, ty: Type, lane: usize, bits: u64) -> Result<(), Cause>;

    /// Undefined bits at the start of a warp whose threads are these lanes, in the places of the registers: 1
    /// where neither the machine nor the launch has set them.
    fn undefined(&self, lanes: u32) -> Self
    where
        Self: Sized;

    /// A place in a lane, without registers that say where it is.
    fn located(&self, place: &Place, ty: Type, lane: usize) -> Place {
        let _ = (ty, lane);
        *place
    }

    /// The next instruction is about these lanes: regions count from the first.
    fn begin(&mut self, lanes: Lanes) {
        let _ = lanes;
    }

    /// Whether a lane passes the guard.
    ///
    /// # Errors
    /// A guard that the set does not have.
    fn passes(&self, guard: &Guard, lane: usize) -> Result<bool, Cause> {
        if guard.pick != Pick::Own {
            return Err(Cause::Operand("the set picks no bits of other lanes"));
        }
        Ok((self.read(&guard.place, Type::Bool, lane)? == 1) != guard.not)
    }

    /// An instruction whose meaning depends on registers, as it is now; `None` where it does not.
    ///
    /// # Errors
    /// It has no meaning with these registers.
    fn lowered(&self, instr: &Instr, pc: u32) -> Result<Option<Lowered>, Cause> {
        let _ = (instr, pc);
        Ok(None)
    }

    /// A micro-operation as modes of the machine that the program has set change it.
    fn adjusted(&self, uop: &Uop) -> Option<Uop> {
        let _ = uop;
        None
    }

    /// Bits of source `n` of a micro-operation as a mode of the machine lets it read them.
    fn taken(&self, uop: &Uop, n: usize, bits: u64) -> u64 {
        let _ = (uop, n);
        bits
    }

    /// Bits of its result as a mode of the machine lets it write them.
    fn given(&self, uop: &Uop, bits: u64) -> u64 {
        let _ = uop;
        bits
    }

    /// A source's place in a lane: for sets where lanes of a source are exchanged (swizzles).
    fn source(&self, src: &Src, lane: usize) -> Result<u64, Cause> {
        self.read(&src.place, src.ty, lane)
    }

    /// The stack pointer of the warp, [`warpsmith_isa::uop::Builtin::StackPointer`].
    fn stack_pointer(&self) -> u32 {
        0
    }
}

/// Byte-addressed registers of 32 lanes, all 0 at the start.
#[derive(Clone, Debug)]
pub struct RegisterFile {
    bytes: usize,
    data: Vec<u8>,
}

impl RegisterFile {
    /// So many bytes a lane.
    pub fn new(bytes: usize) -> RegisterFile {
        RegisterFile { bytes, data: vec![0; 32 * bytes] }
    }

    /// All bits set, in the bytes of these lanes.
    pub fn filled(&self, lanes: u32) -> RegisterFile {
        let mut out = RegisterFile::new(self.bytes);
        for (l, bytes) in out.data.chunks_mut(self.bytes).enumerate() {
            bytes.fill(if lanes >> l & 1 == 1 { u8::MAX } else { 0 });
        }
        out
    }

    fn range(&self, byte: usize, ty: Type, lane: usize) -> Result<std::ops::Range<usize>, Cause> {
        let n = ty.bytes() as usize;
        if byte + n > self.bytes || lane >= 32 {
            return Err(Cause::Operand("a register beyond the register file"));
        }
        let at = lane * self.bytes + byte;
        Ok(at..at + n)
    }

    /// Little-endian value at a byte of a lane.
    ///
    /// # Errors
    /// A value that ends beyond the file.
    pub fn read(&self, byte: usize, ty: Type, lane: usize) -> Result<u64, Cause> {
        let bytes = &self.data[self.range(byte, ty, lane)?];
        Ok(bytes.iter().rev().fold(0, |v, b| v << 8 | u64::from(*b)))
    }

    /// Writes it.
    ///
    /// # Errors
    /// A value that ends beyond the file.
    pub fn write(&mut self, byte: usize, ty: Type, lane: usize, bits: u64) -> Result<(), Cause> {
        let range = self.range(byte, ty, lane)?;
        let n = range.len();
        self.data[range].copy_from_slice(&bits.to_le_bytes()[..n]);
        Ok(())
    }
}

/// Lanes of a mask, ascending.
pub(crate) fn each(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |l| mask >> l & 1 == 1)
}
