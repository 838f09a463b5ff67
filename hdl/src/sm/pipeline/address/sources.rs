//! Operands of G13 in stage A: registers, and what takes their place: uniforms, numbers, sizes, the threads of a warp.

use crate::config::WARP;
use crate::rtl::prelude::*;
use crate::sm::control::g13::{from, SourceControl};
use crate::sm::control::uop::AddressControl;
use crate::sm::control::{flow, Control};
use crate::sm::dims::Dims;
use crate::sm::pipeline::bundles::{ConstantWord, Issue, ReadBeat, UniformWrite, WarpThreads, UNIFORM_READS};

/// Uniforms that a warp can read: 32 bits each, the first of constant bank 0.
pub const UNIFORMS: usize = 256;

group! {
    /// What operands of G13 come from.
    pub struct SourceMemories(d: &Dims) as "" {
        /// Words of constant bank 0, the first of them.
        part uniforms(Ram = Ram::with_granule(RamKind::Block, UNIFORMS, 32, 16, UNIFORM_READS)),
        /// Threads of each warp that exist.
        part present(Ram: RamKind::Lut, d.warps, WARP, 1),
        /// Stack pointer of each warp.
        part stack(Ram: RamKind::Lut, d.warps, 32, 1),
        /// The program has moved it, for each warp; else it is 0.
        reg moved(d.warps),
        /// What moves it, of the threads so far.
        data by(if d.beats > 1; 32),
        /// Where a jump goes, of the threads so far; one of them was active, not all agree.
        data target(if d.beats > 1; 32),
        data jumps(if d.beats > 1; 1),
        data apart(if d.beats > 1; 1),
    }
}

impl SourceMemories {
    /// Writes and the reads of stage I. The host's words of constant memory from the first on are uniforms, too.
    pub fn serve(
        &self, beat: &ReadBeat<Sink>, advance: &Expr,
        (word, stored): (Option<&ConstantWord<Sink>>, Option<&UniformWrite<Sink>>), start: Option<&WarpThreads<Sink>>,
    ) {
        for (port, n) in beat.uniform.iter().enumerate() {
            self.uniforms.read_when(port, &get(n), advance);
        }
        if let (Some(word), Some(stored)) = (word, stored) {
            let at = get(&word.address);
            let bits = clog2(UNIFORMS);
            let ours = match at.width() > bits {
                true => !at.bits(bits, at.width() - bits).any(),
                false => lit(1, 1),
            };
            // The host writes while no program runs.
            let halves = get(&stored.halves);
            let stores = wire("stores_uniform", halves.any());
            let at = stores.mux(&get(&stored.number), &at.resize(bits));
            let data = stores.mux(&get(&stored.data), &get(&word.data));
            self.uniforms.write(&at, &data, &(halves | (get(&word.we) & ours).repeat(2)));
        }
        if let Some(start) = start {
            self.present.write(&get(&start.warp), &get(&start.mask), &get(&start.valid));
        }
    }

    /// The stack pointer of a warp.
    fn pointer(&self, warp: &Expr) -> Expr {
        let moved = get(&self.moved).bit_at(warp);
        wire("stack_pointer", self.stack.read(0, warp) & moved.repeat(32))
    }

    /// Moves the stack pointer with the last beat of an instruction that does: by a number, or by what the last active
    /// thread has. A warp that `start` brings has one of 0.
    pub fn adjust(&self, s: &Sources, beat: &TakenBeat, start: Option<&WarpThreads<Sink>>) {
        let last = select_last(&beat.on, &beat.values);
        let some = beat.on.any();
        // Without an active thread it stays.
        let kept = match self.by.get() {
            Some(by) => get(by) & (!&beat.first).repeat(32),
            None => zero(32),
        };
        let own = wire("adjusted_by_thread", some.mux(&last, &kept));
        if let Some(by) = self.by.get() {
            when(&beat.goes, || set(by, &own));
        }
        let by = s.control.adjusts_by.mux(&own, &beat.number);
        let sum = wire("stack_pointer_moved", &s.pointer + &by);
        let moves = wire("moves_stack_pointer", &beat.goes & &beat.last & &s.control.adjusts);
        self.stack.write(&beat.warp, &sum, &moves);
        let moved = get(&self.moved);
        let of = |warp: &Expr, on: &Expr| warp.one_hot(moved.width()) & on.repeat(moved.width());
        let starts = start.map_or(zero(moved.width()), |start| of(&get(&start.warp), &get(&start.valid)));
        set(&self.moved, (&moved | &of(&beat.warp, &moves)) & !starts);
    }

