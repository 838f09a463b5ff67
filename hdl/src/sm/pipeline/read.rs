//! Stage I: which registers a beat reads, and which part of a wide access it is about.
//!
//! | port        | width | meaning                                                          |
//! |-------------|-------|------------------------------------------------------------------|
//! | `registers` | 8     | registers a thread owns                                          |
//! | `i_*`       |       | the beat in I, from the block of issue.rs                        |
//! | `a_*`       |       | the beat as A takes it; addresses of registers and uniforms      |
//!
//! Timing: combinational; the registers around it are those of `issue_stage` and `address_stage`.
//! Reset: none. Errors: none; registers beyond the allocation are marked absent and read 0.
//! Source: docs/architecture.md, The chip; docs/semantics.md, Encoding.

use super::address::lane::SHARED;
use super::address::sources::uniforms_read;
use super::bundles::{Issue, IssuedBeat, ReadBeat, ReadRegions};
use crate::config::GpuConfig;
use crate::rtl::prelude::*;
use crate::sm::control::g13::{exchange, from, SourceControl};
use crate::sm::control::ivb::registers_of_pass;
use crate::sm::control::uop::AddressControl;
use crate::sm::control::{last_pass, Control, HEADER_BYTES, MAX_PASSES};
use crate::sm::dims::Dims;
use warpsmith_contract::trace::MemoryAccess;

block! {
    /// See the module.
    pub struct ReadStage(cfg: &GpuConfig) {
        in registers(8),
        part i(IssuedBeat<Sink>: &d),
        part a(ReadBeat<Source>: &d),
        /// Of Ivy Bridge.
        part regions(if d.is_ivb(); ReadRegions<Source>: &d),
        keep _d(Dims = d),
    } where {
        let d = Dims::of(cfg);
    }
}

/// The part of a wide access that a pass is about. The part that is written into the register of the
/// address comes last: a load may replace its own address.
fn part_of_pass(d: &Dims, c: &Control, pass: &Expr) -> Expr {
    if d.is_ivb() {
        return pass.clone();
    }
    let last = last_pass(d, &c.passes);
    if d.is_g13() {
        return part_of_row(c, pass, &last);
    }
    if d.has_uops() {
        let turn = !c.r1.bits(0, MAX_PASSES) & last;
        // Pairs of registers are read low words first.
        let turn = match c.double(d, "turned") {
            Some(double) => turn & (!double.wide).repeat(MAX_PASSES),
            None => turn,
        };
        return wire("part", pass ^ &turn);
    }
    // Registers of SM 1.0 begin anywhere: passes begin behind the part of the address and go round.
    let [address, first] = [&c.r1, &c.dst].map(|r| r.bits(0, MAX_PASSES));
    let turn = wire("turn", address - &first + lit(MAX_PASSES, 1));
    let turn = turn & &c.accesses(MemoryAccess::GlobalLoad).repeat(MAX_PASSES);
    wire("part", (pass + &turn) & last)
}

/// The same of G13, whose rows of registers begin anywhere: passes begin behind the part of base or index and
/// go round. The high word of a base counts in the first pass alone.
fn part_of_row(c: &Control, pass: &Expr, last: &Expr) -> Expr {
    let s = SourceControl::unpack((), "part", &c.sources);
    let how = AddressControl::unpack((), "part_how", &c.address);
    let part_of = |register: &Expr| (register - &c.dst).called("part_of");
    let inside = |part: &Expr| part.le(&last.zext(7));
    let (base, index) = (part_of(&c.r1), part_of(&c.r2));
    let by_base = all_of(&[how.base, s.from1.is(from::KIND), inside(&base)]);
    let by_index = s.index & inside(&index);
    let loads = c.dst_kind.any();
    let (by_base, by_index) = (by_base & &loads, by_index & &loads);
    let row = MAX_PASSES + 1;
    let written = by_index.mux(&index.bits(0, MAX_PASSES), last);
    let written = by_base.mux(&base.bits(0, MAX_PASSES), &written);
    let sum = pass.zext(row) + written.zext(row) + lit(row, 1);
    let sum = wire("part_sum", sum);
    let count = wire("part_count", last.zext(row) + lit(row, 1));
    let part = sum.ge(&count).mux(&(&sum - &count), &sum);
    // Both passes of an exchange are about the same register.
    wire("part", part.bits(0, MAX_PASSES) & (!s.exchange.any()).repeat(MAX_PASSES))
}

