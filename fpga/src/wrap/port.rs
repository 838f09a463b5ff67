//! Ports of a wrapper's top module: the template prints them, packages list them.

use std::fmt;
use warpsmith_contract::Direction;

/// A port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrapperPort {
    /// Verilog name.
    pub name: String,
    /// Direction.
    pub direction: Direction,
    /// Left bound of its range, if it has one; the right one is 0.
    pub left: Option<usize>,
}

impl WrapperPort {
    /// A port of one bit, without a range.
    pub fn scalar(direction: Direction, name: &str) -> Self {
        Self { name: name.into(), direction, left: None }
    }

    /// A port of `width` bits; one bit has a range as well.
    pub fn vector(direction: Direction, name: &str, width: usize) -> Self {
        Self { name: name.into(), direction, left: Some(width - 1) }
    }

    /// Whether the module reads it.
    pub fn is_input(&self) -> bool {
        self.direction == Direction::Input
    }

    /// Width in bits.
    pub fn width(&self) -> usize {
        self.left.map_or(1, |left| left + 1)
    }
}

impl From<&warpsmith_contract::Port> for WrapperPort {
    fn from(p: &warpsmith_contract::Port) -> Self {
        match p.width {
            1 => WrapperPort::scalar(p.direction, &p.name),
            width => WrapperPort::vector(p.direction, &p.name, width),
        }
    }
}

impl From<&WrapperPort> for warpsmith_contract::Port {
    fn from(p: &WrapperPort) -> Self {
        warpsmith_contract::Port { direction: p.direction, ..warpsmith_contract::Port::input(&p.name, p.width()) }
    }
}

/// The declaration in a module's header, without a comma.
impl fmt::Display for WrapperPort {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:<6} wire ", self.direction.name())?;
        if let Some(left) = self.left {
            write!(f, "[{left}:0] ")?;
        }
        f.write_str(&self.name)
    }
}
