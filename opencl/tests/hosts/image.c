// Images and samplers: making, asking, moving texels, reading and writing them in kernels. Results are those of the reference.
#include "host.h"

static const char *integers =
    "__kernel void take(read_only image2d_t from, __global uint4 *to) {\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  to[at.y * get_image_width(from) + at.x] = read_imageui(from, at);\n"
    "}\n"
    "__kernel void edges(read_only image2d_t from, sampler_t s, __global uint4 *to) {\n"
    "  int i = get_global_id(0);\n"
    "  to[i] = read_imageui(from, s, (int2)(i - 3, i / 2 - 2));\n"
    "}\n"
    "__kernel void put(write_only image2d_t to, __global const uint4 *from) {\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imageui(to, at, from[at.y * get_image_width(to) + at.x]);\n"
    "}\n"
    "__kernel void layers(read_only image2d_array_t from, write_only image2d_array_t to) {\n"
    "  int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);\n"
    "  write_imagei(to, at, read_imagei(from, at).yxzw - (int)get_image_array_size(from));\n"
    "}\n"
    "__kernel void lines(read_only image1d_t a, read_only image1d_buffer_t b, read_only image1d_array_t c, write_only image1d_array_t d) {\n"
    "  int i = get_global_id(0);\n"
    "  uint4 sum = read_imageui(a, i) + read_imageui(b, i) + read_imageui(c, (int2)(i, 1));\n"
    "  write_imageui(d, (int2)(i, 1), sum);\n"
    "}\n"
    "__kernel void sizes(read_only image3d_t a, read_only image2d_array_t b, __global int *to) {\n"
    "  to[0] = get_image_width(a); to[1] = get_image_height(a); to[2] = get_image_depth(a);\n"
    "  to[3] = get_image_channel_data_type(a); to[4] = get_image_channel_order(a);\n"
    "  to[5] = get_image_array_size(b); to[6] = get_image_dim(b).x; to[7] = get_image_dim(b).y;\n"
    "  to[8] = get_image_dim(a).z;\n"
    "}\n";

static const char *floats =
    "__kernel void take(read_only image2d_t from, __global float4 *to) {\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  to[at.y * get_image_width(from) + at.x] = read_imagef(from, at);\n"
    "}\n"
    "__kernel void put(write_only image2d_t to, __global const float4 *from) {\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imagef(to, at, from[at.y * get_image_width(to) + at.x]);\n"
    "}\n"
    "__kernel void sample(read_only image2d_t from, sampler_t s, __global const float2 *at, __global float4 *to) {\n"
    "  int i = get_global_id(0);\n"
    "  to[i] = read_imagef(from, s, at[i]);\n"
    "}\n"
    "__constant sampler_t fixed = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
    "__kernel void solid(read_only image3d_t from, __global const float2 *at, __global float4 *to) {\n"
    "  int i = get_global_id(0);\n"
    "  to[i] = read_imagef(from, fixed, (float4)(at[i], at[i].x - at[i].y, 0));\n"
    "}\n"
    "#ifndef cl_khr_3d_image_writes\n#error cl_khr_3d_image_writes\n#endif\n"
    "#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n"
    "__kernel void stack(write_only image3d_t to) {\n"
    "  int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);\n"
    "  write_imagef(to, at, convert_float4(at + get_image_dim(to)));\n"
    "}\n";

enum { W = 5, H = 3, N = W * H };
static const size_t zero[3] = {0, 0, 0}, whole[3] = {W, H, 1};

static cl_mem image_of(cl_mem_object_type type, cl_image_format format, size_t w, size_t h, size_t d, size_t layers, void *host) {
  cl_image_desc desc = {.image_type = type, .image_width = w, .image_height = h, .image_depth = d, .image_array_size = layers};
  cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE | (host ? CL_MEM_COPY_HOST_PTR : 0), &format, &desc, host, &err);
  MADE(image);
  return image;
}

static void run2(cl_kernel k) {
  OK(clEnqueueNDRangeKernel(queue, k, 2, NULL, whole, NULL, 0, NULL, NULL));
}

