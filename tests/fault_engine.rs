//! The fault engine on a real chip: images are complete, control runs are clean, faults are found.

mod support;

use std::path::PathBuf;
use warpsmith_fault::{Engine, EngineOptions, Fault, Golden, Kind, Verilator};
use warpsmith_hdl::config::GpuConfig;
use warpsmith_model::Launch;

fn folder(name: &str) -> PathBuf {
    let mut config = GpuConfig::named(name).unwrap();
    config.trace = false;
    let to = support::root()
        .join("target")
        .join("test-inject")
        .join(name);
    warpsmith_hdl::injecting_chip(&config, name)
        .write(&to)
        .unwrap();
    to
}

#[test]
fn speed() {
    let golden = Golden::run(
        &folder("default"),
        Launch::load(&support::root().join("../shared/kernels/VectorAdd_integer/launch.toml"))
            .unwrap(),
        1,
        None,
    )
    .unwrap();
    println!(
        "{} cycles, every {}, {:?}",
        golden.cycles(),
        golden.interval(),
        golden.images()
    );
    let mut engine = Verilator::new(&golden, EngineOptions::default()).unwrap();
    println!("{:?}", engine.control().unwrap());
    let regs: Vec<usize> = (0..golden.sites().list().len())
        .filter(|&i| golden.sites().site(i).kind == warpsmith_fault::SiteKind::Reg)
        .collect();
    let mut x = 12345u64;
    let mut rnd = |n: u64| {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x % n
    };
    let bits: Vec<(usize, u32)> = regs
        .iter()
        .flat_map(|&s| (0..golden.sites().site(s).width).map(move |b| (s, b)))
        .collect();
    let mut counts = std::collections::BTreeMap::new();
    let t = std::time::Instant::now();
    let n = 3000;
    let mut sim = 0;
    for _ in 0..n {
        let (s, b) = bits[rnd(bits.len() as u64) as usize];
        let f = Fault::simple(s, 0, vec![b], rnd(golden.cycles()), Kind::Seu);
        let r = engine.run(&f).unwrap();
        *counts.entry((r.outcome, r.how)).or_insert((0, 0u64)) = {
            let c = counts.get(&(r.outcome, r.how)).copied().unwrap_or((0, 0));
            (c.0 + 1, c.1 + r.simulated)
        };
        sim += r.simulated;
    }
    let s = t.elapsed().as_secs_f64();
    println!(
        "{:.0} faults/s, {} cycles simulated, {:.0} cycles/s: {counts:?}",
        n as f64 / s,
        sim,
        sim as f64 / s
    );
}
