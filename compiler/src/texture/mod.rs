//! Textures and images by software: the descriptor of a texture, said once for the headers of CUDA C and OpenCL C,
//! launch files and the OpenCL driver.
//!
//! A texture is texels in global memory and a [`Descriptor`] of [`BYTES`] bytes in constant bank 0. A *handle* is the
//! descriptor's byte offset in that bank: the value of a `cudaTextureObject_t`, a `cudaSurfaceObject_t` and an argument of
//! OpenCL's image types. A texture reference of CUDA C is a variable of [`BYTES`] bytes in constant memory, which the
//! launch fills. A sampler of OpenCL C is a word, [`Sampler::word`].

mod convert;
mod format;

pub use format::{Class, Format, Order, Type};

use std::fmt::Write;

/// Words of a descriptor: what each holds, and its name in the headers.
const WORDS: [&str; 9] =
    ["TEXELS", "WIDTH", "HEIGHT", "DEPTH", "ROW_PITCH", "SLICE_PITCH", "FORMAT", "SAMPLER", "BORDER"];

/// What a program that reads or writes by a handle has in its PTX.
pub const HANDLE: &str = "cvta.const";

/// Bytes of a descriptor; its alignment is 16.
pub const BYTES: u32 = 4 * (WORDS.len() as u32 + 3);

/// Alignment of a descriptor in bytes.
pub const ALIGN: u32 = 16;

/// What lies outside of a texture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Address {
    /// The program stays inside; software takes the texel at the edge.
    None,
    /// The texel at the edge.
    #[default]
    ClampToEdge,
    /// The border's value.
    Border,
    /// The texture once more.
    Repeat,
    /// The texture once more, every second one mirrored.
    MirroredRepeat,
}

impl Address {
    /// All modes, in the order of their numbers.
    pub const ALL: [Address; 5] =
        [Address::None, Address::ClampToEdge, Address::Border, Address::Repeat, Address::MirroredRepeat];

    /// Name in OpenCL C.
    pub fn name(self) -> &'static str {
        match self {
            Address::None => "CLK_ADDRESS_NONE",
            Address::ClampToEdge => "CLK_ADDRESS_CLAMP_TO_EDGE",
            Address::Border => "CLK_ADDRESS_CLAMP",
            Address::Repeat => "CLK_ADDRESS_REPEAT",
            Address::MirroredRepeat => "CLK_ADDRESS_MIRRORED_REPEAT",
        }
    }

    /// Bits 3 to 1 of a sampler's word.
    fn bits(self) -> u32 {
        2 * self as u32
    }
}

/// How a texture is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sampler {
    /// Address modes in x, y and z.
    pub address: [Address; 3],
    /// Linear filter; else the texel that the coordinates are in.
    pub linear: bool,
    /// Coordinates 0 to 1 span the texture.
    pub normalized: bool,
}

/// Bit of a sampler's word: normalised coordinates.
const NORMALIZED: u32 = 1;
/// Bit of a sampler's word: the texel that the coordinates are in.
const NEAREST: u32 = 0x10;
/// Bit of a sampler's word: linear filter.
const LINEAR: u32 = 0x20;

impl Sampler {
    /// The sampler's word: that of OpenCL C (bit 0 normalised, bits 3 to 1 address mode in x, bit 4 nearest, bit 5
    /// linear); the modes in y and z are 8 and 16 bits higher.
    pub fn word(&self) -> u32 {
        let [x, y, z] = self.address.map(Address::bits);
        let filter = if self.linear { LINEAR } else { NEAREST };
        (u32::from(self.normalized) * NORMALIZED) | filter | x | y << 8 | z << 16
    }

    /// The sampler of a word of OpenCL C, whose address mode is that of all axes; `None` where it is of no sampler.
    pub fn of_opencl(word: u32) -> Option<Sampler> {
        let mode = *Address::ALL.get(((word & 0xe) / 2) as usize)?;
        let known = word & !(NORMALIZED | 0xe | NEAREST | LINEAR) == 0;
        known.then_some(Sampler { address: [mode; 3], linear: word & LINEAR != 0, normalized: word & NORMALIZED != 0 })
    }

    /// The word of a sampler as OpenCL C writes it, `CLK_NORMALIZED_COORDS_TRUE | CLK_FILTER_LINEAR`; `None` where a
    /// name is unknown.
    pub fn parse(text: &str) -> Option<u32> {
        let one = |name: &str| match name {
            "CLK_NORMALIZED_COORDS_TRUE" => Some(NORMALIZED),
            "CLK_NORMALIZED_COORDS_FALSE" => Some(0),
            "CLK_FILTER_NEAREST" => Some(NEAREST),
            "CLK_FILTER_LINEAR" => Some(LINEAR),
            name => Address::ALL.iter().find(|a| a.name() == name).map(|a| a.bits()),
        };
        text.split('|').map(|name| one(name.trim())).try_fold(0, |all, bits| Some(all | bits?))
    }
}

