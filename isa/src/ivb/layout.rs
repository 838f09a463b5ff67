//! Which fields an encoding has: the format and the modes of the operands choose one of 40 layouts, or
//! that of three sources, of no operand, of the compact format. Each is proven to cover its bits.

use std::sync::LazyLock;

use super::fields::*;
use super::table::{Format, OPS};
use crate::set::{cover, Field, TableError};

/// Mask of the opcode and the bit of the compact format.
pub const FIXED: u128 = 0x2000_007f;
/// The bit of the compact format.
pub const COMPACT: u128 = 1 << 29;

/// Fields and reserved bits of an encoding.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Name for tables and errors.
    pub name: String,
    /// Fixed bits.
    pub mask: u128,
    /// Bytes.
    pub bytes: usize,
    /// Fields.
    pub fields: Vec<Field>,
    /// Reserved bits.
    pub reserved: Vec<(u8, u8)>,
}

/// What bits 127:96 are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tail {
    /// Second source, direct or indirect.
    Register { indirect: bool },
    /// Immediate.
    Immediate,
    /// Branch distances.
    Branch,
    /// Descriptor of a message.
    Message,
    /// Descriptor in a register.
    MessageRegister { indirect: bool },
}

const TAILS: [Tail; 7] = [
    Tail::Register { indirect: false },
    Tail::Register { indirect: true },
    Tail::Immediate,
    Tail::Branch,
    Tail::Message,
    Tail::MessageRegister { indirect: false },
    Tail::MessageRegister { indirect: true },
];

/// Fields of the first doubleword and the types, all but the flag register.
const COMMON: [Field; 13] = [
    ALIGN16, NO_MASK, NO_CLEAR, NO_CHECK, QUARTER, THREAD, PREDICATE, INVERT, EXEC, CONDITION, ACC_WRITE, DEBUG,
    SATURATE,
];

/// Number of a layout of one or two sources: the modes are its low bits.
fn index(align16: bool, dst: bool, src0: bool, tail: usize) -> usize {
    let modes = [src0, dst, align16].into_iter();
    tail * 8 + modes.fold(0, |i, m| i * 2 + usize::from(m))
}

static TWO: LazyLock<Vec<Layout>> = LazyLock::new(|| {
    let layouts = (0..TAILS.len() * 8).map(|n| {
        let on = |bit: usize| n >> bit & 1 == 1;
        two(on(0), on(1), on(2), TAILS[n / 8])
    });
    layouts.map(proven).collect()
});

static THREE: LazyLock<Layout> = LazyLock::new(|| {
    let sources = THIRDS.iter().flat_map(|s| [s.abs, s.neg, s.replicate, s.swizzle, s.sub, s.reg]);
    let own = [
        NIBBLE,
        three::FLAG_SUB,
        three::FLAG,
        three::SRC_TYPE,
        three::DST_TYPE,
        three::CHANNELS,
        three::SUB,
        three::REG,
    ];
    proven(Layout {
        name: "three sources".into(),
        mask: FIXED,
        bytes: 16,
        fields: COMMON.into_iter().chain(own).chain(sources).collect(),
        reserved: three::RESERVED.to_vec(),
    })
});

static BARE: LazyLock<[Layout; 2]> = LazyLock::new(|| {
    let of = |name: &str, fields: Vec<Field>, reserved: &[(u8, u8)]| {
        proven(Layout { name: name.into(), mask: FIXED, bytes: 16, fields, reserved: reserved.to_vec() })
    };
    let rest = (32, 96);
    [of("illegal", vec![], &[(7, 22), (30, 2), rest]), of("nop", vec![DEBUG], &[(7, 22), (31, 1), rest])]
});

static SHORT: LazyLock<Layout> = LazyLock::new(|| {
    proven(Layout {
        name: "compact".into(),
        mask: FIXED,
        bytes: 8,
        fields: compact::ALL.to_vec(),
        reserved: compact::RESERVED.to_vec(),
    })
});

/// A layout that covers its bits, each once.
fn proven(l: Layout) -> Layout {
    match check(&l) {
        Ok(()) => l,
        Err(e) => panic!("the layouts of Ivy Bridge: {e}"),
    }
}

fn check(l: &Layout) -> Result<(), TableError> {
    cover(&l.name, 8 * l.bytes as u32, l.mask, &l.fields, &l.reserved)
}

