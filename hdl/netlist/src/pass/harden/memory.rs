//! Memories with check bits: a memory becomes a module with the same ports around a wider one.

use super::code::{check_bits, columns};
use super::register::protect;
use super::scheme::{Checks, Copies, CORRECTED, DETECTED, SOURCE};
use crate::design::Tree;
use crate::expr::Binary;
use crate::id::{ExprId, SignalId};
use crate::module::{Memory, Module, SignalKind, WritePort};
use crate::pass::build::Build;
use crate::pass::wrapper::{Outside, Ports};

/// Register of the word that waits to be written back: it has check bits of its own.
const FIXED: &str = "fix_word";

/// What decoding a word gives.
struct Decoded {
    /// The word, corrected.
    data: ExprId,
    /// A bit of it was wrong and is corrected; none where the check bits only detect.
    corrected: Option<ExprId>,
    /// It is wrong and cannot be corrected.
    detected: ExprId,
}

/// The check bits of a granule.
struct Code {
    checks: Checks,
    /// Data bits.
    data: u32,
}

impl Code {
    fn check_bits(&self) -> u32 {
        match self.checks {
            Checks::Parity => 1,
            Checks::Secded => check_bits(self.data),
        }
    }

    fn width(&self) -> u32 {
        self.data + self.check_bits()
    }

    /// Column of each data bit.
    fn columns(&self) -> Vec<u64> {
        match self.checks {
            Checks::Parity => vec![1; self.data as usize],
            Checks::Secded => columns(self.data),
        }
    }

    /// Check bits of the data bits of `word` from bit `low` on, the lowest first.
    fn checks_of(&self, b: &mut Build, word: SignalId, low: u32) -> Vec<ExprId> {
        let columns = self.columns();
        let of = |b: &mut Build, k: u32| {
            let parts: Vec<u32> = (0..).zip(&columns).filter(|(_, c)| *c >> k & 1 == 1).map(|(i, _)| i).collect();
            let bits: Vec<ExprId> = parts.into_iter().map(|i| b.slice(word, low + i, 1)).collect();
            // A check bit of no data bit is 0: in words of one or two bits.
            b.join(Binary::Xor, bits).unwrap_or_else(|| b.zero(1))
        };
        (0..self.check_bits()).map(|k| of(b, k)).collect()
    }

    /// The data in `word` from bit `low` on with their check bits above.
    fn encoded(&self, b: &mut Build, word: SignalId, low: u32) -> ExprId {
        let mut parts = vec![b.slice(word, low, self.data)];
        parts.extend(self.checks_of(b, word, low));
        b.cat(parts)
    }

    /// What the granule in `word` from bit `low` on says; `name` is that of its values.
    fn decoded(&self, b: &mut Build, word: SignalId, low: u32, name: &str) -> Decoded {
        let check = self.check_bits();
        let computed = self.checks_of(b, word, low);
        let mut syndrome = vec![];
        for (k, computed) in (0..).zip(computed) {
            let stored = b.slice(word, low + self.data + k, 1);
            syndrome.push(b.binary(Binary::Xor, computed, stored));
        }
        let syndrome = b.cat(syndrome);
        let syndrome = b.wire(&format!("{name}_syndrome"), syndrome);
        let value = b.get(syndrome);
        let wrong = b.any(value);
        if self.checks == Checks::Parity {
            return Decoded { data: b.slice(word, low, self.data), corrected: None, detected: wrong };
        }
        let all = self.columns().into_iter().chain((0..check).map(|k| 1 << k));
        let flips: Vec<ExprId> = all
            .map(|column| {
                let column = b.lit(check, column);
                b.binary(Binary::Eq, value, column)
            })
            .collect();
        let flips = b.cat(flips);
        let flips = b.wire(&format!("{name}_wrong"), flips);
        let one = b.get(flips);
        let one = b.any(one);
        let (stored, flip) = (b.slice(word, low, self.data), b.slice(flips, 0, self.data));
        let data = b.binary(Binary::Xor, stored, flip);
        let other = b.not(one);
        Decoded { data, corrected: Some(one), detected: b.binary(Binary::And, wrong, other) }
    }
}

