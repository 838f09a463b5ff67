//! Integer functions, conversions and vector forms of the CUDA and OpenCL headers on the model,
//! against plain Rust.

use crate::common::kernels::Kernels;
use warpsmith_compiler::clang::find;

pub(crate) type Expected = fn(i32, i32) -> i32;

/// Bits of the high half of a 128-bit product.
fn high(a: u64, b: u64, shift: u32) -> i32 {
    (((u128::from(a) * u128::from(b)) >> 64) as u64 >> shift) as i32
}

fn float(x: i32) -> f32 {
    f32::from_bits(x as u32)
}

/// Operands whose pairs are tried: corners, and a few that are none.
pub(crate) const OPERANDS: [i32; 20] =
    [0, 1, -1, 2, 3, 7, 31, 32, 127, 128, -128, -129, 255, 256, 32767, -32768, 65535, 0x1234_5678, i32::MAX, i32::MIN];

/// Bits of floats whose conversions are tried.
const FLOATS: [f32; 20] = [
    0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 126.7, 127.5, -128.5, 255.4, 256.0, 32768.0, 65535.9, 2147483500.0,
    2147483648.0, -2147483648.0, 4294967040.0, 1e20, -1e20,
];

#[rustfmt::skip]
const CUDA: [(&str, Expected); 34] = [
    ("__mul24(x, y)", |x, y| (x << 8 >> 8).wrapping_mul(y << 8 >> 8)),
    ("__umul24(x, y)", |x, y| ((x as u32 & 0xff_ffff).wrapping_mul(y as u32 & 0xff_ffff)) as i32),
    ("__mulhi(x, y)", |x, y| ((i64::from(x) * i64::from(y)) >> 32) as i32),
    ("__umulhi(x, y)", |x, y| ((u64::from(x as u32) * u64::from(y as u32)) >> 32) as i32),
    ("__mul64hi(((long long)x << 32) | y, (long long)y << 20) >> 7", |x, y| {
        let (a, b) = ((i64::from(x) << 32) | i64::from(y), i64::from(y) << 20);
        (((i128::from(a) * i128::from(b)) >> 64) as i64 >> 7) as i32
    }),
    ("__sad(x, y, 5)", |x, y| x.abs_diff(y).wrapping_add(5) as i32),
    ("__usad(x, y, 5)", |x, y| (x as u32).abs_diff(y as u32).wrapping_add(5) as i32),
    ("__hadd(x, y)", |x, y| ((i64::from(x) + i64::from(y)) >> 1) as i32),
    ("__rhadd(x, y)", |x, y| ((i64::from(x) + i64::from(y) + 1) >> 1) as i32),
    ("__uhadd(x, y)", |x, y| ((u64::from(x as u32) + u64::from(y as u32)) >> 1) as i32),
    ("__urhadd(x, y)", |x, y| ((u64::from(x as u32) + u64::from(y as u32) + 1) >> 1) as i32),
    ("__popc(x)", |x, _| x.count_ones() as i32),
    ("__popcll(((long long)x << 32) | (unsigned)y)", |x, y| (x.count_ones() + y.count_ones()) as i32),
    ("__clz(x)", |x, _| x.leading_zeros() as i32),
    ("__clzll(((long long)x << 32) | (unsigned)y)", |x, y| ((u64::from(x as u32) << 32) | u64::from(y as u32)).leading_zeros() as i32),
    ("__ffs(x)", |x, _| if x == 0 { 0 } else { x.trailing_zeros() as i32 + 1 }),
    ("__ffsll((long long)x << 32)", |x, _| if x == 0 { 0 } else { x.trailing_zeros() as i32 + 33 }),
    ("__brev(x)", |x, _| x.reverse_bits()),
    ("(int)(__brevll(((unsigned long long)(unsigned)x << 32) | (unsigned)y) >> 32)", |_, y| y.reverse_bits()),
    ("__funnelshift_l(x, y, 11)", |x, y| ((y as u32) << 11 | (x as u32) >> 21) as i32),
    ("__funnelshift_r(x, y, x)", |x, y| (((u64::from(y as u32) << 32 | u64::from(x as u32)) >> (x & 31)) as u32) as i32),
    ("__byte_perm(x, y, 0x2561)", |x, y| {
        let b = (u64::from(y as u32) << 32 | u64::from(x as u32)).to_le_bytes();
        i32::from_le_bytes([b[1], b[6], b[5], b[2]])
    }),
    ("abs(x)", |x, _| x.wrapping_abs()),
    ("min(x, y)", i32::min),
    ("max((unsigned)x, (unsigned)y)", |x, y| (x as u32).max(y as u32) as i32),
    ("(int)min((long long)x << 3, (long long)y)", |x, y| (i64::from(x) << 3).min(i64::from(y)) as i32),
    ("umin(x, y)", |x, y| (x as u32).min(y as u32) as i32),
    ("__float_as_int(__int_as_float(x))", |x, _| x),
    ("__float_as_int(__int2float_rz(x))", |x, _| {
        let f = x as f32;
        let beyond = f64::from(f).abs() > f64::from(x).abs();
        f.to_bits() as i32 - i32::from(beyond)
    }),
    ("__float_as_int(__uint2float_rn(x))", |x, _| (x as u32 as f32).to_bits() as i32),
    ("__float_as_int(__half2float(__float2half_rn((float)(x & 2047))))", |x, _| ((x & 2047) as f32).to_bits() as i32),
    ("__float_as_int(__saturatef((float)x * 0.25f))", |x, _| (x as f32 * 0.25).clamp(0.0, 1.0).abs().to_bits() as i32),
    ("x / (y | 1)", |x, y| x.wrapping_div(y | 1)),
    ("(unsigned)x % (unsigned)(y | 1)", |x, y| (x as u32 % (y as u32 | 1)) as i32),
];

