//! Scoreboard: which results of a warp are still under way.
//!
//! Each warp has [`SLOTS`] slots, one for each instruction in flight, holding what it will write:
//! registers, flags, an address register. An instruction in H may go when a slot is free and
//! nothing it reads or writes is in a slot, so independent instructions of a warp overlap.
//!
//! | port         | width   | meaning                                                        |
//! |--------------|---------|----------------------------------------------------------------|
//! | `coming`     | warp    | the warp whose instruction comes next                          |
//! | `arriving`   | Control | its instruction                                                |
//! | `numbers`    | Numbers | its registers as the word numbers them                         |
//! | `step`       | 1       | it comes                                                       |
//! | `warp`       | warp    | the warp that asks: `coming` of the last `step`                |
//! | `control`    | Control | its instruction: `arriving` of the last `step`                 |
//! | `asks`       | 1       | there is one                                                   |
//! | `hazard`     | 1       | it must wait                                                   |
//! | `waits_for`  | 2       | for what: one of [`kind`]                                      |
//! | `slot`       | 2       | slot it gets                                                   |
//! | `allocate`   | 1       | it goes: the slot is taken                                     |
//! | `free_*`     |         | pipeline: the results of a slot can be read                    |
//! | `done_*`     |         | load/store unit: the same, for loads and stores                |
//! | `busy`       | warps   | the warp has something in flight                               |
//!
//! Timing: a cycle ahead, when `step`, the warp's slots are read, those in use are chosen and their
//! registers are compared with those of the instruction; nothing of that warp may be allocated
//! meanwhile. `hazard`, `waits_for` and `slot` are combinational; a slot freed in one cycle counts in
//! the next. An instruction that asks is written to the slot it would get: whether it goes comes late and
//! decides only that the slot is taken.
//! Reset or `clear`: all slots free. Errors: none.
//! Source: docs/architecture.md, The chip; FlexGripPlus has one instruction a warp and needs none.

use super::bundles::Completion;
use crate::config::GpuConfig;
use crate::rtl::prelude::*;
use crate::sm::control::g13::{exchange, SourceControl};
use crate::sm::control::ivb::{pick, ChannelControl};
use crate::sm::control::uop::{self, PredicateControl};
use crate::sm::control::{last_pass, Control, Numbers};
use crate::sm::dims::Dims;
use warpsmith_contract::trace::{Destination, MemoryAccess};

/// Instructions a warp may have in flight.
pub const SLOTS: usize = 4;

/// Who completes an instruction (`Entry::kind`), and so what one that needs it waits for.
pub mod kind {
    /// The pipeline, a few cycles.
    pub const PIPELINE: u64 = 0;
    /// Memory.
    pub const MEMORY: u64 = 1;
    /// A special-function unit.
    pub const SPECIAL: u64 = 2;
}

packed! {
    /// What an instruction in flight will write.
    pub struct Entry(d: &Dims) {
        gpr: 1,
        reg: 7,
        /// Registers minus one: 0, 1 or 3, of Ivy Bridge up to 7.
        more: 2 + d.has.channels.bits(1),
        cc: 1,
        creg: 2,
        areg: 1,
        anum: 3,
        /// Post-increment of a second address register.
        inc: 1,
        inum: 3,
        /// One of [`kind`].
        kind: 2,
        /// Predicates; of Fermi alone.
        q1: d.has.predicates.bits(3),
        q2: d.has.predicates.bits(3),
        /// What later steps of the instruction read; of Ivy Bridge alone.
        keeps: d.has.channels.bits(1),
    }
}

