// What every board with an ECP5 has: PLL, reset, and the chip with its memory and UART.
// clock = oscillator * CLKFB_DIV / CLKI_DIV; the PLL's own oscillator runs at clock * CLKOP_DIV.
`default_nettype none
module ecp5_board #(
    parameter CLKI_DIV = 1,
    parameter CLKFB_DIV = 1,
    parameter CLKOP_DIV = 8,
    // Cycles of a bit of the UART.
    parameter DIVISOR = 434
) (
    input wire oscillator,
    // Pressed, it resets the chip.
    input wire button_n,
    input wire rx,
    output wire tx,
    output wire locked,
    output wire reset,
    output wire [3:0] status
);
    wire clock;

    EHXPLLL #(
        .CLKI_DIV(CLKI_DIV), .CLKFB_DIV(CLKFB_DIV), .CLKOP_DIV(CLKOP_DIV),
        .FEEDBK_PATH("CLKOP"), .CLKOP_ENABLE("ENABLED"), .CLKOP_CPHASE(CLKOP_DIV / 2),
        .CLKOP_FPHASE(0), .OUTDIVIDER_MUXA("DIVA"), .PLLRST_ENA("DISABLED"),
        .INTFB_WAKE("DISABLED"), .STDBY_ENABLE("DISABLED"), .DPHASE_SOURCE("DISABLED")
    ) pll (
        .CLKI(oscillator), .CLKFB(clock), .CLKOP(clock), .LOCK(locked), .RST(1'b0), .STDBY(1'b0),
        .PHASESEL0(1'b0), .PHASESEL1(1'b0), .PHASEDIR(1'b1), .PHASESTEP(1'b1),
        .PHASELOADREG(1'b1), .PLLWAKESYNC(1'b0), .ENCLKOP(1'b0)
    );
    power_on_reset starter (.clock(clock), .good(locked & button_n), .reset(reset));
    warpsmith_uart #(.DIVISOR(DIVISOR)) uart (
        .clock(clock), .reset(reset), .rx(rx), .tx(tx), .status(status)
    );
endmodule
`default_nettype wire
