//! What the bridge does with values that are wider than their port.

use super::{BuildOptions, Design};

/// Inputs of 1, 12, 40 and 70 bits. Without a mask the first decides wrongly: Verilator takes what is
/// stored for the value of the port.
const WIDTHS: [(&str, usize); 4] = [("one", 1), ("dozen", 12), ("forty", 40), ("seventy", 70)];

fn design() -> (tempfile::TempDir, Design) {
    let dir = tempfile::tempdir().expect("a folder");
    let inputs: Vec<String> = WIDTHS
        .iter()
        .map(|(n, w)| format!("input [{}:0] {n}", w - 1))
        .collect();
    let verilog = format!(
        "module chip(input clock, {}, output odd, output [7:0] sum);\n\
         assign odd = one == 1'b1;\n\
         assign sum = {{7'd0, one}} + dozen[11:4] + forty[39:32] + {{2'd0, seventy[69:64]}};\nendmodule\n",
        inputs.join(", ")
    );
    let port =
        |n: &str, w: usize, d: &str| serde_json::json!({"name": n, "width": w, "direction": d});
    let mut ports = vec![port("clock", 1, "input")];
    ports.extend(WIDTHS.map(|(n, w)| port(n, w, "input")));
    ports.extend([port("odd", 1, "output"), port("sum", 8, "output")]);
    let manifest = serde_json::json!({"name": "test", "top": "chip", "ports": ports});
    for (name, text) in [
        ("manifest.json", manifest.to_string()),
        ("files.f", "chip.v\n".into()),
        ("chip.v", verilog),
    ] {
        std::fs::write(dir.path().join(name), text).expect("written");
    }
    let design =
        Design::open(dir.path(), &BuildOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    (dir, design)
}

#[test]
fn bits_beyond_a_port_never_reach_the_model() {
    let (_dir, design) = design();
    let mut s = design.simulate(1);
    // As a host would that does not go through `set`: ports 1 to 4, every word and one more.
    for (port, (_, width)) in (1..).zip(WIDTHS) {
        for word in 0..=width.div_ceil(32) {
            // SAFETY: the handle is valid; words that do not exist are ignored.
            unsafe { (s.functions.set)(s.handle, port, word as u32, u32::MAX) }
        }
    }
    // The evaluation would end the process if an input did not fit.
    s.eval();
    let read = |port| [0, 1, 2].map(|word| s.get(port, word));
    assert_eq!(s.get(1, 0), 1);
    assert_eq!(s.get(2, 0), 0xfff);
    assert_eq!([s.get(3, 0), s.get(3, 1)], [u32::MAX, 0xff]);
    assert_eq!(read(4), [u32::MAX, u32::MAX, 0x3f]);
    assert_eq!(
        (s.get(5, 0), s.get(6, 0)),
        (1, (1 + 0xff + 0xff + 0x3f) & 0xff)
    );
}

#[test]
#[cfg_attr(
    debug_assertions,
    should_panic(expected = "does not fit word 1 of port 3, `forty`")
)]
fn a_value_wider_than_its_port_is_refused_in_debug_and_cut_in_release() {
    let (_dir, design) = design();
    let mut s = design.simulate(1);
    s.set(3, 0, u32::MAX);
    s.set(3, 1, 0x1ff);
    assert_eq!(s.get(3, 1), 0xff);
}

#[test]
fn values_that_fit_pass() {
    let (_dir, design) = design();
    let mut s = design.simulate(1);
    for (port, word, value) in [(1, 0, 1), (2, 0, 0xabc), (3, 1, 0x12), (4, 2, 0x3f)] {
        s.set(port, word, value);
        assert_eq!(s.get(port, word), value);
    }
}
