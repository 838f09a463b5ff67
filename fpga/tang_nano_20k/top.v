// Warpsmith on a Tang Nano 20K: 27 MHz, through the PLL, to the chip with its memory and UART.
// `warpsmith synth` sets the parameters from --clock and the baud rate.
`default_nettype none
module top #(
    // clock = 27 MHz * (FBDIV_SEL + 1) / (IDIV_SEL + 1); the oscillator runs at clock * ODIV_SEL.
    parameter IDIV_SEL = 0,
    parameter FBDIV_SEL = 0,
    parameter ODIV_SEL = 32,
    // Cycles of a bit of the UART.
    parameter DIVISOR = 234
) (
    input wire clk_27mhz,
    input wire button,
    input wire uart_rx,
    output wire uart_tx,
    output wire [5:0] led_n
);
    wire clock, locked, reset;
    wire [3:0] status;

    rPLL #(
        .FCLKIN("27"), .DEVICE("GW2AR-18C"), .IDIV_SEL(IDIV_SEL), .FBDIV_SEL(FBDIV_SEL),
        .ODIV_SEL(ODIV_SEL), .DYN_IDIV_SEL("false"), .DYN_FBDIV_SEL("false"),
        .DYN_ODIV_SEL("false"), .PSDA_SEL("0000"), .DUTYDA_SEL("1000"), .DYN_DA_EN("false"),
        .CLKFB_SEL("internal"), .CLKOUT_BYPASS("false"), .CLKOUTP_BYPASS("false"),
        .CLKOUTD_BYPASS("false"), .DYN_SDIV_SEL(2), .CLKOUTD_SRC("CLKOUT"),
        .CLKOUTD3_SRC("CLKOUT"), .CLKOUT_FT_DIR(1'b1), .CLKOUTP_FT_DIR(1'b1),
        .CLKOUT_DLY_STEP(0), .CLKOUTP_DLY_STEP(0)
    ) pll (
        .CLKIN(clk_27mhz), .CLKFB(1'b0), .CLKOUT(clock), .LOCK(locked), .RESET(1'b0), .RESET_P(1'b0),
        .FBDSEL(6'd0), .IDSEL(6'd0), .ODSEL(6'd0), .PSDA(4'd0), .DUTYDA(4'd0), .FDLY(4'd0)
    );
    power_on_reset starter (.clock(clock), .good(locked & ~button), .reset(reset));
    warpsmith_uart #(.DIVISOR(DIVISOR)) uart (
        .clock(clock), .reset(reset), .rx(uart_rx), .tx(uart_tx), .status(status)
    );
    assign led_n = ~{locked, reset, status};
endmodule
`default_nettype wire
