//! The command line: every option with its default and its help.

pub mod board;
pub mod cc;
pub mod cram;
pub mod fault;
pub mod opencl;
pub mod package;
pub mod selftest;
pub mod soc;
pub mod synth;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use warpsmith_cosim::{MemoryOptions, MemoryTiming, DDR3, SDRAM};

const EXIT_CODES: &str = "Exit codes: 0 ran and agreed   1 differed or trapped   2 could not run   130 stopped";

/// Write a small CUDA-style GPU as plain Verilog, run kernels on it, and compare it with a model
#[derive(Parser)]
#[command(name = "warpsmith", version, after_help = EXIT_CODES)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    Emit(Emit),
    Cc(cc::Cc),
    Asm(Asm),
    Disasm(Disasm),
    Isa(Isa),
    Run(Run),
    Cosim(Cosim),
    Bench(Bench),
    Board(board::Board),
    Fault(fault::Fault),
    Opencl(opencl::OpenCl),
    Synth(synth::Synth),
    Package(package::Package),
    Soc(soc::Soc),
    Cache(Cache),
    Doctor(Doctor),
}

/// Configuration that has what compiled programs use.
pub const COMPUTE: &str = "compute";

/// The chip: the same options in every command that takes one.
#[derive(Args, Clone)]
pub struct ChipArgs {
    /// Chip: tiny, default (if none is named; cc: compute), wide, quad, hardened, or a TOML file
    #[arg(long, value_name = "NAME|FILE")]
    pub config: Option<String>,
    /// Change one parameter of the chip; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

impl ChipArgs {
    /// The value of `--config`, or the chip without it.
    pub fn config(&self) -> &str {
        self.config.as_deref().unwrap_or("default")
    }

    /// Those of [`COMPUTE`].
    pub fn compute() -> Self {
        Self { config: Some(COMPUTE.into()), set: Vec::new() }
    }

    /// These, or those of [`COMPUTE`] where neither option was given.
    pub fn or_compute(&self) -> Self {
        match self.is_open() {
            true => Self::compute(),
            false => self.clone(),
        }
    }

    /// Whether neither option was given.
    pub fn is_open(&self) -> bool {
        self.config.is_none() && self.set.is_empty()
    }
}

const EMIT_EXAMPLES: &str = "Examples:
  warpsmith emit --config tiny --out tiny
  warpsmith emit --set lanes=16 --set port_words=16 --set shared_banks=16 --out sixteen

Exit codes: 0 written, or up to date with --check   1 --check found a difference   2 could not run";

/// Write the Verilog of a chip, its file list, manifest and fault sites
#[derive(Args)]
#[command(after_help = "Exit codes: 0 written or up to date   1 stale (--check)   2 could not run", after_long_help = EMIT_EXAMPLES)]
pub struct Emit {
    #[command(flatten)]
    pub chip: ChipArgs,
    /// Folder to write [default: rtl-out/NAME; with --inject target/inject/NAME]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Write nothing; compare the folder with the files that would be written
    #[arg(long)]
    pub check: bool,
    /// Write the build for fault injection; simulation: the same chip with its state and block outputs open to the simulator; hardware:
    /// with saboteurs that a host controls, in the blocks of the key saboteurs or in all
    #[arg(long, value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "simulation", value_name = "simulation|hardware", hide_possible_values = true)]
    pub inject: Option<Inject>,
}

/// Where faults are injected.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Inject {
    Simulation,
    Hardware,
}

/// The names of the instruction sets.
fn isa() -> PossibleValuesParser {
    PossibleValuesParser::new(warpsmith_isa::Isa::ALL.map(warpsmith_isa::Isa::name))
}

/// How words of SM 1.0 are read.
#[derive(Args)]
pub struct Reading {
    /// What words of sm10 mean: g80, or flexgripplus, as its manual says (docs/differences.md) [default: that of the
    /// source's .semantics line, else g80]
    #[arg(long, global = true, value_name = "NAME", value_parser = reading())]
    pub semantics: Option<warpsmith_isa::Semantics>,
}

