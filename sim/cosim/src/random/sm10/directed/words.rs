//! Programs that try many words of instructions.
//!
//! A word is its row's fixed bits with all others random, if it decodes; so every register, modifier, guard and address is
//! met. Words that trap on the model are left out. Threads that a lane executes in the same place of their warps load the
//! same operands.

use super::super::code::{self, long, make, Code, MOV};
use super::{drawn, group, on_global, straight, Steer, Wish};
use crate::random::data::{constant, empty_launch, global, random_bytes, random_words};
use crate::random::limits::Limits;
use crate::random::skeleton::Program as _;
use crate::random::value;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use warpsmith_isa::table::{place, Class, Role};
use warpsmith_isa::{encode_in, Draft, Dst, Instr, Marker, MemRef, MemSize, Op, Resource, Src, ROWS};
use warpsmith_model::launch::Program;
use warpsmith_model::{Launch, Model, ModelConfig, Stopped};

/// Groups of four operands, each with values for every place of a warp.
const GROUPS: u32 = 48;
/// Bytes of four registers of all threads.
const SLOT: u32 = 16 * 32;
/// Bytes of the header of shared memory and the parameters, of what each thread has there, and of its local memory.
const HEADER: u32 = 32;
const OWN: u32 = 16;
const LOCAL: u32 = 64;
/// Bytes of global memory that atomic accesses replace.
const ATOMICS: u32 = 16;
/// Bytes of the longest segment and the program's end, but for the stores of its results.
const END: u32 = 1000;
/// Bytes at which a program is long enough: a run with a fault costs cycles.
const LONG: u32 = 4096;

/// Warp instructions of a program, at most.
const LIMIT: u64 = 1 << 16;

/// The program of a seed.
///
/// # Panics
/// A word that was not drawn traps.
pub fn directed_words(seed: u64, limits: &Limits, steer: &Steer) -> Launch {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let most = (limits.registers / 32).min(128) as u8 & !3;
    let registers = if rng.gen() { most } else { 4 * rng.gen_range(most.min(16) / 4..=most / 4) };
    let rows = drawn(limits, steer, straight);
    let home = 4 * rng.gen_range(0..registers / 4);
    let bank_bytes = (limits.constant_bytes / 8).clamp(64, 512);
    let mut banks = vec![0, 1, rng.gen_range(2..16), rng.gen_range(2..16)];
    banks.dedup();
    let places = 32 / steer.lanes.clamp(1, 32);
    let floats = rows.iter().map(|r| ROWS[*r].op).filter(Op::is_float).collect();
    let mut g = Gen { rng, limits, steer, rows, floats, registers, home, places, slots: 0, words: vec![], bytes: 0 };
    g.begin();
    let mut wishes = steer.wishes.iter();
    while g.bytes + END + 8 * u32::from(registers) < limits.program_bytes.min(LONG) {
        g.segment(&mut wishes);
    }
    g.end();
    let mut data = vec![];
    for _ in 0..GROUPS * places {
        data.extend(g.group().iter().flat_map(|w| w.to_le_bytes()));
    }
    data.extend(random_bytes(&mut g.rng, ATOMICS, &[]));
    data.resize((g.results() + g.slots * SLOT) as usize, 0);
    let Gen { mut rng, floats, words, .. } = g;
    let name = format!("words-{seed}");
    let launch = Launch {
        block: [32, 1, 1],
        registers: registers.into(),
        params: random_words(&mut rng, !floats.is_empty(), (HEADER - 16) / 4),
        shared_bytes: HEADER + 32 * OWN,
        local_bytes: LOCAL,
        global_bytes: data.len() as u64,
        constants: banks.into_iter().map(|b| constant(b, random_bytes(&mut rng, bank_bytes, &[]))).collect(),
        globals: global(data),
        ..empty_launch(&name)
    };
    without_traps(launch, words, limits)
}

