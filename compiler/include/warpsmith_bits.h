// Integer intrinsics, conversions and reinterpretations.
#pragma once
#pragma clang system_header

#define __WS_I1(r, n, t, e) __WS_DEVICE r n(t x) { return e; }
#define __WS_I2(r, n, t, e) __WS_DEVICE r n(t x, t y) { return e; }
#define __WS_I3(r, n, t, u, e) __WS_DEVICE r n(t x, t y, u z) { return e; }

__WS_I2(int, __mul24, int, __nvvm_mul24_i(x, y))
__WS_I2(unsigned, __umul24, unsigned, __nvvm_mul24_ui(x, y))
__WS_I2(int, __mulhi, int, (int)(((long long)x * y) >> 32))
__WS_I2(unsigned, __umulhi, unsigned, (unsigned)(((unsigned long long)x * y) >> 32))
__WS_I2(long long, __mul64hi, long long, __nvvm_mulhi_ll(x, y))
__WS_I2(unsigned long long, __umul64hi, unsigned long long, __nvvm_mulhi_ull(x, y))
__WS_I3(unsigned, __sad, int, unsigned, (x < y ? (unsigned)y - (unsigned)x : (unsigned)x - (unsigned)y) + z)
__WS_I3(unsigned, __usad, unsigned, unsigned, (x < y ? y - x : x - y) + z)
__WS_I2(int, __hadd, int, (x & y) + ((x ^ y) >> 1))
__WS_I2(int, __rhadd, int, (x | y) - ((x ^ y) >> 1))
__WS_I2(unsigned, __uhadd, unsigned, (x & y) + ((x ^ y) >> 1))
__WS_I2(unsigned, __urhadd, unsigned, (x | y) - ((x ^ y) >> 1))
__WS_I1(int, __popc, unsigned, __builtin_popcount(x))
__WS_I1(int, __popcll, unsigned long long, __builtin_popcountll(x))
__WS_I1(int, __clz, int, x == 0 ? 32 : __builtin_clz(x))
__WS_I1(int, __clzll, long long, x == 0 ? 64 : __builtin_clzll(x))
__WS_I1(int, __ffs, int, __builtin_ffs(x))
__WS_I1(int, __ffsll, long long, __builtin_ffsll(x))
__WS_I1(unsigned, __brev, unsigned, __builtin_bitreverse32(x))
__WS_I1(unsigned long long, __brevll, unsigned long long, __builtin_bitreverse64(x))
__WS_I3(unsigned, __funnelshift_l, unsigned, unsigned, (unsigned)((((unsigned long long)y << 32 | x) << (z & 31)) >> 32))
__WS_I3(unsigned, __funnelshift_r, unsigned, unsigned, (unsigned)(((unsigned long long)y << 32 | x) >> (z & 31)))

__WS_I3(unsigned, __byte_perm, unsigned, unsigned, __nvvm_prmt(x, y, z))

__WS_I1(int, abs, int, x < 0 ? -x : x)
__WS_I1(long, labs, long, x < 0 ? -x : x)
__WS_I1(long long, llabs, long long, x < 0 ? -x : x)

__WS_I1(int, __float_as_int, float, __builtin_bit_cast(int, x))
__WS_I1(unsigned, __float_as_uint, float, __builtin_bit_cast(unsigned, x))
__WS_I1(float, __int_as_float, int, __builtin_bit_cast(float, x))
__WS_I1(float, __uint_as_float, unsigned, __builtin_bit_cast(float, x))

