//! Buffers, parts of buffers, and images, which are buffers with a shape.

use crate::answer::{size, uint, ulong};
use crate::cl;
use crate::context::Context;
use crate::error::{need, Error, Result};
use crate::ffi::host::{HostPtr, Storage};
use crate::image::Shape;
use crate::layout::ALIGN;
use crate::registry::{Handle, Object};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use warpsmith_model::launch::snapshot::Reader;

const ACCESS: u64 = cl::MEM_READ_WRITE | cl::MEM_WRITE_ONLY | cl::MEM_READ_ONLY;
const HOST_ACCESS: u64 = cl::MEM_HOST_WRITE_ONLY | cl::MEM_HOST_READ_ONLY | cl::MEM_HOST_NO_ACCESS;
const HOST_MEMORY: u64 = cl::MEM_USE_HOST_PTR | cl::MEM_ALLOC_HOST_PTR | cl::MEM_COPY_HOST_PTR;

/// Something to do when a buffer dies.
type Destructor = Box<dyn FnOnce() + Send>;

/// A buffer, or a part of one.
pub struct Buffer {
    handle: Handle,
    /// Its context.
    pub context: Arc<Context>,
    flags: u64,
    /// Bytes.
    pub bytes: usize,
    /// First byte within the whole buffer's storage.
    pub origin: usize,
    parent: Option<Arc<Buffer>>,
    /// Of an image, its shape.
    pub image: Option<Shape>,
    storage: Arc<Storage>,
    host_ptr: usize,
    /// Mappings in force: address to their number.
    maps: Mutex<HashMap<usize, u32>>,
    destructors: Mutex<Vec<Destructor>>,
}

impl Object for Buffer {
    fn handle(&self) -> &Handle {
        &self.handle
    }
}

/// At most one of the flags in `group`.
fn at_most_one(flags: u64, group: u64) -> bool {
    (flags & group).count_ones() <= 1
}

/// Checks the flags of a buffer.
///
/// # Errors
/// `CL_INVALID_VALUE`.
fn check_flags(flags: u64) -> Result<()> {
    let known = flags & !(ACCESS | HOST_ACCESS | HOST_MEMORY) == 0;
    let use_with_other =
        flags & cl::MEM_USE_HOST_PTR != 0 && flags & (cl::MEM_ALLOC_HOST_PTR | cl::MEM_COPY_HOST_PTR) != 0;
    let fits = at_most_one(flags, ACCESS) && at_most_one(flags, HOST_ACCESS) && !use_with_other;
    need(known && fits, cl::INVALID_VALUE, "these flags of a buffer exclude each other")
}

/// Ranges of bytes that differ between two equally long contents.
fn differences(before: &[u8], after: &[u8]) -> Vec<Range<usize>> {
    /// Bytes compared at once.
    const BLOCK: usize = 64;
    let mut out: Vec<Range<usize>> = Vec::new();
    let blocks = before.chunks(BLOCK).zip(after.chunks(BLOCK)).enumerate();
    for (n, (old, new)) in blocks.filter(|(_, (old, new))| old != new) {
        for (i, _) in old.iter().zip(new).enumerate().filter(|(_, (a, b))| a != b) {
            let at = n * BLOCK + i;
            match out.last_mut() {
                Some(last) if last.end == at => last.end = at + 1,
                _ => out.push(at..at + 1),
            }
        }
    }
    out
}

impl Buffer {
    /// Checks the properties of a new buffer; `host` is the program's memory where one is given.
    ///
    /// # Errors
    /// Those of `clCreateBuffer`.
    pub fn check(context: &Context, flags: u64, bytes: usize, host: Option<HostPtr>) -> Result<()> {
        check_flags(flags)?;
        need(bytes > 0, cl::INVALID_BUFFER_SIZE, "a buffer needs a byte at least")?;
        let most = context.devices.iter().map(|d| d.most_alloc()).max();
        need(bytes as u64 <= most.unwrap_or(0), cl::INVALID_BUFFER_SIZE, "larger than CL_DEVICE_MAX_MEM_ALLOC_SIZE")?;
        let needs = flags & (cl::MEM_USE_HOST_PTR | cl::MEM_COPY_HOST_PTR) != 0;
        need(
            needs == host.is_some(),
            cl::INVALID_HOST_PTR,
            "a host pointer goes with CL_MEM_USE_HOST_PTR and CL_MEM_COPY_HOST_PTR, and with them alone",
        )
    }

