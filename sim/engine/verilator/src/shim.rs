//! The C++ shim: plain functions around the class that Verilator writes.

use askama::Template;
use warpsmith_contract::{Port, Site, SiteKind};

/// `templates/shim.cpp`.
#[derive(Template)]
#[template(path = "shim.cpp", escape = "none")]
struct Shim<'a> {
    top: &'a str,
    /// The clock's port.
    clock: Option<&'a str>,
    wave: bool,
    inject: bool,
    ports: Vec<&'a str>,
    /// C++ references to the sites, in order.
    sites: Vec<String>,
}

/// C++ reference to a site of the model Verilator makes: its root has a member for every open signal,
/// named by the path.
fn site(top: &str, s: &Site) -> String {
    let name = format!("r.{top}__DOT__{}", s.path.replace('.', "__DOT__"));
    match s.kind {
        SiteKind::Out => format!("output({name}_raw, {name}_keep, {name}_flip)"),
        SiteKind::Reg | SiteKind::Ram => format!("state({name}, {})", s.depth),
    }
}

/// Names of the ports that are clocks.
const CLOCKS: [&str; 2] = ["clock", "clk"];

/// The text for a module.
pub(crate) fn render(top: &str, ports: &[Port], sites: &[Site], wave: bool) -> Result<String, askama::Error> {
    let names: Vec<&str> = ports.iter().map(|p| p.name.as_str()).collect();
    Shim {
        top,
        clock: names.iter().copied().find(|n| CLOCKS.contains(n)),
        wave,
        inject: !sites.is_empty(),
        ports: names,
        sites: sites.iter().map(|s| site(top, s)).collect(),
    }
    .render()
}
