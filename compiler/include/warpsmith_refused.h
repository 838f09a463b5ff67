// What SM 1.0 has no instructions for: names and types. What to do instead, the compiler says at the call.
#pragma once
#pragma clang system_header

#define __WS_ATOMIC(n, T) __WS_REFUSED T n(T *, T);
__WS_ATOMIC(atomicAdd, unsigned long long)
__WS_ATOMIC(atomicAdd, double)
__WS_ATOMIC(atomicExch, unsigned long long)
__WS_ATOMIC(atomicMin, long long)
__WS_ATOMIC(atomicMin, unsigned long long)
__WS_ATOMIC(atomicMax, long long)
__WS_ATOMIC(atomicMax, unsigned long long)
__WS_ATOMIC(atomicAnd, unsigned long long)
__WS_ATOMIC(atomicOr, unsigned long long)
__WS_ATOMIC(atomicXor, unsigned long long)
#undef __WS_ATOMIC
__WS_REFUSED unsigned long long atomicCAS(unsigned long long *, unsigned long long, unsigned long long);

__WS_REFUSED int __all(int);
__WS_REFUSED int __any(int);
__WS_REFUSED unsigned __ballot(int);
__WS_REFUSED int __all_sync(unsigned, int);
__WS_REFUSED int __any_sync(unsigned, int);
__WS_REFUSED unsigned __ballot_sync(unsigned, int);
__WS_REFUSED unsigned __activemask();
__WS_REFUSED int __syncthreads_count(int);
__WS_REFUSED int __syncthreads_and(int);
__WS_REFUSED int __syncthreads_or(int);
#define __WS_SHUFFLE(n)                                                                            \
  template <class T> __WS_REFUSED T n(T, int, int = 32);                                     \
  template <class T> __WS_REFUSED T n##_sync(unsigned, T, int, int = 32);
__WS_SHUFFLE(__shfl)
__WS_SHUFFLE(__shfl_up)
__WS_SHUFFLE(__shfl_down)
__WS_SHUFFLE(__shfl_xor)
#undef __WS_SHUFFLE

__WS_REFUSED long long clock64();
__WS_REFUSED float __fadd_ru(float, float);
__WS_REFUSED float __fadd_rd(float, float);
__WS_REFUSED float __fmul_ru(float, float);
__WS_REFUSED float __fmul_rd(float, float);
__WS_REFUSED void *malloc(size_t);
__WS_REFUSED void free(void *);
