// out[i] = in[0] + … + in[i] over the whole grid.
//
// Blocks cannot wait for each other, so a block first sums everything before its part: every
// thread adds words tid, tid + ntid, …; a scan of these partial sums ends in their total. A second
// scan of the block's own words follows.

#define THREADS 77

// Inclusive scan over the block, by doubling distances.
__device__ unsigned scan(unsigned *place, unsigned value)
{
    int t = threadIdx.x;
    for (int distance = 1; distance < THREADS; distance <<= 1) {
        place[t] = value;
        __syncthreads();
        if (t >= distance)
            value += place[t - distance];
        __syncthreads();
    }
    return value;
}

__global__ void __launch_bounds__(THREADS) prefix_scan(const unsigned *in, unsigned *out, int n)
{
    __shared__ unsigned place[THREADS];
    int t = threadIdx.x;
    int first = blockIdx.x * THREADS;
    unsigned sum = 0;
    for (int i = t; i < first; i += THREADS)
        sum += in[i];
    place[t] = scan(place, sum);
    __syncthreads();
    unsigned before = place[THREADS - 1];
    int i = first + t;
    unsigned own = 0;
    if (i < n)
        own = in[i];
    __syncthreads();
    own = scan(place, own);
    if (i < n)
        out[i] = own + before;
}
