// y[i] = a * x[i] + y[i] for i < n, in place.
//
// A thread serves two elements, as many apart as the grid has threads; the first always exists.

__global__ void saxpy(const float *x, float *y, int n, float a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = i + gridDim.x * blockDim.x;
    y[i] = a * x[i] + y[i];
    if (j < n)
        y[j] = a * x[j] + y[j];
}
