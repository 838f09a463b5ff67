//! The kernels of `kernels/ivb`: expectations of their launch files.

use std::path::Path;
use warpsmith_model::ivb::Ivb;
use warpsmith_model::uop::Machine;
use warpsmith_model::Launch;

const KERNELS: [&str; 6] = [
    "collatz",
    "mandelbrot",
    "matmul_float_tiled",
    "reduction",
    "saxpy",
    "vector_add",
];

#[test]
fn the_kernels_meet_their_expectations() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels/ivb"));
    for name in KERNELS {
        let launch = Launch::load(root.join(name).join("launch.toml"));
        let launch = launch.unwrap_or_else(|e| panic!("{e}"));
        assert!(!launch.expects.is_empty(), "{name}");
        let mut machine = Machine::new(&Ivb, &launch, 32);
        let stats = machine.run(1 << 24, None).unwrap_or_else(|e| panic!("{name}: {e}"));
        let wrong = launch.compare(machine.global());
        let first: Vec<String> = wrong.iter().take(8).map(|d| d.to_string()).collect();
        assert!(wrong.is_empty(), "{name}: {} words: {first:#?}", wrong.len());
        println!(
            "{name}: {} instructions of threads, {} of work-items",
            stats.warp_instructions, stats.thread_instructions
        );
    }
}
