// Warpsmith on a ULX3S: 25 MHz, through the PLL, to the chip with its memory and UART.
// `warpsmith synth` sets the parameters from --clock and the baud rate.
`default_nettype none
module top #(
    // clock = 25 MHz * CLKFB_DIV / CLKI_DIV; the oscillator runs at clock * CLKOP_DIV.
    parameter CLKI_DIV = 1,
    parameter CLKFB_DIV = 2,
    parameter CLKOP_DIV = 12,
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

    EHXPLLL #(
        .CLKI_DIV(CLKI_DIV), .CLKFB_DIV(CLKFB_DIV), .CLKOP_DIV(CLKOP_DIV),
        .FEEDBK_PATH("CLKOP"), .CLKOP_ENABLE("ENABLED"), .CLKOP_CPHASE(CLKOP_DIV / 2),
        .CLKOP_FPHASE(0), .OUTDIVIDER_MUXA("DIVA"), .PLLRST_ENA("DISABLED"),
        .INTFB_WAKE("DISABLED"), .STDBY_ENABLE("DISABLED"), .DPHASE_SOURCE("DISABLED")
    ) pll (
        .CLKI(clk_25mhz), .CLKFB(clock), .CLKOP(clock), .LOCK(locked), .RST(1'b0), .STDBY(1'b0),
        .PHASESEL0(1'b0), .PHASESEL1(1'b0), .PHASEDIR(1'b1), .PHASESTEP(1'b1),
        .PHASELOADREG(1'b1), .PLLWAKESYNC(1'b0), .ENCLKOP(1'b0)
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
