//! Decoder of Ivy Bridge: 16 bytes from the pc on to the control word of the pipeline.
//!
//! A compact instruction is expanded by the four tables of the set; then there are native ones alone. One line an
//! opcode; the fields of the control word and what is refused by hand, from the same fields of the word as
//! control/encode/ivb.rs, which says what they must be.
//!
//! | port        | width            | meaning                                                   |
//! |-------------|------------------|-----------------------------------------------------------|
//! | `word`      | 128              | the instruction and what follows, first byte lowest       |
//! | `pc`        | d.pc             | its byte address; in the low bits the number of the step  |
//! | `control`   | Control::width   | the decoded instruction; `long`: 16 bytes, else 8         |
//! | `numbers`   | Numbers::width   | its registers                                             |
//!
//! Timing: combinational. Reset: none.
//! With a trap cause the other fields mean nothing, but for `long`: the instruction has no effect.
//! Errors: `control.trap` holds 1 for an opcode that the set does not have, 2 for what this chip lacks and what is no
//! instruction, 8 for `illegal`. Every rule of Intel's manual that an instruction of the profile can break is checked.
//! Source: isa/src/ivb/chip.rs; control/encode/ivb.rs.

mod branch;
mod compact;
mod lane;
mod message;
mod parts;
mod refused;
mod region;
mod steps;
mod word;

use crate::config::GpuConfig;
use crate::rtl::prelude::*;
use crate::sm::control::encode::Want;
use crate::sm::control::ivb::{condition, constants, ChannelControl, ALIGN};
use crate::sm::control::uop::AddressControl;
use crate::sm::control::{source1, source23, trap_cause, Control, Numbers, TRAP_CAUSE};
use crate::sm::dims::Dims;
use branch::Branch;
use message::Message;
use parts::Parts;
use refused::refused;
use region::{immediate, Read};
use steps::Step;
use warpsmith_contract::trace::Destination;
use warpsmith_contract::TrapCause;
use warpsmith_isa::ivb::fields::{three, FLAG, FLAG_SUB, INVERT, NO_MASK, QUARTER};
use warpsmith_isa::ivb::table::Format;

/// The reserved bit of a compact instruction.
const COMPACT_RESERVED: usize = 28;
/// Byte 8 of a header: where a block is.
const BLOCK_ADDRESS: u64 = 2;

block! {
    /// See the module.
    pub struct IvbDecode(cfg: &GpuConfig) {
        in word(128),
        in pc(d.pc),
        out control(Control::width(&d)),
        out numbers(Numbers::width(())),
        keep _d(Dims = d),
    } where {
        let d = Dims::of(cfg);
    }
}

/// Operands of the lane.
struct Operands {
    a: Read,
    b: Read,
    c: Read,
    use1: Expr,
    use2: Expr,
    use3: Expr,
}

/// A row of dwords from a register on, or the dword `sub` of one.
fn payload(register: &Expr, scalar: &Expr, two: &Expr) -> Read {
    Read {
        register: register.clone(),
        region: cat([scalar, &zero(1)]),
        sub: lit(3, BLOCK_ADDRESS) & scalar.repeat(3),
        half: zero(1),
        hi: zero(1),
        extend: zero(1),
        two: two.clone(),
    }
}

