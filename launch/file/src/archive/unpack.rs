//! Reading an archive: checked whole, then laid into the cache, from where its files are read.

use super::format::{digest, Manifest, FORMAT, GZIP, LAUNCH, MANIFEST};
use flate2::read::GzDecoder;
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use tar::{Archive, EntryType};
use warpsmith_cache::{input, whole};
use warpsmith_launch::LaunchError;

/// Most bytes of an archive, and of its files together.
const MOST: u64 = 1 << 31;

/// Files by name.
type Files = BTreeMap<String, Vec<u8>>;

/// The folder with the files of an archive.
///
/// # Errors
/// What is no archive, is damaged, or names places outside of it; a cache that cannot be written.
pub(super) fn folder(path: &Path) -> Result<PathBuf, LaunchError> {
    let fail = |message: String| LaunchError::new(path, None, message);
    let bytes = input::read(path, MOST).map_err(|e| fail(format!("cannot read the archive: {e}")))?;
    let files = checked(contents(&bytes).map_err(fail)?).map_err(fail)?;
    let folder = warpsmith_cache::cache_dir().join("launches").join(warpsmith_cache::key([&bytes]));
    for (name, bytes) in &files {
        let file = folder.join(name);
        laid(&file, bytes).map_err(|e| fail(format!("cannot be unpacked to {}: {e}", file.display())))?;
    }
    Ok(folder)
}

/// Writes a file unless it is there: other processes may unpack the same archive.
fn laid(file: &Path, bytes: &[u8]) -> io::Result<()> {
    if std::fs::read(file).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    std::fs::create_dir_all(file.parent().unwrap_or(Path::new("")))?;
    whole::write_with(file, |out| out.write_all(bytes))
}

/// A name that stays in its folder, in its plain form; `None` for others.
pub(super) fn safe(name: &str) -> Option<String> {
    let parts: Option<Vec<&str>> = Path::new(name)
        .components()
        .filter(|c| *c != Component::CurDir)
        .map(|c| match c {
            Component::Normal(part) => part.to_str().filter(|p| !p.contains(['\\', '\0'])),
            _ => None,
        })
        .collect();
    parts.map(|p| p.join("/")).filter(|p| !p.is_empty())
}

/// The files of a tar in gzip by their names in it.
fn contents(bytes: &[u8]) -> Result<Files, String> {
    let damaged = |e: io::Error| format!("the archive is damaged ({e}): get it once more");
    if !bytes.starts_with(&GZIP) {
        return Err("is no launch archive, which is a tar in gzip (`warpsmith package launch` makes one)".into());
    }
    let mut unzipped = GzDecoder::new(bytes);
    let mut files = Files::new();
    let mut room = MOST;
    let mut archive = Archive::new(&mut unzipped);
    for entry in archive.entries().map_err(damaged)? {
        let mut entry = entry.map_err(damaged)?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        match entry.header().entry_type() {
            EntryType::Regular | EntryType::Continuous => {}
            EntryType::Directory | EntryType::XGlobalHeader => continue,
            _ => return Err(format!("`{name}` in the archive is no plain file: it is not unpacked")),
        }
        let Some(safe) = safe(&name) else {
            return Err(format!("`{name}` in the archive lies outside of its folder: it is not unpacked"));
        };
        let size = entry.size();
        room = room.checked_sub(size).ok_or_else(|| format!("the archive holds more than {} MiB", MOST >> 20))?;
        let mut content = Vec::new();
        entry.read_to_end(&mut content).map_err(damaged)?;
        if content.len() as u64 != size {
            return Err(format!("the archive is damaged (`{name}` ends early): get it once more"));
        }
        if files.insert(safe, content).is_some() {
            return Err(format!("`{name}` is in the archive twice: it is not unpacked"));
        }
    }
    // gzip's checksum stands at its end.
    io::copy(&mut unzipped, &mut io::sink()).map_err(damaged)?;
    Ok(files)
}

/// The files of the archive's folder, if they are those of the manifest.
fn checked(files: Files) -> Result<Files, String> {
    let is_manifest = |name: &&String| {
        let mut parts = name.rsplit('/');
        parts.next() == Some(MANIFEST) && parts.count() <= 1
    };
    let Some(at) = files.keys().find(is_manifest).cloned() else {
        return Err(format!(
            "is no launch archive: there is no {MANIFEST} in it; unpack it and name its launch file, or make one by `warpsmith package launch`"
        ));
    };
    let front = at.strip_suffix(MANIFEST).unwrap_or_default();
    let mut own = Files::new();
    for (name, bytes) in files {
        let Some(inner) = name.strip_prefix(front) else {
            return Err(format!("`{name}` in the archive lies outside of its folder: it is not unpacked"));
        };
        own.insert(inner.into(), bytes);
    }
    let manifest = manifest(own.get(MANIFEST).map_or(&[][..], Vec::as_slice))?;
    for (name, wanted) in &manifest.files {
        match own.get(name).map(|bytes| digest(bytes)) {
            None => return Err(format!("`{name}` is missing in the archive: get it once more")),
            Some(found) if found != *wanted => {
                return Err(format!(
                    "`{name}` in the archive is not what {MANIFEST} says (SHA-256 {found}): unpack it and name its {LAUNCH} if that was changed by hand"
                ))
            }
            Some(_) => {}
        }
    }
    let unknown = own.keys().find(|name| *name != MANIFEST && !manifest.files.contains_key(*name));
    match unknown {
        Some(name) => Err(format!("`{name}` in the archive is not in {MANIFEST}: it is not unpacked")),
        None if !manifest.files.contains_key(LAUNCH) => Err(format!("the archive has no {LAUNCH}")),
        None => Ok(own),
    }
}

/// The manifest, of a format that is known.
fn manifest(bytes: &[u8]) -> Result<Manifest, String> {
    #[derive(serde::Deserialize)]
    struct Version {
        format: u32,
        tool: String,
    }
    let text = String::from_utf8_lossy(bytes);
    let wrong = |e: toml::de::Error| format!("{MANIFEST} in the archive: {}", e.message().trim());
    let version: Version = toml::from_str(&text).map_err(wrong)?;
    if version.format != FORMAT {
        let Version { format, tool } = version;
        return Err(format!("is of format {format}, made by {tool}; this program reads format {FORMAT}: use that one"));
    }
    toml::from_str(&text).map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::safe;

    #[test]
    fn names_stay_in_their_folder() {
        assert_eq!(safe("a/./b.bin").as_deref(), Some("a/b.bin"));
        assert_eq!(safe("./a").as_deref(), Some("a"));
        for name in ["/etc/passwd", "../a", "a/../../b", "", ".", "a\\..\\b", "a\0b"] {
            assert_eq!(safe(name), None, "{name:?}");
        }
    }
}
