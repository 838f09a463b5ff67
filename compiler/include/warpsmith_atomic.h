// Atomic functions of CUDA on words of 32 and 64 bits of global and shared memory. The scopes of a block and of the system are that of the device.
#pragma once
#pragma clang system_header

#define __WS_SCOPES(n, T)                                                                          \
  __WS_DEVICE T n##_block(T *p, T v) { return n(p, v); }                                                \
  __WS_DEVICE T n##_system(T *p, T v) { return n(p, v); }
#define __WS_ATOMIC(n, T, value)                                                                   \
  __WS_DEVICE T n(T *p, T v) { return value; }                                                          \
  __WS_SCOPES(n, T)
__WS_ATOMIC(atomicAdd, int, __sync_fetch_and_add(p, v))
__WS_ATOMIC(atomicAdd, unsigned, __sync_fetch_and_add(p, v))
// A sum with the negative one: clang's difference is a block of PTX with a register of its own.
__WS_ATOMIC(atomicSub, int, __sync_fetch_and_add(p, (int)(0u - (unsigned)v)))
__WS_ATOMIC(atomicSub, unsigned, __sync_fetch_and_add(p, 0u - v))
__WS_ATOMIC(atomicExch, int, __sync_swap(p, v))
__WS_ATOMIC(atomicExch, unsigned, __sync_swap(p, v))
__WS_ATOMIC(atomicMin, int, __sync_fetch_and_min(p, v))
__WS_ATOMIC(atomicMin, unsigned, __sync_fetch_and_umin(p, v))
__WS_ATOMIC(atomicMax, int, __sync_fetch_and_max(p, v))
__WS_ATOMIC(atomicMax, unsigned, __sync_fetch_and_umax(p, v))
__WS_ATOMIC(atomicInc, unsigned, __nvvm_atom_inc_gen_ui(p, v))
__WS_ATOMIC(atomicDec, unsigned, __nvvm_atom_dec_gen_ui(p, v))
__WS_ATOMIC(atomicAnd, int, __sync_fetch_and_and(p, v))
__WS_ATOMIC(atomicAnd, unsigned, __sync_fetch_and_and(p, v))
__WS_ATOMIC(atomicOr, int, __sync_fetch_and_or(p, v))
__WS_ATOMIC(atomicOr, unsigned, __sync_fetch_and_or(p, v))
__WS_ATOMIC(atomicXor, int, __sync_fetch_and_xor(p, v))
__WS_ATOMIC(atomicXor, unsigned, __sync_fetch_and_xor(p, v))
#undef __WS_ATOMIC

#define __WS_CAS(n, T)                                                                             \
  __WS_DEVICE T n(T *p, T compare, T v) { return __sync_val_compare_and_swap(p, compare, v); }
__WS_CAS(atomicCAS, int)
__WS_CAS(atomicCAS, unsigned)
__WS_CAS(atomicCAS_block, int)
__WS_CAS(atomicCAS_block, unsigned)
__WS_CAS(atomicCAS_system, int)
__WS_CAS(atomicCAS_system, unsigned)
#undef __WS_CAS

// Floats: by their bits; a sum by comparison and exchange, until no other thread was in between.
__WS_DEVICE float atomicExch(float *p, float v) { return __int_as_float(__sync_swap((int *)p, __float_as_int(v))); }
__WS_DEVICE float atomicAdd(float *p, float v) {
  // The first guess is a word that was cleared: all accesses are atomic.
  int old = 0, seen;
  do {
    seen = old;
    old = __sync_val_compare_and_swap((int *)p, seen, __float_as_int(__int_as_float(seen) + v));
  } while (old != seen);
  return __int_as_float(old);
}
__WS_SCOPES(atomicExch, float)
__WS_SCOPES(atomicAdd, float)

// 64 bits: the compiler puts them under a lock.
#define __WS_WIDE(n, T, ptx)                                                                       \
  __WS_DEVICE T n(T *p, T v) {                                                                          \
    T old;                                                                                         \
    __asm__ volatile("atom." ptx " %0, [%1], %2;" : "=l"(old) : "r"(p), "l"(v) : "memory");        \
    return old;                                                                                    \
  }                                                                                                \
  __WS_SCOPES(n, T)
__WS_WIDE(atomicAdd, unsigned long long, "add.u64")
__WS_WIDE(atomicExch, unsigned long long, "exch.b64")
__WS_WIDE(atomicMin, long long, "min.s64")
__WS_WIDE(atomicMin, unsigned long long, "min.u64")
__WS_WIDE(atomicMax, long long, "max.s64")
__WS_WIDE(atomicMax, unsigned long long, "max.u64")
__WS_WIDE(atomicAnd, unsigned long long, "and.b64")
__WS_WIDE(atomicOr, unsigned long long, "or.b64")
__WS_WIDE(atomicXor, unsigned long long, "xor.b64")
#undef __WS_WIDE
#undef __WS_SCOPES
#define __WS_CAS(n)                                                                                \
  __WS_DEVICE unsigned long long n(unsigned long long *p, unsigned long long compare, unsigned long long v) { \
    unsigned long long old;                                                                        \
    __asm__ volatile("atom.cas.b64 %0, [%1], %2, %3;"                                              \
                     : "=l"(old) : "r"(p), "l"(compare), "l"(v) : "memory");                       \
    return old;                                                                                    \
  }
__WS_CAS(atomicCAS)
__WS_CAS(atomicCAS_block)
__WS_CAS(atomicCAS_system)
#undef __WS_CAS

// Templates, so that a program may bring its own sum, as those for chips before SM 6.0 do.
template <class T> struct __ws_double;
template <> struct __ws_double<double> { typedef double type; };
#define __WS_SUM(n)                                                                                \
  template <class T> __WS_DEVICE typename __ws_double<T>::type n(T *p, typename __ws_double<T>::type v) { \
    __WS_SUM_OF(p, v)                                                                              \
  }
#if __SIZEOF_DOUBLE__ == 4
#define __WS_SUM_OF(p, v) return atomicAdd((float *)p, (float)v);
#else
#define __WS_SUM_OF(p, v)                                                                          \
  double old;                                                                                      \
  __asm__ volatile("atom.add.f64 %0, [%1], %2;" : "=d"(old) : "r"(p), "d"(v) : "memory");          \
  return old;
#endif
__WS_SUM(atomicAdd)
__WS_SUM(atomicAdd_block)
__WS_SUM(atomicAdd_system)
#undef __WS_SUM
#undef __WS_SUM_OF
