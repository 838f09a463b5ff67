//! Syntax tree of a PTX module: names resolved inside functions, nothing interpreted.

use super::left::LeftOut;
/// State space of a variable or parameter.
pub use crate::ir::Space;
use std::collections::HashMap;

/// Kind of a PTX type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeKind {
    /// `.bN`: bits without meaning.
    Bits,
    /// `.uN`.
    Unsigned,
    /// `.sN`.
    Signed,
    /// `.fN`.
    Float,
    /// `.pred`.
    Pred,
}

/// A fundamental type of PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ty {
    /// Kind.
    pub kind: TypeKind,
    /// Width in bits: 1 (predicates), 8, 16, 32, 64 or 128.
    pub bits: u32,
}

impl Ty {
    /// Reads a type's name without its dot (`u32`); `None` where it is no type.
    pub fn parse(name: &str) -> Option<Ty> {
        let (kind, bits) = match name {
            "pred" => return Some(Ty { kind: TypeKind::Pred, bits: 1 }),
            // Pairs of halves and other formats of 16 and 32 bits are bits to this compiler.
            "f16x2" | "bf16x2" | "tf32" => return Some(Ty { kind: TypeKind::Bits, bits: 32 }),
            "bf16" => return Some(Ty { kind: TypeKind::Bits, bits: 16 }),
            _ => (name.get(..1)?, name.get(1..)?),
        };
        let kind = match kind {
            "b" => TypeKind::Bits,
            "u" => TypeKind::Unsigned,
            "s" => TypeKind::Signed,
            "f" => TypeKind::Float,
            _ => return None,
        };
        let bits = match bits {
            "8" => 8,
            "16" => 16,
            "32" => 32,
            "64" => 64,
            "128" => 128,
            _ => return None,
        };
        Some(Ty { kind, bits })
    }

    /// Bytes in memory.
    pub const fn bytes(self) -> u32 {
        self.bits.div_ceil(8)
    }

    /// A signed integer.
    pub fn signed(self) -> bool {
        self.kind == TypeKind::Signed
    }
}

/// A register of a function: index into [`Body::regs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegId(pub u32);

/// A label of a function: index into [`Body::labels`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LabelId(pub u32);

/// A variable of a function: index into [`Body::vars`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// A name that is no register.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// A variable declared in the function.
    Local(VarId),
    /// Anything else: parameter, variable of the module, function.
    Name(String),
}

/// Base of an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Base {
    /// A register.
    Reg(RegId),
    /// A symbol.
    Symbol(Symbol),
    /// Nothing: the offset is the address.
    None,
}

/// Operand of an instruction.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A register.
    Reg(RegId),
    /// A predicate register, inverted (`!%p`).
    NotReg(RegId),
    /// Two predicate registers (`%p|%q`).
    RegPair(RegId, RegId),
    /// An integer.
    Int(u64),
    /// Bits of a float.
    F32(u32),
    /// Bits of a double.
    F64(u64),
    /// A special register, without `%`.
    Special(String),
    /// A symbol's address plus bytes.
    Symbol(Symbol, i64),
    /// `[base+bytes]`.
    Address(Base, i64),
    /// `{a, b, …}`.
    Vector(Vec<Operand>),
    /// `(a, b, …)` of a call.
    List(Vec<Operand>),
    /// Target of a branch or a table of targets.
    Label(LabelId),
    /// `_`: a result that is not wanted.
    Sink,
}

/// A line of the C source: number of the file in `.file`, and line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SourceLine {
    /// The number `.file` gives.
    pub file: u32,
    /// Line from 1.
    pub line: u32,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Inst {
    /// Line in the PTX, from 1.
    pub line: u32,
    /// Line of the C source where known.
    pub source: Option<SourceLine>,
    /// Guard, and whether it is inverted.
    pub guard: Option<(RegId, bool)>,
    /// Opcode with its modifiers, as written (`ld.global.u32`).
    pub op: String,
    /// Operands in order.
    pub args: Vec<Operand>,
}

impl Inst {
    /// An instruction in the place of this one, without a guard.
    pub fn beside(&self, op: impl Into<String>, args: Vec<Operand>) -> Self {
        Self { line: self.line, source: self.source, guard: None, op: op.into(), args }
    }

    /// Opcode without modifiers.
    pub fn name(&self) -> &str {
        self.op.split('.').next().unwrap_or("")
    }
}

/// A statement of a function body.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// A label stands here.
    Label(LabelId),
    /// An instruction.
    Inst(Inst),
    /// A table of branch targets under its own name (`.branchtargets`).
    Targets(LabelId, Vec<LabelId>),
}

