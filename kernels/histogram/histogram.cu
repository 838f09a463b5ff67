// counts[block][bin] of the low four bits of the block's words.
//
// There are no atomic operations, so every thread counts into 16 half words of its own in shared
// memory; then 16 threads add up one bin each.

#define THREADS 50
#define BINS 16

__global__ void __launch_bounds__(THREADS) histogram(const unsigned *in, unsigned *counts, int n)
{
    __shared__ unsigned short own[BINS * THREADS];
    unsigned t = threadIdx.x;
    for (int bin = 0; bin < BINS; bin++)
        own[bin * THREADS + t] = 0;
    int step = gridDim.x * THREADS;
    for (int i = blockIdx.x * THREADS + t; i < n; i += step) {
        unsigned short bin = in[i] & (BINS - 1);
        own[bin * THREADS + t]++;
    }
    __syncthreads();
    if (t >= BINS)
        return;
    unsigned sum = 0;
    for (int other = 0; other < THREADS; other++)
        sum += own[t * THREADS + other];
    counts[blockIdx.x * BINS + t] = sum;
}
