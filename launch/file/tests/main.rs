//! Tests of launch files and of the programs they name.

mod compiled;
mod launch;
mod texture;
