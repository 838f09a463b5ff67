// Contexts: made of devices or of a type, counted, asked, refused.
#include "host.h"

int main(void) {
  open_device();
  cl_context_properties of[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
  context = clCreateContext(of, 1, &device, NULL, NULL, &err);
  MADE(context);

  cl_uint n = 0;
  OK(clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof n, &n, NULL));
  CHECK(n == 1);
  cl_device_id in = NULL;
  size_t bytes = 0;
  OK(clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof in, &in, &bytes));
  CHECK(in == device && bytes == sizeof in);
  cl_context_properties back[3] = {0};
  OK(clGetContextInfo(context, CL_CONTEXT_PROPERTIES, sizeof back, back, &bytes));
  CHECK(bytes == sizeof back && memcmp(back, of, sizeof of) == 0);
  CODE(CL_INVALID_VALUE, clGetContextInfo(context, CL_CONTEXT_PROPERTIES, sizeof back - 1, back, NULL));
  CODE(CL_INVALID_VALUE, clGetContextInfo(context, 0x7777, 0, NULL, NULL));
  CODE(CL_INVALID_CONTEXT, clGetContextInfo(NULL, CL_CONTEXT_DEVICES, 0, NULL, NULL));

  OK(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof n, &n, NULL));
  CHECK(n == 1);
  OK(clRetainContext(context));
  OK(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof n, &n, NULL));
  CHECK(n == 2);
  OK(clReleaseContext(context));
  CODE(CL_INVALID_CONTEXT, clRetainContext(NULL));
  CODE(CL_INVALID_CONTEXT, clReleaseContext(NULL));

  // A queue keeps its context.
  queue = clCreateCommandQueue(context, device, 0, &err);
  MADE(queue);
  OK(clReleaseContext(context));
  cl_context kept = NULL;
  OK(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof kept, &kept, NULL));
  CHECK(kept == context);
  OK(clFinish(queue));
  if (warpsmith) {
    CODE(CL_INVALID_CONTEXT, clRetainContext(AS(cl_context, queue)));
    CODE(CL_INVALID_COMMAND_QUEUE, clRetainCommandQueue(AS(cl_command_queue, context)));
  }
  OK(clReleaseCommandQueue(queue));
  if (warpsmith) {
    CODE(CL_INVALID_COMMAND_QUEUE, clReleaseCommandQueue(queue)); // stale
    CODE(CL_INVALID_CONTEXT, clReleaseContext(context));
  }

  cl_context from = clCreateContextFromType(of, CL_DEVICE_TYPE_DEFAULT, NULL, NULL, &err);
  MADE(from);
  OK(clReleaseContext(from));
  from = clCreateContextFromType(of, CL_DEVICE_TYPE_ALL, NULL, NULL, &err);
  MADE(from);
  OK(clGetContextInfo(from, CL_CONTEXT_NUM_DEVICES, sizeof n, &n, NULL));
  cl_uint all = 0;
  OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &all));
  CHECK(n == all);
  OK(clReleaseContext(from));

  // NULL properties: the loader takes the platform of the devices.
  from = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
  MADE(from);
  OK(clGetContextInfo(from, CL_CONTEXT_PROPERTIES, sizeof back, back, &bytes));
  OK(clReleaseContext(from));

  cl_context_properties unknown[] = {0x4242, 1, 0};
  cl_context_properties twice[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
  // More than 32 bits of a name, and a value that is no boolean.
  cl_context_properties wide[] = {CL_CONTEXT_PLATFORM + ((cl_context_properties)1 << 32), (cl_context_properties)platform, 0};
  cl_context_properties sync[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, CL_CONTEXT_INTEROP_USER_SYNC, 2, 0};
  STRICT_REFUSED(CL_INVALID_PROPERTY, clCreateContext(wide, 1, &device, NULL, NULL, &err));
  STRICT_REFUSED(CL_INVALID_PROPERTY, clCreateContext(sync, 1, &device, NULL, NULL, &err));
  REFUSED(CL_INVALID_VALUE, clCreateContext(of, 0, &device, NULL, NULL, &err));
  REFUSED(CL_INVALID_VALUE, clCreateContext(of, 1, NULL, NULL, NULL, &err));
  REFUSED(CL_INVALID_VALUE, clCreateContext(of, 1, &device, NULL, &n, &err));
  STRICT_REFUSED(CL_INVALID_PROPERTY, clCreateContext(unknown, 1, &device, NULL, NULL, &err));
  STRICT_REFUSED(CL_INVALID_PROPERTY, clCreateContext(twice, 1, &device, NULL, NULL, &err));
  STRICT_REFUSED(CL_INVALID_DEVICE_TYPE, clCreateContextFromType(of, 0, NULL, NULL, &err));
  STRICT_REFUSED(CL_DEVICE_NOT_FOUND, clCreateContextFromType(of, CL_DEVICE_TYPE_ACCELERATOR, NULL, NULL, &err));
  STRICT_REFUSED(CL_INVALID_VALUE, clCreateContextFromType(of, CL_DEVICE_TYPE_ALL, NULL, &n, &err));
  if (warpsmith) {
    cl_device_id wrong = AS(cl_device_id, platform);
    REFUSED(CL_INVALID_DEVICE, clCreateContext(of, 1, &wrong, NULL, NULL, &err));
  }
  return finish();
}
