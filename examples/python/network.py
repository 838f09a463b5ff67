"""A network of two layers tells two rings of points apart: trained by numpy, run on the device."""

import sys

import numpy as np
import pyopencl as cl

SOURCE = """
__kernel void layer(__global const float *in, __global const float *weights, __constant float *bias, __global float *out,
                    int inputs, int outputs, int last)
{
    int point = get_global_id(0), o = get_global_id(1);
    float sum = bias[o];
    for (int i = 0; i < inputs; i++)
        sum += in[point * inputs + i] * weights[i * outputs + o];
    out[point * outputs + o] = last ? 1.0f / (1.0f + exp(-sum)) : fmax(sum, 0.0f);
}
"""
HIDDEN = 16


def rings(rng, count):
    """Points on two rings, and which ring it is."""
    ring = rng.integers(0, 2, count)
    angle, radius = rng.random(count) * 2 * np.pi, 1 + ring + rng.normal(0, 0.15, count)
    points = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1)
    return points.astype(np.float32), ring


def train(rng):
    """Weights and biases after gradient descent on the host."""
    points, ring = rings(rng, 512)
    w1, b1 = rng.normal(0, 1, (2, HIDDEN)), np.zeros(HIDDEN)
    w2, b2 = rng.normal(0, 0.3, (HIDDEN, 1)), np.zeros(1)
    for _ in range(600):
        hidden = np.maximum(points @ w1 + b1, 0)
        out = 1 / (1 + np.exp(-(hidden @ w2 + b2)))
        wrong = (out - ring[:, None]) / len(points)
        back = wrong @ w2.T * (hidden > 0)
        w2 -= 2 * hidden.T @ wrong
        b2 -= 2 * wrong.sum(0)
        w1 -= 2 * points.T @ back
        b1 -= 2 * back.sum(0)
    return [np.ascontiguousarray(v, dtype=np.float32) for v in (w1, b1, w2, b2)]


def main():
    rng = np.random.default_rng(3)
    w1, b1, w2, b2 = train(rng)
    points, ring = rings(rng, 256)

    context = cl.create_some_context(interactive=False)
    queue = cl.CommandQueue(context)
    flags = cl.mem_flags

    def given(values):
        return cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=values)

    hidden = cl.Buffer(context, flags.READ_WRITE, 4 * len(points) * HIDDEN)
    result = cl.Buffer(context, flags.WRITE_ONLY, 4 * len(points))
    layer = cl.Program(context, SOURCE).build().layer
    layer(queue, (len(points), HIDDEN), (8, 8), given(points), given(w1), given(b1), hidden, np.int32(2), np.int32(HIDDEN), np.int32(0))
    layer(queue, (len(points), 1), (64, 1), hidden, given(w2), given(b2), result, np.int32(HIDDEN), np.int32(1), np.int32(1))
    out = np.empty(len(points), dtype=np.float32)
    cl.enqueue_copy(queue, out, result)

    expected = 1 / (1 + np.exp(-(np.maximum(points @ w1 + b1, 0) @ w2 + b2)))[:, 0]
    error = float(np.max(np.abs(out - expected)))
    right = float(np.mean((out > 0.5) == ring))
    print(f"{queue.device.name}: {100 * right:.1f} % of {len(points)} points right, largest difference from numpy {error:.1e}")
    return 0 if error < 1e-4 and right > 0.9 else 1


if __name__ == "__main__":
    sys.exit(main())
