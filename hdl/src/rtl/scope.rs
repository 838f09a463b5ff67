//! The body of one block while it is being described: names, wires, assignments.
//!
//! [`build`] runs a block's `rtl` method once and renders what it said as the Verilog body that
//! rust-hdl's `Logic::hdl` returns. Functions such as [`set`] and [`when`] speak to the block
//! under construction, so helper functions, loops and `let` are plain Rust.

use super::expr::{Ex, Kind};
use super::port::{leaf_kind, Leaf, LeafKind};
use rust_hdl_core::ast::Verilog;
use rust_hdl_core::atom::Atom;
use rust_hdl_core::block::Block;
use rust_hdl_core::probe::Probe;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

/// A block described in this crate: a rust-hdl block whose body is written by `rtl`.
pub trait Rtl: Block {
    /// Says what the block does, with [`set`], [`when`], [`wire`].
    fn rtl(&self);
}

/// Implements rust-hdl's `Logic` for a block: `hdl` renders the body that `Rtl::rtl` describes.
/// The header of the emitted module is the `//!` comment of the file this stands in.
#[macro_export]
macro_rules! rtl_block {
    ($t:ty, $name:literal) => {
        impl rust_hdl_core::logic::Logic for $t {
            /// Simulation is Verilator's: the emitted text is what is tested.
            fn update(&mut self) {}
            fn hdl(&self) -> rust_hdl_core::ast::Verilog {
                const FILE: &str =
                    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../", file!()));
                $crate::rtl::build(self, $name, file!(), FILE)
            }
        }
    };
}

#[derive(Clone)]
enum Stmt {
    Set(usize, Ex),
    If(Ex, Vec<Stmt>, Vec<Stmt>),
}

#[derive(Clone)]
struct Target {
    name: String,
    width: usize,
    kind: LeafKind,
    own: bool,
}

#[derive(Default)]
struct Scope {
    block: String,
    targets: HashMap<usize, Target>,
    order: Vec<usize>,
    taken: BTreeSet<String>,
    wires: Vec<(String, Ex)>,
    named: HashMap<*const Kind, (Ex, Ex)>,
    nest: Vec<Vec<Stmt>>,
    counter: BTreeMap<String, usize>,
}

thread_local! {
    static STACK: RefCell<Vec<Scope>> = const { RefCell::new(Vec::new()) };
}

fn with<T>(f: impl FnOnce(&mut Scope) -> T) -> T {
    STACK.with(|s| f(s.borrow_mut().last_mut().expect("inside a block's rtl()")))
}

/// Collects the leaves of a block and of its direct children by identity.
#[derive(Default)]
struct Names {
    path: Vec<String>,
    scope: Scope,
}

impl Probe for Names {
    fn visit_start_scope(&mut self, name: &str, _: &dyn Block) {
        self.path.push(name.replace('$', "_"));
    }
    fn visit_atom(&mut self, name: &str, a: &dyn Atom) {
        let depth = self.path.len();
        let Some(kind) = leaf_kind(a) else {
            panic!("{name}: only Input, Output, Reg and blocks inside a block")
        };
        if depth > 2 || depth == 2 && matches!(kind, LeafKind::Reg(_)) {
            return;
        }
        let own = depth == 1;
        let name = name.replace('$', "_");
        let name = if own {
            name
        } else {
            format!("{}_{name}", self.path[1])
        };
        check_name(&name);
        assert!(
            self.scope.taken.insert(name.clone()),
            "two signals named {name} in {}",
            self.path[0]
        );
        self.scope.targets.insert(
            a.id(),
            Target {
                name,
                width: a.bits(),
                kind,
                own,
            },
        );
        self.scope.order.push(a.id());
    }
    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        self.path.pop();
    }
}

/// The present value of a port, of a child's output or of a register.
pub fn get(leaf: &impl AsRef<Leaf>) -> Ex {
    let leaf: &Leaf = leaf.as_ref();
    with(|s| {
        let t = s
            .targets
            .get(&leaf.id())
            .unwrap_or_else(|| panic!("{}: a signal of neither this block nor a child", s.block));
        let readable = match t.kind {
            LeafKind::Input => t.own,
            LeafKind::Output => !t.own,
            LeafKind::Reg(_) => true,
        };
        assert!(
            readable,
            "{}: {} is driven here and cannot be read; name the value first",
            s.block, t.name
        );
        Ex::name(&t.name, t.width)
    })
}