#[rustfmt::skip]
const OPENCL: [(&str, Expected); 51] = [
    ("(int)(mul_hi((ulong)x, (ulong)y << 20) >> 3)", |x, y| high(x as i64 as u64, (y as i64 as u64) << 20, 3)),
    ("(int)mul_hi((ulong)(uint)x << 32 | (uint)y, (ulong)(uint)y << 32 | 77)", |x, y| {
        let (a, b) = (u64::from(x as u32) << 32 | u64::from(y as u32), u64::from(y as u32) << 32 | 77);
        high(a, b, 0)
    }),
    ("(int)(mad_hi((ulong2)(7, (ulong)x), (ulong2)(1, (ulong)y << 20), (ulong2)(5)).y)", |x, y| high(x as i64 as u64, (y as i64 as u64) << 20, 0).wrapping_add(5)),
    ("(int)mul_hi((long4)((long)x << 30), (long4)(y)).w", |x, y| (((i128::from(x) << 30) * i128::from(y)) >> 64) as i32),
    ("shuffle((int4)(x, y, 5, 6), (uint2)(x, 7)).x", |x, y| [x, y, 5, 6][x as usize & 3]),
    ("shuffle((char8)(0, 1, 2, 3, 4, 5, 6, 7), (uchar16)((uchar)y)).sf", |_, y| y & 7),
    ("(int)shuffle2((float2)(1.0f, 2.0f), (float2)(3.0f, 4.0f), (uint8)(x)).s5", |x, _| (x & 3) + 1),
    ("(int)shuffle2((long4)(x, 1, 2, 3), (long4)(4, y, 6, 7), (ulong4)((ulong)y, 5, 0, 9)).z", |x, _| x),
    ("shuffle2((ushort16)(9), (ushort16)((ushort)x), (ushort2)(15, (ushort)y)).y", |x, y| if y & 16 == 0 { 9 } else { x & 0xffff }),
    ("as_int(convert_float2_rtz((int2)(x, y)).x)", |x, _| {
        let f = x as f32;
        f.to_bits() as i32 - i32::from(f64::from(f).abs() > f64::from(x).abs())
    }),
    ("abs(x)", |x, _| x.wrapping_abs()),
    ("abs_diff(x, y)", |x, y| x.abs_diff(y) as i32),
    ("abs_diff((char)x, (char)y)", |x, y| i32::from((x as i8).abs_diff(y as i8))),
    ("add_sat(x, y)", i32::saturating_add),
    ("sub_sat(x, y)", i32::saturating_sub),
    ("(int)add_sat((uint)x, (uint)y)", |x, y| (x as u32).saturating_add(y as u32) as i32),
    ("(int)sub_sat((uint)x, (uint)y)", |x, y| (x as u32).saturating_sub(y as u32) as i32),
    ("add_sat((char)x, (char)y)", |x, y| i32::from((x as i8).saturating_add(y as i8))),
    ("sub_sat((ushort)x, (ushort)y)", |x, y| i32::from((x as u16).saturating_sub(y as u16))),
    ("(int)(add_sat((long)x << 32, (long)y << 32) >> 32)", |x, y| ((i64::from(x) << 32).saturating_add(i64::from(y) << 32) >> 32) as i32),
    ("hadd(x, y)", |x, y| ((i64::from(x) + i64::from(y)) >> 1) as i32),
    ("rhadd((uint)x, (uint)y)", |x, y| ((u64::from(x as u32) + u64::from(y as u32) + 1) >> 1) as i32),
    ("hadd((char)x, (char)y)", |x, y| (i32::from(x as i8) + i32::from(y as i8)) >> 1),
    ("rotate(x, y)", |x, y| x.rotate_left(y as u32 & 31)),
    ("rotate((uchar)x, (uchar)y)", |x, y| i32::from((x as u8).rotate_left(y as u32 & 7))),
    ("clz(x)", |x, _| x.leading_zeros() as i32),
    ("clz((short)x)", |x, _| (x as i16).leading_zeros() as i32),
    ("(int)clz((long)x)", |x, _| i64::from(x).leading_zeros() as i32),
    ("popcount(x)", |x, _| x.count_ones() as i32),
    ("popcount((char)x)", |x, _| (x as i8).count_ones() as i32),
    ("mul_hi(x, y)", |x, y| ((i64::from(x) * i64::from(y)) >> 32) as i32),
    ("mul_hi((uchar)x, (uchar)y)", |x, y| (i32::from(x as u8) * i32::from(y as u8)) >> 8),
    ("mad_hi(x, y, 9)", |x, y| (((i64::from(x) * i64::from(y)) >> 32) as i32).wrapping_add(9)),
    ("mul24(x, y)", |x, y| (x << 8 >> 8).wrapping_mul(y << 8 >> 8)),
    ("mad24((uint)x, (uint)y, 3u)", |x, y| ((x as u32 & 0xff_ffff).wrapping_mul(y as u32 & 0xff_ffff)).wrapping_add(3) as i32),
    ("clamp(x, -100, 100)", |x, _| x.clamp(-100, 100)),
    ("max((uint)x, (uint)y)", |x, y| (x as u32).max(y as u32) as i32),
    ("upsample((short)x, (ushort)y)", |x, y| (x << 16) | (y & 0xffff)),
    ("select(x, y, x > y)", |x, y| if x > y { y } else { x }),
    ("bitselect(x, y, 0xff00)", |x, y| (x & !0xff00) | (y & 0xff00)),
    ("any((int2)(x, y)) | all((int2)(x, y)) << 1", |x, y| i32::from(x < 0 || y < 0) | i32::from(x < 0 && y < 0) << 1),
    ("convert_uchar_sat(x)", |x, _| x.clamp(0, 255)),
    ("convert_char_sat(x)", |x, _| x.clamp(-128, 127)),
    ("convert_short_sat((uint)x)", |x, _| (x as u32).min(32767) as i32),
    ("convert_int_sat((uint)x)", |x, _| (x as u32).min(0x7fff_ffff) as i32),
    ("(int)convert_uint_sat(x)", |x, _| x.max(0)),
    ("convert_int_sat((long)x << 2)", |x, _| (i64::from(x) << 2).clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32),
    ("as_int(as_float(x))", |x, _| x),
    ("convert_char((short)x)", |x, _| i32::from(x as i8)),
    ("vload4(0, in + 2).w + vload3(1, in).z", |_, _| OPERANDS[5] + OPERANDS[5]),
    ("dot(convert_float4(min((int4)(x & 7), y & 7)), (float4)(1.0f)) == 4.0f * min(x & 7, y & 7)", |_, _| 1),
];

