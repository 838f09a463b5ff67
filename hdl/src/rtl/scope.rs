//! The description of one block while it is being made: names, wires, assignments.
//!
//! [`build`] runs a block's `rtl` method once; what it said becomes a [`Module`] of the netlist. Functions
//! such as [`set`] and [`when`] speak to the block under construction, so helper functions, loops and
//! `let` are plain Rust. rust-hdl's `Logic::hdl` is the one way from a `dyn Block` to its description:
//! it prints the module, or hands it to [`module_of`].

use super::codes::Codes;
use super::group;
use super::port::{leaf_kind, Leaf, LeafKind};
use super::value::Expr;
use rust_hdl_core::ast::Verilog;
use rust_hdl_core::atom::Atom;
use rust_hdl_core::block::Block;
use rust_hdl_core::probe::Probe;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;
use std::sync::LazyLock;
use warpsmith_contract::Direction;
use warpsmith_netlist::{
    print, Binary, Body, Description, ExprId, Kind, Memory, Module, Signal, SignalId, SignalKind, Stmt,
};

/// A block described in this crate: a rust-hdl block whose body is written by `rtl`.
pub trait Rtl: Block {
    /// Says what the block does, with [`set`], [`when`], [`wire`].
    fn rtl(&self);
}

/// Implements rust-hdl's `Logic` for a block: `hdl` makes the module that `Rtl::rtl` describes, `update` evaluates it.
/// The header of the emitted module is the `//!` comment of the file this stands in.
#[macro_export]
macro_rules! rtl_block {
    ($t:ty, $name:literal) => {
        impl rust_hdl_core::logic::Logic for $t {
            fn update(&mut self) {
                let mut simulated = std::mem::take(&mut self._simulated);
                simulated.update(self);
                self._simulated = simulated;
            }
            fn hdl(&self) -> rust_hdl_core::ast::Verilog {
                const FILE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../", file!()));
                $crate::rtl::build(self, $name, file!(), FILE)
            }
        }
    };
}

/// A leaf as the block under construction sees it.
#[derive(Clone, Copy)]
struct Target {
    signal: SignalId,
    readable: bool,
    drivable: bool,
}

#[derive(Default)]
struct Scope {
    description: Description,
    /// By [`Leaf::id`].
    targets: HashMap<usize, Target>,
    taken: BTreeSet<String>,
    /// Names of values.
    named: HashMap<ExprId, Expr>,
    /// Constants that have a name, and the signals that have codes.
    constants: HashMap<(String, usize), Expr>,
    codes: HashMap<SignalId, Codes>,
    /// Numbers of values. The value is kept: its address must not be used again.
    interned: HashMap<*const Kind<Expr>, (Expr, ExprId)>,
    nest: Vec<Vec<Stmt>>,
    counter: BTreeMap<String, usize>,
}

thread_local! {
    static STACK: RefCell<Vec<Scope>> = const { RefCell::new(Vec::new()) };
    /// Whether [`module_of`] asked for a module.
    static ASKED: Cell<bool> = const { Cell::new(false) };
    static HANDED: RefCell<Option<Module>> = const { RefCell::new(None) };
}

fn with<T>(f: impl FnOnce(&mut Scope) -> T) -> T {
    STACK.with(|s| f(s.borrow_mut().last_mut().expect("inside a block's rtl()")))
}

/// Comment in front of registers that follow those of a group and belong to none.
const OWN: &str = "Of no group.";

/// Collects the leaves of a block and of its direct children by identity.
#[derive(Default)]
struct Leaves {
    path: Vec<String>,
    children: u32,
    scope: Scope,
}

impl Leaves {
    fn of(name: &str, block: &dyn Block) -> Scope {
        let mut leaves = Leaves::default();
        group::apart(|| block.accept(name, &mut leaves));
        leaves.scope.description.name = name.into();
        leaves.scope
    }
}