/// The memory within: the same ports, words with check bits, zeros at first.
fn wider(module: &Module, memory: &Memory, code: &Code) -> Module {
    let mut inner = module.clone();
    let granules = memory.width / memory.granule;
    let width = granules * code.width();
    let mut memory = Memory { width, granule: code.width(), zeroed: true, words: vec![], ..memory.clone() };
    for read in &mut memory.reads {
        inner.body.signals[read.data.0 as usize].width = width;
    }
    if let Some(write) = &memory.write {
        inner.body.signals[write.data.0 as usize].width = width;
    }
    inner.name = format!("{}_checked", module.name);
    inner.body.memory = Some(memory);
    inner
}

/// A memory with check bits for each granule. `Parity` detects a wrong bit, `Secded` corrects one, detects two, and
/// writes a corrected word back in a cycle without another write; its registers have three copies.
pub fn protect_memory(node: Tree, checks: Checks) -> Tree {
    let memory = node.module.body.memory.as_ref().expect("a memory");
    let code = Code { checks, data: memory.granule };
    let inner = wider(&node.module, memory, &code);
    let mut wrapper = Wrapper::new(&node.module, memory, &inner, code);
    let store = wrapper.store();
    let reads: Vec<Read> = (0..memory.reads.len()).map(|i| wrapper.read(i, &store)).collect();
    if let Some(fix) = &store.fix {
        wrapper.keep(fix, &store, &reads);
    }
    wrapper.tell(&reads);
    let module = wrapper.b.finish();
    let words = Tree { instance: "words".into(), module: inner, children: vec![] };
    let mut tree = Tree { instance: node.instance, module, children: vec![words] };
    protect(&mut tree, Copies::Tmr, |name| name != FIXED);
    tree
}

/// The module around a wider memory while it is made.
struct Wrapper<'a> {
    b: Build,
    memory: &'a Memory,
    write: &'a WritePort,
    code: Code,
    ports: Ports,
    /// Outputs for what is corrected, where the check bits can, and detected.
    events: Vec<SignalId>,
}

/// The write port.
struct Store {
    /// Somebody writes.
    writes: SignalId,
    /// What is written, words that are written back among it: where, and which granules.
    address: SignalId,
    enable: SignalId,
    fix: Option<Fix>,
}

/// A corrected word that waits to be written back.
struct Fix {
    pending: SignalId,
    place: SignalId,
    word: SignalId,
    /// It is written in this cycle.
    now: SignalId,
}

/// A read port: what it tells in this cycle.
struct Read {
    detected: SignalId,
    /// None where the check bits only detect.
    corrected: Option<Corrected>,
}

struct Corrected {
    now: SignalId,
    /// The word can be written back, its address, and the word without check bits.
    takes: SignalId,
    place: ExprId,
    data: SignalId,
}

impl<'a> Wrapper<'a> {
    fn new(module: &Module, memory: &'a Memory, inner: &Module, code: Code) -> Self {
        let (name, header, events) = match code.checks {
            Checks::Parity => (
                "parity",
                "Memory with a parity bit for each granule: `detected` when a word that is read is wrong.",
                &[DETECTED][..],
            ),
            Checks::Secded => (
                "secded",
                "Memory with Hsiao's check bits for each granule: a wrong bit is corrected and written back, two are `detected`.",
                &[CORRECTED, DETECTED][..],
            ),
        };
        let mut b = Build::new(SOURCE, format!("{name}_{}", module.name), header);
        let outside = Outside::new(&mut b, module);
        let events = events.iter().map(|e| b.signal(e, 1, SignalKind::Output)).collect();
        let ports = outside.around(&mut b, module, inner);
        let write = memory.write.as_ref().expect("constants have no upsets that last");
        Wrapper { b, memory, write, code, ports, events }
    }

    fn port(&self, number: SignalId) -> (SignalId, SignalId) {
        self.ports.port(number)
    }

    fn input(&mut self, number: SignalId) -> ExprId {
        self.ports.input(&mut self.b, number)
    }

    fn granules(&self) -> u32 {
        self.memory.width / self.memory.granule
    }

    /// The granules of a word with their check bits.
    fn encoded(&mut self, word: SignalId) -> ExprId {
        let parts = (0..self.granules()).map(|g| self.code.encoded(&mut self.b, word, g * self.code.data)).collect();
        self.b.cat(parts)
    }

