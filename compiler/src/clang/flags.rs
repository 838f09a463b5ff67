//! Options of clang: machine, arithmetic, names.

use super::{Clang, ClangOptions, Language};
use crate::program::OptLevel;
use std::ffi::OsString;
use std::path::Path;

/// Endings of options that users may pass on: they change the program, not the machine.
const PASSED_ON: [&str; 7] = ["-D", "-U", "-I", "-W", "-std=", "-cl-std=", INCLUDE];

/// Reads a file in front of the source.
const INCLUDE: &str = "-include";

/// Endings of options that the preprocessor alone takes.
const PREPROCESSOR: [&str; 4] = ["-D", "-U", "-I", INCLUDE];

/// Keeps products and sums apart.
const STRICT: &str = "-ffp-contract=off";

/// Makes `double` a 32-bit float, in registers and in memory.
const FLOAT_DOUBLES: &str = "-mdouble=32";

/// Unrolls no loop that does not ask for it.
const LOOPS: &str = "-fno-unroll-loops";

/// Unrolls loops as a whole or not at all: parts of one make a program longer and save few instructions.
const WHOLE_LOOPS: [&str; 6] =
    ["-mllvm", "-unroll-runtime=0", "-mllvm", "-unroll-allow-partial=0", "-mllvm", "-unroll-allow-peeling=0"];

/// Refuses what is not passed on to clang.
pub(super) fn check(arguments: &[String]) -> Result<(), String> {
    for a in arguments {
        let known = PASSED_ON.iter().any(|p| a.len() > p.len() && a.starts_with(p));
        // -Wa, -Wl and -Wp hand options to other programs.
        if ![FLOAT_DOUBLES, SINGLE_CONSTANTS, LOOPS].contains(&a.as_str()) && !known
            || ["-Wa,", "-Wl,", "-Wp,"].iter().any(|p| a.starts_with(p))
        {
            return Err(format!(
                "`{a}` is no option that is passed on to clang; -DNAME=VALUE, -UNAME, -IFOLDER, -includeFILE, -WNAME, -std=NAME, -cl-std=NAME, -cl-single-precision-constant, -fno-unroll-loops and -mdouble=32 are, each in one piece"
            ));
        }
        let folder = a.strip_prefix("-I").map(Path::new);
        if let Some(folder) = folder.filter(|f| !f.is_dir()) {
            return Err(format!("`{a}`: there is no folder `{}`", folder.display()));
        }
        let file = a.strip_prefix(INCLUDE).map(Path::new);
        if let Some(file) = file.filter(|f| !f.is_file()) {
            return Err(format!("`{a}`: there is no file `{}`", file.display()));
        }
    }
    Ok(())
}

/// OpenCL C and its machine.
const OPENCL: [&str; 13] = [
    "-x", "cl", "-cl-std=CL1.2", "-target", "nvptx-unknown-nvcl", "-Xclang", "-target-cpu", "-Xclang", "sm_20",
    "-Xclang", "-fdenormal-fp-math-f32=preserve-sign", "-Xclang", "-cl-ext=+cl_khr_3d_image_writes",
];

/// Makes constants without suffix floats, in a program without doubles.
const FLOAT_CONSTANTS: [&str; 2] = ["-Xclang", "-cl-single-precision-constant"];

/// Tells the headers that a program has doubles.
const DOUBLES: &str = "-D__WS_DOUBLES";

/// Hides the functions of doubles of OpenCL C.
const FLOATS: &str = "-D__WS_FLOATS";

/// Makes constants without suffix floats, in every program.
const SINGLE_CONSTANTS: &str = "-cl-single-precision-constant";

/// Tells the library that the launch passes words of the environment.
const ENVIRONMENT: &str = "-D__WS_ENVIRONMENT";

/// Tells the library that reads of images are calls.
const IMAGE_CALLS: &str = "-D__WS_IMAGE_CALLS";

