//! Lines: where they break, and what shares one.

/// Columns a line may have.
pub const COLUMNS: usize = 120;

/// Indentation of what continues a line.
const CONTINUED: usize = 12;

/// A line, broken where it nests least when it is too long. Of a value chosen from three and more, each is on a line
/// of its own.
pub fn wrap(line: &str, o: &mut String) {
    if line.len() <= COLUMNS {
        *o += line;
        o.push('\n');
        return;
    }
    let breaks: Vec<Break> = breaks(line).collect();
    let chosen = breaks.iter().filter(|b| b.depth == 0 && line[b.at + 1..].starts_with(": ")).map(|b| b.at);
    let chosen: Vec<usize> = chosen.collect();
    let mut from = 0;
    for to in chosen.iter().copied().filter(|_| chosen.len() > 1).chain([line.len()]) {
        fill(line, from, to, &breaks, o);
        from = to + 1;
    }
}

/// `line[from..to]` in lines of at most [`COLUMNS`] columns.
fn fill(line: &str, mut from: usize, to: usize, breaks: &[Break], o: &mut String) {
    loop {
        let indent = if from == 0 { 0 } else { CONTINUED };
        *o += &" ".repeat(indent);
        let end = from + COLUMNS - indent;
        // A line ends in its last two thirds, or late where no space is in time.
        let inside = breaks.iter().filter(|b| from + (COLUMNS - indent) / 3 <= b.at && b.at < to);
        let (soon, late): (Vec<&Break>, Vec<&Break>) = inside.partition(|b| b.at <= end);
        let best = soon.iter().rev().min_by_key(|b| (b.depth, b.binds)).or(late.first());
        match best.filter(|_| to > end) {
            None => {
                *o += &line[from..to];
                o.push('\n');
                return;
            }
            Some(best) => {
                *o += line[from..best.at].trim_end();
                o.push('\n');
                from = best.at + 1;
            }
        }
    }
}

/// A space where a line may end.
struct Break {
    at: usize,
    /// Parentheses, braces and brackets around it.
    depth: usize,
    /// How tightly what stands around it belongs together: parts of a concatenation least, then choices, then
    /// operations.
    binds: u8,
}

/// The spaces where a line may end: in front of an operator, not behind it.
fn breaks(line: &str) -> impl Iterator<Item = Break> + '_ {
    let operator = |word: &str| !word.is_empty() && word.bytes().all(|b| b"?:&|^=!<>+-*".contains(&b));
    let mut depth = 0usize;
    let mut at = line.len() - line.trim_start().len();
    let mut before = "";
    line.trim_start().split(' ').filter_map(move |word| {
        let binds = match word {
            _ if before.is_empty() || operator(before) => None,
            _ if before.ends_with(',') => Some(0),
            "?" | ":" => Some(1),
            _ if operator(word) => Some(2),
            _ => Some(3),
        };
        let end = binds.map(|binds| Break { at: at - 1, depth, binds });
        let count = |brackets: &[u8]| word.bytes().filter(|b| brackets.contains(b)).count();
        depth = (depth + count(b"({[")).saturating_sub(count(b")}]"));
        at += word.len() + 1;
        before = word;
        end
    })
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
/// `apart`: those of a bundle, too, and also where others stand between.
pub fn declarations<'a>(list: impl Iterator<Item = (String, &'a str)>, apart: bool) -> Vec<String> {
    let mut keys: Vec<Option<(String, String)>> = vec![];
    let mut lines: Vec<String> = vec![];
    for (kind, name) in list {
        let pattern = if apart { Some(bundle(name)) } else { array(name) };
        let key = pattern.map(|pattern| (kind.clone(), pattern));
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

/// Connections of an instance; neighbours of an array or of a bundle that are names, and their sections, share lines.
pub fn connections(list: &[(&str, String)]) -> String {
    const INDENT: &str = "\n        ";
    let mut o = String::new();
    let mut column = 0;
    let mut before = None;
    for (i, (port, value)) in list.iter().enumerate() {
        let text = format!(".{port}({value}){}", if i + 1 < list.len() { "," } else { "" });
        let key = Some(bundle(port)).filter(|_| !value.contains(' '));
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

/// What names of an array or of a bundle have in common: `lane_#_y` of `lane_3_y`, `flow` of `flow_valid`. Clock and
/// reset belong together.
fn bundle(name: &str) -> String {
    match name {
        "reset" => "clock".into(),
        _ => array(name).unwrap_or_else(|| name.split('_').next().unwrap_or(name).into()),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(line: &str) -> Vec<String> {
        let mut o = String::new();
        wrap(line, &mut o);
        o.lines().map(str::to_string).collect()
    }

    #[test]
    fn a_long_line_ends_where_it_nests_least() {
        let part = |name: &str| format!("({name}_valid & ({name}_warp == held_warp) & ({name}_count != 5'd0))");
        let lines = wrapped(&format!("    wire y = {} | {} | {};", part("first"), part("second"), part("third")));
        assert_eq!(lines[0], format!("    wire y = {}", part("first")));
        assert_eq!(lines[1], format!("            | {}", part("second")));
        assert_eq!(lines[2], format!("            | {};", part("third")));
    }

    #[test]
    fn each_value_of_a_long_choice_has_a_line() {
        let choice = |n: u32| format!("(a_rather_long_code_of_a_source == 5'd{n}) ? the_value_of_source_{n}");
        let lines = wrapped(&format!("    assign y = {} : {} : {} : 8'd0;", choice(1), choice(2), choice(3)));
        let expected = [
            format!("    assign y = {}", choice(1)),
            format!("            : {}", choice(2)),
            format!("            : {}", choice(3)),
            "            : 8'd0;".into(),
        ];
        assert_eq!(lines, expected);
        assert_eq!(wrapped("    assign y = a ? b : c ? d : e;").len(), 1);
    }

    #[test]
    fn words_stay_whole_and_in_order() {
        let line = format!("    assign {{{}}} = x;", vec!["a_name_of_a_net"; 40].join(", "));
        let lines = wrapped(&line);
        assert!(lines.iter().all(|l| l.len() <= COLUMNS), "{lines:?}");
        let words = |text: &str| text.split_whitespace().map(str::to_string).collect::<Vec<_>>();
        assert_eq!(words(&lines.join(" ")), words(&line));
    }
}
