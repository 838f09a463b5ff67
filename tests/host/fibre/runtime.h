// The runtime of CUDA on the host: memory, symbols, devices; streams and events do everything at once.
#pragma once

enum cudaError {
  cudaSuccess, cudaErrorInvalidValue, cudaErrorMemoryAllocation, cudaErrorInitializationError, cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidSymbol = 13, cudaErrorInsufficientDriver = 35, cudaErrorNoDevice = 100, cudaErrorInvalidDevice = 101, cudaErrorNotReady = 600,
  cudaErrorLaunchFailure = 719, cudaErrorNotSupported = 801, cudaErrorUnknown = 999,
};
typedef enum cudaError cudaError_t;
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef int CUresult;
typedef int CUdevice;
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault };
enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual };
enum cudaSharedMemConfig { cudaSharedMemBankSizeDefault, cudaSharedMemBankSizeFourByte, cudaSharedMemBankSizeEightByte };
enum cudaLimit { cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize };
enum cudaComputeMode { cudaComputeModeDefault, cudaComputeModeExclusive, cudaComputeModeProhibited };
enum cudaMemoryAdvise {
  cudaMemAdviseSetReadMostly = 1, cudaMemAdviseUnsetReadMostly, cudaMemAdviseSetPreferredLocation, cudaMemAdviseUnsetPreferredLocation,
  cudaMemAdviseSetAccessedBy, cudaMemAdviseUnsetAccessedBy,
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributePreferredSharedMemoryCarveout };
enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1, cudaDevAttrMaxSharedMemoryPerBlock = 8, cudaDevAttrWarpSize = 10, cudaDevAttrClockRate = 13,
  cudaDevAttrMultiProcessorCount = 16, cudaDevAttrComputeMode = 20, cudaDevAttrMaxThreadsPerMultiProcessor = 39, cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76, cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81, cudaDevAttrManagedMemory = 83,
  cudaDevAttrConcurrentManagedAccess = 89, cudaDevAttrCooperativeLaunch = 95, cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
};
enum {
  cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2, cudaHostAllocWriteCombined = 4, cudaHostRegisterDefault = 0,
  cudaHostRegisterMapped = 2, cudaMemAttachGlobal = 1, cudaMemAttachHost = 2, cudaMemAttachSingle = 4, cudaEventDefault = 0,
  cudaEventBlockingSync = 1, cudaEventDisableTiming = 2, cudaStreamDefault = 0, cudaStreamNonBlocking = 1, cudaDeviceScheduleAuto = 0,
  cudaDeviceScheduleSpin = 1, cudaDeviceScheduleYield = 2, cudaDeviceBlockingSync = 4, cudaDeviceScheduleBlockingSync = 4, cudaDeviceMapHost = 8,
  cudaCpuDeviceId = -1, cudaInvalidDeviceId = -2,
};
struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerMultiprocessor, sharedMemPerBlockOptin, totalConstMem, memPitch, textureAlignment;
  int major, minor, multiProcessorCount, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], warpSize, clockRate, regsPerBlock,
      regsPerMultiprocessor, computeMode, deviceOverlap, asyncEngineCount, concurrentKernels, canMapHostMemory, maxThreadsPerMultiProcessor, integrated,
      unifiedAddressing, managedMemory, concurrentManagedAccess, pageableMemoryAccess, cooperativeLaunch, memoryClockRate, memoryBusWidth,
      l2CacheSize, ECCEnabled, kernelExecTimeoutEnabled, pciBusID, pciDeviceID, persistingL2CacheMaxSize;
};
struct cudaFuncAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion;
};
struct cudaPitchedPtr { void *ptr; size_t pitch, xsize, ysize; };
struct cudaExtent { size_t width, height, depth; };

// Memory.
template <class T> cudaError_t cudaMalloc(T **p, size_t bytes) {
  *p = (T *)fibre::allocate(bytes, fibre::kind<T>());
  return *p ? cudaSuccess : cudaErrorMemoryAllocation;
}
template <class T> cudaError_t cudaMallocManaged(T **p, size_t bytes, unsigned = 0) { return cudaMalloc(p, bytes); }
template <class T> cudaError_t cudaMallocAsync(T **p, size_t bytes, cudaStream_t) { return cudaMalloc(p, bytes); }
template <class T> cudaError_t cudaHostAlloc(T **p, size_t bytes, unsigned = 0) { return cudaMalloc(p, bytes); }
template <class T> cudaError_t cudaMallocHost(T **p, size_t bytes, unsigned = 0) { return cudaMalloc(p, bytes); }
template <class T> cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t width, size_t height) {
  *pitch = (width + 255) / 256 * 256;
  return cudaMalloc(p, *pitch * height);
}
template <class T> cudaError_t cudaHostGetDevicePointer(T **p, void *host, unsigned) {
  *p = (T *)host;
  return cudaSuccess;
}
static inline cudaError_t cudaFree(void *p) {
  fibre::release(p);
  return cudaSuccess;
}
static inline cudaError_t cudaFreeAsync(void *p, cudaStream_t) { return cudaFree(p); }
static inline cudaError_t cudaFreeHost(void *p) { return cudaFree(p); }
static inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind = cudaMemcpyDefault) {
  if (bytes && (!to || !from)) return cudaErrorInvalidValue;
  memmove(to, from, bytes);
  return cudaSuccess;
}
static inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind = cudaMemcpyDefault, cudaStream_t = 0) {
  return cudaMemcpy(to, from, bytes);
}
static inline cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t pitch, size_t width, size_t height, cudaMemcpyKind) {
  for (size_t y = 0; y < height; y++) memmove((char *)to + y * to_pitch, (const char *)from + y * pitch, width);
  return cudaSuccess;
}
static inline cudaError_t cudaMemset(void *p, int value, size_t bytes) {
  if (!p) return cudaErrorInvalidValue;
  memset(p, value, bytes);
  return cudaSuccess;
}
static inline cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t = 0) { return cudaMemset(p, value, bytes); }
static inline cudaError_t cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height) {
  for (size_t y = 0; y < height; y++) memset((char *)p + y * pitch, value, width);
  return cudaSuccess;
}
static inline cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
  *free = *total = fibre::setting("FIBRE_BYTES", 96 << 20);
  return cudaSuccess;
}

