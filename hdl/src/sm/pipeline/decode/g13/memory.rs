//! Loads and stores of device and threadgroup memory.

use super::fields::RowFields;
use super::row::Row;
use crate::rtl::prelude::*;
use crate::sm::control::source1;
use warpsmith_contract::trace::MemoryAccess;

/// Modes of a source, as operands have them: half and whole registers, half and whole uniforms.
const HALF: u64 = 0b0001;
const WHOLE: u64 = 0b1000;
const UNIFORM: u64 = 0b0100;
const WIDE_UNIFORM: u64 = 0b0110;

/// Elements and registers of an access. Returns log2 of the bytes of an element.
fn elements(f: &mut RowFields, r: &Row) -> Expr {
    let (format, mask, wide, first) = (r.field("F"), r.field("mask"), r.field("Rt"), r.field("R"));
    let load = r.form.name.ends_with("load");
    let log2 = wire("log2_bytes", cat([&format.is(2), &format.bits(0, 1)]));
    // 0 u8, 2 u16, 6 32 bits.
    let size = cat([&format.is(2), &format.bits(0, 2).any(), &zero(1)]);
    f.mem_size.add(r.hit, size);
    // Three registers have a code of their own.
    let (one, two, three, four) = (mask.is(1), mask.is(3), mask.is(7), mask.is(15));
    let passes = cat([&(&three | &four), &(&two | &three)]);
    f.passes.add(r.hit, passes.clone());
    let count = [two.clone(), three.clone(), four.clone()];
    let more = cat([&(&count[1] | &count[2]), &(&count[0] | &count[2])]);
    let last = wire("last_register", first.bits(1, 7).zext(8) + more.zext(8));
    let lacks = any_of(&[
        !any_of(&[one.clone(), two, three, four]),
        !one & !&wide,
        format.bits(2, 2).any(),
        format.is(2) & !&wide,
        last.msb(),
    ]);
    f.missing.add(r.hit, wire("access_lacks", lacks));
    if load {
        f.d.add(r.hit, first);
        f.d_gpr.flag(r.hit);
        f.d_wide.add(r.hit, wide);
    } else {
        f.v3.add(r.hit, first);
        f.t3.add(r.hit, wide.mux(&lit(4, WHOLE), &lit(4, HALF)));
    }
    f.base.flag(r.hit);
    log2
}

/// The index of fields O and Ot: a register with this mode, or a number of 16 bits with this extension.
fn index(f: &mut RowFields, r: &Row, register: u64, signed: &Expr, scale: &Expr) {
    let o = r.field("O");
    let by_register = r.where_("index_register", !r.field("Ot"));
    let by_number = r.where_("index_number", r.field("Ot"));
    f.index.flag(&by_register);
    f.v2.add(&by_register, o.bits(0, 8));
    f.t2.add(&by_register, lit(4, register));
    f.scale.add(&by_register, scale.clone());
    let fill = (signed & &o.msb()).repeat(16);
    f.imm.add(&by_number, wire("index_bytes", cat([&fill, &o]).shl(scale)));
}

/// Device memory: a pair of registers or uniforms, and an index.
pub(super) fn device(f: &mut RowFields, r: &Row) {
    let log2 = elements(f, r);
    let access = match r.form.name {
        "device_load" => MemoryAccess::GlobalLoad,
        _ => MemoryAccess::GlobalStore,
    };
    f.mem.add(r.hit, lit(3, access as u64));
    f.far.flag(r.hit);
    let (a, uniform) = (r.field("A"), r.field("At"));
    let mode = uniform.mux(&lit(4, WIDE_UNIFORM), &lit(4, WHOLE));
    f.v1.add(r.hit, a.clone());
    f.t1.add(r.hit, mode);
    let s = r.field("s");
    let places = s.is(3).mux(&lit(2, 2), &s);
    let scale = wire("scale", places.zext(3) + log2.zext(3));
    let signed = !r.field("Ou");
    index(f, r, WHOLE, &signed, &scale);
    let by_register = r.where_("signed_index", !r.field("Ot"));
    f.index_signed.add(&by_register, signed);
    // A pair of registers leaves none to read the index with; its second is r127 at most.
    let lacks = !uniform & (!r.field("Ot") | a.bits(1, 7).all());
    f.missing.add(r.hit, lacks);
}

/// Threadgroup memory: a half, a uniform half or 0, and an index.
pub(super) fn group(f: &mut RowFields, r: &Row) {
    let log2 = elements(f, r);
    if r.form.name == "threadgroup_load" {
        f.by_kind.flag(r.hit);
        f.s1_kind.add(r.hit, lit(3, source1::SHARED));
        let format = r.field("F");
        let size = cat([&zero(1), &format.is(2), &format.bits(0, 2).any()]);
        f.s1_size.add(r.hit, size);
    } else {
        f.mem.add(r.hit, lit(3, MemoryAccess::SharedStore as u64));
    }
    let t = r.field("At");
    let uniform = cat([&lit(3, UNIFORM >> 1), &t.bit(1)]);
    let mode = t.bit(0).mux(&uniform, &t.bit(1).mux(&lit(4, 0), &lit(4, HALF)));
    let number = t.is(2);
    f.v1.add(r.hit, r.field("A") & !number.repeat(8));
    f.t1.add(r.hit, mode);
    // Numbers have a sign, halves none.
    index(f, r, HALF, &lit(1, 1), &log2.zext(3));
}
