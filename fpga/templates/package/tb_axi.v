// SPDX-License-Identifier: MIT OR Apache-2.0
// Testbench of the Warpsmith chip `{{ label }}` between AXI ports: loads a kernel over AXI4-Lite, runs it
// on an AXI4 memory, waits for the interrupt, compares memory.
// Plain Verilog-2005; run it in the folder of the .hex files: vvp -N gives exit code 1 on a failure.
`default_nettype none
`timescale 1ns / 1ps
module tb_warpsmith;
{% include "package/tb_data.v" %}

    // Where memory lies on the AXI4 side.
    localparam [31:0] BASE = 32'h10000000;

    reg aresetn = 1'b0;
    wire irq;
    reg [19:0] s_axi_awaddr = 20'h0, s_axi_araddr = 20'h0;
    reg [31:0] s_axi_wdata = 32'h0;
    reg s_axi_awvalid = 1'b0, s_axi_wvalid = 1'b0, s_axi_bready = 1'b0, s_axi_arvalid = 1'b0, s_axi_rready = 1'b0;
    wire s_axi_awready, s_axi_wready, s_axi_bvalid, s_axi_arready, s_axi_rvalid;
    wire [1:0] s_axi_bresp, s_axi_rresp;
    wire [31:0] s_axi_rdata;

    wire [{{ id_bits - 1 }}:0] m_axi_awid, m_axi_arid;
    wire [{{ address_bits - 1 }}:0] m_axi_awaddr, m_axi_araddr;
    wire [7:0] m_axi_awlen, m_axi_arlen;
    wire [2:0] m_axi_awsize, m_axi_arsize, m_axi_awprot, m_axi_arprot;
    wire [1:0] m_axi_awburst, m_axi_arburst;
    wire [3:0] m_axi_awcache, m_axi_arcache;
    wire m_axi_awlock, m_axi_arlock, m_axi_awvalid, m_axi_arvalid, m_axi_wlast, m_axi_wvalid, m_axi_bready, m_axi_rready;
    wire [{{ data_bits - 1 }}:0] m_axi_wdata;
    wire [{{ data_bytes - 1 }}:0] m_axi_wstrb;

    // Memory: an AXI4 slave with one write and one read burst at a time, a pause between them.
    localparam BEAT_BYTES = {{ data_bytes }};
    reg aw_full = 1'b0, b_full = 1'b0, ar_full = 1'b0, r_full = 1'b0, r_last = 1'b0;
    reg [{{ id_bits - 1 }}:0] aw_id, ar_id;
    reg [31:0] aw_at, ar_at;
    reg [7:0] aw_left, ar_left;
    reg [{{ data_bits - 1 }}:0] r_data;
    integer i;

    // A burst as the chip makes them, within memory.
    task check_burst(input [31:0] at, input [7:0] len, input [2:0] size, input [1:0] burst);
        if (burst !== 2'b01 || (1 << size) !== BEAT_BYTES || ^at === 1'bx
                || at > 4 * MEMORY_WORDS - (len + 1) * BEAT_BYTES) begin
            $display("FAIL: burst at 0x%h from the base, len %0d, size %0d, burst %b", at, len, size, burst);
            $stop;
        end
    endtask

    always @(posedge clock) begin
        if (m_axi_awvalid && !aw_full && !b_full) begin
            check_burst(m_axi_awaddr - BASE, m_axi_awlen, m_axi_awsize, m_axi_awburst);
            aw_full <= 1'b1;
            aw_id <= m_axi_awid;
            aw_at <= m_axi_awaddr - BASE;
            aw_left <= m_axi_awlen;
        end
        if (m_axi_wvalid && aw_full) begin
            for (i = 0; i < BEAT_BYTES; i = i + 1)
                if (m_axi_wstrb[i]) memory[(aw_at + i) / 4][8*(i % 4) +: 8] = m_axi_wdata[8*i +: 8];
            if (m_axi_wlast !== (aw_left == 8'd0)) begin
                $display("FAIL: wlast is %b with %0d beats to come", m_axi_wlast, aw_left);
                $stop;
            end
            aw_at <= aw_at + BEAT_BYTES;
            aw_left <= aw_left - 8'd1;
            if (m_axi_wlast) begin
                aw_full <= 1'b0;
                b_full <= 1'b1;
            end
        end
        if (b_full && m_axi_bready) b_full <= 1'b0;

        if (m_axi_arvalid && !ar_full && !r_full) begin
            check_burst(m_axi_araddr - BASE, m_axi_arlen, m_axi_arsize, m_axi_arburst);
            ar_full <= 1'b1;
            ar_id <= m_axi_arid;
            ar_at <= m_axi_araddr - BASE;
            ar_left <= m_axi_arlen;
        end
        if (r_full && m_axi_rready) r_full <= 1'b0;
        if (ar_full && (!r_full || m_axi_rready)) begin
            for (i = 0; i < BEAT_BYTES; i = i + 1)
                r_data[8*i +: 8] <= memory[(ar_at + i) / 4][8*(i % 4) +: 8];
            r_full <= 1'b1;
            r_last <= ar_left == 8'd0;
            ar_at <= ar_at + BEAT_BYTES;
            ar_left <= ar_left - 8'd1;
            if (ar_left == 8'd0) ar_full <= 1'b0;
        end
    end

    warpsmith_axi dut (
        .aclk(clock), .aresetn(aresetn), .irq(irq),
        .s_axi_awaddr(s_axi_awaddr), .s_axi_awprot(3'b000), .s_axi_awvalid(s_axi_awvalid), .s_axi_awready(s_axi_awready),
        .s_axi_wdata(s_axi_wdata), .s_axi_wstrb(4'b1111), .s_axi_wvalid(s_axi_wvalid), .s_axi_wready(s_axi_wready),
        .s_axi_bresp(s_axi_bresp), .s_axi_bvalid(s_axi_bvalid), .s_axi_bready(s_axi_bready),
        .s_axi_araddr(s_axi_araddr), .s_axi_arprot(3'b000), .s_axi_arvalid(s_axi_arvalid), .s_axi_arready(s_axi_arready),
        .s_axi_rdata(s_axi_rdata), .s_axi_rresp(s_axi_rresp), .s_axi_rvalid(s_axi_rvalid), .s_axi_rready(s_axi_rready),
        .m_axi_awid(m_axi_awid), .m_axi_awaddr(m_axi_awaddr), .m_axi_awlen(m_axi_awlen), .m_axi_awsize(m_axi_awsize),
        .m_axi_awburst(m_axi_awburst), .m_axi_awlock(m_axi_awlock), .m_axi_awcache(m_axi_awcache), .m_axi_awprot(m_axi_awprot),
        .m_axi_awvalid(m_axi_awvalid), .m_axi_awready(!aw_full && !b_full),
        .m_axi_wdata(m_axi_wdata), .m_axi_wstrb(m_axi_wstrb), .m_axi_wlast(m_axi_wlast), .m_axi_wvalid(m_axi_wvalid),
        .m_axi_wready(aw_full),
        .m_axi_bid(aw_id), .m_axi_bresp(2'b00), .m_axi_bvalid(b_full), .m_axi_bready(m_axi_bready),
        .m_axi_arid(m_axi_arid), .m_axi_araddr(m_axi_araddr), .m_axi_arlen(m_axi_arlen), .m_axi_arsize(m_axi_arsize),
        .m_axi_arburst(m_axi_arburst), .m_axi_arlock(m_axi_arlock), .m_axi_arcache(m_axi_arcache), .m_axi_arprot(m_axi_arprot),
        .m_axi_arvalid(m_axi_arvalid), .m_axi_arready(!ar_full && !r_full),
        .m_axi_rid(ar_id), .m_axi_rdata(r_data), .m_axi_rresp(2'b00), .m_axi_rlast(r_last), .m_axi_rvalid(r_full),
        .m_axi_rready(m_axi_rready)
    );

    // Inputs change at falling edges: what is valid and ready there is taken at the next rising one.
    task write(input [19:0] address, input [31:0] value);
        begin
            s_axi_awaddr = address;
            s_axi_awvalid = 1'b1;
            while (s_axi_awready !== 1'b1) @(negedge clock);
            @(negedge clock) s_axi_awvalid = 1'b0;
            s_axi_wdata = value;
            s_axi_wvalid = 1'b1;
            while (s_axi_wready !== 1'b1) @(negedge clock);
            @(negedge clock) s_axi_wvalid = 1'b0;
            s_axi_bready = 1'b1;
            while (s_axi_bvalid !== 1'b1) @(negedge clock);
            if (s_axi_bresp !== 2'b00) begin
                $display("FAIL: write to 0x%h answered %b", address, s_axi_bresp);
                $stop;
            end
            @(negedge clock) s_axi_bready = 1'b0;
        end
    endtask

    task read(input [19:0] address, output [31:0] value);
        begin
            s_axi_araddr = address;
            s_axi_arvalid = 1'b1;
            while (s_axi_arready !== 1'b1) @(negedge clock);
            @(negedge clock) s_axi_arvalid = 1'b0;
            s_axi_rready = 1'b1;
            while (s_axi_rvalid !== 1'b1) @(negedge clock);
            value = s_axi_rdata;
            if (s_axi_rresp !== 2'b00) begin
                $display("FAIL: read of 0x%h answered %b", address, s_axi_rresp);
                $stop;
            end
            @(negedge clock) s_axi_rready = 1'b0;
        end
    endtask

{% include "package/tb_main.v" %}

    initial begin
        repeat (8) @(negedge clock);
        aresetn = 1'b1;
        @(negedge clock);
        load;
        write(MEMORY_BASE_LO, BASE);
        write(INTERRUPT_ENABLE, 32'h1);
        write(CONTROL, CONTROL_START);
        while (irq !== 1'b1) @(negedge clock);
        judge;
        $finish;
    end
endmodule
`default_nettype wire
