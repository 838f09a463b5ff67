// Tells which words of an array are multiples of 16, and leaves a 1 for each.
#include <stdio.h>

__global__ void tell(const unsigned *in, unsigned *out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  bool found = in[i] % 16 == 0;
  if (found) printf("%s %3u of block %u: %#010x, %d\n", "word", i, blockIdx.x, in[i], (int)in[i]);
  out[i] = found;
}
