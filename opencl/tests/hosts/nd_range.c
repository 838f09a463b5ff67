// Index spaces: one to three dimensions, offsets, groups chosen by the driver, every function that asks where.
#include "host.h"

static const char *SOURCE =
    "__kernel void where(__global uint *o, uint w, uint h) {\n"
    "  uint x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1), z = get_global_id(2) - get_global_offset(2);\n"
    "  __global uint *p = o + 12 * (x + w * (y + h * z));\n"
    "  for (uint d = 0; d < 3; d++) {\n"
    "    p[d] = get_global_id(d); p[3 + d] = get_local_id(d); p[6 + d] = get_group_id(d);\n"
    "  }\n"
    "  p[9] = get_global_size(0) + 1000 * get_global_size(1) + 1000000 * get_global_size(2);\n"
    "  p[10] = get_num_groups(0) + 1000 * get_num_groups(1) + 1000000 * get_num_groups(2);\n"
    "  p[11] = get_work_dim() + 10 * (get_global_id(3) + get_local_id(7) + get_group_id(3))"
    " + 1000 * get_global_offset(0) + 1000000 * get_global_offset(2);\n"
    "}\n"
    "__kernel void sum(__global uint *o, __local uint *t) {\n"
    "  uint l = get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2));\n"
    "  uint n = get_local_size(0) * get_local_size(1) * get_local_size(2);\n"
    "  t[l] = get_global_id(0) + 10 * get_global_id(1) + 100 * get_global_id(2);\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  uint g = get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * get_group_id(2));\n"
    "  if (l == 0) { uint s = 0; for (uint i = 0; i < n; i++) s += t[i]; o[g] = s; }\n"
    "}\n";

static cl_kernel where, sum;
static cl_mem o;
static uint32_t back[12 * 1024];

static void check(cl_uint dims, const size_t *offset, const size_t *global, const size_t *local) {
  size_t g[3] = {1, 1, 1}, off[3] = {0, 0, 0}, l[3] = {1, 1, 1};
  for (cl_uint d = 0; d < dims; d++) {
    g[d] = global[d];
    if (offset) off[d] = offset[d];
    if (local) l[d] = local[d];
  }
  size_t items = g[0] * g[1] * g[2];
  set_buffer(where, 0, o);
  set_int(where, 1, (cl_int)g[0]);
  set_int(where, 2, (cl_int)g[1]);
  memset(back, 0xff, sizeof back);
  OK(clEnqueueWriteBuffer(queue, o, CL_FALSE, 0, 48 * items, back, 0, NULL, NULL));
  OK(clEnqueueNDRangeKernel(queue, where, dims, offset, global, local, 0, NULL, NULL));
  read_all(o, back, 48 * items);
  size_t wrong = 0;
  for (size_t z = 0; z < g[2]; z++)
    for (size_t y = 0; y < g[1]; y++)
      for (size_t x = 0; x < g[0]; x++) {
        const uint32_t *p = back + 12 * (x + g[0] * (y + g[1] * z));
        size_t at[3] = {x, y, z};
        for (int d = 0; d < 3; d++) {
          wrong += p[d] != at[d] + off[d];
          if (local) wrong += p[3 + d] != at[d] % l[d] || p[6 + d] != at[d] / l[d];
        }
        wrong += p[9] != g[0] + 1000 * g[1] + 1000000 * g[2];
        if (local) wrong += p[10] != g[0] / l[0] + 1000 * (g[1] / l[1]) + 1000000 * (g[2] / l[2]);
        wrong += p[11] != dims + 1000 * off[0] + 1000000 * off[2];
      }
  if (wrong) FAIL("%u dimensions of %zu %zu %zu, offset %zu %zu %zu, groups of %zu %zu %zu: %zu wrong words", dims, g[0], g[1], g[2], off[0], off[1],
                  off[2], l[0], l[1], l[2], wrong);
  if (local) print_ints("where", back, 12 * items < 120 ? 12 * items : 120);
}

