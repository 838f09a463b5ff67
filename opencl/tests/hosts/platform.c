// Platforms and devices: every question of OpenCL 1.2 has an answer of the right size; mistakes are refused.
#include "host.h"

static void text_info(cl_platform_info what, const char *must_contain) {
  size_t bytes = 0;
  OK(clGetPlatformInfo(platform, what, 0, NULL, &bytes));
  char *text = calloc(1, bytes + 1);
  OK(clGetPlatformInfo(platform, what, bytes, text, NULL));
  CHECK(strlen(text) + 1 == bytes);
  if (!strstr(text, must_contain)) FAIL("`%s` does not contain `%s`", text, must_contain);
  CODE(CL_INVALID_VALUE, clGetPlatformInfo(platform, what, bytes - 1, text, NULL));
  free(text);
}

static void device_info(cl_device_info what, size_t want) {
  size_t bytes = 0;
  char room[4096];
  cl_int code = clGetDeviceInfo(device, what, 0, NULL, &bytes);
  if (code != CL_SUCCESS) {
    FAIL("device info %x: %d", what, code);
    return;
  }
  if (want && bytes != want) FAIL("device info %x has %zu bytes, expected %zu", what, bytes, want);
  CODE(CL_SUCCESS, clGetDeviceInfo(device, what, sizeof room, room, NULL));
  if (bytes) CODE(CL_INVALID_VALUE, clGetDeviceInfo(device, what, bytes - 1, room, NULL));
}

