//! Texels from and to values, on the host: what fills an image.

use half::f16;

use super::{Class, Format, Order, Type};

impl Format {
    /// The texel of four components: bits of floats, or integers, as the type's class has it. Values beyond the type's
    /// range become its nearest.
    pub fn texel(self, components: [u32; 4]) -> Vec<u8> {
        let [r, g, b, a] = components;
        if let Some(bits) = self.ty.packed() {
            let word =
                bits.into_iter().zip([r, g, b]).fold(0, |word, (n, c)| word << n | normalized(c, (1 << n) - 1, 0));
            return word.to_le_bytes()[..self.ty.bytes() as usize].to_vec();
        }
        let channels = match self.order {
            Order::R | Order::Intensity | Order::Luminance => vec![r],
            Order::A => vec![a],
            Order::Rg => vec![r, g],
            Order::Ra => vec![r, a],
            Order::Rgb | Order::Rgbx => vec![r, g, b],
            Order::Rgba => vec![r, g, b, a],
            Order::Bgra => vec![b, g, r, a],
        };
        channels.into_iter().flat_map(|c| self.ty.channel(c)).collect()
    }
}

impl Type {
    /// A channel in memory.
    fn channel(self, value: u32) -> Vec<u8> {
        let bits = 8 * self.bytes();
        let word = match self.class() {
            Class::Unsigned => u64::from(value).min((1u64 << bits) - 1) as u32,
            Class::Signed => {
                let most = (1i64 << (bits - 1)) - 1;
                i64::from(value as i32).clamp(-most - 1, most) as u32
            }
            Class::Float => match self {
                Type::Float => value,
                Type::HalfFloat => f16::from_f32(f32::from_bits(value)).to_bits().into(),
                Type::UnormInt8 | Type::UnormInt16 => normalized(value, (1i64 << bits) - 1, 0),
                _ => {
                    let most = (1i64 << (bits - 1)) - 1;
                    normalized(value, most, -most - 1)
                }
            },
        };
        word.to_le_bytes()[..self.bytes() as usize].to_vec()
    }
}

/// A float times `most`, rounded to nearest even; NaN is 0.
fn normalized(value: u32, most: i64, least: i64) -> u32 {
    let scaled = f64::from(f32::from_bits(value)) * most as f64;
    (scaled.round_ties_even() as i64).clamp(least, most) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_rounded_to_nearest_even() {
        let half = |x: f32| Type::HalfFloat.channel(x.to_bits());
        for (x, bits) in [
            (0.0, 0u16),
            (-0.0, 0x8000),
            (1.0, 0x3c00),
            (-2.0, 0xc000),
            (65504.0, 0x7bff),
            (65519.9, 0x7bff),
            (65520.0, 0x7c00),
            (f32::INFINITY, 0x7c00),
            (5.960_464_5e-8, 1),
            (2.9e-8, 0),
            (6.103_515_6e-5, 0x400),
            (6.100e-5, 0x3ff),
            (1.000_488_3, 0x3c00),
            (1.000_488_5, 0x3c01),
            (1.001_464_8, 0x3c02),
            (2047.9, 0x6800),
        ] {
            assert_eq!(half(x), bits.to_le_bytes(), "{x}");
        }
        assert_eq!(half(f32::NAN), 0x7e00u16.to_le_bytes());
    }

    #[test]
    fn texels_are_in_memorys_order() {
        let bgra = Format { ty: Type::UnormInt8, order: Order::Bgra };
        assert_eq!(bgra.texel([1.0f32, 0.5, 0.0, 2.0].map(f32::to_bits)), [0, 128, 255, 255]);
        let rg = Format { ty: Type::SignedInt16, order: Order::Rg };
        let packed = |ty, order| Format { ty, order }.texel([1.0f32, 0.5, 0.1, 0.0].map(f32::to_bits));
        assert_eq!(packed(Type::UnormShort565, Order::Rgb), (31u16 << 11 | 32 << 5 | 3).to_le_bytes());
        assert_eq!(packed(Type::UnormShort555, Order::Rgbx), (31u16 << 10 | 16 << 5 | 3).to_le_bytes());
        assert_eq!(packed(Type::UnormInt101010, Order::Rgb), (1023u32 << 20 | 512 << 10 | 102).to_le_bytes());
        assert_eq!(rg.texel([-5i32 as u32, 70_000, 0, 0]), [0xfb, 0xff, 0xff, 0x7f]);
    }
}
