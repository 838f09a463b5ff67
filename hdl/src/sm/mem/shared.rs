//! Shared memory of an SM: banks, rounds until no two words of a bank are wanted.
//!
//! L lanes, K banks of 32-bit words, word-interleaved: byte address = {row, bank, byte}.
//!
//! | port         | width           | meaning                                                       |
//! |--------------|-----------------|---------------------------------------------------------------|
//! | `valid`      | 1               | the beat in stage M accesses shared memory                    |
//! | `leaves`     | 1               | it goes to D after this cycle                                 |
//! | `sound`      | 1               | it may write: nothing of it traps (late: keeps stores out)    |
//! | `hold`       | 1               | the beat in D waits for something else: that in M is not served |
//! | `write`      | 1               | store, else load                                              |
//! | `size`       | 2               | 0, 1, 2: 8, 16, 32 bits                                       |
//! | `mask`       | L               | lanes that access; none unless `valid`                        |
//! | `addr`       | [L][log2 bytes] | byte addresses, inside the memory and aligned to the size     |
//! | `wdata`      | [L][32]         | store data in every place of its word it may go ([`AccessSize`]) |
//! | `busy`       | 1               | the beat in D has lanes left and stays (a register)           |
//! | `next_busy`  | 1               | what `busy` is in the next cycle                              |
//! | `rdata`      | [L][32]         | the addressed bytes in the low bits, undefined above them     |
//! | `init_valid` | 1               | a word to write while a block is launched                     |
//! | `init_addr`  | log2 bytes      | its byte address, a multiple of 4                             |
//! | `init_data`  | 32              | the word                                                      |
//! | `init_ready` | 1               | the word is written: `valid` and `busy` are low               |
//!
//! Timing: a beat takes as many cycles as the largest number of distinct words it wants of one
//!   bank, at least 1; several lanes at one word are one access, for loads and stores alike. The
//!   first is its last in M, the others are in D, where it stays while `busy`: what stops the
//!   pipeline is a register. In M it may stay longer and is served again and again, to the same end.
//!   `rdata` is valid in D from the cycle in which `busy` is low, as long as the beat is there;
//!   undefined in lanes that do not access.
//! Stores are written a cycle after their round, from registers. A load is not served in that cycle:
//!   one that comes right behind a store takes a cycle more. Stores follow one another.
//! Stores of several lanes to one byte in one beat: the highest-numbered lane wins.
//! Reset: no lanes left; the words keep what they had.
//! Errors: none; addresses are checked in stage M. Size 3 acts as 16 bits.
//! Surprise: `init` borrows lane 0, so a launch costs no second write path into the banks.
//! Structure: lanes are compared in pairs, by bank and row; the first lane that waits for a bank
//!   names its row, the last served lane that stores a byte gives it; both crossbars are selection
//!   by a code (choice.rs). Addresses are read in the round, everything that is stored is
//!   put together in the cycle behind it.
//! Source: bank interleaving and broadcast as known of the G80; the round rule (every bank serves
//!   the word of its lowest waiting lane) is ours.
// The header, which the Verilog shows, has widths such as [L][32]: they are no links.
#![allow(rustdoc::broken_intra_doc_links)]

use super::bytes::{aligned, AccessSize};
use super::choice::{chosen, first_of, gather, ByteSources};
use super::locks::Locks;
use crate::config::GpuConfig;
use crate::rtl::prelude::*;
use crate::sm::dims::Dims;

