//! Chips of Ivy Bridge in lockstep: kernels, random programs, errors that must be noticed, joins at any address, traps,
//! faults.

use crate::support::set_chip::{self, chip_tests, native, Trapping};
use warpsmith_model::TrapCause;

// A warp has 1,024 registers of 32 bits, and the kernels' blocks have up to 6 warps.
chip_tests!("ivb", ["lanes=16", "port_words=16", "sms=2"], ["registers=8192", "warps=8"]);

/// The end of a thread.
macro_rules! ended {
    ($text:literal) => {
        concat!(
            $text,
            " mov(8) g112<1>UD g0<8,8,1>UD { align1 WE_all 1Q }; \
             send(8) null<1>UW g112<8,8,1>UD 0x82000010 thread spawner { align1 WE_all 1Q EOT };"
        )
    };
}

/// Programs that trap, and the cause. Threads have 16 channels; the last one of a block has 8 work-items.
const TRAPS: [Trapping; 14] = [
    (
        "a load beyond global memory",
        ended!("mov(16) g10<1>UD 0x00001000UD { align1 1H }; send(16) g12<1>UD g10<8,8,1>UD 0x04215eff data { align1 1H };"),
        TrapCause::OutOfRange,
    ),
    (
        "the second component beyond global memory",
        ended!("mov(8) g10<1>UD 0x00000ffcUD { align1 1Q }; send(8) g12<1>UD g10<8,8,1>UD 0x02216cff data { align1 1Q };"),
        TrapCause::OutOfRange,
    ),
    (
        "a store beyond shared memory in some channels",
        ended!(
            "mov(16) g10<1>UD g1<8,8,1>UW { align1 1H }; shl(16) g10<1>UD g10<8,8,1>UD 0x00000003UD { align1 1H }; \
             send(16) null<1>UD g10<8,8,1>UD 0x08035efe data { align1 1H };"
        ),
        TrapCause::OutOfRange,
    ),
    (
        "a dword at odd addresses",
        ended!(
            "mov(16) g10<1>UD g1<8,8,1>UW { align1 1H }; send(16) g12<1>UD g10<8,8,1>UD 0x04215eff data { align1 1H };"
        ),
        TrapCause::MisalignedAccess,
    ),
    ("illegal", "illegal;", TrapCause::Trap),
    ("the end of the program", "mov(8) g10<1>UD 0x00000000UD { align1 1Q };", TrapCause::Fetch),
    (
        "a jump beyond the program",
        "jmpi(1) 4096D { align1 WE_all 1N };",
        TrapCause::Fetch,
    ),
    ("an accumulator", ended!("mov(8) acc0<1>D 1D { align1 1Q };"), TrapCause::Unimplemented),
    ("doubles", ended!("mov(4) g10<1>DF g12<4,4,1>DF { align1 1N };"), TrapCause::Unimplemented),
    ("a region of several rows", ended!("mov(8) g10<1>UD g12<4,4,0>UD { align1 1Q };"), TrapCause::Unimplemented),
    ("every other dword", ended!("mov(8) g10<1>UD g12<2,1,0>UD { align1 1Q };"), TrapCause::Unimplemented),
    ("the overflow of a sum", ended!("add.o.f0.0(8) g10<1>D g12<8,8,1>D 1D { align1 1Q };"), TrapCause::Unimplemented),
    (
        "an integer quotient",
        ended!("math intdiv(8) g10<1>D g12<8,8,1>D g13<8,8,1>D { align1 1Q };"),
        TrapCause::Unimplemented,
    ),
    (
        "an atomic",
        ended!(
            "mov(8) g10<1>UD 0x00000000UD { align1 1Q }; send(8) g12<1>UD g10<8,8,1>UD 0x0411b7ff data { align1 1Q };"
        ),
        TrapCause::Unimplemented,
    ),
];

