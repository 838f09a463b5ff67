//! The compact format: 8 bytes whose indices stand for bits of the native 16.

use super::fields::{compact, ACC_WRITE, CONDITION, DEBUG, DST_REG, IMMEDIATE as IMM32, SOURCES};
use super::layout::COMPACT;
use super::operand::IMMEDIATE;
use super::table::entries::{CONTROL, DATATYPE, SRC, SUBREG};
use crate::set::{low_bits, Field};

/// Native bits of the index `control`.
pub const CONTROL_BITS: Field = Field::new("control", &[(8, 16), (31, 1), (89, 2)]);
/// Native bits of the index `datatype`.
pub const DATATYPE_BITS: Field = Field::new("datatype", &[(32, 15), (61, 2), (63, 1)]);
/// Native bits of the index `subreg`.
pub const SUBREG_BITS: Field = Field::new("subreg", &[(48, 5), (64, 5), (96, 5)]);
/// The same where the second source is no register.
const SUBREG_LOW: Field = Field::new("subreg", &[(48, 5), (64, 5)]);
/// Native bits of the index `src0`.
pub const SRC0_BITS: Field = Field::new("src0", &[(77, 12)]);
/// Native bits of the index `src1`.
pub const SRC1_BITS: Field = Field::new("src1", &[(109, 12)]);
/// Bits of a short immediate, sign included.
pub const SHORT: u32 = 13;

/// Fields that both formats have: compact, native.
pub const COPIED: [(Field, Field); 5] = [
    (compact::DEBUG, DEBUG),
    (compact::ACC_WRITE, ACC_WRITE),
    (compact::CONDITION, CONDITION),
    (compact::DST_REG, DST_REG),
    (compact::SRC0_REG, SOURCES[0].reg),
];

/// True where a source is an immediate.
fn immediate(native: u128) -> bool {
    SOURCES.iter().any(|s| s.file.get(native) == IMMEDIATE)
}

/// The native bits that a compact encoding stands for.
pub fn expand(short: u128) -> u128 {
    let entry = |table: &[u32; 32], index: Field| u64::from(table[index.get(short) as usize]);
    let mut bits = short & 0x7f;
    for (from, to) in COPIED {
        bits = to.put(bits, from.get(short));
    }
    bits = CONTROL_BITS.put(bits, entry(&CONTROL, compact::CONTROL));
    bits = DATATYPE_BITS.put(bits, entry(&DATATYPE, compact::DATATYPE));
    bits = SRC0_BITS.put(bits, entry(&SRC, compact::SRC0));
    let sub = entry(&SUBREG, compact::SUBREG);
    if immediate(bits) {
        let low = compact::SRC1.get(short) << 8 | compact::SRC1_REG.get(short);
        let unused = 64 - SHORT;
        let value = ((low << unused) as i64) >> unused;
        // Five bits of index and eight of register: bit 12 is the sign.
        return IMM32.put(SUBREG_LOW.put(bits, sub), value as u64);
    }
    bits = SUBREG_BITS.put(bits, sub);
    bits = SRC1_BITS.put(bits, entry(&SRC, compact::SRC1));
    SOURCES[1].reg.put(bits, compact::SRC1_REG.get(short))
}

/// The compact encoding of native bits of which those in `free` may differ; of several the one with the
/// lowest indices.
pub fn compress(native: u128, free: u128) -> Option<u128> {
    let find = |table: &[u32; 32], bits: Field| {
        let want = bits.get(native);
        let fixed = !bits.get(free);
        let mask = low_bits(bits.width()) as u64;
        let index = table.iter().position(|e| (u64::from(*e) ^ want) & fixed & mask == 0);
        index.map(|i| i as u64)
    };
    let mut short = native & 0x7f | COMPACT;
    for (to, from) in COPIED {
        short = to.put(short, from.get(native));
    }
    short = compact::CONTROL.put(short, find(&CONTROL, CONTROL_BITS)?);
    short = compact::DATATYPE.put(short, find(&DATATYPE, DATATYPE_BITS)?);
    short = compact::SRC0.put(short, find(&SRC, SRC0_BITS)?);
    if immediate(native) {
        let value = IMM32.get(native);
        short = compact::SUBREG.put(short, find(&SUBREG, SUBREG_LOW)?);
        short = compact::SRC1.put(short, value >> 8);
        short = compact::SRC1_REG.put(short, value);
    } else {
        short = compact::SUBREG.put(short, find(&SUBREG, SUBREG_BITS)?);
        short = compact::SRC1.put(short, find(&SRC, SRC1_BITS)?);
        short = compact::SRC1_REG.put(short, SOURCES[1].reg.get(native));
    }
    ((expand(short) ^ native) & !free == 0).then_some(short)
}
