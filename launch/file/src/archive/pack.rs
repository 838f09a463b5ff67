//! Writing an archive.

use super::document::{rename_data, set};
use super::format::{digest, is_archive, Manifest, ENDING, FORMAT, LAUNCH, MANIFEST};
use crate::compiled;
use crate::files::beside;
use crate::raw::{RawLaunch, Source};
use flate2::{write::GzEncoder, Compression};
use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use toml_edit::DocumentMut;
use warpsmith_cache::input;
use warpsmith_compiler::clang::find::find;
use warpsmith_compiler::clang::Language;
use warpsmith_isa::cubin;
use warpsmith_launch::{Launch, LaunchError};

/// Folders of an archive.
const DATA: &str = "data";
const SOURCES: &str = "source";
const CHIP: &str = "chip";

/// Folders whose headers belong to the system.
const SYSTEM: [&str; 2] = ["/usr/", "/lib/clang/"];

/// An archive.
#[derive(Debug)]
pub struct Packed {
    /// Its name, from that of the launch.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Names and sizes in bytes of the files in it, sorted.
    pub files: Vec<(String, u64)>,
    /// Files that were read for it.
    pub inputs: Vec<PathBuf>,
}

/// Packs the file of a launch that was loaded, and all that it names, with a chip: its name, and its configuration as
/// TOML.
///
/// # Errors
/// A launch of an archive; a file that cannot be read, or has changed and is none any more.
pub fn pack(launch: &Launch, chip: (&str, &str)) -> Result<Packed, LaunchError> {
    let path = launch.file.as_path();
    let fail = |message: String| LaunchError::new(path, None, message);
    if is_archive(path) {
        return Err(fail("is an archive already: copy it, or unpack it and name its launch file".into()));
    }
    let bytes = input::read(path, input::TEXT).map_err(|e| fail(format!("cannot read the launch file: {e}")))?;
    let text = String::from_utf8(bytes).map_err(|_| fail("it is not text".into()))?;
    let raw: RawLaunch = toml::from_str(&text).map_err(|e| fail(format!("launch file: {}", e.message().trim())))?;
    let mut document = text.parse::<DocumentMut>().map_err(|e| fail(format!("launch file: {e}")))?;
    let source = Source { file: path, text: &text };
    let mut files = Collected::new(path);
    let mut compiler = None;
    let program = source.resolve(raw.program.as_ref());
    let name = match Language::of(&program) {
        Some(language) => {
            let wanted = compiled::wanted(&source, &raw, &program)?;
            let (name, made_by) = files.ptx(&wanted, language)?;
            compiler = made_by;
            document.remove("options");
            name
        }
        None if program.extension().is_some_and(|e| e == "cubin") => files.cubin(&program)?,
        None => files.program(&program)?,
    };
    set(document.as_table_mut(), "program", &name);
    set(document.as_table_mut(), "name", &launch.name);
    rename_data(&mut document, &mut |name| files.copied(DATA, &source.resolve(name)))?;
    files.list.insert(LAUNCH.into(), document.to_string().into_bytes());
    let config = format!("{CHIP}/{}.toml", chip.0);
    files.list.insert(config.clone(), chip.1.as_bytes().to_vec());
    let manifest = Manifest {
        format: FORMAT,
        tool: concat!("warpsmith ", env!("CARGO_PKG_VERSION")).into(),
        compiler,
        chip: config,
        files: files.list.iter().map(|(name, bytes)| (name.clone(), digest(bytes))).collect(),
    };
    let manifest = toml::to_string(&manifest).map_err(|e| fail(e.to_string()))?;
    files.list.insert(MANIFEST.into(), manifest.into_bytes());
    let folder = plain(&launch.name);
    let bytes = packed(&folder, &files.list).map_err(|e| fail(format!("cannot be packed: {e}")))?;
    Ok(Packed {
        name: format!("{folder}{ENDING}"),
        bytes,
        files: files.list.iter().map(|(name, bytes)| (name.clone(), bytes.len() as u64)).collect(),
        inputs: files.names.into_keys().chain([path.into()]).collect(),
    })
}

/// The name of a launch as one of a folder.
fn plain(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_+".contains(c) { c } else { '_' };
    match name.is_empty() {
        true => "launch".into(),
        false => name.chars().map(plain).collect(),
    }
}

/// A tar in gzip: sorted, the manifest in front, no times and no owners.
fn packed(folder: &str, files: &BTreeMap<String, Vec<u8>>) -> io::Result<Vec<u8>> {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    let first = files.iter().filter(|(name, _)| *name == MANIFEST);
    for (name, bytes) in first.chain(files.iter().filter(|(name, _)| *name != MANIFEST)) {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, format!("{folder}/{name}"), bytes.as_slice())?;
    }
    let mut zipped = tar.into_inner()?;
    zipped.flush()?;
    zipped.finish()
}

/// The files of an archive, and where they came from.
struct Collected {
    /// The folder of the launch file, links resolved.
    base: PathBuf,
    list: BTreeMap<String, Vec<u8>>,
    /// Names of files that are there already.
    names: BTreeMap<PathBuf, String>,
    launch: PathBuf,
}

