//! `--isa` through the program: every set assembles, lists and shows; programs of another set are noticed.

use crate::support::{self, outcome, warpsmith};
use std::path::Path;
use warpsmith_isa::set;
use warpsmith_isa::sets::sets;

const FERMI: &str = "// Sum.
.isa fermi;
top: S2R R0, SR_Tid_X;
FADD.FTZ R1, R0, c[0x1][0x20];
@P0 BRA top;
EXIT;
";

/// Runs in a folder with files.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[(&str, &[u8])]) -> Folder {
        let dir = tempfile::tempdir().expect("a temporary folder");
        for (name, content) in files {
            std::fs::write(dir.path().join(name), content).expect("written");
        }
        Folder(dir)
    }

    /// Arguments with a point are files of the folder.
    fn run(&self, args: &[&str]) -> (i32, String, String) {
        let place = |a: &&str| match a.contains('.') {
            true => self.0.path().join(a),
            false => Path::new(a).to_path_buf(),
        };
        outcome(&warpsmith(&args.iter().map(place).collect::<Vec<_>>()))
    }

    #[track_caller]
    fn works(&self, args: &[&str]) -> String {
        let (code, out, err) = self.run(args);
        assert_eq!((code, err.as_str()), (0, ""), "{args:?}");
        out
    }

    #[track_caller]
    fn refuses(&self, args: &[&str], fragments: &[&str]) {
        let (code, out, err) = self.run(args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {err}");
        assert_eq!(err.trim_end().lines().count(), 1, "{err}");
        for f in fragments {
            assert!(err.contains(f), "'{f}' is missing in: {err}");
        }
    }

    /// Refused by the command line itself, which may take several lines.
    #[track_caller]
    fn refuses_usage(&self, args: &[&str], fragment: &str) {
        let (code, out, err) = self.run(args);
        assert_eq!((code, out.as_str()), (2, ""));
        assert!(err.starts_with("warpsmith: ") && err.contains(fragment), "{err}");
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.path().join(name)).expect("a file")
    }
}

#[test]
fn every_set_is_listed_and_shown() {
    let nothing = Folder::new(&[]);
    for set in sets() {
        let name = set.name();
        let rows = set.rows();
        let list = nothing.works(&["isa", "list", "--isa", name]);
        assert_eq!(list.lines().count(), rows.len() + 1, "{name}");
        let page = nothing.works(&["isa", "--isa", name, "doc"]);
        assert!(page.starts_with(&format!("# {}", set.title())), "{name}");
        let mnemonic = rows[rows.len() / 2].mnemonic;
        let shown = nothing.works(&["isa", "show", mnemonic, "--isa", name]);
        assert!(shown.contains(mnemonic), "{name}");
        nothing.refuses(&["isa", "show", "xyzzyxyzzy", "--isa", name], &["xyzzyxyzzy", "isa list"]);
        for command in ["asm", "disasm", "isa"] {
            let help = nothing.works(&[command, "-h"]);
            assert!(help.contains(name), "{command} -h names {name}");
        }
    }
    for (isa, chips, model_only) in [
        ("fermi", &["FFMA_RR", "DADD_R", "F2F_F32_F64_C", "ATOM", "ATOM_CAS", "RED"][..], &[][..]),
        (
            "g13",
            &["iadd", "convert", "exp2", "stack_load", "icmpsel", "ret", "simd_shuffle", "atomic"],
            &["threadgroup_atomic", "simd_iadd", "quad_prefix_fadd"],
        ),
    ] {
        let list = nothing.works(&["isa", "list", "--isa", isa]);
        let level = |name: &str| {
            let mut lines = list.lines().map(|l| l.split_whitespace());
            let found = lines.find_map(|mut l| (l.next()? == name).then(|| l.next()));
            found.flatten().map(String::from)
        };
        if isa == "g13" {
            // Only words whose fields meet in a certain way trap: a pair, shifted, added to one.
            for (name, part) in [("iadd", "shift no pair"), ("imadd", "shift no pair"), ("device_load", "over")] {
                let line = list.lines().find(|l| l.split_whitespace().next() == Some(name)).unwrap_or_default();
                assert!(line.contains("in part: ") && line.contains(part), "{line}");
            }
        }
        for (level_is, names) in [("L3", chips), ("L2", model_only)] {
            for name in names {
                assert_eq!(level(name).as_deref(), Some(level_is), "{isa} {name}");
            }
        }
    }
    nothing.refuses_usage(&["isa", "list", "--isa", "volta"], "sm10, fermi");
}

