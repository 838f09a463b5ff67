//! The launch itself.

use crate::lines::SourceLines;
use crate::program::Program;
use crate::snapshot::Snapshot;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use warpsmith_isa::ivb;
use warpsmith_isa::{Isa, Level};

/// Lines of the keys that later checks name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyLines {
    /// `program`.
    pub program: usize,
    /// `block`.
    pub block: usize,
    /// `registers`.
    pub registers: Option<usize>,
    /// `shared_bytes`.
    pub shared_bytes: Option<usize>,
    /// `dynamic_shared_bytes`.
    pub dynamic_shared_bytes: Option<usize>,
    /// `local_bytes`.
    pub local_bytes: Option<usize>,
    /// `sip`.
    pub sip: Option<usize>,
}

/// A launch, ready to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The launch file.
    pub file: PathBuf,
    /// Name of the launch; the file's stem if not given.
    pub name: String,
    /// The program file.
    pub program_file: PathBuf,
    /// The program was compiled, for one chip.
    pub compiled: bool,
    /// The program.
    pub program: Program,
    /// Of SM 1.x, the level that the program needs.
    pub level: Level,
    /// Blocks in x and y.
    pub grid: [u32; 2],
    /// Threads in x, y and z.
    pub block: [u32; 3],
    /// Registers a thread; 0 where a set's registers are not a thread's.
    pub registers: u32,
    /// Threads of a warp where the set leaves it open; 0: [`Launch::warp_threads`] finds them.
    pub simd: u32,
    /// Byte address of the System Routine of Ivy Bridge, SIP.
    pub sip: Option<u32>,
    /// Shared bytes a block, header and parameters included.
    pub shared_bytes: u32,
    /// Local bytes a thread.
    pub local_bytes: u32,
    /// Parameters, 32-bit words: in SM 1.0 from `s[0x10]`.
    pub params: Vec<u32>,
    /// Bytes of global memory, at most 2^32.
    pub global_bytes: u64,
    /// The first [`GUARD_BYTES`](crate::GUARD_BYTES) of global memory are guarded: a kernel's access to them traps.
    pub guard: bool,
    /// Constants.
    pub constants: Vec<ConstantSection>,
    /// Memory of a host that global memory has at first, below `globals`.
    pub before: Option<Arc<Snapshot>>,
    /// Initial global memory.
    pub globals: Vec<GlobalSection>,
    /// Expected global memory.
    pub expects: Vec<GlobalSection>,
    /// Lines for messages.
    pub lines: KeyLines,
    /// Named parts of global memory: buffers and variables.
    pub buffers: Vec<Buffer>,
    /// Variables in shared memory of a block, with their addresses there; none where the program does not say.
    pub shared: Vec<Buffer>,
    /// Source lines of the program.
    pub source: SourceLines,
}

/// Initial contents of a part of a constant bank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstantSection {
    /// Bank, 0..=15; in other sets than SM 1.0 0..=31.
    pub bank: u8,
    /// Byte offset in the bank.
    pub offset: u32,
    /// Contents, little endian.
    pub bytes: Vec<u8>,
    /// Space the program reserves for the host to fill: other sections may lie over it.
    pub reserved: bool,
    /// Line in the launch file; `None` if it comes with the program.
    pub line: Option<usize>,
}

/// Initial or expected contents of a part of global memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobalSection {
    /// Byte offset.
    pub offset: u64,
    /// Contents, little endian.
    pub bytes: Vec<u8>,
    /// Allowed distance between floats; `None`: equal bits.
    pub max_ulp: Option<u32>,
    /// Expected as floats: differences show them.
    pub floats: bool,
    /// Line in the launch file.
    pub line: Option<usize>,
}

impl ConstantSection {
    /// Bytes of a bank from an offset on, of no line of a launch file.
    pub fn new(bank: u8, offset: u32, bytes: Vec<u8>) -> Self {
        ConstantSection { bank, offset, bytes, reserved: false, line: None }
    }
}

