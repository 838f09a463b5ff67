//! Float functions of the compiler's headers: results of the model against those of the same headers on the host, bit
//! for bit; special values against the standard; errors against docs/opencl-accuracy.md, over a sample always, over
//! all operands in `make soak` (`accuracy_of_all_operands`, which prints the page's rows and goes on where it stopped).

use crate::common::kernels::Kernels;
use crate::host::{clang, functions, Function, Host, Kind};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use warpsmith_testkit::cases;

const PAGE: &str = include_str!("../../../docs/opencl-accuracy.md");
const SPECIAL: &str = include_str!("special_values.txt");
const CALLS: &str = include_str!("host/calls.h");

/// Instructions of a launch over all operands, at most.
const MOST: u64 = 100_000_000_000;

/// Operands x, y, z and n of each call.
type Operands = Vec<[u32; 4]>;

/// Kernels `f0`, `f1` … of the calls in OpenCL C.
fn opencl(calls: &[String]) -> String {
    let mut text = format!(
        "#define FUNCTION static\nFUNCTION float recip(float x) {{ return 1.0f / x; }}\n\
         FUNCTION float quotient(float x, float y) {{ return x / y; }}\n{CALLS}"
    );
    for (i, call) in calls.iter().enumerate() {
        let _ = writeln!(
            text,
            "__kernel void f{i}(__global const uint4 *in, __global float *o) {{ uint i = get_global_id(0); uint4 v = in[i]; \
             float x = as_float(v.x), y = as_float(v.y), z = as_float(v.z), second; int n = (int)v.w, number; o[i] = {call}; }}"
        );
    }
    text
}

/// The same in CUDA C.
fn cuda(calls: &[String]) -> String {
    let mut text = String::new();
    for (i, call) in calls.iter().enumerate() {
        let _ = writeln!(
            text,
            "extern \"C\" __global__ void f{i}(const uint4 *in, float *o) {{ unsigned i = blockIdx.x * blockDim.x + threadIdx.x; uint4 v = in[i]; \
             float x = __uint_as_float(v.x), y = __uint_as_float(v.y), z = __uint_as_float(v.z), second; int n = (int)v.w, number; o[i] = {call}; }}"
        );
    }
    text
}

/// Results of kernel `f{i}` of a program on the model: OpenCL C with strict arithmetic, as the driver compiles it, CUDA C
/// with fused one.
fn on_model(kernels: &Kernels, i: usize, operands: &Operands) -> Vec<u32> {
    let blocks = operands.len().div_ceil(256);
    let mut input = operands.concat();
    input.resize(blocks * 256 * 4, 0);
    let keys = format!("fp = \"{}\"", if kernels.is_opencl() { "strict" } else { "fused" });
    let (_, mut found) = kernels.run(i, [blocks, 256], (&input, blocks * 256), &keys, &[]);
    found.truncate(operands.len());
    found
}

fn words(bytes: &[u8]) -> Vec<u32> {
    let word = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    bytes.chunks_exact(4).map(word).collect()
}

fn is_nan(word: u32) -> bool {
    f32::from_bits(word).is_nan()
}

/// Operands of a function: every part of the range of a single one; special and random pairs.
fn sample(host: &Host, f: &Function, count: usize) -> Operands {
    if f.kind == Kind::One {
        let step = ((1u64 << 32) / count as u64) | 1;
        let word = |i: usize| (i as u64).wrapping_mul(step).wrapping_add(i as u64 >> 3) as u32;
        let specials = [0u32, 0x3f80_0000, 0x3f80_0001, 0x3f7f_ffff, 0x7f80_0000, 0x7f7f_ffff, 1];
        let both = specials.iter().flat_map(|x| [*x, x | 1 << 31]);
        return both.chain((0..count).map(word)).map(|x| [x, 0, 0, 0]).collect();
    }
    let mut bytes = host.run(&["specials", &f.name], &[]);
    let random = ["operands", &f.name, "0", &count.to_string()];
    bytes.extend(host.run(&random, &[]));
    let words = words(&bytes);
    words.chunks_exact(4).map(|w| [w[0], w[1], w[2], w[3]]).collect()
}

/// Results of the host program.
fn on_host(host: &Host, f: &Function, operands: &Operands) -> Vec<u32> {
    let taken = if f.kind == Kind::One { 1 } else { 4 };
    let bytes: Vec<u8> = operands.iter().flat_map(|o| o[..taken].to_vec()).flat_map(u32::to_le_bytes).collect();
    words(&host.run(&["words", &f.name], &bytes))
}

