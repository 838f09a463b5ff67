// X[k] = x[0] w^0 + … + x[7] w^7k, w = e^(-2πi/8), for many signals of 8 complex samples.
//
// A thread transforms one signal in registers, by halves: three stages of four butterflies.
// Products by -i swap real and imaginary part; w and w^3 cost two additions each, and their factor
// 1/sqrt(2) is a part of the last multiply-adds.

#define ROOT 0.70710677f // 1/sqrt(2)

__device__ float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ float2 operator-(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
// a - ib and a + ib.
__device__ float2 minus_i(float2 a, float2 b) { return make_float2(a.x + b.y, a.y - b.x); }
__device__ float2 plus_i(float2 a, float2 b) { return make_float2(a.x - b.y, a.y + b.x); }
// a + f b.
__device__ float2 add(float2 a, float f, float2 b) { return make_float2(f * b.x + a.x, f * b.y + a.y); }

__global__ void fft8(const float4 *in, float2 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float4 *x = in + 4 * i;
    float4 x01 = x[0], x23 = x[1], x45 = x[2], x67 = x[3];
    float2 x0 = make_float2(x01.x, x01.y), x1 = make_float2(x01.z, x01.w);
    float2 x2 = make_float2(x23.x, x23.y), x3 = make_float2(x23.z, x23.w);
    float2 x4 = make_float2(x45.x, x45.y), x5 = make_float2(x45.z, x45.w);
    float2 x6 = make_float2(x67.x, x67.y), x7 = make_float2(x67.z, x67.w);

    // Pairs of samples four apart.
    float2 s04 = x0 + x4, d04 = x0 - x4;
    float2 s26 = x2 + x6, d26 = x2 - x6;
    float2 s15 = x1 + x5, d15 = x1 - x5;
    float2 s37 = x3 + x7, d37 = x3 - x7;

    // Transforms of four: e of the even samples, o of the odd ones.
    float2 e0 = s04 + s26, e2 = s04 - s26;
    float2 e1 = minus_i(d04, d26), e3 = plus_i(d04, d26);
    float2 o0 = s15 + s37, o2 = s15 - s37;
    float2 o1 = minus_i(d15, d37), o3 = plus_i(d15, d37);

    // w o1 and w^3 o3, both still to be multiplied by 1/sqrt(2).
    float2 r1 = make_float2(o1.x + o1.y, o1.y - o1.x);
    float2 r3 = make_float2(o3.y - o3.x, -(o3.x + o3.y));

    float2 *to = out + 8 * i;
    to[0] = e0 + o0;
    to[1] = add(e1, ROOT, r1);
    to[2] = minus_i(e2, o2);
    to[3] = add(e3, ROOT, r3);
    to[4] = e0 - o0;
    to[5] = add(e1, -ROOT, r1);
    to[6] = plus_i(e2, o2);
    to[7] = add(e3, -ROOT, r3);
}
