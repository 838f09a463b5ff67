//! Launch files of programs in CUDA C, OpenCL C and PTX: placement, arguments, and every refusal.

use std::path::Path;
use warpsmith_compiler::clang::find;
use warpsmith_isa::{ChipInfo, Tier};
use warpsmith_launch::{Launch, LaunchError};
use warpsmith_model::{Machine, ModelConfig};

/// Whether C can be compiled here; tests of a machine that has all tools insist on it.
pub(crate) fn clang() -> bool {
    warpsmith_testkit::found(find::find(None)).is_some()
}

/// A folder with sources, and a launch file with the head that all share.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            std::fs::write(dir.path().join(name), text).expect("a file");
        }
        Folder(dir)
    }

    pub(crate) fn load(&self, text: &str) -> Result<Launch, LaunchError> {
        self.load_for(text, &ChipInfo::unlimited())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    fn load_for(&self, text: &str, target: &ChipInfo) -> Result<Launch, LaunchError> {
        let path = self.0.path().join("l.toml");
        std::fs::write(&path, text).expect("a file");
        warpsmith_launch_file::load_for(&path, target)
    }

    /// Loads, runs, compares.
    pub(crate) fn passes(&self, text: &str) -> Launch {
        let launch = self.load(text).unwrap_or_else(|e| panic!("{e}"));
        let mut machine = Machine::new(&launch, ModelConfig::default());
        machine.run(10_000_000).unwrap_or_else(|e| panic!("{e}"));
        let wrong = launch.compare(machine.global());
        assert!(wrong.is_empty(), "{}: {wrong:?}", launch.name);
        launch
    }

    /// The message of a refusal that names this file and line (0: no line).
    pub(crate) fn refused(&self, text: &str, file: &str, line: usize) -> String {
        let e = self.load(text).expect_err("the launch must be refused");
        assert!(e.file.ends_with(file), "{e}");
        assert_eq!(e.line.unwrap_or(0), line, "{e}");
        e.message
    }
}

const SAXPY: &str = "__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}
__global__ void other(int *p) { *p = 1; }
";

const HEAD: &str = "program = \"k.cu\"\nkernel = \"saxpy\"\ngrid = [2]\nblock = [64]\n";
const BUFFERS: &str = "[[buffer]]
name = \"x\"
bytes = 400
fill = 1.5
[[buffer]]
name = \"y\"
floats = [1.0, 2.0, 3.0]
bytes = 512
expect = { floats = [4.0, 5.0, 6.0, 3.0], max_ulp = 0 }
";

#[test]
fn doubles_reach_the_kernel() {
    if !clang() {
        return;
    }
    let text = "__global__ void k(double *x, double a, double b, long long n) {\n  x[threadIdx.x] = fma(x[threadIdx.x], a, b * n);\n}\n";
    let folder = Folder::new(&[("k.cu", text)]);
    let (x, b) = ([0.1f64, -1e300], 0.7);
    let want = x.map(|x| x.mul_add(3.0, b * 5.0));
    let head = "program = \"k.cu\"\ngrid = [1]\nblock = [2]\n";
    let file = |args: &str, more: &str| {
        format!(
            "{head}args = [\"x\", {args}]\n[[buffer]]\nname = \"x\"\ndoubles = {x:?}\nexpect = {{ doubles = {want:?}{more} }}\n"
        )
    };
    folder.passes(&file("3, 0.7, 5", ""));
    assert!(folder.refused(&file("3, 0.7, 5.5", ""), "l.toml", 4).contains("an integer is needed"));
    assert!(folder.refused(&file("3, 0.7, 5", ", max_ulp = 1"), "l.toml", 8).contains("not of doubles"));
}

