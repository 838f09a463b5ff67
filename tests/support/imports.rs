//! The graph of imports between the files of a crate, and circles in it.
//!
//! An edge goes from a file to each file whose items it names by `use`, `crate::…`, `super::…` or a module of
//! its own. A `mod` line does not count; that a parent names items of its child modules counts where [`Rule::parents`]
//! says so.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What counts as a circle in a folder.
pub struct Rule {
    /// The source folder, from the root.
    pub folder: &'static str,
    /// A parent that names what its child modules have counts as an import.
    pub parents: bool,
    /// Files, from the folder, that are one idea and may name each other.
    pub together: &'static [&'static [&'static str]],
}

/// A module path without `crate`.
type Module = Vec<String>;

struct File {
    /// Relative to the source folder.
    name: String,
    module: Module,
    /// Without comments and unit tests.
    text: String,
}

/// Adds the Rust sources below a folder.
pub fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the source") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

fn read(root: &Path, path: &Path) -> File {
    let text = std::fs::read_to_string(path).expect("readable");
    // Unit tests in the file come last; those in a file of their own are another file.
    let tests = ["#[cfg(test)]\nmod tests {", "#[cfg(test)]\npub(crate) mod tests {"];
    let end = tests.iter().filter_map(|t| text.find(t)).min();
    let code = text[..end.unwrap_or(text.len())].lines().map(|l| l.split("//").next().unwrap_or_default());
    let relative = path.strip_prefix(root).expect("below the source folder");
    let mut module: Module = relative.with_extension("").iter().map(|p| p.to_string_lossy().into_owned()).collect();
    if matches!(module.last().map(String::as_str), Some("mod" | "lib")) {
        module.pop();
    }
    File { name: relative.display().to_string(), module, text: code.collect::<Vec<_>>().join("\n") }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The paths of the tree behind `prefix`: `a::{b, c::d}` gives `a::b` and `a::c::d`.
fn expand(tree: &str, prefix: &[String], out: &mut Vec<Module>) {
    let tree = tree.trim();
    if let Some(inner) = tree.strip_prefix('{') {
        let inner = inner.strip_suffix('}').expect("a closed list of imports");
        let (mut depth, mut from) = (0, 0);
        for (at, c) in inner.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    expand(&inner[from..at], prefix, out);
                    from = at + 1;
                }
                _ => {}
            }
        }
        if !inner[from..].trim().is_empty() {
            expand(&inner[from..], prefix, out);
        }
        return;
    }
    let mut path = prefix.to_vec();
    let (head, rest) = tree.split_once("::").unwrap_or((tree, ""));
    path.push(head.trim().to_string());
    match rest {
        "" => out.push(path),
        _ => expand(rest, &path, out),
    }
}

/// Every path the file names whose first part is `crate`, `super`, `self` or one of `children`.
fn paths(text: &str, children: &BTreeSet<String>) -> Vec<Module> {
    let mut out = vec![];
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let before = text[..at].chars().next_back();
        if !is_word(c) || before.is_some_and(|b| is_word(b) || b == '$' || b == ':') {
            at += c.len_utf8();
            continue;
        }
        let word: String = text[at..].chars().take_while(|c| is_word(*c)).collect();
        let end = at + word.len();
        let ours = ["crate", "super", "self"].contains(&word.as_str()) || children.contains(&word);
        if !ours || !text[end..].starts_with("::") {
            at = end;
            continue;
        }
        let rest = &text[end + 2..];
        let mut depth = 0;
        let stop = rest
            .char_indices()
            .find(|(_, c)| match c {
                '{' => {
                    depth += 1;
                    false
                }
                '}' => {
                    depth -= 1;
                    depth <= 0
                }
                c => depth == 0 && !is_word(*c) && *c != ':',
            })
            .map_or(rest.len(), |(i, c)| if c == '}' { i + 1 } else { i });
        expand(rest[..stop].trim_end_matches(':'), &[word], &mut out);
        at = end + 2 + stop;
    }
    out
}

struct Source {
    files: Vec<File>,
    by_module: BTreeMap<Module, usize>,
    /// Exported macros by name.
    macros: BTreeMap<String, usize>,
}

impl Source {
    fn read(root: &Path) -> Self {
        let mut found = vec![];
        files(root, &mut found);
        found.sort();
        let files: Vec<File> = found.iter().map(|p| read(root, p)).collect();
        let by_module = files.iter().enumerate();
        let by_module = by_module.map(|(i, f)| (f.module.clone(), i)).collect();
        let mut macros = BTreeMap::new();
        for (i, file) in files.iter().enumerate() {
            for part in file.text.split("macro_rules! ").skip(1) {
                macros.insert(part.chars().take_while(|c| is_word(*c)).collect(), i);
            }
        }
        Self { files, by_module, macros }
    }

    /// The file that has what a path of file `from` names.
    fn target(&self, from: usize, path: &[String]) -> Option<usize> {
        let mut module = self.files[from].module.clone();
        let mut rest = path;
        match path[0].as_str() {
            "crate" => {
                module.clear();
                rest = &path[1..];
                if let Some(file) = rest.first().and_then(|name| self.macros.get(name)) {
                    return Some(*file);
                }
            }
            "self" => rest = &path[1..],
            _ => {}
        }
        while rest.first().is_some_and(|p| p == "super") {
            module.pop();
            rest = &rest[1..];
        }
        for part in rest {
            let mut deeper = module.clone();
            deeper.push(part.clone());
            if !self.by_module.contains_key(&deeper) {
                break;
            }
            module = deeper;
        }
        self.by_module.get(&module).copied()
    }