#[test]
fn every_form_of_the_seed_of_fermi_is_finished_and_says_what_needs_an_option() {
    let list = Folder::new(&[]).works(&["isa", "list", "--isa", "fermi"]);
    let lines: Vec<Vec<&str>> = list.lines().skip(1).map(|l| l.split_whitespace().collect()).collect();
    let seed: Vec<&Vec<&str>> = lines.iter().filter(|l| l[4] == "seed").collect();
    assert_eq!(seed.len(), 33);
    assert!(seed.iter().all(|l| l[1] == "L3"), "{list}");
    let doubles: Vec<&str> = list.lines().filter(|l| l.contains("without double=true")).collect();
    // DADD, DMUL, DFMA, DSETP; conversions; in part MUFU and F2I of singles.
    assert_eq!(doubles.len(), 13 + 12 + 4, "{doubles:#?}");
    assert_eq!(doubles.iter().filter(|l| l.contains("in part")).count(), 4, "{doubles:#?}");
    let atomics: Vec<&str> = list.lines().filter(|l| l.contains("without atomics=true")).collect();
    assert_eq!(atomics.len(), 4, "{atomics:#?}");
    let list = Folder::new(&[]).works(&["isa", "list", "--isa", "g13"]);
    let atomics: Vec<&str> = list.lines().filter(|l| l.contains("without atomics=true")).collect();
    assert!(matches!(atomics[..], [line] if line.starts_with("atomic ") && line.contains("L3")), "{atomics:#?}");
}

#[test]
fn what_a_text_asks_for_and_no_word_holds_is_noted() {
    let source = "FADD R1, R2, F1.5;\nFADD R1, R2, -F1.1;\nDADD R2, R4, F0.1;\nFMUL.FMA2 R1, R2, R3;\nEXIT;\n";
    let f = Folder::new(&[("a.sass", source.as_bytes())]);
    let (code, out, err) = f.run(&["asm", "--isa", "fermi", "a.sass"]);
    assert_eq!((code, out.lines().count()), (0, 5), "{err}");
    let notes: Vec<&str> = err.lines().collect();
    assert_eq!(notes.len(), 3, "{err}");
    for (note, says) in notes.iter().zip([
        "a.sass:2: F1.1 is cut off to the 20 bits of the immediate, F1.0996094",
        "a.sass:3: F0.1",
        "a.sass:4: .FMA2",
    ]) {
        assert!(note.contains(says), "{note}");
    }
}

#[test]
fn any_bytes_survive_disasm_and_asm_of_every_set() {
    let mut random = warpsmith_testkit::Random(1);
    let mut next = || random.bits();
    for set in sets() {
        let name = set.name();
        let rows = set.rows();
        let unit = set.unit();
        // Few random bytes are an instruction of some sets; a program has one at least.
        let mut bytes = Vec::new();
        while bytes.len() < 300 * unit || !set::disassemble(*set, &bytes).iter().any(|l| l.instr.is_ok()) {
            let row = &rows[next() as usize % rows.len()];
            let free = u128::from(next()) << 64 | u128::from(next());
            let code = (free & !row.mask | row.match_).to_le_bytes();
            bytes.extend(&code[..row.bytes.0.next_multiple_of(unit)]);
        }
        // What the file ends with is no instruction that needs more bytes.
        while matches!(
            set::disassemble(*set, &bytes).last().map(|l| &l.instr),
            Some(Err(set::DecodeError::Truncated { .. }))
        ) {
            bytes.truncate(bytes.len() - unit);
        }
        let f = Folder::new(&[("p.bin", &bytes)]);
        let (code, listing, err) = f.run(&["disasm", "--isa", name, "p.bin"]);
        assert_eq!(code, 0, "{name}: {err}");
        std::fs::write(f.0.path().join("p.sass"), &listing).expect("written");
        let (code, _, err) = f.run(&["asm", "--isa", name, "p.sass", "-o", "back.bin"]);
        if name == "sm10" && code == 2 {
            // Random branches lead into instructions: the check of whole programs says so.
            assert!(err.contains("p.sass:"), "{err}");
            continue;
        }
        assert_eq!(code, 0, "{name}: {err}");
        assert_eq!(f.read("back.bin"), bytes, "{name}");
        f.works(&["asm", "--isa", name, "p.sass", "-o", "back.hex"]);
        let (_, again, _) = f.run(&["disasm", "--isa", name, "back.hex"]);
        assert_eq!(again, listing, "{name}");
    }
}

