// Cooperative groups: blocks, tiles of a warp, the active threads of a warp, and their parts; exchange, reductions and
// scans. A grid can be counted; its blocks cannot wait for each other.
#pragma once
#pragma clang system_header

namespace cooperative_groups {

#define __WS_MEMBER static inline __attribute__((device, always_inline, nodebug))
#define __WS_METHOD inline __attribute__((device, always_inline, nodebug))

// All threads of a block.
struct thread_block {
  __WS_MEMBER void sync() { __syncthreads(); }
  __WS_MEMBER unsigned thread_rank() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
  __WS_MEMBER unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  __WS_MEMBER unsigned num_threads() { return size(); }
  __WS_MEMBER bool is_valid() { return true; }
  __WS_MEMBER dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  __WS_MEMBER dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  __WS_MEMBER dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  __WS_MEMBER dim3 dim_threads() { return group_dim(); }
};
__WS_DEVICE thread_block this_thread_block() { return thread_block(); }
// Room for exchange between warps, which no group needs.
template <unsigned threads> struct block_tile_memory {};
template <unsigned threads> __WS_DEVICE thread_block this_thread_block(const block_tile_memory<threads> &) {
  return thread_block();
}

// All threads of a grid: they can be counted, they cannot wait for each other.
template <class T> __WS_REFUSED void __ws_grid_sync(T);
struct grid_group {
  template <class T = int> __WS_MEMBER void sync() { __ws_grid_sync(T()); }
  __WS_MEMBER unsigned long long block_rank() { return blockIdx.y * gridDim.x + blockIdx.x; }
  __WS_MEMBER unsigned long long num_blocks() { return gridDim.x * gridDim.y; }
  __WS_MEMBER unsigned long long thread_rank() {
    return (blockIdx.y * gridDim.x + blockIdx.x) * thread_block::size() + thread_block::thread_rank();
  }
  __WS_MEMBER unsigned long long size() { return gridDim.x * gridDim.y * thread_block::size(); }
  __WS_MEMBER unsigned long long num_threads() { return size(); }
  __WS_MEMBER bool is_valid() { return true; }
  __WS_MEMBER dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  __WS_MEMBER dim3 dim_blocks() { return group_dim(); }
  __WS_MEMBER dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
};
__WS_DEVICE grid_group this_grid() { return grid_group(); }

// Place of the set bit of a word with so many set ones below it.
__WS_DEVICE unsigned __ws_nth_bit(unsigned word, unsigned n) {
  unsigned at = 0;
  for (unsigned half = 16; half != 0; half >>= 1) {
    unsigned below = __popc(word >> at & ((1u << half) - 1));
    if (n >= below) { n -= below; at += half; }
  }
  return at;
}

// Some threads of a warp by their lanes.
struct coalesced_group {
  unsigned mask, meta_rank, meta_size;
  __WS_METHOD coalesced_group(unsigned m, unsigned rank = 0, unsigned size = 1) : mask(m), meta_rank(rank), meta_size(size) {}
  __WS_METHOD void sync() const { __syncwarp(); }
  __WS_METHOD unsigned size() const { return __popc(mask); }
  __WS_METHOD unsigned num_threads() const { return size(); }
  __WS_METHOD unsigned thread_rank() const { return __popc(mask & ((1u << __ws_lane()) - 1)); }
  __WS_METHOD unsigned meta_group_rank() const { return meta_rank; }
  __WS_METHOD unsigned meta_group_size() const { return meta_size; }
  __WS_METHOD bool is_valid() const { return true; }
  // The bits of some lanes as bits of the ranks in the group.
  __WS_METHOD unsigned pack(unsigned lanes) const {
    unsigned packed = 0, bit = 1;
    for (unsigned left = mask; left != 0; left &= left - 1, bit <<= 1)
      packed |= lanes & left & -left ? bit : 0;
    return packed;
  }
  template <class T> __WS_METHOD T shfl(T v, unsigned rank) const { return __shfl(v, __ws_nth_bit(mask, rank)); }
  template <class T> __WS_METHOD T shfl_up(T v, unsigned delta) const {
    unsigned rank = thread_rank();
    return __shfl(v, rank < delta ? __ws_lane() : __ws_nth_bit(mask, rank - delta));
  }
  template <class T> __WS_METHOD T shfl_down(T v, unsigned delta) const {
    unsigned rank = thread_rank() + delta;
    return __shfl(v, rank >= size() ? __ws_lane() : __ws_nth_bit(mask, rank));
  }
  __WS_METHOD int any(int p) const { return __any_sync(mask, p); }
  __WS_METHOD int all(int p) const { return __all_sync(mask, p); }
  __WS_METHOD unsigned ballot(int p) const { return pack(__ballot_sync(mask, p)); }
  template <class T> __WS_METHOD unsigned match_any(T v) const { return pack(__match_any_sync(mask, v)); }
  template <class T> __WS_METHOD unsigned match_all(T v, int &all) const { return pack(__match_all_sync(mask, v, &all)); }
};
__WS_DEVICE coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

// Up to 32 threads of a warp, one beside the other; all of them call. Larger tiles can be counted.
template <class T> __WS_REFUSED T __ws_large_tile(T);
#define __WS_TILE(value, expression) if constexpr (n > 32) return __ws_large_tile(value); else return expression
template <unsigned n, class Parent = void> struct thread_block_tile {
  static_assert(n <= 1024 && n != 0 && (n & (n - 1)) == 0, "the size of a tile is a power of two up to 1024");
  __WS_METHOD thread_block_tile() {}
  template <class Other> __WS_METHOD thread_block_tile(const thread_block_tile<n, Other> &) {}
  __WS_MEMBER unsigned __first() { return __ws_lane() & ~(n - 1); }
  __WS_MEMBER unsigned __mask() { return n >= 32 ? ~0u : ((1u << (n & 31)) - 1) << __first(); }
  __WS_MEMBER void sync() {
    if constexpr (n > 32) __ws_large_tile(0);
    else __syncwarp();
  }
  __WS_MEMBER unsigned thread_rank() { return thread_block::thread_rank() % n; }
  __WS_MEMBER unsigned meta_group_rank() { return thread_block::thread_rank() / n; }
  __WS_MEMBER unsigned meta_group_size() { return (thread_block::size() + n - 1) / n; }
  __WS_MEMBER constexpr unsigned size() { return n; }
  __WS_MEMBER constexpr unsigned num_threads() { return n; }
  __WS_MEMBER bool is_valid() { return true; }
  template <class T> __WS_MEMBER T shfl(T v, int i) { __WS_TILE(v, __shfl(v, i, n)); }
  template <class T> __WS_MEMBER T shfl_up(T v, unsigned i) { __WS_TILE(v, __shfl_up(v, i, n)); }
  template <class T> __WS_MEMBER T shfl_down(T v, unsigned i) { __WS_TILE(v, __shfl_down(v, i, n)); }
  template <class T> __WS_MEMBER T shfl_xor(T v, unsigned i) { __WS_TILE(v, __shfl_xor(v, i, n)); }
  __WS_MEMBER int any(int p) { __WS_TILE(p, n == 32 ? __any(p) : __any_sync(__mask(), p)); }
  __WS_MEMBER int all(int p) { __WS_TILE(p, n == 32 ? __all(p) : __all_sync(__mask(), p)); }
  __WS_MEMBER unsigned ballot(int p) { __WS_TILE(p, __ballot_sync(__mask(), p) >> __first()); }
  template <class T> __WS_MEMBER unsigned match_any(T v) {
    __WS_TILE(0u, __match_any_sync(__mask(), v) >> __first());
  }
  template <class T> __WS_MEMBER unsigned match_all(T v, int &all) {
    __WS_TILE(0u, __match_all_sync(__mask(), v, &all) >> __first());
  }
  __WS_METHOD operator coalesced_group() const { __WS_TILE(coalesced_group(0), coalesced_group(__mask())); }
};
#undef __WS_TILE
template <unsigned n, class G> __WS_DEVICE thread_block_tile<n, G> tiled_partition(const G &) {
  return thread_block_tile<n, G>();
}

// Any of them: a block, or threads of a warp.
struct thread_group {
  unsigned count, rank, mask;
  bool block;
  __WS_METHOD thread_group(const thread_block &)
      : count(thread_block::size()), rank(thread_block::thread_rank()), mask(0), block(true) {}
  __WS_METHOD thread_group(const coalesced_group &g) : count(g.size()), rank(g.thread_rank()), mask(g.mask), block(false) {}
  template <unsigned n, class P> __WS_METHOD thread_group(const thread_block_tile<n, P> &t)
      : count(n), rank(t.thread_rank()), mask(t.__mask()), block(false) {
    if constexpr (n > 32) count = __ws_large_tile(n);
  }
  __WS_METHOD void sync() const {
    if (block) __syncthreads();
    else __syncwarp();
  }
  __WS_METHOD unsigned size() const { return count; }
  __WS_METHOD unsigned num_threads() const { return count; }
  __WS_METHOD unsigned thread_rank() const { return rank; }
  __WS_METHOD bool is_valid() const { return true; }
};
// Parts of so many threads of a block or of a group of a warp.
__WS_DEVICE coalesced_group tiled_partition(const thread_block &b, unsigned n) {
  unsigned first = __ws_lane() & ~(n - 1);
  unsigned bits = n >= 32 ? ~0u : (1u << n) - 1;
  return coalesced_group(__activemask() & bits << first, b.thread_rank() / n, (b.size() + n - 1) / n);
}
__WS_DEVICE coalesced_group tiled_partition(const coalesced_group &g, unsigned n) {
  unsigned first = g.thread_rank() & ~(n - 1), mask = 0, rank = 0;
  for (unsigned left = g.mask; left != 0; left &= left - 1, rank++)
    mask |= rank - first < n ? left & -left : 0;
  return coalesced_group(mask, first / n, (g.size() + n - 1) / n);
}
__WS_DEVICE coalesced_group tiled_partition(const thread_group &g, unsigned n) {
  return g.block ? tiled_partition(thread_block(), n) : tiled_partition(coalesced_group(g.mask), n);
}
// The threads of a group with the same label, or with the same outcome of a condition.
template <class G, class T> __WS_DEVICE coalesced_group labeled_partition(const G &g, T label) {
  coalesced_group all = g;
  return coalesced_group(__match_any_sync(all.mask, label));
}
template <class G> __WS_DEVICE coalesced_group binary_partition(const G &g, bool p) {
  coalesced_group all = g;
  unsigned yes = __ballot_sync(all.mask, p);
  return coalesced_group(p ? yes : all.mask & ~yes, p, 2);
}

template <class G> __WS_DEVICE void sync(const G &g) { g.sync(); }
template <class G> __WS_DEVICE unsigned thread_rank(const G &g) { return g.thread_rank(); }
template <class G> __WS_DEVICE unsigned group_size(const G &g) { return g.size(); }

// Operations of reductions and scans.
#define __WS_OPERATION(name, value)                                                                \
  template <class T> struct name {                                                                 \
    __attribute__((host, device, always_inline, nodebug)) T operator()(T a, T b) const { return value; } \
  };
__WS_OPERATION(plus, a + b)
__WS_OPERATION(less, b < a ? b : a)
__WS_OPERATION(greater, a < b ? b : a)
__WS_OPERATION(bit_and, a & b)
__WS_OPERATION(bit_or, a | b)
__WS_OPERATION(bit_xor, a ^ b)
#undef __WS_OPERATION

template <unsigned n, class P, class T, class F> __WS_DEVICE T reduce(const thread_block_tile<n, P> &g, T v, F f) {
  _Pragma("unroll") for (unsigned i = n / 2; i != 0; i /= 2) v = f(v, g.shfl_xor(v, i));
  return v;
}
template <unsigned n, class P, class T, class F>
__WS_DEVICE T inclusive_scan(const thread_block_tile<n, P> &g, T v, F f) {
  _Pragma("unroll") for (unsigned i = 1; i < n; i *= 2) {
    T below = g.shfl_up(v, i);
    v = g.thread_rank() < i ? v : f(below, v);
  }
  return v;
}
// Groups with gaps: one thread after the other, in the order of their ranks.
template <class T, class F> __WS_DEVICE T reduce(const coalesced_group &g, T v, F f) {
  unsigned left = g.mask;
  T all = __shfl(v, __ffs(left) - 1);
  for (left &= left - 1; left != 0; left &= left - 1) all = f(all, __shfl(v, __ffs(left) - 1));
  return all;
}
template <class T, class F> __WS_DEVICE T inclusive_scan(const coalesced_group &g, T v, F f) {
  unsigned left = g.mask;
  T all = __shfl(v, __ffs(left) - 1);
  for (left &= left - 1; left != 0; left &= left - 1) {
    int lane = __ffs(left) - 1;
    T next = __shfl(v, lane);
    all = lane <= (int)__ws_lane() ? f(all, next) : all;
  }
  return all;
}
// The thread of rank 0 gets a value of zeros.
template <class G, class T, class F> __WS_DEVICE T exclusive_scan(const G &g, T v, F f) {
  T below = g.shfl_up(inclusive_scan(g, v, f), 1);
  return g.thread_rank() == 0 ? T() : below;
}
template <class G, class T> __WS_DEVICE T inclusive_scan(const G &g, T v) { return inclusive_scan(g, v, plus<T>()); }
template <class G, class T> __WS_DEVICE T exclusive_scan(const G &g, T v) { return exclusive_scan(g, v, plus<T>()); }

// Copies by all threads of a group; they are there behind wait().
template <class G, class T> __WS_DEVICE void memcpy_async(const G &g, T *to, const T *from, size_t bytes) {
  for (unsigned i = g.thread_rank(); i < bytes / sizeof(T); i += g.size()) to[i] = from[i];
}
template <class G> __WS_DEVICE void wait(const G &g) { g.sync(); }
template <unsigned stages, class G> __WS_DEVICE void wait_prior(const G &g) { g.sync(); }

#undef __WS_MEMBER
#undef __WS_METHOD
} // namespace cooperative_groups
