//! Options of `warpsmith fault`.

use super::{seed, serial_port, ChipArgs, Engine, Port};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

const EXAMPLES: &str = "A campaign, from beginning to end:
  warpsmith fault plan kernels/vector_add/launch.toml --config tiny --count 200 -o campaign.csv
  warpsmith fault run campaign.csv
  warpsmith fault report campaign.csv --html campaign.html

The same faults in a board's chip, whose bitstream has saboteurs (warpsmith synth --set saboteurs=warpsmith):
  warpsmith fault run campaign.csv --on uart:/dev/ttyUSB0 --results board.db

Ctrl-C stops `fault run` at the next fault; the same command goes on from there.

Exit codes: 0 done   1 the control run failed, or a replay differs from the results   2 could not run   130 stopped";

/// Inject faults into the emitted chip: draw them, run them, report and explain their effects
#[derive(Args)]
#[command(after_help = "Exit codes: 0 done   1 control run failed   2 could not run", after_long_help = EXAMPLES)]
pub struct Fault {
    #[command(subcommand)]
    pub what: FaultWhat,
}

#[derive(Subcommand)]
pub enum FaultWhat {
    Sites(Sites),
    Plan(Box<Plan>),
    Run(Run),
    Report(Report),
    Compare(Compare),
    Protections(Protections),
    Replay(Replay),
    Coverage(Coverage),
    Gates(Gates),
    Selftest(Box<super::selftest::Selftest>),
    Cram(Box<super::cram::Cram>),
}

/// Sites: all options must match, of a repeated option one.
#[derive(Args, Clone)]
pub struct FilterArgs {
    /// Only sites in blocks of this type; * matches any characters; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub block: Vec<String>,
    /// Only sites whose path matches; * matches any characters; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub name: Vec<String>,
    /// Only registers, memories or outputs of blocks; may be repeated
    #[arg(long, value_enum, value_name = "KIND")]
    pub site_kind: Vec<KindOfSite>,
}

