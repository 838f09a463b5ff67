//! Etherbone over TCP, as LiteX's server speaks it: the chip in a SoC of `warpsmith soc`.
//!
//! `litex_server` turns it into what the SoC has: UART, Ethernet, JTAG or PCIe. A request is one packet of one
//! record: at most 255 words to write, then as many addresses to read. Every request reads something, so the host
//! never runs ahead of the board: LiteX's simulated UART loses bytes when its 2,048 are full.

use super::error::LinkError;
use super::target::{identified, About, Link, Space, Statistics};
use crate::chip::ChipManifest;
use serde::Deserialize;
use std::io::{self, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::path::Path;
use std::time::{Duration, Instant};
use warpsmith_contract::registers::{self as map, status};

/// First bytes of a packet: magic, version 1, addresses and data of 32 bits, padding.
const PACKET: [u8; 8] = [0x4e, 0x6f, 0x10, 0x44, 0, 0, 0, 0];
/// All bytes of a word are written.
const BYTE_ENABLE: u8 = 0x0f;
/// Most words of a record: their number is a byte.
const MOST_WORDS: usize = 255;
/// Longest wait for an answer: a simulation on a busy machine takes seconds.
const WAIT: Duration = Duration::from_secs(60);
/// A clock generator is locked again after a reset.
const RESET: Duration = Duration::from_millis(300);
/// Longest wait for the BIOS: in a simulation it takes most of a minute.
const TRAINING: Duration = Duration::from_secs(300);
/// Port of LiteX's server unless one is named.
pub const SERVER: &str = "localhost:1234";

/// A SoC that `warpsmith soc` built: its folder's `soc.json`, and the manifest of its chip.
#[derive(Clone, Debug)]
pub struct Soc {
    folder: String,
    map: SocMap,
    /// What the host knows without asking the board.
    pub about: About,
}

/// `soc.json`.
#[derive(Clone, Debug, Deserialize)]
struct SocMap {
    board: String,
    clock_hz: u64,
    control: u32,
    memory: u32,
    memory_bytes: u64,
    chip_register: u32,
    chip: u32,
    reset_register: u32,
    /// Address, word, cycles to wait.
    sdram_init: Vec<(u32, u32, u64)>,
    /// Of a SoC with a CPU.
    bios: Option<Bios>,
}

/// Registers in which LiteX's BIOS says that the memory works, or does not; those of its console.
#[derive(Clone, Copy, Debug, Deserialize)]
struct Bios {
    done: u32,
    error: u32,
    empty: u32,
    text: u32,
}

impl Soc {
    /// Reads the folder of a SoC.
    ///
    /// # Errors
    /// A file is missing or no such file.
    pub fn read(folder: &Path) -> Result<Self, LinkError> {
        let text = |name: &str| {
            let path = folder.join(name).display().to_string();
            let text = std::fs::read_to_string(&path);
            text.map(|text| (path.clone(), text)).map_err(|e| LinkError::Soc { path, what: e.to_string() })
        };
        let (path, json) = text("soc.json")?;
        let map: SocMap = serde_json::from_str(&json).map_err(|e| LinkError::Soc { path, what: e.to_string() })?;
        let (path, json) = text("gpu/manifest.json")?;
        let info = ChipManifest::from_manifest(&json).and_then(|chip| chip.info());
        let info = info.map_err(|e| LinkError::Soc { path, what: e.to_string() })?;
        let about = About { memory_bytes: map.memory_bytes, info };
        Ok(Soc { folder: folder.display().to_string(), map, about })
    }

    /// Whether it is simulated.
    pub fn is_simulation(&self) -> bool {
        self.map.board == crate::soc::SIMULATION
    }
}

/// A connection to LiteX's server.
pub struct Etherbone {
    stream: TcpStream,
    at: String,
    soc: Soc,
    doing: &'static str,
    requests: u64,
}

impl Etherbone {
    /// Connects to the server of a SoC.
    ///
    /// # Errors
    /// Nobody is there.
    pub fn connect(soc: Soc, at: &str) -> Result<Self, LinkError> {
        let doing = "connecting";
        let connect = || {
            let mut failed = io::Error::from(io::ErrorKind::NotFound);
            for address in at.to_socket_addrs()? {
                match TcpStream::connect(address) {
                    Err(e) => failed = e,
                    Ok(mut stream) => {
                        stream.set_nodelay(true)?;
                        stream.set_read_timeout(Some(WAIT))?;
                        // The server says what it is, in one piece without an end.
                        let _ = stream.read(&mut [0; 128])?;
                        return Ok(stream);
                    }
                }
            }
            Err(failed)
        };
        let stream = connect().map_err(|source| LinkError::Server { at: at.into(), doing, source })?;
        Ok(Etherbone { stream, at: at.into(), soc, doing, requests: 0 })
    }

    /// Writes words from an address on, then reads `count` from another one on.
    fn request(&mut self, (to, words): (u32, &[u32]), (from, count): (u32, usize)) -> Result<Vec<u32>, LinkError> {
        self.requests += 1;
        let answer = self.stream.write_all(&packet((to, words), (from, count))).and_then(|()| match count {
            0 => Ok(vec![]),
            // Headers of packet and record, and an address that means nothing here.
            _ => {
                let mut bytes = vec![0; PACKET.len() + 8 + 4 * count];
                self.stream.read_exact(&mut bytes)?;
                match bytes[..2] == PACKET[..2] && usize::from(bytes[PACKET.len() + 2]) == count {
                    true => Ok(bytes[PACKET.len() + 8..].to_vec()),
                    false => Err(io::Error::new(io::ErrorKind::InvalidData, "no answer of Etherbone")),
                }
            }
        });
        let (at, doing) = (self.at.clone(), self.doing);
        let bytes = answer.map_err(|source| LinkError::Server { at, doing, source })?;
        Ok(bytes.chunks_exact(4).map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]])).collect())
    }

    /// Writes words and waits until they are there.
    fn put(&mut self, address: u32, words: &[u32]) -> Result<(), LinkError> {
        self.request((address, words), (self.soc.map.chip_register, 1)).map(drop)
    }

    /// Waits until the BIOS has trained the memory; it goes on when its console is read.
    fn trained(&mut self, bios: Bios) -> Result<(), LinkError> {
        let until = Instant::now() + TRAINING;
        let mut said = String::new();
        while self.word(bios.done)? == 0 {
            while self.word(bios.empty)? == 0 {
                said.push(char::from(self.word(bios.text)? as u8));
            }
            if Instant::now() > until {
                return Err(LinkError::Untrained { what: format!("has not trained the memory in {TRAINING:?}"), said });
            }
        }
        match self.word(bios.error)? {
            0 => Ok(()),
            _ => Err(LinkError::Untrained { what: "finds that the memory does not work".into(), said }),
        }
    }

    /// A word at an address of the SoC's bus.
    fn word(&mut self, address: u32) -> Result<u32, LinkError> {
        Ok(self.request((0, &[]), (address, 1))?[0])
    }

    fn at(&self, space: Space, address: u32) -> u32 {
        let base = match space {
            Space::Bus => self.soc.map.control,
            Space::Memory => self.soc.map.memory,
        };
        base.wrapping_add(address)
    }
}

