// Binaries: taken from a program, loaded into another, run; broken ones are refused.
#include "host.h"

static const char *SOURCE = "__kernel void square(__global uint *a, uint n) { uint i = get_global_id(0); if (i < n) a[i] *= a[i]; }\n"
                            "__kernel void local_sum(__global uint *a, __local uint *t) { uint i = get_local_id(0); t[i] = a[i]; barrier(CLK_LOCAL_MEM_FENCE);"
                            " if (i == 0) { uint s = 0; for (uint j = 0; j < get_local_size(0); j++) s += t[j]; a[0] = s; } }\n";

int main(void) {
  open_host(0);
  cl_program p = build(SOURCE);
  size_t size = 0, bytes = 0;
  OK(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, &bytes));
  CHECK(bytes == sizeof size && size > 0);
  unsigned char *binary = calloc(1, size + 1);
  OK(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
  OK(clReleaseProgram(p));

  // Through a file, as programs do.
  FILE *f = tmpfile();
  CHECK(f && fwrite(binary, 1, size, f) == size);
  rewind(f);
  memset(binary, 0, size);
  CHECK(fread(binary, 1, size, f) == size);
  fclose(f);

  cl_int status = 1;
  const unsigned char *one = binary;
  p = clCreateProgramWithBinary(context, 1, &device, &size, &one, &status, &err);
  MADE(p);
  CHECK(status == CL_SUCCESS);
  OK(clBuildProgram(p, 1, &device, "", NULL, NULL));
  size_t kernels = 0;
  OK(clGetProgramInfo(p, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL));
  CHECK(kernels == 2);
  uint32_t a[64], back[64];
  for (uint32_t i = 0; i < 64; i++) a[i] = i + 3;
  cl_mem b = buffer_of(sizeof a, a);
  cl_kernel square = kernel_of(p, "square");
  set_buffer(square, 0, b);
  set_int(square, 1, 60);
  run1(square, 64, 32);
  read_all(b, back, sizeof back);
  for (uint32_t i = 0; i < 64; i++) CHECK(back[i] == (i < 60 ? a[i] * a[i] : a[i]));
  print_ints("squares", back, 64);
  cl_kernel sum = kernel_of(p, "local_sum");
  set_buffer(sum, 0, b);
  OK(clSetKernelArg(sum, 1, 64 * 4, NULL));
  run1(sum, 64, 64);
  read_all(b, back, 4);
  print_ints("sum", back, 1);
  OK(clReleaseKernel(square));
  OK(clReleaseKernel(sum));
  OK(clReleaseProgram(p));

  // Mistakes.
  REFUSED(CL_INVALID_VALUE, clCreateProgramWithBinary(context, 0, &device, &size, &one, &status, &err));
  REFUSED(CL_INVALID_VALUE, clCreateProgramWithBinary(context, 1, &device, NULL, &one, &status, &err));
  REFUSED(CL_INVALID_CONTEXT, clCreateProgramWithBinary(NULL, 1, &device, &size, &one, &status, &err));
  size_t none = 0;
  REFUSED(CL_INVALID_VALUE, clCreateProgramWithBinary(context, 1, &device, &none, &one, &status, &err));
  if (warpsmith) {
    // Cut anywhere, any byte changed: refused or accepted, never a crash.
    for (size_t cut = 1; cut < size; cut += 1 + size / 50) {
      err = 1;
      p = clCreateProgramWithBinary(context, 1, &device, &cut, &one, &status, &err);
      if (p) OK(clReleaseProgram(p));
      CHECK(!p == (err == CL_INVALID_BINARY));
    }
    uint32_t seed = 9;
    for (int i = 0; i < 50; i++) {
      size_t at = next_random(&seed) % size;
      unsigned char was = binary[at];
      binary[at] ^= (unsigned char)(1 + next_random(&seed) % 255);
      p = clCreateProgramWithBinary(context, 1, &device, &size, &one, &status, &err);
      if (p) {
        clBuildProgram(p, 1, &device, "", NULL, NULL);
        OK(clReleaseProgram(p));
      } else {
        CHECK(err == CL_INVALID_BINARY && status == CL_INVALID_BINARY);
      }
      binary[at] = was;
    }
    // One of another version of the driver, as the first line says; the version is in CL_DRIVER_VERSION too.
    char driver[64];
    OK(clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof driver, driver, NULL));
    char *version = strrchr(driver, ' ');
    unsigned char *named = version ? (unsigned char *)strstr((char *)binary, version + 1) : NULL;
    CHECK(named);
    if (named) {
      *named ^= 1;
      REFUSED(CL_INVALID_BINARY, clCreateProgramWithBinary(context, 1, &device, &size, &one, &status, &err));
      *named ^= 1;
    }
    const unsigned char *text = (const unsigned char *)"no binary at all";
    size_t length = 16;
    REFUSED(CL_INVALID_BINARY, clCreateProgramWithBinary(context, 1, &device, &length, &text, &status, &err));
    CHECK(status == CL_INVALID_BINARY);
  }
  free(binary);
  OK(clReleaseMemObject(b));
  return close_host();
}
