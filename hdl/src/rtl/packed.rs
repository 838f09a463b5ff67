//! Bundles that travel through registers and memories as one word.

/// First bit and width of a field of a bundle's word; the first of the name.
pub fn field_place(fields: &[(&str, usize)], name: &str) -> Option<(usize, usize)> {
    let n = fields.iter().position(|f| f.0 == name)?;
    Some((fields[..n].iter().map(|f| f.1).sum(), fields[n].1))
}

/// Declares a bundle: a struct of [`crate::rtl::Expr`] fields with fixed order and widths.
///
/// `packed! { /// doc  pub struct Name(d: &Dims) { /// doc field: width, … } }` gives
/// `Name::width(d)`, `value.pack()` (first field in the least significant place),
/// `Name::unpack(d, prefix, &word)` (names each field `prefix_field`). A field that a configuration does
/// not have is 0 bits wide and [`nothing`](crate::rtl::nothing). `field: width => codes`: its values have the names
/// of a module of [`codes!`](crate::codes).
#[macro_export]
macro_rules! packed {
    (
        $(#[doc = $about:literal])*
        pub struct $name:ident($d:ident: $dt:ty) {
            $($(#[doc = $doc:literal])* $field:ident: $w:expr $(=> $codes:ident)?),* $(,)?
        }
    ) => {
        $(#[doc = $about])*
        #[derive(Clone)]
        pub struct $name<T = $crate::rtl::Expr> { $($(#[doc = $doc])* pub $field: T),* }
        #[allow(dead_code)]
        impl<T> $name<T> {
            /// What `of` gives for the name of each field.
            pub fn by_name(mut of: impl FnMut(&'static str) -> T) -> Self {
                Self { $($field: of(stringify!($field))),* }
            }
            /// The fields with their names, in order.
            pub fn named(&self) -> Vec<(&'static str, &T)> {
                vec![$((stringify!($field), &self.$field)),*]
            }
        }
        impl $name {
            /// Width in bits.
            #[allow(unused_variables)]
            pub fn width($d: $dt) -> usize { 0 $(+ $w)* }
            /// All fields as one word, the first in the least significant place.
            pub fn pack(&self) -> $crate::rtl::Expr {
                let there = [$(&self.$field),*].into_iter().filter(|f| f.width() > 0);
                $crate::rtl::pack(there)
            }
            /// The fields of a word, each named `prefix_field`.
            #[allow(unused_variables, unused_assignments)]
            pub fn unpack($d: $dt, prefix: &str, word: &$crate::rtl::Expr) -> Self {
                let word = word.named();
                assert_eq!(word.width(), Self::width($d), concat!("a packed ", stringify!($name)));
                let mut at = 0;
                $(
                    let w = $w;
                    let $field = match w {
                        0 => $crate::rtl::nothing(),
                        _ => $crate::rtl::wire(&format!("{prefix}_{}", stringify!($field)), word.bits(at, w)),
                    };
                    $(let $field = $crate::rtl::coded(&$field, &$codes::CODES);)?
                    at += w;
                )*
                Self { $($field),* }
            }
            /// Every field 0.
            #[allow(unused_variables, dead_code)]
            pub fn zeros($d: $dt) -> Self {
                let zero = |width: usize| match width {
                    0 => $crate::rtl::nothing(),
                    _ => $crate::rtl::zero(width),
                };
                Self { $($field: zero($w)),* }
            }
            /// Names and widths of the fields, in order.
            #[allow(unused_variables, dead_code)]
            pub fn fields($d: $dt) -> Vec<(&'static str, usize)> {
                vec![$((stringify!($field), $w)),*]
            }
            /// The declaration.
            #[allow(dead_code)]
            pub fn table() -> $crate::rtl::Table {
                $crate::rtl::Table {
                    name: stringify!($name),
                    about: concat!($($about),*),
                    rows: vec![$($crate::rtl::Row {
                        name: stringify!($field),
                        back: false,
                        width: stringify!($w),
                        meaning: concat!("", $($doc),*),
                    }),*],
                }
            }
            /// A word of at most 64 bits with the named fields set and the others 0, for a test bench; they stand in
            /// the order of the word.
            #[allow(unused_variables, unused_assignments, dead_code)]
            pub fn word($d: $dt, fields: &[(&str, u64)]) -> u64 {
                let (mut at, mut word) = (0, 0);
                let mut fields = fields.iter().peekable();
                $(
                    if let Some((_, v)) = fields.next_if(|f| f.0 == stringify!($field)) {
                        assert!($w <= 64 && v >> ($w - 1) <= 1, concat!(stringify!($name), ".", stringify!($field)));
                        word |= v << at;
                    }
                    at += $w;
                )*
                assert!(at <= 64 && fields.next().is_none(), concat!("fields of ", stringify!($name)));
                word
            }
            /// Checks every field's width.
            #[allow(unused_variables)]
            pub fn check(&self, $d: $dt) {
                $(assert_eq!(self.$field.width(), $w, concat!(stringify!($name), ".", stringify!($field)));)*
            }
        }
    };
}
