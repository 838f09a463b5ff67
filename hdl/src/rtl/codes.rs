//! Codes: numbers of a field that have names. They are Rust constants; in the Verilog a comparison with one shows its
//! name, a `localparam` of the module.

/// The names of a field's values.
#[derive(Clone, Copy, Debug)]
pub struct Codes {
    /// What stands in front of each name in the Verilog.
    pub prefix: &'static str,
    /// Names and numbers.
    pub names: &'static [(&'static str, u64)],
}

impl Codes {
    /// Name of a number in the Verilog.
    pub fn name(&self, value: u64) -> Option<String> {
        let (name, _) = self.names.iter().find(|(_, v)| *v == value)?;
        Some(format!("{}_{name}", self.prefix))
    }
}

/// Declares a module of codes, each a `u64` and a row of `CODES`: `codes! { "UNIT": pub mod unit { … } }`.
#[macro_export]
macro_rules! codes {
    (
        $prefix:literal:
        $(#[doc = $about:literal])*
        $vis:vis mod $name:ident {
            $($(#[doc = $doc:literal])* pub const $code:ident: u64 = $value:expr;)*
        }
    ) => {
        $(#[doc = $about])*
        $vis mod $name {
            $($(#[doc = $doc])* pub const $code: u64 = $value;)*
            /// The names in the Verilog.
            pub const CODES: $crate::rtl::Codes =
                $crate::rtl::Codes { prefix: $prefix, names: &[$((stringify!($code), $code)),*] };
        }
    };
}