/// Fields of a source that is a register.
fn source(s: &Source, align16: bool, indirect: bool) -> Vec<Field> {
    let mut out = vec![s.abs, s.neg, s.indirect, s.vertical];
    if align16 {
        out.extend(s.swizzle);
        out.push(s.reserved);
    } else {
        out.extend([s.horizontal, s.width]);
    }
    out.extend(match (indirect, align16) {
        (false, false) => [s.sub, s.reg],
        (false, true) => [s.half, s.reg],
        (true, false) => [s.offset, s.address],
        (true, true) => [s.offset_high, s.address],
    });
    out
}

fn two(align16: bool, dst: bool, src0: bool, tail: Tail) -> Layout {
    let mut fields = COMMON.to_vec();
    fields.extend([NIBBLE, FLAG_SUB, FLAG, DST_FILE, DST_TYPE]);
    fields.extend(SOURCES.iter().flat_map(|s| [s.file, s.kind]));
    fields.extend([DST_STRIDE, DST_INDIRECT]);
    fields.extend(match (dst, align16) {
        (false, false) => vec![DST_SUB, DST_REG],
        (false, true) => vec![DST_CHANNELS, DST_HALF, DST_REG],
        (true, false) => vec![DST_OFFSET, DST_ADDRESS],
        (true, true) => vec![DST_CHANNELS, DST_OFFSET_HIGH, DST_ADDRESS],
    });
    fields.extend(source(&SOURCES[0], align16, src0));
    let mut reserved = vec![(7, 1), (91, 5)];
    match tail {
        Tail::Register { indirect } | Tail::MessageRegister { indirect } => {
            fields.extend(source(&SOURCES[1], align16, indirect));
            if matches!(tail, Tail::Register { .. }) {
                reserved.push((121, 7));
            } else {
                reserved.push((121, 6));
                fields.push(END);
            }
        }
        Tail::Immediate => fields.push(IMMEDIATE),
        Tail::Branch => fields.extend([JIP, UIP]),
        Tail::Message => {
            fields.extend([DESCRIPTOR, END]);
            reserved.push((125, 2));
        }
    }
    let mode = |indirect| if indirect { "indirect" } else { "direct" };
    Layout {
        name: format!("{} {} {} {tail:?}", if align16 { "align16" } else { "align1" }, mode(dst), mode(src0)),
        mask: FIXED,
        bytes: 16,
        fields,
        reserved,
    }
}

/// The layout of an encoding of a row.
pub fn of(row: usize, bits: u128) -> &'static Layout {
    let format = OPS[row].format;
    if bits & COMPACT != 0 {
        return &SHORT;
    }
    match format {
        Format::Three => return &THREE,
        Format::Bare => return &BARE[usize::from(OPS[row].opcode != 0)],
        _ => {}
    }
    let on = |f: Field| f.get(bits) == 1;
    let [src0, src1] = SOURCES;
    let indirect = on(src1.indirect);
    let register = src1.file.get(bits) != super::operand::IMMEDIATE;
    let tail = match format {
        Format::Jip | Format::JipUip => Tail::Branch,
        Format::Send if register => Tail::MessageRegister { indirect },
        Format::Send => Tail::Message,
        // What a single register leaves of its instruction is kept, whatever it is.
        Format::One | Format::Wait => Tail::Immediate,
        _ if register => Tail::Register { indirect },
        _ => Tail::Immediate,
    };
    let tail = TAILS.iter().position(|t| *t == tail).unwrap_or(0);
    let n = index(on(ALIGN16), on(DST_INDIRECT), on(src0.indirect), tail);
    &TWO[n]
}

/// Fields of the layouts of one and two sources, each once.
static TWO_FIELDS: LazyLock<Vec<Field>> = LazyLock::new(|| {
    let mut all: Vec<Field> = Vec::new();
    for f in TWO.iter().flat_map(|l| &l.fields) {
        if !all.contains(f) {
            all.push(*f);
        }
    }
    all
});

/// Every field of a row that some layout has; of one name, all lie in the same place.
pub fn fields(row: usize, compacted: bool) -> &'static [Field] {
    match OPS[row].format {
        _ if compacted => &SHORT.fields,
        Format::Three => &THREE.fields,
        Format::Bare => &BARE[usize::from(OPS[row].opcode != 0)].fields,
        _ => &TWO_FIELDS,
    }
}

/// The layouts of one and two sources: every mode of the operands with every tail.
pub fn two_source() -> &'static [Layout] {
    &TWO
}
