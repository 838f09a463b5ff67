//! The launch file: which program, grid, memories and expectations.
//!
//! The format is DESIGN §6. [`Launch::load`] reads and checks everything that does not depend on
//! the chip; [`Launch::check_fits`] compares with a chip's limits; [`Launch::compare`] judges the
//! memory after the run. Every error names the file, the line, the limit and what to do.

mod check;
mod compare;
mod files;
mod raw;

pub use compare::Difference;

use raw::{dimensions, RawLaunch, Source};
use std::fmt;
use std::path::{Path, PathBuf};

/// Why a launch file cannot be run: place and reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchError {
    /// The file at fault: the launch file, or one it names.
    pub file: PathBuf,
    /// Line in it, from 1; `None` when the whole file is at fault.
    pub line: Option<usize>,
    /// What was expected, what was found, what to do.
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
    pub(crate) fn new(
        file: &Path,
        line: impl Into<Option<usize>>,
        message: impl Into<String>,
    ) -> Self {
        LaunchError {
            file: file.to_path_buf(),
            line: line.into(),
            message: message.into(),
        }
    }
}

/// What a chip offers; see [`Launch::check_fits`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Name of the configuration, for messages.
    pub config: String,
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

/// Initial contents of a part of a constant bank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstantSection {
    /// Bank, 0..=15.
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
    /// Line in the launch file.
    pub line: Option<usize>,
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
    /// Program, 32-bit words in memory order.
    pub program: Vec<u32>,
    /// Blocks in x and y.
    pub grid: [u32; 2],
    /// Threads in x, y and z.
    pub block: [u32; 3],
    /// Registers a thread.
    pub registers: u32,
    /// Shared bytes a block, header and parameters included.
    pub shared_bytes: u32,
    /// Local bytes a thread.
    pub local_bytes: u32,
    /// Parameters, 32-bit words from `s[0x10]`.
    pub params: Vec<u32>,
    /// Bytes of global memory, at most 2^32.
    pub global_bytes: u64,
    /// Constants.
    pub constants: Vec<ConstantSection>,
    /// Initial global memory.
    pub globals: Vec<GlobalSection>,
    /// Expected global memory.
    pub expects: Vec<GlobalSection>,
    /// Lines for messages.
    pub lines: KeyLines,
}

