//! Packed arithmetic of CUDA C on the model against plain Rust: dot products, functions of the parts of a word, and
//! floats of 16 bits.

use crate::common::kernels::Kernels;
use warpsmith_compiler::clang::find;

/// A function of two elements; the second of the types that it takes.
struct Of {
    name: &'static str,
    signed: bool,
    /// From the elements and the width in bits.
    value: fn(i32, i32, u32) -> i32,
}

fn low(bits: u32) -> i32 {
    -(1 << (bits - 1))
}

fn high(bits: u32) -> i32 {
    (1 << (bits - 1)) - 1
}

fn all(bits: u32) -> i32 {
    (1 << bits) - 1
}

const fn of(name: &'static str, signed: bool, value: fn(i32, i32, u32) -> i32) -> Of {
    Of { name, signed, value }
}

/// What CUDA has with the endings 2 and 4.
const FUNCTIONS: [Of; 39] = [
    of("__vadd", false, |x, y, _| x + y),
    of("__vsub", false, |x, y, _| x - y),
    of("__vaddss", true, |x, y, b| (x + y).clamp(low(b), high(b))),
    of("__vaddus", false, |x, y, b| (x + y).min(all(b))),
    of("__vsubss", true, |x, y, b| (x - y).clamp(low(b), high(b))),
    of("__vsubus", false, |x, y, _| (x - y).max(0)),
    of("__vabsdiffs", true, |x, y, _| (x - y).abs()),
    of("__vabsdiffu", false, |x, y, _| (x - y).abs()),
    of("__vavgs", true, |x, y, _| if x + y < 0 { (x + y) >> 1 } else { (x + y + 1) >> 1 }),
    of("__vavgu", false, |x, y, _| (x + y + 1) / 2),
    of("__vhaddu", false, |x, y, _| (x + y) / 2),
    of("__vmaxs", true, |x, y, _| x.max(y)),
    of("__vmaxu", false, |x, y, _| x.max(y)),
    of("__vmins", true, |x, y, _| x.min(y)),
    of("__vminu", false, |x, y, _| x.min(y)),
    of("__vabs", true, |x, _, _| x.abs()),
    of("__vabsss", true, |x, _, b| x.abs().min(high(b))),
    of("__vneg", true, |x, _, _| -x),
    of("__vnegss", true, |x, _, b| (-x).min(high(b))),
    of("__vcmpeq", false, |x, y, _| -i32::from(x == y)),
    of("__vcmpne", false, |x, y, _| -i32::from(x != y)),
    of("__vcmpges", true, |x, y, _| -i32::from(x >= y)),
    of("__vcmpgts", true, |x, y, _| -i32::from(x > y)),
    of("__vcmples", true, |x, y, _| -i32::from(x <= y)),
    of("__vcmplts", true, |x, y, _| -i32::from(x < y)),
    of("__vcmpgeu", false, |x, y, _| -i32::from(x >= y)),
    of("__vcmpgtu", false, |x, y, _| -i32::from(x > y)),
    of("__vcmpleu", false, |x, y, _| -i32::from(x <= y)),
    of("__vcmpltu", false, |x, y, _| -i32::from(x < y)),
    of("__vseteq", false, |x, y, _| i32::from(x == y)),
    of("__vsetne", false, |x, y, _| i32::from(x != y)),
    of("__vsetges", true, |x, y, _| i32::from(x >= y)),
    of("__vsetgts", true, |x, y, _| i32::from(x > y)),
    of("__vsetles", true, |x, y, _| i32::from(x <= y)),
    of("__vsetlts", true, |x, y, _| i32::from(x < y)),
    of("__vsetgeu", false, |x, y, _| i32::from(x >= y)),
    of("__vsetgtu", false, |x, y, _| i32::from(x > y)),
    of("__vsetleu", false, |x, y, _| i32::from(x <= y)),
    of("__vsetltu", false, |x, y, _| i32::from(x < y)),
];

impl Of {
    fn takes_one(&self) -> bool {
        self.name.starts_with("__vabs") && !self.name.contains("diff") || self.name.starts_with("__vneg")
    }