#[test]
fn a_source_names_its_set() {
    let f = Folder::new(&[("a.sass", FERMI.as_bytes()), ("b.sass", b"NOP\n.isa volta\n")]);
    let hex = f.works(&["asm", "a.sass"]);
    assert_eq!(hex.lines().count(), 4);
    assert!(hex.lines().all(|l| l.len() == 16), "{hex}");
    assert_eq!(f.works(&["asm", "a.sass", "--isa", "fermi"]), hex);
    f.refuses(&["asm", "a.sass", "--isa", "sm10"], &["a.sass:2:6: this is a program of fermi", "--isa fermi"]);
    f.refuses(&["asm", "b.sass"], &["b.sass:2:6: there is no instruction set volta", "sm10"]);
    f.refuses(&["asm", "a.sass", "-o", "a.cubin"], &["a.cubin", ".hex or .bin"]);
    f.works(&["asm", "a.sass", "-o", "a.hex"]);
    let listing = f.works(&["disasm", "--isa", "fermi", "--words", "a.hex"]);
    assert!(listing.starts_with(".isa fermi;\n/* 0000  "), "{listing}");
    assert!(listing.contains("*/ @P0 BRA 0x0;"), "{listing}");
    // SM 1.0 as ever, its own line included.
    let kernel = support::root().join("kernels/vector_add/vector_add.sass");
    let source = std::fs::read_to_string(kernel).expect("a kernel");
    let named = format!(".isa sm10\n{source}");
    let f = Folder::new(&[("k.sass", source.as_bytes()), ("n.sass", named.as_bytes())]);
    assert_eq!(f.works(&["asm", "k.sass"]), f.works(&["asm", "n.sass"]));
    f.refuses(&["asm", "n.sass", "--isa", "fermi"], &["n.sass:1:6: this is a program of sm10"]);
}

