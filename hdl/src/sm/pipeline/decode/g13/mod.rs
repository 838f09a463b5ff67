//! Decoder of G13: 12 bytes from the pc on to the control word of the pipeline.
//!
//! Made from the rows of the instruction table: one hit line a row, and every control field the or of its
//! rows' values. Bits beyond the length of the instruction count as 0.
//!
//! | port        | width            | meaning                                                   |
//! |-------------|------------------|-----------------------------------------------------------|
//! | `bytes`     | 96               | the instruction and what follows, first byte lowest       |
//! | `pc`        | d.pc             | its byte address                                          |
//! | `registers` | 8                | registers a thread owns, the two of the machine among them |
//! | `control`   | Control::width   | the decoded instruction                                   |
//! | `numbers`   | Numbers::width   | its registers                                             |
//! | `length`    | 3                | its length in halfwords; 1 where it is illegal            |
//!
//! Timing: combinational. Reset: none.
//! With a trap cause the other fields mean nothing: the instruction has no effect.
//! Errors: `control.trap` holds 1 for bytes that are no instruction, 2 for what this chip lacks, 8 for `trap`, 9
//! for a destination beyond the registers of the launch.
//! Source: isa/src/g13/table; isa/src/g13/lower; docs/instruction-sets.md, G13 on a chip.

mod choose;
mod fields;
mod memory;
mod operands;
mod row;
mod rows;
mod source;
mod special;

use super::row_field::hit_name;
use crate::config::GpuConfig;
use crate::rtl::prelude::*;
use crate::sm::control::g13::SourceControl;
use crate::sm::control::uop::{count, format, op, tiny, AddressControl, UopControl};
use crate::sm::control::{last_pass, trap_cause, Control, Numbers, TRAP_CAUSE};
use crate::sm::dims::Dims;
use choose::Ports;
use fields::RowFields;
use operands::{illegal, operand, slots};
use row::Row;
use rows::operation;
use source::Source;
use warpsmith_contract::trace::Destination;
use warpsmith_contract::TrapCause;
use warpsmith_isa::g13::operand::Operand;
use warpsmith_isa::g13::table::TABLE;
use warpsmith_isa::set::{low_bits, Form, Length};

/// Bits of the longest instruction.
const LONGEST: usize = 96;

block! {
    /// See the module.
    pub struct G13Decode(cfg: &GpuConfig) {
        in bytes(LONGEST),
        in pc(d.pc),
        in registers(8),
        out control(Control::width(&d)),
        out numbers(Numbers::width(())),
        out length(3),
        keep _d(Dims = d),
    } where {
        let d = Dims::of(cfg);
    }
}

/// The bytes have the bits of `value` where `mask` has ones; always, where it has none.
fn matches(w: &Expr, mask: u128, value: u128) -> Option<Expr> {
    let picked: Vec<usize> = (0..LONGEST).filter(|i| mask >> i & 1 == 1).collect();
    if picked.is_empty() {
        return None;
    }
    let bits: Vec<Expr> = picked.iter().map(|i| w.bit(*i)).collect();
    let fixed = picked.iter().zip(0..);
    let fixed = fixed.fold(0u64, |v, (i, n)| v | ((value >> i & 1) as u64) << n);
    Some(pack(bits.iter()).eq(&lit(picked.len(), fixed)))
}

/// The bytes are of a form; and with the shorter of its encodings, if it has two.
fn hit(w: &Expr, form: &Form<Operand>) -> (Expr, Option<Expr>) {
    let Length::ByBit { bit, short, .. } = form.length else {
        let hit = matches(w, form.mask, form.match_);
        return (hit.expect("a form fixes some bits"), None);
    };
    let near = low_bits(8 * u32::from(short));
    let low = matches(w, form.mask & near, form.match_ & near).expect("a form fixes some bits");
    let is_long = w.bit(bit.into());
    // Bits that are not there read as 0.
    let fits_short = form.match_ & !near == 0;
    let high = matches(w, form.mask & !near, form.match_ & !near);
    let hit = match (high, fits_short) {
        (None, _) => low.clone(),
        (Some(high), true) => &low & &(!&is_long | high),
        (Some(high), false) => &low & &(&is_long & &high),
    };
    let short = fits_short.then(|| &hit & &!is_long);
    (hit, short)
}

