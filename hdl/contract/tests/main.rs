//! Tests of the contract: a frozen snapshot.

mod snapshot;
