//! Decoder of Fermi: an instruction word to the control word of the pipeline.
//!
//! One hit line a row of the instruction table; the fields of the control word are derived from what the rows'
//! instructions lower to, beside what depends on the pc, the launch or two fields of the word.
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
//! With a trap cause the other fields mean nothing: the instruction has no effect.
//! Errors: `control.trap` holds 1 for words that are no instruction, 2 for what this chip lacks, 9 for a
//! destination beyond the registers of the launch.
//! Source: isa/src/fermi/table; isa/src/fermi/lower; control/encode/fermi.rs.

use super::derive::{Derived, Fields, Rules, LACKS};
use super::row_field::{gather, hit_name, matches, RowField};
use crate::config::GpuConfig;
use crate::rtl::prelude::*;
use crate::sm::control::double::DoubleControl;
use crate::sm::control::encode::{fermi, Launch};
use crate::sm::control::uop::{AddressControl, PredicateControl, UopControl, TRUE};
use crate::sm::control::{trap_cause, Control, Numbers, BAR_COUNT, TRAP_CAUSE};
use crate::sm::dims::Dims;
use std::sync::OnceLock;
use warpsmith_contract::trace::{Destination, MemoryAccess};
use warpsmith_contract::TrapCause;
use warpsmith_isa::fermi::operand::Operand;
use warpsmith_isa::fermi::table::fields::{A, COUNT, DST, DST2, JOIN, TARGET};
use warpsmith_isa::fermi::table::TABLE;
use warpsmith_isa::fermi::Fermi;
use warpsmith_isa::set::{Field, Form, InstructionSet, Modifier};
use warpsmith_isa::Options;

/// The fields of the control word in each row, of chips with these options.
fn derived(options: Options) -> &'static Derived {
    static DERIVED: [OnceLock<Derived>; Options::COUNT] = [const { OnceLock::new() }; Options::COUNT];
    DERIVED[options.number()].get_or_init(|| derive(options))
}

fn derive(options: Options) -> Derived {
    let launch = Launch { pc: 32, registers: 65, options };
    let rules = Rules {
        bases: &|row| Fermi.sample(row).map(|instr| instr.code.bits()).into_iter().collect(),
        reserved: true,
        decode: &|word| fermi::decode(word as u64, 0, &launch),
        by_hand: &["r1", "target", "trap", "flags_we"],
        // The second register of a far address; the warps of a barrier.
        ignored: &[("e", "r2"), ("e", "use2"), ("n", "imm")],
        together: &[],
    };
    Derived::of(TABLE.forms(), &rules)
}

block! {
    /// See the module.
    pub struct FermiDecode(cfg: &GpuConfig) {
        in word(64),
        in pc(d.pc),
        in registers(8),
        out control(Control::width(&d)),
        out numbers(Numbers::width(())),
        keep _d(Dims = d),
        keep _options(Options = cfg.options()),
    } where {
        let d = Dims::of(cfg);
    }
}

/// What makes the words of a row illegal: a reserved bit that is set, a modifier without a meaning. Rows
/// that share a reason share its logic.
fn illegal(illegal: &mut RowField, hit: &Expr, form: &Form<Operand>, w: &Expr) {
    let reserved = form.reserved_mask();
    let set: Vec<Expr> = (0..64).filter(|i| reserved >> i & 1 == 1).map(|i| w.bit(i)).collect();
    if !set.is_empty() {
        illegal.add(hit, pack(set.iter()).any());
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
            illegal.add(hit, !is_one_of(&legal));
        } else if !other.is_empty() {
            illegal.add(hit, is_one_of(&other));
        }
        if ["ftz", "fmz"].contains(&field.name) {
            flushes.push(value);
        }
    }
    if let [ftz, fmz] = &flushes[..] {
        illegal.add(hit, ftz & fmz);
    }
}

/// A register of the word as the pipeline numbers it: RZ is the last, which no thread owns.
fn number(register: &Expr) -> Expr {
    cat([&register.all(), register])
}

/// Warps that a barrier of so many threads expects, as `Control::imm`; too many for any block stay so.
fn warps_expected(threads: &Expr) -> Expr {
    let warps = (threads.zext(threads.width() + 1) + lit(threads.width() + 1, 31)).named();
    let warps = warps.bits(5, warps.width() - 5);
    let (low, high) = (warps.bits(0, BAR_COUNT), warps.bits(BAR_COUNT, warps.width() - BAR_COUNT));
    (low | high.any().repeat(BAR_COUNT)).zext(32)
}

