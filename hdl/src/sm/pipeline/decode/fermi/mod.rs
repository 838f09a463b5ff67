//! Decoder of Fermi: an instruction word to the control word of the pipeline.
//!
//! Made from the rows of the instruction table: one hit line a row, and every control field the or of its
//! rows' values.
//!
//! | port        | width            | meaning                                                   |
//! |-------------|------------------|-----------------------------------------------------------|
//! | `word`      | 64               | the instruction                                           |
//! | `pc`        | d.pc             | its byte address                                          |
//! | `registers` | 8                | registers a thread owns, the two of the machine among them |
//! | `control`   | Control::width   | the decoded instruction                                   |
//! | `numbers`   | Numbers::width   | its registers                                             |
//!
//! Timing: combinational. Reset: none.
//! What an instruction that traps does beside is undefined: with a trap cause nothing of it is done.
//! Errors: `control.trap` holds 1 for words that are no instruction, 2 for what this chip lacks, 9 for a
//! destination beyond the registers of the launch.
//! Source: isa/src/fermi/table; isa/src/fermi/lower.

mod fields;
mod operands;
mod rows;
mod special;

use super::row_field::{gather, hit_name, matches};
use crate::config::GpuConfig;
use crate::rtl::prelude::*;
use crate::sm::control::uop::{tiny, AddressControl, PredicateControl, UopControl, TRUE};
use crate::sm::control::{trap_cause, Control, Numbers, TRAP_CAUSE};
use crate::sm::dims::Dims;
use fields::RowFields;
use operands::{field, operand, slots};
use rows::{operation, Word};
use warpsmith_contract::trace::Destination;
use warpsmith_contract::TrapCause;
use warpsmith_isa::fermi::operand::Operand;
use warpsmith_isa::fermi::table::fields::{A, B, BARRIER, C, DST, GUARD, GUARD_NOT, JOIN, OFFSET, TARGET};
use warpsmith_isa::fermi::table::TABLE;
use warpsmith_isa::set::{Field, Form, Modifier};

block! {
    /// See the module.
    pub struct FermiDecode(cfg: &GpuConfig) {
        in word(64),
        in pc(d.pc),
        in registers(8),
        out control(Control::width(&d)),
        out numbers(Numbers::width(())),
        keep _d(Dims = d),
    } where {
        let d = Dims::of(cfg);
    }
}

/// What makes the words of a row illegal: a reserved bit that is set, a modifier without a meaning. Rows
/// that share a reason share its logic.
fn illegal(f: &mut RowFields, hit: &Expr, form: &Form<Operand>, w: &Expr) {
    let reserved = form.reserved_mask();
    let set: Vec<Expr> = (0..64).filter(|i| reserved >> i & 1 == 1).map(|i| w.bit(i)).collect();
    if !set.is_empty() {
        f.illegal.add(hit, pack(set.iter()).any());
    }
    let mut flushes = vec![];
    for m in form.modifiers {
        let Modifier::Names(field, _) = *m else {
            continue;
        };
        let value = gather(w, field.parts);
        let legal = |v: &u64| m.name(field.put(0, *v)).is_some();
        let (legal, other): (Vec<u64>, Vec<u64>) = (0..1 << field.width()).partition(legal);
        let is_one_of = |values: &[u64]| {
            let each: Vec<Expr> = values.iter().map(|v| value.is(*v)).collect();
            any_of(&each)
        };
        if legal.len() < other.len() {
            f.illegal.add(hit, !is_one_of(&legal));
        } else if !other.is_empty() {
            f.illegal.add(hit, is_one_of(&other));
        }
        if ["ftz", "fmz"].contains(&field.name) {
            flushes.push(value);
        }
    }
    if let [ftz, fmz] = &flushes[..] {
        f.illegal.add(hit, ftz & fmz);
    }
}

/// A register of the word as the pipeline numbers it: RZ is the last, which no thread owns.
fn number(register: &Expr) -> Expr {
    cat([&register.all(), register])
}

