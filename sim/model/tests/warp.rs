//! Exchange between the threads of a warp in CUDA C on the model, against plain Rust: whole and partial warps, both
//! sides of a branch, loops that threads leave at their own time.

use crate::common::kernels::Kernels;
use warpsmith_compiler::clang::find;

/// Threads of a block: three warps, the last with 13 threads.
const BLOCK: usize = 77;
const GRID: usize = 2;

/// What a warp computes: a row of words for each lane from the values of all and the active lanes. A word that CUDA
/// leaves open is `None`.
type Row = Vec<Option<u32>>;

/// Active lanes of a warp and the value of each.
struct Warp<'a> {
    values: &'a [u32],
    active: u32,
}

impl Warp<'_> {
    fn is_active(&self, lane: usize) -> bool {
        self.active >> lane & 1 == 1
    }

    fn lanes(&self) -> impl Iterator<Item = usize> + '_ {
        (0..32).filter(|l| self.is_active(*l))
    }

    fn ballot(&self, holds: impl Fn(u32) -> bool) -> u32 {
        self.lanes().filter(|l| holds(self.values[*l])).map(|l| 1 << l).sum()
    }

    /// The value of a lane, where it is active.
    fn value(&self, lane: usize) -> Option<u32> {
        self.is_active(lane).then(|| self.values[lane])
    }

    /// A shuffle by its name in CUDA: out of the part of `width` lanes the own value.
    fn shuffle(&self, name: &str, lane: usize, n: u32, width: usize) -> Option<u32> {
        let (first, n) = (lane & !(width - 1), n as usize & 31);
        let from = match name {
            "__shfl" => first + n % width,
            "__shfl_up" => lane.checked_sub(n).filter(|f| *f >= first).unwrap_or(lane),
            "__shfl_down" => Some(lane + n).filter(|f| *f < first + width).unwrap_or(lane),
            _ => Some(lane ^ n).filter(|f| *f < first + width).unwrap_or(lane),
        };
        self.value(from)
    }
}

/// Inputs: low bits often equal, bits 12:8 a lane.
fn inputs() -> Vec<u32> {
    let mut x = 12345u32;
    let mut next = || {
        x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        x >> 3
    };
    (0..GRID * BLOCK).map(|_| next() & 0xffff_1f07).collect()
}