#[test]
fn buffers_and_numbers_reach_the_kernel() {
    if !clang() {
        return;
    }
    let folder = Folder::new(&[("k.cu", SAXPY)]);
    let launch = folder.passes(&format!("{HEAD}args = [100, 2, \"x\", \"y\"]\n{BUFFERS}"));
    assert_eq!(launch.params, [100, 2f32.to_bits(), 4096, 4608]);
    assert_eq!(launch.global_bytes, 4608 + 512);
    assert_eq!(launch.buffer_at(4612), Some(("y", 4)));
    assert_eq!(launch.buffer_at(4550), None);
    // Lines of the source at every address.
    let last = launch.program.len() - 4;
    assert_eq!(launch.source.place(0).as_deref(), Some("k.cu:2"));
    assert!(launch.source.place(last).is_some_and(|p| p.starts_with("k.cu:")));
    // The old keys serve too.
    folder.passes(&format!(
        "{HEAD}params = [1, 0x40000000, 0x100, 0x200]\nglobal_bytes = 1024\n[[global]]\noffset = 0x100\nfloats = [1.5]\n[[expect]]\noffset = 0x200\nfloats = [3.0]\n"
    ));
    // Every level of optimisation and strict floats.
    for keys in ["opt = 0", "opt = 1", "fp = \"strict\"", "max_registers = 4", "options = [\"-DX=1\"]"] {
        folder.passes(&format!("{HEAD}{keys}\nargs = [100, 2.0, \"x\", \"y\"]\n{BUFFERS}"));
    }
}

#[test]
fn every_kind_of_parameter_is_passed() {
    if !clang() {
        return;
    }
    let source = "struct Pair { float a; int b; };
extern \"C\" __global__ void k(char c, unsigned short s, bool t, long long w, Pair p, float2 f, int *out, uchar4 q) {
  out[0] = c; out[1] = s; out[2] = t; out[3] = (int)(w >> 32); out[4] = (int)w;
  out[5] = (int)p.a; out[6] = p.b; out[7] = (int)(f.x * f.y); out[8] = q.x | q.w << 8;
}
";
    let folder = Folder::new(&[("k.cu", source)]);
    let launch = folder.passes(
        "program = \"k.cu\"\ngrid = [1]\nblock = [1]
args = [-5, 65535, true, -4294967297, [2.0, -7], [1.5, 4.0], \"out\", 0x04030201]
[[buffer]]
name = \"out\"
bytes = 36
expect = { words = [-5, 65535, 1, -2, -1, 2, -7, 6, 0x401] }
",
    );
    assert_eq!(launch.name, "l");
}

/// Paths of options are beside the launch file; a broken host part of the program does not matter.
#[test]
fn options_name_files_beside_the_launch_file() {
    if !clang() {
        return;
    }
    let kernel = "#include \"nowhere.h\"\n__global__ void k(int *p) { p[0] = FIRST; }\nint main() { k << < 1, 1 >> > (unknown); }\n";
    let folder = Folder::new(&[("k.cu", kernel), ("first.h", "#define FIRST 7\n")]);
    let rest = "program = \"k.cu\"\ngrid = [1]\nblock = [1]\nargs = [\"p\"]\n[[buffer]]\nname = \"p\"\nbytes = 4\nexpect = { words = [7] }\n";
    folder.passes(&format!("options = [\"-includefirst.h\"]\n{rest}"));
    let message = folder.refused(&format!("options = [\"-includesecond.h\"]\n{rest}"), "l.toml", 1);
    assert!(message.contains("there is no file"), "{message}");
}

#[test]
fn variables_are_placed_filled_and_set() {
    if !clang() {
        return;
    }
    let source = "__constant__ float filter[4] = {1, 2, 3};
__constant__ int table[3] = {10, 20, 30};
__device__ int counter = 7;
__device__ int big[100];
__device__ int *where = &big[2];
namespace deep { __device__ int inner[2]; }
__global__ void k(float *out, int *n) {
  int i = threadIdx.x;
  out[i] = filter[i];
  n[i] = table[i % 3] + counter + *where + deep::inner[i & 1];
  if (i == 0) { big[0] = 5; counter = 8; }
}
";
    let folder = Folder::new(&[("k.cu", source)]);
    let common = "program = \"k.cu\"\ngrid = [1]\nblock = [4]\nargs = [\"f\", \"n\"]
[[symbol]]
name = \"filter\"
offset = 12
floats = [4.5]
[[symbol]]
name = \"inner\"
words = [100, 200]
[[symbol]]
name = \"big\"
offset = 8
words = [1000]
[[symbol]]
name = \"counter\"
expect = { words = [8] }
[[buffer]]
name = \"f\"
bytes = 16
expect = { floats = [1.0, 2.0, 3.0, 4.5] }
[[buffer]]
name = \"n\"
bytes = 16
";
    let launch = folder.passes(&format!("{common}expect = {{ words = [1117, 1227, 1137, 1217] }}\n"));
    let counter = launch.buffers.iter().find(|b| b.name == "counter");
    assert!(counter.is_some_and(|b| b.bytes == 4 && b.address % 256 == 0));
    for (add, line, says) in [
        ("[[symbol]]\nname = \"fitler\"\nwords = [1]\n", 27, "there are: "),
        ("[[symbol]]\nname = \"table\"\nwords = [1, 2, 3, 4]\n", 26, "bytes 0 to 16 of variable `table`, which has 12"),
        ("[[symbol]]\nname = \"table\"\nexpect = { words = [1] }\n", 28, "`table` is constant"),
    ] {
        let message = folder.refused(&format!("{common}{add}"), "l.toml", line);
        assert!(message.contains(says), "{message}");
    }
}