/// The names of the readings.
fn reading() -> impl TypedValueParser<Value = warpsmith_isa::Semantics> {
    let names = PossibleValuesParser::new(warpsmith_isa::Semantics::ALL.map(warpsmith_isa::Semantics::name));
    names.map(|name| warpsmith_isa::Semantics::by_name(&name).unwrap_or_default())
}

impl Reading {
    /// Refuses a reading of another set than SM 1.0.
    ///
    /// # Errors
    /// The option and the set.
    pub fn fits(&self, set: &dyn warpsmith_isa::set::InstructionSet) -> anyhow::Result<()> {
        let name = set.name();
        match (self.semantics, set.isa()) {
            (Some(_), isa) if isa != warpsmith_isa::Isa::Sm10 => {
                anyhow::bail!("--semantics is of words of sm10, not of {name}: leave it out")
            }
            _ => Ok(()),
        }
    }
}

const ASM_EXAMPLES: &str = "Examples:
  warpsmith asm kernels/vector_add/vector_add.sass
  warpsmith asm kernels/collatz/collatz.sass -o collatz.hex

Exit codes: 0 assembled   2 the source has an error or a file cannot be used";

/// Assemble text into words
#[derive(Args)]
#[command(after_help = "Exit codes: 0 assembled   2 could not", after_long_help = ASM_EXAMPLES)]
pub struct Asm {
    /// Source in the dialect of `warpsmith isa doc`
    #[arg(value_name = "FILE.sass")]
    pub file: PathBuf,
    /// Output; the ending chooses the format: .hex, .bin or (sm10) .cubin [default: hex on stdout]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Instruction set (docs/instruction-sets.md) [default: that of the source's .isa line, else sm10]
    #[arg(long, value_name = "NAME", value_parser = isa())]
    pub isa: Option<String>,
    #[command(flatten)]
    pub semantics: Reading,
}

const DISASM_EXAMPLES: &str = "Examples:
  warpsmith asm kernels/vector_add/vector_add.sass -o vector_add.hex
  warpsmith disasm --words vector_add.hex
  warpsmith cc kernels/saxpy/saxpy.cu -o saxpy.cubin
  warpsmith disasm --source saxpy.cubin

Exit codes: 0 disassembled   2 the file is no program";

/// Disassemble words or a text cubin into SASS
#[derive(Args)]
#[command(after_help = "Exit codes: 0 disassembled   2 could not", after_long_help = DISASM_EXAMPLES)]
pub struct Disasm {
    /// .hex (words: 32 bits in sm10, 64 in fermi), .bin (little endian) or .cubin (text, sm_10)
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Kernel of the cubin [default: all of them]
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// Instruction set (docs/instruction-sets.md) [default: sm10; a program of another one is refused]
    #[arg(long, value_name = "NAME", value_parser = isa())]
    pub isa: Option<String>,
    #[command(flatten)]
    pub semantics: Reading,
    /// Show byte addresses and words beside the text
    #[arg(long)]
    pub words: bool,
    /// Show the lines of the C source above their instructions (.cubin of `warpsmith cc`)
    #[arg(long)]
    pub source: bool,
}

const ISA_EXAMPLES: &str = "Examples:
  warpsmith isa list
  warpsmith isa show IADD
  warpsmith isa list --isa fermi

Exit codes: 0 printed   2 no such mnemonic";

/// Show an instruction set: every form, one mnemonic, or the page of the docs
#[derive(Args)]
#[command(after_help = "Exit codes: 0 printed   2 no such mnemonic", after_long_help = ISA_EXAMPLES)]
pub struct Isa {
    #[command(subcommand)]
    pub what: IsaWhat,
    /// Instruction set (docs/instruction-sets.md)
    #[arg(long, global = true, value_name = "NAME", default_value = "sm10", value_parser = isa())]
    pub isa: String,
    #[command(flatten)]
    pub semantics: Reading,
}

