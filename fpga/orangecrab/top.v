// Warpsmith on an OrangeCrab: 48 MHz, through the PLL, to the chip with its memory and UART.
// `warpsmith synth` sets the parameters from --clock and the baud rate.
`default_nettype none
module top #(
    // Of the PLL, see ecp5_pll.v.
    parameter CLKI_DIV = 1,
    parameter CLKFB_DIV = 1,
    parameter CLKOP_DIV = 12,
    // Cycles of a bit of the UART.
    parameter DIVISOR = 434
) (
    input wire clk48,
    input wire usr_btn,
    input wire rx,
    output wire tx,
    // Low lights it: red, green, blue.
    output wire [2:0] rgb_led
);
    wire clock, locked, reset;
    wire [3:0] status;

    ecp5_pll #(.CLKI_DIV(CLKI_DIV), .CLKFB_DIV(CLKFB_DIV), .CLKOP_DIV(CLKOP_DIV)) pll (
        .oscillator(clk48), .clock(clock), .locked(locked)
    );
    power_on_reset starter (.clock(clock), .good(locked & usr_btn), .reset(reset));
    warpsmith_uart #(.DIVISOR(DIVISOR)) uart (
        .clock(clock), .reset(reset), .rx(rx), .tx(tx), .status(status)
    );
    // Red: in reset or trapped; green: done; blue: busy, or the link is active.
    assign rgb_led = ~{status[0] | status[3], status[1], reset | status[2]};
endmodule
`default_nettype wire
