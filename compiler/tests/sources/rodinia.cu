// Shapes of Rodinia: structs, tables, dynamic shared memory, device functions, textures of the host, templates.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <math.h>
#include <time.h>
#include <float.h>
#include <limits.h>
#include "cuda_runtime.h"
#include "device_launch_parameters.h"
#include "math_constants.h"

#define BLOCK_SIZE 16
#define STR_SIZE 256
#define MAX_PD (3.0e6)
#define PRECISION 0.001
#define IN_RANGE(x, min, max) ((x) >= (min) && (x) <= (max))
#define CLAMP_RANGE(x, min, max) x = (x < (min)) ? min : ((x > (max)) ? max : x)
#define SHARED_ARRAY(T, n) extern __shared__ T n[]

typedef struct { float lat, lng; } LatLong;
struct Node { int starting; int no_of_edges; };
typedef struct __align__(8) { int a; float b[3]; } Record;
struct FOUR_VECTOR { float v, x, y, z; };
#define DOT(A, B) ((A.x) * (B.x) + (A.y) * (B.y) + (A.z) * (B.z))

__constant__ float filter[BLOCK_SIZE * BLOCK_SIZE];
__constant__ float3 ff_fc_density_energy;
__constant__ int primes[] = {2, 3, 5, 7, 11, 13};
__device__ unsigned char sbox[4][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}, {13, 14, 15, 16}};
__device__ int *link_to;
texture<float, 1, cudaReadModeElementType> t_features;
texture<float, 2> t_image;