/// The engine below a campaign.
#[derive(Args)]
pub struct OnEngine {
    /// What runs the chip; auto: native, and Verilator for waveforms where it is installed; a line on stderr says which
    #[arg(long, value_enum, default_value = "auto", hide_possible_values = true, value_name = "native|verilator|auto")]
    pub engine: Engine,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum KindOfSite {
    /// Registers
    Reg,
    /// Memories
    Ram,
    /// Outputs of blocks (combinational)
    Out,
}

/// List every bit that can be upset: registers, memories, outputs of blocks
#[derive(Args)]
pub struct Sites {
    #[command(flatten)]
    pub chip: ChipArgs,
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum KindArg {
    /// Single-event upset: one stored bit inverted once
    Seu,
    /// Multi-bit upset: several bits of a word (--pattern)
    Mbu,
    /// Stuck at 0 or stuck at 1
    StuckAt,
    /// Stuck at 0
    #[value(name = "stuck-at-0")]
    StuckAt0,
    /// Stuck at 1
    #[value(name = "stuck-at-1")]
    StuckAt1,
    /// Held at the inverse for --duration cycles
    Transient,
    /// Forced to 0 or to 1 for --active of every --period cycles
    Intermittent,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Strategy {
    /// Every fault with equal probability
    Uniform,
    /// The same share of every block type, at least one fault each
    Stratified,
    /// By --weight of block types; rates are weighted back
    Weighted,
    /// All faults, without drawing (permanent ones; upsets only of small filters)
    Exhaustive,
}

/// Draw the faults of a campaign and write them into a readable file
#[derive(Args)]
pub struct Plan {
    /// Launch file (docs/launch-file.md), or an archive of one (docs/packages.md)
    #[arg(value_name = "LAUNCH.toml")]
    pub launch: PathBuf,
    #[command(flatten)]
    pub chip: ChipArgs,
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Campaign file to write
    #[arg(short, long, value_name = "CAMPAIGN.csv")]
    pub output: PathBuf,
    /// Write the campaign also where one of this name has results
    #[arg(long)]
    pub force: bool,
    /// Fault models; may be repeated, then each gets an equal part of --count. Without --site-kind
    /// upsets take registers and memories, the others registers
    #[arg(long, value_enum, value_name = "MODEL", default_value = "seu")]
    pub kind: Vec<KindArg>,
    /// Way of drawing faults
    #[arg(long, value_enum, default_value = "uniform")]
    pub strategy: Strategy,
    /// Number of faults to draw [default: the sample size for --confidence and --margin, for each model]
    #[arg(long, value_name = "N")]
    pub count: Option<u64>,
    /// Confidence of the estimate
    #[arg(long, value_name = "P", default_value_t = 0.95)]
    pub confidence: f64,
    /// Margin of error of the estimate
    #[arg(long, value_name = "E", default_value_t = 0.02)]
    pub margin: f64,
    /// Expected share of the class of interest; 0.5 gives the largest sample
    #[arg(long, value_name = "P", default_value_t = 0.5)]
    pub proportion: f64,
    /// Weight of a block type, for --strategy weighted; * matches any characters; may be repeated
    #[arg(long, value_name = "BLOCK=W")]
    pub weight: Vec<String>,
    /// Bits of a multi-bit upset: adjacent-N, every-other-N, or offsets such as 0+1+4 [default: adjacent-2]
    #[arg(long, value_name = "PATTERN")]
    pub pattern: Option<String>,
    /// Cycles of a transient fault, or of an intermittent one (there 0: to the end)
    #[arg(long, value_name = "N")]
    pub duration: Option<u64>,
    /// Cycles from burst to burst of an intermittent fault [default: 64]
    #[arg(long, value_name = "N")]
    pub period: Option<u64>,
    /// Cycles of a burst [default: 8]
    #[arg(long, value_name = "N")]
    pub active: Option<u64>,
    /// Draw also from stuck-at and intermittent faults that provably change nothing; otherwise one row
    /// stands for all of them of a block type and value. With --strategy exhaustive: one row for every upset; otherwise one
    /// for those of a bit of a memory from an access of its word to the next
    #[arg(long)]
    pub no_collapse: bool,
    /// Seed of the draw
    #[arg(long, value_name = "N", value_parser = seed, default_value = "1")]
    pub seed: u64,
    /// Seed of the power-on state
    #[arg(long, value_name = "N", value_parser = seed, default_value = "1")]
    pub power_on: u64,
    #[command(flatten)]
    pub on: OnEngine,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EngineName {
    /// On this machine, the netlist run by this program itself
    Native,
    /// On this machine, the emitted Verilog compiled by Verilator
    Verilator,
    /// native, and a line on stderr says why: results are the same
    Auto,
    /// As array tasks of a Slurm cluster
    Slurm,
}

/// Run a campaign on all cores; resumes where it was stopped
#[derive(Args)]
pub struct Run {
    /// Campaign file
    #[arg(value_name = "CAMPAIGN.csv")]
    pub campaign: PathBuf,
    /// Database of the results [default: beside the campaign, ending .db]
    #[arg(long, value_name = "RESULTS.db")]
    pub results: Option<PathBuf>,
    /// Workers [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// What runs the chip, and where
    #[arg(long, value_enum, default_value = "auto")]
    pub engine: EngineName,
    /// Start every run at the beginning instead of the nearest checkpoint
    #[arg(long)]
    pub no_checkpoints: bool,
    /// Run to the end even when all state equals the fault-free run's again
    #[arg(long)]
    pub no_early_stop: bool,
    /// Cycles after which a run counts as a hang, as a multiple of the fault-free run's
    #[arg(long, value_name = "X", default_value_t = 2.0)]
    pub hang: f64,
    /// Run the faults in a board's chip that has saboteurs, at a serial port or a simulated one
    #[arg(long, value_name = "uart:PATH[@BAUD]", value_parser = serial_port, conflicts_with_all = ["engine", "jobs", "no_checkpoints", "no_early_stop", "rows"])]
    pub on: Option<Port>,
    /// Blocks whose saboteurs the board's chip has, as in its configuration; warpsmith: all
    #[arg(long, value_name = "BLOCK,…", default_value = "warpsmith", requires = "on")]
    pub saboteurs: String,
    /// Slurm: seconds of work of an array task
    #[arg(long, value_name = "N", default_value_t = 30)]
    pub task_seconds: u64,
    /// Slurm: further arguments of sbatch; may be repeated
    #[arg(long, value_name = "ARG", allow_hyphen_values = true)]
    pub sbatch: Vec<String>,
    /// Rows FROM to before TO, into --results only: a task of a cluster
    #[arg(long, value_name = "FROM-TO", hide = true)]
    pub rows: Option<String>,
}

/// Report a campaign: rates with intervals, by block, fault model and class
#[derive(Args)]
pub struct Report {
    /// Campaign file
    #[arg(value_name = "CAMPAIGN.csv")]
    pub campaign: PathBuf,
    /// Database of the results [default: beside the campaign, ending .db]
    #[arg(long, value_name = "RESULTS.db")]
    pub results: Option<PathBuf>,
    /// Write a page with plots
    #[arg(long, value_name = "OUT.html")]
    pub html: Option<PathBuf>,
    /// Write every row with its outcome
    #[arg(long, value_name = "OUT.csv")]
    pub csv: Option<PathBuf>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    pub json: bool,
    /// Confidence of the intervals
    #[arg(long, value_name = "P", default_value_t = 0.95)]
    pub confidence: f64,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CompareBy {
    /// Parts of the chip
    Stage,
    /// Block types, by contribution
    Block,
    /// Keys of the table `harden`, by contribution
    Key,
    /// Classes, ways of masking, trap causes, patterns
    Class,
}

/// Compare several campaigns in one table
#[derive(Args)]
pub struct Compare {
    /// Campaign files, each with its results beside it (CAMPAIGN.db)
    #[arg(value_name = "CAMPAIGN.csv", required = true)]
    pub campaigns: Vec<PathBuf>,
    /// Lines of the table
    #[arg(long, value_enum, default_value = "stage")]
    pub by: CompareBy,
    /// Cells of the table, by stage and block
    #[arg(long, value_parser = warpsmith_fault::report::compare::OF, default_value = "avf")]
    pub of: String,
    /// Print Markdown instead of text
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
    /// Print one JSON object instead of tables
    #[arg(long)]
    pub json: bool,
    /// Write a page
    #[arg(long, value_name = "OUT.html")]
    pub html: Option<PathBuf>,
    /// Confidence of the intervals
    #[arg(long, value_name = "P", default_value_t = 0.95)]
    pub confidence: f64,
}

/// Compare chips with other protection: how their upsets end, and what they cost
#[derive(Args)]
pub struct Protections {
    /// Folders, a chip each, the unprotected one first: campaigns with their results (NAME.csv, NAME.db) and, of
    /// `warpsmith synth --out`, report.json
    #[arg(value_name = "FOLDER", required = true)]
    pub folders: Vec<PathBuf>,
    /// Write a plot: LUT and what is left of the harm
    #[arg(long, value_name = "OUT.svg")]
    pub svg: Option<PathBuf>,
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub json: bool,
    /// Confidence of the intervals
    #[arg(long, value_name = "P", default_value_t = 0.95)]
    pub confidence: f64,
}

/// Run faults again in lockstep with the model; show their first architectural effect
#[derive(Args)]
#[command(after_help = "Exit codes: 0 explained   1 differs from the results   2 could not run")]
pub struct Replay {
    /// Campaign file
    #[arg(value_name = "CAMPAIGN.csv")]
    pub campaign: PathBuf,
    /// Number of the row
    #[arg(value_name = "ROW", required_unless_present = "all", conflicts_with = "all")]
    pub row: Option<u64>,
    /// All rows with an effect, a line each
    #[arg(long, requires = "csv")]
    pub all: bool,
    /// Table of --all
    #[arg(long, value_name = "OUT.csv", requires = "all")]
    pub csv: Option<PathBuf>,
    /// Database of the results, compared if it exists [default: beside the campaign, ending .db]
    #[arg(long, value_name = "RESULTS.db")]
    pub results: Option<PathBuf>,
    /// Write waveforms of the faulty run, and of the fault-free one (OUT.golden.fst)
    #[arg(long, value_name = "OUT.fst", conflicts_with = "all")]
    pub wave: Option<PathBuf>,
    /// Cycles the waveforms show before and after the fault
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub window: u64,
    #[command(flatten)]
    pub on: OnEngine,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
}

/// Measure a test suite: stuck-at faults that these programs detect
#[derive(Args)]
pub struct Coverage {
    /// Launch files, or archives of them, run in this order on the faults that are still undetected
    #[arg(value_name = "LAUNCH.toml", required_unless_present = "random")]
    pub launches: Vec<PathBuf>,
    /// Random programs after them, from --seed on
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub random: u64,
    /// Approximate warp instructions of a random program
    #[arg(long, value_name = "N", default_value_t = 1500)]
    pub size: u32,
    #[command(flatten)]
    pub chip: ChipArgs,
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Number of faults, the same share of every block type [default: all stuck-at faults of registers]
    #[arg(long, value_name = "N")]
    pub count: Option<u64>,
    /// Seed of the draw and of the random programs
    #[arg(long, value_name = "N", value_parser = seed, default_value = "1")]
    pub seed: u64,
    /// Workers [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Write every fault and the program that detected it
    #[arg(long, value_name = "OUT.csv")]
    pub csv: Option<PathBuf>,
    #[command(flatten)]
    pub on: OnEngine,
    /// Print one JSON object instead of tables
    #[arg(long)]
    pub json: bool,
}

const GATES_EXAMPLES: &str = "Stuck-at faults of the integer unit of lane 0 under vector_add, all in a table:
  warpsmith fault gates --unit int_unit --launch kernels/vector_add/launch.toml --csv faults.csv

Transition faults of the decoder; those that show at it are not carried into the chip:
  --unit decode --kind transition --sample 0 --launch kernels/collatz/launch.toml

Another instance than the first, and in the chip the faults of one register alone:
  --unit u_sm_0.u_datapath.u_execute.u_lane_3.u_integer --pin e3_sum_* --sample all

The error of an unknown unit lists all blocks of the chip.

Exit codes: 0 done   1 the fault-free run failed   2 could not run   130 stopped";

/// A fault model of gates.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GateFault {
    /// The pin is always 0, or always 1
    StuckAt,
    /// The pin rises, or falls, a cycle late
    Transition,
}

/// How many faults are carried into the chip.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sample {
    /// All that show at the unit.
    All,
    /// So many of them.
    Of(usize),
}

impl std::str::FromStr for Sample {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        match s {
            "all" => Ok(Sample::All),
            _ => s.parse().map(Sample::Of).map_err(|_| format!("`{s}` is no number and not `all`")),
        }
    }
}

/// Simulate faults of a unit's gates over what the unit sees in a kernel, and what becomes of them in the chip
#[derive(Args)]
#[command(after_help = "Exit codes: 0 done   1 fault-free run failed   2 could not run", after_long_help = GATES_EXAMPLES)]
pub struct Gates {
    /// Block, as its module is called (int_unit, float_unit, sfu, lane, decode, warps, scoreboard, coalescer, divergence
    /// …: its first instance), or the path of an instance as in `fault sites`
    #[arg(long, value_name = "UNIT")]
    pub unit: String,
    /// Launch file (docs/launch-file.md), or an archive of one (docs/packages.md)
    #[arg(long, value_name = "LAUNCH.toml")]
    pub launch: PathBuf,
    #[command(flatten)]
    pub chip: ChipArgs,
    /// Fault model
    #[arg(long, value_enum, default_value = "stuck-at")]
    pub kind: GateFault,
    /// Classes of faults that are carried into the chip, of those that show at the unit: a number, 0, or all
    #[arg(long, value_name = "N|all", default_value = "400")]
    pub sample: Sample,
    /// Carry only faults into the chip that equal one of a pin with this name; * matches any characters; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub pin: Vec<String>,
    /// Seed of the sample
    #[arg(long, value_name = "N", value_parser = seed, default_value = "1")]
    pub seed: u64,
    /// Simulate every fault over every pattern, also those that have shown: counts the patterns of each
    #[arg(long)]
    pub no_drop: bool,
    /// Gates of the unit, made before with --keep, instead of a synthesis
    #[arg(long, value_name = "GATES.json")]
    pub netlist: Option<PathBuf>,
    /// Keep the gates as Yosys writes them
    #[arg(long, value_name = "GATES.json", conflicts_with = "netlist")]
    pub keep: Option<PathBuf>,
    /// Write every fault: pin, RTL name, class, first pattern, outputs, outcome
    #[arg(long, value_name = "OUT.csv")]
    pub csv: Option<PathBuf>,
    #[command(flatten)]
    pub run: InChip,
}

/// How faults run in the chip, and what is printed.
#[derive(Args)]
pub struct InChip {
    /// Cycles after which a run counts as a hang, as a multiple of the fault-free run's
    #[arg(long, value_name = "X", default_value_t = 2.0)]
    pub hang: f64,
    /// Seed of the power-on state
    #[arg(long, value_name = "N", value_parser = seed, default_value = "1")]
    pub power_on: u64,
    /// Workers in the chip [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
}
