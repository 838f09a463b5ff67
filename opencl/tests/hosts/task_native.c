// Tasks, native kernels, migration of buffers.
#include "host.h"

static const char *SOURCE = "__kernel void count(__global uint *a) { uint n = 0; for (uint i = 0; i < 100; i++) n += i; *a = n + get_global_size(0); }";

static void CL_CALLBACK native(void *arguments) {
  void **a = arguments;
  *(uint32_t *)a[0] = 42;
}

int main(void) {
  open_host(0);
  cl_program p = build(SOURCE);
  cl_kernel count = kernel_of(p, "count");
  cl_mem b = buffer_of(64, NULL);
  set_buffer(count, 0, b);
  cl_event e;
  OK(clEnqueueTask(queue, count, 0, NULL, &e));
  cl_command_type type = 0;
  OK(clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
  if (warpsmith) CHECK(type == CL_COMMAND_TASK);
  OK(clReleaseEvent(e));
  uint32_t back = 0;
  read_all(b, &back, 4);
  CHECK(back == 4951);
  print_ints("task", &back, 1);
  STRICT(CL_INVALID_KERNEL, clEnqueueTask(queue, NULL, 0, NULL, NULL));
  CODE(CL_INVALID_COMMAND_QUEUE, clEnqueueTask(NULL, count, 0, NULL, NULL));

  cl_device_exec_capabilities can = 0;
  OK(clGetDeviceInfo(device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof can, &can, NULL));
  CHECK(can & CL_EXEC_KERNEL);
  void *arguments[2] = {NULL, NULL};
  const void *place = &arguments[0];
  if (!(can & CL_EXEC_NATIVE_KERNEL))
    CODE(CL_INVALID_OPERATION, clEnqueueNativeKernel(queue, native, arguments, sizeof arguments, 1, &b, &place, 0, NULL, NULL));
  else if (warpsmith) {
    OK(clEnqueueNativeKernel(queue, native, arguments, sizeof arguments, 1, &b, &place, 0, NULL, NULL));
    read_all(b, &back, 4);
    CHECK(back == 42);
  }
  CODE(CL_INVALID_COMMAND_QUEUE, clEnqueueNativeKernel(NULL, native, arguments, sizeof arguments, 1, &b, &place, 0, NULL, NULL));

  OK(clEnqueueMigrateMemObjects(queue, 1, &b, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, &e));
  OK(clWaitForEvents(1, &e));
  OK(clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
  CHECK(type == CL_COMMAND_MIGRATE_MEM_OBJECTS);
  OK(clReleaseEvent(e));
  OK(clEnqueueMigrateMemObjects(queue, 1, &b, 0, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(queue, 0, NULL, 0, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(queue, 1, NULL, 0, 0, NULL, NULL));
  CODE(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(queue, 1, &b, 1 << 9, 0, NULL, NULL));
  CODE(CL_INVALID_COMMAND_QUEUE, clEnqueueMigrateMemObjects(NULL, 1, &b, 0, 0, NULL, NULL));
  OK(clFinish(queue));
  OK(clReleaseKernel(count));
  OK(clReleaseProgram(p));
  OK(clReleaseMemObject(b));
  return close_host();
}
