// Tells which words of an array are multiples of 16, and leaves a 1 for each.
__kernel void tell(__global const uint *in, __global uint *out, uint n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  bool found = in[i] % 16 == 0;
  if (found) printf("%s %3u of block %u: %#010x, %d\n", "word", i, (uint)get_group_id(0), in[i], (int)in[i]);
  out[i] = found;
}
