//! Software-level error classes: the first architectural effect of a fault.
//!
//! They follow the kind of error model used in "Understanding the Effects of Permanent Faults in GPU's
//! Parallelism Management and Control Units" (SC'23): errors a software injector can apply to an
//! instruction. The class depends on the first difference between chip and model alone.

use crate::record::FaultOutcome;
use std::fmt;
use std::mem::discriminant;
use std::str::FromStr;
use warpsmith_cosim::lockstep::compare::Field;
use warpsmith_cosim::lockstep::report::{Difference, RetireDifference, Subject};
use warpsmith_isa::{decode, Instr, Isa};

/// A software-level error class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ErrorClass {
    /// Another operation, or no valid one: the instruction words name another mnemonic, or the right
    /// words were executed as something else.
    Operation,
    /// The right operation on another register, immediate, offset or guard.
    Operand,
    /// The right instruction, a wrong result.
    Value,
    /// Other threads of the warp execute.
    LaneActivity,
    /// A warp starts, runs, waits or ends when it should not.
    WarpActivity,
    /// A block starts when it should not, or never does.
    BlockActivity,
    /// A wrong memory address, with the right operands in the instruction.
    MemoryAddress,
    /// Wrong data stored to memory, or delivered by it.
    MemoryData,
    /// Another instruction than the program's next one, or another divergence stack.
    ControlFlow,
    /// Wrong flags: what guards and branches depend on.
    Flags,
    /// The chip trapped where the program does not.
    Trap,
    /// Nothing differs, but the kernel does not end.
    NoProgress,
    /// Only what the chip reports about itself differs: its counters, or the trace port's protocol.
    Report,
}

impl ErrorClass {
    /// All of them.
    pub const ALL: [ErrorClass; 13] = [
        ErrorClass::Operation,
        ErrorClass::Operand,
        ErrorClass::Value,
        ErrorClass::LaneActivity,
        ErrorClass::WarpActivity,
        ErrorClass::BlockActivity,
        ErrorClass::MemoryAddress,
        ErrorClass::MemoryData,
        ErrorClass::ControlFlow,
        ErrorClass::Flags,
        ErrorClass::Trap,
        ErrorClass::NoProgress,
        ErrorClass::Report,
    ];

    /// Name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            ErrorClass::Operation => "wrong-operation",
            ErrorClass::Operand => "wrong-operand",
            ErrorClass::Value => "wrong-value",
            ErrorClass::LaneActivity => "wrong-lane-activity",
            ErrorClass::WarpActivity => "wrong-warp-activity",
            ErrorClass::BlockActivity => "wrong-block-activity",
            ErrorClass::MemoryAddress => "wrong-memory-address",
            ErrorClass::MemoryData => "wrong-memory-data",
            ErrorClass::ControlFlow => "wrong-control-flow",
            ErrorClass::Flags => "wrong-flags",
            ErrorClass::Trap => "trap",
            ErrorClass::NoProgress => "no-progress",
            ErrorClass::Report => "wrong-report",
        }
    }

    /// The study's abbreviations that correspond; none where it has no such class.
    pub const fn study(self) -> &'static [&'static str] {
        match self {
            ErrorClass::Operation => &["ICOC"],
            ErrorClass::Operand => &["IRA", "IIO"],
            ErrorClass::LaneActivity => &["IAT", "IAL"],
            ErrorClass::WarpActivity => &["IAW"],
            ErrorClass::BlockActivity => &["IAC"],
            ErrorClass::MemoryAddress => &["IMS", "IMD"],
            ErrorClass::ControlFlow => &["WV"],
            _ => &[],
        }
    }

    /// Class of the first difference of a lockstep run.
    pub fn of(difference: &Difference) -> Self {
        match difference {
            Difference::Retire(d) => of_instruction(d),
            Difference::Other(subject, _) => match subject {
                Subject::Blocks => ErrorClass::BlockActivity,
                Subject::Warps => ErrorClass::WarpActivity,
                Subject::Threads => ErrorClass::LaneActivity,
                Subject::Accesses | Subject::Memory => ErrorClass::MemoryData,
                Subject::Trap => ErrorClass::Trap,
                Subject::Counters | Subject::Protocol => ErrorClass::Report,
            },
        }
    }

    /// Class of a run without any difference.
    pub(super) fn without(outcome: FaultOutcome) -> Option<Self> {
        (outcome == FaultOutcome::Hang).then_some(ErrorClass::NoProgress)
    }
}

impl fmt::Display for ErrorClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for ErrorClass {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let named = ErrorClass::ALL.into_iter().find(|c| c.name() == s);
        named.ok_or_else(|| format!("no error class `{s}`"))
    }
}