    /// The write port, which a word that is written back takes when nobody else does.
    fn store(&mut self) -> Store {
        let enable = self.input(self.write.enable);
        let writes = self.b.any(enable);
        let writes = self.b.wire("writes", writes);
        let address = self.input(self.write.address);
        let encoded = self.encoded(self.port(self.write.data).0);
        let fix = match self.code.checks {
            Checks::Parity => None,
            Checks::Secded => Some(self.fix(writes, self.b.width(address), self.b.width(encoded))),
        };
        let (mut place_to, mut word_to, mut enable_to) = (address, encoded, enable);
        if let Some(fix) = &fix {
            let (now, place, word) = (self.b.get(fix.now), self.b.get(fix.place), self.b.get(fix.word));
            place_to = self.b.mux(now, place, address);
            word_to = self.b.mux(now, word, encoded);
            let all = self.b.repeat(self.granules(), now);
            enable_to = self.b.binary(Binary::Or, enable, all);
        }
        let address_to = self.b.wire("store_address", place_to);
        let enable_to = self.b.wire("store_enable", enable_to);
        let (address, enable) = (self.b.get(address_to), self.b.get(enable_to));
        for (port, value) in [(self.write.address, address), (self.write.data, word_to), (self.write.enable, enable)] {
            self.b.set(self.port(port).1, value);
        }
        Store { writes, address: address_to, enable: enable_to, fix }
    }

    /// Registers of the word that waits, and whether it is written.
    fn fix(&mut self, writes: SignalId, address_bits: u32, word_bits: u32) -> Fix {
        let b = &mut self.b;
        let pending = b.signal("fix_pending", 1, SignalKind::Reg { reset: Some(0) });
        let place = b.signal("fix_address", address_bits, SignalKind::Reg { reset: Some(0) });
        let word = b.signal(FIXED, word_bits, SignalKind::Reg { reset: None });
        let (busy, waits) = (b.get(writes), b.get(place));
        let mut conditions = vec![b.get(pending), b.not(busy)];
        if self.memory.rdw_dont_care {
            // What a read of the word being written gives is never used: such a word is not written back meanwhile.
            for read in &self.memory.reads {
                let other = self.input(read.address);
                let mut apart = self.b.binary(Binary::Ne, other, waits);
                if let Some(enable) = read.enable {
                    let enable = self.input(enable);
                    let off = self.b.not(enable);
                    apart = self.b.binary(Binary::Or, off, apart);
                }
                conditions.push(apart);
            }
        }
        let now = self.b.join(Binary::And, conditions).expect("two at least");
        Fix { pending, place, word, now: self.b.wire("fix_now", now) }
    }

    /// A read port. Of block RAM the word is there in the cycle after it was asked for; it counts then, unless its read is
    /// one that is never used.
    fn read(&mut self, i: usize, store: &Store) -> Read {
        let read = &self.memory.reads[i];
        let asked = self.input(read.address);
        self.b.set(self.port(read.address).1, asked);
        let enable = read.enable.map(|number| {
            let enable = self.input(number);
            self.b.set(self.port(number).1, enable);
            enable
        });
        let (outside, word) = self.port(read.data);
        let granules = self.granules();
        let (code, b) = (&self.code, &mut self.b);
        let all: Vec<Decoded> =
            (0..granules).map(|g| code.decoded(b, word, g * code.width(), &format!("read_{i}_{g}"))).collect();
        let data = b.cat(all.iter().map(|d| d.data).collect());
        let data = b.wire(&format!("read_{i}"), data);
        let value = b.get(data);
        b.set(outside, value);
        let wrong = b.join(Binary::Or, all.iter().map(|d| d.detected)).expect("a granule");
        let one = b.join(Binary::Or, all.iter().filter_map(|d| d.corrected));
        let (written, place) = (b.get(store.enable), b.get(store.address));
        let written = b.any(written);
        let same = b.binary(Binary::Eq, asked, place);
        let races = b.binary(Binary::And, written, same);
        let races = b.wire(&format!("races_{i}"), races);
        let races = b.get(races);
        let (counts, place, raced) = match enable {
            Some(enable) => self.fresh(i, enable, asked, races),
            None => (b.lit(1, 1), asked, races),
        };
        let b = &mut self.b;
        let wrong = b.binary(Binary::And, counts, wrong);
        let detected = b.wire(&format!("detected_{i}"), wrong);
        let corrected = one.map(|one| {
            let one = self.b.binary(Binary::And, counts, one);
            let now = self.b.wire(&format!("corrected_{i}"), one);
            let takes = self.takes(i, store, (now, detected), (place, raced));
            Corrected { now, takes, place, data }
        });
        Read { detected, corrected }
    }

