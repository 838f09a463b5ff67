// histogram: counts[bin] of the low four bits of all words, and the largest word.
//
// Every thread takes the next word until none is left (an atomic sum on the number of words taken), counts it in its
// bin and compares it with the largest one seen. Which thread takes which word depends on the chip, the result does not.
//
// Launch: 3 threadgroups of 50 threads (the second SIMD-group has 18), n = 1000. Uniforms: u0_u1 in, u2_u3 counts,
// u4_u5 taken (byte addresses), u6 n; behind taken is the largest word.
.isa g13

    mov_imm r3, 1, 0b0
    push_exec r0l, 2
take:
    atomic add, 0, r4, u4_u5, 0, signed, r3, 1, 0, 1, 4, 2      // r4 = index of the word
    while_icmp r0l, ult, r4, u6, 2
    device_load 0, i32, x, r5, u0_u1, r4, unsigned              // r5 = the word
    wait 0
    and r6, r5, 15
    atomic add, 0, _, u2_u3, r6, unsigned, r3, 1, 0, 1, 4, 2
    atomic umax, 0, _, u4_u5, 1, signed, r5, 1, 0, 1, 4, 2
    jmp_exec_any take
    pop_exec r0l, 2
    stop
