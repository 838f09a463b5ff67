//! The error table of docs/numerics.md is true: no input is worse, and the inputs named are as bad.
//!
//! Each row is scanned, whole where it has at most two binades of inputs, else one input in many;
//! `WARPSMITH_SOAK=1` scans all of all. The double-precision reference of the scan is held against
//! arithmetic of 160 bits at every row's worst inputs and at random ones.

use crate::common::{accuracy, reference};
use accuracy::{cases, Case, Errors, Input};
use astro_float::{BigFloat, Consts, RoundingMode};
use reference::SIGN;
use std::sync::Mutex;
use warpsmith_isa::SfuFn;
use warpsmith_model::num::sfu;
use warpsmith_testkit::Random;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/numerics.md");

/// The cells of the page's row of a case.
struct Row {
    inputs: u64,
    ulp: (String, u32),
    absolute: (String, u32),
}

/// The row of each case, in the cases' order.
fn rows() -> Vec<(Case, Row)> {
    let page = std::fs::read_to_string(PAGE).expect("docs/numerics.md");
    let table: Vec<&str> = page
        .split(accuracy::HEAD)
        .nth(1)
        .expect("the table, under its head")
        .trim_start()
        .lines()
        .take_while(|l| l.starts_with('|'))
        .collect();
    let cases = cases();
    assert_eq!(table.len(), cases.len(), "rows of the table");
    let read = |(case, line): (Case, &str)| {
        let cells = line
            .strip_prefix(&format!("| {} | ", case.title()))
            .unwrap_or_else(|| panic!("row of {}, found: {line}", case.title()));
        let cells: Vec<&str> = cells.split('|').map(str::trim).collect();
        let word = |cell: &str| u32::from_str_radix(cell.trim_matches('`'), 16).expect("a word");
        let row = Row {
            inputs: cells[0].parse().expect("a number"),
            ulp: (cells[1].to_string(), word(cells[2])),
            absolute: (cells[3].to_string(), word(cells[4])),
        };
        (case, row)
    };
    cases.into_iter().zip(table).map(read).collect()
}

fn number(figure: &str) -> f64 {
    figure.parse().expect("a figure")
}

/// Figures are compared as printed, so both sides are rounded alike.
fn check(case: &Case, row: &Row, full: bool) {
    let title = case.title();
    let step = if full { 1 } else { case.step };
    let most: Errors = case.scan(step);
    assert!(most.inputs > 500, "{title}: only {} inputs", most.inputs);
    let (ulp, absolute) = (accuracy::in_ulp(most.ulp.0), accuracy::absolute(most.absolute.0));
    assert!(
        number(&ulp) <= number(&row.ulp.0),
        "{title}: {ulp} ulp at {:08x}, the page says {}",
        most.ulp.1,
        row.ulp.0
    );
    assert!(
        number(&absolute) <= number(&row.absolute.0),
        "{title}: {absolute} at {:08x}, the page says {}",
        most.absolute.1,
        row.absolute.0
    );
    if step == 1 {
        assert_eq!(most.inputs, row.inputs, "{title}: inputs");
    }
    for x in [row.ulp.1, row.absolute.1] {
        assert!(case.words.iter().any(|w| w.contains(&x)), "{title}: {x:08x} is outside");
    }
    assert_eq!(accuracy::in_ulp(case.error(row.ulp.1).0), row.ulp.0, "{title}: ulp at {:08x}", row.ulp.1);
    assert_eq!(
        accuracy::absolute(case.error(row.absolute.1).1),
        row.absolute.0,
        "{title}: absolute error at {:08x}",
        row.absolute.1
    );
}

#[test]
fn the_error_table_holds() {
    let full = warpsmith_testkit::soak();
    let rows = rows();
    let left = Mutex::new(rows.iter());
    let next = || left.lock().expect("no row failed").next();
    // Two threads: the rows are independent and the scan is the longest test of the crate.
    std::thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| {
                while let Some((case, row)) = next() {
                    check(case, row, full);
                }
            });
        }
    });
}

