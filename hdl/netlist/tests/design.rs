//! Descriptions become modules, modules designs, designs text.

use warpsmith_contract::Direction::{Input, Output};
use warpsmith_netlist::{
    pass, print, Binary, CheckError, Description, Design, Kind, Module, Signal, SignalId, SignalKind, Stmt, Tree,
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
        if (en) begin
            count <= next;
        end
        if (reset) begin
            count <= 8'd0;
        end
    end
endmodule
"
    );
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
    assert!(text.contains("    counter_2 u_1 (\n        .clock(clock),\n        .reset(reset),\n        .en(go),\n        .y(1_y)\n    );"), "{text}");
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
