//! Textures bound by launch files, against a reference in double precision: sampling as OpenCL 1.2 §8 and the appendix on
//! texture fetching of NVIDIA's programming guide have it.

use crate::compiled::{clang, Folder};
use std::fmt::Write;
use warpsmith_model::{Machine, ModelConfig};

/// Coordinates of a launch: x, y, z and a layer.
type At = [f32; 4];

/// A texture of the test, and what a launch file says of it.
struct Texture {
    dims: usize,
    layered: bool,
    /// Layers are the faces of cubes.
    cube: bool,
    format: &'static str,
    extent: [usize; 3],
    address: [&'static str; 3],
    linear: bool,
    normalized: bool,
    border: f64,
    bytes: Vec<u8>,
}

/// Coordinates on a cube as those on a face, and its number among all layers' faces (the guide's table of faces); none
/// where no axis is the largest.
fn face([x, y, z, layer]: At) -> Option<At> {
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    let (face, m, s, t) = if ax > ay && ax > az {
        if x >= 0.0 {
            (0, x, -z, -y)
        } else {
            (1, -x, z, -y)
        }
    } else if ay > ax && ay > az {
        if y >= 0.0 {
            (2, y, x, z)
        } else {
            (3, -y, x, -z)
        }
    } else if az > ax && az > ay {
        if z >= 0.0 {
            (4, z, x, -y)
        } else {
            (5, -z, -x, -y)
        }
    } else {
        return None;
    };
    let on = |c: f32| ((f64::from(c) / f64::from(m) + 1.0) / 2.0) as f32;
    m.is_finite().then(|| [on(s), on(t), 0.0, 6.0 * layer.clamp(0.0, 1.0) + face as f32])
}

/// Numbers without pattern, the same in each run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as u32
    }
}

/// Bytes of a channel, and channels.
fn shape(format: &str) -> (usize, usize) {
    let (ty, order) = format.split_once(' ').unwrap();
    let bytes = if ty.ends_with('8') {
        1
    } else if ty.ends_with("16") || ty == "half" {
        2
    } else {
        4
    };
    (bytes, order.len())
}

/// A channel's value by the standard's conversions (§8.3).
fn channel(format: &str, raw: &[u8]) -> f64 {
    let unsigned = raw.iter().rev().fold(0u64, |n, b| n << 8 | u64::from(*b));
    let bits = 8 * raw.len() as u32;
    let signed = (unsigned as i64) << (64 - bits) >> (64 - bits);
    let most = ((1u64 << (bits - 1)) - 1) as f64;
    match format.split_once(' ').unwrap().0 {
        "float" => f64::from(f32::from_bits(unsigned as u32)),
        "half" => {
            let (exponent, fraction) = ((unsigned >> 10 & 31) as i32, (unsigned & 1023) as f64);
            let magnitude = match exponent {
                0 => fraction * 2f64.powi(-24),
                e => (1024.0 + fraction) * 2f64.powi(e - 25),
            };
            if unsigned & 0x8000 != 0 {
                -magnitude
            } else {
                magnitude
            }
        }
        "unorm8" | "unorm16" => unsigned as f64 / ((1u64 << bits) - 1) as f64,
        "snorm8" | "snorm16" => (signed as f64 / most).max(-1.0),
        other => panic!("{other}"),
    }
}

impl Texture {
    /// Value of a texel, or of the border where an index is outside.
    fn texel(&self, at: [i64; 3]) -> [f64; 4] {
        let [w, h, d] = self.extent.map(|n| n as i64);
        let inside = (0..w).contains(&at[0]) && (0..h).contains(&at[1]) && (0..d).contains(&at[2]);
        if !inside {
            return [self.border; 4];
        }
        let (bytes, channels) = shape(self.format);
        let first = ((at[2] * h + at[1]) * w + at[0]) as usize * bytes * channels;
        let mut out = [0.0; 4];
        for (n, to) in out.iter_mut().enumerate().take(channels) {
            *to = channel(self.format, &self.bytes[first + n * bytes..][..bytes]);
        }
        out
    }

