//! clang itself, with the headers: the shapes of source that people bring, and what is refused.

use std::fs;
use std::path::{Path, PathBuf};
use warpsmith_compiler::clang::{cache, find, names, Clang, ClangOptions, Language, Ptx};
use warpsmith_compiler::{CompileError, Options, Source, Target};

/// The best clang; `None` where there is none and tools are not required.
fn best() -> Option<Clang> {
    warpsmith_testkit::found(find::find(None))
}

/// Every clang of the four that the project is tried with, as far as installed.
fn installed() -> Vec<Clang> {
    ["clang-14", "clang-16", "clang-19", "clang-22"]
        .iter()
        .filter_map(|n| find::find(Some(Path::new(n))).ok())
        .collect()
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sources").join(name)
}

fn compile_file(clang: &Clang, file: &Path) -> Result<Ptx, CompileError> {
    let language = Language::of(file).expect("a language");
    clang.compile(file, language, &ClangOptions::default())
}

fn compile(clang: &Clang, name: &str, text: &str) -> Result<Ptx, CompileError> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(name);
    fs::write(&file, text).expect("a file");
    compile_file(clang, &file)
}

/// Source names of the kernels in PTX.
fn entries(ptx: &str) -> Vec<String> {
    let mut found: Vec<String> =
        ptx.lines().filter_map(|l| l.split_once(".entry ")?.1.split('(').next()).map(names::readable).collect();
    found.sort();
    found
}

#[test]
fn programs_with_host_code_become_their_device_part() {
    for clang in installed() {
        for (file, kernels) in [
            ("host.cu", &["foo::bar", "saxpy", "scale<float>"][..]),
            ("polybench.cu", &["gemm_kernel", "std_kernel"]),
            ("rodinia.cu", &["Kernel", "calculate_temp", "euclid", "flux", "reduce<128, float>", "reduce<256, int>"]),
            ("apis.cu", &["numbers<float, 128, true>", "stride"]),
            ("modern.cu", &["halves", "shapes"]),
            ("builtins.cl", &["saxpy"]),
        ] {
            let ptx = compile_file(&clang, &source(file)).unwrap_or_else(|e| panic!("{}: {e}", clang.version));
            let ptx = Ptx { text: ptx.text.replace(".f64 ", ".F "), ..ptx };
            assert_eq!(entries(&ptx.text), kernels, "{}", clang.version);
            assert!(ptx.text.contains(".address_size 32"));
            assert!(ptx.text.contains(&format!("/{file}\"")), "{file}");
            // Neither double precision nor functions without a body, on any clang.
            // but for those that the compiler has routines for.
            let own = |l: &&str| !l.contains(" __warpsmith_");
            let text: String = ptx.text.lines().filter(own).flat_map(|l| [l, "\n"]).collect();
            for bad in [".f64", ".extern .func"] {
                assert!(!text.contains(bad), "{}: {file}: {bad}\n{}", clang.version, ptx.text);
            }
            assert_eq!(ptx.warnings, "", "{}: {file}", clang.version);
        }
    }
}

/// clang takes internal variables that no kernel writes for their initial values; the host sets them.
#[test]
fn internal_variables_are_read_from_memory() {
    let text = "static __constant__ float tab[4];\n\
        static __device__ int counter[4];\n\
        namespace { __constant__ float hidden[4]; __device__ int n = 3; }\n\
        static __device__ int helper(int x) { return x * counter[1] + n; }\n\
        __global__ void k(float *o, int *c, float x) {\n\
          int i = threadIdx.x; o[i] = tab[i & 3] + x * hidden[i & 3]; c[i] = counter[i & 3] + helper(i);\n\
        }\n";
    for clang in installed() {
        let ptx = compile(&clang, "a.cu", text).unwrap_or_else(|e| panic!("{e}"));
        for (name, loads) in [
            ("_ZL3tab", 2),
            ("_ZL7counter", 2),
            ("_ZN12_GLOBAL__N_16hiddenE", 2),
            ("_ZN12_GLOBAL__N_11nE", 2),
            ("ld.const", 2),
            ("ld.global", 3),
        ] {
            let found = ptx.text.lines().filter(|l| l.contains(name)).count();
            assert!(found >= loads, "{}: {name}\n{}", clang.version, ptx.text);
        }
        assert!(ptx.text.contains("fma.rn"), "{}\n{}", clang.version, ptx.text);
        assert!(ptx.text.contains("/a.cu\""), "{}", ptx.text);
        assert_eq!(ptx.warnings, "", "{}", clang.version);
    }
}

