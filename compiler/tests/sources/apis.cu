// A host side with what samples and books use: it parses, and the kernels compile.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <thread>
#include <stdio.h>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include <vector_functions.hpp>
#include <helper_cuda.h>
#include <helper_functions.h>

template <class T> void check(T result, const char *call, const char *file, int line) {
  if (result) fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, cudaGetErrorName(result)), exit(1);
}
#define CHECK(call) check((call), #call, __FILE__, __LINE__)

__managed__ int bias;
__device__ __noinline__ float twice(float x) { return x + x; }

__global__ void __launch_bounds__(256, 2) stride(float *a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) a[i] = twice(a[i]) + bias;
}

template <class T, unsigned n, bool even> __global__ void numbers(T *a) { a[threadIdx.x] += even ? n : threadIdx.x; }

int main(int argc, char **argv) {
  int device = findCudaDevice(argc, (const char **)argv), value;
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, device));
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, device));
  std::unique_ptr<float[]> host(new float[64]);
  std::shared_ptr<int> shared = std::make_shared<int>(1);
  std::mt19937 random(*shared);
  std::generate(host.get(), host.get() + 64, [&] { return std::uniform_real_distribution<float>(0, 1)(random); });
  auto start = std::chrono::steady_clock::now();
  float *a;
  CHECK(cudaMallocAsync(&a, 256, 0));
  CHECK(cudaMemcpy(a, host.get(), 256, cudaMemcpyHostToDevice));
  int grid, block;
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, stride, 0, 0));
  CHECK(cudaFuncSetAttribute(stride, cudaFuncAttributeMaxDynamicSharedMemorySize, 4096));
  stride<<<grid, block>>>(a, 64);
  numbers<float, 128, true><<<1, 64>>>(a);
  void *arguments[] = {&a, &value};
  CHECK(cudaLaunchKernel((const void *)stride, dim3(grid), dim3(block), arguments, 0, 0));
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, a));
  std::thread other([] { cudaDeviceSynchronize(); });
  other.join();
  printf("%f\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  return 0;
}