#[derive(Subcommand)]
pub enum IsaWhat {
    /// List all forms, one a line
    List,
    /// Show the forms of a mnemonic: fields, operands, effect
    Show {
        /// Mnemonic such as IADD or IADD32I.U16, in any case
        mnemonic: String,
    },
    /// Print a page with all forms, in Markdown
    Doc,
}

/// Executes a kernel.
#[derive(Clone, PartialEq, Eq)]
pub enum Machine {
    /// The golden model
    Model,
    /// The emitted chip, on an engine
    Rtl,
    /// A board
    Board(Port),
}

/// What leads to a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Port {
    /// A serial port
    Uart { port: String, baud: u32 },
    /// A SoC of `warpsmith soc`, simulated or behind LiteX's server
    Soc { folder: PathBuf, server: Option<String> },
}

/// Default speed of the line.
const BAUD: u32 = 1_000_000;

fn machine(text: &str) -> Result<Machine, String> {
    let needed = "model, rtl, uart:PATH[@BAUD] or soc:DIR[@HOST:PORT] is needed, such as uart:/dev/ttyUSB0";
    match text {
        "model" => Ok(Machine::Model),
        "rtl" => Ok(Machine::Rtl),
        _ if text.starts_with("uart:") || text.starts_with("soc:") => port(text, needed).map(Machine::Board),
        _ => Err(needed.into()),
    }
}

/// A port of a board; a path alone is a serial port.
fn board_port(text: &str) -> Result<Port, String> {
    let needed = "PATH[@BAUD], uart:PATH[@BAUD] or soc:DIR[@HOST:PORT] is needed, such as /dev/ttyUSB0";
    match text.starts_with("uart:") || text.starts_with("soc:") {
        true => port(text, needed),
        false => port(&format!("uart:{text}"), needed),
    }
}

/// The serial port of a board.
fn serial_port(text: &str) -> Result<Port, String> {
    let needed = "uart:PATH[@BAUD] is needed, such as uart:/dev/ttyUSB0";
    match port(text, needed)? {
        Port::Soc { .. } => {
            Err(format!("{needed}: the memory of a SoC takes other cycles than that of the simulation"))
        }
        uart => Ok(uart),
    }
}

/// A port by its name; `needed`: what is said of another text.
fn port(text: &str, needed: &str) -> Result<Port, String> {
    if let Some(folder) = text.strip_prefix("soc:").filter(|p| !p.is_empty()) {
        return Ok(match folder.rsplit_once('@') {
            Some((folder, server)) => Port::Soc { folder: folder.into(), server: Some(server.into()) },
            None => Port::Soc { folder: folder.into(), server: None },
        });
    }
    let Some(port) = text.strip_prefix("uart:").filter(|p| !p.is_empty()) else {
        return Err(needed.into());
    };
    let (port, baud) = match port.rsplit_once('@') {
        None => (port, BAUD),
        Some((port, baud)) => match baud.replace('_', "").parse() {
            Ok(n) if (300..=12_000_000).contains(&n) && !port.is_empty() => (port, n),
            _ => return Err(format!("`{baud}` is no speed: 300 to 12000000 baud after the @")),
        },
    };
    Ok(Port::Uart { port: port.into(), baud })
}

const RUN_EXAMPLES: &str = "Examples:
  warpsmith run kernels/vector_add/launch.toml
  warpsmith run kernels/collatz/launch.toml --on model --json
  warpsmith run kernels/transpose/launch.toml --on rtl --profile=transpose.html
  warpsmith run kernels/vector_add/launch.toml --on uart:/dev/ttyUSB0

Exit codes: 0 met every expectation   1 differed or trapped   2 could not run";

