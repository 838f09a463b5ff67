//! Compiles a kernel of a PTX file and prints every stage and the listing: `ptx FILE [KERNEL] [LEVEL]`.
use warpsmith_compiler::{compile_with_ir, OptLevel, Options, Target};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&args[1]).expect("a file");
    let options = Options {
        level: match args.get(3).map(String::as_str) {
            Some("0") => OptLevel::O0,
            Some("1") => OptLevel::O1,
            _ => OptLevel::O2,
        },
        ..Options::default()
    };
    let kernel = args.get(2).map(String::as_str).filter(|k| *k != "-");
    match compile_with_ir(&text, &args[1], kernel, &Target::unlimited(), &options) {
        Ok((_, k, ir)) => {
            println!("{ir}");
            print!("{}", warpsmith_isa::listing(&k.words));
            println!("registers {} literals {:x?} stack {}", k.registers, k.literals, k.stack_depth);
        }
        Err(e) => println!("{e}"),
    }
}
