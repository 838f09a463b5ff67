//! `warpsmith opencl`: the program that runs programs, the loader's file, doctor; programs in Python; recorded launches in
//! lockstep and as a fault campaign.

use crate::support::{self, root, warpsmith, warpsmith_with};
use crate::uart;
use std::path::{Path, PathBuf};
use std::process::Output;

/// Both outputs, for messages.
fn text(out: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr))
}

/// Python with pyopencl: of `make python`, or of `PATH`.
fn python() -> Option<PathBuf> {
    let found = [support::python_tool("python3"), Some("python3".into())];
    let found = found.into_iter().flatten().find(|p| {
        let mut command = std::process::Command::new(p);
        let out = command.args(["-c", "import numpy, pyopencl"]).output();
        out.is_ok_and(|o| o.status.success())
    });
    if found.is_none() {
        support::absent("pyopencl (`make python`)");
    }
    found
}

/// Runs a program of `examples/python` on devices.
fn example(python: &Path, options: &[&str], name: &str, arguments: &[&str]) -> Output {
    let mut all = vec!["opencl".to_string(), "run".into()];
    all.extend(options.iter().map(ToString::to_string));
    all.push("--".into());
    all.push(python.display().to_string());
    all.push(root().join("examples/python").join(name).display().to_string());
    all.extend(arguments.iter().map(ToString::to_string));
    // Natively, whatever simulations the cache holds.
    warpsmith_with(&all, |c| c.env("PYOPENCL_NO_CACHE", "1").env("WARPSMITH_ENGINE", "native"))
}

/// Runs it and returns what it printed; it must be right.
fn right(python: &Path, options: &[&str], name: &str, arguments: &[&str]) -> String {
    let out = example(python, options, name, arguments);
    assert!(out.status.success(), "{name} {options:?}: {}", text(&out));
    String::from_utf8_lossy(&out.stdout).into_owned()
}

#[test]
fn programs_in_python_on_the_model() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let picture = folder.path().join("m.png").display().to_string();
    let model = ["--device", "model"];
    for (name, arguments) in [
        ("matmul.py", &["32"][..]),
        ("mandelbrot.py", &[picture.as_str(), "96"]),
        ("network.py", &[]),
        ("arrays.py", &[]),
    ] {
        let printed = right(&python, &model, name, arguments);
        assert!(printed.contains("odel"), "{name} names the device: {printed}");
    }
    let png = std::fs::read(&picture).expect("a picture");
    assert!(png.starts_with(b"\x89PNG\r\n") && png.len() > 500);
}

#[test]
fn programs_in_python_on_the_verilog_of_default_in_lockstep() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let [model, rtl] = ["model.png", "rtl.png"].map(|n| folder.path().join(n).display().to_string());
    right(&python, &["--device", "model"], "mandelbrot.py", &[&model, "32"]);
    let lockstep = ["--device", "rtl:default", "--cosim"];
    right(&python, &lockstep, "mandelbrot.py", &[&rtl, "32"]);
    let [model, rtl] = [model, rtl].map(|p| std::fs::read(p).expect("a picture"));
    assert_eq!(model, rtl, "model and Verilog draw the same picture");
    right(&python, &lockstep, "matmul.py", &["16"]);
    right(&python, &lockstep, "network.py", &[]);
}