/// The forms of the table that the bytes are of, their length, and the bytes without those beyond it.
struct Found {
    hits: Vec<Expr>,
    /// Halfwords.
    length: Expr,
    w: Expr,
}

impl Found {
    fn of(bytes: &Expr) -> Found {
        let mut hits = vec![];
        // By halfwords: forms that have so many, and those of them with a longer encoding.
        let mut of_length: Vec<Vec<Expr>> = vec![vec![]; 7];
        let mut cut: Vec<Vec<Expr>> = vec![vec![]; 7];
        for (index, form) in TABLE.forms().iter().enumerate() {
            let (hit, short) = hit(bytes, form);
            let hit = wire(&hit_name(index, form.name), hit);
            let (least, most) = form.length.range();
            match short {
                Some(short) => {
                    let short = wire("short_form", short);
                    of_length[least / 2].push(short.clone());
                    of_length[most / 2].push(&hit & &!&short);
                    cut[least / 2].push(short);
                }
                None => of_length[most / 2].push(hit.clone()),
            }
            hits.push(hit);
        }
        let any = |list: &[Expr]| match list {
            [] => zero(1),
            _ => any_of(list),
        };
        let is: Vec<Expr> = of_length.iter().map(|l| wire("has_length", any(l))).collect();
        let bit = |b: usize| {
            let with: Vec<Expr> = (2..7).filter(|n| n >> b & 1 == 1).map(|n| is[n].clone()).collect();
            any(&with)
        };
        let (one, two) = (bit(1), bit(2));
        let low = bit(0) | !(&one | &two);
        let length = wire("halfwords", cat([&two, &one, &low]));
        let mut beyond = zero(1);
        let mut kept = vec![];
        for (n, ended) in cut.iter().enumerate().take(LONGEST / 16) {
            beyond = wire("is_beyond", &beyond | &any(ended));
            kept.push(bytes.bits(16 * n, 16) & (!&beyond).repeat(16));
        }
        let w = wire("instruction", pack(kept.iter()));
        Found { hits, length, w }
    }
}

/// An operand of the table with the hit lines of its rows.
type Users = Vec<(Operand, Vec<Expr>)>;

/// An operand has a value without meaning.
fn illegal_value(w: &Expr, users: &Users) -> Expr {
    let each: Vec<Expr> = users.iter().filter_map(|(o, hits)| Some(illegal(w, o)? & any_of(hits))).collect();
    wire("illegal_value", any_of(&each))
}

