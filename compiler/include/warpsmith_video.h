// Packed arithmetic: dot products of bytes, functions of two halves or four bytes of a word, funnel shifts that clamp.
#pragma once
#pragma clang system_header

__WS_DEVICE unsigned __funnelshift_lc(unsigned x, unsigned y, unsigned n) {
  return n >= 32 ? x : __funnelshift_l(x, y, n);
}
__WS_DEVICE unsigned __funnelshift_rc(unsigned x, unsigned y, unsigned n) {
  return n >= 32 ? y : __funnelshift_r(x, y, n);
}

// Element `i` of a word, as signed or unsigned elements of `bits` bits.
template <unsigned bits> __WS_DEVICE int __ws_signed(unsigned x, unsigned i) {
  return (int)(x << (32 - bits - bits * i)) >> (32 - bits);
}
template <unsigned bits> __WS_DEVICE int __ws_unsigned(unsigned x, unsigned i) {
  return x << (32 - bits - bits * i) >> (32 - bits);
}

// A sum of products of bytes.
#define __WS_DP4A(T, A, read)                                                                      \
  __WS_DEVICE T __dp4a(A a, A b, T c) {                                                            \
    unsigned x = __builtin_bit_cast(unsigned, a), y = __builtin_bit_cast(unsigned, b);             \
    _Pragma("unroll") for (unsigned i = 0; i < 4; i++) c += (T)__mul24(read<8>(x, i), read<8>(y, i)); \
    return c;                                                                                      \
  }
__WS_DP4A(int, int, __ws_signed)
__WS_DP4A(int, char4, __ws_signed)
__WS_DP4A(unsigned, unsigned, __ws_unsigned)
__WS_DP4A(unsigned, uchar4, __ws_unsigned)
#undef __WS_DP4A
// Of two halves with the lower or upper two bytes.
#define __WS_DP2A(name, T, A, B, read, first)                                                      \
  __WS_DEVICE T name(A a, B b, T c) {                                                              \
    unsigned x = __builtin_bit_cast(unsigned, a), y = __builtin_bit_cast(unsigned, b);             \
    _Pragma("unroll") for (unsigned i = 0; i < 2; i++)                                             \
      c += (T)__mul24(read<16>(x, i), read<8>(y, first + i));                                      \
    return c;                                                                                      \
  }
__WS_DP2A(__dp2a_lo, int, int, int, __ws_signed, 0)
__WS_DP2A(__dp2a_hi, int, int, int, __ws_signed, 2)
__WS_DP2A(__dp2a_lo, int, short2, char4, __ws_signed, 0)
__WS_DP2A(__dp2a_hi, int, short2, char4, __ws_signed, 2)
__WS_DP2A(__dp2a_lo, unsigned, unsigned, unsigned, __ws_unsigned, 0)
__WS_DP2A(__dp2a_hi, unsigned, unsigned, unsigned, __ws_unsigned, 2)
__WS_DP2A(__dp2a_lo, unsigned, ushort2, uchar4, __ws_unsigned, 0)
__WS_DP2A(__dp2a_hi, unsigned, ushort2, uchar4, __ws_unsigned, 2)
#undef __WS_DP2A

__WS_DEVICE int __ws_clamp(int v, int low, int high) { return v < low ? low : v > high ? high : v; }
// The least and largest element.
template <unsigned bits> struct __ws_limit {
  static constexpr int low = -(1 << (bits - 1)), high = (1 << (bits - 1)) - 1, all = (1 << bits) - 1;
};

// A function of the elements x and y of two words (or of one), for both widths.
#define __WS_OF(name, bits, head, read, value)                                                     \
  __WS_DEVICE unsigned name head {                                                                 \
    typedef __ws_limit<bits> limit;                                                                \
    unsigned r = 0;                                                                                \
    _Pragma("unroll") for (unsigned i = 0; i < 32 / bits; i++) {                                   \
      int x = read<bits>(a, i), y = read<bits>(b, i);                                              \
      (void)y;                                                                                     \
      (void)sizeof(limit);                                                                         \
      r |= ((unsigned)(value) & limit::all) << bits * i;                                           \
    }                                                                                              \
    return r;                                                                                      \
  }
