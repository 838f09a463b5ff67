// saxpy: y[i] = a * x[i] + y[i] for i < n, in place.
//
// A work-item serves two elements, as many apart as the grid has work-items. The second round of the loop
// is the same code with the flag of the elements that exist; mad rounds once.
//
// Launch: 4 groups of 75 work-items (the fifth thread has 11).
// Parameters: r4.0 x, r4.1 y, r4.2 n, r4.3 a, r4.4 work-items of a group, r4.5 of the grid.
// Result: y, 557 floats.

.isa ivb

    mul(1) g10<1>UD g0.1<0,1,0>UD g4.4<0,1,0>UD { align1 WE_all 1N };
    add(16) g12<1>UD g10<0,1,0>UD g1<8,8,1>UW { align1 1H };            // i
round:
    cmp.l.f0.0(16) null<1>UD g12<8,8,1>UD g4.2<0,1,0>UD { align1 1H switch };
    shl(16) g14<1>UD g12<8,8,1>UD 0x00000002UD { align1 1H };
    add(16) g16<1>UD g14<8,8,1>UD g4<0,1,0>UD { align1 1H };
    add(16) g18<1>UD g14<8,8,1>UD g4.1<0,1,0>UD { align1 1H };
    (+f0.0) send(16) g20<1>UD g16<8,8,1>UD 0x04215eff data { align1 1H };
    (+f0.0) send(16) g22<1>UD g18<8,8,1>UD 0x04215eff data { align1 1H };
    mad(8) g20<1>F g22<4,4,1>F g20<4,4,1>F g4.3<0,1,0>F { align16 1Q };
    mad(8) g21<1>F g23<4,4,1>F g21<4,4,1>F g4.3<0,1,0>F { align16 2Q };
    (+f0.0) send(16) null<1>UD g18<8,8,1>UD 0x08035eff data { align1 1H };
    add(16) g12<1>UD g12<8,8,1>UD g4.5<0,1,0>UD { align1 1H };
    cmp.l.f0.1(16) null<1>UD g12<8,8,1>UD g4.2<0,1,0>UD { align1 1H switch };
    (+f0.1) while(16) JIP: round { align1 1H };
    mov(8) g112<1>UD g0<8,8,1>UD { align1 WE_all 1Q };
    send(8) null<1>UW g112<8,8,1>UD 0x82000010 thread spawner { align1 WE_all 1Q EOT };
