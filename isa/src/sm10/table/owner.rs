//! What each bit of a form belongs to.

use super::{place, Class, Field, Flags, Form, Role};

/// Declares the owners of bits with a meaning of their own, a row each.
macro_rules! owners {
    ($($owner:ident $meaning:literal;)+) => {
        /// Owner of a bit. Which memory or register a source is lies in selector bits, so that one field of
        /// register bits may hold an offset too.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Owner {
            /// Fixed to this value.
            Fixed(bool),
            /// Ignored, or of a form that is not decoded further.
            Ignored,
            /// A modifier.
            Modifier(Role),
            /// Source, from 0.
            Source(usize),
            $(#[doc = $meaning] $owner,)+
        }

        impl Owner {
            /// The meaning in words.
            pub fn meaning(self) -> String {
                let words = match self {
                    Owner::Fixed(true) => "1",
                    Owner::Fixed(false) => "0",
                    Owner::Ignored => "ignored",
                    Owner::Modifier(role) => role.meaning(),
                    Owner::Source(n) => return format!("source {}", n + 1),
                    $(Owner::$owner => $meaning,)+
                };
                words.into()
            }
        }
    };
}

owners! {
    Condition "guard condition";
    GuardFlag "guard flag register";
    Marker    "marker: 0 none, 1 exit, 2 join (.S)";
    FlagWrite "write flags";
    FlagDst   "flag register written";
    Output    "destination is o[]";
    FullDst   "32-bit destination";
    Dst       "destination";
    PostInc   "post-increment";
    Areg      "address register";
    AregHigh  "address register, high bit";
    Offset    "offset";
    AddrRead  "address register read";
    Immediate "immediate";
    Const2    "second source is c[]";
    Const3    "third source is c[]";
    Shared    "first source is g []";
    CountImm  "count is immediate";
    FullData  "32-bit source numbering";
    Bank      "constant bank";
}

impl Form {
    /// Bytes of the encoding.
    pub const fn bytes(&self) -> usize {
        if self.class.is_long() {
            8
        } else {
            4
        }
    }

    /// Every field with its owner: modifiers, guard, marker, flags, destination, memory, sources. Sources may share bits,
    /// which are the first one's.
    pub fn fields(&self) -> impl Iterator<Item = (Owner, Field)> + '_ {
        let mods = self.mods.iter().map(|m| (Owner::Modifier(m.role), m.field));
        let beside = [
            (self.predicated, Owner::Condition, place::CONDITION),
            (self.predicated, Owner::GuardFlag, place::GUARD_FLAG),
            (self.class == Class::Long, Owner::Marker, place::MARKER),
            (self.flags != Flags::No, Owner::FlagWrite, place::FLAG_WRITE),
            (self.flags != Flags::No, Owner::FlagDst, place::FLAG_DST),
        ];
        let beside = beside.into_iter().filter(|b| b.0).map(|b| (b.1, b.2));
        let sources = self.src.iter().enumerate().flat_map(|(n, s)| {
            s.fields().iter().map(move |&(owner, field)| match owner {
                Owner::Source(_) => (Owner::Source(n), field),
                owner => (owner, field),
            })
        });
        mods.chain(beside).chain(self.dst.fields().iter().copied()).chain(self.mem.fields()).chain(sources)
    }

    /// Owner of bit `bit`, which lies inside the encoding.
    pub fn owner(&self, bit: u32) -> Owner {
        let b = 1u64 << bit;
        if self.mask & b != 0 {
            return Owner::Fixed(self.match_ & b != 0);
        }
        let field = || self.fields().find(|f| f.1.is_set(b)).map(|f| f.0);
        field().filter(|_| self.ignored & b == 0).unwrap_or(Owner::Ignored)
    }

    /// Bits that belong to some field.
    pub fn field_bits(&self) -> u64 {
        self.fields().fold(0, |bits, f| bits | f.1.bits()) & !self.mask
    }
}
