//! clinfo, which asks every question that there is.

use crate::support::{absent, both, tools, with_driver, Driver};
use std::path::Path;

#[test]
fn clinfo_shows_every_device() {
    if !tools() {
        return;
    }
    if !Path::new("/usr/bin/clinfo").is_file() {
        absent("clinfo");
        return;
    }
    let driver = Driver::Warpsmith("model,rtl:tiny,rtl:default,rtl:wide,rtl:quad");
    let out = with_driver(Path::new("clinfo"), driver).output().expect("timeout of coreutils starts");
    let text = both(&out);
    assert!(out.status.success(), "{text}");
    for line in ["Number of platforms", "Number of devices"] {
        let shown = text.lines().find(|l| l.starts_with(line));
        let number = shown.and_then(|l| l.split_whitespace().last());
        let expected = if line.ends_with("devices") { "5" } else { "1" };
        assert_eq!(number, Some(expected), "{line}: {text}");
    }
    assert!(text.contains("Warpsmith"), "{text}");
    // clinfo's own kernel has floats, which `tiny` has not.
    let own_kernel = |l: &&str| l.contains("multiple (kernel)") && l.contains("error -45");
    assert_eq!(text.lines().filter(own_kernel).count(), 1, "{text}");
    for sign in ["error", "Error", "no such", "panicked"] {
        let lines = text.lines().filter(|l| l.contains(sign));
        let bad: Vec<&str> = lines.filter(|l| !l.contains("Error Correction") && !own_kernel(l)).collect();
        assert!(bad.is_empty(), "{bad:?}");
    }
}

/// A device that does not exist is named; the program finds none.
#[test]
fn unknown_device_is_named() {
    if !tools() {
        return;
    }
    let program = crate::support::host("queue");
    let out = with_driver(&program, Driver::Warpsmith("rtl:huge")).output().expect("timeout of coreutils starts");
    assert_eq!(out.status.code(), Some(1), "{}", both(&out));
    let text = String::from_utf8_lossy(&out.stderr);
    assert!(text.contains("WARPSMITH_DEVICE") && text.contains("huge"), "{text}");
}
