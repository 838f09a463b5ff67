//! `warpsmith fault`: one subcommand a file.

mod chip;
mod plan;
mod replay;
mod report;
mod run;
mod sites;

use crate::cli::fault::{Fault, FaultWhat};
use anyhow::Result;

pub fn run(args: &Fault) -> Result<u8> {
    match &args.what {
        FaultWhat::Sites(a) => sites::run(a),
        FaultWhat::Plan(a) => plan::run(a),
        FaultWhat::Run(a) => run::run(a),
        FaultWhat::Report(a) => report::run(a),
        FaultWhat::Replay(a) => replay::run(a),
    }
}