    /// Where a jump goes, the address in a register among them, and the marker that says that threads do not agree on it.
    pub fn jump(&self, d: &Dims, c: &Control, beat: &TakenBeat) -> (Expr, Expr) {
        let [address, apart] = self.target(beat);
        let by_register = wire("by_register", c.flow.is(flow::JUMP_REGISTER));
        // An address that no pc can say is beyond the program all the same.
        let top = d.pc - 1;
        let beyond = address.bits(top, 32 - top).any();
        let address = beyond.mux(&lit(d.pc, 1 << top), &address.bits(0, d.pc));
        (by_register.mux(&address, &c.target), cat([&zero(1), &(&by_register & &apart)]))
    }

    /// The address in a register that the active threads jump to, 32 bits, and whether they do not agree.
    fn target(&self, beat: &TakenBeat) -> [Expr; 2] {
        let first = one_hot_mux(&lowest_one_hot(&beat.on), &beat.values);
        let before = self.jumps.get().map_or(zero(1), |j| get(j) & !&beat.first);
        let target = match self.target.get() {
            Some(target) => before.mux(&get(target), &first),
            None => first,
        };
        let target = wire("jump_target", target);
        let differs: Vec<Expr> = beat.values.iter().enumerate().map(|(l, v)| beat.on.bit(l) & v.ne(&target)).collect();
        let apart = self.apart.get().map_or(zero(1), |a| get(a) & !&beat.first) | any_of(&differs);
        let apart = wire("jump_apart", apart);
        if let (Some(to), Some(jumps), Some(to_apart)) = (self.target.get(), self.jumps.get(), self.apart.get()) {
            when(&beat.goes, || {
                set(to, &target);
                set(jumps, before | beat.on.any());
                set(to_apart, &apart);
            });
        }
        [target, apart]
    }
}

/// A beat that leaves stage A.
pub struct TakenBeat {
    /// It leaves.
    pub goes: Expr,
    /// It is the first of its instruction, the last.
    pub first: Expr,
    pub last: Expr,
    /// Its warp.
    pub warp: Expr,
    /// Threads that are active.
    pub on: Expr,
    /// Operand a of each thread.
    pub values: Vec<Expr>,
    /// The immediate operand.
    pub number: Expr,
}

/// Stage I: uniforms that an instruction reads, for each port of their memory.
pub fn uniforms_read(s: SourceControl) -> [Expr; UNIFORM_READS] {
    let high = wire("n1_high", &s.n1 + &lit(8, 1));
    [s.n1, s.n2, s.n3, s.n4, high]
}

/// A float of 8 bits in single precision: sign, 3 bits of exponent, 4 of fraction.
fn mini_float(n: &Expr) -> Expr {
    let (exponent, fraction) = (n.bits(4, 3), n.bits(0, 4));
    // Below 16/64 the leading one stands in the fraction.
    let number = |leading: u64, bits: Expr| cat([&lit(8, leading), &bits]);
    let small = fraction.bit(3).mux(
        &number(124, cat([&fraction.bits(0, 3), &zero(1)])),
        &fraction.bit(2).mux(
            &number(123, cat([&fraction.bits(0, 2), &zero(2)])),
            &fraction.bit(1).mux(
                &number(122, cat([&fraction.bit(0), &zero(3)])),
                &fraction.bit(0).mux(&number(121, zero(4)), &zero(12)),
            ),
        ),
    );
    let normal = cat([&(lit(8, 124) + exponent.zext(8)), &fraction]);
    let magnitude = exponent.any().mux(&normal, &small);
    cat([&n.bit(7), &magnitude, &zero(19)])
}

/// Operands of the instruction that are the same in every lane.
pub struct Sources<'a> {
    d: &'a Dims,
    pub control: SourceControl,
    /// Beat of the instruction.
    beat: Expr,
    /// Operands a to d: is it the register of its port, is it the thread's number, else its word.
    by_kind: Vec<Expr>,
    by_lane: Vec<Expr>,
    words: Vec<Expr>,
    /// High word of a base that is a uniform.
    high: Expr,
    absent: Expr,
    /// Stack pointer of the warp.
    pointer: Expr,
    /// The base of the address is a pair of registers: its index is the third.
    pair: Expr,
}