static void set_sampler(cl_kernel k, cl_uint index, cl_bool normalized, cl_addressing_mode mode, cl_filter_mode filter) {
  cl_sampler s = clCreateSampler(context, normalized, mode, filter, &err);
  MADE(s);
  OK(clSetKernelArg(k, index, sizeof s, &s));
  cl_addressing_mode got = 0;
  OK(clGetSamplerInfo(s, CL_SAMPLER_ADDRESSING_MODE, sizeof got, &got, NULL));
  CHECK(got == mode);
  OK(clRetainSampler(s));
  OK(clReleaseSampler(s));
  // A kernel keeps what it needs of a sampler.
  if (warpsmith) OK(clReleaseSampler(s));
}

// Prints vectors of four; where a format has fewer channels, the reference does not know what the others are.
static void print_texels(const char *name, const uint32_t *texels, size_t count, cl_channel_order order, int as_floats) {
  if (order == CL_RGBA || order == CL_BGRA) {
    if (as_floats) print_floats(name, texels, 4 * count, 2);
    else print_ints(name, texels, 4 * count);
    return;
  }
  const float one = 1;
  uint32_t alpha = 1;
  if (as_floats) memcpy(&alpha, &one, 4);
  for (size_t i = 0; i < count && warpsmith; i++)
    CHECK((order == CL_RG || texels[4 * i + 1] == 0) && texels[4 * i + 2] == 0 && texels[4 * i + 3] == alpha);
}

// Bytes of texels without order.
static void fill(uint8_t *p, size_t n, uint32_t seed) {
  for (size_t i = 0; i < n; i++) p[i] = (uint8_t)next_random(&seed);
}

static size_t channel_bytes(cl_channel_type t) {
  return t == CL_SIGNED_INT8 || t == CL_UNSIGNED_INT8 || t == CL_UNORM_INT8 || t == CL_SNORM_INT8                   ? 1
         : t == CL_SIGNED_INT32 || t == CL_UNSIGNED_INT32 || t == CL_FLOAT ? 4
                                                                           : 2;
}

