//! The cache between a requester and a memory of any timing, against memory without a cache.

use crate::support;
use std::collections::{HashMap, VecDeque};
use support::dut::{lint, Dut};
use support::mutants::tells;
use support::Random;
use warpsmith_hdl::cache::{Cache, Shape};
use warpsmith_hdl::emit;

/// A request: line number, and the words and byte mask of a store.
#[derive(Clone, Debug)]
struct Ask {
    line: u32,
    store: Option<(Vec<u32>, u32)>,
}

/// Chances in percent, and a time, of one run.
#[derive(Clone, Copy, Debug)]
struct Setting {
    asks: u32,
    port: u32,
    /// Most cycles of the memory.
    latency: u32,
}

/// What is on either side of a cache.
struct Bench<'a> {
    dut: &'a mut Dut,
    random: Random,
    shape: Shape,
    /// Lines that are not there are what [`Bench::line`] says.
    memory: HashMap<u32, Vec<u32>>,
    /// Reads under way behind the cache: cycle of the answer, line.
    answers: VecDeque<(u64, Vec<u32>)>,
    /// Lines read at the port behind.
    reads: usize,
    /// Stores that are in the cache, and whether the port behind took one in the cycle before.
    inside: usize,
    left: bool,
}

impl<'a> Bench<'a> {
    fn new(dut: &'a mut Dut, shape: Shape, seed: u64) -> Self {
        let mut bench = Bench {
            dut,
            random: Random(seed),
            shape,
            memory: HashMap::new(),
            answers: VecDeque::new(),
            reads: 0,
            inside: 0,
            left: false,
        };
        bench.rest(2 * shape.bytes as u64 / 4);
        bench
    }

    /// A line of memory, at first words of its own.
    fn line(&mut self, number: u32) -> &mut Vec<u32> {
        let words = self.shape.words as u32;
        self.memory.entry(number).or_insert_with(|| (0..words).map(|i| (number << 8 | i) ^ 0x5a00_0000).collect())
    }

    /// Cycles without a kernel.
    fn rest(&mut self, cycles: u64) {
        self.dut.set("running", false);
        for _ in 0..cycles {
            self.cycle(100, 1);
            assert!(!self.dut.is("in_rvalid"), "an answer to nothing");
            self.dut.tick();
        }
    }

    /// The side of the memory in a cycle, up to its end: the answer that comes, the request that is taken.
    fn cycle(&mut self, port: u32, latency: u32) {
        let now = self.dut.cycle;
        let ready = self.random.chance(port);
        self.dut.set("mem_ready", ready);
        let due = self.answers.front().is_some_and(|a| a.0 <= now);
        let line = due.then(|| self.answers.pop_front().expect("an answer").1);
        self.dut.set("mem_rvalid", due);
        for i in 0..self.shape.words {
            let word = line.as_ref().map_or_else(|| self.random.word(), |l| l[i]);
            self.dut.set_word("mem_rdata", i, word);
        }
        self.dut.eval();
        assert!(
            self.dut.is("busy") || self.inside == 0 && !self.left,
            "a store is inside, or was, and nothing says so"
        );
        self.left = false;
        if !(ready && self.dut.is("mem_valid")) {
            return;
        }
        let address = self.dut.word("mem_address");
        let bytes = 4 * self.shape.words as u32;
        assert_eq!(address % bytes, 0, "a line begins elsewhere");
        if self.dut.is("mem_write") {
            self.inside -= 1;
            self.left = true;
            let data: Vec<u32> = (0..self.shape.words).map(|i| self.dut.word_of("mem_wdata", i)).collect();
            let mask: Vec<u32> = (0..self.shape.words.div_ceil(8)).map(|i| self.dut.word_of("mem_wmask", i)).collect();
            store(self.line(address / bytes), &data, &mask);
        } else {
            self.reads += 1;
            let line = self.line(address / bytes).clone();
            let after = self.answers.back().map_or(0, |a| a.0 + 1);
            let due = (now + 1 + u64::from(self.random.word() % latency)).max(after);
            self.answers.push_back((due, line));
        }
    }

    /// Gives the requests; each load has to find what memory without a cache would hold then. The cycles it took.
    fn play(&mut self, asks: &[Ask], setting: Setting) -> u64 {
        self.dut.set("running", true);
        let begin = self.dut.cycle;
        // What memory holds once the requests so far are performed.
        let mut after: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut expected: VecDeque<Vec<u32>> = VecDeque::new();
        let mut asks = asks.iter().peekable();
        let (mut have, mut held) = (None::<&Ask>, None);
        while have.is_some() || asks.peek().is_some() || !expected.is_empty() {
            // As many reads as may be under way, and one that waits.
            let full = expected.len() >= self.shape.reads;
            if have.is_none() && !full && self.random.chance(setting.asks) {
                have = asks.next();
            }
            self.dut.set("in_valid", have.is_some());
            if let Some(ask) = have {
                self.dut.set("in_write", ask.store.is_some());
                self.dut.set("in_address", ask.line * 4 * self.shape.words as u32);
                let (data, seed) = ask.store.clone().unwrap_or((vec![0; self.shape.words], 0));
                data.iter().enumerate().for_each(|(i, w)| self.dut.set_word("in_wdata", i, *w));
                masks(self.shape.words, seed)
                    .iter()
                    .enumerate()
                    .for_each(|(i, m)| self.dut.set_word("in_wmask", i, *m));
            }
            self.cycle(setting.port, setting.latency);
            let asked = (self.dut.word("mem_address"), self.dut.is("mem_write"));
            assert!(held.is_none_or(|h| self.dut.is("mem_valid") && h == asked), "a request is withdrawn");
            held = (self.dut.is("mem_valid") && !self.dut.is("mem_ready")).then_some(asked);
            if self.dut.is("in_rvalid") {
                let found: Vec<u32> = (0..self.shape.words).map(|i| self.dut.word_of("in_rdata", i)).collect();
                assert_eq!(Some(found), expected.pop_front(), "a line that was read");
            }
            if let Some(ask) = have.filter(|_| self.dut.is("in_ready")) {
                let before = after.remove(&ask.line).unwrap_or_else(|| self.line(ask.line).clone());
                let mut line = before;
                match &ask.store {
                    None => expected.push_back(line.clone()),
                    Some((data, seed)) => {
                        self.inside += 1;
                        store(&mut line, data, &masks(self.shape.words, *seed));
                    }
                }
                after.insert(ask.line, line);
                have = None;
            }
            self.dut.tick();
            assert!(self.dut.cycle - begin < 100_000, "no end");
        }
        let cycles = self.dut.cycle - begin;
        self.dut.set("in_valid", false);
        // Stores are at the port once `busy` is off.
        self.cycle(100, 1);
        while self.dut.is("busy") {
            self.dut.tick();
            self.cycle(100, 1);
            assert!(self.dut.cycle - begin < 100_000, "busy for ever");
        }
        for (number, line) in after {
            assert_eq!(*self.line(number), line, "line {number} after all stores");
        }
        self.dut.tick();
        cycles
    }
}

