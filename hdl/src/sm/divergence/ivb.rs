//! Divergence unit of Ivy Bridge: which channels of a thread run next, and where.
//!
//! Every channel has the address of its next instruction, the thread a pointer. Channels at the pointer are active;
//! an operation sends them on and moves the pointer. The others wait, each with its address, until the pointer comes
//! to them. A row a warp holds who waits, and where.
//!
//! | port              | width | meaning                                                     |
//! |-------------------|-------|-------------------------------------------------------------|
//! | `valid`           | 1     | an operation; taken when `ready`                            |
//! | `op`              | 4     | one of [`flow`]                                             |
//! | `marker`          | 2     | not looked at: who waits where NONE goes joins, as with JOIN |
//! | `warp`            | warp  | warp slot                                                   |
//! | `active`          | 32    | channels at the pointer, also none                          |
//! | `exec`            | 32    | channels that execute; taken are those of them that are active |
//! | `target`, `next`, `hop` | pc | target address; address after the instruction; second target address |
//! | `ready`           | 1     | an operation can be taken                                   |
//! | `start_valid`     | 1     | warp `start_warp` begins: no channel of it waits            |
//! | `result_valid`    | 1     | one cycle: the operation is complete                        |
//! | `result_warp`     | warp  | its warp                                                    |
//! | `result_mask`     | 32    | channels at the pointer from now on; a thread without any goes on |
//! | `result_pc`       | pc    | the pointer                                                 |
//! | `result_waits`    | 32    | bit n: a channel waits at an address a with a / 8 % 32 = n  |
//! | `result_finished` | 1     | END: the warp has ended, mask is 0                          |
//! | `result_trap`     | 1     | 0                                                           |
//! | `result_cause`    | 4     | 0                                                           |
//! | `result_depth`    | 7     | 0                                                           |
//! | `busy`            | 1     | an operation is under way, or its result is being given     |
//!
//! Masks have 16 channels, their upper half is 0. Addresses are multiples of 8 and compared as they are, also those
//! beyond the program.
//!
//! | operation | active channels go to                | the pointer goes to                     |
//! |-----------|--------------------------------------|-----------------------------------------|
//! | NONE      | `next`                               | `next`                                  |
//! | IF        | `next` those taken, others `target`  | `next` if a channel is there, else `target` |
//! | ELSE      | `target`                             | `next` if a channel is there, else `target` |
//! | ENDIF     | `next`                               | `next` if a channel is there, else `hop` |
//! | LEAVE     | `target` those taken, others `next`  | `next` if a channel is there, else `hop` |
//! | WHILE     | `target` those taken, others `next`  | `target` if one is taken, else `next`   |
//! | DIVERGE   | `target` those taken, others `next`  | `next` if a channel is there, else `target` |
//! | JUMP      | `target` if a channel executes, active or not, else `next` | the same          |
//!
//! Timing: taken in cycle 0, the result in cycle 2; in cycle 3 where no channel is at `next` and the pointer goes to
//! the other address. The next operation is taken in the cycle of the result. `start_*` may come in any cycle, but not
//! while an operation of that warp is under way.
//! Reset: no operation; nobody waits after `start_*` only. Errors: none.
//! Source: docs/instruction-sets.md, Ivy Bridge; docs/ivy-bridge-on-a-chip.md.

use super::{written, Ports};
use crate::config::{GpuConfig, WARP};
use crate::rtl::prelude::*;
use crate::sm::control::ivb::{flow, ALIGN, FILTER};
use crate::sm::control::TRAP_CAUSE;
use crate::sm::dims::{Dims, DEPTH};
use crate::sm::pipeline::bundles::WaitingChannels;

block! {
    /// See the module.
    pub struct ChannelUnit(cfg: &GpuConfig) {
        part ports(Ports<Sink>: &d),
        /// Second target address, with `valid`.
        in hop(d.pc),
        /// Who waits where, with `result_valid`.
        out result_waits(FILTER),
        /// An operation has been taken: the pointer looks for channels.
        reg looking(1),
        data held_warp(d.warp),
        data held_end(1),
        /// Channels that are active or wait, and where each is.
        data present(d.threads),
        data place([d.threads] d.pc - ALIGN),
        /// Where the pointer looks for channels, where it looks otherwise, and that there is no other.
        data sought(d.pc - ALIGN),
        data other(d.pc - ALIGN),
        data sure(1),
        reg given(1),
        data mask(d.threads),
        /// Warps that have begun and executed no operation: their rows are stale.
        reg fresh(d.warps),
        /// A row a warp: who waits, and the address of each channel.
        part rows(Ram: RamKind::Lut, d.warps, d.threads * (1 + d.pc - ALIGN), 1),
        keep _d(Dims = d),
    } where {
        let d = Dims::of(cfg);
    }
}