/// Runs kernel `i`, and compares the rows of every warp, whose values are `of` the inputs.
fn check(kernels: &Kernels, i: usize, row: usize, expected: impl Fn(&[u32], u32) -> Vec<Row>) {
    let input = inputs();
    let (_, found) = kernels.run(i, [GRID, BLOCK], (&input, row * GRID * BLOCK), "", &[]);
    let mut compared = 0;
    for block in 0..GRID {
        for first in (0..BLOCK).step_by(32) {
            let threads = (BLOCK - first).min(32);
            let at = block * BLOCK + first;
            let mut values = input[at..at + threads].to_vec();
            values.resize(32, 0);
            let exist = ((1u64 << threads) - 1) as u32;
            let rows = expected(&values, exist);
            for (lane, wanted) in rows.iter().enumerate().take(threads) {
                assert_eq!(wanted.len(), row, "kernel f{i}");
                for (k, w) in wanted.iter().enumerate() {
                    let Some(w) = w else { continue };
                    let f = found[(at + lane) * row + k];
                    assert_eq!(f, *w, "kernel f{i}, block {block}, warp {}, lane {lane}, word {k}", first / 32);
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > row * GRID * BLOCK / 2, "kernel f{i}: {compared} words compared");
}

const NAMES: [&str; 4] = ["__shfl", "__shfl_up", "__shfl_down", "__shfl_xor"];
const WIDTHS: [usize; 6] = [1, 2, 4, 8, 16, 32];

/// All shuffles of all widths by the threads of a warp that are active.
fn shuffles(w: &Warp, lane: usize) -> Row {
    let n = w.values[lane] >> 8 & 31;
    NAMES.iter().flat_map(|name| WIDTHS.map(|width| w.shuffle(name, lane, n, width))).collect()
}

fn shuffle_source() -> String {
    let all: String = (NAMES.iter().enumerate())
        .flat_map(|(i, name)| {
            WIDTHS.iter().enumerate().map(move |(j, w)| {
                let call = match (i + j) % 3 {
                    0 => format!("{name}(v, n, {w})"),
                    1 => format!("__float_as_int({name}_sync(~0u, __int_as_float(v), n, {w}))"),
                    _ => format!("(int)({name}_sync(~0u, (long long)v << 32 | 5, n, {w}) >> 32)"),
                };
                format!("  o[{}] = {call};\n", 6 * i + j)
            })
        })
        .collect();
    format!(
        "#define ENTRY int i = blockIdx.x * blockDim.x + threadIdx.x; int v = in[i], n = v >> 8 & 31; (void)n;\n\
         __device__ __forceinline__ void shuffles(int v, int n, int *o) {{\n{all}}}\n\
         extern \"C\" __global__ void f0(const int *in, int *out) {{ ENTRY shuffles(v, n, out + 24 * i); }}\n\
         extern \"C\" __global__ void f1(const int *in, int *out) {{ ENTRY\n\
           if (v & 1) shuffles(v, n, out + 24 * i); else shuffles(v + 1, n, out + 24 * i); }}\n\
         extern \"C\" __global__ void f2(const int *in, int *out) {{ ENTRY\n\
           for (int t = v & 7; t > 0; t--) {{\n\
             int other = __shfl_xor(v, 1); if (__activemask() >> (threadIdx.x & 31 ^ 1) & 1) v += other ^ t;\n\
             if (v & 1 << 20) v -= __popc(__activemask()); }}\n\
           out[i] = v; }}\n"
    )
}

/// The loop of kernel `f2`, all lanes one step after the other.
fn looped(values: &[u32], exist: u32) -> Vec<Row> {
    let mut v = values.to_vec();
    for step in 0..7 {
        let inside: Vec<usize> = (0..32).filter(|l| exist >> l & 1 == 1 && step < (values[*l] & 7)).collect();
        let before = v.clone();
        for &l in inside.iter().filter(|l| inside.contains(&(**l ^ 1))) {
            v[l] = v[l].wrapping_add(before[l ^ 1] ^ ((values[l] & 7) - step));
        }
        let branch: Vec<usize> = inside.into_iter().filter(|l| v[*l] >> 20 & 1 == 1).collect();
        for &l in &branch {
            v[l] = v[l].wrapping_sub(branch.len() as u32);
        }
    }
    v.into_iter().map(|v| vec![Some(v)]).collect()
}

fn found() -> bool {
    warpsmith_testkit::found(find::find(None)).is_some()
}

#[test]
fn shuffles_of_all_widths() {
    if !found() {
        return;
    }
    let kernels = Kernels::new("k.cu", shuffle_source());
    check(&kernels, 0, 24, |values, exist| {
        let w = Warp { values, active: exist };
        (0..32).map(|l| shuffles(&w, l)).collect()
    });
    check(&kernels, 1, 24, |values, exist| {
        let odd: u32 = (0..32).filter(|l| values[*l] & 1 == 1).map(|l| 1 << l).sum();
        let plus: Vec<u32> = values.iter().map(|v| v + 1).collect();
        let side = |l: usize| match odd >> l & 1 {
            1 => shuffles(&Warp { values, active: exist & odd }, l),
            // The lane to read from is that of the value before.
            _ => shuffles(&Warp { values: &plus, active: exist & !odd }, l),
        };
        (0..32).map(side).collect()
    });
    check(&kernels, 2, 1, looped);
}

const VOTES: &str = "
__device__ __forceinline__ void votes(int v, int *o) {
  o[0] = __any(v & 4) != 0;
  o[1] = __all_sync(~0u, v & 4) != 0;
  o[2] = __ballot_sync(~0u, v & 2);
  o[3] = __activemask();
  unsigned mine = v & 1 ? __ballot(v & 1) : __ballot(!(v & 1));
  o[4] = mine;
  o[5] = __any_sync(mine, v & 2) != 0;
  o[6] = __all_sync(mine, v & 2) != 0;
  o[7] = __match_any_sync(~0u, v & 7);
  o[8] = __match_any_sync(~0u, (unsigned long long)(v & 3) << 40 | (v & 4));
  int all;
  o[9] = __match_all_sync(mine, v & 1, &all);
  o[10] = all;
  o[11] = __match_all_sync(~0u, v & 7, &all);
  o[12] = all;
  o[13] = __reduce_add_sync(~0u, v);
  o[14] = __reduce_min_sync(mine, v);
  o[15] = __reduce_max_sync(mine, (unsigned)v);
  o[16] = __reduce_and_sync(mine, v);
  o[17] = __reduce_or_sync(~0u, v);
  o[18] = __reduce_xor_sync(~0u, v);
  o[19] = __reduce_max_sync(~0u, v);
  o[20] = __reduce_min_sync(~0u, (unsigned)v);
}
extern \"C\" __global__ void f0(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  votes(in[i], out + 21 * i);
}
extern \"C\" __global__ void f1(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] & 4) votes(in[i], out + 21 * i); else votes(in[i] ^ 16, out + 21 * i);
}
extern \"C\" __global__ void f2(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = in[i], n = __syncthreads_count(v & 1);
  out[3 * i] = n; out[3 * i + 1] = __syncthreads_or((v & 0xffff0000) == 0); out[3 * i + 2] = __syncthreads_and(v != 77) + 2 * __syncthreads_and(v & 1);
}
";

