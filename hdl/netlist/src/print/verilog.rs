//! Verilog of a design: one readable module for each distinct body, or for each family of bodies that differ in sizes.

mod family;
mod layout;

use super::instance_label;
use crate::design::Design;
use crate::expr::Kind;
use crate::id::{ExprId, SignalId};
use crate::module::{is_code, Body, Memory, MemoryStyle, Module, Signal, SignalKind, Stmt, Tap};
use family::Families;
use layout::{wrap, COLUMNS};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use warpsmith_contract::Direction;

/// Turns of a loop that Verilator unrolls; it refuses to write a memory in a longer one.
const UNROLLED: u32 = 64;

/// Attribute that keeps a signal as a variable of Verilator's model.
const OPEN: &str = " /*verilator public_flat_rd*/";

/// What a mask of a saboteur is: a variable that Verilator's harness sets, a constant elsewhere.
const SABOTEUR: &str = "\
// Masks of the saboteurs: variables that Verilator's harness sets, constants for everybody else.
`ifdef VERILATOR
`define SABOTEUR reg
`else
`define SABOTEUR wire
`endif
";

/// The whole file; `title` is the comment under the licence.
pub fn file(design: &Design, title: &str) -> String {
    let mut o = format!(
        "// SPDX-License-Identifier: MIT OR Apache-2.0\n// {title}\n`default_nettype none\n`timescale 1ns / 1ps\n"
    );
    if design.top().body.open {
        o += SABOTEUR;
    }
    modules(design, |m| write!(o, "\n// Described in {}.\n{}", m.source, m.text).unwrap());
    o += "\n`default_nettype wire\n";
    o
}

/// A module as it is printed.
pub struct Printed<'a> {
    /// Verilog name.
    pub name: &'a str,
    /// Rust file that describes it.
    pub source: &'a str,
    /// Its documentation and its text.
    pub text: String,
    /// Times it is instantiated below distinct parents.
    pub instances: u32,
}

/// All modules as they are printed, calling `f` with each.
pub fn modules<T>(design: &Design, mut f: impl FnMut(Printed) -> T) -> Vec<T> {
    let families = families(design);
    let mut all = vec![];
    for (i, module) in design.modules.iter().enumerate() {
        let (mut name, mut instances) = (&module.name[..], module.instances);
        let mut text = String::new();
        match families.get(i) {
            Some(family) if family.members[0] != i => continue,
            Some(family) => {
                name = &family.name;
                instances = family.members.iter().map(|m| design.modules[*m].instances).sum();
                finished(module, name, &family.text, &mut text);
            }
            None => finished(module, name, &self::text(design, module, &families, Style::Plain), &mut text),
        }
        all.push(f(Printed { name, source: &module.source, text, instances }));
    }
    all
}

/// The families of a design.
fn families(design: &Design) -> Families {
    Families::of(design, &|module, families| text(design, module, families, Style::OfFamily))
}

/// One module.
pub fn module(design: &Design, module: &Module) -> String {
    let mut o = String::new();
    let families = families(design);
    finished(module, &module.name, &text(design, module, &families, Style::Plain), &mut o);
    o
}

/// The documentation of a module and its text, `text` behind its name, in lines that are not too long.
fn finished(module: &Module, name: &str, text: &str, o: &mut String) {
    for line in &module.header {
        writeln!(o, "{}", format!("//{}", layout::without_links(line)).trim_end()).unwrap();
    }
    if module.body.kept {
        o.push_str("(* keep_hierarchy = \"yes\" *)\n");
    }
    write!(o, "module {name}").unwrap();
    text.lines().for_each(|l| wrap(l, o));
}

/// Text of a block alone, without its children: what rust-hdl is told.
pub fn body(body: &Body) -> String {
    let mut o = String::new();
    Printer::new(body).contents(&mut o);
    o
}

/// One expression.
pub fn expression(body: &Body, expr: ExprId) -> String {
    Printer::new(body).expr(expr)
}

/// How sizes are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// As a reader likes them.
    Plain,
    /// Alike whatever their values: those of one bit are ranges, too.
    OfFamily,
}

