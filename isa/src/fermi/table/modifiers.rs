//! The suffixes of the mnemonics: constant, field as `name[lowest bit + width]`, value and name of each; and the names of
//! the special registers.

use crate::set::{Field, Modifier};

macro_rules! modifiers {
    ($($constant:ident $field:ident[$($low:literal + $width:literal)+] $($value:literal $name:literal)+;)+) => {
        $(pub const $constant: Modifier = Modifier::Names(
            Field::new(stringify!($field), &[$(($low, $width)),+]),
            &[$(($value, $name)),+],
        );)+
    };
}

#[rustfmt::skip]
modifiers! {
    FTZ_5       ftz[5+1]     1 "FTZ";
    RND_55      rnd[55+2]    0 "" 1 "RM" 2 "RP" 3 "RZ";
    SAT_49      sat[49+1]    1 "SAT";
    FTZ_6       ftz[6+1]     1 "FTZ";
    FMZ_7       fmz[7+1]     1 "FMZ";
    SAT_5       sat[5+1]     1 "SAT";
    CMP_FLOAT   cmp[55+4]    0 "F" 1 "LT" 2 "EQ" 3 "LE" 4 "GT" 5 "NE" 6 "GE" 7 "NUM" 8 "NAN" 9 "LTU" 10 "EQU" 11 "LEU" 12 "GTU" 13 "NEU" 14 "GEU" 15 "T";
    FTZ_59      ftz[59+1]    1 "FTZ";
    LOGIC_53    log[53+2]    0 "AND" 1 "OR" 2 "XOR";
    OP_MUFU     op[26+3]     0 "COS" 1 "SIN" 2 "EX2" 3 "LG2" 4 "RCP" 5 "RSQ" 6 "RCP64H" 7 "RSQ64H";
    LANES_5     lanes[5+4]   15 "";
    SA_7        sa[7+1]      0 "U32" 1 "S32";
    SB_5        sb[5+1]      0 "U32" 1 "S32";
    HI_6        hi[6+1]      1 "HI";
    SAT_56      sat[56+1]    1 "SAT";
    W_9         w[9+1]       1 "W";
    UNSIGNED_5  s[5+1]       0 "U32";
    OP_LOP      op[6+2]      0 "AND" 1 "OR" 2 "XOR" 3 "PASS_B";
    CMP_INT     cmp[55+4]    0 "F" 1 "LT" 2 "EQ" 3 "LE" 4 "GT" 5 "NE" 6 "GE" 15 "T";
    LOGIC_30    log1[30+2]   0 "AND" 1 "OR" 2 "XOR";
    REV_8       rev[8+1]     1 "BREV";
    SH_6        sh[6+1]      1 "SH";
    FTZ_55      ftz[55+1]    1 "FTZ";
    TYPE_F2I    dt[20+2 7+1] 1 "U16" 2 "U32" 3 "U64" 5 "S16" 6 "S32" 7 "S64";
    RND_INT_49  rnd[49+2]    0 "" 1 "FLOOR" 2 "CEIL" 3 "TRUNC";
    TYPE_SRC    ss[9+1]      0 "U32" 1 "S32";
    RND_49      rnd[49+2]    0 "" 1 "RM" 2 "RP" 3 "RZ";
    TYPE_I2I    dt[20+2 7+1] 0 "U8" 1 "U16" 2 "U32" 4 "S8" 5 "S16" 6 "S32";
    E_58        e[58+1]      1 "E";
    CACHE_LOAD  cop[8+2]     0 "" 1 "CG" 2 "CS" 3 "CV";
    SIZE        sz[5+3]      0 "U8" 1 "S8" 2 "U16" 3 "S16" 4 "" 5 "64" 6 "128";
    CACHE_STORE cop[8+2]     0 "" 1 "CG" 2 "CS" 3 "WT";
    OP_ATOM     op[5+3]      0 "ADD" 1 "MIN" 2 "MAX" 3 "INC" 4 "DEC" 5 "AND" 6 "OR" 7 "XOR";
    LEVEL       lvl[5+2]     0 "CTA" 1 "GL" 2 "SYS";
    U_15        u[15+1]      1 "U";
    LMT_16      lmt[16+1]    1 "LMT";
    CC          cc[5+5]      15 "";
    NI_16       ni[16+1]     0 "NOINC";
    OP_VOTE     op[5+2]      0 "ALL" 1 "ANY" 2 "EQ";
}

/// Special registers: (number, name), ascending.
#[rustfmt::skip]
pub(crate) const SPECIAL_NAMES: [(u8, &str); 25] = [
    (0, "SR_LaneId"), (2, "SR_VirtCfg"), (3, "SR_VirtId"),
    (32, "SR_Tid"), (33, "SR_Tid_X"), (34, "SR_Tid_Y"), (35, "SR_Tid_Z"),
    (37, "SR_CTAid_X"), (38, "SR_CTAid_Y"), (39, "SR_CTAid_Z"),
    (40, "SR_NTid"), (41, "SR_NTid_X"), (42, "SR_NTid_Y"), (43, "SR_NTid_Z"),
    (44, "SR_GridParam"), (45, "SR_NCTAid_X"), (46, "SR_NCTAid_Y"), (47, "SR_NCTAid_Z"),
    (56, "SR_EqMask"), (57, "SR_LtMask"), (58, "SR_LeMask"), (59, "SR_GtMask"), (60, "SR_GeMask"),
    (80, "SR_ClockLo"), (81, "SR_ClockHi"),
];
