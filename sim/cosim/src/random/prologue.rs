//! Fixed sequences: initialisation, addresses, exchange between the warps of a block, the end.

use super::code::{guard, ALWAYS};
use super::float::OLD;
use super::form::{Pointer, Points};
use super::{reserved, Gen};
use rand::Rng;
use warpsmith_isa::MemSize;

const SHARED: u64 = 1 << 53;

fn imm(v: u32) -> u64 {
    u64::from(v & 63) << 16 | u64::from(v >> 6) << 34
}

/// Field value of an access size.
pub fn size_field(size: MemSize) -> u64 {
    let v = match size {
        MemSize::U8 => 0,
        MemSize::S8 => 1,
        MemSize::U16 => 2,
        MemSize::S16 => 3,
        MemSize::B64 => 4,
        MemSize::B128 => 5,
        MemSize::B32 => 6,
    };
    v << 53
}

/// Sizes of global and local accesses.
pub const SIZES: [MemSize; 7] = [
    MemSize::U8,
    MemSize::S8,
    MemSize::U16,
    MemSize::S16,
    MemSize::B32,
    MemSize::B64,
    MemSize::B128,
];

impl Gen<'_> {
    /// Number of a reserved register.
    pub fn r(&self, n: u8) -> u8 {
        self.layout.pool + n
    }

    fn op(&mut self, word: u64) {
        self.code.push(word);
        self.cost += 1.0;
    }

    pub fn mvi(&mut self, d: u8, v: u32) {
        self.op(0x3_1000_8001 | u64::from(d) << 2 | imm(v));
    }

    pub fn add_imm(&mut self, d: u8, a: u8, v: u32) {
        self.op(0x3_2000_8001 | u64::from(d) << 2 | u64::from(a) << 9 | imm(v));
    }

    pub fn and_imm(&mut self, d: u8, a: u8, v: u32) {
        self.op(0x3_d000_0001 | u64::from(d) << 2 | u64::from(a) << 9 | imm(v));
    }

    pub fn mul_imm(&mut self, d: u8, a: u8, v: u32) {
        self.op(0x3_4040_0001 | u64::from(d) << 2 | u64::from(a) << 9 | imm(v));
    }

    pub fn shift(&mut self, right: bool, d: u8, a: u8, n: u32) {
        let base = if right {
            0xe400_0000_3000_0001
        } else {
            0xc400_0000_3000_0001
        };
        self.op(base
            | u64::from(d) << 2
            | u64::from(a) << 9
            | u64::from(n) << 16
            | 1 << 52
            | ALWAYS);
    }

    pub fn add(&mut self, d: u8, a: u8, b: u8) {
        self.op(0x0400_0000_2000_0001
            | u64::from(d) << 2
            | u64::from(a) << 9
            | u64::from(b) << 46
            | ALWAYS);
    }

    fn min(&mut self, d: u8, a: u8, b: u8) {
        self.op(0xa400_0000_3000_0001
            | u64::from(d) << 2
            | u64::from(a) << 9
            | u64::from(b) << 16
            | ALWAYS);
    }

    /// Zero flag of a register to a flag register, the value dropped.
    pub fn test_zero(&mut self, c: u8, a: u8) {
        // The third operand lies beyond the allocation and reads 0.
        self.op(0x0400_0000_2000_0001
            | 1 << 35
            | 127 << 2
            | u64::from(a) << 9
            | 127 << 46
            | 1 << 38
            | u64::from(c) << 36
            | ALWAYS);
    }

    fn r2a(&mut self, a: u8, r: u8) {
        self.op(0xc000_0000_0000_0001 | u64::from(a) << 2 | u64::from(r) << 9 | ALWAYS);
    }

    fn adda(&mut self, d: u8, a: u8, v: u32) {
        self.op(0x2000_0000_d000_0001
            | u64::from(d) << 2
            | u64::from(a & 3) << 26
            | u64::from(a >> 2) << 34
            | u64::from(v) << 9
            | ALWAYS);
    }

    fn store_shared(&mut self, a: u8, offset: u32, r: u8) {
        self.op(0xe400_0000_0000_0001
            | u64::from(a & 3) << 26
            | u64::from(a >> 2) << 34
            | u64::from(offset / 4) << 9
            | SHARED
            | u64::from(r) << 46
            | ALWAYS);
    }

    fn load_shared_u16(&mut self, d: u8, offset: u32) {
        self.op(0x0400_0000_1000_0001
            | u64::from(d) << 2
            | SHARED
            | 1 << 14
            | u64::from(offset / 2) << 9
            | 15 << 46
            | ALWAYS);
    }

    /// A barrier at which no warp has arrived since all last met. An arrival lets the others past a
    /// barrier that its own warp still has to wait on, so a barrier arrived at is not used before
    /// another one has brought all warps together (by then it is released).
    pub fn free_barrier(&mut self) -> u8 {
        loop {
            let id = self.rng.gen_range(0..16u8);
            if self.arrived >> id & 1 == 0 {
                return id;
            }
        }
    }

    /// All warps of the block meet at barrier `id`.
    pub fn bar(&mut self, id: u8) {
        self.arrived = 0;
        let with_mask = self.rng.gen();
        let form = if with_mask {
            0x8000_0003 | u64::from(self.rng.gen::<u16>() & 0xfff) << 9
        } else {
            0x4000_8000_0003
        };
        // Waiting alone counts as being there.
        let arrive = u64::from(self.rng.gen_bool(0.7)) << 25;
        self.op(form | u64::from(id) << 21 | arrive | 1 << 26);
    }

    /// Sets up everything the rest of the program relies on.
    pub fn prologue(&mut self) {
        let (thread, temp, other) = (
            self.r(reserved::THREAD),
            self.r(reserved::TEMP),
            self.r(reserved::EXCHANGE),
        );
        let [bx, by, _] = self.layout.block;
        let [gx, gy] = self.layout.grid;
        self.and_imm(thread, 0, 0xffff);
        if by > 1 || self.layout.block[2] > 1 {
            self.shift(true, temp, 0, 16);
            self.and_imm(temp, temp, 0x3ff);
            self.mul_imm(temp, temp, bx);
            self.add(thread, thread, temp);
            self.shift(true, temp, 0, 26);
            self.mul_imm(temp, temp, bx * by);
            self.add(thread, thread, temp);
        }
        // Number of the thread in the grid, then its own global memory.
        let global = self.r(reserved::GLOBAL);
        self.load_shared_u16(global, 0xc);
        if gy > 1 {
            self.load_shared_u16(other, 0xe);
            self.mul_imm(other, other, gx);
            self.add(global, global, other);
        }
        self.mul_imm(global, global, self.layout.threads());
        self.add(global, global, thread);
        self.mul_imm(global, global, self.layout.thread_stride);
        self.registers(thread);
        self.pointer_homes(thread, temp);
        self.memories(thread, temp);
        self.reset_pointers(true);
    }

    /// Data registers and flags.
    fn registers(&mut self, thread: u8) {
        for r in 1..self.layout.pool {
            if self.has_floats() && self.rng.gen_bool(0.6) {
                self.fresh(r);
                continue;
            }
            let v = self.value();
            match self.rng.gen_range(0..4) {
                0 => self.mvi(r, v),
                1 => self.add_imm(r, thread, v),
                2 => self.mul_imm(r, thread, v | 1),
                _ => {
                    self.mul_imm(r, thread, self.limits.stack_depth | 0x9e37_7001);
                    self.shift(false, r, r, v & 15);
                }
            }
        }
        for counter in 0..3 {
            let v = self.value();
            self.mvi(self.r(reserved::LOOP + counter), v);
        }
        for a in [4, 7] {
            let r = self.rng.gen_range(0..self.layout.pool);
            self.r2a(a, r);
        }
        for c in 0..4u64 {
            let r = u64::from(self.rng.gen_range(0..self.layout.pool));
            self.op(0xa000_0000_0000_0001 | c << 36 | r << 9 | ALWAYS);
        }
    }

    /// Registers that hold the pointers' homes.
    fn pointer_homes(&mut self, thread: u8, temp: u8) {
        let (shared, constant, local, exchange) = (
            self.r(reserved::SHARED),
            self.r(reserved::CONSTANT),
            self.r(reserved::LOCAL),
            self.r(reserved::EXCHANGE),
        );
        let (mask, shift) = self.layout.shared_home;
        self.shift(true, shared, thread, 5);
        self.mul_imm(shared, shared, self.layout.warp_shared);
        self.add_imm(shared, shared, self.layout.shared_base);
        // The start of the warp's region, for its initialisation.
        self.and_imm(temp, thread, 31);
        self.shift(false, temp, temp, 2);
        if self.layout.full_warps() {
            self.add(temp, temp, shared);
            self.r2a(1, temp);
            for i in 0..self.layout.warp_shared / 128 {
                let r = self.rng.gen_range(0..self.layout.pool);
                self.store_shared(1, 128 * i, r);
            }
        } else {
            // Some threads are missing: all of them write word after word, the highest wins.
            self.r2a(1, shared);
            for i in 0..self.layout.warp_shared / 4 {
                let r = self.rng.gen_range(0..self.layout.pool);
                self.store_shared(1, 4 * i, r);
            }
        }
        self.and_imm(temp, thread, mask);
        self.shift(false, temp, temp, shift);
        self.add(shared, shared, temp);
        self.and_imm(constant, thread, self.layout.constant_home);
        self.shift(false, constant, constant, 2);
        self.and_imm(local, thread, 1);
        self.shift(false, local, local, 4);
        self.shift(false, exchange, thread, 2);
        self.add_imm(exchange, exchange, self.layout.exchange_base);
        let at = |points, high: u32| Pointer {
            points,
            low: 0,
            high: high as i32,
            home: (0, high as i32),
        };
        self.pointers[1] = at(Points::Shared, mask << shift);
        self.pointers[2] = at(Points::Constant, self.layout.constant_home << 2);
        self.pointers[3] = at(Points::Local, 16);
        for (copy, from) in [(5, 1), (6, 2)] {
            let mut p = self.pointers[from];
            let room = self.layout.pointer_room(p.points) - p.high - 16;
            let d = if room >= 4 {
                4 * self.rng.gen_range(0..=room.min(64) / 4)
            } else {
                0
            };
            p.home = (p.low + d, p.high + d);
            (p.low, p.high) = p.home;
            self.pointers[copy] = p;
        }
    }

    /// Exchange words and local memory.
    fn memories(&mut self, thread: u8, temp: u8) {
        let _ = thread;
        self.r2a(4, self.r(reserved::EXCHANGE));
        self.store_shared(4, 0, temp);
        self.bar(0);
        for i in 0..self.layout.local / 16 {
            let r = u64::from(self.rng.gen_range(0..=self.layout.pool - 4));
            self.op(0x6000_0000_d000_0001
                | r << 2
                | u64::from(16 * i) << 9
                | size_field(MemSize::B128)
                | ALWAYS);
        }
    }

    /// Puts the pointers that moved (or all) back to their homes.
    pub fn reset_pointers(&mut self, all: bool) {
        for a in [1u8, 2, 3, 5, 6] {
            let p = self.pointers[usize::from(a)];
            if !all && (p.low, p.high) == p.home {
                continue;
            }
            let home = match p.points {
                Points::Shared => reserved::SHARED,
                Points::Constant => reserved::CONSTANT,
                _ => reserved::LOCAL,
            };
            self.r2a(a, self.r(home));
            if a >= 5 {
                self.adda(a, a, p.home.0 as u32);
            }
            let p = &mut self.pointers[usize::from(a)];
            (p.low, p.high) = p.home;
        }
    }

    /// A global access: own memory, or a load from anywhere in the read-only part.
    pub fn global_access(&mut self) {
        let temp = self.r(reserved::TEMP);
        let size = SIZES[self.rng.gen_range(0..SIZES.len())];
        let n = size.bytes();
        let mut load = self.rng.gen_bool(0.6);
        let mut age = OLD;
        if self.rng.gen_bool(0.3) {
            load = true;
            // Words that were written as floats, most of them.
            age = if n >= 4 { 0 } else { OLD };
            let (base, bytes) = self.layout.read_only;
            let from = self.rng.gen_range(0..self.layout.pool);
            self.and_imm(temp, from, (bytes - 1) & !(n - 1));
            self.add_imm(temp, temp, base);
        } else {
            let slot = self.rng.gen_range(0..self.layout.slots);
            let inside = n * self.rng.gen_range(0..16 / n);
            self.add_imm(
                temp,
                self.r(reserved::GLOBAL),
                slot * self.layout.slot_stride + inside,
            );
        }
        let r = self.pool_register(size.regs());
        let g = self.guard();
        let space = self.rng.gen_range(0..16u64);
        let base = if load {
            0x8000_0000_d000_0001
        } else {
            0xa000_0000_d000_0001
        };
        self.op(base
            | u64::from(r) << 2
            | u64::from(temp) << 9
            | space << 16
            | size_field(size)
            | g);
        if load {
            self.recent.rotate_right(1);
            self.recent[0] = r;
            for r in r..r + size.regs() {
                self.ages[usize::from(r)] = age;
            }
        }
    }

    /// A load for every thread.
    pub fn load_global(&mut self, r: u8, address: u8, size: MemSize) {
        self.op(0x8000_0000_d000_0001
            | u64::from(r) << 2
            | u64::from(address) << 9
            | size_field(size)
            | ALWAYS);
    }

    /// Every thread publishes a word; after a barrier it reads another thread's.
    pub fn exchange(&mut self) {
        let (temp, last) = (self.r(reserved::TEMP), self.r(reserved::LOOP));
        let id = self.free_barrier();
        self.r2a(4, self.r(reserved::EXCHANGE));
        let data = self.rng.gen_range(0..self.layout.pool);
        self.store_shared(4, 0, data);
        self.bar(id);
        let threads = self.layout.threads();
        let step = self.rng.gen_range(0..threads);
        self.add_imm(temp, self.r(reserved::THREAD), step);
        self.mvi(last, threads - 1);
        self.min(temp, temp, last);
        self.shift(false, temp, temp, 2);
        self.add_imm(temp, temp, self.layout.exchange_base);
        self.r2a(4, temp);
        let d = self.pool_register(1);
        let g = self.guard();
        self.op(0x0400_0000_1000_0001
            | u64::from(d) << 2
            | SHARED
            | 3 << 14
            | 1 << 34
            | 15 << 46
            | g);
        let id = self.free_barrier();
        self.bar(id);
    }

    /// Stores data registers to the thread's own memory, then ends.
    pub fn epilogue(&mut self) {
        let temp = self.r(reserved::TEMP);
        for slot in 0..self.layout.slots {
            let r = u64::from(self.rng.gen_range(0..=self.layout.pool - 4));
            self.add_imm(
                temp,
                self.r(reserved::GLOBAL),
                slot * self.layout.slot_stride,
            );
            self.op(0xa000_0000_d000_0001
                | r << 2
                | u64::from(temp) << 9
                | size_field(MemSize::B128)
                | ALWAYS);
        }
        match self.rng.gen_range(0..3) {
            // A return at top level ends the threads too.
            0 => self.op(0x3000_0003 | ALWAYS),
            1 => self.op(0xe000_0000_f000_0001 | guard(0, 0) | 1 << 32),
            _ => {
                let w = self.marked(1);
                self.op(w);
            }
        }
    }
}