int main(void) {
  cl_uint n = 0;
  OK(clGetPlatformIDs(0, NULL, &n));
  CHECK(n == 1);
  CODE(CL_INVALID_VALUE, clGetPlatformIDs(0, &platform, NULL));
  CODE(CL_INVALID_VALUE, clGetPlatformIDs(1, NULL, NULL));
  open_device();

  text_info(CL_PLATFORM_PROFILE, "FULL_PROFILE");
  text_info(CL_PLATFORM_VERSION, "OpenCL ");
  text_info(CL_PLATFORM_NAME, "");
  text_info(CL_PLATFORM_VENDOR, "");
  text_info(CL_PLATFORM_EXTENSIONS, "cl_khr_icd");
  text_info(CL_PLATFORM_ICD_SUFFIX_KHR, "");
  CODE(CL_INVALID_VALUE, clGetPlatformInfo(platform, 0x1234, 0, NULL, NULL));

  OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &n));
  CHECK(n >= 1);
  cl_device_id all[64];
  OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, n, all, NULL));
  CHECK(all[0] == device);
  cl_device_id one = NULL;
  OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &one, NULL));
  CHECK(one == device);
  CODE(CL_INVALID_VALUE, clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, &one, NULL));
  CODE(CL_INVALID_VALUE, clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, NULL, NULL));
  STRICT(CL_INVALID_DEVICE_TYPE, clGetDeviceIDs(platform, 0, 1, &one, NULL));
  STRICT(CL_INVALID_DEVICE_TYPE, clGetDeviceIDs(platform, 1 << 12, 1, &one, NULL));
  CODE(CL_DEVICE_NOT_FOUND, clGetDeviceIDs(platform, CL_DEVICE_TYPE_ACCELERATOR, 1, &one, NULL));
  CODE(CL_INVALID_VALUE, clGetDeviceInfo(device, 0x7fff0000, 0, NULL, NULL));
  CODE(CL_INVALID_DEVICE, clGetDeviceInfo(NULL, CL_DEVICE_TYPE, 0, NULL, NULL));

  static const struct {
    cl_device_info what;
    size_t bytes;
  } questions[] = {
      {CL_DEVICE_TYPE, 8}, {CL_DEVICE_VENDOR_ID, 4}, {CL_DEVICE_MAX_COMPUTE_UNITS, 4}, {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 4},
      {CL_DEVICE_MAX_WORK_ITEM_SIZES, 24}, {CL_DEVICE_MAX_WORK_GROUP_SIZE, 8}, {CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, 4},
      {CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, 4}, {CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, 4}, {CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, 4},
      {CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, 4}, {CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, 4}, {CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, 4},
      {CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, 4}, {CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, 4}, {CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, 4},
      {CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, 4}, {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 4}, {CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, 4},
      {CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, 4}, {CL_DEVICE_MAX_CLOCK_FREQUENCY, 4}, {CL_DEVICE_ADDRESS_BITS, 4}, {CL_DEVICE_MAX_MEM_ALLOC_SIZE, 8},
      {CL_DEVICE_IMAGE_SUPPORT, 4}, {CL_DEVICE_MAX_READ_IMAGE_ARGS, 4}, {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 4}, {CL_DEVICE_IMAGE2D_MAX_WIDTH, 8},
      {CL_DEVICE_IMAGE2D_MAX_HEIGHT, 8}, {CL_DEVICE_IMAGE3D_MAX_WIDTH, 8}, {CL_DEVICE_IMAGE3D_MAX_HEIGHT, 8}, {CL_DEVICE_IMAGE3D_MAX_DEPTH, 8},
      {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, 8}, {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, 8}, {CL_DEVICE_MAX_SAMPLERS, 4}, {CL_DEVICE_MAX_PARAMETER_SIZE, 8},
      {CL_DEVICE_MEM_BASE_ADDR_ALIGN, 4}, {CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, 4}, {CL_DEVICE_SINGLE_FP_CONFIG, 8}, {CL_DEVICE_DOUBLE_FP_CONFIG, 8},
      {CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, 4}, {CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, 4}, {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, 8},
      {CL_DEVICE_GLOBAL_MEM_SIZE, 8}, {CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, 8}, {CL_DEVICE_MAX_CONSTANT_ARGS, 4}, {CL_DEVICE_LOCAL_MEM_TYPE, 4},
      {CL_DEVICE_LOCAL_MEM_SIZE, 8}, {CL_DEVICE_ERROR_CORRECTION_SUPPORT, 4}, {CL_DEVICE_HOST_UNIFIED_MEMORY, 4},
      {CL_DEVICE_PROFILING_TIMER_RESOLUTION, 8}, {CL_DEVICE_ENDIAN_LITTLE, 4}, {CL_DEVICE_AVAILABLE, 4}, {CL_DEVICE_COMPILER_AVAILABLE, 4},
      {CL_DEVICE_LINKER_AVAILABLE, 4}, {CL_DEVICE_EXECUTION_CAPABILITIES, 8}, {CL_DEVICE_QUEUE_PROPERTIES, 8}, {CL_DEVICE_BUILT_IN_KERNELS, 0},
      {CL_DEVICE_PLATFORM, 8}, {CL_DEVICE_NAME, 0}, {CL_DEVICE_VENDOR, 0}, {CL_DRIVER_VERSION, 0}, {CL_DEVICE_PROFILE, 0}, {CL_DEVICE_VERSION, 0},
      {CL_DEVICE_OPENCL_C_VERSION, 0}, {CL_DEVICE_EXTENSIONS, 0}, {CL_DEVICE_PRINTF_BUFFER_SIZE, 8}, {CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, 4},
      {CL_DEVICE_PARENT_DEVICE, 8}, {CL_DEVICE_PARTITION_MAX_SUB_DEVICES, 4}, {CL_DEVICE_PARTITION_PROPERTIES, 0},
      {CL_DEVICE_PARTITION_AFFINITY_DOMAIN, 8}, {CL_DEVICE_PARTITION_TYPE, 0}, {CL_DEVICE_REFERENCE_COUNT, 4},
  };
  for (size_t i = 0; i < COUNT(questions); i++) device_info(questions[i].what, questions[i].bytes);

  // The least values of the full profile.
  CHECK(uint_info(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS) == 3);
  CHECK(uint_info(CL_DEVICE_AVAILABLE) && uint_info(CL_DEVICE_COMPILER_AVAILABLE) && uint_info(CL_DEVICE_LINKER_AVAILABLE));
  CHECK(uint_info(CL_DEVICE_ENDIAN_LITTLE));
  CHECK(size_info(CL_DEVICE_MAX_WORK_GROUP_SIZE) >= 1);
  cl_ulong memory = 0, piece = 0;
  OK(clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, 8, &memory, NULL));
  OK(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, 8, &piece, NULL));
  CHECK(piece >= memory / 4 && piece <= memory && piece >= 1 << 20);
  cl_platform_id of = NULL;
  OK(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof of, &of, NULL));
  CHECK(of == platform);
  char text[256];
  OK(clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof text, text, NULL));
  CHECK(strncmp(text, "OpenCL ", 7) == 0);
  OK(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_VERSION, sizeof text, text, NULL));
  CHECK(strncmp(text, "OpenCL C 1.2", 12) == 0);
  if (warpsmith) {
    CHECK(uint_info(CL_DEVICE_ADDRESS_BITS) == 32);
    CHECK(uint_info(CL_DEVICE_IMAGE_SUPPORT));
    CHECK(memory <= 1ull << 32);
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL));
    CHECK(strstr(text, "cl_khr_fp64"));
    cl_ulong of_doubles = 0, needed = CL_FP_FMA | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_INF_NAN | CL_FP_DENORM;
    OK(clGetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof of_doubles, &of_doubles, NULL));
    CHECK((of_doubles & needed) == needed);
    CHECK(uint_info(CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE) == 1 && uint_info(CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE) == 1);
  }

  // Root devices are not counted.
  OK(clRetainDevice(device));
  OK(clReleaseDevice(device));
  CHECK(uint_info(CL_DEVICE_REFERENCE_COUNT) == 1);
  CODE(CL_INVALID_DEVICE, clRetainDevice(NULL));
  CODE(CL_INVALID_DEVICE, clReleaseDevice(NULL));

  OK(clUnloadPlatformCompiler(platform));
  CHECK(clGetExtensionFunctionAddressForPlatform(platform, "clNoSuchFunction") == NULL);
  return finish();
}