/// Compares calls of the functions on the model with the host program.
fn agree(host: &Host, program: &'static str, source: &str, rows: &[(&Function, String)]) {
    let kernels = Kernels::new(program, source).within(MOST);
    let mut wrong = vec![];
    for (i, (f, call)) in rows.iter().enumerate() {
        let operands = sample(host, f, cases(1024, 102_400));
        let model = on_model(&kernels, i, &operands);
        let host = on_host(host, f, &operands);
        let same = |(m, h): (&u32, &u32)| m == h || is_nan(*m) && is_nan(*h);
        let at = model.iter().zip(&host).position(|p| !same(p));
        if let Some(at) = at {
            wrong.push(format!("{call} of {:08x?}: model {:08x}, host {:08x}", operands[at], model[at], host[at]));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn opencl_on_the_model_is_what_the_host_evaluates() {
    let Some(host) = Host::build() else { return };
    let functions = functions();
    let calls: Vec<String> = functions.iter().map(|f| f.call.clone()).collect();
    let rows: Vec<(&Function, String)> = functions.iter().zip(calls.iter().cloned()).collect();
    agree(&host, "k.cl", &opencl(&calls), &rows);
}

/// What a function is called in CUDA C; nothing where CUDA has none.
fn cuda_call(f: &Function) -> Option<String> {
    let name = f.name.as_str();
    Some(match name {
        "recip" => "1.0f / x".into(),
        "add" | "mul" => f.call.clone(),
        "divide" => "x / y".into(),
        "fract" | "acospi" | "asinpi" | "atanpi" | "tanpi" | "atan2pi" | "maxmag" | "minmag" | "powr" | "rootn"
        | "quotient_bits" | "frexp_exponent" => return None,
        _ if name.starts_with("half_") => return None,
        // The number that stands for NaN is that for zero.
        "ilogb" => "x != x ? 2147483648.0f : (float)ilogbf(x)".into(),
        "modf" => "modff(x, &second)".into(),
        "frexp" => "frexpf(x, &number)".into(),
        "remquo" => "remquof(x, y, &number)".into(),
        "fma" => "fmaf(x, y, z)".into(),
        "pown" => "pow(x, n)".into(),
        "ldexp" => "ldexpf(x, n)".into(),
        _ if f.kind == Kind::One => format!("{name}f(x)"),
        _ => format!("{name}f(x, y)"),
    })
}

#[test]
fn cuda_on_the_model_is_what_the_host_evaluates() {
    let Some(host) = Host::build() else { return };
    let functions = functions();
    let rows: Vec<(&Function, String)> = functions.iter().filter_map(|f| Some((f, cuda_call(f)?))).collect();
    assert!(rows.len() > 50, "{} functions", rows.len());
    let calls: Vec<String> = rows.iter().map(|r| r.1.clone()).collect();
    agree(&host, "k.cu", &cuda(&calls), &rows);
}

/// A value of `special_values.txt`.
fn value(text: &str) -> f64 {
    let (sign, magnitude) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text),
    };
    sign * match magnitude {
        "max" => f64::from(f32::MAX),
        "min" => f64::from(f32::MIN_POSITIVE),
        "den" => f64::from(f32::from_bits(1)),
        "nan" => f64::NAN,
        _ => magnitude.parse().unwrap_or_else(|_| panic!("`{text}`")),
    }
}

/// Whether a result is the wanted value, within the allowed units in the last place.
fn is_right(found: u32, want: &str, ulp: f64) -> bool {
    let f = f64::from(f32::from_bits(found));
    let either = want.strip_suffix('?');
    let w = value(either.unwrap_or(want));
    if w == 0.0 {
        return f == 0.0 && (either.is_some() || f.is_sign_negative() == w.is_sign_negative());
    }
    if w.is_nan() || w.is_infinite() {
        return f == w || f.is_nan() && w.is_nan();
    }
    if f == 0.0 && w.abs() < f64::from(f32::MIN_POSITIVE) {
        return true;
    }
    // Infinity stands for 2^128.
    let f = f.clamp(-(2f64.powi(128)), 2f64.powi(128));
    let unit = 2f64.powi((w.abs().log2().floor() as i32).max(-126) - 23);
    // The value is written with nine digits, which may be half a unit off.
    let rounding = if ulp == 0.0 { 0.0 } else { 0.51 };
    f64::from(w as f32) == f || (f - w).abs() <= (ulp + rounding) * unit
}

/// Operands and wanted values of each function of `special_values.txt`.
fn special() -> BTreeMap<String, Vec<(Vec<String>, String)>> {
    let mut rows: BTreeMap<String, Vec<(Vec<String>, String)>> = BTreeMap::new();
    let (mut one, mut second, mut whole) = (vec![], vec![], vec![]);
    let functions = functions();
    for line in SPECIAL.lines().filter(|l| !l.starts_with('#') && !l.is_empty()) {
        let (name, values) = line.split_once(':').expect("a name and values");
        let values: Vec<String> = values.split_whitespace().map(String::from).collect();
        match name {
            "operands" => one = values,
            "second" => second = values,
            "whole" => whole = values,
            _ => {
                let (name, first) = match name.split_once('(') {
                    Some((name, first)) => (name, Some(first.trim_end_matches(')'))),
                    None => (name, None),
                };
                let f = functions.iter().find(|f| f.name == name);
                let f = f.unwrap_or_else(|| panic!("{name}: no function"));
                let columns = match f.kind {
                    Kind::One => &one,
                    Kind::Float => &second,
                    Kind::Whole => &whole,
                };
                assert_eq!(columns.len(), values.len(), "{line}");
                for (column, want) in columns.iter().zip(values) {
                    let first = first.into_iter().map(String::from);
                    let operands = first.chain([column.clone()]).collect();
                    let all = rows.entry(name.into()).or_default();
                    all.extend((want != "*").then_some((operands, want)));
                }
            }
        }
    }
    rows
}

/// Special values on the model; the calls are of one language.
fn special_values(program: &'static str, call: impl Fn(&Function) -> Option<String>, source: fn(&[String]) -> String) {
    if clang().is_none() {
        return;
    }
    let (special, functions) = (special(), functions());
    let rows: Vec<(&Function, String)> = functions.iter().filter_map(|f| Some((f, call(f)?))).collect();
    let calls: Vec<String> = rows.iter().map(|r| r.1.clone()).collect();
    let kernels = Kernels::new(program, source(&calls)).within(MOST);
    let (mut wrong, mut count) = (vec![], 0);
    for (i, (f, call)) in rows.iter().enumerate() {
        let cases = special.get(&f.name).unwrap_or_else(|| panic!("{}: no special values", f.name));
        let word = |text: &String| (value(text) as f32).to_bits();
        let operands: Operands = cases
            .iter()
            .map(|(o, _)| match (f.kind, &o[..]) {
                (Kind::One, [x]) => [word(x), 0, 0, 0],
                (Kind::Float, [x, y]) => [word(x), word(y), 1f32.to_bits(), 0],
                (_, [x, n]) => [word(x), 0, 0, n.parse::<i32>().expect("a whole number") as u32],
                _ => panic!("{}: operands {o:?}", f.name),
            })
            .collect();
        count += operands.len();
        let found = on_model(&kernels, i, &operands);
        for ((o, want), found) in cases.iter().zip(found) {
            if !is_right(found, want, f.ulp) {
                let found = f32::from_bits(found);
                wrong.push(format!("{call} of {}: {found:?}, not {want}", o.join(", ")));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}: {wrong:#?}", wrong.len());
}

#[test]
fn special_values_of_opencl() {
    special_values("k.cl", |f| Some(f.call.clone()), opencl);
}

#[test]
fn special_values_of_cuda() {
    special_values("k.cu", cuda_call, cuda);
}

/// Vectors of four, from the least to the largest magnitudes.
const VECTORS: [[f32; 4]; 10] = [
    [3.0, 4.0, 0.0, 0.0],
    [1.0, -1.0, 1.0, 1.0],
    [3e30, -4e30, 1e30, 2e29],
    [1e38, 1e38, -1e38, 1e38],
    [3e-30, 4e-30, -1e-30, 2e-31],
    [4e-38, 5e-38, 0.0, -6e-38],
    [1e-20, 1e20, 3.0, 5e19],
    [0.0, -0.0, 0.0, 0.0],
    [f32::INFINITY, 1.0, f32::NEG_INFINITY, f32::NAN],
    [f32::NAN, 1.0, 2.0, 3.0],
];

#[test]
fn lengths_neither_overflow_nor_vanish() {
    if clang().is_none() {
        return;
    }
    let calls = [
        "length(v)", "distance(v, -v * 0.5f)", "length(v.xyz)", "length(v.xy)", "length(v.y)", "normalize(v).x",
        "normalize(v).y",
    ];
    let source: String = calls.iter().enumerate().map(|(i, call)| format!(
        "__kernel void f{i}(__global const float4 *in, __global float *o) {{ uint i = get_global_id(0); float4 v = in[i]; o[i] = {call}; }}\n"
    )).collect();
    let kernels = Kernels::new("k.cl", source).within(MOST);
    let operands: Operands = VECTORS.iter().map(|v| v.map(f32::to_bits)).collect();
    let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    for (i, call) in calls.iter().enumerate() {
        for (v, found) in VECTORS.iter().zip(on_model(&kernels, i, &operands)) {
            let w = v.map(f64::from);
            let infinite = w.iter().any(|x| x.is_infinite());
            let direction = match infinite {
                true => w.map(|x| if x.is_infinite() { x.signum() } else { 0.0 * x.signum() }),
                false => w,
            };
            let length = norm(&direction);
            let unit = |k: usize| {
                if length == 0.0 {
                    w[k]
                } else {
                    direction[k] / length
                }
            };
            let want = match i {
                0 if infinite => f64::INFINITY,
                1 if infinite => f64::INFINITY,
                0 => norm(&w),
                1 => 1.5 * norm(&w),
                2 if infinite => f64::INFINITY,
                2 => norm(&w[..3]),
                3 if infinite => f64::INFINITY,
                3 => norm(&w[..2]),
                4 => w[1].abs(),
                5 => unit(0),
                _ => unit(1),
            };
            // The standard allows 4.75 units of a length and 6 of a direction.
            let want = format!("{want}{}", if want == 0.0 { "?" } else { "" });
            let want = want.to_lowercase();
            assert!(is_right(found, &want, 4.75), "{call} of {v:?}: {:?}, not {want}", f32::from_bits(found));
        }
    }
}

/// The first cell of a function's row.
fn cell(f: &Function) -> String {
    match f.name.as_str() {
        "recip" => "`1.0f / x`".into(),
        "divide" => "`x / y`".into(),
        "quotient_bits" => "quotient of `remquo(x, y, &n)`".into(),
        "frexp_exponent" => "exponent of `frexp(x, &n)`".into(),
        _ => format!("`{}`", f.call.replace("&second", "&i").replace("&number", "&n")),
    }
}

/// All operands of a function, as the page says it.
fn all_operands(f: &Function) -> &'static str {
    match f.kind {
        Kind::One if f.limit.is_finite() => "all from -65536 to 65536",
        Kind::One => "all",
        _ if f.name == "fma" => "special ones, all triples; 10^8 random",
        _ => "special ones, all pairs; 10^8 random",
    }
}

/// The row of the page; `error` is the largest one.
fn row(f: &Function, error: f64) -> String {
    let allowed = match f.ulp {
        // Held against the rounded value.
        0.0 if f.name == "fma" => "correctly rounded".into(),
        0.0 => "exact".into(),
        0.5 => "correctly rounded".into(),
        ulp => format!("{ulp} ulp"),
    };
    let error = if f.name == "fma" { error + 0.5 } else { error };
    format!("| {} | {allowed} | {error} ulp | {} |", cell(f), all_operands(f))
}

/// Functions with their largest errors on the page, whose rows are those of the functions.
fn page() -> Vec<(Function, f64)> {
    let lines = PAGE.lines().filter(|l| l.contains(" ulp | ") && !l.contains("` of doubles |"));
    let functions = functions();
    let count = lines.clone().count();
    assert_eq!(count, functions.len(), "rows of docs/opencl-accuracy.md");
    let rows = functions.into_iter().zip(lines).map(|(f, line)| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let error: f64 = cells[3].trim_end_matches(" ulp").parse().expect("an error");
        let error = if f.name == "fma" { error - 0.5 } else { error };
        assert_eq!(line, row(&f, error), "docs/opencl-accuracy.md");
        (f, error)
    });
    rows.collect()
}

/// The error of a function as the page has it: two digits behind the point, rounded up.
fn rounded(error: f64) -> f64 {
    (error * 100.0).ceil() / 100.0
}

#[test]
fn errors_keep_to_the_page() {
    let Some(host) = Host::build() else { return };
    let mut wrong = vec![];
    for (f, largest) in page() {
        let name = f.name.as_str();
        let runs: &[&[&str]] = match f.kind {
            // An odd stride, so that all low bits occur; all words where results leave the range of a float: 38 to 39 of
            // exp10, 87.5 to 90 of exp, sinh and cosh, 127 to 129 of exp2.
            Kind::One => &[
                &["unary", name, "1", "1048576", "4095"],
                &["unary", name, "1108869120", "262144", "1"],
                &["unary", name, "1118765056", "327680", "1"],
                &["unary", name, "1123942400", "196608", "1"],
            ],
            _ => &[&["special", name], &["pair", name, "0", "200000"]],
        };
        for run in runs {
            let (error, line) = host.worst(run);
            if rounded(error) > largest || error > f.ulp {
                wrong.push(line);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn exact_values_do_not_depend_on_the_library() {
    let (Some(host), Some(plain)) = (Host::build(), Host::plain()) else { return };
    for f in functions().iter().filter(|f| f.kind == Kind::One) {
        let run = ["unary", &f.name, "3", "131072", "32767"];
        let (a, b) = (host.worst(&run), plain.worst(&run));
        assert!((a.0 - b.0).abs() < 1e-3, "{} or {}", a.1, b.1);
    }
}

/// Shards of a sweep: first operand, number of operands.
fn shards(f: &Function) -> Vec<[String; 2]> {
    let (count, size) = match f.kind {
        Kind::One => (1u64 << 32, 1u64 << 26),
        _ => (100_000_000, 10_000_000),
    };
    (0..count.div_ceil(size)).map(|k| [(k * size).to_string(), size.min(count - k * size).to_string()]).collect()
}

/// Largest error over all operands. A finished shard is a line of `target/accuracy/accuracy-NAME.txt`, and is not run again as
/// long as the first line has the digest of the headers and of the program.
fn sweep(host: &Host, f: &Function) -> f64 {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("accuracy");
    let folder = std::env::var_os("WARPSMITH_SWEEP_DIR").map_or(target, Into::into);
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(format!("accuracy-{}.txt", f.name));
    let head = format!("{:016x}\n", host.digest);
    let old = std::fs::read_to_string(&path).unwrap_or_default();
    // A line without its end was being written when the machine stopped.
    let mut text: String = match old.starts_with(&head) {
        true => old.split_inclusive('\n').filter(|l| l.ends_with('\n')).collect(),
        false => head,
    };
    let mut worst = 0.0f64;
    for (k, [first, count]) in shards(f).iter().enumerate() {
        let start = format!("done {k} ");
        if !text.lines().any(|l| l.starts_with(&start)) {
            let line = match f.kind {
                Kind::One => host.worst(&["unary", &f.name, first, count, "1"]).1,
                _ => host.worst(&["pair", &f.name, first, count]).1,
            };
            let _ = writeln!(text, "{start}{line}");
            std::fs::write(&path, &text).expect("a file of progress");
        }
        let line = text.lines().find(|l| l.starts_with(&start)).expect("a shard's line");
        let error = line.split_whitespace().nth(3).and_then(|e| e.parse().ok());
        worst = worst.max(error.expect("an error"));
    }
    match f.kind {
        Kind::One => worst,
        _ => worst.max(host.worst(&["special", &f.name]).0),
    }
}

/// `WARPSMITH_ACCURACY=NAME,NAME` sweeps some functions alone.
#[test]
#[ignore = "an hour or two: make soak"]
fn accuracy_of_all_operands() {
    let Some(host) = Host::build() else { return };
    let asked = std::env::var("WARPSMITH_ACCURACY").unwrap_or_default();
    let asked: Vec<&str> = asked.split(',').filter(|n| !n.is_empty()).collect();
    let mut wrong = vec![];
    for (f, largest) in page() {
        if !asked.is_empty() && !asked.contains(&f.name.as_str()) {
            continue;
        }
        let error = rounded(sweep(&host, &f));
        let row = row(&f, error);
        println!("{row}");
        if error != largest || error > f.ulp {
            wrong.push(row);
        }
    }
    assert!(wrong.is_empty(), "docs/opencl-accuracy.md says otherwise: {wrong:#?}");
}
