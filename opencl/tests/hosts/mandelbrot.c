// The Mandelbrot set in fixed point: the same picture on every chip, floats or not.
#include "host.h"

enum { W = 48, H = 32 };
static const char *SOURCE =
    "__kernel void mandelbrot(__global uchar *o, int limit) {\n"
    "  int px = get_global_id(0), py = get_global_id(1);\n"
    "  int cx = px * 3 * 4096 / (int)get_global_size(0) - 2 * 4096, cy = py * 2 * 4096 / (int)get_global_size(1) - 4096, x = 0, y = 0, n = 0;\n"
    "  while (n < limit && x * x + y * y <= 4 * 4096 * 4096) { int t = ((x * x - y * y) >> 12) + cx; y = ((2 * x * y) >> 12) + cy; x = t; n++; }\n"
    "  o[py * get_global_size(0) + px] = n == limit ? 0 : 255 - 9 * n;\n"
    "}\n";

int main(void) {
  open_host(0);
  cl_program p = build(SOURCE);
  cl_kernel k = kernel_of(p, "mandelbrot");
  uint8_t picture[W * H];
  cl_mem o = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof picture, NULL, &err);
  MADE(o);
  set_buffer(k, 0, o);
  set_int(k, 1, 28);
  OK(clEnqueueNDRangeKernel(queue, k, 2, NULL, (size_t[]){W, H}, (size_t[]){16, 4}, 0, NULL, NULL));
  read_all(o, picture, sizeof picture);
  size_t inside = 0;
  for (int i = 0; i < W * H; i++) inside += picture[i] == 0;
  CHECK(inside > W * H / 10 && inside < W * H / 3);
  print_ints("picture", picture, W * H / 4);
  OK(clReleaseMemObject(o));
  OK(clReleaseKernel(k));
  OK(clReleaseProgram(p));
  return close_host();
}