/// A module behind its name.
fn text(design: &Design, module: &Module, families: &Families, style: Style) -> String {
    let p = Printer { style, ..Printer::new(&module.body) };
    let mut ports = vec![];
    for (there, name) in [(module.clock, "clock"), (module.reset, "reset")] {
        if there {
            ports.push(("    input  wire ".to_string(), name));
        }
    }
    for (id, s) in module.body.ports() {
        let kind = match s.kind {
            SignalKind::Input => "input  wire",
            _ if p.procedural.contains(&id) => "output reg ",
            _ => "output wire",
        };
        ports.push((format!("    {kind} {}", p.range(s.width)), &s.name));
    }
    let ports = layout::declarations(ports.into_iter(), false);
    let mut o = format!(" (\n{}\n);\n", ports.join(",\n"));
    let mut instances = String::new();
    let mut nets = vec![];
    for (i, child) in module.body.children.iter().enumerate() {
        let below = design.module(child.module);
        let mut connections = vec![];
        for (there, name) in [(below.clock, "clock"), (below.reset, "reset")] {
            if there {
                connections.push((name, name.to_string()));
            }
        }
        let ports = below.body.ports();
        for ((_, port), (id, net)) in ports.zip(module.body.child_nets(i)) {
            let value = match p.inline.get(&id) {
                Some(e) => p.expr(*e),
                None => {
                    if !p.outputs.contains_key(&id) {
                        nets.push((format!("    {} {}", p.net(id), p.range(net.width)), &net.name[..]));
                    }
                    p.name(id).into()
                }
            };
            connections.push((&port.name, value));
        }
        let name = match families.get(child.module.0 as usize) {
            Some(family) => format!("{} {}", family.name, family.arguments(child.module.0 as usize)),
            None => below.name.clone(),
        };
        let (label, connections) = (instance_label(&child.instance), layout::connections(&connections));
        writeln!(instances, "    {name} {label} ({connections}\n    );").unwrap();
    }
    for line in layout::declarations(nets.into_iter(), true) {
        writeln!(o, "{line};").unwrap();
    }
    p.contents(&mut o);
    o + &instances + "endmodule\n"
}

/// Titles that are still to come.
struct Sections<'a> {
    list: &'a [(SignalId, String)],
}

impl Sections<'_> {
    /// Whether a signal stands before the next title.
    fn holds(&self, s: SignalId) -> bool {
        self.list.first().is_none_or(|(at, _)| *at > s)
    }

    /// The title that a signal stands under, when it is the first one.
    fn title(&mut self, s: SignalId, o: &mut String) {
        let before = self.list.partition_point(|(at, _)| *at <= s);
        if let Some((_, title)) = self.list[..before].last() {
            writeln!(o, "    // {title}").unwrap();
        }
        self.list = &self.list[before..];
    }
}

struct Printer<'a> {
    body: &'a Body,
    style: Style,
    /// Signals that a process assigns.
    procedural: HashSet<SignalId>,
    /// Inputs of children with one value: it stands in the list of connections.
    inline: HashMap<SignalId, ExprId>,
    /// Outputs of children that are outputs of the module: the child drives these itself.
    outputs: HashMap<SignalId, SignalId>,
}

impl<'a> Printer<'a> {
    fn new(body: &'a Body) -> Self {
        let mut procedural = HashSet::new();
        for statement in body.processes.iter().flatten() {
            statement.targets(&mut |s| {
                procedural.insert(s);
            });
        }
        if let Some(memory) = body.memory.as_ref().filter(|m| m.style != MemoryStyle::Lut) {
            procedural.extend(memory.reads.iter().map(|r| r.data));
        }
        let child = |s: SignalId| matches!(body.signal(s).kind, SignalKind::Child { direction: Direction::Input, .. });
        let inline = body.assigns.iter().filter(|(s, _)| child(*s)).copied();
        let mut outputs = HashMap::new();
        for (output, value) in &body.assigns {
            let Kind::Signal(net) = body.expr(*value).kind else { continue };
            let whole = matches!(body.signal(net).kind, SignalKind::Child { direction: Direction::Output, .. });
            if whole && body.signal(*output).kind == SignalKind::Output {
                outputs.entry(net).or_insert(*output);
            }
        }
        Printer { body, style: Style::Plain, procedural, inline: inline.collect(), outputs }
    }

    fn signal(&self, s: SignalId) -> &Signal {
        self.body.signal(s)
    }

