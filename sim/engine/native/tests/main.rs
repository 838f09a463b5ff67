//! Tests of the native engine: random designs beside the plain reading of every node.

mod gates;
mod random;
