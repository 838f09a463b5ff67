// Types of the library of Fourier transforms; its functions are the host's.
#pragma once
#pragma clang system_header
#include "cuComplex.h"
#define _CUFFT_H_
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
typedef int cufftHandle;
enum cufftResult_t { CUFFT_SUCCESS = 0 };
typedef enum cufftResult_t cufftResult;
