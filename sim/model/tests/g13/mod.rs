//! The golden model of G13: value vectors, programs, control flow, floats, memory, kernels.

mod floats;
mod flow;
mod forms;
mod integers;
mod lanes;
mod memory;
mod programs;
mod values;

use warpsmith_isa::g13::G13;
use warpsmith_isa::set::assemble;
use warpsmith_isa::uop::{Place, Type};
use warpsmith_model::g13::{ExecutionMask, SimdRegisters, G13 as Model};
use warpsmith_model::uop::cause::Fault;
use warpsmith_model::uop::{Core, Ended, Env, Geometry, Machine, Program, Step, Warp};
use warpsmith_model::{Constants, GlobalMemory, Launch};

/// A SIMD-group with its memories, stepped by hand.
struct Bench {
    group: Core<SimdRegisters, ExecutionMask>,
    global: GlobalMemory,
    shared: Vec<u8>,
}

impl Bench {
    /// All 32 lanes, registers 0, some memory of each kind.
    fn new() -> Bench {
        Bench {
            group: Core::new(SimdRegisters::new(&[]), ExecutionMask::new(u32::MAX), 256),
            global: GlobalMemory::new(4096),
            shared: vec![0; 1024],
        }
    }

    /// Executes the instruction at the start of a program in the lanes of a mask.
    fn step(&mut self, code: &[u8], lanes: u32) -> Result<Step, Fault> {
        self.execute(code, lanes, Step::default())
    }

    /// The same with a record of what it wrote; it must not trap.
    fn traced(&mut self, code: &[u8], lanes: u32) -> Step {
        let step = Step { writes: Some(vec![]), ..Step::default() };
        let stepped = self.execute(code, lanes, step);
        stepped.unwrap_or_else(|e| panic!("{}", e.cause))
    }

    fn execute(&mut self, code: &[u8], lanes: u32, mut step: Step) -> Result<Step, Fault> {
        self.group.divergence = ExecutionMask::new(u32::MAX);
        self.group.divergence.activate(lanes);
        let mut env = Env {
            geometry: Geometry { grid: [1, 1, 1], block: [32, 1, 1], lanes: 32 },
            block: [0, 0, 0],
            warp: 0,
            clock: 0,
            global: &mut self.global,
            shared: &mut self.shared,
            constants: &Constants::default(),
            buffers: &[],
            tracking: None,
        };
        let program = Program::new(&G13, code);
        self.group.step(&program, &mut env, &mut step)?;
        Ok(step)
    }

    /// Executes one instruction given as text, in all lanes.
    fn run(&mut self, text: &str) {
        let stepped = self.step(&code(text), u32::MAX);
        stepped.unwrap_or_else(|e| panic!("{text}: {}", e.cause));
    }

    fn set(&mut self, name: &str, lane: usize, value: u64) {
        let (place, ty) = register(name);
        let written = self.group.write(&place, ty, lane, value);
        written.unwrap_or_else(|e| panic!("{name}: {e}"));
    }

    fn get(&self, name: &str, lane: usize) -> u64 {
        let (place, ty) = register(name);
        let read = self.group.read(&place, ty, lane);
        read.unwrap_or_else(|e| panic!("{name}: {e}"))
    }
}

/// Place and type of a register by its name: `r3l`, `r3`, `r3_r4`, `u7h`.
fn register(name: &str) -> (Place, Type) {
    let first = name.split('_').next().unwrap_or(name);
    let digits = first[1..].trim_end_matches(['l', 'h']);
    let index: u16 = digits.parse().unwrap_or_else(|_| panic!("{name}"));
    let byte = if first.ends_with('h') { 2 } else { 0 };
    let place = match &first[..1] {
        "u" => Place::Uniform { index, byte },
        _ => Place::Register { index, byte },
    };
    let ty = match (name.contains('_'), first.ends_with(['l', 'h'])) {
        (true, _) => Type::U64,
        (_, true) => Type::U16,
        _ => Type::U32,
    };
    (place, ty)
}

/// The bytes of a text.
fn code(text: &str) -> Vec<u8> {
    let assembled = assemble(&G13, text, "test");
    assembled.unwrap_or_else(|e| panic!("{e}\n{text}")).bytes
}

/// Runs a program on a grid of one dimension.
fn launch(code: Vec<u8>, grid: u32, block: u32, params: &[u32]) -> Result<Machine, Ended> {
    let launch = Launch {
        grid: [grid, 1],
        block: [block, 1, 1],
        params: params.to_vec(),
        global_bytes: 1 << 16,
        shared_bytes: 1024,
        local_bytes: 64,
        ..Launch::from_code(warpsmith_isa::Isa::G13, code)
    };
    let mut machine = Machine::new(&Model, &launch, 0);
    machine.run(1_000_000)?;
    Ok(machine)
}
