//! Lines: where they break, and what shares one.

/// Columns a line may have.
pub const COLUMNS: usize = 120;

/// A line, broken at spaces when it is too long.
pub fn wrap(line: &str, o: &mut String) {
    let mut rest = line;
    let mut room = COLUMNS;
    while rest.len() > room {
        // A break within the indentation would be none.
        let from = rest.len() - rest.trim_start().len();
        let Some(at) =
            rest[..room].rfind(' ').filter(|at| *at > from).or_else(|| rest[room..].find(' ').map(|i| i + room))
        else {
            break;
        };
        *o += rest[..at].trim_end();
        *o += "\n            ";
        rest = &rest[at + 1..];
        room = COLUMNS - 12;
    }
    *o += rest;
    o.push('\n');
}

/// What the names of an array have in common: `lane_3_y` gives `lane_#_y`; `None` for a name without a number.
fn array(name: &str) -> Option<String> {
    let number = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let parts: Vec<&str> = name.split('_').collect();
    parts.iter().skip(1).any(number as fn(&&str) -> bool).then(|| {
        let parts: Vec<&str> = parts.iter().map(|p| if number(p) { "#" } else { p }).collect();
        parts.join("_")
    })
}

/// Declarations, each `kind name`: those of an array are one, at the place of its first.
/// `apart`: also where others stand between.
pub fn declarations<'a>(list: impl Iterator<Item = (String, &'a str)>, apart: bool) -> Vec<String> {
    let mut keys: Vec<Option<(String, String)>> = vec![];
    let mut lines: Vec<String> = vec![];
    for (kind, name) in list {
        let key = array(name).map(|pattern| (kind.clone(), pattern));
        let from = if apart { 0 } else { keys.len().saturating_sub(1) };
        match keys[from..].iter().position(|k| key.is_some() && *k == key) {
            Some(i) => {
                lines[from + i] += ", ";
                lines[from + i] += name;
            }
            None => {
                lines.push(kind + name);
                keys.push(key);
            }
        }
    }
    lines
}

/// Connections of an instance, a port each; neighbours of an array that are names, and their sections, share lines.
pub fn connections(list: &[(&str, String)]) -> String {
    const INDENT: &str = "\n        ";
    let mut o = String::new();
    let mut column = 0;
    let mut before = None;
    for (i, (port, value)) in list.iter().enumerate() {
        let text = format!(".{port}({value}){}", if i + 1 < list.len() { "," } else { "" });
        let key = array(port).filter(|_| !value.contains(' '));
        if key.is_some() && key == before && column + 1 + text.len() <= COLUMNS {
            o.push(' ');
            column += 1;
        } else {
            o += INDENT;
            column = INDENT.len() - 1;
        }
        column += text.len();
        o += &text;
        before = key;
    }
    o
}

/// A line of documentation without the brackets of links, which only rustdoc follows.
pub fn without_links(line: &str) -> String {
    let mut o = String::new();
    let mut rest = line;
    while let Some((before, link)) = rest.split_once("[`") {
        let Some((name, after)) = link.split_once("`]") else { break };
        o += before;
        o += &format!("`{}`", name.rsplit(['@', ':']).next().unwrap_or(name));
        rest = match after.strip_prefix('(').and_then(|target| target.split_once(')')) {
            Some((_, after)) => after,
            None => after,
        };
    }
    o + rest
}
