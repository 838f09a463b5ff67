//! `--check` of the commands: findings fail a run, and are keys of its JSON. What is found: `sim/check/tests`.

use crate::support::{args, outcome, warpsmith};

/// Thread t reads what thread 63 - t wrote, with no barrier between: line 4 writes, line 8 reads.
const PROGRAM: &str = "SHL R1, R0, 0x2;
R2A A1, R1, 0x0;
IADD R1, g [0x4], R1;
R2G.U32.U32 g[A1+0x8], R0;
MVI R3, 0x3f;
LOP.XOR R3, R3, R0;
R2A A2, R3, 0x2;
MOV R4, g [A2+0x8];
GST.U32 global14[R1], R4;
RET;
";

const LAUNCH: &str = "program = \"k.sass\"
grid = [1, 1]
block = [64, 1, 1]
registers = 8
shared_bytes = 512
args = [\"out\"]
[[buffer]]
name = \"out\"
bytes = 256
";

#[test]
fn findings_fail_the_command_and_are_keys_of_its_json() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("launch.toml");
    std::fs::write(&path, LAUNCH).expect("the folder can be written");
    std::fs::write(dir.path().join("k.sass"), PROGRAM).expect("the folder can be written");
    for command in [
        &args!["run", &path, "--check", "--json"][..],
        &args!["cosim", &path, "--check", "--json", "--engine", "native"],
    ] {
        let (code, out, err) = outcome(&warpsmith(command));
        assert_eq!(code, 1, "{out}{err}");
        let json: serde_json::Value = serde_json::from_str(&out).expect("one JSON object");
        assert_eq!(json["outcome"], "fail");
        let found = &json["check"]["findings"][0];
        assert_eq!((&found["kind"], &found["memory"]), (&"race".into(), &"shared".into()), "{out}");
        let lines = [&found["sides"][0]["line"], &found["sides"][1]["line"]];
        assert!(lines.contains(&&serde_json::json!(4)), "{out}");
        assert!(json["details"][0].as_str().is_some_and(|d| d.starts_with("check: race: ")), "{out}");
    }
    // Without --check the run is as it was.
    let (code, out, _) = outcome(&warpsmith(&args!["run", &path, "--json"]));
    assert!(code == 0 && !out.contains("check"), "{out}");
    let (code, _, err) = outcome(&warpsmith(&args!["run", &path, "--check", "--on", "uart:/nowhere"]));
    assert!(code == 2 && err.contains("--check watches the model"), "{err}");
    // On a chip the model is watched, and the page shows it.
    let page = dir.path().join("page.html");
    let profile = format!("--profile={}", page.display());
    let on = args!["run", &path, "--check", "--on", "rtl", "--engine", "native", &profile];
    let (code, out, err) = outcome(&warpsmith(&on));
    assert!(code == 1 && out.contains("check: race: "), "{out}{err}");
    let page = std::fs::read_to_string(page).expect("the page is there");
    assert!(page.contains("<h2>Mistakes ") && page.contains("k.sass:4, pc "), "{page}");
}
