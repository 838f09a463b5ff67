//! The built-in functions of OpenCL C 1.2: the table has what clang's own header has, and every form can be called.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use warpsmith_compiler::clang::builtins::{functions, is_refused, Function, Type};
use warpsmith_compiler::clang::module::check;
use warpsmith_compiler::clang::{find, Clang, ClangOptions};

/// The best clang; `None` where there is none and tools are not required.
fn best() -> Option<Clang> {
    warpsmith_testkit::found(find::find(None))
}

/// The folder of clang's own headers.
fn own_headers(clang: &Clang) -> PathBuf {
    let out = Command::new(&clang.path).arg("-print-resource-dir").output();
    let out = out.expect("clang starts");
    let text = String::from_utf8(out.stdout).expect("text");
    Path::new(text.trim()).join("include")
}

/// Extensions of clang's target that the device does not have.
const ABSENT: [&str; 4] = [
    "cl_khr_global_int32_base_atomics", "cl_khr_global_int32_extended_atomics", "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
];

/// Declarations of clang's header, without what other compilers need not have.
fn declarations(clang: &Clang) -> String {
    let headers = own_headers(clang);
    let header = headers.join("opencl-c.h");
    assert!(header.is_file(), "{} is missing", header.display());
    let out = Command::new(&clang.path)
        .args(["-cc1", "-E", "-P", "-x", "cl", "-cl-std=CL1.2"])
        .args(["-triple", "nvptx-unknown-nvcl", "-internal-isystem"])
        .arg(headers)
        .args(ABSENT.map(|m| format!("-U{m}")))
        .arg("-include")
        .arg(header)
        .arg("/dev/null")
        .output()
        .expect("clang starts");
    assert!(out.status.success(), "{out:?}");
    String::from_utf8(out.stdout).expect("text")
}

/// A type as [`Type`] writes it, of an argument as clang's header does.
fn type_of(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let words: Vec<&str> = words.filter(|w| !w.is_empty()).collect();
    let scalars = [
        "void", "size_t", "event_t", "half", "float", "double", "char", "uchar", "short", "ushort", "int", "uint",
        "long", "ulong",
    ];
    let is_type = |w: &&&str| {
        let element = w.trim_end_matches(|c: char| c.is_ascii_digit());
        scalars.contains(&element) || **w == "cl_mem_fence_flags"
    };
    let ty = words.iter().find(is_type).unwrap_or(&"?");
    let ty = if *ty == "cl_mem_fence_flags" { "uint" } else { ty };
    if !text.contains('*') {
        return ty.to_string();
    }
    let spaces = ["__global", "__local", "__private", "__constant"];
    let space = words.iter().find(|w| spaces.contains(w)).unwrap_or(&"__private");
    let constant = words.contains(&"const") || *space == "__constant";
    format!("{}{space} {ty} *", if constant { "const " } else { "" })
}

/// `float2 fmax(float2, float)` of a line of clang's header.
fn signature(line: &str) -> Option<String> {
    if !line.contains("overloadable") {
        return None;
    }
    let result = type_of(line.split(" __attribute__").next()?);
    // Behind the attributes.
    let (name, args) = line[line.rfind(")) ")? + 3..].split_once('(')?;
    let args = args.trim_end().trim_end_matches(';').trim_end_matches(')');
    let args: Vec<String> =
        args.split(',').map(str::trim).filter(|a| !a.is_empty() && *a != "void").map(type_of).collect();
    Some(format!("{result} {name}({})", args.join(", ")))
}

#[test]
fn the_table_has_every_function_of_clangs_header() {
    let Some(clang) = best() else { return };
    let name = |s: &str| s.split([' ', '(']).nth(1).unwrap_or("").to_string();
    let theirs: BTreeSet<String> =
        declarations(&clang).lines().filter_map(signature).filter(|s| !is_refused(&name(s))).collect();
    let ours: BTreeSet<String> = functions().iter().map(Function::to_string).collect();
    assert!(theirs.len() > 9400, "{} declarations", theirs.len());
    let missing: Vec<_> = theirs.difference(&ours).take(20).collect();
    let unknown: Vec<_> = ours.difference(&theirs).take(20).collect();
    assert!(missing.is_empty(), "not in the table: {missing:#?}");
    assert!(unknown.is_empty(), "not in clang's header: {unknown:#?}");
}

/// An expression of a type.
fn operand(ty: &Type, n: usize) -> String {
    match (ty.element, ty.space) {
        ("event_t", None) => "e".into(),
        ("event_t", Some(_)) => "&e".into(),
        (_, None) => format!("*(__global const {ty} *)(g + {})", 128 * n),
        (_, Some(space)) => {
            let name = space.trim_start_matches('_');
            format!("({ty})in_{name}")
        }
    }
}

