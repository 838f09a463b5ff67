//! Random small designs, and their plain reading.
#![allow(dead_code)] // every test program uses another part

pub mod interpreter;
pub mod random;