impl Rtl for FermiDecode {
    fn rtl(&self) {
        let d = &self._d;
        let w = get(&self.word);
        let of = |f: Field| gather(&w, f.parts);
        let registers = get(&self.registers);
        let mut illegal_row = RowField::new("illegal", 1);
        let mut hits = vec![];
        for (index, form) in TABLE.forms().iter().enumerate() {
            let marked = form.fields.contains(&JOIN);
            assert!(marked || form.reserved_mask() & JOIN.mask() != 0);
            let hit = matches(&w, form.mask as u64, form.match_ as u64);
            let hit = wire(&hit_name(index, form.name), hit);
            illegal(&mut illegal_row, &hit, form, &w);
            hits.push(hit);
        }
        let mut widths =
            vec![UopControl::fields(()), PredicateControl::fields(()), AddressControl::fields(()), Control::fields(d)];
        if d.double {
            widths.push(DoubleControl::fields(false));
        }
        let derived = derived(self._options);
        let mut f = Fields::new(derived, &w, &hits, &widths);
        let alu = UopControl::by_name(|name| f.field(name));
        alu.check(());
        let predicates = PredicateControl::by_name(|name| f.field(name));
        predicates.check(());
        let address = AddressControl::by_name(|name| f.field(name));
        address.check(());
        let double = d.double.then(|| DoubleControl::by_name(|name| f.field(name)));
        let (machine_register, lacks) = (f.field("machine_register"), f.field(LACKS));
        let plain = Control::by_name(|name| f.field(name));

        // Registers: the machine's are the last two.
        let a = of(A);
        let dst_field = match d.has.atomics {
            true => wire("dst_field", plain.accesses(MemoryAccess::GlobalAtomic).mux(&of(DST2), &of(DST))),
            false => of(DST),
        };
        let machine = |back: u64| {
            let at = &registers - &lit(8, back);
            wire("machine_register", at).bits(0, 7)
        };
        let of_machine = |bit: usize, back: u64| machine_register.bit(bit).repeat(7) & machine(back);
        let r1 = wire("r1", number(&a) | of_machine(0, 2) | of_machine(1, 1));
        let far = &address.far;
        let second = wire("second_of_pair", &a | &lit(6, 1));
        let r2 = wire("r2", far.mux(&number(&second), &plain.r2));
        let (r3, dst) = (plain.r3.clone(), plain.dst.clone());

        // Destination.
        let (two, four) = (plain.passes.bit(0), plain.passes.bit(1));
        let two = match &double {
            Some(double) => wire("two_registers", double.is_double.mux(&double.wide_result, &two)),
            None => two,
        };
        let written = plain.dst_kind.is(Destination::Gpr as u64);
        let more = cat([&four, &(&two | &four)]).zext(9) + lit(9, 2);
        let last = dst_field.zext(9) + &wire("registers_behind", more);
        let beyond = wire("beyond", &written & &last.ge(&registers.zext(9)));
        let real = |register: &Expr| !register.all();
        let misaligned = any_of(&[
            (&two | &four) & real(&dst_field) & dst_field.bit(0),
            &four & real(&dst_field) & dst_field.bit(1),
            far & real(&a) & a.bit(0),
        ]);
        // Rows of which the chip has nothing.
        let absent: Vec<Expr> = derived.absent().map(|row| hits[row].clone()).collect();
        let lacks = match &absent[..] {
            [] => lacks,
            rows => lacks | any_of(rows),
        };
        let lacks = wire("lacks", lacks | misaligned);
        let hit_any = wire("hit_any", any_of(&hits));
        let bad = wire("bad", !hit_any | illegal_row.take());
        let trap = bad.mux(
            &trap_cause(TrapCause::Illegal),
            &lacks.mux(
                &trap_cause(TrapCause::Unimplemented),
                &beyond.mux(&trap_cause(TrapCause::Register), &zero(TRAP_CAUSE)),
            ),
        );
        // Nothing is asked of a unit when nobody wants the result.
        let sfu = match &double {
            Some(double) => wire("asks_unit", &plain.sfu & &(!&double.is_double | &written)),
            None => plain.sfu.clone(),
        };
        let warps = plain.bar.repeat(32) & warps_expected(&of(COUNT));
        let c = Control {
            alu: alu.pack(),
            predicates: predicates.pack(),
            address: address.pack(),
            double: double.map_or(nothing(), |double| double.pack()),
            sfu,
            r1: r1.clone(),
            r2: r2.clone(),
            imm: &plain.imm | &warps,
            flags_we: !(&predicates.q1 & &predicates.q2).is(TRUE),
            target: self.target(&of(TARGET)),
            trap,
            use2: &plain.use2 | &(far & &real(&second)),
            ..plain
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