__WS_I1(int, __float2int_rz, float, (int)x)
__WS_I1(int, __float2int_rn, float, __nvvm_f2i_rn_ftz(x))
__WS_I1(int, __float2int_rd, float, __nvvm_f2i_rm_ftz(x))
__WS_I1(int, __float2int_ru, float, __nvvm_f2i_rp_ftz(x))
__WS_I1(unsigned, __float2uint_rz, float, (unsigned)x)
__WS_I1(unsigned, __float2uint_rn, float, __nvvm_f2ui_rn_ftz(x))
__WS_I1(unsigned, __float2uint_rd, float, __nvvm_f2ui_rm_ftz(x))
__WS_I1(unsigned, __float2uint_ru, float, __nvvm_f2ui_rp_ftz(x))
__WS_I1(float, __int2float_rn, int, (float)x)
__WS_I1(float, __uint2float_rn, unsigned, (float)x)
// The compiler takes its own built-ins for these as roundings to nearest.
__WS_DEVICE float __int2float_rz(int x) {
  float r;
  __asm__("cvt.rz.f32.s32 %0, %1;" : "=f"(r) : "r"(x));
  return r;
}
__WS_DEVICE float __uint2float_rz(unsigned x) {
  float r;
  __asm__("cvt.rz.f32.u32 %0, %1;" : "=f"(r) : "r"(x));
  return r;
}

// Half precision as 16 bits of storage.
__WS_I1(float, __half2float, unsigned short, (float)__builtin_bit_cast(__fp16, x))
__WS_I1(unsigned short, __float2half_rn, float, __builtin_bit_cast(unsigned short, (__fp16)x))

// Placement new, without <new> too: that header has the forms of void pointers.
template <class T> __attribute__((device)) inline void *operator new(size_t, T *p) noexcept { return (void *)p; }
template <class T> __attribute__((device)) inline void *operator new[](size_t, T *p) noexcept { return (void *)p; }
#define __assume(condition) __builtin_assume(condition)

__WS_DEVICE void *memset(void *p, int v, size_t n) { return __builtin_memset(p, v, n); }
__WS_DEVICE void *memcpy(void *p, const void *q, size_t n) { return __builtin_memcpy(p, q, n); }

// Loads and stores with hints for caches, which the chip does not follow.
template <class T> __WS_DEVICE T __ldg(const T *p) { return *p; }
template <class T> __WS_DEVICE T __ldca(const T *p) { return *p; }
template <class T> __WS_DEVICE T __ldcg(const T *p) { return *p; }
template <class T> __WS_DEVICE T __ldcs(const T *p) { return *p; }
template <class T> __WS_DEVICE T __ldlu(const T *p) { return *p; }
template <class T> __WS_DEVICE T __ldcv(const T *p) { return *(const volatile T *)p; }
template <class T> __WS_DEVICE void __stwb(T *p, T v) { *p = v; }
template <class T> __WS_DEVICE void __stwt(T *p, T v) { *(volatile T *)p = v; }
template <class T> __WS_DEVICE void __stcg(T *p, T v) { *p = v; }
template <class T> __WS_DEVICE void __stcs(T *p, T v) { *p = v; }

#define __WS_MINMAX(t)                                                                             \
  __WS_HD t min(t a, t b) { return a < b ? a : b; }                                                \
  __WS_HD t max(t a, t b) { return a < b ? b : a; }
__WS_MINMAX(int)
__WS_MINMAX(unsigned)
__WS_MINMAX(long)
__WS_MINMAX(unsigned long)
__WS_MINMAX(long long)
__WS_MINMAX(unsigned long long)
__WS_MINMAX(double)
__WS_HD float min(float a, float b) { return __builtin_fminf(a, b); }
__WS_HD float max(float a, float b) { return __builtin_fmaxf(a, b); }
template <class A, class B> __WS_HD auto min(A a, B b) -> decltype(true ? a : b) { return a < b ? a : b; }
template <class A, class B> __WS_HD auto max(A a, B b) -> decltype(true ? a : b) { return a < b ? b : a; }
__WS_I2(unsigned, umin, unsigned, x < y ? x : y)
__WS_I2(unsigned, umax, unsigned, x < y ? y : x)
__WS_I2(long long, llmin, long long, x < y ? x : y)
__WS_I2(long long, llmax, long long, x < y ? y : x)
#undef __WS_MINMAX
