//! Trace port: what lockstep reads, one group a purpose.
//!
//! | group   | meaning                                                                        |
//! |---------|--------------------------------------------------------------------------------|
//! | (none)  | a beat of a retiring instruction, with what it wrote and where                 |
//! | `ld_`   | registers written later, by a load or a special function                       |
//! | `done_` | the load/store unit or a special-function unit has finished an instruction     |
//! | `perf_` | its last request was accepted at the SM's port: the order among SMs            |
//! | `start_`, `exit_` | a warp begins, has ended                                             |
//! | `stall` | why nothing was issued in this cycle; the number of its counter, 0 for nothing |
//! | `issue_` | an instruction leaves decode                                                  |
//! | `at_`   | a bit a warp slot: where each warp stands and what it waits for                |
//! | `held_pc` | the instruction in stage M or D, whichever holds the front in a stall there  |
//! | `req_`  | the SM's port takes a request of the load/store unit                           |
//!
//! Widths are fixed over all configurations but for the lanes, so that one reader fits them all; the
//! number of a beat is one bit wider on two lanes, which have sixteen.
//! Timing: the signals show the cycle itself. Reset: `*_valid` low. Errors: none.
//! Source: docs/cosim.md.

use super::dims::{Dims, DEPTH};
use super::pipeline::bundles::{BeatTag, Issue};
use crate::config::{GpuConfig, WARP};
use crate::rtl::prelude::*;
use rust_hdl_core::ast::Verilog;
use rust_hdl_core::block::Block;
use rust_hdl_core::probe::Probe;

macro_rules! trace {
    ($($field:ident: $w:expr),* $(,)?) => {
        /// The trace outputs of an SM.
        pub struct TraceOut { $(pub $field: Output,)* }
        impl TraceOut {
            /// Outputs for `l` lanes.
            pub fn new(l: usize) -> Self {
                let width = |w: fn(usize) -> usize| w(l);
                Self { $($field: Output::new(width($w)),)* }
            }
            /// All outputs with their names, in order.
            pub fn all(&self) -> Vec<(&'static str, &Output)> {
                vec![$((stringify!($field), &self.$field)),*]
            }
        }
    };
}

trace! {
    valid: |_| 1, first: |_| 1, last: |_| 1, warp: |_| 5, slot: |_| 2, block: |_| 3,
    pc: |_| 24, word: |_| 64, active: |_| WARP, exec: |l| l, beat: |l| clog2(WARP / l).max(3), pass: |_| 2,
    dst: |_| 3, reg: |_| 8, half: |_| 2, y: |l| 32 * l,
    flags_we: |_| 1, cc: |_| 2, flags: |l| 4 * l,
    postinc: |_| 1, areg: |_| 3, areg_value: |l| 16 * l,
    mem: |_| 3, addr: |l| 32 * l, data: |l| 32 * l, depth: |_| DEPTH,
    ld_valid: |_| 1, ld_warp: |_| 5, ld_slot: |_| 2, ld_rf: |_| 16, ld_mask: |l| l, ld_data: |l| 32 * l,
    done_valid: |_| 1, done_warp: |_| 5, done_slot: |_| 2,
    perf_valid: |_| 1, perf_warp: |_| 5, perf_slot: |_| 2,
    start_valid: |_| 1, start_warp: |_| 5, start_block: |_| 3, start_mask: |_| WARP, start_x: |_| 16, start_y: |_| 16,
    start_index: |_| 5, start_rf: |_| 16,
    exit_valid: |_| 1, exit_warp: |_| 5,
    stall: |_| 4,
    issue_valid: |_| 1, issue_warp: |_| 5, issue_pc: |_| 24, issue_slot: |_| 2,
    at_live: |_| WARP, at_blocked: |_| WARP, at_hazard: |_| WARP, at_hazard_load: |_| WARP,
    at_hazard_sfu: |_| WARP, at_unfetched: |_| WARP, at_waiting: |_| WARP,
    held_pc: |_| 24, req_valid: |_| 1,
}

/// A group of outputs has no scope of its own: SM 3's `valid` is the port `tr3_valid`.
impl Block for TraceOut {
    fn connect_all(&mut self) {}
    fn update_all(&mut self) {}
    fn has_changed(&self) -> bool {
        false
    }
    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        let base = name.replace('$', "");
        for (field, out) in self.all() {
            out.accept(&format!("{base}_{field}"), probe);
        }
    }
}

impl Logic for TraceOut {
    fn update(&mut self) {}
    fn hdl(&self) -> Verilog {
        Verilog::Empty
    }
}

/// The signals of an SM that the trace port shows beside the retire group.
pub struct Events {
    pub ld: [Expr; 4],
    pub ld_data: Expr,
    pub ld_valid: Expr,
    pub done: [Expr; 3],
    pub performed: [Expr; 3],
    pub start: [Expr; 8],
    pub exit: [Expr; 2],
    pub stall: Expr,
    /// Valid, warp, pc, slot.
    pub issue: [Expr; 4],
    /// Live, control under way, waits for a result, of these for a load, for a special function,
    /// no line fetched, at a barrier; a bit a warp slot.
    pub at: [Expr; 7],
    pub held_pc: Expr,
    pub request: Expr,
}

