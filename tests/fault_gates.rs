//! `warpsmith fault gates`: units of a chip as gates, their faults beside two other simulators, in the chip beside a
//! campaign, and one error line for every mistake.

use crate::support;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{found, kernel, only_in_soak, outcome, prints, refuses, warpsmith_with};
use warpsmith_fpga::synth::tools::Tool;
use warpsmith_gates::simulate::{run, Options};
use warpsmith_gates::{brute, Circuit, Collapsed, Fault, Model, ObservedKind, Patterns, Place, Recorder};
use warpsmith_netlist::read;

/// What the command prints of a unit of `tiny`, and its files; `None` without Yosys.
struct Run {
    json: Value,
    rows: Vec<BTreeMap<String, String>>,
    gates: PathBuf,
    _dir: tempfile::TempDir,
}

fn gates(unit: &str, launch: &str, more: &[&str]) -> Option<Run> {
    found(Tool::Yosys.find())?;
    let dir = tempfile::tempdir().expect("a folder");
    let (csv, keep) = (dir.path().join("faults.csv"), dir.path().join("gates.json"));
    let (launch, out, kept) =
        (kernel(launch).display().to_string(), csv.display().to_string(), keep.display().to_string());
    let args = ["fault", "gates", "--unit", unit, "--launch", &launch, "--config", "tiny"];
    let args = [&args[..], &["--json", "--csv", &out, "--keep", &kept], more].concat();
    let json: Value = serde_json::from_str(&prints(&args)).expect("one object");
    let text = std::fs::read_to_string(csv).expect("the table");
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().expect("names").split(',').collect();
    let row = |l: &str| names.iter().map(|n| n.to_string()).zip(l.split(',').map(String::from)).collect();
    let rows = lines.map(row).collect();
    Some(Run { json, rows, gates: keep, _dir: dir })
}

fn circuit(file: &Path) -> Circuit {
    let text = std::fs::read_to_string(file).expect("the gates");
    let design = read::yosys(&text, file).unwrap_or_else(|e| panic!("{e}"));
    Circuit::of(&design).unwrap_or_else(|e| panic!("{e}"))
}

fn random(rng: &mut ChaCha8Rng, c: &Circuit, model: Model, count: usize) -> Patterns {
    let mut recorder = Recorder::new(c.bits(), model == Model::Transition);
    for cycle in 0..count {
        let mut row: Vec<u64> = (0..c.bits().div_ceil(64)).map(|_| rng.gen()).collect();
        if c.bits() % 64 != 0 {
            *row.last_mut().expect("a word") &= (1 << (c.bits() % 64)) - 1;
        }
        recorder.add(cycle as u64, &row);
    }
    recorder.finish()
}

