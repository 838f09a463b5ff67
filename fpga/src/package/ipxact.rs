//! The AXI top for Vivado: `component.xml` (IP-XACT 1685-2009, Xilinx's bus definitions) and a script.

use super::{PackageError, VERSION};
use crate::wrap::axi::AxiOptions;
use crate::wrap::port::WrapperPort;
use askama::Template;
use warpsmith_cosim::program::map;

/// Families of the devices Vivado knows whose block RAM and DSPs the chip is meant for.
const FAMILIES: [&str; 7] = [
    "artix7",
    "kintex7",
    "virtex7",
    "spartan7",
    "zynq",
    "zynquplus",
    "kintexu",
];

const VIEWS: [(&str, &str); 2] = [
    ("xilinx_anylanguagesynthesis", "synthesis"),
    ("xilinx_anylanguagebehavioralsimulation", "simulation"),
];

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
    what: &'static str,
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

/// Registers of docs/registers.md and docs/axi.md.
#[rustfmt::skip]
fn registers() -> Vec<Register> {
    let (r, w, rw) = ("read-only", "write-only", "read-write");
    [
        ("ID", map::ID, 1, r, "0x57415250"),
        ("CONTROL", map::CONTROL, 1, w, "bit 0 start"),
        ("STATUS", map::STATUS, 1, r, "bit 0 busy, bit 1 done, bit 2 trapped"),
        ("TRAP", map::TRAP, 1, r, "cause 3:0, lane 12:8, warp slot 20:16, SM 27:24"),
        ("TRAP_PC", map::TRAP_PC, 1, r, "byte address of the instruction"),
        ("TRAP_BLOCK", map::TRAP_BLOCK, 1, r, "ctaid y 31:16, x 15:0"),
        ("GRID", map::GRID, 1, w, "blocks y 31:16, x 15:0"),
        ("BLOCK_XY", map::BLOCK_XY, 1, w, "threads y 31:16, x 15:0"),
        ("BLOCK_Z", map::BLOCK_Z, 1, w, "threads z"),
        ("THREADS", map::THREADS, 1, w, "threads of a block"),
        ("REGISTERS", map::REGISTERS, 1, w, "registers a thread, 1 to 128"),
        ("SHARED_BYTES", map::SHARED_BYTES, 1, w, "of a block"),
        ("PROGRAM_BYTES", map::PROGRAM_BYTES, 1, w, "length of the program"),
        ("START_PC", map::START_PC, 1, w, "byte address of the first instruction"),
        ("GLOBAL_LAST", map::GLOBAL_LAST, 1, w, "last byte of global memory"),
        ("LOCAL_BASE", map::LOCAL_BASE, 1, w, "byte address of local memory, a multiple of 128"),
        ("LOCAL_BYTES", map::LOCAL_BYTES, 1, w, "local bytes a thread"),
        ("PARAM_COUNT", map::PARAM_COUNT, 1, w, "parameter words, at most 64"),
        ("MEMORY_BASE_LO", 0x50, 1, rw, "added to the addresses of the kernels, bits 31:0"),
        ("MEMORY_BASE_HI", 0x54, 1, rw, "bits above 31"),
        ("INTERRUPT_ENABLE", 0x58, 1, rw, "bit 0"),
        ("BANK", map::BANK, 16, w, "constant bank: words 31:16, first word 15:0"),
        ("PARAM", map::PARAM, 64, w, "parameter word"),
        ("COUNTER", map::COUNTER, 32, r, "16 counters of 64 bits, low word first"),
    ]
    .map(|(name, address, count, access, what)| Register { name, address, count, access, what })
    .into()
}

/// `component.xml`.
pub fn component(
    slug: &str,
    top: &str,
    ports: &[WrapperPort],
    rtl: &[&str],
    options: &AxiOptions,
) -> Result<String, PackageError> {
    let axi = |side: &str| -> Vec<(String, String)> {
        ports
            .iter()
            .filter_map(|p| Some((p.name.strip_prefix(side)?.to_uppercase(), p.name.clone())))
            .collect()
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
            parameters: vec![
                ("ASSOCIATED_BUSIF", text("s_axi:m_axi")),
                ("ASSOCIATED_RESET", text("aresetn")),
            ],
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
        version: VERSION,
        top,
        buses,
        space: 1 << options.address_bits,
        data_bits: options.data_bits,
        registers: registers(),
        ports,
        rtl,
        views: &VIEWS,
        families: &FAMILIES,
    };
    Ok(component.render()? + "\n")
}

/// `package_ip.tcl`.
pub fn vivado(slug: &str, top: &str, rtl: &[&str]) -> Result<String, PackageError> {
    let script = Script {
        slug,
        version: VERSION,
        top,
        rtl,
    };
    Ok(script.render()? + "\n")
}
