// Warpsmith on an Arty A7-100T: 100 MHz, through the PLL, to the chip with its memory and UART.
// `warpsmith synth` sets the parameters from --clock and the baud rate.
`default_nettype none
module top #(
    // clock = 100 MHz / DIVCLK_DIVIDE * CLKFBOUT_MULT / CLKOUT0_DIVIDE.
    parameter DIVCLK_DIVIDE = 1,
    parameter CLKFBOUT_MULT = 8,
    parameter CLKOUT0_DIVIDE = 16,
    // Cycles of a bit of the UART.
    parameter DIVISOR = 434
) (
    input wire clk_100mhz,
    input wire button_n,
    input wire uart_txd_in,
    output wire uart_rxd_out,
    output wire [3:0] led
);
    wire feedback, made, clock, locked, reset;

    PLLE2_BASE #(
        .CLKIN1_PERIOD(10.0), .DIVCLK_DIVIDE(DIVCLK_DIVIDE), .CLKFBOUT_MULT(CLKFBOUT_MULT),
        .CLKOUT0_DIVIDE(CLKOUT0_DIVIDE)
    ) pll (
        .CLKIN1(clk_100mhz), .CLKFBIN(feedback), .CLKFBOUT(feedback), .CLKOUT0(made),
        .LOCKED(locked), .PWRDWN(1'b0), .RST(1'b0)
    );
    BUFG buffer (.I(made), .O(clock));
    power_on_reset starter (.clock(clock), .good(locked & button_n), .reset(reset));
    warpsmith_uart #(.DIVISOR(DIVISOR)) uart (
        .clock(clock), .reset(reset), .rx(uart_txd_in), .tx(uart_rxd_out), .status(led)
    );
endmodule
`default_nettype wire
