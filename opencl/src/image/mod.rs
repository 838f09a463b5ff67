//! Images: what distinguishes them from buffers. Their texels lie in a buffer's storage; a kernel gets the handle of a
//! [descriptor](warpsmith_compiler::texture).

pub mod sampler;

use crate::answer::{size, uint};
use crate::cl;
use crate::error::{need, Error, Result};
use crate::rect::Region;
use warpsmith_compiler::texture::{Descriptor, Format, Order, Sampler, Type};

/// Texels of an image at most, in each dimension: width and height, depth.
pub const MOST_2D: usize = 16384;
/// Texels of a 3D image at most in each dimension.
pub const MOST_3D: usize = 2048;
/// Texels of an image on a buffer at most.
pub const MOST_BUFFER: usize = 1 << 27;
/// Layers of an array at most.
pub const MOST_LAYERS: usize = 2048;
/// Images that a kernel may read, and write.
pub const READ_ARGUMENTS: u32 = 128;
/// Images that a kernel may write.
pub const WRITE_ARGUMENTS: u32 = 8;
/// Samplers that a kernel may take.
pub const SAMPLERS: u32 = 16;
/// Bytes of a row at most: offsets of rows are products of 24 bits.
const MOST_ROW: usize = 1 << 24;

/// Dimensions of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A row.
    Line,
    /// A row in a buffer's memory.
    Buffer,
    /// Rows of an array, each a layer.
    Lines,
    /// Rows.
    Plane,
    /// Planes of an array, each a layer.
    Planes,
    /// Planes on each other.
    Solid,
}

impl Kind {
    const ALL: [Kind; 6] = [Kind::Line, Kind::Buffer, Kind::Lines, Kind::Plane, Kind::Planes, Kind::Solid];

    /// The kind of a `cl_mem_object_type`.
    pub fn of_opencl(number: u32) -> Option<Kind> {
        Kind::ALL.into_iter().find(|k| k.number() == number)
    }

    /// Its `cl_mem_object_type`.
    pub fn number(self) -> u32 {
        match self {
            Kind::Line => cl::MEM_OBJECT_IMAGE1D,
            Kind::Buffer => cl::MEM_OBJECT_IMAGE1D_BUFFER,
            Kind::Lines => cl::MEM_OBJECT_IMAGE1D_ARRAY,
            Kind::Plane => cl::MEM_OBJECT_IMAGE2D,
            Kind::Planes => cl::MEM_OBJECT_IMAGE2D_ARRAY,
            Kind::Solid => cl::MEM_OBJECT_IMAGE3D,
        }
    }

    /// Whether a type of OpenCL C is an image's.
    pub fn is_type_name(name: &str) -> bool {
        Kind::ALL.into_iter().any(|k| k.type_name() == name)
    }

    /// Its type in OpenCL C.
    pub fn type_name(self) -> &'static str {
        match self {
            Kind::Line => "image1d_t",
            Kind::Buffer => "image1d_buffer_t",
            Kind::Lines => "image1d_array_t",
            Kind::Plane => "image2d_t",
            Kind::Planes => "image2d_array_t",
            Kind::Solid => "image3d_t",
        }
    }
}

/// A `cl_image_desc` without its buffer.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// `image_type`.
    pub kind: u32,
    /// Width, height, depth.
    pub extent: [usize; 3],
    /// Layers.
    pub layers: usize,
    /// Bytes from row to row, slice to slice; 0: the least.
    pub pitches: [usize; 2],
    /// Mip levels and samples, which are 0.
    pub levels: [u32; 2],
}

/// Shape and format of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Dimensions.
    pub kind: Kind,
    /// Format of a texel.
    pub format: Format,
    /// Texels in x, y and z, layers included in the last one used; others are 1.
    pub extent: [usize; 3],
    /// Bytes from row to row.
    pub row: usize,
    /// Bytes from slice to slice, or layer to layer.
    pub slice: usize,
}

