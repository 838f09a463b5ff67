//! A routed design read back: its cells do what the Verilog says, and upsets of its configuration what they must.

use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{json, Value};
use std::collections::BTreeMap;
use std::path::Path;
use warpsmith_cram::{
    Batches, Boundary, CellId, Change, Contention, CramError, Driver, Fabric, Image, Kind, NetId, Netlist, Pin, Port,
    Routed, Upset, Value as Read,
};
use warpsmith_fpga::chip::ChipManifest;
use warpsmith_fpga::synth::harness::{held, Held, RESET};
use warpsmith_fpga::synth::tools::trellis_database;
use warpsmith_fpga::synth::{synth, Options, SynthError, Target, CONFIGURATION, ROUTED};
use warpsmith_netlist::flat::{Evaluator, Flat, Options as Flattened};
use warpsmith_netlist::{Body, Design, Kind as NetlistKind, Module, SignalKind, Tree};

/// A multiplier, a block RAM, constants in one, a distributed RAM, an adder with a reset and an enable.
const UNIT: &str =
    "module unit (input wire clock, input wire reset, input wire [31:0] in, input wire we, output wire [31:0] out);
    wire [15:0] a = in[15:0], b = in[31:16];
    reg [7:0] small [0:15];
    reg [15:0] big [0:511];
    reg [15:0] constants [0:511];
    reg [15:0] read, constant_a, constant_b;
    reg [31:0] acc;
    integer i;
    initial for (i = 0; i < 512; i = i + 1) constants[i] = i * i * 7 + 3;
    reg [7:0] count;
    wire [31:0] product = a * b;
    wire [7:0] word = small[b[3:0]];
    always @(posedge clock) begin
        if (we) small[a[3:0]] <= b[15:8];
        if (we) big[a[8:0]] <= b;
        read <= big[b[8:0]];
        constant_a <= constants[a[12:4]];
        if (we) constant_b <= constants[b[14:6]];
        if (reset) count <= 8'd3;
        else if (we) count <= count + a[7:0];
        acc <= product ^ {read, count, word} ^ {constant_a, constant_b};
    end
    assign out = acc;
endmodule
";

/// The same in Rust: 16 words, 512 words, registers.
struct Unit {
    small: [u8; 16],
    big: Vec<u16>,
    read: u16,
    constants: [u16; 2],
    acc: u32,
    count: u8,
    reset: u8,
}

impl Unit {
    /// With what the counter holds after a reset.
    fn new(reset: u8) -> Self {
        Unit { small: [0; 16], big: vec![0; 512], read: 0, constants: [0; 2], acc: 0, count: 0, reset }
    }

    fn edge(&mut self, input: u32, we: bool, reset: bool) {
        let (a, b) = (input as u16, (input >> 16) as u16);
        let word = self.small[usize::from(b & 15)];
        let parts = u32::from(self.read) << 16 | u32::from(self.count) << 8 | u32::from(word);
        let constants = u32::from(self.constants[0]) << 16 | u32::from(self.constants[1]);
        self.acc = u32::from(a).wrapping_mul(b.into()) ^ parts ^ constants;
        let constant = |i: u16| u32::from(i).pow(2).wrapping_mul(7).wrapping_add(3) as u16;
        self.constants[0] = constant(a >> 4 & 511);
        if we {
            self.constants[1] = constant(b >> 6 & 511);
        }
        self.read = self.big[usize::from(b & 511)];
        if reset {
            self.count = self.reset;
        } else if we {
            self.count = self.count.wrapping_add(a as u8);
        }
        if we {
            self.small[usize::from(a & 15)] = (b >> 8) as u8;
            self.big[usize::from(a & 511)] = b;
        }
    }
}

