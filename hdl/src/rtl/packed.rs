//! Bundles that travel through registers and memories as one word.

/// Declares a bundle: a struct of [`crate::rtl::Ex`] fields with fixed order and widths.
///
/// `packed! { /// doc  pub struct Name(d: &Dims) { /// doc field: width, … } }` gives
/// `Name::width(d)`, `value.pack()` (first field in the least significant place),
/// `Name::unpack(d, prefix, &word)` (names each field `prefix_field`).
#[macro_export]
macro_rules! packed {
    ($(#[$doc:meta])* pub struct $name:ident($d:ident: $dt:ty) { $($(#[$fdoc:meta])* $field:ident: $w:expr),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $name { $($(#[$fdoc])* pub $field: $crate::rtl::Ex),* }
        impl $name {
            /// Width in bits.
            #[allow(unused_variables)]
            pub fn width($d: $dt) -> usize { 0 $(+ $w)* }
            /// All fields as one word, the first in the least significant place.
            pub fn pack(&self) -> $crate::rtl::Ex {
                $crate::rtl::pack([$(&self.$field),*].into_iter())
            }
            /// The fields of a word, each named `prefix_field`.
            #[allow(unused_variables, unused_assignments)]
            pub fn unpack($d: $dt, prefix: &str, word: &$crate::rtl::Ex) -> Self {
                let word = word.named();
                assert_eq!(word.width(), Self::width($d), concat!("a packed ", stringify!($name)));
                let mut at = 0;
                $(
                    let w = $w;
                    let $field = $crate::rtl::wire(&format!("{prefix}_{}", stringify!($field)), word.bits(at, w));
                    at += w;
                )*
                Self { $($field),* }
            }
            /// Checks every field's width.
            #[allow(unused_variables)]
            pub fn check(&self, $d: $dt) {
                $(assert_eq!(self.$field.width(), $w, concat!(stringify!($name), ".", stringify!($field)));)*
            }
        }
    };
}
