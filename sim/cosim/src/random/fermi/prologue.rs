//! Fixed sequences: initialisation, barriers, the end.

use super::super::skeleton::Program;
use super::super::value;
use super::memory::addressed;
use super::state::{reserved, Gen};
use super::words::{Word, TRUE, ZERO};
use rand::Rng;

/// Codes of the special registers.
const TID: u64 = 0x21;
const CTAID: u64 = 0x25;
/// Barriers for all warps are those below this number; a part of the warps waits at the others.
pub const MIXED: u64 = 12;
/// Barriers of a block.
pub const BARRIERS: u64 = 16;

impl Gen<'_> {
    /// Appends a word.
    pub fn put(&mut self, word: Word) {
        self.code.push(&word.code());
        self.cost += 1.0;
    }

    /// `d = a & mask`.
    pub fn and(&mut self, d: u64, a: u64, mask: u32) {
        let and = Word::of("LOP32I").with("D", d).with("A", a);
        self.put(and.with("i", mask.into()));
    }

    /// `d = v`.
    pub fn set(&mut self, d: u64, v: u32) {
        self.put(Word::of("MOV32I").with("D", d).with("i", v.into()));
    }

    /// `d = a + v`.
    pub fn add(&mut self, d: u64, a: u64, v: u32) {
        let add = Word::of("IADD32I").with("D", d).with("A", a);
        self.put(add.with("i", v.into()));
    }

    /// `d = a * v + c`, `v` below 2^19.
    fn multiply_add(&mut self, d: u64, a: u64, v: u32, c: u64) {
        let w = Word::of("IMAD_IR").with("D", d).with("A", a);
        self.put(w.with("i", v.into()).with("C", c));
    }

    fn shift(&mut self, right: bool, d: u64, a: u64, n: u32) {
        let w = match right {
            true => Word::of("SHR_I").with("s", 0),
            false => Word::of("SHL_I"),
        };
        self.put(w.with("D", d).with("A", a).with("i", n.into()));
    }

    fn special(&mut self, d: u64, number: u64) {
        self.put(Word::of("S2R").with("D", d).with("sr", number));
    }

    /// Predicate `p` = (a `cmp` v), signed: 1 less, 2 equal, 5 not equal.
    pub fn test(&mut self, p: u64, a: u64, cmp: u64, v: u32) {
        let w = Word::of("ISETP_I").with("PD", p).with("PN2", TRUE);
        let w = w.with("A", a).with("cmp", cmp).with("PC", TRUE);
        self.put(w.with("i", u64::from(v & 0xf_ffff)));
    }

    /// A word that all threads execute, now and then under a guard.
    fn all(&mut self, word: Word) -> Word {
        if self.rng.gen_bool(0.8) {
            return word;
        }
        let (p, not) = (self.rng.gen_range(0..TRUE), self.rng.gen());
        let cmp = if not { 5 } else { 2 };
        self.test(p, ZERO, cmp, 0);
        word.guard((p, not))
    }

    /// A barrier with a number of threads, now and then: where chips have it, and before any warp ends.
    fn counted(&mut self, word: Word, warps: u32) -> Word {
        if !self.own.counts || self.own.exited || self.rng.gen_bool(0.6) {
            return word;
        }
        self.own.counted = true;
        word.with("n", u64::from(32 * warps))
    }

    /// Warps meet in groups of as many as divide them, in any order: a barrier of their own.
    pub fn group_barrier(&mut self) {
        if self.own.mixed >= BARRIERS {
            return;
        }
        let warps = self.shape.warps();
        let divisors: Vec<u32> = (1..=warps).filter(|n| warps % n == 0).collect();
        let count = divisors[self.rng.gen_range(0..divisors.len())];
        let word = Word::of("BAR_SYNC").with("b", self.own.mixed);
        let word = self.counted(word, count);
        self.own.mixed += 1;
        self.put(word);
    }

    /// All warps of the block meet; now and then with `.S`, which all threads of a warp execute.
    pub fn barrier(&mut self) {
        let word = Word::of("BAR_SYNC").with("b", self.rng.gen_range(0..MIXED));
        let word = self.all(word);
        let word = self.counted(word, self.shape.warps());
        if self.limits.stack_depth == 0 || self.rng.gen_bool(0.8) {
            return self.put(word);
        }
        let join = self.code.label();
        self.jump(Word::of("SSY"), join);
        self.put(word.join());
        self.code.place(join);
    }

    /// Some warps of the block wait for the others, which go on.
    pub fn mixed_barrier(&mut self) {
        if self.own.mixed >= BARRIERS {
            return;
        }
        let id = self.own.mixed;
        self.own.mixed += 1;
        let (temp, thread) = (self.r(reserved::TEMP), self.r(reserved::THREAD));
        let p = self.rng.gen_range(0..TRUE);
        // The same in all threads of a warp.
        let bit = 32 << self.rng.gen_range(0..2);
        self.and(temp, thread, bit);
        self.test(p, temp, 2, 0);
        let (waits, end) = (self.code.label(), self.code.label());
        let bra = Word::of("BRA").guard((p, self.rng.gen()));
        self.jump(bra.with("u", 1), waits);
        let word = Word::of("BAR_ARV").with("b", id);
        let word = self.counted(word, self.shape.warps());
        let count = super::words::field(word.row, "n").map_or(0, |f| f.get(word.bits));
        let arrive = self.all(word);
        if self.limits.stack_depth > 0 && self.rng.gen_bool(0.3) {
            let join = self.code.label();
            self.jump(Word::of("SSY"), join);
            self.put(arrive.join());
            self.code.place(join);
        } else {
            self.put(arrive);
        }
        self.jump(Word::of("BRA"), end);
        self.code.place(waits);
        let wait = self.all(Word::of("BAR_SYNC").with("b", id).with("n", count));
        self.put(wait);
        self.code.place(end);
    }

    /// Sets up everything the rest of the program relies on.
    pub fn initialise(&mut self) {
        let [bx, by, bz] = self.shape.block;
        let [gx, gy] = self.shape.grid;
        let (thread, temp) = (self.r(reserved::THREAD), self.r(reserved::TEMP));
        self.special(thread, TID);
        if by * bz > 1 {
            self.special(temp, TID + 1);
            self.multiply_add(thread, temp, bx, thread);
            self.special(temp, TID + 2);
            self.multiply_add(thread, temp, bx * by, thread);
        }
        let global = self.r(reserved::GLOBAL);
        self.special(global, CTAID);
        if gy > 1 {
            self.special(temp, CTAID + 1);
            self.multiply_add(global, temp, gx, global);
        }
        self.multiply_add(global, global, self.shape.threads(), thread);
        self.set(temp, self.layout.above[0]);
        self.multiply_add(global, global, self.layout.slots.thread_stride, temp);
        self.data_registers(thread);
        self.pointers(thread);
        self.memories(thread, temp);
        for p in 0..TRUE {
            let (r, v) = (self.rng.gen_range(0..self.layout.pool), self.integer());
            let cmp = self.rng.gen_range(1..7);
            self.test(p, r, cmp, v);
        }
    }

    fn data_registers(&mut self, thread: u64) {
        let quads = self.layout.pool / 4;
        for quad in 0..quads {
            if self.rng.gen_bool(0.5) {
                self.load_together();
            }
            let first = 4 * quad;
            for r in first..first + 4 {
                let v = match self.rng.gen_bool(0.4) {
                    true => value::float(&mut self.rng),
                    false => self.integer(),
                };
                match self.rng.gen_range(0..5) {
                    0 => self.set(r, v),
                    1 => self.add(r, thread, v),
                    2 => {
                        let w = Word::of("IMUL32I").with("D", r).with("A", thread);
                        self.put(w.with("i", u64::from(v | 1)));
                    }
                    // What the loads left, or 0.
                    _ => {}
                }
            }
        }
        self.wanted.clear();
    }

    fn pointers(&mut self, thread: u64) {
        let [_, shared_above, local_above, constant_above] = self.layout.above;
        let (region, shared) = (self.r(reserved::REGION), self.r(reserved::SHARED));
        let (mask, shift) = self.layout.shared_home;
        self.shift(true, region, thread, 5);
        self.multiply_add(region, region, self.layout.warp_shared, ZERO);
        self.and(shared, thread, mask);
        let w = Word::of("ISCADD_R").with("D", shared).with("A", shared);
        self.put(w.with("B", region).with("sh", shift.into()));
        self.add(shared, shared, shared_above);
        for (pointer, mask, above) in [(reserved::LOCAL, 1, local_above), (reserved::CONSTANT, 1, constant_above)] {
            let r = self.r(pointer);
            self.and(r, thread, mask);
            self.shift(false, r, r, 4);
            self.add(r, r, above);
        }
        let exchange = self.r(reserved::EXCHANGE);
        let w = Word::of("ISCADD_I").with("D", exchange).with("A", thread);
        self.put(w.with("sh", 2).with("i", self.layout.exchange_base.into()));
        for counter in 0..3 {
            let v = self.integer();
            self.set(self.r(reserved::LOOP + counter), v);
        }
    }

    /// Shared and local memory, written before they are read.
    fn memories(&mut self, thread: u64, temp: u64) {
        let region = self.r(reserved::REGION);
        let quad = |gen: &mut Self| 4 * gen.rng.gen_range(0..gen.layout.pool / 4);
        let full = self.shape.threads() % 32 == 0;
        if full {
            self.and(temp, thread, 31);
            let w = Word::of("ISCADD_R").with("D", temp).with("A", temp);
            self.put(w.with("B", region).with("sh", 2));
            for k in 0..self.layout.warp_shared / 128 {
                let r = self.rng.gen_range(0..self.layout.pool);
                let store = Word::of("STS").with("sz", 4).with("D", r);
                self.put(addressed(store, temp, i64::from(128 * k)));
            }
        } else {
            // Some threads are missing: all of them write everything, the highest wins.
            for k in 0..self.layout.warp_shared / 16 {
                let r = quad(self);
                let store = Word::of("STS").with("sz", 6).with("D", r);
                self.put(addressed(store, region, i64::from(16 * k)));
            }
        }
        let exchange = self.r(reserved::EXCHANGE);
        let store = Word::of("STS").with("sz", 4).with("D", temp);
        self.put(addressed(store, exchange, 0));
        self.barrier();
        for k in 0..self.layout.local / 16 {
            let r = quad(self);
            let store = Word::of("STL").with("sz", 6).with("D", r);
            self.put(addressed(store, ZERO, i64::from(16 * k)));
        }
    }

    /// Stores data registers to the thread's own memory.
    pub fn store_registers(&mut self) {
        let (global, above) = (self.r(reserved::GLOBAL), self.layout.above[0]);
        for slot in 0..self.layout.slots.count {
            let r = 4 * self.rng.gen_range(0..self.layout.pool / 4);
            let offset = i64::from(slot * self.layout.slots.stride) - i64::from(above);
            let store = Word::of("ST").with("sz", 6).with("D", r);
            let far = self.rng.gen_range(0..2);
            self.put(addressed(store.with("e", far), global, offset));
        }
    }
}
