//! Images: making them, asking about them, moving their texels.

use super::args::{address, answer, code, info, list, object, put, wait_list, Enqueue, Handle};
use super::buffer::buffer;
use super::context::context;
use super::host::HostPtr;
use super::queue::queue;
use super::transfer::{check_map, memory, of_queue, triple};
use crate::buffer::Buffer;
use crate::cl;
use crate::error::{need, Error, Result};
use crate::image::{format, Asked, Kind, Shape};
use crate::queue::{Queue, Work};
use crate::rect::{overlap, Place, Region};
use crate::registry::{publish, Object};
use std::ffi::c_void;
use std::sync::Arc;
use warpsmith_compiler::texture::{Format, Order, Type};

/// The image behind a handle, and its shape.
///
/// # Errors
/// `CL_INVALID_MEM_OBJECT`.
pub fn image(handle: Handle) -> Result<(Arc<Buffer>, Shape)> {
    let found: Arc<Buffer> = object(handle, cl::INVALID_MEM_OBJECT)?;
    let shape = found.image.ok_or(Error::new(cl::INVALID_MEM_OBJECT, "a buffer is no image"))?;
    Ok((found, shape))
}

/// A `cl_image_desc`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Description {
    kind: u32,
    extent: [usize; 3],
    layers: usize,
    pitches: [usize; 2],
    levels: [u32; 2],
    buffer: Handle,
}

unsafe fn create(
    of: Handle, flags: u64, texel: *const c_void, what: Option<Description>, host: *mut c_void,
) -> Result<usize> {
    let context = context(of)?;
    need(!texel.is_null(), cl::INVALID_IMAGE_FORMAT_DESCRIPTOR, "no format")?;
    // SAFETY: a format is two numbers.
    let [order, ty] = unsafe { texel.cast::<[u32; 2]>().read_unaligned() };
    let format = format(order, ty)?;
    let what = what.ok_or(Error::new(cl::INVALID_IMAGE_DESCRIPTOR, "no description"))?;
    let Description { kind, extent, layers, pitches, levels, buffer: storage } = what;
    let asked = Asked { kind, extent, layers, pitches, levels };
    let shape = Shape::new(&asked, format, !host.is_null() || !storage.is_null())?;
    if shape.kind == Kind::Buffer {
        need(!storage.is_null(), cl::INVALID_IMAGE_DESCRIPTOR, "no buffer for the image")?;
        let parent =
            buffer(storage).map_err(|_| Error::new(cl::INVALID_IMAGE_DESCRIPTOR, "no buffer for the image"))?;
        need(Arc::ptr_eq(&parent.context, &context), cl::INVALID_CONTEXT, "a buffer of another context")?;
        need(host.is_null(), cl::INVALID_HOST_PTR, "the image's memory is its buffer's")?;
        need(shape.bytes() <= parent.bytes, cl::INVALID_IMAGE_SIZE, "the image is larger than its buffer")?;
        let flags = parent.check_flags_of_part(flags)?;
        let made = publish(|handle| Buffer::on(handle, parent, flags, shape));
        return Ok(made.handle().address());
    }
    need(storage.is_null(), cl::INVALID_IMAGE_DESCRIPTOR, "a buffer goes with CL_MEM_OBJECT_IMAGE1D_BUFFER")?;
    // SAFETY: the standard demands the texels there, for as long as the flags need them.
    let host = (!host.is_null()).then(|| unsafe { HostPtr::new(host.cast()) });
    Buffer::check(&context, flags, shape.bytes(), host).map_err(|e| match e.code {
        cl::INVALID_BUFFER_SIZE => Error::new(cl::INVALID_IMAGE_SIZE, "larger than CL_DEVICE_MAX_MEM_ALLOC_SIZE"),
        _ => e,
    })?;
    let storage = Buffer::storage(flags, shape.bytes(), host)?;
    let made = publish(|handle| Buffer::of_image(handle, context, flags, shape, storage));
    Ok(made.handle().address())
}

/// The description behind a pointer.
unsafe fn description(p: *const c_void) -> Option<Description> {
    // SAFETY: the standard demands a description there.
    (!p.is_null()).then(|| unsafe { p.cast::<Description>().read_unaligned() })
}