    fn call(&self, ending: u32) -> String {
        let more = if self.takes_one() { "" } else { ", y" };
        format!("{}{ending}(x{more})", self.name)
    }

    fn of_words(&self, x: u32, y: u32, bits: u32) -> u32 {
        let read = |w: u32, i: u32| element(w, i, bits, self.signed);
        (0..32 / bits)
            .map(|i| ((self.value)(read(x, i), read(y, i), bits) as u32 & all(bits) as u32) << (bits * i))
            .sum()
    }
}

fn element(w: u32, i: u32, bits: u32, signed: bool) -> i32 {
    let top = w << (32 - bits - bits * i);
    match signed {
        true => top as i32 >> (32 - bits),
        false => (top >> (32 - bits)) as i32,
    }
}

/// A sum over the elements of two words.
fn sum(x: u32, y: u32, bits: u32, signed: bool, f: fn(i32, i32) -> i32) -> u32 {
    (0..32 / bits).fold(0u32, |s, i| s.wrapping_add(f(element(x, i, bits, signed), element(y, i, bits, signed)) as u32))
}

/// Two halves with two bytes, from byte `first`.
fn dp2a(x: u32, y: u32, first: u32, signed: bool, c: u32) -> u32 {
    (0..2).fold(c, |s, i| s.wrapping_add((element(x, i, 16, signed) * element(y, first + i, 8, signed)) as u32))
}

