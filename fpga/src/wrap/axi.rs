//! AXI: the chip's bus as an AXI4-Lite slave, its memory port as an AXI4 master.
//!
//! `templates/axi.v` holds three modules: `warpsmith_axi_slave`, `warpsmith_axi_master`, and
//! `warpsmith_axi` with the chip between them. Their headers say ports, times and errors;
//! `docs/axi.md` is the user's page. The chip itself is not in the text.

use super::port::WrapperPort;
use super::WrapError;
use crate::chip::ChipManifest;
use askama::Template;
use warpsmith_contract::ports::BUS_ADDRESS_BITS;
use warpsmith_contract::registers::{self, Register};
use warpsmith_contract::Direction;

/// Choices the chip leaves open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AxiOptions {
    /// Width of the master's data in bits: a power of two from 32 to the chip's line.
    pub data_bits: usize,
    /// Width of the master's byte addresses in bits, 32 to 64.
    pub address_bits: usize,
    /// Reads under way at most, and as many writes: a power of two, 2 to 64.
    pub outstanding: usize,
    /// Width of the master's IDs in bits, 1 to 16; every transaction has ID 0.
    pub id_bits: usize,
}

impl AxiOptions {
    /// A line a beat, 32-bit addresses, as many reads as one SM has under way but at most 16:
    /// each costs a comparison of two lines.
    pub fn of(chip: &ChipManifest) -> Self {
        let reads = chip.config.get("reads_in_flight").and_then(|v| v.as_u64());
        Self {
            data_bits: chip.line_bits(),
            address_bits: 32,
            outstanding: (reads.unwrap_or(8) as usize).next_power_of_two().clamp(2, 16),
            id_bits: 1,
        }
    }

    fn check(&self, line_bits: usize) -> Result<(), WrapError> {
        let power = |key, value: usize, least, most, what: &str| {
            if value.is_power_of_two() && (least..=most).contains(&value) {
                return Ok(());
            }
            let why = format!("it has to be a power of two from {least} to {most}{what}");
            Err(WrapError::Option { key, value, why })
        };
        let range = |key, value: usize, least, most| {
            if (least..=most).contains(&value) {
                return Ok(());
            }
            let why = format!("it has to be {least} to {most}");
            Err(WrapError::Option { key, value, why })
        };
        let line = ", the width of the chip's memory port";
        power("data_bits", self.data_bits, 32, line_bits, line)?;
        range("address_bits", self.address_bits, 32, 64)?;
        power("outstanding", self.outstanding, 2, 64, "")?;
        range("id_bits", self.id_bits, 1, 16)
    }
}

#[derive(Template)]
#[template(path = "axi.v", escape = "none")]
struct Axi<'a> {
    chip: &'a str,
    top: &'a str,
    address_bits: usize,
    /// Bits of addresses above 31.
    high_bits: usize,
    data_bits: usize,
    data_bytes: usize,
    /// log2 of `data_bytes`.
    size: u32,
    line_bits: usize,
    line_bytes: usize,
    line_log: u32,
    /// Beats of a line, and the width of their counter.
    beats: usize,
    beat_bits: u32,
    outstanding: usize,
    slot_bits: u32,
    id_bits: usize,
    /// Registers of the wrapper.
    base_lo: Register,
    base_hi: Register,
    enable: Register,
    slave_ports: &'a [WrapperPort],
    master_ports: &'a [WrapperPort],
    /// Outputs of the chip that nothing here needs: the trace port.
    open_ports: &'a [String],
}

/// Channels of AXI4-Lite and their signals.
const LITE: [(&str, &[&str]); 5] = [
    ("aw", &["addr", "prot", "valid", "ready"]),
    ("w", &["data", "strb", "valid", "ready"]),
    ("b", &["resp", "valid", "ready"]),
    ("ar", &["addr", "prot", "valid", "ready"]),
    ("r", &["data", "resp", "valid", "ready"]),
];

