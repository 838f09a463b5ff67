// Textures by software, shared by CUDA C and OpenCL C. The descriptor's layout is said in compiler/src/texture. __WS_TX_CONST
// and __WS_TX_GLOBAL qualify constant and global memory, __WS_TX_FRACTION gives the weight of the upper texel.
#pragma once
#pragma clang system_header

#include "warpsmith_texture_layout.h"

// Values of a texel: bits of floats, or integers.
typedef struct { unsigned x, y, z, w; } __ws_quad;
typedef unsigned __ws_u2 __attribute__((ext_vector_type(2)));
typedef unsigned __ws_u4 __attribute__((ext_vector_type(4)));

// The descriptor of a handle, as an address in constant memory.
__WS_FN unsigned __ws_tx(unsigned handle) {
  unsigned p;
  __asm__("cvta.const.u32 %0, %1;" : "=r"(p) : "r"(handle));
  return p;
}
#define __WS_TX_AT(p, word) (((const __WS_TX_CONST unsigned *)(p))[word])
#define __WS_TX(p, word) __WS_TX_AT(p, __WS_TX_##word)
#define __WS_TX_TYPE(format) ((format) & ((1u << __WS_TX_ORDER_BIT) - 1))
#define __WS_TX_ORDER(format) ((format) >> __WS_TX_ORDER_BIT & ((1u << (__WS_TX_SIZE_BIT - __WS_TX_ORDER_BIT)) - 1))
#define __WS_TX_SIZE(format) ((format) >> __WS_TX_SIZE_BIT)
#define __WS_TX_IS(type, types) ((types) >> (type) & 1)

// The texels that a coordinate lies between, -1 on the border, and the second's share.
typedef struct { int i, j; float a; } __ws_axis;
// What stands for indices below 0, and for those behind the last.
typedef struct { int below, behind; } __ws_ends;
__WS_FN __ws_ends __ws_tx_ends(int n, unsigned mode) {
  __ws_ends e = {0, n - 1};
  if (mode == __WS_TX_MODE_REPEAT) e.below = n - 1, e.behind = 0;
  if (mode == __WS_TX_MODE_BORDER) e.below = e.behind = -1;
  return e;
}
__WS_FN int __ws_tx_index(int i, int n, __ws_ends e) { return i < 0 ? e.below : i < n ? i : e.behind; }
__WS_FN __ws_axis __ws_tx_axis(float u, int n, unsigned sampler, unsigned modes) {
  unsigned mode = modes & __WS_TX_MODE;
  __ws_axis r;
  float size = (float)n;
  if (mode == __WS_TX_MODE_MIRRORED) u = __WS_ABS(u - 2.0f * __builtin_rintf(0.5f * u));
  else if (mode == __WS_TX_MODE_REPEAT) u = u - __builtin_floorf(u);
  if (sampler & __WS_TX_NORMALIZED) u = __WS_MUL(u, size);
  // Beyond these nothing changes, and sums of indices do not overflow.
  if (mode < __WS_TX_MODE_REPEAT) u = __builtin_fminf(__builtin_fmaxf(u, -2.0f), __WS_ADD(size, 2.0f));
  if (sampler & __WS_TX_LINEAR) u = __WS_ADD(u, -0.5f);
  float whole = __builtin_floorf(u);
  int i = (int)whole;
  __ws_ends e = __ws_tx_ends(n, mode);
  r.a = __WS_TX_FRACTION(u - whole);
  r.i = __ws_tx_index(i, n, e);
  r.j = __ws_tx_index(i + 1, n, e);
  return r;
}

// Where a texel is in global memory.
__WS_FN unsigned __ws_tx_place(unsigned p, int x, int y, int z, int dims, unsigned size) {
  unsigned at = __WS_TX(p, TEXELS) + ((unsigned)x << size);
  if (dims > 1) at += __nvvm_mul24_ui(y, __WS_TX(p, ROW_PITCH));
  if (dims > 2) at += (unsigned)z * __WS_TX(p, SLICE_PITCH);
  return at;
}

// Words of a texel in memory, which are `most` at most.
__WS_FN __ws_quad __ws_tx_load(unsigned at, unsigned size, int most) {
  __ws_quad q = {0, 0, 0, 0};
  if (most > 2 && size == 4) {
    __ws_u4 v = *(const __WS_TX_GLOBAL __ws_u4 *)at;
    q.x = v.x, q.y = v.y, q.z = v.z, q.w = v.w;
  } else if (most > 1 && size == 3) {
    __ws_u2 v = *(const __WS_TX_GLOBAL __ws_u2 *)at;
    q.x = v.x, q.y = v.y;
  } else if (size == 2) {
    q.x = *(const __WS_TX_GLOBAL unsigned *)at;
  } else if (size == 1) {
    q.x = *(const __WS_TX_GLOBAL unsigned short *)at;
  } else {
    q.x = *(const __WS_TX_GLOBAL unsigned char *)at;
  }
  return q;
}
__WS_FN void __ws_tx_store(unsigned at, unsigned size, __ws_quad q) {
  if (size == 4) {
    __ws_u4 v = {q.x, q.y, q.z, q.w};
    *(__WS_TX_GLOBAL __ws_u4 *)at = v;
  } else if (size == 3) {
    __ws_u2 v = {q.x, q.y};
    *(__WS_TX_GLOBAL __ws_u2 *)at = v;
  } else if (size == 2) {
    *(__WS_TX_GLOBAL unsigned *)at = q.x;
  } else if (size == 1) {
    *(__WS_TX_GLOBAL unsigned short *)at = (unsigned short)q.x;
  } else {
    *(__WS_TX_GLOBAL unsigned char *)at = (unsigned char)q.x;
  }
}

