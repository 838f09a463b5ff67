// counts[bin] of the low four bits of all words, with atomic sums in global memory; see histogram.sass.

#define BINS 16

kernel void histogram(global const uint *in, global uint *counts, int n)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&counts[in[i] & (BINS - 1)]);
}
