// A picture, enlarged and smoothed: each point of the result is the sum of nine reads of an image.
__constant sampler_t sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

__kernel void convolve(read_only image2d_t picture, write_only image2d_t to, __global const float *weights, float step) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  float2 u = (convert_float2(at) + 0.5f) * step;
  float4 sum = 0;
  for (int n = 0; n < 9; n++) {
    int row = n / 3;
    sum += weights[n] * read_imagef(picture, sampler, u + (float2)(n - 3 * row - 1, row - 1));
  }
  write_imagef(to, at, sum);
}