block! {
    /// See the module.
    pub struct SharedMemory(cfg: &GpuConfig) {
        in valid(1),
        in leaves(1),
        in sound(1),
        in hold(1),
        in write(1),
        in size(2),
        in mask(lanes),
        in addr([lanes] address),
        in wdata([lanes] 32),
        out busy(1),
        out next_busy(1),
        out rdata([lanes] 32),
        in init_valid(1),
        in init_addr(address),
        in init_data(32),
        out init_ready(1),
        /// A load takes the locks of its words, a store frees them; of SM 1.2 and later. Locks are written like stores, in
        /// the cycle behind the round: a load does not come in between. A beat that stays in M takes none before the cycle
        /// in which it leaves.
        in lock(if locks; 1),
        /// Lanes that got the lock, with `rdata`: of those at one word the lowest gets a free one.
        out locked(if locks; lanes),
        /// `init` writes no word: the locks of [`FREED`](super::locks::FREED) words are freed, of a row at most.
        in init_frees(if locks; 1),
        /// Lanes of the beat in D that no round has served, whether there are, and what the beat asks for.
        data remaining(lanes),
        reg again(1),
        /// The opposite of `again`: a register of its own for what decides, the other chooses data.
        part first(Reg = Reg::reset_to(1, 1)),
        data kept_write(1),
        data kept_sound(1),
        data kept_half(1),
        data kept_word(1),
        data kept_addr([lanes] address),
        data kept_wdata([lanes] 32),
        /// For each lane, of the round now in D: it was served, its bank (one bit each), its byte in the word.
        data read_now(lanes),
        data read_bank([if banks == 1 { 0 } else { lanes }] banks),
        data read_byte([lanes] 2),
        /// Of the round before: it stored something, the bytes each lane stores, each bank's row.
        reg stored(1),
        reg stored_bytes([lanes] 4),
        data stored_row([banks] clog2(rows)),
        data collected([lanes] 32),
        part bank(Vec<Ram> = (0..banks).map(|_| bank()).collect()),
        data kept_lock(if locks; 1),
        part locks(if locks; Locks: cfg),
        keep _lanes(usize = lanes),
        keep _banks(usize = banks),
    } where {
        let (lanes, banks) = (cfg.lanes, cfg.shared_banks);
        let address = clog2(cfg.shared_bytes);
        let rows = cfg.shared_bytes / 4 / banks;
        let locks = Dims::of(cfg).has.locks;
        let bank = || Ram::with_granule(RamKind::Block, rows, 32, 8, 1).rdw_dont_care();
    }
}

/// What a round does to locks.
struct LockAccess {
    takes: Expr,
    frees: Expr,
}

impl SharedMemory {
    /// Lanes served in this round (one bit each): of every bank the word of its lowest waiting
    /// lane, for all lanes that want that word.
    /// The first are the lowest waiting lanes, the second all that are served. And whether two waiting lanes want different
    /// words of a bank: some lane has to wait longer. The same as a lane left over, without going through the round.
    fn round(&self, waiting: &[Expr], bank: &[Expr], row: &[Expr]) -> ([Vec<Expr>; 2], Expr) {
        let none_of = |on: Vec<Expr>| match on.is_empty() {
            true => lit(1, 1),
            false => !any_of(&on),
        };
        let (mut leads, mut now, mut pairs): (Vec<Expr>, Vec<Expr>, Vec<Expr>) = (vec![], vec![], vec![]);
        let same_bank = |i: usize, j: usize| match bank.get(i) {
            Some(b) => b.eq(&bank[j]),
            None => lit(1, 1),
        };
        for j in 0..self._lanes {
            let (mut before, mut blocks) = (vec![], vec![]);
            for i in 0..j {
                let same_bank = wire(&format!("same_bank_{i}_{j}"), same_bank(i, j));
                let conflict = wire(&format!("conflict_{i}_{j}"), &same_bank & &row[i].ne(&row[j]));
                before.push(&waiting[i] & &same_bank);
                blocks.push(&leads[i] & &conflict);
                pairs.push(&waiting[i] & &waiting[j] & &conflict);
            }
            leads.push(wire(&format!("leads_{j}"), &waiting[j] & &none_of(before)));
            now.push(wire(&format!("now_{j}"), &waiting[j] & &none_of(blocks)));
        }
        ([leads, now], any_of(&pairs))
    }