impl Probe for Leaves {
    fn visit_start_scope(&mut self, name: &str, _: &dyn Block) {
        self.path.push(name.replace('$', "_"));
        if self.path.len() == 2 {
            self.children += 1;
        }
    }
    fn visit_atom(&mut self, name: &str, a: &dyn Atom) {
        let depth = self.path.len();
        let Some(kind) = leaf_kind(a) else { panic!("{name}: only Input, Output, Reg and blocks inside a block") };
        if depth > 2 || depth == 2 && matches!(kind, LeafKind::Reg(_)) {
            return;
        }
        let own = depth == 1;
        let name = name.replace('$', "_");
        let name = if own { name } else { format!("{}_{name}", self.path[1]) };
        check_name(&name);
        let scope = &mut self.scope;
        assert!(scope.taken.insert(name.clone()), "two signals named {name} in {}", self.path[0]);
        let child = |direction| SignalKind::Child { child: self.children - 1, direction };
        let (kind, readable, drivable) = match kind {
            LeafKind::Input if own => (SignalKind::Input, true, false),
            LeafKind::Input => (child(Direction::Input), false, true),
            LeafKind::Output if own => (SignalKind::Output, false, true),
            LeafKind::Output => (child(Direction::Output), true, false),
            LeafKind::Reg(reset) => (SignalKind::Reg { reset }, true, true),
        };
        if own && matches!(kind, SignalKind::Reg { .. }) {
            scope.group(group::group_of_signal());
        }
        let signal = scope.signal(name, a.bits(), kind);
        let target = Target { signal, readable, drivable };
        scope.targets.insert(a.id(), target);
    }
    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        self.path.pop();
    }
}

/// The target of a leaf, its name and the name of the block.
fn target(leaf: &Leaf) -> (Target, String, String) {
    with(|s| {
        let block = s.description.name.clone();
        let t = s.targets.get(&leaf.id());
        let t = *t.unwrap_or_else(|| panic!("{block}: a signal of neither this block nor a child"));
        let name = s.description.signals[t.signal.0 as usize].name.clone();
        (t, name, block)
    })
}

/// The present value of a port, of a child's output or of a register.
pub fn get(leaf: &impl AsRef<Leaf>) -> Expr {
    let leaf: &Leaf = leaf.as_ref();
    let (target, name, block) = target(leaf);
    assert!(target.readable, "{block}: {name} is driven here and cannot be read; name the value first");
    Expr::signal(target.signal, leaf.width())
}

/// Values of an array of ports or registers.
pub fn get_all<L: AsRef<Leaf>>(leaves: &[L]) -> Vec<Expr> {
    leaves.iter().map(get).collect()
}

/// Drives an output, a child's input, or the next value of a register. Inside [`when`] it acts
/// under the condition; the last one said wins. A register that nothing drives holds; anything
/// else must have a value on every path (a latch is refused).
pub fn set(leaf: &impl AsRef<Leaf>, value: impl Into<Expr>) {
    let leaf: &Leaf = leaf.as_ref();
    let value = value.into();
    let (target, name, block) = target(leaf);
    assert!(target.drivable, "{block}: {name} cannot be driven here");
    assert_eq!(
        leaf.width(),
        value.width(),
        "{block}: {name} has {} bits, the value `{value}` {}",
        leaf.width(),
        value.width()
    );
    with(|s| {
        let value = s.intern(&value);
        s.say(Stmt::Set(target.signal, value));
    });
}

impl From<&Expr> for Expr {
    fn from(e: &Expr) -> Expr {
        e.clone()
    }
}

/// Statements under a condition of one bit.
pub fn when(c: &Expr, then: impl FnOnce()) {
    when_else(c, then, || {});
}

/// Statements under a condition, and others when it does not hold.
pub fn when_else(c: &Expr, then: impl FnOnce(), otherwise: impl FnOnce()) {
    assert_eq!(c.width(), 1, "a condition of one bit: `{c}`");
    let nested = |say: &mut dyn FnMut()| {
        with(|s| s.nest.push(vec![]));
        say();
        with(|s| s.nest.pop().expect("pushed above"))
    };
    let (mut then, mut otherwise) = (Some(then), Some(otherwise));
    let yes = nested(&mut || (then.take().expect("called once"))());
    let no = nested(&mut || (otherwise.take().expect("called once"))());
    with(|s| {
        let c = s.intern(c);
        s.say(Stmt::If(c, yes, no));
    });
}

