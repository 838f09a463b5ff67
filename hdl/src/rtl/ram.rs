//! Memory with one write port and any number of read ports.
//!
//! | port      | width                | meaning                                            |
//! |-----------|----------------------|----------------------------------------------------|
//! | `raddr_i` | clog2(depth)         | word to read                                       |
//! | `ren`     | 1                    | block RAM: take the address; the output holds else |
//! | `rdata_i` | width                | the word: next cycle (block), same cycle (LUT)     |
//! | `waddr`   | clog2(depth)         | word to write                                      |
//! | `wdata`   | width                | data                                               |
//! | `wen`     | width / granule      | one enable a granule                               |
//!
//! Timing: a write is seen by reads of the next cycle; a read of the same word in the same cycle
//! gives the old word; synthesis may take it that it does not matter in a RAM whose module is named
//! `…_apart`. Reset: none, the content at power-on is undefined. Errors: none; an address
//! beyond the depth reads undefined data.

use super::expr::{clog2, lit};
use super::port::{Input, Output};
use super::scope::{build_memory, get, set};
use super::simulate::Simulated;
use super::value::Expr;
use rust_hdl_core::ast::Verilog;
use rust_hdl_core::logic::Logic;
use rust_hdl_core::prelude::*;
use warpsmith_netlist::{Memory, MemoryStyle, ReadPort, WritePort};

/// Where a memory is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RamKind {
    /// Block RAM: read data one cycle after the address.
    Block,
    /// Distributed RAM: read data in the same cycle.
    Lut,
}

/// See the module.
#[derive(LogicBlock)]
pub struct Ram {
    pub raddr: Vec<Input>,
    pub ren: Vec<Input>,
    pub rdata: Vec<Output>,
    pub waddr: Input,
    pub wdata: Input,
    pub wen: Input,
    _shape: Shape,
    _simulated: Simulated,
}

/// Depth in words, width and write granule in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Words.
    pub depth: usize,
    /// Bits of a word.
    pub width: usize,
    /// Bits that one write enable writes.
    pub granule: usize,
    /// Where it is put.
    pub kind: RamKind,
    /// See [`Ram::rdw_dont_care`].
    pub rdw_dont_care: bool,
}

impl Ram {
    /// A memory of `depth` words of `width` bits, written whole, with `reads` read ports.
    pub fn new(kind: RamKind, depth: usize, width: usize, reads: usize) -> Self {
        Self::with_granule(kind, depth, width, width, reads)
    }

    /// As [`Ram::new`], with a write enable for each `granule` bits.
    pub fn with_granule(kind: RamKind, depth: usize, width: usize, granule: usize, reads: usize) -> Self {
        assert_eq!(width % granule, 0, "granules fill the word");
        let a = clog2(depth);
        let sync = kind == RamKind::Block;
        Self {
            raddr: Input::array(reads, a),
            ren: if sync { Input::array(reads, 1) } else { vec![] },
            rdata: Output::array(reads, width),
            waddr: Input::new(a),
            wdata: Input::new(width),
            wen: Input::new(width / granule),
            _shape: Shape { depth, width, granule, kind, rdw_dont_care: false },
            _simulated: Simulated::default(),
        }
    }

    /// Read during write of one word: what is read does not matter, for it is never used. Block RAMs that do not
    /// give the old word by themselves then need no logic that makes them.
    pub fn rdw_dont_care(mut self) -> Self {
        self._shape.rdw_dont_care = true;
        self
    }

    /// Width of an address in bits.
    pub fn address_width(&self) -> usize {
        clog2(self._shape.depth)
    }

    /// Connects read port `port`: the data of `address` (wider addresses are truncated). Block
    /// RAM: data in the next cycle; the output follows the address every cycle.
    pub fn read(&self, port: usize, address: &Expr) -> Expr {
        self.read_when(port, address, &lit(1, 1))
    }

    /// As [`Ram::read`] for block RAM, taking the address only in cycles where `enable` is set.
    pub fn read_when(&self, port: usize, address: &Expr, enable: &Expr) -> Expr {
        set(&self.raddr[port], address.resize(self.address_width()));
        if self._shape.kind == RamKind::Block {
            set(&self.ren[port], enable);
        }
        get(&self.rdata[port])
    }

    /// Connects the write port: `enable` has one bit a granule, or one bit for the whole word.
    pub fn write(&self, address: &Expr, data: &Expr, enable: &Expr) {
        let n = self._shape.width / self._shape.granule;
        set(&self.waddr, address.resize(self.address_width()));
        set(&self.wdata, data);
        set(&self.wen, if enable.width() == n { enable.clone() } else { enable.repeat(n) });
    }
}

impl Logic for Ram {
    fn update(&mut self) {
        let mut simulated = std::mem::take(&mut self._simulated);
        simulated.update(self);
        self._simulated = simulated;
    }
    fn hdl(&self) -> Verilog {
        let Shape { depth, width, granule, kind, rdw_dont_care } = self._shape;
        let (style, tag) = match kind {
            RamKind::Block => (MemoryStyle::Block, "bram"),
            RamKind::Lut => (MemoryStyle::Lut, "lutram"),
        };
        let grain = if granule == width { String::new() } else { format!("g{granule}") };
        let name =
            format!("{tag}_{depth}x{width}{grain}_{}r{}", self.rdata.len(), if rdw_dont_care { "_apart" } else { "" });
        let here = (file!(), include_str!("ram.rs"));
        build_memory(self, &name, here, |signal| Memory {
            depth: depth as u32,
            width: width as u32,
            granule: granule as u32,
            style,
            rdw_dont_care,
            zeroed: false,
            reads: (0..self.rdata.len())
                .map(|i| ReadPort {
                    address: signal(self.raddr[i].as_ref()),
                    enable: self.ren.get(i).map(|e| signal(e.as_ref())),
                    data: signal(self.rdata[i].as_ref()),
                })
                .collect(),
            write: Some(WritePort {
                address: signal(self.waddr.as_ref()),
                data: signal(self.wdata.as_ref()),
                enable: signal(self.wen.as_ref()),
            }),
            words: vec![],
        })
    }
}
