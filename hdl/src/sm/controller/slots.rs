//! Block slots: what each gets of warp slots, registers and shared memory, worked out once a kernel.

use super::{Controller, Slot};
use crate::rtl::prelude::*;
use crate::sm::control::ivb::REGISTERS;
use crate::sm::dims::Dims;

/// Bits of a number of register entries: all of a lane's memory and those of one warp more, which are
/// 128 for each beat at most. Of four lanes and more as many as four ask for.
fn entry_count_bits(d: &Dims) -> usize {
    let of_a_warp = 7 + d.beats.trailing_zeros() as usize;
    (d.entry + 1).max(of_a_warp).max(10) + 1
}

impl Controller {
    /// Register entries of a warp in each lane's memory.
    pub(super) fn warp_entries(&self, width: usize) -> Expr {
        if self._d.has.channels {
            return lit(width, REGISTERS);
        }
        let shift = self._d.beats.trailing_zeros() as usize;
        let registers = get(&self.registers);
        let entries = if shift == 0 { registers } else { cat([&registers, &zero(shift)]) };
        entries.resize(width)
    }

    /// Kernel start: gives slots out, one warp a cycle, until something is used up.
    pub(super) fn work_out_slots(&self) {
        let d = &self._d;
        let working = get(&self.working);
        let (slot, warp) = (get(&self.next_slot), get(&self.next_warp));
        let (register, shared) = (get(&self.next_register), get(&self.next_shared));
        let wide = entry_count_bits(d);
        let register_end = wire("register_end", register.zext(wide) + self.warp_entries(wide));
        let bytes = d.shared_size() + 1;
        let rounded = wire("rounded_up", get(&self.shared_bytes).zext(bytes) + lit(bytes, 15));
        set(&self.rounded, rounded.bits(4, bytes - 4));
        let rounded = cat([&get(&self.rounded), &zero(4)]);
        let shared_end = wire("shared_end", &shared + &rounded);
        let fits = all_of(&[
            !warp.msb(),
            register_end.le(&lit(wide, self._entries as u64)),
            shared_end.le(&lit(bytes, self._shared_bytes as u64)),
        ]);
        let fits = wire("fits", fits);
        let given = get(&self.given);
        let given_now = match d.warps {
            1 => lit(1, 1),
            w => cat([&given.bits(0, w - 1), &lit(1, 1)]),
        };
        let given_now = wire("given_now", given_now);
        let warps = &given_now & !get(&self.given_before);
        let count = wire("slot_count_now", get(&self.slot_count) + lit(6, 1));
        match d.has.channels {
            true => set(&self.needed, self.channel_warps()),
            false => {
                let needed = get(&self.block_threads) + lit(11, 31);
                set(&self.needed, needed.bits(5, 6));
            }
        }
        let whole = count.zext(self.needed.as_ref().width()).eq(&get(&self.needed));
        let complete = wire("complete", working.clone() & &fits & whole);
        when(&working, || {
            set(&self.next_warp, &warp + lit(d.warp + 1, 1));
            set(&self.next_register, register_end.bits(0, d.entry + 1));
            set(&self.given, &given_now);
            set(&self.slot_count, &count);
            when(&complete, || {
                set(&self.usable, get(&self.usable) | slot.one_hot(d.blocks));
                set(&self.next_slot, &slot + lit(d.block, 1));
                set(&self.next_shared, &shared_end);
                set(&self.slot_warp, warp.bits(0, d.warp) + lit(d.warp, 1));
                set(&self.slot_register, register_end.bits(0, d.entry));
                set(&self.given_before, &given_now);
                set(&self.slot_count, zero(6));
            });
            when(&(!&fits | (&complete & &slot.is(d.blocks as u64 - 1))), || set(&self.working, zero(1)));
        });
        let entry = Slot {
            warp: get(&self.slot_warp),
            register: get(&self.slot_register),
            shared: shared.bits(0, d.shared),
            warps,
        };
        self.slots.write(&slot, &entry.pack(), &complete);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{GpuConfig, Isa};

    #[test]
    fn a_warp_that_does_not_fit_is_never_counted_as_one_that_does() {
        for (isa, lanes) in [2, 4, 8, 16, 32].map(|n| (Isa::Sm10, n)).into_iter().chain([(Isa::Ivb, 8), (Isa::Ivb, 32)])
        {
            for registers in (9..=16).map(|n| 1 << n) {
                let mut cfg = GpuConfig { shared_banks: 2, ..GpuConfig::default() };
                (cfg.isa, cfg.lanes, cfg.port_words, cfg.registers) = (isa, lanes, 32, registers);
                if cfg.check().is_err() {
                    assert!(isa == Isa::Ivb && registers < 2048, "{lanes} lanes, {registers} registers: a chip");
                    continue;
                }
                let d = Dims::of(&cfg);
                let of_a_warp = if isa == Isa::Ivb { 128 } else { 128 * d.beats };
                let most = (1 << d.entry) + of_a_warp;
                assert!(most < 1 << entry_count_bits(&d), "{isa}, {lanes} lanes, {registers} registers");
            }
        }
    }
}
