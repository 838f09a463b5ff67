// Convolutions: a picture of bytes with 5 by 5 taps, and a layer of a network on floats.

#define W 12
#define H 7
#define R 2

// Sharpens: a Gaussian of 5 by 5, subtracted from twice the middle.
__constant__ short taps[2 * R + 1][2 * R + 1] = {
    { -1, -4, -6, -4, -1 },
    { -4, -16, -24, -16, -4 },
    { -6, -24, 476, -24, -6 },
    { -4, -16, -24, -16, -4 },
    { -1, -4, -6, -4, -1 },
};

// out = (taps * in) / 256, from 0 to 255; beyond the border lies the nearest pixel of the picture.
// A block makes W by H pixels out of a tile of (W + 4) by (H + 4) in shared memory.
__global__ void __launch_bounds__(W * H)
sharpen(const unsigned char *in, unsigned char *out, int w, int h)
{
    __shared__ unsigned char tile[H + 2 * R][W + 2 * R];
    int left = blockIdx.x * W - R, top = blockIdx.y * H - R;
    for (int y = threadIdx.y; y < H + 2 * R; y += H)
        for (int x = threadIdx.x; x < W + 2 * R; x += W) {
            int from_x = min(max(left + x, 0), w - 1);
            int from_y = min(max(top + y, 0), h - 1);
            tile[y][x] = in[from_y * w + from_x];
        }
    __syncthreads();
    int x = left + R + threadIdx.x, y = top + R + threadIdx.y;
    if (x >= w || y >= h)
        return;
    int sum = 128;
    for (int j = 0; j <= 2 * R; j++)
#pragma unroll
        for (int i = 0; i <= 2 * R; i++)
            sum += __mul24(taps[j][i], tile[threadIdx.y + j][threadIdx.x + i]);
    out[y * w + x] = min(max(sum >> 8, 0), 255);
}

// out[o][y][x] = bias[o] + sum of weights[o][c][j][i] * in[c][y + j][x + i]; 3 by 3 taps, no border.
// The second dimension of the grid goes over the output channels.
__global__ void convolve(const float *in, const float *weights, const float *bias, float *out,
                         int channels, int w, int h)
{
    extern __shared__ float own[]; // weights of this channel: 9 * channels
    int o = blockIdx.y;
    for (int i = threadIdx.x; i < 9 * channels; i += blockDim.x)
        own[i] = weights[o * 9 * channels + i];
    __syncthreads();
    int pixels = (w - 2) * (h - 2);
    int pixel = blockIdx.x * blockDim.x + threadIdx.x;
    if (pixel >= pixels)
        return;
    int y = pixel / (w - 2), x = pixel % (w - 2);
    const float *from = in + y * w + x;
    const float *tap = own;
    float sum = bias[o];
    for (int c = 0; c < channels; c++) {
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < 3; i++)
                sum += *tap++ * from[j * w + i];
        from += w * h;
    }
    out[o * pixels + pixel] = sum;
}
