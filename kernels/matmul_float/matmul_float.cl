// C = A * B, A is m by k, B is k by n, row-major floats; a work-item computes one element.

__kernel void matmul_float(__global const float *a, __global const float *b, __global float *c,
                           int m, int k, int n)
{
    int column = get_global_id(0), row = get_global_id(1);
    if (row >= m || column >= n)
        return;
    __global const float *from = a + mul24(row, k);
    __global const float *end = from + k;
    b += column;
    float sum = 0.0f;
    do {
        sum = *from * *b + sum;
        b += n;
    } while (++from < end);
    c[mul24(row, n) + column] = sum;
}