/// What the lane reads.
fn operands(p: &Parts, m: &Message) -> Operands {
    let (w, [a, b], [t0, t1, t2]) = (&p.w, &p.s, &p.t);
    let mask = w.is("bfi1");
    let first = wire("first_is_a", any_of(&[p.one.clone(), &p.two & !&mask, p.math.clone()]));
    // A word is extended but where its halves are shifted to halves.
    let shr = w.is("shr") & &p.dst.kind.word;
    let own = Read { extend: &a.from.extend & !shr, ..a.from.gated(&lit(1, 1)) };
    let wide = p.wide_product();
    let second = Read {
        half: &b.from.half | &wide,
        hi: &b.from.hi & !&wide,
        extend: &b.from.extend & !&wide,
        ..b.from.gated(&lit(1, 1))
    };
    let (mad, bfe, bfi2) = (w.is("mad"), w.is("bfe"), w.is("bfi2"));
    let two = &p.channels.sixteen & !&m.block;
    // Operands of steps: the second source in place of the first, what has been kept, none.
    let steps = &p.steps;
    let second_is_a = wire("second_is_a", steps.that(|s| s.a() == Some(1)));
    let no_a = p.steps.a_is_kept() | &second_is_a;
    let first = wire("own_is_a", first & !no_a);
    let no_b = steps.that(|s| s.format == Format::Two && s.b().is_none());
    let second_is_b = wire("own_is_b", &p.two & !no_b);
    let b_of_three = |n: u64| steps.that(|s| s.format == Format::Three && s.b() == Some(n));
    let (x_of_three, y_of_three, z_of_three) =
        (steps.that(|s| s.format == Format::Three && s.a() == Some(0)), b_of_three(1), b_of_three(2));
    let rest = steps.that(|s| s.word.control.use3.value != 0);
    let lane_a = own
        .gated(&first)
        .or(&second.gated(&second_is_a))
        .or(&t0.from.gated(&x_of_three))
        .or(&t1.from.gated(&mad))
        .or(&t2.from.gated(&bfe))
        .or(&t0.from.gated(&bfi2))
        .or(&payload(&m.address, &m.block, &two).gated(&p.send));
    let lane_b = second.gated(&second_is_b).or(&t2.from.gated(&(&mad | &z_of_three))).or(&t1.from.gated(&any_of(&[
        bfe.clone(),
        bfi2.clone(),
        y_of_three.clone(),
    ])));
    let lane_c = a
        .from
        .gated(&(&mask | &rest))
        .or(&t0.from.gated(&(&mad | &bfe)))
        .or(&t2.from.gated(&bfi2))
        .or(&payload(&m.data, &zero(1), &zero(1)).gated(&p.send));
    let accesses = &p.send & &(&m.loads | &m.stores);
    let of_three = w.any(&["mad", "bfe", "bfi2"]);
    Operands {
        a: lane_a,
        b: lane_b,
        c: lane_c,
        use1: any_of(&[first & !&a.number, second_is_a & !&b.number, of_three.clone(), x_of_three, accesses]),
        use2: any_of(&[second_is_b & !&b.number, of_three.clone(), y_of_three, z_of_three]),
        use3: any_of(&[mask, of_three, rest, &p.send & &m.stores]),
    }
}

