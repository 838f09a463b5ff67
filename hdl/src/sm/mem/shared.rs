//! Shared memory of an SM: banks, rounds until no two words of a bank are wanted.
//!
//! L lanes, K banks of 32-bit words, word-interleaved: byte address = {row, bank, byte}.
//!
//! | port         | width           | meaning                                                       |
//! |--------------|-----------------|---------------------------------------------------------------|
//! | `valid`      | 1               | the beat in stage M accesses shared memory                    |
//! | `sound`      | 1               | it may write: nothing of it traps (late: keeps stores out)    |
//! | `hold`       | 1               | something else keeps the beat in M after this cycle           |
//! | `write`      | 1               | store, else load                                              |
//! | `size`       | 2               | 0, 1, 2: 8, 16, 32 bits                                       |
//! | `mask`       | L               | lanes that access; none unless `valid`                        |
//! | `addr`       | [L][log2 bytes] | byte addresses, inside the memory and aligned to the size     |
//! | `wdata`      | [L][32]         | store data in every place of its word it may go ([`AccessSize`]) |
//! | `busy`       | 1               | lanes remain after this cycle: keep all inputs (combinational)|
//! | `rdata`      | [L][32]         | the addressed bytes in the low bits, undefined above them     |
//! | `init_valid` | 1               | a word to write while a block is launched                     |
//! | `init_addr`  | log2 bytes      | its byte address, a multiple of 4                             |
//! | `init_data`  | 32              | the word                                                      |
//! | `init_ready` | 1               | the word is written: `valid` is low                           |
//!
//! Timing: a beat takes as many cycles as the largest number of distinct words it wants of one
//!   bank, at least 1; several lanes at one word are one access, for loads and stores alike.
//!   `rdata` is valid in the one cycle after the last cycle of the beat in M (`busy` and `hold`
//!   low), undefined in lanes that do not access. A store is seen by the accesses of the next cycle.
//! Stores of several lanes to one byte in one beat: the highest-numbered lane wins.
//! Reset: no beat under way; the words keep what they had.
//! Errors: none; addresses were checked in stage A. Size 3 acts as 16 bits.
//! Surprise: `init` borrows lane 0, so a launch costs no second write path into the banks.
//! Structure: lanes are compared in pairs, by bank and row; the first lane that waits for a bank
//!   names its row, the last served lane that stores a byte gives it; both crossbars are selection
//!   by a code ([`super::choice`]).
//! Source: bank interleaving and broadcast as known of the G80; the round rule (every bank serves
//!   the word of its lowest waiting lane) is ours.

use super::bytes::{aligned, AccessSize};
use super::choice::{chosen, first_of, gather, ByteSources};
use crate::config::GpuConfig;
use crate::rtl::prelude::*;

/// See the module.
#[derive(LogicBlock)]
pub struct SharedMemory {
    pub valid: Input,
    pub sound: Input,
    pub hold: Input,
    pub write: Input,
    pub size: Input,
    pub mask: Input,
    pub addr: Vec<Input>,
    pub wdata: Vec<Input>,
    pub busy: Output,
    pub rdata: Vec<Output>,
    pub init_valid: Input,
    pub init_addr: Input,
    pub init_data: Input,
    pub init_ready: Output,
    /// Lanes of the beat in M that earlier rounds served.
    served: Reg,
    /// For each lane, of the round now in D: it was served, its bank, its byte in the word.
    read_now: Reg,
    read_bank: Vec<Reg>,
    read_byte: Vec<Reg>,
    collected: Vec<Reg>,
    bank: Vec<Ram>,
    _lanes: usize,
    _banks: usize,
}

impl SharedMemory {
    /// Shared memory of `cfg.shared_bytes` for `cfg.lanes` lanes.
    pub fn new(cfg: &GpuConfig) -> Self {
        let (lanes, banks) = (cfg.lanes, cfg.shared_banks);
        let address = clog2(cfg.shared_bytes);
        let rows = cfg.shared_bytes / 4 / banks;
        let regs = |w: usize| (0..lanes).map(|_| Reg::data(w)).collect::<Vec<_>>();
        Self {
            valid: Input::new(1),
            sound: Input::new(1),
            hold: Input::new(1),
            write: Input::new(1),
            size: Input::new(2),
            mask: Input::new(lanes),
            addr: Input::array(lanes, address),
            wdata: Input::array(lanes, 32),
            busy: Output::new(1),
            rdata: Output::array(lanes, 32),
            init_valid: Input::new(1),
            init_addr: Input::new(address),
            init_data: Input::new(32),
            init_ready: Output::new(1),
            served: Reg::new(lanes),
            read_now: Reg::data(lanes),
            read_bank: match banks {
                1 => vec![],
                _ => regs(clog2(banks)),
            },
            read_byte: regs(2),
            collected: regs(32),
            bank: (0..banks)
                .map(|_| Ram::with_granule(RamKind::Block, rows, 32, 8, 1).apart())
                .collect(),
            _lanes: lanes,
            _banks: banks,
        }
    }

