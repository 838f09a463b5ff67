//! The C++ shim: which trace groups a chip has, and the text rendered from its ports.

use askama::Template;
use std::fmt::Write as _;
use warpsmith_contract::{Manifest, Port, Site, SiteKind};
use warpsmith_cxx::ports;

/// Kind of an event the shim reports; the discriminant is in the event's header word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum GroupKind {
    /// A beat of a retired instruction.
    Retire = 0,
    /// Load data written to the register file.
    Load = 1,
    /// The load/store unit finished an instruction.
    Done = 2,
    /// An instruction's last request was accepted at the SM's port.
    Performed = 3,
    /// A warp begins.
    Start = 4,
    /// A warp finished.
    Exit = 5,
    /// The stall cause changed.
    Stall = 6,
    /// An instruction left decode; only when observed, as are the kinds below.
    Issue = 7,
    /// The SM's port took a request.
    Request = 8,
    /// The state of the warps changed.
    Status = 9,
    /// The chip's memory port was used.
    Port = 10,
}

/// Which groups a run records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Collect {
    /// None: fastest.
    Off = 0,
    /// Those of lockstep.
    Lockstep = 1,
    /// Those of observers too.
    All = 2,
}

impl GroupKind {
    /// The kind of a header word's low byte.
    pub fn from_number(n: u8) -> Option<Self> {
        use GroupKind::*;
        [
            Retire, Load, Done, Performed, Start, Exit, Stall, Issue, Request, Status, Port,
        ]
        .into_iter()
        .find(|k| *k as u8 == n)
    }
}

/// Valid signal and fields of each group, without the `tr<sm>_` prefix (docs: trace port).
const GROUPS: [(GroupKind, &str, &[&str]); 6] = [
    (
        GroupKind::Retire,
        "valid",
        &[
            "first",
            "last",
            "warp",
            "slot",
            "block",
            "pc",
            "word",
            "active",
            "exec",
            "beat",
            "pass",
            "dst",
            "reg",
            "half",
            "flags_we",
            "cc",
            "flags",
            "postinc",
            "areg",
            "mem",
            "depth",
            "areg_value",
            "y",
            "addr",
            "data",
        ],
    ),
    (
        GroupKind::Load,
        "ld_valid",
        &["ld_warp", "ld_slot", "ld_rf", "ld_mask", "ld_data"],
    ),
    (GroupKind::Done, "done_valid", &["done_warp", "done_slot"]),
    (
        GroupKind::Performed,
        "perf_valid",
        &["perf_warp", "perf_slot"],
    ),
    (
        GroupKind::Start,
        "start_valid",
        &[
            "start_warp",
            "start_block",
            "start_mask",
            "start_x",
            "start_y",
            "start_index",
            "start_rf",
        ],
    ),
    (GroupKind::Exit, "exit_valid", &["exit_warp"]),
];

/// Groups of observers with a valid signal.
const OBSERVED: [(GroupKind, &str, &[&str]); 2] = [
    (
        GroupKind::Issue,
        "issue_valid",
        &["issue_warp", "issue_pc", "issue_slot"],
    ),
    (GroupKind::Request, "req_valid", &[]),
];

/// Fields of [`GroupKind::Status`], a word each: reported together when one changes.
pub const STATUS: [&str; 9] = [
    "at_live",
    "at_blocked",
    "at_hazard",
    "at_hazard_load",
    "at_hazard_sfu",
    "at_unfetched",
    "at_waiting",
    "stall",
    "held_pc",
];

/// Layout of one group of one SM: offsets in 32-bit words after the three header words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Kind.
    pub kind: GroupKind,
    /// SM.
    pub sm: usize,
    /// Offset and words of each field, in the order of the trace port's description; 0 words when
    /// the chip does not have the port.
    pub fields: Vec<(usize, usize)>,
    /// Words of the event without the header.
    pub words: usize,
}

