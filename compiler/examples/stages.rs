//! Prints a kernel of a `.cu`, `.cl` or `.ptx` file after every stage: `stages FILE KERNEL [-O0|-O1]`.

use std::path::Path;
use warpsmith_compiler::clang::{find, ClangOptions, Language};
use warpsmith_compiler::{OptLevel, Options, Target};

fn main() -> Result<(), String> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (file, kernel) = (args.first().ok_or("which file?")?, args.get(1).map(String::as_str));
    let level = match args.get(2).map(String::as_str) {
        Some("-O0") => OptLevel::O0,
        Some("-O1") => OptLevel::O1,
        _ => OptLevel::O2,
    };
    let path = Path::new(file);
    let language = Language::of(path).ok_or("a file of another language")?;
    let ptx = if language == Language::Ptx {
        std::fs::read_to_string(path).map_err(|e| e.to_string())?
    } else {
        let options = ClangOptions { level, ..ClangOptions::default() };
        find::find(None)?.compile(path, language, &options).map_err(|e| e.to_string())?.text
    };
    println!("{ptx}");
    // Shown even where it would not fit.
    let target = Target { stack_depth: 1000, ..Target::unlimited() };
    let options = Options { level, ..Options::default() };
    let (_, k, text) =
        warpsmith_compiler::compile_with_ir(&ptx, file, kernel, &target, &options).map_err(|e| e.to_string())?;
    println!("{text}\n{} registers, stack {}", k.registers, k.stack_depth);
    Ok(())
}
