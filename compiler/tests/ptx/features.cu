// What the front end must read, in few lines: constant, global and shared memory, dynamic shared
// memory, a local array, calls with structs, a switch, 8-, 16- and 64-bit integers, vectors, floats.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#include <__clang_cuda_builtin_vars.h>

struct __attribute__((aligned(16))) float4 { float x, y, z, w; };
struct __attribute__((aligned(4))) uchar4 { unsigned char x, y, z, w; };
struct Triple { float a; int b[2]; };

__constant__ float table[4] = {1.0f, 2.0f};
__constant__ unsigned char bytes[7] = {1, 2, 3};
__device__ int counter = 5;
__device__ int *where = &counter;
__device__ short shorts[3] = {-1, 2};
extern __shared__ int dynamic[];

__device__ __attribute__((noinline)) float helper(Triple s, float *p, long long q) {
  return s.a * p[s.b[1]] + (float)q;
}
__device__ __attribute__((noinline)) Triple make(int a) {
  Triple s = {(float)a, {a + 1, a & 3}};
  return s;
}

__global__ void __attribute__((launch_bounds(64))) features(float *x, int n, Triple s, const short *h,
                                                            unsigned *o, long long wide) {
  __shared__ float tile[64];
  int local[8];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  for (int j = 0; j < 8; j++) local[j] = h[j] * (i + 1);
  tile[t] = x[i];
  dynamic[t] = local[n & 7];
  __syncthreads();
  Triple m = make(n);
  unsigned r = 0;
  if (i < n + 60)
    r = (unsigned)(int)(helper(s, x, n) + table[n & 3] + bytes[i % 7] + tile[t ^ 1] + m.b[n & 1]);
  switch (n) {
    case 0: r += 5; break;
    case 1: r ^= 3; break;
    case 2: r *= 7; break;
    case 3: r -= i; break;
    case 4: r |= 8; break;
    case 5: r = ~r; break;
  }
  long long w = wide / (n + 3) + (wide >> (t & 63)) * i;
  o[4 * i] = r + dynamic[t ^ 1] + counter + *where + shorts[1];
  o[4 * i + 1] = (unsigned)w ^ (unsigned)(w >> 32);
  o[4 * i + 2] = (unsigned)i / (unsigned)(n + 1) + (unsigned short)h[1] % (t + 1);
  o[4 * i + 3] = wide < i ? __builtin_popcount(r) : (r << 7 | r >> 25);
}

__global__ void vectors(float4 *a, uchar4 *b, unsigned char c) {
  int i = threadIdx.x;
  float4 v = a[i];
  v.x = v.y > v.z ? v.w : -v.x;
  a[i] = v;
  uchar4 u = b[i];
  unsigned char last = u.w;
  u.w = u.x + c;
  u.x = last >> 1;
  b[i] = u;
}
