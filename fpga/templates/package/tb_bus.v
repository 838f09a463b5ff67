// SPDX-License-Identifier: MIT OR Apache-2.0
// Testbench of the Warpsmith chip `{{ label }}`: loads a kernel over the bus, runs it, compares memory.
// Plain Verilog-2005; run it in the folder of the .hex files: vvp -N gives exit code 1 on a failure.
`default_nettype none
`timescale 1ns / 1ps
module tb_warpsmith;
{% include "package/tb_data.v" %}

    reg reset = 1'b1;
    reg bus_valid = 1'b0, bus_write = 1'b0;
    reg [19:0] bus_address = 20'h0;
    reg [31:0] bus_wdata = 32'h0;
    wire [31:0] bus_rdata;
    wire mem_valid, mem_write, busy, done, trapped;
    wire [31:0] mem_address;
    wire [{{ line_bits - 1 }}:0] mem_wdata;
    wire [{{ line_bytes - 1 }}:0] mem_wmask;

    // Global memory at the chip's memory port: takes a request in three cycles of four, performs
    // stores at once, answers loads LATENCY cycles later.
    localparam LATENCY = 8;
    localparam LINE_BITS = {{ line_bits }};
    reg [1:0] phase = 2'd0;
    reg [LATENCY-1:0] coming = 0;
    reg [LATENCY*LINE_BITS-1:0] lines = 0;
    reg [LINE_BITS-1:0] line;
    integer i;
    wire mem_ready = phase != 2'd3;
    always @(posedge clock) begin
        phase <= phase + 2'd1;
        if (mem_valid && mem_ready && !reset) begin
            if (mem_address > 4 * MEMORY_WORDS - LINE_BITS / 8) begin
                $display("FAIL: access to memory at 0x%h, beyond its end", mem_address);
                $stop;
            end
            for (i = 0; i < LINE_BITS / 8; i = i + 1) begin
                line[8*i +: 8] = memory[mem_address / 4 + i / 4][8*(i % 4) +: 8];
                if (mem_write && mem_wmask[i])
                    memory[mem_address / 4 + i / 4][8*(i % 4) +: 8] = mem_wdata[8*i +: 8];
            end
        end
        coming <= {coming[LATENCY-2:0], mem_valid && mem_ready && !mem_write && !reset};
        lines <= {lines[(LATENCY-1)*LINE_BITS-1:0], line};
    end

    {{ top }} chip (
        .clock(clock), .reset(reset),
        .bus_valid(bus_valid), .bus_write(bus_write), .bus_address(bus_address),
        .bus_wdata(bus_wdata), .bus_rdata(bus_rdata),
        .mem_valid(mem_valid), .mem_ready(mem_ready), .mem_write(mem_write),
        .mem_address(mem_address), .mem_wdata(mem_wdata), .mem_wmask(mem_wmask),
        .mem_rvalid(coming[LATENCY-1]), .mem_rdata(lines[LATENCY*LINE_BITS-1 -: LINE_BITS]),
        .mem_error(1'b0), .mem_pending(1'b0),
{%- for p in open_ports %}
        .{{ p }}(),
{%- endfor %}
        .busy(busy), .done(done), .trapped(trapped)
    );

    // Inputs change at falling edges, so that nothing depends on the order of events.
    task write(input [19:0] address, input [31:0] value);
        begin
            bus_valid = 1'b1;
            bus_write = 1'b1;
            bus_address = address;
            bus_wdata = value;
            @(negedge clock) bus_valid = 1'b0;
        end
    endtask

    task read(input [19:0] address, output [31:0] value);
        begin
            bus_valid = 1'b1;
            bus_write = 1'b0;
            bus_address = address;
            @(negedge clock) bus_valid = 1'b0;
            value = bus_rdata;
        end
    endtask

{% include "package/tb_main.v" %}

    initial begin
        repeat (8) @(negedge clock);
        reset = 1'b0;
        @(negedge clock);
        load;
        write(CONTROL, CONTROL_START);
        repeat (4) @(negedge clock);
        while (done !== 1'b1) @(negedge clock);
        judge;
        $finish;
    end
endmodule
`default_nettype wire
