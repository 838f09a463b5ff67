//! The converters of formats of device memory against the model, whose own tests have exact arithmetic.

use crate::support::{area, Random, Simulation};
use area::fits;
use warpsmith_hdl::emit::emit_leaf;
use warpsmith_hdl::sm::mem::format::code;
use warpsmith_hdl::sm::mem::pack::Pack;
use warpsmith_hdl::sm::mem::unpack::Unpack;
use warpsmith_isa::uop::{Access, Format, Round, Space, Type};
use warpsmith_model::uop::format;

/// Code, element, format, floats of one element.
const FORMATS: [(u64, Type, Format, u32); 10] = [
    (code::UNORM8, Type::U8, Format::Unorm, 1),
    (code::SNORM8, Type::S8, Format::Snorm, 1),
    (code::UNORM16, Type::U16, Format::Unorm, 1),
    (code::SNORM16, Type::S16, Format::Snorm, 1),
    (code::SRGB, Type::U8, Format::Srgb, 4),
    (code::RGB10A2, Type::U32, Format::Rgb10A2, 4),
    (code::RG11B10, Type::U32, Format::Rg11B10 { round: Round::Nearest }, 3),
    (code::RG11B10 | code::CUT, Type::U32, Format::Rg11B10 { round: Round::Zero }, 3),
    (code::RGB9E5, Type::U32, Format::Rgb9E5 { round: Round::Nearest }, 3),
    (code::RGB9E5 | code::CUT, Type::U32, Format::Rgb9E5 { round: Round::Zero }, 3),
];

fn access(element: Type, format: Format) -> Access {
    Access { format, ..Access::row(Space::Global, element, 1) }
}

fn register(half: bool) -> Type {
    Type::int(if half { 16 } else { 32 }, false)
}

fn how(code: u64, half: bool, component: u32) -> u32 {
    code as u32 | u32::from(half) << 4 | component << 5
}

#[test]
fn elements_become_the_nearest_float() {
    let mut random = Random(0x5EED_0301);
    let mut work = vec![];
    for (code, element, format, components) in FORMATS {
        for n in 0..1u32 << 17 {
            let value = match element.bits() {
                8 | 16 => n & element.mask() as u32,
                _ => random.word(),
            };
            let half = match element.bits() {
                8 | 16 => n >> 16 == 1,
                _ => random.chance(50),
            };
            work.push((code, element, format, value, n % components, half));
        }
    }
    // What a cycle has of the next one belongs to nothing.
    let rows: Vec<Vec<u32>> =
        work.iter().flat_map(|(code, _, _, v, n, half)| vec![vec![*v, how(*code, *half, *n)]; 2]).collect();
    let got = Simulation::native(&Unpack::new()).run(&rows);
    for ((code, element, format, value, n, half), row) in work.iter().zip(got.chunks(2)) {
        let want = format::unpack(&access(*element, *format), register(*half), (*value).into(), *n);
        assert_eq!(u64::from(row[1][0]), want, "{code}: {value:#x} component {n}, half {half}");
    }
}

/// Floats about the bounds of integers and of sRGB, and any.
fn float(random: &mut Random, half: bool) -> u32 {
    if half {
        return random.word() & 0xffff;
    }
    let sign = u32::from(random.chance(25));
    let near = [255.0, 510.0, 127.0, 254.0, 65535.0, 131070.0, 32767.0, 65534.0];
    let x = match random.below(5) {
        0 => random.word(),
        1 => (random.below(131071) as f32 / near[random.index(8)]).to_bits(),
        2 => warpsmith_isa::numbers::SRGB_BOUNDS[random.index(255)],
        3 => random.pick(&[0, 0x7f80_0000, 0x7fc0_0000, 0x7f80_0001, 1, 0x3f80_0000, 0x7f7f_ffff]),
        _ => (random.below(24) + 105) << 23 | random.word() & 0x7f_ffff,
    };
    let off = random.below(3).wrapping_sub(1);
    sign << 31 | x.wrapping_add(off) & 0x7fff_ffff
}

