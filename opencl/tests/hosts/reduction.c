// Sum of an array in steps through local memory, as programs of every tutorial do it.
#include "host.h"

static const char *SOURCE =
    "__kernel void reduce(__global const uint *in, __global uint *out, __local uint *t, uint n) {\n"
    "  uint l = get_local_id(0), i = get_group_id(0) * get_local_size(0) * 2 + l, s = 0;\n"
    "  for (; i < n; i += get_local_size(0) * 2 * get_num_groups(0)) { s += in[i]; if (i + get_local_size(0) < n) s += in[i + get_local_size(0)]; }\n"
    "  t[l] = s;\n"
    "  for (uint h = get_local_size(0) / 2; h > 0; h >>= 1) { barrier(CLK_LOCAL_MEM_FENCE); if (l < h) t[l] += t[l + h]; }\n"
    "  if (l == 0) out[get_group_id(0)] = t[0];\n"
    "}\n";

int main(void) {
  open_host(0);
  enum { N = 1500, GROUPS = 4 };
  uint32_t data[N], want = 0, got = 0, seed = 11;
  for (int i = 0; i < N; i++) want += data[i] = next_random(&seed);
  cl_program p = build(SOURCE);
  cl_kernel k = kernel_of(p, "reduce");
  cl_mem in = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof data, data, &err);
  MADE(in);
  cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, 4 * GROUPS, NULL, &err);
  MADE(out);
  set_buffer(k, 0, in);
  set_buffer(k, 1, out);
  OK(clSetKernelArg(k, 2, 4 * 64, NULL));
  set_int(k, 3, N);
  run1(k, 64 * GROUPS, 64);
  set_buffer(k, 0, out);
  set_int(k, 3, GROUPS);
  run1(k, 64, 64);
  read_all(out, &got, 4);
  CHECK(got == want);
  print_ints("sum", &got, 1);
  OK(clReleaseMemObject(in));
  OK(clReleaseMemObject(out));
  OK(clReleaseKernel(k));
  OK(clReleaseProgram(p));
  return close_host();
}