/// The format of a `cl_image_format`.
///
/// # Errors
/// `CL_INVALID_IMAGE_FORMAT_DESCRIPTOR`, `CL_IMAGE_FORMAT_NOT_SUPPORTED`.
pub fn format(order: u32, ty: u32) -> Result<Format> {
    let known = (cl::R..=cl::LAST_ORDER).contains(&order) && (cl::SNORM_INT8..=cl::FLOAT).contains(&ty);
    need(known, cl::INVALID_IMAGE_FORMAT_DESCRIPTOR, "no such channel order or type")?;
    let packed = (cl::UNORM_SHORT_565..=cl::UNORM_INT_101010).contains(&ty);
    let three = [cl::RGB, cl::RGBX].contains(&order);
    need(packed == three, cl::INVALID_IMAGE_FORMAT_DESCRIPTOR, "this order of channels has no such type")?;
    let found = Order::of_opencl(order).zip(Type::of_opencl(ty)).map(|(order, ty)| Format { ty, order });
    found
        .filter(|f| f.is_of_images())
        .ok_or(Error::new(cl::IMAGE_FORMAT_NOT_SUPPORTED, "not one of clGetSupportedImageFormats"))
}

impl Shape {
    /// The shape that a call asks for; `given`: there is memory of the program, or a buffer.
    ///
    /// # Errors
    /// `CL_INVALID_IMAGE_DESCRIPTOR`, `CL_INVALID_IMAGE_SIZE`.
    pub fn new(asked: &Asked, format: Format, given: bool) -> Result<Shape> {
        let bad = |what: &str| Error::new(cl::INVALID_IMAGE_DESCRIPTOR, what);
        let kind = Kind::of_opencl(asked.kind).ok_or(bad("no type of an image"))?;
        need(asked.levels == [0, 0], cl::INVALID_IMAGE_DESCRIPTOR, "mip levels and samples are 0")?;
        let [width, height, depth] = asked.extent;
        let (extent, most) = match kind {
            Kind::Line => ([width, 1, 1], [MOST_2D, 1, 1]),
            Kind::Buffer => ([width, 1, 1], [MOST_BUFFER, 1, 1]),
            Kind::Lines => ([width, asked.layers, 1], [MOST_2D, MOST_LAYERS, 1]),
            Kind::Plane => ([width, height, 1], [MOST_2D, MOST_2D, 1]),
            Kind::Planes => ([width, height, asked.layers], [MOST_2D, MOST_2D, MOST_LAYERS]),
            Kind::Solid => ([width, height, depth], [MOST_3D; 3]),
        };
        for (n, most) in extent.iter().zip(most) {
            let what = format!("an image has 1 to {most} texels here, not {n}");
            need((1..=most).contains(n), cl::INVALID_IMAGE_SIZE, &what)?;
        }
        let texel = format.bytes() as usize;
        let [row, slice] = asked.pitches;
        need(
            given || row == 0 && slice == 0,
            cl::INVALID_IMAGE_DESCRIPTOR,
            "pitches go with a host pointer or a buffer",
        )?;
        let least = width * texel;
        let row = if row == 0 { least } else { row };
        need(
            row >= least && row % texel == 0 && (row < MOST_ROW || extent[1] == 1),
            cl::INVALID_IMAGE_DESCRIPTOR,
            "the row pitch is smaller than a row, no multiple of a texel, or 2^24 bytes and more",
        )?;
        // A layer of an array of rows is a row.
        let least = if kind == Kind::Lines { row } else { row * extent[1] };
        let slice = if slice == 0 { least } else { slice };
        need(
            slice >= least && slice % row == 0,
            cl::INVALID_IMAGE_DESCRIPTOR,
            "the slice pitch is smaller than a slice, or no multiple of the row pitch",
        )?;
        Ok(Shape { kind, format, extent, row: if kind == Kind::Lines { slice } else { row }, slice })
    }

    /// Bytes of all texels.
    pub fn bytes(&self) -> usize {
        match self.kind {
            Kind::Lines => self.slice * self.extent[1],
            _ => self.slice * self.extent[2],
        }
    }

    /// Bytes of a texel.
    pub fn texel(&self) -> usize {
        self.format.bytes() as usize
    }

