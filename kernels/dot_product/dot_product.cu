// partial[block] = the block's part of x[0] * y[0] + … + x[n - 1] * y[n - 1].
//
// Blocks go round; the last round of a block guards its loads. Then a tree in shared memory: 100
// sums fold to 64 and to 32 with barriers, and the first warp, whose threads go in step, folds 32
// to 1 without: what its upper threads add is not used.

#define THREADS 100

__global__ void dot_product(const float *x, const float *y, float *partial, int n)
{
    __shared__ float sums[THREADS];
    int t = threadIdx.x;
    int step = gridDim.x * blockDim.x;
    float sum = 0.0f;
    for (int first = blockIdx.x * blockDim.x; first < n; first += step) {
        int i = first + t;
        if (i < n)
            sum = x[i] * y[i] + sum;
    }
    volatile float *own = sums + t;
    *own = sum;
    __syncthreads();
    if (t < THREADS - 64)
        *own = sum += own[64];
    __syncthreads();
    if (t >= 32)
        return;
    *own = sum += own[32];
    *own = sum += own[16];
    *own = sum += own[8];
    *own = sum += own[4];
    *own = sum += own[2];
    sum += own[1];
    if (t == 0)
        partial[blockIdx.x] = sum;
}