impl Launch {
    /// Reads and checks a launch file and the files it names.
    ///
    /// Errors: [`LaunchError`], naming the place; the first found.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, LaunchError> {
        let path = path.as_ref();
        let text = std::fs::read_to_string(path).map_err(|e| {
            LaunchError::new(path, None, format!("cannot read the launch file: {e}"))
        })?;
        Self::parse(path, &text)
    }

    /// [`load`](Self::load) on text already read; other files are found relative to `path`.
    pub fn parse(path: &Path, text: &str) -> Result<Self, LaunchError> {
        let source = Source { file: path, text };
        let raw: RawLaunch = toml::from_str(text).map_err(|e| {
            let line = e.span().map(|s| source.line(s.start));
            LaunchError::new(path, line, format!("launch file: {}", e.message().trim()))
        })?;
        let program_file = source.resolve(raw.program.as_ref());
        let program_line = source.line_of(&raw.program);
        let loaded = files::program(
            &program_file,
            raw.kernel.as_ref().map(|k| k.as_ref().as_str()),
            path,
            program_line,
        )?;
        let params = raw
            .params
            .as_ref()
            .map_or(Vec::new(), |p| p.as_ref().clone());
        let Some(registers) = raw
            .registers
            .as_ref()
            .map(|r| *r.as_ref())
            .or(loaded.registers)
        else {
            return Err(LaunchError::new(
                path,
                program_line,
                "registers is missing: say registers = N, the registers a thread uses (a .cubin brings its own, a .sass file may say .registers N)",
            ));
        };
        let needed = 16 + 4 * params.len() as u64;
        let shared_bytes = match (&raw.shared_bytes, loaded.shared_bytes) {
            (Some(s), _) => *s.as_ref(),
            (None, Some(s)) => s.max(needed as u32),
            (None, None) => needed as u32,
        };
        let mut launch = Launch {
            file: path.to_path_buf(),
            name: raw.name.unwrap_or_else(|| {
                path.file_stem()
                    .map_or(String::new(), |s| s.to_string_lossy().into_owned())
            }),
            program_file,
            program: loaded.words,
            grid: dimensions(&source, &raw.grid, "grid", ["x", "y"], [65535, 65535])?,
            block: dimensions(
                &source,
                &raw.block,
                "block",
                ["x", "y", "z"],
                [65535, 1024, 64],
            )?,
            registers,
            shared_bytes,
            local_bytes: raw
                .local_bytes
                .as_ref()
                .map(|l| *l.as_ref())
                .or(loaded.local_bytes)
                .unwrap_or(0)
                .min(65536)
                .next_multiple_of(4),
            params,
            global_bytes: raw.global_bytes.as_ref().map_or(0, |g| *g.as_ref()),
            constants: Vec::new(),
            globals: Vec::new(),
            expects: Vec::new(),
            lines: KeyLines {
                program: program_line,
                block: source.line_of(&raw.block),
                registers: raw.registers.as_ref().map(|r| source.line_of(r)),
                shared_bytes: raw.shared_bytes.as_ref().map(|r| source.line_of(r)),
                local_bytes: raw.local_bytes.as_ref().map(|r| source.line_of(r)),
            },
        };
        // s[] and l[] addresses have 16 bits.
        for (key, given) in [
            ("shared_bytes", &raw.shared_bytes),
            ("local_bytes", &raw.local_bytes),
        ] {
            if let Some(g) = given.as_ref().filter(|g| *g.as_ref() > 65536) {
                return Err(source.error(
                    g,
                    format!(
                        "{key} is {}; its addresses have 16 bits: at most 65536",
                        g.as_ref()
                    ),
                ));
            }
        }
        if let Some(g) = raw.global_bytes.as_ref().filter(|g| *g.as_ref() > 1 << 32) {
            return Err(source.error(
                g,
                format!(
                    "global_bytes is {}; global memory ends at 2^32 = 4294967296 bytes",
                    g.as_ref()
                ),
            ));
        }
        if u64::from(launch.shared_bytes) < needed {
            return Err(LaunchError::new(
                path,
                launch.lines.shared_bytes,
                format!(
                    "shared_bytes is {}; the 16-byte header and {} parameters need {needed}: raise it or leave it out",
                    launch.shared_bytes,
                    launch.params.len()
                ),
            ));
        }
        launch.constants = loaded.constants;
        for c in &raw.constant {
            let line = source.line_of(c);
            let c = c.as_ref();
            if *c.bank.as_ref() > 15 {
                return Err(source.error(
                    &c.bank,
                    format!(
                        "constant bank {} does not exist; banks are 0 to 15",
                        c.bank.as_ref()
                    ),
                ));
            }
            let bytes = source.content(line, c.words.clone(), c.floats.clone(), c.file.as_ref())?;
            if c.offset + bytes.len() as u64 > 1 << 16 {
                return Err(LaunchError::new(
                    path,
                    line,
                    format!(
                        "constants end at byte {} of bank {}; a bank has 65536 bytes",
                        c.offset + bytes.len() as u64,
                        c.bank.as_ref()
                    ),
                ));
            }
            launch.constants.push(ConstantSection {
                bank: *c.bank.as_ref(),
                offset: c.offset as u32,
                bytes,
                reserved: false,
                line: Some(line),
            });
        }
        for g in &raw.global {
            let line = source.line_of(g);
            let g = g.as_ref();
            launch.globals.push(GlobalSection {
                offset: g.offset,
                bytes: source.content(line, g.words.clone(), g.floats.clone(), g.file.as_ref())?,
                max_ulp: None,
                line: Some(line),
            });
        }
        for x in &raw.expect {
            let line = source.line_of(x);
            let x = x.as_ref();
            launch.expects.push(GlobalSection {
                offset: x.offset,
                bytes: source.content(line, x.words.clone(), x.floats.clone(), x.file.as_ref())?,
                max_ulp: x.max_ulp,
                line: Some(line),
            });
        }
        launch.check()?;
        Ok(launch)
    }

    /// A launch of words already in memory, with no file behind it: one block of 32 threads, 16
    /// registers, no parameters, no global memory; change the fields as needed. Nothing is checked.
    pub fn from_words(name: &str, program: Vec<u32>) -> Self {
        Launch {
            file: PathBuf::from(format!("<{name}>")),
            name: name.to_string(),
            program_file: PathBuf::from(format!("<{name}>")),
            program,
            grid: [1, 1],
            block: [32, 1, 1],
            registers: 16,
            shared_bytes: 16,
            local_bytes: 0,
            params: Vec::new(),
            global_bytes: 0,
            constants: Vec::new(),
            globals: Vec::new(),
            expects: Vec::new(),
            lines: KeyLines::default(),
        }
    }

    /// Warps of one block.
    pub fn warps_per_block(&self) -> u32 {
        (self.block[0] * self.block[1] * self.block[2]).div_ceil(32)
    }
}
