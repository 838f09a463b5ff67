//! A design, flat: every instance's signals become values in one graph.

mod drivers;
mod instance;
mod signal;

use super::chip::{Flat, Write};
use super::node::{mask, InstanceId, MemId, NodeId, Op};
use super::wide::{pieces, Value};
use crate::design::Design;
use crate::id::SignalId;
use crate::module::{Body, MemoryStyle, Module, SignalKind};
use crate::print::manifest;
use drivers::Drivers;
use std::collections::HashMap;

/// What is kept in the graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Outputs of blocks below the top stay values of their own ([`Op::Tap`]), so that faults can act on them.
    pub taps: bool,
}

/// Why a design has no flat form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FlatError {
    /// A signal depends on itself within a cycle.
    #[error("{0} depends on itself within a cycle")]
    Loop(String),
    /// An operation on values of more than 64 bits that has no parts.
    #[error("{path}: {what} of {width} bits is wider than 64 bits")]
    Wide {
        /// The instance.
        path: String,
        /// The operation.
        what: &'static str,
        /// Its width in bits.
        width: u32,
    },
}

/// An instance while values are sought.
struct Open {
    module: usize,
    /// The instance that holds it, and which child of it this is.
    parent: Option<(usize, u32)>,
    children: Vec<usize>,
    signals: Vec<State>,
    exprs: Vec<Option<Value>>,
    /// Its memory, and the registers behind the memory's synchronous read ports.
    mem: Option<MemId>,
    held: Vec<Value>,
    /// Sites of its outputs, by signal.
    taps: HashMap<SignalId, u32>,
}

#[derive(Clone)]
enum State {
    Unknown,
    Sought,
    Known(Value),
}

struct Build<'a> {
    design: &'a Design,
    drivers: Vec<Drivers>,
    open: Vec<Open>,
    flat: Flat,
    options: Options,
}

/// Stack of the thread that builds: a chain of values through many blocks is deep.
const STACK_BYTES: usize = 256 << 20;

impl Flat {
    /// Makes the flat form of a design. A build for fault injection has the flat form of the plain design: its
    /// [`Tap`](crate::Tap)s are at rest.
    ///
    /// # Errors
    /// [`FlatError`]: a loop, or a product of more than 64 bits.
    pub fn new(design: &Design, options: Options) -> Result<Self, FlatError> {
        std::thread::scope(|scope| {
            let build = || Build::run(design, options);
            std::thread::Builder::new()
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, build)
                .expect("a thread can be started")
                .join()
                .expect("building does not panic")
        })
    }
}

impl<'a> Build<'a> {
    fn run(design: &'a Design, options: Options) -> Result<Flat, FlatError> {
        let drivers = design.modules.iter().map(|m| Drivers::of(&m.body));
        let mut build = Build { design, drivers: drivers.collect(), open: vec![], flat: Flat::default(), options };
        build.flat.ports = manifest::ports(design);
        let top = design.modules.len() - 1;
        build.expand(top, None, String::new());
        build.name_sites(0);
        build.state()?;
        build.reads()?;
        build.writes()?;
        build.outputs()?;
        build.taps()?;
        Ok(build.flat.pruned())
    }

