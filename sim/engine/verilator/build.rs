//! Adds the one runtime file the crate `verilated` does not know: Verilator 5 keeps its thread pool
//! in `verilated_threads.cpp`, and `libverilated_all.a` refers to it.

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
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .opt_level(2)
        .warnings(false)
        .include(&include)
        .include(include.join("vltstd"))
        .file(threads)
        .compile("verilated_threads");
}
