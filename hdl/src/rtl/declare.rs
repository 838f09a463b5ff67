//! Declarations of ports and state: each signal once, with its kind, name, width in bits and meaning.
//!
//! [`block!`](crate::block) declares a block; [`bundle!`](crate::bundle) signals between two blocks, seen from either side;
//! [`group!`](crate::group) the registers, memories and blocks of a part of a block that is no module of
//! its own, such as a pipeline stage. Neither has a scope: their signals are those of the block around.
//!
//! A signal is `kind name(width)`; `kind name([n] width)` are n of them, `name_0` …; `kind name(if c; width)` is one
//! where `c` holds, else none ([`Maybe`](crate::rtl::Maybe));
//! `=> "name"` at the end of the brackets gives the name in the Verilog where it is not
//! `prefix_name`. The prefix is the name of the field that holds the bundle or group, or what `as "…"`
//! in front of the braces says.

use super::maybe::Maybe;
use super::port::{Input, Leaf, Output};
use super::scope::{get, set};
use rust_hdl_core::block::Block;

/// A side of a bundle: who drives what.
pub trait Side {
    /// A signal from source to sink.
    type Forward: AnyPort;
    /// A signal from sink to source.
    type Backward: AnyPort;
}

/// The block that sends.
#[derive(Debug)]
pub struct Source;
/// The block that receives.
#[derive(Debug)]
pub struct Sink;

impl Side for Source {
    type Forward = Output;
    type Backward = Input;
}

impl Side for Sink {
    type Forward = Input;
    type Backward = Output;
}

/// An input or an output.
pub trait AnyPort: Block + AsRef<Leaf> {
    /// A port of `width` bits.
    fn of(width: usize) -> Self;
}

impl AnyPort for Input {
    fn of(width: usize) -> Self {
        Input::new(width)
    }
}

impl AnyPort for Output {
    fn of(width: usize) -> Self {
        Output::new(width)
    }
}

/// One port or an array of them.
pub trait Ends {
    /// The ports in order.
    fn ends(&self) -> Vec<&Leaf>;
}

impl<P: AnyPort> Ends for P {
    fn ends(&self) -> Vec<&Leaf> {
        vec![self.as_ref()]
    }
}

impl<P: AnyPort> Ends for Vec<P> {
    fn ends(&self) -> Vec<&Leaf> {
        self.iter().map(AsRef::as_ref).collect()
    }
}

impl<P: AnyPort> Ends for Maybe<P> {
    fn ends(&self) -> Vec<&Leaf> {
        self.get().into_iter().map(AsRef::as_ref).collect()
    }
}

/// Drives `to` with `from`, port by port.
pub fn drive(to: &impl Ends, from: &impl Ends) {
    let (to, from) = (to.ends(), from.ends());
    assert_eq!(to.len(), from.len(), "two ends of one array");
    to.into_iter().zip(from).for_each(|(t, f)| set(t, get(f)));
}

/// The name of a signal in the Verilog.
pub fn signal_name(prefix: &str, name: &str) -> String {
    match prefix {
        "" => name.into(),
        _ => format!("{prefix}_{name}"),
    }
}

/// A declaration as a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Name of the type.
    pub name: &'static str,
    /// What it is for.
    pub about: &'static str,
    /// Its signals or fields, in order.
    pub rows: Vec<Row>,
}

/// A signal or field of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its name without a prefix.
    pub name: &'static str,
    /// It goes from sink to source.
    pub back: bool,
    /// Its width in bits, as declared.
    pub width: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

