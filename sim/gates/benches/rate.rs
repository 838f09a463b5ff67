//! Faults times patterns a second of processor time, of an array multiplier: `cargo bench -p warpsmith-gates`. Prints, asserts
//! nothing.

#[path = "../tests/support.rs"]
mod support;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::fmt::Write as _;
use warpsmith_gates::simulate::{run, Options};
use warpsmith_gates::{brute, Circuit, Collapsed, Fault, Model, Stopwatch};

/// A multiplier of `n` by `n` bits: rows of full adders.
fn multiplier(n: usize) -> Circuit {
    let names = |letter: &str, n: usize| (0..n).map(|i| format!("{letter}{i}")).collect::<Vec<_>>();
    let (a, b, p) = (names("a", n), names("b", n), names("p", 2 * n));
    let mut cells = String::new();
    let mut gate = |y: &str, kind: &str, x: &str, z: &str| {
        writeln!(cells, "{y} = {kind} {x} {z}").expect("a string takes all");
        y.to_string()
    };
    // Bits of the sum so far, from bit `row` on.
    let mut sum: Vec<String> = (0..n).map(|i| gate(&format!("s0_{i}"), "AND", &a[i], &b[0])).collect();
    let mut carry_out = "0".to_string();
    gate(&p[0], "BUF", &sum[0], "");
    for row in 1..n {
        let mut next = vec![];
        let mut carry = "0".to_string();
        for (i, bit) in a.iter().enumerate() {
            let at = format!("{row}_{i}");
            let x = gate(&format!("m{at}"), "AND", bit, &b[row]);
            let above = sum.get(i + 1).unwrap_or(&carry_out).clone();
            let half = gate(&format!("h{at}"), "XOR", &x, &above);
            next.push(gate(&format!("s{at}"), "XOR", &half, &carry));
            let both = gate(&format!("g{at}"), "AND", &x, &above);
            let through = gate(&format!("t{at}"), "AND", &half, &carry);
            carry = gate(&format!("c{at}"), "OR", &both, &through);
        }
        (sum, carry_out) = (next, carry);
        gate(&p[row], "BUF", &sum[0], "");
    }
    for i in 1..n {
        gate(&p[n - 1 + i], "BUF", &sum[i], "");
    }
    gate(&p[2 * n - 1], "BUF", &carry_out, "");
    support::circuit(&[a, b].concat().join(" "), &p.join(" "), &cells)
}

fn main() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    println!("array multipliers, random patterns, processor time\n");
    println!(
        "{:>5} {:>7} {:>12} {:>8} {:>9} {:>9} {:>14} {:>13} {:>9}",
        "bits", "gates", "model", "classes", "patterns", "dropping", "evaluations", "million / s", "coverage"
    );
    for (bits, count) in [(8, 65_536), (16, 16_384), (24, 16_384)] {
        let c = multiplier(bits);
        for model in [Model::StuckAt, Model::Transition] {
            let faults = Collapsed::new(&c, model);
            let patterns = support::random(&mut rng, &c, model, count);
            for drop in [false, true] {
                let watch = Stopwatch::start();
                let found = run(&c, &faults, &patterns, Options { drop });
                let seconds = watch.seconds();
                let shown = found.detections.iter().filter(|d| d.first.is_some()).count();
                println!(
                    "{bits:>5} {:>7} {:>12} {:>8} {:>9} {:>9} {:>14} {:>13.0} {:>8.2}%",
                    c.gates(),
                    model.name(),
                    faults.classes(),
                    patterns.len(),
                    if drop { "yes" } else { "no" },
                    found.evaluations,
                    found.evaluations as f64 / seconds / 1e6,
                    100.0 * shown as f64 / faults.classes() as f64
                );
            }
        }
    }
    // What one fault and one pattern at a time takes.
    let c = multiplier(16);
    let patterns = support::random(&mut rng, &c, Model::StuckAt, 20);
    let watch = Stopwatch::start();
    let mut evaluations = 0;
    for number in (0..2 * c.pins().len() as u32).step_by(40) {
        for i in 0..patterns.len() {
            std::hint::black_box(brute::shows(&c, Model::StuckAt, Fault::of(number), patterns.pattern(i), None));
            evaluations += 1;
        }
    }
    let rate = evaluations as f64 / watch.seconds();
    println!("\none fault and one pattern at a time, 16 bits: {rate:.0} a second");
}
