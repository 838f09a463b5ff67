// Gaussian elimination: one step on a large matrix by two kernels, and whole small systems.

// Factors of step t: the column below the diagonal, divided by it.
__global__ void factors(const float *a, float *m, int size, int t)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size - 1 - t)
        return;
    m[size * (i + t + 1) + t] = a[size * (i + t + 1) + t] / a[size * t + t];
}

// Step t: the rows below lose their multiple of row t; so does the right side.
__global__ void eliminate(float *a, float *b, const float *m, int size, int t)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= size - 1 - t || column >= size - t)
        return;
    float factor = m[size * (row + 1 + t) + t];
    a[size * (row + 1 + t) + (column + t)] -= factor * a[size * t + (column + t)];
    if (column == 0)
        b[row + 1 + t] -= factor * b[t];
}

#define N 14

// A block solves one system of N unknowns, given as N rows of N + 1. Thread t keeps column t; the
// row with the greatest element of the column comes first.
__global__ void __launch_bounds__(N + 1) solve(const float *systems, float *solutions)
{
    __shared__ float factor[N];
    __shared__ int pivot;
    __shared__ float x[N];
    int t = threadIdx.x;
    float column[N];
    const float *from = systems + blockIdx.x * N * (N + 1) + t;
    for (int i = 0; i < N; i++)
        column[i] = from[i * (N + 1)];
    for (int k = 0; k < N; k++) {
        if (t == k) {
            int best = k;
            for (int i = k + 1; i < N; i++)
                if (fabsf(column[i]) > fabsf(column[best]))
                    best = i;
            pivot = best;
            float top = column[best];
            column[best] = column[k];
            column[k] = top;
            for (int i = k + 1; i < N; i++)
                factor[i] = column[i] / top;
        }
        __syncthreads();
        if (t > k) {
            float top = column[pivot];
            column[pivot] = column[k];
            column[k] = top;
            for (int i = k + 1; i < N; i++)
                column[i] -= factor[i] * top;
        }
        __syncthreads();
    }
    // Backwards: thread k knows row k's diagonal, thread N the right side.
    for (int k = N - 1; k >= 0; k--) {
        if (t == N)
            x[k] = column[k];
        __syncthreads();
        if (t == k) {
            float value = x[k] / column[k];
            x[k] = value;
            for (int i = 0; i < k; i++)
                factor[i] = column[i] * value;
        }
        __syncthreads();
        if (t == N)
            for (int i = 0; i < k; i++)
                column[i] -= factor[i];
        __syncthreads();
    }
    if (t < N)
        solutions[blockIdx.x * N + t] = x[t];
}
