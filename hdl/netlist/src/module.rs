//! A module: signals, expressions, statements, a memory, children.

use crate::expr::Expr;
use crate::id::{ExprId, ModuleId, SignalId};
use serde::{Deserialize, Serialize};
use warpsmith_contract::Direction;

/// What a signal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignalKind {
    /// Input port.
    Input,
    /// Output port.
    Output,
    /// Register; with a synchronous reset value, or without reset.
    Reg {
        /// Value after reset.
        reset: Option<u64>,
    },
    /// Named value.
    Wire,
    /// Net at a port of a child.
    Child {
        /// Index of the child.
        child: u32,
        /// Direction of the port, seen from the child.
        direction: Direction,
    },
    /// Output before its saboteur, or a mask of the saboteur; latched output of a memory.
    Tap,
}

/// A signal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Signal {
    /// Verilog name.
    pub name: String,
    /// Width in bits.
    pub width: u32,
    /// Kind.
    pub kind: SignalKind,
}

impl Signal {
    /// The net at a port of child number `child`, as it is usually called.
    pub fn at_port(child: u32, instance: &str, port: &Signal) -> Self {
        let direction = match port.kind {
            SignalKind::Input => Direction::Input,
            _ => Direction::Output,
        };
        Signal {
            name: format!("{instance}_{}", port.name),
            width: port.width,
            kind: SignalKind::Child { child, direction },
        }
    }
}

/// A statement of a process. The last assignment to a signal wins.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stmt {
    /// Gives a signal a value.
    Set(SignalId, ExprId),
    /// One or the other, by a condition of one bit.
    If(ExprId, Vec<Stmt>, Vec<Stmt>),
}

impl Stmt {
    /// Calls `f` for every signal that the statement assigns.
    pub fn targets(&self, f: &mut impl FnMut(SignalId)) {
        match self {
            Stmt::Set(s, _) => f(*s),
            Stmt::If(_, yes, no) => yes.iter().chain(no).for_each(|s| s.targets(f)),
        }
    }

    /// Calls `f` for every expression that the statement reads.
    pub fn reads(&self, f: &mut impl FnMut(ExprId)) {
        match self {
            Stmt::Set(_, e) => f(*e),
            Stmt::If(c, yes, no) => {
                f(*c);
                yes.iter().chain(no).for_each(|s| s.reads(f));
            }
        }
    }
}

/// Where a memory is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryStyle {
    /// Block RAM: data in the cycle after the address.
    Block,
    /// Distributed RAM: data in the same cycle.
    Lut,
    /// Constants in block RAM: data in the cycle after the address, no write port.
    Table,
}

impl MemoryStyle {
    /// All of them.
    pub const ALL: [MemoryStyle; 3] = [MemoryStyle::Block, MemoryStyle::Lut, MemoryStyle::Table];

    /// Name in netlist files.
    pub const fn name(self) -> &'static str {
        match self {
            MemoryStyle::Block => "block",
            MemoryStyle::Lut => "lut",
            MemoryStyle::Table => "table",
        }
    }
}

/// A read port of a memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ReadPort {
    /// Word to read.
    pub address: SignalId,
    /// Block RAM: takes the address in this cycle; the data hold otherwise.
    pub enable: Option<SignalId>,
    /// The word.
    pub data: SignalId,
}

/// The write port of a memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct WritePort {
    /// Word to write.
    pub address: SignalId,
    /// Data.
    pub data: SignalId,
    /// One bit a granule.
    pub enable: SignalId,
}

/// Whether a named value is a code, a constant called by its name: `UNIT_ADD`.
pub(crate) fn is_code(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|c| c.is_ascii_uppercase())
        && letters.all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// A memory: the whole of its module.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Memory {
    /// Words.
    pub depth: u32,
    /// Bits of a word.
    pub width: u32,
    /// Bits that one write enable covers.
    pub granule: u32,
    /// Where it is put.
    pub style: MemoryStyle,
    /// What a read of the word being written gives is never used.
    pub rdw_dont_care: bool,
    /// Every word is 0 at power-on, as the configuration of an FPGA gives it; undefined otherwise.
    #[serde(default)]
    pub zeroed: bool,
    /// Read ports.
    pub reads: Vec<ReadPort>,
    /// Write port; none for constants.
    pub write: Option<WritePort>,
    /// Constants: all words.
    pub words: Vec<u64>,
}

