//! Folders of the loader, host programs built with `cc`, the reference driver.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, OnceLock};
pub use warpsmith_testkit::absent;

/// Seconds after which a program is taken for deadlocked.
const LIMIT: &str = "300";

/// A driver, as the loader finds it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Driver {
    /// This crate, with a value of `WARPSMITH_DEVICE`.
    Warpsmith(&'static str),
    /// The reference.
    Pocl,
}

/// Whether the loader, a C compiler and clang are there. Otherwise the test is reported as skipped, or
/// fails if `WARPSMITH_REQUIRE_TOOLS` is set.
pub fn tools() -> bool {
    static MISSING: OnceLock<Option<String>> = OnceLock::new();
    let missing = MISSING.get_or_init(|| {
        let starts = |p: &str| Command::new(p).arg("--version").output().is_ok();
        if !starts("cc") {
            return Some("cc".into());
        }
        if !Path::new("/usr/include/CL/cl_icd.h").is_file() {
            return Some("headers of OpenCL (ocl-icd-opencl-dev)".into());
        }
        warpsmith_compiler::clang::find::find(None).err()
    });
    match missing {
        None => true,
        Some(missing) => absent(missing),
    }
}

/// Whether the system's loader finds PoCL, with which results are compared; as [`absent`] where it does not.
pub fn pocl() -> bool {
    Path::new(POCL).is_file() || absent("PoCL (pocl-opencl-icd)")
}
const POCL: &str = "/etc/OpenCL/vendors/pocl.icd";

/// The folder of built programs and of the loader's files.
fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("opencl");
    std::fs::create_dir_all(&folder).expect("the target folder can be written");
    folder
}

/// The driver's library: cargo puts it beside the test programs.
pub fn library() -> PathBuf {
    let program = std::env::current_exe().expect("this program has a path");
    let library = program.parent().expect("it is in a folder").join("libwarpsmith_opencl.so");
    assert!(library.is_file(), "{} is missing", library.display());
    library
}

/// A folder for `OCL_ICD_VENDORS` with one driver in it.
pub fn vendors(driver: Driver) -> PathBuf {
    static WRITTEN: Mutex<()> = Mutex::new(());
    let (name, contents) = match driver {
        Driver::Warpsmith(_) => ("warpsmith", library().display().to_string()),
        Driver::Pocl => ("pocl", std::fs::read_to_string(POCL).expect("it was found before")),
    };
    let _one = WRITTEN.lock().expect("no test panics here");
    let vendors = folder().join("vendors").join(name);
    let file = vendors.join(format!("{name}.icd"));
    if std::fs::read_to_string(&file).ok().as_ref() != Some(&contents) {
        std::fs::create_dir_all(&vendors).expect("a folder");
        std::fs::write(&file, contents).expect("a file");
    }
    vendors
}

/// The folder of the host programs' sources.
pub fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hosts")
}

/// A host program of [`sources`], built once.
pub fn host(name: &str) -> PathBuf {
    host_in(&sources(), name)
}

/// A host program whose source is in `place`, built once.
pub fn host_in(place: &Path, name: &str) -> PathBuf {
    static BUILT: OnceLock<Mutex<HashMap<String, PathBuf>>> = OnceLock::new();
    let mut built = BUILT.get_or_init(Mutex::default).lock().unwrap_or_else(|e| e.into_inner());
    if let Some(program) = built.get(name) {
        return program.clone();
    }
    let program = folder().join(format!("{name}-{}", std::process::id()));
    let out = Command::new("cc")
        .args(["-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-o"])
        .arg(&program)
        .arg(format!("{name}.c"))
        .args(["-lOpenCL", "-lm", "-pthread"])
        .current_dir(place)
        .output()
        .expect("cc starts");
    let messages = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{name}.c: {messages}");
    // The program of an earlier run has another number in its name.
    built.insert(name.into(), program.clone());
    program
}

/// A command that the loader leads to one driver; it is killed when it hangs.
pub fn with_driver(program: &Path, driver: Driver) -> Command {
    let mut command = Command::new("timeout");
    command
        .args(["--kill-after=5", LIMIT])
        .arg(program)
        .env("OCL_ICD_VENDORS", vendors(driver))
        // Whatever simulations the cache holds.
        .env("WARPSMITH_ENGINE", "native");
    for name in
        ["WARPSMITH_COSIM", "WARPSMITH_CHECK", "WARPSMITH_PROFILE", "WARPSMITH_RECORD", "WARPSMITH_OPENCL_CONFIG"]
    {
        command.env_remove(name);
    }
    if let Driver::Warpsmith(device) = driver {
        command.env("WARPSMITH_DEVICE", device);
    }
    command
}

/// What a program printed; it must have ended with 0.
pub fn passes(what: &str, command: &mut Command) -> String {
    let out = command.output().expect("timeout of coreutils starts");
    assert!(
        out.status.success(),
        "{what}: {} {}\n{}",
        out.status,
        match out.status.code() {
            Some(124 | 137) => "(hangs)",
            _ => "",
        },
        both(&out)
    );
    String::from_utf8(out.stdout).expect("text")
}

/// Both outputs, for messages.
pub fn both(out: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr))
}

/// Whether two programs' `ints` and `floats` lines agree, floats within the distance that their line states.
///
/// # Errors
/// The first lines that do not.
pub fn agree(one: &str, other: &str) -> Result<(), String> {
    if one.lines().count() != other.lines().count() {
        return Err(format!("other lines:\n{one}\n{other}"));
    }
    for (a, b) in one.lines().zip(other.lines()) {
        if a == b {
            continue;
        }
        let ((head, words), (other_head, other_words)) = (parts(a), parts(b));
        let ulp = match head.strip_prefix("floats ").and_then(|h| h.split_once(' ')) {
            Some((_, ulp)) if head == other_head => ulp.parse::<i64>().map_err(|e| e.to_string())?,
            _ => return Err(format!("{a}\n{b}")),
        };
        if words.len() != other_words.len() {
            return Err(format!("{a}\n{b}"));
        }
        for (i, (x, y)) in words.iter().zip(&other_words).enumerate() {
            let far = (ordered(*x) - ordered(*y)).abs();
            let nan = f32::from_bits(*x).is_nan() && f32::from_bits(*y).is_nan();
            if far > ulp && !nan {
                return Err(format!("{head}: word {i}: {x:08x} and {y:08x}, {far} ulp"));
            }
        }
    }
    Ok(())
}

/// Head and words of a line `KIND NAME: WORD…`.
fn parts(line: &str) -> (&str, Vec<u32>) {
    let (head, words) = line.split_once(':').unwrap_or((line, ""));
    let words = words.split_whitespace();
    (head, words.filter_map(|w| u32::from_str_radix(w, 16).ok()).collect())
}

/// Number of a float in the order of floats.
fn ordered(bits: u32) -> i64 {
    let magnitude = i64::from(bits & 0x7fff_ffff);
    if bits >> 31 == 0 {
        magnitude
    } else {
        -magnitude
    }
}

#[test]
fn floats_may_differ_by_what_their_line_states() {
    let one = "ints a: 1 2\nfloats x 2: 3f800000 80000000";
    assert!(agree(one, one).is_ok());
    assert!(agree(one, "ints a: 1 2\nfloats x 2: 3f800002 1").is_ok());
    assert!(agree(one, "ints a: 1 2\nfloats x 2: 3f800003 0").is_err());
    assert!(agree(one, "ints a: 1 3\nfloats x 2: 3f800000 0").is_err());
    assert!(agree(one, "ints a: 1 2").is_err());
}
