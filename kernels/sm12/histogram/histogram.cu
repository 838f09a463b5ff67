// counts[bin] of the low four bits of all words, with atomic sums in shared memory; see histogram.sass.

#define BINS 16

__global__ void histogram(const unsigned *in, unsigned *counts, int n)
{
    __shared__ unsigned own[BINS];
    if (threadIdx.x < BINS)
        own[threadIdx.x] = 0;
    __syncthreads();
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        atomicAdd(&own[in[i] & (BINS - 1)], 1);
    __syncthreads();
    if (threadIdx.x < BINS)
        atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}
