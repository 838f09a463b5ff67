//! Input and result of the compiler.

use crate::error::Loc;
use crate::ir::{ConstantParams, Param, SharedVariable, Variable};
use serde::{Deserialize, Serialize};

/// Effort of the optimiser.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OptLevel {
    /// Plain selection; for finding errors of the optimiser.
    O0,
    /// The fast passes.
    O1,
    /// All passes.
    #[default]
    O2,
}

/// How to compile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Effort.
    pub level: OptLevel,
    /// `fma` becomes FMUL and FADD, each rounded, instead of FMAD with its truncated product.
    pub strict_fp: bool,
    /// Registers a thread may use at most, 1..=128; more are spilled to local memory.
    pub max_registers: Option<u32>,
    /// `%envreg` registers are parameter words behind the kernel's own, which the launch fills; else
    /// they read 0.
    pub environment: bool,
}

/// Which source line the instructions from `address` on come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineEntry {
    /// Byte address of the first instruction.
    pub address: u32,
    /// Place in the source.
    pub loc: Loc,
}

/// Machine code of a kernel and what its launch must provide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernel {
    /// Name.
    pub name: String,
    /// Parameters in order, their offsets among the kernel's own.
    pub params: Vec<Param>,
    /// Bytes of parameters that pass with the launch, a multiple of 4.
    pub param_bytes: u32,
    /// Where the kernel's own parameters are in constant bank 0; `None`: they pass with the launch, in front of `environment`.
    pub constant_params: Option<ConstantParams>,
    /// Parameter words of the launch that are `%envreg` registers: (number of the register, byte offset), ascending.
    pub environment: Vec<(u8, u32)>,
    /// Program, 32-bit words in memory order.
    pub words: Vec<u32>,
    /// Source lines, ascending addresses.
    pub lines: Vec<LineEntry>,
    /// Registers a thread.
    pub registers: u32,
    /// Shared bytes a block: header, parameters, variables; dynamic shared memory comes behind them.
    pub shared_bytes: u32,
    /// Variables in shared memory that have a size.
    pub shared: Vec<SharedVariable>,
    /// Uses `extern __shared__` arrays or `__local` arguments.
    pub dynamic_shared: bool,
    /// Local bytes a thread, spills included.
    pub local_bytes: u32,
    /// Words of local memory that hold spilled registers.
    pub spilled_words: u32,
    /// Words of constant bank 1, from byte 0: literals.
    pub literals: Vec<u32>,
    /// Words of bank 1 that the launch fills with addresses: (index in `literals`, variable of
    /// [`Unit::globals`], bytes added).
    pub address_words: Vec<(u32, u32, i32)>,
    /// Texture and surface references that it reads: indices in [`Unit::globals`], ascending.
    pub textures: Vec<u32>,
    /// Entries of the divergence stack needed at most.
    pub stack_depth: u32,
    /// Threads of a block where the source says so (`.reqntid`).
    pub required_block: Option<[u32; 3]>,
    /// Threads of a block at most where the source says so (`.maxntid`).
    pub max_threads: Option<u32>,
}

/// A translation unit: what its kernels share.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    /// Source files, by the index in [`Loc`].
    pub files: Vec<String>,
    /// Variables of module scope in global and constant memory.
    pub globals: Vec<Variable>,
    /// Bytes of constant bank 0 used, of a kernel's parameters there too.
    pub constant_bytes: u32,
    /// Functions whose address is taken: symbol, and the value of a pointer to it.
    pub functions: Vec<(String, u32)>,
}

impl Unit {
    /// Contents of every variable once all have their addresses (byte offset in bank 0 for constants).
    pub fn contents(&self, addresses: &[u32]) -> Vec<Vec<u8>> {
        let of = |v: &Variable| {
            let mut bytes = v.init.clone().unwrap_or_default();
            bytes.resize(v.bytes as usize, 0);
            for (at, variable, added) in &v.pointers {
                let address = addresses.get(*variable as usize).copied().unwrap_or(0);
                put(&mut bytes, *at, &address.wrapping_add_signed(*added).to_le_bytes());
            }
            bytes
        };
        self.globals.iter().map(of).collect()
    }

    /// Constant bank 0 with these contents of the variables.
    pub fn constant_bank(&self, contents: &[Vec<u8>]) -> Vec<u8> {
        let mut bank = vec![0; self.constant_bytes as usize];
        for (v, bytes) in self.globals.iter().zip(contents) {
            if let Some(offset) = v.constant_offset {
                put(&mut bank, offset, bytes);
            }
        }
        bank
    }
}

impl Kernel {
    /// Words of all parameters: the kernel's own, then those of the environment.
    pub fn parameter_words(&self) -> usize {
        let constant = self.constant_params.map_or(0, |p| p.bytes);
        ((self.param_bytes + constant) / 4) as usize
    }

    /// All parameters as they pass: words of the launch, and bytes with their offset in constant bank 0.
    pub fn passed(&self, words: &[u32]) -> (Vec<u32>, Option<(u32, Vec<u8>)>) {
        let Some(place) = self.constant_params else { return (words.to_vec(), None) };
        let (constant, launch) = words.split_at(words.len().min(place.bytes as usize / 4));
        let bytes = constant.iter().flat_map(|w| w.to_le_bytes()).collect();
        (launch.to_vec(), Some((place.offset, bytes)))
    }

    /// Words of constant bank 1, with the addresses of variables in their places.
    pub fn literals_at(&self, addresses: &[u32]) -> Vec<u32> {
        let mut words = self.literals.clone();
        for (index, variable, added) in &self.address_words {
            let address = addresses.get(*variable as usize).copied().unwrap_or(0);
            if let Some(word) = words.get_mut(*index as usize) {
                *word = address.wrapping_add_signed(*added);
            }
        }
        words
    }
}

/// Copies bytes to a place; what does not fit is left away.
fn put(to: &mut [u8], at: u32, from: &[u8]) {
    if let Some(place) = to.get_mut(at as usize..).and_then(|b| b.get_mut(..from.len())) {
        place.copy_from_slice(from);
    }
}
