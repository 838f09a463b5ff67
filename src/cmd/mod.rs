//! Subcommands, one a file. Each returns the exit code, or the error that kept it from running.

mod asm;
mod bench;
mod board;
mod cache;
mod cc;
mod chip;
mod cosim;
mod disasm;
mod doctor;
mod emit;
mod fault;
mod interleave;
pub mod interrupt;
mod isa;
mod launch;
mod link;
mod opencl;
mod output;
mod outputs;
mod package;
mod report;
mod rtl;
mod run;
mod set;
mod soc;
mod synth;
mod trace;
mod verdict;

use crate::cli::fault::FaultWhat;
use crate::cli::{Command, Machine};

/// Ran, and agreed with every expectation.
pub const AGREED: u8 = 0;
/// Ran, and differed or trapped.
pub const DIFFERED: u8 = 1;

/// Threads: as many as asked for, else one a core.
fn cores(asked: Option<u16>) -> usize {
    asked.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from)
}

/// Runs one subcommand.
pub fn dispatch(command: Command) -> anyhow::Result<u8> {
    interrupt::listen()?;
    match command {
        Command::Emit(a) => emit::run(&a),
        Command::Cc(a) => cc::run(&a),
        Command::Asm(a) => asm::run(&a),
        Command::Disasm(a) => disasm::run(&a),
        Command::Isa(a) => isa::run(&a),
        Command::Run(mut a) => {
            if a.sim.rtl.is_none() && !matches!(a.on, Machine::Board(_)) {
                launch::packed_chip(&mut a.chip, &[&a.launch]);
            }
            run::run(&a)
        }
        Command::Cosim(mut a) => {
            if a.sim.rtl.is_none() {
                launch::packed_chip(&mut a.chip, &a.launches.iter().collect::<Vec<_>>());
            }
            cosim::run(&a)
        }
        Command::Bench(a) => bench::run(&a),
        Command::Board(a) => board::run(&a),
        Command::Fault(mut a) => {
            match &mut a.what {
                FaultWhat::Plan(a) => launch::packed_chip(&mut a.chip, &[&a.launch]),
                FaultWhat::Gates(a) => launch::packed_chip(&mut a.chip, &[&a.launch]),
                FaultWhat::Cram(a) => launch::packed_chip(&mut a.chip, &[&a.launch]),
                FaultWhat::Coverage(a) => launch::packed_chip(&mut a.chip, &a.launches.iter().collect::<Vec<_>>()),
                _ => {}
            }
            fault::run(&a)
        }
        Command::Opencl(a) => opencl::run(&a),
        Command::Synth(a) => synth::run(&a),
        Command::Package(a) => package::run(&a),
        Command::Soc(a) => soc::run(&a),
        Command::Cache(a) => cache::run(&a),
        Command::Doctor(_) => doctor::run(),
    }
}