const ADDRESS: &[&str] = &["id", "addr", "len", "size", "burst", "lock", "cache", "prot", "valid", "ready"];

/// The same of AXI4, without the signals that nothing uses.
const FULL: [(&str, &[&str]); 5] = [
    ("aw", ADDRESS),
    ("w", &["data", "strb", "last", "valid", "ready"]),
    ("b", &["id", "resp", "valid", "ready"]),
    ("ar", ADDRESS),
    ("r", &["id", "data", "resp", "last", "valid", "ready"]),
];

/// Widths of one side.
struct Widths {
    address: usize,
    data: usize,
    id: usize,
}

/// All ports of one side: `s`, the slave, or `m`, the master.
fn ports(side: &str, channels: &[(&str, &[&str])], widths: &Widths) -> Vec<WrapperPort> {
    let port = |channel: &str, field: &str| {
        let name = format!("{side}_axi_{channel}{field}");
        // The master drives addresses and data to write, the slave answers; ready goes the other way.
        let from_master = channel.contains('w') || channel == "ar";
        let driven = (side == "m") == (from_master == (field != "ready"));
        let direction = if driven { Direction::Output } else { Direction::Input };
        let width = match field {
            "addr" => widths.address,
            "data" => widths.data,
            "strb" => widths.data / 8,
            "id" => widths.id,
            "len" => 8,
            "cache" => 4,
            "size" | "prot" => 3,
            "burst" | "resp" => 2,
            _ => return WrapperPort::scalar(direction, &name),
        };
        WrapperPort::vector(direction, &name, width)
    };
    let channels = channels.iter();
    channels.flat_map(|(c, fields)| fields.iter().map(|f| port(c, f))).collect()
}

fn slave_ports() -> Vec<WrapperPort> {
    let widths = Widths { address: BUS_ADDRESS_BITS, data: 32, id: 0 };
    ports("s", &LITE, &widths)
}

fn master_ports(options: &AxiOptions) -> Vec<WrapperPort> {
    let widths = Widths { address: options.address_bits, data: options.data_bits, id: options.id_bits };
    ports("m", &FULL, &widths)
}

/// Ports of `warpsmith_axi`, in their order.
pub fn top_ports(options: &AxiOptions) -> Vec<WrapperPort> {
    let mut list = vec![
        WrapperPort::scalar(Direction::Input, "aclk"),
        WrapperPort::scalar(Direction::Input, "aresetn"),
        WrapperPort::scalar(Direction::Output, "irq"),
    ];
    list.extend(slave_ports());
    list.extend(master_ports(options));
    list
}

/// The wrapper's Verilog.
///
/// # Errors
/// An option that is impossible with this chip.
pub fn render(chip: &ChipManifest, options: &AxiOptions) -> Result<String, WrapError> {
    let line_bits = chip.line_bits();
    options.check(line_bits)?;
    let (data_bytes, line_bytes) = (options.data_bits / 8, line_bits / 8);
    let beats = line_bits / options.data_bits;
    let open: Vec<String> = chip.trace_ports().map(|p| p.name.clone()).collect();
    let text = Axi {
        chip: &chip.name,
        top: &chip.top,
        address_bits: options.address_bits,
        high_bits: options.address_bits - 32,
        data_bits: options.data_bits,
        data_bytes,
        size: data_bytes.ilog2(),
        line_bits,
        line_bytes,
        line_log: line_bytes.ilog2(),
        beats,
        beat_bits: beats.ilog2(),
        outstanding: options.outstanding,
        slot_bits: options.outstanding.ilog2(),
        id_bits: options.id_bits,
        base_lo: registers::MEMORY_BASE_LO,
        base_hi: registers::MEMORY_BASE_HI,
        enable: registers::INTERRUPT_ENABLE,
        slave_ports: &slave_ports(),
        master_ports: &master_ports(options),
        open_ports: &open,
    }
    .render()?;
    Ok(text + "\n")
}