/// Declares signals between two blocks, as the sending one sees them: `out name(width)` from [`Source`]
/// to [`Sink`], `in name(width)` back. Gives the struct for either side, its constructor, `connect`, and `table`.
#[macro_export]
macro_rules! bundle {
    (
        $(#[doc = $about:literal])*
        $vis:vis struct $name:ident($($arg:ident: $at:ty),*) $(as $prefix:literal)? {
            $($(#[doc = $doc:literal])* $dir:ident $field:ident $spec:tt),* $(,)?
        }
    ) => {
        $(#[doc = $about])*
        $vis struct $name<S: $crate::rtl::Side> {
            $($(#[doc = $doc])* pub $field: $crate::signal!(@port S $dir $spec)),*
        }
        impl<S: $crate::rtl::Side> $name<S> {
            /// The ports of this side.
            #[allow(clippy::new_without_default)]
            pub fn new($($arg: $at),*) -> Self {
                Self { $($field: $crate::signal!(@make $spec)),* }
            }
        }
        impl $name<$crate::rtl::Source> {
            /// Wires this child's ports to those of another child.
            #[allow(dead_code)]
            pub fn connect(&self, sink: &$name<$crate::rtl::Sink>) {
                $($crate::signal!(@connect $dir self.$field, sink.$field);)*
            }
            /// Wires this child's ports to the same ports of the block around.
            #[allow(dead_code)]
            pub fn pass_up(&self, block: &$name<$crate::rtl::Source>) {
                $($crate::signal!(@connect $dir self.$field, block.$field);)*
            }
        }
        impl $name<$crate::rtl::Sink> {
            /// Wires this block's ports to the same ports of a child.
            #[allow(dead_code)]
            pub fn pass(&self, child: &$name<$crate::rtl::Sink>) {
                $($crate::signal!(@connect $dir self.$field, child.$field);)*
            }
            /// The declaration.
            #[allow(dead_code)]
            pub fn table() -> $crate::rtl::Table {
                $crate::rtl::Table {
                    name: stringify!($name),
                    about: concat!($($about),*),
                    rows: vec![$($crate::rtl::Row {
                        name: stringify!($field),
                        back: $crate::signal!(@back $dir),
                        width: $crate::signal!(@width $spec),
                        meaning: concat!($($doc),*),
                    }),*],
                }
            }
        }
        $crate::scopeless!(("") (S: $crate::rtl::Side) ($name<S>) ($($prefix)?) $($dir $field $spec)*);
    };
}

/// Declares a block: `in name(width)` and `out name(width)` are its ports, `reg name(width)` a register
/// reset to 0, `data name(width)` one without a reset, `part name(Type: arguments)` what
/// `Type::new` makes of them (`[n] Type: …` n of those), `part name(Type = value)` anything else, `keep _name(Type = value)` what is no
/// signal. What stands behind `where` is run before the first of them.
#[macro_export]
macro_rules! block {
    (
        $(#[doc = $about:literal])*
        pub struct $name:ident($($arg:ident: $at:ty),* $(,)?) {
            $($(#[doc = $doc:literal])* $kind:ident $field:ident $spec:tt),* $(,)?
        } $(where { $($setup:tt)* })?
    ) => {
        $(#[doc = $about])*
        #[derive(rust_hdl_core::prelude::LogicBlock)]
        pub struct $name {
            $($(#[doc = $doc])* pub(crate) $field: $crate::signal!(@state $kind $spec),)*
            _simulated: $crate::rtl::Simulated,
        }
        impl $name {
            /// The block, each signal as wide as its declaration says.
            #[allow(clippy::new_without_default)]
            pub fn new($($arg: $at),*) -> Self {
                $($($setup)*)?
                Self {
                    $($field: $crate::signal!(@state_make $kind $spec),)*
                    _simulated: Default::default(),
                }
            }
        }
    };
}

/// Declares registers, memories and blocks that belong together: `reg name(width)` reset to 0,
/// `data name(width)` without a reset, `part` as in [`block!`](crate::block).
#[macro_export]
macro_rules! group {
    (
        $(#[doc = $about:literal])*
        $vis:vis struct $name:ident($($arg:ident: $at:ty),*) $(as $prefix:literal)? {
            $($(#[doc = $doc:literal])* $kind:ident $field:ident $spec:tt),* $(,)?
        }
    ) => {
        $(#[doc = $about])*
        $vis struct $name {
            $($(#[doc = $doc])* pub(crate) $field: $crate::signal!(@state $kind $spec)),*
        }
        impl $name {
            /// The group of a configuration.
            #[allow(clippy::new_without_default)]
            pub fn new($($arg: $at),*) -> Self {
                Self { $($field: $crate::signal!(@state_make $kind $spec)),* }
            }
        }
        $crate::scopeless!((concat!($($about),*)) () ($name) ($($prefix)?) $($kind $field $spec)*);
    };
}

/// rust-hdl's traits for something whose signals belong to the block around it.
#[doc(hidden)]
#[macro_export]
macro_rules! scopeless {
    (($about:expr) ($($generics:tt)*) ($name:ty) ($($prefix:literal)?) $($kind:ident $field:ident $spec:tt)*) => {
        impl<$($generics)*> rust_hdl_core::logic::Logic for $name {
            fn update(&mut self) {}
            fn hdl(&self) -> rust_hdl_core::ast::Verilog {
                rust_hdl_core::ast::Verilog::Empty
            }
        }
        impl<$($generics)*> rust_hdl_core::block::Block for $name {
            fn connect_all(&mut self) {
                $(rust_hdl_core::block::Block::connect_all(&mut self.$field);)*
            }
            fn update_all(&mut self) {
                $(rust_hdl_core::block::Block::update_all(&mut self.$field);)*
            }
            fn has_changed(&self) -> bool {
                false $(|| rust_hdl_core::block::Block::has_changed(&self.$field))*
            }
            #[allow(unused_variables)]
            fn accept(&self, name: &str, probe: &mut dyn rust_hdl_core::probe::Probe) {
                let prefix = name;
                $(let prefix = $prefix;)?
                let _group = $crate::rtl::Group::enter($about);
                $(
                    let name = $crate::signal!(@name $kind prefix $field $spec);
                    rust_hdl_core::block::Block::accept(&self.$field, &name, probe);
                )*
            }
        }
    };
}

/// What [`bundle!`](crate::bundle) and [`group!`](crate::group) make of one signal.
#[doc(hidden)]
#[macro_export]
macro_rules! signal {
    (@port $s:ident out ([$n:expr] $($rest:tt)*)) => { Vec<$s::Forward> };
    (@port $s:ident out (if $($rest:tt)*)) => { $crate::rtl::Maybe<$s::Forward> };
    (@port $s:ident out $spec:tt) => { $s::Forward };
    (@port $s:ident in ([$n:expr] $($rest:tt)*)) => { Vec<$s::Backward> };
    (@port $s:ident in $spec:tt) => { $s::Backward };
    (@make ([$n:expr] $w:expr $(=> $verilog:literal)?)) => {
        (0..$n).map(|_| $crate::rtl::AnyPort::of($w)).collect()
    };
    (@make (if $c:expr; $w:expr)) => {
        $crate::rtl::Maybe::when($c, || $crate::rtl::AnyPort::of($w))
    };
    (@make ($w:expr $(=> $verilog:literal)?)) => { $crate::rtl::AnyPort::of($w) };
    (@connect out $source:expr, $sink:expr) => { $crate::rtl::drive(&$sink, &$source) };
    (@connect in $source:expr, $sink:expr) => { $crate::rtl::drive(&$source, &$sink) };
    (@back out) => { false };
    (@back in) => { true };
    (@width ([$n:expr] $w:expr $(=> $verilog:literal)?)) => {
        concat!("[", stringify!($n), "] ", stringify!($w))
    };
    (@width (if $c:expr; $w:expr)) => { concat!("if ", stringify!($c), "; ", stringify!($w)) };
    (@width ($w:expr $(=> $verilog:literal)?)) => { stringify!($w) };
    (@state part (if $c:expr; $t:ty : $($rest:tt)*)) => { $crate::rtl::Maybe<$t> };
    (@state part (if $c:expr; $t:ty = $($rest:tt)*)) => { $crate::rtl::Maybe<$t> };
    (@state in (if $($rest:tt)*)) => { $crate::rtl::Maybe<$crate::rtl::Input> };
    (@state out (if $($rest:tt)*)) => { $crate::rtl::Maybe<$crate::rtl::Output> };
    (@state $kind:ident (if $($rest:tt)*)) => { $crate::rtl::Maybe<$crate::rtl::Reg> };
    (@state part ([$n:expr] $t:ty : $($rest:tt)*)) => { Vec<$t> };
    (@state part ($t:ty = $($rest:tt)*)) => { $t };
    (@state part ($t:ty : $($rest:tt)*)) => { $t };
    (@state keep ($t:ty = $($rest:tt)*)) => { $t };
    (@state in ([$n:expr] $($rest:tt)*)) => { Vec<$crate::rtl::Input> };
    (@state in $spec:tt) => { $crate::rtl::Input };
    (@state out ([$n:expr] $($rest:tt)*)) => { Vec<$crate::rtl::Output> };
    (@state out $spec:tt) => { $crate::rtl::Output };
    (@state $kind:ident ([$n:expr] $($rest:tt)*)) => { Vec<$crate::rtl::Reg> };
    (@state $kind:ident $spec:tt) => { $crate::rtl::Reg };
    (@state_make part (if $c:expr; $t:ty : $($arg:expr),*)) => {
        $crate::rtl::Maybe::when($c, || <$t>::new($($arg),*))
    };
    (@state_make part (if $c:expr; $t:ty = $e:expr)) => {
        $crate::rtl::Maybe::when($c, || $e)
    };
    (@state_make in (if $c:expr; $w:expr)) => {
        $crate::rtl::Maybe::when($c, || $crate::rtl::Input::new($w))
    };
    (@state_make out (if $c:expr; $w:expr)) => {
        $crate::rtl::Maybe::when($c, || $crate::rtl::Output::new($w))
    };
    (@state_make reg (if $c:expr; $w:expr)) => {
        $crate::rtl::Maybe::when($c, || $crate::rtl::Reg::new($w))
    };
    (@state_make data (if $c:expr; $w:expr)) => {
        $crate::rtl::Maybe::when($c, || $crate::rtl::Reg::data($w))
    };
    (@state_make part ([$n:expr] $t:ty : $($arg:expr),*)) => {
        (0..$n).map(|_| <$t>::new($($arg),*)).collect()
    };
    (@state_make part ($t:ty = $e:expr $(=> $verilog:literal)?)) => { $e };
    (@state_make part ($t:ty : $($arg:expr),*)) => { <$t>::new($($arg),*) };
    (@state_make keep ($t:ty = $e:expr)) => { $e };
    (@state_make in ([$n:expr] $w:expr)) => { $crate::rtl::Input::array($n, $w) };
    (@state_make in ($w:expr)) => { $crate::rtl::Input::new($w) };
    (@state_make out ([$n:expr] $w:expr)) => { $crate::rtl::Output::array($n, $w) };
    (@state_make out ($w:expr)) => { $crate::rtl::Output::new($w) };
    (@state_make reg ([$n:expr] $w:expr $(=> $verilog:literal)?)) => {
        (0..$n).map(|_| $crate::rtl::Reg::new($w)).collect()
    };
    (@state_make reg ($w:expr $(=> $verilog:literal)?)) => { $crate::rtl::Reg::new($w) };
    (@state_make data ([$n:expr] $w:expr $(=> $verilog:literal)?)) => {
        (0..$n).map(|_| $crate::rtl::Reg::data($w)).collect()
    };
    (@state_make data ($w:expr $(=> $verilog:literal)?)) => { $crate::rtl::Reg::data($w) };
    (@name $kind:ident $prefix:ident $field:ident (if $($rest:tt)*)) => {
        $crate::rtl::signal_name($prefix, stringify!($field))
    };
    (@name part $prefix:ident $field:ident ([$n:expr] $($rest:tt)*)) => {
        $crate::rtl::signal_name($prefix, stringify!($field))
    };
    (@name part $prefix:ident $field:ident ($t:ty = $e:expr => $verilog:literal)) => {
        String::from($verilog)
    };
    (@name part $prefix:ident $field:ident $spec:tt) => {
        $crate::rtl::signal_name($prefix, stringify!($field))
    };
    (@name $kind:ident $prefix:ident $field:ident ([$n:expr] $w:expr => $verilog:literal)) => {
        String::from($verilog)
    };
    (@name $kind:ident $prefix:ident $field:ident ([$n:expr] $w:expr)) => {
        $crate::rtl::signal_name($prefix, stringify!($field))
    };
    (@name $kind:ident $prefix:ident $field:ident ($w:expr => $verilog:literal)) => {
        String::from($verilog)
    };
    (@name $kind:ident $prefix:ident $field:ident ($w:expr)) => {
        $crate::rtl::signal_name($prefix, stringify!($field))
    };
}
