//! Loaders and model on damaged and random input: an error or a result, never a panic.
//!
//! `PROPTEST_CASES` sets the number of cases; `make soak` asks for 20,000.

use crate::support;
use proptest::prelude::*;
use std::path::Path;
use warpsmith_hdl::config::GpuConfig;
use warpsmith_isa::{assemble, cubin, disassemble};
use warpsmith_model::{Launch, Machine, ModelConfig};

const CUBIN: &str = "architecture {sm_10}\nabiversion {0}\nmodname {m}\nconsts { name = t segname = const segnum = 0 offset = 0 bytes = 8 \
mem { 0x3f800000 0x40000000 } }\ncode { name = k lmem = 8 smem = 28 reg = 3 bar = 1 bincode { 0x1000c805 0x0423c780 0000000000 0x80c00780 } \
const { segname = const segnum = 1 offset = 0 bytes = 4 mem { 0x000003ff } } }\n";

/// A text with some bytes overwritten, removed or repeated.
fn damaged(text: &'static str) -> impl Strategy<Value = String> {
    let edit = (any::<prop::sample::Index>(), any::<u8>(), 0..4u8);
    prop::collection::vec(edit, 0..12).prop_map(move |edits| {
        let mut bytes = text.as_bytes().to_vec();
        for (at, byte, kind) in edits {
            if bytes.is_empty() {
                break;
            }
            let i = at.index(bytes.len());
            match kind {
                0 => bytes[i] = byte,
                1 => drop(bytes.remove(i)),
                2 => bytes.insert(i, byte % 128),
                _ => bytes.truncate(i.max(bytes.len() / 2)),
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Runs a launch of another set than SM 1.0, whatever comes of it.
fn run_of_set(launch: &Launch) {
    if let Some(set) = warpsmith_model::sets::of(launch.isa()) {
        let mut machine = warpsmith_model::uop::Machine::new(set, launch, 8);
        drop(machine.run(5_000));
    }
}

fn kernel_source() -> &'static str {
    include_str!("../kernels/bitonic_sort/bitonic_sort.sass")
}

proptest! {
    #[test]
    fn damaged_launch_files_do_not_panic(text in damaged(include_str!("../kernels/matmul_tiled/launch.toml"))) {
        let path = support::kernel("matmul_tiled");
        if let Err(e) = warpsmith_launch_file::parse(&path, &text) {
            prop_assert!(!e.message.is_empty() && e.to_string().contains("launch.toml") || e.file != path);
        }
    }

    #[test]
    fn damaged_launches_of_other_sets_do_not_panic(
        (set, text) in prop_oneof![
            damaged(include_str!("../kernels/fermi/reduction/launch.toml")).prop_map(|t| ("fermi", t)),
            damaged(include_str!("../kernels/g13/reduction/launch.toml")).prop_map(|t| ("g13", t)),
            damaged(include_str!("../kernels/ivb/reduction/launch.toml")).prop_map(|t| ("ivb", t)),
        ]
    ) {
        let path = support::root().join("kernels").join(set).join("reduction/launch.toml");
        match warpsmith_launch_file::parse(&path, &text) {
            Err(e) => prop_assert!(!e.message.is_empty()),
            Ok(launch) => run_of_set(&launch),
        }
    }

    #[test]
    fn damaged_programs_of_other_sets_do_not_panic(
        (set, source) in prop_oneof![
            damaged(include_str!("../kernels/fermi/reduction/reduction.sass")).prop_map(|t| ("fermi", t)),
            damaged(include_str!("../kernels/g13/reduction/reduction.asm")).prop_map(|t| ("g13", t)),
            damaged(include_str!("../kernels/ivb/reduction/reduction.asm")).prop_map(|t| ("ivb", t)),
        ]
    ) {
        let path = support::root().join("kernels").join(set).join("reduction/launch.toml");
        let mut launch = warpsmith_launch_file::load(&path).expect("the kernel is right");
        let Some(table) = warpsmith_isa::sets::by_name(set) else { return Ok(()) };
        if let Ok(program) = warpsmith_isa::set::assemble(table, &source, "k") {
            launch.program.bytes = program.bytes;
            run_of_set(&launch);
        }
    }

    #[test]
    fn damaged_cubins_do_not_panic(text in damaged(CUBIN)) {
        if let Ok(c) = cubin::parse(&text, "k.cubin") {
            // What was understood can be written and read again.
            let again = cubin::parse(&c.write(), "k.cubin");
            prop_assert!(again.is_ok(), "{again:?}");
        }
    }

    #[test]
    fn damaged_sources_do_not_panic(text in damaged(kernel_source())) {
        if let Err(e) = assemble(&text, "k.sass") {
            prop_assert!(e.span.line >= 1 && e.span.col >= 1 && e.to_string().starts_with("k.sass:"));
        }
    }

    #[test]
    fn damaged_configurations_do_not_panic(text in damaged("base = \"tiny\"\nlanes = 16\nport_words = 16\nregisters = 4096\nfloat = false\n")) {
        if let Ok(config) = GpuConfig::from_toml("c.toml", &text) {
            prop_assert!(config.check().is_ok());
        }
    }

    #[test]
    fn random_bytes_are_no_launch(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let text = String::from_utf8_lossy(&bytes);
        prop_assert!(warpsmith_launch_file::parse(Path::new("l.toml"), &text).is_err());
    }

    /// Any words at all: they disassemble, and the model runs or traps.
    #[test]
    fn random_words_run_or_trap(mut words in prop::collection::vec(any::<u32>(), 2..64), long in any::<u64>()) {
        // Half of the words are made likelier to be instructions: long pairs with a plain guard.
        for (i, pair) in words.chunks_exact_mut(2).enumerate() {
            if long >> (i % 64) & 1 == 1 {
                pair[0] |= 1;
                pair[1] = pair[1] & !0x0000_3f83 | 0x0000_0780;
            }
        }
        prop_assert_eq!(disassemble(&words).iter().map(|l| l.words.len()).sum::<usize>(), words.len());
        let mut launch = Launch::from_words("random", words);
        launch.registers = 32;
        launch.shared_bytes = 256;
        launch.local_bytes = 64;
        launch.global_bytes = 4096;
        launch.block = [40, 1, 1];
        let mut machine = Machine::new(&launch, ModelConfig::default());
        let _ = machine.run(2_000);
        prop_assert!(machine.stats().warp_instructions <= 2_000);
    }
}
