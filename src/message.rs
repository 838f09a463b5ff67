//! The one line that says what went wrong.

use warpsmith_isa::message::plain;

/// What to do about errors of the system, by number.
const ADVICE: [(i32, &str); 9] = [
    (2, "check the path, and the folder you are in"),
    (13, "check who owns it and may use it (ls -l)"),
    (17, "choose another name"),
    (20, "a part of the path is a file"),
    (21, "a file is needed here"),
    (24, "raise the limit (ulimit -n)"),
    (28, "free some space"),
    (30, "choose a folder that can be written"),
    (36, "choose a shorter name"),
];

/// An error with its causes, each said once; errors of the system with advice.
pub fn text(e: &anyhow::Error) -> String {
    let mut said = String::new();
    for cause in e.chain().map(ToString::to_string) {
        if said.contains(&cause) {
            continue;
        }
        if !said.is_empty() {
            said.push_str(": ");
        }
        said.push_str(&cause);
    }
    for (number, advice) in ADVICE {
        said = said.replace(&format!(" (os error {number})"), &format!("; {advice}"));
    }
    plain(&said)
}

#[cfg(test)]
mod tests {
    use super::text;
    use anyhow::Context;

    #[test]
    fn an_error_of_the_system_is_said_once_with_advice() {
        let missing = || std::fs::read("/nowhere/k.toml");
        let e = missing().context("/nowhere/k.toml").expect_err("missing");
        let once = "/nowhere/k.toml: No such file or directory; check the path, and the folder you are in";
        assert_eq!(text(&e), once);
        let wrapped = missing().map_err(|e| anyhow::anyhow!("k.toml: {e}"));
        let wrapped = wrapped.context("k.toml: No such file or directory (os error 2)");
        let said = text(&wrapped.expect_err("missing"));
        assert_eq!(said.matches("No such file").count(), 1, "{said}");
    }
}