/// A request.
fn packet((to, words): (u32, &[u32]), (from, count): (u32, usize)) -> Vec<u8> {
    let mut packet = PACKET.to_vec();
    packet.extend([0, BYTE_ENABLE, words.len() as u8, count as u8]);
    if !words.is_empty() {
        packet.extend([to].iter().chain(words).flat_map(|w| w.to_be_bytes()));
    }
    if count > 0 {
        // Where an answer would be written, if this were Wishbone on both sides.
        packet.extend(0u32.to_be_bytes());
        packet.extend((0..count as u32).flat_map(|i| (from + 4 * i).to_be_bytes()));
    }
    packet
}

impl Link for Etherbone {
    /// Resets the SoC where its chip still runs, and makes its memory work.
    fn hello(&mut self) -> Result<&About, LinkError> {
        self.doing = "saying hello";
        let map = self.soc.map.clone();
        let board = self.word(map.chip_register)?;
        if board != map.chip {
            return Err(LinkError::OtherChip { board, folder: self.soc.folder.clone(), ours: map.chip });
        }
        identified(self.doing, self.read(Space::Bus, map::ID.address, 1)?[0])?;
        if status::BUSY.get(self.read(Space::Bus, map::STATUS.address, 1)?[0]) == 1 {
            // The bridge is reset too, and answers nothing.
            self.request((map.reset_register, &[1]), (0, 0))?;
            std::thread::sleep(RESET);
        }
        self.doing = "initialising memory";
        for (address, word, cycles) in &map.sdram_init {
            self.put(*address, &[*word])?;
            std::thread::sleep(Duration::from_nanos(cycles * 1_000_000_000 / map.clock_hz));
        }
        if let Some(bios) = map.bios {
            self.trained(bios)?;
        }
        Ok(&self.soc.about)
    }

    fn read(&mut self, space: Space, address: u32, count: usize) -> Result<Vec<u32>, LinkError> {
        let mut out = Vec::with_capacity(count);
        while out.len() < count {
            let n = (count - out.len()).min(MOST_WORDS);
            out.extend(self.request((0, &[]), (self.at(space, address + 4 * out.len() as u32), n))?);
        }
        Ok(out)
    }

    fn write(&mut self, space: Space, address: u32, words: &[u32]) -> Result<(), LinkError> {
        for (i, piece) in words.chunks(MOST_WORDS).enumerate() {
            self.put(self.at(space, address + 4 * (MOST_WORDS * i) as u32), piece)?;
        }
        Ok(())
    }

    fn clear(&mut self, bytes: u64) -> Result<(), LinkError> {
        self.write(Space::Memory, 0, &vec![0; bytes.div_ceil(4) as usize])
    }

    fn start(&mut self, word: u32) -> Result<(), LinkError> {
        self.write(Space::Bus, map::CONTROL.address, &[word])
    }

    fn doing(&mut self) -> &mut &'static str {
        &mut self.doing
    }

    fn statistics(&self) -> Statistics {
        Statistics { requests: self.requests, ..Statistics::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::packet;

    /// As LiteX's own client has it: `EtherbonePacket` of litex.tools.remote, encoded.
    #[test]
    fn packets_are_those_of_litex() {
        let hex = |bytes: Vec<u8>| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
        assert_eq!(hex(packet((0, &[]), (0x80c, 2))), "4e6f104400000000000f0002000000000000080c00000810");
        let write = packet((0x4000_0000, &[1, 0xdead_beef]), (0x80c, 1));
        assert_eq!(hex(write), "4e6f104400000000000f02014000000000000001deadbeef000000000000080c");
    }
}
