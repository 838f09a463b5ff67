//! Requests and their answers: each is repeated until it is answered, and may be performed twice.
//!
//! Time-outs follow the pace that was seen, so that a simulated board a thousand times slower than
//! its line and a real one are both served. Every operation may come twice without harm; a start
//! carries a tag. A board that was reset knows no session and says so.

use super::error::LinkError;
use super::frame::{Answer, Decoder, Operation, Outcome, Request};
use super::frame::{ANSWER_BYTES, MOST_WORDS, REQUEST_BYTES};
use super::port::Transport;
use super::target::{identified, About, Link, Space, Statistics};
use crate::wrap::uart::{ABOUT_KEYS, ABOUT_WORDS, PROTOCOL};
use std::time::{Duration, Instant};
use warpsmith_contract::registers as map;
use warpsmith_isa::{ChipInfo, Isa, Tier};

/// Times a request is sent before the board is given up.
const TRIES: u32 = 20;
/// Times hello is sent when nothing comes back: nobody wants to wait long for a board that is not there.
const HELLO_TRIES: u32 = 6;
/// Fewest words of a frame that is made smaller because the line is bad.
const FEWEST_WORDS: usize = 8;
/// Bytes over which the pace is taken.
const PACE_BYTES: u32 = 8192;
/// Byte times after which the board abandons half a frame, and some.
const ABANDON_BYTES: u32 = 450;
/// Longest wait for an answer.
const LONGEST: Duration = Duration::from_secs(4);

impl About {
    /// From the words of hello, see `ws_about` in the Verilog.
    fn from_words(words: &[u32]) -> Result<Self, LinkError> {
        if words.first() != Some(&PROTOCOL) {
            return Err(LinkError::Protocol { board: words.first().copied().unwrap_or(0), ours: PROTOCOL });
        }
        let wrong = |what| LinkError::Answer { doing: "saying hello", what };
        let number = |key: &'static str| {
            let k = ABOUT_KEYS.iter().position(|k| *k == key);
            let word = k.and_then(|k| words.get(2 + k));
            word.copied().ok_or_else(|| wrong(format!("without a word for {key}")))
        };
        let name: Vec<u8> =
            words[2 + ABOUT_KEYS.len()..].iter().flat_map(|w| w.to_le_bytes()).take_while(|b| *b != 0).collect();
        let name = String::from_utf8_lossy(&name);
        let tier = match number("float")? {
            0 => Tier::integer(),
            _ => Tier::full(),
        };
        let info = ChipInfo::from_numbers(&name, Isa::Sm10, tier, number)?;
        info.check().map_err(wrong)?;
        Ok(About { memory_bytes: u64::from(words[1]), info })
    }
}

/// A board that has been greeted.
pub struct Session<T> {
    port: T,
    decoder: Decoder,
    session: u8,
    sequence: u8,
    /// Time that bytes took, there and back, and how many they were.
    pace: (Duration, u32),
    /// Words of a frame: fewer while the line is bad.
    most: usize,
    about: Option<About>,
    /// What is going on, for errors.
    doing: &'static str,
    /// What the line did.
    statistics: Statistics,
    /// Words of the launch moved both ways.
    pub words: u64,
}

impl<T: Transport> Session<T> {
    /// A session on a port; nothing is sent yet.
    pub fn new(port: T) -> Self {
        Self::with_decoder(port, Decoder::default())
    }

    /// The same with a decoder of one's own, for checks of the tests.
    pub fn with_decoder(port: T, decoder: Decoder) -> Self {
        // Sessions of hosts that follow each other should differ; any number but 0 will do.
        let now = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(1, |d| d.subsec_micros() ^ std::process::id());
        Session {
            pace: (64 * port.byte_time(), 64),
            most: MOST_WORDS,
            port,
            decoder,
            session: (now % 255) as u8 + 1,
            sequence: 0,
            about: None,
            doing: "saying hello",
            statistics: Statistics::default(),
            words: 0,
        }
    }

