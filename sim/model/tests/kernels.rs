//! Real sm_10 programs through launch file and machine, against results computed here from the
//! same inputs by an independent formula (host floats where the kernel computes in floats).

use warpsmith_model::{Launch, Machine, ModelConfig};

/// Runs a program of NVIDIA's compiler; `None` when it is absent.
fn run(name: &str) -> Option<(Launch, Machine)> {
    let path = warpsmith_testkit::shared(name)?.join("kernels").join(name).join("launch.toml");
    let launch = warpsmith_launch_file::load(path).unwrap_or_else(|e| panic!("{e}"));
    let mut machine = Machine::new(&launch, ModelConfig::default());
    machine.run(10_000_000).unwrap_or_else(|e| panic!("{name}: {e}"));
    let differences = launch.compare(machine.global());
    assert!(differences.is_empty(), "{name}: {} differences, first {}", differences.len(), differences[0]);
    Some((launch, machine))
}

/// Word of the launch's initial global memory.
fn input(launch: &Launch, address: u64) -> u32 {
    for s in &launch.globals {
        if address >= s.offset && address + 4 <= s.offset + s.bytes.len() as u64 {
            let at = (address - s.offset) as usize;
            let b = &s.bytes[at..at + 4];
            return u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        }
    }
    0
}

fn input_float(launch: &Launch, address: u64) -> f64 {
    f64::from(f32::from_bits(input(launch, address)))
}

fn close(what: &str, got: u32, want: f64, relative: f64, absolute: f64) {
    let got = f64::from(f32::from_bits(got));
    assert!((got - want).abs() <= relative * want.abs() + absolute, "{what}: model {got:e}, formula {want:e}");
}

#[test]
fn integer_vector_add_sums_both_inputs() {
    let Some((l, m)) = run("VectorAdd_integer") else { return };
    for i in 0..32 {
        let want = input(&l, 4 * i).wrapping_add(input(&l, 0x1000 + 4 * i));
        assert_eq!(m.global().word(0x2000 + 4 * i as u32), want, "element {i}");
    }
}

#[test]
fn float_vector_add_sums_both_inputs() {
    let Some((l, m)) = run("VectorAdd_float") else { return };
    for i in 0..32 {
        let want = input_float(&l, 4 * i) + input_float(&l, 0x2000 + 4 * i);
        let got = m.global().word(0x4000 + 4 * i as u32);
        close(&format!("element {i}"), got, want, 6e-8, 0.0);
    }
}

#[test]
fn reduction_leaves_the_sum_in_the_first_word() {
    let Some((l, m)) = run("Reduction") else { return };
    let sum = (0..32).fold(0u32, |s, i| s.wrapping_add(input(&l, 4 * i)));
    assert_eq!(m.global().word(0), sum);
}

#[test]
fn naive_matrix_product_matches_the_formula() {
    let Some((l, m)) = run("MxM_naive_float") else { return };
    // params: B at 0, B at 0x1000 ... read from the launch, so the layout is the file's.
    let (a, b, c) = (l.params[0], l.params[1], l.params[2]);
    let n = u64::from(l.params[3]);
    for row in 0..n {
        for col in 0..n {
            let want: f64 = (0..n)
                .map(|k| {
                    input_float(&l, u64::from(a) + 4 * (row * n + k))
                        * input_float(&l, u64::from(b) + 4 * (k * n + col))
                })
                .sum();
            let scale: f64 = (0..n)
                .map(|k| {
                    (input_float(&l, u64::from(a) + 4 * (row * n + k))
                        * input_float(&l, u64::from(b) + 4 * (k * n + col)))
                    .abs()
                })
                .sum();
            let got = m.global().word(c + 4 * (row * n + col) as u32);
            // 32 truncated products and rounded sums.
            close(&format!("[{row}][{col}]"), got, want, 0.0, scale * 4e-6);
        }
    }
}

#[test]
fn cosine_series_of_four_terms_matches_the_formula() {
    let Some((l, m)) = run("cos_soft") else { return };
    let (out, at) = (l.params[0], u64::from(l.params[1]));
    for i in 0..32 {
        let x = input_float(&l, at + 4 * i);
        let want = 1.0 - x.powi(2) / 2.0 + x.powi(4) / 24.0 - x.powi(6) / 720.0;
        let size = 1.0 + x.powi(2) / 2.0 + x.powi(4) / 24.0 + x.powi(6) / 720.0;
        let got = m.global().word(out + 4 * i as u32);
        close(&format!("cos({x})"), got, want, 0.0, size * 1e-6);
    }
}

#[test]
fn sine_series_of_three_terms_matches_the_formula() {
    let Some((l, m)) = run("sin_soft") else { return };
    let (out, at) = (l.params[0], u64::from(l.params[1]));
    for i in 0..1024 {
        let x = input_float(&l, at + 4 * i);
        let want = x - x.powi(3) / 6.0 + x.powi(5) / 120.0;
        let size = x.abs() + x.abs().powi(3) / 6.0 + x.abs().powi(5) / 120.0;
        let got = m.global().word(out + 4 * i as u32);
        close(&format!("sin({x})"), got, want, 0.0, size * 1e-6);
    }
}

#[test]
fn exponentials_match_the_power_of_two() {
    for name in ["exp_small", "exp_med"] {
        let Some((l, m)) = run(name) else { return };
        let (at, out) = (u64::from(l.params[0]), l.params[1]);
        for i in 0..64 {
            let x = input_float(&l, at + 4 * i);
            let got = m.global().word(out + 4 * i as u32);
            // RRO truncates to 23 fraction bits, EX2 is good to some 5 ulp.
            close(&format!("{name}: 2^{x}"), got, x.exp2(), 6e-7, 1.2e-38);
        }
    }
}

#[test]
fn transpose_moves_every_element_across_the_diagonal() {
    let Some((l, m)) = run("Transpose_old") else { return };
    let (out, at) = (l.params[0], u64::from(l.params[1]));
    for y in 0..32u32 {
        for x in 0..32u32 {
            assert_eq!(
                m.global().word(out + 4 * (x * 32 + y)),
                input(&l, at + u64::from(4 * (y * 32 + x))),
                "row {y}, column {x}"
            );
        }
    }
}

#[test]
fn undefined_start_state_does_not_reach_the_results() {
    for name in ["VectorAdd_integer", "Reduction", "Transpose_old"] {
        let Some(shared) = warpsmith_testkit::shared(name) else { return };
        let launch = warpsmith_launch_file::load(shared.join("kernels").join(name).join("launch.toml"))
            .unwrap_or_else(|e| panic!("{e}"));
        let result = |fill| {
            let config = ModelConfig { fill, ..ModelConfig::default() };
            let mut m = Machine::new(&launch, config);
            m.run(1_000_000).unwrap_or_else(|e| panic!("{name}: {e}"));
            m.global().read(0, 0x4000)
        };
        assert_eq!(result(None), result(Some(1)), "{name}");
        assert_eq!(result(Some(1)), result(Some(2)), "{name}");
    }
}
