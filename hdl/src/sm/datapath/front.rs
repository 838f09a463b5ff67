//! Stages I and A: register addresses, guard, effective addresses, control operations.

use super::forward::Written;
use super::{flow, Addresses, Datapath, BREAKS};
use crate::config::WARP;
use crate::rtl::prelude::*;
use crate::sm::address::SHARED;
use crate::sm::control::{memory, source1, Control};
use crate::sm::dispatch::Issue;

impl Datapath {
    /// Stage I: addresses of the three operands and of the address register.
    pub(super) fn read(&self, advance: &Ex, written: &Written) {
        let d = &self._d;
        let issue = Issue::unpack(d, "i", &get(&self.i_issue));
        let c = Control::unpack(d, "ic", &issue.control);
        let (beat, pass) = (get(&self.i_beat), get(&self.i_pass));
        // One bit more than a register number: what follows R127 is absent, not R0.
        let r3 = wire(
            "r3_pass",
            c.r3.zext(8) + (&pass & &c.mem.any().repeat(2)).zext(8),
        );
        let plain = wire("shared_plain", !c.areg_use.bit(0) | !&c.post_inc);
        let numbers = [c.r1.zext(8), c.r2.zext(8), r3];
        let (mut absent, mut entries) = (vec![], vec![]);
        for (p, r) in numbers.iter().enumerate() {
            let offset = d.with_beat(r, &beat).resize(d.entry);
            let entry = wire(&format!("entry_{p}"), &issue.reg_base + &offset);
            set(&self.file.entry[p], &entry);
            entries.push(entry);
            absent.push(r.ge(&get(&self.registers)));
        }
        set(&self.file.read, advance);
        when(advance, || {
            set(&self.a_valid, get(&self.i_valid));
            set(&self.a_issue, get(&self.i_issue));
            set(&self.a_beat, &beat);
            set(&self.a_pass, &pass);
            set(&self.a_first, get(&self.i_first));
            set(&self.a_last, get(&self.i_last));
            set(&self.a_absent, pack(absent.iter()));
            let offset = &c.s_offset.bits(0, SHARED) & &plain.repeat(SHARED);
            set(
                &self.a_block_offset,
                issue.shared_base.resize(SHARED) + offset,
            );
        });
        let number = cat([&issue.warp, &c.areg]);
        self.aregs
            .read_when(0, &d.with_beat(&number, &beat), advance);
        self.keep_written(advance, &entries, &number, written);
    }

    /// Threads whose flags meet the guard condition: 32 bits.
    ///
    /// Where Z is known, a condition is an exclusive or of some of S, O or C, and 1.
    fn guard(&self, code: &Ex, row: &Ex) -> Ex {
        const Z: u8 = 1;
        const S: u8 = 2;
        const C: u8 = 4;
        const O: u8 = 8;
        let holds = |code: u8, flags: u8| warpsmith_isa::pred_holds(code, flags) == Some(true);
        let codes = |on: &dyn Fn(u8) -> bool| {
            let set = (0..32u8).filter(|c| on(*c)).fold(0u64, |m, c| m | 1 << c);
            lit(32, set).named().bit_at(code).named()
        };
        // Conditions that change with a flag, by Z; of O and C no condition takes both.
        let changes = |flag: u8| [0, Z].map(|z| codes(&|c| holds(c, z) != holds(c, z | flag)));
        let one = [0, Z].map(|z| codes(&|c| holds(c, z)));
        let (sign, overflow, carry) = (changes(S), changes(O), changes(C));
        let by_carry = wire("by_carry", carry[0].clone());
        let other = [0, 1].map(|z: usize| (&overflow[z] | &carry[z]).named());
        let thread = |f: &Ex| {
            let [z, s, c, o] = [0, 1, 2, 3].map(|i| f.bit(i));
            let sign = (&s & &z.mux(&sign[1], &sign[0])) ^ z.mux(&one[1], &one[0]);
            sign ^ (z.mux(&other[1], &other[0]) & by_carry.mux(&c, &o))
        };
        let threads: Vec<Ex> = row.each_word(4).iter().map(thread).collect();
        wire("guard", pack(threads.iter()))
    }

    /// Control operations to their units.
    pub(super) fn control_operations(&self) {
        let d = &self._d;
        let o = flow::Operation::unpack(d, "flow", &get(&self.branch.out));
        set(&self.branch.clear, get(&self.clear));
        set(&self.branch.out_ready, get(&self.flow_ready));
        set(&self.flow_valid, get(&self.branch.out_flow));
        set(&self.flow_op, o.op);
        set(&self.flow_marker, o.marker);
        set(&self.flow_warp, &o.warp);
        set(&self.flow_active, o.active);
        set(&self.flow_exec, o.exec);
        set(&self.flow_target, o.target);
        set(&self.flow_next, o.next);
        set(&self.flow_pc, &o.pc);
        set(&self.flow_block, o.block);
        set(&self.bar_valid, get(&self.branch.out_bar));
        set(&self.bar_warp, o.warp);
        set(&self.bar_id, o.bar_id);
        set(&self.bar_arrive, o.bar_arrive);
        set(&self.bar_wait, o.bar_wait);
        set(&self.bar_pc, o.pc);
    }

