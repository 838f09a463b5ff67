//! Stage A: guard, effective addresses; control operations leave for their units.

pub mod g13_lane;
pub mod lane;
pub mod limits;
pub mod sources;
pub mod uop_lane;

use super::bundles::{Addresses, Issue, Limits, Operation, BREAKS};
use super::flow::Flow;
use super::forward::Forward;
use super::memory::MemoryRegisters;
use super::predicates::PredicatesRead;
use super::registers::Registers;
use crate::config::WARP;
use crate::rtl::prelude::*;
use crate::sm::control::uop::AddressControl;
use crate::sm::control::{source1, source23, Control, BAR_COUNT, MAX_PASSES};
use crate::sm::dims::Dims;
use g13_lane::G13AddressLane;
use lane::{AddressLane, SHARED};
use limits::{elements, Memories};
use sources::{LaneWords, SourceParts, Sources};
use uop_lane::UopAddressLane;
use warpsmith_contract::trace::MemoryAccess;

group! {
    /// The beat in A.
    pub struct AddressRegisters(d: &Dims) as "a" {
        /// A holds a beat.
        reg valid(1),
        data issue(Issue::width(d)),
        data beat(d.beat),
        data pass(MAX_PASSES),
        /// The pass is the first.
        data first_pass(1),
        data first(1),
        data last(1),
        /// Operands whose register lies beyond the allocation: they read 0.
        data absent(3),
        /// The shared operand's address without the address register.
        data block_offset(SHARED),
    }
}

/// What the stage reads and drives.
pub struct AddressStage<'a> {
    pub d: &'a Dims,
    pub a: &'a AddressRegisters,
    /// The kernel has trapped.
    pub halt: &'a Input,
    /// Flags of SM 1.0, or predicates.
    pub flags: Option<&'a Ram>,
    pub predicates: Option<&'a Ram>,
    /// Address registers of SM 1.0.
    pub aregs: Option<&'a Ram>,
    pub file: &'a Registers,
    pub forward: &'a Forward,
    pub memories: Memories<'a>,
    /// Those of SM 1.0, of Fermi, of G13.
    pub lanes: &'a [AddressLane],
    pub uop_lanes: &'a [UopAddressLane],
    pub g13_lanes: &'a [G13AddressLane],
    /// Where operands of G13 come from.
    pub sources: Option<SourceParts<'a>>,
    /// Where control operations go.
    pub branch: &'a Flow,
    pub stall_control: &'a Output,
    /// Where the beat goes.
    pub m: &'a MemoryRegisters,
}

/// Threads whose flags meet the guard condition: 32 bits.
///
/// Where Z is known, a condition is an exclusive or of some of S, O or C, and 1.
fn guard(code: &Expr, row: &Expr) -> Expr {
    const Z: u8 = 1;
    const S: u8 = 2;
    const C: u8 = 4;
    const O: u8 = 8;
    let holds = |code: u8, flags: u8| warpsmith_isa::pred_holds(code, flags) == Some(true);
    let codes = |on: &dyn Fn(u8) -> bool| {
        let set = (0..32u8).filter(|c| on(*c)).fold(0u64, |m, c| m | 1 << c);
        lit(32, set).called("conditions").bit_at(code).called("condition")
    };
    // Conditions that change with a flag, by Z; of O and C no condition takes both.
    let changes = |flag: u8| [0, Z].map(|z| codes(&|c| holds(c, z) != holds(c, z | flag)));
    let one = [0, Z].map(|z| codes(&|c| holds(c, z)));
    let (sign, overflow, carry) = (changes(S), changes(O), changes(C));
    let by_carry = wire("by_carry", carry[0].clone());
    let other = [0, 1].map(|z: usize| (&overflow[z] | &carry[z]).called("by_other"));
    let thread = |f: &Expr| {
        let [z, s, c, o] = [0, 1, 2, 3].map(|i| f.bit(i));
        let sign = (&s & &z.mux(&sign[1], &sign[0])) ^ z.mux(&one[1], &one[0]);
        sign ^ (z.mux(&other[1], &other[0]) & by_carry.mux(&c, &o))
    };
    let threads: Vec<Expr> = row.each_word(4).iter().map(thread).collect();
    wire("guard", pack(threads.iter()))
}

