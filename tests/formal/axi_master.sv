// Properties of warpsmith_axi_master, put into the module before its `endmodule`. The chip and the
// memory are free but for what is assumed. Before this stand the constants
// F_ADDRESS, F_LINE, F_DATA (widths in bits), F_LOG (log2 of a line's bytes), F_OUT (transactions
// under way), F_SLOT (its log2), F_BEAT, and the names of the beat counters, F_R_COUNT and F_W_COUNT.
`ifdef FORMAL
    localparam F_BEATS = F_LINE / F_DATA;
    localparam F_BYTES = F_DATA / 8;
    localparam F_SIZE = $clog2(F_BYTES);

    // Reset in the first cycle, then none.
    reg f_past = 1'b0;
    always @(posedge aclk) f_past <= 1'b1;
    always @* assume (aresetn == f_past);

    // The slave half keeps the base aligned, and steady while the chip is busy.
    always @* assume (memory_base[F_LOG-1:0] == 0);
    always @(posedge aclk) if (f_past) assume ($stable(memory_base));

    // What is under way, counted at the AXI port.
    wire f_ar = m_axi_arvalid && m_axi_arready;
    wire f_aw = m_axi_awvalid && m_axi_awready;
    wire f_w = m_axi_wvalid && m_axi_wready;
    reg [7:0] f_reads, f_addresses, f_bursts, f_r_beat, f_w_beat, f_owed;
    wire f_r_end = m_axi_rvalid && m_axi_rready && f_r_beat == F_BEATS - 1;
    wire f_w_end = f_w && f_w_beat == F_BEATS - 1;
    wire f_b = m_axi_bvalid && m_axi_bready;
    wire f_take_read = mem_valid && mem_ready && !mem_write;
    always @(posedge aclk) begin
        f_reads <= f_reads + f_ar - f_r_end;
        f_addresses <= f_addresses + f_aw - f_b;
        f_bursts <= f_bursts + f_w_end - f_b;
        // Reads the chip waits for.
        f_owed <= f_owed + f_take_read - mem_rvalid;
        if (m_axi_rvalid && m_axi_rready) f_r_beat <= f_r_end ? 0 : f_r_beat + 1;
        if (f_w) f_w_beat <= f_w_end ? 0 : f_w_beat + 1;
        if (!aresetn) begin
            f_reads <= 0;
            f_addresses <= 0;
            f_bursts <= 0;
            f_owed <= 0;
            f_r_beat <= 0;
            f_w_beat <= 0;
        end
    end
    // Memory answers what it was asked, writes after address and all data.
    always @* if (m_axi_rvalid) assume (f_reads != 0);
    always @* if (m_axi_bvalid) assume (f_addresses != 0 && f_bursts != 0);

    // A line, for all lines. F_BEAT is a beat of every line.
    (* anyconst *) reg [F_ADDRESS-1:F_LOG] f_line;

    // The request that was taken last.
    reg [F_ADDRESS-1:0] f_address;
    reg [F_DATA-1:0] f_wdata, f_rdata;
    reg [F_BYTES-1:0] f_wmask;
    always @(posedge aclk) begin
        if (mem_valid && mem_ready) begin
            f_address <= memory_base + mem_address;
            f_wdata <= mem_wdata[F_BEAT*F_DATA +: F_DATA];
            f_wmask <= mem_wmask[F_BEAT*F_BYTES +: F_BYTES];
        end
        if (m_axi_rvalid && f_r_beat == F_BEAT) f_rdata <= m_axi_rdata;
    end

    // One write and one read under way that the solver may pick, if they are of that line: what is
    // ahead of it, and its place in the ring.
    (* anyseq *) reg f_pick_w, f_pick_r;
    reg f_watch_w, f_watch_r;
    reg [7:0] f_ahead_w, f_ahead_r;
    reg [F_SLOT-1:0] f_slot_w, f_slot_r;
    wire f_free_w = !f_watch_w || (f_b && f_ahead_w == 0);
    wire f_free_r = !f_watch_r || (f_r_end && f_ahead_r == 0);
    always @(posedge aclk) begin
        if (f_watch_w && f_b) f_ahead_w <= f_ahead_w - 1;
        if (f_free_w) f_watch_w <= 1'b0;
        if (f_free_w && stored && q_line == f_line && f_pick_w) begin
            f_watch_w <= 1'b1;
            f_ahead_w <= (f_addresses - aw_sent) - f_b;
            f_slot_w <= w_tail;
        end
        if (f_watch_r && f_r_end) f_ahead_r <= f_ahead_r - 1;
        if (f_free_r) f_watch_r <= 1'b0;
        if (f_free_r && f_ar && q_line == f_line && f_pick_r) begin
            f_watch_r <= 1'b1;
            f_ahead_r <= f_reads - f_r_end;
            f_slot_r <= r_tail;
        end
        if (!aresetn) begin
            f_watch_w <= 1'b0;
            f_watch_r <= 1'b0;
        end
    end

    always @(posedge aclk) if (f_past) begin
        if (aresetn && $past(aresetn)) begin
            // A valid stays with its fields until it is taken.
            if ($past(m_axi_arvalid && !m_axi_arready)) begin
                assert (m_axi_arvalid);
                assert ($stable(m_axi_araddr));
                assert ($stable(m_axi_arlen) && $stable(m_axi_arsize) && $stable(m_axi_arburst));
            end
            if ($past(m_axi_awvalid && !m_axi_awready)) begin
                assert (m_axi_awvalid);
                assert ($stable(m_axi_awaddr));
                assert ($stable(m_axi_awlen) && $stable(m_axi_awsize) && $stable(m_axi_awburst));
            end
            if ($past(m_axi_wvalid && !m_axi_wready)) begin
                assert (m_axi_wvalid);
                assert ($stable(m_axi_wdata) && $stable(m_axi_wstrb) && $stable(m_axi_wlast));
            end
            // An error is told once, in the next cycle.
            assert (mem_error == $past((m_axi_rvalid
                && (m_axi_rresp[1] || m_axi_rlast != (f_r_beat == F_BEATS - 1)))
                || (m_axi_bvalid && m_axi_bresp[1])));
            // A line comes the cycle after its last beat.
            assert (mem_rvalid == $past(f_r_end));
        end
    end

    always @* if (f_past) begin
        // Bursts of one line, aligned, in one page of 4 KiB.
        assert (m_axi_arburst == 2'b01 && m_axi_awburst == 2'b01);
        assert (m_axi_arlen == F_BEATS - 1 && m_axi_awlen == F_BEATS - 1);
        assert (m_axi_arsize == F_SIZE && m_axi_awsize == F_SIZE);
        assert (m_axi_araddr[F_LOG-1:0] == 0 && m_axi_awaddr[F_LOG-1:0] == 0);
        assert ({1'b0, m_axi_araddr[11:0]} + F_LINE / 8 <= 13'd4096);
        assert ({1'b0, m_axi_awaddr[11:0]} + F_LINE / 8 <= 13'd4096);
        if (m_axi_wvalid) assert (m_axi_wlast == (f_w_beat == F_BEATS - 1));
        // Not more than allowed; nothing is lost or answered twice.
        assert (f_reads <= F_OUT && f_addresses <= F_OUT && f_bursts <= F_OUT);
        assert (f_owed == f_reads + mem_rvalid + (q_valid && !q_write));
        if (f_addresses != 0 || f_bursts != 0) assert (mem_pending);
        // Nobody waits for nothing.
        if (q_valid && f_reads == 0 && f_addresses == 0 && f_bursts == 0)
            assert (q_write ? m_axi_awvalid || m_axi_wvalid : m_axi_arvalid);
        // Address, data and strobes are those of the request.
        if (m_axi_arvalid) assert (m_axi_araddr == {f_address[F_ADDRESS-1:F_LOG], {F_LOG{1'b0}}});
        if (m_axi_awvalid) assert (m_axi_awaddr == {f_address[F_ADDRESS-1:F_LOG], {F_LOG{1'b0}}});
        if (m_axi_wvalid && f_w_beat == F_BEAT) assert (m_axi_wdata == f_wdata && m_axi_wstrb == f_wmask);
        if (mem_rvalid && f_watch_data) assert (mem_rdata[F_BEAT*F_DATA +: F_DATA] == f_rdata_kept);
        // Order: no read beside a write of its line, no write beside a read of its line.
        if (f_watch_w) assert (!(m_axi_arvalid && q_line == f_line));
        if (f_watch_r) assert (!((m_axi_awvalid || m_axi_wvalid) && q_line == f_line));
    end

    // The data of the burst that has just ended: the next may begin in this cycle.
    reg f_watch_data = 1'b0;
    reg [F_DATA-1:0] f_rdata_kept;
    always @(posedge aclk) begin
        f_watch_data <= f_r_end;
        f_rdata_kept <= f_r_beat == F_BEAT ? m_axi_rdata : f_rdata;
    end

    // What makes these inductive: counters and rings say the same.
    integer f_i;
    wire [7:0] f_writes = f_addresses - aw_sent;
    reg [F_SLOT-1:0] f_r_far, f_w_far;
    always @* if (f_past) begin
        assert (f_r_beat < F_BEATS && f_w_beat < F_BEATS);
        if (F_BEATS > 1) assert (f_r_beat == `F_R_COUNT && f_w_beat == `F_W_COUNT);
        if (f_r_beat != 0) assert (f_reads != 0);
        if (aw_sent || w_sent || f_w_beat != 0) assert (write);
        if (w_sent) assert (f_w_beat == 0);
        assert (!(aw_sent && w_sent));
        assert (f_writes == f_bursts - w_sent && f_writes <= F_OUT);
        assert (f_addresses >= aw_sent && f_bursts >= w_sent);
        assert (r_tail == r_head + f_reads[F_SLOT-1:0] && w_tail == w_head + f_writes[F_SLOT-1:0]);
        for (f_i = 0; f_i < F_OUT; f_i = f_i + 1) begin
            f_r_far = f_i - r_head;
            f_w_far = f_i - w_head;
            assert (r_busy[f_i] == (f_r_far < f_reads));
            assert (w_busy[f_i] == (f_w_far < f_writes));
        end
        if (q_valid) assert (q_line == f_address[F_ADDRESS-1:F_LOG]);
        for (f_i = 0; f_i < F_BEATS; f_i = f_i + 1) begin
            if (f_i <= F_BEAT && q_valid && q_write && !w_sent && f_w_beat == f_i) begin
                assert (q_data[(F_BEAT-f_i)*F_DATA +: F_DATA] == f_wdata);
                assert (q_mask[(F_BEAT-f_i)*F_BYTES +: F_BYTES] == f_wmask);
            end
            if (f_i > F_BEAT && f_r_beat == f_i)
                assert (line[(F_BEATS-f_i+F_BEAT)*F_DATA +: F_DATA] == f_rdata);
        end
        if (f_watch_w) begin
            assert (f_ahead_w < f_writes && f_slot_w == w_head + f_ahead_w[F_SLOT-1:0]);
            assert (w_line[f_slot_w] == f_line[31:F_LOG]);
        end
        if (f_watch_r) begin
            assert (f_ahead_r < f_reads && f_slot_r == r_head + f_ahead_r[F_SLOT-1:0]);
            assert (r_line[f_slot_r] == f_line[31:F_LOG]);
        end
        // What the proof is about can happen.
        cover (f_reads == F_OUT);
        cover (f_bursts == F_OUT);
        cover (f_watch_w && mem_error);
        cover (f_watch_r && mem_rvalid);
    end
`endif