impl Rtl for FermiDecode {
    fn rtl(&self) {
        let d = &self._d;
        let w = get(&self.word);
        let of = |f: Field| field(&w, f);
        let registers = get(&self.registers);
        let size = wire("size", w.bits(5, 3));
        let machine = |back: u64| {
            let at = &registers - &lit(8, back);
            wire("machine_register", at).bits(0, 7)
        };
        let element = cat([&size.is(1), &(size.is(3) | size.bit(2)), &(size.is(2) | size.bit(2))]);
        let word = Word { w: w.clone(), element: wire("element", element), machine: [machine(2), machine(1)] };

        let mut f = RowFields::default();
        let mut hits = vec![];
        for (index, form) in TABLE.forms().iter().enumerate() {
            let marked = form.fields.contains(&JOIN);
            assert!(marked || form.reserved_mask() & JOIN.mask() != 0);
            let hit = matches(&w, form.mask as u64, form.match_ as u64);
            let hit = wire(&hit_name(index, form.name), hit);
            illegal(&mut f, &hit, form, &w);
            if form.fields.contains(&GUARD) {
                assert!(form.fields.contains(&GUARD_NOT));
            } else {
                f.unguarded.flag(&hit);
            }
            operation(&mut f, &hit, form, &word);
            if rows::implemented(form) {
                for (o, slot) in form.operands.iter().zip(slots(form.mnemonic)) {
                    operand(&mut f, &hit, *slot, o, &w);
                }
            }
            hits.push(hit);
        }

        // Sizes of loads and stores.
        let sized = f.sized.take();
        let two = wire("two_registers", &sized & &size.is(5));
        let four = wire("four_registers", &sized & &size.is(6));
        let mem_size =
            cat([&size.bit(2), &(size.is(2) | size.is(3) | size.is(4)), &(size.is(1) | size.is(3) | size.is(6))]);

        // Registers.
        let (a, c_field, dst_field) = (of(A), of(C), of(DST));
        let far = wire("is_far", f.far.take());
        let b = f.b_is_c.take().mux(&c_field, &of(B));
        let b = wire("register_b", far.mux(&(&a | &lit(6, 1)), &b));
        let data = f.data.take();
        let c = wire("register_c", data.mux(&dst_field, &c_field));
        let r1 = wire("r1", number(&a) | f.r1.take());
        let (r2, r3, dst) = (number(&b), number(&c), number(&dst_field));
        let (r2, r3, dst) = (wire("r2", r2), wire("r3", r3), wire("dst", dst));
        let real = |register: &Expr| !register.all();
        let a_real = wire("a_is_register", f.has_a.take() & real(&a));

        // Destination.
        let written = wire("written", f.d_gpr.take() & real(&dst_field));
        let kind = |k: Destination| lit(2, k as u64);
        let more = cat([&four, &(&two | &four)]).zext(9) + lit(9, 2);
        // The last two registers are the machine's.
        let last = dst_field.zext(9) + &wire("registers_behind", more);
        let beyond = wire("beyond", &written & &last.ge(&registers.zext(9)));

        // Predicates.
        let or_true = |number: Expr, has: Expr| number | !has.repeat(3);
        let q1 = wire("q1", or_true(f.q1.take(), f.has_q1.take()));
        let q2 = wire("q2", or_true(f.q2.take(), f.has_q2.take()));
        let predicates = PredicateControl {
            guard: or_true(of(GUARD), !f.unguarded.take()),
            guard_not: of(GUARD_NOT),
            p1: or_true(f.p1.take(), f.has_p1.take()),
            p1_not: f.p1_not.take(),
            p2: or_true(f.p2.take(), f.has_p2.take()),
            p2_not: f.p2_not.take(),
            p3: or_true(f.p3.take(), f.has_p3.take()),
            p3_not: f.p3_not.take(),
            q1: q1.clone(),
            q2: q2.clone(),
            vote: f.vote.take(),
        };
        predicates.check(());
        let address = AddressControl {
            base: f.base.take() & &a_real,
            far: far.clone(),
            indexed: f.indexed.take(),
            header: f.header.take(),
        };
        address.check(());

        let alu = UopControl {
            op: f.op.take(),
            signed_a: f.signed_a.take(),
            signed_b: f.signed_b.take(),
            high: f.high.take(),
            accumulate: f.accumulate.take(),
            sat: f.sat.take(),
            neg_a: f.neg_a.take(),
            abs_a: f.abs_a.take(),
            neg_b: f.neg_b.take(),
            abs_b: f.abs_b.take(),
            neg_c: f.neg_c.take(),
            abs_c: zero(1),
            shift: f.shift.take(),
            count: f.count.take(),
            reverse: f.reverse.take(),
            table: f.table.take(),
            table_2: f.table_2.take(),
            cond: f.cond.take(),
            float: f.float.take(),
            half_a: zero(1),
            half_b: zero(1),
            half_c: zero(1),
            flush: f.flush.take(),
            tiny: f.flush_result.take().mux(&lit(2, tiny::FLUSH_ROUNDED), &lit(2, tiny::KEEP)),
            round: f.round.take(),
            zero_product: f.zero_product.take(),
            format: f.format.take(),
            integral: f.integral.take(),
            from: f.from.take(),
            to: f.to.take(),
        };
        alu.check(());

        let misaligned = any_of(&[
            (&two | &four) & real(&dst_field) & dst_field.bit(0),
            &four & real(&dst_field) & dst_field.bit(1),
            &far & real(&a) & a.bit(0),
        ]);
        let lacks = wire("lacks", f.missing.take() | misaligned);
        let hit_any = wire("hit_any", any_of(&hits));
        let bad = wire("bad", !hit_any | f.illegal.take());
        let trap = bad.mux(
            &trap_cause(TrapCause::Illegal),
            &lacks.mux(
                &trap_cause(TrapCause::Unimplemented),
                &beyond.mux(&trap_cause(TrapCause::Register), &zero(TRAP_CAUSE)),
            ),
        );
        let s2_kind = f.s2_kind.take();
        let s3_kind = f.s3_kind.take();
        let b_register = f.has_b.take() | &far;
        let bar = f.bar.take();
        let c = Control {
            alu: alu.pack(),
            // Without a destination nothing is asked of the units.
            sfu: f.sfu.take() & &written,
            s1_kind: f.s1_kind.take(),
            s1_half: f.s1_half.take(),
            s1_hi: f.s1_hi.take(),
            r1: r1.clone(),
            s1_size: f.s1_size.take(),
            s2_kind,
            r2: r2.clone(),
            s3_kind,
            r3: r3.clone(),
            c_size: f.c_size.take(),
            c_bank: f.c_bank.take(),
            c_offset: cat([&of(OFFSET), &zero(2)]),
            imm: f.imm.take(),
            dst_kind: written.mux(&kind(Destination::Gpr), &kind(Destination::None)),
            dst: dst.clone(),
            flags_we: !(&q1 & &q2).is(TRUE),
            mem: f.mem.take(),
            mem_size: sized.repeat(3) & mem_size,
            passes: cat([&four, &two]),
            flow: f.flow.take(),
            marker: cat([&of(JOIN), &zero(1)]),
            target: self.target(&of(TARGET)),
            bar: bar.clone(),
            bar_id: of(BARRIER),
            bar_arrive: bar,
            bar_wait: f.bar_wait.take(),
            trap,
            use1: a_real,
            use2: b_register & real(&b),
            use3: (f.has_c.take() | data) & real(&c),
            predicates: predicates.pack(),
            address: address.pack(),
            ..Control::of_uops(d)
        };
        c.check(d);
        set(&self.control, c.pack());
        let numbers = Numbers { r1, r2, r3, dst };
        numbers.check(());
        set(&self.numbers, numbers.pack());
    }
}

impl FermiDecode {
    /// `offset` bytes behind the next instruction. An address that no pc can say is beyond the program all
    /// the same.
    fn target(&self, offset: &Expr) -> Expr {
        let pc = get(&self.pc);
        let (top, width) = (pc.width() - 1, pc.width().max(offset.width()) + 2);
        let sum = pc.zext(width) + lit(width, 8) + offset.sext(width);
        let sum = wire("target_sum", sum);
        sum.bits(top, width - top).any().mux(&lit(pc.width(), 1 << top), &sum.bits(0, pc.width()))
    }
}

rtl_block!(FermiDecode, "fermi_decode");
