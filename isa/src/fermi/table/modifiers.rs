//! The suffixes of the mnemonics, each with its field and names.

use crate::set::{Field, Modifier};

pub const FTZ_5: Modifier = Modifier::Names(Field::new("ftz", &[(5, 1)]), &[(1, "FTZ")]);
pub const RND_55: Modifier =
    Modifier::Names(Field::new("rnd", &[(55, 2)]), &[(0, ""), (1, "RM"), (2, "RP"), (3, "RZ")]);
pub const SAT_49: Modifier = Modifier::Names(Field::new("sat", &[(49, 1)]), &[(1, "SAT")]);
pub const FTZ_6: Modifier = Modifier::Names(Field::new("ftz", &[(6, 1)]), &[(1, "FTZ")]);
pub const FMZ_7: Modifier = Modifier::Names(Field::new("fmz", &[(7, 1)]), &[(1, "FMZ")]);
pub const SAT_5: Modifier = Modifier::Names(Field::new("sat", &[(5, 1)]), &[(1, "SAT")]);
pub const CMP_FLOAT: Modifier = Modifier::Names(
    Field::new("cmp", &[(55, 4)]),
    &[
        (0, "F"),
        (1, "LT"),
        (2, "EQ"),
        (3, "LE"),
        (4, "GT"),
        (5, "NE"),
        (6, "GE"),
        (7, "NUM"),
        (8, "NAN"),
        (9, "LTU"),
        (10, "EQU"),
        (11, "LEU"),
        (12, "GTU"),
        (13, "NEU"),
        (14, "GEU"),
        (15, "T"),
    ],
);
pub const FTZ_59: Modifier = Modifier::Names(Field::new("ftz", &[(59, 1)]), &[(1, "FTZ")]);
pub const LOGIC_53: Modifier = Modifier::Names(Field::new("log", &[(53, 2)]), &[(0, "AND"), (1, "OR"), (2, "XOR")]);
pub const OP_MUFU: Modifier = Modifier::Names(
    Field::new("op", &[(26, 3)]),
    &[(0, "COS"), (1, "SIN"), (2, "EX2"), (3, "LG2"), (4, "RCP"), (5, "RSQ"), (6, "RCP64H"), (7, "RSQ64H")],
);
pub const LANES_5: Modifier = Modifier::Names(Field::new("lanes", &[(5, 4)]), &[(15, "")]);
pub const SA_7: Modifier = Modifier::Names(Field::new("sa", &[(7, 1)]), &[(0, "U32"), (1, "S32")]);
pub const SB_5: Modifier = Modifier::Names(Field::new("sb", &[(5, 1)]), &[(0, "U32"), (1, "S32")]);
pub const HI_6: Modifier = Modifier::Names(Field::new("hi", &[(6, 1)]), &[(1, "HI")]);
pub const SAT_56: Modifier = Modifier::Names(Field::new("sat", &[(56, 1)]), &[(1, "SAT")]);
pub const W_9: Modifier = Modifier::Names(Field::new("w", &[(9, 1)]), &[(1, "W")]);
pub const UNSIGNED_5: Modifier = Modifier::Names(Field::new("s", &[(5, 1)]), &[(0, "U32")]);
pub const OP_LOP: Modifier =
    Modifier::Names(Field::new("op", &[(6, 2)]), &[(0, "AND"), (1, "OR"), (2, "XOR"), (3, "PASS_B")]);
pub const CMP_INT: Modifier = Modifier::Names(
    Field::new("cmp", &[(55, 4)]),
    &[(0, "F"), (1, "LT"), (2, "EQ"), (3, "LE"), (4, "GT"), (5, "NE"), (6, "GE"), (15, "T")],
);
pub const LOGIC_30: Modifier = Modifier::Names(Field::new("log1", &[(30, 2)]), &[(0, "AND"), (1, "OR"), (2, "XOR")]);
pub const REV_8: Modifier = Modifier::Names(Field::new("rev", &[(8, 1)]), &[(1, "BREV")]);
pub const SH_6: Modifier = Modifier::Names(Field::new("sh", &[(6, 1)]), &[(1, "SH")]);
pub const FTZ_55: Modifier = Modifier::Names(Field::new("ftz", &[(55, 1)]), &[(1, "FTZ")]);
pub const TYPE_F2I: Modifier = Modifier::Names(
    Field::new("dt", &[(20, 2), (7, 1)]),
    &[(1, "U16"), (2, "U32"), (3, "U64"), (5, "S16"), (6, "S32"), (7, "S64")],
);
pub const RND_INT_49: Modifier =
    Modifier::Names(Field::new("rnd", &[(49, 2)]), &[(0, ""), (1, "FLOOR"), (2, "CEIL"), (3, "TRUNC")]);
pub const TYPE_SRC: Modifier = Modifier::Names(Field::new("ss", &[(9, 1)]), &[(0, "U32"), (1, "S32")]);
pub const RND_49: Modifier =
    Modifier::Names(Field::new("rnd", &[(49, 2)]), &[(0, ""), (1, "RM"), (2, "RP"), (3, "RZ")]);
pub const TYPE_I2I: Modifier = Modifier::Names(
    Field::new("dt", &[(20, 2), (7, 1)]),
    &[(0, "U8"), (1, "U16"), (2, "U32"), (4, "S8"), (5, "S16"), (6, "S32")],
);
pub const E_58: Modifier = Modifier::Names(Field::new("e", &[(58, 1)]), &[(1, "E")]);
pub const CACHE_LOAD: Modifier =
    Modifier::Names(Field::new("cop", &[(8, 2)]), &[(0, ""), (1, "CG"), (2, "CS"), (3, "CV")]);
pub const SIZE: Modifier = Modifier::Names(
    Field::new("sz", &[(5, 3)]),
    &[(0, "U8"), (1, "S8"), (2, "U16"), (3, "S16"), (4, ""), (5, "64"), (6, "128")],
);
pub const CACHE_STORE: Modifier =
    Modifier::Names(Field::new("cop", &[(8, 2)]), &[(0, ""), (1, "CG"), (2, "CS"), (3, "WT")]);
pub const OP_ATOM: Modifier = Modifier::Names(
    Field::new("op", &[(5, 3)]),
    &[(0, "ADD"), (1, "MIN"), (2, "MAX"), (3, "INC"), (4, "DEC"), (5, "AND"), (6, "OR"), (7, "XOR")],
);
pub const LEVEL: Modifier = Modifier::Names(Field::new("lvl", &[(5, 2)]), &[(0, "CTA"), (1, "GL"), (2, "SYS")]);
pub const U_15: Modifier = Modifier::Names(Field::new("u", &[(15, 1)]), &[(1, "U")]);
pub const LMT_16: Modifier = Modifier::Names(Field::new("lmt", &[(16, 1)]), &[(1, "LMT")]);
pub const CC: Modifier = Modifier::Names(Field::new("cc", &[(5, 5)]), &[(15, "")]);
pub const NI_16: Modifier = Modifier::Names(Field::new("ni", &[(16, 1)]), &[(0, "NOINC")]);
pub const OP_VOTE: Modifier = Modifier::Names(Field::new("op", &[(5, 2)]), &[(0, "ALL"), (1, "ANY"), (2, "EQ")]);