/// Values of an array of ports or registers.
pub fn get_all<L: AsRef<Leaf>>(leaves: &[L]) -> Vec<Ex> {
    leaves.iter().map(get).collect()
}

/// Drives an output, a child's input, or the next value of a register. Inside [`when`] it acts
/// under the condition; the last one said wins. A register that nothing drives holds; anything
/// else must have a value on every path (a latch is refused).
pub fn set(leaf: &impl AsRef<Leaf>, value: impl Into<Ex>) {
    let leaf: &Leaf = leaf.as_ref();
    let value = value.into();
    with(|s| {
        let t = s
            .targets
            .get(&leaf.id())
            .unwrap_or_else(|| panic!("{}: a signal of neither this block nor a child", s.block));
        let drivable = match t.kind {
            LeafKind::Input => !t.own,
            LeafKind::Output => t.own,
            LeafKind::Reg(_) => t.own,
        };
        assert!(drivable, "{}: {} cannot be driven here", s.block, t.name);
        assert_eq!(
            t.width,
            value.width(),
            "{}: {} has {} bits, the value `{}` {}",
            s.block,
            t.name,
            t.width,
            value.text(),
            value.width()
        );
        s.nest.last_mut().unwrap().push(Stmt::Set(leaf.id(), value));
    })
}

impl From<&Ex> for Ex {
    fn from(e: &Ex) -> Ex {
        e.clone()
    }
}

/// Statements under a condition of one bit.
pub fn when(c: &Ex, then: impl FnOnce()) {
    when_else(c, then, || {});
}

/// Statements under a condition, and others when it does not hold.
pub fn when_else(c: &Ex, then: impl FnOnce(), otherwise: impl FnOnce()) {
    assert_eq!(c.width(), 1, "a condition of one bit: `{}`", c.text());
    with(|s| s.nest.push(vec![]));
    then();
    let yes = with(|s| s.nest.pop().unwrap());
    with(|s| s.nest.push(vec![]));
    otherwise();
    let no = with(|s| s.nest.pop().unwrap());
    with(|s| {
        s.nest
            .last_mut()
            .unwrap()
            .push(Stmt::If(c.clone(), yes, no))
    });
}

/// Names a value. The name appears in the Verilog and in waveforms; a second wire of the same
/// name gets a number.
pub fn wire(name: &str, value: impl Into<Ex>) -> Ex {
    let value = value.into();
    with(|s| {
        let name = s.fresh(name);
        s.wires.push((name.clone(), value.clone()));
        Ex::name(&name, value.width())
    })
}

/// A name for an expression that needs one; the same expression gets the same name.
pub(crate) fn temporary(value: &Ex) -> Ex {
    let key = std::rc::Rc::as_ptr(&value.kind);
    if let Some((_, n)) = with(|s| s.named.get(&key).cloned()) {
        return n;
    }
    let n = wire("t", value);
    // The expression is kept alive with its name: its address must not be reused.
    with(|s| s.named.insert(key, (value.clone(), n.clone())));
    n
}

