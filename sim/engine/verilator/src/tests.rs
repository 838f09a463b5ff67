//! Devices on small hand-written Verilog: what happens to values that are wider than their port, and
//! to state from outside.

use crate::{BuildOptions, Module, Verilator};
use warpsmith_contract::{Direction, Port, Site, SiteKind};
use warpsmith_engine::{Device, Engine, Image, State};

/// Inputs of 1, 12, 40 and 70 bits. Without a mask the first decides wrongly: Verilator takes what is
/// stored for the value of the port.
const WIDTHS: [(&str, usize); 4] = [("one", 1), ("dozen", 12), ("forty", 40), ("seventy", 70)];

fn build(verilog: &str, ports: &[Port], sites: &[Site]) -> Verilator {
    let module = Module { sources: &[("chip.v".into(), verilog.as_bytes().to_vec())], top: "chip", ports };
    Verilator::build(&module, sites, &BuildOptions::default()).unwrap_or_else(|e| panic!("{e}"))
}

fn device() -> Box<dyn Device> {
    let inputs: Vec<String> = WIDTHS.iter().map(|(n, w)| format!("input [{}:0] {n}", w - 1)).collect();
    let verilog = format!(
        "module chip(input clock, {}, output odd, output [7:0] sum);\n\
         assign odd = one == 1'b1;\n\
         assign sum = {{7'd0, one}} + dozen[11:4] + forty[39:32] + {{2'd0, seventy[69:64]}};\nendmodule\n",
        inputs.join(", ")
    );
    let mut ports = vec![Port::input("clock", 1)];
    ports.extend(WIDTHS.map(|(n, w)| Port::input(n, w)));
    ports.push(Port::new("odd", 1, Direction::Output));
    ports.push(Port::new("sum", 8, Direction::Output));
    build(&verilog, &ports, &[]).device(1)
}

#[test]
#[cfg_attr(debug_assertions, should_panic(expected = "does not fit word 1 of port 3, `forty`"))]
fn a_value_wider_than_its_port_is_refused_in_debug_and_cut_in_release() {
    let mut d = device();
    d.set(3, 0, u32::MAX);
    d.set(3, 1, 0x1ff);
    assert_eq!(d.get(3, 1), 0xff);
}

/// In release builds only: debug builds refuse such values before.
#[test]
#[cfg(not(debug_assertions))]
fn bits_beyond_a_port_never_reach_the_model() {
    let mut d = device();
    for (port, (_, width)) in (1..).zip(WIDTHS) {
        for word in 0..=width.div_ceil(32) {
            d.set(port, word, u32::MAX);
        }
    }
    // The evaluation would end the process if an input did not fit.
    d.eval();
    assert_eq!((d.get(1, 0), d.get(2, 0)), (1, 0xfff));
    assert_eq!([d.get(3, 0), d.get(3, 1)], [u32::MAX, 0xff]);
    assert_eq!([0, 1, 2].map(|w| d.get(4, w)), [u32::MAX, u32::MAX, 0x3f]);
    let sum = (1 + 0xff + 0xff + 0x3f) & 0xff;
    assert_eq!((d.get(5, 0), d.get(6, 0)), (1, sum));
}

#[test]
fn values_that_fit_pass_and_words_beyond_a_port_read_0() {
    let mut d = device();
    for (port, word, value) in [(1, 0, 1), (2, 0, 0xabc), (3, 1, 0x12), (4, 2, 0x3f)] {
        d.set(port, word, value);
        assert_eq!(d.get(port, word), value);
    }
    d.eval();
    assert_eq!((d.get(5, 0), d.get(6, 0)), (1, (1 + 0xab + 0x12 + 0x3f) & 0xff));
    assert_eq!([d.get(1, 1), d.get(2, 1), d.get(3, 2), d.get(4, 3)], [0; 4]);
}

#[test]
#[should_panic(expected = "`odd` is no input")]
fn an_output_cannot_be_driven() {
    device().set(5, 0, 1);
}

