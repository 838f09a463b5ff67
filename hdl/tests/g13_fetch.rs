//! Fetch of G13: 12 bytes at any even address, and how many of them are part of the program.

use crate::support::fetch::{check, chip};
use warpsmith_hdl::config::Isa;
use warpsmith_hdl::sm::pipeline::g13_fetch::G13Fetch;

#[test]
fn g13_fetch_gives_twelve_bytes_at_any_address() {
    let cfg = chip(Isa::G13);
    check(&G13Fetch::new(&cfg), &cfg, 0x5EED_0131, &[512, 510, 256, 14, 2, 0], (2, 6));
}
