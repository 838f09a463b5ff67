//! Commands that move bytes: read, write, copy, fill, map, rectangles, migration.

use super::args::{address, both, code, list, wait_list, Enqueue, Handle};
use super::buffer::{buffer, memory_object};
use super::host::HostPtr;
use super::queue::queue;
use crate::buffer::Buffer;
use crate::cl;
use crate::error::{need, Error, Result};
use crate::queue::{Queue, Work};
use crate::rect::{overlap, Place, Region};
use std::ffi::c_void;
use std::sync::Arc;

/// Queue and buffer of a command, of one context.
fn pair(on: Handle, of: Handle) -> Result<(Arc<Queue>, Arc<Buffer>)> {
    let (queue, buffer) = (queue(on)?, buffer(of)?);
    Ok((of_queue(queue, &buffer)?, buffer))
}

/// Queue and buffer or image of a command, of one context.
fn pair_of_any(on: Handle, of: Handle) -> Result<(Arc<Queue>, Arc<Buffer>)> {
    let (queue, buffer) = (queue(on)?, memory_object(of)?);
    Ok((of_queue(queue, &buffer)?, buffer))
}

/// The queue, where it is of the context of a buffer.
///
/// # Errors
/// `CL_INVALID_CONTEXT`.
pub fn of_queue(queue: Arc<Queue>, buffer: &Buffer) -> Result<Arc<Queue>> {
    need(
        Arc::ptr_eq(&queue.context, &buffer.context),
        cl::INVALID_CONTEXT,
        "queue and buffer are of different contexts",
    )?;
    Ok(queue)
}

/// The program's memory of a command; null is refused.
///
/// # Errors
/// `CL_INVALID_VALUE`.
pub fn memory(p: *const c_void) -> Result<HostPtr> {
    need(!p.is_null(), cl::INVALID_VALUE, "no memory of the program")?;
    // SAFETY: the standard demands that it is there until the command has ended.
    Ok(unsafe { HostPtr::new(p.cast_mut().cast()) })
}

/// A box of bytes in two places: a buffer, and the program's memory or another buffer.
struct Boxes {
    region: Region,
    buffer: Place,
    other: Place,
}

impl Boxes {
    /// Bytes one after the other, of the whole of the program's memory.
    fn linear(buffer: &Buffer, offset: usize, bytes: usize) -> Result<Boxes> {
        buffer.check_range(offset, bytes)?;
        Ok(Boxes { region: [bytes, 1, 1], buffer: Place::linear(offset, bytes), other: Place::linear(0, bytes) })
    }

    /// Origins in buffer and other, and the region; row and slice pitch of the buffer, of the other.
    unsafe fn of(buffer: &Buffer, sizes: [*const usize; 3], pitches: [usize; 4]) -> Result<Boxes> {
        let [buffer_origin, other_origin, region] =
            [unsafe { triple(sizes[0]) }?, unsafe { triple(sizes[1]) }?, unsafe { triple(sizes[2]) }?];
        let place = Place::new(buffer_origin, region, pitches[0], pitches[1])?;
        need(
            place.end(region).is_some_and(|end| end <= buffer.bytes),
            cl::INVALID_VALUE,
            "the rectangle ends behind the buffer",
        )?;
        Ok(Boxes { region, buffer: place, other: Place::new(other_origin, region, pitches[2], pitches[3])? })
    }

    /// First bytes of all rows: in the buffer and in the other.
    fn rows(&self) -> impl Iterator<Item = (usize, usize)> {
        self.buffer.rows(self.region).zip(self.other.rows(self.region))
    }

    /// Bytes of a row.
    fn row_bytes(&self) -> usize {
        self.region[0]
    }
}

/// Three numbers of a call.
///
/// # Errors
/// `CL_INVALID_VALUE` for a null pointer.
///
/// # Safety
/// `p` is null or points to three numbers.
pub unsafe fn triple(p: *const usize) -> Result<[usize; 3]> {
    let numbers = unsafe { list(p, 3) };
    numbers.try_into().map_err(|_| Error::new(cl::INVALID_VALUE, "an origin or a region is missing"))
}

