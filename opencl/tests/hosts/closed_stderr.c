// A command fails while nobody reads stderr: the program is told of the failure all the same.
#include "host.h"
#include <signal.h>
#include <unistd.h>

int main(void) {
  int ends[2];
  if (signal(SIGPIPE, SIG_IGN) == SIG_ERR || pipe(ends) != 0 || close(ends[0]) != 0 || dup2(ends[1], STDERR_FILENO) < 0) return 1;
  open_host(0);
  if (warpsmith) { // an access outside of all buffers is undefined elsewhere
    cl_program program = build("__kernel void stray(__global uint *a) { a[1 << 28] = 1; }");
    cl_kernel stray = kernel_of(program, "stray");
    cl_mem b = buffer_of(64, NULL);
    set_buffer(stray, 0, b);
    run1(stray, 1, 1);
    CODE(CL_OUT_OF_RESOURCES, clFinish(queue));
    OK(clReleaseMemObject(b));
    OK(clReleaseKernel(stray));
    OK(clReleaseProgram(program));
  }
  return close_host();
}
