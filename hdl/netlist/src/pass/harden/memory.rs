//! Memories with check bits: a memory becomes a module with the same ports around a wider one.

use super::build::Build;
use super::code::{check_bits, columns};
use super::register::protect;
use super::scheme::{Checks, Copies, CORRECTED, DETECTED};
use crate::design::Tree;
use crate::expr::Binary;
use crate::id::{ExprId, SignalId};
use crate::module::{Memory, MemoryStyle, Module, Signal, SignalKind};

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
    let memory = node.module.body.memory.clone().expect("a memory");
    let write = memory.write.clone().expect("constants have no upsets that last");
    let code = Code { checks, data: memory.granule };
    let granules = memory.width / memory.granule;
    let (name, header) = match checks {
        Checks::Parity => ("parity", "Memory with a parity bit for each granule: `detected` when a word that is read is wrong."),
        Checks::Secded => (
            "secded",
            "Memory with Hsiao's check bits for each granule: a wrong bit is corrected and written back, two are `detected`.",
        ),
    };
    let inner = wider(&node.module, &memory, &code);
    let mut b = Build::new(format!("{name}_{}", node.module.name), header);
    let ports: Vec<Signal> = node.module.body.ports().map(|(_, s)| s.clone()).collect();
    let outer: Vec<SignalId> = ports.iter().map(|s| b.signal(&s.name, s.width, s.kind)).collect();
    let events: Vec<SignalId> = match checks {
        Checks::Parity => vec![b.signal(DETECTED, 1, SignalKind::Output)],
        Checks::Secded => [CORRECTED, DETECTED].map(|e| b.signal(e, 1, SignalKind::Output)).to_vec(),
    };
    let nets = b.nets(0, "words", &inner);
    let numbers: Vec<SignalId> = node.module.body.ports().map(|(id, _)| id).collect();
    let at = |port: SignalId| numbers.iter().position(|n| *n == port).expect("a port");
    let (outside, inside) = (|p: SignalId| outer[at(p)], |p: SignalId| nets[at(p)]);
    let is_block = memory.style == MemoryStyle::Block;

    // The write port, which a word that is written back takes when nobody else does.
    let enable = b.get(outside(write.enable));
    let writes = b.any(enable);
    let writes = b.wire("writes", writes);
    let address = b.get(outside(write.address));
    let encoded: Vec<ExprId> =
        (0..granules).map(|g| code.encoded(&mut b, outside(write.data), g * code.data)).collect();
    let encoded = b.cat(encoded);
    let width = |b: &Build, s: SignalId| b.0.signals[s.0 as usize].width;
    let address_bits = width(&b, outside(write.address));
    let fix = (checks == Checks::Secded).then(|| {
        let pending = b.signal("fix_pending", 1, SignalKind::Reg { reset: Some(0) });
        let place = b.signal("fix_address", address_bits, SignalKind::Reg { reset: Some(0) });
        let word = b.signal(FIXED, granules * code.width(), SignalKind::Reg { reset: None });
        (pending, place, word)
    });
    let now = fix.map(|(pending, place, _)| {
        let (idle, place) = (b.get(writes), b.get(place));
        let mut conditions = vec![b.get(pending), b.not(idle)];
        if memory.rdw_dont_care {
            // What a read of the word being written gives is never used: such a word is not written back meanwhile.
            for read in &memory.reads {
                let other = b.get(outside(read.address));
                let mut apart = b.binary(Binary::Ne, other, place);
                if let Some(enable) = read.enable {
                    let enable = b.get(outside(enable));
                    let off = b.not(enable);
                    apart = b.binary(Binary::Or, off, apart);
                }
                conditions.push(apart);
            }
        }
        let all = b.join(Binary::And, conditions).expect("two at least");
        b.wire("fix_now", all)
    });
    let (mut place_to, mut word_to, mut enable_to) = (address, encoded, enable);
    if let (Some((_, place, word)), Some(now)) = (fix, now) {
        let (now, place, word) = (b.get(now), b.get(place), b.get(word));
        place_to = b.mux(now, place, address);
        word_to = b.mux(now, word, encoded);
        let all = b.repeat(granules, now);
        enable_to = b.binary(Binary::Or, enable, all);
    }
    let (place_to, enable_to) = (b.wire("store_address", place_to), b.wire("store_enable", enable_to));
    let (address, enable) = (b.get(place_to), b.get(enable_to));
    b.set(inside(write.address), address);
    b.set(inside(write.data), word_to);
    b.set(inside(write.enable), enable);

    // Read ports.
    let (mut corrected, mut detected, mut candidates) = (vec![], vec![], vec![]);
    for (i, read) in memory.reads.iter().enumerate() {
        let asked = b.get(outside(read.address));
        b.set(inside(read.address), asked);
        if let Some(enable) = read.enable {
            let enable = b.get(outside(enable));
            b.set(inside(enable_of(read)), enable);
        }
        let word = inside(read.data);
        let all: Vec<Decoded> =
            (0..granules).map(|g| code.decoded(&mut b, word, g * code.width(), &format!("read_{i}_{g}"))).collect();
        let data = b.cat(all.iter().map(|d| d.data).collect());
        let data = b.wire(&format!("read_{i}"), data);
        let value = b.get(data);
        b.set(outside(read.data), value);
        let wrong = b.join(Binary::Or, all.iter().map(|d| d.detected)).expect("a granule");
        let one = b.join(Binary::Or, all.iter().filter_map(|d| d.corrected));
        // Of block RAM the word is there in the cycle after it was asked for; it counts then, unless its read is one
        // that is never used.
        let written = b.get(enable_to);
        let (written, place) = (b.any(written), b.get(place_to));
        let same = b.binary(Binary::Eq, asked, place);
        let races = b.binary(Binary::And, written, same);
        let races = b.wire(&format!("races_{i}"), races);
        let (counts, place, raced) = match is_block {
            true => {
                let fresh = b.signal(&format!("fresh_{i}"), 1, SignalKind::Reg { reset: Some(0) });
                let enable = b.get(outside(enable_of(read)));
                let now = b.get(races);
                let apart = b.not(now);
                let counted = if memory.rdw_dont_care { b.binary(Binary::And, enable, apart) } else { enable };
                b.set(fresh, counted);
                match fix {
                    Some(_) => {
                        let place = b.signal(&format!("address_{i}"), address_bits, SignalKind::Reg { reset: Some(0) });
                        let raced = b.signal(&format!("raced_{i}"), 1, SignalKind::Reg { reset: Some(0) });
                        b.set(place, asked);
                        b.set(raced, now);
                        (b.get(fresh), b.get(place), b.get(raced))
                    }
                    None => (b.get(fresh), asked, now),
                }
            }
            false => (b.lit(1, 1), asked, b.get(races)),
        };
        let wrong = b.binary(Binary::And, counts, wrong);
        let wrong = b.wire(&format!("detected_{i}"), wrong);
        detected.push(b.get(wrong));
        if let Some(one) = one {
            let one = b.binary(Binary::And, counts, one);
            let one = b.wire(&format!("corrected_{i}"), one);
            corrected.push(b.get(one));
            // It is written back unless it was written in the meantime, or a part of it is lost.
            let (one, now) = (b.get(one), b.get(writes));
            let new = b.get(outside(write.address));
            let same = b.binary(Binary::Eq, new, place);
            let stale = b.binary(Binary::And, now, same);
            let stale = b.binary(Binary::Or, stale, raced);
            let lost = b.get(wrong);
            let bad = b.binary(Binary::Or, stale, lost);
            let good = b.not(bad);
            let takes = b.binary(Binary::And, one, good);
            let takes = b.wire(&format!("takes_{i}"), takes);
            candidates.push((takes, place, data));
        }
    }
    if let (Some((pending, place, word)), Some(now)) = (fix, now) {
        // A write to the word that waits makes it stale.
        let (new, waits, any) = (b.get(outside(write.address)), b.get(place), b.get(writes));
        let same = b.binary(Binary::Eq, new, waits);
        let stale = b.binary(Binary::And, any, same);
        let now = b.get(now);
        let over = b.binary(Binary::Or, stale, now);
        let none = b.zero(1);
        b.when(over, |b| b.set(pending, none));
        let waits = b.get(pending);
        let free = b.not(waits);
        let free = b.wire("fix_free", free);
        for (takes, from, data) in candidates.into_iter().rev() {
            let coded: Vec<ExprId> = (0..granules).map(|g| code.encoded(&mut b, data, g * code.data)).collect();
            let coded = b.cat(coded);
            let (takes, free) = (b.get(takes), b.get(free));
            let takes = b.binary(Binary::And, takes, free);
            let yes = b.lit(1, 1);
            b.when(takes, |b| {
                b.set(pending, yes);
                b.set(place, from);
                b.set(word, coded);
            });
        }
        if memory.reads.is_empty() {
            let value = b.get(word);
            b.set(word, value);
        }
    }
    let lists = if checks == Checks::Secded { vec![corrected, detected] } else { vec![detected] };
    for (event, list) in events.into_iter().zip(lists) {
        let value = b.join(Binary::Or, list).unwrap_or_else(|| b.zero(1));
        b.set(event, value);
    }
    let words = Tree { instance: "words".into(), module: inner, children: node.children };
    let mut tree = Tree { instance: node.instance, module: b.finish(), children: vec![words] };
    protect(&mut tree, Copies::Tmr, |name| name != FIXED);
    tree
}

/// The enable of a read port of block RAM.
fn enable_of(read: &crate::module::ReadPort) -> SignalId {
    read.enable.expect("block RAM has read enables")
}
