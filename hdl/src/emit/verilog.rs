//! Block tree to Verilog: one module for each distinct body.
//!
//! Instances whose bodies are equal once their children are named share a module, bottom-up.
//! A clock and a synchronous reset port go to every module that holds state.

use super::inject;
use super::tree::Node;
use crate::rtl::{range, LeafKind, FILE_MARK, MODULE_MARK, PROCEDURAL_MARK};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

/// A finished module.
#[derive(Clone, Debug)]
pub struct Module {
    pub name: String,
    /// Rust file that describes it, relative to the project.
    pub source: String,
    pub text: String,
    pub instances: usize,
}

/// All modules of a chip, children before parents.
#[derive(Default)]
pub struct Modules {
    pub list: Vec<Module>,
    by_body: HashMap<String, usize>,
    clocked: BTreeMap<String, (bool, bool)>,
    inject: bool,
}

impl Modules {
    /// No modules yet; `inject`: with open state and saboteurs.
    pub fn new(inject: bool) -> Self {
        Modules {
            inject,
            ..Modules::default()
        }
    }

    /// Adds the top and everything below it; returns the name of its module.
    pub fn add_top(&mut self, node: &Node) -> String {
        self.add(node, true)
    }

    fn add(&mut self, node: &Node, top: bool) -> String {
        let opened;
        let text = if self.inject {
            opened = inject::body(node, top);
            &opened
        } else {
            &node.body
        };
        let mut base = String::new();
        let mut source = String::new();
        let mut header = String::new();
        let mut procedural = BTreeSet::new();
        let mut body = String::new();
        for line in text.lines() {
            if let Some(n) = line.strip_prefix(MODULE_MARK) {
                base = n.into();
            } else if let Some(f) = line.strip_prefix(FILE_MARK) {
                source = f.into();
            } else if let Some(n) = line.strip_prefix(PROCEDURAL_MARK) {
                procedural.insert(n.to_string());
            } else if line.starts_with("//") {
                writeln!(header, "{}", line.trim_end()).unwrap();
            } else {
                body += line;
                body.push('\n');
            }
        }

        // A plain assignment to a child's input goes into the port list.
        let inputs: BTreeSet<String> = node
            .children
            .iter()
            .flat_map(|c| {
                c.wires
                    .iter()
                    .filter(|w| w.kind == LeafKind::Input)
                    .map(move |w| format!("{}_{}", c.instance, w.name))
            })
            .collect();
        let mut inline = HashMap::new();
        let mut rest = String::new();
        for line in body.lines() {
            let assign = line
                .strip_prefix("    assign ")
                .and_then(|a| a.strip_suffix(';'))
                .and_then(|a| a.split_once(" = "));
            match assign {
                Some((n, e)) if inputs.contains(n) => {
                    inline.insert(n.to_string(), e.to_string());
                }
                _ => {
                    rest += line;
                    rest.push('\n');
                }
            }
        }

        let mut instances = String::new();
        let mut wires = String::new();
        let mut clocked = (rest.contains("posedge clock"), rest.contains("if (reset)"));
        for c in &node.children {
            let kind = self.add(c, false);
            let child = self.clocked[&kind];
            clocked = (clocked.0 | child.0, clocked.1 | child.1);
            let mut args = vec![];
            if child.0 {
                args.push(".clock(clock)".to_string());
            }
            if child.1 {
                args.push(".reset(reset)".to_string());
            }
            for w in &c.wires {
                let n = format!("{}_{}", c.instance, w.name);
                match w.kind {
                    LeafKind::Reg(_) => continue,
                    LeafKind::Input if inline.contains_key(&n) => {
                        args.push(format!(".{}({})", w.name, inline[&n]))
                    }
                    _ => {
                        let net = if procedural.contains(&n) {
                            "reg "
                        } else {
                            "wire"
                        };
                        writeln!(wires, "    {net} {}{n};", range(w.width)).unwrap();
                        args.push(format!(".{}({n})", w.name));
                    }
                }
            }
            writeln!(
                instances,
                "    {kind} {} (\n        {}\n    );",
                instance_label(&c.instance),
                args.join(",\n        ")
            )
            .unwrap();
        }

        let mut ports = vec![];
        if clocked.0 {
            ports.push("    input  wire clock".to_string());
        }
        if clocked.1 {
            ports.push("    input  wire reset".to_string());
        }
        for w in &node.wires {
            let dir = match w.kind {
                LeafKind::Input => "input  wire",
                LeafKind::Output if procedural.contains(&w.name) => "output reg ",
                LeafKind::Output => "output wire",
                LeafKind::Reg(_) => continue,
            };
            ports.push(format!("    {dir} {}{}", range(w.width), w.name));
        }
        let text = format!(
            " (\n{}\n);\n{wires}{rest}{instances}endmodule\n",
            ports.join(",\n")
        );
        let text: String = text.lines().map(wrap).collect();
        if let Some(&i) = self.by_body.get(&text) {
            self.list[i].instances += 1;
            return self.list[i].name.clone();
        }
        let taken = |n: &str| self.list.iter().any(|m| m.name == n);
        let name = (1..)
            .map(|i| {
                if i == 1 {
                    base.clone()
                } else {
                    format!("{base}_{i}")
                }
            })
            .find(|n| !taken(n))
            .expect("an endless supply of names");
        self.by_body.insert(text.clone(), self.list.len());
        self.clocked.insert(name.clone(), clocked);
        self.list.push(Module {
            text: format!("{header}module {name}{text}"),
            name: name.clone(),
            source,
            instances: 1,
        });
        name
    }
}

/// Name of an instance: apart from every signal, so that nothing below hides it.
pub fn instance_label(instance: &str) -> String {
    format!("u_{instance}")
}

/// Columns a line of Verilog may have.
const COLUMNS: usize = 120;

/// A line with its end, broken at spaces when it is too long.
fn wrap(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    let mut room = COLUMNS;
    while rest.len() > room {
        // A break within the indentation would be none.
        let from = rest.len() - rest.trim_start().len();
        let Some(at) = rest[..room]
            .rfind(' ')
            .filter(|at| *at > from)
            .or_else(|| rest[room..].find(' ').map(|i| i + room))
        else {
            break;
        };
        out += rest[..at].trim_end();
        out += "\n            ";
        rest = &rest[at + 1..];
        room = COLUMNS - 12;
    }
    out += rest;
    out.push('\n');
    out
}
