//! Functions of `math` against their published bounds.

use super::operands::eight;
use warpsmith_testkit::Random;

#[test]
fn functions_stay_inside_their_bounds() {
    // Text, function in f64, bound in ulp of the result, range of the argument.
    type Exact = fn(f64) -> f64;
    let ulp = |want: f64| {
        let e = want.abs().log2().floor();
        (e - 23.0).exp2()
    };
    let rows: [(&str, Exact, f64, f64, f64); 5] = [
        ("inv", |x| 1.0 / x, 1.0, 1.2e-38, 8e37),
        ("sqrt", f64::sqrt, 1.0, 1.2e-38, 3e38),
        ("rsq", |x| 1.0 / x.sqrt(), 3.0, 1.2e-38, 3e38),
        ("exp", f64::exp2, 3.0, 1e-3, 100.0),
        ("log", f64::log2, 0.0, 1.2e-38, 3e38),
    ];
    let mut r = Random(8);
    for (name, exact, bound, low, high) in rows {
        let text = format!("math {name}(8) g10<1>F g2<8,8,1>F null<8,8,1>F");
        let mut worst = 0.0f64;
        for _ in 0..3000 {
            let x: [f32; 8] = std::array::from_fn(|_| {
                let t = f64::from(r.word()) / f64::from(u32::MAX);
                (low * (high / low).powf(t)) as f32
            });
            let bench = eight(&text, &[x.map(f32::to_bits)], None);
            for c in 0..8 {
                let (found, want) = (f32::from_bits(bench.dword(80 + c)), exact(x[c].into()));
                let error = (f64::from(found) - want).abs();
                // log2: 2^-21 of the value or absolute.
                let error = match name {
                    "log" => error / want.abs().max(1.0) * (1 << 21) as f64,
                    _ => error / ulp(want),
                };
                worst = worst.max(error);
            }
        }
        let bound = if name == "log" { 1.0 } else { bound };
        let unit = if name == "log" { "2^-21" } else { "ulp" };
        println!("{name}: {worst:.3} of {bound} {unit}");
        assert!(worst <= bound, "{name}: {worst}");
    }
    for (name, exact) in [("sin", f64::sin as Exact), ("cos", f64::cos)] {
        let text = format!("math {name}(8) g10<1>F g2<8,8,1>F null<8,8,1>F");
        let mut worst = 0.0f64;
        for _ in 0..3000 {
            let x: [f32; 8] =
                std::array::from_fn(|_| (f64::from(r.word() as i32) / f64::from(i32::MAX) * 314.0) as f32);
            let bench = eight(&text, &[x.map(f32::to_bits)], None);
            for c in 0..8 {
                let found = f64::from(f32::from_bits(bench.dword(80 + c)));
                worst = worst.max((found - exact(x[c].into())).abs());
            }
        }
        println!("{name}: {worst:.6} of 0.0008");
        assert!(worst <= 0.0008, "{name}: {worst}");
    }
    let special = [0, 0x8000_0000, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0x40800000, 1, 0xbf800000];
    let bench = eight("math sqrt(8) g10<1>F g2<8,8,1>F null<8,8,1>F", &[special], None);
    let found: Vec<u32> = (0..8).map(|c| bench.dword(80 + c)).collect();
    let nan = 0x7fc0_0000;
    assert_eq!(found, [0, 0x8000_0000, 0x7f80_0000, nan, nan, 0x40000000, 0, nan]);
}
