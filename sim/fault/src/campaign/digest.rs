//! Digests that tie faults, chip, launch and results together.

use super::types::Campaign;
use crate::error::FaultError;
use crate::fault::Fault;
use sha2::{Digest, Sha256};
use std::path::Path;
use warpsmith_isa::Isa;
use warpsmith_model::Launch;

/// SHA-256 of the manifest of an emitted folder, hexadecimal. The manifest holds the digests of
/// the other files, so this stands for the whole chip.
///
/// # Errors
/// [`FaultError::File`] when the manifest cannot be read.
pub fn chip_digest(folder: &Path) -> Result<String, FaultError> {
    let path = folder.join("manifest.json");
    let bytes = std::fs::read(&path).map_err(|e| FaultError::file(&path, format!("cannot be read ({e})")))?;
    Ok(hex(Sha256::digest(bytes)))
}

/// SHA-256 of what a launch holds, hexadecimal: program, sizes, parameters, memories and
/// expectations, not the names of its files.
pub fn launch_digest(launch: &Launch) -> String {
    let mut d = Sum::new("launch");
    d.words(&launch.program.words());
    if launch.isa() != Isa::Sm10 {
        d.bytes(launch.isa().name().as_bytes());
    }
    d.words(&launch.grid);
    d.words(&launch.block);
    d.words(&launch.params);
    d.number(launch.registers.into());
    d.number(launch.shared_bytes.into());
    d.number(launch.local_bytes.into());
    d.number(launch.global_bytes);
    if launch.simd != 0 {
        d.bytes(b"simd");
        d.number(launch.simd.into());
    }
    if let Some(sip) = launch.sip {
        d.bytes(b"sip");
        d.number(sip.into());
    }
    if launch.guard {
        d.bytes(b"guard");
    }
    d.number(launch.constants.len() as u64);
    for c in &launch.constants {
        d.number(c.bank.into());
        d.number(c.offset.into());
        d.bytes(&c.bytes);
    }
    for sections in [&launch.globals, &launch.expects] {
        d.number(sections.len() as u64);
        for s in sections {
            d.number(s.offset);
            d.number(s.max_ulp.map_or(0, |u| 1 + u64::from(u)));
            d.bytes(&s.bytes);
        }
    }
    d.hex()
}

impl Campaign {
    /// SHA-256, hexadecimal, of what decides the results: chip, launch, power-on state and rows.
    /// Where the launch file lies matters only when its contents are not known.
    pub fn digest(&self) -> String {
        let h = &self.header;
        let mut d = Sum::new("campaign");
        d.bytes(h.config.as_bytes());
        d.number(h.set.len() as u64);
        for s in &h.set {
            d.bytes(s.as_bytes());
        }
        d.bytes(h.chip.as_bytes());
        d.bytes(h.program.as_bytes());
        if h.program.is_empty() {
            d.bytes(h.launch.as_os_str().as_encoded_bytes());
        }
        d.number(h.power_on);
        d.number(self.rows.len() as u64);
        for r in &self.rows {
            let Fault { site, word, bits, cycle, kind, duration, period, active } = &r.fault;
            d.number(r.row);
            d.number(*site as u64);
            d.number((*word).into());
            d.words(bits);
            d.bytes(kind.name().as_bytes());
            for n in [*cycle, *duration, *period, *active, r.weight.to_bits()] {
                d.number(n);
            }
        }
        d.hex()
    }
}

/// A digest of numbers and byte strings, each string with its length before it.
struct Sum(Sha256);

impl Sum {
    fn new(what: &str) -> Self {
        let mut sum = Sum(Sha256::new());
        sum.bytes(what.as_bytes());
        sum
    }

    fn number(&mut self, n: u64) {
        self.0.update(n.to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.update(bytes);
    }

    fn words(&mut self, words: &[u32]) {
        self.number(words.len() as u64);
        for w in words {
            self.0.update(w.to_le_bytes());
        }
    }

    fn hex(self) -> String {
        hex(self.0.finalize())
    }
}

/// SHA-256 of the lines of a table that count: not blank, no comments, each ended by one line feed.
pub(super) fn table_digest<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let mut sum = Sha256::new();
    for line in lines {
        sum.update(line.as_bytes());
        sum.update(b"\n");
    }
    hex(sum.finalize())
}

fn hex(bytes: impl AsRef<[u8]>) -> String {
    bytes.as_ref().iter().map(|b| format!("{b:02x}")).collect()
}
