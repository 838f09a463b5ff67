//! The five of the FlexGrip papers at sizes 32, 64, 128 and 256.
//!
//! Andryc, Merchant and Tessier, "FlexGrip", FPT 2013, run these on integers: products and transposes
//! of n by n words, reduction, sort and autocorrelation of n words. The programs in `kernels/` of this
//! crate take n as a parameter.

use super::case::{Case, Suite, KERNEL};
use super::launch::{constant, data, expect, launch, put};
use warpsmith_model::Launch;

/// Sizes of the papers.
pub const SIZES: [u32; 4] = [32, 64, 128, 256];

/// Makes the launch of one size.
type Make = fn(u32) -> Launch;

/// Twenty cases.
pub fn cases() -> Vec<Case> {
    let makes: [(&str, Make); 5] = [
        ("autocorrelation", autocorrelation),
        ("bitonic_sort", bitonic_sort),
        ("matmul", matmul),
        ("reduction", reduction),
        ("transpose", transpose),
    ];
    makes
        .into_iter()
        .flat_map(|(name, make)| {
            SIZES.map(|n| Case {
                suite: Suite::Flexgrip,
                name: name.into(),
                size: Some(n),
                launch: make(n),
                target: Some(KERNEL),
                // 16.7 million products: some ten seconds.
                long: name == "matmul" && n == 256,
            })
        })
        .collect()
}

/// r[l] = sum of x[i] * x[i + l], words beyond the end counting as 0. At least 256 threads: below
/// 256 words several share the sum of a lag.
fn autocorrelation(n: u32) -> Launch {
    let x = data(n, n as usize, 1 << 12);
    let threads = n.max(256);
    let parts = threads / n;
    let at = 4 * n;
    let mut l = launch(
        "autocorrelation",
        include_str!("../../kernels/autocorrelation.sass"),
        [1, 1],
        [threads, 1, 1],
        12,
        &[0, at, n, n / parts, parts.trailing_zeros()],
    );
    // Header and parameters, 2 n words of x and zeros, a partial sum a thread.
    l.shared_bytes = 0x40 + 8 * n + 4 * threads;
    put(&mut l, at, &x);
    let result: Vec<u32> = (0..n as usize)
        .map(|lag| x.iter().zip(&x[lag..]).fold(0u32, |s, (a, b)| s.wrapping_add(a.wrapping_mul(*b))))
        .collect();
    expect(&mut l, 0, &result);
    l
}

/// Ascending signed words, a thread a word.
fn bitonic_sort(n: u32) -> Launch {
    let mut words = data(n + 1, n as usize, 1 << 30);
    let mut l = launch("bitonic_sort", include_str!("../../kernels/bitonic_sort.sass"), [1, 1], [n, 1, 1], 12, &[0, n]);
    l.shared_bytes = 0x40 + 4 * n;
    put(&mut l, 0, &words);
    words.sort_by_key(|w| *w as i32);
    expect(&mut l, 0, &words);
    l
}

/// C = A * B; blocks of 32 by 8 threads make tiles of 32 by 32, four words a thread.
fn matmul(n: u32) -> Launch {
    let (a, b) = (data(n + 2, (n * n) as usize, 1 << 12), data(n + 3, (n * n) as usize, 1 << 12));
    let at = 4 * n * n;
    let mut l = launch(
        "matmul",
        include_str!("../../kernels/matmul.sass"),
        [n / 32, n / 32],
        [32, 8, 1],
        20,
        &[0, at, 2 * at, n],
    );
    constant(&mut l, 1, &[0x3ff]);
    // Tiles of A, 32 by 16, and of B, 32 rows of 17.
    l.shared_bytes = 0x40 + 2048 + 4 * 32 * 17;
    put(&mut l, at, &a);
    put(&mut l, 2 * at, &b);
    let n = n as usize;
    let mut c = vec![0u32; n * n];
    for i in 0..n {
        for k in 0..n {
            let x = a[i * n + k];
            for j in 0..n {
                c[i * n + j] = c[i * n + j].wrapping_add(x.wrapping_mul(b[k * n + j]));
            }
        }
    }
    expect(&mut l, 0, &c);
    l
}

/// The sum of n words, a thread a word.
fn reduction(n: u32) -> Launch {
    let words = data(n + 4, n as usize, 1 << 24);
    let mut l = launch("reduction", include_str!("../../kernels/reduction.sass"), [1, 1], [n, 1, 1], 6, &[0, 0x40]);
    // Reads beyond the sum go to words that are not used.
    l.shared_bytes = 0x20 + 4 * n + 64;
    put(&mut l, 0x40, &words);
    expect(&mut l, 0, &[words.iter().fold(0, |s, w| s.wrapping_add(*w))]);
    l
}

/// B = A turned; tiles of 32 by 32 with rows of 33 words in shared memory, four words a thread.
fn transpose(n: u32) -> Launch {
    let a = data(n + 5, (n * n) as usize, 1 << 30);
    let at = 4 * n * n;
    let mut l = launch(
        "transpose",
        include_str!("../../kernels/transpose.sass"),
        [n / 32, n / 32],
        [32, 8, 1],
        12,
        &[0, at, n],
    );
    constant(&mut l, 1, &[0x3ff]);
    l.shared_bytes = 0x40 + 4 * 32 * 33;
    put(&mut l, at, &a);
    let n = n as usize;
    let turned: Vec<u32> = (0..n * n).map(|i| a[i % n * n + i / n]).collect();
    expect(&mut l, 0, &turned);
    l
}
