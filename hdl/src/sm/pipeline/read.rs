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

use super::address::sources::uniforms_read;
use super::bundles::{Issue, IssuedBeat, ReadBeat, ReadRegions};
use crate::config::GpuConfig;
use crate::front::passes;
use crate::rtl::prelude::*;
use crate::sm::control::g13::exchange;
use crate::sm::control::ivb::registers_of_pass;
use crate::sm::control::uop::AddressControl;
use crate::sm::control::{Control, HEADER_BYTES};
use crate::sm::dims::Dims;

block! {
    /// See the module.
    pub struct ReadStage(cfg: &GpuConfig) {
        in registers(8),
        part i(IssuedBeat<Sink>: &d),
        part a(ReadBeat<Source>: &d),
        /// Of Ivy Bridge.
        part regions(if d.has.channels; ReadRegions<Source>: &d),
        keep _d(Dims = d),
    } where {
        let d = Dims::of(cfg);
    }
}

impl Rtl for ReadStage {
    fn rtl(&self) {
        let (d, i, a) = (&self._d, &self.i, &self.a);
        let issue = Issue::unpack(d, "i", &get(&i.issue));
        let c = Control::unpack(d, "ic", &issue.control);
        let (beat, pass) = (get(&i.beat), get(&i.pass));
        let part = passes::part(d, &c, &pass);
        // One bit more than a register number: what follows R127 is absent, not R0.
        let channels = c.channels(d, "read");
        let registers = match &channels {
            Some(channels) => registers_of_pass(&part, &channels.is_sixteen()).zext(8) & c.mem.any().repeat(8),
            // What a load of G13 reads there is an index.
            None if d.has.sources => {
                let (part, _) = passes::half(&part, &c.s3_half, &c.s3_hi);
                (part & c.mem.bit(0).repeat(2)).zext(8)
            }
            None => (&part & &c.mem.any().repeat(2)).zext(8),
        };
        let r3 = wire("r3_pass", c.r3.zext(8) + registers);
        let shared = d.shared_address();
        let offset = match d.has.wide_addresses {
            // What precedes a block's shared memory is its header.
            true => {
                let header = AddressControl::unpack((), "ia", &c.address).header;
                (!header).repeat(shared) & lit(shared, HEADER_BYTES)
            }
            false => {
                let plain = wire("shared_plain", !c.areg_use.bit(0) | !&c.post_inc);
                &c.s_offset.bits(0, shared) & &plain.repeat(shared)
            }
        };
        // The last two registers are the machine's: only special registers read them, and a half of them.
        let owned = |operand: usize| {
            let all = get(&self.registers);
            match c.sources(d, "owned") {
                Some(s) => &all - &cat([&!s.machine, &zero(1)]).zext(8),
                None if !d.has.register_fill => all,
                None if operand == 0 => &all - &cat([&!&c.s1_half, &zero(1)]).zext(8),
                None => &all - &lit(8, 2),
            }
        };
        let r1 = match c.sources(d, "kept") {
            Some(s) => {
                let kept = s.exchange.is(exchange::FOURTH) & !pass.any();
                wire("r1_pass", kept.mux(&s.n4.bits(0, 7), &c.r1))
            }
            None => c.r1.clone(),
        };
        let numbers = [r1.zext(8), c.r2.zext(8), r3];
        let numbers = match c.double(d, "read") {
            Some(double) => {
                let second = wire("second_of_pair", double.wide & part.bit(0));
                // Pairs begin at even registers, of SM 1.3 anywhere.
                match d.has.late_flags {
                    true => numbers.map(|n| n + second.zext(8)),
                    false => numbers.map(|n| n | second.zext(8)),
                }
            }
            None => numbers,
        };
        let numbers = match c.wide_sums(d, "sum") {
            Some(s) => {
                let second = wire("second_of_sum", &s.sum_of_two & &part.bit(0));
                let [a, b, c] = numbers;
                let step = |n: usize, r: Expr| r + (&second & &s.step.bit(n)).zext(8);
                [step(0, a), step(1, b), step(2, c)]
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
            if channels.is_some() {
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
        set(&a.block_offset, issue.shared_base.resize(d.shared_address()) + offset);
        if let Some(areg) = a.areg.get() {
            set(areg, d.with_beat(&cat([&issue.warp, &c.areg]), &beat));
        }
        if let Some(sources) = c.sources(d, "is") {
            a.uniform.iter().zip(uniforms_read(sources)).for_each(|(to, n)| set(to, n));
        }
    }
}

rtl_block!(ReadStage, "read_stage");
