// Sums of the parts of an array, a part a block: the threads of a warp exchange their sums by shuffles, the first warp
// adds up those of all.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__device__ int sum_of_warp(int v) {
  for (int distance = 16; distance > 0; distance /= 2) {
    int other = __shfl_down_sync(0xffffffffu, v, distance);
    // In the last warp of a block there may be no such thread.
    if (threadIdx.x + distance < blockDim.x) v += other;
  }
  return v;
}

__global__ void by_shuffles(const int *in, int *out, int n) {
  __shared__ int sums[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = sum_of_warp(i < n ? in[i] : 0);
  if (threadIdx.x % warpSize == 0) sums[threadIdx.x / warpSize] = v;
  __syncthreads();
  int warps = (blockDim.x + warpSize - 1) / warpSize;
  if (threadIdx.x < warpSize) {
    v = __reduce_add_sync(0xffffffffu, (int)threadIdx.x < warps ? sums[threadIdx.x] : 0);
    if (threadIdx.x == 0) out[blockIdx.x] = v;
  }
}

// Tiles of two threads, then the tiles' sums by the threads that have one.
__global__ void by_groups(const int *in, int *out, int n) {
  __shared__ int sum;
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<2>(block);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (block.thread_rank() == 0) sum = 0;
  int v = cg::reduce(tile, i < n ? in[i] : 0, cg::plus<int>());
  for (unsigned warp = 0; warp < (block.size() + 31) / 32; warp++) {
    block.sync();
    if (threadIdx.x / 32 == warp && tile.thread_rank() == 0) {
      auto first = cg::coalesced_threads();
      int all = cg::reduce(first, v, cg::plus<int>());
      if (first.thread_rank() == 0) sum += all;
    }
  }
  block.sync();
  if (block.thread_rank() == 0) out[blockIdx.x] = sum;
}
