//! Errors in code of the device: they refuse the kernels that need it, and no others.

use crate::host::{compile_with, installed};
use std::fs;
use warpsmith_compiler::clang::names::readable;
use warpsmith_compiler::clang::{find, Clang};
use warpsmith_compiler::{compile, kernels, Options, Source, Target};

/// A kernel that is left out: its name, and the line and the beginning of its reason.
type Left = (&'static str, u32, &'static str);

/// A file with a sound kernel `k` in front of each of these: kernels that are sound besides, and those left out.
const APART: [(&str, &[&str], &[Left]); 21] = [
    ("__global__ void bad(int *p) {\n  *p = x;\n}", &[], &[("bad", 3, "use of undeclared identifier 'x'")]),
    // What calls it is refused too, through any number of functions.
    (
        "__device__ int f(int a) { return b; }\n__device__ int g(int a) { return f(a) + 1; }\n__global__ void bad(int *p) { *p = g(1); }\n__global__ void ok(int *p) { *p = 3; }",
        &["ok"],
        &[("bad", 2, "use of undeclared identifier 'b'")],
    ),
    // Overloads mean the same functions as before.
    (
        "__device__ int f(float a) { return 1; }\n__device__ int f(int a) { return b; }\n__global__ void bad(int *p) { *p = f(1); }\n__global__ void ok(int *p) { *p = f(1.0f); }",
        &["ok"],
        &[("bad", 3, "use of undeclared identifier 'b'")],
    ),
    // A body is one of all instances of its template, of a specialisation alone of that.
    (
        "template <class T> __device__ T f(T a) { return b; }\ntemplate <> __device__ int f<int>(int a) { return a; }\n__global__ void bad(float *p) { *p = f(*p); }\n__global__ void ok(int *p) { *p = f(*p); }",
        &["ok"],
        &[("bad", 2, "use of undeclared identifier 'b'")],
    ),
    (
        "template <class T> __device__ T f(T a) { return a; }\ntemplate <> __device__ int f<int>(int a) { return b; }\n__global__ void ok(float *p) { *p = f(*p); }\n__global__ void bad(int *p) { *p = f(*p); }",
        &["ok"],
        &[("bad", 3, "use of undeclared identifier 'b'")],
    ),
    (
        "template <class T> __global__ void bad(T *p) { *p = p->x; }\nvoid h() { bad<<<1, 1>>>((int *)0); }",
        &[],
        &[("bad<int>", 2, "member reference base type 'int'")],
    ),
    // Members, with their initialisers.
    (
        "struct S { int a; __device__ S(int x) : a(y) { } __device__ S() : a(1) { } __device__ int get() const { return a; } };\n__global__ void bad(int *p) { *p = S(3).get(); }\n__global__ void ok(int *p) { *p = S().get(); }",
        &["ok"],
        &[("bad", 2, "use of undeclared identifier 'y'")],
    ),
    (
        "struct S { template <class T> __device__ int operator()(T a) const { return lost::get<0>(a); } };\ntemplate <class F> __global__ void bad(int *p, F f) { *p = f(*p); }\nvoid h() { bad<<<1, 1>>>((int *)0, S()); }",
        &[],
        &[("bad<S>", 2, "use of undeclared identifier 'lost'")],
    ),
    (
        "struct S { __device__ int f(); };\n__device__ int S::f() { return y; }\nnamespace n { struct T : S { }; }\n__global__ void bad(int *p) { n::T t; *p = t.f(); }",
        &[],
        &[("bad", 3, "use of undeclared identifier 'y'")],
    ),
    // A destructor, an operator and a conversion are called without their names.
    (
        "struct S { int a; __device__ ~S() { y; } };\n__global__ void bad(int *p) { S s; *p = s.a = 1; }",
        &[],
        &[("bad", 2, "use of undeclared identifier 'y'")],
    ),
    (
        "struct S { int a; __device__ operator int() const { return y; } };\n__global__ void bad(int *p, S s) { *p = s + 1; }",
        &[],
        &[("bad", 2, "use of undeclared identifier 'y'")],
    ),
    // Functions that are called through pointers, virtual ones among them.
    (
        "__device__ int f(int a) { return b; }\n__device__ int g(int a) { return a; }\n__global__ void bad(int *p) { int (*t[2])(int) = {f, g}; *p = t[*p & 1](3); }\n__global__ void ok(int *p) { *p = g(3); }",
        &["ok"],
        &[("bad", 2, "use of undeclared identifier 'b'")],
    ),
    (
        "struct A { __device__ virtual int f() { return 1; } };\nstruct B : A { __device__ int f() override { return b; } };\n__global__ void bad(int *p) { A a; B b; A *x = *p ? &a : &b; *p = x->f(); }",
        &[],
        &[("bad", 3, "use of undeclared identifier 'b'")],
    ),
    (
        "typedef int (*F)(int);\n__device__ int f(int a) { return b; }\n__device__ F table = f;\n__global__ void bad(int *p) { *p = table(3); }",
        &[],
        &[("bad", 3, "use of undeclared identifier 'b'")],
    ),
    // Kernels that launch kernels.
    (
        "__global__ void child(int *p) { *p = 1; }\n__global__ void bad(int *p) {\n  child<<<1, 1>>>(p);\n}",
        &["child"],
        &[("bad", 4, "reference to __global__ function 'child' in __global__ function: a kernel cannot launch")],
    ),
    // A kernel whose parameters are wrong is not there at all.
    (
        "__global__ void bad(int *p, Unknown u) { *p = 1; }\nvoid h() { bad<<<1, 1>>>(0, 0); }",
        &[],
        &[("bad", 2, "unknown type name 'Unknown'")],
    ),
    (
        "template <class T, int n> __global__ void bad(T *p, Unknown<T, n> u) { *p = 1; }\nvoid h() { bad<int, 3><<<1, 1>>>(0, 0); }",
        &[],
        &[("bad", 2, "no template named 'Unknown'")],
    ),
    // Headers that are not found, and errors of the host besides.
    (
        "#include <thrust/tuple.h>\nint main() { thrust::sort(0, 1); }\n__device__ int f(int a) { return thrust::get<0>(a); }\n__global__ void bad(int *p) { *p = f(1); }",
        &[],
        &[("bad", 4, "use of undeclared identifier 'thrust'")],
    ),
    // A function for both sides, and one whose mark stands at its declaration.
    (
        "__host__ __device__ int f(int a) { return b; }\n__device__ int g(int);\nint g(int a) { return c; }\n__global__ void bad(int *p) { *p = f(1); }\n__global__ void worse(int *p) { *p = g(1); }",
        &[],
        &[("bad", 2, "use of undeclared identifier 'b'"), ("worse", 4, "use of undeclared identifier 'c'")],
    ),
    // A result type that is written behind the parameters is not deduced.
    (
        "__device__ auto f(int a) -> int { return b; }\n__global__ void bad(int *p) { *p = f(1); }",
        &[],
        &[("bad", 2, "use of undeclared identifier 'b'")],
    ),
    // A lambda is part of the function that it stands in.
    (
        "__global__ void bad(int *p) { auto f = [=](int a) { return b; }; *p = f(1); }",
        &[],
        &[("bad", 2, "use of undeclared identifier 'b'")],
    ),
];

