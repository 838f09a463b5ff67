//! Stage I, its register half: the addresses of three operands and of the address register.
//!
//! The other half, which beat stands here, is the block of [`super::issue`].

use super::address::lane::SHARED;
use super::address::sources::read_uniforms;
use super::address::AddressRegisters;
use super::bundles::{Issue, IssuedBeat};
use super::forward::{Forward, Written};
use super::registers::Registers;
use crate::rtl::prelude::*;
use crate::sm::control::g13::{from, SourceControl};
use crate::sm::control::uop::AddressControl;
use crate::sm::control::{last_pass, Control, HEADER_BYTES, MAX_PASSES};
use crate::sm::dims::Dims;
use warpsmith_contract::trace::MemoryAccess;

/// What the stage reads and drives.
pub struct ReadStage<'a> {
    pub d: &'a Dims,
    /// The beat in the stage.
    pub beat: &'a IssuedBeat<Sink>,
    /// Registers a thread owns.
    pub registers: &'a Input,
    pub file: &'a Registers,
    /// Address registers.
    pub aregs: Option<&'a Ram>,
    /// Uniforms of G13.
    pub uniforms: Option<&'a Ram>,
    pub forward: &'a Forward,
    /// Where the beat goes.
    pub a: &'a AddressRegisters,
}

/// The part of a wide access that a pass is about. The part that is written into the register of the
/// address comes last: a load may replace its own address.
fn part_of_pass(d: &Dims, c: &Control, pass: &Expr) -> Expr {
    let last = last_pass(d, &c.passes);
    if d.is_g13() {
        return part_of_row(c, pass, &last);
    }
    if d.has_uops() {
        let turn = !c.r1.bits(0, MAX_PASSES) & last;
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
    wire("part", part.bits(0, MAX_PASSES))
}

impl ReadStage<'_> {
    /// Stage I: addresses of the three operands and of the address register.
    pub fn rtl(&self, advance: &Expr, written: &Written) {
        let d = self.d;
        section("Stage I: register reads");
        let issue = Issue::unpack(d, "i", &get(&self.beat.issue));
        let c = Control::unpack(d, "ic", &issue.control);
        let (beat, pass) = (get(&self.beat.beat), get(&self.beat.pass));
        let part = part_of_pass(d, &c, &pass);
        // One bit more than a register number: what follows R127 is absent, not R0.
        let r3 = wire("r3_pass", c.r3.zext(8) + (&part & &c.mem.any().repeat(2)).zext(8));
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
            let all = get(self.registers);
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
        let numbers = [c.r1.zext(8), c.r2.zext(8), r3];
        let (mut absent, mut entries) = (vec![], vec![]);
        for (p, r) in numbers.iter().enumerate() {
            let offset = d.with_beat(r, &beat).resize(d.entry);
            let entry = wire(&format!("entry_{p}"), &issue.reg_base + &offset);
            set(&self.file.entry[p], &entry);
            entries.push(entry);
            absent.push(r.ge(&owned(p)));
        }
        set(&self.file.read, advance);
        when(advance, || {
            set(&self.a.valid, get(&self.beat.valid));
            set(&self.a.issue, get(&self.beat.issue));
            set(&self.a.beat, &beat);
            set(&self.a.pass, &part);
            set(&self.a.first_pass, !pass.any());
            set(&self.a.first, get(&self.beat.first));
            set(&self.a.last, get(&self.beat.last));
            set(&self.a.absent, pack(absent.iter()));
            set(&self.a.block_offset, issue.shared_base.resize(SHARED) + offset);
        });
        let number = cat([&issue.warp, &c.areg]);
        if let Some(aregs) = self.aregs {
            aregs.read_when(0, &d.with_beat(&number, &beat), advance);
        }
        if let Some(uniforms) = self.uniforms {
            read_uniforms(uniforms, &c, advance);
        }
        self.forward.keep(advance, &entries, &number, written);
    }
}
