//! A range of work-items as launches of the chip: grid, memory, parameters.
//!
//! A grid has two dimensions of at most 65,535 blocks. A larger range becomes several launches; the
//! words of the environment tell each which part it is.

use crate::cl;
use crate::error::{Error, Result};
use crate::image::Shape;
use std::sync::Arc;
use warpsmith_compiler::ir::{Param, ParamKind, SharedVariable};
use warpsmith_compiler::{environment as env, texture, Compiled};
use warpsmith_model::launch::snapshot::{Part, Reader, Snapshot, PAGE};
use warpsmith_model::launch::{room, Buffer, SourceLines};
use warpsmith_model::launch::{ConstantSection, GlobalSection, GUARD_BYTES};
use warpsmith_model::{GlobalMemory, Launch};

/// Alignment of buffers in bytes.
pub const ALIGN: u64 = 256;
/// Address of the first buffer: what lies below is guarded, so that use of a null pointer traps.
pub const FIRST: u64 = GUARD_BYTES as u64;
/// Blocks of a grid in x or y.
const MOST_BLOCKS: u64 = 65535;

/// A range of work-items; unused dimensions have size 1 and offset 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// 1 to 3.
    pub dimensions: u32,
    /// First work-item.
    pub offset: [u64; 3],
    /// Work-items.
    pub global: [u64; 3],
    /// Work-items of a group.
    pub local: [u32; 3],
}

impl Range {
    /// Groups in each dimension.
    pub fn groups(&self) -> [u64; 3] {
        [0, 1, 2].map(|d| self.global[d] / u64::from(self.local[d]))
    }

    /// The grids it is made of: first group in each dimension, and blocks in x and y.
    pub fn parts(&self) -> impl Iterator<Item = ([u64; 3], [u32; 2])> {
        let [gx, gy, gz] = self.groups();
        let pieces = |n: u64| (0..n).step_by(MOST_BLOCKS as usize);
        let blocks = |n: u64, at: u64| (n - at).min(MOST_BLOCKS) as u32;
        (0..gz).flat_map(move |z| {
            pieces(gy).flat_map(move |y| pieces(gx).map(move |x| ([x, y, z], [blocks(gx, x), blocks(gy, y)])))
        })
    }

    /// Value of a word of the environment in the part that begins with group `first`.
    fn word(&self, register: u8, first: [u64; 3]) -> u32 {
        let of = |base: u8| usize::from(register - base).min(2);
        let value = match register {
            env::FIRST_ITEM..env::FIRST_GROUP => {
                let d = of(env::FIRST_ITEM);
                self.offset[d] + first[d] * u64::from(self.local[d])
            }
            env::FIRST_GROUP..env::GROUPS => first[of(env::FIRST_GROUP)],
            env::GROUPS..env::OFFSET => self.groups()[of(env::GROUPS)],
            env::OFFSET..env::DIMENSIONS => self.offset[of(env::OFFSET)],
            _ => u64::from(self.dimensions),
        };
        value as u32
    }
}

/// An argument at the time of the launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A buffer: its number in [`Memory`], bytes from its start; `None`: a null pointer.
    Buffer(Option<(usize, u64)>),
    /// An image: the number of its memory, bytes from its start, its shape.
    Image(usize, u32, Shape),
    /// The value's bytes.
    Bytes(Vec<u8>),
    /// Bytes of local memory.
    Local(u32),
}

/// Places of buffers in global memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Name, address and bytes of each.
    pub buffers: Vec<Buffer>,
    /// First byte behind all.
    pub end: u64,
    /// Room is left between them where there is some, so that what reaches beyond one does not fall into the next.
    pub apart: bool,
}

impl Memory {
    /// A place for `bytes`.
    ///
    /// # Errors
    /// Global memory is full.
    pub fn place(&mut self, name: String, bytes: u64, limit: u64) -> Result<u32> {
        let at = |room: u64| (self.end.max(FIRST) + room).next_multiple_of(ALIGN);
        let apart = at(self.room());
        let at = if apart + bytes > limit { at(0) } else { apart };
        if at + bytes > limit {
            return Err(Error::new(
                cl::MEM_OBJECT_ALLOCATION_FAILURE,
                format!("the buffers of this launch need more than the {limit} bytes of global memory"),
            ));
        }
        self.end = at + bytes;
        let address = u32::try_from(at).map_err(|_| Error::resources("address beyond 2^32"))?;
        self.buffers.push(Buffer { name, address, bytes });
        Ok(address)
    }