#[test]
fn shared_memory_of_the_launch() {
    if !clang() {
        return;
    }
    let cuda = "__global__ void turn(int *p) {
  extern __shared__ int s[];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
";
    let opencl = "__kernel void turn(__global int *p, __local int *a, __local float *b) {
  int i = get_local_id(0), n = get_local_size(0);
  a[i] = p[i]; b[i] = 0.5f;
  barrier(CLK_LOCAL_MEM_FENCE);
  p[i] = a[n - 1 - i] + (int)(2.0f * b[n - 1 - i]) - 1;
}
";
    let folder = Folder::new(&[("k.cu", cuda), ("k.cl", opencl)]);
    let buffer = "[[buffer]]\nname = \"p\"\nwords = [1, 2, 3, 4]\nexpect = { words = [4, 3, 2, 1] }\n";
    let head = |file: &str| format!("program = \"{file}\"\ngrid = [1]\nblock = [4]\n");
    let launch = folder.passes(&format!("{}args = [\"p\"]\ndynamic_shared_bytes = 16\n{buffer}", head("k.cu")));
    assert_eq!(launch.shared_bytes, 32 + 16);
    let launch = folder.passes(&format!("{}args = [\"p\", 16, 20]\n{buffer}", head("k.cl")));
    assert_eq!(launch.shared_bytes, 32 + 16 + 20);
    let say = folder.refused(&format!("{}args = [\"p\"]\n{buffer}", head("k.cu")), "l.toml", 1);
    assert!(say.contains("dynamic_shared_bytes = N"), "{say}");
    let text = format!("{}args = [\"p\"]\nshared_bytes = 40\ndynamic_shared_bytes = 16\n{buffer}", head("k.cu"));
    let say = folder.refused(&text, "l.toml", 5);
    assert!(say.contains("kernel turn needs 48"), "{say}");
    let say = folder.refused(&format!("{}args = [\"p\", \"p\", 16]\n{buffer}", head("k.cl")), "l.toml", 4);
    assert!(say.contains("argument 2 of turn(pointer, __local bytes, __local bytes)"), "{say}");
}

/// Parameters that are too many to pass with the launch: in constant memory behind the variables, pointers in structs
/// and textures included; a chip with too little of it refuses them.
#[test]
fn many_parameters_lie_in_constant_memory() {
    if !clang() {
        return;
    }
    let source = "struct Many { int a[90]; const int *p; unsigned char b[4]; double d; };
__constant__ int table[3] = {1, 2, 3};
__global__ void k(Many s, int *out, cudaTextureObject_t t) {
  int i = threadIdx.x;
  out[i] = s.a[i * 7 % 90] + s.p[i] + s.b[i % 4] + (int)s.d + table[i % 3] + tex1Dfetch<int>(t, i);
}
";
    let folder = Folder::new(&[("k.cu", source)]);
    let mut words: Vec<String> = (0..90).map(|n| (n * n).to_string()).collect();
    words.extend(["\"p\"", "0x04030201", "0", "0x40590000"].map(String::from));
    let want: Vec<u32> =
        (0..8).map(|i| (i * 7 % 90) * (i * 7 % 90) + 1000 * i + 1 + i % 4 + 100 + 1 + i % 3 + i + 7).collect();
    let p: Vec<u32> = (0..8).map(|i| 1000 * i).collect();
    let t: Vec<u32> = (0..8).map(|i| i + 7).collect();
    let text = format!(
        "program = \"k.cu\"\ngrid = [1]\nblock = [8]\nargs = [[{}], \"out\", \"t\"]\n[[buffer]]\nname = \"p\"\nwords = {p:?}
[[buffer]]\nname = \"out\"\nbytes = 32\nexpect = {{ words = {want:?} }}\n[[texture]]\nname = \"t\"\nformat = \"int\"\nwidth = 8\nwords = {t:?}\n",
        words.join(", ")
    );
    let launch = folder.passes(&text);
    assert!(
        launch.params.is_empty() && launch.constants.iter().any(|c| c.bank == 0 && c.bytes.len() == 392),
        "{:?}",
        launch.constants
    );
    let small = ChipInfo { constant_bytes: 256, ..ChipInfo::unlimited() };
    let e = folder.load_for(&text, &small).expect_err("too little constant memory");
    assert!(e.message.contains("the parameters of `k` have") && e.message.contains("--set constant_bytes="), "{e}");
}

