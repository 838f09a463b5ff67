// What the host programs share: one device, checks that name their line, results in lines that a test compares.
// A program ends with 0 when every check held and no object is left.
#pragma once
#define _POSIX_C_SOURCE 200809L
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int failures;
static int warpsmith; // the platform is the one under test, not a reference
static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_int err;

#define FAIL(...)                                                                                  \
  do {                                                                                             \
    failures++;                                                                                    \
    fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                                                \
    fprintf(stderr, __VA_ARGS__);                                                                  \
    fputc('\n', stderr);                                                                           \
  } while (0)
#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) FAIL("%s does not hold", #condition);                                        \
  } while (0)
// The call returns this code.
#define CODE(want, call)                                                                           \
  do {                                                                                             \
    cl_int got_ = (call);                                                                          \
    if (got_ != (want)) FAIL("%s returns %d, expected %s", #call, got_, #want);                    \
  } while (0)
#define OK(call) CODE(CL_SUCCESS, call)
// As CODE; the reference is known to answer something else, and is not judged.
#define STRICT(want, call)                                                                         \
  do {                                                                                             \
    if (warpsmith) CODE(want, call);                                                               \
  } while (0)
// The call, which reports through &err, made an object.
#define MADE(object)                                                                               \
  do {                                                                                             \
    if (err != CL_SUCCESS || !(object)) {                                                          \
      FAIL("%s was not made: %d", #object, err);                                                   \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)
// The call, which reports through &err, makes nothing and reports this code.
#define REFUSED(want, call)                                                                        \
  do {                                                                                             \
    err = 1;                                                                                       \
    if ((call) != NULL) FAIL("%s makes an object", #call);                                         \
    if (err != (want)) FAIL("%s reports %d, expected %s", #call, err, #want);                      \
  } while (0)
#define STRICT_REFUSED(want, call)                                                                 \
  do {                                                                                             \
    if (warpsmith) REFUSED(want, call);                                                            \
  } while (0)
#define COUNT(a) (sizeof(a) / sizeof(a)[0])
// An object of another kind in the place of one.
#define AS(type, object) ((type)(void *)(object))

static inline void open_device(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  cl_uint n = 0;
  if (clGetPlatformIDs(1, &platform, &n) != CL_SUCCESS || n == 0) {
    fprintf(stderr, "no platform\n");
    exit(1);
  }
  char name[64] = "";
  clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL);
  warpsmith = strcmp(name, "Warpsmith") == 0;
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) {
    fprintf(stderr, "no device\n");
    exit(1);
  }
}

static void CL_CALLBACK on_context_error(const char *why, const void *data, size_t bytes, void *user) {
  (void)data, (void)bytes, (void)user;
  fprintf(stderr, "context: %s\n", why);
}

// Platform, device, context and an in-order queue of these properties.
static inline void open_host(cl_command_queue_properties properties) {
  open_device();
  cl_context_properties of[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
  context = clCreateContext(of, 1, &device, on_context_error, NULL, &err);
  MADE(context);
  queue = clCreateCommandQueue(context, device, properties, &err);
  MADE(queue);
}

static inline int has_float(void) {
  cl_device_fp_config config = 0;
  clGetDeviceInfo(device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof config, &config, NULL);
  return config != 0;
}

static inline cl_uint uint_info(cl_device_info what) {
  cl_uint v = 0;
  OK(clGetDeviceInfo(device, what, sizeof v, &v, NULL));
  return v;
}
static inline size_t size_info(cl_device_info what) {
  size_t v = 0;
  OK(clGetDeviceInfo(device, what, sizeof v, &v, NULL));
  return v;
}

static inline cl_program build_with(const char *source, const char *options) {
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
  MADE(program);
  cl_int code = clBuildProgram(program, 1, &device, options, NULL, NULL);
  if (code != CL_SUCCESS) {
    static char log[1 << 16];
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    FAIL("the program does not build (%d):\n%s", code, log);
    exit(1);
  }
  return program;
}
static inline cl_program build(const char *source) { return build_with(source, ""); }

static inline cl_kernel kernel_of(cl_program program, const char *name) {
  cl_kernel kernel = clCreateKernel(program, name, &err);
  MADE(kernel);
  return kernel;
}

static inline cl_mem buffer_of(size_t bytes, const void *contents) {
  cl_mem_flags flags = CL_MEM_READ_WRITE | (contents ? CL_MEM_COPY_HOST_PTR : 0);
  cl_mem buffer = clCreateBuffer(context, flags, bytes, (void *)contents, &err);
  MADE(buffer);
  return buffer;
}

static inline void set_buffer(cl_kernel kernel, cl_uint index, cl_mem buffer) {
  OK(clSetKernelArg(kernel, index, sizeof buffer, &buffer));
}
static inline void set_int(cl_kernel kernel, cl_uint index, cl_int value) {
  OK(clSetKernelArg(kernel, index, sizeof value, &value));
}
static inline void set_float(cl_kernel kernel, cl_uint index, cl_float value) {
  OK(clSetKernelArg(kernel, index, sizeof value, &value));
}

static inline void run1(cl_kernel kernel, size_t global, size_t local) {
  OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, local ? &local : NULL, 0, NULL, NULL));
}

static inline void read_all(cl_mem buffer, void *to, size_t bytes) {
  OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes, to, 0, NULL, NULL));
}

// Integers: equal on every device.
static inline void print_ints(const char *name, const void *data, size_t count) {
  const uint32_t *words = data;
  printf("ints %s:", name);
  for (size_t i = 0; i < count; i++) printf(" %x", words[i]);
  putchar('\n');
}
// Floats: may differ by so many units in the last place.
static inline void print_floats(const char *name, const void *data, size_t count, int ulp) {
  const uint32_t *words = data;
  printf("floats %s %d:", name, ulp);
  for (size_t i = 0; i < count; i++) printf(" %x", words[i]);
  putchar('\n');
}

// The same numbers on every machine.
static inline uint32_t next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

typedef cl_uint(CL_API_CALL *live_objects)(void);

// No object of the driver is left, where it can count them.
static inline int finish(void) {
  live_objects live = NULL;
  if (warpsmith) {
    void *found = clGetExtensionFunctionAddressForPlatform(platform, "clLiveObjectsWARPSMITH");
    memcpy(&live, &found, sizeof live);
    if (!live) FAIL("no count of live objects");
  }
  // The thread of a released queue lets go of its context in its own time.
  for (int i = 0; i < 5000 && live && live() != 0; i++) nanosleep(&(struct timespec){0, 1000000}, NULL);
  if (live && live() != 0) FAIL("%u objects are left", live());
  return failures != 0;
}

static inline int close_host(void) {
  OK(clReleaseCommandQueue(queue));
  OK(clReleaseContext(context));
  return finish();
}
