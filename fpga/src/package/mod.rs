//! The chip as other tools take it: FuseSoC, IP-XACT, file lists, a testbench.
//!
//! [`package`] makes the list of files from an emitted chip and a wrapper, [`Package::write`] writes
//! it. docs/packages.md says what each file is.

mod error;
mod ipxact;
mod kernel;

pub use error::PackageError;

use crate::chip::{self, ChipManifest};
use crate::wrap::axi::{self, AxiOptions};
use crate::wrap::port::WrapperPort;
use crate::wrap::uart::{self, UartOptions};
use askama::Template;
use std::collections::BTreeMap;
use std::path::Path;
use warpsmith_cache::whole;
use warpsmith_contract::{registers, Counter, Port};
use warpsmith_engine_verilator::WAIVERS;

const SYNTH: &str = include_str!("../../templates/package/synth_generic.tcl");
const MIT: &str = include_str!("../../../LICENSE-MIT");
const APACHE: &str = include_str!("../../../LICENSE-APACHE");
/// Pages a user of the package needs, and which wrapper they are of.
const PAGES: [(&str, Option<&str>, &str); 3] = [
    ("registers.md", None, include_str!("../../../docs/registers.md")),
    ("axi.md", Some("axi"), include_str!("../../../docs/axi.md")),
    ("host-link.md", Some("uart"), include_str!("../../../docs/host-link.md")),
];

/// What stands around the chip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrapper {
    /// Nothing: bus and memory port of docs/registers.md.
    Bus,
    /// AXI4-Lite slave and AXI4 master.
    Axi,
    /// Memory in block RAM and a serial line.
    Uart(UartOptions),
}

impl Wrapper {
    /// As in names of folders.
    pub fn name(&self) -> &'static str {
        match self {
            Wrapper::Bus => "bus",
            Wrapper::Axi => "axi",
            Wrapper::Uart(_) => "uart",
        }
    }
}

/// Files, by their names below the package's folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// Name to text.
    pub files: BTreeMap<String, String>,
    /// Name for FuseSoC, without the version.
    pub core: String,
}

/// Data of the testbenches and of the wrapper they drive.
#[derive(Default)]
struct Bench<'a> {
    label: &'a str,
    top: &'a str,
    kernel: &'a str,
    writes: usize,
    code_words: usize,
    memory_words: usize,
    max_cycles: u32,
    line_bits: usize,
    line_bytes: usize,
    data_bits: usize,
    data_bytes: usize,
    address_bits: usize,
    id_bits: usize,
    board_bytes: u64,
    /// Byte addresses on the bus.
    addresses: Vec<(&'static str, u32)>,
    id_value: u32,
    start: u32,
    done: u32,
    open_ports: Vec<&'a str>,
}

macro_rules! bench_template {
    ($name:ident, $path:literal) => {
        #[derive(Template)]
        #[template(path = $path, escape = "none")]
        struct $name<'a>(&'a Bench<'a>);

        impl<'a> std::ops::Deref for $name<'a> {
            type Target = Bench<'a>;
            fn deref(&self) -> &Bench<'a> {
                self.0
            }
        }
    };
}
bench_template!(BusBench, "package/tb_bus.v");
bench_template!(AxiBench, "package/tb_axi.v");
bench_template!(UartBench, "package/tb_uart.v");

#[derive(Template)]
#[template(path = "package/core.yml", escape = "none")]
struct Core<'a> {
    slug: &'a str,
    wrapper: &'a str,
    version: &'a str,
    top: &'a str,
    rtl: &'a [&'a str],
    data: &'a [&'a str],
}

#[derive(Template)]
#[template(path = "package/README.md", escape = "none")]
struct Readme<'a> {
    name: &'a str,
    slug: &'a str,
    wrapper: &'a str,
    version: &'a str,
    top: &'a str,
    kernel: &'a str,
    files: &'a [(String, &'static str)],
    ports: &'a [WrapperPort],
}

