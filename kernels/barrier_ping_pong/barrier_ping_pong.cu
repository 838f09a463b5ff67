// Two warps produce, the others consume; barriers hand the buffer over.
//
// Producer p keeps x, starts with x = in[block * 64 + p] and in round r writes x = 3x + r to the
// buffer. Consumer c adds buffer[c] ^ buffer[63 - c] to its sum. Whole warps take one side or the
// other, and both pass the same number of barriers: "full" and "empty" of every round but the last.

#define PRODUCERS 64
#define CONSUMERS 36

__global__ void barrier_ping_pong(const unsigned *in, unsigned *out, int rounds)
{
    __shared__ unsigned buffer[PRODUCERS];
    int t = threadIdx.x;
    int round = 0;
    if (t < PRODUCERS) {
        unsigned x = in[blockIdx.x * PRODUCERS + t];
        for (;;) {
            x = x + (x << 1) + round;
            buffer[t] = x;
            __syncthreads();
            if (++round >= rounds)
                return;
            __syncthreads();
        }
    }
    int c = t - PRODUCERS;
    unsigned sum = 0;
    for (;;) {
        __syncthreads();
        sum += buffer[c] ^ buffer[PRODUCERS - 1 - c];
        if (++round >= rounds)
            break;
        __syncthreads();
    }
    out[blockIdx.x * CONSUMERS + c] = sum;
}
