//! Fixed sequences: initialisation, addresses, exchange between the warps of a block, the end.

use super::code::{self, long, make, ADD, MOV};
use super::float::OLD;
use super::state::{reserved, Gen, Pointer, Points};
use rand::Rng;
use warpsmith_isa::table::{DstSlot, Role, SrcSlot};
use warpsmith_isa::{Draft, Dst, MemRef, MemSize, Op, Pred, Semantics, Src, Width, ROWS};

/// A reference to shared memory through `areg`.
fn shared(areg: u8, offset: u32, size: MemSize) -> MemRef {
    MemRef { areg, ..MemRef::absolute(offset as i32, size) }
}

/// Sizes of global and local accesses.
pub const SIZES: [MemSize; 7] =
    [MemSize::U8, MemSize::S8, MemSize::U16, MemSize::S16, MemSize::B32, MemSize::B64, MemSize::B128];

/// An access of register `r` and those behind it to global memory at the address in a register.
fn global(load: bool, space: u8, size: MemSize, r: u8, address: u8) -> Draft {
    if load {
        let dst = match size.regs() {
            1 => Dst::Reg(r),
            2 => Dst::Pair(r),
            _ => Dst::Quad(r),
        };
        make(Op::LdGlobal { space, size }, dst, Src::Reg(address), Src::None)
    } else {
        let op = Op::StGlobal { space, size };
        make(op, Dst::None, Src::Reg(address), Src::Reg(r))
    }
}

