//! The C++ shim: the text rendered from a chip's ports.

use askama::Template;
use std::fmt::Write as _;
use warpsmith_contract::ports as chip;
use warpsmith_contract::trace::{layouts, Field, GroupKind, STATUS};
use warpsmith_contract::{Manifest, Port, Site, SiteKind};
use warpsmith_cxx::ports;

struct GroupText {
    id: u8,
    sm: usize,
    valid: String,
    words: usize,
    copy: String,
    lockstep: bool,
}

struct PortText {
    get: String,
    set: String,
}

#[derive(Template)]
#[template(path = "shim.cpp", escape = "none")]
struct Shim {
    top: String,
    clock: String,
    wave: bool,
    memory: bool,
    has_done: bool,
    has_reset: bool,
    sms: usize,
    port_words: usize,
    mask_words: usize,
    set_rdata: String,
    get_wmask: String,
    get_wdata: String,
    groups: Vec<GroupText>,
    observed: Vec<GroupText>,
    states: Vec<GroupText>,
    state_words: usize,
    port_id: u8,
    stalls: Vec<GroupText>,
    ports: Vec<PortText>,
    inject: bool,
    /// C++ references to the fault sites, in order.
    sites: Vec<String>,
    /// Inputs but the clock.
    inputs: Vec<String>,
    /// Reads that may wait when an image is taken.
    pending: usize,
}

/// Reads that may wait at a checkpoint; an ideal memory keeps one or two.
const PENDING: usize = 64;

/// C++ reference to a site of the model Verilator makes: its root has a member for every open signal,
/// named by the path.
fn site(top: &str, s: &Site) -> String {
    let name = format!("r.{top}__DOT__{}", s.path.replace('.', "__DOT__"));
    match s.kind {
        SiteKind::Out => format!("output({name}_raw, {name}_keep, {name}_flip)"),
        SiteKind::Reg | SiteKind::Ram => format!("state({name}, {})", s.depth),
    }
}

/// C++ expression of word `w` of a port.
fn word(p: &Port, w: usize) -> String {
    match p.width {
        0..=32 => format!("static_cast<uint32_t>(t.{})", p.name),
        33..=64 => format!("static_cast<uint32_t>(t.{} >> {})", p.name, 32 * w),
        _ => format!("t.{}[{w}]", p.name),
    }
}

/// Renders the shim for a folder's ports and, of an injecting chip, its fault sites.
pub(crate) fn render(
    manifest: &Manifest,
    sites: &[Site],
    wave: bool,
) -> Result<String, askama::Error> {
    let named = |n: &str| manifest.port(n).map(|i| &manifest.ports[i]);
    let memory = chip::MEMORY
        .iter()
        .filter(|p| ![chip::MEM_ERROR, chip::MEM_PENDING].contains(p))
        .all(|p| named(p.name).is_some());
    let width = |n: &str| named(n).map_or(0, |p| p.width);
    let port_words = if memory {
        width(chip::MEM_RDATA.name) / 32
    } else {
        1
    };
    let each = |n: &str, f: &dyn Fn(&Port, usize) -> String| {
        let mut out = String::new();
        if let Some(p) = named(n) {
            for w in 0..p.words() {
                let _ = write!(out, "        {}", f(p, w));
            }
        }
        out
    };
    let store = |p: &Port, w: usize| match p.width {
        0..=32 => format!("s.top->{} = d[0];", p.name),
        33..=64 => format!(
            "s.top->{0} = {1} | (uint64_t)d[{w}] << {2};",
            p.name,
            if w == 0 {
                "0".into()
            } else {
                format!("s.top->{}", p.name)
            },
            32 * w
        ),
        _ => format!("s.top->{}[{w}] = d[{w}];", p.name),
    };
    let fetch = |to: &'static str| {
        move |p: &Port, w: usize| format!("{to}[{w}] = {};", word(p, w).replace("t.", "s.top->"))
    };
    let (groups, observed): (Vec<_>, Vec<_>) = layouts(manifest)
        .into_iter()
        .map(|l| {
            let mut copy = String::new();
            for f in &l.fields {
                if let Some(p) = named(&f.field.port(l.sm)) {
                    for w in 0..f.words {
                        let _ = writeln!(copy, "        e[{}] = {};", f.at + w, word(p, w));
                    }
                }
            }
            GroupText {
                id: l.kind as u8,
                sm: l.sm,
                valid: l.kind.group().valid.map_or(String::new(), |v| v.port(l.sm)),
                words: l.words,
                copy,
                lockstep: l.kind.is_of_lockstep(),
            }
        })
        .partition(|g| g.lockstep);
    let states = (0..)
        .map_while(|sm| {
            let copy = STATUS
                .iter()
                .map(|f| Some(word(named(&f.port(sm))?, 0)))
                .collect::<Option<Vec<_>>>()?
                .join(", ");
            Some(GroupText {
                id: GroupKind::Status as u8,
                sm,
                valid: String::new(),
                words: STATUS.len(),
                copy,
                lockstep: false,
            })
        })
        .collect();
    let stalls = (0..)
        .map_while(|sm| {
            named(&Field::StallCounter.port(sm)).map(|p| GroupText {
                id: GroupKind::Stall as u8,
                sm,
                valid: p.name.clone(),
                words: 1,
                copy: String::new(),
                lockstep: true,
            })
        })
        .collect::<Vec<_>>();
    let ports = manifest
        .ports
        .iter()
        .map(|p| {
            let get = match p.width {
                0..=64 => format!("return static_cast<uint32_t>(static_cast<uint64_t>(t.{}) >> (32 * (word & 1)));", p.name),
                _ => format!("return word < {} ? t.{}[word] : 0;", p.words(), p.name),
            };
            let set = if !p.is_input() {
                "break;".to_string()
            } else {
                // Bits that do not fit are dropped: the model relies on them being 0.
                let last = ports::mask(p.width, p.words().saturating_sub(1));
                match p.width {
                    0..=32 => format!("if (!word) t.{} = value & {last:#x}u; break;", p.name),
                    33..=64 => format!("t.{0} = word ? (t.{0} & 0xffffffffull) | static_cast<uint64_t>(value & {last:#x}u) << 32 : (t.{0} & ~0xffffffffull) | value; break;", p.name),
                    _ => format!("if (word < {0}) t.{1}[word] = word == {0} - 1 ? value & {last:#x}u : value; break;", p.words(), p.name),
                }
            };
            PortText { get, set }
        })
        .collect();
    Shim {
        top: manifest.top.clone(),
        clock: if named(chip::CLOCK.name).is_some() {
            chip::CLOCK.name.into()
        } else {
            "clk".into()
        },
        wave,
        memory,
        has_reset: named(chip::RESET.name).is_some(),
        has_done: named(chip::DONE.name).is_some(),
        sms: stalls.len().max(1),
        port_words: port_words.max(1),
        mask_words: width(chip::MEM_WMASK.name).div_ceil(32).max(1),
        set_rdata: each(chip::MEM_RDATA.name, &store),
        get_wmask: each(chip::MEM_WMASK.name, &fetch("mask")),
        get_wdata: each(chip::MEM_WDATA.name, &fetch("data")),
        groups,
        observed,
        states,
        state_words: STATUS.len(),
        port_id: GroupKind::Port as u8,
        stalls,
        ports,
        inject: manifest.inject,
        sites: sites.iter().map(|s| site(&manifest.top, s)).collect(),
        inputs: manifest
            .ports
            .iter()
            .filter(|p| p.is_input() && p.name != chip::CLOCK.name)
            .map(|p| p.name.clone())
            .collect(),
        pending: PENDING,
    }
    .render()
}