impl Collected {
    fn new(launch: &Path) -> Self {
        let folder = match launch.parent() {
            Some(p) if p != Path::new("") => p,
            _ => Path::new("."),
        };
        let base = folder.canonicalize().unwrap_or_else(|_| folder.into());
        Collected { base, list: BTreeMap::new(), names: BTreeMap::new(), launch: launch.into() }
    }

    fn read(&self, file: &Path) -> Result<Vec<u8>, LaunchError> {
        // The launch was loaded with it.
        std::fs::read(file)
            .map_err(|e| LaunchError::new(&self.launch, None, format!("cannot read {}: {e}", file.display())))
    }

    /// Adds a file as it is, below a folder of the archive: its name there.
    fn copied(&mut self, folder: &str, file: &Path) -> Result<String, LaunchError> {
        let real = file.canonicalize().unwrap_or_else(|_| file.into());
        if let Some(name) = self.names.get(&real) {
            return Ok(name.clone());
        }
        let bytes = self.read(file)?;
        let last = real.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        let inner = real.strip_prefix(&self.base).ok().and_then(Path::to_str).map(String::from);
        let outside = || format!("outside{}/{last}", self.names.len());
        let name = format!("{folder}/{}", inner.unwrap_or_else(outside));
        self.list.insert(name.clone(), bytes);
        self.names.insert(real, name.clone());
        Ok(name)
    }

    /// Adds a program that is read as it is: its name.
    fn program(&mut self, file: &Path) -> Result<String, LaunchError> {
        let bytes = self.read(file)?;
        Ok(self.own(file, None, bytes))
    }

    /// Adds what stands for the program, at the top of the archive.
    fn own(&mut self, file: &Path, ending: Option<&str>, bytes: Vec<u8>) -> String {
        let name = match ending {
            Some(ending) => file.with_extension(ending),
            None => file.into(),
        };
        let name = name.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        self.list.insert(name.clone(), bytes);
        self.names.insert(file.canonicalize().unwrap_or_else(|_| file.into()), name.clone());
        name
    }

    /// Adds a program in C as PTX with its sources, or one in PTX: its name, and the compiler.
    fn ptx(
        &mut self, wanted: &warpsmith_compiler::Source, language: Language,
    ) -> Result<(String, Option<String>), LaunchError> {
        let failed = |e: warpsmith_compiler::CompileError| {
            LaunchError::new(Path::new(&e.file), e.line.map(|l| l as usize), e.message)
        };
        let ptx = wanted.ptx().map_err(failed)?;
        if language != Language::Ptx {
            for file in &ptx.files {
                self.source(file)?;
            }
        }
        let mut text = String::with_capacity(ptx.text.len());
        for line in ptx.text.split_inclusive('\n') {
            match line.trim_start().starts_with(".file") {
                true => text.push_str(&self.file_line(line, &wanted.file)?),
                false => text.push_str(line),
            }
        }
        let made_by = match language {
            Language::Ptx => None,
            _ => find(wanted.clang.as_deref()).ok().map(|clang| clang.version),
        };
        Ok((self.own(&wanted.file, Some("ptx"), text.into_bytes()), made_by))
    }

    /// Adds a source unless it belongs to the system: its name.
    fn source(&mut self, file: &Path) -> Result<Option<String>, LaunchError> {
        let shown = file.to_string_lossy();
        let system = SYSTEM.iter().any(|s| shown.contains(s) && !self.base.starts_with("/usr"));
        match system || !file.is_file() {
            true => Ok(None),
            false => self.copied(SOURCES, file).map(Some),
        }
    }

    /// A line `.file N "NAME"` of PTX with the name in the archive.
    fn file_line(&mut self, line: &str, ptx: &Path) -> Result<String, LaunchError> {
        let mut parts = line.splitn(3, '"');
        let (Some(front), Some(name), Some(behind)) = (parts.next(), parts.next(), parts.next()) else {
            return Ok(line.into());
        };
        let named = self.source(&beside(ptx, name))?;
        // Headers of the compiler lie in no place that lasts.
        let header = || Path::new(name).file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        Ok(format!("{front}\"{}\"{behind}", named.unwrap_or_else(|| format!("warpsmith/{}", header()))))
    }

    /// Adds a cubin with its sources: its name.
    fn cubin(&mut self, file: &Path) -> Result<String, LaunchError> {
        let bytes = self.read(file)?;
        let text = String::from_utf8_lossy(&bytes);
        let Ok(mut cubin) = cubin::parse(&text, &file.to_string_lossy()) else {
            return Ok(self.own(file, None, bytes));
        };
        let mut renamed = false;
        for source in cubin.kernels.iter_mut().flat_map(|k| &mut k.sources) {
            if let Some(name) = self.source(&beside(file, &source.file))? {
                source.file = name;
                renamed = true;
            }
        }
        let bytes = match renamed {
            true => cubin.write().into_bytes(),
            false => bytes,
        };
        Ok(self.own(file, None, bytes))
    }
}
