// Cooperative groups as far as SM 1.0 goes: blocks, and tiles of a warp without exchange of values.
#pragma once
#pragma clang system_header

namespace cooperative_groups {

#define __WS_MEMBER static inline __attribute__((device, always_inline, nodebug))

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
typedef thread_block thread_group;
__WS_DEVICE thread_block this_thread_block() { return thread_block(); }

// All threads of a grid: they can be counted, they cannot wait for each other.
template <class T> __WS_REFUSED void __ws_grid_sync(T);
struct grid_group {
  template <class T = int> __WS_MEMBER void sync() { __ws_grid_sync(T()); }
  __WS_MEMBER unsigned thread_rank() {
    return (blockIdx.y * gridDim.x + blockIdx.x) * thread_block::size() + thread_block::thread_rank();
  }
  __WS_MEMBER unsigned size() { return gridDim.x * gridDim.y * thread_block::size(); }
  __WS_MEMBER unsigned num_threads() { return size(); }
  __WS_MEMBER bool is_valid() { return true; }
};
__WS_DEVICE grid_group this_grid() { return grid_group(); }

// Up to 32 threads of a warp, which run in step.
template <unsigned n, class Parent = thread_block> struct thread_block_tile {
  __WS_MEMBER void sync() { __syncwarp(); }
  __WS_MEMBER unsigned thread_rank() { return thread_block::thread_rank() % n; }
  __WS_MEMBER unsigned meta_group_rank() { return thread_block::thread_rank() / n; }
  __WS_MEMBER unsigned meta_group_size() { return (thread_block::size() + n - 1) / n; }
  __WS_MEMBER unsigned size() { return n; }
  __WS_MEMBER unsigned num_threads() { return n; }
  template <class T> __WS_MEMBER T shfl(T v, int i) { return __shfl(v, i, n); }
  template <class T> __WS_MEMBER T shfl_up(T v, int i) { return __shfl_up(v, i, n); }
  template <class T> __WS_MEMBER T shfl_down(T v, int i) { return __shfl_down(v, i, n); }
  template <class T> __WS_MEMBER T shfl_xor(T v, int i) { return __shfl_xor(v, i, n); }
  template <class T = int> __WS_MEMBER int any(T p) { return __any(p); }
  template <class T = int> __WS_MEMBER int all(T p) { return __all(p); }
  template <class T = int> __WS_MEMBER unsigned ballot(T p) { return __ballot(p); }
};
template <unsigned n, class G> __WS_DEVICE thread_block_tile<n, G> tiled_partition(const G &) {
  static_assert(n <= 32 && (n & (n - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");
  return thread_block_tile<n, G>();
}

template <class G> __WS_DEVICE void sync(const G &) { G::sync(); }
template <class G> __WS_DEVICE unsigned thread_rank(const G &) { return G::thread_rank(); }
template <class G> __WS_DEVICE unsigned group_size(const G &) { return G::size(); }

// Sums and scans of a group.
template <class T> struct plus {};
template <class T> struct less {};
template <class T> struct greater {};
template <class T> __WS_REFUSED T __ws_tile(T);
template <class G, class T, class F> __WS_DEVICE T reduce(const G &, T v, F) { return __ws_tile(v); }
template <class G, class T, class F> __WS_DEVICE T inclusive_scan(const G &, T v, F) { return __ws_tile(v); }
template <class G, class T, class F> __WS_DEVICE T exclusive_scan(const G &, T v, F) { return __ws_tile(v); }

#undef __WS_MEMBER
} // namespace cooperative_groups
