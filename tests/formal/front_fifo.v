    // What the queue promises, whose oldest word stands in a register. One word, any, is followed from
    // its entry to its exit.
    reg f_begun = 1'b0;
    always @(posedge clock) f_begun <= 1'b1;
    always @* if (!f_begun) assume (reset);

    (* anyseq *) wire f_pick;
    wire f_in = in_valid & in_ready;
    wire f_out = out_valid & out_ready;
    // Words inside, by what went in and out.
    reg [P+1:0] f_count;
    always @(posedge clock) f_count <= reset ? 0 : f_count + f_in - f_out;
    reg f_followed;
    reg [P+1:0] f_before;
    reg [W-1:0] f_word;
    assign f_words_addr = head[P-1:0] + f_before[P-1:0] - 1'b1;
    always @(posedge clock) begin
        if (reset) f_followed <= 1'b0;
        else if (!f_followed) begin
            if (f_in & f_pick) begin
                f_followed <= 1'b1;
                f_before <= f_count - f_out;
                f_word <= in_data;
            end
        end else if (f_out) begin
            f_before <= f_before - 1'b1;
            if (f_before == 0) f_followed <= 1'b0;
        end
    end

    always @* if (f_begun) begin
        assert (f_count == ((tail - head) & (2 * DEPTH - 1)) + valid);
        assert (in_ready == (f_count != DEPTH));
        assert (out_valid == (f_count != 0));
        if (f_followed) begin
            // It is in the queue, at its place, as it came.
            assert (f_before < f_count);
            assert (f_before == 0 ? front == f_word : f_words_data == f_word);
            // And it leaves as it came.
            if (f_before == 0) assert (out_valid && out_data == f_word);
        end
    end
    // The proof is not about an empty set: a followed word leaves a queue that was full.
    reg f_full;
    always @(posedge clock) f_full <= ~reset & (f_full | (f_count == DEPTH));
    always @* cover (f_begun & f_full & f_followed & f_out & (f_before == 0));
