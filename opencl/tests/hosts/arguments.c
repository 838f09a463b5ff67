// Arguments of every type: integers of all widths, vectors, structs, buffers, null, constant and local memory.
#include "host.h"

static const char *SOURCE =
    "typedef struct { int a; short b; uchar c; uint d[2]; } pack;\n"
    "__kernel void scalars(__global ulong *o, char c, uchar uc, short s, ushort us, int i, uint ui, long l, ulong ul) {\n"
    "  o[0] = (long)c; o[1] = uc; o[2] = (long)s; o[3] = us; o[4] = (long)i; o[5] = ui; o[6] = l; o[7] = ul;\n"
    "}\n"
    "__kernel void vectors(__global uint *o, char4 c, short2 s, uint3 i, uint4 u, ulong2 l, uchar16 b) {\n"
    "  o[0] = as_uint(c); o[1] = as_uint(s); vstore3(i, 0, o + 2); vstore4(u, 0, o + 5);\n"
    "  o[9] = (uint)l.x; o[10] = (uint)(l.x >> 32); o[11] = (uint)l.y; o[12] = (uint)(l.y >> 32);\n"
    "  o[13] = b.s0; o[14] = b.sf; o[15] = b.s7;\n"
    "}\n"
    "__kernel void pairs(__global uint *o, uchar before, char2 c, uchar2 u, uchar after, char2 d) {\n"
    "  o[0] = (int)c.x; o[1] = (int)c.y; o[2] = u.x; o[3] = u.y; o[4] = before + 256 * after; o[5] = as_ushort(d);\n"
    "  vstore2(c + as_char2(u), 12, (__global char *)o); vstore2(convert_int2(d * c), 2, (__global int *)(o + 3));\n"
    "  o[9] = (int)all(c == d) + 2 * (int)any(u == as_uchar2(d)); o[10] = (int)c.x; o[11] = (int)d.y;\n"
    "}\n"
    "__kernel void aligned(__global uint *o, __local char *a, __local char2 *b, __local short3 *c, __local int4 *d, __local long4 *e, __local uint16 *f, __local ulong16 *g, __local char *h) {\n"
    // Through a volatile: of an argument the compiler knows how it is to be aligned.
    "  volatile uint at[6] = {(uint)b, (uint)c, (uint)d, (uint)e, (uint)f, (uint)g};\n"
    "  o[0] = at[0] % 2; o[1] = at[1] % 8; o[2] = at[2] % 16; o[3] = at[3] % 32; o[4] = at[4] % 64; o[5] = at[5] % 128;\n"
    "  a[0] = h[0] = 1; b[0] = 2; c[0] = 3; d[0] = 4; e[0] = 5; f[0] = 6; g[0] = 7;\n"
    "  o[6] = a[0] + h[0] + b[0].y + c[0].z + d[0].w + (uint)e[0].w + f[0].sf + (uint)g[0].sf;\n"
    "}\n"
    "__kernel void structs(__global uint *o, pack p, uint after) { o[0] = p.a; o[1] = p.b; o[2] = p.c; o[3] = p.d[0]; o[4] = p.d[1]; o[5] = after; }\n"
    "__kernel void null(__global uint *o, __global uint *maybe, __constant uint *c) { o[0] = maybe ? maybe[0] : 77; o[1] = c[1]; }\n"
    "__kernel void locals(__global uint *o, __local uint *a, __local uchar *b, __local ulong *c) {\n"
    "  uint i = get_local_id(0), n = get_local_size(0);\n"
    "  a[i] = i; b[i] = 100 + i; c[i] = 1000000000000ul + i;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  uint j = n - 1 - i;\n"
    "  o[i] = a[j] + b[j] + (uint)(c[j] - 1000000000000ul);\n"
    "}\n";

typedef struct {
  cl_int a;
  cl_short b;
  cl_uchar c;
  cl_uint d[2];
} pack;

// More than pass with a launch: a struct that is indexed, one that is written, what stands behind them.
static const char *MANY =
    "typedef struct { int a[200]; float f; uchar b[12]; } large;\n"
    "__constant int table[4] = {3, 1, 4, 1};\n"
    "__kernel void indexed(large s, __global int *o, int16 v, short last) {\n"
    "  size_t i = get_global_id(0);\n"
    "  int w[16]; vstore16(v, 0, w);\n"
    "  o[i] = s.a[i * 7 % 200] + (int)s.f + s.b[i % 12] + w[i % 16] + last + table[i % 4] + (int)get_global_size(0);\n"
    "}\n"
    "__kernel void written(large s, __global int *o) {\n"
    "  size_t i = get_global_id(0);\n"
    "  s.a[i] = -1; o[i] = s.a[(i + 1) % 200] + s.a[i];\n"
    "}\n"
    // Its own pass with the launch, those of the others do not.
    "__kernel void few(__global int *o) { o[0] = table[1]; }\n";

