//! Data of histogram64, aes128 and sha256.

use super::{noise, packed, DataFile};
use sha2::{Digest, Sha256};

/// Every data file of these kernels.
pub fn files() -> Vec<DataFile> {
    let mut files = vec![];
    let mut put = |path, words| files.push(DataFile { path, words });

    // Uneven bytes, so that bins differ.
    let data: Vec<u32> = noise(500, 1500).iter().map(|x| x & (x >> 3 | 0x1f3f0f7f)).collect();
    let bins = |words: &[(usize, u32)]| {
        let mut counts = vec![0u32; 64];
        for byte in words.iter().flat_map(|(_, w)| w.to_le_bytes()) {
            counts[usize::from(byte >> 2)] += 1;
        }
        counts
    };
    let numbered: Vec<(usize, u32)> = data.iter().copied().enumerate().collect();
    let part = |b: usize| -> Vec<(usize, u32)> { numbered.iter().copied().filter(|(i, _)| i / 64 % 3 == b).collect() };
    put("histogram64/partial.hex", (0..3).flat_map(|b| bins(&part(b))).collect());
    put("histogram64/expect.hex", bins(&numbered));
    put("histogram64/data.hex", data);

    // The first block and its key are the example of FIPS 197, appendix B.
    let key: [u8; 16] = hex("2b7e151628aed2a6abf7158809cf4f3c");
    let first: [u8; 16] = hex("3243f6a8885a308d313198a2e0370734");
    assert_eq!(aes128(&key, &first), hex("3925841d02dc09fbdc118597196a0b32"));
    let mut plain = first.to_vec();
    plain.extend(noise(510, 69 * 4).iter().flat_map(|w| w.to_le_bytes()));
    let cipher: Vec<u8> = plain.chunks(16).flat_map(|b| aes128(&key, b.try_into().expect("16 bytes"))).collect();
    put("aes128/key.hex", packed(&key));
    put("aes128/plain.hex", packed(&plain));
    put("aes128/expect.hex", packed(&cipher));

    // Lengths from 0 on, the one beyond which a second block is needed among them.
    let (mut padded, mut blocks, mut digests) = (vec![], vec![], vec![]);
    for i in 0..40usize {
        let length = i * 3;
        let text = packed_bytes(&noise(520 + i as u32, 30))[..length].to_vec();
        digests.extend(packed(&Sha256::digest(&text)));
        let count = (length + 9).div_ceil(64);
        let mut message = text;
        message.push(0x80);
        message.resize(128, 0);
        message[64 * count - 8..64 * count].copy_from_slice(&(8 * length as u64).to_be_bytes());
        padded.extend(packed(&message));
        blocks.push(count as u32);
    }
    put("sha256/messages.hex", padded);
    put("sha256/blocks.hex", blocks);
    put("sha256/expect.hex", digests);
    files
}

fn packed_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

fn hex<const N: usize>(text: &str) -> [u8; N] {
    std::array::from_fn(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).expect("hex digits"))
}

/// Product in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1.
fn product(a: u8, b: u8) -> u8 {
    let (mut a, mut sum) = (a, 0);
    for bit in 0..8 {
        if b >> bit & 1 == 1 {
            sum ^= a;
        }
        a = a << 1 ^ if a & 0x80 == 0 { 0 } else { 0x1b };
    }
    sum
}

/// The S-box: the inverse, then an affine map.
fn sbox(x: u8) -> u8 {
    let inverse = (1..=255).find(|y| product(x, *y) == 1).unwrap_or(0);
    (0..5).fold(0x63, |s, k| s ^ inverse.rotate_left(k))
}

/// One block, by the steps of FIPS 197 on bytes.
fn aes128(key: &[u8; 16], block: &[u8; 16]) -> [u8; 16] {
    let mut key = *key;
    let mut state: [u8; 16] = std::array::from_fn(|i| block[i] ^ key[i]);
    let mut power = 1;
    for round in 1..=10 {
        let last = [key[13], key[14], key[15], key[12]].map(sbox);
        key[0] ^= power;
        for i in 0..16 {
            key[i] ^= if i < 4 { last[i] } else { key[i - 4] };
        }
        power = product(power, 2);
        let shifted: [u8; 16] = std::array::from_fn(|i| sbox(state[(i + 4 * (i % 4)) % 16]));
        for (c, column) in shifted.chunks(4).enumerate() {
            for r in 0..4 {
                let mixed = |k: usize| column[(r + k) % 4];
                let byte = match round {
                    10 => column[r],
                    _ => product(mixed(0), 2) ^ product(mixed(1), 3) ^ mixed(2) ^ mixed(3),
                };
                state[4 * c + r] = byte ^ key[4 * c + r];
            }
        }
    }
    state
}
