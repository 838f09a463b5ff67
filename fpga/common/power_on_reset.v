// Reset, synchronous to `clock`: 256 cycles after `good` (PLL locked, button released) came, and
// again whenever it goes. `good` is asynchronous and passes two registers first. Registers begin
// at zero, which every FPGA's configuration gives them.
`default_nettype none
module power_on_reset (input wire clock, input wire good, output reg reset);
    reg [1:0] settled = 2'd0;
    reg [8:0] count = 9'd0;
    initial reset = 1'b1;
    always @(posedge clock) begin
        settled <= {settled[0], good};
        count <= !settled[1] ? 9'd0 : count[8] ? count : count + 9'd1;
        reset <= !count[8];
    end
endmodule
`default_nettype wire