/// Which way bytes go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    /// From the buffer to the program.
    Read,
    /// From the program to the buffer.
    Write,
}

/// A command between a buffer and the program's memory.
unsafe fn transfer(
    enqueue: Enqueue, direction: Direction, (on, of): (Handle, Handle), boxes: impl FnOnce(&Buffer) -> Result<Boxes>,
    host: *const c_void, (count, events): (u32, *const Handle), event: *mut Handle,
) -> Result<()> {
    let (queue, buffer) = pair(on, of)?;
    let boxes = boxes(&buffer)?;
    let host = memory(host)?;
    let reads = direction == Direction::Read;
    buffer.check_host(reads, !reads)?;
    let waits = unsafe { wait_list(&queue.context, count, events) }?;
    let work: Work = Box::new(move || {
        for (b, h) in boxes.rows() {
            match direction {
                Direction::Read => host.write(h, &buffer.read(b, boxes.row_bytes())),
                Direction::Write => buffer.write(b, &host.read(h, boxes.row_bytes())),
            }
        }
        Ok(None)
    });
    let call = enqueue.call;
    unsafe { enqueue.run(call, &queue, waits, event, work) }
}

/// Declares the calls that move bytes in one direction: in a row, and of a box.
macro_rules! transfers {
    ($direction:ident, $host:ty: $linear:ident $call:literal $kind:ident, $rect:ident $rect_call:literal $rect_kind:ident) => {
        #[doc = concat!("`", $call, "`.")]
        pub unsafe extern "C" fn $linear(
            on: Handle, of: Handle, blocking: u32, offset: usize, bytes: usize, host: $host, count: u32,
            events: *const Handle, event: *mut Handle,
        ) -> i32 {
            code($call, || {
                let enqueue = Enqueue::new($call, cl::$kind).blocking(blocking);
                let boxes = |b: &Buffer| Boxes::linear(b, offset, bytes);
                let (pair, list) = ((on, of), (count, events));
                unsafe { transfer(enqueue, Direction::$direction, pair, boxes, host, list, event) }
            })
        }

        #[doc = concat!("`", $rect_call, "`.")]
        pub unsafe extern "C" fn $rect(
            on: Handle, of: Handle, blocking: u32, buffer_origin: *const usize, host_origin: *const usize,
            region: *const usize, buffer_row: usize, buffer_slice: usize, host_row: usize, host_slice: usize,
            host: $host, count: u32, events: *const Handle, event: *mut Handle,
        ) -> i32 {
            code($rect_call, || {
                let enqueue = Enqueue::new($rect_call, cl::$rect_kind).blocking(blocking);
                let sizes = [buffer_origin, host_origin, region];
                let pitches = [buffer_row, buffer_slice, host_row, host_slice];
                let boxes = |b: &Buffer| unsafe { Boxes::of(b, sizes, pitches) };
                let (pair, list) = ((on, of), (count, events));
                unsafe { transfer(enqueue, Direction::$direction, pair, boxes, host, list, event) }
            })
        }
    };
}

transfers! { Read, *mut c_void:
    enqueue_read_buffer "clEnqueueReadBuffer" COMMAND_READ_BUFFER,
    enqueue_read_buffer_rect "clEnqueueReadBufferRect" COMMAND_READ_BUFFER_RECT
}
transfers! { Write, *const c_void:
    enqueue_write_buffer "clEnqueueWriteBuffer" COMMAND_WRITE_BUFFER,
    enqueue_write_buffer_rect "clEnqueueWriteBufferRect" COMMAND_WRITE_BUFFER_RECT
}

/// Queue and both buffers of a copy, of one context.
fn three(on: Handle, from: Handle, to: Handle) -> Result<(Arc<Queue>, Arc<Buffer>, Arc<Buffer>)> {
    let (queue, source) = pair(on, from)?;
    let (_, target) = pair(on, to)?;
    Ok((queue, source, target))
}

