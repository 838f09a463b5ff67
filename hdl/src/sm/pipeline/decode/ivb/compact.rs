//! The native instruction that a compact one stands for.

use super::super::row_field::gather;
use crate::rtl::prelude::*;
use warpsmith_isa::ivb::compact::{CONTROL_BITS, COPIED, DATATYPE_BITS, SHORT, SRC0_BITS, SRC1_BITS, SUBREG_BITS};
use warpsmith_isa::ivb::fields::{compact, IMMEDIATE, SOURCES};
use warpsmith_isa::ivb::table::entries::{CONTROL, DATATYPE, SRC, SUBREG};
use warpsmith_isa::set::Field;

/// Bits of the opcode.
const OPCODE: usize = 7;
/// Register file code of an immediate.
const IMMEDIATE_FILE: u64 = 3;

/// Bits put together in any order; those that nothing says are 0.
struct Bits(Vec<Expr>);

impl Bits {
    /// The field is `value`.
    fn put(&mut self, field: Field, value: &Expr) {
        let places = field.parts.iter().flat_map(|p| p.0..p.0 + p.1);
        for (place, bit) in places.zip(value.each_bit()) {
            self.0[usize::from(place)] = bit;
        }
    }

    /// What the field is so far.
    fn get(&self, field: Field) -> Expr {
        let places = field.parts.iter().flat_map(|p| p.0..p.0 + p.1);
        let bits: Vec<Expr> = places.map(|place| self.0[usize::from(place)].clone()).collect();
        pack(bits.iter())
    }
}

/// The entry of a table at an index.
fn entry(name: &str, table: &[u32; 32], width: u32, index: &Expr) -> Expr {
    let column = |bit: u32| table.iter().zip(0..).fold(0u64, |bits, (e, n)| bits | u64::from(e >> bit & 1) << n);
    let bits: Vec<Expr> = (0..width).map(|bit| lit(32, column(bit)).named().bit_at(index)).collect();
    wire(name, pack(bits.iter()))
}

/// The native instruction, 128 bits, for the 64 bits of a compact one.
pub(super) fn expanded(short: &Expr) -> Expr {
    let field = |f: Field| gather(short, f.parts);
    let index = |name: &str, f: Field| wire(name, field(f));
    let look_up = |name: &str, table: &[u32; 32], to: Field, at: &Expr| entry(name, table, to.width(), at);
    let mut bits = Bits(vec![zero(1); 128]);
    bits.put(Field::new("opcode", &[(0, OPCODE as u8)]), &short.bits(0, OPCODE));
    for (from, to) in COPIED {
        bits.put(to, &field(from));
    }
    let at = index("control_index", compact::CONTROL);
    bits.put(CONTROL_BITS, &look_up("control_entry", &CONTROL, CONTROL_BITS, &at));
    let at = index("datatype_index", compact::DATATYPE);
    bits.put(DATATYPE_BITS, &look_up("datatype_entry", &DATATYPE, DATATYPE_BITS, &at));
    let at = index("src0_index", compact::SRC0);
    bits.put(SRC0_BITS, &look_up("src0_entry", &SRC, SRC0_BITS, &at));
    let at = index("subreg_index", compact::SUBREG);
    bits.put(SUBREG_BITS, &look_up("subreg_entry", &SUBREG, SUBREG_BITS, &at));
    let at = index("src1_index", compact::SRC1);
    bits.put(SRC1_BITS, &look_up("src1_entry", &SRC, SRC1_BITS, &at));
    bits.put(SOURCES[1].reg, &field(compact::SRC1_REG));

    let files = SOURCES.map(|s| bits.get(s.file).is(IMMEDIATE_FILE));
    let has_number = wire("has_short_number", any_of(&files));
    let number = cat([&at, &field(compact::SRC1_REG)]);
    assert_eq!(number.width(), SHORT as usize, "bits of a short immediate");
    let last = has_number.mux(&number.sext(32), &bits.get(IMMEDIATE));
    bits.put(IMMEDIATE, &wire("last_source", last));
    wire("expanded", pack(bits.0.iter()))
}