packed! {
    /// One slot of the warp that asks, held against its instruction's registers a cycle ahead.
    pub struct Held(d: &Dims) {
        /// The operand's register is one of those to be written: first, second, third, destination.
        in_1: 1,
        in_2: 1,
        in_3: 1,
        in_dst: 1,
        /// The first to be written is at most three behind the third operand's, the destination's
        /// first: then by how many. Not of Ivy Bridge, where the four above are about all registers of an operand.
        near_3: (!d.has.channels).bits(1),
        by_3: (!d.has.channels).bits(2),
        near_dst: (!d.has.channels).bits(1),
        by_dst: (!d.has.channels).bits(2),
        // As in `Entry`.
        cc: 1,
        creg: 2,
        areg: 1,
        anum: 3,
        inc: 1,
        inum: 3,
        kind: 2,
        /// One of its predicates is read or written by the instruction; of Fermi alone.
        predicate: d.has.predicates.bits(1),
        /// The second register of a pair that begins with the operand's is one of those to be written: first, second
        /// operand; with floats or sums of 64 bits.
        in_pair_1: d.double(1) + d.has.wide_sums.bits(1),
        in_pair_2: d.double(1) + d.has.wide_sums.bits(1),
        /// The register that a pass of its own reads is one of those to be written; of G13 alone.
        in_4: d.has.exchange.bits(1),
        /// As in `Entry`.
        keeps: d.has.channels.bits(1),
    }
}

impl Held {
    /// `e` against the registers of `c`: what depends on how the instruction uses them comes later.
    fn against(d: &Dims, e: &Entry, c: &Control, n: &Numbers) -> Self {
        let channels = c.channels(d, "n");
        // Runs of registers overlap when one begins inside the other. A register and that of a half
        // are both compared: which it is comes late.
        let within = |x: &Expr| &e.gpr & &(x - &e.reg).le(&e.more.zext(7));
        let inside = |number: &Expr, half: &Expr, more: fn(&ChannelControl) -> &Expr| match &channels {
            Some(channels) => meets(e, number, more(channels)),
            None if d.has.numbered_halves => half.mux(&within(&number.bits(1, 6).zext(7)), &within(number)),
            None => within(number),
        };
        let behind = |number: &Expr, half: &Expr| {
            if d.has.channels {
                return (nothing(), nothing());
            }
            let by = &e.reg - number;
            let near = &e.gpr & &!by.bits(2, 5).any();
            let near = if d.has.numbered_halves { near & !half } else { near };
            (near, by.bits(0, 2))
        };
        // Pairs of floats begin at even registers, of SM 1.3 anywhere.
        let in_pair = |number: &Expr| match (d.double && !d.has.late_flags, d.has.wide_sums || d.has.late_flags) {
            (true, _) => within(&(number | &lit(7, 1))),
            (_, true) => within(&(number + &lit(7, 1))),
            _ => nothing(),
        };
        let ((near_3, by_3), (near_dst, by_dst)) = (behind(&n.r3, &c.s3_half), behind(&n.dst, &c.dst_half));
        let in_4 = |s: SourceControl| within(&s.n4.bits(0, 7)) & s.exchange.is(exchange::FOURTH);
        Self {
            in_1: inside(&n.r1, &c.s1_half, |c| &c.more1),
            in_2: inside(&n.r2, &c.s2_half, |c| &c.more2),
            in_3: inside(&n.r3, &c.s3_half, |c| &c.more3),
            in_dst: inside(&n.dst, &c.dst_half, |c| &c.more),
            near_3,
            by_3,
            near_dst,
            by_dst,
            cc: e.cc.clone(),
            creg: e.creg.clone(),
            areg: e.areg.clone(),
            anum: e.anum.clone(),
            inc: e.inc.clone(),
            inum: e.inum.clone(),
            kind: e.kind.clone(),
            predicate: c.predicates(d, "n").map_or(nothing(), |p| Self::predicate(e, &p)),
            in_pair_1: in_pair(&n.r1),
            in_pair_2: in_pair(&n.r2),
            in_4: c.sources(d, "fourth").map_or(nothing(), in_4),
            keeps: e.keeps.clone(),
        }
    }

    /// A predicate that `e` writes is one of those of an instruction.
    fn predicate(e: &Entry, p: &PredicateControl) -> Expr {
        let all = [&p.guard, &p.p1, &p.p2, &p.p3, &p.q1, &p.q2];
        let same = |q: &Expr| any_of(&all.map(|p| p.eq(q))) & !q.is(uop::TRUE);
        same(&e.q1) | same(&e.q2)
    }
}

/// The registers of `e` are some of those of an operand, `first` and `more` behind it; each may be eight.
fn meets(e: &Entry, first: &Expr, more: &Expr) -> Expr {
    // Two runs of registers overlap when one begins inside the other: those of the slot up to seven behind the
    // operand's, or up to seven before them.
    let by = wire("by", &e.reg - first);
    let (near, far) = (by.bits(0, 3), by.bits(3, 4));
    let reaches = wire("reaches", near.zext(4) + e.more.zext(4)).bit(3);
    &e.gpr & &((!far.any() & near.le(more)) | (far.all() & reaches))
}