    /// Bytes to leave free behind the last buffer, or in front of the first one.
    fn room(&self) -> u64 {
        match self.apart {
            true => room(self.buffers.last().map_or(0, |b| b.bytes)),
            false => 0,
        }
    }

    /// First byte behind all, and behind the room that is left there as far as memory of `limit` bytes has it.
    fn end_with_room(&self, limit: u64) -> u64 {
        let room = if self.buffers.is_empty() { 0 } else { self.room() };
        (self.end + room).min(limit).next_multiple_of(4)
    }
}

/// Contents of the buffers of a launch, in their order.
pub enum Contents {
    /// Copies of all.
    Whole(Vec<Vec<u8>>),
    /// What copies the pages that the kernel touches.
    Behind(Vec<Reader>),
}

/// Bytes of a buffer that a launch may have changed.
pub struct Change<'a> {
    /// Number of the buffer.
    pub buffer: usize,
    /// First byte, from the buffer's start.
    pub offset: usize,
    /// Bytes before the launch.
    pub before: &'a [u8],
    /// As many behind it.
    pub after: &'a [u8],
}

/// A kernel with its arguments, ready for the parts of its range.
pub struct Loaded {
    kernel: Arc<Compiled>,
    memory: Memory,
    /// Of its buffers the first ones are arguments, the others variables.
    arguments: usize,
    /// Bytes of global memory.
    global_bytes: u64,
    params: Vec<u32>,
    shared_bytes: u32,
    /// Variables in shared memory, `__local` arguments among them.
    shared: Vec<Buffer>,
    constants: Vec<ConstantSection>,
    /// Contents of the program's own variables: address, bytes.
    variables: Vec<(u32, Vec<u8>)>,
}

impl Loaded {
    /// Places arguments and variables; `memory` holds the buffers, `limit` its bytes.
    ///
    /// # Errors
    /// Memory is full.
    pub fn new(kernel: Arc<Compiled>, values: &[Value], mut memory: Memory, limit: u64) -> Result<Loaded> {
        let k = &kernel.kernel;
        let arguments = memory.buffers.len();
        let mut addresses = Vec::new();
        for v in &kernel.unit.globals {
            addresses.push(match v.constant_offset {
                Some(offset) => offset,
                None => memory.place(v.name.clone(), u64::from(v.bytes), limit)?,
            });
        }
        let contents = kernel.unit.contents(&addresses);
        let literals: Vec<u8> = k.literals_at(&addresses).iter().flat_map(|w| w.to_le_bytes()).collect();
        let mut bank = kernel.unit.constant_bank(&contents);
        let handles = descriptors(values, &memory, &mut bank);
        let variable = |v: &SharedVariable| Buffer { name: v.name.clone(), address: v.address, bytes: v.bytes.into() };
        let mut shared = k.shared.iter().map(variable).collect();
        let (words, shared_bytes) = parameters(&kernel, values, &memory, handles, &mut shared);
        let (params, of_bank) = k.passed(&words);
        if let Some((offset, bytes)) = of_bank {
            let at = offset as usize;
            bank[at..at + bytes.len()].copy_from_slice(&bytes);
        }
        let banks = [(0, bank), (1, literals)];
        let constants = banks
            .into_iter()
            .filter(|(_, bytes)| !bytes.is_empty())
            .map(|(bank, bytes)| ConstantSection::new(bank, 0, bytes))
            .collect();
        let variables = kernel.unit.globals.iter().zip(&addresses).zip(contents);
        // Memory is zero anyway.
        let variables = variables
            .filter(|((v, _), bytes)| v.constant_offset.is_none() && bytes.iter().any(|b| *b != 0))
            .map(|((_, at), bytes)| (*at, bytes))
            .collect();
        let global_bytes = memory.end_with_room(limit);
        Ok(Loaded { kernel, memory, arguments, global_bytes, params, shared_bytes, shared, constants, variables })
    }

