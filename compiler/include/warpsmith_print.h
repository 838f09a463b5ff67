// printf and assert of a kernel: records in a buffer that the host reads (docs/compiler.md).
#pragma once
#pragma clang system_header

// A place for a record of so many bytes; null: the buffer is full.
extern "C" __attribute__((device)) unsigned *__warpsmith_print(unsigned bytes);

// An argument with its bytes in front. Narrow integers and enumerations are widened as C has it.
template <class T> __WS_DEVICE unsigned *__ws_put(unsigned *at, T v) {
  __ws_as_words<T> w = __ws_words(v);
  *at++ = sizeof(T);
  _Pragma("unroll") for (unsigned i = 0; i < sizeof(w) / 4; i++) *at++ = w.word[i];
  return at;
}
template <class T> constexpr __attribute__((host, device)) unsigned __ws_put_bytes() { return 4 + (sizeof(T) + 3) / 4 * 4; }

// The number of arguments, or -1 where the buffer is full.
template <class... A> __WS_DEVICE int printf(const char *format, A... a) {
  constexpr unsigned bytes = (8u + ... + __ws_put_bytes<decltype(+a)>());
  unsigned *at = __warpsmith_print(bytes);
  if (at == nullptr) return -1;
  at[0] = bytes;
  at[1] = (unsigned)(size_t)format;
  at += 2;
  ((at = __ws_put(at, +a)), ...);
  return sizeof...(A);
}

extern "C" {
__attribute__((device, noreturn)) void __warpsmith_assert(const char *, const char *, unsigned, const char *);
// assert() of a thread that fails: prints as CUDA does, and ends the kernel with a trap.
static inline __attribute__((device, always_inline, nodebug, unused)) void
__assert_fail(const char *what, const char *file, unsigned line, const char *function) {
  __warpsmith_assert(what, file, line, function);
}
}