__device__ __host__ __forceinline__ float3 operator+(const float3 &a, const float3 &b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
__device__ inline void compute_flux(const float &density, float3 &momentum, float *pressure) {
  momentum.x /= density;
  momentum.y = density * momentum.z;
  *pressure = sqrtf(momentum.x) + density;
}
__host__ __device__ inline int index_of(int r, int c, int n) { return r * n + c; }

__global__ void euclid(LatLong *d_locations, float *d_distances, int numRecords, float lat, float lng) {
  int globalId = blockDim.x * (gridDim.x * blockIdx.y + blockIdx.x) + threadIdx.x;
  LatLong *latLong = d_locations + globalId;
  if (globalId < numRecords) {
    float *dist = d_distances + globalId;
    *dist = (float)sqrt((lat - latLong->lat) * (lat - latLong->lat) + (lng - latLong->lng) * (lng - latLong->lng));
  }
}

__global__ void Kernel(Node *g_graph_nodes, int *g_graph_edges, bool *g_graph_mask, bool *g_updating, bool *g_visited, int *g_cost, int no_of_nodes) {
  int tid = blockIdx.x * 512 + threadIdx.x;
  if (tid < no_of_nodes && g_graph_mask[tid]) {
    g_graph_mask[tid] = false;
    for (int i = g_graph_nodes[tid].starting; i < (g_graph_nodes[tid].no_of_edges + g_graph_nodes[tid].starting); i++) {
      int id = g_graph_edges[i];
      if (!g_visited[id]) { g_cost[id] = g_cost[tid] + 1; g_updating[id] = true; }
    }
  }
}

__global__ void calculate_temp(int iteration, float *power, float *temp_src, float *temp_dst, int grid_cols, int grid_rows, float Cap, float Rx, float step, float time_elapsed) {
  __shared__ float temp_on_cuda[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float temp_t[BLOCK_SIZE][BLOCK_SIZE];
  float amb_temp = 80.0, step_div_Cap = step / Cap;
  int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  int loadYidx = by * BLOCK_SIZE + ty, loadXidx = bx * BLOCK_SIZE + tx;
  int index = grid_cols * loadYidx + loadXidx;
  if (IN_RANGE(loadYidx, 0, grid_rows - 1) && IN_RANGE(loadXidx, 0, grid_cols - 1)) temp_on_cuda[ty][tx] = temp_src[index];
  __syncthreads();
  int N = ty - 1, S = ty + 1;
  N = (N < 0) ? 0 : N;
  CLAMP_RANGE(S, 0, BLOCK_SIZE - 1);
  bool computed;
  for (int i = 0; i < iteration; i++) {
    computed = false;
    if (IN_RANGE(tx, i + 1, BLOCK_SIZE - i - 2) && IN_RANGE(ty, i + 1, BLOCK_SIZE - i - 2)) {
      computed = true;
      temp_t[ty][tx] = temp_on_cuda[ty][tx] + step_div_Cap * (power[index] + (temp_on_cuda[S][tx] + temp_on_cuda[N][tx] - 2.0 * temp_on_cuda[ty][tx]) * Rx + amb_temp);
    }
    __syncthreads();
    if (i == iteration - 1) break;
    if (computed) temp_on_cuda[ty][tx] = temp_t[ty][tx];
    __syncthreads();
  }
  if (computed) temp_dst[index] = temp_t[ty][tx];
}

template <int B, typename T> __global__ void reduce(T *in, T *out, unsigned n) {
  extern __shared__ unsigned char raw[];
  T *sdata = reinterpret_cast<T *>(raw);
  unsigned tid = threadIdx.x, i = blockIdx.x * B + tid;
  sdata[tid] = i < n ? in[i] : T(0);
  __syncthreads();
#pragma unroll
  for (unsigned s = B / 2; s > 0; s >>= 1) {
    if (tid < s) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = sdata[0];
}

__global__ void flux(float4 *v, float3 *m, Record *r, FOUR_VECTOR f, int n) {
  SHARED_ARRAY(float, work);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float3 mom = m[i] + ff_fc_density_energy;
  float p;
  compute_flux(v[i].x, mom, &p);
  work[threadIdx.x] = p * filter[threadIdx.x & 255] + primes[i % 6] + sbox[i & 3][i >> 2 & 3];
  __syncthreads();
  r[i].b[i % 3] = work[blockDim.x - 1 - threadIdx.x] + DOT(f, v[i]) + f.v + CUDART_PI_F;
  r[index_of(i, 0, 1)].a = __float_as_int(p) ^ __mul24(i, n) ^ __popc(i) ^ __clz(n) ^ (int)__umulhi(i, n);
  if (mom.x != mom.x || fabs(mom.y) > FLT_MAX || n == INT_MAX) asm volatile("" ::: "memory");
  switch (i & 3) {
    case 0: v[i].w = __expf(p); break;
    case 1: v[i].w = __powf(p, 2.5); break;
    case 2: v[i].w = fmaxf(p, 0.f) + log(p) + cos(p);
    default: v[i].w += rsqrtf(p) + tanhf(p) + atan2(p, 2.0f) + round(p) + fmod(p, 2.0f);
  }
}

#define cudaCheck(call)                                                                                                   \
  do {                                                                                                                    \
    cudaError_t err = call;                                                                                               \
    if (cudaSuccess != err) std::cerr << "CUDA error: " << cudaGetErrorString(err) << std::endl, exit(EXIT_FAILURE);       \
  } while (0)

int main(int argc, char **argv) {
  std::map<std::string, int> counts;
  std::ifstream in(argv[1]);
  counts["a"]++;
  std::string line;
  while (std::getline(in, line)) counts[line]++;
  float h[BLOCK_SIZE * BLOCK_SIZE];
  cudaCheck(cudaMemcpyToSymbol(filter, h, sizeof(h)));
  cudaCheck(cudaMemcpyToSymbol("filter", h, sizeof(h), 0, cudaMemcpyHostToDevice));
  cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
  t_features.filterMode = cudaFilterModePoint;
  t_features.normalized = false;
  t_features.channelDesc = desc;
  cudaBindTexture(NULL, &t_features, h, &desc, 100);
  LatLong *d;
  cudaMalloc((void **)&d, 100);
  cudaStream_t s;
  cudaStreamCreate(&s);
  euclid<<<dim3(2, 2), 64, 0, s>>>(d, (float *)d, 3, 1.0, 2.0f);
  reduce<256, int><<<1, 256, 1024>>>((int *)d, (int *)d, 10u);
  reduce<128, float><<<1, 128, 1024>>>((float *)d, (float *)d, 10u);
  clock_t t = clock();
  printf("%f %ld\n", (double)(clock() - t) / CLOCKS_PER_SEC, (long)time(NULL));
  cudaFuncSetCacheConfig(euclid, cudaFuncCachePreferShared);
  return 0;
}
