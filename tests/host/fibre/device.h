// Barriers, atomic functions, bits and conversions of device code.
#pragma once

static inline void __syncthreads() { fibre::wait(fibre::State::AtBarrier); }
static inline void __syncwarp(unsigned = ~0u) { fibre::wait(fibre::State::AtWarp); }
static inline void __threadfence() {}
static inline void __threadfence_block() {}
static inline void __threadfence_system() {}
static inline void __trap() { abort(); }
static inline void __brkpt() {}
static inline void __nanosleep(unsigned) {}
static inline long long clock64() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

namespace fibre {

// Sum over the threads of a block: three sums take turns, so that one barrier suffices.
inline int block_sum(int value) {
  static int sums[3];
  unsigned turn = current->votes++ % 3;
  if (current->number == 0 && current->votes == 1) sums[0] = sums[1] = sums[2] = 0;
  sums[turn] += value;
  __syncthreads();
  sums[(turn + 2) % 3] = 0;
  return sums[turn];
}

} // namespace fibre

static inline int __syncthreads_count(int p) { return fibre::block_sum(p != 0); }
static inline int __syncthreads_or(int p) { return fibre::block_sum(p != 0) != 0; }
static inline int __syncthreads_and(int p) { return fibre::block_sum(p == 0) == 0; }

// Atomic functions: only one thread runs. `old` is the value before.
#define FIBRE_ATOMIC(name, after)                                                                     \
  template <class T, class V> std::remove_volatile_t<T> name(T *p, V given) {                         \
    using U = std::remove_volatile_t<T>;                                                              \
    U old = *p, v = (U)given;                                                                         \
    *p = (U)(after);                                                                                  \
    return old;                                                                                       \
  }                                                                                                   \
  template <class T, class V> auto name##_block(T *p, V given) { return name(p, given); }             \
  template <class T, class V> auto name##_system(T *p, V given) { return name(p, given); }
FIBRE_ATOMIC(atomicAdd, old + v)
FIBRE_ATOMIC(atomicSub, old - v)
FIBRE_ATOMIC(atomicExch, v)
FIBRE_ATOMIC(atomicMin, v < old ? v : old)
FIBRE_ATOMIC(atomicMax, v > old ? v : old)
FIBRE_ATOMIC(atomicAnd, old & v)
FIBRE_ATOMIC(atomicOr, old | v)
FIBRE_ATOMIC(atomicXor, old ^ v)
FIBRE_ATOMIC(atomicInc, old >= v ? 0 : old + 1)
FIBRE_ATOMIC(atomicDec, old == 0 || old > v ? v : old - 1)
#undef FIBRE_ATOMIC
template <class T, class C, class V> std::remove_volatile_t<T> atomicCAS(T *p, C compare, V value) {
  using U = std::remove_volatile_t<T>;
  U old = *p;
  if (old == (U)compare) *p = (U)value;
  return old;
}
template <class T, class C, class V> auto atomicCAS_block(T *p, C compare, V value) { return atomicCAS(p, compare, value); }
template <class T, class C, class V> auto atomicCAS_system(T *p, C compare, V value) { return atomicCAS(p, compare, value); }

// Loads and stores with hints.
template <class T> T __ldg(const T *p) { return *p; }
template <class T> T __ldca(const T *p) { return *p; }
template <class T> T __ldcg(const T *p) { return *p; }
template <class T> T __ldcs(const T *p) { return *p; }
template <class T> T __ldlu(const T *p) { return *p; }
template <class T> T __ldcv(const T *p) { return *p; }
template <class T> void __stwb(T *p, T v) { *p = v; }
template <class T> void __stcg(T *p, T v) { *p = v; }
template <class T> void __stcs(T *p, T v) { *p = v; }
template <class T> void __stwt(T *p, T v) { *p = v; }

// Integers.
static inline int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
static inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
static inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  unsigned long long low = (a & 0xffffffff) * (b & 0xffffffff), x = (a >> 32) * (b & 0xffffffff), y = (a & 0xffffffff) * (b >> 32);
  return (a >> 32) * (b >> 32) + (x >> 32) + (y >> 32) + (((low >> 32) + (x & 0xffffffff) + (y & 0xffffffff)) >> 32);
}
static inline long long __mul64hi(long long a, long long b) {
  return __umul64hi(a, b) - (a < 0 ? b : 0) - (b < 0 ? a : 0);
}
static inline int __clz(int x) { return x ? __builtin_clz(x) : 32; }
static inline int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline unsigned __brev(unsigned x) {
  unsigned reversed = 0;
  for (int i = 0; i < 32; i++) reversed |= (x >> i & 1) << (31 - i);
  return reversed;
}
static inline unsigned long long __brevll(unsigned long long x) {
  return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}
