//! Engines and the devices they make.

use std::path::{Path, PathBuf};
use warpsmith_contract::{bits, Port, Site};

/// A chip, or one block of it, as one engine runs it.
pub trait Engine: Send + Sync {
    /// The name of the engine and its version, for reports.
    fn name(&self) -> String;

    /// A device. `seed` decides every bit of state that has no defined value at power-on: random
    /// bits, or all 0 for seed 0. Inputs are 0.
    fn device(&self, seed: u64) -> Box<dyn Device>;
}

/// A waveform cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("{}: the waveform cannot be written; the simulation must be built with waveforms and the folder must exist", path.display())]
pub struct WaveError {
    /// File.
    pub path: PathBuf,
}

/// How the words of a site are stored: one after another, each in 1, 2, 4, 8 or 4·n bytes, least
/// significant byte first. Bits above the site's width are 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Storage {
    /// The site: its width is that of a word.
    pub site: Site,
    /// Bytes of a word.
    pub bytes: usize,
}

impl Storage {
    /// Words: 1 but for memories.
    pub fn words(&self) -> usize {
        self.site.depth as usize
    }

    /// Bytes of all words.
    pub fn len(&self) -> usize {
        self.bytes * self.words()
    }

    /// Whether it holds nothing, which no site does.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where a word stands.
    ///
    /// # Panics
    /// The site has fewer words.
    pub fn range(&self, word: u32) -> std::ops::Range<usize> {
        let words = self.words();
        assert!((word as usize) < words, "{} has {words} words, not {word}", self.site.path);
        let at = word as usize * self.bytes;
        at..at + self.bytes
    }

    /// The bytes of a word from 32-bit words, least significant first. Bits beyond the site's width
    /// are a mistake of the caller: debug builds refuse them, others drop them.
    pub fn pack(&self, value: &[u32]) -> Vec<u8> {
        let width = self.site.width as usize;
        let words = || value.iter().copied().enumerate();
        debug_assert!(
            words().all(|(i, v)| bits::fits(width, i, v)),
            "{value:x?} does not fit {}, {width} bits wide",
            self.site.path
        );
        let masked = words().map(|(i, v)| v & bits::mask(width, i));
        let mut bytes: Vec<u8> = masked.flat_map(u32::to_le_bytes).collect();
        bytes.resize(self.bytes, 0);
        bytes
    }

    /// 32-bit words, least significant first, from the bytes of a word.
    pub fn unpack(bytes: &[u8]) -> Vec<u32> {
        let word = |c: &[u8]| c.iter().rev().fold(0, |w, b| w << 8 | u32::from(*b));
        bytes.chunks(4).map(word).collect()
    }
}

/// The saboteur at an output of a block. The block's neighbours see `value & keep ^ flip`; both have
/// the storage of the output. At rest all bits of `keep` are 1 and those of `flip` 0.
#[derive(Debug)]
pub struct Saboteur<'a> {
    /// Bits that pass.
    pub keep: &'a mut [u8],
    /// Bits that are inverted after that.
    pub flip: &'a mut [u8],
}

/// A device under test. Ports and sites are named by their index in [`Device::ports`] and
/// [`Device::sites`]; an index that does not exist is a mistake of the caller and panics.
pub trait Device: Send {
    /// Its ports, in the order of the manifest.
    fn ports(&self) -> &[Port];

    /// Bits 32·`word` and up of a port; 0 beyond its width.
    fn get(&self, port: usize, word: usize) -> u32;

    /// Sets bits 32·`word` and up of an input, seen from the next [`Device::eval`] on. A value that
    /// does not fit is a mistake of the caller: debug builds refuse it, others drop the bits above, so
    /// that the chip never sees them.
    fn set(&mut self, port: usize, word: usize, value: u32);

    /// Clock low: the logic settles.
    fn eval(&mut self);

    /// Clock high: registers and memories take their next values, and the logic settles.
    fn edge(&mut self);

    /// Its sites in the order of `sites.json`; none unless the chip is open to fault injection.
    fn sites(&self) -> &[Storage];

    /// The words of a site.
    fn site(&self, site: usize) -> &[u8];

    /// The words of a site of state, to change them; [`Device::settle`] follows. Bits above the
    /// site's width stay 0.
    ///
    /// # Panics
    /// The site is an output of a block.
    fn site_mut(&mut self, site: usize) -> &mut [u8];

    /// The saboteur at an output of a block; [`Device::settle`] follows a change.
    ///
    /// # Panics
    /// The site is state.
    fn saboteur(&mut self, site: usize) -> Saboteur<'_>;

    /// Lets the logic settle after state or saboteurs changed, the clock high.
    fn settle(&mut self);

    /// Starts writing an FST waveform.
    ///
    /// # Errors
    /// The engine was built without waveforms, or the file cannot be made.
    fn open_wave(&mut self, path: &Path) -> Result<(), WaveError>;

    /// Ends the waveform.
    fn close_wave(&mut self);
}
