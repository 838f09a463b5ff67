//! A value of the hardware: what it is made of and its width. [`super::expr`] says what can be done with it.

use std::rc::Rc;
use warpsmith_netlist::{Kind, SignalId};

/// A hardware value of a fixed width. Two values are equal when they are written the same.
#[derive(Clone, PartialEq, Eq)]
pub struct Ex {
    pub(crate) kind: Rc<Kind<Ex>>,
    width: usize,
}

impl Ex {
    pub(crate) fn new(kind: Kind<Ex>, width: usize) -> Ex {
        assert!(width > 0, "a value without bits");
        Ex {
            kind: Rc::new(kind),
            width,
        }
    }

    pub(crate) fn signal(signal: SignalId, width: usize) -> Ex {
        Ex::new(Kind::Signal(signal), width)
    }

    /// Width in bits.
    pub fn width(&self) -> usize {
        self.width
    }
}