type Other = (&'static str, fn(u32, u32) -> u32);

const OTHERS: [Other; 16] = [
    ("__vsads4(x, y)", |x, y| sum(x, y, 8, true, |a, b| (a - b).abs())),
    ("__vsadu4(x, y)", |x, y| sum(x, y, 8, false, |a, b| (a - b).abs())),
    ("__vsads2(x, y)", |x, y| sum(x, y, 16, true, |a, b| (a - b).abs())),
    ("__vsadu2(x, y)", |x, y| sum(x, y, 16, false, |a, b| (a - b).abs())),
    ("__dp4a((int)x, (int)y, 77)", |x, y| sum(x, y, 8, true, |a, b| a * b).wrapping_add(77)),
    ("__dp4a(x, y, 0xfffffff0u)", |x, y| sum(x, y, 8, false, |a, b| a * b).wrapping_sub(16)),
    ("__dp4a(__builtin_bit_cast(uchar4, x), __builtin_bit_cast(uchar4, y), 0u)", |x, y| {
        sum(x, y, 8, false, |a, b| a * b)
    }),
    ("__dp2a_lo((int)x, (int)y, 5)", |x, y| dp2a(x, y, 0, true, 5)),
    ("__dp2a_hi((int)x, (int)y, 5)", |x, y| dp2a(x, y, 2, true, 5)),
    ("__dp2a_lo(x, y, 5u)", |x, y| dp2a(x, y, 0, false, 5)),
    ("__dp2a_hi(x, y, 5u)", |x, y| dp2a(x, y, 2, false, 5)),
    ("__funnelshift_lc(x, y, x & 63)", |x, y| (((u64::from(y) << 32 | u64::from(x)) << (x & 63).min(32)) >> 32) as u32),
    ("__funnelshift_rc(x, y, y & 63)", |x, y| ((u64::from(y) << 32 | u64::from(x)) >> (y & 63).min(32)) as u32),
    ("__funnelshift_l(x, y, y)", |x, y| (((u64::from(y) << 32 | u64::from(x)) << (y & 31)) >> 32) as u32),
    ("__brev(x) + __popc(y)", |x, y| x.reverse_bits().wrapping_add(y.count_ones())),
    ("__byte_perm(x, y, x & 0x7777)", |x, y| {
        let bytes = (u64::from(y) << 32 | u64::from(x)).to_le_bytes();
        u32::from_le_bytes([0, 4, 8, 12].map(|n| bytes[(x >> n & 7) as usize]))
    }),
];

fn found() -> bool {
    warpsmith_testkit::found(find::find(None)).is_some()
}

/// Runs a kernel on `inputs`, two words a thread, and gives `row` words for each.
fn rows(kernels: &Kernels, i: usize, inputs: &[[u32; 2]], row: usize) -> Vec<Vec<u32>> {
    let words: Vec<u32> = inputs.iter().flatten().copied().collect();
    let blocks = inputs.len() / 128;
    assert_eq!(blocks * 128, inputs.len());
    let (_, found) = kernels.run(i, [blocks, 128], (&words, row * inputs.len()), "", &[]);
    found.chunks(row).map(<[u32]>::to_vec).collect()
}

/// Every byte with 32 others, and pairs of halves around the corners.
fn words() -> Vec<[u32; 2]> {
    let mut list = Vec::new();
    for y in (0..256u32).step_by(8).map(|y| y + y / 8 % 8) {
        for x in (0..256u32).step_by(4) {
            list.push([x * 0x0101_0101 + 0x0302_0100, y * 0x0101_0101]);
        }
    }
    let corners = [0u32, 1, 0x7ffe, 0x7fff, 0x8000, 0x8001, 0xffff, 0x1234];
    for x in corners {
        for y in corners {
            list.extend([[x << 16 | y, y << 16 | x], [x << 16 | x, y << 16 | (y ^ 0x55)]]);
        }
    }
    list
}

#[test]
fn functions_of_parts_of_a_word() {
    if !found() {
        return;
    }
    let calls = FUNCTIONS.iter().flat_map(|f| [f.call(2), f.call(4)]).chain(OTHERS.map(|o| o.0.to_string()));
    let stores: String = calls.enumerate().map(|(k, call)| format!("  o[{k}] = {call};\n")).collect();
    let row = 2 * FUNCTIONS.len() + OTHERS.len();
    let source = format!(
        "extern \"C\" __global__ void f0(const unsigned *in, unsigned *out) {{\n\
         int i = blockIdx.x * blockDim.x + threadIdx.x; unsigned x = in[2 * i], y = in[2 * i + 1], *o = out + {row} * i;\n{stores}}}\n"
    );
    let inputs = words();
    for ([x, y], got) in inputs.iter().zip(rows(&Kernels::new("k.cu", source), 0, &inputs, row)) {
        let functions =
            FUNCTIONS.iter().flat_map(|f| [(f.call(2), f.of_words(*x, *y, 16)), (f.call(4), f.of_words(*x, *y, 8))]);
        let expected = functions.chain(OTHERS.map(|(call, value)| (call.to_string(), value(*x, *y))));
        for ((call, wanted), got) in expected.zip(got) {
            assert_eq!(got, wanted, "{call} of {x:#x}, {y:#x}");
        }
    }
}

/// The value of a number of 16 bits with so many bits of exponent.
fn value(bits: u16, exponent_bits: u32) -> f64 {
    let mantissa_bits = 15 - exponent_bits;
    let (exponent, mantissa) =
        (i32::from(bits >> mantissa_bits & ((1 << exponent_bits) - 1)), f64::from(bits & ((1 << mantissa_bits) - 1)));
    let (bias, scale) = ((1 << (exponent_bits - 1)) - 1, f64::from(1 << mantissa_bits));
    let size = match exponent {
        0 => mantissa / scale * 2f64.powi(1 - bias),
        e if e == (1 << exponent_bits) - 1 && mantissa == 0.0 => f64::INFINITY,
        e if e == (1 << exponent_bits) - 1 => f64::NAN,
        e => (1.0 + mantissa / scale) * 2f64.powi(e - bias),
    };
    if bits >> 15 == 1 {
        -size
    } else {
        size
    }
}

/// The nearest number of 16 bits, ties to even; `rest` is the sign of what `x` lacks to the exact value.
fn nearest(x: f64, rest: f64, exponent_bits: u32) -> u16 {
    if x.is_nan() {
        return 0x7fff;
    }
    let sign = u16::from(x.is_sign_negative()) << 15;
    let (size, rest) = (x.abs(), if x < 0.0 { -rest } else { rest });
    let infinity = (((1 << exponent_bits) - 1) << (15 - exponent_bits)) as u16;
    // The largest number that is not above it.
    let (mut from, mut to) = (0, infinity);
    while to - from > 1 {
        let middle = (from + to) / 2;
        if value(middle, exponent_bits) <= size {
            from = middle;
        } else {
            to = middle;
        }
    }
    let (below, above) = match to == infinity {
        // The next one, were there one.
        true => (value(from, exponent_bits), 2.0 * value(from, exponent_bits) - value(from - 1, exponent_bits)),
        false => (value(from, exponent_bits), value(to, exponent_bits)),
    };
    let middle = (below + above) / 2.0;
    let up = size > middle || size == middle && (rest > 0.0 || rest == 0.0 && from & 1 == 1);
    sign | if size == below && rest <= 0.0 || !up { from } else { to }
}

const ARITHMETIC: &str = "
#include <cuda_fp16.h>
#include <cuda_bf16.h>
template <class H> __device__ __forceinline__ void arithmetic(unsigned x, unsigned y, unsigned *o) {
  H a = __builtin_bit_cast(H, (unsigned short)x), b = __builtin_bit_cast(H, (unsigned short)(x >> 16));
  H c = __builtin_bit_cast(H, (unsigned short)y);
  H r[6] = {a + b, a - b, a * b, a / b, __hfma(a, b, c), hsqrt(a)};
  for (int i = 0; i < 6; i++) o[i] = __builtin_bit_cast(unsigned short, r[i]);
  o[6] = (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a > b) << 4 | (a >= b) << 5;
}
extern \"C\" __global__ void f0(const unsigned *in, unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  arithmetic<__half>(in[2 * i], in[2 * i + 1], out + 7 * i);
}
extern \"C\" __global__ void f1(const unsigned *in, unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  arithmetic<__nv_bfloat16>(in[2 * i], in[2 * i + 1], out + 7 * i);
}
extern \"C\" __global__ void f2(const unsigned *in, unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float f = __uint_as_float(in[2 * i]);
  unsigned *o = out + 8 * i;
  o[0] = __half_as_ushort(__float2half(f)); o[1] = __half_as_ushort(__float2half_rz(f));
  o[2] = __half_as_ushort(__float2half_ru(f)); o[3] = __half_as_ushort(__float2half_rd(f));
  o[4] = __bfloat16_as_ushort(__float2bfloat16(f)); o[5] = __bfloat16_as_ushort(__float2bfloat16_rz(f));
  o[6] = __bfloat16_as_ushort(__int2bfloat16_rn(in[2 * i + 1]));
  half2 p = __hmul2(__floats2half2_rn(f, 2.0f), __float2half2_rn(0.5f));
  o[7] = __builtin_bit_cast(unsigned, __hadd2(p, __lowhigh2highlow(p)));
}
";