/// Makes the files from those of an emitted folder: `warpsmith.v` and `manifest.json`.
///
/// # Errors
/// No chip of today, an impossible wrapper, a chip too small for the testbench's kernel.
pub fn package(emitted: &BTreeMap<String, String>, wrapper: &Wrapper) -> Result<Package, PackageError> {
    let file = |name| emitted.get(name).ok_or(PackageError::NoFile(name));
    let (verilog, manifest) = (file("warpsmith.v")?, file("manifest.json")?);
    let chip = ChipManifest::from_manifest(manifest)?;
    let slug = slug(&chip.name);
    let axi_options = AxiOptions::of(&chip);
    let wrapped = match wrapper {
        Wrapper::Bus => None,
        Wrapper::Axi => Some(("warpsmith_axi", axi::render(&chip, &axi_options)?)),
        Wrapper::Uart(options) => Some(("warpsmith_uart", uart::render(&chip, options)?)),
    };
    let top = wrapped.as_ref().map_or(chip.top.as_str(), |w| w.0);
    let ports: Vec<WrapperPort> = match wrapper {
        Wrapper::Bus => chip.ports.iter().map(WrapperPort::from).collect(),
        Wrapper::Axi => axi::top_ports(&axi_options),
        Wrapper::Uart(_) => uart::top_ports(),
    };
    let wrapper_file = wrapped.as_ref().map(|w| format!("{}.v", w.0));
    let rtl: Vec<&str> = ["warpsmith.v"].into_iter().chain(wrapper_file.as_deref()).collect();

    let run = kernel::Run::new(&chip)?;
    let label = format!("{slug}_{}", wrapper.name());
    let bench = Bench {
        label: &label,
        top,
        kernel: run.name(),
        writes: run.writes.len(),
        code_words: run.code.len(),
        memory_words: run.before.len(),
        max_cycles: 2_000_000,
        line_bits: chip.line_bits(),
        line_bytes: chip.line_bits() / 8,
        data_bits: axi_options.data_bits,
        data_bytes: axi_options.data_bits / 8,
        address_bits: axi_options.address_bits,
        id_bits: axi_options.id_bits,
        addresses: addresses(wrapper),
        id_value: registers::ID_VALUE,
        start: registers::control::START.put(1),
        done: registers::status::DONE.put(1),
        open_ports: chip.trace_ports().map(|p| p.name.as_str()).collect(),
        ..Bench::default()
    };
    let bench = match wrapper {
        Wrapper::Bus => BusBench(&bench).render()?,
        Wrapper::Axi => AxiBench(&bench).render()?,
        Wrapper::Uart(options) => {
            let need = 4 * run.before.len() as u64;
            if options.memory_bytes < need {
                let have = options.memory_bytes;
                return Err(PackageError::Memory { have, need });
            }
            let board_bytes = options.memory_bytes;
            UartBench(&Bench { board_bytes, ..bench }).render()?
        }
    };

    // What each file is stands in the README.
    let mut listed: Vec<(String, String, &'static str)> = vec![];
    let mut add = |name: &str, what, text: String| listed.push((name.into(), text, what));
    add("rtl/warpsmith.v", "the chip", verilog.clone());
    if let (Some(name), Some((_, text))) = (&wrapper_file, &wrapped) {
        add(&format!("rtl/{name}"), "what stands around it", text.clone());
    }
    let list = "list of the sources, from `rtl/`; for `-f` of simulators";
    add("rtl/files.f", list, kernel::lines(rtl.iter()));
    add("tb/tb_warpsmith.v", "testbench, Verilog-2005", bench + "\n");
    let data = run.files();
    for (name, what, text) in &data {
        add(&format!("tb/{name}"), *what, text.clone());
    }
    add("lint/waivers.vlt", "warnings of Verilator that are meant", WAIVERS.into());
    add("synth/synth_generic.tcl", "Yosys with generic cells, memories kept", SYNTH.into());
    let core = Core {
        slug: &slug,
        wrapper: wrapper.name(),
        version: env!("CARGO_PKG_VERSION"),
        top,
        rtl: &rtl,
        data: &data.each_ref().map(|d| d.0),
    };
    add(&format!("warpsmith_{slug}.core"), "FuseSoC: `lint`, `sim`, `synth`", core.render()? + "\n");
    if *wrapper == Wrapper::Axi {
        let text = ipxact::component(&slug, top, &ports, &rtl, &axi_options)?;
        add("component.xml", "IP-XACT: bus interfaces, registers, files", text);
        let text = ipxact::vivado(&slug, top, &rtl)?;
        add("package_ip.tcl", "packages the sources in Vivado; never run", text);
    }
    for (name, of, text) in PAGES {
        if of.is_none() || of == Some(wrapper.name()) {
            add(&format!("docs/{name}"), "page of the manual", text.into());
        }
    }
    add("LICENSE-MIT", "licence", MIT.into());
    add("LICENSE-APACHE", "or this one", APACHE.into());

    let mut names: Vec<(String, &'static str)> = listed.iter().map(|(n, _, what)| (n.clone(), *what)).collect();
    names.push(("manifest.json".into(), "parameters, ports, digests of the files"));
    let readme = Readme {
        name: &chip.name,
        slug: &slug,
        wrapper: wrapper.name(),
        version: env!("CARGO_PKG_VERSION"),
        top,
        kernel: run.name(),
        files: &names,
        ports: &ports,
    };
    let mut files: BTreeMap<String, String> = listed.into_iter().map(|(n, t, _)| (n, t)).collect();
    files.insert("README.md".into(), readme.render()? + "\n");
    let ports: Vec<Port> = ports.iter().map(Port::from).collect();
    let around = serde_json::json!({ "name": wrapper.name(), "top": top, "ports": ports });
    let texts = files.iter().map(|(n, t)| (n.as_str(), t.as_str()));
    let text = chip::remade(manifest, [("wrapper", around)], texts)?;
    files.insert("manifest.json".into(), text);
    let core = format!("warpsmith:gpu:{label}");
    Ok(Package { files, core })
}

/// Names and byte addresses that a testbench uses on the bus.
fn addresses(wrapper: &Wrapper) -> Vec<(&'static str, u32)> {
    let register = |r: registers::Register| (r.name, r.address);
    let counter = |name, c: Counter| (name, registers::COUNTER.at(c.number() as u32));
    let mut list = [registers::ID, registers::CONTROL, registers::STATUS, registers::TRAP, registers::PROGRAM_RAM]
        .map(register)
        .to_vec();
    list.extend([
        counter("CYCLES", Counter::Cycles),
        counter("WARP_INSTRUCTIONS", Counter::WarpInstructions),
        counter("THREAD_INSTRUCTIONS", Counter::ThreadInstructions),
    ]);
    if *wrapper == Wrapper::Axi {
        list.extend([registers::MEMORY_BASE_LO, registers::INTERRUPT_ENABLE].map(register));
    }
    list
}

/// A name as FuseSoC, IP-XACT and Tcl take it.
fn slug(name: &str) -> String {
    let fine = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    name.chars().map(fine).collect()
}

impl Package {
    /// Writes every file below `dir` (made when missing): under a temporary name, then renamed.
    ///
    /// # Errors
    /// Names the path.
    pub fn write(&self, dir: &Path) -> Result<(), PackageError> {
        for (name, text) in &self.files {
            let path = dir.join(name);
            std::fs::create_dir_all(path.parent().unwrap_or(dir))
                .and_then(|()| whole::write(&path, text))
                .map_err(|source| PackageError::File { path, source })?;
        }
        Ok(())
    }
}
