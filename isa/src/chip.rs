//! Sizes of a chip, said once for launch files, compiler, model, lockstep and boards.

use crate::identity::Isa;
use crate::sm10::op::Op;
use crate::sm10::tier::Tier;

/// What a chip has on top of the plain chips of its instruction set; nothing by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Floats of 64 bits (Fermi).
    pub double: bool,
    /// Atomic accesses to global memory (Fermi, G13).
    pub atomics: bool,
}

impl Options {
    /// None.
    const NONE: Options = Options { double: false, atomics: false };
    /// Every option.
    pub const ALL: Options = Options { double: true, atomics: true };
    /// Each option alone, with the key of a configuration that brings it.
    pub const KEYS: [(&'static str, Options); 2] = [
        ("double", Options { double: true, ..Options::NONE }),
        ("atomics", Options { atomics: true, ..Options::NONE }),
    ];
    /// Combinations of options.
    pub const COUNT: usize = 1 << Options::KEYS.len();

    /// The options whose keys are on.
    pub fn of_keys(on: impl Fn(&str) -> bool) -> Self {
        let found = Options::KEYS.into_iter().filter(|(key, _)| on(key));
        found.fold(Options::NONE, |all, (_, o)| Options {
            double: all.double || o.double,
            atomics: all.atomics || o.atomics,
        })
    }

    /// The number of a combination, below [`Options::COUNT`].
    pub const fn number(self) -> usize {
        self.double as usize | (self.atomics as usize) << 1
    }
}

/// What a chip executes, and how much of everything it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChipInfo {
    /// Name of the configuration, for messages.
    pub name: String,
    /// Instruction set.
    pub isa: Isa,
    /// Streaming multiprocessors.
    pub sms: u32,
    /// Lanes of an SM.
    pub lanes: u32,
    /// Resident warps of an SM.
    pub warps: u32,
    /// Resident blocks of an SM.
    pub blocks: u32,
    /// 32-bit registers of an SM, for all its threads.
    pub registers: u32,
    /// Shared bytes of an SM.
    pub shared_bytes: u32,
    /// Constant bytes, all banks together.
    pub constant_bytes: u32,
    /// Program bytes.
    pub program_bytes: u32,
    /// Bytes of local memory a thread.
    pub local_bytes: u32,
    /// Entries of a divergence stack.
    pub stack_depth: u32,
    /// Words of the memory port.
    pub port_words: u32,
    /// Bytes of its L2, without one of an L1; 0 without a cache, and where it is not known.
    pub cache_bytes: u32,
    /// Rows of the table of SM 1.0 that it executes.
    pub tier: Tier,
    /// What it has on top of the plain chips of its set.
    pub options: Options,
}

impl ChipInfo {
    /// A chip without limits but those of SM 1.0 itself; executes everything.
    pub fn unlimited() -> Self {
        ChipInfo {
            name: "SM 1.0".into(),
            isa: Isa::Sm10,
            sms: 1,
            lanes: 8,
            warps: 32,
            blocks: 8,
            registers: 128 * 1024,
            shared_bytes: 65536,
            constant_bytes: 65536,
            program_bytes: 1 << 22,
            local_bytes: 65536,
            stack_depth: 32,
            port_words: 8,
            cache_bytes: 0,
            tier: Tier::full(),
            options: Options::default(),
        }
    }

    /// From the numbers of a configuration by their keys: a manifest's, or what a board tells. It has no options.
    ///
    /// # Errors
    /// Those of `number`.
    pub fn from_numbers<E>(
        name: &str, isa: Isa, tier: Tier, number: impl Fn(&'static str) -> Result<u32, E>,
    ) -> Result<Self, E> {
        Ok(ChipInfo {
            name: name.into(),
            isa,
            sms: number("sms")?,
            lanes: number("lanes")?,
            warps: number("warps")?,
            blocks: number("blocks")?,
            registers: number("registers")?,
            shared_bytes: number("shared_bytes")?,
            constant_bytes: number("constant_bytes")?,
            program_bytes: number("program_bytes")?,
            // Local memory lies in global memory: the address is what bounds it.
            local_bytes: 65536,
            stack_depth: number("stack_depth")?,
            port_words: number("port_words")?,
            cache_bytes: 0,
            tier,
            options: Options::default(),
        })
    }

    /// Refuses numbers that are of no chip, before anything is divided by them.
    ///
    /// # Errors
    /// The numbers.
    pub fn check(&self) -> Result<(), String> {
        let lanes = matches!(self.lanes, 2 | 4 | 8 | 16 | 32);
        if lanes && (1..=16).contains(&self.sms) && self.port_words > 0 {
            return Ok(());
        }
        Err(format!("{} lanes, {} SMs, {} port words", self.lanes, self.sms, self.port_words))
    }

    /// Beats of a warp instruction: cycles of a lane.
    pub fn beats(&self) -> u32 {
        self.isa.beats(self.lanes)
    }

    /// Threads that the lanes could take in the beats of a warp instruction.
    pub fn warp_slots(&self) -> u32 {
        self.beats() * self.lanes
    }

    /// Bytes of one constant bank at most.
    pub fn bank_bytes(&self) -> u32 {
        self.constant_bytes.min(65536)
    }

    /// The most that a configuration takes for the size of a memory or stack; `None` for other keys.
    pub fn most(key: &str) -> Option<u32> {
        Some(match key {
            "registers" | "constant_bytes" | "shared_bytes" => 65536,
            "program_bytes" => 262_144,
            "stack_depth" => 64,
            _ => return None,
        })
    }

    /// What helps where a chip has too little of something: a larger one by an option such as `--set constant_bytes=65536`,
    /// where there is one, or `otherwise`.
    pub fn remedy(key: &str, needed: u64, otherwise: &str) -> String {
        let size = needed.checked_next_power_of_two();
        match size.filter(|size| Self::most(key).is_some_and(|most| *size <= most.into())) {
            Some(size) => format!("`--set {key}={size}` makes a chip that has it, or {otherwise}"),
            None => otherwise.to_string(),
        }
    }

    /// Whether float instructions and conversions from and to floats exist.
    pub fn float(&self) -> bool {
        self.tier.executes(|op| matches!(op, Op::FAdd { .. }))
    }

    /// Whether special functions (RCP, RSQ, LG2, SIN, COS, EX2) and what integer division needs exist.
    pub fn sfu(&self) -> bool {
        self.tier.executes(|op| matches!(op, Op::Sfu { .. }))
    }
}
