// Programs from source: pieces, options, logs, compile and link with headers, mistakes.
#include "host.h"

static void CL_CALLBACK built(cl_program program, void *user) {
  (void)program;
  *(volatile int *)user = 1;
}

static cl_build_status status_of(cl_program p) {
  cl_build_status s = 99;
  OK(clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_STATUS, sizeof s, &s, NULL));
  return s;
}

static char *log_of(cl_program p) {
  static char log[1 << 16];
  size_t bytes = 0;
  OK(clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes));
  CHECK(bytes >= 1 && bytes <= sizeof log);
  OK(clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
  return log;
}

static uint32_t result_of(cl_program p, const char *name) {
  cl_kernel k = kernel_of(p, name);
  cl_mem b = buffer_of(4, NULL);
  set_buffer(k, 0, b);
  run1(k, 1, 1);
  uint32_t r = 0;
  read_all(b, &r, 4);
  OK(clReleaseMemObject(b));
  OK(clReleaseKernel(k));
  return r;
}

int main(void) {
  open_host(0);

  // In pieces, one with a length and no end.
  const char *pieces[] = {"__kernel void a(__global uint *o)", " { *o = VALUE; }GARBAGE", "__kernel void b(__global uint *o) { *o = 2; }"};
  const size_t lengths[] = {0, 16, 0};
  cl_program p = clCreateProgramWithSource(context, 3, pieces, lengths, &err);
  MADE(p);
  CHECK(status_of(p) == CL_BUILD_NONE);
  size_t kernels = 0;
  STRICT(CL_INVALID_PROGRAM_EXECUTABLE, clGetProgramInfo(p, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL));
  REFUSED(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernel(p, "a", &err));
  OK(clBuildProgram(p, 1, &device, "-DVALUE=42 -cl-std=CL1.2", NULL, NULL));
  CHECK(status_of(p) == CL_BUILD_SUCCESS);
  CHECK(result_of(p, "a") == 42 && result_of(p, "b") == 2);

  char text[512];
  size_t bytes = 0;
  OK(clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_OPTIONS, sizeof text, text, NULL));
  CHECK(strcmp(text, "-DVALUE=42 -cl-std=CL1.2") == 0);
  cl_program_binary_type type = 0;
  OK(clGetProgramBuildInfo(p, device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
  CHECK(type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
  OK(clGetProgramInfo(p, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL));
  CHECK(kernels == 2);
  OK(clGetProgramInfo(p, CL_PROGRAM_KERNEL_NAMES, sizeof text, text, NULL));
  CHECK(strcmp(text, "a;b") == 0 || strcmp(text, "b;a") == 0);
  OK(clGetProgramInfo(p, CL_PROGRAM_SOURCE, sizeof text, text, &bytes));
  CHECK(bytes == strlen(text) + 1 && strstr(text, "*o = 2") && !strstr(text, "GARBAGE"));
  cl_context in = NULL;
  cl_device_id of = NULL;
  cl_uint n = 0;
  OK(clGetProgramInfo(p, CL_PROGRAM_CONTEXT, sizeof in, &in, NULL));
  OK(clGetProgramInfo(p, CL_PROGRAM_NUM_DEVICES, sizeof n, &n, NULL));
  OK(clGetProgramInfo(p, CL_PROGRAM_DEVICES, sizeof of, &of, NULL));
  CHECK(in == context && n == 1 && of == device);
  OK(clGetProgramInfo(p, CL_PROGRAM_REFERENCE_COUNT, sizeof n, &n, NULL));
  CHECK(n == 1);
  OK(clRetainProgram(p));
  OK(clReleaseProgram(p));

  // Built anew with other options; not while kernels are attached.
  OK(clBuildProgram(p, 0, NULL, "-D VALUE=43", NULL, NULL));
  CHECK(result_of(p, "a") == 43);
  cl_kernel attached = kernel_of(p, "a");
  CODE(CL_INVALID_OPERATION, clBuildProgram(p, 1, &device, "", NULL, NULL));
  OK(clReleaseKernel(attached));
  volatile int called = 0;
  OK(clBuildProgram(p, 1, &device, "-DVALUE=1 -cl-fast-relaxed-math -cl-mad-enable -cl-denorms-are-zero -cl-single-precision-constant -w", built, (void *)&called));
  for (int i = 0; i < 30000 && !called; i++) { struct timespec ms = {0, 1000000}; nanosleep(&ms, NULL); }
  CHECK(called);

  // Mistakes of calls.
  CODE(CL_INVALID_VALUE, clBuildProgram(p, 1, NULL, "", NULL, NULL));
  CODE(CL_INVALID_VALUE, clBuildProgram(p, 0, &device, "", NULL, NULL));
  CODE(CL_INVALID_VALUE, clBuildProgram(p, 1, &device, "", NULL, &n));
  CODE(CL_INVALID_PROGRAM, clBuildProgram(NULL, 1, &device, "", NULL, NULL));
  STRICT(CL_INVALID_BUILD_OPTIONS, clBuildProgram(p, 1, &device, "-no-such-option", NULL, NULL));
  CODE(CL_INVALID_VALUE, clGetProgramInfo(p, CL_PROGRAM_SOURCE, 3, text, NULL));
  CODE(CL_INVALID_VALUE, clGetProgramInfo(p, 0x7777, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clGetProgramBuildInfo(p, device, 0x7777, 0, NULL, NULL));
  CODE(CL_INVALID_PROGRAM, clGetProgramInfo(NULL, CL_PROGRAM_SOURCE, 0, NULL, NULL));
  CODE(CL_INVALID_DEVICE, clGetProgramBuildInfo(p, NULL, CL_PROGRAM_BUILD_LOG, 0, NULL, NULL));
  OK(clReleaseProgram(p));
  REFUSED(CL_INVALID_VALUE, clCreateProgramWithSource(context, 0, pieces, NULL, &err));
  STRICT_REFUSED(CL_INVALID_VALUE, clCreateProgramWithSource(context, 1, NULL, NULL, &err));
  REFUSED(CL_INVALID_CONTEXT, clCreateProgramWithSource(NULL, 1, pieces, NULL, &err));
  REFUSED(CL_INVALID_VALUE, clCreateProgramWithBuiltInKernels(context, 1, &device, NULL, &err));
  CODE(CL_INVALID_PROGRAM, clRetainProgram(NULL));
  CODE(CL_INVALID_PROGRAM, clReleaseProgram(NULL));

  // Source that does not compile: the log names the line.
  const char *wrong = "__kernel void a(__global uint *o)\n{\n  *o = undeclared;\n}\n";
  p = clCreateProgramWithSource(context, 1, &wrong, NULL, &err);
  MADE(p);
  CODE(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(p, 1, &device, "", NULL, NULL));
  CHECK(status_of(p) == CL_BUILD_ERROR);
  CHECK(strstr(log_of(p), "undeclared") && strstr(log_of(p), ":3:"));
  REFUSED(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernel(p, "a", &err));
  CODE(CL_COMPILE_PROGRAM_FAILURE, clCompileProgram(p, 1, &device, "", 0, NULL, NULL, NULL, NULL));
  OK(clReleaseProgram(p));

  // A warning is in the log of a program that was built; with -Werror it is an error.
  const char *warns = "__kernel void a(__global uint *o) { int unused = 1; *o = 5; ; *o = 1 / 0 ? 5 : 5; }";
  p = clCreateProgramWithSource(context, 1, &warns, NULL, &err);
  MADE(p);
  OK(clBuildProgram(p, 1, &device, "", NULL, NULL));
  CHECK(strstr(log_of(p), "warning") != NULL);
  CODE(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(p, 1, &device, "-Werror", NULL, NULL));
  OK(clReleaseProgram(p));

  // Compiled with a header that is a program, then linked.
  const char *header = "uint half_of(uint x);\n#define FROM_HEADER 20\n";
  const char *library = "#include \"inc/half.h\"\nuint half_of(uint x) { return x / 2; }\n";
  const char *user = "#include \"inc/half.h\"\n__kernel void a(__global uint *o) { *o = half_of(*o + FROM_HEADER); }\n";
  cl_program h = clCreateProgramWithSource(context, 1, &header, NULL, &err);
  cl_program l = clCreateProgramWithSource(context, 1, &library, NULL, &err);
  cl_program u = clCreateProgramWithSource(context, 1, &user, NULL, &err);
  MADE(h && l && u);
  const char *name = "inc/half.h";
  OK(clCompileProgram(u, 1, &device, "", 1, &h, &name, NULL, NULL));
  OK(clCompileProgram(l, 1, &device, "", 1, &h, &name, NULL, NULL));
  OK(clGetProgramBuildInfo(u, device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
  CHECK(type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
  STRICT(CL_INVALID_VALUE, clCompileProgram(u, 1, &device, "", 1, NULL, &name, NULL, NULL));
  STRICT(CL_INVALID_VALUE, clCompileProgram(u, 1, &device, "", 0, &h, NULL, NULL, NULL));
  cl_program linked = clLinkProgram(context, 1, &device, "", 2, (cl_program[]){u, l}, NULL, NULL, &err);
  MADE(linked);
  OK(clGetProgramInfo(linked, CL_PROGRAM_KERNEL_NAMES, sizeof text, text, NULL));
  CHECK(strcmp(text, "a") == 0);
  cl_kernel k = kernel_of(linked, "a");
  uint32_t r = 100;
  cl_mem b = buffer_of(4, &r);
  set_buffer(k, 0, b);
  run1(k, 1, 1);
  read_all(b, &r, 4);
  CHECK(r == 60);
  print_ints("linked", &r, 1);
  OK(clReleaseMemObject(b));
  OK(clReleaseKernel(k));
  OK(clReleaseProgram(linked));
  // The function is missing.
  if (warpsmith) {
    linked = clLinkProgram(context, 1, &device, "", 1, &u, NULL, NULL, &err);
    CHECK(err == CL_LINK_PROGRAM_FAILURE);
    if (linked) {
      CHECK(strstr(log_of(linked), "half_of"));
      OK(clReleaseProgram(linked));
    }
  }
  STRICT_REFUSED(CL_INVALID_VALUE, clLinkProgram(context, 1, &device, "", 0, NULL, NULL, NULL, &err));
  OK(clReleaseProgram(h));
  OK(clReleaseProgram(l));
  OK(clReleaseProgram(u));
  return close_host();
}
