//! Operands that are registers, numbers or places of memory and textures without flags.

use super::operand::{Kind, Operand};
use super::register::Registers;
use crate::set::{Scanner, TextError};

/// One such operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// Registers.
    Registers(Registers),
    /// A number.
    Number(i64),
    /// `cf3`, `ts0`, `ss1`.
    Named(&'static str, u64),
    /// `_`: no register.
    Blank,
}

/// Names of [`Item::Named`].
const NAMED: [&str; 3] = ["cf", "ts", "ss"];

impl Item {
    fn text(self) -> String {
        match self {
            Item::Registers(r) => r.text(),
            Item::Number(n) => n.to_string(),
            Item::Named(name, n) => format!("{name}{n}"),
            Item::Blank => "_".into(),
        }
    }

    /// What comes next.
    fn read(s: &mut Scanner) -> Option<Item> {
        let mut ahead = *s;
        let word = ahead.word();
        let named = |name: &&'static str| {
            let n = word.strip_prefix(*name)?.parse().ok()?;
            Some(Item::Named(name, n))
        };
        let item = match Registers::parse(word) {
            _ if word == "_" => Some(Item::Blank),
            Some(r) => Some(Item::Registers(r)),
            None => NAMED.iter().find_map(named),
        };
        if item.is_some() {
            *s = ahead;
            return item;
        }
        s.signed(32).ok().map(Item::Number)
    }
}

/// Halves of the coordinates of a dimension: x, y and z have two each, an index of a layer or sample one.
fn coordinate_halves(dimension: u64) -> u64 {
    match dimension {
        1 => 3,
        2 => 4,
        3 | 4 | 8 => 5,
        5 | 6 => 6,
        7 => 7,
        _ => 2,
    }
}

impl Operand {
    /// Value of field `n` of the kind.
    fn value(&self, n: usize, bits: u128) -> u64 {
        self.fields[n].get(bits)
    }

    /// The operand; `None` where it is left out.
    fn item(&self, bits: u128) -> Option<Item> {
        let v = self.value(0, bits);
        let flag = || self.value(1, bits);
        let third = || self.value(2, bits);
        let row = |file, first, wide, count| Item::Registers(Registers::row(file, first, wide, count));
        let half = |file, first| row(file, first, false, 1);
        let word = |first| row('r', first, true, 1);
        let file = || if flag() == 1 { 'u' } else { 'r' };
        let signed = || Item::Number(self.fields[0].get_signed(bits));
        let number = Item::Number(v as i64);
        Some(match self.kind {
            Kind::Reg => word(2 * v),
            Kind::EvenReg => word(v),
            Kind::Half => half('r', v),
            Kind::Vector | Kind::VectorFirst => match third().count_ones() {
                0 => return None,
                n => row('r', v, flag() == 1, n.into()),
            },
            Kind::Four => row('r', v, flag() == 1, 4),
            Kind::AtomicReg if third() == 0 => Item::Blank,
            Kind::AtomicReg => row('r', v, flag() == 1, 1),
            Kind::AtomicDst if flag() == 0 => Item::Blank,
            Kind::AtomicDst => word(v),
            // 3 is compare and exchange: the value to compare with and the new one.
            Kind::AtomicSrc => row('r', v, true, 1 + u64::from(flag() == 3)),
            Kind::Base | Kind::AsyncReg => row(file(), v, true, 2),
            Kind::UniformPair => row('u', 2 * v, true, 2),
            Kind::AsyncBase => row(file(), 2 * v, true, 3 + 2 * third()),
            Kind::Index if flag() == 1 => signed(),
            Kind::Index => word(v & 0xff),
            Kind::GroupIndex if flag() == 1 => signed(),
            Kind::GroupIndex => half('r', v & 0xff),
            Kind::GroupBase => match flag() {
                0 => half('r', v),
                2 => Item::Number(0),
                t => half('u', v | (t >> 1) << 8),
            },
            Kind::NumberOrHalf if flag() == 1 => half('r', v),
            Kind::HalfOrNumber if flag() == 0 => half('r', v),
            Kind::Varying => row('r', v, flag() == 1, four_of_zero(third())),
            Kind::Coefficients => row('r', v, flag() == 1, 3 * four_of_zero(third())),
            Kind::Cf => Item::Named("cf", v),
            Kind::TextureState => Item::Named("ts", v),
            Kind::SamplerState => Item::Named("ss", v),
            Kind::Sampler if flag() == 1 => half('r', v),
            Kind::Sampler => Item::Named("ss", v),
            Kind::Texture => match flag() {
                1 => half('r', v),
                3 => word(v),
                _ => Item::Named("ts", v),
            },
            Kind::Heap if flag() != 3 => return None,
            Kind::Heap => row('u', 4 * v, true, 2),
            Kind::SampleId => match flag() {
                1 => number,
                3 => half('r', v),
                _ => return None,
            },
            Kind::Coords => match coordinate_halves(self.value(3, bits)) {
                n if n % 2 == 0 => row('r', v, true, n / 2),
                n => row('r', v, false, n),
            },
            // Bit 2 of the mode: a register, else a uniform; from 8 on, a minimum as well.
            Kind::Lod => match flag() {
                0 => number,
                t => row(if t & 4 == 4 { 'r' } else { 'u' }, v, false, 1 + u64::from(t >= 8)),
            },
            Kind::CompareOffset => match (flag(), third()) {
                (1, _) => half('r', v),
                (_, 1) => word(v),
                _ => return None,
            },
            Kind::DepthStencil => match 2 * flag() + third() {
                0 => return None,
                n => row('r', v, false, n),
            },
            _ => number,
        })
    }