#[test]
fn floats_become_the_nearest_integer() {
    let mut random = Random(0x5EED_0302);
    let mut work = vec![];
    for (code, element, format, components) in &FORMATS[..5] {
        for n in 0..1u32 << 15 {
            let half = random.chance(40);
            work.push((*code, *element, *format, float(&mut random, half), n % components, half));
        }
        let halves = (0..1u32 << 16).map(|v| (*code, *element, *format, v, v % components, true));
        // Of sRGB, which takes the cycles of eight others, those drawn.
        work.extend(halves.filter(|_| *code != code::SRGB));
    }
    let last = |w: &(u64, Type, Format, u32, u32, bool)| if w.0 == code::SRGB && w.4 != 3 { 16 } else { 1 };
    let rows: Vec<Vec<u32>> =
        work.iter().flat_map(|w| (0..=last(w)).map(|phase| vec![w.3, how(w.0, w.5, w.4), 0, phase])).collect();
    let got = Simulation::native(&Pack::new()).run(&rows);
    let mut at = 0;
    for w in &work {
        let (code, element, format, value, n, half) = w;
        let rows = &got[at..=at + last(w) as usize];
        at += rows.len();
        let told: Vec<u32> = rows.iter().map(|r| r[0]).collect();
        assert_eq!(told.iter().position(|l| *l == 1), Some(rows.len() - 1), "{code}: the last phase");
        let want = format::pack(&access(*element, *format), register(*half), &[(*value).into()], *n) & element.mask();
        let want = if element.bits() == 8 { want * 0x0101_0101 } else { want * 0x1_0001 };
        assert_eq!(u64::from(rows[rows.len() - 1][1]), want, "{code}: {value:#x} component {n}, half {half}");
    }
}

/// Floats about what has a part of each of the formats of several floats, and any.
fn part(random: &mut Random, format: Format) -> u32 {
    if random.chance(25) {
        return float(random, false);
    }
    let near = match format {
        Format::Rgb10A2 => [1.0 / 1023.0, 0.5 / 1023.0, 1.0 / 3.0, 0.5 / 3.0, 1.0],
        Format::Rg11B10 { .. } => [65024.0, 64512.0, f32::from_bits(107 << 23), f32::from_bits(113 << 23), 1.0],
        _ => [65408.0, 65536.0, f32::from_bits(110 << 23), f32::from_bits(111 << 23), 0.998],
    };
    let scale = match format {
        Format::Rgb10A2 => random.below(2046) as f32,
        _ => f32::from_bits((random.below(16) + 112) << 23),
    };
    let x = (near[random.index(5)] * scale).to_bits();
    x.wrapping_add(random.below(5)).wrapping_sub(2) & 0x7fff_ffff
}

#[test]
fn several_floats_become_one_element() {
    let mut random = Random(0x5EED_0303);
    let (mut rows, mut wants) = (vec![], vec![]);
    for (code, element, format, components) in &FORMATS[5..] {
        for _ in 0..1 << 14 {
            let close = random.word();
            // Exponents that are close to each other, or any.
            let half = random.chance(40);
            let parts: Vec<u32> = match random.chance(40) {
                _ if half => (0..*components).map(|_| random.word() >> random.below(6) & 0xffff).collect(),
                true => (0..*components).map(|_| (close >> 4 & 0xff) << 23 | random.word() & 0xff_ffff).collect(),
                false => (0..*components).map(|_| part(&mut random, *format)).collect(),
            };
            let registers: Vec<u64> = parts.iter().map(|p| u64::from(*p)).collect();
            let thread = random.below(32);
            for (n, value) in parts.iter().enumerate() {
                let last = if n + 1 == parts.len() { 3 } else { 1 };
                rows.extend((0..=last).map(|phase| vec![*value, how(*code, half, n as u32), thread, phase]));
            }
            wants.push((code, parts, format::pack(&access(*element, *format), register(half), &registers, 0)));
        }
    }
    let got = Simulation::native(&Pack::new()).run(&rows);
    let mut at = 0;
    for (code, parts, want) in wants {
        let rows = &got[at..at + 2 * (parts.len() + 1)];
        at += rows.len();
        let told: Vec<usize> = (0..rows.len()).filter(|n| rows[*n][0] == 1).collect();
        let ends: Vec<usize> = (1..parts.len()).map(|n| 2 * n - 1).chain([rows.len() - 1]).collect();
        assert_eq!(told, ends, "{code}: the last phases");
        assert_eq!(u64::from(rows[rows.len() - 1][1]), want, "{code}: {parts:x?}");
    }
}

#[test]
fn the_converters_lint_clean_and_fit_their_area() {
    fits(&emit_leaf(&Unpack::new()), "unpack", [("LUT", 580), ("FD", 60), ("RAMB", 1)]);
    fits(&emit_leaf(&Pack::new()), "pack", [("LUT", 720), ("FD", 100), ("RAMB", 1)]);
}