/// Writes the bytes of a mask, a bit each.
fn store(line: &mut [u32], data: &[u32], mask: &[u32]) {
    for (i, (to, from)) in line.iter_mut().zip(data).enumerate() {
        for byte in (0..4).filter(|b| mask[i / 8] >> (4 * (i % 8) + b) & 1 != 0) {
            let bits = 0xff << (8 * byte);
            *to = *to & !bits | from & bits;
        }
    }
}

/// The byte mask that a seed stands for.
fn masks(words: usize, seed: u32) -> Vec<u32> {
    let width = |i: usize| (words - 8 * i).min(8) * 4;
    (0..words.div_ceil(8)).map(|i| (seed.rotate_left(7 * i as u32)) & (u32::MAX >> (32 - width(i)))).collect()
}

/// Loads and stores of lines from `first` on.
fn asks(random: &mut Random, shape: Shape, count: usize, first: u32, lines: u32, stores: u32) -> Vec<Ask> {
    let ask = |random: &mut Random| Ask {
        line: first + random.word() % lines,
        store: random.chance(stores).then(|| ((0..shape.words).map(|_| random.word()).collect(), random.word())),
    };
    (0..count).map(|_| ask(random)).collect()
}

/// A cache changes nothing but the time, drops its copies between kernels, and has what was read before.
fn check(dut: &mut Dut, shape: Shape) {
    let held = (shape.bytes / 4 / shape.words) as u32;
    let mut b = Bench::new(dut, shape, 0x5eed_cac4);
    let mut random = Random(0x5eed_a5c5);
    for (setting, lines, stores) in [
        (Setting { asks: 100, port: 100, latency: 1 }, held / 2, 10),
        (Setting { asks: 100, port: 100, latency: 40 }, 3 * held, 30),
        (Setting { asks: 60, port: 30, latency: 9 }, 4, 50),
        (Setting { asks: 90, port: 70, latency: 20 }, held, 20),
    ] {
        // From the highest line of all downwards: every bit of a tag counts.
        for first in [0, u32::MAX / 4 / shape.words as u32 - lines, 1 << 20] {
            let list = asks(&mut random, shape, 400, first, lines, stores);
            b.play(&list, setting);
        }
        // What others store between two kernels is seen by the next one.
        for line in b.memory.values_mut() {
            line.iter_mut().for_each(|w| *w = w.wrapping_mul(0x0101_0101).wrapping_add(1));
        }
        b.rest(1 + u64::from(random.word() % (2 * held)));
    }
    // Lines that fit are read once, a line a cycle where enough reads may be under way.
    let fast = Setting { asks: 100, port: 100, latency: 1 };
    let list: Vec<Ask> = (0..4 * held).map(|i| Ask { line: 77 * held + i % held, store: None }).collect();
    b.rest(u64::from(held) + 2);
    let (reads, cycles) = (b.reads, b.play(&list, fast));
    assert_eq!(b.reads - reads, held as usize, "lines read at the port behind");
    assert!(cycles <= u64::from(4 * held) + 20 || shape.reads < 8, "{cycles} cycles for {} loads", 4 * held);
}

fn shape(bytes: usize, ways: usize, words: usize, reads: usize) -> Shape {
    Shape { bytes, ways, words, reads }
}

#[test]
fn loads_find_what_memory_without_a_cache_would_hold() {
    for shape in [
        shape(1024, 2, 8, 16),
        shape(1024, 1, 2, 2),
        shape(2048, 4, 4, 8),
        shape(1024, 4, 32, 64),
        shape(1024, 1, 8, 4),
    ] {
        let block = Cache::new(shape);
        lint(&emit::emit_leaf(&block));
        check(&mut Dut::native(&block), shape);
    }
}

#[test]
fn verilator_agrees() {
    let shape = shape(2048, 2, 8, 16);
    let Some(mut dut) = Dut::new(&Cache::new(shape)) else { return };
    check(&mut dut, shape);
}

#[test]
fn must_fail_mutants_of_the_cache_are_noticed() {
    let shape = shape(1024, 2, 8, 8);
    tells(&Cache::new(shape), 90, |dut| check(dut, shape));
}
