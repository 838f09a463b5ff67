//! Roles of modifier fields: what their values mean, and how texts name them.

/// Names of the values of a modifier: (value, name); the name "" is left out of texts.
pub type Names = &'static [(u32, &'static str)];

/// Declares the roles, a row each: role, meaning of the field, names of its values among the suffixes of a mnemonic.
macro_rules! roles {
    ($($role:ident $meaning:literal [$($value:literal $name:literal),*];)+) => {
        /// Meaning of a modifier field.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Role {
            $(#[doc = $meaning] $role,)+
        }

        impl Role {
            /// The meaning in words.
            pub const fn meaning(self) -> &'static str {
                match self {
                    $(Role::$role => $meaning,)+
                }
            }

            /// Names of its values as suffixes; empty where the form or the operands say them. Of several names of a
            /// value the first is printed.
            pub const fn names(self) -> Names {
                match self {
                    $(Role::$role => &[$(($value, $name)),*],)+
                }
            }
        }
    };
}

#[rustfmt::skip]
roles! {
    AddKind "0 add, 1 subtract, 2 reversed subtract, 3 add with carry" [];
    Sat     "saturate (.SAT)" [0 "", 1 "SAT"];
    High    "high part (.HI)" [0 "", 1 "HI"];
    Signed  "signed" [];
    SignedWord "signed (.S32)" [0 "U32", 1 "S32"];
    SignedA "first source signed" [];
    SignedB "second source signed" [];
    NegA    "negate first source" [];
    AbsA    "absolute value of first source" [];
    NegB    "negate second source" [];
    AbsB    "absolute value of second source" [];
    NegC    "negate third source" [];
    NotA    "complement first source" [];
    NotB    "complement second source" [];
    CarryIn "carry in: 1 by bit 22, 2 by bit 28, 3 by both" [0 "", 1 "ENABLE", 2 "IN", 3 ""];
    CondI   "relation: bit 0 lt, 1 eq, 2 gt; from 0x10 on a condition on the flags of the difference" [];
    CondF   "relation: bit 0 lt, 1 eq, 2 gt, 3 unordered; from 0x10 on a condition on the flags" [];
    Logic   "0 AND, 1 OR, 2 XOR, 3 PASS_B" [0 "AND", 1 "OR", 2 "XOR", 3 "PASS_B"];
    Round   "rounding: 0 nearest, 1 FLOOR, 2 CEIL, 3 TRUNC" [0 "", 1 "FLOOR", 2 "CEIL", 3 "TRUNC"];
    RoundNZ "rounding: 0 nearest, 3 TRUNC" [0 "", 3 "TRUNC"];
    CvtSrc  "source type: 0 U16, 1 U32, 2 U16.BEXT, 3 U8, 4 S16, 5 S32, 6 S16.BEXT, 7 S8" [0 "U16", 1 "U32", 2 "U16.BEXT", 3 "U8", 4 "S16", 5 "S32", 6 "S16.BEXT", 7 "S8"];
    Lanes   "quad lane mask" [15 "", 0 "LNONE", 1 "L0", 2 "L1", 3 "L01", 4 "L2", 5 "L02", 6 "L12", 7 "L012", 8 "L3", 9 "L03", 10 "L13", 11 "L013", 12 "L23", 13 "L023", 14 "L123"];
    MemSize "size: 0 U8, 1 S8, 2 U16, 3 S16, 4 S64, 5 S128, 6 U32" [0 "U8", 1 "S8", 2 "U16", 3 "S16", 4 "S64", 5 "S128", 6 "U32", 6 "S32", 4 "U64", 5 "U128"];
    Lim     "limited call (absent with .NOINC)" [1 "", 0 "NOINC"];
    Shift4  "left shift" [];
    BarId   "barrier" [];
    BarMask "mask (ignored)" [];
    Arrive  "arrive (.ARV)" [0 "", 1 "ARV"];
    Wait    "wait (.WAIT)" [0 "", 1 "WAIT"];
    Target  "target address / 4" [];
    Space   "global space" [];
    PmId    "trigger" [];
}