static void in_integers(void) {
  cl_program p = build(integers);
  cl_kernel take = kernel_of(p, "take"), edges = kernel_of(p, "edges"), put = kernel_of(p, "put");
  cl_kernel layers = kernel_of(p, "layers"), lines = kernel_of(p, "lines"), sizes = kernel_of(p, "sizes");
  uint8_t texels[1024];
  uint32_t out[4 * 64];
  fill(texels, sizeof texels, 5);
  cl_mem buffer = buffer_of(sizeof out, NULL);
  const cl_channel_type types[] = {CL_UNSIGNED_INT8, CL_UNSIGNED_INT16, CL_UNSIGNED_INT32};
  const cl_channel_order orders[] = {CL_RGBA, CL_R, CL_RG};
  // The reference has no images of two channels.
  size_t known = warpsmith ? 3 : 2;
  for (size_t t = 0; t < COUNT(types); t++)
    for (size_t o = 0; o < known; o++) {
      cl_image_format format = {orders[o], types[t]};
      cl_mem image = image_of(CL_MEM_OBJECT_IMAGE2D, format, W, H, 0, 0, texels);
      set_buffer(take, 0, image), set_buffer(take, 1, buffer);
      run2(take);
      read_all(buffer, out, 16 * N);
      print_texels("read", out, N, orders[o], 0);
      set_buffer(edges, 0, image), set_buffer(edges, 2, buffer);
      const cl_addressing_mode modes[] = {CL_ADDRESS_CLAMP, CL_ADDRESS_CLAMP_TO_EDGE};
      for (size_t m = 0; m < 2; m++) {
        set_sampler(edges, 1, CL_FALSE, modes[m], CL_FILTER_NEAREST);
        run1(edges, 12, 0);
        read_all(buffer, out, 16 * 12);
        print_texels("edges", out, 12, orders[o], 0);
      }
      // What lies above a type's range becomes its largest.
      for (int i = 0; i < 4 * N; i++) out[i] = (uint32_t)i * 0x01010f1fu >> (i % 24);
      OK(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 16 * N, out, 0, NULL, NULL));
      set_buffer(put, 0, image), set_buffer(put, 1, buffer);
      run2(put);
      uint8_t back[16 * N];
      memset(back, 0, sizeof back);
      OK(clEnqueueReadImage(queue, image, CL_TRUE, zero, whole, 0, 0, back, 0, NULL, NULL));
      size_t bytes = channel_bytes(types[t]) * (orders[o] == CL_RGBA ? 4 : orders[o] == CL_RG ? 2 : 1);
      if (orders[o] != CL_RG) print_ints("written", back, bytes * N / 4);
      OK(clReleaseMemObject(image));
    }
  cl_image_format four = {CL_RGBA, CL_SIGNED_INT16}, one = {CL_R, CL_UNSIGNED_INT8};
  cl_mem a = image_of(CL_MEM_OBJECT_IMAGE2D_ARRAY, four, W, H, 0, 2, texels);
  cl_mem b = image_of(CL_MEM_OBJECT_IMAGE2D_ARRAY, four, W, H, 0, 2, texels);
  set_buffer(layers, 0, a), set_buffer(layers, 1, b);
  const size_t all[3] = {W, H, 2};
  OK(clEnqueueNDRangeKernel(queue, layers, 3, NULL, all, NULL, 0, NULL, NULL));
  OK(clEnqueueReadImage(queue, b, CL_TRUE, zero, all, 0, 0, out, 0, NULL, NULL));
  print_ints("layers", out, 2 * 2 * N);

  cl_mem line = image_of(CL_MEM_OBJECT_IMAGE1D, one, 16, 0, 0, 0, texels);
  cl_mem bytes = buffer_of(64, texels + 100);
  cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 16, .buffer = bytes};
  cl_mem on = clCreateImage(context, CL_MEM_READ_ONLY, &one, &desc, NULL, &err);
  MADE(on);
  cl_mem of = NULL;
  OK(clGetMemObjectInfo(on, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof of, &of, NULL));
  CHECK(of == bytes);
  cl_mem c = image_of(CL_MEM_OBJECT_IMAGE1D_ARRAY, one, 16, 0, 0, 3, texels + 200);
  cl_mem d = image_of(CL_MEM_OBJECT_IMAGE1D_ARRAY, (cl_image_format){CL_R, CL_UNSIGNED_INT16}, 16, 0, 0, 2, texels);
  set_buffer(lines, 0, line), set_buffer(lines, 1, on), set_buffer(lines, 2, c), set_buffer(lines, 3, d);
  run1(lines, 16, 0);
  const size_t second[3] = {0, 1, 0}, row[3] = {16, 1, 1};
  OK(clEnqueueReadImage(queue, d, CL_TRUE, second, row, 0, 0, out, 0, NULL, NULL));
  print_ints("lines", out, 8);

  cl_mem solid = image_of(CL_MEM_OBJECT_IMAGE3D, four, 4, 3, 2, 0, texels);
  set_buffer(sizes, 0, solid), set_buffer(sizes, 1, a), set_buffer(sizes, 2, buffer);
  run1(sizes, 1, 0);
  read_all(buffer, out, 36);
  print_ints("sizes", out, 9);
  const cl_mem objects[] = {a, b, line, on, bytes, c, d, solid, buffer};
  for (size_t i = 0; i < COUNT(objects); i++) OK(clReleaseMemObject(objects[i]));
  const cl_kernel kernels[] = {take, edges, put, layers, lines, sizes};
  for (size_t i = 0; i < COUNT(kernels); i++) OK(clReleaseKernel(kernels[i]));
  OK(clReleaseProgram(p));
}