    /// The storage of a buffer of checked properties.
    ///
    /// # Errors
    /// No memory.
    pub fn storage(flags: u64, bytes: usize, host: Option<HostPtr>) -> Result<Arc<Storage>> {
        let storage = match host {
            Some(p) if flags & cl::MEM_USE_HOST_PTR != 0 => Storage::of_host(p, bytes),
            _ => Storage::new(bytes).ok_or(Error::from(cl::MEM_OBJECT_ALLOCATION_FAILURE))?,
        };
        if let Some(p) = host.filter(|_| flags & cl::MEM_COPY_HOST_PTR != 0) {
            storage.write(0, &p.read(0, bytes));
        }
        Ok(Arc::new(storage))
    }

    /// A buffer on its storage.
    pub fn new(handle: Handle, context: Arc<Context>, flags: u64, bytes: usize, storage: Arc<Storage>) -> Buffer {
        let host_ptr = match flags & cl::MEM_USE_HOST_PTR {
            0 => 0,
            _ => storage.address(0),
        };
        Buffer {
            handle,
            context,
            flags: if flags & ACCESS == 0 { flags | cl::MEM_READ_WRITE } else { flags },
            bytes,
            origin: 0,
            parent: None,
            image: None,
            storage,
            host_ptr,
            maps: Mutex::default(),
            destructors: Mutex::default(),
        }
    }

    /// An image on its storage.
    pub fn of_image(handle: Handle, context: Arc<Context>, flags: u64, shape: Shape, storage: Arc<Storage>) -> Buffer {
        let mut made = Buffer::new(handle, context, flags, shape.bytes(), storage);
        made.image = Some(shape);
        made
    }

    /// An image in the memory of a buffer, as checked.
    pub fn on(handle: Handle, parent: Arc<Buffer>, flags: u64, shape: Shape) -> Buffer {
        let origin = parent.origin;
        let mut made = Buffer::part(handle, parent, flags, origin, shape.bytes());
        made.image = Some(shape);
        made
    }

    /// Checks the flags of a buffer or an image, of no memory of the program.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`.
    pub fn check_access(flags: u64) -> Result<()> {
        check_flags(flags)
    }

    /// Handle of the buffer that this is a part of, or whose memory an image has; 0: none.
    pub fn parent_address(&self) -> usize {
        self.parent.as_ref().map_or(0, |p| p.handle.address())
    }

    /// Whether kernels may write it, or read it.
    pub fn allows_kernel(&self, write: bool) -> bool {
        self.flags & if write { cl::MEM_READ_ONLY } else { cl::MEM_WRITE_ONLY } == 0
    }

    /// Flags of a part of this buffer, checked with its place.
    ///
    /// # Errors
    /// Those of `clCreateSubBuffer`.
    pub fn check_part(&self, flags: u64, origin: usize, bytes: usize) -> Result<u64> {
        need(self.parent.is_none(), cl::INVALID_MEM_OBJECT, "a part has no parts")?;
        let flags = self.check_flags_of_part(flags)?;
        need(bytes > 0, cl::INVALID_BUFFER_SIZE, "a part needs a byte at least")?;
        let end = origin.checked_add(bytes);
        need(end.is_some_and(|end| end <= self.bytes), cl::INVALID_VALUE, "the part ends behind the buffer")?;
        need(
            origin % ALIGN as usize == 0,
            cl::MISALIGNED_SUB_BUFFER_OFFSET,
            "the part must begin at a multiple of CL_DEVICE_MEM_BASE_ADDR_ALIGN",
        )?;
        Ok(flags)
    }

    /// Flags of something in this buffer's memory, completed with the buffer's own.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`.
    pub fn check_flags_of_part(&self, flags: u64) -> Result<u64> {
        need(flags & HOST_MEMORY == 0, cl::INVALID_VALUE, "a part has its parent's memory")?;
        check_flags(flags)?;
        let access = flags & ACCESS;
        let own = self.flags & ACCESS;
        let narrower = access == 0 || own == cl::MEM_READ_WRITE || access == own;
        let host = flags & HOST_ACCESS;
        let own_host = self.flags & HOST_ACCESS;
        let host_fits = host == 0 || own_host == 0 || host == own_host || host == cl::MEM_HOST_NO_ACCESS;
        need(narrower && host_fits, cl::INVALID_VALUE, "a part cannot have more access than its buffer")?;
        let access = if access == 0 { own } else { access };
        let host = if host == 0 { own_host } else { host };
        Ok(access | host | self.flags & HOST_MEMORY)
    }

    /// A part of `parent`, as checked.
    pub fn part(handle: Handle, parent: Arc<Buffer>, flags: u64, origin: usize, bytes: usize) -> Buffer {
        Buffer {
            handle,
            context: parent.context.clone(),
            flags,
            bytes,
            origin,
            storage: parent.storage.clone(),
            host_ptr: match parent.host_ptr {
                0 => 0,
                p => p + origin,
            },
            parent: Some(parent),
            image: None,
            maps: Mutex::default(),
            destructors: Mutex::default(),
        }
    }