/// A counter whose width is that of each type of Verilator's, a memory, and an output with its saboteur.
const STATE: &str = "
module chip(input clock, input step, output [69:0] sum);
  reg [4:0] a /*verilator public_flat_rw*/;
  reg [69:0] b /*verilator public_flat_rw*/;
  reg [15:0] m [0:2] /*verilator public_flat_rw*/;
  wire [11:0] o_raw /*verilator public_flat_rd*/;
  reg [11:0] o_keep /*verilator public_flat_rw*/;
  reg [11:0] o_flip /*verilator public_flat_rw*/;
  initial begin o_keep = 12'hfff; o_flip = 0; end
  assign o_raw = {7'd0, a};
  wire [11:0] o = o_raw & o_keep ^ o_flip;
  always @(posedge clock) if (step) begin
    a <= a + 1; b <= b + {58'd0, o}; m[0] <= m[1]; m[1] <= m[2]; m[2] <= b[15:0];
  end
  assign sum = b + {54'd0, m[0]};
endmodule
";

fn state_chip() -> Verilator {
    let site = |path: &str, kind, width, depth| Site {
        path: path.into(),
        block: "chip".into(),
        kind,
        width,
        depth,
        zeroed: false,
    };
    let ports = [Port::input("clock", 1), Port::input("step", 1), Port::new("sum", 70, Direction::Output)];
    let sites = [
        site("a", SiteKind::Reg, 5, 1),
        site("b", SiteKind::Reg, 70, 1),
        site("m", SiteKind::Ram, 16, 3),
        site("o", SiteKind::Out, 12, 1),
    ];
    build(STATE, &ports, &sites)
}

fn cycles(d: &mut dyn Device, n: usize) {
    for _ in 0..n {
        d.eval();
        d.edge();
    }
}

fn differing(state: &State, d: &dyn Device, image: &Image, but: Option<(usize, u32)>) -> Vec<usize> {
    let mut found = vec![];
    state.differs(d, image, but, |site| {
        found.push(site);
        true
    });
    found
}

#[test]
fn an_image_is_the_whole_state() {
    let chip = state_chip();
    assert!(chip.name().contains("Verilator"));
    let (mut d, mut other) = (chip.device(3), chip.device(8));
    let mut state = State::of(&*d);
    d.set(1, 0, 1);
    cycles(&mut *d, 5);
    let mut image = Image::default();
    state.save(&*d, &mut image);
    assert_eq!(image.bytes(), state.image_bytes());
    assert_eq!(state.image_bytes(), 1 + 12 + 3 * 2 + 4);
    // Restored into a device of another power-on state, the run goes on as from here.
    assert_ne!(differing(&state, &*other, &image, None), [] as [usize; 0]);
    state.restore(&mut *other, &image);
    assert_eq!(differing(&state, &*other, &image, None), [] as [usize; 0]);
    for _ in 0..20 {
        assert_eq!([0, 1, 2].map(|w| d.get(2, w)), [0, 1, 2].map(|w| other.get(2, w)));
        cycles(&mut *d, 1);
        cycles(&mut *other, 1);
    }
    // A word of memory that changed is seen, unless it is the word left out; a register too.
    state.restore(&mut *d, &image);
    let range = d.sites()[2].range(1);
    d.site_mut(2)[range.start] ^= 4;
    d.settle();
    assert_eq!(differing(&state, &*d, &image, None), [2]);
    assert_eq!(differing(&state, &*d, &image, Some((2, 0))), [2]);
    assert_eq!(differing(&state, &*d, &image, Some((2, 1))), [] as [usize; 0]);
    assert!(state.word_differs(&*d, &image, 2, 1) && !state.word_differs(&*d, &image, 2, 0));
    d.site_mut(0)[0] ^= 1;
    d.settle();
    assert_eq!(differing(&state, &*d, &image, None), [0, 2]);
    state.ignore(0);
    assert_eq!(differing(&state, &*d, &image, None), [2]);
}

#[test]
fn saboteurs_change_what_the_neighbours_see() {
    let chip = state_chip();
    let mut d = chip.device(1);
    d.set(1, 0, 1);
    let five = d.sites()[0].pack(&[5]);
    d.site_mut(0).copy_from_slice(&five);
    d.site_mut(1).fill(0);
    d.settle();
    // Bit 0 stuck at 0, bit 8 at 1: b grows by 0x104 instead of 5.
    let s = d.saboteur(3);
    s.keep[0] &= !1;
    s.flip[1] |= 1;
    s.keep[1] &= !1;
    d.settle();
    cycles(&mut *d, 1);
    assert_eq!(warpsmith_engine::Storage::unpack(d.site(1)), [0x104, 0, 0]);
    assert_eq!(d.site(3), [6, 0], "the output itself is untouched");
}

#[test]
#[should_panic(expected = "site 3 is an output of a block")]
fn an_output_is_no_state() {
    state_chip().device(1).site_mut(3);
}
