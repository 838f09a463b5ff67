//! Constraints against ports: reads LPF, CST and XDC files, and the ports of a board's `top`.

use std::collections::{BTreeMap, BTreeSet};

/// Pins a file of constraints gives: port (`led[3]`) to pin.
///
/// # Errors
/// A line that cannot be read, a port or a pin given twice; with the line's number.
pub fn pins(name: &str, text: &str) -> Result<BTreeMap<String, String>, String> {
    let mut pins = BTreeMap::new();
    for (n, line) in text.lines().enumerate() {
        let fail = |what: &str| Err(format!("{name}:{}: {what}: {line}", n + 1));
        let located = match name.rsplit('.').next() {
            Some("lpf") => line.trim().strip_prefix("LOCATE COMP ").map(|rest| {
                let mut quoted = rest.split('"').skip(1).step_by(2);
                (quoted.next(), quoted.next())
            }),
            Some("cst") => line.trim().strip_prefix("IO_LOC ").map(|rest| {
                let mut parts = rest.splitn(3, '"').skip(1);
                let port = parts.next();
                (port, parts.next().map(|p| p.trim_matches([' ', ';'])))
            }),
            Some("xdc") => line.split_once("PACKAGE_PIN ").map(|(_, rest)| {
                let port = rest.split_once("get_ports {").and_then(|(_, p)| p.split('}').next());
                (port, rest.split_whitespace().next())
            }),
            _ => return Err(format!("{name}: .lpf, .cst or .xdc is needed")),
        };
        let Some((port, pin)) = located else { continue };
        let (Some(port), Some(pin)) = (port, pin) else {
            return fail("a port and its pin were expected");
        };
        if port.is_empty() || pin.is_empty() || !pin.bytes().all(|b| b.is_ascii_alphanumeric()) {
            return fail("a port and its pin were expected");
        }
        if pins.values().any(|p| p == pin) {
            return fail("the pin has a port already");
        }
        if pins.insert(port.to_string(), pin.to_string()).is_some() {
            return fail("the port has a pin already");
        }
    }
    Ok(pins)
}

/// Ports every other line of the file names: standards, clocks.
pub fn mentioned(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for line in text.lines().filter(|l| !l.starts_with(['#', '/'])) {
        let quoted = line.split('"').skip(1).step_by(2).next();
        let braced = line.split_once("get_ports {").and_then(|(_, p)| p.split('}').next());
        names.extend(quoted.or(braced).map(str::to_string));
    }
    names
}

/// Bits of the ports of the module `top` in a board's Verilog: `led[3]` of a vector, else the name.
pub fn ports(verilog: &str) -> BTreeSet<String> {
    let mut ports = BTreeSet::new();
    let body = verilog.split_once("module top").map_or("", |(_, b)| b);
    let head = body.split_once("\n);").map_or("", |(h, _)| h);
    for line in head.lines() {
        let line = line.trim().trim_end_matches(',');
        let Some(rest) = ["input wire ", "output wire ", "inout wire "].iter().find_map(|d| line.strip_prefix(d))
        else {
            continue;
        };
        match rest.strip_prefix('[').and_then(|r| r.split_once(":0] ")) {
            Some((high, name)) => {
                let high: usize = high.parse().unwrap_or(0);
                ports.extend((0..=high).map(|i| format!("{name}[{i}]")));
            }
            None => drop(ports.insert(rest.to_string())),
        }
    }
    ports
}

/// Differences between a file of constraints and the ports of a top module: a line each.
pub fn disagreements(name: &str, constraints: &str, top: &str) -> Vec<String> {
    let ports = ports(top);
    let pins = match pins(name, constraints) {
        Ok(pins) => pins,
        Err(e) => return vec![e],
    };
    let mut lines = vec![];
    if ports.is_empty() {
        lines.push("the top has no ports".to_string());
    }
    for port in ports.iter().filter(|p| !pins.contains_key(*p)) {
        lines.push(format!("{name}: the port {port} of top has no pin"));
    }
    for port in mentioned(constraints).iter().chain(pins.keys()) {
        if !ports.contains(port) {
            lines.push(format!("{name}: {port} is no port of top"));
        }
    }
    lines
}

/// Files a Tcl script takes from its own folder.
pub fn tcl_files(tcl: &str) -> Vec<String> {
    tcl.lines()
        .filter(|l| l.starts_with("add_files") || l.starts_with("source"))
        .filter_map(|l| l.split_once("[file join $here ")?.1.split(']').next())
        .map(str::to_string)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::board::BOARDS;
    use super::*;

    #[test]
    fn every_board_has_a_pin_for_each_port_and_no_other() {
        for board in BOARDS {
            let (name, text) = board.constraints;
            assert_eq!(disagreements(name, text, board.top), Vec::<String>::new());
            assert!(pins(name, text).expect("pins").len() >= 7, "{name}");
            assert!(ports(board.top).contains(board.clock_port), "{name}");
            assert!(text.contains(&format!("{:.0}", f64::from(board.input_khz) / 1e3)) || name.ends_with("xdc"));
        }
    }

    /// Each kind of mistake, in each kind of file, is told.
    #[test]
    fn mistakes_are_told() {
        for board in BOARDS {
            let (name, text) = board.constraints;
            let all = pins(name, text).expect("pins");
            let (first, pin) = all.iter().next().expect("a pin");
            let (last, other) = all.iter().next_back().expect("a pin");
            let told = |text: &str, what: &str| {
                let lines = disagreements(name, text, board.top);
                assert!(lines.iter().any(|l| l.contains(what)), "{name}: {lines:?}");
            };
            told(&text.replace(first.as_str(), "nothing"), "nothing is no port");
            told(&text.replace(first.as_str(), "nothing"), "has no pin");
            let twice = match name.rsplit('.').next() {
                Some("lpf") => text.replace(&format!("\"{pin}\""), &format!("\"{other}\"")),
                Some("cst") => text.replace(&format!(" {pin};"), &format!(" {other};")),
                _ => text.replace(&format!("PIN {pin} "), &format!("PIN {other} ")),
            };
            told(&twice, "the pin has a port already");
            assert_ne!(first, last);
        }
    }

    #[test]
    fn ports_of_a_top_are_read_bit_by_bit() {
        let top =
            "module top #(\n    parameter A = 1\n) (\n    input wire clk,\n    output wire [1:0] led\n);\n wire x;\n";
        let all: Vec<String> = ports(top).into_iter().collect();
        assert_eq!(all, ["clk", "led[0]", "led[1]"]);
    }
}
