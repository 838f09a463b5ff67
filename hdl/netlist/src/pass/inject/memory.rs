//! The saboteur of a memory: a word reads as if bits of it were inverted, until they are written, and what was read last is a
//! register like any other.
//!
//! A port to the memory of its own would be needed to invert a stored bit in the cycle of the fault. Instead the address and
//! the inverted bits of the one word are kept beside the memory: whoever reads the word sees them inverted, and a write clears
//! those that it writes. Nothing else can see the difference.

use super::build::{merged, Tap, SOURCE};
use super::chain::Chain;
use crate::design::Tree;
use crate::expr::Binary;
use crate::id::{ExprId, SignalId};
use crate::module::{Memory, MemoryStyle, SignalKind, WritePort};
use crate::pass::build::Build;
use crate::pass::wrapper::{Outside, Ports};

/// A memory with its saboteur: the same ports, then those of the chain. `path` begins the names of its sites.
pub fn sabotaged(node: Tree, path: &str, chain: &mut Chain) -> Tree {
    let memory = node.module.body.memory.clone().expect("a memory");
    let mut b = Build::new(
        SOURCE,
        format!("saboteur_{}", node.module.name),
        "Memory with a saboteur: bits of one word read inverted from the fault on until they are written; what was read last is\nheld, inverted or constant as the control says.",
    );
    let outside = Outside::new(&mut b, &node.module);
    let tap = Tap::new(&mut b);
    let ports = outside.around(&mut b, &node.module, &node.module);
    let mut wrapper = Wrapper { b, tap, memory: &memory, ports, changed: vec![] };
    wrapper.through();
    let word = memory.write.as_ref().map(|write| {
        let bits = wrapper.address_bits(write);
        chain.memory(format!("{path}mem"), memory.width, memory.depth, bits);
        wrapper.word(write)
    });
    for read in 0..memory.reads.len() {
        if memory.style != MemoryStyle::Lut {
            let name = &node.module.body.signal(memory.reads[read].data).name;
            chain.register(format!("{path}{name}_held"), memory.width);
        }
        wrapper.read(read, word.as_ref());
    }
    let Wrapper { mut b, tap, changed, .. } = wrapper;
    tap.close(&mut b);
    let changed = b.join(Binary::Or, changed).expect("a memory is read");
    b.set(tap.changed, changed);
    let module = b.finish();
    let words = Tree { instance: "words".into(), module: node.module, children: vec![] };
    Tree { instance: node.instance, module, children: vec![words] }
}

struct Wrapper<'a> {
    b: Build,
    tap: Tap,
    memory: &'a Memory,
    ports: Ports,
    /// Conditions that tell of a changed bit.
    changed: Vec<ExprId>,
}

/// The word with inverted bits.
struct Word {
    address: SignalId,
    inverted: SignalId,
}

