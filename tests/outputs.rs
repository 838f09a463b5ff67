//! No output replaces an input or another output, and none is found unwritable after the work.

use crate::support::{self, outcome, warpsmith_with};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// A folder with a launch, its program and data, a campaign with results, sources and a configuration.
fn inputs() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    let put = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    };
    put("l.toml", "program = \"k.hex\"\ngrid = [1, 1]\nblock = [32, 1, 1]\nregisters = 4\nglobal_bytes = 256\n[[global]]\noffset = 0\nfile = \"in.hex\"\n[[expect]]\noffset = 0\nfile = \"want.hex\"\n");
    put("k.hex", "f0000001\ne0000001\n");
    put("in.hex", "00000001\n");
    put("want.hex", "00000001\n");
    put(
        "f.toml",
        "isa = \"fermi\"\nprogram = \"f.asm\"\ngrid = [1, 1]\nblock = [32, 1, 1]\nregisters = 4\nglobal_bytes = 256\n",
    );
    put("f.asm", "EXIT;\n");
    put("s.sass", "RET;\n");
    put("p.ptx", ".version 3.2\n");
    put("chip.toml", "base = \"tiny\"\n");
    put("more.toml", "base = \"chip.toml\"\n");
    put("out/manifest.json", "base = \"tiny\"\n");
    put("out/report.md", "base = \"tiny\"\n");
    put("out/README.md", "base = \"tiny\"\n");
    put("c.csv", "# warpsmith campaign 1\n# config = ./chip.toml\n# launch = l.toml\n");
    put("c.db", "the results of a week\n");
    for (link, to) in [
        ("link.toml", "l.toml"),
        ("link.html", "l.toml"),
        ("link.json", "l.toml"),
        ("link.fst", "c.db"),
        ("link.gz", "in.hex"),
        ("other.toml", "chip.toml"),
    ] {
        std::os::unix::fs::symlink(to, dir.path().join(link)).expect("a link");
    }
    std::fs::hard_link(dir.path().join("l.toml"), dir.path().join("hard.html")).expect("a link");
    dir
}

/// Every file below a folder.
fn contents(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(dir).expect("a folder") {
        let path = entry.expect("readable").path();
        match path.is_dir() {
            true => found.extend(contents(&path)),
            false => {
                let bytes = std::fs::read(&path).expect("readable");
                found.insert(path.display().to_string(), bytes);
            }
        }
    }
    found
}

fn in_folder(dir: &Path, line: &str) -> (i32, String, String) {
    let args: Vec<&str> = line.split_whitespace().collect();
    outcome(&warpsmith_with(&args, |c| c.current_dir(dir)))
}

