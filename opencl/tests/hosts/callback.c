// Callbacks that give commands: each step of a chain is enqueued by the callback of the one before.
#include "host.h"
#include <pthread.h>

enum { STEPS = 40 };
static const char *SOURCE = "__kernel void advance(__global uint *a, uint v) { uint i = get_global_id(0); a[i] = a[i] * 3 + v; }";
static cl_kernel advance;
static cl_mem buffer;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int done, order_right = 1;

static void give(size_t step);

static void CL_CALLBACK next(cl_event e, cl_int status, void *user) {
  size_t step = (size_t)user;
  if (status != CL_COMPLETE) FAIL("step %zu has status %d", step, status);
  cl_command_type type = 0;
  OK(clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
  if (type != CL_COMMAND_NDRANGE_KERNEL) order_right = 0;
  if (step + 1 < STEPS) {
    give(step + 1);
    return;
  }
  pthread_mutex_lock(&mutex);
  done = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
}

static void give(size_t step) {
  size_t n = 32;
  cl_event e;
  set_int(advance, 1, (cl_int)step);
  OK(clEnqueueNDRangeKernel(queue, advance, 1, NULL, &n, &n, 0, NULL, &e));
  OK(clSetEventCallback(e, CL_COMPLETE, next, (void *)step));
  OK(clReleaseEvent(e)); // the callback still gets it
  OK(clFlush(queue));
}

// Callbacks of a buffer may ask and release.
static void CL_CALLBACK gone(cl_mem m, void *user) {
  (void)m;
  OK(clReleaseEvent(user));
}

int main(void) {
  open_host(0);
  uint32_t data[32] = {0}, want = 0;
  cl_program p = build(SOURCE);
  advance = kernel_of(p, "advance");
  buffer = buffer_of(sizeof data, data);
  set_buffer(advance, 0, buffer);
  give(0);
  pthread_mutex_lock(&mutex);
  while (!done) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  read_all(buffer, data, sizeof data);
  for (uint32_t s = 0; s < STEPS; s++) want = want * 3 + s;
  CHECK(data[0] == want && data[31] == want && order_right);
  print_ints("chain", data, 32);

  cl_event kept = clCreateUserEvent(context, &err);
  MADE(kept);
  OK(clSetUserEventStatus(kept, CL_COMPLETE));
  OK(clSetMemObjectDestructorCallback(buffer, gone, kept));
  OK(clReleaseMemObject(buffer));
  OK(clReleaseKernel(advance));
  OK(clReleaseProgram(p));
  return close_host();
}