impl AddressStage<'_> {
    /// Guard, addresses, control operations. `m_ready`: M takes a beat. Returns whether this stage moves, and
    /// whether the first beat of an instruction leaves it.
    pub fn rtl(&self, m_ready: &Expr) -> (Expr, Expr) {
        let d = self.d;
        section("Stage A: guard, addresses, control operations");
        let (valid, beat, pass) = (get(&self.a.valid), get(&self.a.beat), get(&self.a.pass));
        let issue = Issue::unpack(d, "a", &get(&self.a.issue));
        let c = Control::unpack(d, "ac", &issue.control);
        let (row, guard) = match (self.flags, self.predicates) {
            (Some(flags), _) => {
                let row = wire("flag_row", flags.read(0, &cat([&issue.warp, &c.cc])));
                let guard = guard(&c.pred, &row);
                (row, guard)
            }
            (None, Some(predicates)) => {
                let row = wire("predicate_row", predicates.read(0, &issue.warp));
                let read = PredicatesRead::of(&row, &c.predicates, &issue.mask);
                if let (Some(vote), Some(votes)) = (self.m.vote.get(), self.m.votes.get()) {
                    when(m_ready, || {
                        set(vote, read.vote);
                        set(votes, read.votes);
                    });
                }
                (read.row, read.guard)
            }
            (None, None) => (zero(4 * WARP), ones(WARP)),
        };
        let sources = self.sources.as_ref().map(|parts| {
            let this = (beat.clone(), get(&self.a.absent));
            (parts, Sources::of(d, parts, this, &issue, &c))
        });
        let taking_part = match &sources {
            // A mask is made of all threads that exist.
            Some((parts, s)) => {
                let present = parts.present.read(0, &issue.warp);
                s.control.mask.mux(&present, &issue.mask)
            }
            None => issue.mask.clone(),
        };
        let exec = wire("exec", &taking_part & &guard);

        let sound = !c.trap.any() & !get(self.halt);
        let flows = c.flow.any() | c.marker.any();
        // With the last beat: only then are the flags of every thread written.
        let last = &valid & get(&self.a.last) & &sound;
        // Nobody comes to a barrier: its warp goes on behind it. A warp of G13 comes without threads, too.
        let (flows, comes) = match d.has_predicates() {
            true => {
                let some = exec.any().called("some");
                (&flows | &(&c.bar & !&some), &c.bar & some)
            }
            false => (flows, c.bar.clone()),
        };
        let want_flow = wire("want_flow", &last & &flows);
        let want_bar = wire("want_bar", &last & &comes);
        let stuck = wire("control_stuck", (&want_flow | &want_bar) & !get(&self.branch.ready));
        let goes = wire("a_goes", &valid & m_ready & !&stuck);
        let step = match &sources {
            Some((_, s)) => cat([&s.control.length, &zero(1)]),
            None => cat([&c.long, &!&c.long, &zero(2)]),
        };
        let operation = Operation {
            op: c.flow.clone(),
            marker: c.marker.clone(),
            warp: issue.warp.clone(),
            active: issue.mask.clone(),
            exec: exec.clone(),
            target: c.target.clone(),
            next: &issue.pc + &step.zext(d.pc),
            pc: issue.pc.clone(),
            block: issue.block.clone(),
            bar_id: c.bar_id.clone(),
            bar_arrive: c.bar_arrive.clone(),
            bar_wait: c.bar_wait.clone(),
            bar_count: match d.has_uops() {
                true => c.imm.bits(0, BAR_COUNT),
                false => nothing(),
            },
        };
        operation.check(d);
        set(&self.branch.flow_valid, &want_flow & &goes);
        set(&self.branch.bar_valid, &want_bar & &goes);
        set(&self.branch.operation, operation.pack());
        set(self.stall_control, &stuck & m_ready);

        let absent = get(&self.a.absent);
        let aregs = self.aregs.map(|r| get(&r.rdata[0]).named());
        let global = c.accesses_global();
        // Known here: the rounds of shared memory are a long way in M.
        let shared = c.s1_kind.is(source1::SHARED) | c.accesses(MemoryAccess::SharedStore);
        let first_pass = get(&self.a.first_pass);
        let enters = &valid & !&stuck;
        // Of SM 1.0 only global and local accesses are wide.
        let in_pass = match d.has_uops() {
            true => lit(1, 1),
            false => first_pass.clone(),
        };
        let shared = wire("to_shared", &enters & shared & &in_pass);
        let limits = self.memories.of(d, &c, &first_pass);
        let constant = match d.has_uops() {
            true => c.s2_kind.is(source23::CONST) | c.s3_kind.is(source23::CONST),
            false => limits.constant_on.clone(),
        };
        let constant = wire("to_constant", enters & &constant);
        let lanes_on = exec.word_at(&beat, d.lanes);
        let breaks = (&c.breakpoint & get(&self.a.last)).repeat(BREAKS);
        let live: Vec<Expr> = exec.each_word(WARP / BREAKS).iter().map(Expr::any).collect();
        let breaks = breaks & pack(live.iter());
        when(m_ready, || {
            set(&self.m.shared_on, &shared);
            set(&self.m.shared, &lanes_on & &shared.repeat(d.lanes));
            set(&self.m.constant, &lanes_on & &constant.repeat(d.lanes));
            set(&self.m.valid, &goes);
            set(&self.m.issue, get(&self.a.issue));
            set(&self.m.beat, &beat);
            set(&self.m.pass, &pass);
            set(&self.m.first_pass, &first_pass);
            set(&self.m.first, get(&self.a.first));
            set(&self.m.last, get(&self.a.last));
            set(&self.m.exec, &lanes_on);
            set(&self.m.limits, limits.pack());
            set(&self.m.breaks, &breaks);
            set(&self.m.cc, row.word_at(&beat, 4 * d.lanes));
        });
        let clear = (m_ready.repeat(3) & &absent).each_bit();
        let has_areg = wire("has_areg", c.areg.any());
        let block_offset = match &sources {
            Some(_) => {
                let step = elements(&limits.main_size, &pass).zext(SHARED);
                wire("block_offset_of_pass", get(&self.a.block_offset) + step)
            }
            None => get(&self.a.block_offset),
        };
        for l in 0..d.lanes {
            let file = self.file;
            let registers = [&self.m.r1[l], &self.m.r2[l], &self.m.r3[l]];
            let operands = [&file.d1[l], &file.d2[l], &file.d3[l]];
            let operands: Vec<Expr> = (0..3).map(|i| self.forward.operand(i, l, get(operands[i]))).collect();
            if let Some((_, sources)) = &sources {
                let words = sources.lane(l, &operands, &c);
                let [r1, r2, r3, r4] = &words.operands;
                when(m_ready, || {
                    for (to, word) in registers.iter().zip([r1, r2, r3]) {
                        set(*to, word);
                    }
                    set(&self.m.r4[l], r4);
                });
                let lane = &self.g13_lanes[l];
                let values = self.g13_addresses(lane, &c, &words, (sources, &limits), &block_offset);
                when(m_ready, || set(&self.m.at[l], values.pack()));
                continue;
            }
            for (i, to) in registers.into_iter().enumerate() {
                when(m_ready, || set(to, &operands[i]));
                // Said last and with its own condition, so that it maps to the flip-flops' reset.
                when(&clear[i], || set(to, zero(32)));
            }
            let r1 = absent.bit(0).mux(&zero(32), &operands[0]);
            let r1 = wire(&format!("r1_{l}"), r1);
            if let Some(lane) = self.uop_lanes.get(l) {
                let high = absent.bit(1).mux(&zero(32), &operands[1]);
                let values = self.uop_addresses(lane, &c, [r1, high]);
                when(m_ready, || set(&self.m.at[l], values.pack()));
                continue;
            }
            let (lane, Some(aregs)) = (&self.lanes[l], &aregs) else {
                continue;
            };
            let areg = wire(
                &format!("areg_{l}"),
                has_areg.mux(&self.forward.address_register(l, aregs.bits(16 * l, 16)), &zero(16)),
            );
            set(&lane.areg, &areg);
            set(&lane.r1, &r1);
            set(&lane.s_offset, &c.s_offset);
            set(&lane.c_offset, &c.c_offset);
            set(&lane.areg_use, &c.areg_use);
            set(&lane.post_inc, &c.post_inc);
            set(&lane.is_global, &global);
            set(&lane.block_offset, get(&self.a.block_offset));
            let values = Addresses {
                areg,
                main: get(&lane.main),
                shared: get(&lane.shared).bits(0, d.shared),
                constant: get(&lane.constant),
                next: get(&lane.next),
                beyond: nothing(),
            };
            values.check(d);
            when(m_ready, || set(&self.m.at[l], values.pack()));
        }
        let starts = &goes & &get(&self.a.first) & !get(self.halt);
        (m_ready & &!&stuck, starts)
    }

    /// What a lane of G13 makes of base, index and offset.
    fn g13_addresses(
        &self,
        lane: &G13AddressLane,
        c: &Control,
        words: &LaneWords,
        (sources, limits): (&Sources, &Limits),
        block_offset: &Expr,
    ) -> Addresses {
        let (d, s) = (self.d, &sources.control);
        let how = AddressControl::unpack((), "how", &c.address);
        let [base, high] = &words.base;
        set(&lane.base, base & &how.base.repeat(32));
        set(&lane.high, high & &how.base.repeat(32));
        set(&lane.low_bits, limits.main_size.bits(0, 2) & how.far.repeat(2));
        set(&lane.wide, &how.far);
        set(&lane.index, &words.index);
        set(&lane.index_signed, &s.index_signed);
        set(&lane.scale, &s.scale);
        set(&lane.offset, &c.imm);
        set(&lane.block_offset, block_offset);
        let values = Addresses {
            areg: zero(16),
            main: get(&lane.main),
            shared: get(&lane.shared).bits(0, d.shared),
            constant: zero(16),
            next: zero(16),
            beyond: get(&lane.beyond),
        };
        values.check(d);
        values
    }

    /// What a lane of micro-operations makes of the words of its base.
    fn uop_addresses(&self, lane: &UopAddressLane, c: &Control, base: [Expr; 2]) -> Addresses {
        let d = self.d;
        set(&lane.r1, &base[0]);
        set(&lane.r2, &base[1]);
        set(&lane.control, &c.address);
        set(&lane.offset, &c.imm);
        set(&lane.c_offset, &c.c_offset);
        set(&lane.block_offset, get(&self.a.block_offset));
        let values = Addresses {
            areg: zero(16),
            main: get(&lane.main),
            shared: get(&lane.shared).bits(0, d.shared),
            constant: get(&lane.constant),
            next: zero(16),
            beyond: get(&lane.beyond),
        };
        values.check(d);
        values
    }
}