/// Names a value. The name appears in the Verilog and in waveforms; a second wire of the same
/// name gets a number.
pub fn wire(name: &str, value: impl Into<Expr>) -> Expr {
    let value = value.into();
    with(|s| {
        let name = s.fresh(name);
        let expr = s.intern(&value);
        let signal = s.signal(name, value.width(), SignalKind::Wire);
        s.description.wires.push((signal, expr));
        let named = Expr::signal(signal, value.width());
        // A number may be named for another reason than where it is needed next.
        if !matches!(&*value.kind, Kind::Lit(_)) {
            s.named.entry(expr).or_insert_with(|| named.clone());
        }
        named
    })
}

/// A name for a value that needs one: the one it has, else `name`.
pub(crate) fn called(name: &str, value: &Expr) -> Expr {
    let expr = with(|s| s.intern(value));
    if let Some(known) = with(|s| s.named.get(&expr).cloned()) {
        return known;
    }
    let named = wire(name, value);
    with(|s| s.named.insert(expr, named.clone()));
    named
}

/// A name for a value that needs one and got none: the one it has, else what its operation does, and a number.
pub(crate) fn temporary(value: &Expr) -> Expr {
    called(operation(&value.kind), value)
}

/// What an operation does, in a word that no block uses for a name; a number always follows.
fn operation(kind: &Kind<Expr>) -> &'static str {
    match kind {
        Kind::Signal(_) => "same_",
        Kind::Lit(_) => "constant_",
        Kind::Cat(_) => "joined_",
        Kind::Repeat(..) => "repeated_",
        Kind::Slice(..) => "part_",
        Kind::Select(..) => "entry_",
        Kind::Not(_) => "inverted_",
        Kind::Any(_) | Kind::All(_) => "reduced_",
        Kind::Mux(..) => "chosen_",
        Kind::Binary(op, ..) => match op {
            Binary::And => "masked_",
            Binary::Or => "merged_",
            Binary::Xor => "flipped_",
            Binary::Add => "added_",
            Binary::Sub => "subtracted_",
            Binary::Mul | Binary::MulSigned => "multiplied_",
            Binary::Shl | Binary::Shr => "shifted_",
            _ => "compared_",
        },
    }
}

/// A constant that the Verilog calls by its name, in upper case.
pub fn code(name: &str, width: usize, value: u64) -> Expr {
    let key = (name.to_string(), width);
    if let Some(known) = with(|s| s.constants.get(&key).cloned()) {
        return known;
    }
    let named = wire(name, Expr::new(Kind::Lit(value.into()), width));
    with(|s| s.constants.insert(key, named.clone()));
    named
}

/// A signal whose values have names: comparisons by [`Expr::is`] show them.
pub fn coded(value: &Expr, codes: &Codes) -> Expr {
    if let Kind::Signal(signal) = &*value.kind {
        with(|s| s.codes.insert(*signal, *codes));
    }
    value.clone()
}

/// The name of a signal's value.
pub(crate) fn name_of(signal: SignalId, value: u64) -> Option<String> {
    with(|s| s.codes.get(&signal)?.name(value))
}

/// What is named from here on belongs together: a comment line in the Verilog.
pub fn section(title: &str) {
    with(|s| {
        let at = s.description.signals.len() as u32;
        s.description.sections.push((SignalId(at), title.into()));
    });
}

/// `holds`, 1 bit, is true at every clock edge without a reset; `says` is the sentence for it. The block must have a
/// register with a reset value. Printed for formal tools alone (`FORMAL`); `tests/formal.rs` proves it.
pub fn assertion(says: &str, holds: &Expr) {
    with(|s| {
        let holds = s.intern(holds);
        s.description.assertions.push((holds, says.into()));
    });
}

/// A value as Verilog, for messages.
pub(crate) fn text(value: &Expr) -> String {
    let inside = STACK.with(|s| !s.borrow().is_empty());
    if !inside {
        return format!("a value of {} bits", value.width());
    }
    with(|s| {
        let expr = s.intern(value);
        let body = Body {
            signals: s.description.signals.clone(),
            exprs: s.description.exprs.list().to_vec(),
            ..Body::default()
        };
        print::verilog::expression(&body, expr)
    })
}