const SOUND: &str = "__global__ void k(int *p) { p[threadIdx.x] += 1; }\n";

fn checked(clang: &Clang, text: &str, sound: &[&str], left: &[Left]) {
    let ptx = compile_with(clang, text, &[], &[]).unwrap_or_else(|e| panic!("{}: {e}\n{text}", clang.version));
    let found = kernels(&ptx.text, "k.ptx").unwrap_or_else(|e| panic!("{e}"));
    let mut names: Vec<String> = found.sound.iter().map(|s| readable(s)).collect();
    names.sort();
    let mut expected = [sound, &["k"]].concat();
    expected.sort_unstable();
    assert_eq!(names, expected, "{}: {text}", clang.version);
    let all: Vec<_> = found.left_out.iter().chain(&found.missing).collect();
    assert_eq!(all.len(), left.len(), "{}: {text}\n{all:?}", clang.version);
    for (name, line, says) in left {
        let (_, error) = all.iter().find(|(n, _)| readable(n) == *name).unwrap_or_else(|| panic!("{name}: {all:?}"));
        assert_eq!(error.line, Some(*line), "{}: {text}\n{error}", clang.version);
        assert!(error.file.ends_with("k.cu") && error.message.starts_with(says), "{}: {error}", clang.version);
        let note = format!("k.cu:{line}: note: kernel {name} is left out: {says}");
        assert!(ptx.warnings.contains(&note), "{note}\n{}", ptx.warnings);
    }
    let target = Target::unlimited();
    for symbol in &found.sound {
        let made = compile(&ptx.text, "k.ptx", Some(symbol), &target, &Options::default());
        assert!(made.is_ok(), "{}: {symbol}: {:?}", clang.version, made.err());
    }
    for (symbol, error) in &found.left_out {
        let e = compile(&ptx.text, "k.ptx", Some(symbol), &target, &Options::default()).expect_err(symbol);
        assert_eq!((&e.file, e.line), (&error.file, error.line));
        assert_eq!(e.message, format!("kernel {} is left out: {}", readable(symbol), error.message));
    }
}

#[test]
fn an_error_refuses_the_kernels_that_need_it() {
    if let Some(clang) = warpsmith_testkit::found(find::find(None)) {
        for (text, sound, left) in APART {
            checked(&clang, &format!("{SOUND}{text}\n"), sound, left);
        }
    }
}

