//! Loads and stores whose addresses are aligned and inside; the beginning; exchange between SIMD-groups.

use super::state::{reserved, Gen, FIRST, OWN, READ_ONLY, UNIFORMS};
use super::words::{Source, Word};
use rand::Rng;

/// Fields without meaning of what moves the stack pointer, and their bits.
const IGNORED: [(&str, u32); 5] = [("i0", 2), ("i1", 1), ("i2", 3), ("i3", 3), ("i4", 6)];

/// Formats of threadgroup memory and the stack, those of device memory that are one float an element, and those that are
/// several.
const PLAIN: [u64; 4] = [0, 1, 2, 3];
const FLOATS: [u64; 5] = [4, 5, 6, 7, 10];
const PACKED: [u64; 5] = [8, 12, 13, 14, 15];

/// Operations of atomic accesses that chips execute: compare and exchange, 3, is not one.
const ATOMIC: [u64; 10] = [0, 1, 2, 4, 5, 6, 7, 8, 9, 10];

/// `shift` and `mask` of an access of registers: element bytes, components, wide registers.
struct Shape {
    format: u64,
    bytes: u32,
    mask: u64,
    wide: bool,
    first: u64,
}

impl Shape {
    /// Registers, or halves, of an element that has several.
    fn packed(&self) -> Option<u64> {
        PACKED.contains(&self.format).then_some(if self.format == 8 { 4 } else { 3 })
    }

    /// Bytes from the first component to the end of the last.
    fn span(&self) -> u32 {
        match self.packed() {
            Some(_) => self.bytes,
            None => self.bytes * (64 - self.mask.leading_zeros()),
        }
    }

    /// Bytes that the index counts where it is shifted by `s`.
    fn unit(&self, s: u64) -> u32 {
        match self.packed() {
            Some(_) => self.bytes,
            None => self.bytes << s.min(2),
        }
    }

    /// Registers, or halves.
    fn values(&self) -> u64 {
        self.packed().unwrap_or(self.mask.count_ones().into())
    }

    fn put(&self, word: Word) -> Word {
        word.with("F", self.format).with("mask", self.mask).with("Rt", self.wide.into()).with("R", self.first)
    }
}

