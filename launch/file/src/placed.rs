//! What is placed in global and constant memory, and where.

use crate::raw::Source;
use toml::Spanned;
use warpsmith_compiler::clang::names::readable;
use warpsmith_launch::{room, Buffer, ConstantSection, GlobalSection, LaunchError};

/// Alignment of buffers and variables in bytes, and address of the first where no page is guarded: 0 stays
/// a null pointer.
const ALIGN: u64 = 256;

/// Global and constant memory as placed.
#[derive(Default)]
pub(crate) struct Placed {
    pub buffers: Vec<Buffer>,
    pub globals: Vec<GlobalSection>,
    pub expects: Vec<GlobalSection>,
    pub constants: Vec<ConstantSection>,
    pub textures: Vec<Bound>,
    /// Functions that pointers may mean: symbol, and the value of a pointer to it.
    pub functions: Vec<(String, u32)>,
    /// First byte behind everything placed; 0 when nothing was.
    pub end: u64,
    /// Room is left between what is placed, in which nobody may read or write.
    pub apart: bool,
    /// Room behind what was placed last.
    pub room: u64,
}

impl Placed {
    /// Address of a `[[buffer]]`.
    pub fn address(&self, name: &str) -> Option<u32> {
        let found = self.buffers.iter().find(|b| b.name == name);
        found.map(|b| b.address)
    }

    /// Handle of a `[[texture]]`.
    pub fn handle(&self, name: &str) -> Option<u32> {
        let found = self.textures.iter().find(|t| t.name == name);
        found.map(|t| t.handle)
    }

    /// The value of a pointer to a function, by its name or its symbol.
    pub fn function(&self, name: &str) -> Option<u32> {
        self.functions.iter().find(|f| f.0 == name || readable(&f.0) == name).map(|f| f.1)
    }

    /// The next place for `bytes`.
    pub fn take(&mut self, start: u64, bytes: u64) -> Option<u32> {
        let first = start.max(ALIGN) + if self.apart { room(0) } else { 0 };
        let at = (self.end + self.room).max(first).next_multiple_of(ALIGN);
        let end = at.checked_add(bytes)?;
        (end <= 1 << 32).then(|| {
            self.end = end;
            self.room = if self.apart { room(bytes) } else { 0 };
            at as u32
        })
    }

    /// First byte behind everything placed, and behind the room that is left there; at most 2^32.
    pub fn end_with_room(&self) -> u64 {
        match self.apart {
            true => (self.end + self.room).next_multiple_of(4).min(1 << 32),
            false => self.end,
        }
    }
}

/// A texture that arguments may name.
pub(crate) struct Bound {
    pub name: String,
    /// Byte offset of its descriptor in constant bank 0.
    pub handle: u32,
}

/// The error of something that global memory has no room for.
pub(crate) fn full<T>(source: &Source<'_>, at: &Spanned<T>, what: &str) -> LaunchError {
    source.error(at, format!("{what} does not fit: global memory ends at 2^32 = 4294967296 bytes"))
}

/// Contents from a byte of something placed on.
pub(crate) fn section(address: u32, offset: u64, bytes: Vec<u8>, line: usize) -> GlobalSection {
    GlobalSection { offset: u64::from(address) + offset, bytes, max_ulp: None, floats: false, line: Some(line) }
}