    /// Stage A: guard, addresses, control operations. Returns what `advance` is.
    pub(super) fn address_stage(&self, m_ready: &Ex) -> (Ex, Ex) {
        let d = &self._d;
        let (valid, beat, pass) = (get(&self.a_valid), get(&self.a_beat), get(&self.a_pass));
        let issue = Issue::unpack(d, "a", &get(&self.a_issue));
        let c = Control::unpack(d, "ac", &issue.control);
        let row = wire("flag_row", self.flags.read(0, &cat([&issue.warp, &c.cc])));
        let exec = wire("exec", &issue.mask & &self.guard(&c.pred, &row));

        let sound = !c.trap.any() & !get(&self.halt);
        let flows = c.flow.any() | c.marker.any();
        // With the last beat: only then are the flags of every thread written.
        let last = &valid & get(&self.a_last) & &sound;
        let want_flow = wire("want_flow", &last & &flows);
        let want_bar = wire("want_bar", &last & &c.bar);
        let stuck = wire(
            "control_stuck",
            (&want_flow | &want_bar) & !get(&self.branch.ready),
        );
        let goes = wire("a_goes", &valid & m_ready & !&stuck);
        let step = cat([&c.long, &!&c.long, &zero(2)]);
        let operation = flow::Operation {
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
        };
        operation.check(d);
        set(&self.branch.flow_valid, &want_flow & &goes);
        set(&self.branch.bar_valid, &want_bar & &goes);
        set(&self.branch.operation, operation.pack());
        set(&self.stall_control, &stuck & m_ready);

        let absent = get(&self.a_absent);
        let aregs = get(&self.aregs.rdata[0]).named();
        let global = c.mem.is(memory::GLOBAL_LOAD) | c.mem.is(memory::GLOBAL_STORE);
        // Known here: the rounds of shared memory are a long way in M.
        let shared = c.s1_kind.is(source1::SHARED) | c.mem.is(memory::SHARED_STORE);
        let first_pass = wire("first_pass", !pass.any());
        let enters = &valid & !&stuck;
        let shared = wire("to_shared", &enters & shared & &first_pass);
        let limits = self.limits(&c, &first_pass);
        let constant = wire("to_constant", enters & &limits.constant_on);
        let lanes_on = exec.word_at(&beat, d.lanes);
        let breaks = (&c.breakpoint & get(&self.a_last)).repeat(BREAKS);
        let live: Vec<Ex> = exec.each_word(WARP / BREAKS).iter().map(Ex::any).collect();
        let breaks = breaks & pack(live.iter());
        when(m_ready, || {
            set(&self.m_shared_on, &shared);
            set(&self.m_shared, &lanes_on & &shared.repeat(d.lanes));
            set(&self.m_constant, &lanes_on & &constant.repeat(d.lanes));
            set(&self.m_valid, &goes);
            set(&self.m_issue, get(&self.a_issue));
            set(&self.m_beat, &beat);
            set(&self.m_pass, &pass);
            set(&self.m_first, get(&self.a_first));
            set(&self.m_last, get(&self.a_last));
            set(&self.m_exec, &lanes_on);
            set(&self.m_limits, limits.pack());
            set(&self.m_break, &breaks);
            set(&self.m_cc, row.word_at(&beat, 4 * d.lanes));
        });
        let clear = (m_ready.repeat(3) & &absent).each_bit();
        let has_areg = wire("has_areg", c.areg.any());
        let pass_of_wide = wire("pass_of_wide", &pass & &c.mem.any().repeat(2));
        for (l, lane) in self.address.iter().enumerate() {
            let file = &self.file;
            let registers = [&self.m_r1[l], &self.m_r2[l], &self.m_r3[l]];
            let operands = [&file.d1[l], &file.d2[l], &file.d3[l]];
            let operands: Vec<Ex> = (0..3)
                .map(|i| self.operand(i, l, get(operands[i])))
                .collect();
            for (i, to) in registers.into_iter().enumerate() {
                when(m_ready, || set(to, &operands[i]));
                // Said last and with its own condition, so that it maps to the flip-flops' reset.
                when(&clear[i], || set(to, zero(32)));
            }
            let r1 = absent.bit(0).mux(&zero(32), &operands[0]);
            let r1 = wire(&format!("r1_{l}"), r1);
            let areg = wire(
                &format!("areg_{l}"),
                has_areg.mux(&self.address_register(l, aregs.bits(16 * l, 16)), &zero(16)),
            );
            set(&lane.areg, &areg);
            set(&lane.r1, &r1);
            set(&lane.s_offset, &c.s_offset);
            set(&lane.c_offset, &c.c_offset);
            set(&lane.areg_use, &c.areg_use);
            set(&lane.post_inc, &c.post_inc);
            set(&lane.is_global, &global);
            set(&lane.pass, &pass_of_wide);
            set(&lane.block_offset, get(&self.a_block_offset));
            let values = Addresses {
                areg,
                main: get(&lane.main),
                shared: get(&lane.shared).bits(0, d.shared),
                constant: get(&lane.constant),
                next: get(&lane.next),
            };
            values.check(d);
            when(m_ready, || set(&self.m[l], values.pack()));
        }
        let starts = &goes & &get(&self.a_first) & !get(&self.halt);
        (m_ready & &!&stuck, starts)
    }
}
