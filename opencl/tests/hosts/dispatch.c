// Every call of OpenCL 1.2 stands in the dispatch table of every object.
#include "host.h"
#include <CL/cl_icd.h>
#include <stddef.h>

typedef struct {
  const cl_icd_dispatch *table;
} object;

static const struct {
  const char *name;
  size_t at;
} calls[] = {
#define CALL(name) {#name, offsetof(cl_icd_dispatch, name)}
    CALL(clGetPlatformIDs), CALL(clGetPlatformInfo), CALL(clGetDeviceIDs), CALL(clGetDeviceInfo), CALL(clCreateContext),
    CALL(clCreateContextFromType), CALL(clRetainContext), CALL(clReleaseContext), CALL(clGetContextInfo), CALL(clCreateCommandQueue),
    CALL(clRetainCommandQueue), CALL(clReleaseCommandQueue), CALL(clGetCommandQueueInfo), CALL(clSetCommandQueueProperty),
    CALL(clCreateBuffer), CALL(clCreateImage2D), CALL(clCreateImage3D), CALL(clRetainMemObject), CALL(clReleaseMemObject),
    CALL(clGetSupportedImageFormats), CALL(clGetMemObjectInfo), CALL(clGetImageInfo), CALL(clCreateSampler), CALL(clRetainSampler),
    CALL(clReleaseSampler), CALL(clGetSamplerInfo), CALL(clCreateProgramWithSource), CALL(clCreateProgramWithBinary), CALL(clRetainProgram),
    CALL(clReleaseProgram), CALL(clBuildProgram), CALL(clUnloadCompiler), CALL(clGetProgramInfo), CALL(clGetProgramBuildInfo),
    CALL(clCreateKernel), CALL(clCreateKernelsInProgram), CALL(clRetainKernel), CALL(clReleaseKernel), CALL(clSetKernelArg),
    CALL(clGetKernelInfo), CALL(clGetKernelWorkGroupInfo), CALL(clWaitForEvents), CALL(clGetEventInfo), CALL(clRetainEvent),
    CALL(clReleaseEvent), CALL(clGetEventProfilingInfo), CALL(clFlush), CALL(clFinish), CALL(clEnqueueReadBuffer), CALL(clEnqueueWriteBuffer),
    CALL(clEnqueueCopyBuffer), CALL(clEnqueueReadImage), CALL(clEnqueueWriteImage), CALL(clEnqueueCopyImage),
    CALL(clEnqueueCopyImageToBuffer), CALL(clEnqueueCopyBufferToImage), CALL(clEnqueueMapBuffer), CALL(clEnqueueMapImage),
    CALL(clEnqueueUnmapMemObject), CALL(clEnqueueNDRangeKernel), CALL(clEnqueueTask), CALL(clEnqueueNativeKernel), CALL(clEnqueueMarker),
    CALL(clEnqueueWaitForEvents), CALL(clEnqueueBarrier), CALL(clGetExtensionFunctionAddress), CALL(clSetEventCallback),
    CALL(clCreateSubBuffer), CALL(clSetMemObjectDestructorCallback), CALL(clCreateUserEvent), CALL(clSetUserEventStatus),
    CALL(clEnqueueReadBufferRect), CALL(clEnqueueWriteBufferRect), CALL(clEnqueueCopyBufferRect), CALL(clCreateSubDevices),
    CALL(clRetainDevice), CALL(clReleaseDevice), CALL(clCreateImage), CALL(clCreateProgramWithBuiltInKernels), CALL(clCompileProgram),
    CALL(clLinkProgram), CALL(clUnloadPlatformCompiler), CALL(clGetKernelArgInfo), CALL(clEnqueueFillBuffer), CALL(clEnqueueFillImage),
    CALL(clEnqueueMigrateMemObjects), CALL(clEnqueueMarkerWithWaitList), CALL(clEnqueueBarrierWithWaitList),
    CALL(clGetExtensionFunctionAddressForPlatform),
};

static void check(const void *handle, const char *what) {
  const char *table = (const char *)((const object *)handle)->table;
  for (size_t i = 0; i < COUNT(calls); i++) {
    void *call = NULL;
    memcpy(&call, table + calls[i].at, sizeof call);
    if (!call && warpsmith) FAIL("%s is missing in the table of a %s", calls[i].name, what);
  }
}

int main(void) {
  open_host(0);
  check(platform, "platform");
  check(device, "device");
  check(context, "context");
  check(queue, "queue");
  cl_mem b = buffer_of(16, NULL);
  check(b, "buffer");
  cl_program p = build("__kernel void k(__global uint *a) { a[0] = 1; }");
  check(p, "program");
  cl_kernel k = kernel_of(p, "k");
  check(k, "kernel");
  cl_event e = clCreateUserEvent(context, &err);
  MADE(e);
  check(e, "event");
  if (warpsmith) {
    CHECK(clGetExtensionFunctionAddress("clNoSuchFunctionWARPSMITH") == NULL);
    OK(clUnloadCompiler());
    CODE(CL_INVALID_OPERATION, clSetCommandQueueProperty(queue, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, NULL));
  }
  OK(clSetUserEventStatus(e, CL_COMPLETE));
  OK(clReleaseEvent(e));
  OK(clReleaseKernel(k));
  OK(clReleaseProgram(p));
  OK(clReleaseMemObject(b));
  return close_host();
}