/// The launch of words without the drawn ones that trap.
fn without_traps(mut launch: Launch, mut words: Vec<(u64, bool)>, limits: &Limits) -> Launch {
    let Limits { stack_depth, options, tier, .. } = *limits;
    let config = ModelConfig { stack_depth: stack_depth as usize, options, tier, chip: true, ..ModelConfig::default() };
    loop {
        let (mut code, mut places) = (Code::default(), vec![]);
        for (word, _) in &words {
            code.push(*word);
            places.push(code.bytes() - if word & 1 == 0 { 4 } else { 8 });
        }
        code.align();
        launch.program = Program::from(code.finish()).read_as(tier.semantics());
        match Model::new(&launch, config.clone()).run(LIMIT, 1, None) {
            Ok(_) => return launch,
            Err(Stopped::Trap { pc, cause, .. }) => {
                let at = places.iter().position(|p| *p == pc).filter(|at| words[*at].1);
                words.remove(
                    at.unwrap_or_else(|| panic!("the generator made a word that traps: {pc:#x}, cause {cause}")),
                );
            }
            Err(stopped) => panic!("the generator made a program that does not end: {stopped}"),
        }
    }
}

struct Gen<'a> {
    rng: ChaCha8Rng,
    limits: &'a Limits,
    steer: &'a Steer,
    /// Rows that are drawn, and operations of those of floats; frequent ones several times.
    rows: Vec<usize>,
    floats: Vec<Op>,
    registers: u8,
    /// First of the four registers that no drawn word writes: the address of the thread's results, that of what it loads,
    /// two of any use.
    home: u8,
    /// Places of a warp that a lane executes.
    places: u32,
    /// Slots of results so far.
    slots: u32,
    words: Vec<(u64, bool)>,
    bytes: u32,
}

/// Registers of [`Gen::home`].
const RESULTS: u8 = 0;
const OPERANDS: u8 = 1;
const ADDRESS: u8 = 2;
const ANY: u8 = 3;

/// The clock, as S2R reads it.
const CLOCK: Src = Src::Special(1);
/// Tries to draw a word.
const TRIES: u32 = 300;