/// What decides what other code means: these are errors of the file, with their lines.
#[test]
fn errors_that_reach_further_refuse_the_file() {
    if let Some(clang) = warpsmith_testkit::found(find::find(None)) {
        for (text, line, says) in [
            // Result types that bodies decide, and values at compile time: another overload would be taken.
            ("template <class T> __device__ auto f(T a) { return b; }\n__device__ int g(...) { return 2; }\ntemplate <class T> __device__ auto g(T a) -> decltype(f(a)) { return 1; }\n__global__ void w(int *p) { *p = g(1); }", 2, "'b'"),
            ("__device__ decltype(auto) f(int a) { return b; }\n__global__ void w(int *p) { *p = f(1); }", 2, "'b'"),
            ("constexpr int f(int a) { return b; }\nconstexpr int f(long a) { return 2; }\n__global__ void w(int *p) { int t[f(1)]; *p = sizeof(t); }", 2, "'b'"),
            ("__device__ constexpr int f() { return b; }\n__global__ void w(int *p) { *p = f(); }", 2, "'b'"),
            // Types, variables and heads.
            ("__device__ int f(Unknown u) { return 1; }\n__device__ int f(int a) { return 2; }\n__global__ void w(int *p) { *p = f(1); }", 2, "'Unknown'"),
            ("struct S { __device__ int f() { return 1; } Unknown u; };\n__global__ void w(int *p) { *p = S().f(); }", 2, "'Unknown'"),
            ("__device__ int n = unknown;\n__global__ void w(int *p) { *p = n; }", 2, "'unknown'"),
            // Another kernel of the name would be taken for it.
            ("__global__ void w(int *p, Unknown u) { *p = 1; }\n__global__ void w(int *p, int u) { *p = 2; }", 2, "'Unknown'"),
            ("template <class T> __global__ void w(T *p) { *p = 1; }\ntemplate <> __global__ void w<int>(int *p, Unknown u) { *p = 2; }\nvoid h() { w<<<1, 1>>>((int *)0); }", 3, "'Unknown'"),
            // Without a specialisation the template would be taken.
            ("template <class T> struct S { static const int n = 8; };\ntemplate <> struct S<float>;\ntemplate <> const int S<float>::n = unknown;\n__global__ void w(int *p) { *p = S<float>::n; }", 4, ""),
            ("template <class T> constexpr int n() { return 8; }\ntemplate <> constexpr int n<float>() { return unknown; }\n__global__ void w(int *p) { int t[n<float>()]; *p = sizeof(t); }", 3, "'unknown'"),
        ] {
            let text = format!("{SOUND}{text}\n");
            let e = compile_with(&clang, &text, &[], &[]).expect_err(&text);
            assert_eq!(e.line, Some(line), "{}: {text}{e}", clang.version);
            assert!(e.message.contains(says), "{}: {text}{e}", clang.version);
        }
    }
}

/// A class of the host that stands for a template with some arguments goes; what reads it is refused, as it would read the
/// template.
#[test]
fn a_template_does_not_take_the_place_of_its_specialisation() {
    let text = "template <class T> struct S { static const int n = 8; };
template <> struct S<float> { Unknown u; static const int n = 4; };
__global__ void w(int *p) { *p = S<float>::n; }
__global__ void x(int *p) { *p = S<int>::n; }
";
    for clang in installed() {
        checked(&clang, &format!("{SOUND}{text}"), &["x"], &[("w", 4, "")]);
    }
}

/// With no kernel left the error is that of the file, as clang prints it.
#[test]
fn without_a_sound_kernel_the_file_is_refused() {
    for clang in installed() {
        let e = compile_with(
            &clang,
            "__global__ void k(int *p) {\n  *p = x;\n}\n__global__ void l(int *p) {\n  *p = y;\n}\n",
            &[],
            &[],
        );
        let e = e.expect_err("no kernel");
        assert!(e.line == Some(2) && e.message.contains("*p = x;") && e.message.contains("*p = y;"), "{e}");
    }
}

/// A name finds what is left out, and gets the reason; without a name the only sound kernel is meant.
#[test]
fn kernels_are_chosen_among_the_sound_ones() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("k.cu");
    let text = "__global__ void bad(int *p) {\n  *p = x;\n}\nnamespace n {\n__global__ void gone(Unknown u) { }\n}\n";
    fs::write(&file, format!("{text}{SOUND}")).expect("a file");
    let of = |kernel: Option<&str>| {
        let kernel = kernel.map(String::from);
        Source { kernel, cache: None, ..Source::new(&file) }.compile(&Target::unlimited())
    };
    if installed().is_empty() {
        return;
    }
    assert_eq!(of(None).map(|c| c.name), Ok("k".to_string()));
    assert_eq!(of(Some("k")).map(|c| c.name), Ok("k".to_string()));
    for (kernel, line, says) in [
        ("bad", 2, "kernel bad is left out: use of undeclared identifier 'x'"),
        ("_Z3badPi", 2, "kernel bad is left out: use of undeclared identifier 'x'"),
        ("gone", 5, "kernel gone is left out: unknown type name 'Unknown'"),
        ("n::gone", 5, "kernel gone is left out: unknown type name 'Unknown'"),
        ("gone<int>", 5, "kernel gone is left out: unknown type name 'Unknown'"),
    ] {
        let e = of(Some(kernel)).expect_err(kernel);
        assert_eq!((e.line, e.message.as_str()), (Some(line), says), "{kernel}");
    }
    let e = of(Some("other")).expect_err("other");
    assert!(e.message.contains("there is no kernel `other` in it"), "{e}");
}
