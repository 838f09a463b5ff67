//! Launch files: what is accepted, and that every refusal names the place, the limit and a remedy.

use std::path::Path;
use warpsmith_isa::asm::assemble;
use warpsmith_isa::{ChipInfo, Isa};
use warpsmith_launch::{Launch, LaunchError};
use warpsmith_model::{Machine, ModelConfig};

const HEAD: &str = "program = \"p.hex\"\ngrid = [1, 1]\nblock = [32, 1, 1]\n";

/// A folder with `p.hex` (writes R2, stores 7 to byte 0, exits).
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("temporary folder");
    hex(dir.path(), "p.hex", &words("MVI R1, 0x0;\nMVI R2, 0x7;\nGST.U32.EXIT global14[R1], R2;\n"));
    dir
}

fn words(text: &str) -> Vec<u32> {
    assemble(text, "test").expect("it assembles").words
}

fn hex(dir: &Path, name: &str, words: &[u32]) {
    let text: String = words.iter().map(|w| format!("{w:08x}\n")).collect();
    std::fs::write(dir.join(name), text).expect("file written");
}

fn load(dir: &Path, text: &str) -> Result<Launch, LaunchError> {
    let path = dir.join("l.toml");
    std::fs::write(&path, text).expect("launch written");
    warpsmith_launch_file::load(&path)
}

/// The launch must be refused at this line (0: no line) with a message containing all of `parts`.
fn refused(text: &str, line: usize, parts: &[&str]) {
    let dir = folder();
    let e = load(dir.path(), text).expect_err("the launch must be refused");
    assert_eq!(e.line.unwrap_or(0), line, "{e}");
    for p in parts {
        assert!(e.to_string().contains(p), "'{p}' is missing in: {e}");
    }
}

