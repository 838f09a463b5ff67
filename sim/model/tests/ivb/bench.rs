//! A thread of Ivy Bridge on its own, its registers by their names.

use warpsmith_isa::ivb::lower::file;
use warpsmith_isa::ivb::Ivb;
use warpsmith_isa::set::assemble;
use warpsmith_isa::uop::{Place, Region, Type};
use warpsmith_model::uop::{Env, Geometry, Program, Step, Warp};
use warpsmith_model::{ivb, Constants, GlobalMemory};

/// A thread with its program and memories.
pub struct Bench {
    pub thread: Box<dyn Warp>,
    pub global: GlobalMemory,
    pub shared: Vec<u8>,
    /// Start and bytes of each buffer in global memory.
    pub buffers: Vec<(u64, u64)>,
    program: Program,
    code: Vec<u8>,
}

/// A program in text as bytes.
pub fn code(text: &str) -> Vec<u8> {
    let program = assemble(&Ivb, text, "t.asm").unwrap_or_else(|e| panic!("{e}\n{text}"));
    program.bytes
}

/// Element `index` of a type in a register file.
fn element(number: u8, ty: Type, index: usize) -> Place {
    Place::Region(Region {
        file: number,
        byte: (index * ty.bytes() as usize) as i16,
        vertical: 0,
        width: 1,
        horizontal: 0,
        indirect: None,
        each_row: false,
        components: [0, 1, 2, 3],
    })
}

impl Bench {
    /// A thread of so many channels before the first instruction.
    pub fn new(channels: u32, code: &[u8]) -> Bench {
        Bench {
            thread: ivb::thread(channels, 64),
            global: GlobalMemory::new(1 << 16),
            shared: vec![0; 1 << 12],
            buffers: vec![],
            program: Program::new(&Ivb, code),
            code: code.to_vec(),
        }
    }

    /// The program.
    pub fn code(&self) -> &[u8] {
        &self.code
    }

    /// Takes another program.
    pub fn replace(&mut self, code: &[u8]) {
        (self.program, self.code) = (Program::new(&Ivb, code), code.to_vec());
    }

    /// Executes one instruction; the cause of a trap as text.
    pub fn step(&mut self) -> Result<(), String> {
        let mut env = Env {
            geometry: Geometry { grid: [1, 1, 1], block: [32, 1, 1], lanes: 32 },
            block: [0; 3],
            warp: 0,
            clock: 0,
            global: &mut self.global,
            shared: &mut self.shared,
            constants: &Constants::default(),
            buffers: &self.buffers,
            tracking: None,
        };
        let step = self.thread.step(&self.program, &mut env, &mut Step::default());
        step.map_err(|f| f.cause.to_string())
    }

    /// Runs to the end of the thread, at most so many instructions.
    pub fn run(&mut self, limit: usize) -> Result<usize, String> {
        for n in 0..limit {
            if self.thread.is_finished() {
                return Ok(n);
            }
            self.step()?;
        }
        Err(format!("no end after {limit}, at {:#x}", self.thread.pc()))
    }

    fn get(&self, place: &Place, ty: Type) -> u64 {
        self.thread.read(place, ty, 0).expect("a register")
    }

    fn put(&mut self, place: &Place, ty: Type, value: u64) {
        self.thread.write(place, ty, 0, value).expect("a register");
    }

    /// Byte `n` of the general registers.
    pub fn byte(&self, n: usize) -> u8 {
        self.get(&element(file::GENERAL, Type::U8, n), Type::U8) as u8
    }

    /// Dword `n` of the general registers.
    pub fn dword(&self, n: usize) -> u32 {
        self.get(&element(file::GENERAL, Type::U32, n), Type::U32) as u32
    }

    /// Sets it.
    pub fn set_dword(&mut self, n: usize, value: u32) {
        self.put(&element(file::GENERAL, Type::U32, n), Type::U32, value.into());
    }

    /// Sets byte `n` of the general registers.
    pub fn set_byte(&mut self, n: usize, value: u8) {
        self.put(&element(file::GENERAL, Type::U8, n), Type::U8, value.into());
    }

    /// f0 and f1 as four words, subregister 0 first.
    pub fn flag(&self, n: usize) -> u16 {
        self.get(&element(file::FLAGS, Type::U16, n), Type::U16) as u16
    }

    /// Sets it.
    pub fn set_flag(&mut self, n: usize, value: u16) {
        self.put(&element(file::FLAGS, Type::U16, n), Type::U16, value.into());
    }

    /// Sets cr0.0.
    pub fn set_control(&mut self, value: u32) {
        let place = element(file::CONTROL, Type::U32, 0);
        self.put(&place, Type::U32, value.into());
    }

    /// Sets the address of the System Routine.
    pub fn set_system(&mut self, address: u32) {
        let place = element(file::SYSTEM, Type::U32, 0);
        self.put(&place, Type::U32, address.into());
    }

    /// Dword `n` of cr0.
    pub fn control(&self, n: usize) -> u32 {
        self.get(&element(file::CONTROL, Type::U32, n), Type::U32) as u32
    }

    /// Sets element `n` of a0.
    pub fn set_address(&mut self, n: usize, value: u16) {
        self.put(&element(file::ADDRESS, Type::U16, n), Type::U16, value.into());
    }

    /// The accumulator of a channel.
    pub fn accumulator(&self, channel: usize) -> u64 {
        self.thread.read(&Place::Accumulator(0), Type::U64, channel).expect("an accumulator")
    }

    /// Sets it.
    pub fn set_accumulator(&mut self, channel: usize, value: u64) {
        self.thread.write(&Place::Accumulator(0), Type::U64, channel, value).expect("an accumulator");
    }
}
