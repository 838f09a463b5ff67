//! A device and a model that disagree: lockstep tells, and nothing else does.

use crate::support::{both, host, passes, tools, with_driver, Driver};

/// Runs `wide_integers` on a device. A mutant is a model that forgets carries (`WARPSMITH_MUTANT`).
fn run(device: &'static str, mutant: bool, lockstep: bool) -> (Option<i32>, String) {
    let mut command = with_driver(&host("wide_integers"), Driver::Warpsmith(device));
    if mutant {
        command.env("WARPSMITH_MUTANT", "drop-carry");
    }
    if lockstep {
        command.env("WARPSMITH_COSIM", "1");
    }
    let out = command.output().expect("timeout of coreutils starts");
    (out.status.code(), both(&out))
}

#[test]
fn difference_is_noticed_in_lockstep() {
    if !tools() {
        return;
    }
    let (code, text) = run("rtl:tiny", false, true);
    assert_eq!(code, Some(0), "{text}");
    // On a wrong device the program gets wrong numbers; the driver says nothing.
    let (code, text) = run("model", true, false);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("does not hold"), "{text}");
    assert!(!text.contains("warpsmith: "), "{text}");
    // In lockstep it names the kernel and shows what both have.
    let (code, text) = run("rtl:tiny", true, true);
    assert_eq!(code, Some(1), "{text}");
    for part in ["warpsmith: kernel wide", "model", "rtl"] {
        assert!(text.contains(part), "`{part}` is missing:\n{text}");
    }
}

/// `WARPSMITH_CHECK`: a launch with a mistake fails and names the line; one without, and all programs that are right, pass.
#[test]
fn mistakes_of_a_kernel_are_told_where_they_are_looked_for() {
    if !tools() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("k.cl");
    let kernel = |body: &str| {
        let head =
            "kernel void k(global uint *o, global const uint *a, local uint *t) {\n  size_t i = get_global_id(0);\n";
        std::fs::write(&file, format!("{head}  {body}\n}}\n")).expect("written");
    };
    let run = |device, check: bool| {
        let mut command = with_driver(&host("run_kernel"), Driver::Warpsmith(device));
        command.arg(&file);
        if check {
            command.env("WARPSMITH_CHECK", "1");
        }
        let out = command.output().expect("timeout of coreutils starts");
        (out.status.code(), both(&out))
    };
    let groups = "o[get_group_id(0) & 0] = a[i];";
    for (body, says) in [
        (groups, "race"),
        ("o[i] = o[i + 4 * 64] + a[i];", "behind the end of"),
        ("uint s; if (a[i] == 1) s = 2;\n  o[i] = s;", ""),
    ] {
        kernel(body);
        for device in ["model", "rtl:tiny"] {
            let (code, text) = run(device, false);
            assert_eq!(code, Some(0), "{body}: {text}");
            let (code, text) = run(device, true);
            match says {
                "" => assert_eq!(code, Some(0), "{body}: {text}"),
                _ => {
                    assert_ne!(code, Some(0), "{body}: {text}");
                    assert!(text.contains(says) && text.contains(":3"), "{body}: {text}");
                }
            }
        }
    }
    for name in ["reduction", "matmul", "print", "nd_range", "image"] {
        let mut command = with_driver(&host(name), Driver::Warpsmith("model"));
        passes(name, command.env("WARPSMITH_CHECK", "1"));
    }
}