#[test]
fn the_table_is_what_the_figures_say() {
    let Some(r) = gates("int_unit", "vector_add", &["--sample", "60", "--no-drop"]) else { return };
    let n = |key: &str| r.json[key].as_u64().expect(key);
    assert_eq!(r.rows.len() as u64, n("faults"));
    assert_eq!(n("faults"), 2 * n("pins"));
    let classes: std::collections::BTreeSet<&str> = r.rows.iter().map(|r| &r["class"][..]).collect();
    assert_eq!(classes.len() as u64, n("classes"));
    assert!(n("undominated") < n("classes") && n("classes") < n("faults"));
    let shown = r.rows.iter().filter(|r| !r["first_cycle"].is_empty());
    assert_eq!(shown.clone().count() as u64, r.json["detected"]["faults"].as_u64().expect("a number"));
    let coverage = r.json["coverage"]["faults"].as_f64().expect("a share");
    assert!(coverage > 0.2 && coverage < 1.0, "{coverage}");
    assert_eq!(n("evaluations"), n("classes") * n("patterns"));
    assert!(n("patterns") <= n("cycles") + 128);
    // What was carried into the chip has an outcome there.
    let mut outcomes: BTreeMap<&str, u64> = BTreeMap::new();
    shown.filter(|r| !r["outcome"].is_empty()).for_each(|r| *outcomes.entry(&r["outcome"]).or_default() += 1);
    for (name, count) in &outcomes {
        assert_eq!(r.json["chip"]["outcomes"][name]["faults"].as_u64(), Some(*count), "{name}");
    }
    assert_eq!(r.json["chip"]["classes"], 60);
    assert!(outcomes["sdc"] > 0 && outcomes["masked"] > 0, "{outcomes:?}");
    // Shapes of wrong words: each silent corruption has one; results of integers have no relative error.
    let shape = |name: &str| r.json["chip"]["sdc"][name]["faults"].as_u64().expect(name);
    let shapes: u64 = ["single", "run", "stride", "scattered"].into_iter().map(shape).sum();
    assert_eq!(shapes, outcomes["sdc"]);
    assert!(shape("one_bit") <= shape("single").min(shape("one_bit_a_word")) && shape("one_bit_a_word") <= shapes);
    assert_eq!((shape("floats"), shape("infinite")), (0, 0));
    assert!(!outcomes.contains_key("not-activated"), "what shows at the unit changes a bit: {outcomes:?}");
    assert!(r.rows.iter().all(|r| (r["outcome"] == "unseen") == r["first_cycle"].is_empty()));
    // Equal faults stand beside the one that was simulated, and have its results.
    let by_name: HashMap<String, &BTreeMap<String, String>> =
        r.rows.iter().map(|r| (format!("{} {}", r["pin"], r["fault"]), r)).collect();
    let equal: Vec<_> = r.rows.iter().filter(|r| !r["equal_to"].is_empty()).collect();
    assert_eq!(equal.len() as u64, n("faults") - n("classes"));
    for row in equal {
        let first = by_name[&row["equal_to"]];
        for key in ["class", "first_cycle", "first_pattern", "patterns", "outputs", "outcome"] {
            assert_eq!(row[key], first[key], "{key} of {}", row["pin"]);
        }
    }
    // Names of the register transfer level: registers of the unit, and ports.
    let named = r.rows.iter().filter(|r| !r["rtl"].is_empty()).count();
    assert!(named > 100 && r.rows.iter().all(|r| !r["near"].is_empty()), "{named}");
}

