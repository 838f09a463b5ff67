//! The files a command reads and those it writes, checked before any work: no output replaces an input or
//! another output, and none is found unwritable after the work.

use crate::cli::ChipArgs;
use anyhow::{anyhow, bail, Context, Result};
use std::fs::{self, FileType, Metadata};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Component, Path, PathBuf};
use warpsmith_cache::input;
use warpsmith_cache::whole::Whole;
use warpsmith_fault::{store_files, Header};
use warpsmith_hdl::config::NAMES;

/// What an output holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Nothing that its name must say.
    Any,
    /// A page, where its option may be followed by other files: `.html`.
    Page,
    /// A launch with its files: `.gz`.
    Archive,
    /// Trace events: `.json`.
    Timeline,
    /// A waveform: `.fst`. It is written at several places and so never to a pipe.
    Wave,
}

impl Form {
    fn ending(self) -> Option<(&'static str, &'static str)> {
        match self {
            Form::Any => None,
            Form::Page => Some(("html", "the page is HTML")),
            Form::Archive => Some(("gz", "the archive is a tar in gzip")),
            Form::Timeline => Some(("json", "the timeline is JSON")),
            Form::Wave => Some(("fst", "the waveform is FST")),
        }
    }
}

#[derive(Clone)]
struct Output {
    /// Option by which it was asked for.
    option: String,
    path: PathBuf,
    form: Form,
}

/// The inputs and outputs of a command.
#[derive(Clone, Default)]
pub struct Files {
    /// What each is, for the message.
    inputs: Vec<(String, PathBuf)>,
    outputs: Vec<Output>,
    folders: Vec<(String, PathBuf)>,
}

impl Files {
    /// A file that is read.
    pub fn reads(&mut self, what: impl Into<String>, path: &Path) -> &mut Self {
        self.inputs.push((what.into(), path.into()));
        self
    }

    /// A launch file and what it names.
    pub fn launch(&mut self, path: &Path) -> &mut Self {
        self.reads("the launch file", path);
        for file in warpsmith_launch_file::named_files(path) {
            self.reads(format!("a file of {}", path.display()), &file);
        }
        self
    }

    /// The configuration file of a chip, and those it is based on.
    pub fn chip(&mut self, chip: &ChipArgs) -> &mut Self {
        self.config(chip.config())
    }

    /// The same, by the value of `--config`.
    pub fn config(&mut self, config: &str) -> &mut Self {
        let mut next = Some(PathBuf::from(config));
        // A chain of bases that bites its own tail is refused where configurations are read.
        for _ in 0..8 {
            let Some(path) = next.take().filter(|p| is_config(p)) else { break };
            self.reads("the configuration of the chip", &path);
            let text = input::read(&path, input::TEXT).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            let table = toml::from_str::<toml::Table>(&text).unwrap_or_default();
            let base = table.get("base").and_then(|b| b.as_str());
            next = base.map(|b| path.parent().unwrap_or(Path::new("")).join(b));
        }
        self
    }

    /// A campaign, its results, its launch and its chip.
    pub fn campaign(&mut self, path: &Path, results: &Path) -> &mut Self {
        self.reads("the campaign", path);
        for file in store_files(results) {
            self.reads("the results of the campaign", &file);
        }
        self.drawn_for(path)
    }

    /// The launch and the chip of a campaign.
    pub fn drawn_for(&mut self, path: &Path) -> &mut Self {
        // What is wrong with it is said where it is read for its rows.
        if let Ok(header) = Header::read(path) {
            self.launch(&header.launch_path(path));
            self.config(&header.chip_config(path));
        }
        self
    }

    /// A file that is written, if the option is given.
    pub fn writes(&mut self, option: &str, path: Option<impl AsRef<Path>>, form: Form) -> &mut Self {
        self.outputs.extend(path.map(|path| Output { option: option.into(), path: path.as_ref().into(), form }));
        self
    }

    /// A folder, and the files in it that are written.
    pub fn writes_into<S: AsRef<Path>>(
        &mut self, option: &str, folder: &Path, names: impl IntoIterator<Item = S>,
    ) -> &mut Self {
        self.folders.push((option.into(), folder.into()));
        for name in names {
            self.writes(option, Some(folder.join(name)), Form::Any);
        }
        self
    }

