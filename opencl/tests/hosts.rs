//! Host programs in C, each about a group of calls, on the driver's devices and on PoCL.

use crate::support::{agree, host, passes, pocl, sources, tools, with_driver, Driver};
use std::collections::BTreeSet;

/// Runs a host program on a device.
fn on(name: &str, device: &'static str) -> String {
    let mut command = with_driver(&host(name), Driver::Warpsmith(device));
    if name == "bad_kernel" {
        // Its endless kernel shall not last.
        command.env("WARPSMITH_CYCLE_LIMIT", "200000");
    }
    passes(&format!("{name} on {device}"), &mut command)
}

/// A test for each program and device; the results are those of PoCL.
macro_rules! hosts {
    ($($name:ident)*) => {
        const NAMES: &[&str] = &[$(stringify!($name)),*];
        mod on_model { $(#[test] fn $name() { super::on_model(stringify!($name)); })* }
        mod on_tiny { $(#[test] fn $name() { super::on_rtl(stringify!($name), "rtl:tiny"); })* }
    };
}

hosts! {
    abandon arguments bad_kernel binary buffer callback closed_stderr conformance context copies copy_fill destructor dispatch event floats fork image kernel link mandelbrot
    many_devices map matmul nd_range out_of_order platform print profiling program queue rectangle reduction refused sub_buffer task_native
    threads two_queues versions wide_integers
}

/// Programs that other tests run: they take a script, or another chip.
const SCRIPTED: [&str; 4] = ["atomic", "doubles", "run_kernel", "sequence"];

fn on_model(name: &str) {
    if !tools() {
        return;
    }
    let ours = on(name, "model");
    if name == "dispatch" || !pocl() {
        return;
    }
    let theirs = passes(&format!("{name} on PoCL"), &mut with_driver(&host(name), Driver::Pocl));
    if let Err(difference) = agree(&ours, &theirs) {
        panic!("{name}: Warpsmith and PoCL differ:\n{difference}");
    }
}

/// Its functions are more program than `tiny` holds.
#[test]
fn doubles_on_model() {
    on_model("doubles");
}

fn on_rtl(name: &str, device: &'static str) {
    if tools() {
        on(name, device);
    }
}

#[test]
fn every_program_is_run() {
    let files: BTreeSet<String> = std::fs::read_dir(sources())
        .expect("the folder exists")
        .map(|e| e.expect("readable").file_name().to_string_lossy().into_owned())
        .filter_map(|f| f.strip_suffix(".c").map(String::from))
        .collect();
    let run = NAMES.iter().chain(&SCRIPTED).map(ToString::to_string);
    assert_eq!(files, run.collect());
    assert!(NAMES.len() >= 20);
}

#[test]
fn floats_on_the_verilog_of_default() {
    for name in ["floats", "matmul", "wide_integers", "nd_range", "profiling"] {
        if tools() {
            let (model, rtl) = (on(name, "model:default"), on(name, "rtl:default"));
            assert_eq!(model, rtl, "{name}: model and Verilog give other bits");
        }
    }
}

#[test]
fn atomic_functions_on_chips_of_sm_1_2() {
    on_model("atomic");
}

/// The platform offers all devices of `WARPSMITH_DEVICE`, in its order.
#[test]
fn buffers_go_from_device_to_device() {
    if tools() {
        on("many_devices", "model,rtl:tiny,rtl:default");
    }
}

/// Every launch in lockstep.
#[test]
fn programs_in_lockstep() {
    for name in ["reduction", "nd_range", "threads", "mandelbrot"] {
        if tools() {
            let mut command = with_driver(&host(name), Driver::Warpsmith("rtl:tiny"));
            passes(name, command.env("WARPSMITH_COSIM", "1"));
        }
    }
}
