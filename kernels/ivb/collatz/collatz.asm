// collatz: steps[i] and peak[i] of the sequence that starts at i + 1.
//
// Every work-item loops until it reaches 1, at its own time (break), and halves or triples on its own (if,
// else): as divergent as a program gets.
//
// Launch: 3 groups of 70 work-items (the fifth thread has 6), n = 200.
// Parameters: r4.0 steps, r4.1 peak, r4.2 n, r4.3 work-items of a group.
// Result: steps, 200 words, and peak, 200 words.

.isa ivb

    mul(1) g10<1>UD g0.1<0,1,0>UD g4.3<0,1,0>UD { align1 WE_all 1N };
    add(16) g12<1>UD g10<0,1,0>UD g1<8,8,1>UW { align1 1H };            // i
    cmp.ge.f0.0(16) null<1>UD g12<8,8,1>UD g4.2<0,1,0>UD { align1 1H switch };
    (+f0.0) halt(16) JIP: end UIP: end { align1 1H };                   // no such start
    add(16) g14<1>UD g12<8,8,1>UD 0x00000001UD { align1 1H };           // value
    mov(16) g16<1>UD g14<8,8,1>UD { align1 1H };                        // peak
    mov(16) g18<1>UD 0x00000000UD { align1 1H };                        // steps
step:
    cmp.z.f0.0(16) null<1>UD g14<8,8,1>UD 0x00000001UD { align1 1H switch };
    (+f0.0) break(16) JIP: next UIP: next { align1 1H };
    and.nz.f0.0(16) null<1>UD g14<8,8,1>UD 0x00000001UD { align1 1H };
    (+f0.0) if(16) JIP: even UIP: together { align1 1H };
    shl(16) g20<1>UD g14<8,8,1>UD 0x00000001UD { align1 1H };
    add(16) g14<1>UD g14<8,8,1>UD g20<8,8,1>UD { align1 1H };
    add(16) g14<1>UD g14<8,8,1>UD 0x00000001UD { align1 1H };
    else(16) JIP: together { align1 1H };
even:
    shr(16) g14<1>UD g14<8,8,1>UD 0x00000001UD { align1 1H };
together:
    endif(16) JIP: next { align1 1H };
    sel.ge(16) g16<1>UD g16<8,8,1>UD g14<8,8,1>UD { align1 1H };
    add(16) g18<1>UD g18<8,8,1>UD 0x00000001UD { align1 1H };
next:
    while(16) JIP: step { align1 1H };

    shl(16) g12<1>UD g12<8,8,1>UD 0x00000002UD { align1 1H };
    add(16) g20<1>UD g12<8,8,1>UD g4<0,1,0>UD { align1 1H };
    mov(16) g22<1>UD g18<8,8,1>UD { align1 1H };
    send(16) null<1>UD g20<8,8,1>UD 0x08035eff data { align1 1H };
    add(16) g20<1>UD g12<8,8,1>UD g4.1<0,1,0>UD { align1 1H };
    mov(16) g22<1>UD g16<8,8,1>UD { align1 1H };
    send(16) null<1>UD g20<8,8,1>UD 0x08035eff data { align1 1H };
end:
    mov(8) g112<1>UD g0<8,8,1>UD { align1 WE_all 1Q };
    send(8) null<1>UW g112<8,8,1>UD 0x82000010 thread spawner { align1 WE_all 1Q EOT };
