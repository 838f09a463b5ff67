//! Ports of models: how wide they are, and a class that looks whether values fit.
//!
//! Verilator keeps a port in the next larger type of C++ and relies on the bits above being 0: a
//! one-bit port that holds 2 is neither true nor false. Nothing of Verilator looks.

use std::fmt::Write as _;
use warpsmith_contract::{bits::mask, Port};

/// Whether Verilator's type is wider than the port: that of 8, 16, 32 or 64 bits, or whole words.
fn has_room(width: usize) -> bool {
    match width {
        0..=64 => ![8, 16, 32, 64].contains(&width),
        n => n % 32 != 0,
    }
}

/// The header `model.h`: class `Model`, which is `Vtop`, but with `WARPSMITH_CHECK_PORTS` defined
/// says at every evaluation which input is driven with more than it holds, and ends the program.
pub fn model(ports: &[Port]) -> String {
    let mut looks = String::new();
    for p in ports.iter().filter(|p| p.is_input() && has_room(p.width)) {
        let (name, width) = (&p.name, p.width);
        let (value, most) = match width {
            0..=64 => (name.clone(), (1u64 << width) - 1),
            _ => {
                let last = width / 32;
                (format!("{name}[{last}]"), mask(width, last).into())
            }
        };
        writeln!(looks, "        if ({value} > {most:#x}ull) misfit(\"{name}\", {width}, {value});").expect("a string");
    }
    format!(
        r#"// A model whose inputs must fit their ports: the code Verilator writes relies on it.
#pragma once
#include "Vtop.h"
#include "verilated.h"
#include <cstdio>
#include <cstdlib>
class Model : public Vtop {{
public:
    using Vtop::Vtop;
#ifdef WARPSMITH_CHECK_PORTS
    void eval() {{
{looks}        Vtop::eval();
    }}

private:
    [[noreturn, maybe_unused]] static void misfit(const char* port, int bits, unsigned long long value) {{
        std::fprintf(stderr, "input %s of %d bits is driven with a value that does not fit: 0x%llx\n", port, bits, value);
        std::abort();
    }}
#endif
}};
"#
    )
}
