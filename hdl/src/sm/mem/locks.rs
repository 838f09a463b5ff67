//! Locks on the words of shared memory, of SM 1.2 and later: a bit a word, in banks as the words are.
//!
//! L lanes, K banks.
//!
//! | port         | width         | meaning                                                              |
//! |--------------|---------------|----------------------------------------------------------------------|
//! | `takes`      | 1             | the round takes the locks of its words, if they are free             |
//! | `frees`      | 1             | the round frees them                                                 |
//! | `leads`      | L             | of each bank the lane that gets a free lock: the lowest at the word  |
//! | `serves`     | L             | lanes the round serves                                               |
//! | `row`        | [K][row]      | the row of each bank in the round                                    |
//! | `served`     | L             | lanes of the round before                                            |
//! | `bank`       | [L][bank]     | their banks                                                          |
//! | `sound`      | 1             | nothing of the round before traps                                    |
//! | `stored_row` | [K][row]      | rows of the round before                                             |
//! | `clears`     | 1             | the locks of [`FREED`] words are freed, of fewer where K is smaller  |
//! | `clear_at`   | log2 bytes    | the byte address of the first                                        |
//! | `locked`     | L             | lanes of the beat that got their lock, in the cycle behind a round   |
//!
//! Timing: locks are read in the round and written in the cycle behind it; no other round reads in that cycle
//!   (`SharedMemory` lets no load come right behind a round that takes or frees).
//! Reset: nothing is written; the locks are whatever they were: those of a block are freed before it starts.
//! Errors: none. Source: ours; docs/semantics.md, Locks.
// The header, which the Verilog shows, has widths such as [L][row]: they are no links.
#![allow(rustdoc::broken_intra_doc_links)]

use crate::config::GpuConfig;
use crate::rtl::prelude::*;

/// Most words that are unlocked in a cycle.
pub const FREED: usize = 4;

block! {
    /// See the module.
    pub struct Locks(cfg: &GpuConfig) {
        in takes(1),
        in frees(1),
        in leads(lanes),
        in serves(lanes),
        in row([banks] row),
        in served(lanes),
        in bank([if banks == 1 { 0 } else { lanes }] clog2(banks)),
        in sound(1),
        in stored_row([banks] row),
        in clears(1),
        in clear_at(clog2(cfg.shared_bytes)),
        out locked(lanes),
        /// Lanes that lead in the round now in D.
        data led(lanes),
        /// Lanes of the beat that got their lock in an earlier round.
        data collected(lanes),
        /// The round before took locks; it freed some.
        reg took(1),
        reg freed(1),
        /// Locks of 16 bytes are freed: their row, and which banks.
        reg clearing(1),
        data clear_row(row),
        data clear_banks(banks),
        part bits([banks] Ram: RamKind::Block, rows, 1, 1),
        keep _banks(usize = banks),
    } where {
        let (lanes, banks) = (cfg.lanes, cfg.shared_banks);
        let rows = cfg.shared_bytes / 4 / banks;
        let row = clog2(rows);
    }
}

impl Rtl for Locks {
    fn rtl(&self) {
        let banks = self._banks;
        let served = get(&self.served).each_bit();
        let bank_of = get_all(&self.bank);
        let in_bank = |lane: usize, b: usize| match bank_of.get(lane) {
            Some(bank) => bank.is(b as u64),
            None => lit(1, 1),
        };

        section("Locks of the round, and those of earlier rounds");
        let words: Vec<Expr> = (0..banks).map(|b| self.bits[b].read(0, &get(&self.row[b]))).collect();
        let words = wire("words", pack(words.iter()));
        let lock_of = |(lane, served): (usize, &Expr)| {
            let taken = match bank_of.get(lane) {
                Some(bank) => words.bit_at(bank),
                None => words.clone(),
            };
            let got = get(&self.led).bit(lane) & !taken;
            served.mux(&got, &get(&self.collected).bit(lane))
        };
        let locked: Vec<Expr> = served.iter().enumerate().map(lock_of).collect();
        let locked = wire("locked_lanes", pack(locked.iter()));
        set(&self.led, get(&self.leads));
        set(&self.collected, &locked);
        set(&self.locked, locked);

        section("Written in the cycle behind");
        let any = get(&self.serves).any();
        set(&self.took, get(&self.takes) & &any);
        set(&self.freed, get(&self.frees) & any);
        let at = get(&self.clear_at);
        let bank_bits = banks.ilog2() as usize;
        let group = FREED.min(banks).ilog2() as usize;
        set(&self.clearing, get(&self.clears));
        set(&self.clear_row, at.bits(2 + bank_bits, at.width() - 2 - bank_bits));
        let all = |b: usize| match bank_bits - group {
            0 => lit(1, 1),
            bits => at.bits(2 + group, bits).is((b >> group) as u64),
        };
        let cleared: Vec<Expr> = (0..banks).map(all).collect();
        set(&self.clear_banks, pack(cleared.iter()));
        let writes = wire("writes", (get(&self.took) | get(&self.freed)) & get(&self.sound));
        let clears = get(&self.clearing);
        for b in 0..banks {
            let here: Vec<Expr> = served.iter().enumerate().map(|(l, served)| served & &in_bank(l, b)).collect();
            let of_round = &writes & &any_of(&here);
            let row = clears.mux(&get(&self.clear_row), &get(&self.stored_row[b]));
            let enable = clears.mux(&get(&self.clear_banks).bit(b), &of_round);
            self.bits[b].write(&row, &(get(&self.took) & !&clears), &enable);
        }
    }
}

rtl_block!(Locks, "locks");
