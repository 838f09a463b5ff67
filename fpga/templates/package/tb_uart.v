// SPDX-License-Identifier: MIT OR Apache-2.0
// Testbench of the Warpsmith chip `{{ label }}` behind a serial line: greets the board, loads a kernel,
// runs it, reads memory back and compares it. The frames are those of docs/host-link.md.
// Plain Verilog-2005; run it in the folder of the .hex files: vvp -N gives exit code 1 on a failure.
`default_nettype none
`timescale 1ns / 1ps
module tb_warpsmith;
{% include "package/tb_data.v" %}

    localparam DIVISOR = 4;
    localparam [7:0] HELLO = 8'd0, WRITE_BUS = 8'd1, READ_BUS = 8'd2, WRITE_MEMORY = 8'd3, READ_MEMORY = 8'd4, START = 8'd7;
    reg reset = 1'b1, rx = 1'b1;
    wire tx;
    wire [3:0] status;
    warpsmith_uart #(.DIVISOR(DIVISOR)) dut (.clock(clock), .reset(reset), .rx(rx), .tx(tx), .status(status));

    // CRC-32 of IEEE 802.3, reflected.
    function [31:0] crc32(input [31:0] crc, input [7:0] data);
        integer b;
        begin
            crc32 = crc ^ data;
            for (b = 0; b < 8; b = b + 1) crc32 = crc32[0] ? (crc32 >> 1) ^ 32'hedb88320 : crc32 >> 1;
        end
    endfunction

    reg [31:0] sent_crc, answer_crc;
    task send(input [7:0] data);
        integer b;
        begin
            sent_crc = crc32(sent_crc, data);
            rx = 1'b0;
            repeat (DIVISOR) @(negedge clock);
            for (b = 0; b < 8; b = b + 1) begin
                rx = data[b];
                repeat (DIVISOR) @(negedge clock);
            end
            rx = 1'b1;
            repeat (DIVISOR) @(negedge clock);
        end
    endtask

    task send_word(input [31:0] value);
        begin
            send(value[7:0]);
            send(value[15:8]);
            send(value[23:16]);
            send(value[31:24]);
        end
    endtask

    task receive(output [7:0] data);
        integer b;
        begin
            while (tx !== 1'b0) @(negedge clock);
            repeat (DIVISOR / 2) @(negedge clock);
            for (b = 0; b < 8; b = b + 1) begin
                repeat (DIVISOR) @(negedge clock);
                data[b] = tx;
            end
            repeat (DIVISOR) @(negedge clock);
            if (tx !== 1'b1) begin
                $display("FAIL: a byte without stop bit");
                $stop;
            end
            answer_crc = crc32(answer_crc, data);
        end
    endtask

    task receive_word(output [31:0] value);
        begin
            receive(value[7:0]);
            receive(value[15:8]);
            receive(value[23:16]);
            receive(value[31:24]);
        end
    endtask

    // A request and its answer; an odd operation takes `words` along, another fills them.
    reg [31:0] words [0:254];
    reg [7:0] sequence_number = 8'd0;
    task ask(input [7:0] operation, input [7:0] count, input [31:0] address);
        integer k;
        reg [7:0] first, number, result, length;
        reg [31:0] crc;
        begin
            sequence_number = sequence_number + 8'd1;
            send(8'ha5);
            sent_crc = 32'hffffffff;
            send(sequence_number);
            send(8'd1);
            send(operation);
            send(count);
            send_word(address);
            if (operation[0]) for (k = 0; k < count; k = k + 1) send_word(words[k]);
            send_word(~sent_crc);
            receive(first);
            answer_crc = 32'hffffffff;
            receive(number);
            receive(result);
            receive(length);
            for (k = 0; k < length; k = k + 1) receive_word(words[k]);
            crc = ~answer_crc;
            receive_word(words[254]);
            if (first !== 8'h5a || number !== sequence_number || result[1:0] !== 2'b00
                    || length !== (operation[0] ? 8'd0 : count) || words[254] !== crc) begin
                $display("FAIL: operation %0d answered %h %h %h, %0d words, CRC %h, expected %h",
                    operation, first, number, result, length, words[254], crc);
                $stop;
            end
        end
    endtask

    task write(input [19:0] address, input [31:0] value);
        begin
            words[0] = value;
            ask(WRITE_BUS, 8'd1, address);
        end
    endtask

    task read(input [19:0] address, output [31:0] value);
        begin
            ask(READ_BUS, 8'd1, address);
            value = words[0];
        end
    endtask

{% include "package/tb_main.v" %}

    localparam PIECE = 128;
    integer at, k;
    initial begin
        repeat (8) @(negedge clock);
        reset = 1'b0;
        repeat (16 * DIVISOR) @(negedge clock);
        ask(HELLO, 8'd18, 32'h0);
        if (words[0] !== 32'd1 || words[1] !== 32'd{{ board_bytes }}) begin
            $display("FAIL: the board says protocol %0d, %0d bytes", words[0], words[1]);
            $stop;
        end
        load;
        for (at = 0; at < MEMORY_WORDS; at = at + PIECE) begin
            for (k = 0; k < PIECE; k = k + 1) words[k] = memory[at + k];
            ask(WRITE_MEMORY, PIECE, 4 * at);
        end
        words[0] = 32'h01000000 | CONTROL_START;
        ask(START, 8'd1, CONTROL);
        while (status[1] !== 1'b1) @(negedge clock);
        for (at = 0; at < MEMORY_WORDS; at = at + PIECE) begin
            ask(READ_MEMORY, PIECE, 4 * at);
            for (k = 0; k < PIECE; k = k + 1) memory[at + k] = words[k];
        end
        judge;
        $finish;
    end
endmodule
`default_nettype wire
