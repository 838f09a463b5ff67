//! 63 registers and 7 predicates a lane.

use crate::uop::{self, Cause, RegisterFile};
use warpsmith_isa::uop::{Place, Type};

/// Byte of register 63, which reads as zero.
const END: usize = 4 * 63;

/// Registers and predicates of a warp, all 0 at the start.
#[derive(Clone, Debug)]
pub struct Registers {
    file: RegisterFile,
    /// One bit a lane.
    predicates: [u32; 7],
    /// What predicate 7 reads as.
    always: u64,
}

impl Default for Registers {
    fn default() -> Registers {
        Registers { file: RegisterFile::new(END + 4), predicates: [0; 7], always: 1 }
    }
}

impl uop::Registers for Registers {
    fn undefined(&self, lanes: u32) -> Registers {
        let mut file = self.file.filled(lanes);
        for l in 0..32 {
            // Register 63 is no register.
            let _ = file.write(END, Type::U32, l, 0);
        }
        Registers { file, predicates: [lanes; 7], always: 0 }
    }

    fn read(&self, place: &Place, ty: Type, lane: usize) -> Result<u64, Cause> {
        match *place {
            Place::Register { index, byte } => {
                let at = 4 * usize::from(index) + usize::from(byte);
                self.file.read(at, ty, lane)
            }
            Place::Predicate(p) => match self.predicates.get(usize::from(p)) {
                Some(mask) => Ok((mask >> lane & 1).into()),
                None => Ok(self.always),
            },
            Place::Immediate(bits) => Ok(bits & ty.mask()),
            _ => Err(Cause::Operand("Fermi has no such place")),
        }
    }

    fn write(&mut self, place: &Place, ty: Type, lane: usize, bits: u64) -> Result<(), Cause> {
        match *place {
            Place::Register { index, byte } => {
                let at = 4 * usize::from(index) + usize::from(byte);
                match at {
                    END.. => Ok(()),
                    _ if at + ty.bytes() as usize > END => self.file.write(at, Type::U32, lane, bits),
                    _ => self.file.write(at, ty, lane, bits),
                }
            }
            Place::Predicate(p) => {
                if let Some(mask) = self.predicates.get_mut(usize::from(p)) {
                    *mask = *mask & !(1 << lane) | (bits as u32 & 1) << lane;
                }
                Ok(())
            }
            _ => Err(Cause::Operand("Fermi has no such place")),
        }
    }
}