impl Scope {
    fn fresh(&mut self, base: &str) -> String {
        check_name(base);
        if base != "t" && self.taken.insert(base.into()) {
            return base.into();
        }
        loop {
            let n = self.counter.entry(base.into()).or_insert(0);
            *n += 1;
            let name = format!("{base}_{n}");
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

fn touches(s: &Stmt, ids: &mut BTreeSet<usize>) {
    match s {
        Stmt::Set(id, _) => {
            ids.insert(*id);
        }
        Stmt::If(_, a, b) => a.iter().chain(b).for_each(|s| touches(s, ids)),
    }
}

/// Whether every path through the statements gives `id` a value.
fn complete(body: &[Stmt], id: usize) -> bool {
    body.iter().any(|s| match s {
        Stmt::Set(i, _) => *i == id,
        Stmt::If(_, a, b) => complete(a, id) && complete(b, id),
    })
}

fn only(body: &[Stmt], ids: &BTreeSet<usize>) -> Vec<Stmt> {
    let keep = |s: &Stmt| match s {
        Stmt::Set(id, _) => ids.contains(id).then(|| s.clone()),
        Stmt::If(c, a, b) => {
            let (a, b) = (only(a, ids), only(b, ids));
            (!a.is_empty() || !b.is_empty()).then(|| Stmt::If(c.clone(), a, b))
        }
    };
    body.iter().filter_map(keep).collect()
}

fn print(s: &Scope, body: &[Stmt], how: &str, depth: usize, o: &mut String) {
    let pad = "    ".repeat(depth);
    for st in body {
        match st {
            Stmt::Set(id, e) => {
                writeln!(o, "{pad}{} {how} {};", s.targets[id].name, e.text()).unwrap()
            }
            Stmt::If(c, yes, no) => {
                let (c, yes, no) = if yes.is_empty() {
                    (!c, no, yes)
                } else {
                    (c.clone(), yes, no)
                };
                writeln!(o, "{pad}if ({}) begin", c.text()).unwrap();
                print(s, yes, how, depth + 1, o);
                let mut no = no;
                while let [Stmt::If(c, y, n)] = &no[..] {
                    if y.is_empty() {
                        break;
                    }
                    writeln!(o, "{pad}end else if ({}) begin", c.text()).unwrap();
                    print(s, y, how, depth + 1, o);
                    no = n;
                }
                if !no.is_empty() {
                    writeln!(o, "{pad}end else begin").unwrap();
                    print(s, no, how, depth + 1, o);
                }
                writeln!(o, "{pad}end").unwrap();
            }
        }
    }
}

pub(crate) fn range(width: usize) -> String {
    if width == 1 {
        String::new()
    } else {
        format!("[{}:0] ", width - 1)
    }
}

/// Words SystemVerilog (IEEE 1800-2017, annex B) keeps for itself, and the two threaded signals.
const RESERVED: &str = "clock reset \
    accept_on alias always always_comb always_ff always_latch and assert assign assume automatic \
    before begin bind bins binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle \
    checker class clocking cmos config const constraint context continue cover covergroup \
    coverpoint cross deassign default defparam design disable dist do edge else end endcase \
    endchecker endclass endclocking endconfig endfunction endgenerate endgroup endinterface \
    endmodule endpackage endprimitive endprogram endproperty endsequence endspecify endtable \
    endtask enum event eventually expect export extends extern final first_match for force \
    foreach forever fork forkjoin function generate genvar global highz0 highz1 if iff ifnone \
    ignore_bins illegal_bins implements implies import incdir include initial inout input inside \
    instance int integer interconnect interface intersect join join_any join_none large let \
    liblist library local localparam logic longint macromodule matches medium modport module \
    nand negedge nettype new nexttime nmos nor noshowcancelled not notif0 notif1 null or output \
    package packed parameter pmos posedge primitive priority program property protected pull0 \
    pull1 pulldown pullup pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase \
    randsequence rcmos real realtime ref reg reject_on release repeat restrict return rnmos \
    rpmos rtran rtranif0 rtranif1 s_always s_eventually s_nexttime s_until s_until_with scalared \
    sequence shortint shortreal showcancelled signed small soft solve specify specparam static \
    string strong strong0 strong1 struct super supply0 supply1 sync_accept_on sync_reject_on \
    table tagged task this throughout time timeprecision timeunit tran tranif0 tranif1 tri tri0 \
    tri1 triand trior trireg type typedef union unique unique0 unsigned until until_with untyped \
    use uwire var vectored virtual void wait wait_order wand weak weak0 weak1 while wildcard \
    wire with within wor xnor xor";

fn check_name(name: &str) {
    assert!(
        !RESERVED.split(' ').any(|word| word == name),
        "`{name}` is a Verilog keyword or a threaded signal: choose another name"
    );
}

/// Marks in the text that [`crate::emit`] reads: the module's name, its file, its header.
pub(crate) const MODULE_MARK: &str = "//@ module ";
pub(crate) const FILE_MARK: &str = "//@ file ";
pub(crate) const PROCEDURAL_MARK: &str = "//@ reg ";

/// Renders the body of `block`. `file` and `source` name the Rust file whose `//!` comment becomes
/// the header of the module.
///
/// # Panics
/// When the description is wrong (a width mismatch, an undriven output, a latch): a bug of the
/// block, found when the chip is emitted.
pub fn build(block: &impl Rtl, name: &str, file: &str, source: &str) -> Verilog {
    let mut names = Names::default();
    block.accept(name, &mut names);
    let mut scope = names.scope;
    scope.block = name.into();
    scope.nest.push(vec![]);
    STACK.with(|s| s.borrow_mut().push(scope));
    block.rtl();
    let mut s = STACK
        .with(|s| s.borrow_mut().pop())
        .expect("the scope pushed above");
    let body = s.nest.pop().expect("the outermost level");

    let mut touched = BTreeSet::new();
    body.iter().for_each(|st| touches(st, &mut touched));
    let mut o = format!("{MODULE_MARK}{name}\n{FILE_MARK}{file}\n");
    for line in source.lines().take_while(|l| l.starts_with("//!")) {
        writeln!(o, "//{}", &line[3..]).unwrap();
    }

    // Every driven wire, alone or in a process with those it shares conditions with.
    let mut assigns = String::new();
    let mut groups: Vec<BTreeSet<usize>> = vec![];
    for id in s.order.clone() {
        let t = s.targets[&id].clone();
        let driven = match t.kind {
            LeafKind::Input => !t.own,
            LeafKind::Output => t.own,
            LeafKind::Reg(_) => false,
        };
        if !driven {
            continue;
        }
        assert!(touched.contains(&id), "{name}: nothing drives {}", t.name);
        assert!(
            complete(&body, id),
            "{name}: {} keeps its old value on some path (a latch)",
            t.name
        );
        let mine = only(&body, &BTreeSet::from([id]));
        if let [Stmt::Set(_, e)] = &mine[..] {
            writeln!(assigns, "    assign {} = {};", t.name, e.text()).unwrap();
        } else {
            writeln!(o, "{PROCEDURAL_MARK}{}", t.name).unwrap();
            let mut group = BTreeSet::from([id]);
            for st in &body {
                let mut with = BTreeSet::new();
                touches(st, &mut with);
                if matches!(st, Stmt::If(..)) && with.contains(&id) {
                    group.extend(
                        with.iter()
                            .filter(|i| !matches!(s.targets[i].kind, LeafKind::Reg(_))),
                    );
                }
            }
            groups.push(group);
        }
    }
    // Merge groups that overlap.
    let mut merged: Vec<BTreeSet<usize>> = vec![];
    for mut g in groups {
        while let Some(i) = merged.iter().position(|m| !m.is_disjoint(&g)) {
            g.extend(merged.remove(i));
        }
        merged.push(g);
    }
    merged.sort_by_key(|g| s.order.iter().position(|i| g.contains(i)));

    for id in &s.order {
        let t = &s.targets[id];
        if matches!(t.kind, LeafKind::Reg(_)) {
            writeln!(o, "    reg  {}{};", range(t.width), t.name).unwrap();
        }
    }
    let mut rest = assigns;
    for g in &merged {
        writeln!(rest, "    always @(*) begin").unwrap();
        print(&s, &only(&body, g), "=", 2, &mut rest);
        writeln!(rest, "    end").unwrap();
    }
    let regs: BTreeSet<usize> = s
        .order
        .iter()
        .copied()
        .filter(|i| matches!(s.targets[i].kind, LeafKind::Reg(_)))
        .collect();
    for id in &regs {
        assert!(
            touched.contains(id),
            "{name}: nothing ever writes register {}",
            s.targets[id].name
        );
    }
    if !regs.is_empty() {
        writeln!(rest, "    always @(posedge clock) begin").unwrap();
        print(&s, &only(&body, &regs), "<=", 2, &mut rest);
        let reset: Vec<String> = s
            .order
            .iter()
            .filter_map(|i| match &s.targets[i] {
                Target {
                    kind: LeafKind::Reg(Some(v)),
                    name,
                    width,
                    ..
                } => Some(format!("            {name} <= {width}'d{v};")),
                _ => None,
            })
            .collect();
        if !reset.is_empty() {
            writeln!(
                rest,
                "        if (reset) begin\n{}\n        end",
                reset.join("\n")
            )
            .unwrap();
        }
        writeln!(rest, "    end").unwrap();
    }
    o += &used_wires(&s.wires, &rest);
    o += &rest;
    Verilog::Custom(o)
}

/// Declarations of the wires that something reads, in order; the others are left out.
fn used_wires(wires: &[(String, Ex)], rest: &str) -> String {
    let names = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        words
            .filter(|w| !w.is_empty())
            .map(str::to_string)
            .collect()
    };
    let mut used: BTreeSet<String> = names(rest).into_iter().collect();
    let mut lines = vec![];
    for (n, e) in wires.iter().rev() {
        if used.contains(n) {
            let text = e.text();
            used.extend(names(&text));
            lines.push(format!("    wire {}{n} = {text};\n", range(e.width())));
        }
    }
    lines.reverse();
    lines.concat()
}
