// Versions of the language and the macros of every option.
#include "host.h"

static const char *SOURCE =
    "#ifndef FAST\n#define FAST 0\n#endif\n"
    "#if defined(__FAST_RELAXED_MATH__) != FAST\n#error __FAST_RELAXED_MATH__\n#endif\n"
    "#ifndef cl_khr_fp64\n#error cl_khr_fp64\n#endif\n"
    "#if __IMAGE_SUPPORT__ != 1\n#error __IMAGE_SUPPORT__\n#endif\n"
    "#if !defined(cl_khr_global_int32_base_atomics) || !defined(cl_khr_local_int32_extended_atomics)\n#error atomics\n#endif\n"
    "#ifndef cl_khr_byte_addressable_store\n#error cl_khr_byte_addressable_store\n#endif\n"
    "#if __OPENCL_C_VERSION__ >= 120\nstatic\n#endif\n"
    "float of(float4 v) { float4 w; return fract(v, &w).x + w.y; }\n"
    "__kernel void k(__global uint *o) {\n"
    "  o[0] = __OPENCL_VERSION__; o[1] = __OPENCL_C_VERSION__;\n"
    "  o[2] = CL_VERSION_1_0 + CL_VERSION_1_1; o[3] = __ENDIAN_LITTLE__;\n"
    "  o[4] = max(convert_uchar4_sat((int4)(o[5], 300, -1, 0)).y, (uchar)get_global_id(0)); o[6] = mad_sat(o[5], 0x10000u, 1u);\n"
    "}\n";

int main(void) {
  open_host(0);
  const struct {
    const char *options;
    cl_uint version;
  } rows[] = {{"", 120},
              {"-cl-std=CL1.0", 100},
              {"-cl-std=CL1.1", 110},
              {"-cl-std=CL1.2", 120},
              {"-cl-fast-relaxed-math -DFAST=1", 120},
              {"-cl-fast-relaxed-math -DFAST=1 -cl-std=CL1.1", 110},
              {"-cl-mad-enable -cl-unsafe-math-optimizations -cl-finite-math-only -cl-no-signed-zeros", 120},
              {"-cl-opt-disable -cl-denorms-are-zero -cl-single-precision-constant -cl-strict-aliasing", 120}};
  for (size_t n = 0; n < COUNT(rows); n++) {
    // The reference has other versions.
    if (!warpsmith && strstr(rows[n].options, "-cl-std=CL1.0")) continue;
    char options[256];
    snprintf(options, sizeof options, "%s%s", rows[n].options, warpsmith ? "" : " -DREFERENCE");
    cl_program p = build_with(SOURCE, options);
    cl_kernel k = kernel_of(p, "k");
    uint32_t words[7] = {0, 0, 0, 0, 0, 70000, 0};
    cl_mem b = buffer_of(sizeof words, words);
    set_buffer(k, 0, b);
    run1(k, 1, 1);
    read_all(b, words, sizeof words);
    if (warpsmith) CHECK(words[0] == 120);
    if (warpsmith) CHECK(words[1] == rows[n].version);
    CHECK(words[2] == 210 && words[3] == 1 && words[4] == 255 && words[6] == 0xffffffff);
    OK(clReleaseMemObject(b));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
  }
  // Before 1.2 `static` and popcount are no part of the language.
  const char *later = "__kernel void k(__global uint *o) { *o = popcount(*o); }";
  cl_program p = clCreateProgramWithSource(context, 1, &later, NULL, &err);
  MADE(p);
  if (warpsmith) CODE(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(p, 1, &device, "-cl-std=CL1.1", NULL, NULL));
  OK(clBuildProgram(p, 1, &device, "-cl-std=CL1.2", NULL, NULL));
  if (warpsmith) CODE(CL_INVALID_BUILD_OPTIONS, clBuildProgram(p, 1, &device, "-cl-std=CL1.3", NULL, NULL));
  OK(clReleaseProgram(p));
  return close_host();
}