/// One block runs on one of two SMs; on the other nothing reaches the decoder.
#[test]
fn a_launch_that_does_not_use_the_unit_is_refused() {
    if found(Tool::Yosys.find()).is_none() {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("one.toml");
    let program = kernel("vector_add").with_file_name("vector_add.sass");
    let text = format!(
        "name = \"one_block\"\nprogram = {:?}\ngrid = [1, 1]\nblock = [45, 1, 1]\nregisters = 5\nshared_bytes = 32\nparams = [0, 0x400, 0x800, 45]\nglobal_bytes = 4096\n",
        program.display().to_string()
    );
    std::fs::write(&file, text).expect("room");
    let launch = file.display().to_string();
    let of = |sm: u32| {
        let unit = format!("u_sm_{sm}.u_dispatch.u_decode");
        let args = ["fault", "gates", "--unit", &unit, "--launch", &launch, "--config", "tiny", "--set", "sms=2"];
        outcome(&support::warpsmith(&[&args[..], &["--sample", "0"]].concat()))
    };
    let (code, out, err) = of(0);
    support::check_refusal(code, &out, &err, &["nothing reaches u_sm_0.u_dispatch.u_decode", "one value in all"]);
    let (code, out, err) = of(1);
    assert!(code == 0 && out.contains("instance 2 of 2"), "{code}: {out}{err}");
}

/// A gate that alone drives an output, stuck, is the output of the block stuck: a campaign of the chip as it is
/// described gives the same class.
#[test]
fn outcomes_are_those_of_a_campaign_of_the_plain_chip() {
    let Some(first) = gates("int_unit", "vector_add", &["--sample", "0"]) else { return };
    let c = circuit(&first.gates);
    let (readers, observers) = (c.readers(), c.observers());
    let (mut drivers, mut options) = (vec![], vec!["--sample".to_string(), "all".into()]);
    for number in 0..2 * c.pins().len() as u32 {
        let pin = Fault::of(number).pin;
        let net = c.net_at(pin) as usize;
        let drives = c.pins()[pin.0 as usize].place == Place::Output;
        let [only] = observers[net][..] else { continue };
        let o = &c.observed[only as usize];
        if drives && readers[net].is_empty() && o.kind == ObservedKind::Port {
            options.extend(["--pin".into(), c.pin_name(pin)]);
            drivers.push((number, o));
        }
    }
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let r = gates("int_unit", "vector_add", &options).expect("Yosys was there");
    let mut wanted = vec![];
    for (number, o) in drivers {
        let row = &r.rows[number as usize];
        if row["outcome"] != "unseen" {
            let port = o.name.split('[').next().expect("a name");
            wanted.push((port.to_string(), o.bit, row["fault"].clone(), row["outcome"].clone()));
        }
    }
    assert!(wanted.len() >= 8, "{}", wanted.len());
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("c.csv");
    let path = r.json["instance"].as_str().expect("a path");
    let mut text = format!(
        "# warpsmith campaign 1\n# config = tiny\n# launch = {}\n# power_on = 1\nsite,bit,cycle,kind\n",
        kernel("vector_add").display()
    );
    for (port, bit, fault, _) in &wanted {
        writeln!(text, "{path}.{port},{bit},0,{fault}").expect("a string takes all");
    }
    std::fs::write(&file, text).expect("room");
    let (file, out) = (file.display().to_string(), dir.path().join("out.csv").display().to_string());
    prints(&["fault", "run", &file, "--engine", "native"]);
    prints(&["fault", "report", &file, "--csv", &out]);
    let table = std::fs::read_to_string(out).expect("the table");
    let mut lines = table.lines().filter(|l| !l.starts_with('#'));
    let names: Vec<&str> = lines.next().expect("names").split(',').collect();
    let at = |name: &str| names.iter().position(|n| *n == name).unwrap_or_else(|| panic!("{name} in {names:?}"));
    let (row, outcome) = (at("row"), at("outcome"));
    let found: BTreeMap<usize, String> = lines
        .map(|l| l.split(',').collect::<Vec<_>>())
        .map(|l| (l[row].parse().expect("a number"), l[outcome].to_string()))
        .collect();
    for (i, (port, bit, fault, expected)) in wanted.iter().enumerate() {
        assert_eq!(found[&i], *expected, "{port}[{bit}] {fault}");
    }
    let kinds: std::collections::BTreeSet<&String> = wanted.iter().map(|w| &w.3).collect();
    assert!(kinds.len() > 1, "{kinds:?}");
}

/// Of real units, sampled faults over random patterns, one fault and one pattern at a time.
#[test]
fn one_fault_at_a_time_gives_the_same() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    for unit in ["int_unit", "decode", "coalescer"] {
        let Some(r) = gates(unit, "vector_add", &["--sample", "0"]) else { return };
        let c = circuit(&r.gates);
        for model in [Model::StuckAt, Model::Transition] {
            let list = Collapsed::new(&c, model);
            let patterns = random(&mut rng, &c, model, 300);
            let result = run(&c, &list, &patterns, Options { drop: false });
            for _ in 0..support::cases(20, 400) {
                let fault = Fault::of(rng.gen_range(0..list.faults() as u32));
                let shown = |i: usize| brute::shows(&c, model, fault, patterns.pattern(i), patterns.before(i));
                let all: Vec<usize> = (0..patterns.len()).filter(|i| !shown(*i).is_empty()).collect();
                let d = &result.detections[list.class(fault)];
                let name = format!("{unit}: {} {}", c.pin_name(fault.pin), model.fault(fault.value));
                assert_eq!((d.first, d.patterns), (all.first().copied(), all.len() as u64), "{name}");
            }
        }
    }
}

