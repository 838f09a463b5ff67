//! Machine code of a plan, made by cranelift.
//!
//! The code is that of the chip while `reset` is low: what depends on it alone is folded away, and the few cycles
//! under reset are run by the interpreter, which works on the same bytes. It is made of gates: each runs only in cycles in
//! which something that it reads changed. All unsafe code of the crate is here: calling
//! the functions that were made, and freeing them.

mod atoms;
mod emit;
mod fold;
mod gates;
mod plan;
mod regions;
mod taps;

use crate::layout::Layout;
use cranelift_codegen::ir::{types::I64, AbiParam};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::Context;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module};
use emit::{Emit, Source};
use plan::Plan;
use std::ops::Range;
use warpsmith_netlist::flat::Flat;

/// A function over the bytes of a device.
type Entry = unsafe extern "C" fn(*mut u8);

/// The code of a chip.
pub struct Code {
    settle: Vec<Entry>,
    edge: Vec<Entry>,
    /// Bytes of each input port, and flags of the gates that read it.
    inputs: Vec<(Range<usize>, Vec<usize>)>,
    /// Flags of the gates: a gate runs where it is not 0.
    flags: Range<usize>,
    /// Bytes of a device.
    len: usize,
    module: Held,
}

/// Holds the functions; taken when they are freed.
struct Held(Option<JITModule>);

// SAFETY: once the functions are made, nothing looks at the module before it is freed, which one thread does: that
// has the only reference.
unsafe impl Send for Held {}
// SAFETY: as above.
unsafe impl Sync for Held {}

/// Makes functions.
struct Maker {
    module: JITModule,
    context: Context,
    builder: FunctionBuilderContext,
}

impl Maker {
    fn new() -> Result<Self, String> {
        let mut flags = settings::builder();
        for (name, value) in [
            ("opt_level", "speed"),
            ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
            ("is_pic", "false"),
            ("use_colocated_libcalls", "false"),
            ("enable_probestack", "false"),
            ("unwind_info", "false"),
        ] {
            flags.set(name, value).map_err(|e| e.to_string())?;
        }
        let isa = cranelift_native::builder()?.finish(settings::Flags::new(flags)).map_err(|e| e.to_string())?;
        let names = cranelift_module::default_libcall_names();
        let module = JITModule::new(JITBuilder::with_isa(isa, names));
        Ok(Maker { context: module.make_context(), module, builder: FunctionBuilderContext::new() })
    }

    fn function(&mut self, source: Source<'_>, body: impl FnOnce(&mut Emit<'_, '_>)) -> Result<FuncId, String> {
        let signature = &mut self.context.func.signature;
        *signature = self.module.make_signature();
        signature.params.push(AbiParam::new(I64));
        let id = self.module.declare_anonymous_function(signature);
        let id = id.map_err(|e| e.to_string())?;
        let mut b = FunctionBuilder::new(&mut self.context.func, &mut self.builder);
        let block = b.create_block();
        b.append_block_params_for_function_params(block);
        b.switch_to_block(block);
        let base = b.block_params(block)[0];
        body(&mut Emit::new(source, &mut b, base));
        cranelift_codegen::ir::InstBuilder::return_(b.ins(), &[]);
        b.seal_all_blocks();
        b.finalize();
        let defined = self.module.define_function(id, &mut self.context);
        defined.map_err(|e| format!("{e:?}"))?;
        self.module.clear_context(&mut self.context);
        Ok(id)
    }
}

impl Code {
    /// The code of a flat netlist.
    ///
    /// # Errors
    /// Cranelift knows no code for this machine.
    pub fn new(flat: &Flat, layout: &Layout) -> Result<Self, String> {
        if cfg!(target_endian = "big") {
            return Err("the state is little-endian and this machine is not".into());
        }
        let low = match reset(flat) {
            Some(port) => fold::held_low(flat, port as u32),
            None => flat.clone(),
        };
        let opened = (!layout.taps.is_empty()).then(|| taps::opened(&low, layout));
        let (low, layout) = opened.as_ref().map_or((&low, layout), |(low, layout)| (low, layout));
        let plan = Plan::new(low, layout);
        let source = Source { flat: low, layout, plan: &plan };
        let mut maker = Maker::new()?;
        let mut functions = |list: &[Range<usize>]| -> Result<Vec<FuncId>, String> {
            let made = list.iter().map(|gates| maker.function(source, |e| e.gates(gates.clone())));
            made.collect()
        };
        let settle = functions(&plan.settle)?;
        let edge = functions(&plan.edge)?;
        let mut module = maker.module;
        module.finalize_definitions().map_err(|e| e.to_string())?;
        let entry = |id: &FuncId| {
            let code = module.get_finalized_function(*id);
            // SAFETY: the function was made with this signature, and lives as long as the module.
            unsafe { std::mem::transmute::<*const u8, Entry>(code) }
        };
        Ok(Code {
            settle: settle.iter().map(entry).collect(),
            edge: edge.iter().map(entry).collect(),
            inputs: inputs(flat, layout, &plan),
            flags: plan.flags..plan.flags + plan.gates.len(),
            len: plan.len,
            module: Held(Some(module)),
        })
    }

    /// Bytes of a device: its state, and slots behind it.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Takes inputs, which stand first in the state.
    pub fn drive(&self, state: &mut [u8], inputs: &[u8]) {
        for (bytes, readers) in &self.inputs {
            if state[bytes.clone()] != inputs[bytes.clone()] {
                state[bytes.clone()].copy_from_slice(&inputs[bytes.clone()]);
                readers.iter().for_each(|flag| state[*flag] = 1);
            }
        }
    }

    /// Someone else wrote into the state: everything is computed again.
    pub fn forget(&self, state: &mut [u8]) {
        state[self.flags.clone()].fill(1);
    }

    /// Computes what outputs need, from inputs and state.
    pub fn settle(&self, state: &mut [u8]) {
        self.call(&self.settle, state);
    }

    /// The edge of the clock, behind [`Code::settle`].
    pub fn edge(&self, state: &mut [u8]) {
        self.call(&self.edge, state);
    }

    fn call(&self, list: &[Entry], state: &mut [u8]) {
        assert!(state.len() >= self.len, "the bytes of a device");
        for function in list {
            // SAFETY: the functions read and write bytes below `len` alone: places of the plan, and words of
            // memories whose address was compared with the depth. They call nothing.
            unsafe { function(state.as_mut_ptr()) }
        }
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        if let Some(module) = self.module.0.take() {
            // SAFETY: nobody else has the functions: they leave this struct in calls only.
            unsafe { module.free_memory() }
        }
    }
}

/// Bytes of each input port, and flags of the gates that read it.
fn inputs(flat: &Flat, layout: &Layout, plan: &Plan) -> Vec<(Range<usize>, Vec<usize>)> {
    let ports = flat.ports.iter().zip(&layout.ports).enumerate();
    let inputs = ports.filter(|(_, (p, _))| p.is_input());
    let inputs = inputs.map(|(i, (port, at))| {
        let at = *at as usize;
        let readers = plan.readers.ports[i].iter();
        let flags = readers.map(|g| plan.flag(*g).at as usize);
        (at..at + crate::layout::bytes(port.width), flags.collect())
    });
    inputs.collect()
}

/// The input that resets the chip.
pub fn reset(flat: &Flat) -> Option<usize> {
    let port = |p: &warpsmith_contract::Port| p.name == "reset" && p.is_input() && p.width == 1;
    flat.ports.iter().position(port)
}