/// One element of an initialiser.
#[derive(Clone, Debug, PartialEq)]
pub enum Init {
    /// An integer.
    Int(u64),
    /// Bits of a float.
    F32(u32),
    /// Bits of a double.
    F64(u64),
    /// Address of a symbol plus bytes; `mask` picks bits of it (`0xFF00(x)` is its second byte).
    Symbol {
        /// Name.
        name: String,
        /// Bytes added.
        offset: i64,
        /// Bits picked; `None` is the whole address.
        mask: Option<u64>,
    },
}

/// A variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Name.
    pub name: String,
    /// Line in the PTX.
    pub line: u32,
    /// Space.
    pub space: Space,
    /// Type of an element.
    pub ty: Ty,
    /// Alignment in bytes.
    pub align: u32,
    /// Elements; `None` is an array without a size (`x[]`).
    pub count: Option<u32>,
    /// Declared elsewhere (`.extern`).
    pub external: bool,
    /// Initial values, element by element; may stop early.
    pub init: Vec<Init>,
    /// The descriptor of a texture or surface reference (`.texref`, `.surfref`), which the launch fills.
    pub texture: bool,
}

impl Variable {
    /// The place of a parameter of a function.
    pub fn of_param(p: &Param, line: u32) -> Self {
        Self {
            name: p.name.clone(),
            line,
            space: Space::Param,
            ty: p.ty,
            align: p.align,
            count: Some(p.count),
            external: false,
            init: Vec::new(),
            texture: false,
        }
    }

    /// Bytes of the whole variable; 0 for an array without a size.
    pub fn bytes(&self) -> u64 {
        u64::from(self.count.unwrap_or(0)) * u64::from(self.ty.bytes())
    }
}

/// `.ptr` of a parameter: what it points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointer {
    /// Space; `None` is generic.
    pub space: Option<Space>,
    /// Alignment of the memory in bytes; 1 unless named.
    pub align: u32,
}

/// A parameter or result of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Name.
    pub name: String,
    /// Type of an element.
    pub ty: Ty,
    /// Alignment in bytes.
    pub align: u32,
    /// Elements of an array (`.b8 x[12]`), else 1.
    pub count: u32,
    /// `.ptr` attributes.
    pub pointer: Option<Pointer>,
    /// The register it lives in, for functions that pass registers.
    pub reg: Option<RegId>,
}

impl Param {
    /// Bytes.
    pub fn bytes(&self) -> u64 {
        u64::from(self.count) * u64::from(self.ty.bytes())
    }
}

/// Text between the braces of a function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// Type of every register.
    pub regs: Vec<Ty>,
    /// Name of every label.
    pub labels: Vec<String>,
    /// Variables of the function; scopes are resolved.
    pub vars: Vec<Variable>,
    /// Statements in order.
    pub code: Vec<Statement>,
}

/// A kernel or device function.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Name.
    pub name: String,
    /// Line in the PTX.
    pub line: u32,
    /// `.entry`: a kernel.
    pub entry: bool,
    /// Results.
    pub results: Vec<Param>,
    /// Parameters.
    pub params: Vec<Param>,
    /// Threads of a block exactly (`.reqntid`).
    pub required_block: Option<[u32; 3]>,
    /// Threads of a block at most (`.maxntid`), a product.
    pub max_threads: Option<u32>,
    /// `None` for a declaration.
    pub body: Option<Body>,
}

/// A PTX module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module {
    /// Name of the PTX file, for messages.
    pub file: String,
    /// PTX version times ten.
    pub version: u32,
    /// First word of `.target`.
    pub target: String,
    /// Source files by the number `.file` gives.
    pub files: Vec<(u32, String)>,
    /// Variables of module scope.
    pub vars: Vec<Variable>,
    /// Functions, declarations too.
    pub functions: Vec<Function>,
    /// Other names of functions (`.alias`): new name, function.
    pub aliases: Vec<(String, String)>,
    /// Functions whose address is taken, once they have numbers.
    pub pointed: Vec<String>,
    /// Those whose address a function or a variable names, by its name.
    pub mentions: HashMap<String, Vec<String>>,
    /// What clang refused of its source.
    pub left: Vec<LeftOut>,
}

impl Module {
    /// Names of the kernels that have a body, in the order of the file.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.functions.iter().filter(|f| f.entry && f.body.is_some()).map(|f| f.name.as_str())
    }

    /// A function with a body by its name, aliases followed.
    pub fn function(&self, name: &str) -> Option<&Function> {
        let name = self.aliases.iter().find(|(alias, _)| alias == name).map_or(name, |(_, to)| to.as_str());
        self.functions.iter().find(|f| f.name == name && f.body.is_some())
    }

    /// Name of a source file by its `.file` number.
    pub fn source_file(&self, number: u32) -> Option<&str> {
        self.files.iter().find(|(n, _)| *n == number).map(|(_, name)| name.as_str())
    }
}
