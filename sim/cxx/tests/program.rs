//! What the flags and checks of our C++ find, and that they find it.

use std::process::Output;
use warpsmith_cxx::{checked_program, checks, Checks, CxxError, Port, Program};

/// A one-bit port that Verilator decides by, and one of 70 bits.
const VERILOG: &str = "module leaf(input clock, input one, input [69:0] wide, output reg [7:0] y);
  always @(posedge clock) y <= one ? 8'd1 : {2'd0, wide[69:64]};
endmodule
";

/// The text of a main around `body`, built and run.
fn run(checks: Checks, body: &str) -> Result<Output, CxxError> {
    let program = checked_program(
        &Program {
            sources: &[("leaf.v", VERILOG)],
            top: "leaf",
            parameters: &[],
            ports: &[Port::input("one", 1), Port::input("wide", 70)],
            verilator: &[],
            optimise: ("-O1", "-O0"),
            main: &format!(
                "#include \"model.h\"\n\
                 __attribute__((noinline)) static void look(unsigned* p) {{ asm volatile(\"\" : : \"g\"(p) : \"memory\"); }}\n\
                 int main(int argc, char**) {{ Model d; unsigned v[4]; look(v); d.clock = 0; d.one = 0; {body}; return argc - 1; }}\n"
            ),
        },
        checks,
    )?;
    Ok(std::process::Command::new(program).output().expect("the program starts"))
}

/// Without Verilator or a compiler nothing is tested.
fn tools() -> bool {
    let tools = warpsmith_cxx::verilator_version().and_then(|_| warpsmith_cxx::tool::compiler().version());
    warpsmith_testkit::found(tools).is_some()
}

fn built(checks: Checks, body: &str) -> Output {
    run(checks, body).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn a_port_driven_with_more_than_it_holds_ends_the_program() {
    if !tools() {
        return;
    }
    for (body, said) in [
        ("d.one = 2; d.eval()", "input one of 1 bits is driven with a value that does not fit: 0x2"),
        ("d.wide[2] = 0x40; d.eval()", "input wide of 70 bits is driven with a value that does not fit: 0x40"),
    ] {
        let out = built(Checks::Strict, body);
        assert!(!out.status.success());
        let text = String::from_utf8_lossy(&out.stderr);
        assert!(text.contains(said), "{text}");
        // Users' programs go on: their text masks.
        assert!(built(Checks::None, body).status.success());
    }
    let fits = "d.one = 1; d.wide[2] = 0x3f; d.eval()";
    assert!(built(Checks::Strict, fits).status.success());
}

#[test]
fn memory_nobody_has_written_holds_a_pattern() {
    if !tools() {
        return;
    }
    if !checks::fills_memory().unwrap_or_else(|e| panic!("{e}")) {
        println!("skipped: memory_nobody_has_written_holds_a_pattern: the compiler cannot");
        return;
    }
    let print = "for (unsigned w : v) std::printf(\"%x \", w)";
    let text = built(Checks::Strict, print).stdout;
    let text = String::from_utf8_lossy(&text);
    let words: Vec<&str> = text.split_whitespace().collect();
    // GCC fills with fe, clang with aa.
    assert!(words.len() == 4 && words.iter().all(|w| *w == "fefefefe" || *w == "aaaaaaaa"), "{text}");
    // What the block's test did: such memory driven into a port.
    let out = built(Checks::Strict, "d.one = v[0] & 0xff; d.eval()");
    let text = String::from_utf8_lossy(&out.stderr);
    assert!(text.contains("input one of 1 bits"), "{text}");
}

#[test]
fn a_warning_of_our_text_is_an_error_in_tests_alone() {
    if !tools() {
        return;
    }
    let body = "int unused";
    match run(Checks::Strict, body) {
        Err(CxxError::Build { lines, .. }) => assert!(lines.contains("unused"), "{lines}"),
        other => panic!("a warning was not refused: {other:?}"),
    }
    assert!(built(Checks::None, body).status.success());
}

#[test]
#[ignore = "make soak"]
fn sanitizers_end_the_program() {
    if !tools() {
        return;
    }
    for (body, said) in [
        ("unsigned* p = new unsigned[4]; look(p); p[3 + argc] = 1; look(p)", "heap-buffer-overflow"),
        ("int big = 0x7fffffff; big += argc; look(reinterpret_cast<unsigned*>(&big))", "signed integer overflow"),
    ] {
        let out = built(Checks::Sanitize, body);
        let text = String::from_utf8_lossy(&out.stderr);
        assert!(!out.status.success() && text.contains(said), "{said}: {text}");
    }
    let out = built(Checks::Sanitize, "d.one = 1; d.eval()");
    let text = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{text}");
}
