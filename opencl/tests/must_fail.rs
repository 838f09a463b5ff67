//! A device and a model that disagree: lockstep tells, and nothing else does.

use crate::support::{both, host, tools, with_driver, Driver};

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