typedef struct {
  cl_int a[200];
  cl_float f;
  cl_uchar b[12];
} large;

static void many(void) {
  size_t most = 0;
  OK(clGetDeviceInfo(device, CL_DEVICE_MAX_PARAMETER_SIZE, sizeof most, &most, NULL));
  if (most < 1024) return;
  cl_program p = build(MANY);
  large s = {.f = 1000.5f};
  for (int i = 0; i < 200; i++) s.a[i] = i * i;
  for (int i = 0; i < 12; i++) s.b[i] = 200 + i;
  cl_int16 v;
  for (int i = 0; i < 16; i++) v.s[i] = 10000 * i;
  cl_short last = -7;
  cl_int back[64];
  const int table[4] = {3, 1, 4, 1};
  cl_mem o = buffer_of(sizeof back, NULL);
  cl_kernel k = kernel_of(p, "indexed");
  OK(clSetKernelArg(k, 0, sizeof s, &s));
  set_buffer(k, 1, o);
  OK(clSetKernelArg(k, 2, sizeof v, &v));
  OK(clSetKernelArg(k, 3, sizeof last, &last));
  run1(k, 64, 16);
  read_all(o, back, sizeof back);
  for (int i = 0; i < 64; i++)
    CHECK(back[i] == s.a[i * 7 % 200] + 1000 + s.b[i % 12] + v.s[i % 16] + last + table[i % 4] + 64);
  print_ints("indexed", (uint32_t *)back, 64);
  OK(clReleaseKernel(k));
  k = kernel_of(p, "written");
  OK(clSetKernelArg(k, 0, sizeof s, &s));
  set_buffer(k, 1, o);
  run1(k, 64, 64);
  read_all(o, back, sizeof back);
  for (int i = 0; i < 64; i++) CHECK(back[i] == s.a[i + 1] - 1);
  OK(clReleaseKernel(k));
  OK(clReleaseMemObject(o));
  OK(clReleaseProgram(p));
}