    /// A region of texels as bytes in a row, rows and slices, and its first byte.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`.
    pub fn region(&self, origin: [usize; 3], region: [usize; 3]) -> Result<(Region, [usize; 3])> {
        let inside = (0..3).all(|n| {
            let end = origin[n].checked_add(region[n]);
            region[n] > 0 && end.is_some_and(|end| end <= self.extent[n])
        });
        need(inside, cl::INVALID_VALUE, "no texels, or texels beyond the image")?;
        let bytes = |n: usize| n * self.texel();
        Ok(([bytes(region[0]), region[1], region[2]], [bytes(origin[0]), origin[1], origin[2]]))
    }

    /// The descriptor that a kernel gets, of texels at a byte address.
    pub fn descriptor(&self, texels: u32) -> Descriptor {
        Descriptor {
            texels,
            extent: self.extent.map(|n| n as u32),
            row_pitch: self.row as u32,
            slice_pitch: self.slice as u32,
            format: self.format,
            // A kernel brings its own.
            sampler: Sampler::default(),
            border: self.format.border(),
        }
    }

    /// A value of `clGetImageInfo`; `buffer`: the handle of the buffer whose memory it is.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for a name that 1.2 does not have.
    pub fn info(&self, name: u32, buffer: usize) -> Result<Vec<u8>> {
        let [width, second, third] = self.extent;
        let rows = matches!(self.kind, Kind::Plane | Kind::Planes | Kind::Solid);
        let sliced = !matches!(self.kind, Kind::Line | Kind::Buffer | Kind::Plane);
        Ok(match name {
            cl::IMAGE_FORMAT => {
                let numbers = [Order::BASE + self.format.order.number(), Type::BASE + self.format.ty.number()];
                numbers.into_iter().flat_map(uint).collect()
            }
            cl::IMAGE_ELEMENT_SIZE => size(self.texel()),
            cl::IMAGE_ROW_PITCH => size(self.row),
            cl::IMAGE_SLICE_PITCH => size(if sliced { self.slice } else { 0 }),
            cl::IMAGE_WIDTH => size(width),
            cl::IMAGE_HEIGHT => size(if rows { second } else { 0 }),
            cl::IMAGE_DEPTH => size(if self.kind == Kind::Solid { third } else { 0 }),
            cl::IMAGE_ARRAY_SIZE => size(match self.kind {
                Kind::Lines => second,
                Kind::Planes => third,
                _ => 0,
            }),
            cl::IMAGE_BUFFER => size(buffer),
            cl::IMAGE_NUM_MIP_LEVELS | cl::IMAGE_NUM_SAMPLES => uint(0),
            _ => return Err(Error::new(cl::INVALID_VALUE, "no such value of an image")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(kind: Kind) -> Asked {
        Asked { kind: kind.number(), extent: [5, 4, 3], layers: 2, pitches: [0, 0], levels: [0, 0] }
    }

    #[test]
    fn layers_are_the_last_dimension() {
        let format = format(cl::R + 5, cl::SNORM_INT8 + 2).unwrap();
        for (kind, extent, slice, bytes) in [
            (Kind::Line, [5, 1, 1], 20, 20),
            (Kind::Lines, [5, 2, 1], 20, 40),
            (Kind::Plane, [5, 4, 1], 80, 80),
            (Kind::Planes, [5, 4, 2], 80, 160),
            (Kind::Solid, [5, 4, 3], 80, 240),
        ] {
            let shape = Shape::new(&asked(kind), format, false).unwrap();
            assert_eq!((shape.extent, shape.slice, shape.bytes()), (extent, slice, bytes), "{kind:?}");
        }
        let pitched = Asked { pitches: [24, 120], ..asked(Kind::Solid) };
        assert_eq!(Shape::new(&pitched, format, true).unwrap().bytes(), 360);
        assert!(Shape::new(&pitched, format, false).is_err());
        let odd = Asked { pitches: [22, 0], ..asked(Kind::Plane) };
        assert!(Shape::new(&odd, format, true).is_err());
    }
}
