//! Floats of 64 bits: calls of routines in the intermediate representation, lowered and optimised.

use super::Row;

#[test]
fn calls_give_what_the_host_does() {
    type Operation = fn(f64, f64) -> f64;
    let operations: [(&str, Operation); 3] = [("add", |a, b| a + b), ("mul", |a, b| a * b), ("div", |a, b| a / b)];
    for (name, want) in operations {
        // The second call of two that are the same is left out.
        let body = format!(".reg .f64 %y; {name}.rn.f64 %y, %a, %b; {name}.rn.f64 %x, %a, %b; max.f64 %x, %x, %y;");
        let row = Row::new(&body, &["f64", "f64"], "f64");
        row.check(|i| {
            let r = want(f64::from_bits(i[0]), f64::from_bits(i[1]));
            Some(if r.is_nan() { 0x7ff8_0000_0000_0000 } else { r.to_bits() })
        });
    }
}
