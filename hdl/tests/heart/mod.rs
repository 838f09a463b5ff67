//! The heart of an SM, block by block: what goes in comes out where and when the block's header says. Every test also
//! runs on mutants of its block and has to notice nearly all of them.

mod channel_flags;
mod conditions;
mod constant;
mod dispatch;
mod fetch;
mod flow;
mod issue;
mod warps;

use crate::support::dut::Dut;
use warpsmith_hdl::config::GpuConfig;
use warpsmith_hdl::rtl::field_place;

/// The smallest chip, of SM 1.0.
fn tiny() -> GpuConfig {
    GpuConfig::named("tiny").expect("a built-in configuration")
}

/// Fields of a packed word, first lowest: those of `inner` stand for the field of that name.
fn flat(fields: Vec<(&'static str, usize)>, inner: (&str, Vec<(&'static str, usize)>)) -> Vec<(&'static str, usize)> {
    fields.into_iter().flat_map(|f| if f.0 == inner.0 { inner.1.clone() } else { vec![f] }).collect()
}

/// Sets an input to a packed word with these fields; all others are 0.
fn set_fields(dut: &mut Dut, port: &str, fields: &[(&'static str, usize)], values: &[(&str, u64)]) {
    let width: usize = fields.iter().map(|f| f.1).sum();
    let mut words = vec![0u32; width.div_ceil(32)];
    for (name, value) in values {
        let (at, width) = field_place(fields, name).unwrap_or_else(|| panic!("no field {name}"));
        for i in (0..width).filter(|i| value >> i & 1 == 1) {
            words[(at + i) / 32] |= 1 << ((at + i) % 32);
        }
    }
    for (i, word) in words.into_iter().enumerate() {
        dut.set_word(port, i, word);
    }
}

/// A field of at most 64 bits of a packed word at a port.
fn field(dut: &Dut, port: &str, fields: &[(&'static str, usize)], name: &str) -> u64 {
    let (at, width) = field_place(fields, name).unwrap_or_else(|| panic!("no field {name}"));
    let bit = |i: usize| u64::from(dut.word_of(port, (at + i) / 32) >> ((at + i) % 32) & 1);
    (0..width).map(|i| bit(i) << i).sum()
}
