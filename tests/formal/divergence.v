    // What the divergence unit promises. One warp, one level of its stack and one of its threads, any,
    // are followed. Which threads come back with an entry is held by tests/divergence.rs.
    reg f_begun = 1'b0;
    always @(posedge clock) f_begun <= 1'b1;
    always @* if (!f_begun) assume (reset);

    (* anyconst *) wire [WARP-1:0] f_warp;
    (* anyconst *) wire [L-1:0] f_level;
    (* anyconst *) wire [4:0] f_thread;

    // One operation of the followed warp at a time; it begins before it has one.
    wire f_taken = valid & ready;
    wire f_mine = f_taken & (warp == f_warp);
    wire f_start = start_valid & (start_warp == f_warp);
    wire f_given = result_valid & (result_warp == f_warp);
    wire f_holds = (executing | popping) & (held_warp == f_warp);
    reg f_started, f_under_way;
    always @(posedge clock) begin
        if (reset) f_started <= 1'b0;
        else if (f_start) f_started <= 1'b1;
        if (reset | (f_given & !f_mine)) f_under_way <= 1'b0;
        else if (f_mine) f_under_way <= 1'b1;
    end
    always @* begin
        if (valid) begin
            assume (op <= 3'd6);
            assume (marker <= 2'd2);
            if (op != 3'd0) assume (marker == 2'd0);
            assume ((exec & ~active) == 32'd0);
            assume (active != 32'd0);
        end
        if (f_mine) assume (f_started & (!f_under_way | f_given) & !f_start);
        if (f_start) assume (!f_under_way | f_given);
        // Only threads that run are active: results name no other (proved below for the followed one).
        if (f_mine) assume (!active[f_thread] | !f_out);
    end

    // Depth of the warp's stack, by its own count.
    wire f_push_op = (held_op[1] & (held_exec != 32'd0) & (held_exec != held_active)) | held_op[2] | held_op[4] | held_op[6];
    reg [6:0] f_depth;
    // The entry at the followed level, and whether the thread is out: it has ended, and only a new start
    // brings it back.
    reg [1:0] f_kind;
    reg [PC-1:0] f_pc;
    reg [31:0] f_mask;
    reg f_out;
    // The result is a trap; it is of a `.S`; the entry popped last is the followed one, and it is the
    // first that a `.S` pops: its threads go on behind it.
    reg f_trap, f_join, f_top, f_behind;
    reg [PC-1:0] f_next;
    // Cycles since the operation was taken.
    reg [6:0] f_wait;
    wire [PC-1:0] f_after = f_pc + 8;
    wire f_pops = popping & f_holds & (f_depth != 0);
    always @(posedge clock) begin
        f_wait <= f_mine ? 7'd0 : f_wait + 7'd1;
        if (f_start) begin
            f_depth <= 7'd0;
            f_out <= 1'b0;
        end
        if (executing & f_holds) begin
            f_trap <= (f_push_op & (f_depth == ENTRIES)) | (held_join & (f_depth == 0));
            f_join <= held_join;
            if (f_push_op & (f_depth != ENTRIES)) begin
                f_depth <= f_depth + 7'd1;
                if (f_depth == {{7-L{1'b0}}, f_level}) begin
                    f_kind <= held_op[1] ? 2'd0 : held_op[2] ? 2'd1 : held_op[4] ? 2'd2 : 2'd3;
                    f_pc <= (held_op[1] | held_op[2]) ? held_next : held_target;
                    f_mask <= held_op[1] ? held_active & ~held_exec : held_active;
                end
            end
            if (held_exit & held_active[f_thread]) f_out <= 1'b1;
        end
        if (f_pops) f_depth <= f_depth - 7'd1;
        f_top <= f_pops & (f_depth == {{7-L{1'b0}}, f_level} + 7'd1);
        f_behind <= f_pops & held_join & (f_wait == 7'd1);
        f_next <= held_next;
    end

    assign f_threads_addr = f_warp;
    assign f_depths_addr = f_warp;
    assign f_stack_addr = {f_warp, f_level};
    wire f_new = fresh[f_warp];

    always @* if (f_begun) begin
        // Each operation has one result, and nothing else has.
        if (f_started) begin
            assert (f_depth <= ENTRIES);
            assert (f_under_way == (f_holds | f_given));
            assert (!(f_holds & f_given));
            if (f_new) begin
                assert (f_depth == 7'd0);
                assert (!f_out);
                assert (!f_holds);
            end else if (!f_holds) begin
                // What the memories hold of the warp.
                assert (f_depths_data == f_depth);
                if (f_out) assert (f_threads_data[f_thread] & f_threads_data[32 + f_thread]);
            end
            if (f_holds) begin
                assert (!fresh[f_warp]);
                assert (held_depth == f_depth);
                if (f_out) assert (low[f_thread] & high[f_thread]);
                if (executing) begin
                    assert (f_wait == 7'd0);
                    assert (!(f_out & held_active[f_thread]));
                end
                assert ((held_exec & ~held_active) == 32'd0);
                assert (held_op != 7'd0 && (held_op & (held_op - 7'd1)) == 7'd0);
                assert (held_may_pop == (held_op[3] | held_op[5] | held_exit | held_join));
                assert (!(held_exit & held_join));
                if (held_exit | held_join) assert (held_op[0]);
                // Two cycles, and one more for each further entry: it ends.
                if (popping) assert (held_may_pop && f_wait >= 7'd1 && f_wait + f_depth <= ENTRIES + 1);
                if (popping) assert (!f_trap && !trap && depth == f_depth && f_join == held_join);
                if (popping) assert (joining == (held_join & (f_wait == 7'd1)));
                if (popping) assert (f_depths_data == f_depth);
            end
            // Last in, first out: the level is as it was pushed for as long as it is on the stack.
            if (!f_new & (f_depth > {{7-L{1'b0}}, f_level}))
                assert (f_stack_data == {f_kind, f_pc, f_mask});
            // The word read is that of the top.
            if (popping & f_holds & (f_depth == {{7-L{1'b0}}, f_level} + 7'd1))
                assert (stack_rdata_0 == {f_kind, f_pc, f_mask});
        end
        if (f_holds | f_given) assert (f_started);
        if (popping) assert (warp_of == held_warp);
        if (!f_started) assert (!f_under_way);
        if (f_given) begin
            assert (f_wait <= ENTRIES + 2);
            assert (result_depth == f_depth);
            assert (result_trap == f_trap);
            if (f_trap) assert (result_cause == (f_join ? 4'd7 : 4'd6));
            else begin
                // A thread that has ended does not come back.
                assert (!(f_out & result_mask[f_thread]));
                if (result_finished) assert (f_depth == 7'd0 && !f_top);
                // The entry popped last is what the warp goes on with: no thread from anywhere else.
                if (f_top) begin
                    assert ((result_mask & ~f_mask) == 32'd0);
                    assert (result_pc == (f_kind != 2'd3 ? f_pc : f_behind ? f_next : f_after));
                end
            end
        end
        assert (busy == (executing | popping | given));
    end
    always @* cover (f_begun & f_given & f_top & (f_wait == 7'd3) & (f_level == 1));
