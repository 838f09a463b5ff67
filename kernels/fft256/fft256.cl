// Fourier transforms of 256 complex samples, radix 2, a work-group of 128 a signal.
//
// Stockham's order: every stage reads samples 128 apart and writes them where the next one wants
// them, so nothing is reversed. roots[k] = e^(-2πik/256) for k < 128.

#define POINTS 256
#define HALF (POINTS / 2)

static float2 times(float2 a, float2 b)
{
    return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__kernel __attribute__((reqd_work_group_size(HALF, 1, 1)))
void fft256(__global const float2 *in, __global float2 *out, __constant float2 *roots)
{
    __local float2 work[POINTS];
    int t = get_local_id(0);
    in += get_group_id(0) * POINTS;
    out += get_group_id(0) * POINTS;
    float2 a = in[t], b = in[t + HALF];
    for (int span = 1; span < POINTS; span <<= 1) {
        int k = t & (span - 1); // place within the transforms of length `span`
        b = times(b, roots[k * (HALF / span)]);
        int to = 2 * t - k;
        if (span == HALF) {
            out[to] = a + b;
            out[to + span] = a - b;
            break;
        }
        work[to] = a + b;
        work[to + span] = a - b;
        barrier(CLK_LOCAL_MEM_FENCE);
        a = work[t];
        b = work[t + HALF];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