/// The gates of Yosys' file as Verilog that takes the state as inputs, by the file alone.
struct Beside {
    text: String,
    /// Names of input bits and output bits, lowest first.
    inputs: Vec<String>,
    outputs: Vec<String>,
}

/// A name as the reader of netlists makes it.
fn identifier(name: &str) -> String {
    let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    name.trim_start_matches('_').into()
}

/// Writes the gates; pin `faults[i]` (net that names the cell, letter, value) is forced while `fault` is `i`.
fn beside(file: &Path, faults: &[(String, char, bool)], change: Option<usize>) -> Beside {
    let json: Value = serde_json::from_str(&std::fs::read_to_string(file).expect("the gates")).expect("JSON");
    let (_, module) = json["modules"].as_object().expect("modules").iter().next().expect("one");
    let mut names: HashMap<u64, String> = HashMap::new();
    for (name, net) in module["netnames"].as_object().expect("nets") {
        if net["hide_name"] == 0 {
            let bits = net["bits"].as_array().expect("bits");
            for (i, bit) in bits.iter().enumerate() {
                let shown = if bits.len() == 1 { identifier(name) } else { format!("{}_{i}", identifier(name)) };
                if let Some(n) = bit.as_u64() {
                    names.entry(n).or_insert(shown);
                }
            }
        }
    }
    let net = |bit: &Value| match bit.as_u64() {
        Some(n) => format!("w{n}"),
        None => format!("1'b{}", if bit == "1" { "1" } else { "0" }),
    };
    let (mut body, mut inputs, mut outputs) = (String::new(), vec![], vec![]);
    let mut largest = 1;
    for (name, port) in module["ports"].as_object().expect("ports") {
        let bits = port["bits"].as_array().expect("bits");
        for (i, bit) in bits.iter().enumerate() {
            largest = largest.max(bit.as_u64().unwrap_or(0));
            let wide = bits.len() > 1;
            if port["direction"] == "input" {
                if name != "clock" {
                    writeln!(body, "  assign {} = in[{}];", net(bit), inputs.len()).expect("a string takes all");
                    inputs.push(if wide { format!("{name}_{i}") } else { name.clone() });
                }
            } else {
                writeln!(body, "  assign out[{}] = {};", outputs.len(), net(bit)).expect("a string takes all");
                outputs.push(if wide { format!("{name}[{i}]") } else { name.clone() });
            }
        }
    }
    let mut ands = 0;
    for cell in module["cells"].as_object().expect("cells").values() {
        let kind = cell["type"].as_str().expect("a type");
        let wires = &cell["connections"];
        let bit = |pin: char| &wires[pin.to_string()][0];
        let drives = if kind.contains("DFF") { bit('Q') } else { bit('Y') };
        let number = drives.as_u64().expect("a net");
        largest = largest.max(number);
        let letter = if kind.contains("DFF") { 'q' } else { 'n' };
        let owner = names.get(&number).cloned().unwrap_or_else(|| format!("{letter}{number}"));
        let forced = |letter: char, value: String| {
            faults
                .iter()
                .enumerate()
                .filter(|(_, f)| f.0 == owner && f.1 == letter)
                .fold(value, |v, (i, f)| format!("(fault == {i} ? 1'b{} : {v})", u8::from(f.2)))
        };
        let read = |pin: char| forced(pin, net(bit(pin)));
        let mut kind = kind.trim_matches(['$', '_']).to_string();
        if kind == "AND" {
            if change == Some(ands) {
                kind = "OR".into();
            }
            ands += 1;
        }
        if kind.contains("DFF") {
            let state = format!("in[{}]", inputs.len());
            inputs.push(owner.clone());
            let (family, letters) = kind.split_once("_").expect("two parts");
            let letters: Vec<char> = letters.chars().collect();
            let on = |pin: char, level: char| if level == 'P' { read(pin) } else { format!("!{}", read(pin)) };
            let next = match family {
                "DFF" => read('D'),
                "DFFE" => format!("{} ? {} : {state}", on('E', letters[1]), read('D')),
                "SDFF" => format!("{} ? 1'b{} : {}", on('R', letters[1]), letters[2], read('D')),
                "SDFFE" => format!(
                    "{} ? 1'b{} : {} ? {} : {state}",
                    on('R', letters[1]),
                    letters[2],
                    on('E', letters[3]),
                    read('D')
                ),
                _ => format!(
                    "{} ? ({} ? 1'b{} : {}) : {state}",
                    on('E', letters[3]),
                    on('R', letters[1]),
                    letters[2],
                    read('D')
                ),
            };
            writeln!(body, "  assign out[{}] = {next};", outputs.len()).expect("a string takes all");
            outputs.push(owner.clone());
            writeln!(body, "  assign w{number} = {};", forced('Q', state)).expect("a string takes all");
            continue;
        }
        let value = match &kind[..] {
            "NOT" => format!("~{}", read('A')),
            "BUF" => read('A'),
            "AND" => format!("{} & {}", read('A'), read('B')),
            "NAND" => format!("~({} & {})", read('A'), read('B')),
            "OR" => format!("{} | {}", read('A'), read('B')),
            "NOR" => format!("~({} | {})", read('A'), read('B')),
            "XOR" => format!("{} ^ {}", read('A'), read('B')),
            "XNOR" => format!("~({} ^ {})", read('A'), read('B')),
            "MUX" => format!("{} ? {} : {}", read('S'), read('B'), read('A')),
            other => panic!("{other}"),
        };
        writeln!(body, "  assign w{number} = {};", forced('Y', format!("({value})"))).expect("a string takes all");
    }
    let text = format!(
        "module gates (input wire [{}:0] in, input wire [31:0] fault, output wire [{}:0] out);\n  wire {};\n{body}endmodule\n",
        inputs.len() - 1,
        outputs.len() - 1,
        // Wires of one bit: of a vector, Icarus would compute all readers whenever a bit changes.
        (0..=largest).map(|n| format!("w{n}")).collect::<Vec<_>>().join(", ")
    );
    Beside { text, inputs, outputs }
}

