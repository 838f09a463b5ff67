//! Loads and stores whose addresses are aligned and inside; fresh values; exchange between warps.

use super::state::{reserved, Gen};
use super::words::{form, Word, ZERO};
use rand::Rng;
use warpsmith_isa::fermi::operand::Kind;

/// Names of the forms that access memory.
const ACCESSES: [&str; 7] = ["LD", "ST", "LDS", "STS", "LDL", "STL", "LDC"];

/// Bytes of a code of the size modifier.
fn bytes(size: u64) -> u32 {
    [1, 1, 2, 2, 4, 8, 16][size as usize]
}

/// A base register and what is added to it.
struct Address {
    base: u64,
    offset: i64,
}

impl Gen<'_> {
    /// A load, store or atomic access of any space; what its address needs is appended first.
    pub fn memory_access(&mut self) -> Word {
        if !self.own.atomics.is_empty() && self.rng.gen_bool(0.2) {
            return self.atomic_access();
        }
        let name = ACCESSES[self.rng.gen_range(0..ACCESSES.len())];
        let mut word = Word::of(name);
        for m in form(word.row).modifiers {
            word.bits = self.modifier(word.bits, m);
        }
        let size = self.rng.gen_range(0..7);
        let n = bytes(size);
        word = word.with("sz", size);
        let address = match name {
            "LD" if self.rng.gen_bool(0.4) => self.read_only(n),
            "LD" | "ST" => self.own(n),
            "LDS" | "STS" => self.shared(n),
            "LDL" | "STL" => self.local(n),
            _ => {
                let (bank, bytes) = self.bank();
                word = word.with("b", bank);
                self.constant(n, bytes)
            }
        };
        let registers = u64::from(n.div_ceil(4));
        let load = name.starts_with('L');
        let data = match load {
            true => self.destination(registers),
            false => self.data(registers),
        };
        let guard = self.guard();
        word = word.with("D", data).guard(guard);
        word = at(word, &address);
        if load {
            self.wrote(&word);
        }
        word
    }

    /// An atomic access to a word that all threads replace.
    fn atomic_access(&mut self) -> Word {
        let mut word = Word::of_row(self.own.atomics[self.rng.gen_range(0..self.own.atomics.len())]);
        for m in form(word.row).modifiers {
            word.bits = self.modifier(word.bits, m);
        }
        // An address of 64 bits leaves no register for a second operand.
        if form(word.row).name == "ATOM_CAS" {
            word = word.with("e", 0);
        }
        let (start, bytes) = self.layout.atomics;
        let address = match self.rng.gen_bool(0.2) {
            true => Address { base: ZERO, offset: i64::from(start + self.inside(4, bytes)) },
            false => Address { base: self.computed(4, bytes), offset: start.into() },
        };
        let (operand, second, result) = (self.source(), self.source(), self.destination(1));
        let guard = self.guard();
        word = word.with("D", operand).maybe("C", second).maybe("D2", result).guard(guard);
        if result < self.layout.pool && super::words::field(word.row, "D2").is_some() {
            self.recent.rotate_right(1);
            self.recent[0] = result;
        }
        at(word, &address)
    }

    /// The first of `n` aligned registers to be stored.
    fn data(&mut self, n: u64) -> u64 {
        let r = self.source();
        match r {
            ZERO => r,
            r if r / n * n + n <= self.layout.registers() => r / n * n,
            _ => 0,
        }
    }

    /// A multiple of `n` below `bytes - n + 1`.
    fn inside(&mut self, n: u32, bytes: u32) -> u32 {
        n * self.rng.gen_range(0..=(bytes - n) / n)
    }

    /// A data register masked to multiples of `n` below a power of two, in the scratch register.
    fn computed(&mut self, n: u32, bytes: u32) -> u64 {
        let (temp, from) = (self.r(reserved::TEMP), self.rng.gen_range(0..self.layout.pool));
        self.and(temp, from, (bytes - 1) & !(n - 1));
        temp
    }

    /// Anywhere in read-only global memory.
    fn read_only(&mut self, n: u32) -> Address {
        let (start, bytes) = self.layout.read_only;
        if self.rng.gen_bool(0.2) {
            let offset = i64::from(start + self.inside(n, bytes));
            return Address { base: ZERO, offset };
        }
        Address { base: self.computed(n, bytes), offset: start.into() }
    }

    /// The thread's own global memory; that of all where one warp is alone.
    fn own(&mut self, n: u32) -> Address {
        let [gx, gy] = self.shape.grid;
        if self.shape.warps() * gx * gy == 1 && self.rng.gen_bool(0.2) {
            let offset = self.inside(n, self.layout.read_only.0).into();
            return Address { base: ZERO, offset };
        }
        let slot = self.rng.gen_range(0..self.layout.slots.count);
        let offset = slot * self.layout.slots.stride + self.inside(n, 16);
        Address { base: self.r(reserved::GLOBAL), offset: i64::from(offset) - i64::from(self.layout.above[0]) }
    }

    /// The warp's own shared memory.
    fn shared(&mut self, n: u32) -> Address {
        let bytes = self.layout.warp_shared;
        match self.rng.gen_range(0..4) {
            0 if self.shape.warps() == 1 => {
                let offset = self.inside(n, bytes).into();
                Address { base: ZERO, offset }
            }
            0 | 1 => {
                let base = self.computed(n, bytes);
                let region = self.r(reserved::REGION);
                self.put(Word::of("IADD_R").with("D", base).with("A", base).with("B", region));
                Address { base, offset: 0 }
            }
            _ => {
                let (mask, shift) = self.layout.shared_home;
                let offset = self.inside(n, bytes - (mask << shift));
                Address { base: self.r(reserved::SHARED), offset: i64::from(offset) - i64::from(self.layout.above[1]) }
            }
        }
    }

    /// Local memory.
    fn local(&mut self, n: u32) -> Address {
        let bytes = self.layout.local;
        match self.rng.gen_range(0..3) {
            0 => Address { base: ZERO, offset: self.inside(n, bytes).into() },
            1 => Address { base: self.computed(n, 1 << bytes.ilog2()), offset: 0 },
            _ => Address {
                base: self.r(reserved::LOCAL),
                offset: i64::from(self.inside(n, bytes - 16)) - i64::from(self.layout.above[2]),
            },
        }
    }

    /// A constant bank of so many bytes.
    fn constant(&mut self, n: u32, bytes: u32) -> Address {
        match self.rng.gen_range(0..3) {
            0 => Address { base: ZERO, offset: self.inside(n, bytes).into() },
            1 => {
                let part = 1 << bytes.ilog2();
                let base = self.computed(n, part);
                let rest = (bytes - part) / n * n;
                let offset = n * self.rng.gen_range(0..=rest / n);
                Address { base, offset: offset.into() }
            }
            _ => Address {
                base: self.r(reserved::CONSTANT),
                offset: i64::from(self.inside(n, bytes - 16)) - i64::from(self.layout.above[3]),
            },
        }
    }

    /// The register with the offset of a group of `1 << log` bytes among `bytes`, another one for each thread.
    fn group_of_thread(&mut self, log: u32, bytes: u32) -> u64 {
        let (temp, thread) = (self.r(reserved::TEMP), self.r(reserved::THREAD));
        let k = self.rng.gen_range(0..bytes >> log) << log;
        self.put(Word::of("ISCADD_I").with("D", temp).with("A", thread).with("sh", log.into()).with("i", k.into()));
        self.and(temp, temp, (bytes - 1) >> log << log);
        temp
    }

    /// Loads words that make a case of some rule when they meet into four registers, other words in
    /// each thread; the next instructions take them.
    pub fn load_together(&mut self) {
        let (start, bytes) = self.layout.read_only;
        let temp = self.group_of_thread(4, bytes);
        let first = 4 * self.rng.gen_range(0..self.layout.pool / 4);
        let load = Word::of("LD").with("sz", 6).with("D", first);
        self.put(at(load, &Address { base: temp, offset: start.into() }));
        self.wanted = (first..first + 3).collect();
        self.turn = self.rng.gen_range(0..3);
    }

    /// The same of three floats of 64 bits, into pairs of registers.
    pub fn load_doubles(&mut self) {
        let (start, bytes) = self.layout.read_only;
        let half = bytes / 2;
        let temp = self.group_of_thread(5, half);
        let groups = self.layout.pool / 4;
        let first = self.rng.gen_range(0..groups);
        let second = (first + self.rng.gen_range(1..groups)) % groups;
        for (group, offset) in [(first, 0), (second, 16)] {
            let load = Word::of("LD").with("sz", 6).with("D", 4 * group);
            self.put(at(load, &Address { base: temp, offset: i64::from(start + half + offset) }));
        }
        self.wanted = vec![4 * first, 4 * first + 2, 4 * second];
        self.turn = self.rng.gen_range(0..3);
    }

    /// Every thread publishes a word; after a barrier it reads another thread's.
    pub fn exchange(&mut self) {
        let (temp, exchange) = (self.r(reserved::TEMP), self.r(reserved::EXCHANGE));
        let data = self.rng.gen_range(0..self.layout.pool);
        let store = Word::of("STS").with("sz", 4).with("D", data);
        self.put(at(store, &Address { base: exchange, offset: 0 }));
        self.barrier();
        let threads = self.shape.threads();
        let step = self.rng.gen_range(0..threads);
        let thread = self.r(reserved::THREAD);
        let add = Word::of("IADD_I").with("D", temp).with("A", thread);
        self.put(add.with("i", step.into()));
        let least = Word::of("IMNMX_I").with("D", temp).with("A", temp);
        self.put(least.with("i", u64::from(threads - 1)).with("PC", 7));
        let shift = Word::of("ISCADD_I").with("D", temp).with("A", temp);
        self.put(shift.with("sh", 2).with("i", self.layout.exchange_base.into()));
        let (d, g) = (self.destination(1), self.guard());
        let load = Word::of("LDS").with("sz", 4).with("D", d).guard(g);
        self.put(at(load, &Address { base: temp, offset: 0 }));
        self.barrier();
    }
}

/// A word with the fields of its address.
fn at(word: Word, address: &Address) -> Word {
    let operands = form(word.row).operands.iter();
    operands.fold(word, |w, o| {
        let (base, offset) = match o.kind {
            Kind::Memory => (o.fields[0], o.fields[1]),
            Kind::ConstMemory => (o.fields[1], o.fields[2]),
            _ => return w,
        };
        let bits = base.put(w.bits, address.base);
        Word { bits: offset.put(bits, address.offset as u64), ..w }
    })
}

/// `word` with a base register and an offset.
pub fn addressed(word: Word, base: u64, offset: i64) -> Word {
    at(word, &Address { base, offset })
}