/// Options for the library of OpenCL C: bitcode as the front end writes it.
pub(super) fn library(options: &ClangOptions) -> Vec<OsString> {
    let mut f = OPENCL.to_vec();
    f.extend(["-O1", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c"]);
    if options.environment {
        f.push(ENVIRONMENT);
    }
    if options.strict_fp {
        f.push(STRICT);
    }
    if options.image_calls {
        f.push(IMAGE_CALLS);
    }
    f.into_iter().map(OsString::from).collect()
}

/// The machine of OpenCL C, for modules that have been through the front end.
pub(super) fn module() -> Vec<OsString> {
    let mut f = vec!["-x", "ir"];
    f.extend(&OPENCL[3..9]);
    f.extend(["-Wno-override-module", "-Wno-unused-command-line-argument"]);
    f.into_iter().map(OsString::from).collect()
}

/// CUDA C and its machine. Narrowing in initialisers and names behind quotes are no errors, as with nvcc.
const CUDA: [&str; 16] = [
    "-x", "cuda", "-m32", "--cuda-device-only", "-nocudainc", "-nocudalib", "--cuda-gpu-arch=sm_20",
    "-fgpu-flush-denormals-to-zero", "-nostdinc++", "-nostdlibinc", "-std=gnu++17", "-Wno-unknown-cuda-version",
    "-Wno-dynamic-exception-spec", "-Wno-register", "-Wno-c++11-narrowing", "-Wno-reserved-user-defined-literal",
];

/// Everything but source and output.
///
/// Our `-O0` asks clang for `-O1` too: without it clang keeps pointers in local memory, where the
/// memory that they point to can no longer be told.
pub(super) fn flags(clang: &Clang, language: Language, options: &ClangOptions, headers: &Path) -> Vec<OsString> {
    let mut f = machine(language, options, headers, |_| true);
    let pair = |option: &str, path: &Path| [OsString::from(option), path.as_os_str().into()];
    let (first, folder) = match language {
        Language::OpenCl => ("warpsmith_cl.h", "cl"),
        _ => ("warpsmith_cuda.h", "cuda"),
    };
    f.extend(pair("-isystem", &headers.join(folder)));
    if language != Language::OpenCl {
        for h in &clang.host_headers {
            f.extend(pair("-isystem", h));
        }
    }
    // In front of files that the caller wants read first.
    let mut all = pair("-include", &headers.join(folder).join(first)).to_vec();
    all.extend(f);
    all
}

/// Everything but source and output, for CUDA C behind the preprocessor.
pub(super) fn preprocessed(options: &ClangOptions, headers: &Path) -> Vec<OsString> {
    let mut f = machine(Language::Cuda, options, headers, |a| !PREPROCESSOR.iter().any(|p| a.starts_with(p)));
    // What is left out may be declared still.
    f.extend(["-nostdinc", "-Wno-undefined-internal", "-Wno-undefined-inline"].map(OsString::from));
    f
}

/// Options of a language, its machine and the back end, and those of the caller that are `wanted`.
fn machine(language: Language, options: &ClangOptions, headers: &Path, wanted: impl Fn(&str) -> bool) -> Vec<OsString> {
    let mut f: Vec<OsString> = Vec::new();
    let mut add = |list: &[&str]| f.extend(list.iter().map(OsString::from));
    match language {
        Language::Cuda | Language::Ptx => add(&CUDA),
        Language::OpenCl => add(&OPENCL),
    }
    match options.doubles {
        true => add(&[DOUBLES]),
        false => add(&FLOAT_CONSTANTS),
    }
    if options.floats || are_doubles_floats(options) {
        add(&[FLOATS]);
    }
    add(&["-gline-tables-only", "-gdwarf-2", "-fdebug-compilation-dir=."]);
    f.extend(back(options));
    let mut prefix = OsString::from("-fdebug-prefix-map=");
    prefix.push(headers);
    prefix.push("=warpsmith");
    f.push(prefix);
    for a in options.arguments.iter().filter(|a| wanted(a)) {
        // The driver knows this option for other machines only; `long double` stays what the host's
        // headers make it, else its arrays in them are errors from clang 16 on.
        if a == FLOAT_DOUBLES {
            f.extend(["-Xclang", "-mlong-double-80", "-Xclang"].map(OsString::from));
        }
        f.push(a.into());
    }
    f
}

/// True where every double is a float.
pub(super) fn are_doubles_floats(options: &ClangOptions) -> bool {
    options.arguments.iter().any(|a| a == FLOAT_DOUBLES)
}

/// Options of the back end.
pub(super) fn back(options: &ClangOptions) -> Vec<OsString> {
    let mut f: Vec<OsString> = [
        "-S",
        match options.level {
            OptLevel::O0 | OptLevel::O1 => "-O1",
            OptLevel::O2 => "-O2",
        },
        "-fno-crash-diagnostics",
        "-finline-functions",
        "-mllvm",
        "-inline-threshold=100000",
        "-mllvm",
        "-nvptx-prec-sqrtf32=0",
        "-mllvm",
        "-nvptx-prec-divf32=1",
    ]
    .map(OsString::from)
    .to_vec();
    if !options.arguments.iter().any(|a| a == LOOPS) {
        f.extend(WHOLE_LOOPS.map(OsString::from));
    }
    if options.strict_fp {
        f.push(STRICT.into());
    }
    f
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_options_of_the_program_are_passed_on() {
        let list = |a: &[&str]| check(&a.iter().map(|s| s.to_string()).collect::<Vec<_>>());
        assert!(list(&[
            "-DN=4", "-Isrc", "-UX", "-Wall", "-std=c++14", "-cl-std=CL2.0", "-includeCargo.toml", "-fno-unroll-loops"
        ])
        .is_ok());
        let e = list(&["-Inowhere"]).unwrap_err();
        assert_eq!(e, "`-Inowhere`: there is no folder `nowhere`");
        let e = list(&["-includenowhere.h"]).unwrap_err();
        assert_eq!(e, "`-includenowhere.h`: there is no file `nowhere.h`");
        for bad in
            ["-D", "-include", "-O3", "-funroll-loops", "-o", "-Wl,-x", "x.cu", "-mllvm", "", "--cuda-gpu-arch=sm_90"]
        {
            let e = list(&[bad]).unwrap_err();
            assert!(e.contains(&format!("`{bad}`")) && e.contains("-DNAME=VALUE"), "{e}");
        }
    }
}
