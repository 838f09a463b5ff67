// vector_add: c[i] = a[i] + b[i] for i < n.
//
// Launch: 5 threadgroups of 45 threads (a full SIMD-group and one of 13), n = 215: the last 10 threads
// of the grid do nothing.
// Uniforms: u0_u1 a, u2_u3 b, u4_u5 c (byte addresses), u6 n.
// Result: c, 215 words; the words behind it stay 0.
.isa g13

    get_sr r2, sr80 (thread_position_in_grid.x)
    if_icmp r0l, ult, r2, u6, 1
    jmp_exec_none done
    device_load 0, i32, x, r3, u0_u1, r2, unsigned
    device_load 0, i32, x, r4, u2_u3, r2, unsigned
    wait 0
    iadd r3, r3.discard, r4.discard
    device_store 0, i32, x, r3, u4_u5, r2, unsigned, 0
done:
    pop_exec r0l, 1
    stop