impl Gen<'_> {
    fn push(&mut self, word: u64, drawn: bool) {
        self.words.push((word, drawn));
        // A word of 4 bytes is filled up in front of one of 8.
        self.bytes += 8;
    }

    fn put(&mut self, draft: Draft) {
        self.push(long(&draft), false);
    }

    fn own(&self, n: u8) -> u8 {
        self.home + n
    }

    /// Byte address of the atomic words, and of the results behind them.
    fn atomics(&self) -> u32 {
        GROUPS * 16 * self.places
    }

    fn results(&self) -> u32 {
        self.atomics() + ATOMICS
    }

    /// Four words that are loaded together: operands that are wanted, those of a rule of an operation, or words some of
    /// which tell little apart.
    fn group(&mut self) -> [u32; 4] {
        let (rng, sets) = (&mut self.rng, &self.steer.sets);
        let mut words = group(rng, !self.floats.is_empty());
        if !sets.is_empty() && rng.gen_bool(0.6) {
            words[..3].copy_from_slice(&sets[rng.gen_range(0..sets.len())]);
        } else if !self.floats.is_empty() && rng.gen() {
            let op = self.floats[rng.gen_range(0..self.floats.len())];
            words[..3].copy_from_slice(&value::together(rng, &op));
        }
        words
    }

    /// Groups of four registers that drawn words may write.
    fn quads(&self) -> Vec<u8> {
        (0..self.registers).step_by(4).filter(|q| *q != self.home).collect()
    }

    /// Addresses; then registers, flags, address registers and memories all have values.
    fn begin(&mut self) {
        let (results, operands) = (self.own(RESULTS), self.own(OPERANDS));
        self.put(code::and_imm(results, 0, 31));
        self.put(code::shift(true, operands, results, 5 - self.places.trailing_zeros()));
        self.put(code::shift(false, operands, operands, 4));
        self.put(code::shift(false, results, results, 4));
        self.put(code::add_imm(results, results, self.results()));
        self.put(code::mvi(self.own(ANY), 0x0101_0101));
        for (i, q) in (0..).zip(self.quads()) {
            self.load(q, i % GROUPS);
        }
        for c in 0..4 {
            let r = self.register();
            self.put(make(Op::R2C, Dst::Cc(c), Src::Reg(r), Src::None));
        }
        self.own_shared(|g, at| {
            let r = g.register();
            g.put(make(Op::StShared { at, unlock: false }, Dst::None, Src::Reg(r), Src::None));
        });
        for i in 0..LOCAL / 16 {
            let r = self.quad();
            let at = MemRef::absolute(16 * i as i32, MemSize::B128);
            self.put(make(Op::StLocal { at }, Dst::None, Src::Reg(r), Src::None));
        }
    }

    /// Address register 1 to the thread's own words of shared memory, and what is done with each of them.
    fn own_shared(&mut self, mut each: impl FnMut(&mut Self, MemRef)) {
        let address = self.own(ADDRESS);
        self.put(code::add_imm(address, self.own(RESULTS), HEADER.wrapping_sub(self.results())));
        self.put(make(Op::R2A { shift: 0 }, Dst::Addr(1), Src::Reg(address), Src::None));
        for i in 0..OWN / 4 {
            each(self, MemRef { areg: 1, ..MemRef::absolute(4 * i as i32, MemSize::B32) });
        }
    }

    /// Loads a group into four registers; threads of a place have the same words, those of other places others.
    fn load(&mut self, first: u8, group: u32) {
        let address = self.own(ADDRESS);
        self.put(code::add_imm(address, self.own(OPERANDS), 16 * self.places * group));
        let op = Op::LdGlobal { space: 14, size: MemSize::B128 };
        self.put(make(op, Dst::Quad(first), Src::Reg(address), Src::None));
    }

    /// Stores four registers.
    fn store(&mut self, first: u8) {
        let address = self.own(ADDRESS);
        self.put(code::add_imm(address, self.own(RESULTS), self.slots * SLOT));
        self.slots += 1;
        let op = Op::StGlobal { space: 14, size: MemSize::B128 };
        self.put(make(op, Dst::None, Src::Reg(address), Src::Reg(first)));
    }

    /// Any register that has a value.
    fn register(&mut self) -> u8 {
        self.rng.gen_range(0..self.registers)
    }

    fn quad(&mut self) -> u8 {
        let quads = self.quads();
        quads[self.rng.gen_range(0..quads.len())]
    }

    /// Operands, instructions, results.
    fn segment<'w>(&mut self, wishes: &mut impl Iterator<Item = &'w Wish>) {
        for a in 1..8 {
            // Some reach all of a region, some the end of another.
            let v = 16 * self.rng.gen_range(0..if a < 4 { 4 } else { 40 });
            self.put(make(Op::AddA, Dst::Addr(a), Src::Addr(0), Src::Imm(v)));
        }
        let mut loaded = vec![];
        for _ in 0..self.rng.gen_range(1..4) {
            let q = self.quad();
            let group = self.rng.gen_range(0..GROUPS);
            self.load(q, group);
            loaded.push(q);
        }
        let mut written = vec![];
        for _ in 0..self.rng.gen_range(6..20) {
            let drawn = match wishes.next() {
                Some(wish) => self.wish(wish),
                None => self.draw(&loaded),
            };
            let Some(i) = drawn else { continue };
            for write in i.writes() {
                let kept = match write.to {
                    Resource::Reg(r) => Some(r & !3),
                    _ if self.rng.gen_bool(0.4) => None,
                    Resource::Flag(c) => Some(self.keep(Op::C2R, Src::Cc(c))),
                    Resource::Addr(a) => Some(self.keep(Op::A2R, Src::Addr(a))),
                };
                written.extend(kept);
            }
        }
        written.sort_unstable();
        written.dedup();
        written.into_iter().for_each(|q| self.store(q));
    }

    /// A value that is no data register's into one of them; the first register of its group.
    fn keep(&mut self, op: Op, from: Src) -> u8 {
        let q = self.quad();
        let r = q + self.rng.gen_range(0..4);
        self.put(make(op, Dst::Reg(r), from, Src::None));
        q
    }

    /// What is left of memories; the threads end.
    fn end(&mut self) {
        let q = self.quad();
        for i in 0..LOCAL / 16 {
            let at = MemRef::absolute(16 * i as i32, MemSize::B128);
            self.put(make(Op::LdLocal { at }, Dst::Quad(q), Src::None, Src::None));
            self.store(q);
        }
        self.own_shared(|g, at| {
            let r = q + (at.offset / 4) as u8;
            g.put(make(MOV, Dst::Reg(r), Src::Shared(at), Src::None));
        });
        self.store(q);
        self.put(Draft::bare(Op::Nop).marker(Marker::Exit));
    }

    /// A word that is wanted.
    fn wish(&mut self, wish: &Wish) -> Option<Instr> {
        let i = self.decoded(wish.word)?;
        self.take(i)
    }

    /// A word of a row by weight, mostly of operands that were loaded together.
    fn draw(&mut self, loaded: &[u8]) -> Option<Instr> {
        let row = self.rows[self.rng.gen_range(0..self.rows.len())];
        let mut i = (0..TRIES).find_map(|_| self.random(row))?;
        let q = loaded[self.rng.gen_range(0..loaded.len())];
        if self.rng.gen_bool(0.75) {
            let turn = if self.rng.gen_bool(0.7) { 0 } else { self.rng.gen_range(1..3) };
            self.reads(&mut i, q, turn);
            if ROWS[row].predicated && self.rng.gen_bool(0.8) {
                i.pred.code = 15;
            }
            let to = self.quad();
            match &mut i.dst {
                Dst::Reg(r) => *r = to + *r % 4,
                Dst::Half(h) => *h = 2 * to + *h % 8,
                _ => {}
            }
        }
        self.take(i)
    }

    /// A word of a row with random bits, if it decodes.
    fn random(&mut self, row: usize) -> Option<Instr> {
        let f = &ROWS[row];
        // Few bits as often as many.
        let bits = (0..self.rng.gen_range(1..4)).fold(u64::MAX, |bits, _| bits & self.rng.gen::<u64>());
        let mut word = f.match_ | bits & !f.mask;
        match f.class {
            Class::Short | Class::ShortControl => word &= 0xffff_ffff,
            Class::Immediate => {
                let v = super::word(&mut self.rng, f.op.is_float());
                word = word & !place::IMM32.bits() | place::IMM32.put(v);
            }
            Class::Long => word &= !place::MARKER.bits(),
            Class::Control => {}
        }
        for m in f.mods {
            // Clamped results hide the arithmetic.
            if m.role == Role::Sat && f.op.is_float() && self.rng.gen_bool(0.6) {
                word &= !m.field.bits();
            }
        }
        self.decoded(word).filter(|i| usize::from(i.form) == row)
    }

    fn decoded(&self, word: u64) -> Option<Instr> {
        self.limits.tier.decode(word as u32, (word >> 32) as u32).ok()
    }

    /// Takes the source registers from a group.
    fn reads(&self, i: &mut Instr, first: u8, turn: u8) {
        for (n, src) in (turn..).zip(&mut i.src) {
            match src {
                Src::Reg(r) => *r = first + n % 3,
                Src::Half(h) => *h = 2 * (first + n % 3) + *h % 2,
                _ => {}
            }
        }
    }

    /// Appends an instruction, if it can stand here.
    fn take(&mut self, mut i: Instr) -> Option<Instr> {
        if on_global(&i.op) {
            i.src[0] = Src::Reg(self.address_of(&i.op));
        }
        let may = |to: Resource| match to {
            Resource::Reg(r) => r < self.registers && r & !3 != self.home,
            _ => true,
        };
        // Model and chip count other things for the clock.
        if i.src.contains(&CLOCK) || i.marker == Marker::Exit || !i.writes().all(|w| may(w.to)) {
            return None;
        }
        let (w0, w1) = encode_in(self.limits.tier.semantics(), &i).ok()?;
        self.push(u64::from(w0) | u64::from(w1) << 32, true);
        Some(i)
    }

    /// A register with an address for an access to global memory.
    fn address_of(&mut self, op: &Op) -> u8 {
        let address = self.own(ADDRESS);
        match *op {
            Op::LdGlobal { size, .. } => {
                let group = self.rng.gen_range(0..GROUPS);
                let inside = size.bytes() * self.rng.gen_range(0..16 / size.bytes());
                self.put(code::add_imm(address, self.own(OPERANDS), 16 * self.places * group + inside));
            }
            Op::StGlobal { size, .. } => {
                let inside = size.bytes() * self.rng.gen_range(0..16 / size.bytes());
                self.put(code::add_imm(address, self.own(RESULTS), self.slots * SLOT + inside));
                self.slots += 1;
            }
            _ => {
                let at = self.atomics() + 4 * self.rng.gen_range(0..ATOMICS / 4);
                self.put(code::mvi(address, at));
            }
        }
        address
    }
}