#[test]
fn no_output_replaces_an_input() {
    let dir = inputs();
    let before = contents(dir.path());
    let replaced = [
        "run l.toml --dump l.toml",
        "run l.toml --dump ./out/../l.toml",
        "run l.toml --dump link.toml",
        "run link.toml --dump l.toml",
        "run l.toml --dump k.hex",
        "run l.toml --dump in.hex",
        "run l.toml --dump want.hex",
        "run l.toml --config chip.toml --dump chip.toml",
        "run l.toml --config more.toml --dump chip.toml",
        "run f.toml --trace f.asm",
        "run l.toml --on rtl --engine native --profile=link.html",
        "run l.toml --on rtl --engine native --profile=hard.html",
        "run l.toml --on rtl --engine native --timeline link.json",
        "run l.toml --on uart:/dev/null --dump l.toml",
        "cosim l.toml --engine native --timeline link.json",
        "cosim --random 10 --engine native --config chip.toml --coverage chip.toml",
        "cc p.ptx -o p.ptx",
        "cc p.ptx --config chip.toml --emit ptx -o chip.toml",
        "asm s.sass -o s.sass",
        "emit --config out/manifest.json --out out",
        "package --config out/README.md --out out",
        "package launch l.toml -o link.gz",
        "synth --target arty_a7 --config out/report.md --out out",
        "bench --config out/README.md --suite micro --engine native --out out",
        "bench --config chip.toml --suite micro --update-baseline --baseline chip.toml",
        "board --config other.toml --link other.toml",
        "fault plan l.toml -o l.toml",
        "fault plan l.toml -o k.hex --force",
        "fault plan l.toml --config chip.toml -o chip.toml --force",
        "fault run c.csv --results l.toml",
        "fault run c.csv --results c.csv",
        "fault report c.csv --csv c.csv",
        "fault report c.csv --html c.db",
        "fault report c.csv --html l.toml",
        "fault report c.csv --csv chip.toml",
        "fault report c.csv --results c.db --csv in.hex",
        "fault compare c.csv --html c.csv",
        "fault compare c.csv --html c.db",
        "fault replay c.csv --all --csv c.csv",
        "fault replay c.csv --all --csv c.db",
        "fault replay c.csv 0 --wave link.fst",
        "fault coverage l.toml --csv l.toml",
        "fault coverage l.toml --csv k.hex",
        "fault gates --unit int_unit --launch l.toml --csv l.toml",
        "fault gates --unit int_unit --launch l.toml --keep chip.toml --config chip.toml",
        "fault selftest --unit int --keep chip.toml --config chip.toml",
        "fault cram . --launch l.toml --csv l.toml",
    ];
    for line in replaced {
        let (code, out, err) = in_folder(dir.path(), line);
        assert_eq!((code, out.as_str()), (2, ""), "{line}: {err}");
        assert!(err.contains("would replace"), "{line}: {err}");
        assert_eq!(err.lines().count(), 1, "{line}: {err}");
    }
    for line in [
        "run f.toml --trace a.txt --dump ./a.txt",
        "run f.toml --trace new/a.txt --dump new/../new/a.txt",
        "fault report c.csv --csv a --html a",
    ] {
        let (code, _, err) = in_folder(dir.path(), line);
        assert_eq!(code, 2, "{line}: {err}");
        assert!(err.contains("name two files"), "{line}: {err}");
    }
    // Nothing changed, and nothing was made: no folder, no temporary file.
    assert_eq!(contents(dir.path()), before);
    assert!(!dir.path().join("new").exists());
}

#[test]
fn outputs_of_one_format_have_its_ending() {
    let dir = inputs();
    for (line, ending) in [
        ("run l.toml --on rtl --engine native --profile=p.htm", ".html"),
        ("run l.toml --on rtl --engine native --timeline t.txt", ".json"),
        ("run l.toml --on rtl --engine native --wave w.vcd", ".fst"),
        ("cosim l.toml --engine native --timeline t.html", ".json"),
        ("cosim l.toml --engine native --wave w", ".fst"),
        ("fault replay c.csv 0 --wave w.vcd", ".fst"),
        ("package launch l.toml -o l.zip", ".gz"),
    ] {
        let (code, _, err) = in_folder(dir.path(), line);
        assert_eq!(code, 2, "{line}: {err}");
        assert!(err.contains(ending), "{line}: {err}");
    }
    // An optional value takes no argument that follows.
    let (code, out, err) = in_folder(dir.path(), "run --on rtl --engine native --config tiny --profile l.toml");
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("pass: l"), "{out}");
}

#[test]
fn a_campaign_with_results_is_drawn_anew_only_by_force() {
    let dir = inputs();
    let before = contents(dir.path());
    let plan = "fault plan l.toml --config tiny --site-kind reg --count 3 --engine native -o c.csv";
    let (code, _, err) = in_folder(dir.path(), plan);
    assert_eq!(code, 2, "{err}");
    for part in ["c.csv", "c.db", "--force"] {
        assert!(err.contains(part), "{err}");
    }
    assert_eq!(contents(dir.path()), before);
    let (code, _, err) = in_folder(dir.path(), &format!("{plan} --force"));
    assert_eq!(code, 0, "{err}");
    let text = std::fs::read_to_string(dir.path().join("c.csv")).expect("a campaign");
    assert!(text.contains("# plan = "), "{text}");
    let results = std::fs::read_to_string(dir.path().join("c.db")).expect("as it was");
    assert_eq!(results, "the results of a week\n");
}

