//! Descriptions become modules, modules designs, designs text.

use warpsmith_contract::Direction::{Input, Output};
use warpsmith_netlist::{
    pass, print, Binary, CheckError, Description, Design, Kind, Memory, MemoryStyle, Module, ReadPort, Signal,
    SignalId, SignalKind, Stmt, Tree, WritePort,
};

fn signal(name: &str, width: u32, kind: SignalKind) -> Signal {
    Signal { name: name.into(), width, kind }
}

/// A counter with an enable: `y = count`, `count <= count + 1`.
fn counter(reset: u64) -> Description {
    let mut d = Description {
        name: "counter".into(),
        source: "hdl/src/counter.rs".into(),
        header: vec![" Counts.".into()],
        signals: vec![
            signal("en", 1, SignalKind::Input),
            signal("y", 8, SignalKind::Output),
            signal("count", 8, SignalKind::Reg { reset: Some(reset) }),
            signal("unused", 8, SignalKind::Wire),
            signal("next", 8, SignalKind::Wire),
        ],
        ..Description::default()
    };
    let [en, y, count, unused, next] = [0, 1, 2, 3, 4].map(SignalId);
    let now = d.exprs.intern(Kind::Signal(count), 8);
    let one = d.exprs.intern(Kind::Lit(1), 8);
    let nothing = d.exprs.intern(Kind::Not(now), 8);
    let sum = d.exprs.intern(Kind::Binary(Binary::Add, now, one), 8);
    let named = d.exprs.intern(Kind::Signal(next), 8);
    let enabled = d.exprs.intern(Kind::Signal(en), 1);
    d.wires = vec![(unused, nothing), (next, sum)];
    d.statements = vec![Stmt::If(enabled, vec![Stmt::Set(count, named)], vec![]), Stmt::Set(y, now)];
    d
}

fn leaf(instance: &str, d: Description) -> Tree {
    Tree { instance: instance.into(), module: d.finish().unwrap(), children: vec![] }
}

/// A top with children `u_0`, `u_1` …, whose `en` is `go` and whose `y` nobody reads.
fn above(children: Vec<Tree>) -> Tree {
    let mut d = Description {
        name: "top".into(),
        source: "hdl/src/top.rs".into(),
        signals: vec![signal("go", 1, SignalKind::Input)],
        ..Description::default()
    };
    let go = d.exprs.intern(Kind::Signal(SignalId(0)), 1);
    for child in 0..children.len() as u32 {
        let kind = |direction| SignalKind::Child { child, direction };
        d.signals.push(signal(&format!("{child}_en"), 1, kind(Input)));
        d.signals.push(signal(&format!("{child}_y"), 8, kind(Output)));
        d.statements.push(Stmt::Set(SignalId(1 + 2 * child), go));
    }
    Tree { instance: "top".into(), module: d.finish().unwrap(), children }
}

#[test]
fn the_tree_of_a_design_makes_it_again() {
    // Two equal counters, which are one module, and one of another reset value, which bears a number.
    let design = Design::new(above(vec![leaf("u_0", counter(0)), leaf("u_1", counter(7)), leaf("u_2", counter(0))]));
    assert_eq!(design.modules.len(), 3);
    let tree = design.tree();
    let instances: Vec<_> = tree.children.iter().map(|c| (&c.instance[..], &c.module.name[..])).collect();
    assert_eq!(instances, [("u_0", "counter"), ("u_1", "counter"), ("u_2", "counter")]);
    assert_eq!(Design::new(tree), design);
}

#[test]
fn a_block_is_readable_verilog() {
    let design = Design::new(leaf("counter", counter(0)));
    let text = print::verilog::module(&design, design.top());
    assert_eq!(
        text,
        "// Counts.
module counter (
    input  wire clock,
    input  wire reset,
    input  wire en,
    output wire [7:0] y
);
    reg  [7:0] count;
    wire [7:0] next = count + 8'd1;
    assign y = count;
    always @(posedge clock) begin
        if (en) count <= next;
        if (reset) begin
            count <= 8'd0;
        end
    end
endmodule
"
    );
}

