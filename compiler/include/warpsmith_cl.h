// OpenCL C 1.2 on SM 1.0: the built-in functions. Included in front of every .cl file.
#pragma once
#pragma clang system_header

#define __WS_F static inline __attribute__((overloadable, always_inline, nodebug, unused))

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
__WS_F void work_group_barrier(uint flags) { __WS_BARRIER(); }
__WS_F void mem_fence(uint flags) { __WS_FENCE(); }
__WS_F void read_mem_fence(uint flags) { __WS_FENCE(); }
__WS_F void write_mem_fence(uint flags) { __WS_FENCE(); }

// Nothing is printed: there is no way back to the host but memory. A host program could not tell: it is refused.
#ifdef __WS_ENVIRONMENT
__attribute__((overloadable)) int __ws_printf(void);
#else
__WS_F int __ws_printf(void) { return 0; }
#endif
#define printf(...) __ws_printf()

// What SM 1.0 has no instructions for: declared without a body, so that only the kernels that call it are
// refused. Arguments are left away.
#define __WS_REFUSED(R, n) __attribute__((overloadable)) R __ws_##n(void);
__WS_REFUSED(int, atomic_add)
#define atomic_add(...) __ws_atomic_add()
__WS_REFUSED(int, atomic_sub)
#define atomic_sub(...) __ws_atomic_sub()
__WS_REFUSED(int, atomic_xchg)
#define atomic_xchg(...) __ws_atomic_xchg()
__WS_REFUSED(int, atomic_inc)
#define atomic_inc(...) __ws_atomic_inc()
__WS_REFUSED(int, atomic_dec)
#define atomic_dec(...) __ws_atomic_dec()
__WS_REFUSED(int, atomic_cmpxchg)
#define atomic_cmpxchg(...) __ws_atomic_cmpxchg()
__WS_REFUSED(int, atomic_min)
#define atomic_min(...) __ws_atomic_min()
__WS_REFUSED(int, atomic_max)
#define atomic_max(...) __ws_atomic_max()
__WS_REFUSED(int, atomic_and)
#define atomic_and(...) __ws_atomic_and()
__WS_REFUSED(int, atomic_or)
#define atomic_or(...) __ws_atomic_or()
__WS_REFUSED(int, atomic_xor)
#define atomic_xor(...) __ws_atomic_xor()
__WS_REFUSED(int, atom_add)
#define atom_add(...) __ws_atom_add()
__WS_REFUSED(int, atom_sub)
#define atom_sub(...) __ws_atom_sub()
__WS_REFUSED(int, atom_xchg)
#define atom_xchg(...) __ws_atom_xchg()
__WS_REFUSED(int, atom_inc)
#define atom_inc(...) __ws_atom_inc()
__WS_REFUSED(int, atom_dec)
#define atom_dec(...) __ws_atom_dec()
__WS_REFUSED(int, atom_cmpxchg)
#define atom_cmpxchg(...) __ws_atom_cmpxchg()
__WS_REFUSED(int, atom_min)
#define atom_min(...) __ws_atom_min()
__WS_REFUSED(int, atom_max)
#define atom_max(...) __ws_atom_max()
__WS_REFUSED(int, atom_and)
#define atom_and(...) __ws_atom_and()
__WS_REFUSED(int, atom_or)
#define atom_or(...) __ws_atom_or()
__WS_REFUSED(int, atom_xor)
#define atom_xor(...) __ws_atom_xor()
__WS_REFUSED(float4, read_imagef)
#define read_imagef(...) __ws_read_imagef()
__WS_REFUSED(int4, read_imagei)
#define read_imagei(...) __ws_read_imagei()
__WS_REFUSED(uint4, read_imageui)
#define read_imageui(...) __ws_read_imageui()
__WS_REFUSED(void, write_imagef)
#define write_imagef(...) __ws_write_imagef()
__WS_REFUSED(void, write_imagei)
#define write_imagei(...) __ws_write_imagei()
__WS_REFUSED(void, write_imageui)
#define write_imageui(...) __ws_write_imageui()
__WS_REFUSED(int, get_image_width)
#define get_image_width(...) __ws_get_image_width()
__WS_REFUSED(int, get_image_height)
#define get_image_height(...) __ws_get_image_height()
__WS_REFUSED(int2, get_image_dim)
#define get_image_dim(...) __ws_get_image_dim()
#undef __WS_REFUSED

// Vector forms of a scalar function, element by element; widths 8 and 16 by halves.
#define __WS_EACH1(R, n, T)                                                                        \
  __WS_F R##2 n(T##2 x) { return (R##2)(n(x.x), n(x.y)); }                                         \
  __WS_F R##3 n(T##3 x) { return (R##3)(n(x.x), n(x.y), n(x.z)); }                                 \
  __WS_F R##4 n(T##4 x) { return (R##4)(n(x.x), n(x.y), n(x.z), n(x.w)); }                         \
  __WS_F R##8 n(T##8 x) { return (R##8)(n(x.lo), n(x.hi)); }                                       \
  __WS_F R##16 n(T##16 x) { return (R##16)(n(x.lo), n(x.hi)); }
#define __WS_EACH2(R, n, T, U)                                                                     \
  __WS_F R##2 n(T##2 x, U##2 y) { return (R##2)(n(x.x, y.x), n(x.y, y.y)); }                       \
  __WS_F R##3 n(T##3 x, U##3 y) { return (R##3)(n(x.x, y.x), n(x.y, y.y), n(x.z, y.z)); }          \
  __WS_F R##4 n(T##4 x, U##4 y) { return (R##4)(n(x.x, y.x), n(x.y, y.y), n(x.z, y.z), n(x.w, y.w)); } \
  __WS_F R##8 n(T##8 x, U##8 y) { return (R##8)(n(x.lo, y.lo), n(x.hi, y.hi)); }                   \
  __WS_F R##16 n(T##16 x, U##16 y) { return (R##16)(n(x.lo, y.lo), n(x.hi, y.hi)); }
#define __WS_EACH3(R, n, T, U, V)                                                                  \
  __WS_F R##2 n(T##2 x, U##2 y, V##2 z) { return (R##2)(n(x.x, y.x, z.x), n(x.y, y.y, z.y)); }     \
  __WS_F R##3 n(T##3 x, U##3 y, V##3 z) { return (R##3)(n(x.x, y.x, z.x), n(x.y, y.y, z.y), n(x.z, y.z, z.z)); } \
  __WS_F R##4 n(T##4 x, U##4 y, V##4 z) {                                                          \
    return (R##4)(n(x.x, y.x, z.x), n(x.y, y.y, z.y), n(x.z, y.z, z.z), n(x.w, y.w, z.w));         \
  }                                                                                                \
  __WS_F R##8 n(T##8 x, U##8 y, V##8 z) { return (R##8)(n(x.lo, y.lo, z.lo), n(x.hi, y.hi, z.hi)); } \
  __WS_F R##16 n(T##16 x, U##16 y, V##16 z) { return (R##16)(n(x.lo, y.lo, z.lo), n(x.hi, y.hi, z.hi)); }
#define __WS_INTEGERS(M) M(char) M(uchar) M(short) M(ushort) M(int) M(uint) M(long) M(ulong)
#define __WS_TYPES(M) __WS_INTEGERS(M) M(float)

#include "warpsmith_cl_int.h"
#include "warpsmith_cl_math.h"
#include "warpsmith_cl_vector.h"
#include "warpsmith_cl_convert.h"
#include "warpsmith_cl_memory.h"