impl Wrapper<'_> {
    fn port(&self, number: SignalId) -> (SignalId, SignalId) {
        self.ports.port(number)
    }

    fn input(&mut self, number: SignalId) -> ExprId {
        self.ports.input(&mut self.b, number)
    }

    fn address_bits(&mut self, write: &WritePort) -> u32 {
        let address = self.input(write.address);
        self.b.width(address)
    }

    /// Inputs go to the memory as they are.
    fn through(&mut self) {
        let write = self.memory.write.iter().flat_map(|w| [w.address, w.data, w.enable]);
        let reads = self.memory.reads.iter().flat_map(|r| [Some(r.address), r.enable]).flatten();
        for number in write.chain(reads).collect::<std::collections::BTreeSet<_>>() {
            let value = self.input(number);
            let (_, inside) = self.port(number);
            self.b.set(inside, value);
        }
    }

    /// Registers of the word: inverted bits come with the fault, from the mask, and go with a write.
    fn word(&mut self, write: &WritePort) -> Word {
        let (width, granule) = (self.memory.width, self.memory.granule);
        let bits = self.address_bits(write);
        let mask = self.tap.bits(&mut self.b, "mask", width);
        let address = self.tap.bits(&mut self.b, "mask_address", bits);
        let (to, enable) = (self.input(write.address), self.port(write.enable).0);
        let b = &mut self.b;
        let inverted = b.signal("inverted", width, SignalKind::Reg { reset: Some(0) });
        let at = b.get(address);
        let hit = b.binary(Binary::Eq, to, at);
        let hit = b.repeat(width, hit);
        let enables = (0..width / granule).map(|g| {
            let one = b.slice(enable, g, 1);
            b.repeat(granule, one)
        });
        let enables = enables.collect();
        let enables = b.cat(enables);
        let written = b.binary(Binary::And, hit, enables);
        let (kept, now) = (b.not(written), b.get(inverted));
        let kept = b.binary(Binary::And, now, kept);
        let (acts, flips) = (self.tap.acts(b), self.tap.flips(b));
        let fires = b.binary(Binary::And, acts, flips);
        let (under, none) = (b.get(mask), b.zero(width));
        let fired = b.mux(fires, under, none);
        // A bit that the edge writes and the fault inverts is wrong after it.
        let next = b.binary(Binary::Or, kept, fired);
        b.set(inverted, next);
        let told = b.signal("changed", 1, SignalKind::Reg { reset: Some(0) });
        let any = b.any(fired);
        b.set(told, any);
        let told = b.get(told);
        self.changed.push(told);
        Word { address, inverted }
    }

    /// A read port.
    fn read(&mut self, i: usize, word: Option<&Word>) {
        let read = &self.memory.reads[i];
        let (width, style) = (self.memory.width, self.memory.style);
        let asked = self.input(read.address);
        let enable = read.enable.map(|e| self.input(e));
        let (outside, inside) = self.port(read.data);
        let b = &mut self.b;
        let raw = b.get(inside);
        let wrong = word.map(|word| {
            let (at, bits, none) = (b.get(word.address), b.get(word.inverted), b.zero(width));
            let hit = b.binary(Binary::Eq, asked, at);
            b.mux(hit, bits, none)
        });
        if style == MemoryStyle::Lut {
            let value = wrong.map_or(raw, |wrong| b.binary(Binary::Xor, raw, wrong));
            b.set(outside, value);
            return;
        }
        // What is held is the memory's word with these bits inverted, and those that were forced since.
        let mask = self.tap.bits(b, &format!("held_mask_{i}"), width);
        let mut register = |name: &str| b.signal(&format!("{name}_{i}"), width, SignalKind::Reg { reset: Some(0) });
        let (inverted, forced, values) = (register("held_inverted"), register("held_forced"), register("held_values"));
        let (wrong_now, under) = (b.get(inverted), b.get(mask));
        let right = b.binary(Binary::Xor, raw, wrong_now);
        let (is_forced, to) = (b.get(forced), b.get(values));
        let value = merged(b, is_forced, to, right);
        let value = b.wire(&format!("held_{i}"), value);
        let value = b.get(value);
        b.set(outside, value);
        let (acts, flips) = (self.tap.acts(b), self.tap.flips(b));
        let stays = b.not(flips);
        let (flip, set) = (b.binary(Binary::And, acts, flips), b.binary(Binary::And, acts, stays));
        let none = b.zero(width);
        let (flip, set) = (b.mux(flip, under, none), b.mux(set, under, none));
        let loaded = wrong.unwrap_or(none);
        let after = match enable {
            Some(enable) => b.mux(enable, loaded, wrong_now),
            None => loaded,
        };
        let after = b.binary(Binary::Xor, after, flip);
        b.set(inverted, after);
        let stay_forced = match enable {
            Some(enable) => b.mux(enable, none, is_forced),
            None => none,
        };
        let now_forced = b.binary(Binary::Or, stay_forced, set);
        b.set(forced, now_forced);
        let new = self.tap.forced(b, value);
        let kept = merged(b, set, new, to);
        b.set(values, kept);
        // A forced bit differs from what was read, which is there in the cycle after the edge.
        let differs = b.binary(Binary::Xor, right, to);
        let differs = b.binary(Binary::And, differs, is_forced);
        let differs = b.any(differs);
        let told = b.signal(&format!("held_changed_{i}"), 1, SignalKind::Reg { reset: Some(0) });
        let any = b.any(flip);
        b.set(told, any);
        let told = b.get(told);
        let either = b.binary(Binary::Or, told, differs);
        self.changed.push(either);
    }
}
