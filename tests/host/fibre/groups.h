// Cooperative groups: the block, tiles of a warp, threads that are active together, the grid without its barrier.
#pragma once

namespace cooperative_groups {

struct thread_block {
  static void sync() { __syncthreads(); }
  static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned num_threads() { return size(); }
  static unsigned thread_rank() { return fibre::current->number; }
  static dim3 group_index() { return blockIdx; }
  static dim3 thread_index() { return threadIdx; }
  static dim3 group_dim() { return blockDim; }
};
static inline thread_block this_thread_block() { return {}; }

struct grid_group {
  static bool is_valid() { return false; }
  static void sync() { abort(); }
  static unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
  static unsigned long long size() { return num_blocks() * thread_block::size(); }
  static unsigned long long thread_rank() {
    unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    return (unsigned long long)block * thread_block::size() + fibre::current->number;
  }
};
static inline grid_group this_grid() { return {}; }

// A set of threads of a warp, `count` from lane `first` on or those of a mask; exchanges go by rank.
struct warp_group {
  unsigned mask;
  unsigned size() const { return __popc(mask); }
  unsigned num_threads() const { return size(); }
  unsigned thread_rank() const { return __popc(mask & ((1u << fibre::lane()) - 1)); }
  void sync() const { __syncwarp(); }
  int lane_of(int rank) const {
    if (rank < 0 || rank >= (int)size()) return -1;
    unsigned left = mask;
    while (rank--) left &= left - 1;
    return __builtin_ctz(left);
  }
  unsigned by_rank(unsigned votes) const {
    unsigned found = 0;
    for (unsigned i = 0, n = size(); i < n; i++) found |= (votes >> lane_of(i) & 1) << i;
    return found;
  }
  template <class T> T shfl(T v, int rank) const { return fibre::shuffled(mask, v, lane_of(rank % (int)size())); }
  template <class T> T shfl_up(T v, unsigned by) const { return fibre::shuffled(mask, v, lane_of((int)thread_rank() - (int)by)); }
  template <class T> T shfl_down(T v, unsigned by) const { return fibre::shuffled(mask, v, lane_of(thread_rank() + by)); }
  template <class T> T shfl_xor(T v, unsigned with) const { return fibre::shuffled(mask, v, lane_of(thread_rank() ^ with)); }
  unsigned ballot(int p) const { return by_rank(__ballot_sync(mask, p)); }
  int any(int p) const { return __any_sync(mask, p); }
  int all(int p) const { return __all_sync(mask, p); }
  template <class T> unsigned match_any(T v) const { return by_rank(__match_any_sync(mask, v)); }
};

// A part of a warp with a size known at compile time, or not.
template <unsigned N = 0, class Parent = void> struct thread_block_tile : warp_group {
  static_assert(N <= fibre::WARP, "tiles of more threads than a warp");
  unsigned meta_group_rank() const { return fibre::current->number / size(); }
  unsigned meta_group_size() const { return (thread_block::size() + size() - 1) / size(); }
};
typedef warp_group coalesced_group;
typedef warp_group thread_group;

static inline unsigned mask_of_tile(unsigned n) { return n == 32 ? ~0u : ((1u << n) - 1) << fibre::lane() / n * n; }
template <unsigned N, class G> thread_block_tile<N, G> tiled_partition(const G &) { return {{mask_of_tile(N)}}; }
template <class G> thread_block_tile<> tiled_partition(const G &, unsigned n) { return {{mask_of_tile(n)}}; }
static inline coalesced_group coalesced_threads() { return {__activemask()}; }
static inline coalesced_group binary_partition(const warp_group &g, bool p) {
  unsigned yes = __ballot_sync(g.mask, p);
  return {p ? yes : g.mask & ~yes};
}
template <class T> coalesced_group labeled_partition(const warp_group &g, T label) { return {__match_any_sync(g.mask, label)}; }
template <class G> void sync(const G &g) { g.sync(); }

template <class T = void> struct plus { template <class A> A operator()(A a, A b) const { return a + b; } };
template <class T = void> struct less { template <class A> A operator()(A a, A b) const { return a < b ? a : b; } };
template <class T = void> struct greater { template <class A> A operator()(A a, A b) const { return a > b ? a : b; } };
template <class T = void> struct bit_and { template <class A> A operator()(A a, A b) const { return a & b; } };
template <class T = void> struct bit_or { template <class A> A operator()(A a, A b) const { return a | b; } };
template <class T = void> struct bit_xor { template <class A> A operator()(A a, A b) const { return a ^ b; } };
template <class T, class F> T reduce(const warp_group &g, T v, F operation) { return fibre::reduced(g.mask, v, operation); }
template <class T, class F> T inclusive_scan(const warp_group &g, T v, F operation) {
  auto all = fibre::exchange(v, g.mask);
  T sum = all.value[g.lane_of(0)];
  for (unsigned i = 1; i <= g.thread_rank(); i++) sum = operation(sum, all.value[g.lane_of(i)]);
  return sum;
}
template <class T> T inclusive_scan(const warp_group &g, T v) { return inclusive_scan(g, v, plus<T>()); }
template <class T, class F> T exclusive_scan(const warp_group &g, T v, F operation) {
  T sum = inclusive_scan(g, v, operation), before = fibre::shuffled(g.mask, sum, g.lane_of((int)g.thread_rank() - 1));
  return g.thread_rank() ? before : T(0);
}
template <class T> T exclusive_scan(const warp_group &g, T v) { return exclusive_scan(g, v, plus<T>()); }

} // namespace cooperative_groups