    pub(super) fn print_register(&self, bits: u128) -> Option<String> {
        self.item(bits).map(Item::text)
    }

    /// Reads the operand into `bits`.
    ///
    /// # Errors
    /// Another kind of operand, a value that does not fit.
    pub(super) fn parse_register(&self, s: &mut Scanner, bits: u128) -> Result<u128, TextError> {
        let column = s.column();
        let what = self.expects();
        let Some(item) = Item::read(s) else {
            return s.expected(what);
        };
        match self.put_item(item, bits) {
            Some(bits) => Ok(bits),
            None => s.fault(column, format!("expected {what}, found {}", item.text())),
        }
    }

    /// `bits` with the operand; `None` where the kind takes no such item.
    fn put_item(&self, item: Item, bits: u128) -> Option<u128> {
        let put = |n: usize, value: u64, bits: u128| {
            let field = self.fields[n];
            field.fits(value).then(|| field.put(bits, value))
        };
        let both = |value, flag| put(1, flag, put(0, value, bits)?);
        match item {
            Item::Blank => match self.kind {
                Kind::AtomicReg | Kind::AtomicDst => Some(bits),
                _ => None,
            },
            Item::Named(name, n) => match (self.kind, name) {
                (Kind::Cf, "cf") | (Kind::TextureState, "ts") | (Kind::SamplerState, "ss") => put(0, n, bits),
                (Kind::Texture, "ts") | (Kind::Sampler, "ss") => both(n, 0),
                _ => None,
            },
            Item::Number(n) => self.put_number(n, bits),
            Item::Registers(r) => self.put_registers(r, bits),
        }
    }

