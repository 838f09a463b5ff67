//! What every instruction set behind [`InstructionSet`] shares: tables of forms checked when they are
//! built, bit strings of 1 to 16 bytes, the front of the assembler, listings, pages.
//!
//! A set is a folder beside this one: `table/` has its rows ([`Form`]) as Rust constants, `operand.rs` the
//! kinds of its operands with their text both ways, `text.rs` one instruction as text both ways, `mod.rs`
//! the implementation of [`InstructionSet`]. A [`Table`] proves that every bit of each row is fixed, a field
//! or reserved, and decodes; a set whose layouts do not fit rows proves them with [`cover`].
//! An instruction ([`Instr`]) is a row and the bits, so that nothing is lost: bits that the text does
//! not name follow it as `?0x...` (see [`asm`]).

pub mod asm;
mod bits;
pub(crate) mod diag;
mod doc;
mod form;
mod listing;
pub mod scan;
pub mod suffix;
mod table;
pub mod words;

pub use asm::{assemble, named_set, print_exact, Program};
pub use bits::{low_bits, run, Code, Field, MAX_BYTES};
pub use diag::{AsmError, Diag, Span};
pub use doc::{level, list, markdown, page, rows_of, runs_of, suggest, Row};
pub use form::{Evidence, Form, Length, Modifier, Operand, Status};
pub use listing::{disassemble, Line};
pub use scan::{furthest, Scanner, TextError};
pub use table::{cover, put, values, Overlap, Reserved, Table, TableError};

use crate::uop::{Lowered, Unimplemented};
use crate::{Isa, Options};

/// One instruction: its row in the table of its set and its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instr {
    /// Row of the table.
    pub row: usize,
    /// The bits.
    pub code: Code,
}

/// An instruction as the values of its fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    /// Row of the table.
    pub row: usize,
    /// The longer of two encodings.
    pub long: bool,
    /// Name and value of each field.
    pub values: Vec<(&'static str, u64)>,
    /// Reserved bits that are set, in place.
    pub kept: u128,
}

/// Why bytes are no instruction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// No encoding of the table.
    #[error("{0} begins no encoding of the table")]
    Unknown(Code),
    /// The bytes end inside the instruction.
    #[error("the instruction has {need} bytes, {have} are left")]
    Truncated {
        /// Its length.
        need: usize,
        /// Bytes left.
        have: usize,
    },
    /// A reserved bit is 1.
    #[error("{form}: reserved bits {bits:#x} are set")]
    Reserved {
        /// The form.
        form: &'static str,
        /// The bits, in place.
        bits: u128,
    },
    /// A value without meaning.
    #[error("{form}: {value} in field {field} is reserved")]
    Value {
        /// The form.
        form: &'static str,
        /// The field.
        field: &'static str,
        /// Its value.
        value: u64,
    },
    /// A rule of the manual that the instruction breaks.
    #[error("{form}: {reason} (section {section})")]
    Rule {
        /// The form.
        form: &'static str,
        /// What the rule asks for.
        reason: &'static str,
        /// Its section in the manual.
        section: &'static str,
    },
    /// A combination without meaning.
    #[error("{form}: {reason}")]
    Combination {
        /// The form.
        form: &'static str,
        /// What excludes what.
        reason: &'static str,
    },
}

/// Why values are no instruction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// No such row.
    #[error("the table has no row {0}")]
    Row(usize),
    /// No such field.
    #[error("{form} has no field {name}")]
    Field {
        /// The form.
        form: &'static str,
        /// The name.
        name: &'static str,
    },
    /// A value that does not fit.
    #[error("{form}: {value:#x} does not fit the {width} bits of field {name}")]
    Value {
        /// The form.
        form: &'static str,
        /// The field.
        name: &'static str,
        /// The value.
        value: u64,
        /// Width of the field.
        width: u32,
    },
    /// Bits to keep where the set ignores none.
    #[error("{form}: bits {bits:#x} cannot be kept, they are not ignored")]
    Kept {
        /// The form.
        form: &'static str,
        /// The bits.
        bits: u128,
    },
    /// Bits beyond the short encoding.
    #[error("{form}: the encoding of {bytes} bytes does not hold the values")]
    Short {
        /// The form.
        form: &'static str,
        /// Its length.
        bytes: usize,
    },
    /// The instruction that would result is illegal.
    #[error(transparent)]
    Illegal(#[from] DecodeError),
}

/// Where a text stands: its address and the labels of the program.
pub struct Place<'a> {
    /// Byte address of the instruction.
    pub pc: u64,
    /// Address of a label; while lengths are still open, any address.
    pub label: &'a dyn Fn(&str) -> Option<u64>,
}

