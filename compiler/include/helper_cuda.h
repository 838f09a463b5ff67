// Macros and functions that sample programs bring: checks, device choice, timers, command line.
#pragma once
#pragma clang system_header

#define checkCudaErrors(call) ((void)(call))
#define checkCudaErrorsNoSync(call) ((void)(call))
#define getLastCudaError(text) ((void)(text))
#define gpuErrchk(call) ((void)(call))
#define CUDA_SAFE_CALL(call) ((void)(call))
#define CUDA_SAFE_CALL_NO_SYNC(call) ((void)(call))
#define cutilSafeCall(call) ((void)(call))
#define cutilSafeCallNoSync(call) ((void)(call))
#define cutilCheckError(call) ((void)(call))
#define cutilCheckMsg(text) ((void)(text))
#define cutilExit(argc, argv)
#define cutilDrvSafeCall(call) ((void)(call))
#define CUT_CHECK_ERROR(text) ((void)(text))
#define CUT_SAFE_CALL(call) ((void)(call))
#define CUT_DEVICE_INIT(...)
#define CUT_EXIT(...)
#define CUT_BANK_CHECKER(array, index) array[index]
#define CUTBoolean int
#define CUTTrue 1
#define CUTFalse 0
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif

int findCudaDevice(int, const char **);
int gpuGetMaxGflopsDeviceId();
int cutGetMaxGflopsDeviceId();
int gpuDeviceInit(int);
int _ConvertSMVer2Cores(int, int);

class StopWatchInterface;
bool sdkCreateTimer(StopWatchInterface **);
bool sdkDeleteTimer(StopWatchInterface **);
bool sdkStartTimer(StopWatchInterface **);
bool sdkStopTimer(StopWatchInterface **);
bool sdkResetTimer(StopWatchInterface **);
float sdkGetTimerValue(StopWatchInterface **);
float sdkGetAverageTimerValue(StopWatchInterface **);
int cutCreateTimer(unsigned *);
int cutDeleteTimer(unsigned);
int cutStartTimer(unsigned);
int cutStopTimer(unsigned);
int cutResetTimer(unsigned);
float cutGetTimerValue(unsigned);

bool checkCmdLineFlag(const int, const char **, const char *);
int getCmdLineArgumentInt(const int, const char **, const char *);
float getCmdLineArgumentFloat(const int, const char **, const char *);
bool getCmdLineArgumentString(const int, const char **, const char *, char **);
char *sdkFindFilePath(const char *, const char *);
char *cutFindFilePath(const char *, const char *);
int cutCheckCmdLineFlag(const int, const char **, const char *);
int cutGetCmdLineArgumenti(const int, const char **, const char *, int *);
int cutComparefe(const float *, const float *, unsigned, float);
int cutComparef(const float *, const float *, unsigned);
bool sdkCompareL2fe(const float *, const float *, unsigned, float);