/// Conversions of floats, whose bits the operand is.
#[rustfmt::skip]
const OF_FLOATS: [(&str, Expected); 16] = [
    ("convert_int_rtz(f)", |x, _| float(x).trunc() as i32),
    ("convert_int_rte(f)", |x, _| float(x).round_ties_even() as i32),
    ("convert_int_rtp(f)", |x, _| float(x).ceil() as i32),
    ("convert_int_rtn(f)", |x, _| float(x).floor() as i32),
    ("convert_int_sat(f)", |x, _| float(x) as i32),
    ("(int)convert_uint_sat(f)", |x, _| float(x) as u32 as i32),
    ("convert_char_sat(f)", |x, _| i32::from(float(x) as i8)),
    ("convert_uchar_sat_rte(f)", |x, _| i32::from(float(x).round_ties_even() as u8)),
    ("convert_short_sat_rtp(f)", |x, _| i32::from(float(x).ceil() as i16)),
    ("convert_ushort_sat(f)", |x, _| i32::from(float(x) as u16)),
    ("(int)(convert_long_sat(f) >> 8)", |x, _| (float(x) as i64 >> 8) as i32),
    ("(int)(convert_ulong_sat(f) >> 8)", |x, _| (float(x) as u64 >> 8) as i32),
    ("as_int(round(f))", |x, _| float(x).round().to_bits() as i32),
    ("as_int(fabs(f))", |x, _| float(x).abs().to_bits() as i32),
    ("isnan(f) | isinf(f) << 1 | signbit(f) << 2", |x, _| i32::from(float(x).is_sign_negative()) << 2),
    ("(int)convert_float4_rte((int4)((int)clamp(f, -100.0f, 100.0f))).z", |x, _| float(x).clamp(-100.0, 100.0) as i32),
];

