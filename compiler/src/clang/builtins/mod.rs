//! The built-in functions of OpenCL C 1.2: the standard's table, and what is generated from it.
//!
//! clang declares the functions by itself. Their bodies are a library in LLVM's bitcode, compiled once from `include/` and
//! [`text`]; programs are linked with the functions that they call ([`library`](super::library)).
//! Scalar bodies and those of vectors that are no matter of single elements are C; everything that follows from a
//! row of the [table] is generated.

mod convert;
mod table;
mod vectors;

use std::fmt;
use table::Body;

/// A type of an argument or a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Type {
    /// Scalar type, as in `uint`.
    pub element: &'static str,
    /// Elements of the vector; 1: a scalar.
    pub width: u32,
    /// Address space, of a pointer to it; as in `__global`.
    pub space: Option<&'static str>,
    /// Pointer to constant contents.
    pub constant: bool,
}

impl Type {
    /// The type itself, of a pointer what it points to.
    pub fn value(self) -> Type {
        Type { space: None, constant: false, ..self }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (front, back) = match (self.constant, self.space) {
            (true, Some(space)) => (format!("const {space} "), " *"),
            (false, Some(space)) => (format!("{space} "), " *"),
            _ => (String::new(), ""),
        };
        match self.width {
            1 => write!(f, "{front}{}{back}", self.element),
            n => write!(f, "{front}{}{n}{back}", self.element),
        }
    }
}

/// A built-in function with the types of one of its forms.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Function {
    /// Name.
    pub name: String,
    /// Type of the result.
    pub result: Type,
    /// Types of the arguments.
    pub args: Vec<Type>,
    /// The scalar form that gives each element of a vector form; `None` of functions that are not by element.
    pub scalar: Option<String>,
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let args: Vec<String> = self.args.iter().map(Type::to_string).collect();
        write!(f, "{} {}({})", self.result, self.name, args.join(", "))
    }
}

/// Every form of every function that the device has.
pub fn functions() -> Vec<Function> {
    table::forms().map(|(f, _)| f).chain(convert::functions()).collect()
}

/// Names of the functions of OpenCL C 1.2 that the table leaves out: a way to print, atomic functions, which ask for a chip of
/// SM 1.1 or SM 1.2, and functions of images, which `include/warpsmith_cl_image.h` has.
pub fn is_refused(name: &str) -> bool {
    let fronts = ["atomic_", "atom_", "read_image", "write_image", "get_image"];
    name == "printf" || fronts.iter().any(|f| name.starts_with(f))
}

/// The generated part of the library, in OpenCL C.
pub(super) fn text() -> String {
    let mut out = String::new();
    for (f, body) in table::forms() {
        match body {
            Body::Own => {}
            Body::Each => vectors::each(&mut out, &f),
            Body::Wide => vectors::wide(&mut out, &f),
            Body::Result => vectors::second_result(&mut out, &f),
        }
    }
    convert::text(&mut out);
    out
}
