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
{%- for (name, address) in addresses %}
    localparam [19:0] {{ name }} = 20'h{{ "{:05x}"|format(address) }};
{%- endfor %}
    // Values of ID, CONTROL and STATUS.
    localparam [31:0] ID_VALUE = 32'h{{ "{:08x}"|format(id_value) }}, CONTROL_START = 32'h{{ "{:x}"|format(start) }}, STATUS_DONE = 32'h{{ "{:x}"|format(done) }};

    reg clock = 1'b0;
    always #5 clock = ~clock;
    initial begin
        repeat (MAX_CYCLES) @(posedge clock);
        $display("FAIL: no end after %0d cycles", MAX_CYCLES);
        $stop;
    end
