//! Formats of texels: the types and orders of channels that OpenCL 1.2 numbers (table 5.6 and 5.5), which CUDA's are a part of.

/// Type of a channel: how it lies in memory and what a read makes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// 8 bits, -1 to 1.
    SnormInt8,
    /// 16 bits, -1 to 1.
    SnormInt16,
    /// 8 bits, 0 to 1.
    UnormInt8,
    /// 16 bits, 0 to 1.
    UnormInt16,
    /// Red, green and blue in 5, 6 and 5 bits, red highest, 0 to 1.
    UnormShort565,
    /// Red, green and blue in 5 bits each, red highest, 0 to 1.
    UnormShort555,
    /// Red, green and blue in 10 bits each, red highest, 0 to 1.
    UnormInt101010,
    /// Integer of 8 bits.
    SignedInt8,
    /// Integer of 16 bits.
    SignedInt16,
    /// Integer of 32 bits.
    SignedInt32,
    /// Integer of 8 bits without sign.
    UnsignedInt8,
    /// Integer of 16 bits without sign.
    UnsignedInt16,
    /// Integer of 32 bits without sign.
    UnsignedInt32,
    /// Float of 16 bits.
    HalfFloat,
    /// Float of 32 bits.
    Float,
}

/// What a read of a type gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Floats.
    Float,
    /// Integers.
    Signed,
    /// Integers without sign.
    Unsigned,
}

impl Type {
    /// All types.
    pub const ALL: [Type; 15] = [
        Type::SnormInt8,
        Type::SnormInt16,
        Type::UnormInt8,
        Type::UnormInt16,
        Type::UnormShort565,
        Type::UnormShort555,
        Type::UnormInt101010,
        Type::SignedInt8,
        Type::SignedInt16,
        Type::SignedInt32,
        Type::UnsignedInt8,
        Type::UnsignedInt16,
        Type::UnsignedInt32,
        Type::HalfFloat,
        Type::Float,
    ];

    /// Number of `CL_SNORM_INT8`, the least.
    pub const BASE: u32 = 0x10d0;

    /// Number above [`Type::BASE`].
    pub fn number(self) -> u32 {
        match self {
            Type::SnormInt8 => 0,
            Type::SnormInt16 => 1,
            Type::UnormInt8 => 2,
            Type::UnormInt16 => 3,
            Type::UnormShort565 => 4,
            Type::UnormShort555 => 5,
            Type::UnormInt101010 => 6,
            Type::SignedInt8 => 7,
            Type::SignedInt16 => 8,
            Type::SignedInt32 => 9,
            Type::UnsignedInt8 => 10,
            Type::UnsignedInt16 => 11,
            Type::UnsignedInt32 => 12,
            Type::HalfFloat => 13,
            Type::Float => 14,
        }
    }

    /// The type of OpenCL's number, as in `CL_UNORM_INT8`.
    pub fn of_opencl(number: u32) -> Option<Type> {
        Type::ALL.into_iter().find(|t| Type::BASE + t.number() == number)
    }

    /// Bits of red, green and blue in one number, red highest; `None` where each channel is a number of its own.
    pub fn packed(self) -> Option<[u32; 3]> {
        match self {
            Type::UnormShort565 => Some([5, 6, 5]),
            Type::UnormShort555 => Some([5, 5, 5]),
            Type::UnormInt101010 => Some([10, 10, 10]),
            _ => None,
        }
    }

    /// Bytes of a channel, of all channels where they are [packed](Type::packed).
    pub fn bytes(self) -> u32 {
        match self {
            Type::SnormInt8 | Type::UnormInt8 | Type::SignedInt8 | Type::UnsignedInt8 => 1,
            Type::SnormInt16 | Type::UnormInt16 | Type::SignedInt16 | Type::UnsignedInt16 | Type::HalfFloat => 2,
            Type::UnormShort565 | Type::UnormShort555 => 2,
            Type::SignedInt32 | Type::UnsignedInt32 | Type::Float | Type::UnormInt101010 => 4,
        }
    }

    /// What a read gives.
    pub fn class(self) -> Class {
        match self {
            Type::SignedInt8 | Type::SignedInt16 | Type::SignedInt32 => Class::Signed,
            Type::UnsignedInt8 | Type::UnsignedInt16 | Type::UnsignedInt32 => Class::Unsigned,
            _ => Class::Float,
        }
    }

    /// Name, in launch files and headers.
    pub fn name(self) -> &'static str {
        match self {
            Type::SnormInt8 => "snorm8",
            Type::SnormInt16 => "snorm16",
            Type::UnormInt8 => "unorm8",
            Type::UnormInt16 => "unorm16",
            Type::UnormShort565 => "unorm565",
            Type::UnormShort555 => "unorm555",
            Type::UnormInt101010 => "unorm101010",
            Type::SignedInt8 => "int8",
            Type::SignedInt16 => "int16",
            Type::SignedInt32 => "int32",
            Type::UnsignedInt8 => "uint8",
            Type::UnsignedInt16 => "uint16",
            Type::UnsignedInt32 => "uint32",
            Type::HalfFloat => "half",
            Type::Float => "float",
        }
    }

    /// The type of a name.
    pub fn by_name(name: &str) -> Option<Type> {
        Type::ALL.into_iter().find(|t| t.name() == name)
    }
}