    /// Texels that a coordinate reads, with their shares: of one axis.
    fn axis(&self, n: usize, s: f64) -> Vec<(i64, f64)> {
        let size = self.extent[n] as f64;
        let mode = self.address[n];
        let u = match (mode, self.normalized) {
            ("wrap", _) => (s - s.floor()) * size,
            ("mirror", _) => {
                let near = 2.0 * (0.5 * s).round_ties_even();
                (s - near).abs() * size
            }
            (_, true) => s * size,
            (_, false) => s,
        };
        let last = self.extent[n] as i64 - 1;
        let index = |i: f64| {
            let i = i.clamp(-1e15, 1e15) as i64;
            match mode {
                "wrap" => i.rem_euclid(last + 1),
                "clamp" | "mirror" => i.clamp(0, last),
                _ => i.clamp(-1, last + 1),
            }
        };
        match self.linear {
            false => vec![(index(u.floor()), 1.0)],
            true => {
                let low = (u - 0.5).floor();
                let a = u - 0.5 - low;
                vec![(index(low), 1.0 - a), (index(low + 1.0), a)]
            }
        }
    }

    /// The value at coordinates, and the difference of the values that it is made of.
    fn sample(&self, at: [f64; 3], layer: i64) -> ([f64; 4], [f64; 4]) {
        let one = vec![(0, 1.0)];
        let layer = vec![(layer.clamp(0, self.extent[(self.dims).min(2)] as i64 - 1), 1.0)];
        let axis = |n: usize| match n {
            n if n < self.dims => self.axis(n, at[n]),
            n if n == self.dims && self.layered => layer.clone(),
            _ => one.clone(),
        };
        let (xs, ys, zs) = (axis(0), axis(1), axis(2));
        let (mut sum, mut low, mut high) = ([0.0; 4], [f64::INFINITY; 4], [f64::NEG_INFINITY; 4]);
        for (x, a) in &xs {
            for (y, b) in &ys {
                for (z, c) in &zs {
                    let texel = self.texel([*x, *y, *z]);
                    for n in 0..4 {
                        sum[n] += a * b * c * texel[n];
                        low[n] = low[n].min(texel[n]);
                        high[n] = high[n].max(texel[n]);
                    }
                }
            }
        }
        (sum, [0, 1, 2, 3].map(|n| high[n] - low[n]))
    }

    /// Whether a read may give these values.
    fn allows(&self, at: At, got: [f32; 4]) -> bool {
        if self.cube {
            return match face(at) {
                Some(at) => self.allows_plane(at, got),
                None => true,
            };
        }
        self.allows_plane(at, got)
    }

    fn allows_plane(&self, at: At, got: [f32; 4]) -> bool {
        // The standard does not say what these read; that they do not trap is checked by the run.
        let repeats = |n: usize| matches!(self.address[n], "wrap" | "mirror");
        if (0..self.dims).any(|n| at[n].is_nan() || at[n].is_infinite() && repeats(n)) {
            return true;
        }
        let at = at.map(|x| x.clamp(-1e30, 1e30));
        let channels = shape(self.format).1;
        // Beside an edge of texels single precision may be on its other side.
        let near = |x: f32, n: usize| {
            let step = if self.linear { 0.0 } else { 1e-6 * f64::from(x).abs().max(0.05) * self.extent[n] as f64 };
            [f64::from(x), f64::from(x) - step, f64::from(x) + step]
        };
        let close = |x: f64, y: f64, z: f64| {
            let (want, spread) = self.sample([x, y, z], at[3] as i64);
            (0..channels).all(|n| {
                let error = (f64::from(got[n]) - want[n]).abs();
                // CUDA's shares have 8 bits.
                let allowed = match self.linear {
                    true => self.dims as f64 * (1.0 / 512.0 + 1e-5) * spread[n] + 1e-6,
                    false => want[n].abs() * 2f64.powi(-23),
                };
                error <= allowed
            })
        };
        near(at[0], 0)
            .into_iter()
            .any(|x| near(at[1], 1).into_iter().any(|y| near(at[2], 2).into_iter().any(|z| close(x, y, z))))
    }

    /// Its section of a launch file.
    fn section(&self, name: &str) -> String {
        let words = self.bytes.chunks(4).map(|w| u32::from_le_bytes(w.try_into().unwrap()));
        let filter = if self.linear { "linear" } else { "point" };
        format!(
            "[[texture]]\nname = \"{name}\"\nformat = \"{}\"\nwidth = {}\nheight = {}\ndepth = {}\nfilter = \"{filter}\"\naddress = {:?}\nnormalized = {}\nborder = [{b:?}, {b:?}, {b:?}, {b:?}]\nwords = {:?}\n",
            self.format,
            self.extent[0],
            self.extent[1],
            self.extent[2],
            self.address,
            self.normalized,
            words.collect::<Vec<_>>(),
            b = self.border,
        )
    }
}

