//! Configurations from TOML text and from `--set KEY=VALUE`.

use super::takes::Takes;
use super::{ConfigError, GpuConfig, NAMES, OPTIONAL};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::{Spanned, Table, Value};
use warpsmith_isa::message::nearest;

/// A key that is none, with the one that was meant.
fn no_key(key: &str, all: &Table) -> String {
    let names = || all.keys().map(String::as_str);
    let meant = nearest(key, names()).map_or(String::new(), |n| format!(", did you mean {n}?"));
    let all: Vec<&str> = names().collect();
    format!("there is no key {key}{meant} (keys: {})", all.join(", "))
}

impl GpuConfig {
    /// A configuration from TOML text: all keys, or `base` and the keys that differ.
    ///
    /// # Errors
    /// [`ConfigError::File`] with file, line and key of the mistake.
    pub fn from_toml(file: &str, text: &str) -> Result<Self, ConfigError> {
        Self::from_file(file, text, &mut Vec::new())
    }

    /// As [`GpuConfig::from_toml`]; `above` are the files whose base this one is.
    fn from_file(file: &str, text: &str, above: &mut Vec<PathBuf>) -> Result<Self, ConfigError> {
        let line = |at: usize| {
            let before = text.as_bytes().iter().take(at);
            before.filter(|b| **b == b'\n').count() + 1
        };
        let fail = |line: Option<usize>, message: String| ConfigError::File { file: file.into(), line, message };
        let mut given: BTreeMap<String, Spanned<Value>> = toml::from_str(text).map_err(|e: toml::de::Error| {
            let at = e.span().map(|s| line(s.start));
            fail(at, e.message().trim().replace('\n', ", "))
        })?;
        let lines: BTreeMap<String, usize> = given.iter().map(|(k, v)| (k.clone(), line(v.span().start))).collect();
        let base = match given.remove("base").map(Spanned::into_inner) {
            Some(Value::String(n)) => Some(Self::base(file, &n, above).map_err(|e| match e {
                ConfigError::Unknown(_) => fail(lines.get("base").copied(), format!("base: {e}")),
                e => e,
            })?),
            Some(_) => {
                let why = "base is the name of a configuration or a file, as in base = \"tiny\"";
                return Err(fail(lines.get("base").copied(), why.into()));
            }
            None => None,
        };
        let plain = Self::default();
        let known = plain.table();
        let mut all = base.as_ref().map_or_else(Table::new, Self::table);
        for (key, value) in given {
            let at = lines.get(&key).copied();
            let value = value.into_inner();
            if !known.contains_key(&key) {
                return Err(fail(at, no_key(&key, &known)));
            }
            let takes = base.as_ref().unwrap_or(&plain).takes(&key);
            if !takes.kind(&value) {
                return Err(fail(at, format!("{key} = {value}: {key} is {takes}")));
            }
            all.insert(key, value);
        }
        let missing = |k: &&String| !OPTIONAL.contains(&k.as_str()) && !all.contains_key(*k);
        if let Some(key) = known.keys().find(missing) {
            let why =
                format!("the key {key} is missing: give it, or start from another configuration by base = \"default\"");
            return Err(fail(None, why));
        }
        let c: Self = all.try_into().map_err(|e: toml::de::Error| fail(None, e.message().to_string()))?;
        c.check().map_err(|e| match e {
            ConfigError::Impossible { key, value, why } => {
                fail(lines.get(key).copied(), format!("{key} = {value} is impossible: {why}"))
            }
            e => e,
        })?;
        Ok(c)
    }

    /// The configuration that a file starts from.
    fn base(file: &str, name: &str, above: &mut Vec<PathBuf>) -> Result<Self, ConfigError> {
        if NAMES.contains(&name) || !(name.ends_with(".toml") || name.contains('/')) {
            return Self::named(name);
        }
        let folder = Path::new(file).parent().unwrap_or(Path::new(""));
        let path = folder.join(name);
        let shown = path.display().to_string();
        let fail = |message: String| ConfigError::File {
            file: shown.clone(),
            line: None,
            message: format!("the base of {file}: {message}"),
        };
        let real = path.canonicalize();
        let real = real.map_err(|e| fail(format!("cannot be read: {e}")))?;
        above.push(Path::new(file).canonicalize().unwrap_or_default());
        if above.contains(&real) {
            return Err(fail("it leads back to itself".into()));
        }
        if !real.is_file() {
            return Err(fail("it is no file".into()));
        }
        let text = std::fs::read_to_string(&real).map_err(|e| fail(format!("cannot be read: {e}")))?;
        Self::from_file(&shown, &text, above)
    }

    fn table(&self) -> Table {
        Table::try_from(self).expect("plain data")
    }

    /// Changes one parameter, as `--set KEY=VALUE` does.
    ///
    /// # Errors
    /// [`ConfigError::Set`] when the key or the value is not one.
    pub fn set(&mut self, assignment: &str) -> Result<(), ConfigError> {
        let bad = |why: String| ConfigError::Set(format!("{assignment}: {why}"));
        let Some((key, text)) = assignment.split_once('=') else {
            return Err(bad("KEY=VALUE is needed, as in lanes=16 (docs/configuration.md)".into()));
        };
        let (key, text) = (key.trim(), text.trim());
        if let Some(block) = key.strip_prefix("harden.") {
            self.harden.insert(block.into(), text.parse().map_err(bad)?);
            return Ok(());
        }
        let mut all = self.table();
        if !all.contains_key(key) {
            return Err(bad(no_key(key, &all)));
        }
        let takes = self.takes(key);
        let value = match takes {
            Takes::Truth => text.parse().ok().map(Value::Boolean),
            Takes::Set | Takes::Semantics | Takes::Level => Some(Value::String(text.into())),
            Takes::Schemes => return Err(bad("a block is needed, as in harden.scoreboard=tmr".into())),
            Takes::Blocks => {
                Some(Value::Array(text.split(',').map(str::trim).filter(|b| !b.is_empty()).map(Value::from).collect()))
            }
            _ => text.parse().ok().map(|n: u32| Value::Integer(n.into())),
        };
        let Some(value) = value.filter(|v| takes.kind(v)) else {
            return Err(bad(format!("{key} is {takes}, not {text}")));
        };
        all.insert(key.into(), value);
        *self = all.try_into().map_err(|e: toml::de::Error| bad(e.message().to_string()))?;
        Ok(())
    }
}