/// Bits as a number of Verilog.
fn literal(bits: &[bool]) -> String {
    let digits: String = bits.iter().rev().map(|b| if *b { '1' } else { '0' }).collect();
    format!("{}'b{digits}", bits.len())
}

/// Outputs, by name, at which Icarus sees each pair of a fault and a pattern.
fn icarus(dir: &Path, b: &Beside, c: &Circuit, pairs: &[(usize, &[u64])]) -> Vec<Vec<String>> {
    let mut bit_of: HashMap<String, usize> = HashMap::new();
    for source in &c.sources {
        for bit in 0..source.width {
            let net = source.first + bit;
            bit_of.insert(c.nets[net as usize].name.clone(), (net - c.sources[0].first) as usize);
        }
    }
    let mut bench = format!(
        "{}module bench;\n  reg [{n}:0] in; reg [31:0] fault; wire [{m}:0] bad, good;\n  gates g (in, 32'hffffffff, good);\n  gates f (in, fault, bad);\n  initial begin\n",
        b.text,
        n = b.inputs.len() - 1,
        m = b.outputs.len() - 1
    );
    for (fault, pattern) in pairs {
        let value = |name: &String| {
            let at = bit_of.get(name).unwrap_or_else(|| panic!("no input {name}"));
            pattern[at / 64] >> (at % 64) & 1 != 0
        };
        let bits: Vec<bool> = b.inputs.iter().map(value).collect();
        writeln!(bench, "    in = {}; fault = {fault}; #1 $display(\"%b\", good ^ bad);", literal(&bits))
            .expect("a string takes all");
    }
    bench += "  end\nendmodule\n";
    std::fs::write(dir.join("bench.v"), bench).expect("room");
    let compiled = Command::new("iverilog").args(["-g2005", "-o", "bench", "bench.v"]).current_dir(dir).output();
    let compiled = compiled.expect("Icarus starts");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let ran = Command::new("vvp").arg("bench").current_dir(dir).output().expect("vvp starts");
    let text = String::from_utf8(ran.stdout).expect("text");
    let of = |line: &str| {
        let set = line.chars().rev().zip(&b.outputs).filter(|(c, _)| *c == '1');
        let mut names: Vec<String> = set.map(|(_, n)| n.clone()).collect();
        names.sort();
        names
    };
    text.lines().map(of).collect()
}