/// Writes `rtl/` of a chip around the unit.
fn write(out: &Path) {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/rtl-out/default/manifest.json");
    let text = std::fs::read_to_string(manifest).expect("the committed chip");
    let mut manifest: Value = serde_json::from_str(&text).expect("JSON");
    let ports = manifest["ports"].as_array_mut().expect("a list");
    ports.retain(|p| !p["name"].as_str().expect("a name").starts_with("tr0_"));
    let (mut header, mut drive) = (vec![], String::new());
    for port in ports {
        let (name, width) = (port["name"].as_str().expect("a name"), &port["width"]);
        let direction = port["direction"].as_str().expect("a direction");
        header.push(format!("{direction} wire [{width}-1:0] {name}"));
        if direction == "output" {
            let value = if name == "bus_rdata" { "out" } else { "0" };
            drive += &format!("    assign {name} = {value};\n");
        }
    }
    manifest["name"] = json!("stand-in");
    let verilog = format!(
        "{UNIT}module warpsmith (\n    {}\n);
    wire [31:0] out;
    unit u_unit (.clock(clock), .reset(reset), .in(bus_wdata), .we(bus_valid), .out(out));
{drive}endmodule\n",
        header.join(",\n    ")
    );
    let rtl = out.join("rtl");
    std::fs::create_dir_all(&rtl).expect("a folder");
    std::fs::write(rtl.join("warpsmith.v"), verilog).expect("room");
    std::fs::write(rtl.join("manifest.json"), manifest.to_string()).expect("room");
    std::fs::write(rtl.join("sites.json"), "[]").expect("room");
}

/// A routed design.
struct Made {
    fabric: Fabric,
    boundary: Boundary,
    /// Ports of the chip.
    chip: Tree,
}

/// The stand-in, placed and routed; none, with a line, when a tool is missing.
fn made(out: &Path) -> Option<Made> {
    write(out);
    let part = "LFE5U-25F-6BG381C".parse().expect("a part");
    let options = Options { clock_mhz: Some(40.0), part: Some(part), seed: 1, seeds: 1, route: true };
    match synth(Target::Ecp5, &options, out, &mut |_| ()) {
        Err(SynthError::Missing(e)) => {
            warpsmith_testkit::absent(e);
            return None;
        }
        result => result.unwrap_or_else(|e| panic!("{e}")),
    };
    let text = std::fs::read_to_string(out.join("rtl/manifest.json")).expect("the manifest");
    let manifest = ChipManifest::from_manifest(&text).expect("a manifest");
    let (inputs, outputs) = held(&manifest);
    let mut body = Body::default();
    for (ports, kind) in [(&inputs, SignalKind::Input), (&outputs, SignalKind::Output)] {
        for port in ports {
            body.add_signal(port.port.clone(), port.cells.len() as u32, kind);
        }
    }
    let ports = |all: Vec<Held>| all.into_iter().map(|h| Port { name: h.port, cells: h.cells }).collect();
    let boundary = Boundary { inputs: ports(inputs), outputs: ports(outputs), reset: RESET.into() };
    let fabric = read(out, &boundary).unwrap_or_else(|e| panic!("{e}"));
    let module = Module {
        name: "chip".into(),
        source: String::new(),
        header: vec![],
        body,
        instances: 1,
        clock: true,
        reset: true,
    };
    let chip = Tree { instance: "chip".into(), module, children: vec![] };
    Some(Made { fabric, boundary, chip })
}

fn read(out: &Path, boundary: &Boundary) -> Result<Fabric, CramError> {
    let configuration = out.join(CONFIGURATION);
    let database = trellis_database().expect("a database beside nextpnr");
    let (device, image) = Image::read(&configuration, &database)?;
    let routed = Routed::read(&out.join(ROUTED))?;
    Fabric::new(device, image, routed, boundary, Contention::Low, &configuration)
}

/// Files that are not of one run, or of another form: the error names the file and says what to do.
fn are_refused(out: &Path, boundary: &Boundary) {
    let refuses = |name: &str, change: &dyn Fn(&str) -> String, expected: &[&str]| {
        let file = out.join(name);
        let text = std::fs::read_to_string(&file).expect("the file");
        let changed = change(&text);
        assert_ne!(text, changed, "{expected:?}");
        std::fs::write(&file, changed).expect("room");
        let error = read(out, boundary).err().expect("an error").to_string();
        for part in expected.iter().chain([&name]) {
            assert!(error.contains(part), "{part}: {error}");
        }
        std::fs::write(&file, text).expect("room");
    };
    let anew = "place and route anew";
    refuses(CONFIGURATION, &|t| t.replacen("word: SLICEA.K0.INIT ", "word: SLICEA.K9.INIT ", 1), &["no word", "line "]);
    refuses(CONFIGURATION, &|t| t.replace("LFE5U-25F", "LFE5U-45F"), &["LFE5U-45F has no tile", "line "]);
    refuses(CONFIGURATION, &|t| t.replacen(".device", ".part", 1), &["`.device` was expected"]);
    refuses(CONFIGURATION, &|t| t.replacen("enum: ", "enumeration: ", 1), &["arc, word, enum or unknown expected"]);
    refuses(CONFIGURATION, &|t| inverted_table(t).expect("a table"), &["differs from table", anew]);
    // A multiplexer that is set otherwise, and one that is not set.
    refuses(CONFIGURATION, &|t| without_wire(t, "arc: CLK0 G_HPBX0100"), &["drives X", "which carries", anew]);
    refuses(CONFIGURATION, &|t| without_wire(t, ""), &["nothing drives X", anew]);
    let unknown = |t: &str| t.replacen("arc: CLK0", "unknown: F9999B1\narc: CLK0", 1);
    refuses(CONFIGURATION, &unknown, &["no bit F9999B1", "line "]);
    refuses(ROUTED, &|t| t[..t.len() / 2].into(), &["JSON of nextpnr-ecp5 --write was expected"]);
    refuses(ROUTED, &|t| t.replace("MULT18X18D", "MULT9X9D"), &["type MULT9X9D", "synth --target ecp5"]);
    assert!(read(out, boundary).is_ok());
}