/// A texture: where its texels are, and how they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// Byte address of the first texel in global memory, aligned to a texel.
    pub texels: u32,
    /// Texels in x, y and z; unused dimensions are 1. Layers of an array are its last dimension: y of 1D arrays, z of 2D ones.
    pub extent: [u32; 3],
    /// Bytes from a row to the next.
    pub row_pitch: u32,
    /// Bytes from a slice, or a layer, to the next.
    pub slice_pitch: u32,
    /// Format of a texel.
    pub format: Format,
    /// How it is read; OpenCL brings a sampler of its own.
    pub sampler: Sampler,
    /// What a read outside gives in mode [`Address::Border`]: bits of floats, or integers where the read gives integers.
    pub border: [u32; 4],
}

impl Descriptor {
    /// A texture without gaps between rows and slices.
    pub fn packed(texels: u32, extent: [u32; 3], format: Format) -> Descriptor {
        let row_pitch = extent[0].wrapping_mul(format.bytes());
        let slice_pitch = row_pitch.wrapping_mul(extent[1]);
        Descriptor { texels, extent, row_pitch, slice_pitch, format, sampler: Sampler::default(), border: [0; 4] }
    }

    /// The descriptor in memory: little-endian words.
    pub fn bytes(&self) -> Vec<u8> {
        let [width, height, depth] = self.extent;
        let front = [self.texels, width, height, depth, self.row_pitch, self.slice_pitch];
        let words = front.into_iter().chain([self.format.word(), self.sampler.word()]).chain(self.border);
        words.flat_map(u32::to_le_bytes).collect()
    }
}

/// The layout as a header of C: `warpsmith_texture_layout.h`.
pub(crate) fn header() -> String {
    let mut out = String::from("// Layout of a texture's descriptor: written by compiler/src/texture.\n#pragma once\n");
    let mut define = |name: &str, value: u32| {
        let _ = writeln!(out, "#define __WS_TX_{name} {value}");
    };
    for (word, name) in WORDS.iter().enumerate() {
        define(name, word as u32);
    }
    define("NORMALIZED", NORMALIZED);
    define("LINEAR", LINEAR);
    define("MODE", 0xe);
    define("MODE_BORDER", Address::Border.bits());
    define("MODE_REPEAT", Address::Repeat.bits());
    define("MODE_MIRRORED", Address::MirroredRepeat.bits());
    define("TYPES", Type::BASE);
    define("ORDERS", Order::BASE);
    let all =
        |wanted: fn(Type) -> bool| Type::ALL.into_iter().filter(|t| wanted(*t)).fold(0, |m, t| m | 1 << t.number());
    define("TYPES_OF_8", all(|t| t.bytes() == 1));
    define("TYPES_OF_16", all(|t| t.bytes() == 2 && t.packed().is_none()));
    define("TYPES_UNORM", all(|t| matches!(t, Type::UnormInt8 | Type::UnormInt16)));
    define("TYPES_PACKED", all(|t| t.packed().is_some()));
    define("TYPES_SNORM", all(|t| matches!(t, Type::SnormInt8 | Type::SnormInt16)));
    define("TYPES_SIGNED", all(|t| t.class() == Class::Signed));
    for ty in Type::ALL {
        define(&format!("TYPE_{}", ty.name().to_uppercase()), ty.number());
    }
    for order in Order::ALL {
        define(&format!("ORDER_{}", order.name().to_uppercase()), order.number());
    }
    define("ORDER_BIT", format::ORDER_BIT);
    define("SIZE_BIT", format::SIZE_BIT);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_descriptor_is_as_long_as_its_words() {
        let d = Descriptor::packed(0x1000, [5, 4, 3], Format { ty: Type::UnormInt8, order: Order::Rgba });
        assert_eq!(d.bytes().len() as u32, BYTES);
        assert_eq!((d.row_pitch, d.slice_pitch), (20, 80));
    }

    #[test]
    fn samplers_are_words_of_opencl() {
        let text = "CLK_NORMALIZED_COORDS_TRUE|CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR";
        assert_eq!(Sampler::parse(text), Some(0x27));
        let sampler = Sampler::of_opencl(0x27).unwrap();
        assert_eq!(sampler.word(), 0x06_0627);
        assert_eq!(
            (Sampler::parse("CLK_FILTER"), Sampler::of_opencl(0x40), Sampler::of_opencl(0xa)),
            (None, None, None)
        );
    }
}