/// The operands of a lane as words, halves not yet chosen.
pub struct LaneWords {
    /// Operands a to d.
    pub operands: [Expr; 4],
    /// Low and high word of the base of an address.
    pub base: [Expr; 2],
    /// Index of an address.
    pub index: Expr,
    /// The first register.
    pub register: Expr,
}

/// The half of a word that is asked for, or the word.
pub fn half_of(word: &Expr, half: &Expr, hi: &Expr) -> Expr {
    let high = half & hi;
    let low = high.mux(&word.bits(16, 16), &word.bits(0, 16));
    cat([&(word.bits(16, 16) & (!half).repeat(16)), &low])
}

impl<'a> Sources<'a> {
    /// Of the instruction in stage A: this beat of it; a bit for each of its registers that is not there.
    pub fn of(
        d: &'a Dims, (memories, block_size): (&SourceMemories, &[Input]), (beat, absent): (Expr, Expr), issue: &Issue,
        c: &Control,
    ) -> Self {
        let s = SourceControl::unpack((), "as", &c.sources);
        let uniform = |port: usize| get(&memories.uniforms.rdata[port]);
        let sizes = get_all(block_size);
        let pointer = memories.pointer(&issue.warp);
        let named = [
            (&s.from1, &s.n1, Some(&s.mini1)),
            (&s.from2, &s.n2, Some(&s.mini2)),
            (&s.from3, &s.n3, Some(&s.mini3)),
            (&s.from4, &s.n4, None),
        ];
        let (mut by_kind, mut by_lane, mut words) = (vec![], vec![], vec![]);
        for (i, (source, n, mini)) in named.into_iter().enumerate() {
            let is = |code: u64| source.is(code);
            let whole = n.zext(32);
            let number = match mini {
                Some(mini) => mini.mux(&mini_float(&n.named()), &whole),
                None => whole,
            };
            let size = select(&n.bits(0, 2), &sizes).zext(32);
            let word = [
                (from::UNIFORM, uniform(i)),
                (from::NUMBER, number),
                (from::BLOCK_SIZE, size),
                (from::ACTIVE, issue.mask.clone()),
            ];
            // Operand a alone.
            let stack = (i == 0).then(|| (from::STACK, pointer.clone()));
            let word = word.into_iter().chain(stack).map(|(code, value)| value & is(code).repeat(WARP));
            let word = any_of(&word.collect::<Vec<_>>());
            words.push(wire(&format!("word_{}", i + 1), word));
            by_kind.push(wire(&format!("by_kind_{}", i + 1), is(from::KIND)));
            by_lane.push(wire(&format!("by_lane_{}", i + 1), is(from::LANE)));
        }
        let how = AddressControl::unpack((), "as_how", &c.address);
        let pair = wire("base_pair", &how.far & &how.base & &by_kind[0]);
        Self { d, control: s, beat, by_kind, by_lane, words, high: uniform(UNIFORM_READS - 1), absent, pointer, pair }
    }

    /// Operands of lane `l`; `read`: its three registers.
    pub fn lane(&self, l: usize, read: &[Expr], c: &Control) -> LaneWords {
        let s = &self.control;
        let registers: Vec<Expr> = read
            .iter()
            .enumerate()
            .map(|(i, r)| {
                let there = !self.absent.bit(i);
                wire(&format!("r{}_{l}", i + 1), r & there.repeat(32))
            })
            .collect();
        let [r1, r2, r3] = [0, 1, 2].map(|i| registers[i].clone());
        let ported = |port: &Expr| select(port, &[r3.clone(), r1.clone(), r2.clone()]);
        let own = [r1.clone(), r2.clone(), ported(&s.port3), ported(&s.port4)];
        let lane = lit(clog2(self.d.lanes), l as u64);
        let thread = self.d.with_beat_high(&self.beat, &lane).zext(32);
        let operand = |i: usize| {
            let other = &self.words[i] | (&thread & &self.by_lane[i].repeat(32));
            let word = self.by_kind[i].mux(&own[i], &other);
            wire(&format!("operand_{}_{l}", i + 1), word)
        };
        let operands = [0, 1, 2, 3].map(operand);
        let low = half_of(&operands[0], &s.base_half, &s.base_hi);
        let high = self.by_kind[0].mux(&r2, &self.high);
        let index = self.pair.mux(&r3, &half_of(&operands[1], &c.s2_half, &c.s2_hi));
        LaneWords { base: [low, high], index: index & s.index.repeat(32), register: r1, operands }
    }
}
