// y = A * x with a sparse matrix in compressed rows, in double: row r has elements first[r] … first[r + 1] - 1.

// A thread a row; each term is added by one fused operation.
__global__ void by_thread_double(const int *first, const int *column, const double *value, const double *x,
                                 double *y, int rows, double scale)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    double sum = 0.0;
    for (int i = first[row]; i < first[row + 1]; i++)
        sum = fma(value[i], x[column[i]], sum);
    y[row] = sum / scale;
}