    /// The launch of one part.
    pub fn launch(&self, range: &Range, part: ([u64; 3], [u32; 2]), contents: Contents) -> Launch {
        let k = &self.kernel.kernel;
        let mut params = self.params.clone();
        for (register, offset) in &k.environment {
            if let Some(word) = params.get_mut(*offset as usize / 4) {
                *word = range.word(*register, part.0);
            }
        }
        let section = |(address, bytes): (u32, Vec<u8>)| GlobalSection::new(u64::from(address), bytes);
        let places = self.memory.buffers.iter();
        let (whole, readers): (Vec<_>, Vec<Reader>) = match contents {
            Contents::Behind(readers) => (vec![], readers),
            Contents::Whole(whole) => {
                let readers = whole.iter().cloned().map(from_copy).collect();
                (places.clone().map(|b| b.address).zip(whole).collect(), readers)
            }
        };
        let behind = |(b, read): (&Buffer, Reader)| Part { address: b.address.into(), bytes: b.bytes, read };
        let before = Some(Arc::new(Snapshot::new(places.zip(readers).map(behind).collect())));
        let globals = whole.into_iter().chain(self.variables.iter().cloned()).map(section).collect();
        let files = self.kernel.unit.files.iter().map(Into::into).collect();
        let lines = k.lines.iter().map(|l| (l.address, usize::from(l.loc.file), l.loc.line)).collect();
        Launch {
            grid: part.1,
            block: range.local,
            registers: k.registers,
            shared_bytes: self.shared_bytes,
            local_bytes: k.local_bytes,
            params,
            global_bytes: self.global_bytes,
            guard: true,
            constants: self.constants.clone(),
            before,
            globals,
            buffers: self.memory.buffers.clone(),
            shared: self.shared.clone(),
            source: SourceLines::new(files, lines),
            ..Launch::from_words(&self.kernel.name, k.words.clone())
        }
    }
}

impl Loaded {
    /// Bytes of the buffers on pages that `after` a launch have been written to.
    pub fn changes<'a>(&'a self, launch: &'a Launch, after: &'a GlobalMemory) -> impl Iterator<Item = Change<'a>> {
        let buffers = self.memory.buffers[..self.arguments].iter().enumerate();
        after.pages().flat_map(move |(page, bytes)| {
            let page = u64::from(page);
            let before = launch.before.as_ref().and_then(|b| b.page(page as usize / PAGE));
            buffers.clone().filter_map(move |(number, b)| {
                let address = u64::from(b.address);
                let (from, to) = (address.max(page), (address + b.bytes).min(page + PAGE as u64));
                let inside = (from.checked_sub(page)? as usize)..(to.checked_sub(page)? as usize);
                Some(Change {
                    buffer: number,
                    offset: (from - address) as usize,
                    before: before?.get(inside.clone())?,
                    after: bytes.get(inside)?,
                })
            })
        })
    }
}

/// What copies from a copy.
fn from_copy(copy: Vec<u8>) -> Reader {
    Box::new(move |offset, to| to.copy_from_slice(&copy[offset..offset + to.len()]))
}

/// Shared bytes of a block with `__local` arguments, each with its bytes.
pub fn shared_bytes<'a>(own: u32, locals: impl IntoIterator<Item = (&'a Param, u32)>) -> u64 {
    locals
        .into_iter()
        .fold(u64::from(own), |end, (p, n)| end.next_multiple_of(u64::from(p.local_align())) + u64::from(n))
}

/// Appends the descriptors of images to constant bank 0, and gives their handles.
fn descriptors(values: &[Value], memory: &Memory, bank: &mut Vec<u8>) -> Vec<u32> {
    let mut handles = Vec::new();
    for value in values {
        let Value::Image(n, origin, shape) = value else { continue };
        let texels = memory.buffers.get(*n).map_or(0, |b| b.address) + origin;
        bank.resize(bank.len().next_multiple_of(texture::ALIGN as usize), 0);
        handles.push(bank.len() as u32);
        bank.extend(shape.descriptor(texels).bytes());
    }
    handles
}