/// Which components the channels of a texel are, in memory's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// Red; the others are 0, 0 and 1.
    R,
    /// Alpha; the others are 0.
    A,
    /// Red and green; then 0 and 1.
    Rg,
    /// Red and alpha.
    Ra,
    /// Red, green and blue; alpha is 1.
    Rgb,
    /// All four.
    Rgba,
    /// All four, blue first.
    Bgra,
    /// One channel is all four.
    Intensity,
    /// One channel is red, green and blue; alpha is 1.
    Luminance,
    /// As [`Order::Rgb`], with alpha 0 outside of the image.
    Rgbx,
}

impl Order {
    /// All orders.
    pub const ALL: [Order; 10] = [
        Order::R,
        Order::A,
        Order::Rg,
        Order::Ra,
        Order::Rgb,
        Order::Rgba,
        Order::Bgra,
        Order::Intensity,
        Order::Luminance,
        Order::Rgbx,
    ];

    /// Number of `CL_R`, the least.
    pub const BASE: u32 = 0x10b0;

    /// Number above [`Order::BASE`].
    pub fn number(self) -> u32 {
        match self {
            Order::R => 0,
            Order::A => 1,
            Order::Rg => 2,
            Order::Ra => 3,
            Order::Rgb => 4,
            Order::Rgba => 5,
            Order::Bgra => 6,
            Order::Intensity => 8,
            Order::Luminance => 9,
            Order::Rgbx => 12,
        }
    }

    /// The order of OpenCL's number, as in `CL_RGBA`.
    pub fn of_opencl(number: u32) -> Option<Order> {
        Order::ALL.into_iter().find(|o| Order::BASE + o.number() == number)
    }

    /// True for orders of [packed](Type::packed) types.
    pub fn is_packed(self) -> bool {
        matches!(self, Order::Rgb | Order::Rgbx)
    }

    /// Channels of a texel.
    pub fn channels(self) -> u32 {
        match self {
            Order::R | Order::A | Order::Intensity | Order::Luminance => 1,
            Order::Rg | Order::Ra => 2,
            Order::Rgb | Order::Rgbx => 3,
            Order::Rgba | Order::Bgra => 4,
        }
    }

    /// Name, in launch files and headers.
    pub fn name(self) -> &'static str {
        match self {
            Order::R => "r",
            Order::A => "a",
            Order::Rg => "rg",
            Order::Ra => "ra",
            Order::Rgb => "rgb",
            Order::Rgba => "rgba",
            Order::Bgra => "bgra",
            Order::Intensity => "intensity",
            Order::Luminance => "luminance",
            Order::Rgbx => "rgbx",
        }
    }

    /// The order of a name.
    pub fn by_name(name: &str) -> Option<Order> {
        Order::ALL.into_iter().find(|o| o.name() == name)
    }

    /// Alpha outside of an image of this order, in mode [`Address::Border`](super::Address::Border) (OpenCL 1.2, table 8.1).
    pub fn border_alpha(self) -> u32 {
        u32::from(matches!(self, Order::R | Order::Rg | Order::Rgb | Order::Luminance))
    }
}

/// Format of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    /// Type of each channel.
    pub ty: Type,
    /// The channels.
    pub order: Order,
}

/// Lowest bit of the order in a descriptor's word; below it is the type.
pub(super) const ORDER_BIT: u32 = 8;
/// Lowest bit of a texel's size in a descriptor's word.
pub(super) const SIZE_BIT: u32 = 16;

impl Format {
    /// Bytes of a texel.
    pub fn bytes(self) -> u32 {
        let numbers = if self.ty.packed().is_some() { 1 } else { self.order.channels() };
        self.ty.bytes() * numbers
    }

    /// Its word in a descriptor: number of the type in bits 7 to 0, of the order in 15 to 8, logarithm of a texel's bytes
    /// to base 2 above.
    pub fn word(self) -> u32 {
        self.ty.number() | self.order.number() << ORDER_BIT | self.bytes().ilog2() << SIZE_BIT
    }

    /// Whether images of OpenCL may have it.
    pub fn is_of_images(self) -> bool {
        let normalized = !matches!(self.ty, Type::SignedInt8 | Type::SignedInt16 | Type::SignedInt32)
            && !matches!(self.ty, Type::UnsignedInt8 | Type::UnsignedInt16 | Type::UnsignedInt32);
        match self.order {
            order if order.is_packed() => self.ty.packed().is_some(),
            _ if self.ty.packed().is_some() => false,
            Order::R | Order::Rg | Order::Rgba | Order::A | Order::Ra => true,
            Order::Bgra => self.ty == Type::UnormInt8,
            _ => normalized,
        }
    }

    /// Alpha of the border, as a word that a read gives.
    pub fn border(self) -> [u32; 4] {
        let one = match self.ty.class() {
            Class::Float => 1f32.to_bits(),
            _ => 1,
        };
        [0, 0, 0, one * self.order.border_alpha()]
    }

    /// The formats of images.
    pub fn of_images() -> impl Iterator<Item = Format> {
        let all = Order::ALL.into_iter().flat_map(|order| Type::ALL.into_iter().map(move |ty| Format { ty, order }));
        all.filter(|f| f.is_of_images())
    }
}
