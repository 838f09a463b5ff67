//! Many instances of a leaf side by side: the C++ that Verilator writes for one, run on vectors.
//!
//! What Verilator makes of a leaf is one function without loops and calls that takes every register
//! over a clock edge. Here each variable of it becomes an array with one element an instance, the
//! function the body of a loop over the instances, and clang makes that loop one of vector
//! instructions: the lane goes from 7 to 39 million
//! operations a second on one core so. Two things stand in clang's way and are written
//! differently: variables are loaded before and stored behind the body, and comparisons with
//! constants are arithmetic, or clang would make a switch of them.
//!
//! The text is only understood as far as Verilator writes it today. If there is no clang, or something
//! else in the text, the reason is given and the plain simulation does the work; the first results
//! of every operation are compared with the plain simulation's in any case (`exhaustive.rs`).

use regex::{Captures, Regex};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use warpsmith_cxx::cache::{cached, put};
use warpsmith_cxx::key;
use warpsmith_cxx::{cache_dir, tool, verilator_version, CxxError};

use super::leaf::FLAGS;

/// Instances side by side.
pub const INSTANCES: usize = 64;

/// A variable of the simulation.
struct Variable {
    /// Type in the loop: Verilator relies on the width of 8 and 16 bits only where they are exact.
    kind: &'static str,
    name: String,
}

/// Builds a program of the Verilog and `main`, which includes `vector.h` for `State s`, its
/// `control_r`, `a_r`, … and `void step()`; or takes it from the cache.
///
/// # Errors
/// Why it cannot be done.
pub fn build(sources: &[(&str, String)], main: &str) -> Result<PathBuf, CxxError> {
    let texts = sources.iter().map(|(_, text)| text.as_str());
    let version = verilator_version()?;
    let settings = format!("{PRELUDE} {CLANG:?} {INSTANCES}");
    let key = key(texts.chain([version.as_str(), main, &settings, env!("CARGO_PKG_VERSION")]));
    cached(&cache_dir(), &format!("vector-{key}"), "vector", |work, _| {
        let dir = work.to_path_buf();
        for (name, text) in sources {
            put(work, name, text)?;
        }
        compile(work, main).map_err(|lines| CxxError::Build { tool: "the simulation on vectors".into(), dir, lines })
    })
}

/// Flags of clang. Warnings are errors as everywhere, in our text alone; memory is not filled with a
/// pattern, which would be done in the loop: the same text is built so for one instance.
const CLANG: [&str; 6] = ["-O3", "-march=native", "-mprefer-vector-width=512", "-Wall", "-Wextra", "-Werror"];

fn compile(dir: &Path, main: &str) -> Result<(), String> {
    let verilator = tool::verilator();
    let names = ["warpsmith.v", "sweep.v"];
    let head = ["--cc", "--prefix", "Vsweep", "--Mdir", "obj", "--top-module", "sweep"];
    run(verilator.command(dir).args(head).args(FLAGS).args(names))?;
    let text = translate(&dir.join("obj"))?;
    for (name, text) in [("vector.h", text.as_str()), ("vector.cpp", main)] {
        std::fs::write(dir.join(name), text).map_err(|e| e.to_string())?;
    }
    let include = tool::verilator_include(dir, &mut String::new()).map_err(|e| e.to_string())?;
    run(Command::new("clang++")
        .current_dir(dir)
        .args(CLANG)
        .arg("-isystem")
        .arg(include)
        .args(["vector.cpp", "-o", "vector"]))
}

fn output(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let out = command.output().map_err(|e| format!("{name}: {e}"))?;
    if !out.status.success() {
        return Err(format!("{name}: {}", String::from_utf8_lossy(&out.stderr)));
    }
    Ok(String::from_utf8_lossy(&out.stdout).into_owned())
}

fn run(command: &mut Command) -> Result<(), String> {
    output(command).map(drop)
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a pattern")
}

