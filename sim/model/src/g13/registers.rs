//! Registers of a SIMD-group.

use crate::uop::cause::Cause;
use crate::uop::{RegisterFile, Registers};
use warpsmith_isa::uop::{Builtin, Place, Type};
use warpsmith_launch::UNIFORM_BYTES;

/// Bytes of the registers of a lane, r0 to r127.
const LANE_BYTES: usize = 128 * 4;
const NO_UNIFORM: Cause = Cause::Operand("a uniform beyond u255");
const NO_PLACE: Cause = Cause::Operand("G13 has no such register");

/// Registers of the lanes, uniforms and the stack pointer of one SIMD-group.
#[derive(Clone, Debug)]
pub struct SimdRegisters {
    lanes: RegisterFile,
    uniforms: Vec<u8>,
    stack_pointer: u32,
}

impl SimdRegisters {
    /// Registers at the start: parameters in the uniforms from u0 on, everything else 0.
    pub fn new(params: &[u32]) -> SimdRegisters {
        let mut uniforms: Vec<u8> = params.iter().flat_map(|p| p.to_le_bytes()).collect();
        uniforms.resize(UNIFORM_BYTES, 0);
        SimdRegisters { lanes: RegisterFile::new(LANE_BYTES), uniforms, stack_pointer: 0 }
    }
}

/// Byte of a register in its file.
fn byte_of(index: u16, byte: u8) -> usize {
    4 * usize::from(index) + usize::from(byte)
}

impl Registers for SimdRegisters {
    /// The machine counts in r0l from 0; uniforms and the stack pointer are its own.
    fn undefined(&self, lanes: u32) -> SimdRegisters {
        let mut file = self.lanes.filled(lanes);
        for l in 0..32 {
            let _ = file.write(0, Type::U16, l, 0);
        }
        SimdRegisters { lanes: file, uniforms: vec![0; UNIFORM_BYTES], stack_pointer: 0 }
    }

    fn read(&self, place: &Place, ty: Type, lane: usize) -> Result<u64, Cause> {
        match *place {
            Place::Register { index, byte } => self.lanes.read(byte_of(index, byte), ty, lane),
            Place::Uniform { index, byte } => {
                let at = byte_of(index, byte);
                let bytes = self.uniforms.get(at..at + ty.bytes() as usize);
                let bytes = bytes.ok_or(NO_UNIFORM)?;
                Ok(bytes.iter().rev().fold(0, |v, b| v << 8 | u64::from(*b)))
            }
            Place::Builtin(Builtin::StackPointer) => Ok(self.stack_pointer.into()),
            _ => Err(NO_PLACE),
        }
    }

    /// Lanes write one after the other: the highest one's value stays in a uniform and in the stack
    /// pointer.
    fn write(&mut self, place: &Place, ty: Type, lane: usize, bits: u64) -> Result<(), Cause> {
        match *place {
            Place::Register { index, byte } => self.lanes.write(byte_of(index, byte), ty, lane, bits),
            Place::Uniform { index, byte } => {
                let (at, n) = (byte_of(index, byte), ty.bytes() as usize);
                let to = self.uniforms.get_mut(at..at + n).ok_or(NO_UNIFORM)?;
                to.copy_from_slice(&bits.to_le_bytes()[..n]);
                Ok(())
            }
            Place::Builtin(Builtin::StackPointer) => {
                self.stack_pointer = bits as u32;
                Ok(())
            }
            _ => Err(NO_PLACE),
        }
    }

    fn stack_pointer(&self) -> u32 {
        self.stack_pointer
    }
}
