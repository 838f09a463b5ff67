//! What all calls share: panics and errors as codes, values behind pointers, answers of `clGet…Info`.

use crate::cl;
use crate::completion::Completion;
use crate::context::Context;
use crate::error::{need, Error, Result};
use crate::event::Event;
use crate::process;
use crate::queue::{Order, Queue, Work};
use crate::registry::{find, publish, Object};
use crate::report;
use std::ffi::{c_char, c_void, CStr};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Arc;

/// A handle of any type.
pub type Handle = *mut c_void;

fn caught<T>(call: &str, body: impl FnOnce() -> Result<T>) -> Result<T> {
    let checked = || process::check().and_then(|()| body());
    let result = catch_unwind(AssertUnwindSafe(checked)).unwrap_or_else(|_| {
        report::line(&format!("{call}: internal error of the driver, please report it"));
        Err(Error::resources("internal error"))
    });
    if let Err(e) = &result {
        report::detail(&format!("{call}: {e}"));
    }
    result
}

/// A call that returns a code.
pub fn code(call: &str, body: impl FnOnce() -> Result<()>) -> i32 {
    caught(call, body).map_or_else(|e| e.code, |()| cl::SUCCESS)
}

/// A call that returns an address and writes its code to `errcode`.
///
/// # Safety
/// `errcode` is null or points to a number.
pub unsafe fn address(call: &str, errcode: *mut i32, body: impl FnOnce() -> Result<usize>) -> Handle {
    let result = caught(call, body);
    let code = result.as_ref().map_or_else(|e| e.code, |_| cl::SUCCESS);
    // SAFETY: as promised by the caller.
    unsafe { put(errcode, code) };
    result.unwrap_or(0) as Handle
}

/// Writes a value where there is a place for it.
///
/// # Safety
/// `to` is null or points to a place for a value.
pub unsafe fn put<T>(to: *mut T, value: T) {
    if !to.is_null() {
        // SAFETY: as promised by the caller.
        unsafe { to.write(value) }
    }
}

/// Values of a list; none behind a null pointer.
///
/// # Safety
/// `list` is null or points to `count` values.
pub unsafe fn list<T: Copy>(list: *const T, count: usize) -> Vec<T> {
    match list.is_null() {
        true => Vec::new(),
        // SAFETY: as promised by the caller.
        false => (0..count).map(|n| unsafe { list.add(n).read_unaligned() }).collect(),
    }
}

/// Values of a list that may be left out.
///
/// # Safety
/// As [`list`].
pub unsafe fn list_or_none<T: Copy>(from: *const T, count: usize) -> Option<Vec<T>> {
    // SAFETY: as promised by the caller.
    (!from.is_null()).then(|| unsafe { list(from, count) })
}

/// A list whose length and pointer must fit: both or neither.
///
/// # Errors
/// `CL_INVALID_VALUE`.
///
/// # Safety
/// As [`list`].
pub unsafe fn both<T: Copy>(count: u32, from: *const T, code: i32) -> Result<Vec<T>> {
    need((count == 0) == from.is_null(), code, "a list and its length do not fit")?;
    // SAFETY: as promised by the caller.
    Ok(unsafe { list(from, count as usize) })
}

/// A list of properties: pairs and a final 0, which is part of it.
///
/// # Safety
/// `from` is null or points to such a list.
pub unsafe fn properties<T: Copy + PartialEq + From<u8>>(from: *const T) -> Vec<T> {
    let mut out = Vec::new();
    if from.is_null() {
        return out;
    }
    loop {
        // SAFETY: the list goes on until its final 0, which is read in this loop.
        let name = unsafe { from.add(out.len()).read_unaligned() };
        out.push(name);
        if name == T::from(0) {
            return out;
        }
        // SAFETY: a name is followed by a value.
        out.push(unsafe { from.add(out.len()).read_unaligned() });
    }
}

/// A text; empty for a null pointer.
///
/// # Safety
/// `from` is null or points to a text with a final zero.
pub unsafe fn text(from: *const c_char) -> String {
    match from.is_null() {
        true => String::new(),
        // SAFETY: as promised by the caller.
        false => unsafe { CStr::from_ptr(from) }.to_string_lossy().into_owned(),
    }
}

