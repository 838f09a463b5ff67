//! PTX kept between runs.
//!
//! An entry is found by a digest of the source, the options, clang's version and the headers here. It
//! lists the files that clang read with their digests and the places of headers that are nowhere, and is valid while all
//! are unchanged.

use super::{headers, Clang, ClangOptions, Language, Ptx};
use crate::error::CompileError;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// First line of an entry.
const MAGIC: &str = "warpsmith ptx 3";

/// In the place of the digest of a file that is not there.
const ABSENT: &str = "-";

/// [`Clang::compile`], or what an earlier run of it left in `folder`.
///
/// A folder that cannot be written costs time only.
///
/// # Errors
/// Those of [`Clang::compile`].
pub fn compile(
    folder: &Path, clang: &Clang, source: &Path, language: Language, options: &ClangOptions,
) -> Result<Ptx, CompileError> {
    let entry = folder.join("ptx").join(format!("{}.ptx", key(clang, source, language, options)));
    if let Some(ptx) = read(&entry) {
        return Ok(ptx);
    }
    let ptx = clang.compile(source, language, options)?;
    // Kept or not, the result is the same: errors of the folder are not the user's.
    let _ = write(&entry, &ptx);
    Ok(ptx)
}

/// Name of an entry.
fn key(clang: &Clang, source: &Path, language: Language, options: &ClangOptions) -> String {
    let mut digest = Sha256::new();
    let here = std::env::current_dir().unwrap_or_default();
    for part in [
        env!("CARGO_PKG_VERSION"),
        &clang.version,
        &format!("{} {}", clang.path.display(), here.display()),
        &format!("{language:?} {options:?} {:?}", clang.host_headers),
        &source.to_string_lossy(),
    ] {
        digest.update(part.as_bytes());
        digest.update([0]);
    }
    digest.update(headers::digest());
    hex(digest)
}

/// Digest of Warpsmith's headers and version: PTX that another version made is not to be kept.
pub fn version() -> String {
    warpsmith_cache::key([env!("CARGO_PKG_VERSION"), headers::digest()])
}

fn hex(digest: Sha256) -> String {
    let mut out = String::new();
    for byte in &digest.finalize()[..16] {
        let _ = write!(out, "{byte:02x}");
    }
    out
}

/// Digest of a file's bytes.
fn digest_of(path: &Path) -> Option<String> {
    let mut digest = Sha256::new();
    digest.update(std::fs::read(path).ok()?);
    Some(hex(digest))
}

/// An entry whose files are unchanged.
fn read(entry: &Path) -> Option<Ptx> {
    let text = std::fs::read_to_string(entry).ok()?;
    let mut rest = text.strip_prefix(MAGIC)?.strip_prefix('\n')?;
    let mut line = || {
        let (line, behind) = rest.split_once('\n')?;
        rest = behind;
        Some(line)
    };
    let (mut files, mut absent) = (Vec::new(), Vec::new());
    loop {
        match line()? {
            "" => break,
            l => {
                let (digest, path) = l.split_once(' ')?;
                let path = PathBuf::from(path);
                if digest == ABSENT && !path.exists() {
                    absent.push(path);
                } else if digest_of(&path)? == digest {
                    files.push(path);
                } else {
                    return None;
                }
            }
        }
    }
    let warnings: usize = line()?.parse().ok()?;
    let length: usize = line()?.parse().ok()?;
    // Lengths: an entry whose end is missing does not serve.
    if rest.len() != warnings.checked_add(length)? {
        return None;
    }
    Some(Ptx { warnings: rest.get(..warnings)?.to_string(), text: rest.get(warnings..)?.to_string(), files, absent })
}

/// Writes an entry, beside it first: a reader sees all of it or nothing.
fn write(entry: &Path, ptx: &Ptx) -> std::io::Result<()> {
    let mut text = format!("{MAGIC}\n");
    for file in &ptx.files {
        let name = file.to_string_lossy();
        match digest_of(file) {
            Some(d) if !name.contains('\n') => text += &format!("{d} {name}\n"),
            _ => return Ok(()),
        }
    }
    for place in &ptx.absent {
        let name = place.to_string_lossy();
        if name.contains('\n') {
            return Ok(());
        }
        text += &format!("{ABSENT} {name}\n");
    }
    let _ = write!(text, "\n{}\n{}\n{}{}", ptx.warnings.len(), ptx.text.len(), ptx.warnings, ptx.text);
    let folder = entry.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(entry)?;
    Ok(())
}