    /// Refuses outputs that are inputs, the same file twice, or of a wrong name. Nothing is made.
    ///
    /// # Errors
    /// The option, what is wrong, and what to do.
    pub fn check(&self) -> Result<Outputs> {
        for o in &self.outputs {
            named(o)?;
        }
        let mut seen: Vec<(Identity, &Output)> = vec![];
        for o in &self.outputs {
            let (option, path) = (&o.option, o.path.display());
            let Some(own) = identity(&o.path) else { continue };
            let input = |i: &&(String, PathBuf)| identity(&i.1).is_some_and(|i| i == own);
            if let Some((what, file)) = self.inputs.iter().find(input) {
                let also = match *file == o.path {
                    true => String::new(),
                    false => format!(", {}", file.display()),
                };
                bail!("{option} {path}: would replace {what}{also}: name another file");
            }
            if let Some((_, other)) = seen.iter().find(|s| s.0 == own) {
                let other = &other.option;
                bail!("{option} {path}: is the output of {other} too: name two files");
            }
            seen.push((own, o));
        }
        Ok(Outputs(self.clone()))
    }
}

/// Outputs that replace nothing.
#[must_use = "they are opened before the work"]
pub struct Outputs(Files);

impl Outputs {
    /// Makes the folders of the outputs and tries to write there.
    ///
    /// # Errors
    /// The option, what is wrong, and what to do.
    pub fn open(&self) -> Result<()> {
        for (option, folder) in &self.0.folders {
            make(folder)
                .and_then(|()| tried(&folder.join("probe")))
                .map_err(|e| anyhow!("{option} {}: {e}: name another folder", folder.display()))?;
        }
        for o in &self.0.outputs {
            opened(o).with_context(|| format!("{} {}", o.option, o.path.display()))?;
        }
        Ok(())
    }
}

/// Checks the name of an output.
fn named(o: &Output) -> Result<()> {
    let Some((ending, why)) = o.form.ending() else { return Ok(()) };
    if super::output::ending(&o.path) == ending {
        return Ok(());
    }
    bail!("{} {}: {why}: name a file that ends in .{ending}", o.option, o.path.display())
}

/// Whether a value of `--config` is a file.
fn is_config(path: &Path) -> bool {
    !NAMES.iter().any(|n| Path::new(n) == path) && path.is_file()
}

/// What tells one file from another.
#[derive(PartialEq, Eq)]
enum Identity {
    /// Device and inode of a file that is there, whatever its name.
    Inode(u64, u64),
    /// The place of one that is not.
    Place(PathBuf),
}

/// `None` for devices and pipes, which hold nothing that could be replaced.
fn identity(path: &Path) -> Option<Identity> {
    match fs::metadata(path) {
        Ok(m) if m.is_file() || m.is_dir() => Some(Identity::Inode(m.dev(), m.ino())),
        Ok(_) => None,
        Err(_) => Some(Identity::Place(place(path))),
    }
}

/// The path of a file that is not there, links in it resolved.
fn place(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.into());
    let there = absolute.ancestors().skip(1).find_map(|a| Some((a, a.canonicalize().ok()?)));
    let Some((there, mut place)) = there else { return absolute };
    for part in absolute.strip_prefix(there).unwrap_or(path).components() {
        match part {
            Component::ParentDir => drop(place.pop()),
            part => place.push(part),
        }
    }
    place
}

fn make(folder: &Path) -> Result<()> {
    match folder == Path::new("") {
        true => Ok(()),
        false => fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display())),
    }
}

/// Makes a file beside the one to be written, and removes it.
fn tried(path: &Path) -> Result<()> {
    let whole = Whole::new(path);
    whole.open().context("cannot be written")?;
    Ok(())
}

/// Makes sure that an output can be written.
fn opened(o: &Output) -> Result<()> {
    let there = fs::metadata(&o.path);
    match &there {
        Ok(m) if m.is_file() => tried(&o.path),
        Ok(m) if o.form != Form::Wave && keeps(m) => Ok(()),
        Ok(m) => bail!("is {}; name a file", input::kind(&m.file_type())),
        Err(_) => {
            make(o.path.parent().unwrap_or(Path::new("")))?;
            tried(&o.path)
        }
    }
}

/// What is no file and may be written all the same: a pipe, where standard output and error go, and /dev/null.
/// What another device does with an output is known only after the work.
fn keeps(m: &Metadata) -> bool {
    let t: FileType = m.file_type();
    let same = |name: &str| fs::metadata(name).is_ok_and(|n| n.file_type().is_char_device() && n.rdev() == m.rdev());
    let known = ["/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/null"];
    t.is_fifo() || t.is_socket() || t.is_char_device() && known.into_iter().any(same)
}
