//! The chip with global memory in block RAM and a host behind a serial line: `warpsmith_uart.v`.
//!
//! The module needs a clock, a reset and two wires (docs/host-link.md). Its memory is as wide as the
//! chip's memory port and any number of lines long; host and chip take turns at one port.

use super::{port, WrapError};
use crate::chip::ChipManifest;
use askama::Template;
use warpsmith_contract::ports::BUS_ADDRESS_BITS;
use warpsmith_contract::{Direction, Port};

/// Version of the protocol on the line; the host refuses another.
pub const PROTOCOL: u32 = 1;

/// Words the board tells about itself, in their order; see `ws_about` in the template.
pub const ABOUT_KEYS: [&str; 12] = [
    "sms", "lanes", "warps", "blocks", "registers", "shared_bytes", "constant_bytes", "program_bytes", "stack_depth",
    "port_words", "float", "sfus",
];
/// Words of the name that follow: 16 bytes, filled up with zeros.
pub const NAME_WORDS: usize = 4;
/// All words: protocol and memory bytes come first.
pub const ABOUT_WORDS: usize = 2 + ABOUT_KEYS.len() + NAME_WORDS;

/// Options of the wrapper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UartOptions {
    /// Bytes of global memory, local memory included: whole lines of the memory port, two or more.
    pub memory_bytes: u64,
}

#[derive(Template)]
#[template(path = "uart.v", escape = "none")]
struct Module<'a> {
    name: &'a str,
    top: &'a str,
    memory_bytes: u64,
    /// Lines of the memory, bits and bytes of one, bits of a byte address within one.
    lines: u64,
    line_bits: usize,
    line_bytes: usize,
    line_shift: u32,
    /// Words of a line.
    line_words: usize,
    /// Bits of a line's number and of a byte address in the memory.
    index_bits: u32,
    address_bits: u32,
    /// Bits of an address that count up: bus and memory.
    count_bits: u32,
    last_word: u64,
    about: Vec<u32>,
    unused: Vec<&'a Port>,
    ports: Vec<port::WrapperPort>,
}

/// Ports of `warpsmith_uart`, in their order.
pub fn top_ports() -> Vec<port::WrapperPort> {
    use Direction::{Input, Output};
    vec![
        port::WrapperPort::scalar(Input, "clock"),
        port::WrapperPort::scalar(Input, "reset"),
        port::WrapperPort::scalar(Input, "rx"),
        port::WrapperPort::scalar(Output, "tx"),
        port::WrapperPort::vector(Output, "status", 4),
    ]
}

/// The Verilog of `warpsmith_uart` around a chip.
///
/// # Errors
/// A size of memory that cannot be, a manifest without a parameter.
pub fn render(chip: &ChipManifest, options: &UartOptions) -> Result<String, WrapError> {
    let line_bits = chip.line_bits();
    let line_bytes = line_bits / 8;
    let bad = |why: String| WrapError::Option { key: "memory_bytes", value: options.memory_bytes as usize, why };
    if !line_bits.is_power_of_two() || line_bits < 64 {
        return Err(WrapError::Option {
            key: "port_words",
            value: line_bits / 32,
            why: "a power of two is needed".into(),
        });
    }
    let line = line_bytes as u64;
    if options.memory_bytes % line != 0 || options.memory_bytes < 2 * line {
        return Err(bad(format!(
            "a multiple of {line}, the bytes of the memory port, is needed, {} or more",
            2 * line
        )));
    }
    if options.memory_bytes > 1 << 30 {
        return Err(bad("at most 2^30 bytes; block RAM holds less than a megabyte".into()));
    }
    let lines = options.memory_bytes / line;
    let line_shift = line_bytes.trailing_zeros();
    let index_bits = 64 - (lines - 1).leading_zeros();
    let text = Module {
        name: &chip.name,
        top: &chip.top,
        memory_bytes: options.memory_bytes,
        lines,
        line_bits,
        line_bytes,
        line_shift,
        line_words: line_bytes / 4,
        index_bits,
        address_bits: line_shift + index_bits,
        count_bits: (BUS_ADDRESS_BITS as u32).max(line_shift + index_bits),
        last_word: options.memory_bytes / 4 - 1,
        about: about(chip, options.memory_bytes)?,
        unused: chip.trace_ports().collect(),
        ports: top_ports(),
    }
    .render()?;
    Ok(text + "\n")
}

/// The words of `ws_about`.
fn about(chip: &ChipManifest, memory_bytes: u64) -> Result<Vec<u32>, WrapError> {
    let mut words = vec![PROTOCOL, memory_bytes as u32];
    for key in ABOUT_KEYS {
        words.push(chip.number(key)?);
    }
    let mut name = chip.name.clone().into_bytes();
    name.resize(4 * NAME_WORDS, 0);
    words.extend(name.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])));
    Ok(words)
}