impl Rtl for G13Decode {
    fn rtl(&self) {
        let d = &self._d;
        let bytes = get(&self.bytes);
        let found = Found::of(&bytes);
        let w = &found.w;
        let registers = get(&self.registers);
        let machine = |back: u64| {
            let at = &registers - &lit(8, back);
            wire("machine_register", at).bits(0, 7)
        };
        let machine = [machine(2), machine(1)];
        let pc = get(&self.pc);
        let next = wire("next", pc.zext(32) + lit(32, 6));

        let mut f = RowFields::default();
        let mut users: Users = vec![];
        for (index, (form, hit)) in TABLE.forms().iter().zip(&found.hits).enumerate() {
            for o in form.operands {
                match users.iter_mut().find(|u| u.0 == *o) {
                    Some(u) => u.1.push(hit.clone()),
                    None => users.push((*o, vec![hit.clone()])),
                }
            }
            let row = Row { w, hit, form, index, machine: &machine, next: &next };
            if operation(&mut f, &row) {
                for (o, slot) in form.operands.iter().zip(slots(form.name)) {
                    operand(&mut f, hit, *slot, o, w);
                }
            }
        }
        let illegal = !any_of(&found.hits) | illegal_value(w, &users);

        // Sources.
        let operation_code = f.op.take();
        let (keep1, keep3) = (!f.drop1.take(), !f.drop3.take());
        let all = lit(1, 1);
        let mut a = Source::of("a", f.v1.take(), f.t1.take(), &keep1);
        let b = Source::of("b", f.v2.take(), f.t2.take(), &all);
        let c = Source::of("c", f.v3.take(), f.t3.take(), &keep3);
        let y = Source::of("y", f.v4.take(), f.t4.take(), &all);
        let low_half = f.low_half.take();
        // A half stays the half it is; of a whole word the low one is taken.
        a.hi = wire("a_hi", &a.hi & &(&a.half | &!&low_half));
        a.half = wire("a_is_half", &a.half | &(&low_half & &!&a.number));
        let lacks_pair = any_of(&[a.beyond.clone(), b.beyond.clone(), c.beyond.clone()]);
        let choose = wire("chooses", operation_code.is(op::CHOOSE));
        let ports = Ports::of(&choose, [&a, &b, &c, &y]);

        // Addresses.
        let (base, index) = (f.base.take(), f.index.take());
        let far = f.far.take();
        // The second word of a pair.
        let pair = wire("base_pair", &far & &a.register);
        let r1 = wire("r1", ports.r1.clone());
        let r2 = wire("r2", pair.mux(&(&a.index + &lit(7, 1)), &ports.r2));
        let r3 = wire("r3", ports.r3.clone());

        // Destination.
        let (dst, wide) = (f.d.take(), f.d_wide.take());
        let written = wire("written", f.d_gpr.take());
        let passes = f.passes.take();
        let kind = |k: Destination| lit(2, k as u64);
        let more = last_pass(d, &passes);
        let more_7 = more.zext(7);
        // The last two registers are the machine's.
        let last = dst.bits(1, 7).zext(9) + more.zext(9) + lit(9, 2);
        let beyond = wire("beyond", &written & &last.ge(&registers.zext(9)));

        // A wide load may replace its base or its index by its last pass, not both.
        let replaced = |number: &Expr| (number - dst.bits(1, 7)).le(&more_7);
        let lost = all_of(&[
            base.clone(),
            index.clone(),
            a.register.clone(),
            b.register.clone(),
            written.clone(),
            a.index.ne(&b.index),
            replaced(&a.index),
            replaced(&b.index),
        ]);
        let lost = wire("base_and_index_lost", lost);
        let halves = f.halves.take();
        let (single, once, from_int) = (f.single.take(), f.once.take(), f.from_int.take());
        let to_half = &once | &(&from_int & &!&wide);
        let twice = &single & &!&wide;
        let format_code = to_half.mux(&lit(2, format::F16), &twice.mux(&lit(2, format::F32_F16), &lit(2, format::F32)));
        let mini1 = f.mini1.take();
        let (signed_a, cond) = (f.signed_a.take(), f.cond.take());
        let alu = UopControl {
            op: operation_code,
            signed_a,
            accumulate: f.accumulate.take(),
            sat: f.sat.take(),
            neg_a: f.neg_a.take(),
            abs_a: f.abs_a.take(),
            neg_b: f.neg_b.take(),
            abs_b: f.abs_b.take(),
            neg_c: f.neg_c.take(),
            abs_c: f.abs_c.take(),
            shift: f.shift.take(),
            count: f.mod_128.take().mux(&lit(2, count::MOD_128), &lit(2, count::ALL)),
            reverse: f.reverse.take(),
            table: f.table.take(),
            cond,
            float: f.float.take(),
            // The number of a conversion is a float of 16 bits.
            half_a: &halves & &(&a.half | &(&a.number & &!&mini1)),
            half_b: &halves & &b.half,
            half_c: &halves & &c.half,
            flush: halves.clone(),
            tiny: single.mux(&lit(2, tiny::FLUSH_EXACT), &lit(2, tiny::KEEP)),
            round: f.round.take(),
            zero_product: zero(1),
            format: format_code,
            integral: f.integral.take(),
            from: f.from.take(),
            to: f.to.take(),
            ..UopControl::zeros(())
        };
        alu.check(());

        let by_kind = f.by_kind.take();
        let from2 = f.from2.take();
        let s2_kind = f.s2_kind.take();
        let by_base = &base & &!&a.number;
        let sources = SourceControl {
            from1: a.from(&(&by_kind & &!&by_base)),
            n1: a.n.clone(),
            mini1,
            extend1: f.extend1.take() & &a.half & !&a.number,
            from2: from2.any().mux(&from2, &b.from(&s2_kind.any())),
            n2: b.n.clone(),
            mini2: f.mini2.take(),
            extend2: f.extend2.take() & &b.half,
            from3: c.from(&zero(1)),
            n3: c.n.clone(),
            mini3: f.mini3.take(),
            extend3: f.extend3.take() & &c.half,
            from4: y.from(&zero(1)),
            n4: y.n.clone(),
            half4: y.half.clone(),
            hi4: y.hi.clone(),
            port3: ports.port3.clone(),
            port4: ports.port4.clone(),
            field: f.field.take(),
            base_half: &base & &a.half,
            base_hi: &base & &a.hi,
            index,
            index_signed: f.index_signed.take(),
            scale: f.scale.take(),
            machine: f.machine.take(),
            mask: f.mask.take(),
            length: found.length.clone(),
        };
        sources.check(());
        let address = AddressControl { base: by_base, far, indexed: zero(1), header: f.header.take() };
        address.check(());

        let lacks = wire("lacks", any_of(&[f.missing.take(), lacks_pair, ports.lacks.clone(), lost]));
        let stop = f.stop.take();
        let trap = illegal.mux(
            &trap_cause(TrapCause::Illegal),
            &lacks.mux(
                &trap_cause(TrapCause::Unimplemented),
                &beyond
                    .mux(&trap_cause(TrapCause::Register), &stop.mux(&trap_cause(TrapCause::Trap), &zero(TRAP_CAUSE))),
            ),
        );
        let bar = f.bar.take();
        let c = Control {
            alu: alu.pack(),
            sfu: f.sfu.take(),
            s1_kind: f.s1_kind.take(),
            s1_half: &a.half & &!&base,
            s1_hi: &a.hi & &!&base,
            r1: r1.clone(),
            s1_size: f.s1_size.take(),
            s2_kind,
            s2_half: b.half.clone(),
            s2_hi: b.hi.clone(),
            r2: r2.clone(),
            s3_half: c.half.clone(),
            s3_hi: c.hi.clone(),
            r3: r3.clone(),
            imm: f.imm.take(),
            dst_kind: written.mux(&kind(Destination::Gpr), &kind(Destination::None)),
            dst_half: &written & &!&wide,
            dst_hi: &written & &!&wide & dst.bit(0),
            dst: dst.bits(1, 7),
            mem: f.mem.take(),
            mem_size: f.mem_size.take(),
            passes,
            flow: f.flow.take(),
            target: self.target(&f.target.take()),
            bar: bar.clone(),
            bar_arrive: bar.clone(),
            bar_wait: bar,
            trap,
            use1: ports.use1,
            use2: ports.use2 | &pair,
            use3: ports.use3,
            address: address.pack(),
            sources: sources.pack(),
            ..Control::of_uops(d)
        };
        c.check(d);
        set(&self.control, c.pack());
        let numbers = Numbers { r1, r2, r3, dst: dst.bits(1, 7) };
        numbers.check(());
        set(&self.numbers, numbers.pack());
        set(&self.length, &found.length);
    }
}

impl G13Decode {
    /// `offset` bytes from the instruction on. An address that no pc can say is beyond the program all the same.
    fn target(&self, offset: &Expr) -> Expr {
        let pc = get(&self.pc);
        let (top, width) = (pc.width() - 1, 33);
        let sum = wire("target_sum", pc.zext(width) + offset.sext(width));
        sum.bits(top, width - top).any().mux(&lit(pc.width(), 1 << top), &sum.bits(0, pc.width()))
    }
}

rtl_block!(G13Decode, "g13_decode");
