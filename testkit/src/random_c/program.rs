//! The random programs as trees.

/// Threads of a block: one full warp and a part of another.
pub const THREADS: u32 = 40;
/// Blocks of the grid.
pub const BLOCKS: u32 = 2;
/// Words of the input.
pub const INPUT: usize = 64;
/// Results of a thread, each 64 bits.
pub const RESULTS: usize = 12;
/// Elements of local, constant and global tables.
pub const TABLE: usize = 8;

/// Type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Ty {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    /// A float that is a whole number below 2^10 in a variable, below 2^22 in an expression.
    F32,
}

impl Ty {
    /// Bits.
    pub fn bits(self) -> u32 {
        match self {
            Ty::I8 | Ty::U8 => 8,
            Ty::I16 | Ty::U16 => 16,
            Ty::I32 | Ty::U32 | Ty::F32 => 32,
            Ty::I64 | Ty::U64 => 64,
        }
    }

    /// Integer with a sign.
    pub fn signed(self) -> bool {
        matches!(self, Ty::I8 | Ty::I16 | Ty::I32 | Ty::I64)
    }

    /// Name in the source.
    pub fn name(self) -> &'static str {
        match self {
            Ty::I8 => "i8",
            Ty::U8 => "u8",
            Ty::I16 => "i16",
            Ty::U16 => "u16",
            Ty::I32 => "i32",
            Ty::U32 => "u32",
            Ty::I64 => "i64",
            Ty::U64 => "u64",
            Ty::F32 => "f32",
        }
    }

    /// The unsigned type in which sums and products of this one cannot overflow undefined.
    pub fn wide(self) -> &'static str {
        if self.bits() == 64 {
            "u64"
        } else {
            "u32"
        }
    }
}

/// All integer types; 32 bits more often.
pub const INTEGERS: [Ty; 10] = [Ty::I32, Ty::U32, Ty::I32, Ty::U32, Ty::I8, Ty::U8, Ty::I16, Ty::U16, Ty::I64, Ty::U64];

/// Where an element of a table lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// `in`, read at any type.
    Input,
    /// Local array of the function, by number.
    Local(usize),
    /// `__constant__` table of the program.
    Constant(usize),
    /// `__device__` table of the program, read only.
    Global(usize),
    /// Shared array, read anywhere between two barriers.
    Shared(usize),
    /// Field of an element of `in` as vectors: type and field.
    Vector(&'static str, &'static str),
    /// Array that the function's pointer parameter points to.
    Pointer,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A constant of a type.
    Literal(Ty, i64),
    /// Variable of the function.
    Var(Ty, usize),
    /// Number of the thread in the block, number of the block.
    Thread,
    /// Number of the block.
    Block,
    /// Kernel parameter.
    Param(Ty, usize),
    /// Field of the function's bit-field struct.
    Field(usize),
    /// Arithmetic in a type: `+ - * / % & | ^ << >>`, with counts and divisors made safe.
    Binary(Ty, &'static str, Box<Expr>, Box<Expr>),
    /// `~`, `-`.
    Unary(Ty, &'static str, Box<Expr>),
    /// Comparison of two values of a type.
    Compare(Ty, &'static str, Box<Expr>, Box<Expr>),
    /// `&&`, `||`.
    Logic(&'static str, Box<Expr>, Box<Expr>),
    /// `!`.
    Not(Box<Expr>),
    /// Conversion to a type.
    Cast(Ty, Box<Expr>),
    /// `c ? a : b`.
    Choose(Ty, Box<Expr>, Box<Expr>, Box<Expr>),
    /// Element of a table.
    Load(Ty, Table, Box<Expr>),
    /// A function of the program; the local array for its pointer parameter.
    Call(Ty, usize, Vec<Expr>, Option<usize>),
    /// A function of the prelude on integers.
    Builtin(Ty, &'static str, Vec<Expr>),
}

impl Expr {
    /// Type of the value.
    pub fn ty(&self) -> Ty {
        match self {
            Expr::Literal(t, _)
            | Expr::Var(t, _)
            | Expr::Param(t, _)
            | Expr::Binary(t, ..)
            | Expr::Unary(t, ..)
            | Expr::Cast(t, _)
            | Expr::Choose(t, ..)
            | Expr::Load(t, ..)
            | Expr::Call(t, ..)
            | Expr::Builtin(t, ..) => *t,
            Expr::Thread | Expr::Block => Ty::U32,
            Expr::Field(_) | Expr::Compare(..) | Expr::Logic(..) | Expr::Not(_) => Ty::I32,
        }
    }
}

/// Number of the pointer parameter among the local arrays.
pub const POINTER: usize = usize::MAX;

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// `v = e;`
    Assign(usize, Expr),
    /// `field = e;`
    SetField(usize, Expr),
    /// `table[i] = e;` of a local array; [`POINTER`] is what the pointer parameter points to.
    StoreLocal(usize, Expr, Expr),
    /// `shared[thread] = e;`
    StoreShared(usize, Expr),
    /// `out[...] = e;` of the thread's results.
    Result(usize, Expr),
    /// `if (c) {…} else {…}`
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// A loop with its own counter: kind, counter, most rounds, a further condition, body.
    Loop(LoopKind, usize, Expr, Option<Expr>, Vec<Stmt>),
    /// `switch`: value, cases (labels, body, falls through), default.
    Switch(Expr, Vec<(Vec<i64>, Vec<Stmt>, bool)>, Vec<Stmt>),
    /// Leaves the loop or the switch.
    Break,
    /// On to the next round of the loop.
    Continue,
    /// To a label further on; backwards while the counter is below 3.
    Goto(usize, Option<usize>),
    /// A label.
    Label(usize),
    /// Ends the function: in a kernel results stand already, else with a value.
    Return(Option<Expr>),
    /// `__syncthreads();`
    Barrier,
}

/// How a loop is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum LoopKind {
    For,
    While,
    DoWhile,
}

/// A function or a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Type returned; none for a kernel.
    pub returns: Option<Ty>,
    /// Parameters, the first variables.
    pub params: usize,
    /// Types of the variables and their first values.
    pub vars: Vec<(Ty, Expr)>,
    /// Loop and goto counters.
    pub counters: usize,
    /// Local arrays.
    pub arrays: Vec<Ty>,
    /// Type behind the pointer parameter, an array of [`TABLE`] elements in local memory.
    pub pointer: Option<Ty>,
    /// Bit-field struct: width and sign of every field.
    pub fields: Vec<(u32, bool)>,
    /// Must not be inlined.
    pub apart: bool,
    /// Statements.
    pub body: Vec<Stmt>,
    /// Value returned at the end.
    pub last: Option<Expr>,
}

/// A kernel with what it uses.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// Seed that made it.
    pub seed: u64,
    /// Blocks of 8 by 5 threads instead of 40 in a row.
    pub plane: bool,
    /// Functions that may be called; a function calls those before it.
    pub functions: Vec<Function>,
    /// The kernel.
    pub kernel: Function,
    /// Tables: type, values; of constant memory.
    pub constants: Vec<(Ty, Vec<i64>)>,
    /// Tables of global memory.
    pub globals: Vec<(Ty, Vec<i64>)>,
    /// Shared arrays.
    pub shared: Vec<Ty>,
    /// Types and values of the scalar parameters.
    pub params: Vec<(Ty, i64)>,
    /// Words of the input.
    pub input: Vec<u32>,
}
