// out[i] = sin(in[i]), cos(in[i]).
//
// The chip's reduction is good for small angles, so whole turns are taken off first where
// |x| > pi: k = round(x / 2pi) and x - k * 2pi with 2pi in three parts, of which the first two make
// exact products up to k = 8,192. NaN fails the comparison and stays; infinity turns into NaN.

#define PI 3.1415927f

__global__ void sincos_table(const float *in, float2 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = in[i];
    if (fabsf(x) > PI) {
        float k = rintf(x * 0.15915494f);
        x = -k * 6.28125f + x;
        x = -k * 0.0019350051879882812f + x;
        x = -k * 3.01991598e-7f + x;
    }
    out[i] = make_float2(__sinf(x), __cosf(x));
}
