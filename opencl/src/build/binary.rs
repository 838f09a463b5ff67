//! Programs as binaries: PTX of all kernels with the options that made it; the code for a device is
//! made when the binary is built.

use super::options::BuildOptions;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// A kernel as the source declares it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declared {
    /// Name, type and qualifiers of each argument; empty unless the build asked for them.
    pub arguments: Vec<[String; 3]>,
    /// Type and access of each argument that is an image or a sampler, empty texts of others; empty where none is.
    pub objects: Vec<[String; 2]>,
    /// `reqd_work_group_size`.
    pub required_block: Option<[u32; 3]>,
    /// `work_group_size_hint`.
    pub hinted_block: Option<[u32; 3]>,
    /// Type of `vec_type_hint`.
    pub hinted_type: Option<String>,
}

/// A program after clang: the same for every device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Front {
    /// PTX.
    pub ptx: String,
    /// Warnings.
    pub log: String,
    /// Kernels by name, as far as there is more to say of them than PTX does.
    pub declared: BTreeMap<String, Declared>,
}

/// Number of the contents: another one whenever [`Binary`] changes.
const FORMAT: u32 = 4;

/// What tells this driver's binaries from those of another: format, and headers that their PTX was made with. Part of
/// `CL_DRIVER_VERSION`, by which programs such as pyopencl keep binaries.
pub fn version() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| format!("{FORMAT}.{}", &warpsmith_compiler::clang::cache::version()[..8]))
}

/// First bytes of a binary.
fn magic() -> String {
    format!("warpsmith opencl binary {}\n", version())
}

/// What a binary is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// Result of `clCompileProgram`.
    Object,
    /// Result of `clLinkProgram` with `-create-library`.
    Library,
    /// Result of `clBuildProgram` and `clLinkProgram`.
    Executable,
}

/// A part of a program: what one `clCompileProgram` made, with its own options.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Its module, in LLVM's text form.
    pub module: String,
    /// Products and sums stay apart.
    pub strict_fp: bool,
    /// Compiled with `-cl-opt-disable`.
    pub plain: bool,
    /// Its kernels by name.
    pub declared: BTreeMap<String, Declared>,
}

/// A binary's contents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binary {
    /// What it is.
    pub kind: Kind,
    /// Options of the build.
    pub options: String,
    /// PTX, of an executable.
    pub front: Front,
    /// Parts, of an object or a library.
    pub parts: Vec<Part>,
}

impl Binary {
    /// As bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let mut out = magic().into_bytes();
        // Strings alone: this cannot fail.
        out.extend(serde_json::to_vec(self).unwrap_or_default());
        out
    }

    /// From bytes; `None` for anything that [`Binary::bytes`] did not write.
    pub fn read(bytes: &[u8]) -> Option<Binary> {
        let binary: Binary = serde_json::from_slice(bytes.strip_prefix(magic().as_bytes())?).ok()?;
        match binary.kind {
            Kind::Library => BuildOptions::parse_link(&binary.options).map(|_| ()),
            _ => BuildOptions::parse(&binary.options).map(|_| ()),
        }
        .ok()?;
        Some(binary)
    }
}
