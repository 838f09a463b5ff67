// A = L * U in place, without pivoting: a block decomposes one matrix of SIZE by SIZE floats.
// The diagonal of L is 1 and not stored.

#define SIZE 12

__global__ void __launch_bounds__(SIZE * SIZE) lu(float *matrices)
{
    __shared__ float a[SIZE][SIZE];
    int x = threadIdx.x, y = threadIdx.y;
    float *own = matrices + (blockIdx.x * SIZE + y) * SIZE + x;
    a[y][x] = *own;
    for (int k = 0; k < SIZE - 1; k++) {
        __syncthreads();
        if (x == k && y > k)
            a[y][k] /= a[k][k];
        __syncthreads();
        if (x > k && y > k)
            a[y][x] -= a[y][k] * a[k][x];
    }
    *own = a[y][x];
}
