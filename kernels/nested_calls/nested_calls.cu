// out[i] = f(in[i]), functions three deep, called by parts of a warp.

__device__ unsigned k(unsigned x)
{
    x ^= 0x5a;
    return x < 0x40 ? x : x - 0x21;
}

__device__ unsigned g(unsigned x) { return k(x) + 5; }
__device__ unsigned h(unsigned x) { return x & 4 ? k(k(x + 7)) : x; }
__device__ unsigned f(unsigned x) { return x & 1 ? g(3 * x + 1) : h(x >> 1); }

__global__ void nested_calls(const unsigned *in, unsigned *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = f(in[i]);
}