#[test]
fn programs_of_another_set_are_noticed() {
    let unnamed = FERMI.replace(".isa fermi;", "");
    let f = Folder::new(&[("a.sass", FERMI.as_bytes()), ("u.sass", unnamed.as_bytes())]);
    f.refuses(&["asm", "u.sass"], &["u.sass:5:", "give --isa fermi"]);
    f.works(&["asm", "a.sass", "-o", "a.hex"]);
    f.works(&["asm", "a.sass", "-o", "a.bin"]);
    for file in ["a.hex", "a.bin"] {
        f.refuses(&["disasm", file], &[file, "program of fermi", "give --isa fermi"]);
    }
    let (code, out, err) = f.run(&["disasm", "--isa", "sm10", "a.bin"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains(';') && err.contains("program of fermi"), "{err}");
    let kernel = support::root().join("kernels/vector_add/vector_add.sass");
    let source = std::fs::read(kernel).expect("a kernel");
    let f = Folder::new(&[("k.sass", &source)]);
    f.works(&["asm", "k.sass", "-o", "k.hex"]);
    f.works(&["disasm", "k.hex"]);
    let (_, _, err) = f.run(&["disasm", "--isa", "fermi", "k.hex"]);
    assert!(err.contains("program of sm10"), "{err}");
}

#[test]
fn bad_files_are_refused_with_their_place() {
    let f = Folder::new(&[
        ("short.bin", &[4, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3]),
        ("none.bin", &[0xff; 64]),
        ("empty.hex", b""),
        ("word.hex", b"2c00000094001c04\n2c00000094001c04ff\n"),
        ("reg.sass", b".isa fermi\nFADD R1, R64, R2\n"),
        ("odd.sass", b".isa fermi\n.byte 1\nEXIT\n"),
        ("part.sass", b".isa fermi\nEXIT\n.byte 1\n"),
        ("k.cubin", b"architecture {sm_10}\n"),
    ]);
    let disasm = |file| ["disasm", "--isa", "fermi", file];
    f.refuses(&disasm("short.bin"), &["short.bin", "multiple of 8 bytes", "11"]);
    f.refuses(&disasm("none.bin"), &["none.bin: 0x0: ", "no instruction of fermi"]);
    f.refuses(&disasm("empty.hex"), &["empty.hex", "the file is empty"]);
    f.refuses(&disasm("word.hex"), &["word.hex:2", "64-bit word", "16 hexadecimal digits"]);
    f.refuses(&disasm("k.cubin"), &["k.cubin", "sm10"]);
    f.refuses(&["asm", "reg.sass"], &["reg.sass:2:10", "R0 to R62 or RZ"]);
    f.refuses(&["asm", "odd.sass"], &["odd.sass:3:1", "multiple of 8", "7 bytes"]);
    f.refuses(&["asm", "part.sass"], &["part.sass", "9 bytes", ".bin"]);
    // A reserved encoding is data, with the reason.
    let f = Folder::new(&[("d.hex", b"2c00000094001c04\nffffffffffffffff\n")]);
    let listing = f.works(&["disasm", "--isa", "fermi", "d.hex"]);
    assert!(listing.contains(".word 0xffffffffffffffff; // "), "{listing}");
}

/// Writes 7 to the first word of its parameter.
const STORE: &str = "MOV32I R0, 0x7; MOV R1, c[0x0][0x20]; ST [R1], R0; EXIT;";

#[test]
fn launches_of_other_sets_run_on_models_and_chips_of_their_set() {
    let launch = |isa: &str, program: &str| {
        format!(
            "program = \"{program}\"\n{isa}grid = [1]\nblock = [32]\nargs = [\"out\"]\n\
             [[buffer]]\nname = \"out\"\nwords = [0]\nexpect = {{ words = [7] }}\n"
        )
    };
    let fermi = launch("isa = \"fermi\"\n", "k.sass");
    let f = Folder::new(&[("l.toml", fermi.as_bytes()), ("k.sass", STORE.as_bytes())]);
    let report = f.works(&["run", "l.toml"]);
    assert!(report.contains("model of fermi"), "{report}");
    f.works(&["run", "l.toml", "--trace", "t.txt"]);
    let trace = std::fs::read_to_string(f.0.path().join("t.txt")).expect("the trace");
    assert!(trace.contains("MOV32I R0, 0x7"), "{trace}");
    assert!(trace.contains("register 0 = 00000007"), "{trace}");
    let other = ["l.toml:1: ", "is of fermi", "executes sm10", "--set isa=fermi"];
    let on = ["l.toml", "--engine", "native", "--set", "isa=sm10"];
    f.refuses(&[&["run", "--on", "rtl"][..], &on[..]].concat(), &other);
    f.refuses(&[&["cosim"][..], &on[..]].concat(), &other);
    let f10 = launch("", "m.sass");
    let sm10 = Folder::new(&[("l.toml", f10.as_bytes()), ("m.sass", b".registers 1\nNOP;")]);
    sm10.run(&["run", "l.toml", "--trace", "t.txt"]);
    let trace = std::fs::read_to_string(sm10.0.path().join("t.txt")).expect("the trace");
    assert!(trace.starts_with("(0, 0) warp 0 0x0000 active "), "{trace}");
    let other = ["l.toml:1: ", "is of sm10", "executes fermi", "--set isa=sm10"];
    sm10.refuses(&["cosim", "l.toml", "--engine", "native", "--set", "isa=fermi"], &other);
    f.refuses(&["run", "l.toml", "--seed", "1"], &["--seed", "starts at 0"]);
    for (isa, program, fragments) in [
        ("isa = \"volta\"\n", "k.sass", ["l.toml:2: ", "no instruction set volta"]),
        ("isa = \"fermi\"\n", "k.cu", ["l.toml:1: ", "the compiler writes sm10"]),
        ("isa = \"fermi\"\n", "k.sass", ["k.sass:1: ", "column 1"]),
        ("isa = \"fermi\"\n", "k.bin", ["k.bin", "multiple of 8 bytes"]),
        ("isa = \"fermi\"\nsimd = 8\n", "k.sass", ["l.toml:3: ", "ivb"]),
        ("isa = \"fermi\"\nsip = 8\n", "k.sass", ["l.toml:3: ", "ivb"]),
    ] {
        let text = launch(isa, program);
        let f = Folder::new(&[("l.toml", text.as_bytes()), (program, b"HCF")]);
        f.refuses(&["run", "l.toml"], &fragments);
    }
}

#[test]
fn a_trap_of_another_set_names_the_instruction_and_its_line() {
    let launch = b"program = \"k.sass\"\nisa = \"fermi\"\ngrid = [1]\nblock = [32]\n";
    let source = b"NOP;\nMOV32I R0, 0x2;\nLD R1, [R0];\nEXIT;\n";
    let f = Folder::new(&[("l.toml", launch), ("k.sass", source)]);
    let (code, out, _) = f.run(&["run", "l.toml"]);
    assert_eq!(code, 1, "{out}");
    for part in ["0x0010", "not aligned", "k.sass:3"] {
        assert!(out.contains(part), "{out}");
    }
}