fn textures() -> Vec<Texture> {
    let mut random = Random(7);
    let mut out = Vec::new();
    let mut add = |dims: usize, layered, format: &'static str, address: [&'static str; 3], linear, normalized| {
        let extent = match (dims, layered) {
            (1, false) => [12, 1, 1],
            (1, true) => [4, 3, 1],
            (2, false) => [6, 4, 1],
            (2, true) => [4, 2, 3],
            _ => [4, 3, 2],
        };
        let (bytes, channels) = shape(format);
        let count = extent.iter().product::<usize>() * channels;
        let bytes = (0..count).flat_map(|_| match format.split_once(' ').unwrap().0 {
            "float" => ((random.next() % 4001) as f32 / 1000.0 - 2.0).to_le_bytes().to_vec(),
            "half" => (((random.next() & 0x83ff) | ((random.next() % 20) << 10)) as u16).to_le_bytes().to_vec(),
            _ => random.next().to_le_bytes()[..bytes].to_vec(),
        });
        let bytes = bytes.collect();
        out.push(Texture {
            dims,
            layered,
            cube: false,
            format,
            extent,
            address,
            linear,
            normalized,
            border: 0.5,
            bytes,
        });
    };
    for linear in [false, true] {
        for normalized in [false, true] {
            add(2, false, "float rgba", ["clamp"; 3], linear, normalized);
            add(2, false, "float rgba", ["border"; 3], linear, normalized);
        }
        add(2, false, "float rgba", ["wrap", "mirror", "clamp"], linear, true);
        add(2, false, "unorm8 rgba", ["mirror", "wrap", "clamp"], linear, true);
        add(1, false, "float r", ["wrap"; 3], linear, true);
        add(1, false, "snorm16 rg", ["clamp", "clamp", "clamp"], linear, false);
        add(3, false, "float rgba", ["clamp", "border", "clamp"], linear, false);
        add(3, false, "unorm16 rgba", ["wrap", "mirror", "border"], linear, true);
        add(2, true, "float rg", ["border"; 3], linear, false);
        add(1, true, "half r", ["clamp"; 3], linear, false);
    }
    add(2, false, "snorm8 rgba", ["border", "clamp", "clamp"], false, false);
    add(2, false, "half rgba", ["clamp"; 3], false, false);
    add(2, false, "unorm8 r", ["clamp"; 3], true, false);
    for linear in [false, true] {
        let bytes = (0..3 * 3 * 12).flat_map(|_| ((random.next() % 64) as f32 / 16.0).to_le_bytes()).collect();
        let (extent, address) = ([3, 3, 12], ["clamp"; 3]);
        out.push(Texture {
            dims: 2,
            layered: true,
            cube: true,
            format: "float r",
            extent,
            address,
            linear,
            normalized: true,
            border: 0.0,
            bytes,
        });
    }
    out
}

/// Threads of a block: each reads at coordinates of its own.
const THREADS: usize = 128;

fn coordinates() -> Vec<At> {
    const CORNERS: [f32; 26] = [
        -1e9,
        -7.5,
        -2.0,
        -1.0,
        -0.75,
        -0.5,
        -0.25,
        -0.0,
        0.0,
        0.125,
        0.25,
        0.375,
        0.5,
        0.625,
        0.75,
        1.0,
        1.25,
        1.5,
        2.0,
        2.75,
        3.5,
        4.0,
        5.99,
        1e9,
        f32::NAN,
        f32::INFINITY,
    ];
    let mut random = Random(3);
    let mut one = |n: usize| match n % 4 {
        0..=1 => CORNERS[random.next() as usize % CORNERS.len()],
        2 => random.next() as f32 / (1u32 << 30) as f32 * 4.0 - 4.0,
        _ => random.next() as f32 / (1u32 << 31) as f32 * 8.0 - 1.0,
    };
    let layers = [-1.0, 0.0, 1.0, 2.0, 5.0];
    (0..THREADS).map(|n| [one(n), one(n / 4), one(n / 2), layers[n % 5]]).collect()
}