#[test]
fn arguments_that_do_not_fit_are_refused() {
    if !clang() {
        return;
    }
    let folder = Folder::new(&[("k.cu", SAXPY)]);
    for (args, says) in [
        ("args = [100, 2.0, \"x\"]", "args has 3 values; saxpy(int, float, float const*, float*) takes 4"),
        ("args = [100, \"x\", \"x\", \"y\"]", "argument 2 of saxpy"),
        ("args = [\"x\", 2.0, \"x\", \"y\"]", "a number is needed, a buffer is a pointer"),
        ("args = [100, 2.0, 64, \"y\"]", "a buffer's name is needed"),
        ("args = [1.5, 2.0, \"x\", \"y\"]", "argument 1 of saxpy"),
        ("args = [4294967296, 2.0, \"x\", \"y\"]", "32 bits hold -2147483648 to 4294967295"),
        ("args = [100, 1e60, \"x\", \"y\"]", "beyond the range of a float"),
        ("args = [100, 2.0, \"z\", \"y\"]", "there is no [[buffer]] `z`; there are: x, y"),
        ("args = [100, 2.0, [1, 2], \"y\"]", "a buffer's name is needed"),
        ("params = [1, 2, 3]", "params has 3 words; kernel saxpy takes 4"),
    ] {
        let message = folder.refused(&format!("{HEAD}{args}\n{BUFFERS}"), "l.toml", 5);
        assert!(message.contains(says), "{message}");
    }
    let both = format!("{HEAD}params = [1, 2, 3, 4]\nargs = []\n{BUFFERS}");
    assert!(folder.refused(&both, "l.toml", 5).contains("say one of them"));
    assert!(folder.refused(HEAD, "l.toml", 1).contains("args has 0 values"));
}