const BITS: usize = 160;
const NEAREST: RoundingMode = RoundingMode::ToEven;

/// The exact result to 160 bits, by other means than the scan's: the argument is not reduced
/// first.
fn exact(case: &Case, x: u32, cc: &mut Consts) -> BigFloat {
    let big = |v: f64| BigFloat::from_f64(v, BITS);
    let v = big(case.argument(x));
    let angle = if case.input == Input::Code {
        let quarter = cc.pi(BITS, NEAREST).div(&big(2.0), BITS, NEAREST);
        v.mul(&quarter, BITS, NEAREST)
    } else {
        v.clone()
    };
    match case.function {
        SfuFn::Rcp => v.reciprocal(BITS, NEAREST),
        SfuFn::Rsq => v.sqrt(BITS, NEAREST).reciprocal(BITS, NEAREST),
        SfuFn::Lg2 => v.log2(BITS, NEAREST, cc),
        SfuFn::Ex2 => big(2.0).pow(&v, BITS, NEAREST, cc),
        SfuFn::Sin => angle.sin(BITS, NEAREST, cc),
        SfuFn::Cos => angle.cos(BITS, NEAREST, cc),
    }
}

#[test]
fn double_precision_is_a_fair_reference() {
    let mut cc = Consts::new().expect("constants");
    let mut operands = Random(7);
    let limit = BigFloat::from_f64(2f64.powi(-50), BITS);
    for (case, row) in rows() {
        let mut words = vec![row.ulp.1, row.absolute.1];
        for _ in 0..reference::cases(30) {
            let w = &case.words[operands.below(case.words.len() as u32) as usize];
            words.push(w.start() + operands.below(w.end() - w.start() + 1));
        }
        for x in words {
            let scan = case.reference(x);
            let exact = exact(&case, x, &mut cc);
            let off = BigFloat::from_f64(scan, BITS).sub(&exact, BITS, NEAREST).abs();
            let allowed = exact.abs().mul(&limit, BITS, NEAREST);
            // The one value the scan has exactly and 160 bits have not: sine and cosine of whole
            // quarter turns that are zero.
            let zero = scan == 0.0 && exact.abs() < BigFloat::from_f64(2f64.powi(-150), BITS);
            assert!(off <= allowed || zero, "{} at {x:08x}: double precision says {scan:e}", case.title());
        }
    }
}

/// A power of two in a reciprocal's operand is one in its result, an integer added to an exponent
/// as well.
#[test]
fn rows_of_one_binade_speak_for_all() {
    let mut operands = Random(8);
    for _ in 0..reference::cases(200_000) {
        let m = 0x3f80_0000 | operands.bits() as u32 & 0x7f_ffff;
        let f = |r: u32, e: i32| f32::from_bits(r) * 2f32.powi(e);
        let e = operands.below(251) as i32 - 125;
        let x = f(m, e).to_bits();
        assert_eq!(f32::from_bits(sfu::rcp(x)), f(sfu::rcp(m), -e), "RCP {x:08x}");
        let half = operands.below(126) as i32 - 63;
        let m = m + (operands.below(2) << 23);
        let x = f(m, 2 * half).to_bits();
        assert_eq!(f32::from_bits(sfu::rsq(x)), f(sfu::rsq(m), -half), "RSQ {x:08x}");
        let (code, n) = (operands.bits() as u32 & 0x7f_ffff, operands.below(126));
        let plus = sfu::ex2(code + (n << 23));
        assert_eq!(f32::from_bits(plus), f(sfu::ex2(code), n as i32), "EX2 {code:08x} + {n}");
        let minus = sfu::ex2((code | SIGN) + (n << 23));
        let want = f(sfu::ex2(code | SIGN), -(n as i32));
        assert_eq!(f32::from_bits(minus), want, "EX2 -{code:08x} - {n}");
    }
}
