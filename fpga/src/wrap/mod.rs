//! Modules around the chip, from templates.
