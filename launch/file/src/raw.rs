//! The launch file as written: TOML structures, places, and the contents of sections.

use crate::files;
use serde::Deserialize;
use std::fmt;
use std::path::{Path, PathBuf};
use toml::Spanned;
use warpsmith_launch::LaunchError;

/// The file as TOML gives it, each value with its place.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawLaunch {
    pub name: Option<String>,
    pub isa: Option<Spanned<String>>,
    pub level: Option<Spanned<String>>,
    pub program: Spanned<String>,
    pub kernel: Option<Spanned<String>>,
    pub grid: Spanned<Vec<u32>>,
    pub block: Spanned<Vec<u32>>,
    pub registers: Option<Spanned<u32>>,
    pub simd: Option<Spanned<u32>>,
    pub sip: Option<Spanned<u32>>,
    pub shared_bytes: Option<Spanned<u32>>,
    pub local_bytes: Option<Spanned<u32>>,
    pub params: Option<Spanned<Vec<u32>>>,
    pub global_bytes: Option<Spanned<u64>>,
    pub guard: Option<Spanned<bool>>,
    pub heap_bytes: Option<Spanned<u32>>,
    #[serde(default)]
    pub constant: Vec<Spanned<RawConstant>>,
    #[serde(default)]
    pub global: Vec<Spanned<RawGlobal>>,
    #[serde(default)]
    pub expect: Vec<Spanned<RawExpect>>,
    pub args: Option<Spanned<Vec<Spanned<Arg>>>>,
    #[serde(default)]
    pub buffer: Vec<Spanned<RawBuffer>>,
    #[serde(default)]
    pub texture: Vec<Spanned<RawTexture>>,
    #[serde(default)]
    pub symbol: Vec<Spanned<RawSymbol>>,
    pub dynamic_shared_bytes: Option<Spanned<u32>>,
    pub options: Option<Spanned<Vec<String>>>,
    pub opt: Option<Spanned<u32>>,
    pub fp: Option<Spanned<String>>,
    pub max_registers: Option<Spanned<u32>>,
}

/// A value of `args`.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(untagged)]
pub(crate) enum Arg {
    Bool(bool),
    Int(i64),
    Float(f64),
    /// Name of a buffer.
    Name(String),
    /// Words of a struct.
    Words(Vec<Arg>),
}

impl fmt::Display for Arg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Arg::Bool(b) => write!(f, "{b}"),
            Arg::Int(n) => write!(f, "{n}"),
            Arg::Float(x) => write!(f, "{x:?}"),
            Arg::Name(s) => write!(f, "\"{s}\""),
            Arg::Words(w) if w.len() == 1 => write!(f, "a list of 1 word"),
            Arg::Words(w) => write!(f, "a list of {} words", w.len()),
        }
    }
}

impl Arg {
    /// A number as one 32-bit word: integers of either sign, floats rounded to single precision.
    pub fn word(&self) -> Option<u32> {
        match self {
            Arg::Bool(b) => Some(u32::from(*b)),
            Arg::Int(n) => i32::try_from(*n).map(|n| n as u32).or_else(|_| u32::try_from(*n)).ok(),
            Arg::Float(x) => single(*x).map(f32::to_bits),
            Arg::Name(_) | Arg::Words(_) => None,
        }
    }
}

/// A number in single precision; `None` when it is finite and beyond its range.
fn single(x: f64) -> Option<f32> {
    let y = x as f32;
    (y.is_finite() || !x.is_finite()).then_some(y)
}

/// A `[[buffer]]` section.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawBuffer {
    pub name: Spanned<String>,
    pub bytes: Option<u64>,
    pub words: Option<Vec<i64>>,
    pub floats: Option<Vec<f32>>,
    pub doubles: Option<Vec<f64>>,
    pub file: Option<Spanned<String>>,
    pub fill: Option<Spanned<Arg>>,
    pub expect: Option<Spanned<RawWanted>>,
}