/// Pairs of numbers of 16 bits and a third: random ones, of like sizes, and corners.
fn numbers(infinity: u32) -> Vec<[u32; 2]> {
    let mut x = 99u32;
    let mut next = || {
        x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        x >> 16
    };
    let mut list = Vec::new();
    let corners =
        [0, 0x8000, 1, 0x8001, infinity, infinity | 0x8000, infinity - 1, infinity + 1, infinity / 2, 0x3c00, 0x3f80];
    for a in corners {
        list.extend(corners.map(|b| [b << 16 | a, next()]));
    }
    while list.len() < 2048 {
        let (a, b, c) = (next(), next(), next());
        // Near each other: sums cancel, and quotients lie near 1.
        let near = if list.len() % 2 == 0 { a ^ b & 0x80ff } else { b };
        list.push([near << 16 | a, c]);
    }
    list
}

#[test]
fn floats_of_16_bits_are_rounded_once() {
    if !found() {
        return;
    }
    let kernels = Kernels::new("k.cu", ARITHMETIC);
    for (i, exponent_bits, infinity) in [(0, 5, 0x7c00u32), (1, 8, 0x7f80)] {
        let inputs = numbers(infinity);
        let value = |bits: u32| value(bits as u16, exponent_bits);
        // Numbers that a float of 32 bits flushes.
        let tiny = |x: f64| exponent_bits == 8 && x != 0.0 && x.abs() < f64::from(f32::MIN_POSITIVE);
        for ([ab, c], got) in inputs.iter().zip(rows(&kernels, i, &inputs, 7)) {
            let (a, b, c) = (value(ab & 0xffff), value(ab >> 16), value(*c & 0xffff));
            // Sums and products of two are exact in double precision, but for sums of far sizes; roots and quotients
            // are followed by the sign of what they lack.
            let sum = |a: f64, b: f64| {
                let s = a + b;
                let of_b = s - a;
                (s, (a - (s - of_b)) + (b - of_b))
            };
            let (q, r) = (a / b, a.sqrt());
            let cases = [
                ("a + b", sum(a, b)),
                ("a - b", sum(a, -b)),
                ("a * b", (a * b, 0.0)),
                ("a / b", (q, q.mul_add(-b, a) * b.signum())),
                ("fma", sum(a * b, c)),
                ("sqrt", (r, r.mul_add(-r, a))),
            ];
            if [a, b, c].into_iter().any(tiny) {
                continue;
            }
            for (k, (name, (x, rest))) in cases.into_iter().enumerate() {
                if tiny(x) || tiny(a * b) && name == "fma" {
                    continue;
                }
                let rest = if rest.is_nan() { 0.0 } else { rest };
                let wanted = nearest(x, rest, exponent_bits);
                let got = got[k] as u16;
                let nan = value(u32::from(got)).is_nan();
                assert!(
                    if x.is_nan() { nan } else { got == wanted },
                    "{name} of {a:e}, {b:e}, {c:e} in kernel f{i}: {got:#x}, not {wanted:#x}"
                );
            }
            let relations = [a < b, a <= b, a == b, a != b, a > b, a >= b];
            let wanted = relations.iter().enumerate().map(|(n, r)| u32::from(*r) << n).sum::<u32>();
            assert_eq!(got[6], wanted, "relations of {a:e}, {b:e} in kernel f{i}");
        }
    }
}