/// A board behind a serial line: `tiny`, which has no floats.
const ON_A_BOARD: &str = r#"
import numpy as np
import pyopencl as cl

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
a = np.arange(64, dtype=np.uint32)
buffer = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=a)
source = "__kernel void square(__global uint *a) { uint i = get_global_id(0); a[i] *= a[i] + get_group_id(0); }"
cl.Program(context, source).build().square(queue, (64,), (32,), buffer)
result = np.empty_like(a)
cl.enqueue_copy(queue, result, buffer)
print(queue.device.name, np.array_equal(result, a * (a + a // 32)))
"#;

#[test]
fn program_in_python_on_a_board() {
    let Some(python) = python() else { return };
    let Some(board) = uart::board() else { return };
    let served = uart::serve(&board, 0.0, None, 0);
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("square.py");
    std::fs::write(&script, ON_A_BOARD).expect("it can be written");
    let device = format!("uart:{}", served.path);
    let script = script.display().to_string();
    let printed = right(&python, &["--device", &device, "--cosim"], &script, &[]);
    assert!(printed.contains("board"), "{printed}");
    assert!(printed.trim_end().ends_with("True"), "{printed}");
}

/// `--record`: every launch is a launch file that passes on model and Verilog, and a campaign's workload.
#[test]
fn recorded_launches_pass_and_take_faults() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let record = folder.path().join("launches").display().to_string();
    let options = ["--device", "model", "--record", record.as_str()];
    right(&python, &options, "matmul.py", &["16"]);
    right(&python, &options, "network.py", &[]);
    let mut launches: Vec<PathBuf> = std::fs::read_dir(&record)
        .expect("launches")
        .map(|e| e.expect("readable").path().join("launch.toml"))
        .collect();
    launches.sort();
    assert_eq!(launches.len(), 3, "one multiply, two layers: {launches:?}");
    let launch = |i: usize| launches[i].display().to_string();
    for i in 0..3 {
        let out = warpsmith(&["run", &launch(i)]);
        assert!(out.status.success(), "{}", text(&out));
    }
    let out = warpsmith(&["cosim", "--engine", "native", &launch(0), &launch(1), &launch(2)]);
    assert!(out.status.success(), "{}", text(&out));

    // A wrong expectation fails: the results are in the files.
    let files = walk(launches[0].parent().expect("a folder"));
    let wrong = files.iter().filter(|f| f.contains("after")).max();
    let wrong = wrong.expect("a file of expected results");
    let mut bytes = std::fs::read(wrong).expect("readable");
    let last = bytes.len() - 2;
    bytes[last] ^= 1;
    std::fs::write(wrong, bytes).expect("writable");
    let out = warpsmith(&["run", &launch(0)]);
    assert_eq!(out.status.code(), Some(1), "{}", text(&out));

    let campaign = folder.path().join("campaign.csv").display().to_string();
    for args in [
        &["fault", "plan", &launch(1), "--count", "60", "--site-kind", "reg", "--seed", "1", "-o", &campaign][..],
        &["fault", "run", &campaign, "--engine", "native"],
        &["fault", "report", &campaign],
    ] {
        let out = warpsmith(args);
        assert!(out.status.success(), "{args:?}: {}", text(&out));
    }
    let out = text(&warpsmith(&["fault", "report", &campaign]));
    assert!(out.contains("masked"), "{out}");
}

#[test]
fn profile_of_every_launch() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let profile = folder.path().join("profile").display().to_string();
    right(&python, &["--device", "rtl:default", "--profile", &profile], "matmul.py", &["16"]);
    let files: Vec<String> = walk(Path::new(&profile));
    assert!(files.iter().any(|f| f.ends_with(".html")), "{files:?}");
    assert!(files.iter().any(|f| f.ends_with(".json")), "{files:?}");
}

/// Files below a folder.
fn walk(folder: &Path) -> Vec<String> {
    let mut found = vec![];
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        match entry.path().is_dir() {
            true => found.extend(walk(&entry.path())),
            false => found.push(entry.path().display().to_string()),
        }
    }
    found
}

#[test]
fn usage_names_the_variables_and_run_hands_codes_through() {
    let out = warpsmith(&["opencl"]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out));
    for variable in
        ["export OCL_ICD_VENDORS=", "WARPSMITH_DEVICE", "WARPSMITH_COSIM", "WARPSMITH_RECORD", "WARPSMITH_PROFILE"]
    {
        assert!(text(&out).contains(variable), "{variable}: {}", text(&out));
    }
    let shell = |script: &str| warpsmith(&["opencl", "run", "--device", "model", "--", "sh", "-c", script]);
    assert_eq!(shell("exit 7").status.code(), Some(7));
    let out = shell("echo $WARPSMITH_DEVICE; cat $OCL_ICD_VENDORS/*.icd");
    let printed = text(&out);
    let library = printed.lines().nth(1).unwrap_or_default();
    assert!(printed.starts_with("model\n") && Path::new(library).is_file(), "{printed}");
    let out = warpsmith(&["opencl", "run", "--", "no-such-program"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out).starts_with("warpsmith: no-such-program: "), "{}", text(&out));
    assert_eq!(warpsmith(&["opencl", "run"]).status.code(), Some(2));
    let out = warpsmith(&["opencl", "run", "--device", "model, rtl:nosuch", "--", "true"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out).contains("--device: `rtl:nosuch`: no configuration named"), "{}", text(&out));
}

#[test]
fn install_writes_the_loaders_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let vendors = folder.path().join("vendors");
    let out = warpsmith(&["opencl", "install", "--dir", &vendors.display().to_string()]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out));
    assert!(text(&out).contains("export OCL_ICD_VENDORS="), "{}", text(&out));
    let library = std::fs::read_to_string(vendors.join("warpsmith.icd")).expect("written");
    assert!(Path::new(library.trim()).is_file(), "{library}");
    // A folder that cannot be: the error says what to do.
    let file = folder.path().join("file");
    std::fs::write(&file, "").expect("writable");
    let out = warpsmith(&["opencl", "install", "--dir", &file.join("x").display().to_string()]);
    assert_eq!(out.status.code(), Some(2), "{}", text(&out));
    assert!(text(&out).contains("--dir"), "{}", text(&out));
}

#[test]
fn doctor_finds_loader_driver_and_conflicts() {
    let out = warpsmith_with(&["opencl", "doctor"], |c| c.env("OCL_ICD_FILENAMES", "/other.so"));
    let printed = text(&out);
    assert!(printed.contains("driver"), "{printed}");
    assert!(printed.contains("CONFLICT  OCL_ICD_FILENAMES"), "{printed}");
    let missing = printed.contains("MISSING");
    assert_eq!(out.status.code(), Some(if missing { 2 } else { 0 }), "{printed}");
    if support::tools(&["clinfo"]) {
        assert!(printed.contains("sees Warpsmith"), "{printed}");
    }
}
