//! Options of `warpsmith cc`.

use super::ChipArgs;
use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

/// Output of the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Emit {
    /// PTX of clang
    Ptx,
    /// The program after every stage of the compiler
    Ir,
    /// SASS text with source lines; `warpsmith asm` reads it
    Sass,
    /// Text cubin: code, registers, shared, local and constant memory
    Cubin,
    /// Words, one a line
    Hex,
}

const EXAMPLES: &str = "Examples:
  warpsmith cc kernels/saxpy/saxpy.cu
  warpsmith cc kernels/saxpy/saxpy.cu -o saxpy.cubin
  warpsmith cc kernels/kmeans/kmeans.cu --kernel assign --emit ir
  warpsmith cc kernels/transpose/transpose.cl -O1 -DN=4 --config tiny -o transpose.sass
  warpsmith cc kernels/saxpy/saxpy.cu -std=c++14 -UDEBUG -Wall

Without --emit the ending of OUT chooses: .ptx, .ir, .sass, .cubin, .hex. Without -o the text goes to
stdout and the summary to stderr. Language, limits and accuracy: docs/compiler.md.

Exit codes: 0 compiled   2 could not";

/// Options of more than one letter as C compilers write them, and as they are here.
const SPELLINGS: [(&str, &str); 3] = [("-std=", "--std="), ("-cl-std=", "--cl-std="), ("-include", "--include")];

/// The command line, for `cc` with one dash more at options of that kind.
pub fn respelled(mut arguments: Vec<OsString>) -> Vec<OsString> {
    if arguments.get(1).is_some_and(|command| command == "cc") {
        arguments.iter_mut().for_each(respell);
    }
    arguments
}

fn respell(argument: &mut OsString) {
    let Some(text) = argument.to_str() else { return };
    let known = SPELLINGS.iter().find(|(c, _)| text == *c || c.ends_with('=') && text.starts_with(c));
    if let Some((c, here)) = known {
        *argument = text.replacen(c, here, 1).into();
    }
}

/// Compile a kernel of a CUDA C, OpenCL C or PTX file for a chip
#[derive(Args)]
#[command(after_help = "Exit codes: 0 compiled   2 could not", after_long_help = EXAMPLES)]
pub struct Cc {
    /// .cu (may contain host code), .cl or .ptx
    #[arg(value_name = "FILE.cu|.cl|.ptx")]
    pub file: PathBuf,
    /// Kernel, by its name in the source or its symbol [default: the only one]
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// Output format [default: by the ending of OUT, else sass]
    #[arg(long, value_enum)]
    pub emit: Option<Emit>,
    /// File to write [default: stdout]
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Optimisation level of clang and of this compiler
    #[arg(short = 'O', value_name = "0|1|2", default_value = "2", value_parser = clap::value_parser!(u8).range(0..=2))]
    pub level: u8,
    /// Macro for the source; may be repeated
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Macro that the source shall not have; may be repeated
    #[arg(short = 'U', value_name = "NAME")]
    pub undefine: Vec<String>,
    /// Folder with headers; may be repeated
    #[arg(short = 'I', value_name = "DIR")]
    pub folder: Vec<PathBuf>,
    /// File that is read in front of the source, also written -include FILE; may be repeated
    #[arg(long, value_name = "FILE")]
    pub include: Vec<PathBuf>,
    /// Language of a .cu file, also written -std=NAME [default: gnu++17]
    #[arg(long, value_name = "NAME")]
    pub std: Option<String>,
    /// Language of a .cl file, also written -cl-std=NAME [default: CL1.2]
    #[arg(long, value_name = "NAME")]
    pub cl_std: Option<String>,
    /// Warning of clang to turn on, or off by no-NAME; may be repeated
    #[arg(short = 'W', value_name = "NAME")]
    pub warning: Vec<String>,
    /// Make every double a 32-bit float, in registers and in memory: below level sm13 doubles are software
    #[arg(short = 'm', value_name = "double=32", value_parser = ["double=32"])]
    pub machine: Option<String>,
    /// Leave loops as they are; else short ones of a known number of rounds are unrolled
    #[arg(short = 'f', value_name = "no-unroll-loops", value_parser = ["no-unroll-loops"])]
    pub feature: Option<String>,
    /// a*b+c of floats: one instruction with a truncated product, or product and sum each rounded
    #[arg(long, value_name = "fused|strict", value_parser = ["fused", "strict"], default_value = "fused")]
    pub fp: String,
    /// Registers a thread may use; values beyond them are kept in local memory
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=128))]
    pub max_registers: Option<u32>,
    /// clang to call [default: WARPSMITH_CLANG, else clang-19, clang-22 … clang-14, clang]
    #[arg(long, value_name = "PATH")]
    pub clang: Option<PathBuf>,
    #[command(flatten)]
    pub chip: ChipArgs,
}
