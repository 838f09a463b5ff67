//! Tests of launch files and of the programs they name.

mod archive;
mod calls;
mod compiled;
mod launch;
mod texture;