/// A `[[symbol]]` section: a `__constant__` or `__device__` variable.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawSymbol {
    pub name: Spanned<String>,
    #[serde(default)]
    pub offset: u64,
    pub words: Option<Vec<i64>>,
    pub floats: Option<Vec<f32>>,
    pub doubles: Option<Vec<f64>>,
    pub file: Option<Spanned<String>>,
    pub expect: Option<Spanned<RawWanted>>,
}

/// A `[[texture]]` section.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawTexture {
    pub name: Spanned<String>,
    pub format: Spanned<String>,
    pub width: Option<Spanned<u32>>,
    pub height: Option<Spanned<u32>>,
    pub depth: Option<Spanned<u32>>,
    pub row_pitch: Option<Spanned<u32>>,
    pub values: Option<Spanned<Vec<Arg>>>,
    pub words: Option<Vec<i64>>,
    pub floats: Option<Vec<f32>>,
    pub file: Option<Spanned<String>>,
    pub buffer: Option<Spanned<String>>,
    pub filter: Option<Spanned<String>>,
    pub address: Option<Spanned<Modes>>,
    #[serde(default)]
    pub normalized: bool,
    pub border: Option<Spanned<Vec<Arg>>>,
    pub expect: Option<Spanned<RawWanted>>,
}

/// Address modes: one of all axes, or one an axis.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Modes {
    All(String),
    Each(Vec<String>),
}

/// Expected contents of a buffer or variable at the end: `expect = { ... }`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawWanted {
    #[serde(default)]
    pub offset: u64,
    pub words: Option<Vec<i64>>,
    pub floats: Option<Vec<f32>>,
    pub doubles: Option<Vec<f64>>,
    pub file: Option<Spanned<String>>,
    pub max_ulp: Option<u32>,
}

/// A `[[constant]]` section.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawConstant {
    pub bank: Spanned<u8>,
    #[serde(default)]
    pub offset: u64,
    pub words: Option<Vec<u32>>,
    pub floats: Option<Vec<f32>>,
    pub doubles: Option<Vec<f64>>,
    pub file: Option<Spanned<String>>,
}

/// A `[[global]]` section.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawGlobal {
    pub name: Option<Spanned<String>>,
    pub bytes: Option<Spanned<u64>>,
    pub offset: u64,
    pub words: Option<Vec<u32>>,
    pub floats: Option<Vec<f32>>,
    pub doubles: Option<Vec<f64>>,
    pub file: Option<Spanned<String>>,
}

/// An `[[expect]]` section.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawExpect {
    pub offset: u64,
    pub words: Option<Vec<u32>>,
    pub floats: Option<Vec<f32>>,
    pub doubles: Option<Vec<f64>>,
    pub file: Option<Spanned<String>>,
    pub max_ulp: Option<u32>,
}

/// The files that a launch file's text names.
pub(crate) fn named_files(file: &Path, text: &str) -> Vec<PathBuf> {
    let Ok(raw) = toml::from_str::<RawLaunch>(text) else { return vec![] };
    let wanted = |w: Option<Spanned<RawWanted>>| w.and_then(|w| w.into_inner().file);
    let buffers = raw.buffer.into_iter().map(Spanned::into_inner);
    let buffers = buffers.flat_map(|b| [b.file, wanted(b.expect)]);
    let symbols = raw.symbol.into_iter().map(Spanned::into_inner);
    let symbols = symbols.flat_map(|s| [s.file, wanted(s.expect)]);
    let textures = raw.texture.into_iter().map(Spanned::into_inner);
    let textures = textures.flat_map(|t| [t.file, wanted(t.expect)]);
    let constants = raw.constant.into_iter().map(|c| c.into_inner().file);
    let globals = raw.global.into_iter().map(|g| g.into_inner().file);
    let expects = raw.expect.into_iter().map(|e| e.into_inner().file);
    let data = buffers.chain(symbols).chain(textures).chain(constants);
    let data = data.chain(globals).chain(expects).flatten();
    let source = Source { file, text };
    std::iter::once(raw.program).chain(data).map(|name| source.resolve(name.as_ref())).collect()
}

