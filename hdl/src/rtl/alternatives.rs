//! A part that is one of several blocks, such as what a chip of each instruction set has.

/// rust-hdl's traits for an enum of blocks: what stands under its name is the one that there is.
#[macro_export]
macro_rules! alternatives {
    ($name:ty: $($variant:ident),*) => {
        impl rust_hdl_core::logic::Logic for $name {
            fn update(&mut self) {}
            fn hdl(&self) -> rust_hdl_core::ast::Verilog {
                rust_hdl_core::ast::Verilog::Empty
            }
        }
        impl rust_hdl_core::block::Block for $name {
            fn connect_all(&mut self) {
                match self {
                    $(Self::$variant(part) => part.connect_all(),)*
                }
            }
            fn update_all(&mut self) {
                match self {
                    $(Self::$variant(part) => part.update_all(),)*
                }
            }
            fn has_changed(&self) -> bool {
                match self {
                    $(Self::$variant(part) => part.has_changed(),)*
                }
            }
            fn accept(&self, name: &str, probe: &mut dyn rust_hdl_core::probe::Probe) {
                match self {
                    $(Self::$variant(part) => part.accept(name, probe),)*
                }
            }
        }
    };
}
