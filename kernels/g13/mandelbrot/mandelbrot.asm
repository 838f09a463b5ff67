// mandelbrot: steps of z = z*z + c until |z|^2 > 4, for every pixel c, at most `limit`; and the
// smooth count steps + 2 - log2(log2 |z|^2) that shades without bands.
//
// Every lane leaves the loop at its own step: r0l becomes 2, the depth of the loop, and pop_exec
// takes the lane out; the SIMD-group goes on until its last lane has left.
// c = corner + pixel * pitch is exact in single precision with this view.
//
// Launch: 7 by 7 threadgroups of 10 by 7 threads (70: the third SIMD-group has 6), w = 64, h = 48: the
// last column and the last row of groups are cut.
// Uniforms: u0_u1 counts, u2_u3 smooth (byte addresses), u4 w, u5 h, u6 limit, u7 left, u8 pitch, u9 top,
// u10 -pitch.
// Result: counts and smooth, 3,072 words each.
.isa g13

    get_sr r1, sr80 (thread_position_in_grid.x)    // column
    get_sr r2, sr81 (thread_position_in_grid.y)    // row
    if_icmp r0l, ult, r1, u4, 1
    if_icmp r0l, ult, r2, u5, 1
    jmp_exec_none outside
    imadd r10, r2, u4, r1               // r10 = row * w + column

    convert u32_to_f, r3, r1, rte
    convert u32_to_f, r4, r2, rte
    fmadd32 r1, r3, u8, u7              // c = r1 + i r2
    fmadd32 r2, r4, u10, u9

    mov_imm r3, 0, 0b0                  // z = r3 + i r4
    mov_imm r4, 0, 0b0
    mov_imm r5, 0, 0b0                  // r5 = steps
    push_exec r0l, 2
step:
    fmul32 r6, r3, r3
    fmul32 r7, r4, r4
    fadd32 r8, r6, r7                   // r8 = |z|^2
    fcmpsel gt, r0l, r8, 4.0, 2, r0l    // escaped: break
    pop_exec r0l, 0
    icmpsel ueq, r0l, r5, u6, 2, r0l    // the limit: break
    pop_exec r0l, 0
    fadd32 r6, r6, r7.neg
    fadd32 r3, r3, r3
    fmadd32 r4, r3, r4, r2              // imaginary part: 2 x y + c
    fadd32 r3, r6, r1                   // real part: x x - y y + c
    iadd r5, r5, 1
    while_icmp r0l, ueq, 0, 0, 2        // for ever
    jmp_exec_any step
    pop_exec r0l, 2

    log2 r9, r8                         // NaN where |z| < 1: no pixel that escaped
    log2 r9, r9
    convert u32_to_f, r11, r5, rte
    fadd32 r12, r11, 2.0
    fadd32 r9, r12, r9.neg
    fcmpsel lte, r9, r8, 4.0, r11, r9   // never escaped: the limit itself

    device_store 0, i32, x, r5, u0_u1, r10, unsigned, 0
    device_store 0, i32, x, r9, u2_u3, r10, unsigned, 0
outside:
    pop_exec r0l, 2
    stop
