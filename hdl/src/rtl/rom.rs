//! Table of constants: a read-only memory in block RAM.
//!
//! | port    | width        | meaning                                   |
//! |---------|--------------|-------------------------------------------|
//! | `raddr` | clog2(words) | word to read                              |
//! | `rdata` | width        | the word, next cycle                      |
//!
//! Timing: as block RAM, read every cycle. Reset: none; the words are no state and no fault sites. Errors:
//! none; an address beyond the last word reads undefined data.

use super::expr::clog2;
use super::port::{Input, Output};
use super::scope::{build_memory, get, set};
use super::simulate::Simulated;
use super::value::Expr;
use rust_hdl_core::ast::Verilog;
use rust_hdl_core::logic::Logic;
use rust_hdl_core::prelude::*;
use warpsmith_netlist::{Memory, MemoryStyle, ReadPort};

/// See the module.
#[derive(LogicBlock)]
pub struct Rom {
    pub raddr: Input,
    pub rdata: Output,
    _table: Table,
    _simulated: Simulated,
}

/// The words, their width in bits, and the name that tells this table from others of its shape.
#[derive(Clone, Debug)]
pub struct Table {
    /// Name within the module's.
    pub name: &'static str,
    /// Bits of a word.
    pub width: usize,
    /// The words, address 0 first.
    pub words: Vec<u64>,
}

impl Rom {
    /// A memory that holds `words` of `width` bits (at most 64).
    pub fn new(name: &'static str, width: usize, words: Vec<u64>) -> Self {
        let fits = |w: &u64| width >= 64 || w >> width == 0;
        assert!(words.iter().all(fits), "{name}: words of {width} bits");
        Self {
            raddr: Input::new(clog2(words.len())),
            rdata: Output::new(width),
            _table: Table { name, width, words },
            _simulated: Simulated::default(),
        }
    }

    /// The word at `address`, in the next cycle.
    pub fn read(&self, address: &Expr) -> Expr {
        set(&self.raddr, address);
        get(&self.rdata)
    }
}

impl Logic for Rom {
    fn update(&mut self) {
        let mut simulated = std::mem::take(&mut self._simulated);
        simulated.update(self);
        self._simulated = simulated;
    }
    fn hdl(&self) -> Verilog {
        let Table { name, width, words } = &self._table;
        let (depth, width) = (words.len() as u32, *width as u32);
        let name = format!("rom_{name}_{depth}x{width}");
        let here = (file!(), include_str!("rom.rs"));
        build_memory(self, &name, here, |signal| Memory {
            depth,
            width,
            granule: width,
            style: MemoryStyle::Table,
            rdw_dont_care: false,
            zeroed: false,
            reads: vec![ReadPort {
                address: signal(self.raddr.as_ref()),
                enable: None,
                data: signal(self.rdata.as_ref()),
            }],
            write: None,
            words: words.clone(),
        })
    }
}
