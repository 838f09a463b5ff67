//! `warpsmith cc` and launch files of C programs, from the command line.

use crate::support;
use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::{contains, starts_with};
use std::path::Path;

fn warpsmith() -> Command {
    Command::cargo_bin("warpsmith").expect("the program of this package")
}

const SOURCE: &str = "#include <stdio.h>
__constant__ int table[2] = {3, 4};
__global__ void scale(int n, const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * table[i & 1];
}
__global__ void half(float *x) { x[threadIdx.x] *= 0.5f; }
int main() {
  scale<<<1, 32>>>(1, 0, 0);
  printf(\"%d\\n\", 1);
  return 0;
}
";

/// A folder with `k.cu` and a launch file of its kernel `scale`.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("k.cu"), SOURCE).expect("a file");
    std::fs::write(
        dir.path().join("k.toml"),
        "program = \"k.cu\"\nkernel = \"scale\"\ngrid = [1]\nblock = [4]\nargs = [3, \"in\", \"out\"]
[[buffer]]\nname = \"in\"\nwords = [10, 20, 30, 40]
[[buffer]]\nname = \"out\"\nbytes = 16\nexpect = { words = [30, 80, 90, 0] }\n",
    )
    .expect("a file");
    dir
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

#[test]
fn a_kernel_becomes_sass_that_assembles_to_the_same_words() {
    if !support::clang() {
        return;
    }
    let dir = folder();
    let (sass, hex) = (dir.path().join("k.sass"), dir.path().join("k.hex"));
    let source = dir.path().join("k.cu");
    for (out, more) in [(&sass, &[][..]), (&hex, &["-O2"])] {
        warpsmith()
            .arg("cc")
            .arg(&source)
            .args(["--kernel", "scale", "-o"])
            .arg(out)
            .args(more)
            .assert()
            .success()
            .stdout(starts_with("scale: ").and(contains(" registers")).and(contains("warps fit an SM")));
    }
    let listing = text(&sass);
    assert!(listing.contains("// k.cu:6: out[i] = in[i] * table[i & 1];"), "{listing}");
    assert!(listing.contains(".const 0, 0x0, 0x3, 0x4"), "{listing}");
    let assembled = warpsmith().arg("asm").arg(&sass).output().expect("it runs");
    assert_eq!(String::from_utf8_lossy(&assembled.stdout), text(&hex));
    // A cubin carries all a launch needs, and the lines.
    let cubin = dir.path().join("k.cubin");
    warpsmith().arg("cc").arg(&source).args(["--kernel", "scale", "-o"]).arg(&cubin).assert().success();
    warpsmith().args(["disasm", "--source"]).arg(&cubin).assert().success().stdout(contains("// k.cu:5: if (i < n)"));
    warpsmith().args(["disasm", "--source"]).arg(&hex).assert().code(2).stderr(contains("only a .cubin"));
    let launch = text(&dir.path().join("k.toml")).replace("k.cu", "k.cubin").replace("kernel = \"scale\"\n", "");
    std::fs::write(dir.path().join("c.toml"), launch).expect("a file");
    warpsmith().arg("run").arg(dir.path().join("c.toml")).assert().success();
}

#[test]
fn every_form_is_printed() {
    if !support::clang() {
        return;
    }
    let dir = folder();
    for (emit, says) in [
        ("ptx", ".entry _Z5scaleiPKiPi"),
        ("ir", "== selected"),
        ("sass", ".kernel scale"),
        ("cubin", "architecture {sm_10}"),
    ] {
        warpsmith()
            .arg("cc")
            .arg(dir.path().join("k.cu"))
            .args(["--kernel", "scale", "--emit", emit])
            .assert()
            .success()
            .stdout(contains(says));
    }
    for level in ["-O0", "-O1", "-O2"] {
        warpsmith()
            .arg("cc")
            .arg(dir.path().join("k.cu"))
            .args(["--kernel", "scale", "--emit", "hex", level, "-DX=1", "--max-registers", "8"])
            .assert()
            .success();
    }
}

#[test]
fn a_launch_compiles_its_program_and_runs() {
    if !support::clang() {
        return;
    }
    let dir = folder();
    let launch = dir.path().join("k.toml");
    warpsmith()
        .arg("run")
        .arg(&launch)
        .args(["--config", "tiny"])
        .assert()
        .success()
        .stdout(starts_with("pass: k on the model"));
    let wrong = text(&launch).replace("90, 0]", "91, 0]");
    std::fs::write(&launch, wrong).expect("a file");
    warpsmith().arg("run").arg(&launch).assert().code(1).stdout(contains("byte 0x8 of out"));
}

#[test]
fn what_cannot_be_compiled_is_named_with_its_line() {
    if !support::clang() {
        return;
    }
    let dir = folder();
    let write = |name: &str, text: &str| {
        std::fs::write(dir.path().join(name), text).expect("a file");
    };
    write("bad.cu", "__global__ void k(int *p) {\n  *p = 1 +;\n}\n");
    write("atomic.cu", "__global__ void k(int *p) {\n  atomicAdd(p, 1);\n}\n");
    write("shared.cu", "__global__ void k(int *p) {\n  __shared__ int s[20000];\n  s[threadIdx.x] = *p;\n  __syncthreads();\n  *p = s[*p];\n}\n");
    write("local.cu", "__global__ void k(int *p) {\n  int a[20000];\n  for (int i = 0; i < 20000; i++)\n    a[i] = p[i];\n  *p = a[*p];\n}\n");
    write("constant.cu", "__constant__ int t[40000];\n__global__ void k(int *p) {\n  *p = t[*p];\n}\n");
    write("pointer.cu", "__global__ void k(int *p, int n) {\n  __shared__ int s[32];\n  s[threadIdx.x] = n;\n  int *volatile q[2];\n  q[n & 1] = s;\n  q[1 - (n & 1)] = p;\n  *p = q[n > 7][n];\n}\n");
    write("table.cu", "__global__ void k(int *p, int n) {\n  __shared__ int s[2][32];\n  s[n][threadIdx.x] = n;\n  int *q[2] = {s[1], s[0]};\n  *p = q[n][1];\n}\n");
    let alloca = "__global__ void ok(int *p) { *p = 1; }\n__global__ void k(int *p, int n) {\n  int *a = (int *)alloca(4 * n);\n  a[n - 1] = n;\n  *p = a[*p];\n}\n";
    write("alloca.cu", alloca);
    write("length.cu", &alloca.replace("*a = (int *)alloca(4 * n)", "a[n]"));
    write("cut.ptx", ".version 3.2\n.target sm_20\n.address_size 32\n");
    write("zz.txt", "");
    for (file, more, place, says) in [
        ("bad.cu", &[][..], "bad.cu:2:", "expected expression"),
        ("atomic.cu", &["--config", "default"], "atomic.cu:2:", "--set level=sm11"),
        ("shared.cu", &[], "shared.cu:3:", "`s` needs shared memory"),
        ("local.cu", &[], "local.cu:", "local arrays and structs need 80000 bytes"),
        ("constant.cu", &[], "constant.cu:3:", "`t` ends at byte"),
        ("pointer.cu", &[], "pointer.cu:7:", "may point to more than one"),
        ("table.cu", &[], "table.cu:", "the address of `s` in shared memory"),
        ("alloca.cu", &["--kernel", "k"], "alloca.cu:3:", "`alloca`: arrays whose length is known only at run time"),
        (
            "length.cu",
            &["--kernel", "k"],
            "length.cu:3:",
            "variable-length arrays in __global__ functions: give the array",
        ),
        ("cut.ptx", &[], "cut.ptx:", "PTX begins one with `.entry`"),
        ("shared.cu", &["-I", "nowhere"], "", "there is no folder `nowhere`"),
        (
            "k.cu",
            &["--kernel", "scale", "--max-registers", "1"],
            "k.cu:",
            "kernel scale: 1 register a thread is too few",
        ),
        ("k.cu", &["--kernel", "scael"], "k.cu:", "the nearest is `scale`"),
        ("k.cu", &[], "k.cu:", "it holds several kernels, name one: half, scale"),
        ("k.cu", &["--kernel", "half", "--config", "tiny"], "k.cu:8:", "tiny"),
        ("k.cu", &["--kernel", "scale", "--max-registers", "0"], "", "0"),
        ("k.cu", &["--kernel", "scale", "-D", ""], "", "-D"),
        ("k.cu", &["--kernel", "scale", "-O3"], "", "3"),
        ("k.cu", &["--kernel", "scale", "-o", "x.exe"], "", "the output ends in"),
        ("k.cu", &["--clang", "/nowhere/clang"], "", "/nowhere/clang"),
        ("nowhere.cu", &[], "nowhere.cu:", "cannot be read"),
        ("zz.txt", &[], "zz.txt:", "a .cu (CUDA C), .cl (OpenCL C) or .ptx file is needed"),
    ] {
        warpsmith().arg("cc").arg(dir.path().join(file)).args(more).assert().code(2).stderr(
            contains(place).and(contains(says)).and(contains("__local_depot").not()).and(contains("panic").not()),
        );
    }
}

#[test]
fn random_bytes_are_no_ptx() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut state = 1u64;
    let bytes: Vec<u8> = (0..1_000_000)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        })
        .collect();
    let ascii: Vec<u8> = bytes.iter().map(|b| 32 + b % 95).collect();
    for (name, bytes) in [("a.ptx", bytes), ("b.ptx", ascii)] {
        std::fs::write(dir.path().join(name), bytes).expect("a file");
        warpsmith()
            .arg("cc")
            .arg(dir.path().join(name))
            .assert()
            .code(2)
            .stderr(contains(format!("{name}:1:")).and(contains("panic").not()));
    }
}

