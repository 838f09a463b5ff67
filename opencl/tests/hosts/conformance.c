// What Khronos's conformance tests found, a function for each of their groups (docs/opencl-conformance.md).
#include "host.h"

// A group that the source requires is taken where the program names none.
static void required_group(void) {
  cl_program p = build("__kernel __attribute__((reqd_work_group_size(4, 2, 1))) void k(__global uint *o) {\n"
                       "  if (get_global_id(0) + get_global_id(1) == 0) { o[0] = get_local_size(0); o[1] = get_local_size(1); }\n"
                       "}\n");
  cl_kernel k = kernel_of(p, "k");
  cl_mem o = buffer_of(8, NULL);
  set_buffer(k, 0, o);
  OK(clEnqueueNDRangeKernel(queue, k, 2, NULL, (size_t[]){16, 8}, NULL, 0, NULL, NULL));
  uint32_t back[2] = {0, 0};
  read_all(o, back, sizeof back);
  CHECK(back[0] == 4 && back[1] == 2);
  CODE(CL_INVALID_WORK_GROUP_SIZE, clEnqueueNDRangeKernel(queue, k, 1, NULL, (size_t[]){16}, NULL, 0, NULL, NULL));
  CODE(CL_INVALID_WORK_GROUP_SIZE, clEnqueueNDRangeKernel(queue, k, 2, NULL, (size_t[]){18, 8}, NULL, 0, NULL, NULL));
  OK(clReleaseKernel(k));
  OK(clReleaseProgram(p));
  OK(clReleaseMemObject(o));
}

// An image made for reading alone is no argument of a kernel that writes, nor the other way round.
static void access_of_images(void) {
  cl_program p = build("__kernel void k(read_only image2d_t from, write_only image2d_t to) { write_imageui(to, (int2)(0), read_imageui(from, (int2)(0))); }");
  cl_kernel k = kernel_of(p, "k");
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
  const cl_mem_flags flags[] = {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE};
  for (cl_uint f = 0; f < COUNT(flags); f++) {
    cl_mem image = clCreateImage(context, flags[f], &format, &desc, NULL, &err);
    MADE(image);
    for (cl_uint argument = 0; argument < 2; argument++)
      STRICT(f + argument == 1 ? CL_INVALID_ARG_VALUE : CL_SUCCESS, clSetKernelArg(k, argument, sizeof image, &image));
    OK(clReleaseMemObject(image));
  }
  OK(clReleaseKernel(k));
  OK(clReleaseProgram(p));
}

// A kernel reads as many images as the device says, each by a call of its own: inlined the reads are more than a chip's program memory.
static void most_images(void) {
  enum { READ = 127 };
  if (uint_info(CL_DEVICE_MAX_READ_IMAGE_ARGS) < READ) return;
  static char source[READ * 160 + 100];
  char *end = source + sprintf(source, "__kernel void k(sampler_t s, __global float *o");
  for (int i = 0; i < READ; i++) end += sprintf(end, ", read_only image2d_t i%d", i);
  end += sprintf(end, ") { o[0] = 0;\n");
  for (int i = 0; i < READ; i++) end += sprintf(end, "o[0] += read_imagef(i%d, s, (float2)(1, 0)).y + read_imagef(i%d, (int2)(0, 1)).x;\n", i, i);
  sprintf(end, "}");
  cl_program p = build(source);
  cl_kernel k = kernel_of(p, "k");
  const cl_image_format format = {CL_RGBA, CL_FLOAT};
  const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 2, .image_height = 2};
  cl_mem images[3];
  for (int i = 0; i < 3; i++) {
    float texels[16] = {0};
    texels[5] = i + 1, texels[8] = 100;
    images[i] = clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &desc, texels, &err);
    MADE(images[i]);
  }
  cl_sampler s = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &err);
  MADE(s);
  OK(clSetKernelArg(k, 0, sizeof s, &s));
  cl_mem o = buffer_of(4, NULL);
  set_buffer(k, 1, o);
  float wanted = 0, back = 0;
  for (int i = 0; i < READ; i++) {
    OK(clSetKernelArg(k, 2 + i, sizeof images[i % 3], &images[i % 3]));
    wanted += 101 + i % 3;
  }
  OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, (size_t[]){1}, NULL, 0, NULL, NULL));
  read_all(o, &back, sizeof back);
  CHECK(back == wanted);
  for (int i = 0; i < 3; i++) OK(clReleaseMemObject(images[i]));
  OK(clReleaseSampler(s));
  OK(clReleaseMemObject(o));
  OK(clReleaseKernel(k));
  OK(clReleaseProgram(p));
}

static void api(void) {
  // The reference wants the group named, as the text of 1.2 has it.
  if (warpsmith) required_group();
  if (uint_info(CL_DEVICE_IMAGE_SUPPORT)) {
    access_of_images();
    most_images();
  }
}