impl Place<'_> {
    /// An address without labels.
    pub fn at(pc: u64) -> Place<'static> {
        Place { pc, label: &|_| None }
    }
}

/// One instruction set.
pub trait InstructionSet: Sync {
    /// Which set it is.
    fn isa(&self) -> Isa;

    /// Name on the command line.
    fn name(&self) -> &'static str {
        self.isa().name()
    }

    /// Full name.
    fn title(&self) -> &'static str;

    /// Bytes that every length and address of an instruction is a multiple of.
    fn unit(&self) -> usize;

    /// Bytes of the instruction at the start of `bytes`.
    ///
    /// # Errors
    /// As [`InstructionSet::decode`].
    fn length(&self, bytes: &[u8]) -> Result<usize, DecodeError> {
        Ok(self.decode(bytes)?.code.len())
    }

    /// The instruction at the start of `bytes`, which may go on behind it.
    ///
    /// # Errors
    /// The bytes begin no legal instruction, or end inside it.
    fn decode(&self, bytes: &[u8]) -> Result<Instr, DecodeError>;

    /// The row of an instruction of which these are the first 8 bytes.
    fn row_of(&self, bytes: &[u8]) -> Option<usize> {
        Some(self.decode(bytes).ok()?.row)
    }

    /// Whether chips know the instruction of bytes that [`InstructionSet::decode`] refuses, and do not execute it: it
    /// traps as unimplemented there, not as illegal.
    fn knows(&self, refused: &DecodeError) -> bool {
        let _ = refused;
        false
    }

    /// The values of the fields of an instruction that [`InstructionSet::decode`] returned.
    fn fields(&self, instr: &Instr) -> Fields;

    /// The instruction with these values of fields; fields not named are 0.
    ///
    /// # Errors
    /// A row, field or value that does not exist; values that make no legal instruction.
    fn encode(&self, fields: &Fields) -> Result<Instr, EncodeError>;

    /// The text of an instruction at byte address `pc`, without an end mark. Bits that the text does
    /// not name are dropped.
    fn print(&self, instr: &Instr, pc: u64) -> String;

    /// A source without comments as one without pragmas of the set's own; its lines stay where they are.
    ///
    /// # Errors
    /// A pragma that is wrong.
    fn expand(&self, source: String) -> Result<String, Diag> {
        Ok(source)
    }

    /// The instruction of a text: bits that the text does not name have their usual value.
    ///
    /// # Errors
    /// Place in the text, what was expected and what was found.
    fn parse(&self, text: &str, place: &Place) -> Result<Instr, TextError>;

    /// The same, and what the text asks for and its instruction does not do.
    ///
    /// # Errors
    /// As [`InstructionSet::parse`].
    fn parse_noted(&self, text: &str, place: &Place) -> Result<(Instr, Vec<String>), TextError> {
        self.parse(text, place).map(|instr| (instr, vec![]))
    }

    /// The instruction at byte address `pc` as micro-operations.
    ///
    /// # Errors
    /// What the model does not execute, with the reason.
    fn lower(&self, instr: &Instr, pc: u64) -> Result<Lowered, Unimplemented> {
        let _ = (instr, pc);
        Err(Unimplemented("no micro-operations are written for it"))
    }

    /// Why chips with these options do not execute an instruction, which lowers to `lowered`; `None`: they do, or there
    /// are none of the set.
    fn lacks(&self, instr: &Instr, lowered: &Lowered, options: Options) -> Option<&'static str> {
        let _ = (instr, lowered, options);
        None
    }

    /// Registers whose values an instruction gives up: they are undefined behind it, but for what it writes.
    fn discards(&self, instr: &Instr) -> Vec<(crate::uop::Place, crate::uop::Type)> {
        let _ = instr;
        vec![]
    }

    /// Registers of 32 bits that a thread has at most; 0 where they are not a thread's.
    fn registers(&self) -> u32 {
        0
    }

    /// Bytes of a pointer among the parameters of a kernel, 4 or 8.
    fn pointer_bytes(&self) -> usize {
        4
    }

    /// Words of parameters that a launch has room for.
    fn parameter_words(&self) -> usize {
        1 << 14
    }

    /// An instruction of a row, fields 0 where they may be; `None` where that is no legal one.
    fn sample(&self, row: usize) -> Option<Instr> {
        let fields = Fields { row, ..Fields::default() };
        self.encode(&fields).ok()
    }

    /// The rows of the table, for pages.
    fn rows(&self) -> Vec<Row>;
}

/// What is wrong with a name that is of no set.
pub fn no_set(name: &str) -> String {
    format!("there is no instruction set {name}, one of {}", Isa::ALL.map(Isa::name).join(" "))
}
