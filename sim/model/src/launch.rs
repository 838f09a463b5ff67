//! The launch file: program, grid, memories and expectations.
//!
//! Format: docs/launch-file.md. [`Launch::load`] reads and checks everything that does not depend on
//! the chip; [`Launch::check_fits`] compares with a chip's limits; [`Launch::compare`] compares the
//! memory after the run. Every error names the file, the line, the limit and what to do.

mod arg;
mod args;
mod buffers;
mod check;
mod chip;
mod compare;
mod compiled;
mod difference;
mod error;
mod files;
mod lines;
mod parse;
mod raw;
mod section;

pub use buffers::Buffer;
pub use difference::Difference;
pub use error::LaunchError;
pub use lines::SourceLines;
pub use section::{ConstantSection, GlobalSection};

/// Bytes of global memory that a guard keeps kernels out of, from address 0 on.
pub use warpsmith_contract::registers::GUARD_BYTES;

use std::path::{Path, PathBuf};
use warpsmith_cache::input;
use warpsmith_compiler::Target;
use warpsmith_isa::sets::by_name;

/// The instruction set of a launch that names none, and of a chip whose configuration names none.
pub const CHIP: &str = "sm10";

/// The instruction sets that there are chips of.
pub const OF_CHIPS: [&str; 3] = [CHIP, "fermi", "g13"];

/// Limits of a chip; see [`Launch::check_fits`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Name of the configuration, for messages.
    pub config: String,
    /// Name of its instruction set.
    pub isa: &'static str,
    /// 32-bit registers of an SM, for all its threads.
    pub max_registers_per_sm: u32,
    /// Bytes of shared memory of an SM.
    pub shared_bytes: u32,
    /// Warps an SM holds.
    pub max_warps: u32,
    /// Bytes of program memory.
    pub program_bytes: u32,
    /// Bytes of one constant bank.
    pub constant_bytes: u32,
    /// Bytes of local memory a thread, 0 if the chip has none.
    pub local_bytes: u32,
}

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
    /// Name of the instruction set, one of `warpsmith_isa::sets::sets()`.
    pub isa: &'static str,
    /// Program of SM 1.0, 32-bit words in memory order; empty for other sets.
    pub program: Vec<u32>,
    /// Program of another set, bytes in memory order; empty for SM 1.0.
    pub code: Vec<u8>,
    /// Blocks in x and y.
    pub grid: [u32; 2],
    /// Threads in x, y and z.
    pub block: [u32; 3],
    /// Registers a thread; 0 where a set's registers are not a thread's.
    pub registers: u32,
    /// Threads of a warp where the set leaves it open; 0: the set's own number.
    pub simd: u32,
    /// Shared bytes a block, header and parameters included.
    pub shared_bytes: u32,
    /// Local bytes a thread.
    pub local_bytes: u32,
    /// Parameters, 32-bit words: in SM 1.0 from `s[0x10]`.
    pub params: Vec<u32>,
    /// Bytes of global memory, at most 2^32.
    pub global_bytes: u64,
    /// The first [`GUARD_BYTES`] of global memory are guarded: a kernel's access to them traps.
    pub guard: bool,
    /// Constants.
    pub constants: Vec<ConstantSection>,
    /// Initial global memory.
    pub globals: Vec<GlobalSection>,
    /// Expected global memory.
    pub expects: Vec<GlobalSection>,
    /// Lines for messages.
    pub lines: KeyLines,
    /// Named parts of global memory: buffers and variables.
    pub buffers: Vec<Buffer>,
    /// Source lines of the program.
    pub source: SourceLines,
}

impl Launch {
    /// Reads and checks a launch file and the files it names; a program in C is compiled for a chip
    /// without limits.
    ///
    /// Errors: [`LaunchError`], naming the place; the first found.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, LaunchError> {
        Self::load_for(path, &Target::unlimited())
    }

    /// [`load`](Self::load), where a program in C is compiled for a chip.
    ///
    /// Errors: [`LaunchError`], naming the place; the first found.
    pub fn load_for(path: impl AsRef<Path>, target: &Target) -> Result<Self, LaunchError> {
        let path = path.as_ref();
        let fail = |e| LaunchError::new(path, None, format!("cannot read the launch file: {e}"));
        // The shell makes pipes: run <(script).
        let bytes = input::read_any(path, input::TEXT).map_err(|e| fail(e.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|_| fail("it is not text".into()))?;
        Self::parse_for(path, &text, target)
    }

    /// The files a launch file names: programs, data, expectations; none where it cannot be read, which
    /// [`load`](Self::load) says.
    pub fn named_files(path: &Path) -> Vec<PathBuf> {
        let text = input::read(path, input::TEXT).ok();
        let text = text.and_then(|bytes| String::from_utf8(bytes).ok());
        text.map_or(vec![], |text| raw::named_files(path, &text))
    }

    /// [`load`](Self::load) on text already read; other files are found relative to `path`.
    pub fn parse(path: &Path, text: &str) -> Result<Self, LaunchError> {
        Self::parse_for(path, text, &Target::unlimited())
    }

    /// Whether the program was compiled, for the chip that [`load_for`](Self::load_for) named.
    pub fn is_compiled(&self) -> bool {
        compiled::is_source(&self.program_file)
    }

    /// The named part of global memory at a byte address, and the bytes from its start.
    pub fn buffer_at(&self, address: u64) -> Option<(&str, u64)> {
        self.buffers.iter().find_map(|b| {
            let offset = address.checked_sub(u64::from(b.address))?;
            (offset < b.bytes).then_some((b.name.as_str(), offset))
        })
    }

    /// A launch of words already in memory, with no file behind it: one block of 32 threads, 16
    /// registers, no parameters, no global memory; change the fields as needed. Nothing is checked.
    pub fn from_words(name: &str, program: Vec<u32>) -> Self {
        Launch {
            file: PathBuf::from(format!("<{name}>")),
            name: name.to_string(),
            program_file: PathBuf::from(format!("<{name}>")),
            isa: CHIP,
            program,
            code: Vec::new(),
            grid: [1, 1],
            block: [32, 1, 1],
            registers: 16,
            simd: 0,
            shared_bytes: 16,
            local_bytes: 0,
            params: Vec::new(),
            global_bytes: 0,
            guard: false,
            constants: Vec::new(),
            globals: Vec::new(),
            expects: Vec::new(),
            lines: KeyLines::default(),
            buffers: Vec::new(),
            source: SourceLines::default(),
        }
    }

    /// As [`from_words`](Self::from_words), a program of another set.
    pub fn from_code(isa: &'static str, code: Vec<u8>) -> Self {
        Launch {
            isa,
            code,
            registers: by_name(isa).map_or(0, |s| s.registers()),
            shared_bytes: 0,
            ..Launch::from_words(isa, Vec::new())
        }
    }

    /// Warps of one block.
    pub fn warps_per_block(&self) -> u32 {
        (self.block[0] * self.block[1] * self.block[2]).div_ceil(32)
    }
}
