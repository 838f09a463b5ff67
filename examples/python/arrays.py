"""pyopencl.array of floats, doubles and integers: arithmetic, functions, sums, scans and kernels that pyopencl writes by itself."""

import sys

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pyopencl.clmath as cl_math
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.reduction import ReductionKernel


def main():
    context = cl.create_some_context(interactive=False)
    queue = cl.CommandQueue(context)
    rng = np.random.default_rng(5)
    a, b = (rng.random(1000, dtype=np.float32) + 1 for _ in range(2))
    i, j = (rng.integers(-1000, 1000, 500, dtype=np.int32) for _ in range(2))
    wide = rng.integers(-(10**12), 10**12, 300)
    da, db = (cl_array.to_device(queue, v) for v in (a, b))
    c, d = (rng.random(200) + 1 for _ in range(2))
    dc, dd = (cl_array.to_device(queue, v) for v in (c, d))
    di, dj, dw = (cl_array.to_device(queue, v) for v in (i, j, wide))

    combine = ElementwiseKernel(context, "float f, float *x, float *y, float *z", "z[i] = f * x[i] + y[i]", "combine")
    dz = cl_array.empty_like(da)
    combine(np.float32(3), da, db, dz)
    most = ReductionKernel(context, np.int32, neutral="-2147483648", reduce_expr="max(a, b)", map_expr="x[i] * y[i]",
                           arguments="__global int *x, __global int *y", name="most")

    close = {
        "a + b": ((da + db).get(), a + b),
        "a * b - 2": ((da * db - 2).get(), a * b - 2),
        "a / b": ((da / db).get(), a / b),
        "sqrt a": (cl_math.sqrt(da).get(), np.sqrt(a)),
        "exp a": (cl_math.exp(da).get(), np.exp(a)),
        "sum a": (cl_array.sum(da).get(), a.sum()),
        "dot": (cl_array.dot(da, db).get(), a @ b),
        "combine": (dz.get(), 3 * a + b),
    }
    doubles = {
        "c + d / 3": ((dc + dd / 3).get(), c + d / 3),
        "sin c": (cl_math.sin(dc).get(), np.sin(c)),
        "log d": (cl_math.log(dd).get(), np.log(d)),
        "c ** d": ((dc**dd).get(), c**d),
        "dot of doubles": (cl_array.dot(dc, dd).get(), c @ d),
    }
    equal = {
        "i + j": ((di + dj).get(), i + j),
        "i * j": ((di * dj).get(), i * j),
        "64 bits": ((dw * 3 + 1).get(), wide * 3 + 1),
        "sum i": (cl_array.sum(di).get(), i.sum()),
        "max i": (cl_array.max(di).get(), i.max()),
        "arange": (cl_array.arange(queue, 200, dtype=np.int32).get(), np.arange(200)),
        "take": (cl_array.take(di, cl_array.arange(queue, 499, -1, -1, dtype=np.int32)).get(), i[::-1]),
        "part": (di[100:200].get(), i[100:200]),
        "where": (cl_array.if_positive(di, dj, di).get(), np.where(i > 0, j, i)),
        "most": (most(di, dj).get(), (i * j).max()),
    }
    failed = [n for n, (x, y) in close.items() if not np.allclose(x, y, rtol=1e-5)]
    failed += [n for n, (x, y) in doubles.items() if x.dtype != np.float64 or not np.allclose(x, y, rtol=1e-14)]
    failed += [n for n, (x, y) in equal.items() if not np.array_equal(x, y)]
    count = len(close) + len(doubles) + len(equal)
    print(f"{queue.device.name}: {count - len(failed)} of {count} right", *failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
