// Exchange of values between the threads of a warp: shuffles, votes, matches, reductions. The compiler puts routines
// over shared memory in place of the functions with two underscores and `warpsmith` in their names.
#pragma once
#pragma clang system_header

extern "C" {
__attribute__((device)) unsigned __warpsmith_shfl_up(unsigned value, unsigned delta, unsigned segment);
__attribute__((device)) unsigned __warpsmith_shfl_down(unsigned value, unsigned delta, unsigned segment);
__attribute__((device)) unsigned __warpsmith_shfl_bfly(unsigned value, unsigned mask, unsigned segment);
__attribute__((device)) unsigned __warpsmith_shfl_idx(unsigned value, unsigned lane, unsigned segment);
__attribute__((device)) unsigned __warpsmith_any(unsigned);
__attribute__((device)) unsigned __warpsmith_all(unsigned);
__attribute__((device)) unsigned __warpsmith_ballot(unsigned);
__attribute__((device)) unsigned __warpsmith_any_sync(unsigned, unsigned mask);
__attribute__((device)) unsigned __warpsmith_all_sync(unsigned, unsigned mask);
__attribute__((device)) unsigned __warpsmith_ballot_sync(unsigned, unsigned mask);
__attribute__((device)) unsigned __warpsmith_active();
__attribute__((device)) unsigned __warpsmith_match_any(unsigned value, unsigned mask);
__attribute__((device)) unsigned __warpsmith_match_all(unsigned value, unsigned mask);
__attribute__((device)) unsigned __warpsmith_count(unsigned);
__attribute__((device)) unsigned __warpsmith_count_or(unsigned);
__attribute__((device)) unsigned __warpsmith_count_and(unsigned);
__attribute__((device)) unsigned __warpsmith_redux_add_u32(unsigned, unsigned mask);
__attribute__((device)) unsigned __warpsmith_redux_min_u32(unsigned, unsigned mask);
__attribute__((device)) unsigned __warpsmith_redux_max_u32(unsigned, unsigned mask);
__attribute__((device)) unsigned __warpsmith_redux_min_s32(unsigned, unsigned mask);
__attribute__((device)) unsigned __warpsmith_redux_max_s32(unsigned, unsigned mask);
__attribute__((device)) unsigned __warpsmith_redux_and_b32(unsigned, unsigned mask);
__attribute__((device)) unsigned __warpsmith_redux_or_b32(unsigned, unsigned mask);
__attribute__((device)) unsigned __warpsmith_redux_xor_b32(unsigned, unsigned mask);
}

__WS_DEVICE unsigned __ws_lane() { return __nvvm_read_ptx_sreg_laneid(); }

// A value as words.
template <class T> struct __ws_as_words { unsigned word[(sizeof(T) + 3) / 4]; };
template <class T> __WS_DEVICE __ws_as_words<T> __ws_words(const T &v) {
  __ws_as_words<T> w = {};
  __builtin_memcpy(&w, &v, sizeof(T));
  return w;
}

// The last operand of a shuffle: lanes of a part of the warp that has `width` threads, and the last of it.
#define __WS_SEGMENT(width, last) ((32u - (unsigned)(width)) << 8 | (last))
#define __WS_SHUFFLE(name, operand, routine, last)                                                 \
  template <class T> __WS_DEVICE T name(T v, operand n, int width = 32) {                          \
    __ws_as_words<T> w = __ws_words(v);                                                            \
    _Pragma("unroll") for (unsigned i = 0; i < sizeof(w) / 4; i++)                                 \
      w.word[i] = routine(w.word[i], (unsigned)n, __WS_SEGMENT(width, last));                      \
    __builtin_memcpy(&v, &w, sizeof(T));                                                           \
    return v;                                                                                      \
  }                                                                                                \
  template <class T> __WS_DEVICE T name##_sync(unsigned, T v, operand n, int width = 32) { return name(v, n, width); }