/// The launch file's text, for turning byte positions into lines.
pub(crate) struct Source<'a> {
    pub file: &'a Path,
    pub text: &'a str,
}

impl Source<'_> {
    pub fn line(&self, at: usize) -> usize {
        1 + self.text.as_bytes()[..at.min(self.text.len())].iter().filter(|b| **b == b'\n').count()
    }

    pub fn line_of<T>(&self, s: &Spanned<T>) -> usize {
        self.line(s.span().start)
    }

    pub fn error<T>(&self, s: &Spanned<T>, message: impl Into<String>) -> LaunchError {
        LaunchError::new(self.file, self.line_of(s), message)
    }

    /// Path of a file named in the launch file.
    pub fn resolve(&self, name: &str) -> PathBuf {
        self.file.parent().unwrap_or(Path::new("")).join(name)
    }

    /// The bytes of a section: exactly one of `words`, `floats`, `doubles`, `file`.
    pub fn content(
        &self, line: usize, words: Option<Vec<u32>>, floats: Option<Vec<f32>>, doubles: Option<Vec<f64>>,
        file: Option<&Spanned<String>>,
    ) -> Result<Vec<u8>, LaunchError> {
        match (words, floats, doubles, file) {
            (Some(w), None, None, None) => Ok(w.iter().flat_map(|w| w.to_le_bytes()).collect()),
            (None, Some(f), None, None) => Ok(f.iter().flat_map(|f| f.to_le_bytes()).collect()),
            (None, None, Some(f), None) => Ok(f.iter().flat_map(|f| f.to_le_bytes()).collect()),
            (None, None, None, Some(name)) => files::data(&self.resolve(name.as_ref()), self.file, self.line_of(name)),
            _ => Err(LaunchError::new(
                self.file,
                line,
                "a section takes exactly one of words = [...], floats = [...], doubles = [...], file = \"...\"",
            )),
        }
    }

    /// Doubles are compared bit by bit.
    pub fn exact(&self, line: usize, doubles: &Option<Vec<f64>>, max_ulp: Option<u32>) -> Result<(), LaunchError> {
        match doubles.is_some() && max_ulp.is_some() {
            true => Err(LaunchError::new(
                self.file,
                line,
                "max_ulp is a distance between floats of 32 bits, not of doubles",
            )),
            false => Ok(()),
        }
    }

    /// [`content`](Self::content) with words of either sign.
    pub fn words_or(
        &self, line: usize, words: &Option<Vec<i64>>, floats: &Option<Vec<f32>>, doubles: &Option<Vec<f64>>,
        file: Option<&Spanned<String>>,
    ) -> Result<Vec<u8>, LaunchError> {
        let words = words
            .as_ref()
            .map(|list| {
                let word = |n: &i64| {
                    Arg::Int(*n).word().ok_or_else(|| {
                        LaunchError::new(self.file, line, format!("{n} is no 32-bit word: -2147483648 to 4294967295"))
                    })
                };
                list.iter().map(word).collect::<Result<Vec<u32>, _>>()
            })
            .transpose()?;
        self.content(line, words, floats.clone(), doubles.clone(), file)
    }
}

/// A dimension array: 1 to N positive numbers below their limits, missing ones 1.
pub(crate) fn dimensions<const N: usize>(
    source: &Source<'_>, raw: &Spanned<Vec<u32>>, key: &str, axes: [&str; N], limits: [u32; N],
) -> Result<[u32; N], LaunchError> {
    let given = raw.as_ref();
    if given.is_empty() || given.len() > N {
        return Err(
            source.error(raw, format!("{key} takes 1 to {N} numbers ({}), found {}", axes.join(", "), given.len()))
        );
    }
    let mut out = [1; N];
    for (i, &n) in given.iter().enumerate() {
        if n == 0 || n > limits[i] {
            return Err(source.error(raw, format!("{key} {} is {n}; it must be 1 to {}", axes[i], limits[i])));
        }
        out[i] = n;
    }
    Ok(out)
}