impl Gen<'_> {
    /// Appends an instruction.
    pub fn put(&mut self, word: Word) {
        self.code.push(&word.code().to_vec());
        self.cost += 1.0;
    }

    /// `d = v`.
    pub fn set(&mut self, d: u64, v: u32) {
        self.put(Word::of("mov_imm32").to(d).with("imm32", v.into()));
    }

    fn special(&mut self, d: u64, n: u64) {
        self.put(Word::of("get_sr").to(d).with("SR", n));
    }

    /// `d = a + b`.
    pub fn add(&mut self, d: u64, a: u64, b: Source) {
        self.put(Word::of("iadd").to(d).from("A", Source::Reg(a)).from("B", b));
    }

    /// `d = a - 1`.
    pub fn decrement(&mut self, r: u64) {
        let word = Word::of("iadd").to(r).from("A", Source::Reg(r));
        self.put(word.from("B", Source::Imm(1)).with("N", 1));
    }

    /// `d = a * b + c`.
    fn multiply_add(&mut self, d: u64, a: u64, b: Source, c: Source) {
        let word = Word::of("imadd").to(d).from("A", Source::Reg(a));
        self.put(word.from("B", b).from("C", c));
    }

    /// `d = a & b`.
    pub fn and(&mut self, d: u64, a: u64, b: Source) {
        let word = Word::of("bitop").to(d).from("A", Source::Reg(a));
        self.put(word.from("B", b).with("tt3", 1));
    }

    fn shift_right(&mut self, d: u64, a: u64, n: u64) {
        let word = Word::of("asr").to(d).from("A", Source::Reg(a));
        self.put(word.from("B", Source::Imm(n)));
    }

    /// Format, components and registers of an access; of a load in data registers.
    fn shape(&mut self, load: bool, device: bool) -> Shape {
        let formats: &[u64] = match self.rng.gen_range(0..4) {
            0 if device => &FLOATS,
            1 if device => &PACKED,
            _ => &PLAIN,
        };
        let format = formats[self.rng.gen_range(0..formats.len())];
        let bytes = [1, 2, 4, 2, 1, 1, 2, 2, 4, 0, 1, 0, 4, 4, 4, 4][format as usize];
        let wide = format == 2 || self.rng.gen();
        let mask = self.rng.gen_range(1..16u64);
        let shape = Shape { format, bytes, mask, wide, first: 0 };
        let halves = shape.values() * if wide { 2 } else { 1 };
        let registers = halves.div_ceil(2) + 1;
        let first = match load {
            true => FIRST + self.rng.gen_range(0..=self.layout.pool - registers),
            false => self.rng.gen_range(0..=self.layout.registers() - registers),
        };
        let half = u64::from(!wide && self.rng.gen());
        Shape { first: 2 * first + half, ..shape }
    }

    /// An atomic access to a word that all threads replace.
    fn atomic_access(&mut self) {
        let (start, bytes) = self.layout.atomics;
        let words = bytes / 4;
        let [temp, other] = [0, 1].map(|n| self.r(reserved::TEMP + n));
        let k = self.rng.gen_range(0..words);
        let unsigned = self.rng.gen_range(0..2);
        let word = Word::of("atomic").with("Ou", unsigned);
        let near = start / 4 + k < 1 << 15;
        let word = match self.rng.gen_range(0..3) {
            // Read-only memory's address in uniforms, an index in a register.
            0 => {
                let from = self.data();
                self.and(temp, from, Source::Imm((words - 1).into()));
                self.set(other, READ_ONLY / 4);
                self.add(temp, temp, Source::Reg(other));
                word.with("At", 1).with("A", 0).with("Ot", 0).with("O", 2 * temp)
            }
            // Uniforms that are 0, and the index a number.
            1 if near => word.with("At", 1).with("A", 4).with("Ot", 1).with("O", (start / 4 + k).into()),
            // An address in registers, which is rounded down.
            _ => {
                let below = self.rng.gen_range(0..4);
                self.set(temp, start + below);
                self.set(other, 0);
                word.with("At", 0).with("A", 2 * temp).with("Ot", 1).with("O", k.into())
            }
        };
        let word = self.noise(word, &[("g", 1), ("u1", 1), ("u2", 2), ("u3", 1), ("u4", 3), ("u5", 2)]);
        let (operation, operand) = (ATOMIC[self.rng.gen_range(0..ATOMIC.len())], self.data());
        let word = word.with("op", operation).with("S", 2 * operand);
        let word = match self.rng.gen() {
            true => {
                let to = FIRST + self.rng.gen_range(0..self.layout.pool);
                self.recent.rotate_right(1);
                self.recent[0] = to;
                word.with("Rt", 1).with("R", 2 * to)
            }
            false => word.with("Rt", 0).with("R", self.rng.gen_range(0..256)),
        };
        self.put(word);
    }

    /// An access of any memory.
    pub fn memory_access(&mut self) {
        if self.layout.atomics.1 > 0 && self.rng.gen_bool(0.2) {
            return self.atomic_access();
        }
        let load = self.rng.gen();
        let which = self.rng.gen_range(0..4);
        let shape = self.shape(load, which < 2);
        match which {
            0 if load => {
                let word = self.read_only(&shape);
                self.put(word);
            }
            0 | 1 => {
                let word = self.own(&shape, load);
                self.put(word);
            }
            2 => {
                let word = self.group(&shape, load);
                self.put(word);
            }
            _ => self.stack(&shape, load),
        }
        if load {
            self.recent.rotate_right(1);
            self.recent[0] = shape.first / 2;
        }
    }

    /// A multiple of `n` so that `span` bytes from there end inside `bytes`, in units of `n`.
    fn place(&mut self, n: u32, span: u32, bytes: u32) -> u32 {
        self.rng.gen_range(0..=(bytes - span) / n)
    }

    /// A register for an address: scratch, or one that the load writes.
    fn address(&mut self, shape: &Shape, load: bool) -> u64 {
        match load && shape.wide && self.rng.gen_bool(0.4) {
            true => shape.first / 2 + self.rng.gen_range(0..shape.values()),
            false => self.r(reserved::TEMP),
        }
    }

    /// An access of device memory, fields without meaning at random.
    fn device(&mut self, name: &str, shape: &Shape) -> Word {
        let word = shape.put(Word::of(name)).with("g", self.rng.gen_range(0..2));
        match name {
            "device_store" => word.with("u6", self.rng.gen_range(0..2)),
            _ => word,
        }
    }

    /// Anywhere in read-only memory: its address in uniforms, an index in a register.
    fn read_only(&mut self, shape: &Shape) -> Word {
        let (temp, from) = (self.address(shape, true), self.data());
        let (s, unsigned) = (self.rng.gen_range(0..4), self.rng.gen_range(0..2));
        self.and(temp, from, Source::Imm(0xff));
        let word = self.device("device_load", shape);
        let word = word.with("A", 0).with("At", 1).with("s", s);
        word.with("O", 2 * temp).with("Ot", 0).with("Ou", unsigned)
    }

    /// The thread's own memory: its address in registers, an index in the instruction.
    fn own(&mut self, shape: &Shape, load: bool) -> Word {
        let name = if load { "device_load" } else { "device_store" };
        let s = self.rng.gen_range(0..4u64);
        let unit = shape.unit(s);
        let k = self.place(unit, shape.span(), OWN);
        if self.rng.gen_bool(0.3) {
            // Uniforms that are 0, and the index in a register.
            let [temp, below] = [0, 1].map(|n| self.r(reserved::TEMP + n));
            self.set(below, self.layout.above.wrapping_neg());
            self.add(temp, self.r(reserved::POINTER), Source::Reg(below));
            self.shift_right(temp, temp, unit.trailing_zeros().into());
            self.add(temp, temp, Source::Imm(k.into()));
            let word = self.device(name, shape).with("s", s).with("A", 4);
            let unsigned = self.rng.gen_range(0..2);
            return word.with("At", 1).with("O", 2 * temp).with("Ou", unsigned);
        }
        let index = i64::from(k) - i64::from(self.layout.above / unit);
        if self.rng.gen_bool(0.3) && (load || !self.limits.chip) {
            // A pair of registers and a third.
            let temp = self.address(shape, load);
            self.set(temp, index as u32);
            let word = self.device(name, shape).with("s", s).with("A", 2 * self.r(reserved::POINTER)).with("At", 0);
            return word.with("O", 2 * temp).with("Ot", 0);
        }
        let unsigned = u64::from(index >= 0 && self.rng.gen());
        let word = self.device(name, shape).with("s", s);
        let word = word.with("A", 2 * self.r(reserved::POINTER)).with("At", 0);
        word.with("O", index as u64 & 0xffff).with("Ot", 1).with("Ou", unsigned)
    }

    /// The SIMD-group's own part of threadgroup memory.
    fn group(&mut self, shape: &Shape, load: bool) -> Word {
        let name = match load {
            true => "threadgroup_load",
            false => "threadgroup_store",
        };
        let region = self.r(reserved::REGION);
        if self.rng.gen_bool(0.3) {
            // A base that is 0: halves of uniforms, or the number.
            let (base, a) = match self.rng.gen_range(1..4) {
                1 => (1, self.rng.gen_range(4..8)),
                t => (t, self.rng.gen_range(0..256)),
            };
            let temp = self.address(shape, load);
            let k = self.place(shape.bytes, shape.span(), self.layout.region);
            self.shift_right(temp, region, shape.bytes.trailing_zeros().into());
            self.add(temp, temp, Source::Imm(k.into()));
            let word = shape.put(Word::of(name)).with("At", base).with("A", a);
            return word.with("O", 2 * temp).with("Ot", 0);
        }
        let word = shape.put(Word::of(name)).with("At", 0);
        if self.rng.gen() {
            let base = self.address(shape, load);
            let base = match base == self.r(reserved::TEMP) {
                true => region,
                false => {
                    self.add(base, region, Source::Imm(0));
                    base
                }
            };
            let k = self.place(shape.bytes, shape.span(), self.layout.region);
            return word.with("A", 2 * base).with("O", k.into()).with("Ot", 1);
        }
        let word = word.with("A", 2 * region);
        let (temp, from) = (self.address(shape, load), self.data());
        let mask = (self.layout.region / shape.bytes / 2 - 1).min(255);
        self.and(temp, from, Source::Imm(mask.into()));
        word.with("O", 2 * temp).with("Ot", 0)
    }

    /// Private memory; often the stack pointer is moved, and moved back behind the access.
    fn stack(&mut self, shape: &Shape, load: bool) {
        let name = if load { "stack_load" } else { "stack_store" };
        let at = self.place(shape.bytes, shape.span(), self.layout.local) * shape.bytes;
        let moved = if self.rng.gen_bool(0.4) { self.rng.gen_range(-64..64i32) } else { 0 };
        let by_register = self.rng.gen();
        self.move_stack(moved, by_register);
        // Where no thread is active a register does not move it, and nothing is accessed.
        let at = at as i32 - moved;
        let word = shape.put(Word::of(name));
        let word = self.noise(word, &[("i1", 1), ("i2", 3), ("i5", 3), ("i6", 1)]);
        let word = match self.rng.gen_bool(0.3) {
            true => {
                let index = self.r(reserved::TEMP + 1);
                self.set(index, at as u32);
                word.with("O", 2 * index).with("Ot", 0)
            }
            false => word.with("O", at as u64 & 0xffff).with("Ot", 1),
        };
        self.put(word);
        self.move_stack(-moved, by_register);
    }

    /// Fields without meaning at random.
    fn noise(&mut self, word: Word, fields: &[(&'static str, u32)]) -> Word {
        fields.iter().fold(word, |word, (name, bits)| word.with(name, self.rng.gen_range(0..1 << bits)))
    }

    fn move_stack(&mut self, by: i32, by_register: bool) {
        if by == 0 {
            return;
        }
        if by_register {
            let temp = self.r(reserved::TEMP);
            self.set(temp, by as u32);
            let word = self.noise(Word::of("stack_adjust_reg"), &IGNORED);
            self.put(word.with("r", 2 * temp));
        } else {
            let word = self.noise(Word::of("stack_adjust"), &IGNORED);
            self.put(word.with("v", by as u64 & 0xffff));
        }
    }

    /// Stores a uniform that nothing else stores, the same value in every SIMD-group, and reads it.
    pub fn store_uniform(&mut self) {
        let uniform = self.own.uniform;
        if !UNIFORMS.contains(&uniform) {
            return;
        }
        self.own.uniform += 1;
        let (temp, v) = (self.r(reserved::TEMP), self.value());
        self.set(temp, v);
        let word = Word::of("uniform_store").with("F", 1 + 2 * self.rng.gen_range(0..2u64)).with("Ot", 1);
        let word = self.noise(word, &[("unk", 2), ("b", 3)]);
        let half = self.rng.gen_range(0..2);
        let (word, first) = match self.rng.gen() {
            true => (word.with("R", 2 * temp).with("mask", 3), 2 * uniform),
            false => {
                let wide = self.rng.gen_range(0..2);
                (word.with("R", 2 * temp + half).with("Rt", wide).with("mask", 1), 2 * uniform + half)
            }
        };
        // A multiple of the unit.
        let s = self.rng.gen_range(0..4u64);
        let s = if first % (1 << s.min(2)) == 0 { s } else { 0 };
        self.put(word.with("s", s).with("O", first >> s.min(2)));
        let (d, a) = (self.data(), self.data());
        let word = Word::of("iadd").to(d).from("A", Source::Reg(a));
        // The whole, or the half that was stored or not.
        let (number, mode) = if self.rng.gen() { (2 * uniform, 0b0110) } else { (2 * uniform + half, 0b0100) };
        self.put(word.with("B", number & 0xff).with("Bt", mode | number >> 8));
    }

    /// Loads words that make a case of some rule when they meet into four registers, other words in
    /// each thread; the next instructions take them.
    pub fn load_together(&mut self) {
        let (temp, thread) = (self.r(reserved::TEMP), self.r(reserved::THREAD));
        let k = self.rng.gen_range(0..256);
        self.add(temp, thread, Source::Imm(k));
        self.and(temp, temp, Source::Imm(0xff));
        let first = FIRST + self.rng.gen_range(0..=self.layout.pool - 4);
        let shape = Shape { format: 2, bytes: 4, mask: 15, wide: true, first: 2 * first };
        let word = shape.put(Word::of("device_load")).with("At", 1);
        self.put(word.with("s", 2).with("O", 2 * temp));
        self.wanted = (first..first + 3).collect();
        self.turn = self.rng.gen_range(0..3);
    }

    /// Every thread publishes a word; after a barrier it reads another thread's.
    pub fn exchange(&mut self) {
        let (temp, other) = (self.r(reserved::TEMP), self.r(reserved::TEMP + 1));
        let exchange = self.r(reserved::EXCHANGE);
        let at = |word: Word, data: u64, address: u64| {
            word.with("F", 2)
                .with("mask", 1)
                .with("Rt", 1)
                .with("R", 2 * data)
                .with("A", 2 * address)
                .with("O", 0)
                .with("Ot", 1)
        };
        let data = self.data();
        self.put(at(Word::of("threadgroup_store"), data, exchange));
        self.put(Word::of("threadgroup_barrier"));
        let threads = self.shape.threads();
        let step = self.rng.gen_range(0..threads.min(256));
        self.add(temp, self.r(reserved::THREAD), Source::Imm(step.into()));
        self.set(other, threads - 1);
        // Unsigned: greater than the last thread, the last thread.
        let word = Word::of("icmpsel").with("cc", 2).to(temp);
        let word = word.from("A", Source::Reg(temp)).from("B", Source::Reg(other));
        let word = word.with("X", 2 * other).with("Xt", 1);
        self.put(word.with("Y", 2 * temp).with("Yt", 1));
        self.set(other, self.layout.exchange_base);
        self.multiply_add(temp, temp, Source::Imm(4), Source::Reg(other));
        let d = self.data();
        self.put(at(Word::of("threadgroup_load"), d, temp));
        self.put(Word::of("threadgroup_barrier"));
    }

    /// Sets up everything the rest of the program relies on.
    pub fn initialise(&mut self) {
        let [gx, _] = self.shape.grid;
        let (thread, temp) = (self.r(reserved::THREAD), self.r(reserved::TEMP));
        let pointer = self.r(reserved::POINTER);
        self.special(thread, 51);
        self.special(pointer, 0);
        self.special(temp, 1);
        self.multiply_add(pointer, temp, Source::Imm(gx.into()), Source::Reg(pointer));
        self.set(temp, self.shape.threads());
        self.multiply_add(pointer, pointer, Source::Reg(temp), Source::Reg(thread));
        self.set(temp, self.layout.above);
        self.multiply_add(pointer, pointer, Source::Imm(OWN.into()), Source::Reg(temp));
        self.data_registers(thread);
        let (region, exchange) = (self.r(reserved::REGION), self.r(reserved::EXCHANGE));
        self.special(region, 53);
        self.set(temp, self.layout.region);
        self.multiply_add(region, region, Source::Reg(temp), Source::Imm(0));
        self.set(temp, self.layout.exchange_base);
        self.multiply_add(exchange, thread, Source::Imm(4), Source::Reg(temp));
        for k in 0..self.layout.region / 16 {
            let r = FIRST + self.rng.gen_range(0..=self.layout.pool - 4);
            let word = Word::of("threadgroup_store").with("F", 2).with("mask", 15);
            let word = word.with("Rt", 1).with("R", 2 * r).with("A", 2 * region);
            self.put(word.with("O", u64::from(4 * k)).with("Ot", 1));
        }
        let word = Word::of("threadgroup_store").with("F", 2).with("mask", 1);
        let word = word.with("Rt", 1).with("R", 2 * temp).with("A", 2 * exchange);
        self.put(word.with("Ot", 1));
        self.put(Word::of("threadgroup_barrier"));
        for k in 0..self.layout.local / 16 {
            let r = FIRST + self.rng.gen_range(0..=self.layout.pool - 4);
            let word = Word::of("stack_store").with("F", 2).with("mask", 15);
            let word = word.with("Rt", 1).with("R", 2 * r);
            self.put(word.with("O", u64::from(16 * k)).with("Ot", 1));
        }
        for counter in 0..3 {
            self.set(self.r(reserved::LOOP + counter), counter as u32);
        }
    }

    fn data_registers(&mut self, thread: u64) {
        for r in FIRST..FIRST + self.layout.pool {
            if r % 4 == 0 && self.rng.gen() {
                self.load_together();
            }
            let v = self.value();
            match self.rng.gen_range(0..5) {
                0 => self.set(r, v),
                1 => {
                    self.set(r, v);
                    self.add(r, r, Source::Reg(thread));
                }
                2 => {
                    let n = self.rng.gen_range(0..32);
                    self.set(r, v);
                    self.shift_right(r, r, n);
                    self.multiply_add(r, r, Source::Reg(thread), Source::Imm(n));
                }
                // What the loads left, or 0.
                _ => {}
            }
        }
        self.wanted.clear();
    }

    /// Stores data registers to the thread's own memory.
    pub fn store_registers(&mut self) {
        for k in 0..OWN / 16 {
            let r = FIRST + self.rng.gen_range(0..=self.layout.pool - 4);
            let shape = Shape { format: 2, bytes: 4, mask: 15, wide: true, first: 2 * r };
            let index = i64::from(4 * k) - i64::from(self.layout.above / 4);
            let word = shape.put(Word::of("device_store"));
            let word = word.with("A", 2 * self.r(reserved::POINTER));
            self.put(word.with("O", index as u64 & 0xffff).with("Ot", 1));
        }
    }
}