    /// Lanes served in this round (one bit each): of every bank the word of its lowest waiting
    /// lane, for all lanes that want that word.
    fn round(&self, waiting: &[Ex], bank: &[Ex], row: &[Ex]) -> Vec<Ex> {
        let none_of = |on: Vec<Ex>| match on.is_empty() {
            true => lit(1, 1),
            false => !any_of(&on),
        };
        let (mut leads, mut now): (Vec<Ex>, Vec<Ex>) = (vec![], vec![]);
        let same_bank = |i: usize, j: usize| match bank.get(i) {
            Some(b) => b.eq(&bank[j]),
            None => lit(1, 1),
        };
        for j in 0..self._lanes {
            let (mut before, mut blocks) = (vec![], vec![]);
            for i in 0..j {
                let same_bank = wire(&format!("same_bank_{i}_{j}"), same_bank(i, j));
                let conflict = &same_bank & &row[i].ne(&row[j]);
                before.push(&waiting[i] & &same_bank);
                blocks.push(&leads[i] & &wire(&format!("conflict_{i}_{j}"), conflict));
            }
            leads.push(wire(&format!("leads_{j}"), &waiting[j] & &none_of(before)));
            now.push(wire(&format!("now_{j}"), &waiting[j] & &none_of(blocks)));
        }
        now
    }

    /// Two remaining lanes want different words of a bank: some lane has to wait. The same as a lane
    /// left over by [`Self::round`], without going through it: the pipeline stands on it.
    fn conflicts(&self, remaining: &Ex, bank: &[Ex], row: &[Ex]) -> Ex {
        let mut pairs = vec![];
        for j in 0..self._lanes {
            for i in 0..j {
                let both = remaining.bit(i) & remaining.bit(j);
                let conflict = match bank.get(i) {
                    Some(b) => b.eq(&bank[j]) & row[i].ne(&row[j]),
                    None => row[i].ne(&row[j]),
                };
                pairs.push(both & conflict);
            }
        }
        any_of(&pairs)
    }

    /// The word lane `i` wants: of the round in D, or what an earlier round read.
    fn word_of_lane(&self, i: usize, words: &Ex) -> Ex {
        let word = match self.read_bank.get(i) {
            Some(bank) => words.word_at(&get(bank), 32),
            None => words.clone(),
        };
        get(&self.read_now)
            .bit(i)
            .mux(&word, &get(&self.collected[i]))
    }
}

impl Rtl for SharedMemory {
    fn rtl(&self) {
        let (n, banks) = (self._lanes, self._banks);
        let bank_bits = banks.ilog2() as usize;
        let valid = get(&self.valid);
        let init = wire("init", &get(&self.init_valid) & &!&valid);
        let store = wire("store", &get(&self.write) | &!&valid);
        // Late: it does not choose data, it only keeps them out.
        let allowed = wire("allowed", &get(&self.sound) | &!&valid);
        let size = get(&self.size);
        let half = size.bit(0);
        let word = wire("word_access", &size.bit(1) & &!&half | !&valid);
        let size = AccessSize {
            half: &half & &valid,
            word,
        };

        let mut addr = get_all(&self.addr);
        let mut wdata = get_all(&self.wdata);
        addr[0] = wire("addr_lane_0", valid.mux(&addr[0], &get(&self.init_addr)));
        wdata[0] = wire("wdata_lane_0", valid.mux(&wdata[0], &get(&self.init_data)));
        let rows = addr[0].width() - 2 - bank_bits;
        let byte: Vec<Ex> = addr.iter().map(|a| a.bits(0, 2)).collect();
        let bank: Vec<Ex> = match banks {
            1 => vec![],
            _ => addr.iter().map(|a| a.bits(2, bank_bits)).collect(),
        };
        let row: Vec<Ex> = addr.iter().map(|a| a.bits(2 + bank_bits, rows)).collect();

        let served = get(&self.served);
        let remaining = wire("remaining", &get(&self.mask) & &!&served);
        let mut waiting = remaining.each_bit();
        waiting[0] = wire("waiting_0", &waiting[0] | &init);
        let now = self.round(&waiting, &bank, &row);
        let now_mask = wire("now_mask", pack(now.iter()));
        let busy = wire("more", self.conflicts(&remaining, &bank, &row));

        let enables = |i: usize| {
            let on = (&store & &now[i]).repeat(4);
            wire(&format!("enables_{i}"), size.enables(&byte[i]) & on)
        };
        let enables: Vec<Ex> = (0..n).map(enables).collect();

        let mut words = vec![];
        for b in 0..banks {
            let wants: Vec<Ex> = (0..n)
                .map(|i| {
                    let here = match bank.get(i) {
                        Some(bank) => &waiting[i] & &bank.is(b as u64),
                        None => waiting[i].clone(),
                    };
                    wire(&format!("wants_{b}_{i}"), here)
                })
                .collect();
            let leader = wire(&format!("leader_{b}"), first_of(&wants));
            let at = wire(&format!("row_{b}"), chosen(&leader, &row));
            // Lanes served together in a bank have the same row.
            let sources = ByteSources::new(&b.to_string(), &wants, &enables);
            let enables = &sources.any & &allowed.repeat(4);
            self.bank[b].write(&at, &gather(&sources.code, &wdata), &enables);
            words.push(self.bank[b].read(0, &at));
        }
        let words = wire("words", pack(words.iter()));

        let stays = wire("stays", &valid & &(&busy | &get(&self.hold)));
        set(&self.served, stays.mux(&(&served | &now_mask), &zero(n)));
        set(&self.read_now, &now_mask);
        for i in 0..n {
            if let Some(to) = self.read_bank.get(i) {
                set(to, &bank[i]);
            }
            set(&self.read_byte[i], &byte[i]);
            let word = wire(&format!("word_{i}"), self.word_of_lane(i, &words));
            set(&self.collected[i], &word);
            let [upper, lowest] = aligned(&word, &get(&self.read_byte[i]));
            set(&self.rdata[i], cat([&word.bits(16, 16), &upper, &lowest]));
        }
        set(&self.busy, busy);
        set(&self.init_ready, !&valid);
    }
}
rtl_block!(SharedMemory, "shared_memory");
