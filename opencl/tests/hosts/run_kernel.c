// Runs the kernel `k` of a file over 64 work-items: k(__global uint *o, __global const uint *a, __local uint *t).
// Prints the words that it wrote.
#include "host.h"

enum { N = 64, WORDS = 4 };

int main(int arguments, char **argument) {
  static char source[1 << 18];
  FILE *f = arguments > 1 ? fopen(argument[1], "r") : NULL;
  if (!f) {
    fprintf(stderr, "usage: run_kernel FILE.cl\n");
    return 2;
  }
  source[fread(source, 1, sizeof source - 1, f)] = 0;
  fclose(f);
  open_host(0);
  uint32_t a[N * WORDS], o[N * WORDS] = {0}, seed = 99;
  for (int i = 0; i < N * WORDS; i++) {
    a[i] = next_random(&seed) << 8 ^ next_random(&seed);
    if (i % 5 == 0) a[i] %= 256;
    if (i % 7 == 0) a[i] = (uint32_t)-1 - a[i] % 16;
  }
  cl_program p = build(source);
  cl_kernel k = kernel_of(p, "k");
  cl_mem ma = buffer_of(sizeof a, a), mo = buffer_of(sizeof o, o);
  set_buffer(k, 0, mo);
  set_buffer(k, 1, ma);
  OK(clSetKernelArg(k, 2, 4 * 32, NULL));
  run1(k, N, 32);
  read_all(mo, o, sizeof o);
  print_ints("o", o, N * WORDS);
  OK(clReleaseMemObject(ma));
  OK(clReleaseMemObject(mo));
  OK(clReleaseKernel(k));
  OK(clReleaseProgram(p));
  return close_host();
}
