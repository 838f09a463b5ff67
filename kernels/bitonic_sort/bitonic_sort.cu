// Each block sorts its 128 signed words ascending.
//
// 64 pairs a step, more than the block has threads: a thread takes pairs p = tid, tid + ntid, …
// Places behind the end of the data are filled with the greatest integer and not written back.

#define SIZE 128

__global__ void bitonic_sort(int *data, int n)
{
    __shared__ int word[SIZE];
    int first = blockIdx.x * SIZE;
    for (int i = threadIdx.x; i < SIZE; i += blockDim.x)
        word[i] = first + i < n ? data[first + i] : 0x7fffffff;

    for (int k = 2; k <= SIZE; k <<= 1) {
        for (int j = k >> 1; j > 0; j >>= 1) {
            __syncthreads();
            for (int p = threadIdx.x; p < SIZE / 2; p += blockDim.x) {
                int i = 2 * p - (p & (j - 1));
                int *at = word + i;
                int x = at[0], y = at[j];
                int low = min(x, y), high = max(x, y);
                bool down = i & k; // this sequence descends
                at[0] = down ? high : low;
                at[j] = down ? low : high;
            }
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < SIZE; i += blockDim.x)
        if (first + i < n)
            data[first + i] = word[i];
}
