//! PTX text to syntax tree: what clang 14 to 22 writes for 32-bit nvptx, and PTX by hand.

pub mod ast;
mod body;
mod cursor;
mod declare;
pub mod left;
pub mod lex;
mod operand;
mod parse;
mod rotate;
#[cfg(test)]
mod tests;

pub use parse::parse;
