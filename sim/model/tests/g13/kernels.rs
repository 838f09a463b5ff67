//! Our kernels in the text of G13 meet their expectations.

use std::path::PathBuf;
use warpsmith_model::g13::G13;
use warpsmith_model::uop::Machine;
use warpsmith_model::Launch;

const KERNELS: [&str; 6] = [
    "collatz",
    "mandelbrot",
    "matmul_tiled",
    "reduction",
    "saxpy",
    "vector_add",
];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../kernels/g13")
}

#[test]
fn every_kernel_meets_its_expectations() {
    let mut found: Vec<String> = std::fs::read_dir(folder())
        .expect("readable")
        .map(|e| e.expect("readable").file_name().to_string_lossy().into())
        .collect();
    found.sort();
    assert_eq!(found, KERNELS);
    for name in KERNELS {
        let file = folder().join(name).join("launch.toml");
        let launch = Launch::load(file).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(launch.isa, "g13");
        assert!(launch.block.iter().product::<u32>() % 32 != 0, "{name}");
        assert!(launch.grid.iter().product::<u32>() > 1, "{name}");
        assert!(!launch.expects.is_empty(), "{name}");
        let mut machine = Machine::new(&G13, &launch, 0);
        let ran = machine.run(1_000_000, None);
        let stats = ran.unwrap_or_else(|e| panic!("{name}: {e}"));
        let differences = launch.compare(machine.global());
        assert!(differences.is_empty(), "{name}: {}", differences[0]);
        println!("g13/{name}: {} instructions", stats.warp_instructions);
    }
}