/// A call of a form whose result is used.
fn call(f: &Function) -> String {
    let args = f.args.iter().enumerate().map(|(n, a)| operand(a, n));
    let call = format!("{}({})", f.name, args.collect::<Vec<_>>().join(", "));
    match f.result.element {
        "void" => format!("{call};"),
        "event_t" => format!("e = {call};"),
        "size_t" => format!("*(__global uint *)o += {call};"),
        _ => format!("*(__global {} *)o = {call};", f.result),
    }
}

/// `as_TYPE` of every pair of types of one size; they are macros of clang's.
fn reinterpretations() -> Vec<String> {
    let elements = [
        ("char", 1),
        ("uchar", 1),
        ("short", 2),
        ("ushort", 2),
        ("int", 4),
        ("uint", 4),
        ("long", 8),
        ("ulong", 8),
        ("float", 4),
        ("double", 8),
    ];
    let types = || {
        elements.into_iter().flat_map(|(element, bytes)| {
            [1, 2, 3, 4, 8, 16].map(|n| {
                let name = if n == 1 { element.to_string() } else { format!("{element}{n}") };
                (name, bytes * n)
            })
        })
    };
    types()
        .flat_map(|(to, size)| {
            let same = types().filter(move |(_, other)| *other == size);
            same.map(move |(from, _)| format!("*(__global {to} *)o = as_{to}(*(__global const {from} *)g);"))
        })
        .collect()
}

#[test]
fn every_form_can_be_called() {
    let Some(clang) = best() else { return };
    let calls = functions().iter().map(call).chain(reinterpretations()).collect::<Vec<_>>();
    assert!(calls.len() > 9500, "{} calls", calls.len());
    let mut text = String::new();
    for (n, calls) in calls.chunks(50).enumerate() {
        let calls = calls.join("\n  ");
        let _ = writeln!(
            text,
            "__kernel void k{n}(__global char *g, __local char *in_local, __constant char *in_constant, __global char *o) {{\n  \
             __global char *in_global = g; event_t e = 0; double16 room[4]; __private char *in_private = (char *)room;\n  {calls}\n}}"
        );
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("calls.cl");
    std::fs::write(&file, text).expect("a file");
    for strict_fp in [false, true] {
        let options = ClangOptions { environment: true, strict_fp, ..ClangOptions::default() };
        let module = clang.module(&file, &options).unwrap_or_else(|e| panic!("{e}"));
        check(&[&module.text], true).unwrap_or_else(|e| panic!("no body: {e}"));
    }
}

/// A form that the table lacks, or whose body is missing, is noticed.
#[test]
fn a_missing_body_is_noticed() {
    let Some(clang) = best() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("call.cl");
    let text = "__attribute__((overloadable)) float sine(float);\n__kernel void k(__global float *o) { *o = sine(*o) + sin(*o); }\n";
    std::fs::write(&file, text).expect("a file");
    let module = clang.module(&file, &ClangOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let e = check(&[&module.text], true).expect_err("sine");
    assert!(e.contains("`sine") && !e.contains("`sin("), "{e}");
}

/// Functions of images as clang's header declares them, each in a function that calls it.
fn image_calls(clang: &Clang) -> Vec<String> {
    let call = |line: &str| {
        let result = line.split(" __attribute__").next()?.trim();
        let (name, args) = line[line.rfind(")) ")? + 3..].split_once('(')?;
        let is_of_images = ["read_image", "write_image", "get_image"].iter().any(|f| name.starts_with(f));
        let args: Vec<&str> = args.trim_end_matches([';', ')', ' ']).split(',').map(str::trim).collect();
        let parameters: Vec<String> = args.iter().enumerate().map(|(n, ty)| format!("{ty} a{n}")).collect();
        let values: Vec<String> = (0..args.len()).map(|n| format!("a{n}")).collect();
        let value = if result == "void" { "" } else { "return " };
        let body = format!("{value}{name}({});", values.join(", "));
        is_of_images.then(|| format!("{result} NAME({}) {{ {body} }}", parameters.join(", ")))
    };
    declarations(clang).lines().filter_map(call).collect()
}

#[test]
fn every_function_of_images_has_a_body() {
    let Some(clang) = best() else { return };
    let calls = image_calls(&clang);
    assert!(calls.len() > 100, "{} functions", calls.len());
    let numbered = calls.iter().enumerate().map(|(n, c)| c.replacen("NAME", &format!("f{n}"), 1));
    let text = numbered.collect::<Vec<_>>().join("\n") + "\n__kernel void k(void) {}\n";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("images.cl");
    std::fs::write(&file, text).expect("a file");
    let module = clang.module(&file, &ClangOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    check(&[&module.text], true).unwrap_or_else(|e| panic!("no body: {e}"));
}
