//! Memory whose address programs know: storage of buffers, and what read and write commands move.
//!
//! All access is by copying through raw pointers: a program may write to mapped memory while a command
//! moves other bytes of it, so no Rust reference to it ever exists. Commands of several queues that move bytes of one
//! storage follow each other.

use std::alloc::{alloc_zeroed, dealloc, Layout};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Alignment of storage in bytes: that of the largest type, `long16`.
const ALIGN: usize = 128;

extern "C" {
    static stdout: *mut std::ffi::c_void;
    fn fflush(stream: *mut std::ffi::c_void) -> std::ffi::c_int;
}

/// Writes out what the program has printed by C and not written yet.
pub fn flush_output() {
    // SAFETY: C's library sets its stream before the program begins, and locks it itself.
    unsafe { fflush(stdout) };
}

/// A piece of the program's memory.
#[derive(Clone, Copy, Debug)]
pub struct HostPtr(*mut u8);

// SAFETY: the address alone is shared; whoever made it vouches for the memory until the command that
// uses it has ended, as the standard demands of programs.
unsafe impl Send for HostPtr {}
// SAFETY: as above; copies through it need no exclusive access of this process.
unsafe impl Sync for HostPtr {}

impl HostPtr {
    /// Memory of the program from an address on.
    ///
    /// # Safety
    /// As much as is copied must be valid until the last copy.
    pub unsafe fn new(address: *mut u8) -> HostPtr {
        HostPtr(address)
    }

    /// The address.
    pub fn address(self) -> usize {
        self.0 as usize
    }

    /// Copies bytes in.
    pub fn write(self, offset: usize, bytes: &[u8]) {
        // SAFETY: `new` was promised memory for every copy; `bytes` is a live slice.
        unsafe { std::ptr::copy(bytes.as_ptr(), self.0.wrapping_add(offset), bytes.len()) }
    }

    /// Copies bytes out.
    pub fn read(self, offset: usize, count: usize) -> Vec<u8> {
        let mut out = vec![0u8; count];
        self.read_to(offset, &mut out);
        out
    }

    /// Copies bytes out, to a place.
    pub fn read_to(self, offset: usize, out: &mut [u8]) {
        // SAFETY: as in `write`.
        unsafe { std::ptr::copy(self.0.wrapping_add(offset), out.as_mut_ptr(), out.len()) }
    }
}

/// Storage of a buffer: its own, zeroed, or the program's.
#[derive(Debug)]
pub struct Storage {
    start: HostPtr,
    bytes: usize,
    owned: Option<Layout>,
    /// Held while bytes are copied in or out.
    moving: Mutex<()>,
}

impl Storage {
    /// New storage; `None` when there is no memory.
    pub fn new(bytes: usize) -> Option<Storage> {
        let layout = Layout::from_size_align(bytes.max(1), ALIGN).ok()?;
        // SAFETY: the layout has at least one byte.
        let start = unsafe { alloc_zeroed(layout) };
        (!start.is_null()).then_some(Storage {
            start: HostPtr(start),
            bytes,
            owned: Some(layout),
            moving: Mutex::default(),
        })
    }

    /// The program's own memory.
    pub fn of_host(start: HostPtr, bytes: usize) -> Storage {
        Storage { start, bytes, owned: None, moving: Mutex::default() }
    }

    fn moving(&self) -> MutexGuard<'_, ()> {
        self.moving.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Address of a byte.
    pub fn address(&self, offset: usize) -> usize {
        self.start.address() + offset
    }

    /// Copies bytes in; what lies beyond the end is left away.
    pub fn write(&self, offset: usize, bytes: &[u8]) {
        let n = bytes.len().min(self.bytes.saturating_sub(offset));
        let _alone = self.moving();
        self.start.write(offset, &bytes[..n]);
    }

    /// Copies bytes out, to a place; fewer at the end.
    pub fn read_to(&self, offset: usize, out: &mut [u8]) {
        let n = out.len().min(self.bytes.saturating_sub(offset));
        let _alone = self.moving();
        self.start.read_to(offset, &mut out[..n]);
    }

    /// Copies bytes out; fewer at the end.
    pub fn read(&self, offset: usize, count: usize) -> Vec<u8> {
        let n = count.min(self.bytes.saturating_sub(offset));
        let _alone = self.moving();
        self.start.read(offset, n)
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        if let Some(layout) = self.owned {
            // SAFETY: allocated in `new` with this layout, freed once.
            unsafe { dealloc(self.start.0, layout) }
        }
    }
}
