//! A device: the bytes of its state, and when they are computed.
//!
//! The logic settles before an edge, from the inputs and the state; behind the edge nobody looks at most of it,
//! so it waits for the inputs of the next cycle. An output port that is read in between is computed alone, from
//! the inputs of the edge. Where outputs of blocks are sites, the logic settles behind the edge too.

use crate::bytecode::Values;
use crate::layout::Place;
use crate::shared::Shared;
use crate::wave::Wave;
use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;
use warpsmith_contract::{bits, Port, SiteKind};
use warpsmith_engine::{Device, Saboteur, Storage, WaveError};

/// A running device.
pub(crate) struct Machine {
    shared: Arc<Shared>,
    state: Vec<u8>,
    /// Inputs that wait for the next evaluation, and whether any of them changed.
    inputs: Vec<u8>,
    driven: bool,
    values: Values,
    /// Outputs and values are those of the state and the inputs.
    settled: bool,
    /// Others than the machine code wrote into the state.
    foreign: bool,
    /// A saboteur may have changed.
    masks: bool,
    clock: Option<usize>,
    wave: Option<Wave>,
    /// Values of programs for single outputs.
    outputs: RefCell<Vec<Option<Values>>>,
}

/// Names of the ports that are clocks.
const CLOCKS: [&str; 2] = ["clock", "clk"];

/// A small deterministic generator (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

impl Machine {
    /// At power-on.
    pub fn new(shared: Arc<Shared>, seed: u64) -> Self {
        let len = shared.code().map_or(shared.layout.len, |c| c.len());
        let mut state = vec![0; len];
        let mut random = Random(seed);
        let sites = shared.flat.sites.iter().zip(&shared.layout.sites);
        for (site, at) in sites {
            let (at, width) = (*at as usize, site.width as usize);
            let word = crate::layout::bytes(width);
            let ones = |i: usize| (bits::mask(width, i / 4) >> (8 * (i % 4))) as u8;
            match site.kind {
                SiteKind::Out => {
                    let keep = &mut state[at + word..][..word];
                    keep.iter_mut().enumerate().for_each(|(i, b)| *b = ones(i));
                }
                SiteKind::Reg | SiteKind::Ram if seed != 0 && !site.zeroed => {
                    let words = &mut state[at..][..word * site.depth as usize];
                    for word in words.chunks_mut(word) {
                        for (c, chunk) in word.chunks_mut(8).enumerate() {
                            let value = random.next().to_le_bytes();
                            for (i, byte) in chunk.iter_mut().enumerate() {
                                *byte = value[i] & ones(8 * c + i);
                            }
                        }
                    }
                }
                SiteKind::Reg | SiteKind::Ram => {}
            }
        }
        for (mem, words) in shared.flat.mems.iter().zip(&shared.layout.mems) {
            // Constants have at most 64 bits.
            for (i, word) in (0..).zip(&mem.words) {
                let at = words.at as usize + i * words.stride as usize;
                Place::piece(at, mem.width as usize, 0).store(&mut state, *word);
            }
        }
        let ports = shared.ports();
        Machine {
            values: shared.program.values(),
            wave: None,
            inputs: vec![0; shared.layout.inputs],
            driven: false,
            settled: false,
            foreign: true,
            masks: false,
            clock: ports.iter().position(|p| CLOCKS.contains(&p.name.as_str())),
            outputs: RefCell::new(vec![None; ports.len()]),
            state,
            shared,
        }
    }

    /// Takes the inputs.
    fn drive(&mut self) {
        if std::mem::take(&mut self.driven) {
            match self.shared.code() {
                Some(code) => code.drive(&mut self.state, &self.inputs),
                None => self.state[..self.inputs.len()].copy_from_slice(&self.inputs),
            }
            self.settled = false;
        }
    }

    /// Takes the inputs, and computes everything from them and the state unless it is known.
    fn compute(&mut self) {
        self.drive();
        if self.settled {
            return;
        }
        self.settled = true;
        if let Some(code) = self.shared.code().filter(|_| !self.under_reset()) {
            if std::mem::take(&mut self.foreign) {
                code.forget(&mut self.state);
            }
            return code.settle(&mut self.state);
        }
        self.foreign = true;
        let program = &self.shared.program;
        if std::mem::take(&mut self.masks) {
            program.masks(&self.state, &mut self.values);
        }
        program.eval(&self.state, &mut self.values);
        program.show(&self.values, &mut self.state);
    }

    /// Machine code is that of the chip while reset is low.
    fn under_reset(&self) -> bool {
        let at = |port: usize| self.shared.layout.ports[port] as usize;
        self.shared.reset.is_some_and(|port| self.state[at(port)] != 0)
    }

