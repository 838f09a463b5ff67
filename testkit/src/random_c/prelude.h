// Types and helpers of the random programs: everything here is defined for all operands.
typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;

#ifdef __CUDA__
#define KERNEL extern "C" __global__
#define NOINLINE __attribute__((noinline))
#else
#define KERNEL static
#define NOINLINE
struct uint2 { u32 x, y; };
struct uint4 { u32 x, y, z, w; };
struct short2 { i16 x, y; };
struct uchar4 { u8 x, y, z, w; };
#endif
#define HELPER static inline __device__

#define DIVISION(t)                                                     \
    HELPER t div_##t(t a, t b) { return b == 0 ? a : (t)(a / b); }      \
    HELPER t rem_##t(t a, t b) { return b == 0 ? (t)7 : (t)(a % b); }
#define SIGNED_DIVISION(t, u)                                                                       \
    HELPER t div_##t(t a, t b) { return b == 0 ? a : b == -1 ? (t)(0 - (u)a) : (t)(a / b); }        \
    HELPER t rem_##t(t a, t b) { return b == 0 ? (t)7 : b == -1 ? (t)0 : (t)(a % b); }
DIVISION(u8) DIVISION(u16) DIVISION(u32) DIVISION(u64)
SIGNED_DIVISION(i8, u32) SIGNED_DIVISION(i16, u32) SIGNED_DIVISION(i32, u32) SIGNED_DIVISION(i64, u64)

HELPER i32 least(i32 a, i32 b) { return a < b ? a : b; }
HELPER i32 most(i32 a, i32 b) { return a > b ? a : b; }
HELPER u32 uleast(u32 a, u32 b) { return a < b ? a : b; }
HELPER u32 umost(u32 a, u32 b) { return a > b ? a : b; }
HELPER i32 distance(i32 a) { return a < 0 ? (i32)(0u - (u32)a) : a; }
HELPER u32 turn(u32 a, u32 n) { return (a << (n & 31)) | (a >> ((32 - n) & 31)); }
HELPER u32 swap(u32 a) { return __builtin_bswap32(a); }
HELPER u32 ones(u32 a) { return __builtin_popcount(a); }
HELPER u32 zeros(u32 a) { return __builtin_clz(a | 1); }
#ifdef __CUDA__
HELPER i32 product24(i32 a, i32 b) { return __mul24(a, b); }
HELPER u32 uproduct24(u32 a, u32 b) { return __umul24(a, b); }
HELPER i32 upper(i32 a, i32 b) { return __mulhi(a, b); }
HELPER u32 uupper(u32 a, u32 b) { return __umulhi(a, b); }
#else
static i32 low24(i32 a) { return (i32)((u32)a << 8) >> 8; }
HELPER i32 product24(i32 a, i32 b) { return (i32)((i64)low24(a) * low24(b)); }
HELPER u32 uproduct24(u32 a, u32 b) { return (u32)((u64)(a & 0xffffff) * (b & 0xffffff)); }
HELPER i32 upper(i32 a, i32 b) { return (i32)(((i64)a * b) >> 32); }
HELPER u32 uupper(u32 a, u32 b) { return (u32)(((u64)a * b) >> 32); }
#endif
