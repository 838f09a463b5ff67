// A script of calls on stdin, a list for each thread: objects are made, counted, released, commands given and
// waited for in any order. The program knows what every buffer must hold. A line is: THREAD CALL A B.
#include "host.h"
#include <pthread.h>

enum { THREADS = 4, SLOTS = 4, WORDS = 64, LINES = 512 };
static const char *SOURCE = "__kernel void join(__global uint *to, __global const uint *from, uint v) { uint i = get_global_id(0); to[i] = to[i] * 3 + from[i] + v; }";

typedef struct {
  char call;
  unsigned a, b;
} line;

typedef struct {
  size_t number, lines;
  line list[LINES];
  cl_command_queue queues[2];
  cl_mem buffers[SLOTS];
  cl_event last[SLOTS]; // of the command that changed or read the slot
  uint32_t want[SLOTS][WORDS];
  cl_event gate;
  cl_kernel kernel;
} worker;
static worker workers[THREADS];
static cl_program program;

static void keep(worker *w, unsigned slot, cl_event e) {
  OK(clRetainEvent(e));
  if (w->last[slot]) OK(clReleaseEvent(w->last[slot]));
  w->last[slot] = e;
}

// What a command on these slots waits for.
static cl_uint waits_of(worker *w, unsigned a, unsigned b, cl_event *waits) {
  cl_uint n = 0;
  if (w->last[a]) waits[n++] = w->last[a];
  if (b != a && w->last[b]) waits[n++] = w->last[b];
  if (w->gate) waits[n++] = w->gate;
  return n;
}

static void open_gate(worker *w) {
  if (!w->gate) return;
  OK(clSetUserEventStatus(w->gate, CL_COMPLETE));
  OK(clReleaseEvent(w->gate));
  w->gate = NULL;
}

static void empty(worker *w, unsigned slot) {
  if (w->buffers[slot]) OK(clReleaseMemObject(w->buffers[slot]));
  if (w->last[slot]) OK(clReleaseEvent(w->last[slot]));
  w->buffers[slot] = NULL;
  w->last[slot] = NULL;
}

