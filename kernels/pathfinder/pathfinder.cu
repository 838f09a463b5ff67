// The cheapest way down through rows of costs, a step goes straight or to a neighbouring column.
//
// A block works on THREADS columns; after every row one column at each side is no longer right, so
// it delivers THREADS - 2 * rows of them.

#define THREADS 72
#define IN_RANGE(x, low, high) ((x) >= (low) && (x) <= (high))
#define MIN(a, b) ((a) <= (b) ? (a) : (b))

__global__ void __launch_bounds__(THREADS)
pathfinder(const int *wall, const int *from, int *to, int columns, int rows)
{
    __shared__ int before[THREADS];
    __shared__ int after[THREADS];
    int t = threadIdx.x;
    int x = blockIdx.x * (THREADS - 2 * rows) - rows + t;
    bool valid = IN_RANGE(x, 0, columns - 1);
    // Neighbours; beyond the edges of the wall there is no way.
    int left = x <= 0 ? t : t - 1;
    int right = x >= columns - 1 ? t : t + 1;
    if (valid)
        before[t] = from[x];
    __syncthreads();
    for (int row = 0; row < rows; row++) {
        bool counts = valid && IN_RANGE(t, row + 1, THREADS - 2 - row);
        if (counts) {
            int least = MIN(before[left], before[right]);
            least = MIN(least, before[t]);
            after[t] = least + wall[row * columns + x];
        }
        __syncthreads();
        if (row == rows - 1)
            break;
        if (counts)
            before[t] = after[t];
        __syncthreads();
    }
    if (valid && IN_RANGE(t, rows, THREADS - 1 - rows))
        to[x] = after[t];
}