#[test]
fn a_complete_launch_runs_and_compares() {
    let dir = folder();
    hex(dir.path(), "want.hex", &[7]);
    let text = format!(
        "{HEAD}registers = 3\nglobal_bytes = 64\nparams = [0x1, 2]\n[[expect]]\noffset = 0\nfile = \"want.hex\"\n"
    );
    let l = load(dir.path(), &text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((l.name.as_str(), l.shared_bytes), ("l", 24));
    let mut m = Machine::new(&l, ModelConfig::default());
    m.run(100).unwrap_or_else(|e| panic!("{e}"));
    assert!(l.compare(m.global()).is_empty());
}

#[test]
fn a_difference_names_address_and_both_values() {
    let dir = folder();
    let text = format!("{HEAD}registers = 3\nglobal_bytes = 64\n[[expect]]\noffset = 0\nwords = [8, 0]\n");
    let l = load(dir.path(), &text).unwrap_or_else(|e| panic!("{e}"));
    let mut m = Machine::new(&l, ModelConfig::default());
    m.run(100).unwrap_or_else(|e| panic!("{e}"));
    let d = l.compare(m.global());
    assert_eq!(d.len(), 1);
    assert_eq!(d[0].to_string(), "global 0x00000000: expected 0x00000008, found 0x00000007");
}

#[test]
fn max_ulp_allows_a_distance_between_floats() {
    let dir = folder();
    let text = |ulp| {
        format!(
            "{HEAD}registers = 3\nglobal_bytes = 64\n[[global]]\noffset = 4\nwords = [0x3f800002]\n[[expect]]\noffset = 4\nfloats = [1.0]\nmax_ulp = {ulp}\n"
        )
    };
    for (ulp, count) in [(1, 1), (2, 0)] {
        let l = load(dir.path(), &text(ulp)).unwrap_or_else(|e| panic!("{e}"));
        let m = Machine::new(&l, ModelConfig::default());
        assert_eq!(l.compare(m.global()).len(), count);
    }
}

#[test]
fn binary_and_hex_data_may_be_mixed() {
    let dir = folder();
    std::fs::write(dir.path().join("d.bin"), [1, 2, 3, 4, 5]).expect("file written");
    hex(dir.path(), "d.hex", &[0x0807_0605]);
    let text = format!(
        "{HEAD}registers = 3\nglobal_bytes = 64\n[[global]]\noffset = 16\nfile = \"d.bin\"\n[[constant]]\nbank = 2\noffset = 4\nfile = \"d.hex\"\n"
    );
    let l = load(dir.path(), &text).unwrap_or_else(|e| panic!("{e}"));
    let m = Machine::new(&l, ModelConfig::default());
    assert_eq!(m.global().read(16, 6), [1, 2, 3, 4, 5, 0]);
    assert_eq!(l.constants[0].bytes, [5, 6, 7, 8]);
}

#[test]
fn an_unknown_key_is_refused_at_its_line() {
    refused(&format!("{HEAD}registers = 3\nregs = 4\n"), 5, &["regs", "registers"]);
}

#[test]
fn an_unknown_key_in_a_section_is_refused() {
    refused(&format!("{HEAD}registers = 3\n[[global]]\noffset = 0\nwords = [1]\nlength = 4\n"), 8, &["length"]);
}

#[test]
fn a_toml_error_names_its_line() {
    refused("program = \"p.hex\"\ngrid = [1\nblock = [1]\n", 3, &["expected"]);
}

#[test]
fn a_missing_program_file_is_refused_at_its_line() {
    refused(
        "name = \"x\"\nprogram = \"q.hex\"\ngrid = [1, 1]\nblock = [32]\nregisters = 1\n",
        2,
        &["q.hex", "relative to the launch file"],
    );
}

#[test]
fn missing_registers_are_asked_for() {
    refused(HEAD, 1, &["registers = N"]);
}

#[test]
fn a_register_beyond_the_allocation_names_the_instruction() {
    refused(&format!("{HEAD}registers = 2\n"), 4, &["R2", "0x0008", "raise it to 3"]);
}

#[test]
fn overlapping_sections_name_each_other() {
    refused(
        &format!("{HEAD}registers = 3\nglobal_bytes = 64\n[[global]]\noffset = 0\nwords = [1, 2]\n[[global]]\noffset = 4\nwords = [1]\n"),
        9,
        &["overlaps", "line 6"],
    );
    refused(
        &format!("{HEAD}registers = 3\n[[constant]]\nbank = 1\nwords = [1, 2]\n[[constant]]\nbank = 1\noffset = 4\nwords = [1]\n"),
        8,
        &["bank 1", "overlaps", "line 5"],
    );
}

#[test]
fn a_section_beyond_its_memory_names_the_limit() {
    refused(
        &format!("{HEAD}registers = 3\nglobal_bytes = 64\n[[expect]]\noffset = 0x3e\nwords = [1]\n"),
        6,
        &["0x42", "global_bytes is 0x40"],
    );
    refused(&format!("{HEAD}registers = 3\n[[constant]]\nbank = 1\noffset = 65533\nwords = [1]\n"), 5, &["65536"]);
    refused(&format!("{HEAD}registers = 3\n[[constant]]\nbank = 16\nwords = [1]\n"), 6, &["bank 16", "0 to 15"]);
    refused(&format!("{HEAD}registers = 3\nglobal_bytes = 4294967297\n"), 5, &["4294967296"]);
}

#[test]
fn a_section_takes_one_kind_of_content() {
    refused(
        &format!("{HEAD}registers = 3\nglobal_bytes = 64\n[[global]]\noffset = 0\nwords = [1]\nfloats = [1.0]\n"),
        6,
        &["exactly one"],
    );
}

#[test]
fn a_bad_dimension_names_its_axis_and_limit() {
    refused("program = \"p.hex\"\ngrid = [0, 1]\nblock = [32]\nregisters = 3\n", 2, &["grid x is 0", "65535"]);
    refused("program = \"p.hex\"\ngrid = [1]\nblock = [1, 1, 65]\nregisters = 3\n", 3, &["block z is 65", "64"]);
}

#[test]
fn shared_bytes_must_hold_header_and_parameters() {
    refused(&format!("{HEAD}registers = 3\nparams = [1]\nshared_bytes = 16\n"), 6, &["shared_bytes is 16", "20"]);
}

#[test]
fn a_bad_hex_word_names_the_data_file_and_line() {
    let dir = folder();
    std::fs::write(dir.path().join("bad.hex"), "00000001\n0000000g\n").expect("file written");
    let text = format!("{HEAD}registers = 3\nglobal_bytes = 64\n[[global]]\noffset = 0\nfile = \"bad.hex\"\n");
    let e = load(dir.path(), &text).expect_err("refused");
    assert!(e.file.ends_with("bad.hex") && e.line == Some(2), "{e}");
    assert!(e.to_string().contains("0000000g"), "{e}");
}

#[test]
fn a_truncated_program_is_refused() {
    let dir = folder();
    hex(dir.path(), "p.hex", &words("MVI R1, 0x0;\n")[..1]);
    let e = load(dir.path(), &format!("{HEAD}registers = 3\n")).expect_err("refused");
    assert!(e.to_string().contains("truncated"), "{e}");
    std::fs::write(dir.path().join("p.bin"), [0; 6]).expect("file written");
    let text = format!("{HEAD}registers = 3\n").replace("p.hex", "p.bin");
    let e = load(dir.path(), &text).expect_err("refused");
    assert!(e.to_string().contains("multiple of 4"), "{e}");
}

#[test]
fn a_branch_into_an_instruction_is_refused() {
    let dir = folder();
    hex(dir.path(), "p.hex", &words("BRA 0xc;\nMVI R1, 0x0;\nRET;\n"));
    let e = load(dir.path(), &format!("{HEAD}registers = 3\n")).expect_err("refused");
    assert!(e.to_string().contains("0x000c"), "{e}");
    assert!(e.to_string().contains("middle of a long instruction"), "{e}");
}

#[test]
fn limits_of_the_chip_name_both_numbers_and_the_line() {
    let dir = folder();
    let text = "program = \"p.hex\"\ngrid = [1]\nblock = [512]\nregisters = 30\nshared_bytes = 4096\n[[constant]]\nbank = 0\noffset = 1020\nwords = [1, 2]\n";
    let l = load(dir.path(), text).unwrap_or_else(|e| panic!("{e}"));
    let fits = ChipInfo {
        name: "default".to_string(),
        registers: 16384,
        shared_bytes: 16384,
        program_bytes: 8192,
        ..ChipInfo::unlimited()
    };
    assert_eq!(l.check_fits(&fits), Ok(()));
    // Without a line of its own shared memory is the program's, or that of the key for C programs.
    let mut l2 = l.clone();
    l2.lines.shared_bytes = None;
    let small = ChipInfo { shared_bytes: 1024, ..fits.clone() };
    let e = l2.check_fits(&small).expect_err("too small");
    assert_eq!(e.line, Some(1), "{e}");
    l2.lines.dynamic_shared_bytes = Some(7);
    let e = l2.check_fits(&small).expect_err("too small");
    assert_eq!(e.line, Some(7), "{e}");
    assert!(e.to_string().contains("dynamic_shared_bytes"), "{e}");
    let check = |limits: ChipInfo, line, part: &str| {
        let e = l.check_fits(&limits).expect_err("too small");
        assert_eq!(e.line, Some(line), "{e}");
        assert!(e.to_string().contains(part), "{e}");
        assert!(e.to_string().contains("configuration default"), "{e}");
    };
    check(ChipInfo { warps: 8, ..fits.clone() }, 3, "16 warps");
    check(ChipInfo { registers: 8192, ..fits.clone() }, 4, "15360");
    check(ChipInfo { shared_bytes: 1024, ..fits.clone() }, 5, "4096");
    check(ChipInfo { program_bytes: 16, ..fits.clone() }, 1, "24 bytes");
    check(ChipInfo { constant_bytes: 1024, ..fits.clone() }, 6, "1028");
}

#[test]
fn an_assembly_program_brings_its_directives() {
    let dir = folder();
    let source =
        ".registers 3\n.const 1 0 0x2a\n  MVI R1, 0x0;\n  MVC R2, c[0x1][0x0];\n  GST.U32 global14[R1], R2;\n  RET;\n";
    std::fs::write(dir.path().join("p.sass"), source).expect("file written");
    let text = format!("{HEAD}global_bytes = 64\n[[expect]]\noffset = 0\nwords = [0x2a]\n").replace("p.hex", "p.sass");
    let l = load(dir.path(), &text).unwrap_or_else(|e| panic!("{e}"));
    let mut m = Machine::new(&l, ModelConfig::default());
    m.run(100).unwrap_or_else(|e| panic!("{e}"));
    assert!(l.compare(m.global()).is_empty());
}

#[test]
fn an_assembly_error_names_the_source_line() {
    let dir = folder();
    std::fs::write(dir.path().join("p.sass"), "  NOP;\n  NONSENSE R1;\n").expect("file written");
    let text = format!("{HEAD}registers = 3\n").replace("p.hex", "p.sass");
    let e = load(dir.path(), &text).expect_err("refused");
    assert!(e.file.ends_with("p.sass") && e.line == Some(2), "{e}");
}

/// A cubin of two kernels; `twice` stores its literal and reserves 8 bytes of bank 0.
fn cubin(dir: &Path) {
    let program = words("MVI R1, 0x0;\nMVC R2, c[0x1][0x0];\nGST.U32.EXIT global14[R1], R2;\n");
    let code: String = program.iter().map(|w| format!("0x{w:08x} ")).collect();
    let text = format!(
        "architecture {{sm_10}}\nabiversion {{0}}\nmodname {{cubin}}\nconsts {{ name = t segname = const segnum = 0 offset = 0 bytes = 8 }}\ncode {{ name = twice lmem = 0 smem = 16 reg = 3 bar = 0 bincode {{ {code} }} const {{ segname = const segnum = 1 offset = 0 bytes = 4 mem {{ 0x0000002a }} }} }}\ncode {{ name = other lmem = 0 smem = 16 reg = 3 bar = 0 bincode {{ {code} }} }}\n"
    );
    std::fs::write(dir.join("p.cubin"), text).expect("file written");
}

const CUBIN: &str = "program = \"p.cubin\"\ngrid = [1]\nblock = [32]\nglobal_bytes = 64\n";

#[test]
fn a_cubin_brings_registers_code_and_literals() {
    let dir = folder();
    cubin(dir.path());
    let text = format!(
        "{CUBIN}kernel = \"twice\"\n[[constant]]\nbank = 0\nwords = [1, 2]\n[[expect]]\noffset = 0\nwords = [0x2a]\n"
    );
    let l = load(dir.path(), &text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((l.registers, l.shared_bytes), (3, 16));
    let mut m = Machine::new(&l, ModelConfig::default());
    m.run(100).unwrap_or_else(|e| panic!("{e}"));
    assert!(l.compare(m.global()).is_empty());
}

#[test]
fn an_unknown_kernel_lists_those_of_the_cubin() {
    let dir = folder();
    cubin(dir.path());
    for text in [format!("{CUBIN}kernel = \"thrice\"\n"), CUBIN.to_string()] {
        let e = load(dir.path(), &text).expect_err("refused");
        assert!(e.to_string().contains("twice, other"), "{e}");
    }
}

#[test]
fn spaces_beyond_their_addresses_are_refused() {
    for key in ["shared_bytes", "local_bytes"] {
        refused(&format!("{HEAD}registers = 3\n{key} = 4294967295\n"), 5, &[key, "65536"]);
    }
}

#[test]
fn the_first_page_is_guarded_where_the_program_places_all_addresses() {
    let dir = folder();
    let head = format!("{HEAD}registers = 3\n");
    let buffer = "[[buffer]]\nname = \"x\"\nbytes = 8\n";
    let global = "[[global]]\noffset = 0\nwords = [1]\n";
    for (text, guard, address) in [
        (format!("{head}args = [\"x\"]\n{buffer}"), true, 4096),
        (format!("{head}guard = false\nargs = [\"x\"]\n{buffer}"), false, 256),
        (format!("{head}params = [256]\n{buffer}"), false, 256),
        (format!("{head}args = [\"x\"]\n{buffer}{global}"), false, 256),
        (format!("{head}guard = true\n{buffer}"), true, 4096),
    ] {
        let l = load(dir.path(), &text).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((l.guard, l.buffers[0].address), (guard, address), "{text}");
        // The program stores to address 0.
        let ran = Machine::new(&l, ModelConfig::default()).run(100);
        let message = ran.map_or_else(|e| e.to_string(), |_| String::new());
        assert_eq!(message.contains("through a NULL pointer"), guard, "{message}");
    }
    refused(
        &format!("{head}guard = true\nglobal_bytes = 64\n{global}"),
        7,
        &["[[global]]", "first 4096 bytes", "guard = false"],
    );
}

#[test]
fn a_chip_of_ivy_bridge_counts_warps_of_simd_threads() {
    let dir = folder();
    let body = |size: u32, width| {
        format!("mov({size}) g10<1>UD g2<{width},{width},1>UW {{ align1 {} }};\n", ["1Q", "1H"][size as usize / 16])
    };
    std::fs::write(dir.path().join("narrow.asm"), body(8, 8)).expect("file written");
    std::fs::write(dir.path().join("wide.asm"), body(8, 8) + &body(16, 16)).expect("file written");
    let text = |program: &str, more: &str| {
        format!("program = \"{program}.asm\"\nisa = \"ivb\"\ngrid = [1]\nblock = [100]\n{more}")
    };
    let of = |text: &str| load(dir.path(), text).unwrap_or_else(|e| panic!("{e}"));
    let size = |l: &Launch| (l.warp_threads(), l.warps_per_block(), l.registers_value());
    assert_eq!(size(&of(&text("narrow", ""))), (8, 13, 8));
    assert_eq!(size(&of(&text("wide", ""))), (16, 7, 16));
    assert_eq!(size(&of(&text("wide", "simd = 8\n"))), (8, 13, 8));

    let chip = ChipInfo {
        name: "default".to_string(),
        isa: Isa::Ivb,
        registers: 16384,
        shared_bytes: 16384,
        program_bytes: 8192,
        constant_bytes: 1024,
        ..ChipInfo::unlimited()
    };
    assert_eq!(of(&text("narrow", "params = [1, 2]\n")).check_fits(&chip), Ok(()));
    let refused = |limits: &ChipInfo, more: &str, line, part: &str| {
        let e = of(&text("narrow", more)).check_fits(limits).expect_err("too small");
        assert_eq!(e.line, Some(line), "{e}");
        assert!(e.to_string().contains(part), "{e}");
    };
    refused(&ChipInfo { warps: 8, ..chip.clone() }, "", 4, "13 warps of 8 (simd)");
    refused(&ChipInfo { registers: 8192, ..chip.clone() }, "", 4, "need 13312 registers, 1024 each");
    refused(&chip, "local_bytes = 4\n", 5, "no local memory");
    refused(&chip, "sip = 0\n", 5, "no exceptions");
    let not_loaded = |more: &str, part: &str| {
        let e = load(dir.path(), &text("narrow", more)).err().unwrap_or_else(|| panic!("{more} is taken"));
        assert!(e.to_string().contains(part), "{e}");
    };
    not_loaded("sip = 8\n", "l.toml:5: sip is 8; it must be a multiple of 16");
    not_loaded("sip = 4096\n", "the program has");
    refused(&chip, "[[constant]]\nbank = 0\noffset = 0\nwords = [1]\n", 5, "constant bank 0; a chip of ivb has none");
}
