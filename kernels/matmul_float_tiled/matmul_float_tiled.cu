// C = A * B, A is m by k, B is k by n, row-major floats, in tiles of 10 by 10.
//
// Elements beyond a matrix load as 0 and add nothing. B's tile is kept turned, its rows 11 words
// apart so that threads side by side read different banks.

#define TILE 10

__global__ void __launch_bounds__(TILE * TILE)
matmul_float_tiled(const float *a, const float *b, float *c, int m, int k, int n)
{
    __shared__ float left[TILE][TILE];
    __shared__ float right[TILE][TILE + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int column = blockIdx.x * TILE + tx;
    int row = blockIdx.y * TILE + ty;
    bool in_a = row < m, in_b = column < n;
    float sum = 0.0f;
    for (int first = 0; first < k; first += TILE) {
        int i = first + tx, j = first + ty;
        left[ty][tx] = in_a && i < k ? a[__umul24(row, k) + i] : 0.0f;
        right[tx][ty] = in_b && j < k ? b[__umul24(j, n) + column] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int s = 0; s < TILE; s++)
            sum = left[ty][s] * right[tx][s] + sum;
        __syncthreads();
    }
    if (in_a && in_b)
        c[__umul24(row, n) + column] = sum;
}
