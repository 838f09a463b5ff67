// OpenCL C on SM 1.0: what clang's own declarations of the built-in functions lack. Included in front of every .cl file; the
// functions are in warpsmith_cl_library.cl.
#pragma once
#pragma clang system_header

// The version of the device, whatever -cl-std says of the program.
#define __OPENCL_VERSION__ 120

#ifndef __IMAGE_SUPPORT__
#define __IMAGE_SUPPORT__ 1
#endif

// The extensions of the device: clang's target has more.
#undef cl_khr_fp64
#undef cl_khr_global_int32_base_atomics
#undef cl_khr_global_int32_extended_atomics
#undef cl_khr_local_int32_base_atomics
#undef cl_khr_local_int32_extended_atomics
#undef cl_clang_storage_class_specifiers

// Names of the extensions for functions that OpenCL 1.1 has.
#define atom_add atomic_add
#define atom_sub atomic_sub
#define atom_xchg atomic_xchg
#define atom_inc atomic_inc
#define atom_dec atomic_dec
#define atom_cmpxchg atomic_cmpxchg
#define atom_min atomic_min
#define atom_max atomic_max
#define atom_and atomic_and
#define atom_or atomic_or
#define atom_xor atomic_xor

// Nothing is printed: there is no way back to the host but memory. A host program could not tell: it is refused, by a
// function without a body.
__attribute__((overloadable)) int __ws_printf(void);
#define printf(...) __ws_printf()