#define __WS_BOTH(name, read, value)                                                               \
  __WS_OF(name##2, 16, (unsigned a, unsigned b), read, value)                                      \
  __WS_OF(name##4, 8, (unsigned a, unsigned b), read, value)
#define __WS_ONE(name, value)                                                                      \
  __WS_OF(name##2, 16, (unsigned a, unsigned b = 0), __ws_signed, value)                           \
  __WS_OF(name##4, 8, (unsigned a, unsigned b = 0), __ws_signed, value)

__WS_ONE(__vabs, x < 0 ? -x : x)
__WS_ONE(__vabsss, __ws_clamp(x < 0 ? -x : x, limit::low, limit::high))
__WS_ONE(__vneg, -x)
__WS_ONE(__vnegss, __ws_clamp(-x, limit::low, limit::high))
__WS_BOTH(__vaddss, __ws_signed, __ws_clamp(x + y, limit::low, limit::high))
__WS_BOTH(__vaddus, __ws_unsigned, __ws_clamp(x + y, 0, limit::all))
__WS_BOTH(__vsubss, __ws_signed, __ws_clamp(x - y, limit::low, limit::high))
__WS_BOTH(__vsubus, __ws_unsigned, __ws_clamp(x - y, 0, limit::all))
__WS_BOTH(__vabsdiffs, __ws_signed, x < y ? y - x : x - y)
__WS_BOTH(__vabsdiffu, __ws_unsigned, x < y ? y - x : x - y)
__WS_BOTH(__vavgs, __ws_signed, (x + y + (x + y >= 0)) >> 1)
__WS_BOTH(__vavgu, __ws_unsigned, (x + y + 1) >> 1)
__WS_BOTH(__vhaddu, __ws_unsigned, (x + y) >> 1)
__WS_BOTH(__vmaxs, __ws_signed, x < y ? y : x)
__WS_BOTH(__vmaxu, __ws_unsigned, x < y ? y : x)
__WS_BOTH(__vmins, __ws_signed, y < x ? y : x)
__WS_BOTH(__vminu, __ws_unsigned, y < x ? y : x)
#define __WS_COMPARE(name, read, condition)                                                        \
  __WS_BOTH(__vcmp##name, read, (condition) ? limit::all : 0)                                      \
  __WS_BOTH(__vset##name, read, condition)
__WS_COMPARE(eq, __ws_unsigned, x == y)
__WS_COMPARE(ne, __ws_unsigned, x != y)
__WS_COMPARE(ges, __ws_signed, x >= y)
__WS_COMPARE(gts, __ws_signed, x > y)
__WS_COMPARE(les, __ws_signed, x <= y)
__WS_COMPARE(lts, __ws_signed, x < y)
__WS_COMPARE(geu, __ws_unsigned, x >= y)
__WS_COMPARE(gtu, __ws_unsigned, x > y)
__WS_COMPARE(leu, __ws_unsigned, x <= y)
__WS_COMPARE(ltu, __ws_unsigned, x < y)
#undef __WS_COMPARE
#undef __WS_ONE
#undef __WS_BOTH
#undef __WS_OF

// Sums and differences without carries between the elements, by the top bits apart.
#define __WS_WRAP(n, top)                                                                          \
  __WS_DEVICE unsigned __vadd##n(unsigned a, unsigned b) {                                         \
    return ((a & ~top) + (b & ~top)) ^ ((a ^ b) & top);                                            \
  }                                                                                                \
  __WS_DEVICE unsigned __vsub##n(unsigned a, unsigned b) {                                         \
    return ((a | top) - (b & ~top)) ^ (~(a ^ b) & top);                                            \
  }
__WS_WRAP(2, 0x80008000u)
__WS_WRAP(4, 0x80808080u)
#undef __WS_WRAP

// Sums of absolute differences.
#define __WS_SAD(name, bits, read)                                                                 \
  __WS_DEVICE unsigned name(unsigned a, unsigned b) {                                              \
    unsigned sum = 0;                                                                              \
    _Pragma("unroll") for (unsigned i = 0; i < 32 / bits; i++)                                     \
      sum = __sad(read<bits>(a, i), read<bits>(b, i), sum);                                        \
    return sum;                                                                                    \
  }
__WS_SAD(__vsads2, 16, __ws_signed)
__WS_SAD(__vsadu2, 16, __ws_unsigned)
__WS_SAD(__vsads4, 8, __ws_signed)
__WS_SAD(__vsadu4, 8, __ws_unsigned)
#undef __WS_SAD
