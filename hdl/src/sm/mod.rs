pub mod control;
pub mod dims;
