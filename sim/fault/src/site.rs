//! Fault sites: every word of state of an injecting chip, and every output of its blocks.
//!
//! They come from `sites.json` of the emitted folder, in its order; the position in that list is the
//! site's number everywhere else (also in the simulation's shim).

use crate::error::FaultError;
use std::collections::HashMap;
use std::path::Path;
pub use warpsmith_contract::{Site, SiteKind};

/// A site of a chip made up for a test.
#[cfg(test)]
pub(crate) fn made_up(path: &str, block: &str, kind: SiteKind, width: u32, depth: u32) -> Site {
    Site { path: path.into(), block: block.into(), kind, width, depth, zeroed: false }
}

/// The sites of a chip.
#[derive(Clone, Debug, Default)]
pub struct Sites {
    list: Vec<Site>,
    by_path: HashMap<String, usize>,
}

impl Sites {
    /// Reads `sites.json` of an emitted folder.
    ///
    /// # Errors
    /// [`FaultError::File`] when it is missing or not a list of sites.
    pub fn load(folder: &Path) -> Result<Self, FaultError> {
        let path = folder.join("sites.json");
        let text = std::fs::read_to_string(&path).map_err(|e| {
            FaultError::file(&path, format!("cannot be read ({e}); `warpsmith emit --inject` writes it"))
        })?;
        let list: Vec<Site> = serde_json::from_str(&text).map_err(|e| {
            FaultError::line(
                &path,
                e.line(),
                format!("is no list of fault sites ({e}); renew the folder with `warpsmith emit --inject`"),
            )
        })?;
        Ok(Self::new(list))
    }

    /// A list made elsewhere.
    pub fn new(list: Vec<Site>) -> Self {
        let by_path = list.iter().enumerate().map(|(i, s)| (s.path.clone(), i)).collect();
        Sites { list, by_path }
    }

    /// All of them; the index is the site's number.
    pub fn list(&self) -> &[Site] {
        &self.list
    }

    /// A site by number.
    pub fn site(&self, number: usize) -> &Site {
        &self.list[number]
    }

    /// Number of a path.
    ///
    /// # Errors
    /// [`FaultError::Ask`] naming the nearest paths.
    pub fn find(&self, path: &str) -> Result<usize, FaultError> {
        if let Some(&i) = self.by_path.get(path) {
            return Ok(i);
        }
        let mut near: Vec<(usize, &str)> =
            self.list.iter().map(|s| (strsim::levenshtein(path, &s.path), s.path.as_str())).collect();
        near.sort_unstable();
        let near: Vec<&str> = near.into_iter().take(3).map(|n| n.1).collect();
        Err(FaultError::Ask(format!(
            "no fault site `{path}`; the nearest are {}; `warpsmith fault sites` lists all",
            near.join(", ")
        )))
    }

    /// Numbers of the sites a filter lets through, in order.
    pub fn select(&self, filter: &Filter) -> Vec<usize> {
        (0..self.list.len()).filter(|&i| filter.takes(&self.list[i])).collect()
    }
}

/// Which sites: a site passes when each part that is not empty has an entry for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Block types; `*` stands for any characters.
    pub blocks: Vec<String>,
    /// Patterns of paths; `*` stands for any characters.
    pub names: Vec<String>,
    /// Kinds.
    pub kinds: Vec<SiteKind>,
}

impl Filter {
    /// Whether a site passes.
    pub fn takes(&self, site: &Site) -> bool {
        let any = |patterns: &[String], text: &str| patterns.is_empty() || patterns.iter().any(|p| glob(p, text));
        any(&self.blocks, &site.block)
            && any(&self.names, &site.path)
            && (self.kinds.is_empty() || self.kinds.contains(&site.kind))
    }
}

/// Whether a pattern, in which `*` stands for any characters, is the whole of a text.
pub fn glob(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((head, tail)) => text
            .strip_prefix(head)
            .is_some_and(|rest| (0..=rest.len()).filter(|&i| rest.is_char_boundary(i)).any(|i| glob(tail, &rest[i..]))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sites() -> Sites {
        let site = made_up;
        Sites::new(vec![
            site("u_sm_0.u_warps.live", "warps", SiteKind::Reg, 32, 1),
            site("u_sm_0.u_file.u_bank_0.mem", "bram_4x32_1r", SiteKind::Ram, 32, 4),
            site("u_sm_0.u_warps.sel_valid", "warps", SiteKind::Out, 1, 1),
        ])
    }

    #[test]
    fn a_star_stands_for_any_characters() {
        for (p, t, yes) in [
            ("a*c", "abbc", true),
            ("a*c", "ac", true),
            ("a*c", "acd", false),
            ("*", "", true),
            ("*.mem", "u.mem", true),
            ("a", "ab", false),
            ("*a*a*", "banana", true),
        ] {
            assert_eq!(glob(p, t), yes, "{p} {t}");
        }
    }

    #[test]
    fn filters_meet() {
        let s = sites();
        let of = |blocks: &[&str], names: &[&str], kinds: &[SiteKind]| {
            s.select(&Filter {
                blocks: blocks.iter().map(|b| b.to_string()).collect(),
                names: names.iter().map(|b| b.to_string()).collect(),
                kinds: kinds.to_vec(),
            })
        };
        assert_eq!(of(&[], &[], &[]), [0, 1, 2]);
        assert_eq!(of(&["warps"], &[], &[SiteKind::Reg]), [0]);
        assert_eq!(of(&["bram*", "x"], &[], &[]), [1]);
        assert_eq!(of(&[], &["*warps*"], &[]), [0, 2]);
    }

    #[test]
    fn an_unknown_path_names_its_neighbours() {
        let e = sites().find("u_sm_0.u_warps.life").unwrap_err().to_string();
        assert!(e.contains("u_sm_0.u_warps.live"), "{e}");
        assert_eq!(sites().find("u_sm_0.u_warps.live").unwrap(), 0);
    }
}
