// collatz: steps[i] and peak[i] of the sequence that starts at i + 1.
//
// Every lane loops until it reaches 1, at its own time, and halves or triples on its own: as
// divergent as a program gets. r0l counts: 1 in the branch not taken, 2 outside the loop.
//
// Launch: 3 threadgroups of 70 threads (the third SIMD-group has 6), n = 200.
// Uniforms: u0_u1 steps, u2_u3 peak (byte addresses), u4 n.
// Result: steps, 200 words, and peak, 200 words.
.isa g13

    get_sr r2, sr80 (thread_position_in_grid.x)
    if_icmp r0l, ult, r2, u4, 1
    jmp_exec_none outside
    iadd r3, r2, 1                      // r3 = value
    mov_imm r4, 0, 0b0                  // r4 = steps
    mov r5, r3                          // r5 = peak
    push_exec r0l, 2
    while_icmp r0l, nueq, r3, 1, 2
    jmp_exec_none done
step:
    and r6, r3, 1
    if_icmp r0l, nueq, r6, 0, 1
    jmp_exec_none even
    iadd r3, r3, r3, lsl 1
    iadd r3, r3, 1
even:
    else_icmp r0l, ueq, 0, 0, 1
    jmp_exec_none next
    bfeil r3, 0, r3, 1                  // shift right by 1
next:
    pop_exec r0l, 1
    icmpsel ugt, r5, r3, r5, r3, r5     // all together again
    iadd r4, r4, 1
    while_icmp r0l, nueq, r3, 1, 2
    jmp_exec_any step
done:
    pop_exec r0l, 2
    device_store 0, i32, x, r4, u0_u1, r2, unsigned, 0
    device_store 0, i32, x, r5, u2_u3, r2, unsigned, 0
outside:
    pop_exec r0l, 1
    stop
