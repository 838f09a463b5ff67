// Atomic functions of 32 bits on global and local memory: each of them, by all threads on one word.
#include "host.h"

// Every function on a word that all work-items share. Local memory is copied in and out.
static const char *SOURCE =
    "#define WORDS 12\n"
    "#define ALL(w) \\\n"
    "  atomic_add(&w[0], v); atomic_sub(&w[1], v); atomic_inc(&w[2]); atomic_dec(&w[3]); \\\n"
    "  atomic_min(&w[4], v); atomic_max(&w[5], v); atomic_and(&w[6], v | 0xff00); \\\n"
    "  atomic_or(&w[7], v); atomic_xor(&w[8], v); atom_add(&w[9], 1);\n"
    "#define KERNELS(T) \\\n"
    "  kernel void global_##T(global T *w) { T v = (T)(get_global_id(0) * 2654435761u); ALL(w) } \\\n"
    "  kernel void local_##T(global T *w) { \\\n"
    "    local T own[WORDS]; \\\n"
    "    if (get_local_id(0) < WORDS) own[get_local_id(0)] = w[get_local_id(0)]; \\\n"
    "    barrier(CLK_LOCAL_MEM_FENCE); \\\n"
    "    { T v = (T)(get_global_id(0) * 2654435761u); ALL(own) } \\\n"
    "    barrier(CLK_LOCAL_MEM_FENCE); \\\n"
    "    if (get_local_id(0) < WORDS) w[get_local_id(0)] = own[get_local_id(0)]; }\n"
    "KERNELS(int)\n"
    "KERNELS(uint)\n"
    // Exchanges hand values on; whoever takes the lock counts alone; floats are summed by comparison and exchange.
    "kernel void hand_on(global uint *w, global float *f) {\n"
    "  local uint top;\n"
    "  local float sum;\n"
    "  uint l = get_local_id(0);\n"
    "  if (l == 0) { top = 0; sum = 0.0f; }\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  atomic_xor(&w[0], atomic_xchg(&top, l + 1));\n"
    "  volatile local uint *s = (volatile local uint *)&sum;\n"
    "  uint old, seen = *s;\n"
    "  do { old = seen; seen = atomic_cmpxchg(s, old, as_uint(as_float(old) + (float)l)); } while (seen != old);\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  if (l == 0) { atomic_xor(&w[0], top); f[0] = sum; f[1] = atomic_xchg(&f[2], 8.5f); }\n"
    "}\n";

enum { WORDS = 12, ITEMS = 96 };

int main(void) {
  open_host(0);
  cl_program p = build(SOURCE);
  const char *names[] = {"global_int", "local_int", "global_uint", "local_uint"};
  for (int n = 0; n < 4; n++) {
    uint32_t words[WORDS] = {1, 2, 3, 4, 5, 6, 0xffffffffu, 8, 9, 10, 11, 12};
    cl_kernel k = kernel_of(p, names[n]);
    cl_mem w = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof words, words, &err);
    MADE(w);
    set_buffer(k, 0, w);
    run1(k, ITEMS, n % 2 ? ITEMS : 32);
    read_all(w, words, sizeof words);
    CHECK(words[2] == 3u + ITEMS && words[3] == 4u - ITEMS && words[9] == 10u + ITEMS);
    print_ints(names[n], words, WORDS);
    OK(clReleaseMemObject(w));
    OK(clReleaseKernel(k));
  }
  uint32_t word = 0;
  float floats[3] = {0.0f, 0.0f, 2.5f};
  cl_kernel k = kernel_of(p, "hand_on");
  cl_mem w = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof word, &word, &err);
  MADE(w);
  cl_mem f = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof floats, floats, &err);
  MADE(f);
  set_buffer(k, 0, w);
  set_buffer(k, 1, f);
  run1(k, 64, 64);
  read_all(w, &word, sizeof word);
  read_all(f, floats, sizeof floats);
  // All numbers were handed on once: 1 to 64.
  CHECK(word == 64);
  CHECK(floats[0] == 63.0f * 64.0f / 2.0f && floats[1] == 2.5f && floats[2] == 8.5f);
  OK(clReleaseMemObject(w));
  OK(clReleaseMemObject(f));
  OK(clReleaseKernel(k));
  OK(clReleaseProgram(p));
  return close_host();
}