int main(void) {
  open_host(0);
  cl_program p = build(SOURCE);
  where = kernel_of(p, "where");
  sum = kernel_of(p, "sum");
  o = buffer_of(sizeof back, NULL);
  check(1, NULL, (size_t[]){96}, (size_t[]){32});
  check(1, NULL, (size_t[]){50}, (size_t[]){5});
  check(1, NULL, (size_t[]){1}, (size_t[]){1});
  check(1, NULL, (size_t[]){77}, NULL);
  check(1, (size_t[]){17}, (size_t[]){40}, (size_t[]){8});
  check(2, NULL, (size_t[]){16, 6}, (size_t[]){8, 2});
  check(2, NULL, (size_t[]){1, 6}, (size_t[]){1, 3});
  check(2, (size_t[]){3, 100}, (size_t[]){8, 4}, (size_t[]){4, 4});
  check(2, NULL, (size_t[]){7, 11}, NULL);
  check(3, NULL, (size_t[]){8, 4, 2}, (size_t[]){8, 4, 2});
  check(3, NULL, (size_t[]){8, 4, 6}, (size_t[]){4, 2, 2});
  check(3, NULL, (size_t[]){2, 2, 1}, (size_t[]){1, 1, 1});
  check(3, (size_t[]){1, 2, 3}, (size_t[]){6, 4, 4}, (size_t[]){3, 2, 1});
  check(3, (size_t[]){0, 0, 9}, (size_t[]){5, 3, 7}, NULL);

  // Groups of three dimensions that share memory.
  set_buffer(sum, 0, o);
  OK(clSetKernelArg(sum, 1, 4 * 24, NULL));
  OK(clEnqueueNDRangeKernel(queue, sum, 3, NULL, (size_t[]){8, 6, 4}, (size_t[]){4, 3, 2}, 0, NULL, NULL));
  read_all(o, back, 4 * 8);
  for (size_t g = 0; g < 8; g++) {
    uint32_t want = 0;
    for (size_t i = 0; i < 24; i++)
      want += (uint32_t)(i % 4 + 4 * (g % 2) + 10 * (i / 4 % 3 + 3 * (g / 2 % 2)) + 100 * (i / 12 + 2 * (g / 4)));
    CHECK(back[g] == want);
  }
  print_ints("sums", back, 8);

  // Mistakes.
  size_t n = 64, fits = 32, most = size_info(CL_DEVICE_MAX_WORK_GROUP_SIZE);
  set_buffer(where, 0, o);
  CODE(CL_INVALID_WORK_DIMENSION, clEnqueueNDRangeKernel(queue, where, 0, NULL, &n, &fits, 0, NULL, NULL));
  CODE(CL_INVALID_WORK_DIMENSION, clEnqueueNDRangeKernel(queue, where, 4, NULL, &n, &fits, 0, NULL, NULL));
  STRICT(CL_INVALID_GLOBAL_WORK_SIZE, clEnqueueNDRangeKernel(queue, where, 1, NULL, NULL, &fits, 0, NULL, NULL));
  STRICT(CL_INVALID_GLOBAL_WORK_SIZE, clEnqueueNDRangeKernel(queue, where, 1, NULL, (size_t[]){0}, &fits, 0, NULL, NULL));
  CODE(CL_INVALID_WORK_GROUP_SIZE, clEnqueueNDRangeKernel(queue, where, 1, NULL, &n, (size_t[]){24}, 0, NULL, NULL));
  STRICT(CL_INVALID_WORK_GROUP_SIZE, clEnqueueNDRangeKernel(queue, where, 1, NULL, &n, (size_t[]){0}, 0, NULL, NULL));
  size_t large = 2 * most;
  cl_int code = clEnqueueNDRangeKernel(queue, where, 1, NULL, &large, &large, 0, NULL, NULL);
  CHECK(code == CL_INVALID_WORK_GROUP_SIZE || code == CL_INVALID_WORK_ITEM_SIZE);
  STRICT(CL_INVALID_KERNEL, clEnqueueNDRangeKernel(queue, NULL, 1, NULL, &n, &fits, 0, NULL, NULL));
  CODE(CL_INVALID_COMMAND_QUEUE, clEnqueueNDRangeKernel(NULL, where, 1, NULL, &n, &fits, 0, NULL, NULL));
  STRICT(CL_INVALID_EVENT_WAIT_LIST, clEnqueueNDRangeKernel(queue, where, 1, NULL, &n, &fits, 1, NULL, NULL));
  STRICT(CL_INVALID_GLOBAL_OFFSET, clEnqueueNDRangeKernel(queue, where, 1, (size_t[]){0xffffffff}, &n, &fits, 0, NULL, NULL));
  cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
  MADE(other);
  cl_command_queue foreign = clCreateCommandQueue(other, device, 0, &err);
  MADE(foreign);
  CODE(CL_INVALID_CONTEXT, clEnqueueNDRangeKernel(foreign, where, 1, NULL, &n, &fits, 0, NULL, NULL));
  OK(clReleaseCommandQueue(foreign));
  OK(clReleaseContext(other));

  OK(clReleaseKernel(where));
  OK(clReleaseKernel(sum));
  OK(clReleaseProgram(p));
  OK(clReleaseMemObject(o));
  return close_host();
}