/// The text with another line in the place of the first that leads the clock into a tile.
fn without_wire(text: &str, line: &str) -> String {
    let at = text.find("arc: CLK0 G_HPBX0000").expect("a clock");
    let end = at + text[at..].find('\n').expect("a line");
    let line = if line.is_empty() { String::new() } else { format!("{line}\n") };
    format!("{}{line}{}", &text[..at], &text[end + 1..])
}

/// The text with an entry of its first table inverted.
fn inverted_table(text: &str) -> Option<String> {
    let at = text.find(".INIT ")? + ".INIT ".len();
    let entry = if &text[at..=at] == "0" { "1" } else { "0" };
    Some(format!("{}{entry}{}", &text[..at], &text[at + 1..]))
}

impl Made {
    /// The chip with upsets possible, one of them there.
    fn netlist(&self, upsets: &[&Upset], on: Option<usize>) -> Flat {
        let netlist = Netlist::of(&self.chip, &self.fabric.routed, &self.boundary, upsets);
        let mut tree = netlist.unwrap_or_else(|e| panic!("{e}")).tree;
        if let Some(on) = on {
            let name = format!("flip_{on}");
            let switch = tree.children.iter_mut().find(|c| c.instance == name).expect("a switch");
            switch.module.body.exprs[0].kind = NetlistKind::Lit(1);
        }
        Flat::new(&Design::new(tree), Flattened::default()).unwrap_or_else(|e| panic!("{e}"))
    }

    /// What the essential bits of the tiles that are used turn into.
    fn upsets(&self, out: &Path) -> Vec<Upset> {
        let text = std::fs::read_to_string(out.join(CONFIGURATION)).expect("the configuration");
        let device = &self.fabric.device;
        let tiles = text.lines().filter_map(|l| device.find(l.strip_prefix(".tile ")?));
        let bits = tiles.flat_map(|tile| device.named(tile).into_iter().map(move |bit| (tile, bit)));
        bits.map(|(tile, bit)| self.fabric.upset(tile, bit)).filter(|u| u.kind.is_essential()).collect()
    }

    /// The flip-flop that takes each bit of the unit's output, and the net that it takes.
    fn outputs(&self) -> Vec<(CellId, NetId)> {
        let port = self.boundary.outputs.iter().find(|p| p.name == "bus_rdata").expect("an output");
        let end = |name: &String| {
            let cell = self.fabric.routed.find(name).expect("a flip-flop");
            let data = |(pin, _): &(Pin, NetId)| ["DI", "M"].contains(&pin.to_string().as_str());
            let net = self.fabric.routed.nets_at(cell).find(data).expect("a net").1;
            (cell, net)
        };
        port.cells.iter().map(end).collect()
    }
}

/// What the unit shows a cycle, and what the chip does; each starts after a reset.
fn run(flat: &Flat, cycles: u32, mut unit: Unit) -> Vec<(u32, u32)> {
    let mut chip = Evaluator::new(flat);
    let port = |name: &str| flat.ports.iter().position(|p| p.name == name).expect(name);
    let (reset, data, valid) = (port("reset"), port("bus_wdata"), port("bus_valid"));
    let output = flat.outputs.iter().find(|o| flat.ports[o.0 as usize].name == "bus_rdata").map(|o| o.1[0]);
    let output = output.expect("an output of 32 bits");
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut shown = vec![];
    for cycle in 0..cycles {
        let (input, we, in_reset) = (rng.gen::<u32>(), rng.gen_bool(0.5), cycle == 0);
        chip.drive(reset, 0, in_reset.into());
        chip.drive(data, 0, input.into());
        chip.drive(valid, 0, we.into());
        chip.settle();
        // Registers without a reset are known by then, those with an enable too.
        if cycle > 12 {
            shown.push((unit.acc, chip.value(output) as u32));
        }
        chip.edge();
        unit.edge(input, we, in_reset);
    }
    shown
}