#[test]
fn conversions_to_16_bits() {
    if !found() {
        return;
    }
    let kernels = Kernels::new("k.cu", ARITHMETIC);
    let mut inputs = Vec::new();
    for n in 0..1024u32 {
        let float = match n % 4 {
            0 => n.wrapping_mul(0x9e37_79b9) & 0xbfff_ffff,
            1 => 0x3800_0000 + n * 0x1357,
            2 => (n << 21) | 0x1000,
            _ => 0x477f_e000 + n * 16,
        };
        inputs.push([float, (0x00ff_ffffu32 << (n % 9)).wrapping_add(n).wrapping_mul(1 + n % 2 * 0xffff_fffe)]);
    }
    for ([bits, int], got) in inputs.iter().zip(rows(&kernels, 2, &inputs, 8)) {
        let f = f32::from_bits(*bits);
        if f.is_nan() || f != 0.0 && !f.is_normal() {
            continue;
        }
        let x = f64::from(f);
        // Towards zero: the bits of the next smaller one where the nearest is beyond.
        let down = |near: u16, of: u32| if value(near, of).abs() > x.abs() { near - 1 } else { near };
        let (half, brain) = (nearest(x, 0.0, 5), nearest(x, 0.0, 8));
        let cut = down(half, 5);
        let exact = value(cut, 5) == x;
        let away = cut + u16::from(!exact && cut & 0x7fff != 0x7c00);
        let (up, dn) = if x > 0.0 { (away, cut) } else { (cut, away) };
        let i = nearest(f64::from(*int as i32), 0.0, 8);
        let wanted = [half, cut, up, dn, brain, down(brain, 8), i];
        for (k, wanted) in wanted.into_iter().enumerate() {
            assert_eq!(got[k], u32::from(wanted), "conversion {k} of {f:e}, {}", *int as i32);
        }
    }
}
