//! Ports of a module, read from its header: one a line, as emitter and templates write them.

use super::PackageError;

/// A port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Its name.
    pub name: String,
    /// `input` or `output`.
    pub direction: &'static str,
    /// Left bound of its range, if it has one; the right one is 0.
    pub left: Option<usize>,
}

impl Port {
    /// Bits.
    pub fn width(&self) -> usize {
        self.left.map_or(1, |left| left + 1)
    }
}

/// Ports of `module`, in their order.
///
/// # Errors
/// The module is not in the text, or a line of its header is no port.
pub fn of(module: &str, verilog: &str) -> Result<Vec<Port>, PackageError> {
    let error = |what: String| PackageError::Ports {
        module: module.into(),
        what,
    };
    let mut lines = verilog.lines();
    let start = format!("module {module} ");
    let first = lines
        .find(|l| l.starts_with(&start))
        .ok_or_else(|| error("not in the Verilog".into()))?;
    if first.contains("#(") {
        lines.find(|l| *l == ") (");
    }
    lines
        .take_while(|l| *l != ");")
        .map(|l| port(l).ok_or_else(|| error(format!("`{}` is no port", l.trim()))))
        .collect()
}

/// `input  wire [7:0] name,`
fn port(line: &str) -> Option<Port> {
    let mut words = line.trim().trim_end_matches(',').split_whitespace();
    let direction = match words.next()? {
        "input" => "input",
        "output" => "output",
        _ => return None,
    };
    if !matches!(words.next()?, "wire" | "reg") {
        return None;
    }
    let mut name = words.next()?;
    let mut left = None;
    if let Some(range) = name.strip_prefix('[') {
        left = Some(range.strip_suffix(":0]")?.parse().ok()?);
        name = words.next()?;
    }
    words.next().is_none().then(|| Port {
        name: name.into(),
        direction,
        left,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_read_behind_parameters_too() {
        let text = "module other (\n);\nmodule m #(\n    parameter D = 4\n) (\n    input  wire a,\n    output reg [0:0] b\n);\n";
        let ports = of("m", text).unwrap();
        let seen: Vec<_> = ports.iter().map(|p| (p.name.as_str(), p.left)).collect();
        assert_eq!(seen, [("a", None), ("b", Some(0))]);
        assert_eq!(of("other", text).unwrap(), []);
        let error = of("gone", text).unwrap_err().to_string();
        assert_eq!(error, "module `gone`: not in the Verilog");
        let error = of("m", &text.replace("input", "inout")).unwrap_err();
        assert_eq!(error.to_string(), "module `m`: `inout  wire a,` is no port");
    }
}
