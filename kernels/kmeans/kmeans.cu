// One round of k-means: every point joins the nearest centre, every centre moves to the middle of
// its points. Coordinates are stored by dimension: all x, then all y, …

#define MAX_CENTRES 16
#define THREADS 64

// A tie goes to the first of the nearest centres.
__global__ void assign(const float *points, const float *centres, int *member, int n, int k, int dims)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int best = 0;
    float least = 3.4e38f;
    for (int c = 0; c < k; c++) {
        float distance = 0.0f;
        for (int d = 0; d < dims; d++) {
            float apart = points[d * n + i] - centres[d * k + c];
            distance += apart * apart;
        }
        if (distance < least) {
            least = distance;
            best = c;
        }
    }
    member[i] = best;
}

// Block (c, d) makes coordinate d of centre c; one without points stays where it is.
__global__ void __launch_bounds__(THREADS)
move(const float *points, const int *member, const float *centres, float *moved, int n, int k)
{
    __shared__ float sums[THREADS];
    __shared__ int counts[THREADS];
    int c = blockIdx.x, d = blockIdx.y, t = threadIdx.x;
    float sum = 0.0f;
    int count = 0;
    for (int i = t; i < n; i += THREADS)
        if (member[i] == c) {
            sum += points[d * n + i];
            count++;
        }
    sums[t] = sum;
    counts[t] = count;
    for (int half = THREADS / 2; half > 0; half >>= 1) {
        __syncthreads();
        if (t < half) {
            sums[t] += sums[t + half];
            counts[t] += counts[t + half];
        }
    }
    if (t == 0)
        moved[d * k + c] = counts[0] ? sums[0] / counts[0] : centres[d * k + c];
}