/// `clCreateImage`.
pub unsafe extern "C" fn create_image(
    of: Handle, flags: u64, texel: *const c_void, what: *const c_void, host: *mut c_void, errcode: *mut i32,
) -> Handle {
    let body = || unsafe { create(of, flags, texel, description(what), host) };
    unsafe { address("clCreateImage", errcode, body) }
}

/// `clCreateImageWithProperties`.
pub unsafe extern "C" fn create_image_with_properties(
    of: Handle, properties: *const u64, flags: u64, texel: *const c_void, what: *const c_void, host: *mut c_void,
    errcode: *mut i32,
) -> Handle {
    let body = || unsafe {
        let none = super::args::properties(properties).len() < 2;
        need(none, cl::INVALID_PROPERTY, "no such property of an image")?;
        create(of, flags, texel, description(what), host)
    };
    unsafe { address("clCreateImageWithProperties", errcode, body) }
}

/// A description without layers, levels or buffer.
fn plain(kind: u32, extent: [usize; 3], pitches: [usize; 2]) -> Option<Description> {
    Some(Description { kind, extent, layers: 1, pitches, levels: [0; 2], buffer: std::ptr::null_mut() })
}

/// `clCreateImage2D`.
pub unsafe extern "C" fn create_image_2d(
    of: Handle, flags: u64, texel: *const c_void, width: usize, height: usize, row: usize, host: *mut c_void,
    errcode: *mut i32,
) -> Handle {
    let what = plain(cl::MEM_OBJECT_IMAGE2D, [width, height, 1], [row, 0]);
    unsafe { address("clCreateImage2D", errcode, || create(of, flags, texel, what, host)) }
}

/// `clCreateImage3D`.
pub unsafe extern "C" fn create_image_3d(
    of: Handle, flags: u64, texel: *const c_void, width: usize, height: usize, depth: usize, row: usize, slice: usize,
    host: *mut c_void, errcode: *mut i32,
) -> Handle {
    let what = plain(cl::MEM_OBJECT_IMAGE3D, [width, height, depth], [row, slice]);
    unsafe { address("clCreateImage3D", errcode, || create(of, flags, texel, what, host)) }
}

/// `clGetSupportedImageFormats`.
pub unsafe extern "C" fn get_supported_image_formats(
    of: Handle, flags: u64, kind: u32, entries: u32, formats: *mut [u32; 2], count: *mut u32,
) -> i32 {
    code("clGetSupportedImageFormats", || {
        context(of)?;
        Kind::of_opencl(kind).ok_or(Error::new(cl::INVALID_VALUE, "no type of an image"))?;
        Buffer::check_access(flags)?;
        need(formats.is_null() || entries > 0, cl::INVALID_VALUE, "a list without a place")?;
        let all: Vec<Format> = Format::of_images().collect();
        let room = if formats.is_null() { 0 } else { entries as usize };
        for (n, f) in all.iter().take(room).enumerate() {
            // SAFETY: the list has `entries` places.
            unsafe { formats.add(n).write([Order::BASE + f.order.number(), Type::BASE + f.ty.number()]) };
        }
        unsafe { put(count, all.len() as u32) };
        Ok(())
    })
}

info!(get_image_info, "clGetImageInfo", |handle, name| {
    let (image, shape) = image(handle)?;
    shape.info(name, image.parent_address())
});

/// A region of an image.
struct Part {
    image: Arc<Buffer>,
    shape: Shape,
    region: Region,
    place: Place,
}

impl Part {
    unsafe fn new(handle: Handle, origin: *const usize, region: *const usize) -> Result<Part> {
        let (image, shape) = image(handle)?;
        let [origin, region] = [unsafe { triple(origin) }?, unsafe { triple(region) }?];
        let (region, origin) = shape.region(origin, region)?;
        // Layers of an array of rows are rows of one slice.
        let place = Place::new(origin, region, shape.row, shape.slice.max(shape.row * shape.extent[1]))?;
        Ok(Part { image, shape, region, place })
    }

    /// The region in memory with other pitches, from its first byte on.
    fn outside(&self, row: usize, slice: usize) -> Result<Place> {
        // Layers of an array of rows are rows.
        let (row, slice) = match self.shape.kind {
            Kind::Lines => (if slice == 0 { row } else { slice }, 0),
            _ => (row, slice),
        };
        Place::new([0; 3], self.region, row, slice)
    }