fn votes(w: &Warp, lane: usize) -> Row {
    let v = w.values[lane];
    let bit = |n: u32| move |x: u32| x >> n & 1 == 1;
    let mine = w.ballot(|x| x & 1 == v & 1);
    let group = Warp { values: w.values, active: mine };
    let fold = |g: &Warp, f: fn(u32, u32) -> u32| g.lanes().map(|l| g.values[l]).reduce(f).unwrap_or(0);
    let alike = |g: &Warp, m: u32| g.ballot(|x| x & m == v & m);
    let all_alike = |g: &Warp, m: u32| if alike(g, m) == g.active { g.active } else { 0 };
    let signed = |g: &Warp, f: fn(i32, i32) -> i32| g.lanes().map(|l| g.values[l] as i32).reduce(f).unwrap_or(0) as u32;
    [
        u32::from(w.ballot(bit(2)) != 0),
        u32::from(w.ballot(bit(2)) == w.active),
        w.ballot(bit(1)),
        w.active,
        mine,
        u32::from(group.ballot(bit(1)) != 0),
        u32::from(group.ballot(bit(1)) == mine),
        alike(w, 7),
        alike(w, 7),
        all_alike(&group, 1),
        u32::from(all_alike(&group, 1) != 0),
        all_alike(w, 7),
        u32::from(all_alike(w, 7) != 0),
        fold(w, u32::wrapping_add),
        signed(&group, i32::min),
        fold(&group, u32::max),
        fold(&group, |a, b| a & b),
        fold(w, |a, b| a | b),
        fold(w, |a, b| a ^ b),
        signed(w, i32::max),
        fold(w, u32::min),
    ]
    .into_iter()
    .map(Some)
    .collect()
}

#[test]
fn votes_matches_and_reductions() {
    if !found() {
        return;
    }
    let kernels = Kernels::new("k.cu", VOTES);
    check(&kernels, 0, 21, |values, exist| {
        let w = Warp { values, active: exist };
        (0..32).map(|l| votes(&w, l)).collect()
    });
    check(&kernels, 1, 21, |values, exist| {
        let high: u32 = (0..32).filter(|l| values[*l] & 4 != 0).map(|l| 1 << l).sum();
        let other: Vec<u32> = values.iter().map(|v| v ^ 16).collect();
        let side = |l: usize| match high >> l & 1 {
            1 => votes(&Warp { values, active: exist & high }, l),
            _ => votes(&Warp { values: &other, active: exist & !high }, l),
        };
        (0..32).map(side).collect()
    });
    // A block at a time.
    let input = inputs();
    let (_, out) = kernels.run(2, [GRID, BLOCK], (&input, 3 * GRID * BLOCK), "", &[]);
    for (block, out) in input.chunks(BLOCK).zip(out.chunks(3 * BLOCK)) {
        let odd = block.iter().filter(|v| *v & 1 == 1).count() as u32;
        let some = u32::from(block.iter().any(|v| v >> 16 == 0));
        assert!(out.chunks(3).all(|o| o == [odd, some, 1]), "{odd}, {some}: {out:?}");
    }
}

const GROUPS: &str = "
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
template <class G> __device__ __forceinline__ void group(const G &g, int v, int *o) {
  o[0] = g.size();
  o[1] = g.thread_rank();
  o[2] = g.shfl(v, g.size() - 1);
  o[3] = g.shfl_up(v, 1);
  o[4] = g.shfl_down(v, 2);
  o[5] = g.any(v & 4) != 0;
  o[6] = g.all(v & 4) != 0;
  o[7] = g.ballot(v & 2);
  o[8] = cg::reduce(g, v, cg::plus<int>());
  o[9] = cg::reduce(g, v, cg::less<int>());
  o[10] = cg::inclusive_scan(g, v);
  o[11] = cg::exclusive_scan(g, v, cg::plus<int>());
  o[12] = g.match_any(v & 7);
  g.sync();
}
#define TILE(i, n) extern \"C\" __global__ void f##i(const int *in, int *out) { \\
  int j = blockIdx.x * blockDim.x + threadIdx.x; \\
  cg::thread_block_tile<n> t = cg::tiled_partition<n>(cg::this_thread_block()); group(t, in[j], out + 13 * j); }
