// OpenCL C on SM 1.0: what clang's own declarations of the built-in functions lack. Included in front of every .cl file; the
// functions are in warpsmith_cl_library.cl.
#pragma once
#pragma clang system_header

// The version of the device, whatever -cl-std says of the program.
#define __OPENCL_VERSION__ 120

#ifndef __IMAGE_SUPPORT__
#define __IMAGE_SUPPORT__ 1
#endif

// The extensions of devices, those of atomic functions from SM 1.1 on: clang's target has more. clang declares functions of
// doubles where the macro is there; without them a call with an integer is one of floats.
#ifdef __WS_FLOATS
#undef cl_khr_fp64
#endif
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

// printf: a record in a buffer that the host reads (docs/compiler.md); 0, or -1 where the buffer is full. A format and
// up to 32 arguments.
__global uint *__warpsmith_print(uint bytes);
#define __WS_CAT_(a, b) a##b
#define __WS_CAT(a, b) __WS_CAT_(a, b)
#define __WS_PICK(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, _17, _18, \
  _19, _20, _21, _22, _23, _24, _25, _26, _27, _28, _29, _30, _31, _32, _33, n, ...) n
#define __WS_COUNT(...) __WS_PICK(__VA_ARGS__, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, \
  20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define __WS_ARGS1(m, f)
#define __WS_ARGS2(m, f, a) m(a)
#define __WS_ARGS3(m, f, a, ...) m(a) __WS_ARGS2(m, f, __VA_ARGS__)
#define __WS_ARGS4(m, f, a, ...) m(a) __WS_ARGS3(m, f, __VA_ARGS__)
#define __WS_ARGS5(m, f, a, ...) m(a) __WS_ARGS4(m, f, __VA_ARGS__)
#define __WS_ARGS6(m, f, a, ...) m(a) __WS_ARGS5(m, f, __VA_ARGS__)
#define __WS_ARGS7(m, f, a, ...) m(a) __WS_ARGS6(m, f, __VA_ARGS__)
#define __WS_ARGS8(m, f, a, ...) m(a) __WS_ARGS7(m, f, __VA_ARGS__)
#define __WS_ARGS9(m, f, a, ...) m(a) __WS_ARGS8(m, f, __VA_ARGS__)
#define __WS_ARGS10(m, f, a, ...) m(a) __WS_ARGS9(m, f, __VA_ARGS__)
#define __WS_ARGS11(m, f, a, ...) m(a) __WS_ARGS10(m, f, __VA_ARGS__)
#define __WS_ARGS12(m, f, a, ...) m(a) __WS_ARGS11(m, f, __VA_ARGS__)
#define __WS_ARGS13(m, f, a, ...) m(a) __WS_ARGS12(m, f, __VA_ARGS__)
#define __WS_ARGS14(m, f, a, ...) m(a) __WS_ARGS13(m, f, __VA_ARGS__)
#define __WS_ARGS15(m, f, a, ...) m(a) __WS_ARGS14(m, f, __VA_ARGS__)
#define __WS_ARGS16(m, f, a, ...) m(a) __WS_ARGS15(m, f, __VA_ARGS__)
#define __WS_ARGS17(m, f, a, ...) m(a) __WS_ARGS16(m, f, __VA_ARGS__)
#define __WS_ARGS18(m, f, a, ...) m(a) __WS_ARGS17(m, f, __VA_ARGS__)
#define __WS_ARGS19(m, f, a, ...) m(a) __WS_ARGS18(m, f, __VA_ARGS__)
#define __WS_ARGS20(m, f, a, ...) m(a) __WS_ARGS19(m, f, __VA_ARGS__)
#define __WS_ARGS21(m, f, a, ...) m(a) __WS_ARGS20(m, f, __VA_ARGS__)
#define __WS_ARGS22(m, f, a, ...) m(a) __WS_ARGS21(m, f, __VA_ARGS__)
#define __WS_ARGS23(m, f, a, ...) m(a) __WS_ARGS22(m, f, __VA_ARGS__)
#define __WS_ARGS24(m, f, a, ...) m(a) __WS_ARGS23(m, f, __VA_ARGS__)
#define __WS_ARGS25(m, f, a, ...) m(a) __WS_ARGS24(m, f, __VA_ARGS__)
#define __WS_ARGS26(m, f, a, ...) m(a) __WS_ARGS25(m, f, __VA_ARGS__)
#define __WS_ARGS27(m, f, a, ...) m(a) __WS_ARGS26(m, f, __VA_ARGS__)
#define __WS_ARGS28(m, f, a, ...) m(a) __WS_ARGS27(m, f, __VA_ARGS__)
#define __WS_ARGS29(m, f, a, ...) m(a) __WS_ARGS28(m, f, __VA_ARGS__)
#define __WS_ARGS30(m, f, a, ...) m(a) __WS_ARGS29(m, f, __VA_ARGS__)
#define __WS_ARGS31(m, f, a, ...) m(a) __WS_ARGS30(m, f, __VA_ARGS__)
#define __WS_ARGS32(m, f, a, ...) m(a) __WS_ARGS31(m, f, __VA_ARGS__)
#define __WS_ARGS33(m, f, a, ...) m(a) __WS_ARGS32(m, f, __VA_ARGS__)
#define __WS_ARGS(m, ...) __WS_CAT(__WS_ARGS, __WS_COUNT(__VA_ARGS__))(m, __VA_ARGS__)
#define __WS_FORMAT(f, ...) (f)
// The value as it is passed: arrays as pointers, narrow integers as int; vectors as they are.
#define __WS_PASSED(a) (1 ? (a) : (a))
#define __WS_SIZE(a) + 4 + (uint)(sizeof(__WS_PASSED(a)) + 3) / 4 * 4
#define __WS_PUT(a)                                                                                \
  {                                                                                                \
    typedef __typeof__(__WS_PASSED(a)) __attribute__((aligned(4))) __ws_type;                      \
    *__ws_at = sizeof(__ws_type);                                                                  \
    *(__global __ws_type *)(__ws_at + 1) = __WS_PASSED(a);                                         \
    __ws_at += 1 + (sizeof(__ws_type) + 3) / 4;                                                    \
  }
#define printf(...)                                                                                \
  ({                                                                                               \
    const uint __ws_bytes = 8 __WS_ARGS(__WS_SIZE, __VA_ARGS__);                                   \
    __global uint *__ws_at = __warpsmith_print(__ws_bytes);                                        \
    int __ws_full = __ws_at == 0;                                                                  \
    if (!__ws_full) {                                                                              \
      __ws_at[0] = 0x80000000u | __ws_bytes;                                                       \
      __ws_at[1] = (uint)__WS_FORMAT(__VA_ARGS__, 0);                                              \
      __ws_at += 2;                                                                                \
      __WS_ARGS(__WS_PUT, __VA_ARGS__)                                                             \
    }                                                                                              \
    -__ws_full;                                                                                    \
  })
