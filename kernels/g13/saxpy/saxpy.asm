// saxpy: y[i] = a * x[i] + y[i] for i < n, in place.
//
// A thread serves the elements i, i + stride, ...: a loop that is left lane by lane.
//
// Launch: 4 threadgroups of 75 threads (the third SIMD-group has 11), n = 557: 43 threads have one element.
// Uniforms: u0_u1 x, u2_u3 y (byte addresses), u4 n, u5 a (a float), u6 stride (threads of the grid).
// Result: y, 557 floats, each rounded once; the words behind it stay 0.
.isa g13

    get_sr r2, sr80 (thread_position_in_grid.x)
    push_exec r0l, 2
    while_icmp r0l, ult, r2, u4, 2
    jmp_exec_none done
element:
    device_load 0, i32, x, r3, u0_u1, r2, unsigned
    device_load 0, i32, x, r4, u2_u3, r2, unsigned
    wait 0
    fmadd32 r4, u5, r3.discard, r4
    device_store 0, i32, x, r4, u2_u3, r2, unsigned, 0
    iadd r2, r2, u6
    while_icmp r0l, ult, r2, u4, 2
    jmp_exec_any element
done:
    pop_exec r0l, 2
    stop