fn of_instruction(d: &RetireDifference) -> ErrorClass {
    match d.mismatch.field {
        Field::Order => ErrorClass::WarpActivity,
        Field::Pc | Field::Depth => ErrorClass::ControlFlow,
        Field::Word => words(d),
        Field::Active | Field::Executed | Field::LoadThreads => ErrorClass::LaneActivity,
        Field::DstKind | Field::FlagWrite | Field::Access => ErrorClass::Operation,
        Field::DstNumber | Field::FlagNumber | Field::StepNumber | Field::LoadNumber => ErrorClass::Operand,
        Field::Value | Field::StepValue => ErrorClass::Value,
        Field::Flags => ErrorClass::Flags,
        Field::Address => ErrorClass::MemoryAddress,
        Field::Stored => ErrorClass::MemoryData,
        // A special-function unit delivers as a load does.
        Field::Loaded if d.special => ErrorClass::Value,
        Field::Loaded => ErrorClass::MemoryData,
    }
}

/// Two readings of the instruction words: the same operation on other operands, or another one.
fn words(d: &RetireDifference) -> ErrorClass {
    if d.isa != Isa::Sm10 {
        let set = d.isa.set();
        let row = |[w0, w1]: [u32; 2]| {
            let bytes = (u64::from(w1) << 32 | u64::from(w0)).to_le_bytes();
            set.row_of(&bytes)
        };
        let rows = set.rows();
        let mnemonic = |word| rows.get(row(word)?).map(|r| r.mnemonic);
        let (right, found) = (mnemonic(d.expected), mnemonic(d.word));
        return match right.is_some() && right == found {
            true => ErrorClass::Operand,
            false => ErrorClass::Operation,
        };
    }
    let of = |[w0, w1]: [u32; 2]| decode(w0, w1);
    match (of(d.expected), of(d.word)) {
        (Ok(right), Ok(found)) if same_operation(&right, &found) => ErrorClass::Operand,
        _ => ErrorClass::Operation,
    }
}

/// Whether two instructions are written with the same mnemonic and are of the same length.
fn same_operation(a: &Instr, b: &Instr) -> bool {
    let mnemonic = |i: &Instr| {
        let text = warpsmith_isa::text(i);
        text.split_whitespace().next().unwrap_or("").to_string()
    };
    discriminant(&a.op) == discriminant(&b.op) && a.long == b.long && mnemonic(a) == mnemonic(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpsmith_cosim::lockstep::compare::Mismatch;

    fn difference(field: Field, expected: [u32; 2], word: [u32; 2]) -> Difference {
        Difference::Retire(Box::new(RetireDifference {
            sm: 0,
            warp: 0,
            ctaid: [0, 0],
            grid_x: 1,
            retire: 1,
            cycle: 1,
            pc: 0,
            place: None,
            isa: Isa::Sm10,
            text: String::new(),
            special: false,
            word,
            expected,
            mismatch: Mismatch::warp(field, "x", 0, 1),
            active: [1, 1],
            writers: vec![],
            replay: String::new(),
        }))
    }

    fn words(source: &str) -> [u32; 2] {
        let words = warpsmith_isa::assemble(source, "test").expect("it assembles").words;
        [words[0], words.get(1).copied().unwrap_or(0)]
    }

    #[test]
    fn names_are_read_back() {
        for c in ErrorClass::ALL {
            assert_eq!(c.name().parse(), Ok(c));
        }
        assert!("wrong".parse::<ErrorClass>().is_err());
    }

    #[test]
    fn words_of_one_mnemonic_differ_in_an_operand() {
        let right = words("IADD32 R4, R1, R2;");
        for (found, class) in [
            (words("IADD32 R5, R1, R2;"), ErrorClass::Operand),
            (words("IADD32 R4, R1, R3;"), ErrorClass::Operand),
            (words("SHL R4, R1, 0x2;"), ErrorClass::Operation),
            ([0xffff_ffff; 2], ErrorClass::Operation),
        ] {
            let d = difference(Field::Word, right, found);
            assert_eq!(ErrorClass::of(&d), class, "{found:08x?}");
        }
    }

    #[test]
    fn fields_decide() {
        let word = words("IADD32 R4, R1, R2;");
        for (field, class) in [
            (Field::Pc, ErrorClass::ControlFlow),
            (Field::Active, ErrorClass::LaneActivity),
            (Field::Value, ErrorClass::Value),
            (Field::Address, ErrorClass::MemoryAddress),
            (Field::Stored, ErrorClass::MemoryData),
            (Field::Order, ErrorClass::WarpActivity),
            (Field::Flags, ErrorClass::Flags),
        ] {
            assert_eq!(ErrorClass::of(&difference(field, word, word)), class);
        }
        let other = Difference::Other(Subject::Blocks, String::new());
        assert_eq!(ErrorClass::of(&other), ErrorClass::BlockActivity);
    }
}