    /// Bytes of the whole buffer that this is a part of, or of the buffer itself.
    pub fn whole_bytes(&self) -> usize {
        self.parent.as_ref().map_or(self.bytes, |p| p.whole_bytes())
    }

    /// Whether both are the same buffer or parts of it.
    pub fn shares_storage(&self, other: &Buffer) -> bool {
        Arc::ptr_eq(&self.storage, &other.storage)
    }

    /// Contents of the whole buffer.
    pub fn whole(&self) -> Vec<u8> {
        self.storage.read(0, self.whole_bytes())
    }

    /// What copies from the whole buffer.
    pub fn reader(&self) -> Reader {
        let storage = self.storage.clone();
        Box::new(move |offset, to| storage.read_to(offset, to))
    }

    /// Takes over what a launch changed: bytes of the whole buffer from `at` on before and after it. Other bytes stay:
    /// commands of other queues may have written them meanwhile, through other parts of the buffer.
    pub fn merge(&self, at: usize, before: &[u8], after: &[u8]) {
        for changed in differences(before, after) {
            self.storage.write(at + changed.start, &after[changed]);
        }
    }

    /// Copies bytes out.
    pub fn read(&self, offset: usize, count: usize) -> Vec<u8> {
        self.storage.read(self.origin + offset, count)
    }

    /// Copies bytes in.
    pub fn write(&self, offset: usize, bytes: &[u8]) {
        self.storage.write(self.origin + offset, bytes);
    }

    /// Whether `offset` and `count` name bytes of it.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`.
    pub fn check_range(&self, offset: usize, count: usize) -> Result<()> {
        let end = offset.checked_add(count);
        need(
            count > 0 && end.is_some_and(|end| end <= self.bytes),
            cl::INVALID_VALUE,
            "no bytes, or bytes beyond the end of the buffer",
        )
    }

    /// Whether the program may read (or write) it from the host.
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION`.
    pub fn check_host(&self, reads: bool, writes: bool) -> Result<()> {
        let refused = self.flags & cl::MEM_HOST_NO_ACCESS != 0
            || reads && self.flags & cl::MEM_HOST_WRITE_ONLY != 0
            || writes && self.flags & cl::MEM_HOST_READ_ONLY != 0;
        need(!refused, cl::INVALID_OPERATION, "the buffer's flags refuse this access of the host")
    }

    fn maps(&self) -> MutexGuard<'_, HashMap<usize, u32>> {
        self.maps.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Address of a byte for the program, counted as mapped.
    pub fn map(&self, offset: usize) -> usize {
        let address = self.storage.address(self.origin + offset);
        *self.maps().entry(address).or_default() += 1;
        address
    }

    /// Ends a mapping.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for an address that is not mapped.
    pub fn unmap(&self, address: usize) -> Result<()> {
        let mut maps = self.maps();
        let n = maps.get_mut(&address).ok_or(Error::new(cl::INVALID_VALUE, "this address is not mapped"))?;
        *n -= 1;
        if *n == 0 {
            maps.remove(&address);
        }
        Ok(())
    }

    /// Adds something to do at the end, before what was added earlier.
    pub fn at_end(&self, destructor: Destructor) {
        let list = self.destructors.lock();
        list.unwrap_or_else(PoisonError::into_inner).push(destructor);
    }

    /// A value of `clGetMemObjectInfo`.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for a name that 1.2 does not have.
    pub fn info(&self, name: u32) -> Result<Vec<u8>> {
        Ok(match name {
            cl::MEM_TYPE => uint(self.image.map_or(cl::MEM_OBJECT_BUFFER, |shape| shape.kind.number())),
            cl::MEM_FLAGS => ulong(self.flags),
            cl::MEM_SIZE => size(self.bytes),
            cl::MEM_HOST_PTR => size(self.host_ptr),
            cl::MEM_MAP_COUNT => uint(self.maps().values().sum()),
            cl::MEM_REFERENCE_COUNT => uint(self.handle.count()),
            cl::MEM_CONTEXT => size(self.context.handle().address()),
            cl::MEM_ASSOCIATED_MEMOBJECT => size(self.parent_address()),
            cl::MEM_OFFSET => size(self.origin),
            _ => return Err(Error::new(cl::INVALID_VALUE, "no such value of a buffer")),
        })
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let list = self.destructors.get_mut();
        let list = std::mem::take(list.unwrap_or_else(PoisonError::into_inner));
        for destructor in list.into_iter().rev() {
            destructor();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_ranges_of_bytes() {
        let before = [0u8; 200];
        let mut after = before;
        for at in [0, 3, 4, 63, 64, 199] {
            after[at] = 1;
        }
        assert_eq!(differences(&before, &after), [0..1, 3..5, 63..65, 199..200]);
        assert!(differences(&before, &before).is_empty());
    }
}