/// Parameter words, and shared bytes with the `__local` arguments, which are added to `variables`; `handles` of the
/// images in their order.
fn parameters(
    kernel: &Compiled, values: &[Value], memory: &Memory, handles: Vec<u32>, variables: &mut Vec<Buffer>,
) -> (Vec<u32>, u32) {
    let mut handles = handles.into_iter();
    let k = &kernel.kernel;
    let mut bytes = vec![0u8; 4 * k.parameter_words()];
    let mut shared = k.shared_bytes;
    for (number, (p, value)) in k.params.iter().zip(values).enumerate() {
        let given = match value {
            Value::Buffer(None) => vec![0; 4],
            Value::Buffer(Some((n, offset))) => {
                let base = memory.buffers.get(*n).map_or(0, |b| b.address);
                (base + *offset as u32).to_le_bytes().to_vec()
            }
            Value::Image(..) => handles.next().unwrap_or(0).to_le_bytes().to_vec(),
            Value::Bytes(bytes) => bytes.clone(),
            Value::Local(n) => {
                let at = shared.next_multiple_of(p.local_align());
                shared = at + n;
                variables.push(Buffer { name: format!("argument {number}"), address: at, bytes: (*n).into() });
                at.to_le_bytes().to_vec()
            }
        };
        let n = given.len().min(p.bytes as usize);
        if let Some(place) = bytes.get_mut(p.offset as usize..).and_then(|b| b.get_mut(..n)) {
            place.copy_from_slice(&given[..n]);
        }
    }
    let words = bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]));
    (words.collect(), shared)
}

/// Whether a parameter takes a buffer.
pub fn is_pointer(kind: ParamKind) -> bool {
    matches!(kind, ParamKind::Global | ParamKind::Constant)
}

/// The group size chosen where the program names none: divides the range, fills warps where it can.
pub fn choose_local(global: [u64; 3], most: u32, each: [u32; 3]) -> [u32; 3] {
    let divisor = |n: u64, most: u32| -> u32 {
        let fits = |d: &u32| n % u64::from(*d) == 0;
        let whole = (1..=most).rev().find(|d| d % 32 == 0 && fits(d));
        whole.or_else(|| (1..=most).rev().find(fits)).unwrap_or(1)
    };
    // Groups of 256 leave room for several on an SM.
    let most = most.min(256);
    let x = divisor(global[0], most.min(each[0]));
    let y = divisor(global[1], (most / x).max(1).min(each[1]));
    let z = divisor(global[2], (most / (x * y)).max(1).min(each[2]));
    [x, y, z]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_ranges_become_parts() {
        let range = Range { dimensions: 3, offset: [5, 0, 2], global: [64 * 70_000, 4, 2], local: [64, 2, 1] };
        let parts: Vec<_> = range.parts().collect();
        assert_eq!(parts.len(), 4);
        assert_eq!(parts[0], ([0, 0, 0], [65535, 2]));
        assert_eq!(parts[3], ([65535, 0, 1], [4465, 2]));
        let word = |r| range.word(r, parts[3].0);
        assert_eq!(word(env::FIRST_ITEM), 5 + 64 * 65535);
        assert_eq!(word(env::FIRST_ITEM + 2), 3);
        assert_eq!((word(env::FIRST_GROUP), word(env::FIRST_GROUP + 2)), (65535, 1));
        assert_eq!((word(env::GROUPS), word(env::GROUPS + 1)), (70_000, 2));
        assert_eq!((word(env::OFFSET), word(env::DIMENSIONS)), (5, 3));
        let deep = Range { global: [64, 2, (1 << 32) - 1], ..range };
        assert_eq!(deep.parts().next(), Some(([0, 0, 0], [1, 1])));
    }

    #[test]
    fn a_chosen_group_divides_the_range() {
        let each = [1024, 1024, 64];
        assert_eq!(choose_local([1000, 1, 1], 1024, each), [250, 1, 1]);
        assert_eq!(choose_local([1024, 1024, 1], 1024, each), [256, 1, 1]);
        assert_eq!(choose_local([16, 12, 5], 1024, each), [16, 12, 1]);
        assert_eq!(choose_local([10_007, 1, 1], 1024, each), [1, 1, 1]);
        assert_eq!(choose_local([96, 3, 1], 128, each), [96, 1, 1]);
    }
}
