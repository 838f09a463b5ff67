//! A board's memory tested over the link: every bit of every word, every address, random words.

use super::error::LinkError;
use super::run::Progress;
use super::target::{Link, Space};
use serde::Serialize;

/// Words of a request.
const PIECE: usize = 255;
/// A memory up to this size is tested whole.
pub const WHOLE: u64 = 1 << 18;
/// Of a larger one the first bytes are tested, and a piece at every power of two and at its end.
const FIRST: u64 = 1 << 16;
/// Bytes of such a piece.
const SAMPLE: u64 = 256;

/// What a pass writes and expects to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// One bit of each word is 1: a bit that is always 1 shows, and bits that are connected.
    WalkingOnes,
    /// One bit of each word is 0: a bit that is always 0 shows.
    WalkingZeros,
    /// Each word is its address: an address line that is not connected shows.
    Addresses,
    /// Random words.
    Random,
}

impl Pattern {
    /// All of them, in the order of the passes.
    pub const ALL: [Pattern; 4] = [Pattern::WalkingOnes, Pattern::WalkingZeros, Pattern::Addresses, Pattern::Random];

    /// Name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Pattern::WalkingOnes => "walking ones",
            Pattern::WalkingZeros => "walking zeros",
            Pattern::Addresses => "addresses",
            Pattern::Random => "random words",
        }
    }

    /// The word at a byte address.
    fn word(self, address: u32, seed: u64) -> u32 {
        let one = 1 << (address / 4 % 32);
        match self {
            Pattern::WalkingOnes => one,
            Pattern::WalkingZeros => !one,
            Pattern::Addresses => address,
            Pattern::Random => mixed(seed ^ u64::from(address)),
        }
    }
}

/// A word of a number: the finaliser of SplitMix64.
fn mixed(n: u64) -> u32 {
    let n = n.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let n = (n ^ n >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ n >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (n >> 32) as u32
}

/// A word that was read otherwise than written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongWord {
    /// The pass.
    pub pattern: Pattern,
    /// Byte address.
    pub address: u32,
    /// What was written.
    pub expected: u32,
    /// What was read.
    pub read: u32,
}

/// Result of a test of memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryTest {
    /// Bytes tested, in every pass.
    pub bytes: u64,
    /// Wrong words of all passes.
    pub wrong: u64,
    /// The first of them.
    pub first: Option<WrongWord>,
}

impl dyn Link + '_ {
    /// Writes every [`Pattern`] to memory, all of it or parts of a large one, and reads it back; when the board is reset
    /// meanwhile, does all of it anew. The memory is left with random words.
    ///
    /// # Errors
    /// The line or the board fails.
    pub fn test_memory(&mut self, seed: u64, progress: Progress<'_>) -> Result<MemoryTest, LinkError> {
        Ok(self.anew(|link| link.tested(seed, progress))?.0)
    }

    fn tested(&mut self, seed: u64, progress: Progress<'_>) -> Result<MemoryTest, LinkError> {
        let pieces = pieces(self.hello()?.memory_bytes);
        let words: u64 = pieces.iter().map(|p| p.1 as u64).sum();
        let total = 2 * words * Pattern::ALL.len() as u64;
        let mut test = MemoryTest { bytes: 4 * words, ..MemoryTest::default() };
        let mut done = 0;
        *self.doing() = "testing memory";
        for pattern in Pattern::ALL {
            let expected = |at: u32, n: usize| (0..n as u32).map(move |i| pattern.word(at + 4 * i, seed));
            for &(at, n) in &pieces {
                progress(self.doing(), done, total);
                self.write(Space::Memory, at, &expected(at, n).collect::<Vec<_>>())?;
                done += n as u64;
            }
            for &(at, n) in &pieces {
                progress(self.doing(), done, total);
                let read = self.read(Space::Memory, at, n)?;
                for (i, (expected, read)) in expected(at, n).zip(read).enumerate().filter(|(_, (e, r))| e != r) {
                    let address = at + 4 * i as u32;
                    test.wrong += 1;
                    test.first.get_or_insert(WrongWord { pattern, address, expected, read });
                }
                done += n as u64;
            }
        }
        Ok(test)
    }
}