/// Compilation in two steps gives the same code as in one.
#[test]
fn programs_with_internal_variables_are_compiled_as_others_are() {
    let text = |linkage: &str| {
        format!(
            "{linkage} __constant__ float w[4];\nnamespace some {{}}\n__device__ float f(float x) {{ return x / 3.0f + sqrtf(x); }}\n__global__ void k(float *o, const float *p, int n) {{\n  float s = 0;\n  for (int i = 0; i < n; i++) s += w[i & 3] * p[i] + f(p[i + n]);\n  o[threadIdx.x] = s;\n}}\n"
        )
    };
    for clang in installed() {
        let code = |linkage: &str| {
            let ptx = compile(&clang, "a.cu", &text(linkage)).unwrap_or_else(|e| panic!("{e}"));
            let lines = ptx.text.lines().map(|l| l.replace("_ZL1w", "w"));
            lines
                .filter(|l| l.starts_with('\t') && !l.contains(".file") && !l.contains("//") && !l.contains(".section"))
                .collect::<Vec<_>>()
        };
        assert_eq!(code("static"), code(""), "{}", clang.version);
    }
}

#[test]
fn what_clang_refuses_has_the_line_of_the_source() {
    let Some(clang) = best() else { return };
    for (name, text, line, says) in [
        ("a.cu", "__global__ void k(int *p) { *p = x; }", 1, "undeclared identifier 'x'"),
        ("a.cu", "#include \"nowhere.h\"\n", 1, "file not found"),
        ("a.cu", "__global__ int k(int *p) { return 0; }", 1, "void"),
        ("a.cl", "__kernel void k(__global int *p) { *p = ; }", 1, "expected expression"),
    ] {
        let e = compile(&clang, name, text).expect_err(text);
        assert_eq!(e.line, Some(line), "{e}");
        assert!(e.file.ends_with(name) && e.message.contains(says), "{e}");
        assert!(!e.message.contains("/warpsmith-"), "{e}");
    }
}

/// The whole way of one kernel.
fn whole(clang: &Clang, file: &Path, kernel: &str, arguments: &[&str]) -> Result<(), CompileError> {
    let mut source = Source::new(file);
    source.clang = Some(clang.path.clone());
    source.kernel = Some(kernel.into());
    source.arguments = arguments.iter().map(|a| a.to_string()).collect();
    source.options = Options::default();
    source.compile(&Target::unlimited()).map(|_| ())
}

/// Line of the first occurrence of `text` in one of the sources.
fn line_of(file: &Path, text: &str) -> u32 {
    let source = fs::read_to_string(file).expect("a source");
    1 + source.lines().position(|l| l.contains(text)).expect(text) as u32
}

#[test]
fn what_the_machine_lacks_is_refused_kernel_by_kernel() {
    let file = source("partly.cu");
    for clang in installed() {
        for kernel in ["sum", "rotate", "pack", "shuffled", "fetch", "object", "table", "gather"] {
            whole(&clang, &file, kernel, &[]).unwrap_or_else(|e| panic!("{}: {kernel}: {e}", clang.version));
        }
        for (kernel, at, says) in [
            ("histogram", "atomicAdd(", "--set level=sm11"),
            ("waiting", "this_grid()", "launch a second one"),
            ("heap", "= new int[4]", "--set level=sm11"),
        ] {
            let e = whole(&clang, &file, kernel, &[]).expect_err(kernel);
            assert!(e.message.contains(says), "{}: {e}", clang.version);
            assert!(e.file.ends_with("partly.cu"), "{}: {e}", clang.version);
            assert_eq!(e.line, Some(line_of(&file, at)), "{}: {e}", clang.version);
        }
    }
}