/// `clEnqueueCopyBuffer`.
pub unsafe extern "C" fn enqueue_copy_buffer(
    on: Handle, from: Handle, to: Handle, from_offset: usize, to_offset: usize, bytes: usize, count: u32,
    events: *const Handle, event: *mut Handle,
) -> i32 {
    const CALL: &str = "clEnqueueCopyBuffer";
    code(CALL, || {
        let (queue, source, target) = three(on, from, to)?;
        source.check_range(from_offset, bytes)?;
        target.check_range(to_offset, bytes)?;
        if source.shares_storage(&target) {
            let (a, b) = (source.origin + from_offset, target.origin + to_offset);
            need(a.abs_diff(b) >= bytes, cl::MEM_COPY_OVERLAP, "source and target overlap")?;
        }
        let waits = unsafe { wait_list(&queue.context, count, events) }?;
        let work: Work = Box::new(move || {
            target.write(to_offset, &source.read(from_offset, bytes));
            Ok(None)
        });
        let enqueue = Enqueue::new(CALL, cl::COMMAND_COPY_BUFFER);
        unsafe { enqueue.run(CALL, &queue, waits, event, work) }
    })
}

/// `clEnqueueCopyBufferRect`.
pub unsafe extern "C" fn enqueue_copy_buffer_rect(
    on: Handle, from: Handle, to: Handle, from_origin: *const usize, to_origin: *const usize, region: *const usize,
    from_row: usize, from_slice: usize, to_row: usize, to_slice: usize, count: u32, events: *const Handle,
    event: *mut Handle,
) -> i32 {
    const CALL: &str = "clEnqueueCopyBufferRect";
    code(CALL, || {
        let (queue, source, target) = three(on, from, to)?;
        let pitches = [from_row, from_slice, to_row, to_slice];
        let r = unsafe { Boxes::of(&source, [from_origin, to_origin, region], pitches) }?;
        need(
            r.other.end(r.region).is_some_and(|end| end <= target.bytes),
            cl::INVALID_VALUE,
            "the rectangle ends behind the target",
        )?;
        need(
            !Arc::ptr_eq(&source, &target) || r.buffer.is_alike(&r.other),
            cl::INVALID_VALUE,
            "copies within a buffer need equal pitches",
        )?;
        if source.shares_storage(&target) {
            let from = r.buffer.from_whole(source.origin);
            let to = r.other.from_whole(target.origin);
            let apart = !overlap(from, to, r.region);
            need(apart, cl::MEM_COPY_OVERLAP, "source and target overlap")?;
        }
        let waits = unsafe { wait_list(&queue.context, count, events) }?;
        let work: Work = Box::new(move || {
            for (a, b) in r.rows() {
                target.write(b, &source.read(a, r.row_bytes()));
            }
            Ok(None)
        });
        let enqueue = Enqueue::new(CALL, cl::COMMAND_COPY_BUFFER_RECT);
        unsafe { enqueue.run(CALL, &queue, waits, event, work) }
    })
}

/// `clEnqueueFillBuffer`.
pub unsafe extern "C" fn enqueue_fill_buffer(
    on: Handle, of: Handle, pattern: *const c_void, pattern_bytes: usize, offset: usize, bytes: usize, count: u32,
    events: *const Handle, event: *mut Handle,
) -> i32 {
    const CALL: &str = "clEnqueueFillBuffer";
    code(CALL, || {
        let (queue, buffer) = pair(on, of)?;
        buffer.check_range(offset, bytes)?;
        let sized = pattern_bytes.is_power_of_two() && pattern_bytes <= 128;
        need(!pattern.is_null() && sized, cl::INVALID_VALUE, "a pattern has 1, 2, 4 … 128 bytes")?;
        need(
            offset % pattern_bytes == 0 && bytes % pattern_bytes == 0,
            cl::INVALID_VALUE,
            "offset and size must be multiples of the pattern",
        )?;
        let pattern = memory(pattern)?.read(0, pattern_bytes);
        let waits = unsafe { wait_list(&queue.context, count, events) }?;
        let work: Work = Box::new(move || {
            buffer.write(offset, &pattern.repeat(bytes / pattern.len()));
            Ok(None)
        });
        let enqueue = Enqueue::new(CALL, cl::COMMAND_FILL_BUFFER);
        unsafe { enqueue.run(CALL, &queue, waits, event, work) }
    })
}

