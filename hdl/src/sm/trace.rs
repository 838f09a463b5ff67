//! Trace port: what lockstep reads, one group a purpose.
//!
//! Groups, signals and widths: `warpsmith_contract::trace`; docs/blocks/trace.md shows them.
//!
//! Widths are fixed over all configurations but for the lanes, so that one reader fits them all; the
//! number of a beat is one bit wider on two lanes, which have sixteen.
//! Timing: the signals show the cycle itself. Reset: `*_valid` low. Errors: none.
//! Source: docs/cosim.md.

use super::control::ivb::registers_of_pass;
use super::dims::{Dims, DEPTH};
use super::pipeline::bundles::{BeatTag, Issue};
use crate::config::GpuConfig;
use crate::front::conditions::traced;
use crate::rtl::prelude::*;
use rust_hdl_core::ast::Verilog;
use rust_hdl_core::block::Block;
use rust_hdl_core::probe::Probe;
use warpsmith_contract::trace::{Field, GroupKind, Width, SIGNALS};

const _: () = assert!(
    matches!(Field::Depth.signal().width, Width::Bits(DEPTH)),
    "the trace port shows the depth of the stack whole"
);

/// The trace outputs of an SM.
pub struct TraceOut(Vec<Output>);

impl TraceOut {
    /// Outputs for `l` lanes.
    pub fn new(l: usize) -> Self {
        let widths = SIGNALS.iter().map(|s| s.width.bits(l));
        Self(widths.map(Output::new).collect())
    }

    /// The output that shows a field.
    pub fn of(&self, field: Field) -> &Output {
        &self.0[field as usize]
    }

    /// All outputs with their names, in order.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, &Output)> {
        SIGNALS.iter().map(|s| s.name).zip(&self.0)
    }
}

/// A group of outputs has no scope of its own: SM 3's `valid` is the port `tr3_valid`.
impl Block for TraceOut {
    fn connect_all(&mut self) {}
    fn update_all(&mut self) {
        self.0.iter_mut().for_each(Block::update_all);
    }
    fn has_changed(&self) -> bool {
        self.0.iter().any(Block::has_changed)
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
    let dims = |trace| Dims::of(&GpuConfig { trace, ..cfg.clone() });
    let (narrow, wide) = (dims(false), dims(true));
    let of = |without: Vec<(&str, usize)>, with: Vec<(&str, usize)>| {
        let (mut at, mut place) = (0, vec![]);
        for ((name, a), (other, b)) in without.iter().zip(&with) {
            assert_eq!(name, other, "the same fields");
            place.extend((0..*a).map(|i| (a == b).then_some((at + i) as u32)));
            at += b;
        }
        Wider { without: place.len(), with: at, place }
    };
    vec![
        of(Issue::fields(&narrow), Issue::fields(&wide)),
        of(BeatTag::fields(&narrow), BeatTag::fields(&wide)),
        of(vec![("values", 1)], vec![("values", 32 * wide.lanes)]),
    ]
}

/// Drives the trace outputs.
pub fn drive(t: &TraceOut, d: &Dims, valid: &Expr, tag: &BeatTag, values: [Expr; 5], e: Events) {
    let put = |field: Field, value: &Expr| {
        let out = t.of(field);
        let width = out.as_ref().width();
        set(out, value.resize(width));
    };
    let put_all = |kind: GroupKind, values: &[Expr]| {
        let group = kind.group();
        for (field, value) in group.valid.iter().chain(group.fields).zip(values) {
            put(*field, value);
        }
    };
    let [y, flags, next, addr, data] = values;
    put(Field::Valid, valid);
    put(Field::First, &tag.first);
    put(Field::Last, &tag.last);
    put(Field::Warp, &tag.warp);
    put(Field::Slot, &tag.slot);
    put(Field::Block, &tag.block);
    put(Field::Pc, &tag.pc);
    put(Field::Word, &tag.word);
    put(Field::Active, &tag.active);
    put(Field::Exec, &tag.exec);
    put(Field::BeatNumber, &if d.beats == 1 { zero(1) } else { tag.beat.clone() });
    put(Field::Pass, &tag.pass);
    put(Field::Dst, &tag.dst_kind);
    // The parts of a wide access come in any order.
    let passes = match tag.channels(d, "traced") {
        Some(channels) => registers_of_pass(&tag.pass, &channels.twice),
        None => tag.pass.zext(7),
    };
    put(Field::Reg, &(&tag.dst - &passes));
    put(Field::Half, &tag.dst_half.mux(&cat([&tag.dst_hi, &!&tag.dst_hi]), &lit(2, 3)));
    put(Field::Y, &y);
    put(Field::FlagsWe, &tag.flags_we);
    put(Field::Cc, &tag.cdst);
    put(Field::Flags, &flags);
    put(Field::PostInc, &tag.post_inc);
    put(Field::AReg, traced(d, tag));
    put(Field::ARegValue, &next);
    put(Field::Mem, &tag.mem);
    put(Field::Addr, &addr);
    put(Field::Data, &data);
    put(Field::Depth, &tag.depth);
    put(Field::LdValid, &e.ld_valid);
    for (field, value) in [Field::LdWarp, Field::LdSlot, Field::LdRf, Field::LdMask].into_iter().zip(&e.ld) {
        put(field, value);
    }
    put(Field::LdData, &e.ld_data);
    put_all(GroupKind::Done, &e.done);
    put_all(GroupKind::Performed, &e.performed);
    put_all(GroupKind::Start, &e.start);
    put_all(GroupKind::Exit, &e.exit);
    put(Field::StallCounter, &e.stall);
    put_all(GroupKind::Issue, &e.issue);
    put_all(GroupKind::Status, &e.at);
    put(Field::HeldPc, &e.held_pc);
    put(Field::ReqValid, &e.request);
}