/// Agreement of a unit with Icarus on pairs of a fault and a pattern: how many of how many differ.
fn differing(unit: &str, count: usize, change: Option<usize>) -> Option<(usize, usize)> {
    if !support::tools(&["iverilog", "vvp"]) {
        return None;
    }
    let r = gates(unit, "vector_add", &["--sample", "0"])?;
    let c = circuit(&r.gates);
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let patterns = random(&mut rng, &c, Model::StuckAt, count);
    let mut owners: HashMap<(&str, char), usize> = HashMap::new();
    c.pins().iter().for_each(|p| *owners.entry((&p.owner, p.letter)).or_default() += 1);
    let mut faults = vec![];
    let mut names = vec![];
    while faults.len() < count {
        let fault = Fault::of(rng.gen_range(0..2 * c.pins().len() as u32));
        let pin = &c.pins()[fault.pin.0 as usize];
        if owners[&(&pin.owner[..], pin.letter)] == 1 {
            faults.push(fault);
            names.push((pin.owner.clone(), pin.letter, fault.value));
        }
    }
    let dir = tempfile::tempdir().expect("a folder");
    let b = beside(&r.gates, &names, change);
    let pairs: Vec<(usize, &[u64])> = (0..count).map(|i| (i, patterns.pattern(i))).collect();
    let seen = icarus(dir.path(), &b, &c, &pairs);
    assert_eq!(seen.len(), count, "lines of Icarus");
    let (mut wrong, mut shown) = (0, 0);
    let list = Collapsed::new(&c, Model::StuckAt);
    for (i, fault) in faults.iter().enumerate() {
        let mut r = Recorder::new(c.bits(), false);
        r.add(0, patterns.pattern(i));
        let d = &run(&c, &list, &r.finish(), Options { drop: true }).detections[list.class(*fault)];
        let mut names: Vec<String> = d.outputs.iter().map(|o| c.observed[*o as usize].name.clone()).collect();
        names.sort();
        // Outputs are those of the class's first fault; every fault of a class shows at the same.
        wrong += usize::from(names != seen[i]);
        shown += usize::from(!names.is_empty());
    }
    assert!(shown > count / 20, "{unit}: {shown} of {count} show");
    Some((wrong, count))
}

#[test]
fn icarus_sees_the_same() {
    for unit in ["int_unit", "decode"] {
        let Some((wrong, count)) = differing(unit, 40, None) else { return };
        assert_eq!(wrong, 0, "{unit}: of {count}");
    }
}

#[test]
#[ignore = "two minutes; make soak runs it"]
fn icarus_sees_the_same_in_a_thousand_pairs() {
    only_in_soak();
    for unit in ["int_unit", "decode", "coalescer", "lane"] {
        let Some((wrong, count)) = differing(unit, 1000, None) else { return };
        assert_eq!(wrong, 0, "{unit}: of {count}");
    }
}

#[test]
fn a_wrong_gate_beside_icarus_is_noticed() {
    // The first conjunctions as disjunctions, one after the other, until a pair differs.
    for change in 0..20 {
        match differing("decode", 60, Some(change)) {
            None => return,
            Some((0, _)) => {}
            Some(_) => return,
        }
    }
    panic!("no wrong gate was noticed");
}