fn same(shown: &[(u32, u32)]) -> bool {
    shown.iter().all(|(unit, chip)| unit == chip)
}

/// One design for all, since it takes seconds to make.
#[test]
fn a_routed_design_read_back_does_what_its_verilog_says_and_upsets_what_they_must() {
    let dir = tempfile::tempdir().expect("a folder");
    let Some(made) = made(dir.path()) else { return };
    assert!(same(&run(&made.netlist(&[], None), 2000, Unit::new(3))));
    are_refused(dir.path(), &made.boundary);
    let all = made.upsets(dir.path());
    let of = |kind: Kind| all.iter().filter(move |u| u.kind == kind && u.unmodelled.is_none());

    // The counter begins with a bit inverted.
    let mut found = 0;
    for upset in of(Kind::Setting).filter(|u| u.what.contains("REGSET of chip.u_unit.count")) {
        let flat = made.netlist(&[upset], Some(0));
        found += usize::from((0..8).any(|bit| same(&run(&flat, 50, Unit::new(3 ^ 1 << bit)))));
    }
    assert_eq!(found, 8, "one for each bit of the counter");

    // Of half an adder of two nets eight entries count: those of the product, and those with both other inputs, which are 1.
    let mut entries: BTreeMap<&str, u32> = BTreeMap::new();
    for upset in of(Kind::Table).filter(|u| u.what.contains("chip.u_unit.count") && u.what.contains("CCU2_COMB")) {
        *entries.entry(&upset.what).or_default() += 1;
    }
    assert!(entries.values().any(|n| *n == 8) && entries.values().all(|n| [4, 8].contains(n)), "{entries:?}");

    // An output reads 1 where its wire has no driver, and the and of two.
    let nets = made.outputs();
    let bit_of = |driver: Driver| nets.iter().position(|n| Driver::Net(n.1) == driver);
    let (mut open, mut short) = (0, 0);
    for upset in of(Kind::Open).chain(of(Kind::Short)) {
        let [Change::Pin { cell, value, .. }] = upset.changes[..] else { continue };
        let Some(bit) = nets.iter().position(|n| n.0 == cell) else { continue };
        let expected = |unit: u32| match value {
            Read { driver: Driver::Constant(true), second: None, .. } => Some(unit | 1 << bit),
            Read { driver: a, second: Some((b, false)), inverted: false } => {
                let (a, b) = (unit >> bit_of(a)? & 1, unit >> bit_of(b)? & 1);
                Some(unit & !(1 << bit) | (a & b) << bit)
            }
            _ => None,
        };
        let enough = if upset.kind == Kind::Open { open == 20 } else { short == 8 };
        if enough || expected(0).is_none() {
            continue;
        }
        for (unit, chip) in run(&made.netlist(&[upset], Some(0)), 50, Unit::new(3)) {
            assert_eq!(Some(chip), expected(unit), "{}", upset.what);
        }
        match upset.kind {
            Kind::Open => open += 1,
            _ => short += 1,
        }
    }
    assert!(open == 20 && short == 8, "{open} {short}");

    // Together they change nothing; one by one most of them do.
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for kind in [Kind::Open, Kind::Short, Kind::Switched, Kind::Table, Kind::Setting, Kind::Clock] {
        let some: Vec<&Upset> = of(kind).collect::<Vec<_>>().choose_multiple(&mut rng, 6).copied().collect();
        let division = Batches::of(&made.fabric.routed, &some);
        for batch in &division.batches {
            let upsets: Vec<&Upset> = batch.iter().map(|n| some[*n]).collect();
            assert!(same(&run(&made.netlist(&upsets, None), 200, Unit::new(3))), "{kind:?}");
        }
        let wrong = some
            .iter()
            .enumerate()
            .filter(|(n, _)| !division.loops.contains(n))
            .filter(|(_, u)| !same(&run(&made.netlist(&[u], Some(0)), 300, Unit::new(3))));
        let wrong = wrong.count();
        println!("{kind:?}: {wrong} of {} show", some.len() - division.loops.len());
        assert!(wrong > 0, "{kind:?}");
    }
}
