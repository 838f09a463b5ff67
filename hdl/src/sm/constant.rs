//! Constant memory: all banks in one RAM, one word a cycle broadcast to every lane that wants it.
//!
//! | port      | width        | meaning                                                     |
//! |-----------|--------------|-------------------------------------------------------------|
//! | `valid`   | 1            | the beat in the memory stage reads constants                |
//! | `mask`    | lanes        | lanes that read                                             |
//! | `base`    | constant     | first word of the bank                                      |
//! | `word_l`  | constant     | word of each lane in it                                     |
//! | `leave`   | 1            | the beat leaves the memory stage                            |
//! | `busy`    | 1            | lanes remain after this cycle's word                        |
//! | `data_l`  | 32           | words, in the cycle after the beat left                     |
//! | `const_*` |              | host writes one word                                        |
//!
//! Timing: one cycle for each distinct word of a beat; a served beat waits for `leave`.
//! Reset: nothing served. Errors: none; ranges are checked before.
//! Source: c[] banks, sm10-isa.md §4; the broadcast is why a uniform address costs nothing.

use super::dims::Dims;
use super::mem::choice::{chosen, first_of};
use crate::config::GpuConfig;
use crate::rtl::prelude::*;

/// See the module.
#[derive(LogicBlock)]
pub struct ConstantMemory {
    pub valid: Input,
    pub mask: Input,
    pub base: Input,
    pub word: Vec<Input>,
    pub leave: Input,
    pub busy: Output,
    pub data: Vec<Output>,
    pub const_we: Input,
    pub const_address: Input,
    pub const_data: Input,
    served: Reg,
    fresh: Reg,
    collected: Vec<Reg>,
    store: Ram,
    _d: Dims,
}

impl ConstantMemory {
    /// The constant memory of a configuration.
    pub fn new(cfg: &GpuConfig) -> Self {
        let d = Dims::of(cfg);
        Self {
            valid: Input::new(1),
            mask: Input::new(d.lanes),
            base: Input::new(d.constant),
            word: Input::array(d.lanes, d.constant),
            leave: Input::new(1),
            busy: Output::new(1),
            data: Output::array(d.lanes, 32),
            const_we: Input::new(1),
            const_address: Input::new(d.constant),
            const_data: Input::new(32),
            served: Reg::new(d.lanes),
            fresh: Reg::new(d.lanes),
            collected: (0..d.lanes).map(|_| Reg::data(32)).collect(),
            store: Ram::new(RamKind::Block, cfg.constant_bytes / 4, 32, 1),
            _d: d,
        }
    }
}

impl Rtl for ConstantMemory {
    fn rtl(&self) {
        let words = get_all(&self.word);
        let valid = get(&self.valid);
        let pending = wire("pending", get(&self.mask) & !get(&self.served));
        let leader = wire("leader", first_of(&pending.each_bit()));
        let word = wire("word", chosen(&leader, &words));
        let same: Vec<Ex> = words.iter().map(|w| w.eq(&word)).collect();
        let round = wire(
            "round",
            &pending & pack(same.iter()) & valid.repeat(self._d.lanes),
        );
        // Two pending words differ where some have a bit that others lack: the same as a lane that this
        // round leaves over, without going through it. The pipeline stands on it.
        let differs: Vec<Ex> = (0..self._d.constant)
            .map(|b| {
                let bits: Vec<Ex> = words.iter().map(|w| w.bit(b)).collect();
                let bits = pack(bits.iter());
                (&pending & &bits).any() & (&pending & !&bits).any()
            })
            .collect();
        set(&self.busy, &valid & any_of(&differs));
        let leave = get(&self.leave);
        when_else(
            &leave,
            || set(&self.served, zero(self._d.lanes)),
            || set(&self.served, get(&self.served) | &round),
        );
        set(&self.fresh, &round);
        let address = wire("address", &get(&self.base) + &word);
        let data = self.store.read(0, &address);
        self.store.write(
            &get(&self.const_address),
            &get(&self.const_data),
            &get(&self.const_we),
        );
        let fresh = get(&self.fresh);
        for (i, (kept, out)) in self.collected.iter().zip(&self.data).enumerate() {
            when(&fresh.bit(i), || set(kept, &data));
            set(out, fresh.bit(i).mux(&data, &get(kept)));
        }
    }
}

rtl_block!(ConstantMemory, "constant_memory");