__WS_SHUFFLE(__shfl, int, __warpsmith_shfl_idx, 31u)
__WS_SHUFFLE(__shfl_up, unsigned, __warpsmith_shfl_up, 0u)
__WS_SHUFFLE(__shfl_down, unsigned, __warpsmith_shfl_down, 31u)
__WS_SHUFFLE(__shfl_xor, int, __warpsmith_shfl_bfly, 31u)
#undef __WS_SHUFFLE

__WS_DEVICE int __any(int p) { return __warpsmith_any(p); }
__WS_DEVICE int __all(int p) { return __warpsmith_all(p); }
__WS_DEVICE unsigned __ballot(int p) { return __warpsmith_ballot(p); }
__WS_DEVICE unsigned __activemask() { return __warpsmith_active(); }
// With all bits of the mask, or where the compiler sees no mask: the active threads.
#define __WS_EVERYONE(mask) (__builtin_constant_p(mask) && (mask) == ~0u)
__WS_DEVICE int __any_sync(unsigned mask, int p) {
  return __WS_EVERYONE(mask) ? __warpsmith_any(p) : __warpsmith_any_sync(p, mask);
}
__WS_DEVICE int __all_sync(unsigned mask, int p) {
  return __WS_EVERYONE(mask) ? __warpsmith_all(p) : __warpsmith_all_sync(p, mask);
}
__WS_DEVICE unsigned __ballot_sync(unsigned mask, int p) { return __warpsmith_ballot_sync(p, mask); }

__WS_DEVICE int __syncthreads_count(int p) { return __warpsmith_count(p); }
__WS_DEVICE int __syncthreads_or(int p) { return __warpsmith_count_or(p); }
__WS_DEVICE int __syncthreads_and(int p) { return __warpsmith_count_and(p); }

// Values are equal where all their words are.
template <class T> __WS_DEVICE unsigned __match_any_sync(unsigned mask, T v) {
  __ws_as_words<T> w = __ws_words(v);
  unsigned same = mask;
  _Pragma("unroll") for (unsigned i = 0; i < sizeof(w) / 4; i++) same &= __warpsmith_match_any(w.word[i], mask);
  return same;
}
template <class T> __WS_DEVICE unsigned __match_all_sync(unsigned mask, T v, int *all) {
  __ws_as_words<T> w = __ws_words(v);
  unsigned same = mask;
  _Pragma("unroll") for (unsigned i = 0; i < sizeof(w) / 4; i++) same &= __warpsmith_match_all(w.word[i], mask);
  *all = same != 0;
  return same;
}

#define __WS_REDUCE(name, T, routine)                                                              \
  __WS_DEVICE T name(unsigned mask, T v) { return (T)routine((unsigned)v, mask); }
__WS_REDUCE(__reduce_add_sync, unsigned, __warpsmith_redux_add_u32)
__WS_REDUCE(__reduce_add_sync, int, __warpsmith_redux_add_u32)
__WS_REDUCE(__reduce_min_sync, unsigned, __warpsmith_redux_min_u32)
__WS_REDUCE(__reduce_min_sync, int, __warpsmith_redux_min_s32)
__WS_REDUCE(__reduce_max_sync, unsigned, __warpsmith_redux_max_u32)
__WS_REDUCE(__reduce_max_sync, int, __warpsmith_redux_max_s32)
__WS_REDUCE(__reduce_and_sync, unsigned, __warpsmith_redux_and_b32)
__WS_REDUCE(__reduce_or_sync, unsigned, __warpsmith_redux_or_b32)
__WS_REDUCE(__reduce_xor_sync, unsigned, __warpsmith_redux_xor_b32)
#undef __WS_REDUCE

// Place of the set bit of a word that is the `n`th from bit `base` on, upwards for positive `n` and downwards for
// negative ones; all ones where there is none. 0 asks for bit `base` itself.
__WS_DEVICE unsigned __fns(unsigned mask, unsigned base, int n) {
  if (n == 0) return mask >> (base & 31) & 1 ? base : ~0u;
  int step = n < 0 ? -1 : 1;
  for (int at = (int)base; 0 <= at && at < 32; at += step) {
    if (mask >> at & 1) n -= step;
    if (n == 0) return at;
  }
  return ~0u;
}
