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

__WS_REFUSED float __fadd_ru(float, float);
__WS_REFUSED float __fadd_rd(float, float);
__WS_REFUSED float __fmul_ru(float, float);
__WS_REFUSED float __fmul_rd(float, float);
__WS_REFUSED void *malloc(size_t);
__WS_REFUSED void free(void *);