#[test]
fn folders_of_outputs_are_made() {
    let dir = inputs();
    for (line, made) in [
        ("run l.toml --dump a/b/m.hex", "a/b/m.hex"),
        ("run f.toml --trace c/t.txt", "c/t.txt"),
        ("asm s.sass -o d/s.hex", "d/s.hex"),
        ("package launch l.toml -o d/l.tar.gz", "d/l.tar.gz"),
        (
            "run l.toml --on rtl --engine native --config tiny --wave e/w.fst --timeline f/t.json --profile=g/p.html",
            "e/w.fst",
        ),
        ("cosim --random 100 --engine native --config tiny --coverage h/c.html", "h/c.html"),
        ("fault plan l.toml --config tiny --site-kind reg --count 3 --engine native -o i/c.csv", "i/c.csv"),
        ("fault run i/c.csv --results j/r.db", "j/r.db"),
        ("fault report i/c.csv --results j/r.db --csv k/r.csv --html k/r.html", "k/r.html"),
    ] {
        let (code, _, err) = in_folder(dir.path(), line);
        assert_eq!(code, 0, "{line}: {err}");
        assert!(dir.path().join(made).is_file(), "{line}");
    }
    let left = contents(dir.path());
    let odd = |name: &&String| name.contains(".part") || name.ends_with(".lock");
    assert_eq!(left.keys().find(odd), None);
}

/// A billion instructions take an hour: what cannot be written is said before.
#[test]
fn what_cannot_be_written_is_said_before_the_work() {
    let dir = inputs();
    let begun = Instant::now();
    for path in ["/dev/full", "/dev/zero", "l.toml/page.html", "out", "/proc/page.html"] {
        let line = format!("cosim --random 1000000000 --seed 1 --engine native --config tiny --coverage {path}");
        let (code, _, err) = in_folder(dir.path(), &line);
        assert_eq!(code, 2, "{path}: {err}");
        assert!(err.contains(&format!("--coverage {path}")), "{path}: {err}");
    }
    assert!(begun.elapsed() < Duration::from_secs(60));
    // Where standard output goes is known to take what it is given.
    let (code, out, err) = in_folder(dir.path(), "run l.toml --dump /dev/stdout");
    assert_eq!(code, 0, "{err}");
    assert!(out.starts_with("00000001\n") && out.contains("pass: "), "{out}");
    let (code, _, err) = in_folder(dir.path(), "run l.toml --dump /dev/null");
    assert_eq!(code, 0, "{err}");
}

/// Standard output in a file that is an output too: what was said stays, what follows comes behind it.
#[test]
fn an_output_to_the_file_of_standard_output_keeps_both() {
    let dir = inputs();
    let file = dir.path().join("both.txt");
    let out = std::fs::File::create(&file).expect("made");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_warpsmith"));
    command.args(["run", "l.toml", "--dump", "/dev/stdout"]);
    let status = command.current_dir(dir.path()).stdout(out).status();
    assert!(status.expect("it starts").success());
    let text = std::fs::read_to_string(&file).expect("written");
    assert!(text.starts_with("00000001\n") && text.contains("pass: "), "{text}");
}

#[test]
fn a_header_of_a_source_is_an_input_too() {
    if !support::clang() {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let put = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).expect("written");
    put("h.sass", "#define N 1\n");
    put("k.cu", "#include \"h.sass\"\n__global__ void k(int *p) { *p = N; }\n");
    let (code, _, err) = in_folder(dir.path(), "cc k.cu -o h.sass");
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("would replace"), "{err}");
    let header = std::fs::read_to_string(dir.path().join("h.sass")).expect("readable");
    assert_eq!(header, "#define N 1\n");
}