// Variables, by themselves or, in old programs, by name.
template <class T> char *fibre_symbol(const T &variable) { return (char *)&variable; }
template <size_t N> char *fibre_symbol(const char (&name)[N]) {
  for (auto &symbol : fibre::symbols())
    if (!strcmp(symbol.name, name)) return symbol.at;
  return (char *)&name;
}
static inline char *fibre_symbol(const char *name) {
  for (auto &symbol : fibre::symbols())
    if (!strcmp(symbol.name, name)) return symbol.at;
  return (char *)name;
}
template <class T>
cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0, cudaMemcpyKind = cudaMemcpyHostToDevice) {
  memmove(fibre_symbol(symbol) + offset, from, bytes);
  return cudaSuccess;
}
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes, size_t offset = 0, cudaMemcpyKind = cudaMemcpyHostToDevice, cudaStream_t = 0) {
  return cudaMemcpyToSymbol(symbol, from, bytes, offset);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0, cudaMemcpyKind = cudaMemcpyDeviceToHost) {
  memmove(to, fibre_symbol(symbol) + offset, bytes);
  return cudaSuccess;
}
template <class P, class T> cudaError_t cudaGetSymbolAddress(P **p, const T &symbol) {
  *p = (P *)fibre_symbol(symbol);
  return cudaSuccess;
}
template <class T> cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol) {
  *bytes = sizeof symbol;
  return cudaSuccess;
}

// Devices.
static inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int) {
  memset(p, 0, sizeof *p);
  strcpy(p->name, "coroutines of the host");
  p->totalGlobalMem = 1u << 30;
  p->sharedMemPerBlock = p->sharedMemPerMultiprocessor = p->sharedMemPerBlockOptin = 48 << 10;
  p->totalConstMem = 64 << 10;
  p->memPitch = 1 << 20, p->textureAlignment = 256;
  p->major = 6, p->minor = 0;
  p->multiProcessorCount = 2;
  p->maxThreadsPerBlock = p->maxThreadsDim[0] = p->maxThreadsDim[1] = 512, p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  p->warpSize = 32, p->regsPerBlock = p->regsPerMultiprocessor = 65536;
  p->maxThreadsPerMultiProcessor = 1024;
  p->clockRate = 1000000, p->memoryClockRate = 1000, p->memoryBusWidth = 32, p->l2CacheSize = 1 << 16;
  p->canMapHostMemory = p->unifiedAddressing = p->managedMemory = p->concurrentManagedAccess = p->concurrentKernels = 1;
  return cudaSuccess;
}
static inline cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: *value = 512; break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = 48 << 10; break;
    case cudaDevAttrWarpSize: *value = 32; break;
    case cudaDevAttrMultiProcessorCount: *value = 2; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = 1024; break;
    case cudaDevAttrComputeCapabilityMajor: *value = 6; break;
    case cudaDevAttrComputeCapabilityMinor:
    case cudaDevAttrComputeMode:
    case cudaDevAttrCooperativeLaunch: *value = 0; break;
    default: *value = 1;
  }
  return cudaSuccess;
}
static inline cudaError_t cudaGetDevice(int *device) {
  *device = 0;
  return cudaSuccess;
}
static inline cudaError_t cudaGetDeviceCount(int *count) {
  *count = 1;
  return cudaSuccess;
}
static inline cudaError_t cudaDriverGetVersion(int *version) {
  *version = CUDA_VERSION;
  return cudaSuccess;
}
static inline cudaError_t cudaRuntimeGetVersion(int *version) { return cudaDriverGetVersion(version); }
static inline cudaError_t cudaGetLastError() {
  cudaError_t last = fibre::launch_failed ? cudaErrorInvalidConfiguration : cudaSuccess;
  fibre::launch_failed = false;
  return last;
}
static inline cudaError_t cudaPeekAtLastError() { return fibre::launch_failed ? cudaErrorInvalidConfiguration : cudaSuccess; }
static inline const char *cudaGetErrorString(cudaError_t e) { return e ? "error" : "no error"; }
static inline const char *cudaGetErrorName(cudaError_t e) { return cudaGetErrorString(e); }