// Channels of a texel, each in the low bits of its word; and back.
__WS_FN __ws_quad __ws_tx_channels(__ws_quad q, unsigned type) {
  __ws_quad c = q;
  if (__WS_TX_IS(type, __WS_TX_TYPES_OF_8)) {
    c.x = q.x & 255, c.y = q.x >> 8 & 255, c.z = q.x >> 16 & 255, c.w = q.x >> 24;
  } else if (__WS_TX_IS(type, __WS_TX_TYPES_OF_16)) {
    c.x = q.x & 65535, c.y = q.x >> 16, c.z = q.y & 65535, c.w = q.y >> 16;
  }
  return c;
}
__WS_FN __ws_quad __ws_tx_packed(__ws_quad c, unsigned type) {
  __ws_quad q = c;
  if (__WS_TX_IS(type, __WS_TX_TYPES_OF_8)) {
    q.x = (c.x & 255) | (c.y & 255) << 8 | (c.z & 255) << 16 | c.w << 24;
  } else if (__WS_TX_IS(type, __WS_TX_TYPES_OF_16)) {
    q.x = (c.x & 65535) | c.y << 16, q.y = (c.z & 65535) | c.w << 16;
  }
  return q;
}

// What a read makes of a channel: floats, or integers.
__WS_FN unsigned __ws_tx_extended(unsigned c, int shift) { return (unsigned)((int)(c << shift) >> shift); }
__WS_FN unsigned __ws_tx_norm(unsigned c, float scale) {
  return __WS_BITS(__builtin_fmaxf((float)(int)c * scale, -1.0f));
}
__WS_FN unsigned __ws_tx_half(unsigned c) {
  unsigned m = c & 0x7fff, s = (c & 0x8000) << 16;
  if (m < 0x400) return s | __WS_BITS((float)(int)m * 5.9604645e-8f);
  return s | ((m << 13) + (m >= 0x7c00 ? 0x70000000u : 0x38000000u));
}
__WS_FN __ws_quad __ws_tx_values(__ws_quad q, unsigned type, int floats) {
  if (type == __WS_TX_TYPE_FLOAT) return q;
  __ws_quad c = __ws_tx_channels(q, type);
  if (floats && type == __WS_TX_TYPE_HALF) {
    c.x = __ws_tx_half(c.x), c.y = __ws_tx_half(c.y), c.z = __ws_tx_half(c.z), c.w = __ws_tx_half(c.w);
    return c;
  }
  int narrow = __WS_TX_IS(type, __WS_TX_TYPES_OF_8), shift = narrow ? 24 : 16, sign = floats && __WS_TX_IS(type, __WS_TX_TYPES_SNORM);
  if (sign || (__WS_TX_IS(type, __WS_TX_TYPES_SIGNED) && type != __WS_TX_TYPE_INT32)) {
    c.x = __ws_tx_extended(c.x, shift), c.y = __ws_tx_extended(c.y, shift);
    c.z = __ws_tx_extended(c.z, shift), c.w = __ws_tx_extended(c.w, shift);
  }
  if (sign || (floats && __WS_TX_IS(type, __WS_TX_TYPES_UNORM))) {
    float of8 = sign ? 1.0f / 127 : 1.0f / 255, of16 = sign ? 1.0f / 32767 : 1.0f / 65535, scale = narrow ? of8 : of16;
    c.x = __ws_tx_norm(c.x, scale), c.y = __ws_tx_norm(c.y, scale);
    c.z = __ws_tx_norm(c.z, scale), c.w = __ws_tx_norm(c.w, scale);
  }
  return c;
}

#ifdef __WS_TX_HAS_PACKED
// Bits of blue and red, and of green, in a packed number.
__WS_FN unsigned __ws_tx_bits(unsigned type) { return type == __WS_TX_TYPE_UNORM101010 ? 10 : 5; }
__WS_FN unsigned __ws_tx_green_bits(unsigned type) { return type == __WS_TX_TYPE_UNORM565 ? 6 : __ws_tx_bits(type); }
__WS_FN __ws_quad __ws_tx_unpacked(unsigned word, unsigned type, unsigned one) {
  unsigned n = __ws_tx_bits(type), green = __ws_tx_green_bits(type), most = (1u << n) - 1;
  float scale = n == 10 ? 1.0f / 1023 : 1.0f / 31;
  __ws_quad c = {__ws_tx_norm(word >> (n + green) & most, scale),
                 __ws_tx_norm(word >> n & ((1u << green) - 1), green == 6 ? 1.0f / 63 : scale),
                 __ws_tx_norm(word & most, scale), one};
  return c;
}
#endif

