//! `warpsmith fault`: one subcommand a file.

mod board;
mod chip;
mod compare;
mod coverage;
mod cram;
mod gates;
mod loaded;
mod plan;
mod protections;
mod replay;
mod replay_all;
mod report;
mod run;
mod selftest;
mod sites;

use super::DIFFERED;
use crate::cli::fault::{Fault, FaultWhat, FilterArgs, KindOfSite};
use anyhow::Result;
use warpsmith_fault::{FaultError, Filter, SiteKind};

pub fn run(args: &Fault) -> Result<u8> {
    let result = match &args.what {
        FaultWhat::Sites(a) => sites::run(a),
        FaultWhat::Plan(a) => plan::run(a),
        FaultWhat::Run(a) => run::run(a),
        FaultWhat::Report(a) => report::run(a),
        FaultWhat::Compare(a) => compare::run(a),
        FaultWhat::Protections(a) => protections::run(a),
        FaultWhat::Replay(a) => replay::run(a),
        FaultWhat::Coverage(a) => coverage::run(a),
        FaultWhat::Gates(a) => gates::run(a),
        FaultWhat::Selftest(a) => selftest::run(a),
        FaultWhat::Cram(a) => cram::run(a),
    };
    match result {
        Err(e) if matches!(e.downcast_ref(), Some(FaultError::Control(_))) => {
            eprintln!("warpsmith: {}", crate::message::text(&e));
            Ok(DIFFERED)
        }
        other => other,
    }
}

/// The sites asked for.
fn filter(args: &FilterArgs) -> Filter {
    let kind = |k: &KindOfSite| match k {
        KindOfSite::Reg => SiteKind::Reg,
        KindOfSite::Ram => SiteKind::Ram,
        KindOfSite::Out => SiteKind::Out,
    };
    Filter { blocks: args.block.clone(), names: args.name.clone(), kinds: args.site_kind.iter().map(kind).collect() }
}
