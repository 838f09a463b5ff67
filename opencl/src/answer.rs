//! Values of the `clGet…Info` calls as bytes.

/// One 32-bit number.
pub fn uint(n: u32) -> Vec<u8> {
    n.to_ne_bytes().to_vec()
}

/// One 64-bit number.
pub fn ulong(n: u64) -> Vec<u8> {
    n.to_ne_bytes().to_vec()
}

/// One `size_t`, handle or pointer.
pub fn size(n: usize) -> Vec<u8> {
    n.to_ne_bytes().to_vec()
}

/// Several of them.
pub fn sizes(list: &[usize]) -> Vec<u8> {
    list.iter().flat_map(|n| n.to_ne_bytes()).collect()
}

/// A truth value.
pub fn truth(b: bool) -> Vec<u8> {
    uint(u32::from(b))
}

/// A text with its final zero; zeros within it would hide the rest and are left away.
pub fn text(s: &str) -> Vec<u8> {
    let mut bytes: Vec<u8> = s.bytes().filter(|b| *b != 0).collect();
    bytes.push(0);
    bytes
}
