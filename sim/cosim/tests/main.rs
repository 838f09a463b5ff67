//! Tests of the simulation behind the seam.

mod simulation;