impl Gen<'_> {
    /// Number of a reserved register.
    pub fn r(&self, n: u8) -> u8 {
        self.layout.pool + n
    }

    /// Appends a word.
    pub fn word(&mut self, word: u64) {
        self.code.push(word);
        self.cost += 1.0;
    }

    /// Appends an instruction.
    pub fn put(&mut self, draft: Draft) {
        self.word(long(&draft));
    }

    /// `d = a op b`.
    fn reg(&mut self, op: Op, d: u8, a: u8, b: Src) {
        self.put(make(op, Dst::Reg(d), Src::Reg(a), b));
    }

    pub fn mvi(&mut self, d: u8, v: u32) {
        self.put(code::mvi(d, v));
    }

    pub fn add_imm(&mut self, d: u8, a: u8, v: u32) {
        self.put(code::add_imm(d, a, v));
    }

    pub fn and_imm(&mut self, d: u8, a: u8, v: u32) {
        self.put(code::and_imm(d, a, v));
    }

    pub fn mul_imm(&mut self, d: u8, a: u8, v: u32) {
        let op = Op::IMul24 { signed: false, high: false };
        self.reg(op, d, a, Src::Imm(v));
    }

    pub fn shift(&mut self, right: bool, d: u8, a: u8, n: u32) {
        self.put(code::shift(right, d, a, n));
    }

    pub fn add(&mut self, d: u8, a: u8, b: u8) {
        self.reg(ADD, d, a, Src::Reg(b));
    }

    fn min(&mut self, d: u8, a: u8, b: u8) {
        let op = Op::IMinMax { max: false, width: Width::W32, signed: false };
        self.reg(op, d, a, Src::Reg(b));
    }

    /// Zero flag of a register to a flag register, the value dropped.
    pub fn test_zero(&mut self, c: u8, a: u8) {
        // The other operand lies beyond the allocation and reads 0.
        self.put(make(ADD, Dst::Discard, Src::Reg(a), Src::Reg(127)).flags(c));
    }

    fn r2a(&mut self, a: u8, r: u8) {
        let op = Op::R2A { shift: 0 };
        self.put(make(op, Dst::Addr(a), Src::Reg(r), Src::None));
    }

    fn adda(&mut self, d: u8, a: u8, v: u32) {
        self.put(make(Op::AddA, Dst::Addr(d), Src::Addr(a), Src::Imm(v)));
    }

    fn store_shared(&mut self, a: u8, offset: u32, r: u8) {
        let at = shared(a, offset, MemSize::B32);
        self.put(make(Op::StShared { at, unlock: false }, Dst::None, Src::Reg(r), Src::None));
    }

    fn load_shared(&mut self, d: u8, at: MemRef, guard: Pred) {
        self.put(make(MOV, Dst::Reg(d), Src::Shared(at), Src::None).guard(guard));
    }

    fn load_shared_u16(&mut self, d: u8, offset: u32) {
        self.load_shared(d, shared(0, offset, MemSize::U16), Pred::ALWAYS);
    }

    /// A barrier at which no warp has arrived since all last met. An arrival lets the others past a
    /// barrier that its own warp still has to wait on, so a barrier arrived at is not used before
    /// another one has brought all warps together (by then it is released).
    pub fn free_barrier(&mut self) -> u8 {
        loop {
            let id = self.rng.gen_range(0..16u8);
            if self.own.arrived >> id & 1 == 0 {
                return id;
            }
        }
    }

    /// All warps of the block meet at barrier `id`.
    pub fn bar(&mut self, id: u8) {
        self.own.arrived = 0;
        let semantics = self.limits.tier.semantics();
        if semantics == Semantics::FlexGripPlus {
            let one = semantics.rows().find(|(_, f)| matches!(f.op, Op::Bar { .. }));
            return one.into_iter().for_each(|(_, f)| self.word(f.match_));
        }
        let with_mask: bool = self.rng.gen();
        let mask = with_mask.then(|| self.rng.gen::<u16>() & 0xfff);
        // Waiting alone counts as being there.
        let arrive = self.rng.gen_bool(0.7);
        self.put(Draft::bare(Op::Bar { id, arrive, wait: true, mask }));
    }

    /// Sets up everything the rest of the program relies on.
    pub fn initialise(&mut self) {
        let (thread, temp, other) = (self.r(reserved::THREAD), self.r(reserved::TEMP), self.r(reserved::EXCHANGE));
        let [bx, by, _] = self.shape.block;
        self.and_imm(thread, 0, 0xffff);
        if by > 1 || self.shape.block[2] > 1 {
            self.shift(true, temp, 0, 16);
            self.and_imm(temp, temp, 0x3ff);
            self.mul_imm(temp, temp, bx);
            self.add(thread, thread, temp);
            self.shift(true, temp, 0, 26);
            self.mul_imm(temp, temp, bx * by);
            self.add(thread, thread, temp);
        }
        self.own_memory(thread, other);
        self.registers(thread);
        self.pointer_homes(thread, temp);
        self.memories(temp);
        self.reset_pointers(true);
    }

    /// Number of the thread in the grid, then its own global memory; `other` is a scratch register.
    pub fn own_memory(&mut self, thread: u8, other: u8) {
        let [gx, gy] = self.shape.grid;
        let global = self.r(reserved::GLOBAL);
        self.load_shared_u16(global, 0xc);
        if gy > 1 {
            self.load_shared_u16(other, 0xe);
            self.mul_imm(other, other, gx);
            self.add(global, global, other);
        }
        self.mul_imm(global, global, self.shape.threads());
        self.add(global, global, thread);
        self.mul_imm(global, global, self.layout.slots.thread_stride);
    }

    /// Data registers and flags; most differ between threads by a register that does.
    pub fn registers(&mut self, thread: u8) {
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
        for c in 0..4 {
            let r = self.rng.gen_range(0..self.layout.pool);
            self.put(make(Op::R2C, Dst::Cc(c), Src::Reg(r), Src::None));
        }
    }

    /// Registers that hold the pointers' homes.
    pub fn pointer_homes(&mut self, thread: u8, temp: u8) {
        let (shared, constant, local, exchange) =
            (self.r(reserved::SHARED), self.r(reserved::CONSTANT), self.r(reserved::LOCAL), self.r(reserved::EXCHANGE));
        let (mask, shift) = self.layout.shared_home;
        self.shift(true, shared, thread, 5);
        self.mul_imm(shared, shared, self.layout.warp_shared);
        self.add_imm(shared, shared, self.layout.shared_base);
        // The start of the warp's region, for its initialisation.
        self.and_imm(temp, thread, 31);
        self.shift(false, temp, temp, 2);
        if self.shape.full_warps() {
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
        let at = |points, high: u32| Pointer { points, low: 0, high: high as i32, home: (0, high as i32) };
        self.own.pointers[1] = at(Points::Shared, mask << shift);
        self.own.pointers[2] = at(Points::Constant, self.layout.constant_home << 2);
        self.own.pointers[3] = at(Points::Local, 16);
        for (copy, from) in [(5, 1), (6, 2)] {
            let mut p = self.own.pointers[from];
            let room = self.layout.pointer_room(p.points) - p.high - 16;
            let d = if room >= 4 { 4 * self.rng.gen_range(0..=room.min(64) / 4) } else { 0 };
            p.home = (p.low + d, p.high + d);
            (p.low, p.high) = p.home;
            self.own.pointers[copy] = p;
        }
    }

    /// Exchange words and local memory.
    pub fn memories(&mut self, temp: u8) {
        self.r2a(4, self.r(reserved::EXCHANGE));
        self.store_shared(4, 0, temp);
        self.bar(0);
        for i in 0..self.layout.local / 16 {
            let r = self.rng.gen_range(0..=self.layout.pool - 4);
            let at = MemRef::absolute(16 * i as i32, MemSize::B128);
            self.put(make(Op::StLocal { at }, Dst::None, Src::Reg(r), Src::None));
        }
    }

    /// Puts the pointers that moved (or all) back to their homes.
    pub fn reset_pointers(&mut self, all: bool) {
        for a in [1u8, 2, 3, 5, 6] {
            let p = self.own.pointers[usize::from(a)];
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
            let p = &mut self.own.pointers[usize::from(a)];
            (p.low, p.high) = p.home;
        }
    }

    /// A global access: own memory, a load from anywhere in the read-only part, an atomic access.
    pub fn global_access(&mut self) {
        if !self.own.atomics.is_empty() && self.rng.gen_bool(0.4) {
            return self.atomic_access();
        }
        let size = SIZES[self.rng.gen_range(0..SIZES.len())];
        let n = size.bytes();
        let mut load = self.rng.gen_bool(0.6);
        let mut age = OLD;
        let read_only = self.rng.gen_bool(0.3);
        if read_only {
            load = true;
            // Words that were written as floats, most of them.
            age = if n >= 4 { 0 } else { OLD };
        }
        let r = self.pool_register(size.regs());
        // A load may replace its own address, and a wide one with any of its parts.
        let temp = match load && self.rng.gen_bool(0.4) {
            true => r + self.rng.gen_range(0..size.regs()),
            false => self.r(reserved::TEMP),
        };
        if read_only {
            let (base, bytes) = self.layout.read_only;
            let from = self.rng.gen_range(0..self.layout.pool);
            self.and_imm(temp, from, (bytes - 1) & !(n - 1));
            self.add_imm(temp, temp, base);
        } else {
            let slot = self.rng.gen_range(0..self.layout.slots.count);
            let inside = n * self.rng.gen_range(0..16 / n);
            self.add_imm(temp, self.r(reserved::GLOBAL), slot * self.layout.slots.stride + inside);
        }
        let g = self.guard();
        let space = self.rng.gen_range(0..16u64) as u8;
        self.put(global(load, space, size, r, temp).guard(g));
        if load {
            self.recent.rotate_right(1);
            self.recent[0] = r;
            for r in r..r + size.regs() {
                self.own.ages[usize::from(r)] = age;
            }
        }
    }

    /// An atomic access to a word that all threads replace.
    fn atomic_access(&mut self) {
        let row = &ROWS[self.own.atomics[self.rng.gen_range(0..self.own.atomics.len())]];
        let Op::Atomic { op, .. } = row.op else { return };
        let signed = row.field(Role::SignedWord).is_some() && self.rng.gen();
        let space = self.rng.gen_range(0..16u64) as u8;
        let r = self.pool_register(1);
        let gives = row.dst != DstSlot::No;
        let temp = if gives && self.rng.gen_bool(0.3) { r } else { self.r(reserved::TEMP) };
        let from = self.rng.gen_range(0..self.layout.pool);
        let (base, bytes) = self.layout.atomics;
        self.and_imm(temp, from, (bytes - 1) & !3);
        self.add_imm(temp, temp, base);
        let dst = if gives { Dst::Reg(r) } else { Dst::None };
        let mut draft = make(Op::Atomic { op, signed, space }, dst, Src::Reg(temp), Src::Reg(self.pool_register(1)));
        if row.src[2] != SrcSlot::No {
            draft.src[2] = Src::Reg(self.pool_register(1));
        }
        let g = self.guard();
        self.put(draft.guard(g));
        if gives {
            self.recent.rotate_right(1);
            self.recent[0] = r;
            self.own.ages[usize::from(r)] = OLD;
        }
    }

    /// A load for every thread.
    pub fn load_global(&mut self, r: u8, address: u8, size: MemSize) {
        self.put(global(true, 0, size, r, address));
    }

    /// Every thread publishes a word; after a barrier it reads another thread's.
    pub fn exchange(&mut self) {
        let (temp, last) = (self.r(reserved::TEMP), self.r(reserved::LOOP));
        let id = self.free_barrier();
        self.r2a(4, self.r(reserved::EXCHANGE));
        let data = self.rng.gen_range(0..self.layout.pool);
        self.store_shared(4, 0, data);
        self.bar(id);
        let threads = self.shape.threads();
        let step = self.rng.gen_range(0..threads);
        self.add_imm(temp, self.r(reserved::THREAD), step);
        self.mvi(last, threads - 1);
        self.min(temp, temp, last);
        self.shift(false, temp, temp, 2);
        self.add_imm(temp, temp, self.layout.exchange_base);
        self.r2a(4, temp);
        let d = self.pool_register(1);
        let g = self.guard();
        self.load_shared(d, shared(4, 0, MemSize::B32), g);
        let id = self.free_barrier();
        self.bar(id);
    }

    /// Stores data registers to the thread's own memory.
    pub fn store_registers(&mut self) {
        let temp = self.r(reserved::TEMP);
        for slot in 0..self.layout.slots.count {
            let r = self.rng.gen_range(0..=self.layout.pool - 4);
            self.add_imm(temp, self.r(reserved::GLOBAL), slot * self.layout.slots.stride);
            self.put(global(false, 0, MemSize::B128, r, temp));
        }
    }
}