impl Rtl for ReadStage {
    fn rtl(&self) {
        let (d, i, a) = (&self._d, &self.i, &self.a);
        let issue = Issue::unpack(d, "i", &get(&i.issue));
        let c = Control::unpack(d, "ic", &issue.control);
        let (beat, pass) = (get(&i.beat), get(&i.pass));
        let part = part_of_pass(d, &c, &pass);
        // One bit more than a register number: what follows R127 is absent, not R0.
        let channels = c.channels(d, "read");
        let registers = match &channels {
            Some(channels) => registers_of_pass(&part, &channels.is_sixteen()).zext(8) & c.mem.any().repeat(8),
            None => (&part & &c.mem.any().repeat(2)).zext(8),
        };
        let r3 = wire("r3_pass", c.r3.zext(8) + registers);
        let offset = match d.has_uops() {
            // What precedes a block's shared memory is its header.
            true => {
                let header = AddressControl::unpack((), "ia", &c.address).header;
                (!header).repeat(SHARED) & lit(SHARED, HEADER_BYTES)
            }
            false => {
                let plain = wire("shared_plain", !c.areg_use.bit(0) | !&c.post_inc);
                &c.s_offset.bits(0, SHARED) & &plain.repeat(SHARED)
            }
        };
        // The last two registers are the machine's: only special registers read them, and a half of them.
        let owned = |operand: usize| {
            let all = get(&self.registers);
            match d.has_uops() {
                true if d.is_g13() => {
                    let machine = SourceControl::unpack((), "owned", &c.sources).machine;
                    &all - &cat([&!machine, &zero(1)]).zext(8)
                }
                true if operand == 0 => &all - &cat([&!&c.s1_half, &zero(1)]).zext(8),
                true => &all - &lit(8, 2),
                false => all,
            }
        };
        let r1 = match d.is_g13() {
            true => {
                let s = SourceControl::unpack((), "kept", &c.sources);
                let kept = s.exchange.is(exchange::FOURTH) & !pass.any();
                wire("r1_pass", kept.mux(&s.n4.bits(0, 7), &c.r1))
            }
            false => c.r1.clone(),
        };
        let numbers = [r1.zext(8), c.r2.zext(8), r3];
        let numbers = match c.double(d, "read") {
            // Pairs begin at even registers.
            Some(double) => {
                let second = wire("second_of_pair", double.wide & part.bit(0));
                numbers.map(|n| n | second.zext(8))
            }
            None => numbers,
        };
        let mut absent = vec![];
        if let (Some(channels), Some(to)) = (&channels, self.regions.get()) {
            let regions = [&channels.region1, &channels.region2, &channels.region3];
            let subs = [&channels.sub1, &channels.sub2, &channels.sub3];
            let operands = regions.into_iter().chain(subs);
            to.region.iter().chain(&to.sub).zip(operands).for_each(|(to, from)| set(to, from));
            set(&to.second, &channels.second);
            set(&to.beat, &beat);
            let kept = [cat([&channels.kept1, &zero(1)]), channels.kept2.clone(), channels.kept3.clone()];
            to.kept.iter().zip(&kept).for_each(|(to, from)| set(to, from));
            set(&to.kept_at, d.with_beat(&issue.warp, &beat));
        }
        for (p, r) in numbers.iter().enumerate() {
            if d.is_ivb() {
                // Every number is a register, 8 dwords.
                set(&a.entry[p], &issue.reg_base + &r.bits(0, 7).resize(d.entry));
                // A third operand that no instruction names is 0.
                let third = channels.as_ref().map_or(zero(1), |channels| !(&c.use3 | channels.kept3.any()));
                absent.push(if p == 2 { third } else { zero(1) });
                continue;
            }
            let offset = d.with_beat(r, &beat).resize(d.entry);
            set(&a.entry[p], &issue.reg_base + &offset);
            absent.push(r.ge(&owned(p)));
        }
        set(&a.absent, pack(absent.iter()));
        set(&a.valid, get(&i.valid));
        set(&a.issue, get(&i.issue));
        set(&a.beat, &beat);
        set(&a.pass, &part);
        set(&a.first_pass, !pass.any());
        set(&a.first, get(&i.first));
        set(&a.last, get(&i.last));
        set(&a.block_offset, issue.shared_base.resize(SHARED) + offset);
        if let Some(areg) = a.areg.get() {
            set(areg, d.with_beat(&cat([&issue.warp, &c.areg]), &beat));
        }
        if d.is_g13() {
            for (to, n) in a.uniform.iter().zip(uniforms_read(&c)) {
                set(to, n);
            }
        }
    }
}

rtl_block!(ReadStage, "read_stage");
