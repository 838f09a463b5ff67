// A small network that names the digit in a picture of 12 by 12: four 3 by 3 convolutions with
// rectification, the greatest of 2 by 2, a layer of 100 inputs and ten outputs, the greatest output.
//
// A block takes a picture; its threads go over the values of a layer. Integer and float are the
// same source, apart from what a layer does to keep its values small.

#define SIZE 12
#define CHANNELS 4
#define INNER (SIZE - 2)
#define POOLED (INNER / 2)
#define FEATURES (CHANNELS * POOLED * POOLED)
#define DIGITS 10

template <class T>
struct Layers {
    T conv[CHANNELS][9];
    T conv_bias[CHANNELS];
    T dense[DIGITS][FEATURES];
    T dense_bias[DIGITS];
};

__device__ int smaller(int x) { return min(x >> 6, 255); }
__device__ float smaller(float x) { return x * 0.015625f; }

template <class T>
struct Scratch {
    T picture[SIZE][SIZE];
    T inner[CHANNELS][INNER][INNER];
    T pooled[FEATURES];
    T score[DIGITS];
};

template <class T>
__device__ void classify(Scratch<T> &s, const unsigned char *pictures, const Layers<T> *layers,
                         T *scores, int *digits)
{
    int t = threadIdx.x, threads = blockDim.x;
    const unsigned char *picture = pictures + blockIdx.x * (SIZE * SIZE);
    for (int i = t; i < SIZE * SIZE; i += threads)
        s.picture[0][i] = picture[i];
    __syncthreads();

    for (int i = t; i < CHANNELS * INNER * INNER; i += threads) {
        int channel = i / (INNER * INNER), y = i / INNER % INNER, x = i % INNER;
        const T *tap = layers->conv[channel];
        T sum = layers->conv_bias[channel];
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                sum += tap[3 * j + k] * s.picture[y + j][x + k];
        s.inner[channel][y][x] = smaller(max(sum, (T)0));
    }
    __syncthreads();

    for (int i = t; i < FEATURES; i += threads) {
        int channel = i / (POOLED * POOLED), y = i / POOLED % POOLED * 2, x = i % POOLED * 2;
        T(*in)[INNER] = s.inner[channel];
        s.pooled[i] = max(max(in[y][x], in[y][x + 1]), max(in[y + 1][x], in[y + 1][x + 1]));
    }
    __syncthreads();

    if (t < DIGITS) {
        T sum = layers->dense_bias[t];
        for (int i = 0; i < FEATURES; i++)
            sum += layers->dense[t][i] * s.pooled[i];
        s.score[t] = sum;
        scores[blockIdx.x * DIGITS + t] = sum;
    }
    __syncthreads();
    if (t == 0) {
        int best = 0;
        for (int digit = 1; digit < DIGITS; digit++)
            if (s.score[digit] > s.score[best])
                best = digit;
        digits[blockIdx.x] = best;
    }
}

__global__ void classify_int(const unsigned char *pictures, const Layers<int> *layers, int *scores, int *digits)
{
    __shared__ Scratch<int> scratch;
    classify(scratch, pictures, layers, scores, digits);
}

__global__ void classify_float(const unsigned char *pictures, const Layers<float> *layers, float *scores, int *digits)
{
    __shared__ Scratch<float> scratch;
    classify(scratch, pictures, layers, scores, digits);
}
