// An out-of-order queue: a random graph of commands tied by events gives what the order of the events gives.
#include "host.h"

enum { BUFFERS = 6, COMMANDS = 60, WORDS = 64 };
static const char *SOURCE = "__kernel void stir(__global uint *to, __global const uint *from, uint v) { uint i = get_global_id(0);\n"
                            "  to[i] = to[i] * 31 + from[(i + v) % 64] + v; }";

int main(void) {
  open_host(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  cl_program p = build(SOURCE);
  cl_kernel mix = kernel_of(p, "stir");
  uint32_t want[BUFFERS][WORDS], got[WORDS], seed = 77;
  cl_mem b[BUFFERS];
  cl_event last[BUFFERS] = {0}, all[COMMANDS];
  for (int i = 0; i < BUFFERS; i++) {
    for (int j = 0; j < WORDS; j++) want[i][j] = next_random(&seed);
    b[i] = buffer_of(sizeof want[i], want[i]);
  }
  // Every command waits for the last one on both of its buffers.
  cl_event gate = clCreateUserEvent(context, &err);
  MADE(gate);
  for (int c = 0; c < COMMANDS; c++) {
    uint32_t to = next_random(&seed) % BUFFERS, from = next_random(&seed) % BUFFERS, v = next_random(&seed) % 1000;
    if (from == to) from = (to + 1) % BUFFERS;
    cl_event waits[3] = {gate};
    cl_uint n = 1;
    if (last[to]) waits[n++] = last[to];
    if (last[from] && last[from] != last[to]) waits[n++] = last[from];
    if (c % 4 == 3) {
      OK(clEnqueueCopyBuffer(queue, b[from], b[to], 0, 128, 128, n, waits, &all[c]));
      memcpy(want[to] + 32, want[from], 128);
    } else {
      size_t size = WORDS, group = 32;
      set_buffer(mix, 0, b[to]);
      set_buffer(mix, 1, b[from]);
      set_int(mix, 2, (cl_int)v);
      OK(clEnqueueNDRangeKernel(queue, mix, 1, NULL, &size, &group, n, waits, &all[c]));
      for (uint32_t i = 0; i < WORDS; i++) want[to][i] = want[to][i] * 31 + want[from][(i + v) % 64] + v;
    }
    last[to] = last[from] = all[c];
  }
  OK(clFlush(queue));
  OK(clSetUserEventStatus(gate, CL_COMPLETE));
  OK(clWaitForEvents(COMMANDS, all));
  OK(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
  for (int i = 0; i < BUFFERS; i++) {
    read_all(b[i], got, sizeof got);
    CHECK(memcmp(got, want[i], sizeof got) == 0);
    print_ints("mixed", got, WORDS);
  }

  // A barrier without events orders what comes after it.
  cl_event hold = clCreateUserEvent(context, &err);
  MADE(hold);
  uint32_t value = 1;
  OK(clEnqueueFillBuffer(queue, b[0], &value, 4, 0, 256, 1, &hold, NULL));
  OK(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(queue, b[0], CL_FALSE, 0, 256, got, 0, NULL, NULL));
  // What does not wait runs now.
  OK(clSetUserEventStatus(hold, CL_COMPLETE));
  OK(clFinish(queue));
  CHECK(got[0] == 1 && got[63] == 1);
  OK(clReleaseEvent(hold));

  // A command that waits holds no other one up.
  hold = clCreateUserEvent(context, &err);
  MADE(hold);
  OK(clEnqueueFillBuffer(queue, b[1], &value, 4, 0, 256, 1, &hold, NULL));
  OK(clFlush(queue));
  cl_event free_one;
  value = 2;
  OK(clEnqueueFillBuffer(queue, b[2], &value, 4, 0, 256, 0, NULL, &free_one));
  if (warpsmith) OK(clWaitForEvents(1, &free_one));
  OK(clSetUserEventStatus(hold, CL_COMPLETE));
  OK(clFinish(queue));
  OK(clReleaseEvent(free_one));
  OK(clReleaseEvent(hold));

  for (int c = 0; c < COMMANDS; c++) OK(clReleaseEvent(all[c]));
  for (int i = 0; i < BUFFERS; i++) OK(clReleaseMemObject(b[i]));
  OK(clReleaseEvent(gate));
  OK(clReleaseKernel(mix));
  OK(clReleaseProgram(p));
  return close_host();
}
