// reduction: out[group] = sum of the group's part of in[0..n].
//
// A tree in shared local memory whose stride halves from 64 to 1, a barrier before every step. The group is
// no power of two, so a work-item adds only when both elements exist: an if without else.
//
// Launch: 4 groups of 90 work-items (the sixth thread has 10), n = 333: 27 work-items contribute 0.
// Shared: 360 bytes, 90 words.
// Parameters: r4.0 in, r4.1 out, r4.2 n, r4.3 work-items of a group.
// Result: out, 4 words.

.isa ivb

    mul(1) g10<1>UD g0.1<0,1,0>UD g4.3<0,1,0>UD { align1 WE_all 1N };
    mov(16) g12<1>UD g1<8,8,1>UW { align1 1H };                         // t
    add(16) g14<1>UD g10<0,1,0>UD g12<8,8,1>UD { align1 1H };           // i
    cmp.l.f0.0(16) null<1>UD g14<8,8,1>UD g4.2<0,1,0>UD { align1 1H switch };
    shl(16) g14<1>UD g14<8,8,1>UD 0x00000002UD { align1 1H };
    add(16) g14<1>UD g14<8,8,1>UD g4<0,1,0>UD { align1 1H };
    mov(16) g18<1>UD 0x00000000UD { align1 1H };                        // this work-item's sum
    (+f0.0) send(16) g18<1>UD g14<8,8,1>UD 0x04215eff data { align1 1H };
    shl(16) g16<1>UD g12<8,8,1>UD 0x00000002UD { align1 1H };           // place of the sum
    send(16) null<1>UD g16<8,8,1>UD 0x08035efe data { align1 1H };
    mov(1) g11<1>UD 0x00000040UD { align1 WE_all 1N };                  // stride
step:
    send(8) null<1>UD g0<8,8,1>UD 0x02000004 gateway { align1 WE_all 1Q };
    wait(1) n0<1>UD { align1 WE_all 1N };
    add(16) g20<1>UD g12<8,8,1>UD g11<0,1,0>UD { align1 1H };           // t + stride
    cmp.l.f0.0(16) null<1>UD g12<8,8,1>UD g11<0,1,0>UD { align1 1H switch };
    (+f0.0) cmp.l.f0.0(16) null<1>UD g20<8,8,1>UD g4.3<0,1,0>UD { align1 1H switch };
    (+f0.0) if(16) JIP: added UIP: added { align1 1H };
    shl(16) g20<1>UD g20<8,8,1>UD 0x00000002UD { align1 1H };
    send(16) g22<1>UD g20<8,8,1>UD 0x04215efe data { align1 1H };
    add(16) g18<1>UD g18<8,8,1>UD g22<8,8,1>UD { align1 1H };
    send(16) null<1>UD g16<8,8,1>UD 0x08035efe data { align1 1H };
added:
    endif(16) JIP: 2 { align1 1H };
    shr.nz.f1.0(1) g11<1>UD g11<0,1,0>UD 0x00000001UD { align1 WE_all 1N };
    (+f1.0) jmpi(1) step { align1 WE_all 1N };

    cmp.z.f0.0(16) null<1>UD g12<8,8,1>UD 0x00000000UD { align1 1H switch };
    shl(1) g10<1>UD g0.1<0,1,0>UD 0x00000002UD { align1 WE_all 1N };
    add(16) g16<1>UD g10<0,1,0>UD g4.1<0,1,0>UD { align1 1H };
    (+f0.0) send(16) null<1>UD g16<8,8,1>UD 0x08035eff data { align1 1H };
    mov(8) g112<1>UD g0<8,8,1>UD { align1 WE_all 1Q };
    send(8) null<1>UW g112<8,8,1>UD 0x82000010 thread spawner { align1 WE_all 1Q EOT };
