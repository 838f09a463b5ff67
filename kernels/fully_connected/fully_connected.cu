// Fully connected layers with rectification: out[o] = max(0, bias[o] + sum of weights[o][i] * in[i]).
//
// 16 threads share an output and add up their parts in a tree.

#define PARTS 16

// The sum over the 16 threads of a group, in its first one; groups lie within a warp or not, so
// there is a barrier a step. `place` has a word a thread.
template <class T>
__device__ T tree(T *place, T value)
{
    int part = threadIdx.x;
    T *own = place + threadIdx.y * PARTS + part;
    *own = value;
    for (int half = PARTS / 2; half > 0; half >>= 1) {
        __syncthreads();
        if (part < half)
            *own += own[half];
    }
    return *own;
}

// Signed bytes, four at a time; the result is cut by `shift` bits and kept below 128.
__global__ void dense_int(const char4 *in, const char4 *weights, const int *bias,
                          signed char *out, int inputs, int outputs, int shift)
{
    extern __shared__ int sums[];
    int o = blockIdx.x * blockDim.y + threadIdx.y;
    int row = min(o, outputs - 1) * (inputs / 4);
    int sum = 0;
    for (int i = threadIdx.x; i < inputs / 4; i += PARTS) {
        char4 x = in[i], w = weights[row + i];
        sum += x.x * w.x + x.y * w.y + x.z * w.z + x.w * w.w;
    }
    sum = tree(sums, sum);
    if (threadIdx.x == 0 && o < outputs)
        out[o] = min(max((sum + bias[o]) >> shift, 0), 127);
}

__global__ void dense_float(const float *in, const float *weights, const float *bias, float *out,
                            int inputs, int outputs)
{
    extern __shared__ float parts[];
    int o = blockIdx.x * blockDim.y + threadIdx.y;
    const float *row = weights + min(o, outputs - 1) * inputs;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < inputs; i += PARTS)
        sum += in[i] * row[i];
    sum = tree(parts, sum);
    if (threadIdx.x == 0 && o < outputs)
        out[o] = fmaxf(sum + bias[o], 0.0f);
}
