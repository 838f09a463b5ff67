// Shapes of newer sources: lambdas, classes, the standard library's constants and minima, cooperative groups, halves.
#include <algorithm>
#include <cooperative_groups.h>
#include <cuComplex.h>
#include <cuda_fp16.h>
#include <limits>
#if __clang_major__ > 14
#include <memory>
#endif
#include <vector>
namespace cg = cooperative_groups;

struct Vec {
  float x, y;
  __device__ Vec(float a, float b) : x(a), y(b) {}
  __device__ Vec operator+(const Vec &o) const { return Vec(x + o.x, y + o.y); }
  __device__ float norm() const { return sqrtf(x * x + y * y); }
};
template <class F> __device__ __noinline__ int twice(F f, int x) { return f(x) + f(x + 1); }
enum class Side : unsigned char { Left, Right };
constexpr int kSize = 8;
template <typename T> struct Range {
  T *p;
  int n;
  __device__ T *begin() const { return p; }
  __device__ T *end() const { return p + n; }
};

__global__ void shapes(Vec *v, float *out, Side *sides, int a, bool flip) {
  auto block = cg::this_thread_block();
  auto scaled = [=](int x) { return x * a; };
  Vec sum = v[0];
  for (int i = 1; i < kSize; i++) sum = sum + v[i];
  out[block.thread_rank()] = sum.norm() + twice(scaled, threadIdx.x);
  if constexpr (kSize > 4) out[0] += std::max(1.0f, out[1]) + std::min(a, 3) + std::numeric_limits<float>::max();
  float total = 0;
  for (float x : Range<float>{out, kSize}) total += x;
  cg::sync(block);
  sides[threadIdx.x] = flip ? Side::Right : Side::Left;
  float copy[4];
  memset(copy, 0, sizeof copy);
  memcpy(out + 8, copy, sizeof copy);
  out[2] = total;
}
__global__ void halves(half *h, __half2 *pairs, cuFloatComplex *c) {
  int i = threadIdx.x;
  h[i] = __float2half(__half2float(h[i]) * 2.0f);
  pairs[i] = __floats2half2_rn(h[i], 1.0f);
  c[i] = cuCmulf(c[i], make_cuFloatComplex(0.0f, 1.0f));
}
texture<float, 1, cudaReadModeElementType> unused;

int main() {
  std::vector<float> host(16);
#if __clang_major__ > 14
  auto owner = std::make_unique<int[]>(4);
#endif
  std::fill(host.begin(), host.end(), 1.0f);
  float *d = nullptr;
  cudaMallocManaged(&d, 64);
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  halves<<<1, 4, 0, s>>>(nullptr, nullptr, nullptr);
  cudaBindTexture(0, unused, d, 64);
  int n = *new int(3);
  return n + static_cast<int>(host.size()) - cudaDeviceSynchronize();
}
