// Modules compiled apart and linked: statics, macros, structs and options of each are its own; headers; libraries; symbols that are
// missing or there twice.
#include "host.h"

static cl_program source_of(const char *text) {
  cl_program p = clCreateProgramWithSource(context, 1, &text, NULL, &err);
  MADE(p);
  return p;
}

static const char *log_of(cl_program p) {
  static char log[1 << 16];
  OK(clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
  return log;
}

static cl_program compiled(const char *text, const char *options) {
  cl_program p = source_of(text);
  cl_int code = clCompileProgram(p, 1, &device, options, 0, NULL, NULL, NULL, NULL);
  if (code != CL_SUCCESS) FAIL("not compiled: %d\n%s", code, log_of(p));
  return p;
}

static cl_program linked(const char *options, cl_uint count, const cl_program *programs) {
  cl_program p = clLinkProgram(context, 1, &device, options, count, programs, NULL, NULL, &err);
  if (err != CL_SUCCESS) FAIL("not linked: %d\n%s", err, p ? log_of(p) : "");
  MADE(p);
  return p;
}

// The link fails, and its log has this word; a reference may take what we refuse.
static void unlinked(const char *word, cl_uint count, const cl_program *programs, const char *options) {
  if (!warpsmith) return;
  cl_program p = clLinkProgram(context, 1, &device, options, count, programs, NULL, NULL, &err);
  CHECK(err == CL_LINK_PROGRAM_FAILURE);
  if (!p) return;
  if (!strstr(log_of(p), word)) FAIL("no `%s` in: %s", word, log_of(p));
  OK(clReleaseProgram(p));
}

static void result(cl_program p, const char *name, uint32_t *words, size_t count) {
  cl_kernel k = kernel_of(p, name);
  cl_mem b = buffer_of(4 * count, words);
  set_buffer(k, 0, b);
  run1(k, 1, 1);
  read_all(b, words, 4 * count);
  print_ints(name, words, count);
  OK(clReleaseMemObject(b));
  OK(clReleaseKernel(k));
}

int main(void) {
  open_host(0);
  uint32_t words[4];

  // The same names for other things in each.
  const char *one =
      "#define SCALE 3\n"
      "typedef struct { uint a; uint b; } pair;\n"
      "static uint helper(uint x) { return x * SCALE; }\n"
      "__constant uint shared_table[3] = {5, 6, 7};\n"
      "static __constant uint table[2] = {1, 2};\n"
      "uint first(uint x) { pair p = {helper(x), table[1]}; return p.a + p.b + WIDTH; }\n";
  const char *two =
      "#ifdef SCALE\n#error SCALE of another module\n#endif\n"
      "typedef struct { uint b; uint c[4]; uint a; } pair;\n"
      "static uint helper(uint x) { return x + 100; }\n"
      "static __constant uint table[2] = {10, 20};\n"
      "extern __constant uint shared_table[3];\n"
      "uint first(uint x);\n"
      "__kernel __attribute__((vec_type_hint(uint4))) void both(__global uint *o) {\n"
      "  pair p = {0, {0, 0, 0, 0}, helper(o[0])};\n"
      "  o[1] = first(o[0]); o[2] = p.a + table[1] + WIDTH; o[3] = shared_table[2] + popcount(o[0]);\n"
      "}\n";
  cl_program a = compiled(one, "-DWIDTH=1000"), b = compiled(two, "-D WIDTH=4000 -cl-mad-enable");
  cl_program p = linked("", 2, (cl_program[]){b, a});
  words[0] = 7;
  result(p, "both", words, 4);
  CHECK(words[1] == 7 * 3 + 2 + 1000 && words[2] == 107 + 20 + 4000 && words[3] == 7 + 3);
  char text[256];
  OK(clGetProgramInfo(p, CL_PROGRAM_KERNEL_NAMES, sizeof text, text, NULL));
  CHECK(strcmp(text, "both") == 0);

  // As a binary.
  size_t bytes = 0;
  OK(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL));
  unsigned char *binary = malloc(bytes);
  OK(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
  OK(clReleaseProgram(p));
  p = clCreateProgramWithBinary(context, 1, &device, &bytes, (const unsigned char **)&binary, NULL, &err);
  MADE(p);
  OK(clBuildProgram(p, 1, &device, "", NULL, NULL));
  words[0] = 1;
  result(p, "both", words, 4);
  CHECK(words[1] == 3 + 2 + 1000);
  OK(clReleaseProgram(p));
  free(binary);

  // A compiled object and a library as binaries, linked in another order.
  cl_program library = linked("-create-library", 1, &a);
  cl_program_binary_type type = 0;
  OK(clGetProgramBuildInfo(library, device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
  CHECK(type == CL_PROGRAM_BINARY_TYPE_LIBRARY);
  OK(clGetProgramInfo(library, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL));
  binary = malloc(bytes);
  OK(clGetProgramInfo(library, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
  OK(clReleaseProgram(library));
  library = clCreateProgramWithBinary(context, 1, &device, &bytes, (const unsigned char **)&binary, NULL, &err);
  MADE(library);
  free(binary);
  p = linked(warpsmith ? "-cl-fast-relaxed-math" : "", 2, (cl_program[]){library, b});
  words[0] = 2;
  result(p, "both", words, 4);
  CHECK(words[1] == 6 + 2 + 1000);
  OK(clReleaseProgram(p));

  // Missing, and twice.
  cl_program again = compiled(one, "-DWIDTH=1");
  unlinked("`first` is used", 1, &b, "");
  unlinked("`first` is defined", 3, (cl_program[]){b, a, again}, "");
  unlinked("`shared_table` is defined", 2, (cl_program[]){a, again}, "-create-library");
  if (warpsmith) {
    REFUSED(CL_INVALID_LINKER_OPTIONS, clLinkProgram(context, 1, &device, "-DWIDTH=1", 1, &a, NULL, NULL, &err));
    REFUSED(CL_INVALID_LINKER_OPTIONS, clLinkProgram(context, 1, &device, "-enable-link-options", 1, &a, NULL, NULL, &err));
  }
  cl_program whole = build("__kernel void w(__global uint *o) { *o = 1; }");
  if (warpsmith) REFUSED(CL_INVALID_OPERATION, clLinkProgram(context, 1, &device, "", 1, &whole, NULL, NULL, &err));
  OK(clReleaseProgram(whole));
  OK(clReleaseProgram(again));
  OK(clReleaseProgram(library));
  OK(clReleaseProgram(a));
  OK(clReleaseProgram(b));

  // Headers in both kinds of quotes; one of them includes the other.
  cl_program outer = source_of("#include \"inner.h\"\n#define OUTER (INNER + 1)\n"), inner = source_of("#define INNER 40\n");
  cl_program user = source_of("#include <sub/outer.h>\n#include \"inner.h\"\n__kernel void h(__global uint *o) { o[0] = OUTER + INNER; }\n");
  const char *names[] = {"sub/outer.h", "inner.h"};
  OK(clCompileProgram(user, 1, &device, "", 2, (cl_program[]){outer, inner}, names, NULL, NULL));
  p = linked("", 1, &user);
  result(p, "h", words, 1);
  CHECK(words[0] == 81);
  OK(clReleaseProgram(p));
  // A mistake in a header is told with the header's name and line.
  cl_program bad = source_of("\n#error here\n");
  names[1] = "inner.h";
  CODE(CL_COMPILE_PROGRAM_FAILURE, clCompileProgram(user, 1, &device, "", 2, (cl_program[]){outer, bad}, names, NULL, NULL));
  CHECK(strstr(log_of(user), "inner.h:2:"));
  OK(clReleaseProgram(bad));
  OK(clReleaseProgram(outer));
  OK(clReleaseProgram(inner));
  OK(clReleaseProgram(user));
  return close_host();
}
