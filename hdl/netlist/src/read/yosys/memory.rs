//! Memories (`$mem_v2`): parameters, the child they become, registers behind synchronous read ports.

use super::super::error::Fault;
use super::json::RawCell;
use super::module::{identifier, Clocked, Gates, Next};
use super::ram::Ram;
use crate::design::Tree;
use crate::expr::{Binary, Kind};
use crate::id::{ExprId, SignalId};
use crate::module::{Body, Memory, MemoryStyle, Module, ReadPort, SignalKind, WritePort};
use std::collections::HashMap;
use warpsmith_contract::Direction;

impl Gates<'_> {
    pub(super) fn memory(&mut self, index: usize) -> Result<(), Fault> {
        let (name, cell) = &self.raw.cells.0[index];
        let ram = Ram::of(cell)?;
        let child = self.memories.len() as u32;
        let label = identifier(name);
        let shape = format!("mem_{}x{}_{}r", ram.depth, ram.width, ram.reads);
        let mut inside = Inside { body: Body::default(), nets: vec![] };
        let mut reads = vec![];
        for port in 0..ram.reads {
            let address = inside.port(&format!("ra_{port}"), ram.address, SignalKind::Input);
            let data = inside.port(&format!("rd_{port}"), ram.width, SignalKind::Output);
            reads.push(ReadPort { address, enable: None, data });
        }
        let mut write = None;
        if ram.writes {
            let enables = ram.width / ram.granule;
            write = Some(WritePort {
                address: inside.port("wa", ram.address, SignalKind::Input),
                data: inside.port("wd", ram.width, SignalKind::Input),
                enable: inside.port("we", enables, SignalKind::Input),
            });
        }
        inside.body.memory = Some(Memory {
            depth: ram.depth,
            width: ram.width,
            granule: ram.granule,
            style: MemoryStyle::Lut,
            rdw_dont_care: false,
            zeroed: ram.zeroed,
            reads,
            write,
            words: ram.words.clone(),
        });
        let mut nets = HashMap::new();
        for (port, width, kind) in inside.nets {
            let direction = match kind {
                SignalKind::Input => Direction::Input,
                _ => Direction::Output,
            };
            let net = self.name(None, &format!("{label}_{port}"));
            let kind = SignalKind::Child { child, direction };
            nets.insert(port, self.body.add_signal(net, width, kind));
        }
        for port in 0..ram.reads {
            let address = Ram::part(cell, "RD_ADDR", port, ram.address)?;
            self.inputs.push((nets[&format!("ra_{port}")], address));
            let bits = Ram::part(cell, "RD_DATA", port, ram.width)?;
            let data = nets[&format!("rd_{port}")];
            if !ram.clocked[port as usize] {
                self.drive(&bits, data)?;
                continue;
            }
            let name = self.name(None, &format!("{label}_q_{port}"));
            let reg = self.body.add_signal(name, ram.width, SignalKind::Reg { reset: None });
            self.drive(&bits, reg)?;
            self.clocked.push(Clocked { reg, next: Next::Read { port: port as usize, data }, cell: index });
        }
        if ram.writes {
            self.inputs.push((nets["wa"], Ram::part(cell, "WR_ADDR", 0, ram.address)?));
            self.inputs.push((nets["wd"], Ram::part(cell, "WR_DATA", 0, ram.width)?));
            let enables = Ram::part(cell, "WR_EN", 0, ram.width)?;
            let enables = enables.into_iter().step_by(ram.granule as usize).collect();
            self.inputs.push((nets["we"], enables));
        }
        let instance = label.clone();
        self.memories.push(Tree {
            instance,
            module: Module {
                name: shape,
                source: String::new(),
                header: vec![],
                body: inside.body,
                instances: 1,
                clock: false,
                reset: false,
            },
            children: vec![],
        });
        Ok(())
    }

    /// The word read, with what is written to it in the same cycle.
    pub(super) fn forwarded(&mut self, cell: &RawCell, ram: &Ram, port: usize, word: ExprId) -> Result<ExprId, Fault> {
        let read = self.word(&Ram::part(cell, "RD_ADDR", port as u32, ram.address)?)?;
        let write = self.word(&Ram::part(cell, "WR_ADDR", 0, ram.address)?)?;
        let data = self.word(&Ram::part(cell, "WR_DATA", 0, ram.width)?)?;
        let enable = self.word(&Ram::part(cell, "WR_EN", 0, ram.width)?)?;
        let width = ram.width;
        let pool = &mut self.pool;
        let same = pool.intern(Kind::Binary(Binary::Eq, read, write), 1);
        let same = match width {
            1 => same,
            _ => pool.intern(Kind::Repeat(width, same), width),
        };
        let new = pool.intern(Kind::Binary(Binary::And, same, enable), width);
        let old = pool.intern(Kind::Not(new), width);
        let new = pool.intern(Kind::Binary(Binary::And, new, data), width);
        let old = pool.intern(Kind::Binary(Binary::And, old, word), width);
        Ok(pool.intern(Kind::Binary(Binary::Or, new, old), width))
    }
}

/// The module of a memory while it is made.
struct Inside {
    body: Body,
    nets: Vec<(String, u32, SignalKind)>,
}

impl Inside {
    fn port(&mut self, name: &str, width: u32, kind: SignalKind) -> SignalId {
        self.nets.push((name.into(), width, kind));
        self.body.add_signal(name.into(), width, kind)
    }
}
