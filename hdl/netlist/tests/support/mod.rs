//! Random small designs, and their plain reading.

pub mod interpreter;
