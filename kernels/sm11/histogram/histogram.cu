// counts[bin] of the low four bits of all words, with atomic sums in global memory; see histogram.sass.

#define BINS 16

__global__ void histogram(const unsigned *in, unsigned *counts, int n)
{
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        atomicAdd(&counts[in[i] & (BINS - 1)], 1);
}
