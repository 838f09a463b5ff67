//! Frames on the line: bytes of a request, and answers found in what came back.
//!
//! Request: 0xa5, sequence number, session, operation, words, address (4 bytes), words, CRC. Answer:
//! 0x5a, sequence number, status, words, words, CRC. Numbers have their low byte first. The CRC-32 of
//! IEEE 802.3 covers everything after the first byte. docs/host-link.md has the table.

/// First byte of a request.
const REQUEST: u8 = 0xa5;
/// First byte of an answer.
const ANSWER: u8 = 0x5a;
/// Most words of a frame: their number is a byte.
pub const MOST_WORDS: usize = 255;
/// Bytes of a request without words.
pub const REQUEST_BYTES: usize = 13;
/// Bytes of an answer without words.
pub const ANSWER_BYTES: usize = 8;

/// What a request asks for; an odd number brings words along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Operation {
    /// Reset the chip, begin a session, tell about the board.
    Hello = 0,
    /// Write words to the chip's bus.
    WriteBus = 1,
    /// Read words from it.
    ReadBus = 2,
    /// Write words to global memory.
    WriteMemory = 3,
    /// Read words from it.
    ReadMemory = 4,
    /// Write one word to all of memory from the address on.
    FillMemory = 5,
    /// Write a word to the bus unless its top byte is that of the last start.
    Start = 7,
}

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// Comes back in the answer.
    pub sequence: u8,
    /// Session begun by hello; never 0.
    pub session: u8,
    /// What to do.
    pub operation: Operation,
    /// Words wanted, or brought along.
    pub count: u8,
    /// Byte address, a multiple of 4.
    pub address: u32,
    /// Words of an odd operation; `count` of them.
    pub words: &'a [u32],
}

impl Request<'_> {
    /// The frame.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = vec![REQUEST, self.sequence, self.session, self.operation as u8, self.count];
        out.extend(self.address.to_le_bytes());
        out.extend(self.words.iter().flat_map(|w| w.to_le_bytes()));
        let crc = crc32(&out[1..]);
        out.extend(crc.to_le_bytes());
        out
    }
}

/// What the board says of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Performed.
    Done,
    /// Refused: the board knows no such session, it was reset.
    NoSession,
    /// Refused: memory belongs to the chip while it runs.
    Busy,
    /// Refused: no such operation.
    Unknown,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Of the request.
    pub sequence: u8,
    /// Result in bits 1:0; the chip's STATUS in bits 6:4.
    pub status: u8,
    /// What was read.
    pub words: Vec<u32>,
}

impl Answer {
    /// Whether the request was performed.
    pub fn outcome(&self) -> Outcome {
        match self.status & 3 {
            0 => Outcome::Done,
            1 => Outcome::NoSession,
            2 => Outcome::Busy,
            _ => Outcome::Unknown,
        }
    }

    /// The chip's STATUS, which stands above the result.
    pub fn chip_status(&self) -> u32 {
        u32::from(self.status >> 4)
    }

    /// The frame, as the board makes it.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = vec![ANSWER, self.sequence, self.status, self.words.len() as u8];
        out.extend(self.words.iter().flat_map(|w| w.to_le_bytes()));
        let crc = crc32(&out[1..]);
        out.extend(crc.to_le_bytes());
        out
    }
}

/// Finds answers among bytes, of which any may be wrong, missing or too many.
#[derive(Debug)]
pub struct Decoder {
    bytes: Vec<u8>,
    /// Off only in checks that show what the CRC is for.
    check: bool,
}

impl Default for Decoder {
    fn default() -> Self {
        Decoder::new(true)
    }
}

impl Decoder {
    /// With `check` false every frame is taken as it is: for checks of the tests themselves.
    pub fn new(check: bool) -> Self {
        Decoder { bytes: vec![], check }
    }

    /// Takes what came.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        // Nothing older than the longest frame can become part of one.
        let most = 2 * (ANSWER_BYTES + 4 * MOST_WORDS);
        let old = self.bytes.len().saturating_sub(most);
        self.bytes.drain(..old);
    }

    /// The next answer that is complete and sound. Every byte may be the first of one: a wrong length
    /// in front of an answer does not hide it.
    pub fn take(&mut self) -> Option<Answer> {
        for at in 0..self.bytes.len() {
            if let Some((answer, end)) = self.answer_at(at) {
                self.bytes.drain(..end);
                return Some(answer);
            }
        }
        None
    }

    fn answer_at(&self, at: usize) -> Option<(Answer, usize)> {
        let [ANSWER, sequence, status, count, rest @ ..] = &self.bytes[at..] else { return None };
        let length = 4 * usize::from(*count);
        let (words, rest) = rest.split_at_checked(length)?;
        let crc = word(rest.get(..4)?);
        if self.check && crc != crc32(&self.bytes[at + 1..at + 4 + length]) {
            return None;
        }
        let answer = Answer { sequence: *sequence, status: *status, words: words.chunks_exact(4).map(word).collect() };
        Some((answer, at + ANSWER_BYTES + length))
    }
}

fn word(b: &[u8]) -> u32 {
    u32::from_le_bytes([b[0], b[1], b[2], b[3]])
}

/// CRC-32 of IEEE 802.3: reflected polynomial 0xedb88320, begun with ones, inverted at the end.
pub fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 };
    !bytes.iter().fold(!0, |crc, b| (0..8).fold(crc ^ u32::from(*b), step))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn crc_of_the_standard_check_string() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn request_has_the_bytes_of_the_page() {
        let bytes = Request {
            sequence: 1,
            session: 2,
            operation: Operation::WriteBus,
            count: 1,
            address: 0x80004,
            words: &[0x0403_0201],
        }
        .encode();
        assert_eq!(bytes[..13], [0xa5, 1, 2, 1, 1, 4, 0, 8, 0, 1, 2, 3, 4]);
        assert_eq!(bytes.len(), REQUEST_BYTES + 4);
    }

    fn answer() -> impl Strategy<Value = Answer> {
        (any::<u8>(), any::<u8>(), proptest::collection::vec(any::<u32>(), 0..20))
            .prop_map(|(sequence, status, words)| Answer { sequence, status, words })
    }

    proptest! {
        /// Noise in front, in any pieces: the answer is found.
        #[test]
        fn answers_are_found_behind_noise(a in answer(), noise in proptest::collection::vec(any::<u8>(), 0..200), piece in 1usize..50) {
            let mut d = Decoder::default();
            let mut bytes = noise;
            bytes.extend(a.encode());
            let mut found = None;
            for p in bytes.chunks(piece) {
                d.push(p);
                found = found.or_else(|| d.take());
            }
            prop_assert_eq!(found, Some(a));
        }

        /// One to three wrong bits are always noticed.
        #[test]
        fn wrong_bits_are_noticed(a in answer(), flips in proptest::collection::vec(any::<prop::sample::Index>(), 1..4)) {
            let mut bytes = a.encode();
            let bits: std::collections::BTreeSet<usize> = flips.iter().map(|f| f.index(8 * bytes.len())).collect();
            for bit in bits {
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
            let mut d = Decoder::default();
            d.push(&bytes);
            prop_assert_ne!(d.take(), Some(a));
        }

        /// A lost byte never gives another answer of the same length.
        #[test]
        fn lost_bytes_are_noticed(a in answer(), at in any::<prop::sample::Index>()) {
            let mut bytes = a.encode();
            bytes.remove(at.index(bytes.len()));
            let mut d = Decoder::default();
            d.push(&bytes);
            prop_assert!(d.take().is_none_or(|b| b.words.len() < a.words.len()));
        }
    }
}
