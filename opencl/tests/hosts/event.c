// Events: wait lists, markers, barriers, user events, callbacks, what a failed event does to its followers.
#include "host.h"

static const char *SOURCE = "__kernel void advance(__global uint *a, uint v) { uint i = get_global_id(0); a[i] = a[i] * 3 + v; }";

static volatile int calls[4];
static void CL_CALLBACK called(cl_event e, cl_int status, void *user) {
  (void)e;
  calls[(size_t)user] += status == CL_COMPLETE ? 1 : status < 0 ? 100 : 10;
}
static void wait_for(volatile int *flag, int want) {
  for (int i = 0; i < 20000 && *flag != want; i++) {
    struct timespec ms = {0, 1000000};
    nanosleep(&ms, NULL);
  }
  if (*flag != want) FAIL("callback count %d, expected %d", *flag, want);
}
static cl_int status_of(cl_event e) {
  cl_int s = 99;
  OK(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof s, &s, NULL));
  return s;
}

int main(void) {
  open_host(0);
  cl_program p = build(SOURCE);
  cl_kernel step = kernel_of(p, "advance");
  uint32_t data[32] = {0}, back[32];
  cl_mem b = buffer_of(sizeof data, data);
  set_buffer(step, 0, b);
  size_t n = 32;
  cl_event e[8];

  // A command's event.
  set_int(step, 1, 1);
  OK(clEnqueueNDRangeKernel(queue, step, 1, NULL, &n, &n, 0, NULL, &e[0]));
  cl_command_type type = 0;
  cl_command_queue of = NULL;
  cl_context in = NULL;
  cl_uint count = 0;
  OK(clGetEventInfo(e[0], CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
  OK(clGetEventInfo(e[0], CL_EVENT_COMMAND_QUEUE, sizeof of, &of, NULL));
  OK(clGetEventInfo(e[0], CL_EVENT_CONTEXT, sizeof in, &in, NULL));
  OK(clGetEventInfo(e[0], CL_EVENT_REFERENCE_COUNT, sizeof count, &count, NULL));
  CHECK(type == CL_COMMAND_NDRANGE_KERNEL && of == queue && in == context && count >= 1);
  CODE(CL_INVALID_VALUE, clGetEventInfo(e[0], CL_EVENT_COMMAND_TYPE, 1, &type, NULL));
  CODE(CL_INVALID_VALUE, clGetEventInfo(e[0], 0x7777, 0, NULL, NULL));
  CODE(CL_INVALID_EVENT, clGetEventInfo(NULL, CL_EVENT_COMMAND_TYPE, 0, NULL, NULL));
  OK(clSetEventCallback(e[0], CL_COMPLETE, called, (void *)0));
  OK(clWaitForEvents(1, e));
  CHECK(status_of(e[0]) == CL_COMPLETE);
  wait_for(&calls[0], 1);
  // Set on an event that is done.
  OK(clSetEventCallback(e[0], CL_COMPLETE, called, (void *)0));
  wait_for(&calls[0], 2);
  CODE(CL_INVALID_VALUE, clSetEventCallback(e[0], CL_COMPLETE, NULL, NULL));
  CODE(CL_INVALID_VALUE, clSetEventCallback(e[0], CL_QUEUED, called, NULL));
  STRICT(CL_INVALID_EVENT, clSetEventCallback(NULL, CL_COMPLETE, called, NULL));
  OK(clRetainEvent(e[0]));
  OK(clReleaseEvent(e[0]));
  CODE(CL_INVALID_EVENT, clRetainEvent(NULL));
  CODE(CL_INVALID_EVENT, clReleaseEvent(NULL));
  CODE(CL_INVALID_VALUE, clWaitForEvents(0, NULL));
  CODE(CL_INVALID_VALUE, clWaitForEvents(1, NULL));
  OK(clReleaseEvent(e[0]));

  // A user event holds a chain back.
  cl_event gate = clCreateUserEvent(context, &err);
  MADE(gate);
  CHECK(status_of(gate) == CL_SUBMITTED);
  OK(clGetEventInfo(gate, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
  OK(clGetEventInfo(gate, CL_EVENT_COMMAND_QUEUE, sizeof of, &of, NULL));
  CHECK(type == CL_COMMAND_USER && of == NULL);
  set_int(step, 1, 2);
  OK(clEnqueueNDRangeKernel(queue, step, 1, NULL, &n, &n, 1, &gate, &e[0]));
  set_int(step, 1, 5); // arguments were taken with the command
  OK(clEnqueueNDRangeKernel(queue, step, 1, NULL, &n, &n, 1, &e[0], &e[1]));
  OK(clEnqueueReadBuffer(queue, b, CL_FALSE, 0, sizeof back, back, 1, &e[1], &e[2]));
  OK(clEnqueueMarkerWithWaitList(queue, 2, &e[1], &e[3]));
  OK(clEnqueueBarrierWithWaitList(queue, 0, NULL, &e[4]));
  OK(clSetEventCallback(e[4], CL_COMPLETE, called, (void *)1));
  OK(clFlush(queue));
  for (int i = 0; i < 5; i++) CHECK(status_of(e[i]) > CL_COMPLETE);
  CODE(CL_INVALID_VALUE, clSetUserEventStatus(gate, CL_RUNNING));
  OK(clSetUserEventStatus(gate, CL_COMPLETE));
  CODE(CL_INVALID_OPERATION, clSetUserEventStatus(gate, CL_COMPLETE));
  CODE(CL_INVALID_EVENT, clSetUserEventStatus(NULL, CL_COMPLETE));
  OK(clWaitForEvents(5, e));
  wait_for(&calls[1], 1);
  // ((0 * 3 + 1) * 3 + 2) * 3 + 5
  for (int i = 0; i < 32; i++) CHECK(back[i] == 20);
  print_ints("chain", back, 32);
  OK(clGetEventInfo(e[3], CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
  CHECK(type == CL_COMMAND_MARKER);
  OK(clGetEventInfo(e[4], CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
  CHECK(type == CL_COMMAND_BARRIER);
  STRICT(CL_INVALID_EVENT, clSetUserEventStatus(e[0], CL_COMPLETE));
  for (int i = 0; i < 5; i++) OK(clReleaseEvent(e[i]));
  OK(clReleaseEvent(gate));

  // The calls of OpenCL 1.1.
  OK(clEnqueueMarker(queue, &e[0]));
  OK(clEnqueueBarrier(queue));
  if (warpsmith) OK(clEnqueueWaitForEvents(queue, 1, e));
  OK(clFinish(queue));
  CHECK(status_of(e[0]) == CL_COMPLETE);
  OK(clReleaseEvent(e[0]));
  STRICT(CL_INVALID_VALUE, clEnqueueMarker(queue, NULL));
  STRICT(CL_INVALID_VALUE, clEnqueueWaitForEvents(queue, 0, NULL));
  CODE(CL_INVALID_COMMAND_QUEUE, clEnqueueMarkerWithWaitList(NULL, 0, NULL, NULL));
  CODE(CL_INVALID_COMMAND_QUEUE, clEnqueueBarrierWithWaitList(NULL, 0, NULL, NULL));
  CODE(CL_INVALID_EVENT_WAIT_LIST, clEnqueueMarkerWithWaitList(queue, 1, NULL, NULL));

  // A gate that fails: its followers do not run, waits report it, the queue goes on.
  cl_event failed = clCreateUserEvent(context, &err);
  MADE(failed);
  cl_uint zero = 0;
  OK(clEnqueueFillBuffer(queue, b, &zero, 4, 0, sizeof data, 1, &failed, &e[0]));
  OK(clSetEventCallback(e[0], CL_COMPLETE, called, (void *)2));
  OK(clSetUserEventStatus(failed, -7));
  CHECK(status_of(failed) == -7);
  CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &failed));
  CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, e));
  CHECK(status_of(e[0]) < 0);
  if (warpsmith) wait_for(&calls[2], 100);
  OK(clReleaseEvent(e[0]));
  OK(clReleaseEvent(failed));
  read_all(b, back, sizeof back);
  CHECK(back[0] == 20);

  // A blocking call that waits for a failure says so.
  if (warpsmith) {
    failed = clCreateUserEvent(context, &err);
    MADE(failed);
    OK(clSetUserEventStatus(failed, -1));
    CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clEnqueueReadBuffer(queue, b, CL_TRUE, 0, 4, back, 1, &failed, NULL));
    OK(clReleaseEvent(failed));
  }

  // Events of another context.
  cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
  MADE(other);
  cl_event foreign = clCreateUserEvent(other, &err);
  MADE(foreign);
  CODE(CL_INVALID_CONTEXT, clEnqueueMarkerWithWaitList(queue, 1, &foreign, &e[0]));
  cl_event own = clCreateUserEvent(context, &err);
  MADE(own);
  OK(clSetUserEventStatus(own, CL_COMPLETE));
  OK(clSetUserEventStatus(foreign, CL_COMPLETE));
  CODE(CL_INVALID_CONTEXT, clWaitForEvents(2, (cl_event[]){own, foreign}));
  OK(clReleaseEvent(own));
  OK(clReleaseEvent(foreign));
  OK(clReleaseContext(other));
  REFUSED(CL_INVALID_CONTEXT, clCreateUserEvent(NULL, &err));

  OK(clReleaseKernel(step));
  OK(clReleaseProgram(p));
  OK(clReleaseMemObject(b));
  return close_host();
}
