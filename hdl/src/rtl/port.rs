//! Ports and registers: the leaves of a rust-hdl block, with widths chosen at run time.
//!
//! They implement rust-hdl's `Block` and `Atom`, so `#[derive(LogicBlock)]`, arrays (`Vec`) and
//! every rust-hdl visitor see them as ordinary signals; rust-hdl's own `Signal` fixes its width in
//! the type, which would make every configuration a new type.

use super::slot::Slot;
use rust_hdl_core::ast::{Verilog, VerilogLiteral};
use rust_hdl_core::atom::{Atom, AtomKind};
use rust_hdl_core::block::Block;
use rust_hdl_core::constraint::PinConstraint;
use rust_hdl_core::logic::Logic;
use rust_hdl_core::probe::Probe;
use rust_hdl_core::synth::VCDValue;
use rust_hdl_core::type_descriptor::{TypeDescriptor, TypeKind};
use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

/// What a leaf is; carried through rust-hdl's visitor in the type name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafKind {
    /// An input port.
    Input,
    /// An output port.
    Output,
    /// A register; `Some(value)` is its synchronous reset value, `None` keeps the power-on state.
    Reg(Option<u64>),
}

/// A leaf signal of a block.
#[derive(Debug)]
pub struct Leaf {
    id: usize,
    width: usize,
    kind: LeafKind,
    slot: Arc<Slot>,
}

impl AsRef<Leaf> for Leaf {
    fn as_ref(&self) -> &Leaf {
        self
    }
}

static NEXT: AtomicUsize = AtomicUsize::new(1 << 40);

impl Leaf {
    fn new(width: usize, kind: LeafKind) -> Leaf {
        assert!(width > 0, "a signal without bits");
        Leaf { id: NEXT.fetch_add(1, Ordering::Relaxed), width, kind, slot: Arc::new(Slot::new(width)) }
    }

    /// Width in bits.
    pub fn width(&self) -> usize {
        self.width
    }

    pub(crate) fn id(&self) -> usize {
        self.id
    }
}

/// Tag of a leaf in a rust-hdl type descriptor: how [`crate::emit`] tells registers from wires.
pub(crate) fn leaf_kind(atom: &dyn Atom) -> Option<LeafKind> {
    let name = atom.descriptor().name;
    match name.as_str() {
        "input" => Some(LeafKind::Input),
        "output" => Some(LeafKind::Output),
        "reg" => Some(LeafKind::Reg(None)),
        _ => name.strip_prefix("reg=").and_then(|v| v.parse().ok()).map(|v| LeafKind::Reg(Some(v))),
    }
}

thread_local! {
    /// The slot of the leaf whose literal was asked for last.
    static HANDED: RefCell<Option<Arc<Slot>>> = const { RefCell::new(None) };
}

/// The values of a leaf; none of an atom that is no leaf of this crate.
pub(crate) fn leaf_slot(atom: &dyn Atom) -> Option<Arc<Slot>> {
    HANDED.take();
    atom.verilog();
    HANDED.take()
}

impl Atom for Leaf {
    fn bits(&self) -> usize {
        self.width
    }
    fn connected(&self) -> bool {
        true
    }
    fn changed(&self) -> bool {
        self.slot.changed()
    }
    fn kind(&self) -> AtomKind {
        match self.kind {
            LeafKind::Input => AtomKind::InputParameter,
            LeafKind::Output => AtomKind::OutputParameter,
            LeafKind::Reg(_) => AtomKind::LocalSignal,
        }
    }
    fn descriptor(&self) -> TypeDescriptor {
        let name = match self.kind {
            LeafKind::Input => "input".into(),
            LeafKind::Output => "output".into(),
            LeafKind::Reg(None) => "reg".into(),
            LeafKind::Reg(Some(v)) => format!("reg={v}"),
        };
        TypeDescriptor { name, kind: TypeKind::Bits(self.width) }
    }
    fn vcd(&self) -> VCDValue {
        let bit = |i: usize| self.slot.value(i / 64) >> (i % 64) & 1 == 1;
        match self.width {
            1 => bit(0).into(),
            n => VCDValue::Vector((0..n).rev().map(|i| bit(i).into()).collect()),
        }
    }
    fn id(&self) -> usize {
        self.id
    }
    /// The low 64 bits; hands the leaf's slot to [`leaf_slot`].
    fn verilog(&self) -> VerilogLiteral {
        HANDED.set(Some(self.slot.clone()));
        self.slot.value(0).into()
    }
    fn constraints(&self) -> Vec<PinConstraint> {
        vec![]
    }
}

macro_rules! leaf {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name(pub(crate) Leaf);
        impl AsRef<Leaf> for $name {
            fn as_ref(&self) -> &Leaf {
                &self.0
            }
        }
        impl Logic for $name {
            fn update(&mut self) {}
            fn hdl(&self) -> Verilog {
                Verilog::Empty
            }
        }
        impl Block for $name {
            fn connect_all(&mut self) {}
            fn update_all(&mut self) {
                self.0.slot.update();
            }
            fn has_changed(&self) -> bool {
                self.0.slot.changed()
            }
            fn accept(&self, name: &str, probe: &mut dyn Probe) {
                probe.visit_atom(name, &self.0);
            }
        }
    };
}
leaf!(
    /// An input port.
    Input
);
leaf!(
    /// An output port.
    Output
);
leaf!(
    /// A register: takes the value [`crate::rtl::set`] gives it at the next clock edge, holds
    /// otherwise. The only flip-flop of the chip; every one is a fault site.
    Reg
);

impl Input {
    /// An input of `width` bits.
    pub fn new(width: usize) -> Self {
        Self(Leaf::new(width, LeafKind::Input))
    }
    /// `n` inputs of `width` bits, named `name_0` ….
    pub fn array(n: usize, width: usize) -> Vec<Self> {
        (0..n).map(|_| Self::new(width)).collect()
    }
}

impl Output {
    /// An output of `width` bits.
    pub fn new(width: usize) -> Self {
        Self(Leaf::new(width, LeafKind::Output))
    }
    /// `n` outputs of `width` bits, named `name_0` ….
    pub fn array(n: usize, width: usize) -> Vec<Self> {
        (0..n).map(|_| Self::new(width)).collect()
    }
}

impl Reg {
    /// A register of `width` bits, reset to 0.
    pub fn new(width: usize) -> Self {
        Self(Leaf::new(width, LeafKind::Reg(Some(0))))
    }
    /// A register of `width` bits, reset to `value`.
    pub fn reset_to(width: usize, value: u64) -> Self {
        Self(Leaf::new(width, LeafKind::Reg(Some(value))))
    }
    /// A register without reset, for data that a valid bit qualifies.
    pub fn data(width: usize) -> Self {
        Self(Leaf::new(width, LeafKind::Reg(None)))
    }
}