/// Answers a `clGet…Info` call.
///
/// # Errors
/// `CL_INVALID_VALUE` when the place is too small.
///
/// # Safety
/// `value` is null or has `size` bytes; `size_ret` is null or a place for a number.
pub unsafe fn answer(bytes: &[u8], size: usize, value: *mut c_void, size_ret: *mut usize) -> Result<()> {
    if !value.is_null() {
        need(size >= bytes.len(), cl::INVALID_VALUE, "the place for the value is too small")?;
        // SAFETY: `value` has at least as many bytes, as promised and checked.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), value.cast(), bytes.len()) };
    }
    // SAFETY: as promised by the caller.
    unsafe { put(size_ret, bytes.len()) };
    Ok(())
}

/// A `clGet…Info` call: the value of a name, asked of the object behind a handle.
macro_rules! info {
    ($function:ident, $call:literal, $of:expr) => {
        #[doc = concat!("`", $call, "`.")]
        pub unsafe extern "C" fn $function(
            handle: Handle, name: u32, size: usize, value: *mut std::ffi::c_void, size_ret: *mut usize,
        ) -> i32 {
            let of: fn(Handle, u32) -> Result<Vec<u8>> = $of;
            code($call, || unsafe { answer(&of(handle, name)?, size, value, size_ret) })
        }
    };
}
pub(super) use info;

/// The calls that count the references of a type of object.
macro_rules! counted {
    ($ty:ty, $invalid:expr, $retain:ident $retains:literal, $release:ident $releases:literal) => {
        #[doc = concat!("`", $retains, "`.")]
        pub unsafe extern "C" fn $retain(handle: Handle) -> i32 {
            code($retains, || crate::registry::retain::<$ty>(handle as usize, $invalid))
        }

        #[doc = concat!("`", $releases, "`.")]
        pub unsafe extern "C" fn $release(handle: Handle) -> i32 {
            code($releases, || crate::registry::release::<$ty>(handle as usize, $invalid))
        }
    };
}
pub(super) use counted;

/// The object behind a handle.
///
/// # Errors
/// `invalid`.
pub fn object<T: Object>(handle: Handle, invalid: i32) -> Result<Arc<T>> {
    find(handle as usize, invalid)
}

/// The events a command waits for.
///
/// # Errors
/// `CL_INVALID_EVENT_WAIT_LIST`, `CL_INVALID_CONTEXT`.
///
/// # Safety
/// `events` is null or points to `count` handles.
pub unsafe fn wait_list(context: &Arc<Context>, count: u32, events: *const Handle) -> Result<Vec<Arc<Completion>>> {
    // SAFETY: as promised by the caller.
    let handles = unsafe { both(count, events, cl::INVALID_EVENT_WAIT_LIST) }?;
    let mut out = Vec::new();
    for h in handles {
        let event: Arc<Event> = object(h, cl::INVALID_EVENT_WAIT_LIST)?;
        need(
            Arc::ptr_eq(&event.context, context),
            cl::INVALID_CONTEXT,
            "an event of another context in the wait list",
        )?;
        out.push(event.completion.clone());
    }
    Ok(out)
}

/// A command on its way into a queue.
pub struct Enqueue {
    /// Call, for messages.
    pub call: &'static str,
    /// `CL_COMMAND_…`.
    pub kind: u32,
    /// Returns only when it is over.
    pub blocking: bool,
    /// Order within the queue.
    pub order: Order,
}

impl Enqueue {
    /// A command that returns at once and has no order of its own.
    pub fn new(call: &'static str, kind: u32) -> Enqueue {
        Enqueue { call, kind, blocking: false, order: Order::default() }
    }

    /// The same, blocking or not.
    pub fn blocking(self, blocking: u32) -> Enqueue {
        Enqueue { blocking: blocking != 0, ..self }
    }

    /// Adds it to its queue, with an event where the program wants one.
    ///
    /// # Errors
    /// When it blocks: the failure of something it waited for, or its own.
    ///
    /// # Safety
    /// `event` is null or a place for a handle.
    pub unsafe fn run(
        self, what: &str, queue: &Arc<Queue>, waits: Vec<Arc<Completion>>, event: *mut Handle, work: Work,
    ) -> Result<()> {
        let completion = queue.add(what, waits, self.order, work);
        if !event.is_null() {
            let made = publish(|handle| {
                Event::of_command(
                    handle,
                    queue.context.clone(),
                    queue.clone(),
                    self.kind,
                    completion.clone(),
                    queue.is_profiled(),
                )
            });
            // SAFETY: as promised by the caller.
            unsafe { event.write(made.handle().address() as Handle) };
        }
        if !self.blocking {
            return Ok(());
        }
        match completion.wait() {
            cl::COMPLETE => queue.check(),
            code => {
                completion.tell();
                Err(Error::new(code, "the command failed"))
            }
        }
    }
}