static void step(worker *w, line l) {
  unsigned a = l.a % SLOTS, b = l.b % SLOTS;
  cl_command_queue q = w->queues[(l.a / SLOTS + l.b / SLOTS) % 2];
  cl_event waits[3], e = NULL;
  cl_int code = 0;
  if (l.call != 'b' && !w->buffers[a]) return;
  if ((l.call == 'k' || l.call == 'c') && (!w->buffers[b] || a == b)) return;
  cl_uint n = waits_of(w, a, l.call == 'k' || l.call == 'c' ? b : a, waits);
  const cl_event *list = n ? waits : NULL;
  switch (l.call) {
  case 'b': // a buffer, in place of the one there
    empty(w, a);
    for (uint32_t i = 0; i < WORDS; i++) w->want[a][i] = l.b * 1000 + i;
    w->buffers[a] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof w->want[a], w->want[a], &code);
    OK(code);
    break;
  case 'r': // released, whatever is under way
    empty(w, a);
    break;
  case 'f': { // filled
    uint32_t v = l.b;
    OK(clEnqueueFillBuffer(q, w->buffers[a], &v, 4, 16, 128, n, list, &e));
    for (int i = 4; i < 36; i++) w->want[a][i] = v;
    break;
  }
  case 'k': { // kernel
    size_t size = WORDS;
    cl_uint v = l.b;
    OK(clSetKernelArg(w->kernel, 0, sizeof(cl_mem), &w->buffers[a]));
    OK(clSetKernelArg(w->kernel, 1, sizeof(cl_mem), &w->buffers[b]));
    OK(clSetKernelArg(w->kernel, 2, sizeof v, &v));
    OK(clEnqueueNDRangeKernel(q, w->kernel, 1, NULL, &size, NULL, n, list, &e));
    for (int i = 0; i < WORDS; i++) w->want[a][i] = w->want[a][i] * 3 + w->want[b][i] + v;
    keep(w, b, e);
    break;
  }
  case 'c': // copied
    OK(clEnqueueCopyBuffer(q, w->buffers[b], w->buffers[a], 0, 128, 64, n, list, &e));
    memcpy(w->want[a] + 32, w->want[b], 64);
    keep(w, b, e);
    break;
  case 'm': { // mapped and written
    open_gate(w);
    n = waits_of(w, a, a, waits);
    uint32_t *m = clEnqueueMapBuffer(q, w->buffers[a], CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, sizeof w->want[a], n, n ? waits : NULL, NULL, &code);
    OK(code);
    if (!m) return;
    if (memcmp(m, w->want[a], sizeof w->want[a])) FAIL("thread %zu: slot %u holds something else when mapped", w->number, a);
    m[l.b % WORDS] = w->want[a][l.b % WORDS] = l.b;
    OK(clEnqueueUnmapMemObject(q, w->buffers[a], m, 0, NULL, &e));
    break;
  }
  case 'd': { // read and compared
    uint32_t got[WORDS];
    open_gate(w);
    n = waits_of(w, a, a, waits);
    OK(clEnqueueReadBuffer(q, w->buffers[a], CL_TRUE, 0, sizeof got, got, n, n ? waits : NULL, &e));
    if (memcmp(got, w->want[a], sizeof got)) FAIL("thread %zu: slot %u holds something else", w->number, a);
    break;
  }
  case 'w': // waited for
    open_gate(w);
    if (w->last[a]) OK(clWaitForEvents(1, &w->last[a]));
    break;
  case 'F': // all done
    open_gate(w);
    OK(clFinish(q));
    break;
  case 'l':
    OK(clFlush(q));
    break;
  case 'u': // what follows waits for a user event
    if (w->gate) {
      open_gate(w);
    } else {
      w->gate = clCreateUserEvent(context, &code);
      OK(code);
    }
    break;
  case 'n': { // counted
    OK(clRetainMemObject(w->buffers[a]));
    OK(clRetainContext(context));
    OK(clRetainProgram(program));
    OK(clReleaseProgram(program));
    OK(clReleaseContext(context));
    OK(clReleaseMemObject(w->buffers[a]));
    break;
  }
  case 'q': // another queue; the commands of the old one go on
    OK(clReleaseCommandQueue(w->queues[l.b % 2]));
    w->queues[l.b % 2] = clCreateCommandQueue(context, device, l.b & 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &code);
    OK(code);
    break;
  case 'K': // another kernel; its commands keep the old one
    OK(clReleaseKernel(w->kernel));
    w->kernel = clCreateKernel(program, "join", &code);
    OK(code);
    break;
  case 'e': // marker, barrier
    if (l.b % 2) OK(clEnqueueMarkerWithWaitList(q, n, list, &e));
    else OK(clEnqueueBarrierWithWaitList(q, n, list, &e));
    break;
  }
  if (e) {
    keep(w, a, e);
    OK(clReleaseEvent(e));
  }
}

static void *work(void *argument) {
  worker *w = argument;
  cl_int code = 0;
  for (size_t i = 0; i < 2; i++) {
    w->queues[i] = clCreateCommandQueue(context, device, i ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &code);
    OK(code);
  }
  w->kernel = clCreateKernel(program, "join", &code);
  OK(code);
  for (size_t i = 0; i < w->lines; i++) step(w, w->list[i]);
  for (unsigned a = 0; a < SLOTS; a++)
    if (w->buffers[a]) step(w, (line){'d', a, 0});
  open_gate(w);
  for (unsigned a = 0; a < SLOTS; a++) empty(w, a);
  for (size_t i = 0; i < 2; i++) {
    OK(clFinish(w->queues[i]));
    OK(clReleaseCommandQueue(w->queues[i]));
  }
  OK(clReleaseKernel(w->kernel));
  return NULL;
}

int main(void) {
  unsigned t, a, b;
  char call;
  while (scanf("%u %c %u %u", &t, &call, &a, &b) == 4) {
    worker *w = &workers[t % THREADS];
    if (w->lines < LINES) w->list[w->lines++] = (line){call, a, b};
  }
  open_host(0);
  program = build(SOURCE);
  pthread_t threads[THREADS];
  for (size_t i = 0; i < THREADS; i++) {
    workers[i].number = i;
    pthread_create(&threads[i], NULL, work, &workers[i]);
  }
  for (size_t i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  cl_uint n = 0;
  OK(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof n, &n, NULL));
  if (!warpsmith) CHECK(n >= 1);
  OK(clReleaseProgram(program));
  return close_host();
}
