//! Decoder of G13: 12 bytes from the pc on to the control word of the pipeline.
//!
//! One hit line a row of the instruction table; the fields of the control word are derived from what the rows'
//! instructions lower to, beside what depends on the pc, the launch, or number and mode of a source. Bits beyond the
//! length of the instruction count as 0.
//!
//! | port        | width            | meaning                                                   |
//! |-------------|------------------|-----------------------------------------------------------|
//! | `bytes`     | 96               | the instruction and what follows, first byte lowest       |
//! | `pc`        | d.pc             | its byte address                                          |
//! | `registers` | 8                | registers a thread owns, the two of the machine among them |
//! | `control`   | Control::width   | the decoded instruction                                   |
//! | `numbers`   | Numbers::width   | its registers                                             |
//! | `length`    | 3                | its length in halfwords; 1 where no row has it            |
//!
//! Timing: combinational. Reset: none.
//! With a trap cause the other fields mean nothing: the instruction has no effect.
//! Errors: `control.trap` holds 1 for bytes that are no instruction, 2 for what this chip lacks, 8 for `trap`, 9
//! for a destination beyond the registers of the launch.
//! Source: isa/src/g13/table; isa/src/g13/lower; control/encode/g13.rs; docs/instruction-sets.md, G13 on a chip.

mod choose;
mod derived;
mod found;
mod source;

use super::derive::{Derived, Fields, LACKS};
use super::row_field::RowField;
use crate::config::GpuConfig;
use crate::rtl::prelude::*;
use crate::sm::control::g13::{exchange, from, SourceControl};
use crate::sm::control::uop::{op, AddressControl, UopControl};
use crate::sm::control::{last_pass, trap_cause, Control, Numbers};
use crate::sm::dims::Dims;
use choose::Ports;
use derived::derived;
use found::{Found, FoundRow, LONGEST};
use source::Source;
use warpsmith_contract::trace::Destination;
use warpsmith_contract::TrapCause;
use warpsmith_isa::g13::operand::Kind;
use warpsmith_isa::Options;

/// Operands that are the index of an address or a number.
const INDICES: [Kind; 2] = [Kind::Index, Kind::GroupIndex];

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
        keep _options(Options = cfg.options()),
    } where {
        let d = Dims::of(cfg);
    }
}

/// The sources of a sum that are pairs.
fn pairs(row: &FoundRow) -> Vec<Expr> {
    let sources = row.sources(Kind::AddSrc);
    sources.iter().map(|[_, mode]| wire("pair", mode.bits(2, 2).is(3))).collect()
}

/// Integer sums: whether the instruction is one, whether its result is clamped, and to what format; whether it has 64
/// bits. Sums with a shift or a pair never are clamped; the result is signed where a source is extended by its sign.
fn sums(found: &Found) -> [Expr; 4] {
    let of = |name: &str, signs: &[&str]| {
        let row = found.row(name);
        let sat = row.field("S") & !row.field("s").any() & !any_of(&pairs(&row));
        let signs: Vec<Expr> = signs.iter().map(|s| row.field(s)).collect();
        let wide = row.field("Dt").bit(1);
        let to = cat([&any_of(&signs), &wide, &!&wide]);
        let pair = row.hit & &wide & row.field("D").bit(0);
        [row.hit.clone(), row.hit & sat & !&pair, row.hit.repeat(3) & to, pair]
    };
    let [first, second] = [of("iadd", &["As", "Bs"]), of("imadd", &["As", "Bs", "Cs"])];
    [0, 1, 2, 3].map(|n| wire(["sum_hit", "sum_sat", "sum_to", "sum_wide"][n], &first[n] | &second[n]))
}