#[test]
fn what_opencl_lacks_is_refused_kernel_by_kernel() {
    let text = "__kernel void a(__global int *p) { p[0] = 1; }
__kernel void b(__global int *p) {
  p[1] = atomic_inc(p);
}
__kernel void c(__global float4 *p, read_only image2d_t i, sampler_t s) {
  *p = read_imagef(i, s, (int2)(0));
}
";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.cl");
    fs::write(&file, text).expect("a file");
    for clang in installed() {
        whole(&clang, &file, "a", &[]).unwrap_or_else(|e| panic!("{}: {e}", clang.version));
        whole(&clang, &file, "c", &[]).unwrap_or_else(|e| panic!("{}: {e}", clang.version));
        let e = whole(&clang, &file, "b", &[]).expect_err("b");
        assert!(e.message.contains("--set level=sm11"), "{}: {e}", clang.version);
        assert_eq!(e.line, Some(3), "{}: {e}", clang.version);
    }
}

#[test]
fn doubles_are_routines_or_floats() {
    let file = source("doubles.cu");
    for clang in installed() {
        for kernel in ["single", "wide"] {
            whole(&clang, &file, kernel, &[]).unwrap_or_else(|e| panic!("{}: {e}", clang.version));
        }
        whole(&clang, &file, "wide", &["-mdouble=32"]).unwrap_or_else(|e| panic!("{}: {e}", clang.version));
    }
}

#[test]
fn options_reach_the_source() {
    let Some(clang) = best() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("k.cu"), "#include \"n.h\"\n__global__ void k(int *p) { *p = N + M; }")
        .expect("a file");
    fs::create_dir(folder.path().join("inc")).expect("a folder");
    fs::write(folder.path().join("inc/n.h"), "#define N 40\n").expect("a file");
    let options = ClangOptions {
        arguments: vec!["-DM=2".into(), format!("-I{}", folder.path().join("inc").display())],
        ..ClangOptions::default()
    };
    let file = folder.path().join("k.cu");
    let ptx = clang.compile(&file, Language::Cuda, &options).unwrap_or_else(|e| panic!("{e}"));
    assert!(ptx.text.contains(", 42;"));
    assert!(ptx.files.iter().any(|f| f.ends_with("inc/n.h")), "{:?}", ptx.files);

    // An entry serves until a file that was read changes.
    let kept = |cached: &Ptx| {
        let again = cache::compile(folder.path(), &clang, &file, Language::Cuda, &options);
        assert_eq!(again.unwrap_or_else(|e| panic!("{e}")).text, cached.text);
    };
    kept(&ptx);
    let stored: Vec<_> = fs::read_dir(folder.path().join("ptx")).expect("entries").collect();
    assert_eq!(stored.len(), 1);
    kept(&ptx);
    fs::write(folder.path().join("inc/n.h"), "#define N 50\n").expect("a file");
    let other =
        cache::compile(folder.path(), &clang, &file, Language::Cuda, &options).unwrap_or_else(|e| panic!("{e}"));
    assert!(other.text.contains(", 52;"));
    // A damaged entry is made anew.
    for entry in fs::read_dir(folder.path().join("ptx")).expect("entries") {
        let path = entry.expect("an entry").path();
        let text = fs::read(&path).expect("an entry");
        fs::write(&path, &text[..text.len() / 2]).expect("a file");
    }
    let again = cache::compile(folder.path(), &clang, &file, Language::Cuda, &options);
    assert_eq!(again, Ok(other));
}

#[test]
fn loops_of_known_rounds_are_unrolled_unless_an_option_leaves_them() {
    let Some(clang) = best() else { return };
    let text = "__global__ void k(float *p, int n) {\n\
                float s = 0;\n\
                for (int i = 0; i < 8; i++) s += p[3 * i];\n\
                for (int i = 0; i < n; i++) s *= p[i];\n\
                p[0] = s; }";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("k.cu");
    fs::write(&file, text).expect("a file");
    let loads = |arguments: &[&str]| {
        let arguments = arguments.iter().map(|a| a.to_string()).collect();
        let options = ClangOptions { arguments, ..ClangOptions::default() };
        let ptx = clang.compile(&file, Language::Cuda, &options).unwrap_or_else(|e| panic!("{e}"));
        ptx.text.lines().filter(|l| l.trim().starts_with("ld.") && !l.contains("param")).count()
    };
    // The other loop stays one.
    assert_eq!(loads(&[]), 8 + 1);
    assert_eq!(loads(&["-fno-unroll-loops"]), 1 + 1);
}

