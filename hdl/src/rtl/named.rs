//! A part whose name in the Verilog differs from that of its field.

use rust_hdl_core::ast::Verilog;
use rust_hdl_core::block::Block;
use rust_hdl_core::logic::Logic;
use rust_hdl_core::probe::Probe;
use std::ops::Deref;

/// A part and its name in the Verilog.
#[derive(Debug)]
pub struct Named<B> {
    name: &'static str,
    part: B,
}

impl<B> Named<B> {
    /// `part` under `name`.
    pub fn new(name: &'static str, part: B) -> Self {
        Self { name, part }
    }
}

impl<B> Deref for Named<B> {
    type Target = B;
    fn deref(&self) -> &B {
        &self.part
    }
}

impl<B: Block> Logic for Named<B> {
    fn update(&mut self) {}
    fn hdl(&self) -> Verilog {
        Verilog::Empty
    }
}

impl<B: Block> Block for Named<B> {
    fn connect_all(&mut self) {
        self.part.connect_all();
    }
    fn update_all(&mut self) {
        self.part.update_all();
    }
    fn has_changed(&self) -> bool {
        self.part.has_changed()
    }
    fn accept(&self, _: &str, probe: &mut dyn Probe) {
        self.part.accept(self.name, probe);
    }
}
