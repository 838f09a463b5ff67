//! Disturbances of the bytes on a line.

use super::line::{framed, FRAME_BITS};

/// A small deterministic generator (xorshift64*): the same disturbances for the same seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(2_685_821_657_736_338_717)
    }

    fn happens(&mut self, share: f64) -> bool {
        ((self.next() >> 11) as f64) < share * (1u64 << 53) as f64
    }
}

/// What becomes of a byte.
enum Disturbed {
    /// Nothing.
    Whole,
    /// It is lost.
    Lost,
    /// A bit is wrong: number of it.
    Flipped(u32),
    /// Another byte comes in front of it.
    Added(u8),
}

/// Bytes disturbed so far, both ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Disturbances {
    /// Bytes lost.
    pub lost: u64,
    /// Bytes with a wrong bit.
    pub flipped: u64,
    /// Bytes added.
    pub added: u64,
}

/// Disturbs a share of the bytes.
pub struct Noise {
    random: Random,
    share: f64,
    /// The byte behind an added one comes whole.
    spared: bool,
    /// What was done.
    pub done: Disturbances,
}

impl Noise {
    /// Disturbs the share of the bytes, 0 to 1.
    pub fn new(share: f64, seed: u64) -> Self {
        Noise {
            random: Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
            share,
            spared: false,
            done: Disturbances::default(),
        }
    }

    /// A byte of so many bits: one of them may be wrong.
    fn disturb(&mut self, bits: u32) -> Disturbed {
        if !self.random.happens(self.share) {
            return Disturbed::Whole;
        }
        match self.random.next() % 3 {
            0 => {
                self.done.lost += 1;
                Disturbed::Lost
            }
            1 => {
                self.done.flipped += 1;
                Disturbed::Flipped((self.random.next() % u64::from(bits)) as u32)
            }
            _ => {
                self.done.added += 1;
                Disturbed::Added((self.random.next() >> 20) as u8)
            }
        }
    }

    /// A byte from the host: what goes down the line now, and whether the byte is done with. Start and
    /// stop bit may be wrong.
    pub fn pass_to_board(&mut self, byte: u8) -> (Option<u16>, bool) {
        if std::mem::take(&mut self.spared) {
            return (Some(framed(byte)), true);
        }
        match self.disturb(FRAME_BITS) {
            Disturbed::Whole => (Some(framed(byte)), true),
            Disturbed::Lost => (None, true),
            Disturbed::Flipped(bit) => (Some(framed(byte) ^ 1 << bit), true),
            Disturbed::Added(other) => {
                self.spared = true;
                (Some(framed(other)), false)
            }
        }
    }

    /// A byte from the board: the bytes the host gets.
    pub fn pass_to_host(&mut self, byte: u8, out: &mut Vec<u8>) {
        match self.disturb(8) {
            Disturbed::Whole => out.push(byte),
            Disturbed::Lost => {}
            Disturbed::Flipped(bit) => out.push(byte ^ 1 << bit),
            Disturbed::Added(other) => out.extend([other, byte]),
        }
    }
}