/// Run a kernel on the model, the emitted Verilog or a board; compare memory with its expectations
#[derive(Args)]
#[command(after_help = EXIT_CODES, after_long_help = RUN_EXAMPLES)]
pub struct Run {
    /// Launch file (docs/launch-file.md), or an archive of one (docs/packages.md)
    #[arg(value_name = "LAUNCH.toml")]
    pub launch: PathBuf,
    /// Model, Verilog, a board (docs/host-link.md) or a SoC (docs/soc.md)
    #[arg(long, value_name = "model|rtl|uart:PATH[@BAUD]|soc:DIR", value_parser = machine, default_value = "model")]
    pub on: Machine,
    #[command(flatten)]
    pub chip: ChipArgs,
    #[command(flatten)]
    pub sim: SimArgs,
    /// Write global memory after the run, one 32-bit word a line
    #[arg(long, value_name = "OUT.hex")]
    pub dump: Option<PathBuf>,
    /// Write every instruction and what it wrote (model)
    #[arg(long, value_name = "OUT.txt", hide_short_help = true)]
    pub trace: Option<PathBuf>,
    /// Write a waveform (rtl only)
    #[arg(long, value_name = "OUT.fst")]
    pub wave: Option<PathBuf>,
    /// Write a timeline for Perfetto (rtl only)
    #[arg(long, value_name = "OUT.json")]
    pub timeline: Option<PathBuf>,
    /// Report the cost of each instruction; with OUT.html also as a page (rtl only)
    #[arg(long, value_name = "OUT.html", num_args = 0..=1, require_equals = true)]
    pub profile: Option<Option<PathBuf>>,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
    /// Stop with an error after this many warp instructions (model)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), default_value_t = 1_000_000_000, hide_short_help = true)]
    pub max_instructions: u64,
    /// Find branches, addresses and stores that depend on a value the program never wrote (model) [default: ignore]
    #[arg(long, value_enum, value_name = "error|warn|ignore", hide_possible_values = true, hide_short_help = true)]
    pub undefined: Option<Undefined>,
    /// Find races, accesses outside buffers and the like (docs/check.md)
    #[arg(long, conflicts_with_all = ["undefined", "threads"])]
    pub check: bool,
    /// Threads that run blocks; results do not depend on it (model) [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

/// What runs the chip.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// The emitted Verilog, compiled by Verilator
    Verilator,
    /// The netlist, run by this program itself: starts in a second, needs nothing installed
    Native,
    /// Verilator where this chip has been compiled before or a waveform is asked for, native elsewhere; never what
    /// is not installed; a line on stderr says which, and why
    #[default]
    Auto,
}

/// Options of all commands that simulate.
#[derive(Args, Clone)]
pub struct SimArgs {
    /// Emitted folder to simulate instead of what this program would emit
    #[arg(long, value_name = "DIR", conflicts_with_all = ["config", "set"])]
    pub rtl: Option<PathBuf>,
    /// What runs the chip (rtl) [default: auto]
    #[arg(long, value_name = "ENGINE")]
    pub engine: Option<Engine>,
    /// Seed of the power-on state and of random programs [default: random, printed]
    #[arg(long, value_name = "N", value_parser = seed)]
    pub seed: Option<u64>,
    /// Stop with an error after this many cycles (rtl, uart)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), default_value_t = 100_000_000)]
    pub max_cycles: u64,
    #[command(flatten)]
    pub memory: MemoryArgs,
}

/// The memory behind the chip's port.
#[derive(Args, Clone)]
pub struct MemoryArgs {
    /// Cycles that the simulated memory takes for a read (rtl) [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000), conflicts_with = "memory_model", hide_short_help = true)]
    pub memory_latency: Option<u32>,
    /// Memory behind the chip's port (rtl) [default: ideal]
    #[arg(long, value_enum, value_name = "MODEL", hide_short_help = true)]
    pub memory_model: Option<MemoryModel>,
}

/// A memory to simulate.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MemoryModel {
    /// Always ready, data in the next cycle
    Ideal,
    /// 16-bit SDRAM at 100 MHz: rows, banks, refresh (docs/memory.md)
    Sdram,
    /// 16-bit DDR3-800 behind a controller at 100 MHz
    Ddr3,
}