#[test]
fn assertions_are_printed_for_formal_tools_and_checked() {
    let mut d = counter(0);
    let count = d.exprs.intern(Kind::Signal(SignalId(2)), 8);
    let most = d.exprs.intern(Kind::Lit(200), 8);
    let holds = d.exprs.intern(Kind::Binary(Binary::Le, count, most), 1);
    d.assertions = vec![(holds, "The count is at most 200.".into())];
    let design = Design::new(leaf("counter", d.clone()));
    let text = print::verilog::module(&design, design.top());
    let printed = "`ifdef FORMAL\n    // The count is at most 200.\n    \
                   always @(posedge clock) if (!reset) assert (count <= 8'hc8);\n`endif\n";
    assert!(text.contains(printed), "{text}");

    d.assertions = vec![(count, "Eight bits.".into())];
    let wrong = d.clone().finish().unwrap_err().to_string();
    assert!(wrong.contains("assertion `Eight bits.`") && wrong.contains("8 bits; an assertion has 1"), "{wrong}");

    d.assertions = vec![(holds, "The count is at most 200.".into())];
    d.signals[2].kind = SignalKind::Reg { reset: None };
    let wrong = d.finish().unwrap_err().to_string();
    assert!(wrong.contains("no register with a reset value"), "{wrong}");
}

#[test]
fn equal_blocks_share_a_module_and_others_get_a_number() {
    let children = vec![leaf("0", counter(0)), leaf("1", counter(7)), leaf("2", counter(0))];
    let design = Design::new(above(children));
    let names: Vec<_> = design.modules.iter().map(|m| (m.name.as_str(), m.instances)).collect();
    assert_eq!(names, [("counter", 2), ("counter_2", 1), ("top", 1)]);
    let top = design.top();
    assert!(top.clock && top.reset && top.body.registers().next().is_none());
    let sites: Vec<_> = print::sites::sites(&design);
    let paths: Vec<&str> = sites.iter().map(|s| s.path.as_str()).collect();
    assert_eq!(paths, ["u_0.count", "u_1.count", "u_2.count"]);
    // The block is what the site's owner describes, not the module that stands for it.
    assert!(sites.iter().all(|s| s.block == "counter"));
    let text = print::verilog::file(&design, "A chip.");
    assert!(
        text.contains(
            "    counter_2 u_1 (\n        .clock(clock), .reset(reset),\n        .en(go),\n        .y(1_y)\n    );"
        ),
        "{text}"
    );
}