/// Programs of what random ones rarely hit: what they do, and their text.
const AGREEING: [(&str, &str); 5] = [
    (
        "roots, powers and quotients of special values, over their sources",
        ended!(
            "mov(16) g10<1>F 0xff800000F { align1 1H }; mov(1) g10.1<1>F 0x7f800000F { align1 WE_all 1N }; \
             mov(1) g10.2<1>F 0x80000000F { align1 WE_all 1N }; mov(1) g10.3<1>F 0x00000001F { align1 WE_all 1N }; \
             mov(1) g10.4<1>F 0x00800000F { align1 WE_all 1N }; mov(1) g10.5<1>F 0x7fc00000F { align1 WE_all 1N }; \
             mov(16) g12<1>F g1<8,8,1>UW { align1 1H }; add(16) g12<1>F g12<8,8,1>F 0xc0400000F { align1 1H }; \
             mov(1) g13.1<1>F 0x7f800000F { align1 WE_all 1N }; mov(1) g13.2<1>F 0xff800000F { align1 WE_all 1N }; \
             math sqrt(16) g14<1>F g10<8,8,1>F null<8,8,1>F { align1 1H }; math pow(16) g16<1>F g10<8,8,1>F g12<8,8,1>F { align1 1H }; \
             math pow(16) g18<1>F g12<8,8,1>F g10<8,8,1>F { align1 1H }; math fdiv(16) g20<1>F g12<8,8,1>F g10<8,8,1>F { align1 1H }; \
             cmp.g.f0.0(16) null<1>F g12<8,8,1>F 0x3f800000F { align1 1H switch }; \
             (+f0.0) math sqrt(16) g12<1>F g12<8,8,1>F null<8,8,1>F { align1 1H }; (-f0.0) math pow(8) g10<1>F g10<8,8,1>F g10<8,8,1>F { align1 1Q }; \
             frc.g.f0.1(16) g22<1>F -g12<8,8,1>F { align1 1H }; sel.ge(16) g10<1>F (abs)g10<8,8,1>F -g12<8,8,1>F { align1 1H }; \
             math fdiv(8) g12<1>F g12<8,8,1>F g13<8,8,1>F { align1 2Q }; (+f0.1) lrp(8) g14<1>F g13<4,4,1>F g12<4,4,1>F g10.1<0,1,0>F { align16 1Q }; \
             mov(8) g24<1>D g1<8,8,1>UW { align1 1Q }; add(8) g24<1>D -g24<8,8,1>D 5D { align1 1Q }; avg.z.f1.0(8) g24<1>D g24<8,8,1>D g24.3<0,1,0>D { align1 1Q };"
        ),
    ),
    (
        "channels that wait join where the others come by, without an endif",
        ended!(
            "mov(16) g10<1>UD g1<8,8,1>UW { align1 1H }; mov(16) g12<1>UD 0x00000000UD { align1 1H }; \
             cmp.l.f0.0(16) null<1>UD g10<8,8,1>UD 0x00000005UD { align1 1H switch }; \
             (+f0.0) brd(16) JIP: later { align1 1H switch }; add(16) g12<1>UD g12<8,8,1>UD 0x00000001UD { align1 1H }; \
             add(16) g12<1>UD g12<8,8,1>UD 0x00000002UD { align1 1H }; later: \
             add(16) g12<1>UD g12<8,8,1>UD 0x00000004UD { align1 1H }; add(16) g12<1>UD g12<8,8,1>UD g10<8,8,1>UD { align1 1H };"
        ),
    ),
    (
        "halts that nest, and a hop past a block that nobody is in",
        ended!(
            "mov(16) g10<1>UD g1<8,8,1>UW { align1 1H }; \
             cmp.l.f0.0(16) null<1>UD g10<8,8,1>UD 0x00000009UD { align1 1H switch }; \
             (+f0.0) if(16) JIP: other UIP: joined { align1 1H }; \
             cmp.l.f0.1(16) null<1>UD g10<8,8,1>UD 0x00000004UD { align1 1H switch }; \
             (+f0.1) halt(16) JIP: other UIP: out { align1 1H }; (-f0.1) halt(16) JIP: other UIP: out { align1 1H }; \
             mov(16) g12<1>UD 0x00000007UD { align1 1H }; else(16) JIP: joined { align1 1H }; other: \
             mov(16) g12<1>UD 0x00000005UD { align1 1H }; joined: endif(16) JIP: out { align1 1H }; \
             mov(16) g14<1>UD g10<8,8,1>UD { align1 1H }; out: mov(16) g16<1>UD g10<8,8,1>UD { align1 1H };"
        ),
    ),
    (
        "a register that the second beat of an instruction writes, read in the next one's first",
        ended!(
            "mov(16) g10<1>UD g1<8,8,1>UW { align1 1H }; add(16) g12<1>UD g10<8,8,1>UD 0x00000003UD { align1 1H }; \
             add(8) g14<1>UD g13<8,8,1>UD 0x00000001UD { align1 1Q }; mul(16) g16<1>UD g10<8,8,1>UD g11.7<0,1,0>UD { align1 1H }; \
             add(16) g18<1>UD g17.3<0,1,0>UD g16<8,8,1>UD { align1 1H }; \
             cmp.g.f0.0(16) null<1>UD g10<8,8,1>UD 0x0000000eUD { align1 1H switch }; \
             (+f0.0.any16h) add(16) g20<1>UD g10<8,8,1>UD 0x00000001UD { align1 1H };"
        ),
    ),
    (
        "special functions of reduced operands",
        ended!(
            "mov(16) g10<1>F g1<8,8,1>UW { align1 1H }; mul(16) g10<1>F g10<8,8,1>F 0x3fc00000F { align1 1H }; \
             math exp(16) g12<1>F g10<8,8,1>F null<8,8,1>F { align1 1H }; math sin(16) g14<1>F g10<8,8,1>F null<8,8,1>F { align1 1H }; \
             math cos(8) g16<1>F g11<8,8,1>F null<8,8,1>F { align1 2Q }; math rsq(16) g18<1>F g14<8,8,1>F null<8,8,1>F { align1 1H }; \
             math inv(16) g20<1>F g18<8,8,1>F null<8,8,1>F { align1 1H }; math log(16) g22<1>F g20<8,8,1>F null<8,8,1>F { align1 1H }; \
             add(16) g24<1>F g22<8,8,1>F g12<8,8,1>F { align1 1H };"
        ),
    ),
];

#[test]
fn programs_agree_on_chips_of_every_width() {
    let chips = [
        native("tiny", SMALL),
        native("default", &[ISA, "lanes=16", "port_words=16", "shared_banks=16"]),
        native("wide", &[ISA]),
    ];
    for chip in &chips {
        for (what, text) in AGREEING {
            set_chip::program_agrees("ivb", chip, what, set_chip::TRAPPING, text);
        }
    }
}