#[test]
fn doctor_knows_clang() {
    warpsmith()
        .arg("doctor")
        .env("WARPSMITH_CLANG", "/nowhere/clang")
        .assert()
        .stdout(contains("WARPSMITH_CLANG=/nowhere/clang"));
    assert!(support::root().join("Makefile").is_file());
}

#[test]
fn a_broken_host_part_is_named_once_and_refuses_nothing() {
    if !support::clang() {
        return;
    }
    let dir = folder();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).expect("a file");
    write("host.cu", &format!("#include <nowhere.h>\n{SOURCE}int f() {{ return unknown + other; }}\n"));
    let out =
        warpsmith().arg("cc").arg(dir.path().join("host.cu")).args(["--kernel", "scale"]).output().expect("it runs");
    let printed = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{printed}");
    assert_eq!(printed.matches("note: ").count(), 1, "{printed}");
    assert!(
        printed.contains("(nowhere.h)") && printed.contains("host.cu:15: use of undeclared identifier"),
        "{printed}"
    );
    // An error of the device is named before everything else.
    write("both.cu", "int f() { return unknown; }\n__global__ void k(int *p) {\n  *p = x;\n}\n");
    let refused = warpsmith().arg("cc").arg(dir.path().join("both.cu")).assert().code(2);
    refused.stderr(contains("both.cu:3: use of undeclared identifier 'x'").and(contains("panic").not()));
}

