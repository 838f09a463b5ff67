// OpenCL C on SM 1.0: what clang's own declarations of the built-in functions lack. Included in front of every .cl file; the
// functions are in warpsmith_cl_library.cl.
#pragma once
#pragma clang system_header

// The version of the device, whatever -cl-std says of the program.
#define __OPENCL_VERSION__ 120

// The extensions of the device: clang's target has more.
#undef cl_khr_fp64
#undef cl_khr_global_int32_base_atomics
#undef cl_khr_global_int32_extended_atomics
#undef cl_khr_local_int32_base_atomics
#undef cl_khr_local_int32_extended_atomics
#undef cl_clang_storage_class_specifiers

// What has no body is refused where a kernel calls it. Without its extension clang declares none of these; arguments are
// left away.
#define __WS_REFUSED(n) __attribute__((overloadable)) int __ws_##n(void);
__WS_REFUSED(atom_add)
#define atom_add(...) __ws_atom_add()
__WS_REFUSED(atom_sub)
#define atom_sub(...) __ws_atom_sub()
__WS_REFUSED(atom_xchg)
#define atom_xchg(...) __ws_atom_xchg()
__WS_REFUSED(atom_inc)
#define atom_inc(...) __ws_atom_inc()
__WS_REFUSED(atom_dec)
#define atom_dec(...) __ws_atom_dec()
__WS_REFUSED(atom_cmpxchg)
#define atom_cmpxchg(...) __ws_atom_cmpxchg()
__WS_REFUSED(atom_min)
#define atom_min(...) __ws_atom_min()
__WS_REFUSED(atom_max)
#define atom_max(...) __ws_atom_max()
__WS_REFUSED(atom_and)
#define atom_and(...) __ws_atom_and()
__WS_REFUSED(atom_or)
#define atom_or(...) __ws_atom_or()
__WS_REFUSED(atom_xor)
#define atom_xor(...) __ws_atom_xor()
#undef __WS_REFUSED

// Nothing is printed: there is no way back to the host but memory. A host program could not tell: it is refused, by a
// function without a body.
__attribute__((overloadable)) int __ws_printf(void);
#define printf(...) __ws_printf()
