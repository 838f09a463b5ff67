// reduction: out[group] = sum of the threadgroup's part of in[0..n].
//
// A tree in threadgroup memory whose stride halves from 64 to 1, a barrier before every step. The
// group is no power of two, so a thread adds only when both elements exist.
//
// Launch: 4 threadgroups of 90 threads (the third SIMD-group has 26), n = 333: 27 threads contribute 0.
// Threadgroup memory: 90 words. Uniforms: u0_u1 in, u2_u3 out (byte addresses), u4 n.
// Result: out, 4 words.
.isa g13

    get_sr r2, sr80 (thread_position_in_grid.x)
    get_sr r3, sr51 (thread_index_in_threadgroup)
    get_sr r4, sr4 (threads_per_threadgroup.x)
    bfi r1l, 0, r3, 2                   // r1l = 4 * index: shift left by 2
    mov_imm r5, 0, 0b0                  // r5 = this thread's sum
    if_icmp r0l, ult, r2, u4, 1
    device_load 0, i32, x, r5, u0_u1, r2, unsigned
    wait 0
    pop_exec r0l, 1
    threadgroup_store i32, x, r5, r1l, 0
    mov_imm r6, 64, 0b0                 // r6 = stride
    push_exec r0l, 2
step:
    threadgroup_barrier
    iadd r7, r3, r6
    if_icmp r0l, ult, r3, r6, 1         // index < stride
    if_icmp r0l, ult, r7, r4, 1         // index + stride < threads
    bfi r1h, 0, r7, 2
    threadgroup_load i32, x, r8, r1h, 0
    iadd r5, r5, r8.discard
    threadgroup_store i32, x, r5, r1l, 0
    pop_exec r0l, 2
    bfeil r6, 0, r6, 1                  // shift right by 1
    while_icmp r0l, nueq, r6, 0, 2
    jmp_exec_any step
    pop_exec r0l, 2

    if_icmp r0l, ueq, r3, 0, 1          // thread 0 alone writes
    get_sr r2, sr0 (threadgroup_position_in_grid.x)
    device_store 0, i32, x, r5, u2_u3, r2, unsigned, 0
    pop_exec r0l, 1
    stop
