//! Results kept between runs, in files of a cache folder.
//!
//! An entry is found by the digest of all that decides the result but files. Those it lists with their digests, and is valid
//! while all are unchanged.

use serde::{de::DeserializeOwned, Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Folder of the entries in the cache.
pub const FOLDER: &str = "ptx";

/// First bytes of an entry.
const MAGIC: &str = "warpsmith kept 1\n";

/// What [`Kept`] needs to know of a result.
pub trait Result: Serialize + DeserializeOwned {
    /// Files that decided it.
    fn files(&self) -> &[PathBuf] {
        &[]
    }

    /// Whether what else decided it is unchanged.
    fn is_valid(&self) -> bool {
        true
    }
}

/// Contents of an entry.
#[derive(Serialize, Deserialize)]
struct Entry<T> {
    /// Digests of the result's files, in their order.
    digests: Vec<String>,
    result: T,
}

/// A place for one result.
pub struct Kept(PathBuf);

impl Kept {
    /// The place in the cache folder `cache` of what `kind` and `parts` decide, beside the build of the compiler.
    pub fn new<T: AsRef<[u8]>>(cache: &Path, kind: &str, parts: impl IntoIterator<Item = T>) -> Kept {
        let parts: Vec<T> = parts.into_iter().collect();
        let key = warpsmith_cache::key([build().as_bytes()].into_iter().chain(parts.iter().map(AsRef::as_ref)));
        Kept(cache.join(FOLDER).join(format!("{key}.{kind}")))
    }

    /// The result that an earlier run left, or that of `make`. A folder that cannot be written costs time only.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn or<T: Result, E>(&self, make: impl FnOnce() -> std::result::Result<T, E>) -> std::result::Result<T, E> {
        if let Some(result) = self.read() {
            return Ok(result);
        }
        let result = make()?;
        // Kept or not, the result is the same: errors of the folder are not the user's.
        let _ = self.write(&result);
        Ok(result)
    }

    /// An entry whose files are unchanged. One that is damaged does not serve.
    fn read<T: Result>(&self) -> Option<T> {
        let bytes = std::fs::read(&self.0).ok()?;
        let entry: Entry<T> = serde_json::from_slice(bytes.strip_prefix(MAGIC.as_bytes())?).ok()?;
        let files = entry.result.files();
        let same = files.len() == entry.digests.len()
            && files.iter().zip(&entry.digests).all(|(f, d)| digest_of(f).as_ref() == Some(d));
        (same && entry.result.is_valid()).then_some(entry.result)
    }

    /// Writes an entry, beside it first: a reader sees all of it or nothing.
    fn write<T: Result>(&self, result: &T) -> std::io::Result<()> {
        let Some(digests) = result.files().iter().map(|f| digest_of(f)).collect() else { return Ok(()) };
        let folder = self.0.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        let mut file = std::io::BufWriter::new(tempfile::NamedTempFile::new_in(folder)?);
        std::io::Write::write_all(&mut file, MAGIC.as_bytes())?;
        serde_json::to_writer(&mut file, &Entry { digests, result })?;
        file.into_inner().map_err(std::io::IntoInnerError::into_error)?.persist(&self.0)?;
        Ok(())
    }
}

/// What tells this build of the compiler from others.
pub fn build() -> &'static str {
    concat!(env!("CARGO_PKG_VERSION"), " ", env!("WARPSMITH_COMPILER_BUILD"))
}

/// Digest of a file's bytes.
fn digest_of(path: &Path) -> Option<String> {
    Some(warpsmith_cache::key([std::fs::read(path).ok()?]))
}