    fn module(&self, instance: usize) -> &'a Module {
        &self.design.modules[self.open[instance].module]
    }

    fn body(&self, instance: usize) -> &'a Body {
        &self.module(instance).body
    }

    /// What is made now belongs to this instance.
    fn own(&mut self, instance: usize) {
        self.flat.graph.set_owner(InstanceId(instance as u32));
    }

    fn path(&self, instance: usize) -> &str {
        &self.flat.instances[instance].path
    }

    /// Next values of all registers.
    fn state(&mut self) -> Result<(), FlatError> {
        for instance in 0..self.open.len() {
            let body = self.body(instance);
            if body.registers().next().is_none() {
                continue;
            }
            let mut values = HashMap::new();
            for (id, _) in body.registers() {
                values.insert(id, self.signal(instance, id)?);
            }
            self.execute(instance, &body.clocked, None, &mut values)?;
            self.own(instance);
            let reset = match body.registers().any(|(_, s)| reset_of(s.kind).is_some()) {
                true => Some(self.port("reset")),
                false => None,
            };
            for (id, register) in body.registers() {
                let mut next = values[&id].clone();
                if let (Some(value), Some(reset)) = (reset_of(register.kind), reset) {
                    let value = self.flat.graph.word(register.width, value.into());
                    next = self.flat.graph.choose(reset, &value, &next);
                }
                let State::Known(now) = self.open[instance].signals[id.0 as usize].clone() else {
                    unreachable!("registers are known from the beginning");
                };
                self.set_next(&now, &next);
            }
        }
        Ok(())
    }

    /// `now` takes the value `next` at the clock edge.
    fn set_next(&mut self, now: &Value, next: &Value) {
        let mut lo = 0;
        for part in &now.parts {
            let Op::Reg(reg) = self.flat.graph.node(*part).op else {
                unreachable!("registers are made of registers");
            };
            let width = self.flat.graph.width(*part);
            let piece = self.flat.graph.part(next, lo, width.into());
            self.flat.regs[reg.0 as usize].next = piece.parts[0];
            lo += u32::from(width);
        }
    }

    /// Registers behind synchronous read ports.
    fn reads(&mut self) -> Result<(), FlatError> {
        for instance in 0..self.open.len() {
            let Some(memory) = &self.body(instance).memory else {
                continue;
            };
            if memory.style == MemoryStyle::Lut {
                continue;
            }
            for (i, read) in memory.reads.iter().enumerate() {
                let word = self.read(instance, read.address)?;
                self.own(instance);
                let now = self.open[instance].held[i].clone();
                let next = match read.enable {
                    Some(enable) => {
                        let enable = self.signal(instance, enable)?.parts[0];
                        self.flat.graph.choose(enable, &word, &now)
                    }
                    None => word,
                };
                self.set_next(&now, &next);
            }
        }
        Ok(())
    }

    /// Writes of all memories.
    fn writes(&mut self) -> Result<(), FlatError> {
        for instance in 0..self.open.len() {
            let Some(memory) = &self.body(instance).memory else {
                continue;
            };
            let Some(write) = &memory.write else { continue };
            let mem = self.open[instance].mem.expect("the memory of a memory").0 as usize;
            let address = self.signal(instance, write.address)?.parts[0];
            let data = self.signal(instance, write.data)?;
            let enables = self.signal(instance, write.enable)?;
            self.own(instance);
            for granule in 0..memory.width / memory.granule {
                let enable = self.flat.graph.part(&enables, granule, 1).parts[0];
                // A granule may cross a border of 64 bits.
                let (from, to) = (granule * memory.granule, (granule + 1) * memory.granule);
                for (word, (lo, width)) in pieces(memory.width).enumerate() {
                    let end = lo + u32::from(width);
                    let (a, b) = (from.max(lo), to.min(end));
                    if a >= b {
                        continue;
                    }
                    let piece = self.flat.graph.part(&data, lo, width.into());
                    self.flat.mems[mem].writes.push(Write {
                        enable,
                        address,
                        word: word as u32,
                        mask: mask((b - a) as u8) << (a - lo),
                        data: piece.parts[0],
                    });
                }
            }
        }
        Ok(())
    }

    fn outputs(&mut self) -> Result<(), FlatError> {
        let names: HashMap<String, u32> = (0..).zip(&self.flat.ports).map(|(i, p)| (p.name.clone(), i)).collect();
        for (id, signal) in self.body(0).ports() {
            if signal.kind == SignalKind::Output {
                let value = self.signal(0, id)?;
                let words =
                    pieces(signal.width).map(|(lo, width)| self.flat.graph.part(&value, lo, width.into()).parts[0]);
                let words = words.collect();
                self.flat.outputs.push((names[&signal.name], words));
            }
        }
        Ok(())
    }

    /// Outputs of blocks that nothing reads have a value too.
    fn taps(&mut self) -> Result<(), FlatError> {
        if self.options.taps {
            for instance in 0..self.open.len() {
                let mut outputs: Vec<_> = self.open[instance].taps.keys().copied().collect();
                outputs.sort_unstable();
                for output in outputs {
                    self.signal(instance, output)?;
                }
            }
        }
        Ok(())
    }

    /// The value of a threaded input of one bit.
    fn port(&mut self, name: &str) -> NodeId {
        let port = self.flat.ports.iter().position(|p| p.name == name);
        let port = port.expect("a chip with registers has clock and reset") as u32;
        self.flat.graph.put(Op::Input { port, word: 0 }, 1)
    }
}

fn reset_of(kind: SignalKind) -> Option<u64> {
    match kind {
        SignalKind::Reg { reset } => reset,
        _ => None,
    }
}
