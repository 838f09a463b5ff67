//! A part that a block may lack: a block, port or register under its own name, or nothing.

use rust_hdl_core::ast::Verilog;
use rust_hdl_core::block::Block;
use rust_hdl_core::logic::Logic;
use rust_hdl_core::probe::Probe;

/// A part, or none. Unlike a `Vec` of one it keeps its name.
#[derive(Debug)]
pub struct Maybe<B>(pub Option<B>);

impl<B> Maybe<B> {
    /// The part where `there`, else none.
    pub fn when(there: bool, part: impl FnOnce() -> B) -> Self {
        Self(there.then(part))
    }

    /// The part.
    pub fn get(&self) -> Option<&B> {
        self.0.as_ref()
    }
}

/// The width of a field that a configuration may lack.
pub trait Bits {
    /// `width` where it is there, else 0.
    fn bits(self, width: usize) -> usize;
}

impl Bits for bool {
    fn bits(self, width: usize) -> usize {
        width * usize::from(self)
    }
}

impl<B: Block> Logic for Maybe<B> {
    fn update(&mut self) {}
    fn hdl(&self) -> Verilog {
        Verilog::Empty
    }
}

impl<B: Block> Block for Maybe<B> {
    fn connect_all(&mut self) {
        self.0.iter_mut().for_each(Block::connect_all);
    }
    fn update_all(&mut self) {
        self.0.iter_mut().for_each(Block::update_all);
    }
    fn has_changed(&self) -> bool {
        self.0.as_ref().is_some_and(Block::has_changed)
    }
    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        if let Some(part) = &self.0 {
            part.accept(name, probe);
        }
    }
}