    /// Of block RAM, whether the word that is there counts; where it was, and whether it was written in that cycle.
    fn fresh(&mut self, i: usize, enable: ExprId, asked: ExprId, races: ExprId) -> (ExprId, ExprId, ExprId) {
        let b = &mut self.b;
        let counted = match self.memory.rdw_dont_care {
            true => {
                let apart = b.not(races);
                b.binary(Binary::And, enable, apart)
            }
            false => enable,
        };
        let mut delayed = |name: &str, value: ExprId| {
            let register = b.signal(&format!("{name}_{i}"), b.width(value), SignalKind::Reg { reset: Some(0) });
            b.set(register, value);
            b.get(register)
        };
        let fresh = delayed("fresh", counted);
        match self.code.checks {
            Checks::Secded => (fresh, delayed("address", asked), delayed("raced", races)),
            Checks::Parity => (fresh, asked, races),
        }
    }

    /// Whether a corrected word is written back: unless it was written in the meantime, or a part of it is lost.
    fn takes(
        &mut self, i: usize, store: &Store, (now, detected): (SignalId, SignalId), (place, raced): (ExprId, ExprId),
    ) -> SignalId {
        let new = self.input(self.write.address);
        let b = &mut self.b;
        let (now, any, lost) = (b.get(now), b.get(store.writes), b.get(detected));
        let same = b.binary(Binary::Eq, new, place);
        let stale = b.binary(Binary::And, any, same);
        let stale = b.binary(Binary::Or, stale, raced);
        let bad = b.binary(Binary::Or, stale, lost);
        let good = b.not(bad);
        let takes = b.binary(Binary::And, now, good);
        b.wire(&format!("takes_{i}"), takes)
    }

    /// The word that waits: a write to it makes it stale; a corrected one takes its place when it is free.
    fn keep(&mut self, fix: &Fix, store: &Store, reads: &[Read]) {
        let new = self.input(self.write.address);
        let b = &mut self.b;
        let (waits, any, now) = (b.get(fix.place), b.get(store.writes), b.get(fix.now));
        let same = b.binary(Binary::Eq, new, waits);
        let stale = b.binary(Binary::And, any, same);
        let over = b.binary(Binary::Or, stale, now);
        let none = b.zero(1);
        b.when(over, |b| b.set(fix.pending, none));
        let waits = b.get(fix.pending);
        let free = b.not(waits);
        let free = b.wire("fix_free", free);
        for corrected in reads.iter().rev().filter_map(|r| r.corrected.as_ref()) {
            let coded = self.encoded(corrected.data);
            let b = &mut self.b;
            let (takes, free, yes) = (b.get(corrected.takes), b.get(free), b.lit(1, 1));
            let takes = b.binary(Binary::And, takes, free);
            b.when(takes, |b| {
                b.set(fix.pending, yes);
                b.set(fix.place, corrected.place);
                b.set(fix.word, coded);
            });
        }
    }

    /// Outputs of the events.
    fn tell(&mut self, reads: &[Read]) {
        let detected = reads.iter().map(|r| r.detected).collect();
        let corrected: Vec<SignalId> = reads.iter().filter_map(|r| r.corrected.as_ref()).map(|c| c.now).collect();
        // As many as there are outputs, what is detected last.
        let lists = [corrected, detected];
        let lists = &lists[lists.len() - self.events.len()..];
        for (event, list) in self.events.iter().zip(lists) {
            let values: Vec<ExprId> = list.iter().map(|s| self.b.get(*s)).collect();
            let value = self.b.join(Binary::Or, values).expect("a memory is read");
            self.b.set(*event, value);
        }
    }
}
