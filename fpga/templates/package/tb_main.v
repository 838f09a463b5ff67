    // ID, registers, constants, program.
    task load;
        integer k;
        reg [31:0] got;
        begin
            read(ID, got);
            if (got !== ID_VALUE) begin
                $display("FAIL: ID reads %h, expected %h", got, ID_VALUE);
                $stop;
            end
            for (k = 0; k < WRITES; k = k + 1) write(writes[k][51:32], writes[k][31:0]);
            for (k = 0; k < CODE_WORDS; k = k + 1) write(PROGRAM_RAM + 4 * k, code[k]);
        end
    endtask

    // After the end: no trap, memory as expected, counters.
    task judge;
        integer k;
        reg [31:0] got, cycles, warp_instructions, thread_instructions;
        begin
            read(STATUS, got);
            if (got !== STATUS_DONE) begin
                read(TRAP, cycles);
                $display("FAIL: STATUS reads %h, expected %h; TRAP reads %h", got, STATUS_DONE, cycles);
                $stop;
            end
            // An undefined word is never right, not even where the file has none.
            for (k = 0; k < MEMORY_WORDS; k = k + 1)
                if (memory[k] !== expected[k] || ^expected[k] === 1'bx) begin
                    $display("FAIL: memory at 0x%h holds %h, expected %h", 32'd4 * k, memory[k], expected[k]);
                    $stop;
                end
            read(CYCLES, cycles);
            read(WARP_INSTRUCTIONS, warp_instructions);
            read(THREAD_INSTRUCTIONS, thread_instructions);
            $display("PASS {{ kernel }} on {{ label }}: %0d words, cycles %0d, warp instructions %0d, thread instructions %0d",
                MEMORY_WORDS, cycles, warp_instructions, thread_instructions);
        end
    endtask