const SAMPLE: &str = "struct Objects { unsigned t[TEXTURES]; };
__global__ void sample(Objects o, const int *dims, const float4 *at, float4 *to) {
  float4 a = at[threadIdx.x], r;
  cudaTextureObject_t t = o.t[blockIdx.x];
  switch (dims[blockIdx.x]) {
  case 1: r = tex1D<float4>(t, a.x); break;
  case 2: r = tex2D<float4>(t, a.x, a.y); break;
  case 3: r = tex3D<float4>(t, a.x, a.y, a.z); break;
  case -1: r = tex1DLayered<float4>(t, a.x, (int)a.w); break;
  case -2: tex2DLayered(&r, t, a.x, a.y, (int)a.w); break;
  default: r = texCubemapLayered<float4>(t, a.x, a.y, a.z, (int)a.w);
  }
  to[blockIdx.x * blockDim.x + threadIdx.x] = r;
}
";

#[test]
fn objects_are_sampled_as_the_standard_has_it() {
    if !clang() {
        return;
    }
    let (all, at) = (textures(), coordinates());
    let folder = Folder::new(&[("t.cu", &SAMPLE.replace("TEXTURES", &all.len().to_string()))]);
    let names: Vec<String> = (0..all.len()).map(|n| format!("t{n}")).collect();
    let number = |t: &Texture| match (t.dims as i64, t.layered, t.cube) {
        (_, _, true) => 0,
        (dims, true, _) => -dims,
        (dims, ..) => dims,
    };
    let dims: Vec<i64> = all.iter().map(number).collect();
    let floats = at.iter().flatten().map(|x| format!("{:?}", f64::from(*x)).replace("NaN", "nan"));
    let mut text = format!(
        "program = \"t.cu\"\ngrid = [{}]\nblock = [{THREADS}]\nargs = [{names:?}, \"dims\", \"at\", \"to\"]\n[[buffer]]\nname = \"dims\"\nwords = {dims:?}\n[[buffer]]\nname = \"at\"\nfloats = [{}]\n[[buffer]]\nname = \"to\"\nbytes = {}\n",
        all.len(),
        floats.collect::<Vec<_>>().join(", "),
        all.len() * THREADS * 16,
    );
    for (name, t) in names.iter().zip(&all) {
        let _ = write!(text, "{}", t.section(name));
    }
    let launch = folder.load(&text).unwrap_or_else(|e| panic!("{e}"));
    let mut machine = Machine::new(&launch, ModelConfig::default());
    machine.run(10_000_000).unwrap_or_else(|e| panic!("{e}"));
    let to = launch.buffers.iter().find(|b| b.name == "to").unwrap();
    let read = |n: usize| f32::from_bits(machine.global().word(to.address + 4 * n as u32));
    let mut wrong = String::new();
    for (n, t) in all.iter().enumerate() {
        for (i, at) in at.iter().enumerate() {
            let first = 4 * (n * THREADS + i);
            let got = [0, 1, 2, 3].map(|c| read(first + c));
            if !t.allows(*at, got) {
                let (x, y, z) = (f64::from(at[0]), f64::from(at[1]), f64::from(at[2]));
                let want = t.sample([x, y, z], at[3] as i64).0;
                let _ = writeln!(
                    wrong,
                    "t{n}: {}D {} {:?} linear {} normalized {} at {at:?}: {got:?}, not {want:?}",
                    t.dims, t.format, t.address, t.linear, t.normalized
                );
            }
        }
    }
    let shown: String = wrong.lines().take(20).collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} wrong:\n{shown}", wrong.lines().count());
}

const REFERENCES: &str = "texture<float> line;
static texture<uchar4, 2, cudaReadModeNormalizedFloat> colour;
texture<short2, cudaTextureType1D, cudaReadModeElementType> pairs;
namespace { texture<unsigned, 3> solid; }
surface<void, 2> plane;
texture<int4, 1> unused;
__global__ void read(float *f, float4 *c, int2 *s, unsigned *u) {
  int i = threadIdx.x;
  f[i] = tex1Dfetch(line, i - 2);
  c[i] = tex2D(colour, i + 0.5f, 1.5f);
  short2 p = tex1Dfetch(pairs, i);
  s[i] = make_int2(p.x, p.y);
  u[i] = tex3D(solid, 1.5f, 0.5f, i + 0.5f);
  unsigned char old = surf2Dread<unsigned char>(plane, i, 1, cudaBoundaryModeClamp);
  surf2Dwrite((unsigned char)(old + 1), plane, i, 2, cudaBoundaryModeZero);
}
__global__ void copy(cudaTextureObject_t from, cudaSurfaceObject_t to, float *outside) {
  int x = threadIdx.x, y = blockIdx.x;
  float2 v = tex2D<float2>(from, x + 0.5f, y + 0.5f);
  surf2Dwrite(make_float2(v.y, v.x), to, x * 8, y);
  float4 all;
  tex1Dfetch(&all, from, x + 2);
  if (y == 0) outside[x] = all.x;
}
";

