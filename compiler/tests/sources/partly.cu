// A file of which some kernels use what SM 1.0 lacks: the others compile.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <omp.h>
#include <cuComplex.h>

namespace cg = cooperative_groups;

texture<float4, 1, cudaReadModeElementType> points;
__constant__ int starts[5];
typedef int (*Step)(int);
__device__ int up(int x) { return x + 1; }
__device__ int down(int x) { return x - 1; }
__device__ Step steps[2] = {up, down};

__global__ void sum(const float *in, float *out, unsigned n) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<16>(block);
  extern __shared__ float part[];
  unsigned t = block.thread_rank();
  part[t] = t < n ? in[t] : 0;
  cg::sync(block);
  for (unsigned s = block.size() / 2; s > 0; s >>= 1) {
    if (t < s) part[t] += part[t + s];
    block.sync();
  }
  if (t == 0) out[block.group_index().x] = part[0] + tile.thread_rank();
}

__global__ void rotate(cuFloatComplex *z, cuFloatComplex by) {
  z[threadIdx.x] = cuCdivf(cuCmulf(z[threadIdx.x], by), make_cuFloatComplex(2, cuCabsf(by)));
}

__global__ void pack(const float *from, float *to) { to[threadIdx.x] = from[starts[1] + threadIdx.x]; }

__global__ void histogram(int *bins, const int *of) {
  atomicAdd(&bins[of[threadIdx.x]], 1);
}

__global__ void fetch(float4 *to) {
  to[threadIdx.x] = tex1Dfetch(points, threadIdx.x);
}

__global__ void object(cudaTextureObject_t t, float *to) {
  to[threadIdx.x] = tex2D<float>(t, 1, 2);
}

__global__ void gather(cudaTextureObject_t t, float4 *to) {
  to[threadIdx.x] = tex2Dgather<float4>(t, 1, 2);
}

__global__ void shuffled(float *x) {
  x[0] = cg::tiled_partition<32>(cg::this_thread_block()).shfl_down(x[0], 1);
}

__global__ void waiting(int *x) {
  cg::this_grid().sync();
  x[0] = 1;
}

__global__ void table(int *x) {
  x[0] = steps[x[1] & 1](x[2]);
}

__global__ void heap(int *x) {
  int *p = new int[4];
  p[x[0]] = 1;
  x[1] = p[x[2]];
}

void host(const void *p) {
  cudaBindTexture(0, points, p, 16);
  if (omp_get_thread_num() == 0) points.normalized = 0;
}