impl Rtl for IvbDecode {
    fn rtl(&self) {
        let d = &self._d;
        let given = get(&self.word);
        let short = wire("compact", given.bit(Self::COMPACT));
        let native = short.mux(&compact::expanded(&given.bits(0, 64)), &given);
        let pc = get(&self.pc);
        let p = Parts::of(&wire("native", native), &pc.bits(0, ALIGN));
        let (w, channels, dst) = (&p.w, &p.channels, &p.dst);
        let second = wire("from_8", &channels.eight & w.field(QUARTER).bit(0));
        let m = Message::of(w, &p.s[0], dst, channels, &second);
        let o = operands(&p, &m);
        let branch = Branch::of(&p, &pc, &m.ends);
        let computes = wire("computes", p.computes());
        let (waits, compares) = (w.is("wait"), &p.compares);
        let selects = wire("selects", w.is("sel") & !&p.conditional);
        let block = wire("block_message", &p.send & &m.block);

        // Predicate and flag.
        let predicated = wire("predicated", p.predicate.any());
        let flag_of = |[flag, sub]: [warpsmith_isa::set::Field; 2]| cat([&w.field(flag), &w.field(sub)]);
        let flag = p.three.mux(&flag_of([three::FLAG, three::FLAG_SUB]), &flag_of([FLAG, FLAG_SUB]));
        let flag = wire("flag", flag);
        let goes_on = &p.steps.goes_on;
        let has_flag = all_of(&[computes.clone(), p.conditional.clone(), !&p.math, !w.is("sel"), !goes_on]);
        let writes_flag = wire("writes_flag", has_flag);
        let kept = compares.mux(&lit(4, condition::NOT_ZERO), &p.condition) & writes_flag.repeat(4);

        // Immediate.
        let [a, b] = &p.s;
        let steps = &p.steps;
        let s1_is_a = steps.that(|s| s.format == Format::Two && s.a() == Some(1));
        let no_number = steps.that(|s| s.format == Format::Two && s.a() != Some(1) && s.b().is_none());
        let own_a = wire("own_number_is_a", &p.one & &a.number);
        let number_a = wire("number_is_a", &own_a | &(&s1_is_a & &b.number));
        let number_b = wire("number_is_b", all_of(&[p.two.clone(), b.number.clone(), !&s1_is_a, !no_number]));
        let number = own_a.mux(&immediate(w, &a.kind), &immediate(w, &b.kind));
        let whole = !p.wide_product();
        let number = cat([&(number.bits(16, 16) & whole.repeat(16)), &number.bits(0, 16)]);
        let has_number = |s: &Step| s.word.control.s2_kind == Want::is(source23::IMM);
        let from_steps = wire("number_of_step", steps.that(has_number));
        let constant = steps.field("step_number", 32, |s| s.word.control.imm);
        let number = from_steps.mux(&constant, &number);
        let is_number = wire("is_number", any_of(&[number_a.clone(), number_b, from_steps]));
        let loads_shared = wire("load_is_shared", &p.send & &m.shared_load);
        let s1_kind = lit(3, source1::SECOND) & number_a.repeat(3) | (lit(3, source1::SHARED) & loads_shared.repeat(3));
        let s2_kind = lit(2, source23::IMM) & (&is_number | w.is("cbit")).repeat(2);

        // Result.
        let loads = wire("loads_registers", &p.send & &m.loads);
        let written = wire("written", (&computes & (&dst.general | &p.three)) | &loads);
        let dst_kind = lit(2, Destination::Gpr as u64) & (&written & !goes_on).repeat(2);
        let register = p.three.mux(&w.field(three::REG).bits(0, 7), &dst.register);
        let word = wire("word_result", all_of(&[computes.clone(), !&p.three, dst.kind.word.clone(), !goes_on]));
        let same = steps.that(|s| s.word.channels.constants.value == constants::SAME);
        let chooses = p.chooses() & (steps.none() | same);
        let truth = compares | steps.that(|s| s.word.channels.constants.value == constants::TRUTH);
        let two = |x: &Expr| x.zext(3);
        let more = loads.mux(&m.more, &two(&channels.sixteen));

        // ONE, EIGHT, SIXTEEN are 0, 2, 3.
        let size = cat([&!&channels.one, &channels.sixteen]) & (!&p.bare).repeat(2);
        let c = ChannelControl {
            size: block.mux(&m.size, &size),
            second: second.clone(),
            all: any_of(&[w.field(NO_MASK) & !&p.branches, waits.clone(), block.clone(), p.bare.clone()]),
            region1: o.a.region.clone(),
            sub1: o.a.sub.clone(),
            extend1: o.a.extend.clone() & !&number_a,
            region2: o.b.region.clone(),
            sub2: o.b.sub.clone(),
            extend2: o.b.extend.clone() & !&is_number,
            region3: o.c.region.clone(),
            sub3: o.c.sub.clone(),
            extend3: o.c.extend.clone(),
            more1: two(&o.a.two),
            more2: two(&o.b.two),
            more3: (&p.send & &m.stores).mux(&m.more, &two(&o.c.two)),
            more,
            kept1: p.steps.a_is_kept(),
            kept2: steps.field("kept2", 2, |s| s.word.channels.kept2),
            kept3: steps.field("kept3", 2, |s| s.word.channels.kept3),
            keeps: steps.field("keeps", 2, |s| s.word.channels.keeps),
            goes_on: goes_on.clone(),
            scalar: all_of(&[computes.clone(), channels.one.clone(), !goes_on]),
            to: p.three.mux(&w.field(three::SUB), &dst.to) & channels.one.repeat(3),
            pick: p.predicate.clone(),
            pick_not: w.field(INVERT) & &predicated,
            chooses: selects,
            reverse: w.any(&["bfrev", "fbl"]),
            field: w.any(&["bfe", "bfi1"]),
            merge: w.is("bfi2"),
            constants: any_of(&[
                lit(2, constants::TRUTH) & truth.repeat(2),
                lit(2, constants::SAME) & chooses.repeat(2),
                lit(2, constants::MASK) & w.is("bfi1").repeat(2),
            ]),
            condition: kept,
            is_float: all_of(&[&p.three | &dst.kind.float, !compares]),
            is_signed: !&p.three & &dst.kind.signed,
            scale: m.scale.clone() & p.send.repeat(3),
            block: block.clone(),
            hop: branch.hop.clone(),
        };
        c.check(d);

        // Traps.
        let lacks = any_of(&[!w.known(), &short & self.compact_refused(&p, &given), refused(&p, &m.sound)]);
        let lacks = wire("lacks", lacks);
        let trapped = w.is("illegal").mux(&trap_cause(TrapCause::Trap), &zero(TRAP_CAUSE));
        let trap = lacks.mux(&trap_cause(TrapCause::Unimplemented), &trapped);
        let trap = w.unknown().mux(&trap_cause(TrapCause::Illegal), &trap);

        let accesses = wire("accesses_memory", &p.send & &(&m.loads | &m.stores));
        let address = AddressControl { base: accesses.clone(), ..AddressControl::zeros(()) };
        let control = Control {
            alu: lane::lane(&p, &m.shared_load).pack(),
            sfu: &p.math & &(steps.none() | steps.that(|s| s.word.control.sfu.value != 0)),
            s1_kind,
            s1_half: &o.a.half & !&number_a,
            s1_hi: o.a.hi.clone(),
            r1: o.a.register.clone(),
            s1_size: m.s1_size.clone(),
            s2_kind,
            s2_half: &o.b.half & !&is_number,
            s2_hi: o.b.hi.clone(),
            r2: o.b.register.clone(),
            s3_half: o.c.half.clone(),
            s3_hi: o.c.hi.clone(),
            r3: o.c.register.clone(),
            imm: number & is_number.repeat(32),
            dst_kind,
            dst_hi: &word & &dst.hi,
            dst_half: word,
            dst: register.clone(),
            flags_we: writes_flag,
            cdst: flag.clone(),
            cc: flag,
            mem: &m.mem & &p.send.repeat(3),
            mem_size: m.mem_size.clone(),
            passes: &m.passes & &accesses.repeat(2),
            flow: branch.flow.clone(),
            target: branch.target.clone(),
            bar: waits.clone(),
            bar_arrive: waits.clone(),
            bar_wait: waits,
            long: !&short,
            trap,
            use1: o.use1.clone(),
            use2: o.use2.clone(),
            use3: o.use3.clone(),
            use_cc: predicated,
            address: address.pack(),
            channels: c.pack(),
            ..Control::of_uops(d)
        };
        control.check(d);
        set(&self.control, control.pack());
        let numbers = Numbers { r1: o.a.register, r2: o.b.register, r3: o.c.register, dst: register };
        numbers.check(());
        set(&self.numbers, numbers.pack());
    }
}

impl IvbDecode {
    /// The bit of a compact instruction, 8 bytes long; else it has 16.
    pub const COMPACT: usize = 29;

    /// What is wrong with a compact instruction beside what is with its native one.
    fn compact_refused(&self, p: &Parts, given: &Expr) -> Expr {
        let has = p.w.those(|op| op.format.compacts());
        wire("wrong_compact", given.bit(COMPACT_RESERVED) | !has)
    }
}

rtl_block!(IvbDecode, "ivb_decode");
