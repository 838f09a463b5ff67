//! Fetch of Ivy Bridge: 16 bytes at any multiple of 8, and how many units of 8 are part of the program.

use crate::support::fetch::{check, chip};
use warpsmith_hdl::config::Isa;
use warpsmith_hdl::sm::pipeline::channel_fetch::ChannelFetch;

#[test]
fn channel_fetch_gives_sixteen_bytes_at_any_multiple_of_eight() {
    let cfg = chip(Isa::Ivb);
    check(&ChannelFetch::new(&cfg), &cfg, 0x5EED_0132, &[512, 504, 508, 256, 24, 16, 8, 4, 0], (8, 2));
}