#[test]
fn an_error_in_a_kernel_refuses_no_other() {
    if !support::clang() {
        return;
    }
    let dir = folder();
    let path = |name: &str| dir.path().join(name);
    let wrong = "__device__ int lost(int a) {\n  return b;\n}\n__global__ void half(int *p) { *p = lost(1); }\n";
    let right = SOURCE.replace("__global__ void half(float *x) { x[threadIdx.x] *= 0.5f; }\n", wrong);
    std::fs::write(path("k.cu"), right).expect("a file");
    let note = "k.cu:9: note: kernel half is left out: use of undeclared identifier 'b'";
    let reason = "k.cu:9: kernel half is left out: use of undeclared identifier 'b'";
    // The only kernel that is left needs no name.
    warpsmith().arg("cc").arg(path("k.cu")).assert().success().stdout(contains(".kernel scale")).stderr(contains(note));
    warpsmith().arg("cc").arg(path("k.cu")).args(["--kernel", "half"]).assert().code(2).stderr(contains(reason));
    warpsmith().arg("run").arg(path("k.toml")).assert().success().stdout(starts_with("pass: k on the model"));
    let launch = text(&path("k.toml")).replace("\"scale\"", "\"half\"");
    std::fs::write(path("half.toml"), launch).expect("a file");
    warpsmith().arg("run").arg(path("half.toml")).assert().code(2).stderr(contains(reason));
    // PTX keeps the reason.
    warpsmith().arg("cc").arg(path("k.cu")).arg("-o").arg(path("k.ptx")).assert().success();
    warpsmith().arg("cc").arg(path("k.ptx")).assert().success();
    warpsmith().arg("cc").arg(path("k.ptx")).args(["--kernel", "half"]).assert().code(2).stderr(contains(reason));
}