    /// The word lane `i` wants: of the round in D, or what an earlier round read.
    fn word_of_lane(&self, i: usize, words: &Expr) -> Expr {
        let word = match self.read_bank.get(i) {
            Some(bank) => {
                let of = words.each_word(32).into_iter().zip(get(bank).each_bit());
                any_of(&of.map(|(word, here)| word & here.repeat(32)).collect::<Vec<_>>())
            }
            None => words.clone(),
        };
        get(&self.read_now).bit(i).mux(&word, &get(&self.collected[i]))
    }
}

impl Rtl for SharedMemory {
    fn rtl(&self) {
        let (n, banks) = (self._lanes, self._banks);
        let bank_bits = banks.ilog2() as usize;
        let valid = get(&self.valid);
        let (again, first, hold) = (get(&self.again), get(&self.first), get(&self.hold));
        let free = wire("free", !&valid & &first);
        let init = wire("init", &get(&self.init_valid) & &free);
        // Of the beat in D while it has lanes left, then of the beat in M, else of `init`.
        let asked = |name: &str, kept: &Reg, now: Expr| {
            let x = wire(name, again.mux(&get(kept), &now));
            set(kept, &x);
            x
        };
        let store = asked("store", &self.kept_write, get(&self.write) | !&valid);
        let allowed = get(&self.kept_sound);
        asked("allowed", &self.kept_sound, get(&self.sound) | !&valid);
        let access = match (self.lock.get(), self.kept_lock.get()) {
            (Some(lock), Some(kept)) => {
                let lock = asked("lock_access", kept, get(lock) & &valid);
                Some(LockAccess { takes: wire("takes_locks", &lock & &!&store), frees: &lock & &store })
            }
            _ => None,
        };
        let size = get(&self.size);
        let half = size.bit(0);
        let word = size.bit(1) & !&half | !&valid;
        let size = AccessSize {
            half: asked("half_access", &self.kept_half, &half & &valid),
            word: asked("word_access", &self.kept_word, word),
        };

        let (mut addr, mut wdata) = (vec![], vec![]);
        for i in 0..n {
            // The choice of `init` beside that of the kept ones, not behind it.
            let [at, data] = match i {
                0 => [
                    first.mux(&get(&self.init_addr), &get(&self.kept_addr[0])),
                    again.mux(&get(&self.kept_wdata[0]), &get(&self.init_data)),
                ],
                _ => [get(&self.kept_addr[i]), get(&self.kept_wdata[i])],
            };
            let of_m = match i {
                0 => wire("of_m", &valid & &first),
                _ => first.clone(),
            };
            let at = of_m.mux(&get(&self.addr[i]), &at);
            let of_m = match i {
                0 => of_m,
                _ => !&again,
            };
            let data = of_m.mux(&get(&self.wdata[i]), &data);
            addr.push(wire(&format!("addr_lane_{i}"), at));
            wdata.push(wire(&format!("wdata_lane_{i}"), data));
            set(&self.kept_addr[i], &addr[i]);
            set(&self.kept_wdata[i], &wdata[i]);
        }
        let rows = addr[0].width() - 2 - bank_bits;
        let byte: Vec<Expr> = addr.iter().map(|a| a.bits(0, 2)).collect();
        let bank: Vec<Expr> = match banks {
            1 => vec![],
            _ => addr.iter().map(|a| a.bits(2, bank_bits)).collect(),
        };
        let row: Vec<Expr> = addr.iter().map(|a| a.bits(2 + bank_bits, rows)).collect();

        // `hold` is asked where a round is kept alone: nothing else of the beat in M counts before it leaves.
        let serves = wire("serves", any_of(&[again.clone(), !&hold, init.clone()]));
        let waiting = wire("waiting", first.mux(&get(&self.mask), &get(&self.remaining)));
        let mut waiting = waiting.each_bit();
        waiting[0] = wire("waiting_0", &waiting[0] | &init);
        let any = wire("any", any_of(&waiting));
        // The banks are about to be written: a load waits a cycle.
        let stored = get(&self.stored);
        let writes = match &access {
            Some(access) => &store | &(&access.takes & &!&stored),
            None => store.clone(),
        };
        set(&self.stored, all_of(&[writes, any.clone(), serves.clone()]));
        let blocked = wire("blocked", stored & !&store);
        let ([leads, now], conflicts) = self.round(&waiting, &bank, &row);
        let now_mask = wire("now_mask", pack(now.iter()) & !blocked.repeat(n));
        let more = wire("more", conflicts | (&blocked & &any));

        let mut bytes = vec![];
        for i in 0..n {
            let on = match (i, self.init_frees.get()) {
                (0, Some(frees)) => &store & &now[0] & !(&init & get(frees)),
                _ => &store & &now[i],
            };
            let on = (on & &serves).repeat(4);
            let stores = wire(&format!("stores_{i}"), size.enables(&byte[i]) & on);
            set(&self.stored_bytes[i], stores);
            bytes.push(get(&self.stored_bytes[i]));
        }
        let wdata = get_all(&self.kept_wdata);

        let (mut words, mut rows_now) = (vec![], vec![]);
        for b in 0..banks {
            let wants: Vec<Expr> = (0..n)
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
            words.push(self.bank[b].read(0, &at));
            // Lanes served together in a bank have the same row.
            set(&self.stored_row[b], &at);
            rows_now.push(at);
            let here: Vec<Expr> = (0..n)
                .map(|i| match self.read_bank.get(i) {
                    Some(bank) => get(bank).bit(b),
                    None => lit(1, 1),
                })
                .collect();
            let sources = ByteSources::new(&b.to_string(), &here, &bytes);
            let enables = &sources.any & &allowed.repeat(4);
            let word = gather(&sources.code, &wdata);
            self.bank[b].write(&get(&self.stored_row[b]), &word, &enables);
        }
        let words = wire("words", pack(words.iter()));

        let stays = wire("stays", &more & &(&again | &get(&self.leaves)));
        set(&self.first, !&stays);
        set(&self.again, &stays);
        set(&self.next_busy, stays);
        set(&self.remaining, pack(waiting.iter()) & !&now_mask);
        // The beat in D may have its words already and wait for others.
        let init_only = init.clone();
        let init = init.zext(n);
        set(&self.read_now, &now_mask & !(init | !serves.repeat(n)));
        for i in 0..n {
            if let Some(to) = self.read_bank.get(i) {
                set(to, bank[i].one_hot(banks));
            }
            when(&!&hold, || set(&self.read_byte[i], &byte[i]));
            let word = wire(&format!("word_{i}"), self.word_of_lane(i, &words));
            set(&self.collected[i], &word);
            let [upper, lowest] = aligned(&word, &get(&self.read_byte[i]));
            set(&self.rdata[i], cat([&word.bits(16, 16), &upper, &lowest]));
        }
        set(&self.busy, &again);
        set(&self.init_ready, free);
        if let (Some(locks), Some(access)) = (self.locks.get(), access) {
            let counts = wire("locks_count", (again | get(&self.leaves)) & !blocked);
            set(&locks.takes, access.takes & &counts);
            set(&locks.frees, access.frees & counts);
            set(&locks.leads, pack(leads.iter()));
            set(&locks.serves, now_mask);
            rows_now.iter().zip(&locks.row).for_each(|(from, to)| set(to, from));
            set(&locks.served, get(&self.read_now));
            self.read_bank.iter().zip(&locks.bank).for_each(|(from, to)| set(to, one_hot_index(&get(from), bank_bits)));
            set(&locks.sound, allowed);
            self.stored_row.iter().zip(&locks.stored_row).for_each(|(from, to)| set(to, get(from)));
            set(&locks.clears, init_only & self.init_frees.get().map_or(zero(1), get));
            set(&locks.clear_at, get(&self.init_addr));
            if let Some(to) = self.locked.get() {
                set(to, get(&locks.locked));
            }
        }
    }
}
rtl_block!(SharedMemory, "shared_memory");
