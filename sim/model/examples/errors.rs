//! Prints the error table of docs/numerics.md: every special function, every interval, all inputs.
//!
//! `cargo run --release -p warpsmith-model --example errors`, a few minutes; with a word such as
//! `RCP`, only the rows that contain it.

#[path = "../tests/common/accuracy.rs"]
mod accuracy;

fn main() {
    let word = std::env::args().nth(1).unwrap_or_default();
    println!("{}", accuracy::HEAD);
    for case in accuracy::cases() {
        if case.title().contains(&word) {
            println!("{}", accuracy::row(&case, &case.scan(1)));
        }
    }
}
