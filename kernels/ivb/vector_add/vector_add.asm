// vector_add: c[i] = a[i] + b[i] for i < n.
//
// A thread has 16 work-items. Those beyond n take no part in the messages: their flag is 0.
//
// Launch: 5 groups of 45 work-items (the third thread has 13).
// Parameters: r4.0 a, r4.1 b, r4.2 c, r4.3 n, r4.4 work-items of a group.
// Result: c, 215 words.

.isa ivb

    mul(1) g10<1>UD g0.1<0,1,0>UD g4.4<0,1,0>UD { align1 WE_all 1N };
    add(16) g12<1>UD g10<0,1,0>UD g1<8,8,1>UW { align1 1H };            // i
    cmp.l.f0.0(16) null<1>UD g12<8,8,1>UD g4.3<0,1,0>UD { align1 1H switch };
    shl(16) g12<1>UD g12<8,8,1>UD 0x00000002UD { align1 1H };
    add(16) g14<1>UD g12<8,8,1>UD g4<0,1,0>UD { align1 1H };
    add(16) g16<1>UD g12<8,8,1>UD g4.1<0,1,0>UD { align1 1H };
    add(16) g18<1>UD g12<8,8,1>UD g4.2<0,1,0>UD { align1 1H };
    (+f0.0) send(16) g20<1>UD g14<8,8,1>UD 0x04215eff data { align1 1H };
    (+f0.0) send(16) g22<1>UD g16<8,8,1>UD 0x04215eff data { align1 1H };
    add(16) g20<1>UD g20<8,8,1>UD g22<8,8,1>UD { align1 1H };
    (+f0.0) send(16) null<1>UD g18<8,8,1>UD 0x08035eff data { align1 1H };
    mov(8) g112<1>UD g0<8,8,1>UD { align1 WE_all 1Q };
    send(8) null<1>UW g112<8,8,1>UD 0x82000010 thread spawner { align1 WE_all 1Q EOT };
