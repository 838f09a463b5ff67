//! Helpers of the integration tests: paths, tools, the program under test.

pub mod fault;
pub mod imports;
pub mod pair;
pub mod set_chip;
pub mod sim;
pub mod smt;
pub mod sweep;
pub mod trace_events;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use warpsmith_model::Launch;
pub use warpsmith_testkit::{absent, cases, found, only_in_soak, root, shared, soak, test_name};

/// Launch file of a kernel of ours.
pub fn kernel(name: &str) -> PathBuf {
    root().join("kernels").join(name).join("launch.toml")
}

/// A kernel of ours, as its launch file says.
pub fn load(name: &str) -> Launch {
    warpsmith_launch_file::load(kernel(name)).unwrap_or_else(|e| panic!("{e}"))
}

/// Names of our kernels: the folders of `kernels/`, sorted.
pub fn kernel_names() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(root().join("kernels"))
        .expect("kernels/ exists")
        .map(|e| e.expect("readable"))
        .filter(|e| e.path().join("launch.toml").is_file())
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// A program of the Python environment that `make tools` makes, or of `PATH`.
pub fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command.env("PATH", warpsmith_fpga::synth::tools::search_path());
    command
}

/// Yosys of `PATH`, whatever the temporary folder is called.
pub fn yosys() -> Command {
    let mut command = Command::new("yosys");
    warpsmith_cxx::tool::plain_temporary(&mut command);
    command
}

/// Verilator's lint of some files, with every warning on. They are copied: waivers know no file in a
/// folder with spaces in its name.
pub fn lint(top: &str, flags: &[&str], files: &[&Path]) -> Output {
    let dir = tempfile::tempdir().expect("a folder");
    let mut command = warpsmith_cxx::tool::verilator().command(dir.path());
    command.args(["--lint-only", "-Wall", "--top-module", top]);
    command.args(flags);
    for file in files {
        let name = file.file_name().expect("a file");
        std::fs::copy(file, dir.path().join(name)).expect("it can be copied");
        command.arg(name);
    }
    command.output().expect("Verilator starts")
}

/// A verdict of a tool on texts, kept in the cache: see [`warpsmith_cache::verdict`].
pub fn verdict(tool: &mut Command, version: &str, inputs: &[&[u8]], check: impl FnOnce()) {
    warpsmith_cache::verdict::verdict(tool, version, inputs, check)
        .expect("the tool starts and the cache can be written");
}

/// A temporary folder without spaces in its name, for tools that cannot do otherwise.
pub fn plain_folder() -> tempfile::TempDir {
    let folder = std::env::temp_dir();
    match folder.to_string_lossy().contains(char::is_whitespace) {
        true => tempfile::tempdir_in("/tmp"),
        false => tempfile::tempdir_in(folder),
    }
    .expect("a folder")
}

/// Whether every named program can be started; as [`absent`] when one cannot.
pub fn tools(programs: &[&str]) -> bool {
    let missing: Vec<&str> =
        programs.iter().copied().filter(|p| command(p).arg("--version").output().is_err()).collect();
    missing.is_empty() || absent(missing.join(", "))
}

/// Whether C can be compiled, as [`tools`].
pub fn clang() -> bool {
    found(warpsmith_compiler::clang::find::find(None)).is_some()
}

/// A program of the Python environment that `make tools` makes, or of `PATH`.
pub fn python_tool(name: &str) -> Option<PathBuf> {
    warpsmith_fpga::synth::tools::python_tool(name)
}

/// Arguments of a command: texts and paths.
macro_rules! args {
    ($($argument:expr),* $(,)?) => { [$(AsRef::<std::ffi::OsStr>::as_ref($argument)),*] };
}
pub(crate) use args;

/// What simulating the Verilog needs.
pub const SIMULATION: [&str; 3] = ["verilator", "g++", "make"];

/// Runs the program in the workspace root.
pub fn warpsmith<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> Output {
    warpsmith_with(args, |c| c)
}

/// Runs the program in the workspace root with changes to the command.
pub fn warpsmith_with<S: AsRef<std::ffi::OsStr>>(
    args: &[S], change: impl FnOnce(&mut Command) -> &mut Command,
) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpsmith"));
    command.args(args).current_dir(root());
    change(&mut command).output().expect("the program starts")
}

/// A folder of a test, of no other run, that stays to be looked at when the test fails.
pub struct Scratch(tempfile::TempDir);

impl Scratch {
    /// A new one below `target`.
    pub fn new(name: &str) -> Self {
        let dir = tempfile::Builder::new().prefix(&format!("{name}-")).tempdir_in(env!("CARGO_TARGET_TMPDIR"));
        Self(dir.expect("a writable target folder"))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("left behind: {}", self.path().display());
            self.0.disable_cleanup(true);
        }
    }
}

/// A refused command: exit code 2, nothing on stdout, one line on stderr that holds every fragment.
#[track_caller]
pub fn check_refusal(code: i32, out: &str, err: &str, fragments: &[&str]) {
    assert_eq!(code, 2, "stderr: {err}");
    assert_eq!(out, "", "results belong to a run that took place");
    assert!(err.starts_with("warpsmith: "), "{err}");
    assert_eq!(err.trim_end().lines().count(), 1, "one line, found: {err}");
    for f in fragments {
        assert!(err.contains(f), "'{f}' is missing in: {err}");
    }
}

/// What the program prints; its exit code is 0.
#[track_caller]
pub fn prints<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> String {
    let (code, out, err) = outcome(&warpsmith(args));
    assert_eq!(code, 0, "{out}{err}");
    out
}

/// Runs, and asserts exit code 2, nothing on stdout, and one line on stderr holding every fragment.
#[track_caller]
pub fn refuses<S: AsRef<std::ffi::OsStr>>(args: &[S], fragments: &[&str]) -> String {
    let (code, out, err) = outcome(&warpsmith(args));
    check_refusal(code, &out, &err, fragments);
    err
}

/// Exit code, stdout and stderr.
pub fn outcome(out: &Output) -> (i32, String, String) {
    (
        out.status.code().unwrap_or(-1),
        String::from_utf8_lossy(&out.stdout).into_owned(),
        String::from_utf8_lossy(&out.stderr).into_owned(),
    )
}