const BOUND: &str = "program = \"r.cu\"
kernel = \"read\"
grid = [1]
block = [4]
args = [\"f\", \"c\", \"s\", \"u\"]
[[buffer]]
name = \"f\"
bytes = 16
expect = { floats = [0.0, 0.0, 1.5, -2.0] }
[[buffer]]
name = \"c\"
bytes = 64
expect = { floats = [0.0, 1.0, 0.2, 0.4, 0.6, 0.8, 1.0, 0.0, 0.6, 0.8, 1.0, 0.0, 0.6, 0.8, 1.0, 0.0], max_ulp = 1 }
[[buffer]]
name = \"s\"
bytes = 32
expect = { words = [1, -1, -32768, 32767, 0, 0, 0, 0] }
[[buffer]]
name = \"u\"
bytes = 16
expect = { words = [2, 4, 4, 4] }
[[buffer]]
name = \"given\"
floats = [1.5, -2.0, 9.0]
[[texture]]
name = \"line\"
format = \"float\"
width = 2
buffer = \"given\"
[[texture]]
name = \"colour\"
format = \"uchar4\"
width = 2
height = 2
values = [9, 9, 9, 9, 9, 9, 9, 9, 0, 255, 51, 102, 153, 204, 255, 0]
[[texture]]
name = \"pairs\"
format = \"short2\"
width = 2
values = [1, -1, -32768, 32767]
[[texture]]
name = \"solid\"
format = \"uint\"
width = 2
depth = 2
values = [1, 2, 3, 4]
[[texture]]
name = \"plane\"
format = \"uchar\"
width = 3
height = 4
words = [0x03020100, 0x07060504, 0x0b0a0908]
expect = { words = [0x03020100, 0x05040504, 0x0b0a0906] }
";

const GATHER: &str = "texture<uchar2, 2, cudaReadModeNormalizedFloat> two;
__global__ void gather(cudaTextureObject_t floats, cudaTextureObject_t ints, float4 *f, int4 *n) {
  f[0] = tex2Dgather<float4>(floats, 1.25f, 1.0f);
  f[1] = tex2Dgather<float4>(floats, -1.0f, 9.0f, 0);
  f[2] = tex2Dgather(two, 1.0f, 1.0f, 1);
  tex2Dgather(&n[0], ints, 2.0f, 1.25f, 2);
}
";

/// The four texels of a linear filter: lower left, lower right, upper right, upper left.
#[test]
fn four_texels_are_gathered() {
    if !clang() {
        return;
    }
    let text = "program = \"g.cu\"\ngrid = [1]\nblock = [1]\nargs = [\"floats\", \"ints\", \"f\", \"n\"]
[[buffer]]\nname = \"f\"\nbytes = 48\nexpect = { floats = [4.0, 5.0, 2.0, 1.0, 4.0, 4.0, 4.0, 4.0, 0.6, 1.0, 0.4, 0.2], max_ulp = 1 }
[[buffer]]\nname = \"n\"\nbytes = 16\nexpect = { words = [18, 22, 10, 6] }
[[texture]]\nname = \"floats\"\nformat = \"float\"\nwidth = 3\nheight = 2\nvalues = [1, 2, 3, 4, 5, 6]
[[texture]]\nname = \"ints\"\nformat = \"int4\"\nwidth = 3\nheight = 2
values = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23]
[[texture]]\nname = \"two\"\nformat = \"uchar2\"\nwidth = 2\nheight = 2\nvalues = [9, 51, 9, 102, 9, 153, 9, 255]\n";
    Folder::new(&[("g.cu", GATHER)]).passes(text);
}

