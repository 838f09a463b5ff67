// y = A * x with a sparse matrix in compressed rows: row r has elements first[r] … first[r + 1] - 1.

// A thread a row.
__global__ void by_thread(const int *first, const int *column, const float *value, const float *x,
                          float *y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (int i = first[row]; i < first[row + 1]; i++)
        sum += value[i] * x[column[i]];
    y[row] = sum;
}

#define WARPS 2

// A warp a row; its threads go in step, so the last sums need no barrier.
__global__ void __launch_bounds__(32 * WARPS)
by_warp(const int *first, const int *column, const float *value, const float *x, float *y, int rows)
{
    __shared__ volatile float sums[WARPS][32 + 16];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int row = blockIdx.x * WARPS + warp;
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (int i = first[row] + lane; i < first[row + 1]; i += 32)
        sum += value[i] * x[column[i]];
    volatile float *own = sums[warp] + lane;
    // The upper threads add what lies behind the 32 sums; nobody uses their results.
    own[16] = 0.0f;
    *own = sum;
    *own = sum += own[16];
    *own = sum += own[8];
    *own = sum += own[4];
    *own = sum += own[2];
    sum += own[1];
    if (lane == 0)
        y[row] = sum;
}
