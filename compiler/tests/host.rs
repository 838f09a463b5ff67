//! The host part of a `.cu` file: what does not parse there refuses no kernel, and hides no error of the device.

use std::fs;
use std::path::Path;
use warpsmith_compiler::clang::{cache, find, names, Clang, ClangOptions, Language, Ptx};
use warpsmith_compiler::CompileError;

/// The clangs to try: those that the project is made with, as far as installed, else the best one.
pub fn installed() -> Vec<Clang> {
    let names = ["clang-14", "clang-15", "clang-16", "clang-19", "clang-22"];
    let list: Vec<Clang> = names.iter().filter_map(|n| find::find(Some(Path::new(n))).ok()).collect();
    match list.is_empty() {
        true => warpsmith_testkit::found(find::find(None)).into_iter().collect(),
        false => list,
    }
}

pub fn compile_with(clang: &Clang, text: &str, more: &[(&str, &str)], arguments: &[&str]) -> Result<Ptx, CompileError> {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in more.iter().chain(&[("k.cu", text)]) {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    let arguments = arguments.iter().map(|a| a.replace("HERE", &folder.path().display().to_string())).collect();
    let options = ClangOptions { arguments, ..ClangOptions::default() };
    clang.compile(&folder.path().join("k.cu"), Language::Cuda, &options)
}

/// Source names of the kernels that a text has, and clang's remarks without the folder.
fn kernels(clang: &Clang, text: &str) -> (Vec<String>, String) {
    let ptx = compile_with(clang, text, &[], &[]).unwrap_or_else(|e| panic!("{}: {e}\n{text}", clang.version));
    let entry = |l: &str| Some(names::readable(l.split_once(".entry ")?.1.split('(').next()?));
    let mut found: Vec<String> = ptx.text.lines().filter_map(entry).collect();
    found.sort();
    let folder = ptx.warnings.split("k.cu").next().unwrap_or("").to_string();
    (found, if folder.is_empty() { ptx.warnings } else { ptx.warnings.replace(&folder, "") })
}

const KERNEL: &str = "__global__ void k(int *p) { p[threadIdx.x] += 1; }\n";

/// Each is a host part, and what the note says of it.
const HOSTS: [(&str, &str); 22] = [
    ("int main() { unknown(3); return 0; }", "k.cu:2: use of undeclared identifier 'unknown'"),
    ("int main() { this is (not C++ }", "k.cu:2: "),
    ("int main() { if (1) { k<<<1, 1>>>(nullptr)", "k.cu:2: "),
    ("void f(Unknown x) { x.y(); }\nint g() { return f(3); }", "k.cu:2: unknown type name 'Unknown'"),
    ("Unknown x; int *y = &x;", "k.cu:2: unknown type name 'Unknown'"),
    ("struct S { Unknown u; void f(); }; void S::f() { u = 1; }", "k.cu:2: unknown type name 'Unknown'"),
    ("struct S { int x; void f() { y = 1; } virtual void g(Unknown); };", "k.cu:2: "),
    ("class C : public Unknown { C() : Unknown(1) {} };", "k.cu:2: "),
    ("template <class T> T f(T x) { return x.y; }\nint main() { return f(1); }", "k.cu:2: member reference base type"),
    ("#include <vector>\n#include <algorithm>\nstruct S {};\nint main() { std::vector<S> v; std::sort(v.begin(), v.end()); }", "k.cu:5: invalid operands"),
    ("constexpr int f() { return unknown; }\nint x[f()];", "k.cu:2: use of undeclared identifier 'unknown'"),
    ("using namespace unknown; using unknown::x; typedef unknown y; enum E { A = unknown };", "k.cu:2: "),
    ("namespace n { int f() { return unknown; } } extern \"C\" { int g(Unknown); }", "k.cu:2: "),
    ("void main() { k<<<1, 1>>>(0); }", "k.cu:2: 'main' must return 'int'"),
    ("int main() { for (auto x : unknown) if (x) while (y) { z; } do { } while (u); switch (v) { case w: break; } }", "k.cu:2: "),
    ("int main() try { unknown; } catch (Unknown &u) { }", "k.cu:2: "),
    ("#include <cufft.h>\n#include <cublas_v2.h>\n#include <GL/glut.h>\nint main() { cufftHandle p; cufftPlan1d(&p, 8, CUFFT_C2C, 1); glutInit(0, 0); cublasHandle_t h; cublasCreate(&h); }", "k.cu:5: use of undeclared identifier"),
    ("#include <thrust/sort.h>\nint main() { thrust::sort(0, 1); }", "are not found count as empty (thrust/sort.h)"),
    ("#include \"a.h\"\n#include <b/c.h>\n", "are not found count as empty (a.h, b/c.h)\n"),
    ("int main() { auto f = [] { return unknown; }; f(); }", "k.cu:2: "),
    ("static_assert(sizeof(void *) == 8, \"64 bits\");", "k.cu:2: "),
    ("int f(); float f();\nint x = 1; int x = 2;", "k.cu:2: "),
];

#[test]
fn a_host_part_that_does_not_parse_refuses_no_kernel() {
    if let Some(clang) = warpsmith_testkit::found(find::find(None)) {
        for (host, says) in HOSTS {
            let (found, note) = kernels(&clang, &format!("{KERNEL}{host}\n"));
            assert_eq!(found, ["k"], "{}: {host}", clang.version);
            assert!(note.contains(says), "{}: {host}\n{note}", clang.version);
            assert_eq!(note.matches("note: ").count(), 1, "{note}");
            assert_eq!(note.lines().count(), 1, "{note}");
        }
    }
}

#[test]
fn instances_of_templates_stay_that_the_host_part_names() {
    let text = "template <class T, int n> __global__ void k(T *p) { p[threadIdx.x] += n; }
template <class T> __global__ void d(T *p, int x) { *p = x; }
template <class T> void run(Handle h) { k<T, 5><<<1, 1, 0, h.stream>>>((T *)h.data); }
template <class T> void go(T *p) { k<T, 6><<<1, 1>>>(p); }
int main() {
  Unknown u;
  int *p = 0;
  k<int, 1><<<1, 32>>>(u.data());
  k<float, 2><<<u.grid, 32>>>((float *)0);
  k<int, 3> << < 1, 32 >> > (p);
  d<<<1, 32, 0, u.stream>>>(p, 3);
  u.each([&] { k<short, 4><<<1, 1>>>(u.data()); });
  go<char>(u.data());
  return 0;
}
void main(int x) { k<int, 7><<<1, 1>>>(0); }
";
    for clang in installed() {
        let (found, note) = kernels(&clang, text);
        let instances = ["d<int>", "k<char, 6>", "k<float, 2>", "k<int, 1>", "k<int, 3>", "k<int, 7>", "k<short, 4>"];
        assert_eq!(found, instances, "{}", clang.version);
        assert!(note.contains("k.cu:3: unknown type name 'Handle' and "), "{note}");
    }
}

#[test]
fn torn_launches_are_launches() {
    let text = "template <class T> __global__ void k(T *p) { *p = 1; }
int main() { int *p = 0; float *q = 0; k << < 1, 1 >> > (p); k <<< 1, 1 >> > (q); return 0; }
";
    for clang in installed() {
        let (found, note) = kernels(&clang, text);
        assert_eq!(
            (found, note.as_str()),
            (vec!["k<float>".to_string(), "k<int>".to_string()], ""),
            "{}",
            clang.version
        );
    }
}

/// What nvcc includes by itself, its names, and what it takes: nothing is left out, and nothing is said.
#[test]
fn what_nvcc_takes_is_taken() {
    let text = "template <class T> void check(T result, const char *file, int line) {
  if (result) { fprintf(stderr, \"%s:%d %s\\n\", file, line, cudaGetErrorName(result)); exit(EXIT_FAILURE); }
}
#ifdef __DRIVER_TYPES_H__
static const char *_cudaGetErrorEnum(cudaError_t error) {
  switch (error) {
  case cudaSuccess: return \"cudaSuccess\";
  case cudaErrorMissingConfiguration: return \"cudaErrorMissingConfiguration\";
  case cudaErrorApiFailureBase: return \"cudaErrorApiFailureBase\";
  default: return cudaGetErrorName(error);
  }
}
inline int choose() {
  int mode = -1;
  cudaDeviceProp p;
  if (cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, 0) || cudaGetDeviceProperties(&p, 0)) return -1;
  return mode == cudaComputeModeProhibited || p.computeMode == cudaComputeModeProhibited;
}
#define DEVICE_RESET cudaDeviceReset();
#else
#error driver types
#endif
#ifdef __cuda_cuda_h__
#error cuda.h comes when it is included
#endif
#ifndef __CUDA_RUNTIME_H__
#error runtime
#endif
#include <cuda.h>
#define LINE \"\\n\"
static const char *_cudaGetErrorEnum(CUresult error) { return error == CUDA_SUCCESS ? \"CUDA_SUCCESS\" : \"?\"; }
__constant__ float weights[2] = {1.0, 2.0};
__device__ const int sizes[2] = {1u, INT_MAX};
__global__ void k(int *p, const __grid_constant__ int n, long long wide) {
  int a[2] = {n * 2u, wide};
  float2 f = {n, p[0]};
  dim3 d = {n};
  assert(n > 0);
  if (n > 9) f.x = nanf(\"\");
  p[threadIdx.x] = a[n & 1] + f.x + weights[n & 1] + sizes[n & 1] + d.x + (wide > UINT_MAX);
}
int main(int argc, char **argv) {
  size_t n = strlen(argv[0]);
  int list[2] = {n, time(NULL)};
  dim3 grid = {n / 2, clock() / CLOCKS_PER_SEC};
  std::pair<int, int> pair = std::make_pair(1, 2);
  assert(pair.first < INT_MAX);
  int *d;
  cudaArray_t array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  check(cudaMalloc3DArray(&array, &format, make_cudaExtent(1, 1, 1), cudaArrayLayered), __FILE__, __LINE__);
  check(cudaMalloc(&d, n), __FILE__, __LINE__);
  k<<<grid, list[0]>>>(d, n, 1);
  DEVICE_RESET
  printf(\"%s\"LINE, _cudaGetErrorEnum(CUDA_SUCCESS));
  return 0;
}
";
    for clang in installed() {
        let (found, note) = kernels(&clang, text);
        assert_eq!((found, note.as_str()), (vec!["k".to_string()], ""), "{}", clang.version);
    }
}

/// Line, beginning of the message, and something that it says besides.
#[test]
fn errors_of_the_device_are_named_whatever_the_host_part_is() {
    let broken = "int main() { unknown(3); }\n#include \"nowhere.h\"\n";
    for clang in installed() {
        for (device, line, begins, says) in [
            ("__global__ void k(int *p) {\n  *p = x;\n}\n", 4, "use of undeclared identifier 'x'", "nowhere.h was not found"),
            ("__device__ int f(int a) {\n  return a +;\n}\n__global__ void k(int *p) { *p = f(1); }\n", 4, "expected expression", ""),
            ("__constant__ Unknown c;\n__global__ void k(int *p) { *p = 1; }\n", 3, "unknown type name 'Unknown'", "-I names a folder"),
            ("struct S {\n  Unknown u;\n  __device__ int f() { return 1; }\n};\n__global__ void k(int *p, S s) { *p = s.f(); }\n", 4, "unknown type name 'Unknown'", ""),
            ("struct S {\n  Unknown u;\n  int x;\n};\n__global__ void k(int *p, S s) {\n  *p = s.x; }\n", 7, "unknown type name 'S'", "k.cu:4: left out, as it does not parse: unknown type name 'Unknown'"),
            ("template <class T> __global__ void k(T *p) {\n  *p = p->x;\n}\nvoid f(Unknown) { k<<<1, 1>>>((int *)0); }\nvoid g() { k<<<1, 1>>>((int *)0); }\n", 4, "member reference base type 'int'", ""),
            ("__device__ int f(int);\nint f(int a) {\n  return b;\n}\n__global__ void k(int *p) { *p = f(1); }\n", 5, "use of undeclared identifier 'b'", ""),
            ("int f(int a) { return 1; }\n__global__ void k(int *p) {\n  *p = f(1); }\n", 5, "", "'f'"),
        ] {
            let e = compile_with(&clang, &format!("{broken}{device}"), &[], &[]).expect_err(device);
            assert_eq!(e.line, Some(line), "{}: {e}", clang.version);
            assert!(e.file.ends_with("k.cu"), "{e}");
            assert!(e.message.starts_with(begins), "{}: {e}", clang.version);
            assert!(e.message.contains(says), "{}: {e}", clang.version);
            assert!(!e.message.contains("warpsmith-"), "{e}");
        }
        // Without anything wrong on the host side the message is clang's own.
        let e = compile_with(&clang, "__global__ void k(int *p) {\n  *p = x;\n}\n", &[], &[]).expect_err("x");
        assert!(e.line == Some(2) && e.message.contains("*p = x;"), "{e}");
        // Nothing but a host part is no program, and `#error` is an error.
        let e = compile_with(&clang, "int f() { return x; }\n", &[], &[]).expect_err("no kernel");
        assert!(e.line == Some(1) && e.message.contains("undeclared identifier 'x'"), "{e}");
        let e = compile_with(&clang, &format!("{broken}{KERNEL}#error no\n"), &[], &[]).expect_err("#error");
        assert!(e.line == Some(4) && e.message.starts_with("no; nowhere.h was not found: -I names"), "{e}");
    }
}

/// A class that the device reads loses no member: its size is its meaning.
#[test]
fn the_host_part_does_not_change_what_the_device_reads() {
    let text = "struct S { int a; int f() { return unknown; } int g(Unknown u); static Unknown h(); int b; };
__global__ void k(int *p, S s) { *p = s.b + sizeof(S); }\n";
    for clang in installed() {
        let ptx = compile_with(&clang, text, &[], &[]).unwrap_or_else(|e| panic!("{}: {e}", clang.version));
        assert!(ptx.text.contains("[_Z1kPi1S_param_1+4]"), "{}", ptx.text);
        assert!(ptx.text.contains(", 8;"), "{}", ptx.text);
    }
}

#[test]
fn source_lines_and_variables_stay() {
    let text = "#include \"nowhere.h\"\nstatic __constant__ int table[4];\nint main() {\n  unknown(\n    3);\n}\n\n__global__ void k(int *p) {\n  p[threadIdx.x] = table[threadIdx.x];\n}\n";
    for clang in installed() {
        let ptx = compile_with(&clang, text, &[], &[]).unwrap_or_else(|e| panic!("{}: {e}", clang.version));
        // The host sets the variable: it is read.
        assert!(ptx.text.contains("ld.const"), "{}", ptx.text);
        let at: Vec<_> = ptx.text.lines().filter(|l| l.trim_start().starts_with(".loc")).collect();
        assert!(at.iter().any(|l| l.contains(" 9 ")), "{at:?}");
        assert!(ptx.text.contains("k.cu\"") && !ptx.text.contains("device.cu"), "{}", ptx.text);
    }
}

#[test]
fn options_of_the_preprocessor_reach_the_source_once() {
    let text = "#include \"nowhere.h\"\n#undef N\n__global__ void k(int *p) { int N = 3; *p = N + M + FIRST; }\n#ifdef U\n#error U\n#endif\nint main() { unknown; }\n";
    let more = [("first.h", "#define FIRST 30\n#ifndef __CUDACC__\n#error order\n#endif\n")];
    let arguments = ["-DN=7", "-DM=400", "-DU", "-UU", "-includeHERE/first.h", "-std=c++14", "-Wall"];
    for clang in installed() {
        let ptx = compile_with(&clang, text, &more, &arguments).unwrap_or_else(|e| panic!("{}: {e}", clang.version));
        assert!(ptx.text.contains(", 433;"), "{}", ptx.text);
    }
}

/// A header that comes to be there is read.
#[test]
fn a_kept_program_ends_with_the_header_that_was_missing() {
    let Some(clang) = warpsmith_testkit::found(find::find(None)) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("k.cu");
    fs::write(&file, "#include \"n.h\"\n#ifndef N\n#define N 40\n#endif\n__global__ void k(int *p) { *p = N; }\n")
        .expect("a file");
    let get = || {
        let ptx = cache::compile(folder.path(), &clang, &file, Language::Cuda, &ClangOptions::default());
        ptx.unwrap_or_else(|e| panic!("{e}"))
    };
    let first = get();
    assert!(first.text.contains(", 40;") && first.absent == [folder.path().join("n.h")], "{:?}", first.absent);
    assert_eq!(get(), first);
    fs::write(folder.path().join("n.h"), "#define N 50\n").expect("a file");
    let second = get();
    assert!(second.text.contains(", 50;") && second.absent.is_empty() && second.warnings.is_empty());
}

/// The word `double` stands in the header alone.
#[test]
fn functions_of_doubles_are_there_for_headers() {
    let header = "template <class T> struct Rounded;
template <> struct Rounded<double> {
  typedef double T;
  __device__ T up(T x) { return x > 0 ? __dadd_ru(x, 1) : nan(\"\"); }
};
";
    let text = "#include \"rounded.h\"
template <class R> __global__ void k(typename R::T *p) { *p = R().up(*p); }
int main() { k<Rounded<decltype(1.0)>><<<1, 1>>>(0); }
";
    for clang in installed() {
        let ptx = compile_with(&clang, text, &[("rounded.h", header)], &[]);
        let ptx = ptx.unwrap_or_else(|e| panic!("{}: {e}", clang.version));
        assert!(ptx.text.contains("add.rp.f64"), "{}: {}", clang.version, ptx.text);
    }
}