TILE(0, 1) TILE(1, 2) TILE(2, 4) TILE(3, 8) TILE(4, 16) TILE(5, 32)
extern \"C\" __global__ void f6(const int *in, int *out) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[j] & 1) group(cg::coalesced_threads(), in[j], out + 13 * j);
  else group(cg::labeled_partition(cg::coalesced_threads(), in[j] & 2), in[j], out + 13 * j);
}
extern \"C\" __global__ void f7(const int *in, int *out) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  cg::thread_group g = cg::this_thread_block();
  out[4 * j] = g.size(); out[4 * j + 1] = g.thread_rank();
  cg::thread_group t = cg::tiled_partition(g, 8);
  out[4 * j + 2] = t.thread_rank();
  auto b = cg::binary_partition(cg::coalesced_threads(), in[j] & 1);
  out[4 * j + 3] = b.size();
}
";

/// Words of a group with these lanes; with gaps none of the tile's own.
fn group(w: &Warp, lanes: &[usize], lane: usize) -> Row {
    let rank = lanes.iter().position(|l| *l == lane).expect("of the group");
    let (v, size) = (w.values[lane], lanes.len());
    let value = |rank: usize| w.value(lanes[rank]);
    let values: Option<Vec<u32>> = (0..size).map(value).collect();
    let bits = |holds: &dyn Fn(u32) -> bool| -> u32 {
        (0..size).filter(|r| value(*r).is_some_and(holds)).map(|r| 1 << r).sum()
    };
    let there = (0..size).filter(|r| value(*r).is_some()).count() as u32;
    let sum = |n: usize| values.as_ref().map(|v| v[..n].iter().fold(0u32, |a, b| a.wrapping_add(*b)));
    let least = values.as_ref().map(|v| v.iter().map(|v| *v as i32).min().unwrap_or(0) as u32);
    let four = bits(&|x| x & 4 != 0);
    vec![
        Some(size as u32),
        Some(rank as u32),
        value(size - 1),
        value(rank.saturating_sub(1)),
        value(if rank + 2 < size { rank + 2 } else { rank }),
        Some(u32::from(four != 0)),
        Some(u32::from(four.count_ones() == there)),
        Some(bits(&|x| x & 2 != 0)),
        sum(size),
        least,
        sum(rank + 1),
        sum(rank),
        Some(bits(&|x| x & 7 == v & 7)),
    ]
}

#[test]
fn cooperative_groups() {
    if !found() {
        return;
    }
    let kernels = Kernels::new("k.cu", GROUPS);
    for (i, n) in [1usize, 2, 4, 8, 16, 32].into_iter().enumerate() {
        check(&kernels, i, 13, |values, exist| {
            let w = Warp { values, active: exist };
            let tile = |l: usize| (l & !(n - 1)..(l & !(n - 1)) + n).collect::<Vec<usize>>();
            (0..32).map(|l| group(&w, &tile(l), l)).collect()
        });
    }
    check(&kernels, 6, 13, |values, exist| {
        let w = Warp { values, active: exist };
        let same = |l: usize, m: u32| w.lanes().filter(|o| values[*o] & m == values[l] & m).collect::<Vec<usize>>();
        let of = |l: usize| match w.is_active(l) {
            true => group(&w, &same(l, if values[l] & 1 == 1 { 1 } else { 3 }), l),
            false => vec![None; 13],
        };
        (0..32).map(of).collect()
    });
    check(&kernels, 7, 4, |values, exist| {
        let odd: u32 = (0..32).filter(|l| exist >> l & 1 == 1 && values[*l] & 1 == 1).map(|l| 1 << l).sum();
        let size = |l: usize| if values[l] & 1 == 1 { odd } else { exist & !odd }.count_ones();
        (0..32).map(|l| vec![Some(BLOCK as u32), None, Some(l as u32 & 7), Some(size(l))]).collect()
    });
}
