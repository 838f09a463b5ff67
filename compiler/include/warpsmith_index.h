// Built-in variables of a thread, barriers and fences.
#pragma once
#pragma clang system_header

#define __WS_FIELD(f, e)                                                                           \
  __declspec(property(get = __get_##f)) unsigned f;                                                \
  static inline __attribute__((device, always_inline, nodebug)) unsigned __get_##f() { return e; }
#define __WS_INDEX(name, sreg)                                                                     \
  struct __ws_##name##_t {                                                                         \
    __WS_FIELD(x, __nvvm_read_ptx_sreg_##sreg##_x())                                               \
    __WS_FIELD(y, __nvvm_read_ptx_sreg_##sreg##_y())                                               \
    __WS_FIELD(z, __nvvm_read_ptx_sreg_##sreg##_z())                                               \
    __attribute__((device, always_inline, nodebug)) operator dim3() const {                        \
      return dim3(__get_x(), __get_y(), __get_z());                                                \
    }                                                                                              \
    __attribute__((device, always_inline, nodebug)) operator uint3() const {                       \
      return uint3{__get_x(), __get_y(), __get_z()};                                               \
    }                                                                                              \
  };                                                                                               \
  extern const __attribute__((device, weak)) __ws_##name##_t name;

__WS_INDEX(threadIdx, tid)
__WS_INDEX(blockIdx, ctaid)
__WS_INDEX(blockDim, ntid)
__WS_INDEX(gridDim, nctaid)
#undef __WS_INDEX
#undef __WS_FIELD

static constexpr __attribute__((device, unused)) int warpSize = 32;

// Memory accesses of a warp are in order: fences only bind the compiler. Before 16 clang believes that no builtin
// touches a __shared__ variable of the kernel and keeps it in a register across barriers; it believes assembly.
#if __clang_major__ < 16
#define __syncthreads() __asm__ volatile("bar.sync 0;" ::: "memory")
#define __WS_FENCE(builtin) __asm__ volatile("" ::: "memory")
#else
#define __WS_FENCE(builtin) builtin()
#endif
__WS_DEVICE void __threadfence_block() { __WS_FENCE(__nvvm_membar_cta); }
__WS_DEVICE void __threadfence() { __WS_FENCE(__nvvm_membar_gl); }
__WS_DEVICE void __threadfence_system() { __WS_FENCE(__nvvm_membar_gl); }
__WS_DEVICE void __syncwarp(unsigned mask = ~0u) { __WS_FENCE(__nvvm_membar_cta); }
#undef __WS_FENCE
// The counter of cycles has 32 bits.
__WS_DEVICE int clock() { return __nvvm_read_ptx_sreg_clock(); }
__WS_DEVICE long long clock64() { return (unsigned)__nvvm_read_ptx_sreg_clock(); }

// Ends the kernel with a trap.
__WS_DEVICE void __trap() { __asm__ volatile("trap;"); }
__WS_DEVICE void __brkpt() {}
__WS_DEVICE void __prof_trigger(int) {}
__WS_DEVICE void __nanosleep(unsigned) {}
