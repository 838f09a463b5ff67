// out[group] = sum of the group's part of in[0..n]: a tree in local memory, a barrier a step.
//
// The group is no power of two, so a work-item adds only when both elements exist.

__kernel void reduction(__global const uint *in, __global uint *out, int n)
{
    __local uint sums[90];
    int t = get_local_id(0), size = get_local_size(0), i = get_global_id(0);
    uint sum = i < n ? in[i] : 0;
    sums[t] = sum;
    for (int stride = 64; stride > 0; stride >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < stride && t + stride < size) {
            sum += sums[t + stride];
            sums[t] = sum;
        }
    }
    if (t == 0)
        out[get_group_id(0)] = sum;
}
