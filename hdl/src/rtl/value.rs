//! A value of the hardware: what it is made of and its width. [`super::expr`] says what can be done with it.

use std::rc::Rc;
use warpsmith_netlist::{Kind, SignalId};

/// A hardware value of a fixed width. Two values are equal when they are written the same.
#[derive(Clone, PartialEq, Eq)]
pub struct Expr {
    pub(crate) kind: Rc<Kind<Expr>>,
    width: usize,
}

impl Expr {
    pub(crate) fn new(kind: Kind<Expr>, width: usize) -> Expr {
        assert!(width > 0, "a value without bits");
        Expr { kind: Rc::new(kind), width }
    }

    /// A field of no bits: it may stand in a packed bundle and nowhere else.
    pub(crate) fn nothing() -> Expr {
        Expr { kind: Rc::new(Kind::Cat(vec![])), width: 0 }
    }

    pub(crate) fn signal(signal: SignalId, width: usize) -> Expr {
        Expr::new(Kind::Signal(signal), width)
    }

    /// Width in bits.
    pub fn width(&self) -> usize {
        self.width
    }
}
