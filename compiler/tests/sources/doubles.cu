// Doubles: routines or, by -mdouble=32, floats.
#include <cmath>
#include <iostream>
#include <vector>

__global__ void single(float *x, int n) {
  int i = threadIdx.x;
  x[i] = 2.5 * x[i] + std::sqrt(x[i]) + pow(x[i], 2) + pow(i, 0.5f) + fmax(x[i], 0) + sqrt((long)n) +
         fmin(i, 3.0) + atan2(x[i], n) + std::max(x[i], 1.0f) + log(n) + fabs(-3) + floor(x[i] / 2);
}

__device__ double uniform(int *seed, int i) {
  seed[i] = seed[i] * 1103515245 + 12345;
  return fabs(seed[i] / ((double)2147483647));
}

__global__ void wide(double *x, int *seed, double scale) {
  int i = threadIdx.x;
  x[i] = sqrt(-2 * log(uniform(seed, i))) * cos(2 * 3.14159265358979323846 * x[i]) + exp(x[i]) +
         pow(x[i], 2) + pow(x[i], scale) + fmax(scale, 1) + fma(scale, x[i], 1.0) + abs(x[i]) + isnan(x[i]);
}
