//! The wires of a serial line, bit by bit: 8 data bits, least significant first, no parity, one stop bit.

/// Bits of a byte on the line.
pub const FRAME_BITS: u32 = 10;
/// Parts of a cycle in which the length of a bit is given.
const PARTS: i64 = 1 << 16;

/// Length of a bit, in parts of a cycle: so many cycles, and the share `skew` of them more or less.
pub fn bit(divisor: u64, skew: f64) -> i64 {
    (divisor as f64 * (1.0 + skew) * PARTS as f64).round() as i64
}

/// A byte as it goes down the line, first bit lowest: start bit, data, stop bit.
pub fn framed(byte: u8) -> u16 {
    1 << 9 | u16::from(byte) << 1
}

/// The end that sends.
pub struct Sender {
    /// Length of a bit.
    bit: i64,
    /// Bits left to send, and their number.
    bits: u16,
    left: u32,
    /// What is left of the bit on the line; less than a cycle: it is over.
    rest: i64,
    level: bool,
}

impl Sender {
    /// An idle line; see [`bit`].
    pub fn new(bit: i64) -> Self {
        Sender { bit, bits: 0, left: 0, rest: 0, level: true }
    }

    /// Whether the next frame may be put on the line.
    pub fn is_ready(&self) -> bool {
        self.left == 0 && self.rest < PARTS
    }

    /// Whether all bits have been put on the line.
    pub fn is_empty(&self) -> bool {
        self.left == 0
    }

    /// Puts a frame on the line, from the coming cycle on.
    pub fn send(&mut self, frame: u16) {
        (self.bits, self.left) = (frame, FRAME_BITS);
    }

    /// The level of the coming cycle.
    pub fn cycle(&mut self) -> bool {
        if self.rest < PARTS {
            self.level = self.left == 0 || self.bits & 1 != 0;
            if self.left > 0 {
                self.bits >>= 1;
                self.left -= 1;
                self.rest += self.bit;
            }
        }
        self.rest = (self.rest - PARTS).max(0);
        self.level
    }
}

/// The end that receives: bits are looked at in their middle.
pub struct Receiver {
    /// Length of a bit.
    bit: i64,
    byte: u8,
    /// Bits looked at and the start bit; 0: idle.
    place: u32,
    /// Until the next bit is looked at.
    rest: i64,
}

impl Receiver {
    /// An idle line; see [`bit`].
    pub fn new(bit: i64) -> Self {
        Receiver { bit, byte: 0, place: 0, rest: 0 }
    }

    /// Whether no byte is under way.
    pub fn is_idle(&self) -> bool {
        self.place == 0
    }

    /// The level of a cycle; the byte, in its stop bit.
    pub fn cycle(&mut self, level: bool) -> Option<u8> {
        if self.place == 0 {
            if !level {
                self.place = 1;
                self.rest = self.bit + self.bit / 2 / PARTS * PARTS;
            }
            return None;
        }
        self.rest -= PARTS;
        if self.rest > 0 {
            return None;
        }
        self.rest += self.bit;
        if self.place < FRAME_BITS - 1 {
            self.byte = self.byte >> 1 | u8::from(level) << 7;
            self.place += 1;
            return None;
        }
        self.place = 0;
        Some(self.byte)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_as_they_were_sent() {
        for (divisor, skew) in [(4, 0.0), (5, 0.0), (217, 0.0), (16, 0.04), (16, -0.04), (217, 0.045)] {
            let (mut sender, mut receiver) = (Sender::new(bit(divisor, skew)), Receiver::new(bit(divisor, 0.0)));
            let mut bytes = (0..=255u8).chain([0xff, 0x00]);
            let (mut sent, mut got) = (vec![], vec![]);
            loop {
                if sender.is_ready() {
                    let Some(byte) = bytes.next() else { break };
                    sender.send(framed(byte));
                    sent.push(byte);
                }
                got.extend(receiver.cycle(sender.cycle()));
            }
            assert_eq!(sent, got, "{divisor} cycles a bit, skew {skew}");
            assert!(receiver.is_idle() && sender.is_empty());
        }
    }
}