#[test]
fn options_of_c_compilers_are_passed_on() {
    if !support::clang() {
        return;
    }
    let dir = folder();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).expect("a file");
    write("first.h", "#define FIRST 30\n");
    write("std.cu", "#if __cplusplus != 201402L\n#error another language\n#endif\n#ifdef GONE\n#error GONE\n#endif\n__global__ void k(int *p) {\n  int unused;\n  *p = FIRST + N;\n}\n");
    write("std.cl", "#if __OPENCL_C_VERSION__ != 200\n#error another language\n#endif\n__kernel void k(__global int *p) { *p = 1; }\n");
    let first = dir.path().join("first.h");
    let cc = |file: &str| {
        let mut c = warpsmith();
        c.arg("cc").arg(dir.path().join(file));
        c
    };
    for std in [&["-std=c++14"][..], &["--std=c++14"], &["--std", "c++14"]] {
        for include in ["-include", "--include"] {
            let mut c = cc("std.cu");
            c.args(std).args(["-DGONE", "-UGONE", "-DN=4", "-Wall", include]).arg(&first);
            c.assert().success().stderr(contains("warning: unused variable")).stdout(contains("0x22"));
        }
    }
    cc("std.cu")
        .args(["-std=c++14", "-DN=4", "-Wall", "-Wno-unused-variable", "-include"])
        .arg(&first)
        .assert()
        .success()
        .stderr(contains("warning").not());
    cc("std.cl").args(["-cl-std=CL2.0", "--emit", "ptx"]).assert().success();
    for (more, says) in [
        (&["-std=c++99"][..], "c++99"),
        (&["-include", "nowhere.h"], "there is no file `nowhere.h`"),
        (&["-include"], "--include <FILE>"),
        (&["-Wl,-x"], "`-Wl,-x` is no option"),
        (&["-U", ""], "-U"),
    ] {
        cc("std.cu").args(more).assert().code(2).stderr(contains(says).and(contains("panic").not()));
    }
}

#[test]
fn refusals_name_the_nearest_remedy() {
    if !support::clang() {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).expect("a file");
    write("c.cu", "__constant__ int t[5000];\n__global__ void k(int *p) {\n  *p = t[*p];\n}\n");
    write("s.cu", "__global__ void k(int *p) {\n  __shared__ int s[2000];\n  s[threadIdx.x] = *p;\n  __syncthreads();\n  *p = s[*p];\n}\n");
    let mut long = String::from("__global__ void k(volatile int *p) {\n");
    (0..400).for_each(|n| long += &format!("  p[{n}] = p[{}] * {n};\n", n + 1));
    write("p.cu", &(long + "}\n"));
    write("a.cu", "__global__ void k(int *p) {\n  atomicAdd(p, 1);\n}\n");
    write("b.cu", "__global__ void k(int *p) {\n  __shared__ int s;\n  atomicMax(&s, *p);\n  *p = s;\n}\n");
    write("m.cu", "__global__ void k(int **p) {\n  *p = new int[3];\n}\n");
    // Each remedy is taken, and works.
    for (file, config, remedy) in [
        ("c.cu", "default", "--set constant_bytes=32768"),
        ("s.cu", "tiny", "--set shared_bytes=8192"),
        ("p.cu", "default", "--set program_bytes=32768"),
        ("a.cu", "default", "--set level=sm11"),
        ("b.cu", "default", "--set level=sm12"),
        ("m.cu", "default", "--set level=sm11"),
    ] {
        let cc = |with: &str| warpsmith().arg("cc").arg(dir.path().join(file)).args(with.split_whitespace()).assert();
        let small = format!("--config {config}");
        cc(&small).code(2).stderr(contains(remedy).and(contains("`--config compute` has all that it needs")));
        cc(&format!("{small} {remedy}")).success();
        // `compute` is the chip of `cc`; with a parameter alone it is `default`, as everywhere.
        cc("").success();
        if config == "default" {
            cc("--set trace=false").code(2).stderr(contains(remedy));
            cc(remedy).success();
        }
    }
    // A launch file's program too; `compute` is not named where it is the chip, or does not help.
    let launch = dir.path().join("a.toml");
    write("a.toml", "program = \"a.cu\"\ngrid = [1]\nblock = [32]\nargs = [\"a\"]\n[[buffer]]\nname = \"a\"\nbytes = 4\nexpect = { words = [32] }\n");
    let run = |with: &[&str]| warpsmith().arg("run").arg(&launch).args(with).assert();
    run(&[]).code(2).stderr(contains("`--config compute` has all that it needs"));
    run(&["--config", "compute"]).success();
    let small = ["--config", "compute", "--set", "level=sm10"];
    run(&small).code(2).stderr(contains("--set level=sm11").and(contains("--config").not()));
    write("c.cu", "__constant__ int t[40000];\n__global__ void k(int *p) {\n  *p = t[*p];\n}\n");
    let c = warpsmith().arg("cc").arg(dir.path().join("c.cu")).assert().code(2);
    c.stderr(contains("use a buffer in global memory").and(contains("--set").not()).and(contains("--config").not()));
}
