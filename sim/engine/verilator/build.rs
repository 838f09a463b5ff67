//! What the crates `verilated` and `verilator` leave to a build script: the one runtime file they do not know,
//! and the integer unit of the committed chip as a model that `#[module]` declares (`src/int_unit.rs`).

#[cfg(not(feature = "verilated"))]
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
}

#[cfg(feature = "verilated")]
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=VERILATOR_ROOT");
    let Some(root) = verilator::find_verilator_root() else {
        println!("cargo:warning=verilator not found; the feature `verilated` needs it (5.006 or later): install it or set VERILATOR_ROOT");
        return;
    };
    let include = root.join("include");
    let threads = include.join("verilated_threads.cpp");
    if !threads.exists() {
        return;
    }
    // Verilator 5 keeps its thread pool in a file of its own, and `libverilated_all.a` refers to it.
    model::runtime(&include).file(threads).compile("verilated_threads");
    model::int_unit(&include);
}

#[cfg(feature = "verilated")]
mod model {
    use std::path::{Path, PathBuf};
    use std::process::Command;

    /// The committed chip: this crate does not know the blocks it is made of.
    const CHIP: &str = "../../../rtl-out/default/warpsmith.v";
    /// Declares the ports of the integer unit.
    const DECLARATION: &str = "src/int_unit.rs";

    /// C++ beside Verilator's runtime.
    pub fn runtime(include: &Path) -> cc::Build {
        let mut build = cc::Build::new();
        build.cpp(true).std("c++17").opt_level(2).warnings(false).include(include).include(include.join("vltstd"));
        build
    }

    /// Verilates the integer unit, writes its Rust and C++ from the declaration, and compiles them.
    ///
    /// `verilator::gen::Verilator` cannot: it compiles `Vint_unit__Slow.cpp`, which Verilator 5 does not write.
    pub fn int_unit(include: &Path) {
        println!("cargo:rerun-if-changed={CHIP}");
        let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
        let folder = out.join("int_unit");
        let status = Command::new("verilator")
            .args(["--cc", "--trace", "-O3", "-Wno-fatal", "-Wno-lint"])
            .args(["--top-module", "int_unit", "--prefix", "Vint_unit", "-Mdir"])
            .arg(&folder)
            .arg(CHIP)
            .status()
            .expect("verilator starts");
        assert!(status.success(), "verilator: {CHIP}: {status}");
        verilator::module::ModuleGenerator::default().generate(DECLARATION);
        let files = std::fs::read_dir(&folder).expect("Verilator's output");
        let mut files: Vec<PathBuf> = files.map(|f| f.expect("a file").path()).collect();
        files.retain(|f| f.extension().is_some_and(|e| e == "cpp"));
        files.sort();
        let mut build = runtime(include);
        for (name, value) in [("COVERAGE", "0"), ("SC", "0"), ("TRACE", "1"), ("TRACE_FST", "0"), ("TRACE_VCD", "1")] {
            build.define(&format!("VM_{name}"), value);
        }
        build
            .include(&folder)
            // The generated C++ names the type of traces without including it.
            .flag("-include")
            .flag("verilated_vcd_c.h")
            .files(files)
            .file(out.join("int_unit.cpp"))
            .compile("int_unit");
    }
}