impl GlobalSection {
    /// Bytes from an offset on, as words, of no line of a launch file.
    pub fn new(offset: u64, bytes: Vec<u8>) -> Self {
        GlobalSection { offset, bytes, max_ulp: None, floats: false, line: None }
    }
}

/// A part of a memory with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Name of the `[[buffer]]`, or of the variable in the source.
    pub name: String,
    /// Byte address.
    pub address: u32,
    /// Bytes.
    pub bytes: u64,
}

/// Bytes that a checked run leaves free behind a buffer of `bytes`, and, with 0, in front of the first one: behind a large
/// one as many as it has, so that a row too far is still there.
pub fn room(bytes: u64) -> u64 {
    bytes.clamp(1 << 12, 1 << 20)
}

impl Launch {
    /// The named part of global memory at a byte address, and the bytes from its start.
    pub fn buffer_at(&self, address: u64) -> Option<(&str, u64)> {
        self.buffers.iter().find_map(|b| {
            let offset = address.checked_sub(u64::from(b.address))?;
            (offset < b.bytes).then_some((b.name.as_str(), offset))
        })
    }

    /// A launch of SM 1.0's words already in memory, with no file behind it: one block of 32 threads, 16
    /// registers, no parameters, no global memory; change the fields as needed. Nothing is checked.
    pub fn from_words(name: &str, program: Vec<u32>) -> Self {
        Launch {
            file: PathBuf::from(format!("<{name}>")),
            name: name.to_string(),
            program_file: PathBuf::from(format!("<{name}>")),
            compiled: false,
            program: program.into(),
            level: Level::default(),
            grid: [1, 1],
            block: [32, 1, 1],
            registers: 16,
            simd: 0,
            sip: None,
            shared_bytes: 16,
            local_bytes: 0,
            params: Vec::new(),
            global_bytes: 0,
            guard: false,
            constants: Vec::new(),
            before: None,
            globals: Vec::new(),
            expects: Vec::new(),
            lines: KeyLines::default(),
            buffers: Vec::new(),
            shared: Vec::new(),
            source: SourceLines::default(),
        }
    }

    /// As [`from_words`](Self::from_words), a program of any set, with all the registers that the set has.
    pub fn from_code(isa: Isa, code: Vec<u8>) -> Self {
        Launch {
            program: Program::new(isa, code),
            registers: isa.set().registers(),
            shared_bytes: 0,
            ..Launch::from_words(isa.name(), Vec::new())
        }
    }

    /// The instruction set of its program.
    pub fn isa(&self) -> Isa {
        self.program.isa
    }

    /// Threads that a warp covers: 32, of Ivy Bridge work-items of a thread, 8 or 16. Those are the key `simd`;
    /// without it 16 where an instruction under the mask of channels has 16, else 8.
    pub fn warp_threads(&self) -> u32 {
        match (self.isa(), self.simd) {
            (Isa::Ivb, 0) => ivb::channels_of(&self.program.bytes),
            (Isa::Ivb, simd) => simd,
            _ => 32,
        }
    }

    /// Warps of one block.
    pub fn warps_per_block(&self) -> u32 {
        (self.block[0] * self.block[1] * self.block[2]).div_ceil(self.warp_threads())
    }
}

/// Why a launch file cannot be run: place and reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchError {
    /// The file at fault: the launch file, or one it names.
    pub file: PathBuf,
    /// Line in it, from 1; `None` when the whole file is at fault.
    pub line: Option<usize>,
    /// Expected, found, remedy.
    pub message: String,
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        write!(f, " {}", self.message)
    }
}

impl std::error::Error for LaunchError {}

impl LaunchError {
    /// An error of `file` at a line, from 1.
    pub fn new(file: &Path, line: impl Into<Option<usize>>, message: impl Into<String>) -> Self {
        LaunchError { file: file.to_path_buf(), line: line.into(), message: message.into() }
    }
}