/// The simulation in the folder as `struct State` and `step`.
fn translate(folder: &Path) -> Result<String, String> {
    let read = |path: &Path| std::fs::read_to_string(path).map_err(|e| e.to_string());
    let header = read(&folder.join("Vsweep___024root.h"))?;
    let mut sources: Vec<_> = std::fs::read_dir(folder)
        .map_err(|e| e.to_string())?
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(|p| {
            let name = p.file_name().unwrap_or_default().to_string_lossy();
            name.contains("_DepSet_") && name.ends_with("__0.cpp")
        })
        .collect();
    sources.sort();
    let mut source = String::new();
    for path in &sources {
        source += &read(path)?;
    }
    // The control word is the same for all and stays.
    let bodies = bodies(&source)?;
    let bodies = regex(r"\b\w+control_r\s*=[^=;][^;]*;").replace_all(&bodies, "");
    // Ports are there for the program around the loop, whether the block looks at them or not.
    let needed = |v: &Variable| !v.name.contains("__DOT__") || regex(&format!(r"\b{}\b", v.name)).is_match(&bodies);
    let variables: Vec<Variable> = variables(&header).into_iter().filter(needed).collect();

    let mut o = String::from(PRELUDE) + &tables(&header, folder, &bodies)?;
    o += "struct State {\n";
    for Variable { kind, name } in &variables {
        writeln!(o, "    alignas(64) {kind} {name}[{INSTANCES}];").expect("a string");
    }
    o += "};\nstatic State s;\nstatic void step() {\n";
    let is_control = |v: &Variable| v.name.ends_with("control_r");
    for Variable { kind, name } in variables.iter().filter(|v| is_control(v)) {
        writeln!(o, "    const {kind} {name} = s.{name}[0];").expect("a string");
    }
    o += "#pragma clang loop vectorize(assume_safety) vectorize_width(16)\n";
    writeln!(o, "    for (int i = 0; i < {INSTANCES}; i++) {{").expect("a string");
    let others = || variables.iter().filter(|v| !is_control(v));
    for Variable { kind, name } in others() {
        writeln!(o, "    {kind} {name} = s.{name}[i];").expect("a string");
    }
    o += &bodies;
    for Variable { name, .. } in others() {
        if regex(&format!(r"\b{name}\s*=[^=]")).is_match(&bodies) {
            writeln!(o, "    s.{name}[i] = {name};").expect("a string");
        }
    }
    Ok(o + "    }\n}\n")
}

/// Memories that the loop reads: constants, filled where the simulation begins.
fn tables(header: &str, folder: &Path, bodies: &str) -> Result<String, String> {
    let memory = regex(r"VlUnpacked<([CSIQ]Data)/\*\d+:0\*/, (\d+)> (\w+);");
    let mut begin = String::new();
    for entry in std::fs::read_dir(folder).map_err(|e| e.to_string())? {
        let path = entry.map_err(|e| e.to_string())?.path();
        if path.to_string_lossy().ends_with("Slow.cpp") {
            begin += &std::fs::read_to_string(path).map_err(|e| e.to_string())?;
        }
    }
    let mut o = String::new();
    for c in memory.captures_iter(header) {
        let (kind, size, name) = (&c[1], &c[2], &c[3]);
        let word = regex(&format!(r"vlSelf->{name}\[\w+\]\s*=\s*(0x[0-9a-f]+)U"));
        let words: Vec<String> = word.captures_iter(&begin).map(|c| format!("{}UL", &c[1])).collect();
        let written = regex(&format!(r"\b{name}\s*\[[^\]]*\]\s*=[^=]")).is_match(bodies);
        if written || words.len().to_string() != size {
            return Err(format!("{name} is no table of constants"));
        }
        writeln!(o, "static const {kind} {name}[{size}] = {{{}}};", words.join(", ")).expect("a string");
    }
    Ok(o)
}

/// Arithmetic that takes the place of what clang would make a jump.
const PRELUDE: &str = "#pragma GCC system_header
#include \"verilated.h\"
static inline IData zero(IData x) { return 1U ^ (x | -x) >> 31; }
static inline IData some(IData x) { return (x | -x) >> 31; }
static inline IData zero(QData x) { return 1U ^ (IData)((x | -x) >> 63); }
static inline IData some(QData x) { return (IData)((x | -x) >> 63); }
static inline IData odd(IData x) {
    x ^= x >> 16; x ^= x >> 8; x ^= x >> 4; x ^= x >> 2; x ^= x >> 1;
    return x;
}
";

fn variables(header: &str) -> Vec<Variable> {
    let kind = |of: &str, high: &str| match (of, high) {
        ("Q" | "64", _) => "QData",
        ("C" | "8", "7") => "CData",
        ("S" | "16", "15") => "SData",
        _ => "IData",
    };
    let port = regex(r"VL_(?:IN|OUT)(8|16|64|)\((\w+),(\d+),0\);");
    let inner = regex(r"(?m)^\s+([CSIQ])Data/\*(\d+):0\*/ (\w+);");
    let ports = port.captures_iter(header).map(|c| (kind(&c[1], &c[3]), c[2].to_string()));
    let inner = inner.captures_iter(header).map(|c| (kind(&c[1], &c[2]), c[3].to_string()));
    ports.chain(inner).map(|(kind, name)| Variable { kind, name }).collect()
}

