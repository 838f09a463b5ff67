//! Tests of the instruction set: words, text, programs, against tables of others.

mod access;
mod build;
mod codes;
mod common;
mod errors;
mod fermi;
mod g13;
mod ivb;
mod ivb_document;
mod link;
mod operands;
mod program;
mod roundtrip;
mod sass_pairs;
mod semantics;
mod set;
mod sets;
mod sm10;
mod table;
