// C = A * B on signed integers of 24 bits, A is m by k, B is k by n, row-major, in tiles of 7 by 7.
//
// Elements beyond a matrix load as 0.

#define TILE 7

__global__ void __launch_bounds__(TILE * TILE)
matmul_tiled(const int *a, const int *b, int *c, int m, int k, int n)
{
    __shared__ int left[TILE][TILE];
    __shared__ int right[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int column = blockIdx.x * TILE + tx;
    int row = blockIdx.y * TILE + ty;
    bool in_a = row < m, in_b = column < n;
    int sum = 0;
    for (int first = 0; first < k; first += TILE) {
        int i = first + tx, j = first + ty;
        left[ty][tx] = in_a && i < k ? a[__umul24(row, k) + i] : 0;
        right[ty][tx] = in_b && j < k ? b[__umul24(j, n) + column] : 0;
        __syncthreads();
#pragma unroll
        for (int s = 0; s < TILE; s++)
            sum += __mul24(left[ty][s], right[s][tx]);
        __syncthreads();
    }
    if (in_a && in_b)
        c[__umul24(row, n) + column] = sum;
}