/// A register that is wider where there is a trace port.
pub struct Wider {
    /// Its width without one.
    pub without: usize,
    /// And with one.
    pub with: usize,
    /// Where each bit of the narrow register stands in the wide one; `None`: it stands in for a field
    /// that only the wide one has, and is always 0.
    pub place: Vec<Option<u32>>,
}

/// The registers a configuration has wider with a trace port than without: those that hold an
/// [`Issue`] or a [`BeatTag`], and those that hold addresses and data for the port alone.
pub fn wider(cfg: &GpuConfig) -> Vec<Wider> {
    let dims = |trace| {
        Dims::of(&GpuConfig {
            trace,
            ..cfg.clone()
        })
    };
    let (narrow, wide) = (dims(false), dims(true));
    let of = |without: Vec<(&str, usize)>, with: Vec<(&str, usize)>| {
        let (mut at, mut place) = (0, vec![]);
        for ((name, a), (other, b)) in without.iter().zip(&with) {
            assert_eq!(name, other, "the same fields");
            place.extend((0..*a).map(|i| (a == b).then_some((at + i) as u32)));
            at += b;
        }
        Wider {
            without: place.len(),
            with: at,
            place,
        }
    };
    vec![
        of(Issue::fields(&narrow), Issue::fields(&wide)),
        of(BeatTag::fields(&narrow), BeatTag::fields(&wide)),
        of(vec![("values", 1)], vec![("values", 32 * wide.lanes)]),
    ]
}

/// Drives the trace outputs.
pub fn drive(t: &TraceOut, d: &Dims, valid: &Expr, tag: &BeatTag, values: [Expr; 5], e: Events) {
    let put = |out: &Output, value: &Expr| {
        let width = out.as_ref().width();
        set(out, value.resize(width));
    };
    let [y, flags, next, addr, data] = values;
    put(&t.valid, valid);
    put(&t.first, &tag.first);
    put(&t.last, &tag.last);
    put(&t.warp, &tag.warp);
    put(&t.slot, &tag.slot);
    put(&t.block, &tag.block);
    put(&t.pc, &tag.pc);
    put(&t.word, &tag.word);
    put(&t.active, &tag.active);
    put(&t.exec, &tag.exec);
    put(
        &t.beat,
        &if d.beats == 1 {
            zero(1)
        } else {
            tag.beat.clone()
        },
    );
    put(&t.pass, &tag.pass);
    put(&t.dst, &tag.dst_kind);
    put(&t.reg, &tag.dst);
    put(
        &t.half,
        &tag.dst_half
            .mux(&cat([&tag.dst_hi, &!&tag.dst_hi]), &lit(2, 3)),
    );
    put(&t.y, &y);
    put(&t.flags_we, &tag.flags_we);
    put(&t.cc, &tag.cdst);
    put(&t.flags, &flags);
    put(&t.postinc, &tag.post_inc);
    put(&t.areg, &tag.areg);
    put(&t.areg_value, &next);
    put(&t.mem, &tag.mem);
    put(&t.addr, &addr);
    put(&t.data, &data);
    put(&t.depth, &tag.depth);
    put(&t.ld_valid, &e.ld_valid);
    for (out, value) in [&t.ld_warp, &t.ld_slot, &t.ld_rf, &t.ld_mask]
        .into_iter()
        .zip(&e.ld)
    {
        put(out, value);
    }
    put(&t.ld_data, &e.ld_data);
    for (out, value) in [&t.done_valid, &t.done_warp, &t.done_slot]
        .into_iter()
        .zip(&e.done)
    {
        put(out, value);
    }
    for (out, value) in [&t.perf_valid, &t.perf_warp, &t.perf_slot]
        .into_iter()
        .zip(&e.performed)
    {
        put(out, value);
    }
    let start = [
        &t.start_valid,
        &t.start_warp,
        &t.start_block,
        &t.start_mask,
        &t.start_x,
        &t.start_y,
        &t.start_index,
        &t.start_rf,
    ];
    for (out, value) in start.into_iter().zip(&e.start) {
        put(out, value);
    }
    for (out, value) in [&t.exit_valid, &t.exit_warp].into_iter().zip(&e.exit) {
        put(out, value);
    }
    put(&t.stall, &e.stall);
    let issue = [&t.issue_valid, &t.issue_warp, &t.issue_pc, &t.issue_slot];
    for (out, value) in issue.into_iter().zip(&e.issue) {
        put(out, value);
    }
    let at = [
        &t.at_live,
        &t.at_blocked,
        &t.at_hazard,
        &t.at_hazard_load,
        &t.at_hazard_sfu,
        &t.at_unfetched,
        &t.at_waiting,
    ];
    for (out, value) in at.into_iter().zip(&e.at) {
        put(out, value);
    }
    put(&t.held_pc, &e.held_pc);
    put(&t.req_valid, &e.request);
}
