// mandelbrot: steps of z = z*z + c until |z|^2 > 4, for every pixel c, at most limit; and the smooth count
// steps + 2 - log2(log2 |z|^2) that shades without bands.
//
// A thread has 8 work-items. Every one leaves the loop at its own step (break); those without a pixel are
// halted. c = corner + pixel * pitch is exact in single precision with this view.
//
// Launch: 7 by 7 groups of 10 by 7 work-items (the ninth thread has 6), w = 64, h = 48: the last column and
// the last row of groups are cut.
// Parameters: r4.0 counts, r4.1 smooth, r4.2 w, r4.3 h, r4.4 limit, r4.5 left, r4.6 pitch, r4.7 top.
// Result: counts and smooth, 3,072 words each.

.isa ivb

    mul(1) g10<1>UD g0.1<0,1,0>UD 0x0000000aUD { align1 WE_all 1N };
    mul(1) g10.1<1>UD g0.6<0,1,0>UD 0x00000007UD { align1 WE_all 1N };
    add(8) g12<1>UD g10<0,1,0>UD g1<8,8,1>UW { align1 1Q };             // column
    add(8) g13<1>UD g10.1<0,1,0>UD g2<8,8,1>UW { align1 1Q };           // row
    cmp.ge.f0.0(8) null<1>UD g12<8,8,1>UD g4.2<0,1,0>UD { align1 1Q switch };
    (-f0.0) cmp.ge.f0.0(8) null<1>UD g13<8,8,1>UD g4.3<0,1,0>UD { align1 1Q switch };
    (+f0.0) halt(8) JIP: end UIP: end { align1 1Q };                    // no such pixel
    mul(8) g14<1>UD g13<8,8,1>UD g4.2<0,1,0>UD { align1 1Q };
    add(8) g14<1>UD g14<8,8,1>UD g12<8,8,1>UD { align1 1Q };            // pixel
    mov(8) g15<1>F g12<8,8,1>UD { align1 1Q };
    mov(8) g16<1>F g13<8,8,1>UD { align1 1Q };
    mad(8) g15<1>F g4.5<0,1,0>F g15<4,4,1>F g4.6<0,1,0>F { align16 1Q };  // c = g15 + i g16
    mad(8) g16<1>F g4.7<0,1,0>F -g16<4,4,1>F g4.6<0,1,0>F { align16 1Q };

    mov(8) g17<1>F 0x0F { align1 1Q };                                  // z = g17 + i g18
    mov(8) g18<1>F 0x0F { align1 1Q };
    mov(8) g19<1>UD 0x00000000UD { align1 1Q };                         // steps
step:
    mul(8) g20<1>F g17<8,8,1>F g17<8,8,1>F { align1 1Q };
    mul(8) g21<1>F g18<8,8,1>F g18<8,8,1>F { align1 1Q };
    add(8) g22<1>F g20<8,8,1>F g21<8,8,1>F { align1 1Q };               // |z|^2
    cmp.g.f0.0(8) null<1>F g22<8,8,1>F 0x40800000F { align1 1Q switch };
    (+f0.0) break(8) JIP: again UIP: again { align1 1Q };               // escaped
    cmp.z.f0.0(8) null<1>UD g19<8,8,1>UD g4.4<0,1,0>UD { align1 1Q switch };
    (+f0.0) break(8) JIP: again UIP: again { align1 1Q };               // the limit
    add(8) g17<1>F g17<8,8,1>F g17<8,8,1>F { align1 1Q };
    mad(8) g18<1>F g16<4,4,1>F g17<4,4,1>F g18<4,4,1>F { align16 1Q };  // imaginary part: 2 x y + c
    add(8) g20<1>F g20<8,8,1>F -g21<8,8,1>F { align1 1Q };
    add(8) g17<1>F g20<8,8,1>F g15<8,8,1>F { align1 1Q };               // real part: x x - y y + c
    add(8) g19<1>UD g19<8,8,1>UD 0x00000001UD { align1 1Q };
again:
    while(8) JIP: step { align1 1Q };

    mov(8) g23<1>F g19<8,8,1>UD { align1 1Q };                          // shade
    cmp.g.f0.0(8) null<1>F g22<8,8,1>F 0x40800000F { align1 1Q switch };
    (+f0.0) if(8) JIP: shaded UIP: shaded { align1 1Q };
    math log(8) g24<1>F g22<8,8,1>F null<8,8,1>F { align1 1Q };
    math log(8) g24<1>F g24<8,8,1>F null<8,8,1>F { align1 1Q };
    add(8) g23<1>F g23<8,8,1>F 0x40000000F { align1 1Q };
    add(8) g23<1>F g23<8,8,1>F -g24<8,8,1>F { align1 1Q };
shaded:
    endif(8) JIP: 2 { align1 1Q };

    shl(8) g14<1>UD g14<8,8,1>UD 0x00000002UD { align1 1Q };
    add(8) g26<1>UD g14<8,8,1>UD g4<0,1,0>UD { align1 1Q };
    mov(8) g27<1>UD g19<8,8,1>UD { align1 1Q };
    send(8) null<1>UD g26<8,8,1>UD 0x04036eff data { align1 1Q };
    add(8) g26<1>UD g14<8,8,1>UD g4.1<0,1,0>UD { align1 1Q };
    mov(8) g27<1>F g23<8,8,1>F { align1 1Q };
    send(8) null<1>UD g26<8,8,1>UD 0x04036eff data { align1 1Q };
end:
    mov(8) g112<1>UD g0<8,8,1>UD { align1 WE_all 1Q };
    send(8) null<1>UW g112<8,8,1>UD 0x82000010 thread spawner { align1 WE_all 1Q EOT };