#[test]
fn transition_faults_go_through_the_chip() {
    let Some(r) = gates("decode", "vector_add", &["--kind", "transition", "--sample", "30"]) else { return };
    assert_eq!(r.json["kind"], "transition");
    let classes = r.json["chip"]["classes"].as_u64().expect("a number");
    assert_eq!(classes, 30);
    let outcomes = r.json["chip"]["outcomes"].as_object().expect("outcomes");
    let sum: u64 = outcomes.values().filter_map(|o| o["classes"].as_u64()).sum();
    assert_eq!(sum, 30);
    assert!(outcomes.keys().any(|k| k != "masked"), "{outcomes:?}");
    assert!(r.rows.iter().all(|r| r["fault"].starts_with("slow-to-")));
}

#[test]
fn mistakes_are_one_line() {
    let launch = kernel("vector_add").display().to_string();
    let ask = |unit: &str, more: &[&str], fragments: &[&str]| {
        let args = ["fault", "gates", "--unit", unit, "--launch", &launch, "--config", "tiny", "--sample", "0"];
        refuses(&[&args[..], more].concat(), fragments)
    };
    ask("integer", &[], &["--unit integer", "int_unit", "decode", "scoreboard"]);
    ask("float_unit", &[], &["no such block", "`tiny`"]);
    ask("int_unit", &["--hang", "0"], &["hang"]);
    ask("int_unit", &["--netlist", "none.json"], &["none.json"]);
    ask("int_unit", &["--netlist", "Cargo.toml"], &["Cargo.toml", "no netlist of Yosys"]);
    ask("int_unit", &["--csv", "tests"], &["--csv"]);
    if Tool::Yosys.find().is_ok() {
        ask("int_unit", &["--pin", "nowhere.*"], &["--pin nowhere.*", "--csv"]);
    }
    refuses(&["fault", "gates", "--unit", "int_unit", "--launch", "none.toml"], &["none.toml"]);
    // Without Yosys, and without gates of an earlier run.
    let cache = tempfile::tempdir().expect("a folder");
    let args = ["fault", "gates", "--unit", "int_unit", "--launch", &launch, "--config", "tiny"];
    let out = warpsmith_with(&args, |c| {
        c.env("PATH", "").env("WARPSMITH_CACHE", cache.path()).env("WARPSMITH_PYTHON", cache.path())
    });
    let (code, stdout, err) = outcome(&out);
    support::check_refusal(code, &stdout, &err, &["yosys is missing", "make tools"]);
}

#[test]
fn gates_of_another_unit_or_chip_are_refused() {
    let Some(r) = gates("int_unit", "vector_add", &["--sample", "0"]) else { return };
    let kept = r.gates.display().to_string();
    let launch = kernel("vector_add").display().to_string();
    let ask = |unit: &str, gates: &str, fragments: &[&str]| {
        let args = ["fault", "gates", "--unit", unit, "--launch", &launch, "--config", "tiny", "--sample", "0"];
        refuses(&[&args[..], &["--netlist", gates]].concat(), fragments)
    };
    ask("decode", &kept, &["another unit or another chip"]);
    // The same ports, and a sum that is wrong.
    let text = std::fs::read_to_string(&r.gates).expect("the gates");
    let mut json: Value = serde_json::from_str(&text).expect("JSON");
    let (_, module) = json["modules"].as_object_mut().expect("modules").iter_mut().next().expect("one");
    for cell in module["cells"].as_object_mut().expect("cells").values_mut() {
        if cell["type"] == "$_XOR_" {
            cell["type"] = "$_XNOR_".into();
        }
    }
    let dir = tempfile::tempdir().expect("a folder");
    let wrong = dir.path().join("wrong.json");
    std::fs::write(&wrong, json.to_string()).expect("room");
    ask("int_unit", &wrong.display().to_string(), &["do not do what", "of this chip does"]);
    // Those that were kept are the same again.
    let args = ["fault", "gates", "--unit", "int_unit", "--launch", &launch, "--config", "tiny", "--sample", "0"];
    let again: Value =
        serde_json::from_str(&prints(&[&args[..], &["--netlist", &kept, "--json"]].concat())).expect("one object");
    assert_eq!(again["detected"], r.json["detected"]);
}