    /// The kind in words, for errors.
    fn expects(&self) -> &'static str {
        match self.kind {
            Kind::Reg | Kind::EvenReg => "a register of 32 bits such as r3",
            Kind::Half => "a register of 16 bits such as r3l",
            Kind::Vector | Kind::VectorFirst | Kind::Varying => "1 to 4 registers such as r3_r4",
            Kind::Four => "four registers such as r4_r5_r6_r7",
            Kind::AtomicReg => "a register or `_`",
            Kind::AtomicDst => "a register of 32 bits or `_`",
            Kind::AtomicSrc => "a register of 32 bits, or two to compare and exchange",
            Kind::Base | Kind::AsyncReg => "a pair such as r2_r3 or u2_u3",
            Kind::UniformPair => "a pair of uniforms such as u2_u3",
            Kind::Heap => "a pair of uniforms, the first even, such as u2_u3",
            Kind::AsyncBase => "three or five registers such as r2_r3_r4",
            Kind::Index => "a register of 32 bits such as r3, or a number of 16 bits",
            Kind::GroupIndex => "a register of 16 bits such as r3l, or a number of 16 bits",
            Kind::GroupBase => "a register of 16 bits such as r3l or u3l, or 0",
            Kind::NumberOrHalf | Kind::HalfOrNumber | Kind::SampleId => {
                "a number of 8 bits or a register of 16 bits such as r3l"
            }
            Kind::Coefficients => "3, 6, 9 or 12 registers such as r4_r5_r6",
            Kind::Cf => "a coefficient register such as cf3",
            Kind::TextureState => "a texture state such as ts3",
            Kind::SamplerState => "a sampler state such as ss3",
            Kind::Texture => "a texture state such as ts3, or a register",
            Kind::Sampler => "a sampler state such as ss3, or a register of 16 bits",
            Kind::Coords => "the registers of the coordinates such as r2_r3",
            Kind::Lod => "a level of detail, of 16 bits such as r3l or u3l",
            Kind::CompareOffset => "a register such as r3 or r3l",
            _ => "1 to 3 registers of 16 bits such as r3l_r3h",
        }
    }

    fn put_number(&self, n: i64, bits: u128) -> Option<u128> {
        let field = self.fields[0];
        let signed = matches!(self.kind, Kind::Index | Kind::GroupIndex);
        let least = if signed { -1i64 << (field.width() - 1) } else { 0 };
        if n < least || n >= 1i64 << field.width() {
            return None;
        }
        let flag = match self.kind {
            Kind::Index | Kind::GroupIndex | Kind::HalfOrNumber | Kind::SampleId => 1,
            Kind::NumberOrHalf => 0,
            Kind::GroupBase if n == 0 => 2,
            Kind::Lod => return Some(field.put(bits, n as u64)),
            _ => return None,
        };
        Some(self.fields[1].put(field.put(bits, n as u64), flag))
    }

    fn put_registers(&self, r: Registers, bits: u128) -> Option<u128> {
        let v = r.first;
        let wide = u64::from(r.wide);
        let uniform = u64::from(r.file == 'u');
        let is = |file, wide, count| r == Registers::row(file, v, wide, count);
        let word = is('r', true, 1);
        let half = is('r', false, 1);
        let lane = r.file == 'r';
        // Value of the first field, values of the next.
        let (value, flags): (u64, &[u64]) = match self.kind {
            Kind::Reg if word => (v / 2, &[]),
            Kind::EvenReg if word => (v, &[]),
            Kind::Half if half => (v, &[]),
            Kind::Vector | Kind::VectorFirst if lane && r.count <= 4 => (v, &[wide]),
            Kind::Four if lane && r.count == 4 => (v, &[wide]),
            Kind::AtomicReg if lane && r.count == 1 => (v, &[wide, 1]),
            Kind::AtomicDst if word => (v, &[1]),
            Kind::AtomicSrc if lane && r.wide => (v, &[]),
            Kind::Base | Kind::AsyncReg if r.wide && r.count == 2 => (v, &[uniform]),
            Kind::UniformPair if is('u', true, 2) => (v / 2, &[]),
            Kind::AsyncBase if r.wide => (v / 2, &[uniform]),
            Kind::Index if word => (v, &[0]),
            Kind::GroupIndex | Kind::HalfOrNumber | Kind::GroupBase if half => (v, &[0]),
            Kind::GroupBase if is('u', false, 1) => (v & 0xff, &[1 | (v >> 8) << 1]),
            Kind::NumberOrHalf | Kind::Sampler | Kind::Texture if half => (v, &[1]),
            Kind::Texture if word => (v, &[3]),
            Kind::Heap if is('u', true, 2) && v % 4 == 0 => (v / 4, &[3]),
            Kind::SampleId if half => (v, &[3]),
            Kind::Varying if lane && r.count <= 4 => (v, &[wide, r.count & 3]),
            Kind::Coefficients if lane && r.count % 3 == 0 && r.count <= 12 => (v, &[wide, (r.count / 3) & 3]),
            Kind::Coords if lane => (v, &[]),
            Kind::Lod if !r.wide => {
                let (mode, bit) = (self.value(1, bits), if lane { 4 } else { 0 });
                if mode & 3 == 0 && mode & 4 != bit {
                    return None;
                }
                (v, &[mode & !4 | bit])
            }
            Kind::CompareOffset if half => (v, &[1]),
            Kind::CompareOffset if word => (v, &[0]),
            Kind::DepthStencil if lane && !r.wide && r.count <= 3 => (v, &[r.count >> 1, r.count & 1]),
            _ => return None,
        };
        let all = [value].into_iter().chain(flags.iter().copied());
        let mut bits = bits;
        for (field, value) in self.fields.iter().zip(all) {
            bits = field.fits(value).then(|| field.put(bits, value))?;
        }
        Some(bits)
    }
}

/// A count of 2 bits in which 0 means 4.
fn four_of_zero(n: u64) -> u64 {
    if n == 0 {
        4
    } else {
        n
    }
}
