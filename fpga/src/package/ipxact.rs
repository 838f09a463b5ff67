//! The AXI top for Vivado: `component.xml` (IP-XACT 1685-2009, Xilinx's bus definitions) and a script.

use super::error::PackageError;
use crate::wrap::axi::AxiOptions;
use crate::wrap::port::WrapperPort;
use askama::Template;
use warpsmith_contract::ports::BUS_ADDRESS_BITS;
use warpsmith_contract::registers;

/// Families of the devices Vivado knows whose block RAM and DSPs the chip is meant for.
const FAMILIES: [&str; 7] = ["artix7", "kintex7", "virtex7", "spartan7", "zynq", "zynquplus", "kintexu"];

const VIEWS: [(&str, &str); 2] =
    [("xilinx_anylanguagesynthesis", "synthesis"), ("xilinx_anylanguagebehavioralsimulation", "simulation")];

struct Bus {
    name: &'static str,
    library: &'static str,
    kind: &'static str,
    /// Logical and physical names.
    ports: Vec<(String, String)>,
    parameters: Vec<(&'static str, String)>,
}

struct Register {
    name: &'static str,
    address: u32,
    /// Words, one behind the other.
    count: u32,
    access: &'static str,
    what: String,
}

#[derive(Template)]
#[template(path = "package/component.xml", escape = "none")]
struct Component<'a> {
    slug: &'a str,
    version: &'a str,
    top: &'a str,
    buses: Vec<Bus>,
    /// Bytes the master can address.
    space: u128,
    data_bits: usize,
    registers: Vec<Register>,
    /// First addresses of the chip's memories.
    constant_ram: u32,
    program_ram: u32,
    /// Bytes the bus can address.
    bus_bytes: u64,
    ports: &'a [WrapperPort],
    rtl: &'a [&'a str],
    views: &'a [(&'a str, &'a str)],
    families: &'a [&'a str],
}

#[derive(Template)]
#[template(path = "package/package_ip.tcl", escape = "none")]
struct Script<'a> {
    slug: &'a str,
    version: &'a str,
    top: &'a str,
    rtl: &'a [&'a str],
}

/// Registers of the chip and of its wrapper, by address.
fn registers() -> Vec<Register> {
    let mut all: Vec<Register> = registers::CHIP
        .iter()
        .chain(registers::AXI)
        .map(|r| Register {
            name: r.name,
            address: r.address,
            count: r.count * r.words,
            access: r.access.name(),
            what: r.contents(),
        })
        .collect();
    all.sort_by_key(|r| r.address);
    all
}

/// `component.xml`.
pub fn component(
    slug: &str, top: &str, ports: &[WrapperPort], rtl: &[&str], options: &AxiOptions,
) -> Result<String, PackageError> {
    let axi = |side: &str| -> Vec<(String, String)> {
        ports.iter().filter_map(|p| Some((p.name.strip_prefix(side)?.to_uppercase(), p.name.clone()))).collect()
    };
    let one = |logical: &str, physical: &str| vec![(logical.into(), physical.into())];
    let text = |s: &str| s.to_string();
    let buses = vec![
        Bus {
            name: "s_axi",
            library: "interface",
            kind: "aximm",
            ports: axi("s_axi_"),
            parameters: vec![("PROTOCOL", text("AXI4LITE"))],
        },
        Bus {
            name: "m_axi",
            library: "interface",
            kind: "aximm",
            ports: axi("m_axi_"),
            parameters: vec![
                ("PROTOCOL", text("AXI4")),
                ("SUPPORTS_NARROW_BURST", text("0")),
                ("NUM_READ_OUTSTANDING", options.outstanding.to_string()),
                ("NUM_WRITE_OUTSTANDING", options.outstanding.to_string()),
            ],
        },
        Bus {
            name: "aclk",
            library: "signal",
            kind: "clock",
            ports: one("CLK", "aclk"),
            parameters: vec![("ASSOCIATED_BUSIF", text("s_axi:m_axi")), ("ASSOCIATED_RESET", text("aresetn"))],
        },
        Bus {
            name: "aresetn",
            library: "signal",
            kind: "reset",
            ports: one("RST", "aresetn"),
            parameters: vec![("POLARITY", text("ACTIVE_LOW"))],
        },
        Bus {
            name: "irq",
            library: "signal",
            kind: "interrupt",
            ports: one("INTERRUPT", "irq"),
            parameters: vec![("SENSITIVITY", text("LEVEL_HIGH"))],
        },
    ];
    let component = Component {
        slug,
        version: env!("CARGO_PKG_VERSION"),
        top,
        buses,
        space: 1 << options.address_bits,
        data_bits: options.data_bits,
        registers: registers(),
        constant_ram: registers::CONSTANT_RAM.address,
        program_ram: registers::PROGRAM_RAM.address,
        bus_bytes: 1 << BUS_ADDRESS_BITS,
        ports,
        rtl,
        views: &VIEWS,
        families: &FAMILIES,
    };
    Ok(component.render()? + "\n")
}

/// `package_ip.tcl`.
pub fn vivado(slug: &str, top: &str, rtl: &[&str]) -> Result<String, PackageError> {
    let script = Script { slug, version: env!("CARGO_PKG_VERSION"), top, rtl };
    Ok(script.render()? + "\n")
}