impl MemoryArgs {
    /// The option that was given, and its value.
    pub fn given(&self) -> Option<(&'static str, String)> {
        let latency = self.memory_latency.map(|n| ("--memory-latency", n.to_string()));
        let model = self.memory_model.and_then(|m| m.to_possible_value());
        latency.or(model.map(|m| ("--memory-model", m.get_name().to_string())))
    }

    /// The option as it was given, behind a space.
    pub fn text(&self) -> String {
        self.given().map_or_else(String::new, |(option, value)| format!(" {option} {value}"))
    }

    /// Timing of the memory, where an option says it.
    pub fn timing(&self) -> Option<MemoryTiming> {
        let latency = self.memory_latency.map(|n| MemoryTiming::Latency(n, n));
        let of_model = |model| match model {
            MemoryModel::Ideal => MemoryTiming::Latency(1, 1),
            MemoryModel::Sdram => MemoryTiming::Dram(SDRAM),
            MemoryModel::Ddr3 => MemoryTiming::Dram(DDR3),
        };
        latency.or(self.memory_model.map(of_model))
    }

    /// The memory of a run.
    pub fn options(&self) -> MemoryOptions {
        let plain = MemoryOptions::default();
        MemoryOptions { timing: self.timing().unwrap_or(plain.timing), ..plain }
    }
}

const COSIM_EXAMPLES: &str = "Examples:
  warpsmith cosim kernels/vector_add/launch.toml --config tiny
  warpsmith cosim --random 2000 --seed 7 --config tiny

Ctrl-C stops --random at the next program, with its report and its page.

Exit codes: 0 agreed and met every expectation   1 differed or trapped   2 could not run   130 stopped";

/// What a place in the program means that depends on a value which the program never wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Undefined {
    /// The run fails
    Error,
    /// A line for each place
    Warn,
    /// Nothing
    Ignore,
}

/// Run kernels on the RTL and the model together; stop at the first difference
#[derive(Args)]
#[command(after_help = EXIT_CODES, after_long_help = COSIM_EXAMPLES)]
pub struct Cosim {
    /// Launch files (docs/launch-file.md), or archives of them (docs/packages.md)
    #[arg(value_name = "LAUNCH.toml", required_unless_present = "random", conflicts_with = "random")]
    pub launches: Vec<PathBuf>,
    /// Run random programs until this many warp instructions have been compared
    #[arg(long, value_name = "COUNT")]
    pub random: Option<u64>,
    #[command(flatten)]
    pub chip: ChipArgs,
    #[command(flatten)]
    pub sim: SimArgs,
    /// Write a waveform; with several launches, of the last one started
    #[arg(long, value_name = "OUT.fst")]
    pub wave: Option<PathBuf>,
    /// Write a timeline for Perfetto; with several launches, of the last one started
    #[arg(long, value_name = "OUT.json")]
    pub timeline: Option<PathBuf>,
    /// Write what random programs exercised as a page
    #[arg(long, value_name = "OUT.html", conflicts_with = "launches")]
    pub coverage: Option<PathBuf>,
    /// What branches, addresses and stores mean that depend on a value the program never wrote
    #[arg(
        long,
        value_enum,
        value_name = "error|warn|ignore",
        hide_possible_values = true,
        hide_short_help = true,
        default_value = "warn"
    )]
    pub undefined: Undefined,
    /// Find races, accesses outside buffers and the like (docs/check.md)
    #[arg(long, conflicts_with_all = ["random", "undefined"])]
    pub check: bool,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
    /// A deliberate error in the model, for checks of the harness
    #[arg(long, hide = true, value_name = "NAME")]
    pub mutant: Option<String>,
}

