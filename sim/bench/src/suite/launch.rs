//! Launches made here: a program in SASS, its shape and its memory, without files.

use warpsmith_model::launch::{ConstantSection, GlobalSection};
use warpsmith_model::Launch;

/// A launch of `source`. Shared memory begins with 16 header bytes, then the parameters.
///
/// A program of this crate that does not assemble is a bug of this crate: it panics.
pub fn launch(name: &str, source: &str, grid: [u32; 2], block: [u32; 3], registers: u32, params: &[u32]) -> Launch {
    let program = warpsmith_isa::asm::assemble(source, name).unwrap_or_else(|e| panic!("{name}: {e}"));
    Launch {
        grid,
        block,
        registers,
        params: params.to_vec(),
        shared_bytes: 16 + 4 * params.len() as u32,
        ..Launch::from_words(name, program.words)
    }
}

/// Puts words into global memory.
pub fn put(launch: &mut Launch, offset: u32, words: &[u32]) {
    let section = section(offset, words);
    grow(launch, &section);
    launch.globals.push(section);
}

/// Says what global memory holds in the end.
pub fn expect(launch: &mut Launch, offset: u32, words: &[u32]) {
    let section = section(offset, words);
    grow(launch, &section);
    launch.expects.push(section);
}

/// Puts words at the start of a constant bank.
pub fn constant(launch: &mut Launch, bank: u8, words: &[u32]) {
    launch.constants.push(ConstantSection::new(bank, 0, bytes(words)));
}

fn section(offset: u32, words: &[u32]) -> GlobalSection {
    GlobalSection::new(u64::from(offset), bytes(words))
}

fn grow(launch: &mut Launch, section: &GlobalSection) {
    let end = section.offset + section.bytes.len() as u64;
    launch.global_bytes = launch.global_bytes.max(end);
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// Words of a fixed sequence (xorshift, 32 bits), below `limit` in absolute value, signed.
pub fn data(seed: u32, n: usize, limit: i32) -> Vec<u32> {
    let mut x = seed.wrapping_mul(0x9e37_79b9) | 1;
    (0..n)
        .map(|_| {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
            ((x >> 4) as i32 % limit * if x & 1 == 0 { 1 } else { -1 }) as u32
        })
        .collect()
}
