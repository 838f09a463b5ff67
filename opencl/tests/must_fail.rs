//! A wrong result of the device: only lockstep can tell, and does.

use crate::support::{both, host, tools, with_driver, Driver};

/// Runs `reduction` in lockstep or on its own, on a device that flips a bit of every result (`WARPSMITH_OPENCL_WRONG`) or does
/// not.
fn run(wrong: bool, lockstep: bool) -> (Option<i32>, String) {
    let mut command = with_driver(&host("reduction"), Driver::Warpsmith("rtl:tiny"));
    if wrong {
        command.env("WARPSMITH_OPENCL_WRONG", "1");
    }
    if lockstep {
        command.env("WARPSMITH_COSIM", "1");
    }
    let out = command.output().expect("timeout of coreutils starts");
    (out.status.code(), both(&out))
}

#[test]
fn wrong_result_is_noticed_in_lockstep() {
    if !tools("must_fail") {
        return;
    }
    let (code, text) = run(false, true);
    assert_eq!(code, Some(0), "{text}");
    // On a wrong device the program gets wrong numbers; the driver says nothing.
    let (code, text) = run(true, false);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("got == want does not hold"), "{text}");
    assert!(!text.contains("warpsmith: "), "{text}");
    // In lockstep it names the kernel and what differs.
    let (code, text) = run(true, true);
    assert_eq!(code, Some(1), "{text}");
    for part in ["warpsmith: kernel reduce", "model 0x", "device 0x"] {
        assert!(text.contains(part), "`{part}` is missing:\n{text}");
    }
}
