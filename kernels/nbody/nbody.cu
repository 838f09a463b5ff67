// One step of gravity between all pairs of n bodies, softened.
//
//   s = 1 / sqrt(|p[j] - p[i]|^2 + e),  a[i] = sum over j of m[j] * s^3 * (p[j] - p[i])
//   v' = v + a * dt,  p' = p + v' * dt,  phi[i] = sum over j of m[j] * s
//
// A body is mass, x, y, z; its motion phi, vx, vy, vz. Bodies pass through shared memory in tiles
// of a block's size; those beyond n have no mass, so the inner loop needs no guard.

#define THREADS 48
#define SOFTENING 0.015625f
#define DT 0.25f

__global__ void __launch_bounds__(THREADS)
nbody(const float4 *bodies, const float4 *motion, float4 *new_bodies, float4 *new_motion, int n)
{
    __shared__ float4 tile[THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * THREADS + t;
    float4 own = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (i < n)
        own = bodies[i];
    float phi = 0.0f, ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int first = 0; first < n; first += THREADS) {
        float4 fetched = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (first + t < n)
            fetched = bodies[first + t];
        tile[t] = fetched;
        __syncthreads();
        for (int j = 0; j < THREADS; j++) {
            float dx = tile[j].y - own.y, dy = tile[j].z - own.z, dz = tile[j].w - own.w;
            float s = rsqrtf(dz * dz + (dy * dy + (dx * dx + SOFTENING)));
            float pull = tile[j].x * s;
            phi += pull;
            pull = s * s * pull;
            ax = dx * pull + ax;
            ay = dy * pull + ay;
            az = dz * pull + az;
        }
        __syncthreads();
    }
    if (i >= n)
        return;
    float4 v = motion[i];
    v.x = phi;
    v.y = ax * DT + v.y;
    v.z = ay * DT + v.z;
    v.w = az * DT + v.w;
    own.y = v.y * DT + own.y;
    own.z = v.z * DT + own.z;
    own.w = v.w * DT + own.w;
    new_bodies[i] = own;
    new_motion[i] = v;
}
