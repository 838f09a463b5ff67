// Times of commands: ordered, of the device's clock, refused where they were not asked for.
#include "host.h"

static const char *SOURCE = "__kernel void work(__global uint *a, uint rounds) { uint i = get_global_id(0), x = a[i];\n"
                            "  for (uint r = 0; r < rounds; r++) x = x * 5 + r;\n  a[i] = x; }";

static cl_ulong times(cl_event e) {
  cl_ulong t[4] = {0};
  OK(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_QUEUED, sizeof t[0], &t[0], NULL));
  OK(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_SUBMIT, sizeof t[0], &t[1], NULL));
  OK(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_START, sizeof t[0], &t[2], NULL));
  OK(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof t[0], &t[3], NULL));
  CHECK(t[0] > 0 && t[0] <= t[1] && t[1] <= t[2] && t[2] <= t[3]);
  return t[3] - t[2];
}

int main(void) {
  open_host(CL_QUEUE_PROFILING_ENABLE);
  CHECK(size_info(CL_DEVICE_PROFILING_TIMER_RESOLUTION) >= 1);
  cl_program p = build(SOURCE);
  cl_kernel work = kernel_of(p, "work");
  uint32_t data[64] = {0};
  cl_mem b = buffer_of(sizeof data, data);
  set_buffer(work, 0, b);
  size_t n = 64;
  cl_event one, many, copy;
  set_int(work, 1, 10);
  OK(clEnqueueNDRangeKernel(queue, work, 1, NULL, &n, &n, 0, NULL, &one));
  set_int(work, 1, 500);
  OK(clEnqueueNDRangeKernel(queue, work, 1, NULL, &n, &n, 0, NULL, &many));
  OK(clEnqueueReadBuffer(queue, b, CL_FALSE, 0, sizeof data, data, 0, NULL, &copy));
  OK(clFinish(queue));
  cl_ulong short_time = times(one), long_time = times(many);
  times(copy);
  print_ints("worked", data, 64);
  if (warpsmith) {
    // Cycles: a loop of fifty times the rounds takes many times as long, on any host.
    CHECK(long_time > 10 * short_time);
    fprintf(stderr, "%llu ns and %llu ns at %u MHz\n", (unsigned long long)short_time, (unsigned long long)long_time, uint_info(CL_DEVICE_MAX_CLOCK_FREQUENCY));
    // The same command takes the same cycles.
    cl_event again[2];
    for (int i = 0; i < 2; i++) OK(clEnqueueNDRangeKernel(queue, work, 1, NULL, &n, &n, 0, NULL, &again[i]));
    OK(clWaitForEvents(2, again));
    cl_ulong a = times(again[0]), c = times(again[1]);
    CHECK(a + a / 20 >= c && c + c / 20 >= a);
    for (int i = 0; i < 2; i++) OK(clReleaseEvent(again[i]));
  }

  cl_ulong t = 0;
  CODE(CL_INVALID_VALUE, clGetEventProfilingInfo(one, CL_PROFILING_COMMAND_END, 4, &t, NULL));
  CODE(CL_INVALID_VALUE, clGetEventProfilingInfo(one, 0x7777, sizeof t, &t, NULL));
  CODE(CL_INVALID_EVENT, clGetEventProfilingInfo(NULL, CL_PROFILING_COMMAND_END, sizeof t, &t, NULL));
  cl_event gate = clCreateUserEvent(context, &err), waiting;
  MADE(gate);
  CODE(CL_PROFILING_INFO_NOT_AVAILABLE, clGetEventProfilingInfo(gate, CL_PROFILING_COMMAND_END, sizeof t, &t, NULL));
  OK(clEnqueueMarkerWithWaitList(queue, 1, &gate, &waiting));
  CODE(CL_PROFILING_INFO_NOT_AVAILABLE, clGetEventProfilingInfo(waiting, CL_PROFILING_COMMAND_END, sizeof t, &t, NULL));
  OK(clSetUserEventStatus(gate, CL_COMPLETE));
  OK(clFinish(queue));
  times(waiting);
  OK(clReleaseEvent(gate));
  OK(clReleaseEvent(waiting));
  cl_command_queue plain = clCreateCommandQueue(context, device, 0, &err);
  MADE(plain);
  cl_event quiet;
  OK(clEnqueueReadBuffer(plain, b, CL_TRUE, 0, 4, data, 0, NULL, &quiet));
  CODE(CL_PROFILING_INFO_NOT_AVAILABLE, clGetEventProfilingInfo(quiet, CL_PROFILING_COMMAND_END, sizeof t, &t, NULL));
  OK(clReleaseEvent(quiet));
  OK(clReleaseCommandQueue(plain));

  OK(clReleaseEvent(one));
  OK(clReleaseEvent(many));
  OK(clReleaseEvent(copy));
  OK(clReleaseKernel(work));
  OK(clReleaseProgram(p));
  OK(clReleaseMemObject(b));
  return close_host();
}
