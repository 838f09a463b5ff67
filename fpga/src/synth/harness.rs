//! A harness for the chip alone: its ports on two shift registers, so that few pins suffice and every path from port to
//! port lies between registers. Those at the ports are placed cells, which synthesis joins with nothing in the chip.

use crate::chip::ChipManifest;
use std::fmt::Write as _;
use warpsmith_contract::ports::CLOCKING;
use warpsmith_contract::Direction;

/// Names of the flip-flops at a port of the chip, bit 0 first: `in[3].ff` holds an input, `out[5].ff` takes an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// The port.
    pub port: String,
    /// The flip-flops.
    pub cells: Vec<String>,
}

/// The flip-flop that holds the reset.
pub const RESET: &str = "held";

/// All inputs but clock and reset, then all outputs.
pub fn held(chip: &ChipManifest) -> (Vec<Held>, Vec<Held>) {
    let of = |direction: Direction, block: &str| {
        let ports = chip.ports.iter().filter(|p| p.direction == direction);
        let ports = ports.filter(|p| CLOCKING.iter().all(|c| c.name != p.name));
        let mut at = 0;
        ports
            .map(|p| {
                let cells = (at..at + p.width).map(|i| format!("{block}[{i}].ff")).collect();
                at += p.width;
                Held { port: p.name.clone(), cells }
            })
            .collect()
    };
    (of(Direction::Input, "in"), of(Direction::Output, "out"))
}

/// The module `top`: `clock`, `reset`, serial in and out, `load` to take the outputs.
pub fn shift(chip: &ChipManifest) -> String {
    let (ins, outs) = held(chip);
    let bits = |ports: &[Held]| ports.iter().map(|p| p.cells.len()).sum::<usize>();
    let (i, o) = (bits(&ins), bits(&outs));
    const FF: &str = "(* keep *) TRELLIS_FF #(.GSR(\"DISABLED\"), .CEMUX(\"1\"), .CLKMUX(\"CLK\"), .LSRMUX(\"LSR\"), .REGSET(\"RESET\"))";
    let mut text = format!(
        "// The ports of `{chip}` on shift registers.
module top (input wire clock, input wire reset, input wire si, input wire load, output wire so);
    wire [{i}:0] i;
    wire [{o1}:0] w, c;
    wire r;
    reg [{o1}:0] o;
    assign i[0] = si;
    assign so = o[0];
    genvar n;
    generate
        for (n = 0; n < {i}; n = n + 1) begin : in
            {FF} ff (.CLK(clock), .LSR(1'b0), .CE(1'b1), .DI(i[n]), .Q(i[n + 1]));
        end
        for (n = 0; n < {o}; n = n + 1) begin : out
            {FF} ff (.CLK(clock), .LSR(1'b0), .CE(1'b1), .DI(w[n]), .Q(c[n]));
        end
    endgenerate
    {FF} {RESET} (.CLK(clock), .LSR(1'b0), .CE(1'b1), .DI(reset), .Q(r));
    always @(posedge clock) o <= load ? c : {{1'b0, o[{o1}:1]}};
    {chip} chip (.clock(clock), .reset(r)",
        chip = chip.top,
        o1 = o - 1,
    );
    // Bit 0 of the first shift register is the pin.
    for (ports, bus, mut at) in [(&ins, "i", 1), (&outs, "w", 0)] {
        for Held { port, cells } in ports {
            let _ = write!(text, ",\n        .{port}({bus}[{}:{at}])", at + cells.len() - 1);
            at += cells.len();
        }
    }
    text + ");\nendmodule\n"
}