/// Requests of a pass over a memory of so many bytes: byte address and words of each.
fn pieces(bytes: u64) -> Vec<(u32, usize)> {
    let mut spans = vec![(0, bytes / 4 * 4)];
    if bytes > WHOLE {
        spans[0].1 = FIRST;
        let powers = (0..32).map(|n| 1 << n).filter(|at| (FIRST..bytes).contains(at));
        spans.extend(powers.map(|at| (at, SAMPLE.min(bytes - at))));
        let last = bytes - SAMPLE;
        if spans.last().is_some_and(|(at, n)| at + n <= last) {
            spans.push((last, SAMPLE));
        }
    }
    let cut = |(at, n): (u64, u64)| {
        let step = 4 * PIECE as u64;
        (0..n).step_by(step as usize).map(move |o| ((at + o) as u32, (step.min(n - o) / 4) as usize))
    };
    spans.into_iter().flat_map(cut).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::{About, Statistics};
    use warpsmith_isa::ChipInfo;

    /// A memory that answers, and what is wrong with it.
    struct Memory {
        words: Vec<u32>,
        /// Bits of all addresses that are not connected.
        lines: u32,
        /// Byte address, bits that are always 1, bits that are always 0.
        stuck: (u32, u32, u32),
        doing: &'static str,
        about: About,
    }

    impl Memory {
        fn new(bytes: usize) -> Self {
            let about = About { memory_bytes: bytes as u64, info: ChipInfo::unlimited() };
            Memory { words: vec![0xdead_beef; bytes / 4], lines: 0, stuck: (0, 0, 0), doing: "", about }
        }

        fn tested(mut self) -> MemoryTest {
            let link: &mut dyn Link = &mut self;
            link.test_memory(1, &mut |_, done, total| assert!(done < total)).expect("it answers")
        }
    }

    impl Link for Memory {
        fn hello(&mut self) -> Result<&About, LinkError> {
            Ok(&self.about)
        }
        fn read(&mut self, _: Space, address: u32, count: usize) -> Result<Vec<u32>, LinkError> {
            let (at, high, low) = self.stuck;
            let word = |a: u32| {
                let word = self.words[((a & !self.lines) / 4) as usize];
                if a == at {
                    (word | high) & !low
                } else {
                    word
                }
            };
            Ok((0..count as u32).map(|i| word(address + 4 * i)).collect())
        }
        fn write(&mut self, _: Space, address: u32, words: &[u32]) -> Result<(), LinkError> {
            for (a, word) in (address..).step_by(4).zip(words) {
                self.words[((a & !self.lines) / 4) as usize] = *word;
            }
            Ok(())
        }
        fn clear(&mut self, _: u64) -> Result<(), LinkError> {
            Ok(())
        }
        fn start(&mut self, _: u32) -> Result<(), LinkError> {
            Ok(())
        }
        fn doing(&mut self) -> &mut &'static str {
            &mut self.doing
        }
        fn statistics(&self) -> Statistics {
            Statistics::default()
        }
    }

    #[test]
    fn a_sound_memory_is_tested_whole_and_a_large_one_in_parts() {
        for (bytes, tested) in [(64, 64), (4100, 4100), (1 << 18, 1 << 18), (1 << 20, 0x10000 + 4 * 256 + 256)] {
            let test = Memory::new(bytes).tested();
            assert_eq!((test.bytes, test.wrong, test.first), (tested, 0, None), "{bytes} bytes");
        }
    }

    #[test]
    fn must_fail_every_stuck_bit_is_named() {
        for address in [0, 4, 0x7c, 0x3fc] {
            for bit in 0..32 {
                for high in [true, false] {
                    let mut memory = Memory::new(1024);
                    memory.stuck = if high { (address, 1 << bit, 0) } else { (address, 0, 1 << bit) };
                    let first = memory.tested().first.expect("noticed");
                    assert_eq!(first.address, address);
                    assert_eq!(first.expected ^ first.read, 1 << bit);
                    assert_eq!(first.read & 1 << bit != 0, high);
                }
            }
        }
    }

    #[test]
    fn must_fail_every_missing_address_line_is_noticed() {
        for line in 2..20 {
            let test = Memory { lines: 1 << line, ..Memory::new(1 << 20) }.tested();
            assert!(test.wrong > 0, "address line {line}");
        }
    }
}
