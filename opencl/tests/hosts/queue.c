// Queues: properties, questions, flush and finish.
#include "host.h"

int main(void) {
  open_host(0);
  cl_uint n = 0;
  cl_device_id of = NULL;
  cl_context in = NULL;
  cl_command_queue_properties properties = 99;
  OK(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof of, &of, NULL));
  OK(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof in, &in, NULL));
  OK(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL));
  CHECK(of == device && in == context && properties == 0);
  OK(clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof n, &n, NULL));
  CHECK(n == 1);
  OK(clRetainCommandQueue(queue));
  OK(clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof n, &n, NULL));
  CHECK(n == 2);
  OK(clReleaseCommandQueue(queue));
  CODE(CL_INVALID_VALUE, clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, 1, &n, NULL));
  CODE(CL_INVALID_VALUE, clGetCommandQueueInfo(queue, 0x7777, 0, NULL, NULL));
  CODE(CL_INVALID_COMMAND_QUEUE, clGetCommandQueueInfo(NULL, CL_QUEUE_DEVICE, 0, NULL, NULL));

  static const cl_command_queue_properties all[] = {
      CL_QUEUE_PROFILING_ENABLE, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE};
  for (size_t i = 0; i < COUNT(all); i++) {
    cl_command_queue q = clCreateCommandQueue(context, device, all[i], &err);
    MADE(q);
    OK(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL));
    CHECK(properties == all[i]);
    OK(clFlush(q));
    OK(clFinish(q));
    OK(clReleaseCommandQueue(q));
  }
  cl_command_queue_properties can = 0;
  OK(clGetDeviceInfo(device, CL_DEVICE_QUEUE_PROPERTIES, sizeof can, &can, NULL));
  CHECK(can & CL_QUEUE_PROFILING_ENABLE);

  REFUSED(CL_INVALID_VALUE, clCreateCommandQueue(context, device, 1 << 20, &err));
  REFUSED(CL_INVALID_CONTEXT, clCreateCommandQueue(NULL, device, 0, &err));
  REFUSED(CL_INVALID_DEVICE, clCreateCommandQueue(context, NULL, 0, &err));
  CODE(CL_INVALID_COMMAND_QUEUE, clFlush(NULL));
  CODE(CL_INVALID_COMMAND_QUEUE, clFinish(NULL));
  CODE(CL_INVALID_COMMAND_QUEUE, clRetainCommandQueue(NULL));
  CODE(CL_INVALID_COMMAND_QUEUE, clReleaseCommandQueue(NULL));

  // Commands of a released queue are still done.
  cl_command_queue q = clCreateCommandQueue(context, device, 0, &err);
  MADE(q);
  cl_mem b = buffer_of(64, NULL);
  int seven = 7, back[16] = {0};
  cl_event written;
  OK(clEnqueueFillBuffer(q, b, &seven, sizeof seven, 0, 64, 0, NULL, &written));
  OK(clReleaseCommandQueue(q));
  OK(clWaitForEvents(1, &written));
  OK(clReleaseEvent(written));
  read_all(b, back, sizeof back);
  print_ints("filled", back, 16);
  for (int i = 0; i < 16; i++) CHECK(back[i] == 7);
  OK(clReleaseMemObject(b));
  return close_host();
}
