// steps[i] and peak[i] of the sequence that starts at i + 1; every thread leaves the loop at its own time.

__global__ void collatz(unsigned *steps, unsigned *peak, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned value = i + 1, count = 0, most = value;
    while (value != 1) {
        value = value & 1 ? value + (value << 1) + 1 : value >> 1;
        most = max(most, value);
        count++;
    }
    steps[i] = count;
    peak[i] = most;
}