impl Rtl for ChannelUnit {
    fn rtl(&self) {
        let (d, p) = (&self._d, &self.ports);
        let looking = get(&self.looking);
        let (sought, present) = (get(&self.sought), get(&self.present));

        // Looking for channels.
        let places = get_all(&self.place);
        let here: Vec<Expr> = places.iter().map(|place| place.eq(&sought)).collect();
        let here = wire("here", &present & pack(here.iter()));
        let settled = wire("settled", get(&self.sure) | here.any());
        let complete = wire("complete", &looking & &settled);
        when(&looking, || {
            set(&self.mask, &here);
            when(&!&settled, || {
                set(&self.sought, get(&self.other));
                set(&self.sure, lit(1, 1));
            });
        });
        let row: Vec<Expr> = [&present & !&here].into_iter().chain(places.iter().cloned()).collect();
        self.rows.write(&get(&self.held_warp), &pack(row.iter()), &complete);

        self.take(&looking, &complete);

        let (given, end, mask) = (get(&self.given), get(&self.held_end), get(&self.mask));
        let waiting = wire("waiting", &present & !&mask).each_bit();
        let place_of_waiting = |(waits, place): (&Expr, &Expr)| waits.resize(FILTER).shl(&place.resize(clog2(FILTER)));
        let waits: Vec<Expr> = waiting.iter().zip(&places).map(place_of_waiting).collect();
        set(&self.result_waits, any_of(&waits));
        set(&p.ready, !&looking);
        set(&p.busy, &looking | &given);
        set(&p.result_valid, &given);
        set(&p.result_warp, get(&self.held_warp));
        set(&p.result_mask, (mask & (!&end).repeat(d.threads)).zext(WARP));
        set(&p.result_pc, cat([&sought, &zero(ALIGN)]));
        set(&p.result_finished, end);
        set(&p.result_trap, zero(1));
        set(&p.result_cause, zero(TRAP_CAUSE));
        set(&p.result_depth, zero(DEPTH));
    }
}

impl ChannelUnit {
    /// Takes an operation while none is `looking`, and sends its channels on; one is `complete`.
    fn take(&self, looking: &Expr, complete: &Expr) {
        let (d, p) = (&self._d, &self.ports);
        let accept = wire("accept", !looking & get(&p.valid));
        set(&self.looking, &accept | &(looking & &!complete));
        set(&self.given, complete);
        let asked = get(&p.warp);
        let kept = written(&self.fresh, (&get(&p.start_warp), &get(&p.start_valid)), (&asked, &accept), &asked);
        let row = self.rows.read(0, &asked).called("row");

        let op = coded(&get(&p.op), &flow::CODES);
        let is = |codes: &[u64]| any_of(&codes.iter().map(|code| op.is(*code)).collect::<Vec<Expr>>());
        let active = wire("active_channels", get(&p.active).bits(0, d.threads));
        let exec = wire("exec_channels", get(&p.exec).bits(0, d.threads));
        let jumps = wire("jumps", op.is(flow::JUMP) & exec.any());
        let repeats = wire("repeats", op.is(flow::WHILE) & (&active & &exec).any());
        // Those that execute, the others, or both go to the target.
        let all = op.is(flow::ELSE) | &jumps;
        let taken = wire("taken_leave", is(&[flow::LEAVE, flow::WHILE, flow::DIVERGE]) | &all);
        let rest = wire("rest_leaves", op.is(flow::IF) | &all);
        let leaves = (&exec & &taken.repeat(d.threads)) | (!&exec & rest.repeat(d.threads));
        let leaves = wire("leaves", leaves).each_bit();
        let above = |address: &Expr| address.bits(ALIGN, d.pc - ALIGN);
        let (next, target, hop) = (above(&get(&p.next)), above(&get(&p.target)), above(&get(&self.hop)));
        when(&accept, || {
            set(&self.held_warp, &asked);
            set(&self.held_end, op.is(flow::END));
            set(&self.present, &active | &(row.bits(0, d.threads) & kept.repeat(d.threads)));
            let old = (0..d.threads).map(|c| row.bits(d.threads + c * next.width(), next.width()));
            for (c, old) in old.enumerate() {
                let to = leaves[c].mux(&target, &next);
                set(&self.place[c], active.bit(c).mux(&to, &old));
            }
            set(&self.sought, (&jumps | &repeats).mux(&target, &next));
            set(&self.other, is(&[flow::ENDIF, flow::LEAVE]).mux(&hop, &target));
            set(&self.sure, !is(&[flow::IF, flow::ELSE, flow::ENDIF, flow::LEAVE, flow::DIVERGE]));
        });
    }
}

rtl_block!(ChannelUnit, "ivb_divergence");

group! {
    /// For each warp of Ivy Bridge, where channels wait.
    pub struct ChannelFilter(d: &Dims) as "filter" {
        /// The warp has begun and no channel has ever waited.
        reg fresh(d.warps),
        part places(Ram: RamKind::Lut, d.warps, FILTER, 1),
    }
}

impl ChannelFilter {
    /// A channel of the warp may wait at `next`; never missed.
    pub fn joins(&self, waits: &WaitingChannels<Sink>, starts: (&Expr, &Expr), warp: &Expr, next: &Expr) -> Expr {
        let (valid, of) = (get(&waits.valid), get(&waits.warp));
        self.places.write(&of, &get(&waits.places), &valid);
        let written = written(&self.fresh, starts, (&of, &valid), warp);
        let places = self.places.read(0, warp) & written.repeat(FILTER);
        wire("joins", places.bit_at(&next.bits(ALIGN, clog2(FILTER))))
    }
}