#[test]
fn a_wrong_clang_is_named() {
    let e = find::find(Some(Path::new("/nowhere/clang"))).expect_err("no such file");
    assert!(e.contains("/nowhere/clang"), "{e}");
    let e = find::find(Some(Path::new("/bin/true"))).expect_err("no clang");
    assert!(e.contains("no clang"), "{e}");
}

/// A clang that notes its runs, by a script.
fn noting(folder: &Path, clang: &Clang) -> (PathBuf, impl Fn() -> usize) {
    use std::os::unix::fs::PermissionsExt as _;
    let (script, notes) = (folder.join("clang"), folder.join("notes"));
    let text = format!("#!/bin/sh\necho run >> {}\nexec {} \"$@\"\n", notes.display(), clang.path.display());
    fs::write(&script, text).expect("a file");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("a program");
    (script, move || fs::read_to_string(&notes).map_or(0, |n| n.lines().count()))
}

#[test]
fn a_new_source_runs_clang_once_and_a_kept_one_never() {
    let Some(clang) = best() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let (script, runs) = noting(folder.path(), &clang);
    let source = |name: &str, text: &str| {
        let file = folder.path().join(name);
        fs::write(&file, text).expect("a file");
        Source { clang: Some(script.clone()), cache: Some(folder.path().into()), ..Source::new(file) }
    };
    let target = Target::unlimited();
    let first = source("first.cl", "kernel void k(global float *p) { p[get_global_id(0)] = sin(p[0]); }");
    first.compile(&target).unwrap_or_else(|e| panic!("{e}"));
    // With the library of OpenCL C, and what clang says of itself.
    let before = runs();
    let text = "kernel __attribute__((reqd_work_group_size(8, 1, 1))) void k(global const int *in, global int *out) {
        out[get_global_id(0)] = in[get_local_id(0)];
    }";
    let mut second = source("second.cl", text);
    let compiled = second.compile(&target).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(runs(), before + 1);
    let ptx = second.ptx().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(ptx.declared[0].required_block, Some([8, 1, 1]));
    assert_eq!((ptx.declared[0].arguments[0].ty.as_str(), ptx.declared[0].arguments[1].name.as_str()), ("int*", "out"));
    assert_eq!(ptx.warnings, "");
    assert_eq!(second.compile(&target), Ok(compiled));
    let module = second.module().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(runs(), before + 2);
    assert_eq!(second.module(), Ok(module));
    assert_eq!(runs(), before + 2);
    // Options are part of what is kept.
    second.arguments.push("-DX=1".into());
    second.compile(&target).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(runs(), before + 3);
    // Machine code is that of a chip.
    second.compile(&Target { program_bytes: 8, ..target }).expect_err("it does not fit");
    assert_eq!(runs(), before + 3);
    // Another clang is asked.
    let mut longer = fs::read(&script).expect("the script");
    longer.push(b'\n');
    fs::write(&script, longer).expect("a file");
    second.ptx().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(runs(), before + 4);
}

#[test]
fn warnings_stay_beside_what_clang_shows() {
    for clang in installed() {
        let text = "kernel void k(global int *p) { int unused; p[0] = 1; }\n#warning take care\n";
        let ptx = compile(&clang, "k.cl", text).unwrap_or_else(|e| panic!("{}: {e}", clang.version));
        assert!(ptx.warnings.contains("take care"), "{}: {}", clang.version, ptx.warnings);
        assert!(!ptx.warnings.contains("IR Dump") && !ptx.warnings.contains("\n!"), "{}", ptx.warnings);
        assert_eq!(ptx.declared.len(), 1, "{}", clang.version);
    }
}
