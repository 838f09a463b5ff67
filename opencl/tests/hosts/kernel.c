// Kernels: made by name and all at once, asked about themselves and their arguments, mistakes of arguments.
#include "host.h"

static const char *SOURCE =
    "__kernel void first(__global const uint *a, __constant uint *c, __local ushort *t, uint n, uchar4 v) {\n"
    "  t[get_local_id(0)] = 1;\n"
    "}\n"
    "__kernel __attribute__((vec_type_hint(uint4))) __attribute__((reqd_work_group_size(16, 2, 1))) void second(__global uint *o) {\n"
    "  __local uint t[100];\n"
    "  t[get_local_id(0)] = get_local_id(1);\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  o[get_global_id(0) + 16 * get_global_id(1)] = t[get_local_id(0) ^ 1];\n"
    "}\n";

int main(void) {
  open_host(0);
  cl_program p = build_with(SOURCE, "-cl-kernel-arg-info");
  cl_kernel all[4];
  cl_uint n = 0;
  OK(clCreateKernelsInProgram(p, 0, NULL, &n));
  CHECK(n == 2);
  CODE(CL_INVALID_VALUE, clCreateKernelsInProgram(p, 1, all, NULL));
  OK(clCreateKernelsInProgram(p, 2, all, NULL));
  OK(clReleaseKernel(all[0]));
  OK(clReleaseKernel(all[1]));

  cl_kernel first = kernel_of(p, "first"), second = kernel_of(p, "second");
  char text[128];
  size_t bytes = 0;
  cl_context in = NULL;
  cl_program of = NULL;
  OK(clGetKernelInfo(first, CL_KERNEL_FUNCTION_NAME, sizeof text, text, &bytes));
  CHECK(strcmp(text, "first") == 0 && bytes == 6);
  OK(clGetKernelInfo(first, CL_KERNEL_NUM_ARGS, sizeof n, &n, NULL));
  CHECK(n == 5);
  OK(clGetKernelInfo(first, CL_KERNEL_CONTEXT, sizeof in, &in, NULL));
  OK(clGetKernelInfo(first, CL_KERNEL_PROGRAM, sizeof of, &of, NULL));
  CHECK(in == context && of == p);
  OK(clGetKernelInfo(first, CL_KERNEL_REFERENCE_COUNT, sizeof n, &n, NULL));
  CHECK(n == 1);
  OK(clRetainKernel(first));
  OK(clReleaseKernel(first));
  OK(clGetKernelInfo(second, CL_KERNEL_ATTRIBUTES, sizeof text, text, NULL));
  if (warpsmith) CHECK(strstr(text, "reqd_work_group_size(16,2,1)") && strstr(text, "vec_type_hint(uint4)"));
  CODE(CL_INVALID_VALUE, clGetKernelInfo(first, CL_KERNEL_FUNCTION_NAME, 3, text, NULL));
  CODE(CL_INVALID_VALUE, clGetKernelInfo(first, 0x7777, 0, NULL, NULL));
  CODE(CL_INVALID_KERNEL, clGetKernelInfo(NULL, CL_KERNEL_NUM_ARGS, 0, NULL, NULL));

  size_t group = 0, required[3] = {9, 9, 9}, multiple = 0;
  cl_ulong local = 0, private = 99;
  OK(clGetKernelWorkGroupInfo(second, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof group, &group, NULL));
  OK(clGetKernelWorkGroupInfo(second, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof required, required, NULL));
  OK(clGetKernelWorkGroupInfo(second, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local, NULL));
  OK(clGetKernelWorkGroupInfo(second, device, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof private, &private, NULL));
  OK(clGetKernelWorkGroupInfo(second, NULL, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof multiple, &multiple, NULL));
  CHECK(group >= 32 && group <= size_info(CL_DEVICE_MAX_WORK_GROUP_SIZE));
  CHECK(required[0] == 16 && required[1] == 2 && required[2] == 1);
  CHECK(local >= 400 && multiple >= 1);
  OK(clGetKernelWorkGroupInfo(first, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof required, required, NULL));
  CHECK(required[0] == 0 && required[1] == 0 && required[2] == 0);
  CODE(CL_INVALID_VALUE, clGetKernelWorkGroupInfo(first, device, CL_KERNEL_WORK_GROUP_SIZE, 4, &group, NULL));
  CODE(CL_INVALID_VALUE, clGetKernelWorkGroupInfo(first, device, 0x7777, 0, NULL, NULL));
  STRICT(CL_INVALID_VALUE, clGetKernelWorkGroupInfo(first, device, CL_KERNEL_GLOBAL_WORK_SIZE, sizeof required, required, NULL));
  CODE(CL_INVALID_KERNEL, clGetKernelWorkGroupInfo(NULL, device, CL_KERNEL_WORK_GROUP_SIZE, 0, NULL, NULL));

  // The arguments' names and kinds.
  static const struct {
    const char *name, *type;
    cl_kernel_arg_address_qualifier space;
    cl_kernel_arg_type_qualifier qualifier;
  } arguments[] = {
      {"a", "uint*", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_TYPE_CONST},
      {"c", "uint*", CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_TYPE_CONST},
      {"t", "ushort*", CL_KERNEL_ARG_ADDRESS_LOCAL, 0},
      {"n", "uint", CL_KERNEL_ARG_ADDRESS_PRIVATE, 0},
      {"v", "uchar4", CL_KERNEL_ARG_ADDRESS_PRIVATE, 0},
  };
  for (cl_uint i = 0; i < 5; i++) {
    cl_kernel_arg_address_qualifier space = 0;
    cl_kernel_arg_access_qualifier access = 0;
    cl_kernel_arg_type_qualifier qualifier = 99;
    cl_int code = clGetKernelArgInfo(first, i, CL_KERNEL_ARG_NAME, sizeof text, text, NULL);
    if (code == CL_KERNEL_ARG_INFO_NOT_AVAILABLE) {
      if (i == 0) FAIL("no information about arguments");
      continue;
    }
    CHECK(code == CL_SUCCESS && strcmp(text, arguments[i].name) == 0);
    OK(clGetKernelArgInfo(first, i, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL));
    if (strcmp(text, arguments[i].type)) FAIL("argument %u has type `%s`, expected `%s`", i, text, arguments[i].type);
    OK(clGetKernelArgInfo(first, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL));
    OK(clGetKernelArgInfo(first, i, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL));
    OK(clGetKernelArgInfo(first, i, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifier, &qualifier, NULL));
    CHECK(space == arguments[i].space && access == CL_KERNEL_ARG_ACCESS_NONE);
    if (qualifier != arguments[i].qualifier) FAIL("argument %u has qualifiers %d", i, (int)qualifier);
  }
  CODE(CL_INVALID_ARG_INDEX, clGetKernelArgInfo(first, 5, CL_KERNEL_ARG_NAME, 0, NULL, NULL));
  STRICT(CL_INVALID_VALUE, clGetKernelArgInfo(first, 0, 0x7777, 0, NULL, NULL));

  // Mistakes of arguments.
  cl_mem b = buffer_of(256, NULL);
  uint32_t word = 1;
  CODE(CL_INVALID_ARG_INDEX, clSetKernelArg(first, 5, 4, &word));
  CODE(CL_INVALID_ARG_SIZE, clSetKernelArg(first, 0, 4, &b));
  CODE(CL_INVALID_ARG_SIZE, clSetKernelArg(first, 2, 0, NULL));
  CODE(CL_INVALID_ARG_VALUE, clSetKernelArg(first, 2, 64, &word));
  CODE(CL_INVALID_ARG_SIZE, clSetKernelArg(first, 3, 2, &word));
  CODE(CL_INVALID_ARG_SIZE, clSetKernelArg(first, 3, 8, &word));
  CODE(CL_INVALID_ARG_VALUE, clSetKernelArg(first, 3, 4, NULL));
  CODE(CL_INVALID_KERNEL, clSetKernelArg(NULL, 3, 4, &word));
  if (warpsmith) {
    CODE(CL_INVALID_MEM_OBJECT, clSetKernelArg(first, 0, sizeof(cl_mem), &queue));
    cl_mem stray = (cl_mem)(void *)&word;
    CODE(CL_INVALID_MEM_OBJECT, clSetKernelArg(first, 0, sizeof(cl_mem), &stray));
  }
  size_t global = 32, local_size = 32;
  STRICT(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(queue, first, 1, NULL, &global, &local_size, 0, NULL, NULL));
  CODE(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(queue, second, 2, NULL, (size_t[]){16, 2}, (size_t[]){16, 2}, 0, NULL, NULL));

  // The required group.
  set_buffer(second, 0, b);
  OK(clEnqueueNDRangeKernel(queue, second, 2, NULL, (size_t[]){32, 2}, (size_t[]){16, 2}, 0, NULL, NULL));
  OK(clFinish(queue));
  CODE(CL_INVALID_WORK_GROUP_SIZE, clEnqueueNDRangeKernel(queue, second, 2, NULL, (size_t[]){32, 2}, (size_t[]){32, 1}, 0, NULL, NULL));

  REFUSED(CL_INVALID_KERNEL_NAME, clCreateKernel(p, "third", &err));
  REFUSED(CL_INVALID_VALUE, clCreateKernel(p, NULL, &err));
  REFUSED(CL_INVALID_PROGRAM, clCreateKernel(NULL, "first", &err));
  CODE(CL_INVALID_KERNEL, clRetainKernel(NULL));
  CODE(CL_INVALID_KERNEL, clReleaseKernel(NULL));

  // A kernel keeps its program.
  OK(clReleaseProgram(p));
  OK(clEnqueueNDRangeKernel(queue, second, 2, NULL, (size_t[]){16, 2}, (size_t[]){16, 2}, 0, NULL, NULL));
  OK(clFinish(queue));
  OK(clReleaseKernel(first));
  OK(clReleaseKernel(second));
  OK(clReleaseMemObject(b));
  return close_host();
}