#[test]
fn wrong_keys_and_programs_are_refused() {
    if !clang() {
        return;
    }
    let folder = Folder::new(&[
        ("k.cu", SAXPY),
        ("bad.cu", "__global__ void k(int *p) {\n  *p = x;\n}\n"),
        ("none.cu", "__device__ int f() { return 1; }\n"),
        ("wide.cu", "struct S { int n[1080]; };\n__global__ void k(S s, int *p) { *p = s.n[threadIdx.x]; }\n"),
        ("fixed.cu", "__global__ void __launch_bounds__(32) k(int *p) { *p = 1; }\n"),
        ("p.sass", ".registers 1\nMVI R0, 0x0;\nNOP.EXIT;\n"),
    ]);
    let args = format!("args = [100, 2.0, \"x\", \"y\"]\n{BUFFERS}");
    let one = "grid = [1]\nblock = [64]\nargs = [\"x\"]\n[[buffer]]\nname = \"x\"\nbytes = 4\n";
    for (text, file, line, says) in [
        (format!("{HEAD}opt = 3\n{args}"), "l.toml", 5, "0, 1 or 2"),
        (format!("{HEAD}fp = \"fast\"\n{args}"), "l.toml", 5, "\"strict\" or \"fused\""),
        (format!("{HEAD}max_registers = 0\n{args}"), "l.toml", 5, "1 to 128"),
        (format!("{HEAD}options = [\"-O3\"]\n{args}"), "l.toml", 5, "`-O3` is no option"),
        (format!("{HEAD}options = [\"-Inowhere\"]\n{args}"), "l.toml", 5, "there is no folder"),
        (format!("{HEAD}args = [100, [2], \"x\", \"y\"]\n{BUFFERS}"), "l.toml", 5, "a number is needed"),
        (format!("{HEAD}dynamic_shared_bytes = 70000\n{args}"), "l.toml", 5, "at most 65536"),
        (HEAD.replace("\"saxpy\"", "\"saxby\"") + &args, "l.toml", 2, "the nearest is `saxpy`"),
        (HEAD.replace("kernel = \"saxpy\"\n", "") + &args, "l.toml", 1, "other, saxpy"),
        (HEAD.replace("k.cu", "nowhere.cu") + &args, "l.toml", 1, "nowhere.cu: No such file"),
        (format!("program = \"bad.cu\"\n{one}"), "bad.cu", 2, "undeclared identifier 'x'"),
        (format!("program = \"none.cu\"\n{one}"), "l.toml", 1, "__global__"),
        (format!("program = \"fixed.cu\"\n{one}"), "l.toml", 3, "__launch_bounds__(32)"),
        (format!("program = \"p.sass\"\nopt = 2\n{one}"), "l.toml", 2, "opt goes with a .cu, .cl or .ptx program"),
        (format!("program = \"p.sass\"\n{one}[[symbol]]\nname = \"x\"\n"), "l.toml", 8, "[[symbol]] goes with"),
        (format!("{HEAD}{args}[[buffer]]\nname = \"x\"\nbytes = 4\n"), "l.toml", 16, "two buffers named `x`"),
        (format!("{HEAD}{args}[[buffer]]\nname = \"z\"\n"), "l.toml", 15, "buffer `z` needs bytes"),
        (
            format!("{HEAD}global_bytes = 300\n{args}"),
            "l.toml",
            5,
            "the buffers end at byte 5120 behind the guarded first 4096 (guard = false",
        ),
        (format!("{HEAD}{args}[[buffer]]\nname = \"z\"\nbytes = 4294967296\n"), "l.toml", 15, "does not fit"),
        (format!("{HEAD}{args}[[buffer]]\nname = \"z\"\nwords = [5000000000]\n"), "l.toml", 15, "no 32-bit word"),
        (
            format!("{HEAD}{args}[[buffer]]\nname = \"z\"\nbytes = 4\nexpect = {{ words = [1, 2] }}\n"),
            "l.toml",
            18,
            "which has 4",
        ),
    ] {
        let message = folder.refused(&text, file, line);
        assert!(message.contains(says), "{message}\n{text}");
    }
    let e = folder.load(&format!("program = \"wide.cu\"\n{one}")).expect_err("too many words");
    assert!(e.message.contains("4096 bytes"), "{e}");
    // Programs too large for a small chip.
    let tiny = ChipInfo { name: "tiny".into(), tier: Tier::integer(), ..ChipInfo::unlimited() };
    let e = folder.load_for(&format!("{HEAD}{args}"), &tiny).expect_err("no floats");
    assert!(e.file.ends_with("k.cu") && e.line == Some(4), "{e}");
    let small = ChipInfo { program_bytes: 16, ..ChipInfo::unlimited() };
    let e = folder.load_for(&format!("{HEAD}{args}"), &small).expect_err("too large");
    assert!(e.message.contains("program bytes"), "{e}");
}