/// What the chip lacks of sums: pairs that do not exist, pairs that are shifted where the result is one.
fn lacks_of_sums(found: &Found) -> Expr {
    let sum = |name: &str| {
        let row = found.row(name);
        let sources = row.sources(Kind::AddSrc);
        let pairs = pairs(&row);
        // A shift drops the last source, whatever it is.
        let shift = row.field("s");
        let kept = (1..sources.len()).map(|_| lit(1, 1)).chain([!shift.gt(&lit(3, 4))]);
        let beyond = sources.iter().zip(&pairs).zip(kept);
        let beyond = beyond.map(|(([number, _], pair), kept)| pair & number.bits(1, 7).all() & kept);
        let to_pair = row.field("Dt").bit(1) & row.field("D").bit(0);
        let last = pairs.last().expect("a source");
        let shifted = all_of(&[to_pair, last.clone(), shift.any(), !shift.gt(&lit(3, 4))]);
        row.hit & &any_of(&beyond.chain([shifted]).collect::<Vec<_>>())
    };
    wire("sum_lacks", sum("iadd") | sum("imadd"))
}

/// Where a uniform is stored, in halves, 9 bits; that it is one half; that the chip lacks it: formats but halves, a number in a register,
/// uniforms that do not exist, all but a half or the two of a register.
fn stored_uniform(found: &Found) -> [Expr; 3] {
    let row = found.row("uniform_store");
    let shift = row.field("s");
    let places = shift.bit(1).mux(&lit(2, 2), &shift.bits(0, 2));
    let (mask, register) = (row.field("mask"), row.field("R"));
    // The first component that there is.
    let component = one_hot_index(&lowest_one_hot(&mask), 2);
    let first = row.field("O").zext(19).shl(&places) + component.zext(19);
    let first = wire("stored_first", first);
    let half = any_of(&[1, 2, 4, 8].map(|m| mask.is(m)));
    let both = any_of(&[3, 6, 12].map(|m| mask.is(m)));
    let whole = all_of(&[both, !row.field("Rt"), !register.bit(0), !first.bit(0)]);
    let has = all_of(&[row.field("F").bit(0), row.field("Ot"), &half | &whole, !first.bits(9, 10).any()]);
    [first.bits(0, 9), wire("stores_half", half), wire("store_lacks", row.hit & &!has)]
}

/// Shuffles of quads have sources that are pairs: those that do not exist.
fn lacks_of_shuffles(found: &Found, derived: &Derived) -> Expr {
    let of_row = |row: FoundRow| {
        let beyond = |[number, mode]: &[Expr; 2]| mode.bits(2, 2).is(3) & number.bits(1, 7).all();
        let beyond: Vec<Expr> = row.sources(Kind::Src64).iter().map(beyond).collect();
        row.hit & &any_of(&beyond)
    };
    let shuffles =
        found.rows().filter(|r| derived.has(r.index) && r.form.operands.iter().any(|o| o.kind == Kind::Src64));
    let each: Vec<Expr> = shuffles.map(of_row).collect();
    wire("pair_lacks", any_of(&each))
}

/// Byte offset of an address, 32 bits: the number of an access without an index.
fn offset(found: &Found, derived: &Derived, sources: &SourceControl) -> Expr {
    let mut number = RowField::new("offset", 16);
    for row in found.rows().filter(|r| r.form.operands.iter().any(|o| INDICES.contains(&o.kind))) {
        if derived.has(row.index) {
            number.add(row.hit, row.field("O"));
        }
    }
    let number = number.take() & (!&sources.index).repeat(16);
    let sign = (&sources.index_signed & &number.msb()).repeat(16);
    wire("offset_bytes", cat([&sign, &number]).shl(&sources.scale))
}