int main(void) {
  open_host(0);
  many();
  cl_program p = build(SOURCE);
  uint32_t back[64];
  cl_mem o = buffer_of(sizeof back, NULL);

  cl_kernel k = kernel_of(p, "scalars");
  cl_char c = -5;
  cl_uchar uc = 250;
  cl_short s = -30000;
  cl_ushort us = 65535;
  cl_int i = -2000000000;
  cl_uint ui = 4000000000u;
  cl_long l = -1234567890123456789;
  cl_ulong ul = 0xfedcba9876543210u;
  const struct {
    size_t size;
    const void *value;
  } scalars[] = {{1, &c}, {1, &uc}, {2, &s}, {2, &us}, {4, &i}, {4, &ui}, {8, &l}, {8, &ul}};
  set_buffer(k, 0, o);
  for (cl_uint n = 0; n < COUNT(scalars); n++) {
    OK(clSetKernelArg(k, 1 + n, scalars[n].size, scalars[n].value));
    CODE(CL_INVALID_ARG_SIZE, clSetKernelArg(k, 1 + n, scalars[n].size + 1, &ul));
  }
  run1(k, 1, 1);
  read_all(o, back, 64);
  const int64_t want[8] = {c, uc, s, us, i, ui, l, (int64_t)ul};
  CHECK(memcmp(back, want, 64) == 0);
  print_ints("scalars", back, 16);
  OK(clReleaseKernel(k));

  k = kernel_of(p, "vectors");
  cl_char4 c4 = {{1, -1, 2, -2}};
  cl_short2 s2 = {{300, -300}};
  cl_uint4 i3 = {{7, 8, 9, 0}}, u4 = {{10, 11, 12, 13}};
  cl_ulong2 l2 = {{0x1111111122222222u, 0x3333333344444444u}};
  cl_uchar16 b16 = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}};
  set_buffer(k, 0, o);
  OK(clSetKernelArg(k, 1, sizeof c4, &c4));
  OK(clSetKernelArg(k, 2, sizeof s2, &s2));
  OK(clSetKernelArg(k, 3, sizeof i3, &i3));
  OK(clSetKernelArg(k, 4, sizeof u4, &u4));
  OK(clSetKernelArg(k, 5, sizeof l2, &l2));
  OK(clSetKernelArg(k, 6, sizeof b16, &b16));
  run1(k, 1, 1);
  read_all(o, back, 64);
  const uint32_t vectors[16] = {0xfe02ff01, 0xfed4012c, 7, 8, 9, 10, 11, 12, 13, 0x22222222, 0x11111111, 0x44444444, 0x33333333, 1, 16, 8};
  CHECK(memcmp(back, vectors, 64) == 0);
  print_ints("vectors", back, 16);
  OK(clReleaseKernel(k));

  // Types of two bytes.
  k = kernel_of(p, "pairs");
  cl_uchar before = 7, after = 9;
  cl_char2 pair = {{-3, 100}}, other = {{2, -128}};
  cl_uchar2 upair = {{250, 17}};
  memset(back, 0, sizeof back);
  OK(clEnqueueWriteBuffer(queue, o, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL));
  set_buffer(k, 0, o);
  OK(clSetKernelArg(k, 1, 1, &before));
  OK(clSetKernelArg(k, 2, 2, &pair));
  OK(clSetKernelArg(k, 3, 2, &upair));
  OK(clSetKernelArg(k, 4, 1, &after));
  OK(clSetKernelArg(k, 5, 2, &other));
  run1(k, 1, 1);
  read_all(o, back, 48);
  const uint32_t pairs[12] = {0xfffffffd, 100, 250, 17, 7 + 256 * 9, 0x8002, 0x75f7, 0xfffffffa, 0, 0, 0xfffffffd, 0xffffff80};
  for (size_t x = 0; x < COUNT(pairs); x++)
    if (back[x] != pairs[x]) FAIL("pairs: word %zu is %x, expected %x", x, back[x], pairs[x]);
  print_ints("pairs", back, 12);
  OK(clReleaseKernel(k));

  // Local memory of every alignment, behind a byte each.
  k = kernel_of(p, "aligned");
  set_buffer(k, 0, o);
  const size_t sizes[] = {1, 2, 8, 16, 32, 64, 128, 1};
  for (cl_uint n = 0; n < COUNT(sizes); n++) OK(clSetKernelArg(k, 1 + n, sizes[n], NULL));
  run1(k, 1, 1);
  read_all(o, back, 28);
  for (size_t x = 0; x < 6; x++)
    if (back[x]) FAIL("local argument %zu is %u bytes beside its alignment", x + 1, back[x]);
  CHECK(back[6] == 29);
  print_ints("aligned", back, 7);
  OK(clReleaseKernel(k));

  k = kernel_of(p, "structs");
  pack packed = {-1, -2, 3, {4, 5}};
  set_buffer(k, 0, o);
  OK(clSetKernelArg(k, 1, sizeof packed, &packed));
  set_int(k, 2, 6);
  run1(k, 1, 1);
  read_all(o, back, 24);
  const uint32_t structs[6] = {0xffffffff, 0xfffffffe, 3, 4, 5, 6};
  CHECK(memcmp(back, structs, 24) == 0);
  // The value is taken when it is set.
  packed.a = 9;
  run1(k, 1, 1);
  read_all(o, back, 4);
  CHECK(back[0] == 0xffffffff);
  OK(clReleaseKernel(k));

  k = kernel_of(p, "null");
  uint32_t table[2] = {5, 6};
  cl_mem constant = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof table, table, &err);
  MADE(constant);
  cl_mem nothing = NULL;
  set_buffer(k, 0, o);
  OK(clSetKernelArg(k, 1, sizeof nothing, &nothing));
  set_buffer(k, 2, constant);
  run1(k, 1, 1);
  read_all(o, back, 8);
  CHECK(back[0] == 77 && back[1] == 6);
  OK(clSetKernelArg(k, 1, sizeof nothing, NULL));
  run1(k, 1, 1);
  read_all(o, back, 8);
  CHECK(back[0] == 77);
  set_buffer(k, 1, constant);
  run1(k, 1, 1);
  read_all(o, back, 8);
  CHECK(back[0] == 5);
  OK(clReleaseMemObject(constant));
  OK(clReleaseKernel(k));

  k = kernel_of(p, "locals");
  set_buffer(k, 0, o);
  for (size_t n = 32; n <= 64; n += 16) {
    OK(clSetKernelArg(k, 1, 4 * n, NULL));
    OK(clSetKernelArg(k, 2, n + 1, NULL));
    OK(clSetKernelArg(k, 3, 8 * n, NULL));
    run1(k, n, n);
    read_all(o, back, 4 * n);
    for (size_t x = 0; x < n; x++) CHECK(back[x] == 100 + 3 * (n - 1 - x));
  }
  print_ints("locals", back, 64);
  // More than there is.
  size_t group = 32;
  cl_ulong most = 0;
  OK(clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof most, &most, NULL));
  if (warpsmith) {
    CODE(CL_SUCCESS, clSetKernelArg(k, 3, most + 8, NULL));
    CODE(CL_OUT_OF_RESOURCES, clEnqueueNDRangeKernel(queue, k, 1, NULL, &group, &group, 0, NULL, NULL));
  }
  OK(clReleaseKernel(k));
  OK(clReleaseProgram(p));
  OK(clReleaseMemObject(o));
  return close_host();
}