    /// First bytes of rows here and elsewhere.
    fn rows(&self, other: Place) -> impl Iterator<Item = (usize, usize)> {
        self.place.rows(self.region).zip(other.rows(self.region))
    }

    /// Bytes of the region without gaps.
    fn bytes(&self) -> usize {
        self.region.iter().product()
    }
}

/// The queue of a command on an image.
fn of_image(on: Handle, part: &Part) -> Result<Arc<Queue>> {
    of_queue(queue(on)?, &part.image)
}

/// Declares the calls that move texels between an image and the program's memory.
macro_rules! transfers {
    ($name:ident $call:literal $kind:ident $host:ty, $reads:literal, |$part:ident, $memory:ident, $at:ident, $there:ident| $body:expr) => {
        #[doc = concat!("`", $call, "`.")]
        pub unsafe extern "C" fn $name(
            on: Handle, of: Handle, blocking: u32, origin: *const usize, region: *const usize, row: usize,
            slice: usize, host: $host, count: u32, events: *const Handle, event: *mut Handle,
        ) -> i32 {
            code($call, || {
                let $part = unsafe { Part::new(of, origin, region) }?;
                let queue = of_image(on, &$part)?;
                let other = $part.outside(row, slice)?;
                let $memory = memory(host)?;
                $part.image.check_host($reads, !$reads)?;
                let waits = unsafe { wait_list(&queue.context, count, events) }?;
                let work: Work = Box::new(move || {
                    for ($at, $there) in $part.rows(other) {
                        $body
                    }
                    Ok(None)
                });
                let enqueue = Enqueue::new($call, cl::$kind).blocking(blocking);
                unsafe { enqueue.run($call, &queue, waits, event, work) }
            })
        }
    };
}

transfers! { enqueue_read_image "clEnqueueReadImage" COMMAND_READ_IMAGE *mut c_void, true, |part, memory, at, there|
memory.write(there, &part.image.read(at, part.region[0])) }
transfers! { enqueue_write_image "clEnqueueWriteImage" COMMAND_WRITE_IMAGE *const c_void, false, |part, memory, at, there|
part.image.write(at, &memory.read(there, part.region[0])) }

/// `clEnqueueCopyImage`.
pub unsafe extern "C" fn enqueue_copy_image(
    on: Handle, from: Handle, to: Handle, from_origin: *const usize, to_origin: *const usize, region: *const usize,
    count: u32, events: *const Handle, event: *mut Handle,
) -> i32 {
    const CALL: &str = "clEnqueueCopyImage";
    code(CALL, || {
        let source = unsafe { Part::new(from, from_origin, region) }?;
        let target = unsafe { Part::new(to, to_origin, region) }?;
        let queue = of_image(on, &source)?;
        of_image(on, &target)?;
        let alike = source.shape.format == target.shape.format;
        need(alike, cl::IMAGE_FORMAT_MISMATCH, "source and target have different formats")?;
        if source.image.shares_storage(&target.image) {
            let apart = !overlap(source.place, target.place, source.region);
            need(apart, cl::MEM_COPY_OVERLAP, "source and target overlap")?;
        }
        let waits = unsafe { wait_list(&queue.context, count, events) }?;
        let work: Work = Box::new(move || {
            for (a, b) in source.rows(target.place) {
                target.image.write(b, &source.image.read(a, source.region[0]));
            }
            Ok(None)
        });
        let enqueue = Enqueue::new(CALL, cl::COMMAND_COPY_IMAGE);
        unsafe { enqueue.run(CALL, &queue, waits, event, work) }
    })
}

/// `clEnqueueCopyImageToBuffer`.
pub unsafe extern "C" fn enqueue_copy_image_to_buffer(
    on: Handle, from: Handle, to: Handle, origin: *const usize, region: *const usize, offset: usize, count: u32,
    events: *const Handle, event: *mut Handle,
) -> i32 {
    const CALL: &str = "clEnqueueCopyImageToBuffer";
    code(CALL, || {
        let part = unsafe { Part::new(from, origin, region) }?;
        let queue = of_image(on, &part)?;
        let target = buffer(to)?;
        of_queue(queue.clone(), &target)?;
        target.check_range(offset, part.bytes())?;
        let other = part.outside(0, 0)?;
        let waits = unsafe { wait_list(&queue.context, count, events) }?;
        let work: Work = Box::new(move || {
            for (at, there) in part.rows(other) {
                target.write(offset + there, &part.image.read(at, part.region[0]));
            }
            Ok(None)
        });
        let enqueue = Enqueue::new(CALL, cl::COMMAND_COPY_IMAGE_TO_BUFFER);
        unsafe { enqueue.run(CALL, &queue, waits, event, work) }
    })
}