static inline unsigned __sad(int a, int b, unsigned c) { return c + (a > b ? (unsigned)a - b : (unsigned)b - a); }
static inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a > b ? a - b : b - a); }
static inline int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
static inline int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) {
  return (unsigned)(((unsigned long long)high << 32 | low) << (by & 31) >> 32);
}
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
  return (unsigned)(((unsigned long long)high << 32 | low) >> (by & 31));
}
static inline unsigned __byte_perm(unsigned a, unsigned b, unsigned choice) {
  unsigned long long all = (unsigned long long)b << 32 | a;
  unsigned chosen = 0;
  for (int i = 0; i < 4; i++) {
    unsigned nibble = choice >> 4 * i & 15, byte = (unsigned)(all >> 8 * (nibble & 7)) & 255;
    if (nibble & 8) byte = byte & 128 ? 255 : 0;
    chosen |= byte << 8 * i;
  }
  return chosen;
}
static inline int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 32; i += 8) c += (signed char)(a >> i) * (signed char)(b >> i);
  return c;
}
static inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 32; i += 8) c += (a >> i & 255) * (b >> i & 255);
  return c;
}

// Numbers as bits.
template <class To, class From> To fibre_bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}
static inline float __int_as_float(int x) { return fibre_bits<float>(x); }
static inline int __float_as_int(float x) { return fibre_bits<int>(x); }
static inline float __uint_as_float(unsigned x) { return fibre_bits<float>(x); }
static inline unsigned __float_as_uint(float x) { return fibre_bits<unsigned>(x); }
static inline double __longlong_as_double(long long x) { return fibre_bits<double>(x); }
static inline long long __double_as_longlong(double x) { return fibre_bits<long long>(x); }
static inline int __double2hiint(double x) { return (int)(fibre_bits<long long>(x) >> 32); }
static inline int __double2loint(double x) { return (int)fibre_bits<long long>(x); }
static inline double __hiloint2double(int high, int low) {
  return fibre_bits<double>((unsigned long long)(unsigned)high << 32 | (unsigned)low);
}

// Floats to integers: the nearest of those that the type has, and 0 for NaN, as device code has it.
template <class To, class From> To fibre_saturated(From x) {
  if (x != x) return 0;
  if (x <= (From)std::numeric_limits<To>::min()) return std::numeric_limits<To>::min();
  if (x >= (From)std::numeric_limits<To>::max()) return std::numeric_limits<To>::max();
  return (To)x;
}
#define FIBRE_CONVERSIONS(from, type)                                                                 \
  FIBRE_CONVERSION(from, type, rn, rint) FIBRE_CONVERSION(from, type, rz, trunc)                      \
  FIBRE_CONVERSION(from, type, rd, floor) FIBRE_CONVERSION(from, type, ru, ceil)
#define FIBRE_CONVERSION(from, type, mode, whole)                                                     \
  static inline int __##from##2int_##mode(type x) { return fibre_saturated<int>(whole(x)); }          \
  static inline unsigned __##from##2uint_##mode(type x) { return fibre_saturated<unsigned>(whole(x)); } \
  static inline long long __##from##2ll_##mode(type x) { return fibre_saturated<long long>(whole(x)); } \
  static inline unsigned long long __##from##2ull_##mode(type x) { return fibre_saturated<unsigned long long>(whole(x)); }
FIBRE_CONVERSIONS(float, float)
FIBRE_CONVERSIONS(double, double)
#undef FIBRE_CONVERSION
#undef FIBRE_CONVERSIONS
static inline float __int2float_rn(int x) { return (float)x; }
static inline float __int2float_rz(int x) { return (float)x; }
static inline float __uint2float_rn(unsigned x) { return (float)x; }
static inline float __uint2float_rz(unsigned x) { return (float)x; }
static inline float __ll2float_rn(long long x) { return (float)x; }
static inline float __ull2float_rn(unsigned long long x) { return (float)x; }
static inline double __int2double_rn(int x) { return x; }
static inline double __uint2double_rn(unsigned x) { return x; }
static inline double __ll2double_rn(long long x) { return (double)x; }
static inline double __ull2double_rn(unsigned long long x) { return (double)x; }
static inline float __double2float_rn(double x) { return (float)x; }
static inline float __double2float_rz(double x) { return (float)x; }
