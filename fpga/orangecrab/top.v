// Warpsmith on an OrangeCrab: 48 MHz, through the PLL, to the chip with its memory and UART.
// `warpsmith synth` sets the parameters, see ecp5_board.v, from --clock and the baud rate.
`default_nettype none
module top #(
    parameter CLKI_DIV = 1,
    parameter CLKFB_DIV = 1,
    parameter CLKOP_DIV = 8,
    parameter DIVISOR = 434
) (
    input wire clk48,
    input wire usr_btn,
    input wire rx,
    output wire tx,
    // Red, green, blue.
    output wire [2:0] rgb_led
);
    wire locked, reset;
    wire [3:0] status;

    ecp5_board #(
        .CLKI_DIV(CLKI_DIV), .CLKFB_DIV(CLKFB_DIV), .CLKOP_DIV(CLKOP_DIV), .DIVISOR(DIVISOR)
    ) board (
        .oscillator(clk48), .button_n(usr_btn), .rx(rx), .tx(tx),
        .locked(locked), .reset(reset), .status(status)
    );
    // Low lights it. Red: no clock, in reset or trapped; green: done; blue: busy, or the link is active.
    assign rgb_led = ~{status[0] | status[3], status[1], ~locked | reset | status[2]};
endmodule
`default_nettype wire