static void in_floats(void) {
  cl_program p = build(floats);
  cl_kernel take = kernel_of(p, "take"), put = kernel_of(p, "put"), sample = kernel_of(p, "sample"), solid = kernel_of(p, "solid");
  uint8_t texels[1024];
  float out[4 * 64], given[4 * N], at[2 * 32];
  fill(texels, sizeof texels, 9);
  cl_mem buffer = buffer_of(sizeof out, NULL), places = buffer_of(sizeof at, NULL);
  const cl_image_format formats[] = {{CL_RGBA, CL_UNORM_INT8}, {CL_BGRA, CL_UNORM_INT8}, {CL_RGBA, CL_UNORM_INT16},
                                     {CL_RGBA, CL_SNORM_INT8}, {CL_RGBA, CL_SNORM_INT16}, {CL_R, CL_UNORM_INT8},
                                     {CL_RGBA, CL_HALF_FLOAT}, {CL_RGBA, CL_FLOAT}, {CL_R, CL_FLOAT}};
  for (size_t f = 0; f < COUNT(formats); f++) {
    cl_image_format format = formats[f];
    int channels = format.image_channel_order == CL_R ? 1 : 4;
    if (format.image_channel_data_type == CL_FLOAT)
      for (int i = 0; i < 4 * N; i++) ((float *)texels)[i] = (float)(i * 37 % 64) / 16 - 2;
    // Halves that are finite and no denormals.
    if (format.image_channel_data_type == CL_HALF_FLOAT)
      for (int i = 0; i < 4 * N; i++) ((uint16_t *)texels)[i] = (uint16_t)((i * 2711 & 0x83ff) | (i % 25 + 3) << 10);
    cl_mem image = image_of(CL_MEM_OBJECT_IMAGE2D, format, W, H, 0, 0, texels);
    set_buffer(take, 0, image), set_buffer(take, 1, buffer);
    run2(take);
    read_all(buffer, out, 16 * N);
    print_texels("read", (const uint32_t *)out, N, format.image_channel_order, 1);
    for (int i = 0; i < 4 * N; i++) given[i] = (float)(i - 20) / 23;
    OK(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 16 * N, given, 0, NULL, NULL));
    set_buffer(put, 0, image), set_buffer(put, 1, buffer);
    run2(put);
    uint8_t back[16 * N];
    memset(back, 0, sizeof back);
    OK(clEnqueueReadImage(queue, image, CL_TRUE, zero, whole, 0, 0, back, 0, NULL, NULL));
    print_ints("written", back, channel_bytes(format.image_channel_data_type) * channels * N / 4);
    const cl_float colour[4] = {0.25f, 0.5f, 0.125f, 1.0f};
    const size_t from[3] = {1, 1, 0}, part[3] = {2, 2, 1};
    OK(clEnqueueFillImage(queue, image, colour, from, part, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, image, CL_TRUE, from, part, 0, 0, back, 0, NULL, NULL));
    cl_channel_type type = format.image_channel_data_type;
    // The reference does not round what it fills.
    if (type == CL_FLOAT || type == CL_HALF_FLOAT) print_ints("filled", back, channel_bytes(type) * channels);
    else if (type == CL_UNORM_INT8 && channels == 4 && warpsmith)
      CHECK(back[format.image_channel_order == CL_BGRA ? 2 : 0] == 64 && back[1] == 128 && back[15] == 255);
    OK(clReleaseMemObject(image));
  }
  cl_mem image = image_of(CL_MEM_OBJECT_IMAGE2D, (cl_image_format){CL_RGBA, CL_FLOAT}, W, H, 0, 0, texels);
  for (int i = 0; i < 4 * N; i++) given[i] = (float)(i * 29 % 64) / 16 - 2;
  OK(clEnqueueWriteImage(queue, image, CL_TRUE, zero, whole, 0, 0, given, 0, NULL, NULL));
  for (int i = 0; i < 32; i++) at[2 * i] = (float)(i * 7 % 29) / 8 - 1.1875f, at[2 * i + 1] = (float)(i * 5 % 23) / 8 - 0.9375f;
  OK(clEnqueueWriteBuffer(queue, places, CL_TRUE, 0, sizeof at, at, 0, NULL, NULL));
  set_buffer(sample, 0, image), set_buffer(sample, 2, places), set_buffer(sample, 3, buffer);
  for (int filter = CL_FILTER_NEAREST; filter <= CL_FILTER_LINEAR; filter++)
    for (int mode = CL_ADDRESS_CLAMP_TO_EDGE; mode <= CL_ADDRESS_MIRRORED_REPEAT; mode++)
      for (int normalized = mode >= CL_ADDRESS_REPEAT; normalized < 2; normalized++) {
        set_sampler(sample, 1, (cl_bool)normalized, (cl_addressing_mode)mode, (cl_filter_mode)filter);
        run1(sample, 32, 0);
        read_all(buffer, out, 16 * 32);
        // Sums of values of both signs: what is near zero is counted from 4.
        for (int i = 0; i < 4 * 32; i++) out[i] += 4;
        print_floats("sampled", out, 4 * 32, 8);
      }
  cl_mem box = image_of(CL_MEM_OBJECT_IMAGE3D, (cl_image_format){CL_RGBA, CL_FLOAT}, 3, 2, 2, 0, given);
  set_buffer(solid, 0, box), set_buffer(solid, 1, places), set_buffer(solid, 2, buffer);
  run1(solid, 32, 0);
  read_all(buffer, out, 16 * 32);
  print_floats("solid", out, 4 * 32, 0);
  // One layer more than the image has.
  cl_kernel stack = kernel_of(p, "stack");
  set_buffer(stack, 0, box);
  const size_t range[3] = {3, 2, 3}, all[3] = {3, 2, 2};
  OK(clEnqueueNDRangeKernel(queue, stack, 3, NULL, range, NULL, 0, NULL, NULL));
  OK(clEnqueueReadImage(queue, box, CL_TRUE, zero, all, 0, 0, out, 0, NULL, NULL));
  for (int i = 0; i < 12; i++)
    CHECK(out[4 * i] == i % 3 + 3 && out[4 * i + 1] == i / 3 % 2 + 2 && out[4 * i + 2] == i / 6 + 2 && out[4 * i + 3] == 0);
  OK(clReleaseKernel(stack));
  const cl_mem objects[] = {image, box, buffer, places};
  for (size_t i = 0; i < COUNT(objects); i++) OK(clReleaseMemObject(objects[i]));
  const cl_kernel kernels[] = {take, put, sample, solid};
  for (size_t i = 0; i < COUNT(kernels); i++) OK(clReleaseKernel(kernels[i]));
  OK(clReleaseProgram(p));
}