#[test]
fn an_open_chip_has_a_saboteur_at_every_output_below_the_top() {
    let tree = above(vec![leaf("0", counter(0))]);
    let plain = Design::new(tree.clone());
    let open = Design::new(pass::open(tree));
    let kinds = |d: &Design| -> Vec<(String, &str)> {
        let sites = print::sites::sites(d).into_iter();
        sites.map(|s| (s.path, s.kind.name())).collect()
    };
    assert_eq!(kinds(&plain), [("u_0.count".to_string(), "reg")]);
    assert_eq!(kinds(&open), [("u_0.count".to_string(), "reg"), ("u_0.y".to_string(), "out")]);
    let text = print::verilog::module(&open, &open.modules[0]);
    for line in [
        "    wire [7:0] y_raw /*verilator public_flat_rd*/;",
        "    `SABOTEUR [7:0] y_keep /*verilator public_flat_rd*/ = {8{1'b1}};",
        "    `SABOTEUR [7:0] y_flip /*verilator public_flat_rd*/ = 8'd0;",
        "    assign y = (y_raw & y_keep) ^ y_flip;",
        "    reg  [7:0] count /*verilator public_flat_rd*/;",
        "    assign y_raw = count;",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
}

fn refused(change: impl Fn(&mut Description)) -> CheckError {
    let mut d = counter(0);
    change(&mut d);
    d.finish().map(|m: Module| m.name).expect_err("a mistake")
}

#[test]
fn mistakes_of_a_description_are_named() {
    let e = refused(|d| {
        d.statements.pop();
    });
    assert_eq!(e.to_string(), "counter: nothing drives y");
    let e = refused(|d| {
        d.statements.remove(0);
    });
    assert_eq!(e.to_string(), "counter: nothing ever writes register count");
    let e = refused(|d| {
        let set = d.statements.pop().unwrap();
        let Stmt::If(enabled, ..) = d.statements[0] else {
            panic!("the enable comes first");
        };
        d.statements.push(Stmt::If(enabled, vec![set], vec![]));
    });
    assert_eq!(e.to_string(), "counter: y keeps its old value on some path (a latch)");
}

/// A block `name` that is a memory of `depth` words of `width` bits, in LUTs.
fn memory(depth: u32, width: u32) -> Module {
    let address = (depth - 1).ilog2() + 1;
    let port = |name: &str, width: u32| signal(name, width, SignalKind::Input);
    let d = Description {
        name: format!("lutram_{depth}x{width}_1r"),
        source: "hdl/src/ram.rs".into(),
        header: vec![" See [`mod@kind`], [`a::Word`](super::word) and [1].".into()],
        signals: vec![
            port("raddr_0", address),
            signal("rdata_0", width, SignalKind::Output),
            port("waddr", address),
            port("wdata", width),
            port("wen", 1),
        ],
        memory: Some(Memory {
            depth,
            width,
            granule: width,
            style: MemoryStyle::Lut,
            rdw_dont_care: false,
            zeroed: false,
            reads: vec![ReadPort { address: SignalId(0), enable: None, data: SignalId(1) }],
            write: Some(WritePort { address: SignalId(2), data: SignalId(3), enable: SignalId(4) }),
            words: vec![],
        }),
        ..Description::default()
    };
    d.finish().unwrap()
}

/// A block that remembers a word at a place that goes round: `place <= place + 1`; `steps`: by that.
fn ring(instance: &str, depth: u32, width: u32, steps: u128) -> Tree {
    let address = (depth - 1).ilog2() + 1;
    let child = |direction| SignalKind::Child { child: 0, direction };
    let mut d = Description {
        name: "ring".into(),
        source: "hdl/src/ring.rs".into(),
        signals: vec![
            signal("word", width, SignalKind::Input),
            signal("old", width, SignalKind::Output),
            signal("place", address, SignalKind::Reg { reset: Some(0) }),
            signal("words_raddr_0", address, child(Input)),
            signal("words_rdata_0", width, child(Output)),
            signal("words_waddr", address, child(Input)),
            signal("words_wdata", width, child(Input)),
            signal("words_wen", 1, child(Input)),
        ],
        ..Description::default()
    };
    let place = d.exprs.intern(Kind::Signal(SignalId(2)), address);
    let step = d.exprs.intern(Kind::Lit(steps), address);
    let next = d.exprs.intern(Kind::Binary(Binary::Add, place, step), address);
    let word = d.exprs.intern(Kind::Signal(SignalId(0)), width);
    let old = d.exprs.intern(Kind::Signal(SignalId(4)), width);
    let always = d.exprs.intern(Kind::Lit(1), 1);
    let values = [(1, old), (2, next), (3, place), (5, place), (6, word), (7, always)];
    d.statements = values.map(|(s, e)| Stmt::Set(SignalId(s), e)).into();
    let words = Tree { instance: "words".into(), module: memory(depth, width), children: vec![] };
    Tree { instance: instance.into(), module: d.finish().unwrap(), children: vec![words] }
}

/// A chip of such blocks, as it is printed.
fn rings(list: &[(u32, u32, u128)]) -> String {
    let mut d = Description { name: "top".into(), source: "hdl/src/top.rs".into(), ..Description::default() };
    let mut children = vec![];
    for (i, (depth, width, steps)) in list.iter().enumerate() {
        let kind = |direction| SignalKind::Child { child: i as u32, direction };
        let input = SignalId(d.signals.len() as u32);
        d.signals.push(signal(&format!("ring_{i}_word"), *width, kind(Input)));
        d.signals.push(signal(&format!("ring_{i}_old"), *width, kind(Output)));
        let zero = d.exprs.intern(Kind::Lit(0), *width);
        d.statements.push(Stmt::Set(input, zero));
        children.push(ring(&format!("ring_{i}"), *depth, *width, *steps));
    }
    let design = Design::new(Tree { instance: "top".into(), module: d.finish().unwrap(), children });
    let text = print::verilog::file(&design, "Rings.");
    // The manifest names the modules that stand there.
    let names: Vec<String> = print::manifest::modules(&design).into_keys().collect();
    let mut there: Vec<&str> =
        text.lines().filter_map(|l| l.strip_prefix("module ")).map(|l| l.split([' ', '(']).next().unwrap()).collect();
    there.sort_unstable();
    assert_eq!(names, there);
    text
}

#[test]
fn blocks_that_differ_in_sizes_are_one_module_with_parameters() {
    let text = rings(&[(16, 70, 1), (16, 8, 1), (4, 7, 1)]);
    for part in [
        "module lutram_1r #(
    parameter DEPTH = 16,
    parameter WIDTH = 70,
    parameter ADDRESS = $clog2(DEPTH)
) (
    input  wire clock,
    input  wire [ADDRESS-1:0] raddr_0,
    output wire [WIDTH-1:0] rdata_0,
    input  wire [ADDRESS-1:0] waddr,
    input  wire [WIDTH-1:0] wdata,
    input  wire wen
);
    (* ram_style = \"distributed\" *) reg [WIDTH-1:0] mem [0:DEPTH-1];
    assign rdata_0 = mem[raddr_0];
    always @(posedge clock) begin
        if (wen) mem[waddr] <= wdata;
    end
endmodule
",
        "    reg  [ADDRESS-1:0] place;
",
        "        place <= place + {{(ADDRESS-1){1'b0}}, 1'b1};
        if (reset) begin
            place <= {ADDRESS{1'b0}};
",
        "    lutram_1r #(.DEPTH(DEPTH), .WIDTH(WIDTH)) u_words (
",
        "    ring #(.DEPTH(16), .WIDTH(70)) u_ring_0 (
",
        "    ring #(.DEPTH(4), .WIDTH(7)) u_ring_2 (
",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert_eq!(text.matches("\nmodule ").count(), 3, "{text}");
}

#[test]
fn blocks_that_differ_otherwise_stay_apart() {
    // A step is no size; a block alone needs no parameters, nor does a size that is the same everywhere.
    let text = rings(&[(16, 8, 1), (16, 9, 3)]);
    for part in [
        "module ring (",
        "module ring_2 (",
        "place + 4'd3;",
        "    ring_2 u_ring_1 (",
        "module lutram_1r #(\n    parameter WIDTH = 8\n) (",
        "reg [WIDTH-1:0] mem [0:15];",
        "    lutram_1r #(.WIDTH(9)) u_words (",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let text = rings(&[(16, 8, 1), (16, 8, 1)]);
    assert!(text.contains("module ring (") && text.contains("module lutram_16x8_1r (") && !text.contains("parameter"));
}

#[test]
fn links_of_the_documentation_are_words() {
    let text = rings(&[(16, 8, 1)]);
    assert!(text.contains("// See `kind`, `Word` and [1].\n"), "{text}");
}

#[test]
fn codes_are_constants_with_a_name_and_arrays_share_a_line() {
    let mut d = counter(0);
    let [en, state, code] = [0, 2, d.signals.len() as u32].map(SignalId);
    d.signals.push(signal("STATE_LAST", 8, SignalKind::Wire));
    d.signals.push(signal("is_last", 1, SignalKind::Wire));
    for i in 0..2 {
        d.signals.push(signal(&format!("seen_{i}"), 1, SignalKind::Output));
    }
    let value = d.exprs.intern(Kind::Lit(200), 8);
    let named = d.exprs.intern(Kind::Signal(code), 8);
    let now = d.exprs.intern(Kind::Signal(state), 8);
    let last = d.exprs.intern(Kind::Binary(Binary::Eq, now, named), 1);
    let is_last = d.exprs.intern(Kind::Signal(SignalId(code.0 + 1)), 1);
    let enabled = d.exprs.intern(Kind::Signal(en), 1);
    d.wires.extend([(code, value), (SignalId(code.0 + 1), last)]);
    d.statements.extend([Stmt::Set(SignalId(code.0 + 2), is_last), Stmt::Set(SignalId(code.0 + 3), enabled)]);
    d.sections = vec![(state, "What is counted.".into()), (code, "Unlike all before".into())];
    let design = Design::new(leaf("counter", d));
    let text = print::verilog::module(&design, design.top());
    for part in [
        "    output wire [7:0] y,\n    output wire seen_0, seen_1\n);\n",
        "    localparam [7:0] STATE_LAST = 8'hc8;\n    // What is counted.\n    reg  [7:0] count;\n    wire [7:0] next = count + 8'd1;\n",
        "    // Unlike all before\n    wire is_last = count == STATE_LAST;\n",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let file = print::netlist::file(&design);
    let again = warpsmith_netlist::read::netlist(&file, std::path::Path::new("netlist.json")).expect("readable");
    assert_eq!(again, design);
}