block! {
    /// See the module.
    pub struct Scoreboard(cfg: &GpuConfig) {
        in clear(1),
        in coming(d.warp),
        in arriving(Control::width(&d)),
        in numbers(Numbers::width(())),
        in step(1),
        in warp(d.warp),
        in control(Control::width(&d)),
        in asks(1),
        out hazard(1),
        out waits_for(2),
        out slot(2),
        in allocate(1),
        part free(Completion<Sink>: &d),
        part done(Completion<Sink>: &d),
        out busy(d.warps),
        reg taken(d.warps * SLOTS),
        /// Of the asking warp.
        reg mine(SLOTS),
        part entries([SLOTS] Ram: RamKind::Lut, d.warps, Entry::width(&d), 1),
        /// The slots of the asking warp.
        data held([SLOTS] Held::width(&d)),
        keep _d(Dims = d),
    } where {
        let d = Dims::of(cfg);
    }
}

impl Rtl for Scoreboard {
    fn rtl(&self) {
        let d = &self._d;
        let c = Control::unpack(d, "c", &get(&self.control));
        let channels = c.channels(d, "c");
        let warp = get(&self.warp);
        let taken = get(&self.taken);
        let mine = get(&self.mine);
        let free = wire("free", lowest_one_hot(&!&mine));
        let full = wire("full", mine.all());
        let slot = wire("slot_index", one_hot_index(&free, 2));

        let sized = c.accesses_global(d) | c.accesses(MemoryAccess::LocalLoad) | c.accesses(MemoryAccess::LocalStore);
        let multi = |code| &sized & &c.mem_size.is(code);
        let more = wire(
            "more",
            match d.has.wide_operands {
                true => last_pass(d, &c.passes),
                false => multi(5).mux(&lit(2, 3), &multi(4).mux(&lit(2, 1), &lit(2, 0))),
            },
        );
        // Registers that are written, less one; of the third operand as many are read.
        let double = c.double(d, "c");
        let more = match &double {
            Some(double) if d.has.late_flags => wire("more_of_pair", more | double.wide.zext(2)),
            _ => more,
        };
        let written = match (&double, &channels) {
            (Some(double), _) => wire("written", double.is_double.mux(&double.wide_result.zext(2), &more)),
            (None, Some(channels)) => channels.more.clone(),
            (None, None) => more.clone(),
        };
        // First and second operand are pairs.
        let pairs = match (&double, c.wide_sums(d, "sum")) {
            (Some(double), _) => Some([double.wide.clone(), double.wide.clone()]),
            (None, Some(s)) => Some([0, 1].map(|n| &s.sum_of_two & &s.step.bit(n))),
            (None, None) => None,
        };
        let [q1, q2] = c.predicates(d, "cp").map_or([nothing(), nothing()], |p| [p.q1, p.q2]);
        let gpr = c.dst_kind.is(Destination::Gpr as u64);
        let to_areg = c.dst_kind.is(Destination::Addr as u64);
        let anum = c.dst.bits(0, 3);
        let new = Entry {
            gpr: gpr.clone(),
            reg: c.dst.clone(),
            more: written.clone(),
            cc: c.flags_we.clone(),
            creg: c.cdst.clone(),
            areg: to_areg.clone(),
            anum: anum.clone(),
            inc: c.post_inc.clone(),
            inum: c.areg.clone(),
            kind: cat([&c.sfu, &c.mem.bits(1, 2).any()]),
            q1,
            q2,
            keeps: channels.as_ref().map_or(nothing(), |channels| channels.keeps.any()),
        };
        new.check(d);
        let asks = get(&self.asks);

        let arriving = Control::unpack(d, "n", &get(&self.arriving));
        let numbers = Numbers::unpack((), "number", &get(&self.numbers));
        let mut clash = vec![];
        let mut kinds = vec![];
        for (i, ram) in self.entries.iter().enumerate() {
            let read = ram.read(0, &get(&self.coming));
            let entry = Entry::unpack(d, &format!("e{i}"), &read);
            let held = Held::against(d, &entry, &arriving, &numbers);
            held.check(d);
            when(&get(&self.step), || set(&self.held[i], held.pack()));
            ram.write(&warp, &new.pack(), &(&asks & &free.bit(i)));
            let e = Held::unpack(d, &format!("h{i}"), &get(&self.held[i]));
            let [in_1, in_2] = match &pairs {
                Some([a, b]) => [&e.in_1 | &(a & &e.in_pair_1), &e.in_2 | &(b & &e.in_pair_2)],
                None => [e.in_1.clone(), e.in_2.clone()],
            };
            let [in_3, in_dst] = match &channels {
                Some(_) => [e.in_3.clone(), e.in_dst.clone()],
                None => {
                    [&e.in_3 | &(&e.near_3 & &e.by_3.le(&more)), &e.in_dst | &(&e.near_dst & &e.by_dst.le(&written))]
                }
            };
            let registers = any_of(&[&c.use1 & &in_1, &c.use2 & &in_2, &c.use3 & &in_3, &gpr & &in_dst]);
            let flag_read = match &channels {
                Some(channels) => {
                    // Both flags of a register.
                    let both = channels.pick.is(pick::ANY_OF_BOTH) | channels.pick.is(pick::ALL_OF_BOTH);
                    c.cc.bit(1).eq(&e.creg.bit(1)) & (both | c.cc.bit(0).eq(&e.creg.bit(0)))
                }
                None => c.cc.eq(&e.creg),
            };
            let flags = &e.cc & &((&c.use_cc & &flag_read) | (&c.flags_we & &c.cdst.eq(&e.creg)));
            let address = |there: &Expr, number: &Expr| {
                there
                    & &any_of(&[
                        &c.use_areg & &c.areg.eq(number),
                        &to_areg & &anum.eq(number),
                        &c.post_inc & &c.areg.eq(number),
                    ])
            };
            let mut clashes = vec![registers, flags, address(&e.areg, &e.anum), address(&e.inc, &e.inum)];
            clashes.extend([e.predicate, e.in_4].into_iter().filter(|there| there.width() > 0));
            clashes.extend(channels.as_ref().map(|channels| &e.keeps & channels.reads_kept()));
            let hit = mine.bit(i) & any_of(&clashes);
            let hit = wire(&format!("clash_{i}"), hit);
            kinds.push((&hit | &full).repeat(2) & &e.kind);
            clash.push(hit);
        }
        set(&self.hazard, full | any_of(&clash));
        let kinds = kinds.iter().fold(zero(2), |all, k| all | k);
        let memory = kinds.bit(0);
        set(&self.waits_for, cat([&(kinds.bit(1) & !&memory), &memory]));
        set(&self.slot, &slot);

        let n = d.warps * SLOTS;
        let at = |warp: &Expr, slot: &Expr, valid: &Expr| cat([warp, slot]).one_hot(n) & valid.repeat(n);
        let gone = at(&get(&self.free.warp), &get(&self.free.slot), &get(&self.free.valid))
            | at(&get(&self.done.warp), &get(&self.done.slot), &get(&self.done.valid));
        let come = at(&warp, &slot, &get(&self.allocate));
        let clear = get(&self.clear);
        set(&self.taken, ((&taken & !wire("gone", gone)) | wire("come", come)) & !clear.repeat(n));
        // Those of the warp that asks, chosen before it does: nothing is allocated to it meanwhile.
        let gone_of = |of: &Expr| {
            let by = |valid: &Input, warp: &Input, slot: &Input| {
                get(slot).one_hot(SLOTS) & (get(valid) & get(warp).eq(of)).repeat(SLOTS)
            };
            by(&self.free.valid, &self.free.warp, &self.free.slot)
                | by(&self.done.valid, &self.done.warp, &self.done.slot)
        };
        let coming = get(&self.coming);
        let next =
            get(&self.step).mux(&(taken.word_at(&coming, SLOTS) & !gone_of(&coming)), &(&mine & !gone_of(&warp)));
        set(&self.mine, next & !clear.repeat(SLOTS));
        let busy: Vec<Expr> = taken.each_word(SLOTS).iter().map(Expr::any).collect();
        set(&self.busy, pack(busy.iter()));
    }
}

rtl_block!(Scoreboard, "scoreboard");
