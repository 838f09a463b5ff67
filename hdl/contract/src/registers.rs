//! Register map: the chip as a host sees it over the bus, 32-bit words at 20-bit byte addresses.

use serde::Serialize;

/// What a host may do with a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Access {
    /// Read; a write does nothing.
    ReadOnly,
    /// Write; it reads 0.
    WriteOnly,
    /// Both.
    ReadWrite,
}

impl Access {
    /// Letters in tables.
    pub const fn letters(self) -> &'static str {
        match self {
            Access::ReadOnly => "r",
            Access::WriteOnly => "w",
            Access::ReadWrite => "rw",
        }
    }

    /// Word of IP-XACT.
    pub const fn name(self) -> &'static str {
        match self {
            Access::ReadOnly => "read-only",
            Access::WriteOnly => "write-only",
            Access::ReadWrite => "read-write",
        }
    }
}

/// Bits of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct BitField {
    /// Name in tables.
    pub name: &'static str,
    /// Highest bit.
    pub high: u32,
    /// Lowest bit.
    pub low: u32,
}

impl BitField {
    /// Width in bits.
    pub const fn width(self) -> u32 {
        self.high - self.low + 1
    }

    /// Its value in a word.
    pub const fn get(self, word: u32) -> u32 {
        word >> self.low & (u32::MAX >> (32 - self.width()))
    }

    /// A word with this value in it; bits that do not fit are dropped.
    pub const fn put(self, value: u32) -> u32 {
        (value & (u32::MAX >> (32 - self.width()))) << self.low
    }

    /// Place in tables: `bit 2`, `[12:8]`.
    fn place(self) -> String {
        match self.width() {
            1 => format!("bit {} {}", self.low, self.name),
            _ => format!("{} [{}:{}]", self.name, self.high, self.low),
        }
    }
}

/// A register, or several of one kind one behind the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Register {
    /// Name.
    pub name: &'static str,
    /// Byte address of the first.
    pub address: u32,
    /// How many there are.
    pub count: u32,
    /// 32-bit words of each, the low word first.
    pub words: u32,
    /// What a host may do with it.
    pub access: Access,
    /// Its content, or what its fields are about; may be empty when they say all.
    pub meaning: &'static str,
    /// Fields, the lowest first; none: the word is one number.
    pub fields: &'static [BitField],
}

impl Register {
    /// Byte address of number `i`.
    pub const fn at(&self, i: u32) -> u32 {
        self.address + 4 * self.words * i
    }

    /// Number of the word within the map.
    pub const fn word(&self) -> u32 {
        self.address / 4
    }

    /// Content for tables: meaning and fields.
    pub fn contents(&self) -> String {
        let fields: Vec<String> = self.fields.iter().map(|f| f.place()).collect();
        let colon = if self.meaning.is_empty() || fields.is_empty() { "" } else { ": " };
        format!("{}{colon}{}", self.meaning, fields.join(", "))
    }
}

