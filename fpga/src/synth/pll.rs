//! Parameters of the PLLs: a board's oscillator to the wanted clock.
//!
//! Sources: limits of ECP5 from "sysCLOCK PLL/DLL Design and Usage Guide" (Lattice FPGA-TN-02200), of
//! Gowin's rPLL from UG286 and DS226, of the Artix-7 PLL (speed grade 1) from DS181.

/// The PLL of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// EHXPLLL, feedback from its own output.
    Ecp5,
    /// rPLL of the GW2A.
    Gowin,
    /// PLLE2_BASE.
    Series7,
}

/// A setting: parameters of the board's `top`, and the clock they make.
#[derive(Clone, Debug, PartialEq)]
pub struct Pll {
    /// Clock in MHz.
    pub mhz: f64,
    /// Parameter and value, as `top.v` declares them.
    pub parameters: Vec<(&'static str, u32)>,
}

/// The setting next to `wanted` MHz; of equals the one with the fastest comparison, then the
/// oscillator in the middle of its range. `None` when it is out of reach by more than 5 %.
pub fn solve(family: Family, input: f64, wanted: f64) -> Option<Pll> {
    let all: Vec<(f64, f64, f64, Pll)> = match family {
        Family::Ecp5 => ecp5(input),
        Family::Gowin => gowin(input),
        Family::Series7 => series7(input),
    };
    let key = |(compared, oscillator, middle, pll): &(f64, f64, f64, Pll)| {
        // Errors below a hertz are of rounding.
        let error = ((pll.mhz - wanted).abs() * 1e6).round();
        (error, -compared, (oscillator - middle).abs())
    };
    let best = all.into_iter().min_by(|a, b| key(a).partial_cmp(&key(b)).expect("numbers"))?.3;
    ((best.mhz - wanted).abs() <= 0.05 * wanted).then_some(best)
}

/// Comparison, oscillator, middle of its range (MHz) and setting of everything within limits.
fn ecp5(input: f64) -> Vec<(f64, f64, f64, Pll)> {
    let mut all = vec![];
    for i in 1..=128u32 {
        let compared = input / f64::from(i);
        if !(3.125..=400.0).contains(&compared) {
            continue;
        }
        for fb in 1..=80u32 {
            let mhz = compared * f64::from(fb);
            for op in 1..=128u32 {
                let oscillator = mhz * f64::from(op);
                if (400.0..=800.0).contains(&oscillator) {
                    let parameters = vec![("CLKI_DIV", i), ("CLKFB_DIV", fb), ("CLKOP_DIV", op)];
                    all.push((compared, oscillator, 600.0, Pll { mhz, parameters }));
                }
            }
        }
    }
    all
}

fn gowin(input: f64) -> Vec<(f64, f64, f64, Pll)> {
    let mut all = vec![];
    for i in 0..64u32 {
        let compared = input / f64::from(i + 1);
        if !(3.0..=500.0).contains(&compared) {
            continue;
        }
        for fb in 0..64u32 {
            let mhz = compared * f64::from(fb + 1);
            for od in [2u32, 4, 8, 16, 32, 48, 64, 80, 96, 112, 128] {
                let oscillator = mhz * f64::from(od);
                if (500.0..=1250.0).contains(&oscillator) {
                    let parameters = vec![("IDIV_SEL", i), ("FBDIV_SEL", fb), ("ODIV_SEL", od)];
                    all.push((compared, oscillator, 875.0, Pll { mhz, parameters }));
                }
            }
        }
    }
    all
}

fn series7(input: f64) -> Vec<(f64, f64, f64, Pll)> {
    let mut all = vec![];
    for d in 1..=56u32 {
        let compared = input / f64::from(d);
        if !(19.0..=450.0).contains(&compared) {
            continue;
        }
        for m in 2..=64u32 {
            let oscillator = compared * f64::from(m);
            if !(800.0..=1600.0).contains(&oscillator) {
                continue;
            }
            for o in 1..=128u32 {
                let mhz = oscillator / f64::from(o);
                let parameters = vec![("DIVCLK_DIVIDE", d), ("CLKFBOUT_MULT", m), ("CLKOUT0_DIVIDE", o)];
                all.push((compared, oscillator, 1200.0, Pll { mhz, parameters }));
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frequencies computed again from the parameters, oscillators within the data sheets' limits.
    #[test]
    fn parameters_make_the_clock() {
        for tenths in (300..=1200).step_by(5) {
            let wanted = f64::from(tenths) / 10.0;
            for (family, input) in [(Family::Ecp5, 25.0), (Family::Gowin, 27.0), (Family::Series7, 100.0)] {
                let pll = solve(family, input, wanted).unwrap_or_else(|| panic!("{family:?} {wanted}"));
                let p: Vec<f64> = pll.parameters.iter().map(|p| f64::from(p.1)).collect();
                let (mhz, oscillator, range) = match family {
                    Family::Ecp5 => {
                        let mhz = input / p[0] * p[1];
                        (mhz, mhz * p[2], 400.0..=800.0)
                    }
                    Family::Gowin => {
                        let mhz = input / (p[0] + 1.0) * (p[1] + 1.0);
                        (mhz, mhz * p[2], 500.0..=1250.0)
                    }
                    Family::Series7 => {
                        let oscillator = input / p[0] * p[1];
                        (oscillator / p[2], oscillator, 800.0..=1600.0)
                    }
                };
                assert!((mhz - pll.mhz).abs() < 1e-6 && range.contains(&oscillator), "{pll:?}");
                assert!((mhz - wanted).abs() <= 0.05 * wanted, "{pll:?} for {wanted}");
            }
        }
    }

    #[test]
    fn exact_clocks_are_exact() {
        let exact = |f, input, wanted| solve(f, input, wanted).expect("within reach").mhz;
        assert_eq!(exact(Family::Ecp5, 25.0, 50.0), 50.0);
        assert_eq!(exact(Family::Ecp5, 25.0, 62.5), 62.5);
        assert_eq!(exact(Family::Gowin, 27.0, 27.0), 27.0);
        assert_eq!(exact(Family::Series7, 100.0, 50.0), 50.0);
    }

    #[test]
    fn what_no_pll_makes_is_refused() {
        assert_eq!(solve(Family::Ecp5, 25.0, 0.5), None);
        assert_eq!(solve(Family::Gowin, 27.0, 2000.0), None);
    }
}