/// What stands between an output and what drives it in a build for fault injection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tap {
    /// `output = (raw & keep) ^ flip`.
    Saboteur { output: SignalId, raw: SignalId, keep: SignalId, flip: SignalId },
    /// `output = held`: the register behind a memory's synchronous read port.
    Held { output: SignalId, held: SignalId },
}

/// An instance within a module.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Child {
    /// Name of the instance, without the prefix of [`crate::print::instance_label`].
    pub instance: String,
    /// Block that describes it; its module may bear the name of an equal one.
    pub block: String,
    /// Module.
    pub module: ModuleId,
}

/// Contents of a module. Two modules with equal contents are one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Body {
    /// Ports, registers and nets of children in the order of their declaration, then named values.
    pub signals: Vec<Signal>,
    /// Expressions, operands before those that use them.
    pub exprs: Vec<Expr>,
    /// Titles of what belongs together, each in front of the first signal that it is for: comments.
    pub sections: Vec<(SignalId, String)>,
    /// Named values in the order of their signals, each after those it reads.
    pub wires: Vec<(SignalId, ExprId)>,
    /// Outputs and inputs of children with one unconditional value.
    pub assigns: Vec<(SignalId, ExprId)>,
    /// Combinational processes; every signal assigned in one has a value on every path.
    pub processes: Vec<Vec<Stmt>>,
    /// The clocked process: next values of registers, which hold where nothing is assigned.
    pub clocked: Vec<Stmt>,
    /// What holds at every clock edge without a reset, 1 bit each, and the sentence that says it: proved by
    /// `tests/formal.rs`, printed for formal tools alone.
    #[serde(default)]
    pub assertions: Vec<(ExprId, String)>,
    /// A memory.
    pub memory: Option<Memory>,
    /// Taps of a build for fault injection.
    pub taps: Vec<Tap>,
    /// Whether a simulator may change registers and memory.
    pub open: bool,
    /// Whether synthesis keeps the module apart: it joins nothing in it with what is outside. Its registers have their reset
    /// values at power-on.
    #[serde(default)]
    pub kept: bool,
    /// Instances.
    pub children: Vec<Child>,
}

/// A module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module {
    /// Verilog name.
    pub name: String,
    /// Rust file that describes it, relative to the project.
    pub source: String,
    /// Lines of its documentation, without comment signs.
    pub header: Vec<String>,
    /// Contents.
    pub body: Body,
    /// Times it is instantiated below distinct parents.
    pub instances: u32,
    /// Whether it, or something in it, has a clock.
    pub clock: bool,
    /// Whether it, or something in it, has a reset.
    pub reset: bool,
}

impl Body {
    /// A signal by number.
    pub fn signal(&self, id: SignalId) -> &Signal {
        &self.signals[id.0 as usize]
    }

    /// An expression by number.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    /// Signals with their numbers.
    pub fn numbered(&self) -> impl Iterator<Item = (SignalId, &Signal)> {
        (0..).map(SignalId).zip(&self.signals)
    }

    /// Ports, in order.
    pub fn ports(&self) -> impl Iterator<Item = (SignalId, &Signal)> {
        self.numbered().filter(|(_, s)| matches!(s.kind, SignalKind::Input | SignalKind::Output))
    }

    /// Registers, in order.
    pub fn registers(&self) -> impl Iterator<Item = (SignalId, &Signal)> {
        self.numbered().filter(|(_, s)| matches!(s.kind, SignalKind::Reg { .. }))
    }

    /// Nets at the ports of child `child`, in the order of its ports.
    pub fn child_nets(&self, child: usize) -> impl Iterator<Item = (SignalId, &Signal)> {
        self.numbered()
            .filter(move |(_, s)| matches!(s.kind, SignalKind::Child { child: c, .. } if c as usize == child))
    }

    /// Adds a signal.
    pub fn add_signal(&mut self, name: String, width: u32, kind: SignalKind) -> SignalId {
        let id = SignalId(u32::try_from(self.signals.len()).expect("fewer than 2^32 signals"));
        self.signals.push(Signal { name, width, kind });
        id
    }
}
