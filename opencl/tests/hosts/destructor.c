// Callbacks of memory objects: once, in reverse order, after the last command.
#include "host.h"

static int order[8], calls;
static void CL_CALLBACK gone(cl_mem m, void *user) {
  (void)m;
  order[calls++ & 7] = (int)(size_t)user;
}

int main(void) {
  open_host(0);
  uint32_t back[16];
  cl_mem b = buffer_of(64, NULL);
  for (size_t i = 1; i <= 3; i++) OK(clSetMemObjectDestructorCallback(b, gone, (void *)i));
  CODE(CL_INVALID_VALUE, clSetMemObjectDestructorCallback(b, NULL, NULL));
  CODE(CL_INVALID_MEM_OBJECT, clSetMemObjectDestructorCallback(NULL, gone, NULL));
  OK(clRetainMemObject(b));
  OK(clReleaseMemObject(b));
  CHECK(calls == 0);
  cl_event hold = clCreateUserEvent(context, &err);
  MADE(hold);
  OK(clEnqueueReadBuffer(queue, b, CL_FALSE, 0, 64, back, 1, &hold, NULL));
  OK(clReleaseMemObject(b));
  CHECK(calls == 0); // the command needs it
  OK(clSetUserEventStatus(hold, CL_COMPLETE));
  OK(clFinish(queue));
  for (int i = 0; i < 2000 && calls < 3; i++) { struct timespec ms = {0, 1000000}; nanosleep(&ms, NULL); }
  CHECK(calls == 3 && order[0] == 3 && order[1] == 2 && order[2] == 1);
  OK(clReleaseEvent(hold));

  // A window keeps the whole.
  calls = 0;
  b = buffer_of(4096, NULL);
  cl_buffer_region all = {0, 4096};
  OK(clSetMemObjectDestructorCallback(b, gone, (void *)4));
  cl_mem sub = clCreateSubBuffer(b, 0, CL_BUFFER_CREATE_TYPE_REGION, &all, &err);
  MADE(sub);
  OK(clReleaseMemObject(b));
  CHECK(calls == 0);
  OK(clReleaseMemObject(sub));
  CHECK(calls == 1 && order[0] == 4);

  // A kernel holds no reference to its arguments.
  calls = 0;
  cl_program program = build("__kernel void set(__global uint *a) { a[0] = 1; }");
  cl_kernel set = kernel_of(program, "set");
  b = buffer_of(64, NULL);
  OK(clSetMemObjectDestructorCallback(b, gone, (void *)5));
  set_buffer(set, 0, b);
  OK(clReleaseMemObject(b));
  CHECK(calls == 1 && order[0] == 5);
  size_t one = 1;
  STRICT(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(queue, set, 1, NULL, &one, NULL, 0, NULL, NULL));
  OK(clReleaseKernel(set));
  OK(clReleaseProgram(program));
  return close_host();
}
