// A picture, enlarged and smoothed: each point of the result is the sum of nine reads of a texture, which filters linearly
// and repeats its edge.
texture<unsigned char, 2, cudaReadModeNormalizedFloat> picture;
__constant__ float weights[9];

__global__ void convolve(float *to, int width, float step) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float u = (x + 0.5f) * step, v = (y + 0.5f) * step, sum = 0;
  for (int n = 0; n < 9; n++) {
    int row = n / 3;
    sum += weights[n] * tex2D(picture, u + (n - 3 * row - 1), v + (row - 1));
  }
  to[y * width + x] = sum;
}
