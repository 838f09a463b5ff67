// Kernels that trap, never end, leave their buffers, use NULL: the command fails with a reason, everything else goes on.
// WARPSMITH_CYCLE_LIMIT ends the endless one. A reference device would die: it does nothing here.
#include "host.h"

static const char *SOURCE =
    "__kernel void good(__global uint *a) { a[get_global_id(0)] += 1; }\n"
    "__kernel void trap(__global uint *a) {\n"
    "  if (a[0] != 12345) __builtin_trap();\n" // line 3
    "}\n"
    "__kernel void forever(__global volatile uint *a) {\n"
    "  while (a[0] != 12345) a[1] += 1;\n" // line 6
    "}\n"
    "__kernel void outside(__global uint *a, uint at) {\n"
    "  a[at] = a[at + 1];\n" // line 9
    "}\n"
    "__kernel void write_null(__global uint *a, uint at) {\n"
    "  a[at] = 7;\n" // line 12
    "}\n"
    "__kernel void read_null(__global uint *a, uint at, __global uint *b) {\n"
    "  b[0] = a[at];\n" // line 15
    "}\n";

static char reasons[8192];
static void CL_CALLBACK reason(const char *why, const void *data, size_t bytes, void *user) {
  (void)data, (void)bytes, (void)user;
  strncat(reasons, why, sizeof reasons - strlen(reasons) - 1);
  fprintf(stderr, "context: %s\n", why);
}

int main(void) {
  open_device();
  if (!warpsmith) return 0;
  context = clCreateContext(NULL, 1, &device, reason, NULL, &err);
  MADE(context);
  queue = clCreateCommandQueue(context, device, 0, &err);
  MADE(queue);
  cl_command_queue other = clCreateCommandQueue(context, device, 0, &err);
  MADE(other);
  cl_program p = build(SOURCE);
  uint32_t zero[64] = {0}, back[64];
  cl_mem b = buffer_of(sizeof zero, zero), c = buffer_of(sizeof zero, zero);
  cl_kernel good = kernel_of(p, "good");
  size_t n = 32;

  static const struct {
    const char *name, *line;
    cl_uint at;
  } bad[] = {{"trap", ":3", 0},       {"forever", ":6", 0},       {"outside", ":9", 0x7ffffff0 / 4},
             {"write_null", ":12", 0}, {"write_null", ":12", 1023}, {"read_null", ":15", 0}};
  for (size_t i = 0; i < COUNT(bad); i++) {
    cl_kernel k = kernel_of(p, bad[i].name);
    cl_event failed, follower;
    int null = strstr(bad[i].name, "null") != NULL;
    if (null) OK(clSetKernelArg(k, 0, sizeof b, NULL));
    else set_buffer(k, 0, b);
    if (i >= 2) set_int(k, 1, (cl_int)bad[i].at);
    if (!strcmp(bad[i].name, "read_null")) set_buffer(k, 2, b);
    reasons[0] = 0;
    OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &n, &n, 0, NULL, &failed));
    OK(clEnqueueMarkerWithWaitList(queue, 1, &failed, &follower));
    CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &failed));
    cl_int status = 0;
    OK(clGetEventInfo(failed, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    CHECK(status == CL_OUT_OF_RESOURCES);
    CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &follower));
    // Where an endless kernel stands when the limit is reached the Verilog does not tell.
    int place = i != 1 || strstr(reasons, "warp instructions");
    if (!strstr(reasons, bad[i].name) || (place && !strstr(reasons, bad[i].line))) FAIL("`%s` names neither %s nor line %s", reasons, bad[i].name, bad[i].line);
    if (null && !strstr(reasons, "NULL")) FAIL("`%s` does not say NULL", reasons);
    OK(clReleaseEvent(failed));
    OK(clReleaseEvent(follower));
    OK(clReleaseKernel(k));
    // The other queue and this one go on.
    set_buffer(good, 0, c);
    OK(clEnqueueNDRangeKernel(other, good, 1, NULL, &n, &n, 0, NULL, NULL));
    OK(clFinish(other));
    OK(clEnqueueNDRangeKernel(queue, good, 1, NULL, &n, &n, 0, NULL, NULL));
    read_all(c, back, sizeof back);
    CHECK(back[0] == 2 * (i + 1) && back[31] == 2 * (i + 1) && back[32] == 0);
  }
  OK(clReleaseKernel(good));
  OK(clReleaseProgram(p));
  OK(clReleaseMemObject(b));
  OK(clReleaseMemObject(c));
  OK(clReleaseCommandQueue(other));
  return close_host();
}