    /// The clock as an input: nothing reads it but the caller.
    fn set_clock(&mut self, level: u8) {
        if let Some(clock) = self.clock {
            let at = self.shared.layout.ports[clock] as usize;
            (self.inputs[at], self.state[at]) = (level, level);
        }
    }

    /// The logic settles behind an edge, where somebody looks at it.
    fn after(&mut self) {
        self.settled = false;
        if self.shared.taps || self.wave.is_some() {
            self.compute();
        }
    }

    fn show(&mut self) {
        if let Some(wave) = &mut self.wave {
            wave.step(&self.state);
        }
    }

    /// The flat netlist's number of a site.
    fn number(&self, site: usize) -> usize {
        self.shared.site_numbers[site]
    }

    /// Bytes of a site's words.
    fn range(&self, site: usize) -> std::ops::Range<usize> {
        let at = self.shared.layout.sites[self.number(site)] as usize;
        at..at + self.shared.sites[site].len()
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        self.close_wave();
    }
}

impl Device for Machine {
    fn ports(&self) -> &[Port] {
        self.shared.ports()
    }

    fn get(&self, port: usize, word: usize) -> u32 {
        let p = &self.shared.ports()[port];
        if word >= p.words() {
            return 0;
        }
        let at = self.shared.layout.ports[port] as usize;
        let place = Place::piece(at, p.width, word / 2);
        let shift = 32 * (word as u32 % 2);
        if p.is_input() {
            return (place.load(&self.inputs) >> shift) as u32;
        }
        if !self.settled && !self.shared.taps && self.wave.is_none() {
            let program = self.shared.output(port);
            let mut all = self.outputs.borrow_mut();
            let values = all[port].get_or_insert_with(|| program.values());
            program.eval(&self.state, values);
            return program.output(values, word);
        }
        (place.load(&self.state) >> shift) as u32
    }

    fn set(&mut self, port: usize, word: usize, value: u32) {
        let p = &self.shared.flat.ports[port];
        assert!(p.is_input(), "`{}` is no input", p.name);
        debug_assert!(
            bits::fits(p.width, word, value),
            "0x{value:x} does not fit word {word} of port {port}, `{}`",
            p.name
        );
        if word >= p.words() {
            return;
        }
        let value = u64::from(value & bits::mask(p.width, word));
        let place = Place::piece(self.shared.layout.ports[port] as usize, p.width, word / 2);
        let old = place.load(&self.inputs);
        let new = match word % 2 {
            0 => old & !0xffff_ffff | value,
            _ => old & 0xffff_ffff | value << 32,
        };
        if new != old {
            place.store(&mut self.inputs, new);
            self.driven = true;
        }
    }

    fn eval(&mut self) {
        self.set_clock(0);
        self.compute();
        self.show();
    }

    fn edge(&mut self) {
        self.compute();
        match self.shared.code().filter(|_| !self.under_reset()) {
            Some(code) => code.edge(&mut self.state),
            None => self.shared.program.commit(&self.values, &mut self.state),
        }
        self.set_clock(1);
        self.after();
        self.show();
    }

    fn sites(&self) -> &[Storage] {
        &self.shared.sites
    }

    fn site(&self, site: usize) -> &[u8] {
        &self.state[self.range(site)]
    }

    fn site_mut(&mut self, site: usize) -> &mut [u8] {
        let kind = self.shared.sites[site].site.kind;
        assert!(kind != SiteKind::Out, "site {site} is an output of a block");
        self.settled = false;
        self.foreign = true;
        let range = self.range(site);
        &mut self.state[range]
    }

    fn saboteur(&mut self, site: usize) -> Saboteur<'_> {
        let storage = &self.shared.sites[site];
        assert!(storage.site.kind == SiteKind::Out, "site {site} is state");
        assert!(self.shared.taps, "site {site} is not open");
        let len = storage.len();
        let range = self.range(site);
        self.settled = false;
        self.masks = true;
        self.foreign = true;
        let (keep, flip) = self.state[range.end..][..2 * len].split_at_mut(len);
        Saboteur { keep, flip }
    }

    fn settle(&mut self) {
        self.drive();
        self.after();
    }

    fn open_wave(&mut self, path: &Path) -> Result<(), WaveError> {
        self.close_wave();
        let wave = Wave::open(path, &self.shared).map_err(|_| WaveError { path: path.to_path_buf() })?;
        self.wave = Some(wave);
        Ok(())
    }

    fn close_wave(&mut self) {
        if let Some(wave) = self.wave.take() {
            if !wave.close() {
                eprintln!("warpsmith: the waveform is incomplete: the file could not be written");
            }
        }
    }
}
