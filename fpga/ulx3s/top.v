// Warpsmith on a ULX3S: 25 MHz, through the PLL, to the chip with its memory and UART.
// `warpsmith synth` sets the parameters from --clock and the baud rate.
`default_nettype none
module top #(
    // Of the PLL, see ecp5_pll.v.
    parameter CLKI_DIV = 1,
    parameter CLKFB_DIV = 1,
    parameter CLKOP_DIV = 24,
    // Cycles of a bit of the UART.
    parameter DIVISOR = 434
) (
    input wire clk_25mhz,
    input wire button_n,
    input wire ftdi_txd,
    output wire ftdi_rxd,
    output wire wifi_gpio0,
    output wire [7:0] led
);
    wire clock, locked, reset;
    wire [3:0] status;

    ecp5_pll #(.CLKI_DIV(CLKI_DIV), .CLKFB_DIV(CLKFB_DIV), .CLKOP_DIV(CLKOP_DIV)) pll (
        .oscillator(clk_25mhz), .clock(clock), .locked(locked)
    );
    power_on_reset starter (.clock(clock), .good(locked & button_n), .reset(reset));
    warpsmith_uart #(.DIVISOR(DIVISOR)) uart (
        .clock(clock), .reset(reset), .rx(ftdi_txd), .tx(ftdi_rxd), .status(status)
    );
    // High keeps the ESP32 from taking the board over.
    assign wifi_gpio0 = 1'b1;
    assign led = {locked, reset, 2'b00, status};
endmodule
`default_nettype wire
