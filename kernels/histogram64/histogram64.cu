// Counts of the upper six bits of bytes, without atomic operations: every thread has 64 counters of
// a byte in shared memory and sees 255 bytes at most.

#define BINS 64
#define THREADS 64

__device__ void count(unsigned char *own, unsigned value)
{
    own[value * THREADS]++;
}

// partial[block][bin]. A thread's counters are THREADS bytes apart.
__global__ void __launch_bounds__(THREADS) count64(const unsigned *data, unsigned *partial, int words)
{
    __shared__ unsigned char counters[BINS * THREADS];
    int t = threadIdx.x;
    unsigned *clear = (unsigned *)counters;
    for (int i = t; i < BINS * THREADS / 4; i += THREADS)
        clear[i] = 0;
    __syncthreads();
    unsigned char *own = counters + t;
    for (int i = blockIdx.x * THREADS + t; i < words; i += gridDim.x * THREADS) {
        unsigned four = data[i];
        count(own, four >> 2 & 63);
        count(own, four >> 10 & 63);
        count(own, four >> 18 & 63);
        count(own, four >> 26);
    }
    __syncthreads();
    // Thread t adds up bin t: four counters a word, two sums of half words.
    const unsigned *row = (const unsigned *)counters + t * (THREADS / 4);
    unsigned even = 0, odd = 0;
    for (int i = 0; i < THREADS / 4; i++) {
        unsigned four = row[(i + t) & (THREADS / 4 - 1)]; // no two threads on one bank
        even += four & 0x00ff00ff;
        odd += four >> 8 & 0x00ff00ff;
    }
    even += odd;
    partial[blockIdx.x * BINS + t] = (even & 0xffff) + (even >> 16);
}

__global__ void merge64(const unsigned *partial, unsigned *counts, int blocks)
{
    unsigned sum = 0;
    for (int block = 0; block < blocks; block++)
        sum += partial[block * BINS + threadIdx.x];
    counts[threadIdx.x] = sum;
}
