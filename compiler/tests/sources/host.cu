#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cmath>
#include <iostream>
#include <vector>
#include <algorithm>
#include <assert.h>
#include <sys/time.h>
using namespace std;
__constant__ float tab[16];
__device__ int counter = 5;
__global__ void saxpy(int n, float a, float *x, float *y) {
  int i = blockIdx.x*blockDim.x+threadIdx.x;
  assert(n > 0);
  if (i < n) y[i] = a * sin(x[i]) + sqrt(y[i]) + std::sqrt(x[i]) + exp(x[i]) + pow(x[i], 2) + powf(x[i], 0.5) + tab[i&15] + fabs(x[i]) + abs(i) + min(i, 3) + max(x[i], 0) + fmodf(x[i], 3) + std::max(1.0f, y[i]) + counter + isnan(x[i]) + floor(x[i]) + exp(2);
  if (i == 0) printf("%d %f\n", i, y[0]);
}
template<class T> __global__ void scale(T* p, T k) { extern __shared__ T sm[]; sm[threadIdx.x] = p[threadIdx.x]; __syncthreads(); p[threadIdx.x] = sm[threadIdx.x^1]*k; }
namespace foo { __global__ void bar(float4* p) { float4 v = p[threadIdx.x]; v.x += v.w; p[threadIdx.x] = v; } }
#define CK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)
int main(int argc, char**argv) {
  float *d; CK(cudaMalloc(&d, 100)); CK(cudaMalloc((void**)&d, 100));
  float h[16]; cudaMemcpyToSymbol(tab, h, sizeof h);
  std::vector<float> v(10); std::sort(v.begin(), v.end());
  double t = sqrt(3.0) + pow(2.0, 3); 
  dim3 g(10), b(32,2);
  saxpy<<<g,b>>>(1, 2.0f, d, d); scale<float><<<1,32,128>>>(d, 2.0f); 
  cout << t << max(1,2) << abs(-3) << fabs(-2.0) << endl; printf("hi %f\n", t); free(malloc(3));
  struct timeval tv; gettimeofday(&tv, NULL);
  assert(argc);
  return 0;
}
