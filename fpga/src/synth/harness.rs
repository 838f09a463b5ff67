//! A harness for the chip alone: its ports on two shift registers, so that few pins suffice and every
//! path from port to port lies between registers.

use crate::chip::ChipManifest;
use std::fmt::Write as _;
use warpsmith_contract::ports::CLOCKING;
use warpsmith_contract::Direction;

/// The module `top`: `clock`, `reset`, serial in and out, `load` to take the outputs.
pub fn shift(chip: &ChipManifest) -> String {
    let of = |direction: Direction| -> Vec<(&str, usize)> {
        let ports = chip.ports.iter().filter(|p| p.direction == direction);
        ports.filter(|p| CLOCKING.iter().all(|c| c.name != p.name)).map(|p| (p.name.as_str(), p.width)).collect()
    };
    let (ins, outs) = (of(Direction::Input), of(Direction::Output));
    let bits = |ports: &[(&str, usize)]| ports.iter().map(|p| p.1).sum::<usize>();
    let (i, o) = (bits(&ins), bits(&outs));
    let mut text = format!(
        "// The ports of `{}` on shift registers.
module top (input wire clock, input wire reset, input wire si, input wire load, output wire so);
    reg [{}:0] i;
    reg [{}:0] o;
    wire [{}:0] w;
    reg r;
    always @(posedge clock) begin
        r <= reset;
        i <= {{i[{}:0], si}};
        o <= load ? w : {{1'b0, o[{}:1]}};
    end
    assign so = o[0];
    {} chip (.clock(clock), .reset(r)",
        chip.top,
        i - 1,
        o - 1,
        o - 1,
        i - 2,
        o - 1,
        chip.top
    );
    for (ports, bus) in [(&ins, "i"), (&outs, "w")] {
        let mut at = 0;
        for (name, width) in ports {
            let _ = write!(text, ",\n        .{name}({bus}[{}:{at}])", at + width - 1);
            at += width;
        }
    }
    text + ");\nendmodule\n"
}