    /// One request of many words: tried once while it can be made smaller, for long frames suffer
    /// most from a bad line. `None`: make it smaller.
    fn piece(
        &mut self, operation: Operation, count: usize, address: u32, words: &[u32],
    ) -> Result<Option<Answer>, LinkError> {
        let before = self.statistics.resent;
        let small = count <= FEWEST_WORDS;
        let tries = if small { TRIES } else { 1 };
        let answer = self.tried(operation, count as u8, address, words, tries);
        match answer {
            Err(LinkError::Silent { .. } | LinkError::Garbled { .. }) if !small => {
                self.statistics.resent += 1;
                self.most = (count / 2).max(FEWEST_WORDS);
                Ok(None)
            }
            Ok(answer) => {
                if self.statistics.resent == before {
                    self.most = (self.most * 9 / 8 + 1).min(MOST_WORDS);
                }
                Ok(Some(answer))
            }
            Err(e) => Err(e),
        }
    }

    /// One request until it is answered.
    fn ask(&mut self, operation: Operation, count: u8, address: u32, words: &[u32]) -> Result<Answer, LinkError> {
        self.tried(operation, count, address, words, TRIES)
    }

    /// One request, sent up to `tries` times.
    fn tried(
        &mut self, operation: Operation, count: u8, address: u32, words: &[u32], tries: u32,
    ) -> Result<Answer, LinkError> {
        self.sequence = self.sequence.wrapping_add(1);
        let frame =
            Request { sequence: self.sequence, session: self.session, operation, count, address, words }.encode();
        let wanted = if words.is_empty() { usize::from(count) } else { 0 };
        let bytes = (frame.len() + ANSWER_BYTES + 4 * wanted) as u32;
        // A fill takes the board 3 cycles a word: as many bytes as words are plenty.
        let fill = match (&self.about, operation) {
            (Some(a), Operation::FillMemory) => (a.memory_bytes / 4) as u32,
            _ => 0,
        };
        let (time, over) = self.pace;
        let pace = (time / over).max(self.port.byte_time());
        let mut wait = Duration::from_millis(60) + 2 * pace * (bytes + ABANDON_BYTES + fill);
        if operation == Operation::Hello {
            wait = wait.max(Duration::from_millis(200));
        }
        let (mut came, mut sent) = (0, 0);
        while sent < tries {
            let start = Instant::now();
            self.port.send(&frame).map_err(|e| self.broken(e))?;
            sent += 1;
            self.statistics.requests += 1;
            let before = came;
            if let Some(answer) = self.answer(start + wait.min(LONGEST), &mut came)? {
                self.statistics.resent += u64::from(sent - 1);
                if sent == 1 && operation != Operation::FillMemory {
                    self.paced(start.elapsed(), bytes + REQUEST_BYTES as u32);
                }
                self.statistics.resets += u64::from(answer.outcome() == Outcome::NoSession);
                return self.accepted(answer, wanted);
            }
            match came == before {
                true => self.statistics.silent += 1,
                false => self.statistics.garbled += 1,
            }
            if operation == Operation::Hello && came == 0 && sent == HELLO_TRIES {
                break;
            }
            // Nothing at all: the board may be slower than thought.
            if came == before {
                wait = wait * 3 / 2;
            }
        }
        self.statistics.resent += u64::from(sent - 1);
        let tries = sent;
        let doing = self.doing;
        Err(match came {
            0 => LinkError::Silent { doing, tries },
            bytes => LinkError::Garbled { doing, tries, bytes },
        })
    }

    /// Takes note of what bytes took; what is long past counts less and less.
    fn paced(&mut self, time: Duration, bytes: u32) {
        let (sum, over) = &mut self.pace;
        *sum += time;
        *over += bytes;
        if *over > PACE_BYTES {
            *sum /= 2;
            *over /= 2;
        }
    }