/// The groups of a chip with a valid signal, those of lockstep SM by SM, then those of observers.
/// Empty when the chip has no trace port.
pub fn layouts(manifest: &Manifest) -> Vec<Layout> {
    let mut out = vec![];
    let sms = (0..)
        .take_while(|sm| manifest.port(&format!("tr{sm}_valid")).is_some())
        .count();
    for (groups, sm) in [&GROUPS[..], &OBSERVED[..]]
        .into_iter()
        .flat_map(|g| (0..sms).map(move |sm| (g, sm)))
    {
        for &(kind, valid, fields) in groups {
            if manifest.port(&format!("tr{sm}_{valid}")).is_none() {
                continue;
            }
            let mut words = 0;
            let fields = fields
                .iter()
                .map(|f| {
                    let n = manifest
                        .port(&format!("tr{sm}_{f}"))
                        .map_or(0, |i| manifest.ports[i].words());
                    let at = words;
                    words += n;
                    (at, n)
                })
                .collect();
            out.push(Layout {
                kind,
                sm,
                fields,
                words,
            });
        }
    }
    out
}

/// Names of trace ports that recording needs and the chip does not have.
pub fn missing_trace_ports(manifest: &Manifest, collect: Collect) -> Vec<String> {
    let names = |groups: &[(GroupKind, &'static str, &'static [&'static str])]| {
        groups
            .iter()
            .flat_map(|g| std::iter::once(g.1).chain(g.2.iter().copied()))
            .collect::<Vec<_>>()
    };
    let mut needed = names(&GROUPS);
    if collect == Collect::All {
        needed.extend(names(&OBSERVED));
        needed.extend(STATUS);
    }
    needed
        .into_iter()
        .map(|n| format!("tr0_{n}"))
        .filter(|n| manifest.port(n).is_none())
        .collect()
}

struct GroupText {
    id: u8,
    sm: usize,
    valid: String,
    words: usize,
    copy: String,
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
    let memory = [
        "mem_valid",
        "mem_ready",
        "mem_write",
        "mem_address",
        "mem_wdata",
        "mem_wmask",
        "mem_rvalid",
        "mem_rdata",
    ]
    .iter()
    .all(|n| named(n).is_some());
    let width = |n: &str| named(n).map_or(0, |p| p.width);
    let port_words = if memory { width("mem_rdata") / 32 } else { 1 };
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
            let (_, valid, fields) = GROUPS
                .iter()
                .chain(&OBSERVED)
                .find(|g| g.0 == l.kind)
                .expect("layouts come from these");
            let mut copy = String::new();
            for (f, (at, n)) in fields.iter().zip(&l.fields) {
                if let Some(p) = named(&format!("tr{}_{f}", l.sm)) {
                    for w in 0..*n {
                        let _ = writeln!(copy, "        e[{}] = {};", at + w, word(p, w));
                    }
                }
            }
            GroupText {
                id: l.kind as u8,
                sm: l.sm,
                valid: format!("tr{}_{valid}", l.sm),
                words: l.words,
                copy,
            }
        })
        .partition(|g| GROUPS.iter().any(|k| k.0 as u8 == g.id));
    let states = (0..)
        .map_while(|sm| {
            let copy = STATUS
                .iter()
                .map(|f| Some(word(named(&format!("tr{sm}_{f}"))?, 0)))
                .collect::<Option<Vec<_>>>()?
                .join(", ");
            Some(GroupText {
                id: GroupKind::Status as u8,
                sm,
                valid: String::new(),
                words: STATUS.len(),
                copy,
            })
        })
        .collect();
    let stalls = (0..)
        .map_while(|sm| {
            named(&format!("tr{sm}_stall")).map(|p| GroupText {
                id: GroupKind::Stall as u8,
                sm,
                valid: p.name.clone(),
                words: 1,
                copy: String::new(),
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
        clock: if named("clock").is_some() {
            "clock".into()
        } else {
            "clk".into()
        },
        wave,
        memory,
        has_reset: named("reset").is_some(),
        has_done: named("done").is_some(),
        sms: stalls.len().max(1),
        port_words: port_words.max(1),
        mask_words: width("mem_wmask").div_ceil(32).max(1),
        set_rdata: each("mem_rdata", &store),
        get_wmask: each("mem_wmask", &fetch("mask")),
        get_wdata: each("mem_wdata", &fetch("data")),
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
            .filter(|p| p.is_input() && p.name != "clock")
            .map(|p| p.name.clone())
            .collect(),
        pending: PENDING,
    }
    .render()
}