/// The functions that a clock edge runs, one after the other.
fn bodies(source: &str) -> Result<String, String> {
    let body = |name: &str| -> Result<&str, String> {
        let head = format!("void Vsweep___024root___{name}(Vsweep___024root* vlSelf) {{");
        let from = source.find(&head).ok_or(format!("no function {name}"))? + head.len();
        let end = source[from..].find("\n}\n").ok_or("a function without end")?;
        Ok(&source[from..from + end])
    };
    let mut all = String::new();
    let called = regex(r"Vsweep___024root___(\w+)\(vlSelf\)");
    for call in called.captures_iter(body("eval_nba")?) {
        let text = body(&call[1])?;
        let (before, text) = text.split_once("// Body").ok_or("a function without body")?;
        let locals = before.split_once("// Init").map_or("", |(_, locals)| locals);
        write!(all, "    {{\n{locals}\n{text}\n    }}\n").expect("a string");
    }
    let all = regex(r"vlSelf->(\w+)").replace_all(&all, "$1");
    let all = regex(r"VL_REDXOR_\d+\(").replace_all(&all, "odd(");
    let all = regex(r"\b([CS])Data/\*(\d+):0\*/").replace_all(&all, |c: &Captures| match (&c[1], &c[2]) {
        ("C", "7") | ("S", "15") => format!("{}Data", &c[1]),
        _ => "IData".into(),
    });
    let all = regex(r"(==|!=)\s+").replace_all(&all, "$1 ").replace("ULL", "UL");
    let known = ["VL_MULS_QQQ", "VL_EXTENDS_QI", "VL_EXTENDS_QQ", "VL_DEBUG_IF", "VL_DBG_MSGF"];
    if let Some(other) = regex(r"\bVL_\w+").find_iter(&all).find(|m| !known.contains(&m.as_str())) {
        return Err(format!("{} is not known", other.as_str()));
    }
    comparisons(&all)
}

/// `(3U == (x))` and `(3U != (x))` as arithmetic.
fn comparisons(text: &str) -> Result<String, String> {
    let head = regex(r"\((0x[0-9a-f]+|\d+)(UL?) (==|!=) ");
    let (mut o, mut at) = (String::new(), 0);
    while let Some(c) = head.captures_at(text, at) {
        let all = c.get(0).expect("the match");
        let mut depth = 1;
        let end = text[all.end()..]
            .bytes()
            .position(|b| {
                depth += i32::from(b == b'(') - i32::from(b == b')');
                depth == 0
            })
            .ok_or("a parenthesis without end")?;
        let name = if &c[3] == "==" { "zero" } else { "some" };
        let inner = comparisons(&text[all.end()..all.end() + end])?;
        o += &text[at..all.start()];
        write!(o, "{name}({}{} ^ ({inner}))", &c[1], &c[2]).expect("a string");
        at = all.end() + end + 1;
    }
    Ok(o + &text[at..])
}

#[test]
fn comparisons_with_constants_become_arithmetic() {
    let said = comparisons("a = ((3U == (0xfU & b)) ? (0x10UL != (c | (0U == d))) : e);");
    let want = "a = (zero(3U ^ ((0xfU & b))) ? some(0x10UL ^ ((c | zero(0U ^ (d))))) : e);";
    assert_eq!(said.as_deref(), Ok(want));
    assert!(comparisons("(3U == (b)").is_err());
}

#[test]
fn a_text_that_is_not_understood_is_refused() {
    let function = |name: &str, text: &str| {
        format!("void Vsweep___024root___{name}(Vsweep___024root* vlSelf) {{\n// Body\n{text}\n}}\n")
    };
    let call = function("eval_nba", "Vsweep___024root___edge(vlSelf);");
    let understood = call.clone() + &function("edge", "vlSelf->y = vlSelf->x;");
    assert!(bodies(&understood).is_ok_and(|b| b.contains("y = x;")));
    let unknown = call.clone() + &function("edge", "vlSelf->y = VL_DIV_III(32, vlSelf->x, 3U);");
    assert_eq!(bodies(&unknown), Err("VL_DIV_III is not known".into()));
    assert_eq!(bodies(&call), Err("no function edge".into()));
}
