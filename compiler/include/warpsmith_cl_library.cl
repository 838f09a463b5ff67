// OpenCL C 1.2 on SM 1.0: the bodies of the built-in functions. Compiled once to bitcode, of which programs get the functions
// that they call. Scalars and what is no matter of single elements are here; src/clang/builtins/ generates the rest.
#define __WS_F __attribute__((overloadable, always_inline, nodebug))

#define __WS_AXIS(d, sreg)                                                                         \
  ((d) == 0   ? __nvvm_read_ptx_sreg_##sreg##_x()                                                  \
   : (d) == 1 ? __nvvm_read_ptx_sreg_##sreg##_y()                                                  \
              : __nvvm_read_ptx_sreg_##sreg##_z())
__WS_F size_t get_local_id(uint d) { return d > 2 ? 0 : __WS_AXIS(d, tid); }
__WS_F size_t get_local_size(uint d) { return d > 2 ? 1 : __WS_AXIS(d, ntid); }
#ifdef __WS_ENVIRONMENT
// Words that the launch passes (compiler/src/environment.rs).
#define __WS_ENV(n)                                                                                \
  static inline __attribute__((always_inline, nodebug, unused)) uint __ws_env##n(void) {           \
    uint r;                                                                                        \
    __asm__("mov.u32 %0, %%envreg" #n ";" : "=r"(r));                                              \
    return r;                                                                                      \
  }
__WS_ENV(0) __WS_ENV(1) __WS_ENV(2) __WS_ENV(3) __WS_ENV(4) __WS_ENV(5) __WS_ENV(6)
__WS_ENV(7) __WS_ENV(8) __WS_ENV(9) __WS_ENV(10) __WS_ENV(11) __WS_ENV(12)
#undef __WS_ENV
__WS_F size_t get_global_id(uint d) {
  return d > 2 ? 0 : __WS_AXIS(d, ctaid) * __WS_AXIS(d, ntid) + __WS_AXIS(d, tid)
    + (d == 0 ? __ws_env0() : d == 1 ? __ws_env1() : __ws_env2());
}
__WS_F size_t get_group_id(uint d) {
  return d > 2 ? 0 : __WS_AXIS(d, ctaid) + (d == 0 ? __ws_env3() : d == 1 ? __ws_env4() : __ws_env5());
}
__WS_F size_t get_num_groups(uint d) { return d == 0 ? __ws_env6() : d == 1 ? __ws_env7() : d == 2 ? __ws_env8() : 1; }
__WS_F size_t get_global_offset(uint d) { return d == 0 ? __ws_env9() : d == 1 ? __ws_env10() : d == 2 ? __ws_env11() : 0; }
__WS_F uint get_work_dim(void) { return __ws_env12(); }
__WS_F size_t get_global_size(uint d) { return d > 2 ? 1 : get_num_groups(d) * __WS_AXIS(d, ntid); }
#else
__WS_F size_t get_group_id(uint d) { return d > 2 ? 0 : __WS_AXIS(d, ctaid); }
__WS_F size_t get_num_groups(uint d) { return d > 2 ? 1 : __WS_AXIS(d, nctaid); }
__WS_F size_t get_global_offset(uint d) { return 0; }
__WS_F size_t get_global_id(uint d) { return d > 2 ? 0 : __WS_AXIS(d, ctaid) * __WS_AXIS(d, ntid) + __WS_AXIS(d, tid); }
__WS_F size_t get_global_size(uint d) { return d > 2 ? 1 : __WS_AXIS(d, nctaid) * __WS_AXIS(d, ntid); }
__WS_F uint get_work_dim(void) {
  return __nvvm_read_ptx_sreg_ntid_z() > 1 ? 3 : __nvvm_read_ptx_sreg_ntid_y() > 1 || __nvvm_read_ptx_sreg_nctaid_y() > 1 ? 2 : 1;
}
#endif

// Before 16 clang believes that no builtin touches a __local variable of the kernel and keeps it in a register
// across barriers; it believes assembly.
#if __clang_major__ < 16
#define __WS_BARRIER() __asm__ volatile("bar.sync 0;" ::: "memory")
#define __WS_FENCE() __asm__ volatile("" ::: "memory")
#else
#define __WS_BARRIER() __nvvm_bar_sync(0)
#define __WS_FENCE() __nvvm_membar_cta()
#endif
__WS_F void barrier(uint flags) { __WS_BARRIER(); }
__WS_F void work_group_barrier(uint flags) { __WS_BARRIER(); } // OpenCL C 2.0
__WS_F void mem_fence(uint flags) { __WS_FENCE(); }
__WS_F void read_mem_fence(uint flags) { __WS_FENCE(); }
__WS_F void write_mem_fence(uint flags) { __WS_FENCE(); }


// Atomic functions on words of global and of local memory.
#define __WS_ATOMIC_IN(S, n, T, value) __WS_F T n(volatile S T *p, T v) { return value; }
#define __WS_ATOMIC(n, T, value)                                                                   \
  __WS_ATOMIC_IN(__global, n, T, value)                                                            \
  __WS_ATOMIC_IN(__local, n, T, value)
__WS_ATOMIC(atomic_add, int, __sync_fetch_and_add(p, v))
__WS_ATOMIC(atomic_add, uint, __sync_fetch_and_add(p, v))
__WS_ATOMIC(atomic_sub, int, __sync_fetch_and_add(p, (int)(0u - (uint)v)))
__WS_ATOMIC(atomic_sub, uint, __sync_fetch_and_add(p, 0u - v))
__WS_ATOMIC(atomic_xchg, int, __sync_swap(p, v))
__WS_ATOMIC(atomic_xchg, uint, __sync_swap(p, v))
__WS_ATOMIC(atomic_min, int, __sync_fetch_and_min(p, v))
__WS_ATOMIC(atomic_min, uint, __sync_fetch_and_umin(p, v))
__WS_ATOMIC(atomic_max, int, __sync_fetch_and_max(p, v))
__WS_ATOMIC(atomic_max, uint, __sync_fetch_and_umax(p, v))
__WS_ATOMIC(atomic_and, int, __sync_fetch_and_and(p, v))
__WS_ATOMIC(atomic_and, uint, __sync_fetch_and_and(p, v))
__WS_ATOMIC(atomic_or, int, __sync_fetch_and_or(p, v))
__WS_ATOMIC(atomic_or, uint, __sync_fetch_and_or(p, v))
__WS_ATOMIC(atomic_xor, int, __sync_fetch_and_xor(p, v))
__WS_ATOMIC(atomic_xor, uint, __sync_fetch_and_xor(p, v))
#undef __WS_ATOMIC
#define __WS_ATOMIC(S, T)                                                                          \
  __WS_F T atomic_inc(volatile S T *p) { return __sync_fetch_and_add(p, (T)1); }                   \
  __WS_F T atomic_dec(volatile S T *p) { return __sync_fetch_and_add(p, (T)-1); }                  \
  __WS_F T atomic_cmpxchg(volatile S T *p, T compare, T v) { return __sync_val_compare_and_swap(p, compare, v); }
__WS_ATOMIC(__global, int)
__WS_ATOMIC(__global, uint)
__WS_ATOMIC(__local, int)
__WS_ATOMIC(__local, uint)
#undef __WS_ATOMIC
__WS_ATOMIC_IN(__global, atomic_xchg, float, as_float(__sync_swap((volatile __global int *)p, as_int(v))))
__WS_ATOMIC_IN(__local, atomic_xchg, float, as_float(__sync_swap((volatile __local int *)p, as_int(v))))
#undef __WS_ATOMIC_IN

// A program that is not a host's prints nothing; a host could not tell.
#ifndef __WS_ENVIRONMENT
__WS_F int __ws_printf(void) { return 0; }
#endif

#define __WS_INTEGERS(M) M(char) M(uchar) M(short) M(ushort) M(int) M(uint) M(long) M(ulong)
#define __WS_TYPES(M) __WS_INTEGERS(M) M(float) M(double)
#define __WS_WIDTHS(M, a) M(a, 2) M(a, 3) M(a, 4) M(a, 8) M(a, 16)

#include "warpsmith_cl_int.h"
#include "warpsmith_cl_math.h"
#include "warpsmith_cl_vector.h"
#include "warpsmith_cl_convert.h"
#include "warpsmith_cl_memory.h"
#include "warpsmith_cl_image.h"
#include "warpsmith_cl_double.h"
#include "warpsmith_cl_generated.h"
