// Prices of European options, call[i] and put[i], from price S, strike K, years T.
//
//   d1 = (ln(S / K) + (r + v * v / 2) * T) / (v * sqrt(T)),  d2 = d1 - v * sqrt(T)
//   X = K * exp(-r * T)
//   call = S * N(d1) - X * N(d2),  put = X * (1 - N(d2)) - S * (1 - N(d1))

#define VOLATILITY 0.3f
#define DRIFT 0.065f         // r + v * v / 2 with r = 0.02
#define DISCOUNT -0.028853901f // -r * log2(e)

// Cumulative normal distribution: Abramowitz and Stegun's polynomial 26.2.17.
__device__ float normal(float d)
{
    float k = 1.0f / (0.2316419f * fabsf(d) + 1.0f);
    float density = 0.3989423f * exp2f(-0.72134752f * (d * d));
    float p = 1.330274429f;
    p = p * k - 1.821255978f;
    p = p * k + 1.781477937f;
    p = p * k - 0.356563782f;
    p = p * k + 0.31938153f;
    p = p * k * density;
    return d >= 0.0f ? 1.0f - p : p;
}

__global__ void black_scholes(const float *price, const float *strike, const float *years,
                              float *call, float *put, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float s = price[i], k = strike[i], t = years[i];
    float spread = VOLATILITY * (t * rsqrtf(t));
    float d1 = __fdividef(DRIFT * t + 0.6931472f * __log2f(__fdividef(s, k)), spread);
    float x = k * exp2f(DISCOUNT * t);
    float n1 = normal(d1);
    float n2 = normal(d1 - spread);
    // Every product is rounded: a multiply-add would cut one of two that nearly cancel.
    call[i] = __fmul_rn(s, n1) - __fmul_rn(x, n2);
    put[i] = __fmul_rn(x, 1.0f - n2) - __fmul_rn(s, 1.0f - n1);
}