macro_rules! registers {
    ($(#[$doc:meta])* $list:ident:
     $($name:ident $module:ident $address:literal $access:ident $count:literal x $words:literal
       $meaning:literal { $($field:ident $label:literal $high:literal:$low:literal),* };)*) => {
        $(
            #[doc = concat!("Register ", stringify!($name), ": ", $meaning)]
            pub const $name: Register = Register {
                name: stringify!($name),
                address: $address,
                count: $count,
                words: $words,
                access: Access::$access,
                meaning: $meaning,
                fields: $module::FIELDS,
            };
            #[doc = concat!("Fields of ", stringify!($name), ".")]
            pub mod $module {
                use super::BitField;
                $(
                    #[doc = concat!("Bits ", $high, ":", $low, ": ", $label, ".")]
                    pub const $field: BitField = BitField { name: $label, high: $high, low: $low };
                )*
                pub(super) const FIELDS: &[BitField] = &[$($field),*];
            }
        )*
        $(#[$doc])*
        pub const $list: &[Register] = &[$($name),*];
    };
}

/// What ID reads.
pub const ID_VALUE: u32 = 0x5741_5250;
/// Bytes of global memory that CONTROL may guard, from address 0 on: a kernel's access to them traps.
pub const GUARD_BYTES: u32 = 4096;
/// Cycles after which the injector counts from 0 again: a multiple of 64 and of every number of block slots, 1 to 8: state of an idle chip counts modulo these.
pub const INJECT_PHASES: u32 = 6720;
/// Constant banks.
pub const BANKS: usize = BANK.count as usize;
/// Most parameter words.
pub const PARAMS: usize = PARAM.count as usize;

registers! {
    /// Registers of the chip, by address.
    CHIP:
    ID id 0x00 ReadOnly 1 x 1 "0x57415250" {};
    CONTROL control 0x04 ReadWrite 1 x 1 "a start, reads 0, and whether it guards the first 4096 bytes of global memory" { START "start" 0:0, GUARD "guard" 1:1 };
    STATUS status 0x08 ReadOnly 1 x 1 "" { BUSY "busy" 0:0, DONE "done" 1:1, TRAPPED "trapped" 2:2 };
    TRAP trap 0x0c ReadOnly 1 x 1 "" { CAUSE "cause" 3:0, LANE "lane" 12:8, WARP "warp slot" 20:16, SM "SM" 27:24 };
    TRAP_PC trap_pc 0x10 ReadOnly 1 x 1 "byte address of the instruction" {};
    TRAP_BLOCK trap_block 0x14 ReadOnly 1 x 1 "ctaid" { X "x" 15:0, Y "y" 31:16 };
    CORRECTED corrected 0x18 ReadOnly 1 x 1 "of a hardened chip, cycles since the start in which a wrong bit was corrected; of another 0" {};
    FAULTS faults 0x1c ReadOnly 1 x 1 "of a hardened chip, a bit for each scheme, in the order of their names: it corrected or detected something since the start" {};
    GRID grid 0x20 WriteOnly 1 x 1 "blocks" { X "x" 15:0, Y "y" 31:16 };
    BLOCK_XY block_xy 0x24 WriteOnly 1 x 1 "threads" { X "x" 15:0, Y "y" 31:16 };
    BLOCK_Z block_z 0x28 WriteOnly 1 x 1 "threads z" {};
    THREADS threads 0x2c WriteOnly 1 x 1 "threads of a block" {};
    REGISTERS registers 0x30 WriteOnly 1 x 1 "registers a thread, 1 to 128; of Ivy Bridge threads that a warp covers, 8 or 16" {};
    SHARED_BYTES shared_bytes 0x34 WriteOnly 1 x 1 "bytes of shared memory of a block" {};
    PROGRAM_BYTES program_bytes 0x38 WriteOnly 1 x 1 "length of the program" {};
    START_PC start_pc 0x3c WriteOnly 1 x 1 "byte address of the first instruction" {};
    GLOBAL_LAST global_last 0x40 WriteOnly 1 x 1 "last byte of global memory" {};
    LOCAL_BASE local_base 0x44 WriteOnly 1 x 1 "byte address of local memory, a multiple of 128" {};
    LOCAL_BYTES local_bytes 0x48 WriteOnly 1 x 1 "local bytes a thread" {};
    PARAM_COUNT param_count 0x4c WriteOnly 1 x 1 "parameter words, at most 64" {};
    BANK bank 0x80 WriteOnly 16 x 1 "constant bank" { FIRST "first word in constant memory" 15:0, WORDS "words" 31:16 };
    PARAM param 0x100 WriteOnly 64 x 1 "parameter word" {};
    COUNTER counter 0x200 ReadOnly 16 x 2 "performance counter, 64 bits, low word first" {};
}

registers! {
    /// Memories of the chip behind the bus, a word an entry; a chip has the first words of each.
    MEMORIES:
    CONSTANT_RAM constant_ram 0x40000 WriteOnly 0x10000 x 1 "constant memory" {};
    PROGRAM_RAM program_ram 0x80000 WriteOnly 0x10000 x 1 "program memory" {};
}

registers! {
    /// Registers that the AXI wrapper adds to those of the chip.
    AXI:
    MEMORY_BASE_LO memory_base_lo 0x50 ReadWrite 1 x 1 "added to the addresses of the kernels, bits 31:0" {};
    MEMORY_BASE_HI memory_base_hi 0x54 ReadWrite 1 x 1 "bits above 31" {};
    INTERRUPT_ENABLE interrupt_enable 0x58 ReadWrite 1 x 1 "" { ENABLE "enable" 0:0 };
}

registers! {
    /// Registers that saboteurs add to those of the chip.
    INJECT:
    INJECT_SHIFT inject_shift 0x300 ReadWrite 1 x 1 "bits to shift into the chain, all 0 but the first if it is 1; reads whether they are still shifted" { COUNT "count" 23:0, SHIFTING "shifting" 24:24, FIRST "first" 31:31 };
    INJECT_CYCLE inject_cycle 0x304 WriteOnly 1 x 1 "first cycle of the fault" {};
    INJECT_DURATION inject_duration 0x308 WriteOnly 1 x 1 "cycles of the fault; all ones: to the end" {};
    INJECT_PERIOD inject_period 0x30c WriteOnly 1 x 1 "cycles from burst to burst; 0: one burst" {};
    INJECT_ACTIVE inject_active 0x310 WriteOnly 1 x 1 "cycles of a burst" {};
    INJECT_PHASE inject_phase 0x314 WriteOnly 1 x 1 "of an armed kernel, cycles since reset, modulo 6720, in which the start is passed on to the chip" {};
    INJECT_ARM inject_arm 0x318 WriteOnly 1 x 1 "what bits become, 0 the inverse of what they were, 2 zero, 3 one, and whether the next start begins the fault" { BECOMES "becomes" 1:0, ARM "arm" 8:8 };
    INJECT_STATE inject_state 0x31c ReadOnly 1 x 1 "" { ARMED "armed" 0:0, RUNNING "running" 1:1, CHANGED "a bit has changed" 2:2, END "last bit of the chain" 3:3 };
    INJECT_CYCLES inject_cycles 0x320 ReadOnly 1 x 1 "cycles from the start of an armed kernel to its end, or to now" {};
    INJECT_CHANGED inject_changed 0x324 ReadOnly 1 x 1 "cycle in which the fault first changed a bit" {};
    INJECT_LENGTH inject_length 0x328 ReadOnly 1 x 1 "bits of the chain" {};
    INJECT_LAYOUT inject_layout 0x32c ReadOnly 1 x 1 "number of the chain's layout" {};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_lie_apart_and_fields_do_not_overlap() {
        let mut end = 0;
        for r in CHIP.iter().chain(MEMORIES) {
            assert!(r.address >= end, "{} overlaps its predecessor", r.name);
            end = r.at(r.count);
            let mut low = 0;
            for f in r.fields {
                assert!(f.low >= low && f.high < 32, "{} of {}", f.name, r.name);
                low = f.high + 1;
            }
        }
        assert!(end <= 1 << 20, "beyond the addresses of the bus");
        for a in AXI.iter().chain(INJECT) {
            assert!(
                CHIP.iter().all(|r| a.at(a.count) <= r.address || r.at(r.count) <= a.address),
                "{} hides a register of the chip",
                a.name
            );
        }
    }

    #[test]
    fn fields_are_taken_out_and_put_in() {
        assert_eq!(trap::LANE.get(0x0a1f_0c05), 12);
        assert_eq!(trap::LANE.put(0x2c), 0x0c00);
        assert_eq!(grid::Y.put(3) | grid::X.put(5), 0x0003_0005);
    }

    #[test]
    fn tables_show_the_value_of_the_id() {
        assert_eq!(ID.contents(), format!("0x{ID_VALUE:08x}"));
        assert_eq!(STATUS.contents(), "bit 0 busy, bit 1 done, bit 2 trapped");
        assert_eq!(BANK.contents(), "constant bank: first word in constant memory [15:0], words [31:16]");
    }
}