#[test]
fn ptx_needs_no_clang_and_bad_ptx_is_named() {
    let good = ".version 7.0\n.target sm_20\n.address_size 32\n.visible .entry k(\n.param .u32 k_param_0\n)\n{\n.reg .b32 %r<3>;\nld.param.u32 %r1, [k_param_0];\nmov.u32 %r2, 42;\nst.global.u32 [%r1], %r2;\nret;\n}\n";
    let binary: Vec<u8> = (0..4000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let folder = Folder::new(&[
        ("k.ptx", good),
        ("cut.ptx", &good[..good.len() - 20]),
        ("wide.ptx", &good.replace("size 32", "size 64")),
    ]);
    std::fs::write(folder.0.path().join("bin.ptx"), binary).expect("a file");
    let head = |file: &str| {
        format!("program = \"{file}\"\ngrid = [1]\nblock = [1]\nargs = [\"p\"]\n[[buffer]]\nname = \"p\"\nbytes = 4\nexpect = {{ words = [42] }}\n")
    };
    let launch = folder.passes(&head("k.ptx"));
    assert_eq!(launch.program_file, folder.0.path().join("k.ptx"));
    for file in ["cut.ptx", "wide.ptx", "bin.ptx"] {
        let e = folder.load(&head(file)).expect_err(file);
        assert!(e.file.ends_with(file) && e.line.is_some(), "{e}");
    }
    let e = folder.load(&format!("options = [\"-DN=1\"]\n{}", head("k.ptx"))).expect_err("no clang to pass it to");
    assert!(e.message.contains("-DN=1"), "{e}");
    assert!(Path::new(&e.file).ends_with("k.ptx"));
}

#[test]
fn programs_in_assembly_take_buffers_too() {
    let source = ".registers 3\nIADD32 R0, g [0x4], R124;\nMVI R1, 0x2a;\nGST.U32.EXIT global14[R0], R1;\n";
    let folder = Folder::new(&[("p.sass", &source.replace("IADD32 R0, g [0x4], R124", "MOV R0, g [0x4]"))]);
    let launch = folder.passes(
        "program = \"p.sass\"\ngrid = [1]\nblock = [1]\nargs = [\"out\", 1.5, -1]\n[[buffer]]\nname = \"out\"\nbytes = 4\nexpect = { words = [42] }\n",
    );
    assert_eq!(launch.params, [4096, 1.5f32.to_bits(), u32::MAX]);
    assert_eq!(launch.source.place(0).as_deref(), Some("p.sass:2"));
}

/// Registers that move beyond R63 leave other constants of multiply-adds to bank 1 than before.
#[test]
fn constants_of_many_multiply_adds_find_a_place() {
    if !clang() {
        return;
    }
    let all = || 0..64usize;
    let steps = || (0..4usize).flat_map(|r| all().map(move |j| (r, j, (j * (2 * r + 3) + 5 * r) % 64)));
    let factor = |r: usize, j: usize| 1001 + 64 * r + j;
    let mut lines: Vec<String> = all().map(|j| format!("float y{j} = x[{j}], a{j} = {j};")).collect();
    lines.extend(steps().map(|(r, j, o)| format!("a{j} = y{o} * {}.0f + a{j};", factor(r, j))));
    lines.extend(all().map(|j| format!("x[{j}] = a{j};")));
    let source = format!("__global__ void many(float *x) {{\n  x += 64 * threadIdx.x;\n{}\n}}\n", lines.join("\n"));
    let given = |t: usize, j: usize| (t + 3 * j) % 29;
    let sum = |t: usize, j: usize| {
        let terms = (0..4usize).map(|r| given(t, (j * (2 * r + 3) + 5 * r) % 64) * factor(r, j));
        j + terms.sum::<usize>()
    };
    let floats = |value: &dyn Fn(usize, usize) -> usize| {
        let list = (0..32).flat_map(|t| all().map(move |j| (t, j)));
        list.map(|(t, j)| format!("{}.0", value(t, j))).collect::<Vec<String>>().join(", ")
    };
    let folder = Folder::new(&[("k.cu", &source)]);
    folder.passes(&format!(
        "program = \"k.cu\"\ngrid = [1]\nblock = [32]\nargs = [\"x\"]\n[[buffer]]\nname = \"x\"\nfloats = [{}]\nexpect = {{ floats = [{}], max_ulp = 0 }}\n",
        floats(&given),
        floats(&sum)
    ));
}

/// A value without operands may be one of a sum or product of floats.
#[test]
fn the_clock_is_an_operand_of_floats() {
    if !clang() {
        return;
    }
    let source = "__global__ void k(float *p) {
  p[0] = p[1] + __int_as_float(clock() & 0 | 0x40000000);
  p[2] = p[3] * __int_as_float(clock()) - __int_as_float(clock());
}
";
    let folder = Folder::new(&[("k.cu", source)]);
    let text = "program = \"k.cu\"\ngrid = [1]\nblock = [1]\nargs = [\"p\"]\n[[buffer]]\nname = \"p\"\nfloats = [0.0, 1.0, 1.0, 0.0]\n";
    folder.passes(text);
}
