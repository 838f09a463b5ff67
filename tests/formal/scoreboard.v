    // What the scoreboard promises. One slot of one warp, any, is followed; what it will write is
    // worked out here from the instruction that took it. One register, any, stands for all.
    reg f_begun = 1'b0;
    always @(posedge clock) f_begun <= 1'b1;
    always @* if (!f_begun) assume (reset);

    (* anyconst *) wire [WARP-1:0] f_warp;
    (* anyconst *) wire [1:0] f_slot;
    (* anyconst *) wire [6:0] f_r;
    (* anyconst *) wire [2:0] f_a;
    (* anyconst *) wire [1:0] f_c;

    reg [WARP-1:0] f_came;
    always @(posedge clock) if (step) f_came <= coming;
    always @* assume (warp == f_came);
    // Its register numbers came with it, those of halves with the half as their last bit. Only the
    // destination of an address register, which is no general one, is numbered otherwise.
    reg [6:0] f_r1, f_r2, f_number_3, f_number_dst;
    reg f_half_3, f_half_dst;
    always @(posedge clock) if (step) begin
        f_r1 <= n_s1_half ? number_r1 >> 1 : number_r1;
        f_r2 <= n_s2_half ? number_r2 >> 1 : number_r2;
        {f_number_3, f_number_dst} <= {number_r3, number_dst};
        {f_half_3, f_half_dst} <= {n_s3_half, n_dst_half};
    end
    wire [6:0] f_r3 = f_half_3 ? f_number_3 >> 1 : f_number_3;
    wire [6:0] f_dst = f_half_dst ? f_number_dst >> 1 : f_number_dst;
    always @* if (c_dst_kind != 2'd2) assume (c_dst == f_dst);
    // An instruction stands before the scoreboard: since it came, until it goes.
    reg f_asks;
    always @(posedge clock) f_asks <= !reset & (step | (f_asks & !allocate));

    // Decode and pipeline keep their side: nothing goes that must wait, nothing completes that is not
    // under way.
    always @* begin
        if (allocate) assume (!hazard);
        // Who asks goes once. Who comes is another warp than who goes in that cycle.
        if (allocate) assume (f_asks);
        if (allocate & step) assume (coming != warp);
        if (free_valid) assume (taken[{free_warp, free_slot}]);
        if (done_valid) assume (taken[{done_warp, done_slot}]);
    end

    // Registers of the instruction in decode: 64- and 128-bit accesses of global and local memory
    // have two and four.
    wire f_sized = (c_mem >= 3'd2) & (c_mem <= 3'd5);
    wire [6:0] f_more = !f_sized ? 7'd0 : c_mem_size == 3'd5 ? 7'd3 : c_mem_size == 3'd4 ? 7'd1 : 7'd0;
    // Those are of whole registers.
    always @* if (f_more != 0) assume (!f_half_3 & !f_half_dst);
    wire [6:0] f_from_dst = f_r - c_dst, f_from_r3 = f_r - f_r3;
    wire f_writes_r = (c_dst_kind == 2'd1) & (f_from_dst <= f_more);
    wire f_writes_c = c_flags_we & (c_cdst == f_c);
    wire f_writes_a = ((c_dst_kind == 2'd2) & (c_dst[2:0] == f_a)) | (c_post_inc & (c_areg == f_a));
    wire f_reads_r = (c_use1 & (f_r1 == f_r)) | (c_use2 & (f_r2 == f_r)) | (c_use3 & (f_from_r3 <= f_more));
    wire f_reads_c = c_use_cc & (c_cc == f_c);
    wire f_reads_a = c_use_areg & (c_areg == f_a);

    // The followed slot: whether it will write the register, the flags, the address register.
    wire f_takes = allocate & (warp == f_warp) & (slot == f_slot);
    wire f_leaves = (free_valid & (free_warp == f_warp) & (free_slot == f_slot))
                  | (done_valid & (done_warp == f_warp) & (done_slot == f_slot));
    reg f_live, f_will_r, f_will_c, f_will_a;
    reg f_others; // another slot of the warp is taken
    always @(posedge clock) begin
        if (reset | clear) f_live <= 1'b0;
        else if (f_takes) begin
            f_live <= 1'b1;
            f_will_r <= f_writes_r;
            f_will_c <= f_writes_c;
            f_will_a <= f_writes_a;
        end else if (f_leaves) f_live <= 1'b0;
    end

    // The word kept for it.
    assign f_entries_0_addr = f_warp;
    assign f_entries_1_addr = f_warp;
    assign f_entries_2_addr = f_warp;
    assign f_entries_3_addr = f_warp;
    wire [22:0] f_e = f_slot == 2'd0 ? f_entries_0_data : f_slot == 2'd1 ? f_entries_1_data
                    : f_slot == 2'd2 ? f_entries_2_data : f_entries_3_data;
    wire [6:0] f_place = f_r - f_e[7:1];
    // What it is against the registers of the instruction that asks.
    wire [6:0] f_more_there = {5'd0, f_e[9:8]};
    wire [6:0] f_at_1 = f_r1 - f_e[7:1], f_at_2 = f_r2 - f_e[7:1], f_at_3 = f_r3 - f_e[7:1], f_at_dst = f_dst - f_e[7:1];
    wire [6:0] f_by_3 = f_e[7:1] - f_number_3, f_by_dst = f_e[7:1] - f_number_dst;
    wire [22:0] f_against = {f_e[22:10],
        f_by_dst[1:0], f_e[0] & (f_by_dst < 4) & !f_half_dst,
        f_by_3[1:0], f_e[0] & (f_by_3 < 4) & !f_half_3,
        {4{f_e[0]}} & {f_at_dst <= f_more_there, f_at_3 <= f_more_there, f_at_2 <= f_more_there, f_at_1 <= f_more_there}};

    always @* if (f_begun) begin
        // Taken is what was given and not given back.
        assert (taken[{f_warp, f_slot}] == f_live);
        if (f_asks) assert (mine == taken[{warp, 2'd0} +: 4]);
        assert (busy[f_warp] == |taken[{f_warp, 2'd0} +: 4]);
        if (f_live) begin
            // What was found a cycle ahead still stands.
            if (f_asks & (warp == f_warp))
                assert (f_against == (f_slot == 2'd0 ? held_0 : f_slot == 2'd1 ? held_1 : f_slot == 2'd2 ? held_2 : held_3));
            assert (f_will_r == (f_e[0] & (f_place <= {5'd0, f_e[9:8]})));
            assert (f_will_c == (f_e[10] & (f_e[12:11] == f_c)));
            assert (f_will_a == ((f_e[13] & (f_e[16:14] == f_a)) | (f_e[17] & (f_e[20:18] == f_a))));
            if (f_asks & (warp == f_warp)) begin
                // Read after write, write after write.
                if (f_will_r & (f_reads_r | f_writes_r)) assert (hazard);
                if (f_will_c & (f_reads_c | f_writes_c)) assert (hazard);
                if (f_will_a & (f_reads_a | f_writes_a)) assert (hazard);
                // A slot is given once.
                if (!hazard) assert (slot != f_slot);
            end
        end
        // A warp with nothing under way never waits; one whose slots are all taken always does.
        if (f_asks & !busy[warp]) assert (!hazard);
        if (f_asks & (taken[{warp, 2'd0} +: 4] == 4'hf)) assert (hazard);
    end
    always @* cover (f_begun & f_live & f_will_r & (warp == f_warp) & hazard & f_reads_r & (f_place == 7'd3));
