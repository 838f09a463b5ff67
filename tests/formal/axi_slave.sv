// Properties of warpsmith_axi_slave, put into the module before its `endmodule`. Host and chip are
// free but for what is assumed. F_LOG: log2 of the bytes of a line.
`ifdef FORMAL
    // Reset in the first cycle, then none.
    reg f_past = 1'b0;
    always @(posedge aclk) f_past <= 1'b1;
    always @* assume (aresetn == f_past);

    wire f_aw = s_axi_awvalid && s_axi_awready;
    wire f_w = s_axi_wvalid && s_axi_wready;
    wire f_b = s_axi_bvalid && s_axi_bready;
    wire f_ar = s_axi_arvalid && s_axi_arready;
    wire f_r = s_axi_rvalid && s_axi_rready;

    // Taken and not answered.
    reg [3:0] f_addresses, f_words, f_reads;
    // The last of each that was taken.
    reg [19:0] f_awaddr, f_araddr;
    reg [31:0] f_wdata;
    reg [3:0] f_wstrb;
    // The write that waits for its answer reached the chip or a register here.
    reg f_performed;
    // What the read must give.
    reg [31:0] f_rdata;
    wire f_bus_write = bus_valid && bus_write;
    wire f_own_write = write && good && ours;
    always @(posedge aclk) begin
        f_addresses <= f_addresses + f_aw - f_b;
        f_words <= f_words + f_w - f_b;
        f_reads <= f_reads + f_ar - f_r;
        if (f_aw) f_awaddr <= s_axi_awaddr;
        if (f_ar) f_araddr <= s_axi_araddr;
        if (f_w) f_wdata <= s_axi_wdata;
        if (f_w) f_wstrb <= s_axi_wstrb;
        if (write) f_performed <= f_bus_write || f_own_write;
        if (r_wait) f_rdata <= f_araddr[19:2] == 18'h14 ? memory_base[31:0]
            : f_araddr[19:2] == 18'h15 ? memory_base >> 32
            : f_araddr[19:2] == 18'h16 ? enable : bus_rdata;
        if (!aresetn) begin
            f_addresses <= 0;
            f_words <= 0;
            f_reads <= 0;
        end
    end

    always @(posedge aclk) if (f_past && aresetn && $past(aresetn)) begin
        if ($past(s_axi_bvalid && !s_axi_bready))
            assert (s_axi_bvalid && $stable(s_axi_bresp));
        if ($past(s_axi_rvalid && !s_axi_rready))
            assert (s_axi_rvalid && $stable(s_axi_rdata) && $stable(s_axi_rresp));
        // An answer begins the cycle after its write, and reads two after theirs.
        if (s_axi_bvalid && !$past(s_axi_bvalid)) assert ($past(write));
        if (r_wait) assert ($past(bus_valid && !bus_write));
        // The base stays while the chip is busy.
        if ($past(busy)) assert ($stable(memory_base));
    end

    always @* if (f_past) begin
        // Answered once, and only after all of it is here.
        assert (f_addresses == aw_full + b_full);
        assert (f_words == w_full + b_full);
        assert (f_reads == ar_full + r_full);
        if (aw_full) assert (aw_word == f_awaddr[19:2]);
        if (w_full) assert (w_data == f_wdata && w_whole == &f_wstrb);
        if (ar_full) assert (ar_word == f_araddr[19:2]);
        if (r_wait) assert (ar_full && !r_full);
        // The chip is written whole words only, never while busy, and what was asked.
        if (f_bus_write) begin
            assert (!busy && &f_wstrb && !ours);
            assert (bus_address == {f_awaddr[19:2], 2'b00} && bus_wdata == f_wdata);
            assert (aw_full && w_full);
        end
        if (bus_valid && !bus_write) assert (ar_full && bus_address == {f_araddr[19:2], 2'b00});
        // SLVERR says that nothing was written, OKAY that it was.
        if (s_axi_bvalid) assert (s_axi_bresp == (f_performed ? 2'b00 : 2'b10));
        if (s_axi_rvalid) assert (s_axi_rdata == f_rdata && s_axi_rresp == 2'b00);
        assert (memory_base[F_LOG-1:0] == 0);
        assert (irq == (done && enable));
        cover (s_axi_bvalid && s_axi_bresp == 2'b10 && busy);
        cover (s_axi_rvalid && f_reads == 2 && f_addresses == 2);
    end
`endif
