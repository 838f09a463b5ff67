//! Programs compiled by NVIDIA's compiler, read in place from the shared folder.

use crate::support::{self, sim};
use std::path::PathBuf;
use warpsmith_model::{Launch, Machine, ModelConfig};

fn launch(name: &str) -> Option<PathBuf> {
    support::shared().map(|dir| dir.join("kernels").join(name).join("launch.toml"))
}

fn agrees(config: &str, set: &[&str], kernel: &str) {
    let Some(launch) = launch(kernel) else { return };
    let Some(chip) = sim::chip(config, set) else { return };
    sim::agree(&chip, &launch);
}

#[test]
fn vector_add_of_nvcc_agrees_on_tiny() {
    agrees("tiny", &[], "VectorAdd_integer");
}

#[test]
fn vector_add_of_nvcc_agrees_on_default() {
    agrees("default", &[], "VectorAdd_integer");
}

#[test]
fn reduction_of_nvcc_agrees_on_tiny() {
    // It divides integers.
    agrees("tiny", &["sfus=1"], "Reduction");
}

#[test]
fn reduction_of_nvcc_agrees_on_default() {
    agrees("default", &[], "Reduction");
}

#[test]
fn transpose_of_nvcc_agrees_on_default() {
    agrees("default", &[], "Transpose_old");
}

/// A program after its run on the model: launch, and global memory by word address.
struct Ran {
    launch: Launch,
    machine: Machine,
}

impl Ran {
    fn on_model(name: &str) -> Option<Self> {
        let launch = warpsmith_launch_file::load(launch(name)?).unwrap_or_else(|e| panic!("{e}"));
        let mut machine = Machine::new(&launch, ModelConfig::default());
        machine.run(10_000_000).unwrap_or_else(|e| panic!("{name}: {e}"));
        Some(Self { launch, machine })
    }

    fn word(&self, parameter: usize, index: u32) -> u32 {
        self.machine.global().word(self.launch.params[parameter] + 4 * index)
    }

    fn float(&self, parameter: usize, index: u32) -> f64 {
        f64::from(f32::from_bits(self.word(parameter, index)))
    }

    /// Every thread's output against a function of its input, in double precision.
    fn matches(&self, (output, input): (usize, usize), tolerance: f64, f: impl Fn(f64) -> f64) {
        let threads: u32 = self.launch.block.iter().product::<u32>() * self.launch.grid.iter().product::<u32>();
        for i in 0..threads {
            let (x, y) = (self.float(input, i), self.float(output, i));
            let want = f(x);
            assert!((y - want).abs() <= tolerance * want.abs().max(1.0), "thread {i}: f({x}) = {want}, found {y}");
        }
        let some = (0..threads).filter(|&i| self.word(input, i) != 0).count();
        assert!(some >= 32, "{some} inputs that are not 0");
    }
}

#[test]
fn transpose_of_nvcc_transposes_on_the_model() {
    let Some(ran) = Ran::on_model("Transpose_old") else { return };
    let side = 32;
    for y in 0..side {
        for x in 0..side {
            assert_eq!(ran.word(0, x * side + y), ran.word(1, y * side + x), "row {y}, column {x}");
        }
    }
    assert!((0..side * side).any(|i| ran.word(0, i) != 0));
}

#[test]
fn matrix_product_of_nvcc_is_the_product() {
    let Some(ran) = Ran::on_model("MxM_naive_float") else { return };
    let n = 32;
    for i in 0..n * n {
        // Stored C at parameter 2, A and B at 0 and 1.
        let want: f64 = (0..n).map(|k| ran.float(0, i / n * n + k) * ran.float(1, k * n + i % n)).sum();
        let found = ran.float(2, i);
        assert!((found - want).abs() < 1e-5, "element {i}: {want}, found {found}");
    }
}

#[test]
fn float_vector_add_of_nvcc_adds() {
    let Some(ran) = Ran::on_model("VectorAdd_float") else { return };
    for i in 0..32 {
        let sum = f32::from_bits(ran.word(0, i)) + f32::from_bits(ran.word(1, i));
        assert_eq!(ran.word(2, i), sum.to_bits(), "element {i}");
    }
}

#[test]
fn sine_series_of_nvcc_is_the_series() {
    let Some(ran) = Ran::on_model("sin_soft") else { return };
    ran.matches((0, 1), 4e-7, |x| x - x.powi(3) / 6.0 + x.powi(5) / 120.0);
}

#[test]
fn cosine_series_of_nvcc_is_the_series() {
    let Some(ran) = Ran::on_model("cos_soft") else { return };
    ran.matches((0, 1), 4e-7, |x| 1.0 - x.powi(2) / 2.0 + x.powi(4) / 24.0 - x.powi(6) / 720.0);
}

#[test]
fn exponential_of_nvcc_is_the_power_of_two() {
    for name in ["exp_small", "exp_med"] {
        let Some(ran) = Ran::on_model(name) else { return };
        ran.matches((1, 0), 1e-6, f64::exp2);
    }
}

/// Every program of the folder runs to its end on the model and meets the expectations it has.
#[test]
fn programs_of_nvcc_run_on_the_model() {
    let Some(dir) = support::shared() else { return };
    let mut seen = 0;
    for entry in std::fs::read_dir(dir.join("kernels")).expect("readable") {
        let path = entry.expect("readable").path().join("launch.toml");
        if !path.is_file() {
            continue;
        }
        let launch = warpsmith_launch_file::load(&path).unwrap_or_else(|e| panic!("{e}"));
        let mut machine = Machine::new(&launch, ModelConfig::default());
        machine.run(10_000_000).unwrap_or_else(|e| panic!("{}: {e}", launch.name));
        let differences = launch.compare(machine.global());
        assert!(differences.is_empty(), "{}: {}", launch.name, differences[0]);
        seen += 1;
    }
    assert!(seen >= 8, "{seen} programs");
}