impl Rtl for G13Decode {
    fn rtl(&self) {
        let d = &self._d;
        let derived = derived(self._options);
        let found = Found::of(&get(&self.bytes));
        let registers = get(&self.registers);
        let illegal = found.illegal();
        // A target is an offset here.
        let parts = [UopControl::fields(()), AddressControl::fields(()), SourceControl::fields(())];
        let widths: Vec<_> = parts.into_iter().chain([Control::fields(d), vec![("target", 32)]]).collect();
        let mut f = Fields::new(derived, &found.w, &found.hits, &widths);
        let alu = UopControl::by_name(|name| f.field(name));
        let address = AddressControl::by_name(|name| f.field(name));
        address.check(());
        let sources = SourceControl::by_name(|name| f.field(name));
        let plain = Control::by_name(|name| f.field(name));
        let a = Source::of(&mut f, 1, &sources.from1);
        let b = Source::of(&mut f, 2, &sources.from2);
        let c = Source::of(&mut f, 3, &sources.from3);
        let y = Source::of(&mut f, 4, &sources.from4);
        let choose = wire("chooses", alu.op.is(op::CHOOSE));
        let ports = Ports::of(&choose, [&a, &b, &c, &y]);

        // Registers: the machine's are the last two.
        let machine_register = f.field("machine_register");
        let machine = |bit: usize, back: u64| {
            let at = wire("machine_at", &registers - &lit(8, back));
            machine_register.bit(bit).repeat(7) & at.bits(0, 7)
        };
        let r1 = wire("r1", &ports.r1 | machine(0, 2) | machine(1, 1));
        // The second of a pair.
        let pair = wire("base_pair", &address.far & &a.register);
        let r2 = wire("r2", pair.mux(&(&a.index + &lit(7, 1)), &ports.r2));
        let third_index = wire("index_third", all_of(&[pair.clone(), sources.index.clone(), b.register.clone()]));
        let r3 = wire("r3", third_index.mux(&b.index, &ports.r3));
        // What is read of the machine beside the header is the third operand.
        let third = &address.header & machine_register.any();

        // A conversion takes the low half of what is whole: of a uniform, whose number may be odd, but not of a number.
        let convert = found.row("convert");
        let modes = convert.sources(Kind::Src).into_iter().map(|[_, mode]| mode);
        let mode = modes.reduce(|a, b| a | b).expect("a source");
        let odd_uniform = wire("odd_uniform", convert.hit & mode.bits(1, 3).is(3));
        let s1_half = &plain.s1_half & !(convert.hit & !mode.any());
        let [uniform, stores_half, store_lacks] = stored_uniform(&found);
        let s1_half = wire("s1_is_half", sources.stores.mux(&stores_half, &s1_half));

        // Destination.
        let dst = plain.dst.clone();
        let exchange = ports.four.mux(&lit(4, exchange::FOURTH), &sources.exchange).called("exchanges");
        // Passes that write a register each.
        let [is_sum, sum_sat, sum_to, sum_wide] = sums(&found);
        let passes = ports.four.mux(&lit(2, 1), &is_sum.mux(&sum_wide.zext(2), &plain.passes)).called("passes");
        let more = last_pass(d, &passes) & (!exchange.any()).repeat(2);
        let written = wire("written", plain.dst_kind.is(Destination::Gpr as u64));
        // Two halves are a register.
        let halves = wire("of_halves", written.mux(&plain.dst_half, &plain.s3_half));
        let high = written.mux(&plain.dst_hi, &c.high);
        let more_halves = wire("more_halves", more.zext(3) + high.zext(3)).bits(1, 2);
        let several = wire("several", more.any());
        let more = wire("more", halves.mux(&more_halves, &more));
        let last = dst.zext(9) + more.zext(9) + lit(9, 2);
        let beyond = wire("beyond", &written & &last.ge(&registers.zext(9)));

        // What two fields of the instruction say of what the chip lacks: registers that do not exist, sums, …
        let row = written.mux(&dst, &r3).zext(8) + more.zext(8);
        let pair_beyond = &pair & &a.index.all();
        // … and a wide load that replaces both its base and its index: one it may, by its last pass.
        let replaced = |number: &Expr| (number - &dst).le(&more.zext(7));
        let lost = all_of(&[
            address.base.clone(),
            sources.index.clone(),
            a.register.clone(),
            written.clone(),
            a.index.ne(&b.index),
            replaced(&a.index),
            replaced(&b.index),
        ]);
        let replaces = [
            all_of(&[address.base.clone(), a.register.clone(), replaced(&a.index)]),
            &sources.index & replaced(&b.index),
        ];
        let lost_by_halves = wire("lost_by_halves", all_of(&[several, halves, written.clone(), any_of(&replaces)]));
        let absent: Vec<Expr> = derived.absent().map(|row| found.hits[row].clone()).collect();
        let sums_lack = [lacks_of_sums(&found), lacks_of_shuffles(&found, derived), store_lacks];
        let lacks = [f.field(LACKS), any_of(&absent), any_of(&sums_lack), row.msb(), pair_beyond, lost, lost_by_halves];
        let lacks = wire("lacks", any_of(&lacks));

        // The number of a conversion is a float of 16 bits.
        let half_number = a.from.is(from::NUMBER) & !&sources.mini1;
        let half_a = wire("half_a", &s1_half | &half_number);
        // Of a difference of neighbours both are operand a.
        let neighbours = wire("neighbours", exchange.is(exchange::ROW) | exchange.is(exchange::COLUMN));
        let alu = UopControl {
            sat: is_sum.mux(&sum_sat, &alu.sat),
            to: is_sum.mux(&sum_to, &alu.to),
            reverse: is_sum.mux(&sum_wide, &alu.reverse),
            half_a: &alu.flush & &half_a,
            half_b: &alu.flush & &neighbours.mux(&half_a, &plain.s2_half),
            half_c: &alu.flush & &plain.s3_half,
            ..alu
        };
        alu.check(());
        let bytes = offset(&found, derived, &sources);
        let stores = sources.stores.clone();
        let sources = SourceControl {
            n1: a.n.clone(),
            n2: b.n.clone(),
            n3: c.n.clone(),
            n4: sources.stores.mux(&uniform.bits(1, 8), &ports.four.mux(&y.index.zext(8), &y.n)),
            exchange: exchange.clone(),
            sum_of_two: sum_wide.clone(),
            from1: a.from.clone(),
            from3: c.from.clone(),
            hi4: &sources.half4 & &y.high,
            base_hi: &sources.base_half & &a.high,
            port3: &ports.port3 | &third.zext(2),
            port4: ports.port4.clone(),
            length: found.length.clone(),
            ..sources
        };
        sources.check(());

        let pc = get(&self.pc);
        let links = [("call", 6), ("call_reg", 2)].map(|(name, length)| {
            let next = wire(&format!("behind_{name}"), pc.zext(32) + lit(32, length));
            next & found.row(name).hit.repeat(32)
        });
        let next = wire("next", any_of(&links));
        let trap = illegal.mux(
            &trap_cause(TrapCause::Illegal),
            &lacks
                .mux(&trap_cause(TrapCause::Unimplemented), &beyond.mux(&trap_cause(TrapCause::Register), &plain.trap)),
        );
        let c = Control {
            alu: alu.pack(),
            address: address.pack(),
            sources: sources.pack(),
            s1_hi: &s1_half & &a.high & !odd_uniform,
            s1_half,
            s2_hi: &plain.s2_half & &b.high,
            s3_hi: &plain.s3_half & &c.high,
            r1: r1.clone(),
            r2: r2.clone(),
            r3: r3.clone(),
            use1: ports.use1,
            use2: ports.use2 | &pair,
            use3: ports.use3 | &third_index,
            imm: any_of(&[plain.imm, bytes, next]),
            target: self.target(&plain.target),
            dst_half: stores.mux(&stores_half, &plain.dst_half),
            dst_hi: stores.mux(&uniform.bit(0), &(&plain.dst_hi & &!&sum_wide)),
            passes,
            trap,
            ..plain
        };
        c.check(d);
        set(&self.control, c.pack());
        let numbers = Numbers { r1, r2, r3, dst };
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
