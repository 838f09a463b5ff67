// A child of a process that uses the driver: every call fails at once, none waits for threads that are not there; the parent
// goes on. A child forked before the first context uses the driver as its own.
#include "host.h"
#include <sys/wait.h>
#include <unistd.h>

static const char *SOURCE = "__kernel void k(__global uint *o) { o[get_global_id(0)] = get_global_id(0) + 1; }";

static int works(void) {
  cl_program p = build(SOURCE);
  cl_kernel k = kernel_of(p, "k");
  cl_mem b = buffer_of(256, NULL);
  set_buffer(k, 0, b);
  run1(k, 64, 32);
  uint32_t back[64] = {0};
  read_all(b, back, 256);
  OK(clReleaseMemObject(b));
  OK(clReleaseKernel(k));
  OK(clReleaseProgram(p));
  return back[0] == 1 && back[63] == 64;
}

// The exit code of a child; one that hangs is killed by its alarm.
static int child_of(int (*what)(void)) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(what());
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static int before(void) {
  open_host(0);
  CHECK(works());
  return close_host();
}

static cl_mem kept;
static cl_kernel kernel;

static int after(void) {
  uint32_t word;
  cl_event event = NULL;
  size_t size = 32;
  CODE(CL_OUT_OF_RESOURCES, clEnqueueReadBuffer(queue, kept, CL_TRUE, 0, 4, &word, 0, NULL, NULL));
  CODE(CL_OUT_OF_RESOURCES, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, &event));
  CODE(CL_OUT_OF_RESOURCES, clFinish(queue));
  CODE(CL_OUT_OF_RESOURCES, clFlush(queue));
  CODE(CL_OUT_OF_RESOURCES, clReleaseMemObject(kept));
  REFUSED(CL_OUT_OF_RESOURCES, clCreateContext(NULL, 1, &device, NULL, NULL, &err));
  REFUSED(CL_OUT_OF_RESOURCES, clCreateBuffer(context, CL_MEM_READ_WRITE, 4, NULL, &err));
  return failures != 0;
}

int main(void) {
  open_device();
  if (!warpsmith) return 0;
  CHECK(child_of(before) == 0);
  open_host(0);
  CHECK(works());
  cl_program p = build(SOURCE);
  kernel = kernel_of(p, "k");
  kept = buffer_of(256, NULL);
  set_buffer(kernel, 0, kept);
  // While a command runs, and without one.
  run1(kernel, 64, 32);
  CHECK(child_of(after) == 0);
  OK(clFinish(queue));
  CHECK(child_of(after) == 0);
  CHECK(works());
  OK(clReleaseMemObject(kept));
  OK(clReleaseKernel(kernel));
  OK(clReleaseProgram(p));
  return close_host();
}