/// Checks the flags of a mapping.
///
/// # Errors
/// `CL_INVALID_VALUE`, `CL_INVALID_OPERATION`.
pub fn check_map(flags: u64, buffer: &Buffer) -> Result<()> {
    let writes = flags & (cl::MAP_WRITE | cl::MAP_WRITE_INVALIDATE_REGION) != 0;
    let reads = flags & cl::MAP_READ != 0;
    let known = cl::MAP_READ | cl::MAP_WRITE | cl::MAP_WRITE_INVALIDATE_REGION;
    let alone = flags & cl::MAP_WRITE_INVALIDATE_REGION == 0 || flags == cl::MAP_WRITE_INVALIDATE_REGION;
    need(flags & !known == 0 && flags != 0 && alone, cl::INVALID_VALUE, "these flags of a mapping exclude each other")?;
    buffer.check_host(reads, writes)
}

/// `clEnqueueMapBuffer`.
pub unsafe extern "C" fn enqueue_map_buffer(
    on: Handle, of: Handle, blocking: u32, flags: u64, offset: usize, bytes: usize, count: u32, events: *const Handle,
    event: *mut Handle, errcode: *mut i32,
) -> Handle {
    const CALL: &str = "clEnqueueMapBuffer";
    let body = || {
        let (queue, buffer) = pair(on, of)?;
        buffer.check_range(offset, bytes)?;
        check_map(flags, &buffer)?;
        let waits = unsafe { wait_list(&queue.context, count, events) }?;
        let address = buffer.map(offset);
        // The address is that of the storage: once all before it has run, contents are there.
        let enqueue = Enqueue::new(CALL, cl::COMMAND_MAP_BUFFER).blocking(blocking);
        unsafe { enqueue.run(CALL, &queue, waits, event, Box::new(|| Ok(None))) }
            .inspect_err(|_| drop(buffer.unmap(address)))?;
        Ok(address)
    };
    unsafe { address(CALL, errcode, body) }
}

/// `clEnqueueUnmapMemObject`.
pub unsafe extern "C" fn enqueue_unmap_mem_object(
    on: Handle, of: Handle, mapped: *mut c_void, count: u32, events: *const Handle, event: *mut Handle,
) -> i32 {
    const CALL: &str = "clEnqueueUnmapMemObject";
    code(CALL, || {
        let (queue, buffer) = pair_of_any(on, of)?;
        let waits = unsafe { wait_list(&queue.context, count, events) }?;
        buffer.unmap(mapped as usize)?;
        let enqueue = Enqueue::new(CALL, cl::COMMAND_UNMAP_MEM_OBJECT);
        unsafe { enqueue.run(CALL, &queue, waits, event, Box::new(|| Ok(None))) }
    })
}

/// `clEnqueueMigrateMemObjects`.
pub unsafe extern "C" fn enqueue_migrate_mem_objects(
    on: Handle, objects: u32, handles: *const Handle, flags: u64, count: u32, events: *const Handle, event: *mut Handle,
) -> i32 {
    const CALL: &str = "clEnqueueMigrateMemObjects";
    code(CALL, || {
        let queue = queue(on)?;
        need(objects > 0, cl::INVALID_VALUE, "no buffers to migrate")?;
        let known = cl::MIGRATE_MEM_OBJECT_HOST | cl::MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
        need(flags & !known == 0, cl::INVALID_VALUE, "no such flag of a migration")?;
        for h in unsafe { both(objects, handles, cl::INVALID_VALUE) }? {
            pair_of_any(on, h)?;
        }
        let waits = unsafe { wait_list(&queue.context, count, events) }?;
        // Contents move with every launch.
        let enqueue = Enqueue::new(CALL, cl::COMMAND_MIGRATE_MEM_OBJECTS);
        unsafe { enqueue.run(CALL, &queue, waits, event, Box::new(|| Ok(None))) }
    })
}
