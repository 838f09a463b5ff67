// matmul_float_tiled: C = A * B, A is m by k, B is k by n, row-major floats, in tiles of 10 by 10.
//
// A and B tiles lie in shared local memory, a row each 40 bytes, B's from byte 400 on. Elements beyond a
// matrix are 0 and add nothing. Threads of 16 work-items: the last of a group has 4. mad rounds once.
//
// Launch: 5 by 4 groups of 10 by 10 work-items, m = 36, k = 53, n = 47.
// Shared: 800 bytes.
// Parameters: r4.0 A, r4.1 B, r4.2 C, r4.3 m, r4.4 k, r4.5 n.
// Result: C, 36 by 47 floats.

.isa ivb

    mul(1) g10<1>UD g0.1<0,1,0>UD 0x0000000aUD { align1 WE_all 1N };
    mul(1) g10.1<1>UD g0.6<0,1,0>UD 0x0000000aUD { align1 WE_all 1N };
    mov(16) g12<1>UD g1<8,8,1>UW { align1 1H };                         // tx
    mov(16) g14<1>UD g2<8,8,1>UW { align1 1H };                         // ty
    add(16) g16<1>UD g10<0,1,0>UD g12<8,8,1>UD { align1 1H };           // column
    add(16) g18<1>UD g10.1<0,1,0>UD g14<8,8,1>UD { align1 1H };         // row
    mul(16) g20<1>UD g18<8,8,1>UD g4.4<0,1,0>UD { align1 1H };          // row * k
    mul(16) g22<1>UD g14<8,8,1>UD 0x00000028UD { align1 1H };           // ty * 40
    shl(16) g24<1>UD g12<8,8,1>UD 0x00000002UD { align1 1H };           // tx * 4
    mov(16) g26<1>F 0x0F { align1 1H };                                 // sum
    mov(1) g11<1>UD 0x00000000UD { align1 WE_all 1N };                  // first
tile:
    // A[row][first + tx], or 0.
    add(16) g30<1>UD g12<8,8,1>UD g11<0,1,0>UD { align1 1H };
    cmp.l.f0.0(16) null<1>UD g18<8,8,1>UD g4.3<0,1,0>UD { align1 1H switch };
    (+f0.0) cmp.l.f0.0(16) null<1>UD g30<8,8,1>UD g4.4<0,1,0>UD { align1 1H switch };
    add(16) g30<1>UD g30<8,8,1>UD g20<8,8,1>UD { align1 1H };
    shl(16) g30<1>UD g30<8,8,1>UD 0x00000002UD { align1 1H };
    add(16) g30<1>UD g30<8,8,1>UD g4<0,1,0>UD { align1 1H };
    mov(16) g34<1>F 0x0F { align1 1H };
    (+f0.0) send(16) g34<1>UD g30<8,8,1>UD 0x04215eff data { align1 1H };
    add(16) g32<1>UD g22<8,8,1>UD g24<8,8,1>UD { align1 1H };
    send(16) null<1>UD g32<8,8,1>UD 0x08035efe data { align1 1H };
    // B[first + ty][column], or 0.
    add(16) g30<1>UD g14<8,8,1>UD g11<0,1,0>UD { align1 1H };
    cmp.l.f0.0(16) null<1>UD g16<8,8,1>UD g4.5<0,1,0>UD { align1 1H switch };
    (+f0.0) cmp.l.f0.0(16) null<1>UD g30<8,8,1>UD g4.4<0,1,0>UD { align1 1H switch };
    mul(16) g30<1>UD g30<8,8,1>UD g4.5<0,1,0>UD { align1 1H };
    add(16) g30<1>UD g30<8,8,1>UD g16<8,8,1>UD { align1 1H };
    shl(16) g30<1>UD g30<8,8,1>UD 0x00000002UD { align1 1H };
    add(16) g30<1>UD g30<8,8,1>UD g4.1<0,1,0>UD { align1 1H };
    mov(16) g34<1>F 0x0F { align1 1H };
    (+f0.0) send(16) g34<1>UD g30<8,8,1>UD 0x04215eff data { align1 1H };
    add(16) g32<1>UD g32<8,8,1>UD 0x00000190UD { align1 1H };
    send(16) null<1>UD g32<8,8,1>UD 0x08035efe data { align1 1H };

    send(8) null<1>UD g0<8,8,1>UD 0x02000004 gateway { align1 WE_all 1Q };
    wait(1) n0<1>UD { align1 WE_all 1N };
    mov(16) g30<1>UD g22<8,8,1>UD { align1 1H };                        // of A, along the row
    add(16) g32<1>UD g24<8,8,1>UD 0x00000190UD { align1 1H };           // of B, down the column
    mov(1) g11.1<1>UD 0x0000000aUD { align1 WE_all 1N };
term:
    send(16) g34<1>UD g30<8,8,1>UD 0x04215efe data { align1 1H };
    send(16) g36<1>UD g32<8,8,1>UD 0x04215efe data { align1 1H };
    mad(8) g26<1>F g26<4,4,1>F g34<4,4,1>F g36<4,4,1>F { align16 1Q };
    mad(8) g27<1>F g27<4,4,1>F g35<4,4,1>F g37<4,4,1>F { align16 2Q };
    add(16) g30<1>UD g30<8,8,1>UD 0x00000004UD { align1 1H };
    add(16) g32<1>UD g32<8,8,1>UD 0x00000028UD { align1 1H };
    add.nz.f1.0(1) g11.1<1>D g11.1<0,1,0>D -1D { align1 WE_all 1N };
    (+f1.0) jmpi(1) term { align1 WE_all 1N };
    send(8) null<1>UD g0<8,8,1>UD 0x02000004 gateway { align1 WE_all 1Q };
    wait(1) n0<1>UD { align1 WE_all 1N };
    add(1) g11<1>UD g11<0,1,0>UD 0x0000000aUD { align1 WE_all 1N };
    cmp.l.f1.0(1) null<1>UD g11<0,1,0>UD g4.4<0,1,0>UD { align1 WE_all 1N switch };
    (+f1.0) jmpi(1) tile { align1 WE_all 1N };

    cmp.l.f0.0(16) null<1>UD g18<8,8,1>UD g4.3<0,1,0>UD { align1 1H switch };
    (+f0.0) cmp.l.f0.0(16) null<1>UD g16<8,8,1>UD g4.5<0,1,0>UD { align1 1H switch };
    mul(16) g32<1>UD g18<8,8,1>UD g4.5<0,1,0>UD { align1 1H };
    add(16) g32<1>UD g32<8,8,1>UD g16<8,8,1>UD { align1 1H };
    shl(16) g32<1>UD g32<8,8,1>UD 0x00000002UD { align1 1H };
    add(16) g32<1>UD g32<8,8,1>UD g4.2<0,1,0>UD { align1 1H };
    mov(16) g34<1>F g26<8,8,1>F { align1 1H };
    (+f0.0) send(16) null<1>UD g32<8,8,1>UD 0x08035eff data { align1 1H };
    mov(8) g112<1>UD g0<8,8,1>UD { align1 WE_all 1Q };
    send(8) null<1>UW g112<8,8,1>UD 0x82000010 thread spawner { align1 WE_all 1Q EOT };