    /// The imports of every file; those of files that stand together are the first one's.
    ///
    /// # Errors
    /// A file that stands together with others and does not exist, or names none of them.
    fn graph(&self, rule: &Rule) -> Result<Vec<BTreeSet<usize>>, String> {
        let edges = |(i, file): (usize, &File)| {
            let below = |m: &Module| m.len() > file.module.len() && m.starts_with(&file.module);
            let children = self.by_module.keys().filter(|m| below(m) && m.len() == file.module.len() + 1);
            let children = children.filter_map(|m| m.last().cloned()).collect();
            let targets = paths(&file.text, &children);
            let targets = targets.iter().filter_map(|p| self.target(i, p));
            targets
                .filter(|t| *t != i && (rule.parents || file.module.is_empty() || !below(&self.files[*t].module)))
                .collect()
        };
        let mut graph: Vec<BTreeSet<usize>> = self.files.iter().enumerate().map(edges).collect();
        for group in rule.together {
            let at = |name: &&str| self.files.iter().position(|f| f.name == **name);
            let Some(group) = group.iter().map(at).collect::<Option<Vec<usize>>>() else {
                return Err(format!("{group:?} are not all files"));
            };
            merge(&mut graph, &group)
                .map_err(|i| format!("{} needs no exception, it is in no circle of it", self.files[i].name))?;
        }
        Ok(graph)
    }
}

/// Makes some nodes one, the first of them.
///
/// # Errors
/// A node from which no way inside the group leads back to it.
fn merge(graph: &mut [BTreeSet<usize>], group: &[usize]) -> Result<(), usize> {
    for node in group {
        let mut open: Vec<usize> = vec![*node];
        let mut reached = BTreeSet::new();
        while let Some(n) = open.pop() {
            let next = graph[n].iter().filter(|t| group.contains(t));
            open.extend(next.filter(|t| reached.insert(**t)));
        }
        if !reached.contains(node) {
            return Err(*node);
        }
    }
    let all = group.iter().flat_map(|n| std::mem::take(&mut graph[*n])).collect();
    graph[group[0]] = all;
    for targets in graph.iter_mut() {
        if group.iter().any(|n| targets.remove(n)) {
            targets.retain(|t| !group.contains(t));
            targets.insert(group[0]);
        }
    }
    graph[group[0]].remove(&group[0]);
    Ok(())
}

/// A circle of the graph, if it has one.
fn circle(graph: &[BTreeSet<usize>]) -> Option<Vec<usize>> {
    fn walk(graph: &[BTreeSet<usize>], node: usize, done: &mut [bool], open: &mut Vec<usize>) -> Option<Vec<usize>> {
        if let Some(at) = open.iter().position(|n| *n == node) {
            return Some(open[at..].to_vec());
        }
        if std::mem::replace(&mut done[node], true) {
            return None;
        }
        open.push(node);
        for next in &graph[node] {
            let found = walk(graph, *next, done, open);
            if found.is_some() {
                return found;
            }
        }
        open.pop();
        None
    }
    let mut done = vec![false; graph.len()];
    (0..graph.len()).find_map(|node| walk(graph, node, &mut done, &mut vec![]))
}

/// Looks for circles between the files of a source folder; the number of imports.
///
/// # Errors
/// Files that import each other in a circle, or an exception that is needed no more.
pub fn check(root: &Path, rule: &Rule) -> Result<usize, String> {
    let source = Source::read(&root.join(rule.folder));
    let graph = source.graph(rule)?;
    let Some(found) = circle(&graph) else {
        return Ok(graph.iter().map(BTreeSet::len).sum());
    };
    let names: Vec<&str> = found.iter().map(|i| source.files[*i].name.as_str()).collect();
    Err(format!(
        "these files import each other in a circle: {} → {}. Move what two of them share into a file below both",
        names.join(" → "),
        names[0]
    ))
}

#[test]
fn a_list_of_imports_names_every_path() {
    let children = BTreeSet::from(["dims".to_string()]);
    let text = "use crate::a::{b, c::{d, E}};\nuse dims::Dims; x(super::y::Z::new()); $crate::q::R; std::crate_x";
    let mut found: Vec<String> = paths(text, &children).iter().map(|p| p.join("::")).collect();
    found.sort();
    assert_eq!(found, ["crate::a::b", "crate::a::c::E", "crate::a::c::d", "dims::Dims", "super::y::Z::new"]);
}

#[test]
fn a_circle_is_found() {
    let graph =
        |edges: &[&[usize]]| -> Vec<BTreeSet<usize>> { edges.iter().map(|e| e.iter().copied().collect()).collect() };
    assert_eq!(circle(&graph(&[&[1, 2], &[2], &[]])), None);
    assert_eq!(circle(&graph(&[&[1], &[2], &[1]])), Some(vec![1, 2]));
}

#[test]
fn files_that_stand_together_are_one() {
    let nodes =
        |edges: &[&[usize]]| -> Vec<BTreeSet<usize>> { edges.iter().map(|e| e.iter().copied().collect()).collect() };
    let mut graph = nodes(&[&[1], &[0, 2], &[], &[1]]);
    assert_eq!(merge(&mut graph, &[0, 1]), Ok(()));
    assert_eq!(graph, nodes(&[&[2], &[], &[], &[0]]));
    assert_eq!(merge(&mut nodes(&[&[1], &[0], &[0]]), &[0, 1, 2]), Err(2));
}
