// Eight threads on one context: own queues and objects, a shared program, a shared out-of-order queue, shared counts.
#include "host.h"
#include <pthread.h>

enum { THREADS = 8, ROUNDS = 12, WORDS = 64 };
static const char *SOURCE = "__kernel void add(__global uint *a, __global const uint *b, uint v) { uint i = get_global_id(0); a[i] += b[i] * v; }";
static cl_program shared;
static cl_mem table;
static uint32_t sums[THREADS];

static void *work(void *argument) {
  size_t t = (size_t)argument;
  uint32_t zero[WORDS] = {0}, got[WORDS];
  cl_int e = 0;
  cl_command_queue own = t % 2 ? clCreateCommandQueue(context, device, 0, &e) : queue;
  OK(clRetainMemObject(table));
  cl_mem a = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof zero, zero, &e);
  OK(e);
  for (uint32_t r = 0; r < ROUNDS; r++) {
    cl_kernel k = clCreateKernel(shared, "add", &e);
    OK(e);
    cl_uint v = (cl_uint)(t + 1) * (r + 1);
    OK(clSetKernelArg(k, 0, sizeof a, &a));
    OK(clSetKernelArg(k, 1, sizeof table, &table));
    OK(clSetKernelArg(k, 2, sizeof v, &v));
    size_t n = WORDS, group = 32;
    cl_event done, read;
    OK(clEnqueueNDRangeKernel(own, k, 1, NULL, &n, &group, 0, NULL, &done));
    OK(clReleaseKernel(k));
    OK(clEnqueueReadBuffer(own, a, CL_FALSE, 0, sizeof got, got, 1, &done, &read));
    OK(clFlush(own));
    OK(clWaitForEvents(1, &read));
    for (uint32_t i = 0; i < WORDS; i++)
      if (got[i] != (uint32_t)(t + 1) * (r + 1) * (r + 2) / 2 * i) FAIL("thread %zu round %u word %u: %u", t, r, i, got[i]);
    OK(clReleaseEvent(done));
    OK(clReleaseEvent(read));
    if (r == ROUNDS / 2) {
      // A program of its own in the middle.
      cl_program p = clCreateProgramWithSource(context, 1, &SOURCE, NULL, &e);
      OK(e);
      OK(clBuildProgram(p, 1, &device, "", NULL, NULL));
      OK(clReleaseProgram(p));
    }
  }
  for (uint32_t i = 0; i < WORDS; i++) sums[t] += got[i];
  OK(clReleaseMemObject(a));
  OK(clReleaseMemObject(table));
  if (own != queue) OK(clReleaseCommandQueue(own));
  return NULL;
}

int main(void) {
  open_host(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  shared = build(SOURCE);
  uint32_t values[WORDS];
  for (uint32_t i = 0; i < WORDS; i++) values[i] = i;
  table = buffer_of(sizeof values, values);
  pthread_t threads[THREADS];
  for (size_t t = 0; t < THREADS; t++) pthread_create(&threads[t], NULL, work, (void *)t);
  for (size_t t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
  OK(clFinish(queue));
  cl_uint n = 0;
  OK(clGetMemObjectInfo(table, CL_MEM_REFERENCE_COUNT, sizeof n, &n, NULL));
  CHECK(n == 1);
  print_ints("sums", sums, THREADS);
  OK(clReleaseMemObject(table));
  OK(clReleaseProgram(shared));
  return close_host();
}