    fn name(&self, s: SignalId) -> &str {
        &self.signal(self.outputs.get(&s).copied().unwrap_or(s)).name
    }

    fn range(&self, width: u32) -> String {
        if width == 1 && self.style == Style::Plain {
            String::new()
        } else {
            format!("[{}:0] ", width - 1)
        }
    }

    fn net(&self, s: SignalId) -> &'static str {
        if self.procedural.contains(&s) {
            "reg "
        } else {
            "wire"
        }
    }

    /// Everything between the nets of children and their instances.
    fn contents(&self, o: &mut String) {
        self.taps(o);
        match &self.body.memory {
            Some(memory) => self.memory(memory, o),
            None => self.logic(o),
        }
    }

    fn open(&self) -> &'static str {
        if self.body.open {
            OPEN
        } else {
            ""
        }
    }

    fn logic(&self, o: &mut String) {
        let open = self.open();
        let codes = self.body.wires.iter().map(|(s, e)| (self.signal(*s), e)).filter(|(s, _)| is_code(&s.name));
        let mut codes: Vec<_> = codes
            .map(|(s, e)| format!("    localparam {}{} = {};\n", self.range(s.width), s.name, self.expr(*e)))
            .collect();
        codes.sort_unstable();
        *o += &codes.concat();
        let registers: Vec<_> = self.body.registers().collect();
        let mut sections = Sections { list: &self.body.sections };
        let mut rest = &registers[..];
        while let Some((first, _)) = rest.first() {
            sections.title(*first, o);
            let (these, after) = rest.split_at(rest.iter().take_while(|(s, _)| sections.holds(*s)).count());
            rest = after;
            let these = these.iter().map(|(_, s)| (format!("    reg  {}", self.range(s.width)), &s.name[..]));
            let these = match self.body.open {
                true => these.map(|(kind, name)| kind + name + open).collect(),
                false => layout::declarations(these, false),
            };
            for line in these {
                writeln!(o, "{line};").unwrap();
            }
        }
        for (_, s) in registers.iter().filter(|_| self.body.kept) {
            let SignalKind::Reg { reset: Some(value) } = s.kind else { continue };
            writeln!(o, "    initial {} = {}'h{value:x};", s.name, s.width).unwrap();
        }
        for (s, e) in &self.body.wires {
            let signal = self.signal(*s);
            if !is_code(&signal.name) {
                sections.title(*s, o);
                writeln!(o, "    wire {}{} = {};", self.range(signal.width), signal.name, self.expr(*e)).unwrap();
            }
        }
        let driven: HashSet<SignalId> = self.outputs.values().copied().collect();
        for (s, e) in &self.body.assigns {
            if !self.inline.contains_key(s) && !driven.contains(s) {
                writeln!(o, "    assign {} = {};", self.name(*s), self.expr(*e)).unwrap();
            }
        }
        for process in &self.body.processes {
            *o += "    always @(*) begin\n";
            self.statements(process, "=", 2, o);
            *o += "    end\n";
        }
        self.registers(o);
        if !self.body.assertions.is_empty() {
            *o += "`ifdef FORMAL\n";
            for (e, says) in &self.body.assertions {
                writeln!(o, "    // {says}").unwrap();
                writeln!(o, "    always @(posedge clock) if (!reset) assert ({});", self.expr(*e)).unwrap();
            }
            *o += "`endif\n";
        }
    }

    /// The clocked process, with the reset values.
    fn registers(&self, o: &mut String) {
        if self.body.registers().next().is_none() {
            return;
        }
        *o += "    always @(posedge clock) begin\n";
        self.statements(&self.body.clocked, "<=", 2, o);
        let resets: Vec<String> = self
            .body
            .registers()
            .filter_map(|(_, s)| match s.kind {
                SignalKind::Reg { reset: Some(v) } => Some(format!("            {} <= {}'d{v};\n", s.name, s.width)),
                _ => None,
            })
            .collect();
        if !resets.is_empty() {
            write!(o, "        if (reset) begin\n{}        end\n", resets.concat()).unwrap();
        }
        *o += "    end\n";
    }

    fn statements(&self, list: &[Stmt], how: &str, depth: usize, o: &mut String) {
        let pad = "    ".repeat(depth);
        for statement in list {
            match statement {
                Stmt::Set(s, e) => {
                    writeln!(o, "{pad}{} {how} {};", self.name(*s), self.expr(*e)).unwrap();
                }
                Stmt::If(c, yes, no) if matches!((&yes[..], &no[..]), ([Stmt::Set(..)], [])) => {
                    write!(o, "{pad}if ({}) ", self.expr(*c)).unwrap();
                    self.statements(yes, how, 0, o);
                }
                Stmt::If(c, yes, no) => {
                    let (condition, yes, mut no) = if yes.is_empty() {
                        (format!("~{}", self.operand(*c)), no, yes)
                    } else {
                        (self.expr(*c), yes, no)
                    };
                    writeln!(o, "{pad}if ({condition}) begin").unwrap();
                    self.statements(yes, how, depth + 1, o);
                    while let [Stmt::If(c, y, n)] = &no[..] {
                        if y.is_empty() {
                            break;
                        }
                        writeln!(o, "{pad}end else if ({}) begin", self.expr(*c)).unwrap();
                        self.statements(y, how, depth + 1, o);
                        no = n;
                    }
                    if !no.is_empty() {
                        writeln!(o, "{pad}end else begin").unwrap();
                        self.statements(no, how, depth + 1, o);
                    }
                    writeln!(o, "{pad}end").unwrap();
                }
            }
        }
    }

    fn memory(&self, m: &Memory, o: &mut String) {
        let attributes = match m.style {
            MemoryStyle::Block => "ram_style = \"block\"",
            MemoryStyle::Lut => "ram_style = \"distributed\"",
            MemoryStyle::Table => "rom_style = \"block\"",
        };
        let open = self.open();
        let check = if m.rdw_dont_care { ", no_rw_check" } else { "" };
        writeln!(o, "    (* {attributes}{check} *) reg {}mem [0:{}]{open};", self.range(m.width), m.depth - 1).unwrap();
        let port = |r: &crate::module::ReadPort| (self.name(r.data), self.name(r.address));
        match m.style {
            MemoryStyle::Lut => {
                for (data, address) in m.reads.iter().map(port) {
                    writeln!(o, "    assign {data} = mem[{address}];").unwrap();
                }
            }
            MemoryStyle::Block => {
                *o += "    always @(posedge clock) begin\n";
                for r in &m.reads {
                    let (data, address) = port(r);
                    let enable = self.name(r.enable.expect("block RAM has read enables"));
                    writeln!(o, "        if ({enable}) {data} <= mem[{address}];").unwrap();
                }
                *o += "    end\n";
            }
            MemoryStyle::Table => {
                for (data, address) in m.reads.iter().map(port) {
                    writeln!(o, "    always @(posedge clock) {data} <= mem[{address}];").unwrap();
                }
            }
        }
        if let Some(w) = &m.write {
            let (address, data) = (self.name(w.address), self.name(w.data));
            let enable = self.name(w.enable);
            let granules = m.width / m.granule;
            let looped = (2..=UNROLLED).contains(&granules);
            if looped {
                *o += "    integer g;\n";
            }
            *o += "    always @(posedge clock) begin\n";
            if granules == 1 {
                writeln!(o, "        if ({enable}) mem[{address}] <= {data};").unwrap();
            } else if looped {
                let granule = m.granule;
                let part = format!("[g * {granule} +: {granule}]");
                writeln!(o, "        for (g = 0; g < {granules}; g = g + 1) begin").unwrap();
                writeln!(o, "            if ({enable}[g]) mem[{address}]{part} <= {data}{part};").unwrap();
                *o += "        end\n";
            } else {
                for g in 0..granules {
                    let (lo, hi) = (g * m.granule, (g + 1) * m.granule - 1);
                    let part = if m.granule == 1 { format!("[{lo}]") } else { format!("[{hi}:{lo}]") };
                    writeln!(o, "        if ({enable}[{g}]) mem[{address}]{part} <= {data}{part};").unwrap();
                }
            }
            *o += "    end\n";
        }
        if m.zeroed {
            *o += "    integer z;\n";
            let (depth, width) = (m.depth, m.width);
            writeln!(o, "    initial for (z = 0; z < {depth}; z = z + 1) mem[z] = {{{width}{{1'b0}}}};").unwrap();
        }
        if !m.words.is_empty() {
            *o += "    initial begin\n";
            let (width, digits) = (m.width, m.width.div_ceil(4) as usize);
            let places = m.words.len().to_string().len();
            let shown = |(i, word): (usize, &u64)| format!("mem[{i:places$}] = {width}'h{word:0digits$x};");
            let words: Vec<String> = m.words.iter().enumerate().map(shown).collect();
            let a_line = (COLUMNS - 7) / (words[0].len() + 1);
            for line in words.chunks(a_line.max(1)) {
                writeln!(o, "        {}", line.join(" ")).unwrap();
            }
            *o += "    end\n";
        }
    }

    fn taps(&self, o: &mut String) {
        for tap in &self.body.taps {
            match *tap {
                Tap::Held { output, held } => {
                    let (y, held) = (self.signal(output), self.name(held));
                    writeln!(o, "    reg  {}{held}{OPEN};", self.range(y.width)).unwrap();
                    writeln!(o, "    assign {} = {held};", y.name).unwrap();
                }
                Tap::Saboteur { output, raw, keep, flip } => {
                    let (y, net) = (self.signal(output), self.net(raw));
                    let (w, r) = (y.width, self.range(y.width));
                    let (raw, keep, flip) = (self.name(raw), self.name(keep), self.name(flip));
                    writeln!(o, "    {net} {r}{raw}{OPEN};").unwrap();
                    writeln!(o, "    `SABOTEUR {r}{keep}{OPEN} = {{{w}{{1'b1}}}};").unwrap();
                    writeln!(o, "    `SABOTEUR {r}{flip}{OPEN} = {w}'d0;").unwrap();
                    writeln!(o, "    assign {} = ({raw} & {keep}) ^ {flip};", y.name).unwrap();
                }
            }
        }
    }

    fn expr(&self, e: ExprId) -> String {
        let expr = self.body.expr(e);
        let width = expr.width;
        match &expr.kind {
            Kind::Signal(s) => self.name(*s).into(),
            Kind::Lit(v) if *v < 10 => format!("{width}'d{v}"),
            Kind::Lit(v) => format!("{width}'h{v:x}"),
            Kind::Cat(parts) => {
                let parts: Vec<String> = parts.iter().map(|p| self.expr(*p)).collect();
                format!("{{{}}}", parts.join(", "))
            }
            Kind::Repeat(n, a) => format!("{{{n}{{{}}}}}", self.expr(*a)),
            Kind::Slice(a, lo) if width == 1 && (*lo > 0 || self.style == Style::Plain) => {
                format!("{}[{lo}]", self.expr(*a))
            }
            Kind::Slice(a, lo) => format!("{}[{}:{lo}]", self.expr(*a), lo + width - 1),
            Kind::Select(a, i) if width == 1 => format!("{}[{}]", self.expr(*a), self.expr(*i)),
            Kind::Select(a, i) => format!("{}[{} +: {width}]", self.expr(*a), self.expr(*i)),
            Kind::Not(a) => format!("~{}", self.operand(*a)),
            Kind::Any(a) => format!("|{}", self.operand(*a)),
            Kind::All(a) => format!("&{}", self.operand(*a)),
            Kind::Binary(op, a, b) => {
                let side = |e: ExprId| match &self.body.expr(e).kind {
                    _ if op.is_signed() => format!("$signed({})", self.expr(e)),
                    // A chain of one bitwise operation needs no parentheses.
                    Kind::Binary(inner, ..) if inner == op && matches!(op.symbol(), "&" | "|" | "^") => self.expr(e),
                    _ => self.operand(e),
                };
                format!("{} {} {}", side(*a), op.symbol(), side(*b))
            }
            Kind::Mux(c, a, b) => {
                // The choice made when the condition is false needs no parentheses: it reads as "else if".
                let otherwise = match self.body.expr(*b).kind {
                    Kind::Mux(..) => self.expr(*b),
                    _ => self.operand(*b),
                };
                format!("{} ? {} : {otherwise}", self.operand(*c), self.operand(*a))
            }
        }
    }

    fn operand(&self, e: ExprId) -> String {
        match self.body.expr(e).kind {
            Kind::Binary(..) | Kind::Mux(..) | Kind::Not(_) | Kind::Any(_) | Kind::All(_) => {
                format!("({})", self.expr(e))
            }
            _ => self.expr(e),
        }
    }
}
