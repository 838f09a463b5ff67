// counts[bin] of the low four bits of all words, with atomic sums in local memory; see histogram.sass.

#define BINS 16

kernel void histogram(global const uint *in, global uint *counts, int n)
{
    local uint own[BINS];
    int t = get_local_id(0);
    if (t < BINS)
        own[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&own[in[i] & (BINS - 1)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < BINS)
        atomic_add(&counts[t], own[t]);
}