    /// Waits for the answer to the last request; those to earlier ones came late and are dropped.
    fn answer(&mut self, until: Instant, came: &mut usize) -> Result<Option<Answer>, LinkError> {
        let mut bytes = [0; 2048];
        loop {
            while let Some(answer) = self.decoder.take() {
                if answer.sequence == self.sequence {
                    return Ok(Some(answer));
                }
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            let n = self.port.receive(&mut bytes, left.min(Duration::from_millis(100))).map_err(|e| self.broken(e))?;
            *came += n;
            self.decoder.push(&bytes[..n]);
        }
    }

    fn accepted(&self, answer: Answer, wanted: usize) -> Result<Answer, LinkError> {
        let wrong = |what: String| LinkError::Answer { doing: self.doing, what };
        match answer.outcome() {
            Outcome::NoSession => Err(LinkError::Reset { doing: self.doing }),
            Outcome::Busy => Err(wrong("that its chip is running".into())),
            Outcome::Unknown => Err(wrong("that it does not know the operation".into())),
            Outcome::Done if answer.words.len() != wanted => {
                Err(wrong(format!("{} words instead of {wanted}", answer.words.len())))
            }
            Outcome::Done => Ok(answer),
        }
    }

    fn broken(&self, source: std::io::Error) -> LinkError {
        LinkError::Port { doing: self.doing, source }
    }
}

impl<T: Transport> Link for Session<T> {
    /// Resets the chip, begins a session, asks what the board is.
    fn hello(&mut self) -> Result<&About, LinkError> {
        self.doing = "saying hello";
        self.session = self.session % 255 + 1;
        let answer = self.ask(Operation::Hello, ABOUT_WORDS as u8, 0, &[])?;
        let about = About::from_words(&answer.words)?;
        identified(self.doing, self.read(Space::Bus, map::ID.address, 1)?[0])?;
        Ok(self.about.insert(about))
    }

    fn read(&mut self, space: Space, address: u32, count: usize) -> Result<Vec<u32>, LinkError> {
        let operation = match space {
            Space::Bus => Operation::ReadBus,
            Space::Memory => Operation::ReadMemory,
        };
        let mut out = Vec::with_capacity(count);
        while out.len() < count {
            let n = (count - out.len()).min(self.most);
            let at = address + 4 * out.len() as u32;
            if let Some(answer) = self.piece(operation, n, at, &[])? {
                out.extend(answer.words);
            }
        }
        self.words += count as u64;
        Ok(out)
    }

    fn write(&mut self, space: Space, address: u32, words: &[u32]) -> Result<(), LinkError> {
        let operation = match space {
            Space::Bus => Operation::WriteBus,
            Space::Memory => Operation::WriteMemory,
        };
        let mut moved = 0;
        while moved < words.len() {
            let n = (words.len() - moved).min(self.most);
            let at = address + 4 * moved as u32;
            let piece = &words[moved..moved + n];
            if self.piece(operation, n, at, piece)?.is_some() {
                moved += n;
            }
        }
        self.words += words.len() as u64;
        Ok(())
    }

    /// All of memory.
    fn clear(&mut self, _: u64) -> Result<(), LinkError> {
        self.ask(Operation::FillMemory, 1, 0, &[0]).map(drop)
    }

    fn start(&mut self, word: u32) -> Result<(), LinkError> {
        // Hello has cleared the tag; a start that comes twice starts once.
        self.ask(Operation::Start, 1, map::CONTROL.address, &[1 << 24 | word]).map(drop)
    }

    /// The status comes with every answer.
    fn look(&mut self, count: u8) -> Result<(u32, Vec<u32>), LinkError> {
        let answer = self.ask(Operation::ReadBus, count, map::COUNTER.address, &[])?;
        Ok((answer.chip_status(), answer.words))
    }

    fn doing(&mut self) -> &mut &'static str {
        &mut self.doing
    }

    fn statistics(&self) -> Statistics {
        self.statistics
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What hello tells of a chip with so many lanes.
    fn words(lanes: u32) -> Vec<u32> {
        let mut words = vec![PROTOCOL, 65_536];
        words.extend(ABOUT_KEYS.map(|key| if key == "lanes" { lanes } else { 1 }));
        words.resize(ABOUT_WORDS, u32::from_le_bytes(*b"chip"));
        words
    }

    #[test]
    fn boards_of_every_number_of_lanes_are_greeted_and_no_other() {
        for lanes in [2, 4, 8, 16, 32] {
            let about = About::from_words(&words(lanes)).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!((about.info.lanes, about.memory_bytes), (lanes, 65_536));
            assert_eq!(about.info.name, "chipchipchipchip");
        }
        for lanes in [0, 1, 12, 64] {
            let error = About::from_words(&words(lanes)).expect_err("no chip");
            assert!(error.to_string().contains(&format!("{lanes} lanes")), "{error}");
        }
    }
}
