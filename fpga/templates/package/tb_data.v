    // Data: what a host writes to the chip's bus (address, value), the program, and global memory
    // before and after.
    localparam WRITES = {{ writes }};
    localparam CODE_WORDS = {{ code_words }};
    localparam MEMORY_WORDS = {{ memory_words }};
    localparam MAX_CYCLES = {{ max_cycles }};
    reg [63:0] writes [0:WRITES-1];
    reg [31:0] code [0:CODE_WORDS-1];
    reg [31:0] memory [0:MEMORY_WORDS-1];
    reg [31:0] expected [0:MEMORY_WORDS-1];
    initial begin
        $readmemh("writes.hex", writes);
        $readmemh("program.hex", code);
        $readmemh("memory.hex", memory);
        $readmemh("expected.hex", expected);
    end

    // Registers and program memory of docs/registers.md.
    localparam [19:0] ID = 20'h00000, CONTROL = 20'h00004, STATUS = 20'h00008, TRAP = 20'h0000c;
    localparam [19:0] COUNTER = 20'h00200, PROGRAM_RAM = 20'h80000;

    reg clock = 1'b0;
    always #5 clock = ~clock;
    initial begin
        repeat (MAX_CYCLES) @(posedge clock);
        $display("FAIL: no end after %0d cycles", MAX_CYCLES);
        $stop;
    end
