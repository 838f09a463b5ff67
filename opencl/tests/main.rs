//! The driver through the ICD loader: host programs in C, clinfo, PoCL as the reference, random calls and kernels.

mod clinfo;
mod hosts;
mod must_fail;
mod random_kernels;
mod sequences;
mod settings;
mod support;