// Kernels.
template <class F> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *a, F) {
  memset(a, 0, sizeof *a);
  a->maxThreadsPerBlock = 512;
  return cudaSuccess;
}
template <class F> cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, F, int, size_t) {
  *blocks = 1;
  return cudaSuccess;
}
template <class F> cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, F, size_t = 0, int = 0) {
  *grid = 2, *block = 128;
  return cudaSuccess;
}
template <class... P>
cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void **arguments, size_t shared = 0, cudaStream_t = 0) {
  fibre::run(fibre::Shape(grid, block, shared), [=] { fibre_spread(kernel, arguments, std::index_sequence_for<P...>()); });
  return cudaPeekAtLastError();
}

// Streams and events: nothing is left to do when a call returns.
static inline cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  *stream = (cudaStream_t)1;
  return cudaSuccess;
}
static inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned) { return cudaStreamCreate(stream); }
static inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned, int) { return cudaStreamCreate(stream); }
static inline cudaError_t cudaEventCreate(cudaEvent_t *event) {
  *event = (cudaEvent_t)1;
  return cudaSuccess;
}
static inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned) { return cudaEventCreate(event); }
static inline cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t, cudaEvent_t) {
  *milliseconds = 1;
  return cudaSuccess;
}
template <class F> cudaError_t cudaLaunchHostFunc(cudaStream_t, F f, void *data) {
  f(data);
  return cudaSuccess;
}
template <class F> cudaError_t cudaStreamAddCallback(cudaStream_t stream, F f, void *data, unsigned) {
  f(stream, cudaSuccess, data);
  return cudaSuccess;
}
#define FIBRE_DOES_NOTHING(name) \
  template <class... A> cudaError_t name(const A &...) { return cudaSuccess; }
FIBRE_DOES_NOTHING(cudaDeviceSynchronize)
FIBRE_DOES_NOTHING(cudaThreadSynchronize)
FIBRE_DOES_NOTHING(cudaDeviceReset)
FIBRE_DOES_NOTHING(cudaThreadExit)
FIBRE_DOES_NOTHING(cudaSetDevice)
FIBRE_DOES_NOTHING(cudaSetDeviceFlags)
FIBRE_DOES_NOTHING(cudaDeviceSetLimit)
FIBRE_DOES_NOTHING(cudaDeviceSetCacheConfig)
FIBRE_DOES_NOTHING(cudaThreadSetCacheConfig)
FIBRE_DOES_NOTHING(cudaDeviceSetSharedMemConfig)
FIBRE_DOES_NOTHING(cudaFuncSetCacheConfig)
FIBRE_DOES_NOTHING(cudaFuncSetSharedMemConfig)
FIBRE_DOES_NOTHING(cudaFuncSetAttribute)
FIBRE_DOES_NOTHING(cudaStreamSynchronize)
FIBRE_DOES_NOTHING(cudaStreamDestroy)
FIBRE_DOES_NOTHING(cudaStreamQuery)
FIBRE_DOES_NOTHING(cudaStreamWaitEvent)
FIBRE_DOES_NOTHING(cudaStreamAttachMemAsync)
FIBRE_DOES_NOTHING(cudaEventRecord)
FIBRE_DOES_NOTHING(cudaEventSynchronize)
FIBRE_DOES_NOTHING(cudaEventDestroy)
FIBRE_DOES_NOTHING(cudaEventQuery)
FIBRE_DOES_NOTHING(cudaMemPrefetchAsync)
FIBRE_DOES_NOTHING(cudaMemAdvise)
FIBRE_DOES_NOTHING(cudaHostRegister)
FIBRE_DOES_NOTHING(cudaHostUnregister)
FIBRE_DOES_NOTHING(cudaProfilerStart)
FIBRE_DOES_NOTHING(cudaProfilerStop)
#undef FIBRE_DOES_NOTHING

// What `helper_cuda.h` of the samples and `cutil.h` before it have.
template <class T> void fibre_check(T result, const char *text) {
  if (!(int)result) return;
  fprintf(stderr, "%s: error %d\n", text, (int)result);
  exit(1);
}
#define EXIT_WAIVED 2
#define checkCudaErrors(call) fibre_check(call, #call)
#define getLastCudaError(message) fibre_check(cudaGetLastError(), message)
#define CUDA_SAFE_CALL(call) fibre_check(call, #call)
#define CUT_CHECK_ERROR(message) fibre_check(cudaGetLastError(), message)
static inline int findCudaDevice(int, const char **) { return 0; }
static inline int gpuGetMaxGflopsDeviceId() { return 0; }
static inline int gpuDeviceInit(int) { return 0; }
static inline int _ConvertSMVer2Cores(int, int) { return 8; }
static inline bool checkCudaCapabilities(int, int) { return true; }
static inline const char *_cudaGetErrorEnum(cudaError_t e) { return cudaGetErrorString(e); }
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
