// Warpsmith on a ULX3S: 25 MHz, through the PLL, to the chip with its memory and UART.
// `warpsmith synth` sets the parameters, see ecp5_board.v, from --clock and the baud rate.
`default_nettype none
module top #(
    parameter CLKI_DIV = 1,
    parameter CLKFB_DIV = 1,
    parameter CLKOP_DIV = 8,
    parameter DIVISOR = 434
) (
    input wire clk_25mhz,
    input wire button_n,
    input wire ftdi_txd,
    output wire ftdi_rxd,
    output wire wifi_gpio0,
    output wire [7:0] led
);
    wire locked, reset;
    wire [3:0] status;

    ecp5_board #(
        .CLKI_DIV(CLKI_DIV), .CLKFB_DIV(CLKFB_DIV), .CLKOP_DIV(CLKOP_DIV), .DIVISOR(DIVISOR)
    ) board (
        .oscillator(clk_25mhz), .button_n(button_n), .rx(ftdi_txd), .tx(ftdi_rxd),
        .locked(locked), .reset(reset), .status(status)
    );
    // High keeps the ESP32 from taking the board over.
    assign wifi_gpio0 = 1'b1;
    assign led = {locked, reset, 2'b00, status};
endmodule
`default_nettype wire