static size_t image_size(cl_mem image, cl_image_info what) {
  size_t n = 99;
  OK(clGetImageInfo(image, what, sizeof n, &n, NULL));
  return n;
}

// Texels moved by commands.
static void moved(void) {
  cl_image_format format = {CL_R, CL_UNSIGNED_INT8}, wide = {CL_R, CL_UNSIGNED_INT32};
  uint8_t texels[8 * H], back[64], packed[N];
  fill(texels, sizeof texels, 11);
  // Rows of the host are 8 bytes apart.
  cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H, .image_row_pitch = 8};
  cl_mem a = clCreateImage(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &format, &desc, texels, &err);
  MADE(a);
  cl_mem b = image_of(CL_MEM_OBJECT_IMAGE2D, format, W, H, 0, 0, NULL), buffer = buffer_of(64, NULL);
  OK(clEnqueueReadImage(queue, a, CL_TRUE, zero, whole, 0, 0, packed, 0, NULL, NULL));
  for (int y = 0; y < H; y++) CHECK(memcmp(packed + W * y, texels + 8 * y, W) == 0);
  const size_t from[3] = {1, 0, 0}, to[3] = {2, 1, 0}, part[3] = {3, 2, 1};
  const cl_uint black[4] = {7, 7, 7, 7};
  OK(clEnqueueFillImage(queue, b, black, zero, whole, 0, NULL, NULL));
  OK(clEnqueueCopyImage(queue, a, b, from, to, part, 0, NULL, NULL));
  OK(clEnqueueReadImage(queue, b, CL_TRUE, zero, whole, 8, 0, back, 0, NULL, NULL));
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) CHECK(back[8 * y + x] == (x >= 2 && y >= 1 ? texels[8 * (y - 1) + x - 1] : 7));
  OK(clEnqueueCopyImageToBuffer(queue, a, buffer, from, part, 5, 0, NULL, NULL));
  read_all(buffer, back, 64);
  for (int i = 0; i < 6; i++) CHECK(back[5 + i] == texels[8 * (i / 3) + i % 3 + 1]);
  OK(clEnqueueCopyBufferToImage(queue, buffer, b, 5, zero, part, 0, NULL, NULL));
  size_t row = 0, slice = 99;
  uint8_t *map = clEnqueueMapImage(queue, b, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, from, part, &row, &slice, 0, NULL, NULL, &err);
  CHECK(err == CL_SUCCESS && map && row >= W && slice == 0);
  CHECK(map[0] == back[6] && map[row] == back[9]);
  map[row] = 42;
  OK(clEnqueueUnmapMemObject(queue, b, map, 0, NULL, NULL));
  const size_t single[3] = {1, 1, 0}, texel[3] = {1, 1, 1};
  OK(clEnqueueReadImage(queue, b, CL_TRUE, single, texel, 0, 0, back, 0, NULL, NULL));
  CHECK(back[0] == 42);
  cl_mem_object_type type = 0;
  OK(clGetMemObjectInfo(a, CL_MEM_TYPE, sizeof type, &type, NULL));
  CHECK(type == CL_MEM_OBJECT_IMAGE2D);
  CHECK(image_size(a, CL_IMAGE_WIDTH) == W && image_size(a, CL_IMAGE_HEIGHT) == H && image_size(a, CL_IMAGE_ELEMENT_SIZE) == 1);
  CHECK(image_size(a, CL_IMAGE_DEPTH) == 0 && image_size(a, CL_IMAGE_ARRAY_SIZE) == 0);
  cl_image_format got;
  OK(clGetImageInfo(a, CL_IMAGE_FORMAT, sizeof got, &got, NULL));
  CHECK(got.image_channel_order == CL_R && got.image_channel_data_type == CL_UNSIGNED_INT8);

  // What is refused.
  cl_mem other = image_of(CL_MEM_OBJECT_IMAGE2D, wide, W, H, 0, 0, NULL);
  CODE(CL_IMAGE_FORMAT_MISMATCH, clEnqueueCopyImage(queue, a, other, zero, zero, part, 0, NULL, NULL));
  CODE(CL_MEM_COPY_OVERLAP, clEnqueueCopyImage(queue, a, a, zero, from, part, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clEnqueueReadImage(queue, a, CL_TRUE, to, whole, 0, 0, back, 0, NULL, NULL));
  STRICT(CL_INVALID_VALUE, clEnqueueWriteImage(queue, a, CL_TRUE, zero, whole, 2, 0, back, 0, NULL, NULL));
  CODE(CL_INVALID_MEM_OBJECT, clEnqueueReadImage(queue, buffer, CL_TRUE, zero, whole, 0, 0, back, 0, NULL, NULL));
  STRICT(CL_INVALID_MEM_OBJECT, clEnqueueReadBuffer(queue, a, CL_TRUE, 0, 4, back, 0, NULL, NULL));
  STRICT(CL_INVALID_MEM_OBJECT, clGetImageInfo(buffer, CL_IMAGE_WIDTH, 0, NULL, NULL));
  desc.image_row_pitch = 3;
  STRICT_REFUSED(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &desc, texels, &err));
  desc.image_row_pitch = 0, desc.image_width = 0;
  STRICT_REFUSED(CL_INVALID_IMAGE_SIZE, clCreateImage(context, 0, &format, &desc, NULL, &err));
  REFUSED(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(context, 0, NULL, &desc, NULL, &err));
  desc.image_width = W;
  cl_image_format none = {CL_RGB, CL_FLOAT}, four = {CL_RGBA, CL_UNORM_SHORT_565}, argb = {CL_ARGB, CL_UNORM_INT8};
  STRICT_REFUSED(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(context, 0, &none, &desc, NULL, &err));
  STRICT_REFUSED(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(context, 0, &four, &desc, NULL, &err));
  STRICT_REFUSED(CL_IMAGE_FORMAT_NOT_SUPPORTED, clCreateImage(context, 0, &argb, &desc, NULL, &err));
  REFUSED(CL_INVALID_CONTEXT, clCreateImage(NULL, 0, &format, &desc, NULL, &err));
  STRICT_REFUSED(CL_INVALID_VALUE, clCreateSampler(context, CL_TRUE, CL_ADDRESS_CLAMP, 7, &err));
  CODE(CL_INVALID_SAMPLER, clReleaseSampler(NULL));
  cl_program p = build("__kernel void k(read_only image2d_t i, sampler_t s, __global int *o) { o[0] = read_imagei(i, s, (int2)(0)).x; }");
  cl_kernel k = kernel_of(p, "k");
  STRICT(CL_INVALID_MEM_OBJECT, clSetKernelArg(k, 0, sizeof buffer, &buffer));
  STRICT(CL_INVALID_SAMPLER, clSetKernelArg(k, 1, sizeof buffer, &buffer));
  STRICT(CL_INVALID_MEM_OBJECT, clSetKernelArg(k, 2, sizeof a, &a));
  OK(clReleaseKernel(k));
  OK(clReleaseProgram(p));
  const cl_mem objects[] = {a, b, other, buffer};
  for (size_t i = 0; i < COUNT(objects); i++) OK(clReleaseMemObject(objects[i]));
}

