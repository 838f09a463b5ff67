//! Programs on the host: compiled by its C++ compiler behind a shim, a thread at a time.

use super::print;
use super::program::*;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Results of every program: 64-bit words, a row of [`RESULTS`] a thread.
///
/// # Errors
/// The compiler is missing or refuses the source, or the program does not end well.
pub fn run(programs: &[&Program], folder: &Path) -> Result<Vec<Vec<u64>>, String> {
    let (source, binary) = (folder.join("host.cpp"), folder.join("host"));
    std::fs::write(&source, text(programs)).map_err(|e| format!("{}: {e}", source.display()))?;
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".into());
    // The flags define behaviour that C++ leaves undefined, so that a mistake of the generator does
    // not look like a mistake of our compiler.
    let output = Command::new(&compiler)
        .args(["-O1", "-w", "-fwrapv", "-fno-strict-aliasing", "-o"])
        .arg(&binary)
        .arg(&source)
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("cannot start {compiler}: {e}"))?;
    if !output.status.success() {
        return Err(format!("{compiler}: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let output = Command::new(&binary)
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("cannot start {}: {e}", binary.display()))?;
    let size = (THREADS * BLOCKS) as usize * RESULTS;
    if !output.status.success() || output.stdout.len() != 8 * size * programs.len() {
        return Err(format!("the host's program ended with {}", output.status));
    }
    let words: Vec<u64> =
        output.stdout.chunks_exact(8).map(|b| b.iter().rev().fold(0, |w, b| w << 8 | u64::from(*b))).collect();
    Ok(words.chunks(size).map(<[u64]>::to_vec).collect())
}

fn text(programs: &[&Program]) -> String {
    let mut out = String::from(include_str!("shim.h"));
    out.push_str(print::PRELUDE);
    for (n, p) in programs.iter().enumerate() {
        out.push_str(&print::program(p, n));
    }
    let size = (THREADS * BLOCKS) as usize * RESULTS;
    let _ = writeln!(out, "static u64 results[{size}];");
    for (n, p) in programs.iter().enumerate() {
        let words: Vec<String> = p.input.iter().map(|w| format!("{w:#x}")).collect();
        let _ = writeln!(out, "alignas(8) static const u32 input{n}[] = {{ {} }};", words.join(", "));
        let args: String = p.params.iter().map(|(ty, v)| format!(", ({})({v}ll)", ty.name())).collect();
        let _ = writeln!(out, "static void start{n}() {{ k{n}(input{n}, results{args}); }}");
    }
    out.push_str("int main()\n{\n");
    for (n, p) in programs.iter().enumerate() {
        let width = if p.plane { 8 } else { THREADS };
        let _ = writeln!(
            out,
            "    memset(results, 0, sizeof results);\n    launch({BLOCKS}, {THREADS}, {width}, start{n});\n    fwrite(results, 1, sizeof results, stdout);"
        );
    }
    out.push_str("    return 0;\n}\n");
    out
}