/// `clEnqueueCopyBufferToImage`.
pub unsafe extern "C" fn enqueue_copy_buffer_to_image(
    on: Handle, from: Handle, to: Handle, offset: usize, origin: *const usize, region: *const usize, count: u32,
    events: *const Handle, event: *mut Handle,
) -> i32 {
    const CALL: &str = "clEnqueueCopyBufferToImage";
    code(CALL, || {
        let part = unsafe { Part::new(to, origin, region) }?;
        let queue = of_image(on, &part)?;
        let source = buffer(from)?;
        of_queue(queue.clone(), &source)?;
        source.check_range(offset, part.bytes())?;
        let other = part.outside(0, 0)?;
        let waits = unsafe { wait_list(&queue.context, count, events) }?;
        let work: Work = Box::new(move || {
            for (at, there) in part.rows(other) {
                part.image.write(at, &source.read(offset + there, part.region[0]));
            }
            Ok(None)
        });
        let enqueue = Enqueue::new(CALL, cl::COMMAND_COPY_BUFFER_TO_IMAGE);
        unsafe { enqueue.run(CALL, &queue, waits, event, work) }
    })
}

/// `clEnqueueFillImage`.
pub unsafe extern "C" fn enqueue_fill_image(
    on: Handle, of: Handle, colour: *const c_void, origin: *const usize, region: *const usize, count: u32,
    events: *const Handle, event: *mut Handle,
) -> i32 {
    const CALL: &str = "clEnqueueFillImage";
    code(CALL, || {
        let part = unsafe { Part::new(of, origin, region) }?;
        let queue = of_image(on, &part)?;
        let words = unsafe { list(colour.cast::<u32>(), 4) };
        let words: [u32; 4] = words.try_into().map_err(|_| Error::new(cl::INVALID_VALUE, "no colour"))?;
        let texel = part.shape.format.texel(words);
        let waits = unsafe { wait_list(&queue.context, count, events) }?;
        let work: Work = Box::new(move || {
            let row = texel.repeat(part.region[0] / texel.len());
            for at in part.place.rows(part.region) {
                part.image.write(at, &row);
            }
            Ok(None)
        });
        let enqueue = Enqueue::new(CALL, cl::COMMAND_FILL_IMAGE);
        unsafe { enqueue.run(CALL, &queue, waits, event, work) }
    })
}

/// `clEnqueueMapImage`.
pub unsafe extern "C" fn enqueue_map_image(
    on: Handle, of: Handle, blocking: u32, flags: u64, origin: *const usize, region: *const usize, row: *mut usize,
    slice: *mut usize, count: u32, events: *const Handle, event: *mut Handle, errcode: *mut i32,
) -> Handle {
    const CALL: &str = "clEnqueueMapImage";
    let body = || {
        let part = unsafe { Part::new(of, origin, region) }?;
        let queue = of_image(on, &part)?;
        let sliced = !matches!(part.shape.kind, Kind::Line | Kind::Buffer | Kind::Plane);
        need(
            !row.is_null() && (!sliced || !slice.is_null()),
            cl::INVALID_VALUE,
            "no place for the row pitch or the slice pitch",
        )?;
        check_map(flags, &part.image)?;
        let waits = unsafe { wait_list(&queue.context, count, events) }?;
        let first = part.place.rows(part.region).next().unwrap_or(0);
        let address = part.image.map(first);
        let enqueue = Enqueue::new(CALL, cl::COMMAND_MAP_IMAGE).blocking(blocking);
        unsafe { enqueue.run(CALL, &queue, waits, event, Box::new(|| Ok(None))) }
            .inspect_err(|_| drop(part.image.unmap(address)))?;
        unsafe {
            put(row, part.shape.row);
            put(slice, if sliced { part.shape.slice } else { 0 });
        }
        Ok(address)
    };
    unsafe { address(CALL, errcode, body) }
}