/// Vector forms, each 1 where it agrees with the scalar one in every element.
const VECTORS: [&str; 14] = [
    "min(v, w)",
    "max(v, y)",
    "clamp(v, -5, 5)",
    "hadd(v, w)",
    "rotate(v, w)",
    "mul_hi(v, w)",
    "mul24(v, w)",
    "add_sat(v, w)",
    "popcount(v)",
    "clz(v)",
    "as_int8(fmax(convert_float8(v), convert_float8(w)))",
    "as_int8(sqrt(fabs(convert_float8(v))))",
    "convert_int8(convert_uchar8_sat(v))",
    "as_int8(mad(convert_float8(v), 2.0f, convert_float8(w)))",
];

/// Runs one kernel a row over all pairs of operands.
pub(crate) fn check(file: &'static str, rows: &[(String, Expected)], operands: &[i32], source: &str) {
    if warpsmith_testkit::found(find::find(None)).is_none() {
        return;
    }
    let kernels = Kernels::new(file, source);
    let (n, words) = (operands.len(), operands.iter().map(|x| *x as u32).collect::<Vec<_>>());
    for (i, (call, expected)) in rows.iter().enumerate() {
        let (_, found) = kernels.run(i, [n, n], (&words, n * n), "", &[]);
        for (found, (y, x)) in found.iter().zip(operands.iter().flat_map(|y| operands.iter().map(move |x| (y, x)))) {
            assert_eq!(*found as i32, expected(*x, *y), "{call} of {x}, {y}");
        }
    }
}

pub(crate) fn rows(table: &[(&str, Expected)]) -> Vec<(String, Expected)> {
    table.iter().map(|(c, f)| (c.to_string(), *f)).collect()
}

#[test]
fn cuda_intrinsics_do_what_they_say() {
    let kernel = |(i, (call, _)): (usize, &(&str, Expected))| {
        format!("extern \"C\" __global__ void f{i}(const int *in, int *out) {{ int x = in[threadIdx.x], y = in[blockIdx.x]; out[blockIdx.x * blockDim.x + threadIdx.x] = {call}; }}\n")
    };
    let source: String = CUDA.iter().enumerate().map(kernel).collect();
    check("k.cu", &rows(&CUDA), &OPERANDS, &source);
}

pub(crate) fn opencl(calls: &[String]) -> String {
    let kernel = |(i, call): (usize, &String)| {
        format!("__kernel void f{i}(__global const int *in, __global int *out) {{ int x = in[get_local_id(0)], y = in[get_group_id(0)]; float f = as_float(x); int8 v = (int8)(x, y, x ^ y, x + y, -x, ~y, x & 255, 1), w = v.s76543210; out[get_global_id(0)] = {call}; }}\n")
    };
    calls.iter().enumerate().map(kernel).collect()
}

#[test]
fn opencl_functions_do_what_they_say() {
    let calls: Vec<String> = OPENCL.iter().map(|r| r.0.to_string()).collect();
    check("k.cl", &rows(&OPENCL), &OPERANDS, &opencl(&calls));
}

#[test]
fn conversions_of_floats_round_and_saturate() {
    let calls: Vec<String> = OF_FLOATS.iter().map(|r| r.0.to_string()).collect();
    let bits: Vec<i32> = FLOATS.iter().map(|f| f.to_bits() as i32).collect();
    check("k.cl", &rows(&OF_FLOATS), &bits, &opencl(&calls));
}

#[test]
fn vector_forms_agree_with_scalar_ones() {
    let element = |call: &str, e: usize| {
        call.replace("(v)", &format!("(v.s{e})"))
            .replace("(w)", &format!("(w.s{e})"))
            .replace("(v,", &format!("(v.s{e},"))
            .replace(", w)", &format!(", w.s{e})"))
            .replace("8(", "(")
            .replace("8_sat(", "_sat(")
    };
    let calls: Vec<String> = VECTORS
        .iter()
        .map(|call| {
            let all: Vec<String> = (0..8).map(|e| format!("({call}).s{e} == {}", element(call, e))).collect();
            all.join(" && ")
        })
        .collect();
    let rows: Vec<(String, Expected)> = calls.iter().map(|c| (c.clone(), (|_, _| 1) as Expected)).collect();
    check("k.cl", &rows, &OPERANDS, &opencl(&calls));
}