// Components of channels that are in memory's order; `one` is what is not there of alpha.
__WS_FN __ws_quad __ws_tx_ordered(__ws_quad c, unsigned order, unsigned one) {
  __ws_quad r = c;
  if (order == __WS_TX_ORDER_RGBA) return r;
  if (order == __WS_TX_ORDER_BGRA) {
    r.x = c.z, r.z = c.x;
    return r;
  }
  r.y = order == __WS_TX_ORDER_RG ? c.y : 0, r.z = 0, r.w = one;
  if (order == __WS_TX_ORDER_A) r.x = 0, r.w = c.x;
  if (order == __WS_TX_ORDER_RA) r.w = c.y;
  if (order >= __WS_TX_ORDER_INTENSITY) r.y = r.z = c.x;
  if (order == __WS_TX_ORDER_INTENSITY) r.w = c.x;
  return r;
}
// The texel of words in memory.
__WS_FN __ws_quad __ws_tx_made(__ws_quad q, unsigned format, int floats, unsigned one) {
  unsigned type = __WS_TX_TYPE(format);
#ifdef __WS_TX_HAS_PACKED
  // Images of OpenCL alone have one number for red, green and blue.
  if (floats && __WS_TX_IS(type, __WS_TX_TYPES_PACKED)) return __ws_tx_unpacked(q.x, type, one);
#endif
  return __ws_tx_ordered(__ws_tx_values(q, type, floats), __WS_TX_ORDER(format), one);
}
__WS_FN __ws_quad __ws_tx_texel(unsigned at, unsigned format, int most, int floats, unsigned one) {
  return __ws_tx_made(__ws_tx_load(at, __WS_TX_SIZE(format), most), format, floats, one);
}
__WS_FN __ws_quad __ws_tx_border(unsigned p) {
  __ws_quad q = {__WS_TX_AT(p, __WS_TX_BORDER), __WS_TX_AT(p, __WS_TX_BORDER + 1), __WS_TX_AT(p, __WS_TX_BORDER + 2),
                 __WS_TX_AT(p, __WS_TX_BORDER + 3)};
  return q;
}

// A texel of a texture that is read by its number; outside is zero.
__WS_FN __ws_quad __ws_tx_fetch(unsigned p, int i, unsigned format, int most, int floats) {
  __ws_quad q = {0, 0, 0, 0};
  if ((unsigned)i < __WS_TX(p, WIDTH)) q = __ws_tx_texel(__ws_tx_place(p, i, 0, 0, 1, __WS_TX_SIZE(format)), format, most, floats, 0);
  return q;
}

// A layer's number within its array.
__WS_FN int __ws_tx_layer(int layer, unsigned layers) {
  return layer < 0 ? 0 : layer < (int)layers ? layer : (int)layers - 1;
}

// A read at coordinates of `dims` dimensions, of an array (`layered`) in layer `layer`. `filters` is 0 where a read gives
// integers.
__WS_FN __ws_quad __ws_tx_sample(
    unsigned p, unsigned sampler, unsigned format, float x, float y, float z, int dims, int layered, int layer, int filters,
    int most, unsigned one) {
  __ws_axis ax = __ws_tx_axis(x, __WS_TX(p, WIDTH), sampler, sampler), ay = {0, 0, 0.0f}, az = {0, 0, 0.0f};
  if (dims > 1) ay = __ws_tx_axis(y, __WS_TX(p, HEIGHT), sampler, sampler >> 8);
  if (dims > 2) az = __ws_tx_axis(z, __WS_TX(p, DEPTH), sampler, sampler >> 16);
  // A layer is a step in the dimension behind.
  if (layered && dims == 1) ay.i = ay.j = layer;
  if (layered && dims == 2) az.i = az.j = layer;
  float r = 0.0f, g = 0.0f, b = 0.0f, a = 0.0f;
  for (unsigned c = 0;; c++) {
    int i = c & 1 ? ax.j : ax.i, j = c & 2 ? ay.j : ay.i, k = c & 4 ? az.j : az.i;
    __ws_quad t;
    if ((i | j | k) < 0) t = __ws_tx_border(p);
    else t = __ws_tx_texel(__ws_tx_place(p, i, j, k, dims + layered, __WS_TX_SIZE(format)), format, most, filters, one);
    if (!filters || !(sampler & __WS_TX_LINEAR)) return t;
    float w = c & 1 ? ax.a : 1.0f - ax.a;
    if (dims > 1) w *= c & 2 ? ay.a : 1.0f - ay.a;
    if (dims > 2) w *= c & 4 ? az.a : 1.0f - az.a;
    r += w * __WS_FLOAT(t.x), g += w * __WS_FLOAT(t.y), b += w * __WS_FLOAT(t.z), a += w * __WS_FLOAT(t.w);
    if (c + 1 == 1u << dims) break;
  }
  __ws_quad q = {__WS_BITS(r), __WS_BITS(g), __WS_BITS(b), __WS_BITS(a)};
  return q;
}
