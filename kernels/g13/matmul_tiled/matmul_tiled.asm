// matmul_tiled: C = A * B on integers, A is m by k, B is k by n, row-major.
//
// Tiles of 7 by 7 pass through threadgroup memory: a threadgroup computes one tile of C. Elements
// beyond a matrix load as 0. A row of A's tile is read four words at a time.
//
// Launch: 4 by 3 threadgroups of 7 by 7 threads (49: the second SIMD-group has 17), m = 19, k = 17, n = 23.
// Threadgroup memory: 392 bytes: A's tile from 0, B's from 196.
// Uniforms: u0_u1 A, u2_u3 B, u4_u5 C (byte addresses), u6 m, u7 k, u8 n.
// Result: C, 437 words.
.isa g13

    get_sr r2, sr48 (thread_position_in_threadgroup.x)
    get_sr r3, sr49 (thread_position_in_threadgroup.y)
    get_sr r4, sr80 (thread_position_in_grid.x)    // column of C
    get_sr r5, sr81 (thread_position_in_grid.y)    // row of C
    imadd r6l, r3l, 7, r2               // place in a tile
    bfi r6l, 0, r6l, 2                  // its bytes in A's tile
    iadd r6h, r6l, 196                  // its bytes in B's tile
    imadd r7l, r3l, 28, 0               // start of row y of A's tile
    bfi r7h, 0, r2, 2                   // start of column x of B's tile, less 196
    mov_imm r8, 0, 0b0                  // r8 = sum
    mov_imm r9, 0, 0b0                  // r9 = first k of the tile
    push_exec r0l, 2
tile:
    iadd r10, r9, r2                    // A[row][k0 + x]
    imadd r11, r5, u7, r10
    mov_imm r12, 0, 0b0
    if_icmp r0l, ult, r10, u7, 1
    if_icmp r0l, ult, r5, u6, 1
    device_load 0, i32, x, r12, u0_u1, r11, unsigned
    wait 0
    pop_exec r0l, 2
    threadgroup_store i32, x, r12, r6l, 0

    iadd r10, r9, r3                    // B[k0 + y][column]
    imadd r11, r10, u8, r4
    mov_imm r12, 0, 0b0
    if_icmp r0l, ult, r10, u7, 1
    if_icmp r0l, ult, r4, u8, 1
    device_load 0, i32, x, r12, u2_u3, r11, unsigned
    wait 0
    pop_exec r0l, 2
    threadgroup_store i32, x, r12, r6h, 0
    threadgroup_barrier

    threadgroup_load i32, xyzw, r12_r13_r14_r15, r7l, 0
    threadgroup_load i32, xyz, r16_r17_r18, r7l, 4
    threadgroup_load i32, x, r20, r7h, 49
    threadgroup_load i32, x, r21, r7h, 56
    threadgroup_load i32, x, r22, r7h, 63
    threadgroup_load i32, x, r23, r7h, 70
    threadgroup_load i32, x, r24, r7h, 77
    threadgroup_load i32, x, r25, r7h, 84
    threadgroup_load i32, x, r26, r7h, 91
    imadd r8, r12.discard, r20.discard, r8
    imadd r8, r13.discard, r21.discard, r8
    imadd r8, r14.discard, r22.discard, r8
    imadd r8, r15.discard, r23.discard, r8
    imadd r8, r16.discard, r24.discard, r8
    imadd r8, r17.discard, r25.discard, r8
    imadd r8, r18.discard, r26.discard, r8
    threadgroup_barrier                 // everyone has read the tiles

    iadd r9, r9, 7
    while_icmp r0l, ult, r9, u7, 2
    jmp_exec_any tile
    pop_exec r0l, 2

    if_icmp r0l, ult, r5, u6, 1
    if_icmp r0l, ult, r4, u8, 1
    imadd r11, r5, u8, r4
    device_store 0, i32, x, r8, u4_u5, r11, unsigned, 0
    pop_exec r0l, 2
    stop
