// Shapes of benchmark suites: type macros, flat and two-dimensional indexing, timers, checks, several kernels.
#include <assert.h>
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "cutil_inline.h"
#include "helper_cuda.h"

#define NI 512
#define NJ 512
#define DIM_THREAD_BLOCK_X 32
#define DIM_THREAD_BLOCK_Y 8
#define ALPHA 32412.0f
#define BETA 2123
#define PERCENT_DIFF_ERROR_THRESHOLD 0.05
#define SMALL_FLOAT_VAL 0.00000001f
typedef float DATA_TYPE;

double rtclock() {
  struct timezone Tzp;
  struct timeval Tp;
  int stat = gettimeofday(&Tp, &Tzp);
  if (stat != 0) printf("Error return from gettimeofday: %d", stat);
  return (Tp.tv_sec + Tp.tv_usec * 1.0e-6);
}

float percentDiff(double a, double b) {
  if (fabs(a) < 0.01 && fabs(b) < 0.01) return 0.0f;
  return 100.0f * (fabs(fabs(a - b) / fabs(a + SMALL_FLOAT_VAL)));
}

__global__ void gemm_kernel(DATA_TYPE *a, DATA_TYPE *b, DATA_TYPE *c) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if ((i < NI) && (j < NJ)) {
    c[i * NJ + j] *= BETA;
    for (int k = 0; k < NI; k++) c[i * NJ + j] += ALPHA * a[i * NI + k] * b[k * NJ + j];
  }
}

__global__ void std_kernel(DATA_TYPE *mean, DATA_TYPE *std, DATA_TYPE *data, DATA_TYPE float_n, DATA_TYPE eps) {
  int j = blockIdx.x * blockDim.x + threadIdx.x + 1;
  if (j <= NJ) {
    std[j] = 0.0;
    for (int i = 1; i < NI; i++) std[j] += (data[i * NJ + j] - mean[j]) * (data[i * NJ + j] - mean[j]);
    std[j] /= (float_n);
    std[j] = sqrt(std[j]);
    if (std[j] <= eps) std[j] = 1.0;
  }
}

// Every macro of host code that samples use.
#define gpuErrchk_(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line, bool abort = true) {
  if (code != cudaSuccess) {
    fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
    if (abort) exit(code);
  }
}

void run(DATA_TYPE *A, DATA_TYPE *B, DATA_TYPE *C) {
  DATA_TYPE *A_gpu, *B_gpu, *C_gpu;
  cudaEvent_t start, stop;
  float ms;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  gpuErrchk_(cudaMalloc((void **)&A_gpu, sizeof(DATA_TYPE) * NI * NJ));
  checkCudaErrors(cudaMalloc((void **)&B_gpu, sizeof(DATA_TYPE) * NI * NJ));
  CUDA_SAFE_CALL(cudaMalloc((void **)&C_gpu, sizeof(DATA_TYPE) * NI * NJ));
  cutilSafeCall(cudaMemcpy(A_gpu, A, sizeof(DATA_TYPE) * NI * NJ, cudaMemcpyHostToDevice));
  dim3 block(DIM_THREAD_BLOCK_X, DIM_THREAD_BLOCK_Y);
  dim3 grid((size_t)(ceil(((float)NI) / ((float)block.x))), (size_t)(ceil(((float)NJ) / ((float)block.y))));
  cudaEventRecord(start, 0);
  gemm_kernel<<<grid, block>>>(A_gpu, B_gpu, C_gpu);
  std_kernel<<<grid, block, 0, 0>>>(A_gpu, B_gpu, C_gpu, 3.2f, 0.1);
  getLastCudaError("kernel");
  cudaThreadSynchronize();
  cudaEventRecord(stop);
  cudaEventSynchronize(stop);
  cudaEventElapsedTime(&ms, start, stop);
  cudaDeviceProp deviceProp;
  cudaGetDeviceProperties(&deviceProp, 0);
  printf("%s %d %f\n", deviceProp.name, deviceProp.multiProcessorCount, ms);
  cudaFree(A_gpu);
}

int main(int argc, char *argv[]) {
  double t_start = rtclock();
  DATA_TYPE *A = (DATA_TYPE *)malloc(NI * NJ * sizeof(DATA_TYPE));
  memset(A, 0, NI * NJ * sizeof(DATA_TYPE));
  run(A, A, A);
  fprintf(stdout, "GPU Runtime: %0.6lfs\n", rtclock() - t_start);
  free(A);
  return 0;
}