#[test]
fn references_are_bound_by_name() {
    if !clang() {
        return;
    }
    let folder = Folder::new(&[("r.cu", REFERENCES)]);
    folder.passes(BOUND);
    let picture = [[0u8, 255], [51, 102]];
    let file = std::fs::File::create(folder.path().join("p.png")).unwrap();
    let mut encoder = png::Encoder::new(file, 2, 2);
    encoder.set_color(png::ColorType::GrayscaleAlpha);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&[picture[0], picture[1], picture[1], picture[0]].concat()).unwrap();
    drop(writer);
    let objects =
        "program = \"r.cu\"\nkernel = \"copy\"\ngrid = [2]\nblock = [2]\nargs = [\"from\", \"to\", \"outside\"]
[[buffer]]\nname = \"outside\"\nbytes = 8\nexpect = { floats = [0.0, 0.0] }
[[texture]]\nname = \"from\"\nformat = \"unorm8 ra\"\nfile = \"p.png\"
[[texture]]\nname = \"to\"\nformat = \"float2\"\nwidth = 2\nheight = 2
expect = { floats = [1.0, 0.0, 0.4, 0.2, 0.4, 0.2, 1.0, 0.0], max_ulp = 1 }\n";
    folder.passes(objects);
    for (old, new, line, says) in [
        ("name = \"line\"", "name = \"lime\"", 1, "reads texture reference `line`: bind it"),
        ("format = \"short2\"", "format = \"short3\"", 38, "as in \"float\" or \"uchar4\""),
        (
            "width = 2\nbuffer = \"given\"",
            "width = 4\nbuffer = \"given\"",
            29,
            "its texels are 16 bytes, the buffer has 12",
        ),
        ("buffer = \"given\"", "buffer = \"taken\"", 29, "no [[buffer]] `taken`"),
        ("buffer = \"given\"", "address = \"wrap\"\nbuffer = \"given\"", 29, "say normalized = true"),
        ("buffer = \"given\"", "filter = \"cubic\"\nbuffer = \"given\"", 29, "\"point\" or \"linear\""),
        ("width = 2\nbuffer", "buffer", 25, "say width = N"),
        ("values = [1, 2, 3, 4]", "values = [1, 2, 3]", 41, "make 16 bytes of texels, 12 are given"),
        ("values = [1, 2, 3, 4]", "values = [1, 2, 3, 4.5]", 46, "4.5 is no value of uint32"),
        ("name = \"pairs\"", "name = \"given\"", 37, "two buffers or textures"),
    ] {
        assert!(BOUND.contains(old), "{old}");
        let message = folder.refused(&BOUND.replacen(old, new, 1), "l.toml", line);
        assert!(message.contains(says), "{message}");
    }
    let coloured = objects.replace("unorm8 ra", "unorm8 rg").replace("p.png", "none.png");
    assert!(folder.refused(&coloured, "l.toml", 13).contains("none.png"));
}

#[test]
fn images_and_samplers_are_arguments_by_name() {
    if !clang() {
        return;
    }
    let source =
        "__kernel void read(read_only image1d_t from, sampler_t s, write_only image2d_t to, __global float4 *f) {
  int i = get_global_id(0);
  f[i] = read_imagef(from, s, i + 0.25f);
  write_imageui(to, (int2)(i, 1), (uint4)(i + 300, 7, 8, 9));
}
";
    let folder = Folder::new(&[("i.cl", source)]);
    let text = "program = \"i.cl\"
grid = [1]
block = [3]
args = [\"line\", \"CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR\", \"plane\", \"f\"]
[[texture]]
name = \"line\"
format = \"half r\"
width = 2
values = [1, 4.0]
[[texture]]
name = \"plane\"
format = \"uint8 ra\"
width = 4
height = 2
expect = { words = [0, 0, 0x09ff09ff, 0x000009ff] }
[[buffer]]
name = \"f\"
bytes = 48
expect = { floats = [0.75, 0.0, 0.0, 1.0, 3.25, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0] }
";
    folder.passes(text);
    for (old, new, says) in [
        ("CLK_FILTER_LINEAR", "CLK_LINEAR", "no [[buffer]] `CLK_ADDRESS_CLAMP | CLK_LINEAR`"),
        ("[\"line\",", "[\"lines\",", "no [[buffer]] `lines`; there are: f, line, plane"),
    ] {
        assert!(folder.refused(&text.replacen(old, new, 1), "l.toml", 4).contains(says));
    }
}
