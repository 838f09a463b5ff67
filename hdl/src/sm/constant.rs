//! Constant memory: all banks in one RAM, one word a cycle broadcast to every lane that wants it.
//!
//! | port      | width        | meaning                                                     |
//! |-----------|--------------|-------------------------------------------------------------|
//! | `mask`    | lanes        | lanes of the beat in stage M that read constants            |
//! | `base`    | constant     | first word of the bank                                      |
//! | `word_l`  | constant     | word of each lane in it                                     |
//! | `leaves`  | 1            | the beat goes to stage D after this cycle                   |
//! | `hold`    | 1            | the beat in D waits for something else: that in M is not served |
//! | `busy`    | 1            | the beat in D has lanes left and stays (a register)         |
//! | `next_busy` | 1          | what `busy` is in the next cycle                            |
//! | `data_l`  | 32           | words, in D from the cycle in which `busy` is low           |
//! | `const_*` |              | host writes one word                                        |
//!
//! Timing: one cycle for each distinct word of a beat: the first is its last in M, the others are in
//!   D, as of shared memory.
//! Reset: no lanes left. Errors: none; ranges are checked before.
//! Source: c[] banks, docs/semantics.md, Memory; the broadcast is why a uniform address costs nothing.

use super::dims::Dims;
use super::mem::choice::{chosen, first_of};
use crate::config::GpuConfig;
use crate::rtl::prelude::*;

block! {
    /// See the module.
    pub struct ConstantMemory(cfg: &GpuConfig) {
        in mask(d.lanes),
        in base(d.constant),
        in word([d.lanes] d.constant),
        in leaves(1),
        in hold(1),
        out busy(1),
        out next_busy(1),
        out data([d.lanes] 32),
        in const_we(1),
        in const_address(d.constant),
        in const_data(32),
        /// Lanes of the beat in D that have no word yet, whether there are, and what they ask for.
        data remaining(d.lanes),
        reg again(1),
        data kept_word([d.lanes] d.constant),
        reg fresh(d.lanes),
        data collected([d.lanes] 32),
        part store(Ram: RamKind::Block, cfg.constant_bytes / 4, 32, 1),
        keep _d(Dims = d),
    } where {
        let d = Dims::of(cfg);
    }
}

impl Rtl for ConstantMemory {
    fn rtl(&self) {
        let again = get(&self.again);
        // Of the beat in D while it has lanes left, then of that in M.
        let asked = |name: &str, kept: &Reg, now: Expr| {
            let x = wire(name, again.mux(&get(kept), &now));
            set(kept, &x);
            x
        };
        // The bank is added before one is chosen: which is known late, and words of one bank that differ do so behind
        // the sum, too.
        let base = get(&self.base);
        let words: Vec<Expr> = (0..self._d.lanes)
            .map(|i| asked(&format!("word_of_{i}"), &self.kept_word[i], &base + &get(&self.word[i])))
            .collect();
        // `hold` is asked where words are taken alone: nothing else of the beat in M counts before it leaves.
        let serves = wire("serves", &again | !get(&self.hold));
        let pending = wire("pending", again.mux(&get(&self.remaining), &get(&self.mask)));
        let leader = wire("leader", first_of(&pending.each_bit()));
        let address = wire("address", chosen(&leader, &words));
        let same: Vec<Expr> = words.iter().map(|w| w.eq(&address)).collect();
        let round = wire("round", &pending & &pack(same.iter()));
        // Two pending words differ where some have a bit that others lack: the same as a lane that this
        // round leaves over, without going through it.
        let differs: Vec<Expr> = (0..self._d.constant)
            .map(|b| {
                let bits: Vec<Expr> = words.iter().map(|w| w.bit(b)).collect();
                let bits = pack(bits.iter());
                (&pending & &bits).any() & (&pending & !&bits).any()
            })
            .collect();
        let stays = any_of(&differs) & (&again | &get(&self.leaves));
        let stays = wire("stays", stays);
        set(&self.again, &stays);
        set(&self.next_busy, stays);
        set(&self.remaining, &pending & &!&round);
        set(&self.busy, &again);
        set(&self.fresh, &round & &serves.repeat(self._d.lanes));
        let data = self.store.read(0, &address);
        self.store.write(&get(&self.const_address), &get(&self.const_data), &get(&self.const_we));
        let fresh = get(&self.fresh);
        for (i, (kept, out)) in self.collected.iter().zip(&self.data).enumerate() {
            when(&fresh.bit(i), || set(kept, &data));
            set(out, fresh.bit(i).mux(&data, &get(kept)));
        }
    }
}

rtl_block!(ConstantMemory, "constant_memory");