/// Part of the benchmarks.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// Kernels of this project
    Kernels,
    /// The five of the FlexGrip papers at four sizes, and programs measured on FlexGripPlus
    Flexgrip,
    /// One property of the chip each
    Micro,
    /// Speed-up with the number of SMs
    Scale,
    /// Programs in C; with --check and --update-baseline their instructions against those in assembly
    Programs,
    /// Everything
    All,
}

const BENCH_EXAMPLES: &str = "Examples:
  warpsmith bench --config tiny --suite micro
  warpsmith bench --config tiny --filter vector_add --json

Ctrl-C stops at the next case, with the tables and files of those that ran.

Exit codes: 0 right, with --check also equal to the baseline   1 a wrong result, or other cycles   2 could not run   130 stopped";

/// Run the benchmarks on the Verilog; print cycles, utilisation, stalls and targets
#[derive(Args)]
#[command(after_help = "Exit codes: 0 right, equal to the baseline   1 wrong, or other cycles   2 could not run", after_long_help = BENCH_EXAMPLES)]
pub struct Bench {
    /// Chip, as elsewhere, and changes to it; may be repeated [default: 8, 16 and 32 lanes; quad for kernels; for scale 1, 2 and 4 SMs]
    #[arg(long, value_name = "NAME|FILE[,KEY=VALUE]…")]
    pub config: Vec<String>,
    /// Part to run
    #[arg(long, value_enum, default_value = "all")]
    pub suite: Part,
    /// What runs the chips; cycles do not depend on it
    #[arg(long, value_enum, default_value = "auto")]
    pub engine: Engine,
    #[command(flatten)]
    pub memory: MemoryArgs,
    /// Size of the FlexGrip kernels; may be repeated [default: 32, 64, 128, 256]
    #[arg(long, value_name = "N")]
    pub size: Vec<u32>,
    /// Run only cases whose suite/kernel/size contains this
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Add the long cases: a million threads, matmul of 256, 16 SMs
    #[arg(long)]
    pub long: bool,
    /// Judge the rows of an earlier run's results.json instead of running anything
    #[arg(long, value_name = "FILE", conflicts_with_all = ["config", "suite", "size", "filter", "long", "check", "update_baseline", "memory_latency", "memory_model"])]
    pub results: Option<PathBuf>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    pub json: bool,
    /// Write README.md (its generated part), results.json and plots into this folder, without the programs in C
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Run the cases of the baseline and compare the cycles exactly
    #[arg(long, conflicts_with_all = ["update_baseline", "out", "long", "memory_latency", "memory_model"])]
    pub check: bool,
    /// Write the cycles into the baseline
    #[arg(long, conflicts_with_all = ["memory_latency", "memory_model"])]
    pub update_baseline: bool,
    /// File of the baseline
    #[arg(long, value_name = "FILE", default_value = "docs/benchmarks/baseline.toml")]
    pub baseline: PathBuf,
}

const DOCTOR_EXAMPLES: &str = "Examples:
  warpsmith doctor

Exit codes: 0 everything needed is present; what is optional may be missing   2 something needed is missing";

/// Show or clear the folder of builds kept between runs: simulations, compiled programs, verdicts
#[derive(Args)]
#[command(after_help = "The folder is WARPSMITH_CACHE, else ~/.cache/warpsmith. Exit codes: 0 done   2 could not run")]
pub struct Cache {
    /// Print the folder and what it holds (the default)
    #[arg(long)]
    pub size: bool,
    /// Remove what Warpsmith keeps there; it is built again where it is needed
    #[arg(long, conflicts_with = "size")]
    pub clear: bool,
}

/// List external tools, their versions, which commands need them, and how to install the missing ones
#[derive(Args)]
#[command(after_help = "Exit codes: 0 nothing needed is missing   2 something needed is missing", after_long_help = DOCTOR_EXAMPLES)]
pub struct Doctor {}

/// A decimal or 0x number.
fn seed(text: &str) -> Result<u64, String> {
    let digits = text.replace('_', "");
    let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    value.map_err(|_| "a number such as 7 or 0x5eed is needed".to_string())
}
