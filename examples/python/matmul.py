"""Product of two matrices through tiles in local memory, checked by numpy."""

import sys

import numpy as np
import pyopencl as cl

SOURCE = """
#define TILE 8
__kernel void multiply(__global const float *a, __global const float *b, __global float *c, int n)
{
    __local float ta[TILE][TILE], tb[TILE][TILE];
    int x = get_local_id(0), y = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (int t = 0; t < n; t += TILE) {
        ta[y][x] = a[row * n + t + x];
        tb[y][x] = b[(t + y) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            sum += ta[y][k] * tb[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = sum;
}
"""


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 64
    rng = np.random.default_rng(1)
    a, b = (rng.random((n, n), dtype=np.float32) for _ in range(2))

    context = cl.create_some_context(interactive=False)
    queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    flags = cl.mem_flags
    device_a = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=a)
    device_b = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=b)
    device_c = cl.Buffer(context, flags.WRITE_ONLY, a.nbytes)
    program = cl.Program(context, SOURCE).build()
    event = program.multiply(queue, (n, n), (8, 8), device_a, device_b, device_c, np.int32(n))
    c = np.empty_like(a)
    cl.enqueue_copy(queue, c, device_c)

    exact = a.astype(np.float64) @ b.astype(np.float64)
    error = float(np.max(np.abs(c - exact) / exact))
    microseconds = (event.profile.end - event.profile.start) / 1000
    print(f"{queue.device.name}: {n} x {n}, {microseconds:.0f} us on the device, largest relative error {error:.1e}")
    return 0 if error < 1e-5 else 1


if __name__ == "__main__":
    sys.exit(main())
