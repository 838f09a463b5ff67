//! Waveforms: ports and registers as an FST file, two steps of time a cycle.

use crate::shared::Shared;
use fst_writer::{
    open_fst, FstBodyWriter, FstFileType, FstInfo, FstScopeType, FstSignalId, FstSignalType, FstVarDirection,
    FstVarType,
};
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use warpsmith_contract::{Direction, SiteKind};

/// Steps of time from one write to the file to the next.
const STEPS: u64 = 4096;

/// A signal: where its bytes stand.
struct Signal {
    id: FstSignalId,
    at: usize,
    width: usize,
}

/// A waveform that is being written.
pub struct Wave {
    file: FstBodyWriter<BufWriter<File>>,
    signals: Vec<Signal>,
    /// Bytes of the device at the last step; none before the first.
    last: Vec<u8>,
    /// The next step.
    now: u64,
    text: Vec<u8>,
    /// The file could not be written on the way.
    failed: bool,
}

/// Signals of an instance: name, bits, first byte, direction.
type List<'a> = Vec<(&'a str, usize, u32, FstVarDirection)>;

impl Wave {
    /// Begins a file; ports stand in the scope `TOP`, registers in the scopes of their instances.
    ///
    /// # Errors
    /// The file cannot be made.
    pub fn open(path: &Path, shared: &Shared) -> fst_writer::Result<Self> {
        let info = FstInfo {
            start_time: 0,
            timescale_exponent: -12,
            version: format!("Warpsmith {}", env!("CARGO_PKG_VERSION")),
            date: String::new(),
            file_type: FstFileType::Verilog,
        };
        let mut header = open_fst(path, &info)?;
        let mut signals = vec![];
        let mut open: Vec<&str> = vec![];
        header.scope("TOP", "", FstScopeType::Module)?;
        let layout = &shared.layout;
        let ports = shared.flat.ports.iter().zip(&layout.ports);
        let ports: List<'_> = ports
            .map(|(p, at)| {
                let direction = match p.direction {
                    Direction::Input => FstVarDirection::Input,
                    Direction::Output => FstVarDirection::Output,
                };
                (p.name.as_str(), p.width, *at, direction)
            })
            .collect();
        let sites = shared.flat.sites.iter().zip(&layout.sites);
        let registers = sites.filter(|(s, _)| s.kind == SiteKind::Reg);
        let mut registers: List<'_> = registers
            .map(|(s, at)| {
                let direction = FstVarDirection::Implicit;
                (s.path.as_str(), s.width as usize, *at, direction)
            })
            .collect();
        // Instances side by side in the file, whatever the order of the sites.
        registers.sort_by(|a, b| a.0.cmp(b.0));
        for (path, width, at, direction) in ports.into_iter().chain(registers) {
            let mut scopes: Vec<&str> = path.split('.').collect();
            let name = scopes.pop().unwrap_or_default();
            let same = open.iter().zip(&scopes).take_while(|(a, b)| a == b).count();
            for _ in same..open.len() {
                header.up_scope()?;
            }
            for scope in &scopes[same..] {
                header.scope(scope, "", FstScopeType::Module)?;
            }
            open = scopes;
            let kind = FstSignalType::bit_vec(width as u32);
            let id = header.var(name, kind, FstVarType::Logic, direction, None)?;
            signals.push(Signal { id, at: at as usize, width });
        }
        for _ in 0..=open.len() {
            header.up_scope()?;
        }
        Ok(Wave { file: header.finish()?, signals, last: vec![], now: 0, text: vec![], failed: false })
    }

    /// The next step of time.
    pub fn step(&mut self, state: &[u8]) {
        self.failed |= self.written(state).is_err();
        self.now += 1;
    }

    fn written(&mut self, state: &[u8]) -> fst_writer::Result<()> {
        self.file.time_change(self.now)?;
        let first = self.last.is_empty();
        for s in &self.signals {
            let bytes = s.at..s.at + s.width.div_ceil(8);
            if !first && self.last[bytes.clone()] == state[bytes.clone()] {
                continue;
            }
            let bytes = &state[bytes];
            let bit = |i: usize| b'0' + (bytes[i / 8] >> (i % 8) & 1);
            self.text.clear();
            self.text.extend((0..s.width).rev().map(bit));
            self.file.signal_change(s.id, &self.text)?;
        }
        // Memories stand behind everything that is shown.
        let end = self.signals.iter().map(|s| s.at + s.width.div_ceil(8));
        let end = end.max().unwrap_or(0);
        self.last.clear();
        self.last.extend_from_slice(&state[..end]);
        if self.now % STEPS == STEPS - 1 {
            self.file.flush()?;
        }
        Ok(())
    }

    /// Ends the file; whether all of it was written.
    pub fn close(self) -> bool {
        self.file.finish().is_ok() && !self.failed
    }
}
