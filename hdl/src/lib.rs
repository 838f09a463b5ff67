//! The chip, in rust-hdl: one block a file; the folder reads as the block diagram.
//!
//! [`rtl`] is the language blocks are written in, [`emit`] turns a block tree into Verilog,
//! [`config`] holds the parameters, [`chip`] puts them together.

pub mod block_scheduler;
pub mod cache;
pub mod config;
pub mod emit;
pub mod fault_counters;
pub mod front;
pub mod gpu;
pub mod harden;
pub mod launch_regs;
pub mod memory_arbiter;
pub mod perf_counters;
pub mod rtl;
pub mod saboteurs;
pub mod sm;
pub mod watchdog;

use warpsmith_isa::{ChipInfo, Tier};
use warpsmith_netlist::pass::inject::Chain;

/// Emits the chip of a configuration under the name of the configuration.
///
/// # Panics
/// Only if a block's description is wrong; every configuration that
/// [`config::GpuConfig::check`] accepts can be emitted.
pub fn chip(cfg: &config::GpuConfig, name: &str) -> emit::Emitted {
    build(cfg, name, false)
}

/// The same chip with its state and block outputs open to fault injection.
pub fn injecting_chip(cfg: &config::GpuConfig, name: &str) -> emit::Emitted {
    build(cfg, name, true)
}

/// The netlist of a configuration's chip.
///
/// # Panics
/// As [`chip`].
pub fn netlist(cfg: &config::GpuConfig) -> warpsmith_netlist::Design {
    warpsmith_netlist::Design::new(tree(cfg))
}

/// Rows of the instruction table that the chip of a configuration executes.
pub fn forms(cfg: &config::GpuConfig) -> Vec<u8> {
    let tier = cfg.floats().tier(cfg.semantics).at(cfg.level);
    (0..warpsmith_isa::ROWS.len() as u8).filter(|row| tier.has(*row)).collect()
}

/// What the chip of a configuration executes and has, for launches, compiler and model.
pub fn info(cfg: &config::GpuConfig, name: &str) -> ChipInfo {
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    ChipInfo {
        name: name.to_string(),
        isa: cfg.isa,
        sms: number(cfg.sms),
        lanes: number(cfg.lanes),
        warps: number(cfg.warps),
        blocks: number(cfg.blocks),
        registers: number(cfg.registers),
        shared_bytes: number(cfg.shared_bytes),
        constant_bytes: number(cfg.constant_bytes),
        program_bytes: number(cfg.program_bytes),
        stack_depth: number(cfg.stack_depth),
        port_words: number(cfg.port_words),
        cache_bytes: number(if cfg.l2_bytes > 0 { cfg.l2_bytes } else { cfg.l1_bytes }),
        tier: Tier::from_rows(&forms(cfg)),
        options: cfg.options(),
        ..ChipInfo::unlimited()
    }
}

fn build(cfg: &config::GpuConfig, name: &str, inject: bool) -> emit::Emitted {
    let (tree, chain) = tree_and_chain(cfg);
    let mut emitted = emit::emit(name, cfg.to_map(), forms(cfg), tree, inject);
    if let Some(chain) = chain {
        emitted.add_chain(&chain);
    }
    emitted
}

/// The injecting chip of a configuration whose instances were changed.
pub fn injecting_chip_of(cfg: &config::GpuConfig, name: &str, tree: warpsmith_netlist::Tree) -> emit::Emitted {
    emit::emit(name, cfg.to_map(), forms(cfg), tree, true)
}

/// The blocks of a chip, hardened and with saboteurs where its configuration says so.
///
/// # Panics
/// As [`chip`].
pub fn tree(cfg: &config::GpuConfig) -> warpsmith_netlist::Tree {
    tree_and_chain(cfg).0
}

fn tree_and_chain(cfg: &config::GpuConfig) -> (warpsmith_netlist::Tree, Option<Chain>) {
    let tree = emit::tree("warpsmith", &gpu::Gpu::new(cfg));
    let tree = harden::apply(cfg, tree).unwrap_or_else(|e| panic!("{e}"));
    saboteurs::apply(cfg, tree).unwrap_or_else(|e| panic!("{e}"))
}

/// Refuses a configuration that cannot be built, with the blocks that it names.
///
/// # Errors
/// [`config::ConfigError::Impossible`] with key, value and reason.
pub fn check(cfg: &config::GpuConfig) -> Result<(), config::ConfigError> {
    cfg.check()?;
    harden::check(cfg)?;
    saboteurs::check(cfg)
}