impl Scope {
    fn fresh(&mut self, base: &str) -> String {
        check_name(base);
        // What is called by its operation always has a number.
        if let Some(base) = base.strip_suffix('_') {
            return self.numbered(base);
        }
        if self.taken.insert(base.into()) {
            return base.into();
        }
        self.numbered(base)
    }

    fn numbered(&mut self, base: &str) -> String {
        loop {
            let n = self.counter.entry(base.into()).or_insert(0);
            *n += 1;
            let name = format!("{base}_{n}");
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }

    fn signal(&mut self, name: String, width: usize, kind: SignalKind) -> SignalId {
        let signals = &mut self.description.signals;
        let id = SignalId(u32::try_from(signals.len()).expect("fewer than 2^32 signals"));
        let width = u32::try_from(width).expect("fewer than 2^32 bits");
        signals.push(Signal { name, width, kind });
        id
    }

    /// The next register belongs to a group, or to none.
    fn group(&mut self, title: Option<String>) {
        let sections = &mut self.description.sections;
        let title = title.unwrap_or_else(|| OWN.into());
        if sections.last().map_or(OWN, |(_, before)| before.as_str()) != title {
            let at = self.description.signals.len() as u32;
            sections.push((SignalId(at), title));
        }
    }

    fn say(&mut self, statement: Stmt) {
        let innermost = self.nest.last_mut().expect("the outermost level");
        innermost.push(statement);
    }

    fn intern(&mut self, value: &Expr) -> ExprId {
        let key = Rc::as_ptr(&value.kind);
        if let Some((_, id)) = self.interned.get(&key) {
            return *id;
        }
        let kind = value.kind.map(|operand| self.intern(operand), |s| s);
        let id = self.description.exprs.intern(kind, value.width() as u32);
        self.interned.insert(key, (value.clone(), id));
        id
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
    static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| RESERVED.split(' ').collect());
    assert!(!WORDS.contains(name), "`{name}` is a Verilog keyword or a threaded signal: choose another name");
}

/// Lines of the `//!` comment at the top of a Rust file, without comment signs.
fn header(source: &str) -> Vec<String> {
    let lines = source.lines().map_while(|l| l.strip_prefix("//!"));
    lines.map(str::to_string).collect()
}

/// Makes the module of `block`. `file` and `source` name the Rust file whose `//!` comment becomes
/// the header of the module.
///
/// # Panics
/// When the description is wrong (a width mismatch, an undriven output, a latch): a bug of the
/// block, found when the chip is emitted.
pub fn build(block: &impl Rtl, name: &str, file: &str, source: &str) -> Verilog {
    let mut scope = Leaves::of(name, block);
    scope.nest.push(vec![]);
    STACK.with(|s| s.borrow_mut().push(scope));
    block.rtl();
    let mut scope = STACK.with(|s| s.borrow_mut().pop()).expect("the scope pushed above");
    scope.description.statements = scope.nest.pop().expect("the outermost level");
    finish(scope.description, file, source)
}

/// Makes the module of a block that is a memory; `memory` gets the signal of each port.
pub(crate) fn build_memory(
    block: &dyn Block, name: &str, (file, source): (&str, &str),
    memory: impl FnOnce(&dyn Fn(&Leaf) -> SignalId) -> Memory,
) -> Verilog {
    let mut scope = Leaves::of(name, block);
    let memory = memory(&|leaf| scope.targets[&leaf.id()].signal);
    scope.description.memory = Some(memory);
    finish(scope.description, file, source)
}

fn finish(mut description: Description, file: &str, source: &str) -> Verilog {
    description.source = file.into();
    description.header = header(source);
    let module = description.finish().unwrap_or_else(|e| panic!("{e}"));
    if ASKED.get() {
        HANDED.set(Some(module));
        return Verilog::Empty;
    }
    Verilog::Custom(print::verilog::body(&module.body))
}

/// The module of a block, without its children.
///
/// # Panics
/// When its description is wrong, or it is no block of this crate.
pub(crate) fn module_of(name: &str, block: &dyn Block) -> Module {
    ASKED.set(true);
    let text = block.hdl();
    ASKED.set(false);
    HANDED.take().unwrap_or_else(|| panic!("{name}: a body written with rtl_block!, found {text:?}"))
}
