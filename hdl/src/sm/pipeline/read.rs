//! Stage I, its register half: the addresses of three operands and of the address register.
//!
//! The other half, which beat stands here, is the block of [`super::issue`].

use super::address::lane::SHARED;
use super::address::AddressRegisters;
use super::bundles::{Issue, IssuedBeat};
use super::forward::{Forward, Written};
use super::registers::Registers;
use crate::rtl::prelude::*;
use crate::sm::control::uop::AddressControl;
use crate::sm::control::{last_pass, Control, HEADER_BYTES, MAX_PASSES};
use crate::sm::dims::Dims;

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
    pub forward: &'a Forward,
    /// Where the beat goes.
    pub a: &'a AddressRegisters,
}

/// The part of a wide access that a pass is about. The part that is written into the register of the
/// address comes last: a load may replace its own address.
fn part_of_pass(c: &Control, pass: &Expr) -> Expr {
    let turn = !c.r1.bits(0, MAX_PASSES) & last_pass(&c.passes);
    wire("part", pass ^ &turn)
}

impl ReadStage<'_> {
    /// Stage I: addresses of the three operands and of the address register.
    pub fn rtl(&self, advance: &Expr, written: &Written) {
        let d = self.d;
        let issue = Issue::unpack(d, "i", &get(&self.beat.issue));
        let c = Control::unpack(d, "ic", &issue.control);
        let (beat, pass) = (get(&self.beat.beat), get(&self.beat.pass));
        let pass = match d.has_uops() {
            true => part_of_pass(&c, &pass),
            false => pass,
        };
        // One bit more than a register number: what follows R127 is absent, not R0.
        let r3 = wire(
            "r3_pass",
            c.r3.zext(8) + (&pass & &c.mem.any().repeat(2)).zext(8),
        );
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
            set(&self.a.pass, &pass);
            set(&self.a.first, get(&self.beat.first));
            set(&self.a.last, get(&self.beat.last));
            set(&self.a.absent, pack(absent.iter()));
            set(
                &self.a.block_offset,
                issue.shared_base.resize(SHARED) + offset,
            );
            if let Some(first) = self.a.first_pass.get() {
                set(first, !get(&self.beat.pass).any());
            }
        });
        let number = cat([&issue.warp, &c.areg]);
        if let Some(aregs) = self.aregs {
            aregs.read_when(0, &d.with_beat(&number, &beat), advance);
        }
        self.forward.keep(advance, &entries, &number, written);
    }
}
