//! Tests of wrappers and of the flow to bitstreams.

mod flow;
mod wrap;