// One number for red, green and blue.
typedef struct { cl_channel_type type; int bits, green; } packed_format;

// Number i of a format: every channel has all its values.
static uint32_t packed_word(packed_format f, uint32_t i) {
  uint32_t most = (1u << f.bits) - 1, green = (1u << f.green) - 1;
  return (i & most) << (f.bits + f.green) | (i * 3 & green) << f.bits | (most - (i & most));
}

// Of `texel`, the bits of channel `c`, and the most that they can be.
static uint32_t packed_channel(packed_format f, uint32_t texel, int c, uint32_t *most) {
  int n = c == 1 ? f.green : f.bits;
  *most = (1u << n) - 1;
  return texel >> (c == 0 ? f.bits + f.green : c == 1 ? f.bits : 0) & *most;
}

// The channel of a component that is written: the nearest, NaN being 0.
static uint32_t nearest(float x, uint32_t most) {
  double scaled = (double)x * most;
  return !(scaled > 0) ? 0 : scaled >= most ? most : (uint32_t)rint(scaled);
}

// Formats of packed channels, against what the specification says of each value. The reference has none of them.
static void in_packed(void) {
  enum { ROW = 64, COUNT_OF = 1024 };
  static uint32_t words[COUNT_OF], back[COUNT_OF];
  static float out[4 * COUNT_OF], given[4 * COUNT_OF];
  cl_program p = build(floats);
  cl_kernel take = kernel_of(p, "take"), put = kernel_of(p, "put"), sample = kernel_of(p, "sample");
  cl_mem buffer = buffer_of(sizeof out, NULL), places = buffer_of(8, NULL);
  const float outside[2] = {-1, -1};
  OK(clEnqueueWriteBuffer(queue, places, CL_TRUE, 0, sizeof outside, outside, 0, NULL, NULL));
  const packed_format formats[] = {{CL_UNORM_SHORT_565, 5, 6}, {CL_UNORM_SHORT_555, 5, 5}, {CL_UNORM_INT_101010, 10, 10}};
  const cl_channel_order orders[] = {CL_RGB, CL_RGBx};
  const size_t all[3] = {ROW, COUNT_OF / ROW, 1}, first[3] = {1, 1, 1};
  cl_image_format listed[256];
  cl_uint known = 0;
  OK(clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE3D, COUNT(listed), listed, &known));
  for (size_t n = 0; n < COUNT(formats) * COUNT(orders); n++) {
    packed_format f = formats[n / 2];
    cl_image_format format = {orders[n % 2], f.type};
    size_t bytes = f.bits == 10 ? 4 : 2, found = 0;
    for (cl_uint i = 0; i < known; i++) found += memcmp(&listed[i], &format, sizeof format) == 0;
    CHECK(found == 1);
    for (uint32_t i = 0; i < COUNT_OF; i++) {
      uint32_t word = packed_word(f, i);
      memcpy((uint8_t *)words + bytes * i, &word, bytes);
    }
    cl_mem image = image_of(CL_MEM_OBJECT_IMAGE2D, format, all[0], all[1], 0, 0, words);
    size_t size = 0;
    OK(clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof size, &size, NULL));
    CHECK(size == bytes);
    set_buffer(take, 0, image), set_buffer(take, 1, buffer);
    OK(clEnqueueNDRangeKernel(queue, take, 2, NULL, all, NULL, 0, NULL, NULL));
    read_all(buffer, out, sizeof out);
    for (uint32_t i = 0; i < COUNT_OF; i++) {
      for (int c = 0; c < 3; c++) {
        uint32_t most, value = packed_channel(f, packed_word(f, i), c, &most);
        double exact = (double)value / most, ulp = nextafterf((float)exact, 2) - (float)exact;
        CHECK(fabs(out[4 * i + c] - exact) <= (value == 0 || value == most ? 0 : 1.5 * ulp));
      }
      CHECK(out[4 * i + 3] == 1.0f);
    }
    // Halves between two values, values beyond the range, and NaN.
    for (int i = 0; i < 4 * COUNT_OF; i++) given[i] = (float)(i * 37 % 4096 - 512) / 2560;
    given[0] = NAN, given[5] = INFINITY, given[10] = -INFINITY, given[12] = 0.5f, given[13] = 0.5f, given[14] = 0.5f;
    OK(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof given, given, 0, NULL, NULL));
    set_buffer(put, 0, image), set_buffer(put, 1, buffer);
    OK(clEnqueueNDRangeKernel(queue, put, 2, NULL, all, NULL, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, image, CL_TRUE, zero, all, 0, 0, back, 0, NULL, NULL));
    for (uint32_t i = 0; i < COUNT_OF; i++) {
      uint32_t texel = 0;
      memcpy(&texel, (uint8_t *)back + bytes * i, bytes);
      for (int c = 0; c < 3; c++) {
        uint32_t most, value = packed_channel(f, texel, c, &most), expected = nearest(given[4 * i + c], most);
        // A product is rounded once more.
        double scaled = (double)given[4 * i + c] * most;
        CHECK(value == expected || (i != 3 && fabs(scaled - floor(scaled) - 0.5) < 1e-4 && value - expected + 1 <= 2));
      }
    }
    const cl_float colour[4] = {1.0f, 0.25f, 2.0f, 0.0f};
    OK(clEnqueueFillImage(queue, image, colour, zero, first, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, image, CL_TRUE, zero, first, 0, 0, back, 0, NULL, NULL));
    uint32_t filled = 0, most;
    memcpy(&filled, back, bytes);
    for (int c = 0; c < 3; c++) {
      uint32_t value = packed_channel(f, filled, c, &most);
      CHECK(value == nearest(colour[c], most));
    }
    set_buffer(sample, 0, image), set_buffer(sample, 2, places), set_buffer(sample, 3, buffer);
    set_sampler(sample, 1, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST);
    run1(sample, 1, 0);
    read_all(buffer, out, 16);
    CHECK(out[0] == 0 && out[1] == 0 && out[2] == 0 && out[3] == (format.image_channel_order == CL_RGB ? 1.0f : 0.0f));
    OK(clReleaseMemObject(image));
  }
  const cl_kernel kernels[] = {take, put, sample};
  for (size_t i = 0; i < COUNT(kernels); i++) OK(clReleaseKernel(kernels[i]));
  OK(clReleaseMemObject(buffer));
  OK(clReleaseMemObject(places));
  OK(clReleaseProgram(p));
}

int main(void) {
  open_host(0);
  CHECK(uint_info(CL_DEVICE_IMAGE_SUPPORT));
  CHECK(size_info(CL_DEVICE_IMAGE2D_MAX_WIDTH) >= 8192);
  cl_uint n = 0;
  OK(clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &n));
  CHECK(n >= 14);
  CODE(CL_INVALID_CONTEXT, clGetSupportedImageFormats(NULL, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &n));
  moved();
  in_integers();
  if (has_float()) in_floats();
  if (has_float() && warpsmith) in_packed();
  return close_host();
}