// A struct whose name begins as that of an image does is none; an image on a buffer may say the pitch of its row.
static void kernel_image_methods(void) {
  cl_program p = build("typedef struct { int width; } image_size;\n"
                       "__kernel void k(read_only image1d_t i, __global image_size *o) { o->width = get_image_width(i); }");
  cl_kernel k = kernel_of(p, "k");
  cl_mem o = buffer_of(4, NULL);
  set_buffer(k, 1, o);
  OK(clReleaseMemObject(o));
  OK(clReleaseKernel(k));
  OK(clReleaseProgram(p));
  cl_mem buffer = buffer_of(64, NULL);
  const cl_image_format format = {CL_R, CL_UNSIGNED_INT8};
  cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 5, .image_row_pitch = 7, .buffer = buffer};
  cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &err);
  MADE(image);
  size_t width = 0;
  OK(clGetImageInfo(image, CL_IMAGE_WIDTH, sizeof width, &width, NULL));
  CHECK(width == 5);
  OK(clReleaseMemObject(image));
  desc.image_row_pitch = 4;
  STRICT_REFUSED(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &err));
  desc.image_row_pitch = 65;
  STRICT_REFUSED(CL_INVALID_IMAGE_SIZE, clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &err));
  OK(clReleaseMemObject(buffer));
}

// Groups are a power of two at most, however many registers a kernel has.
static void profiling(void) {
  cl_program p = build("__kernel void k(__global int16 *o) {\n"
                       "  int16 a = o[get_global_id(0)], b = o[get_global_id(0) + 1];\n"
                       "  barrier(CLK_GLOBAL_MEM_FENCE);\n"
                       "  o[get_global_id(0)] = a * b + b.s0, o[get_global_id(0) + 1] = a - b.s1;\n"
                       "}\n");
  cl_kernel k = kernel_of(p, "k");
  size_t most = 0;
  OK(clGetKernelWorkGroupInfo(k, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL));
  CHECK(most > 0 && (!warpsmith || (most & (most - 1)) == 0));
  OK(clReleaseKernel(k));
  OK(clReleaseProgram(p));
}

// Comparisons of vectors of 16-bit integers, of a program in one piece and of one that is linked; a case an element.
static void integer_ops(void) {
  const char *text = "__kernel void k(__global short2 *a, __global short2 *b, __global short4 *o) {\n"
                     "  size_t i = get_global_id(0);\n"
                     "  short2 x = a[i], y = b[i];\n"
                     "  ushort2 u = as_ushort2(x), v = as_ushort2(y);\n"
                     "  o[3 * i] = (short4)(x < y, u >= v);\n"
                     "  o[3 * i + 1] = (short4)(x, y) == (short4)(-1, 5, y.y, 7);\n"
                     "  o[3 * i + 2] = (short4)(!x, select(x, y, u > (ushort2)(3, 40000)));\n"
                     "}\n";
  static const int16_t edges[] = {0, 1, -1, 3, 5, 7, 32767, -32768, -25536, -25535};
  enum { N = COUNT(edges) * COUNT(edges) };
  static int16_t a[2 * N], b[2 * N], o[12 * N];
  for (size_t i = 0; i < N; i++) {
    a[2 * i] = b[2 * i + 1] = edges[i / COUNT(edges)];
    a[2 * i + 1] = b[2 * i] = edges[i % COUNT(edges)];
  }
  for (int in_one = 0; in_one < 2; in_one++) {
    cl_program p = in_one ? build(text) : clCreateProgramWithSource(context, 1, &text, NULL, &err);
    cl_program l = p;
    if (!in_one) {
      OK(clCompileProgram(p, 1, &device, "", 0, NULL, NULL, NULL, NULL));
      l = clLinkProgram(context, 1, &device, "", 1, &p, NULL, NULL, &err);
      MADE(l);
    }
    cl_kernel k = kernel_of(l, "k");
    cl_mem buffers[] = {buffer_of(sizeof a, a), buffer_of(sizeof b, b), buffer_of(sizeof o, NULL)};
    for (cl_uint n = 0; n < 3; n++) set_buffer(k, n, buffers[n]);
    run1(k, N, 1);
    read_all(buffers[2], o, sizeof o);
    for (size_t i = 0; i < N; i++) {
      const int16_t *x = a + 2 * i, *y = b + 2 * i;
      const uint16_t u[] = {(uint16_t)x[0], (uint16_t)x[1]}, v[] = {(uint16_t)y[0], (uint16_t)y[1]};
      const int16_t want[] = {-(x[0] < y[0]), -(x[1] < y[1]), -(u[0] >= v[0]), -(u[1] >= v[1]),
                              -(x[0] == -1), -(x[1] == 5), -(y[0] == y[1]), -(y[1] == 7),
                              -!x[0], -!x[1], u[0] > 3 ? y[0] : x[0], u[1] > 40000 ? y[1] : x[1]};
      CHECK(memcmp(o + 12 * i, want, sizeof want) == 0);
    }
    for (int n = 0; n < 3; n++) OK(clReleaseMemObject(buffers[n]));
    OK(clReleaseKernel(k));
    if (!in_one) OK(clReleaseProgram(l));
    OK(clReleaseProgram(p));
  }
}

int main(void) {
  open_host(0);
  integer_ops();
  profiling();
  api();
  if (uint_info(CL_DEVICE_IMAGE_SUPPORT)) kernel_image_methods();
  return close_host();
}
