// Images and samplers of OpenCL C 1.2: handles of descriptors, read by software (warpsmith_texel.h).
#pragma once

#define __WS_TX_CONST __constant
#define __WS_TX_GLOBAL __global
#define __WS_TX_FRACTION(a) (a)
#define __WS_TX_HAS_PACKED
#include "warpsmith_texel.h"

// A sampler is its word.
__WS_F __constant void *__ws_sampler(uint word) __asm__("__translate_sampler_initializer");
__WS_F __constant void *__ws_sampler(uint word) { return (__constant void *)word; }
// Its address mode is that of all axes.
__WS_F uint __ws_modes(sampler_t s) {
  uint w = __builtin_astype(s, uint), m = w & __WS_TX_MODE;
  return w | m << 8 | m << 16;
}
#define __WS_IMAGE(i) __ws_tx(__builtin_astype(i, uint))

__WS_F __ws_quad __ws_image_sample(uint p, uint s, float4 at, int dims, int layered, float layer, int filters, uint one) {
  int l = layered ? __ws_tx_layer((int)__builtin_rintf(layer), dims == 1 ? __WS_TX(p, HEIGHT) : __WS_TX(p, DEPTH)) : 0;
  return __ws_tx_sample(p, s, __WS_TX(p, FORMAT), at.x, at.y, at.z, dims, layered, l, filters, 4, one);
}
__WS_F int __ws_image_index(int i, int n, uint mode) { return __ws_tx_index(i, n, __ws_tx_ends(n, mode)); }
__WS_F __ws_quad __ws_image_texel(uint p, uint s, int4 at, int dims, int layered, int floats, uint one) {
  uint mode = s & __WS_TX_MODE, format = __WS_TX(p, FORMAT);
  int x = __ws_image_index(at.x, __WS_TX(p, WIDTH), mode), y = 0, z = 0, last = dims + layered;
  if (last > 1) y = dims == 1 ? __ws_tx_layer(at.y, __WS_TX(p, HEIGHT)) : __ws_image_index(at.y, __WS_TX(p, HEIGHT), mode);
  if (last > 2) z = dims == 2 ? __ws_tx_layer(at.z, __WS_TX(p, DEPTH)) : __ws_image_index(at.z, __WS_TX(p, DEPTH), mode);
  if ((x | y | z) < 0) return __ws_tx_border(p);
  return __ws_tx_texel(__ws_tx_place(p, x, y, z, last, __WS_TX_SIZE(format)), format, 4, floats, one);
}

#ifdef __WS_IMAGE_CALLS
// Routines that are called (lower/routine.rs): a read takes a few instructions of the kernel instead of some hundred.
#define __WS_CALLED(dims, layered, layer, filters, one)                                            \
  __attribute__((noinline, nodebug)) __ws_quad __ws_called_sample_##dims##_##layered##_##filters(  \
    uint i, uint s, float x, float y, float z) {                                                   \
    return __ws_image_sample(__ws_tx(i), s, (float4)(x, y, z, 0.0f), dims, layered, layer, filters, one); \
  }                                                                                                \
  __attribute__((noinline, nodebug)) __ws_quad __ws_called_texel_##dims##_##layered##_##filters(   \
    uint i, uint s, int x, int y, int z) {                                                         \
    return __ws_image_texel(__ws_tx(i), s, (int4)(x, y, z, 0), dims, layered, filters, one);       \
  }
#define __WS_CALLED_BOTH(dims, layered, layer)                                                     \
  __WS_CALLED(dims, layered, layer, 0, 1)                                                          \
  __WS_CALLED(dims, layered, layer, 1, as_uint(1.0f))
__WS_CALLED_BOTH(1, 0, 0.0f)
__WS_CALLED_BOTH(2, 0, 0.0f)
__WS_CALLED_BOTH(3, 0, 0.0f)
__WS_CALLED_BOTH(1, 1, y)
__WS_CALLED_BOTH(2, 1, z)
#define __WS_IMAGE_SAMPLE(i, s, at, dims, layered, layer, filters, one)                            \
  __ws_called_sample_##dims##_##layered##_##filters(__builtin_astype(i, uint), s, (at).x, (at).y, (at).z)
#define __WS_IMAGE_TEXEL(i, s, at, dims, layered, filters, one)                                    \
  __ws_called_texel_##dims##_##layered##_##filters(__builtin_astype(i, uint), s, (at).x, (at).y, (at).z)
#else
#define __WS_IMAGE_SAMPLE(i, ...) __ws_image_sample(__WS_IMAGE(i), __VA_ARGS__)
#define __WS_IMAGE_TEXEL(i, ...) __ws_image_texel(__WS_IMAGE(i), __VA_ARGS__)
#endif

__WS_F float4 __ws_floats(__ws_quad q) { return (float4)(as_float(q.x), as_float(q.y), as_float(q.z), as_float(q.w)); }
__WS_F int4 __ws_ints(__ws_quad q) { return (int4)(q.x, q.y, q.z, q.w); }
__WS_F uint4 __ws_uints(__ws_quad q) { return (uint4)(q.x, q.y, q.z, q.w); }
#define __WS_READ(T, name, value, I, F, N, at, dims, layered, layer, filters, one)                 \
  __WS_F T name(read_only I i, sampler_t s, F c) {                                                 \
    return value(__WS_IMAGE_SAMPLE(i, __ws_modes(s), at(float4), dims, layered, layer, filters, one)); \
  }                                                                                                \
  __WS_F T name(read_only I i, sampler_t s, N c) {                                                 \
    return value(__WS_IMAGE_TEXEL(i, __builtin_astype(s, uint), at(int4), dims, layered, filters, one)); \
  }                                                                                                \
  __WS_F T name(read_only I i, N c) { return value(__WS_IMAGE_TEXEL(i, 0, at(int4), dims, layered, filters, one)); }
#define __WS_READS(I, F, N, at, dims, layered, layer)                                              \
  __WS_READ(float4, read_imagef, __ws_floats, I, F, N, at, dims, layered, layer, 1, as_uint(1.0f)) \
  __WS_READ(int4, read_imagei, __ws_ints, I, F, N, at, dims, layered, layer, 0, 1)                 \
  __WS_READ(uint4, read_imageui, __ws_uints, I, F, N, at, dims, layered, layer, 0, 1)
#define __WS_AT_1(V) (V)(c, 0, 0, 0)
#define __WS_AT_2(V) (V)(c, 0, 0)
#define __WS_AT_4(V) (c)
__WS_READS(image1d_t, float, int, __WS_AT_1, 1, 0, 0.0f)
__WS_READS(image2d_t, float2, int2, __WS_AT_2, 2, 0, 0.0f)
__WS_READS(image3d_t, float4, int4, __WS_AT_4, 3, 0, 0.0f)
__WS_READS(image1d_array_t, float2, int2, __WS_AT_2, 1, 1, c.y)
__WS_READS(image2d_array_t, float4, int4, __WS_AT_4, 2, 1, c.z)
#define __WS_READ_BUFFER(T, name, value, floats, one)                                                      \
  __WS_F T name(read_only image1d_buffer_t i, int c) {                                             \
    return value(__WS_IMAGE_TEXEL(i, 0, (int4)(c, 0, 0, 0), 1, 0, floats, one));               \
  }
__WS_READ_BUFFER(float4, read_imagef, __ws_floats, 1, as_uint(1.0f))
__WS_READ_BUFFER(int4, read_imagei, __ws_ints, 0, 1)
__WS_READ_BUFFER(uint4, read_imageui, __ws_uints, 0, 1)

// Channels of a value that is written, in the low bits of their words; beyond the type's range its nearest.
__WS_F uint __ws_image_norm(uint v, float most, float least) {
  return (uint)(int)__builtin_rintf(__builtin_fminf(__builtin_fmaxf(__WS_MUL(as_float(v), most), least), most));
}
__WS_F uint __ws_image_half(uint v) {
  ushort h;
  __asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(as_float(v)));
  return h;
}
#define __WS_EACH(f, ...)                                                                          \
  v.x = f(v.x, ##__VA_ARGS__), v.y = f(v.y, ##__VA_ARGS__), v.z = f(v.z, ##__VA_ARGS__), v.w = f(v.w, ##__VA_ARGS__)
__WS_F __ws_quad __ws_from_float4(float4 f, uint type) {
  __ws_quad v = {as_uint(f.x), as_uint(f.y), as_uint(f.z), as_uint(f.w)};
  int narrow = __WS_TX_IS(type, __WS_TX_TYPES_OF_8);
  if (__WS_TX_IS(type, __WS_TX_TYPES_UNORM)) {
    float most = narrow ? 255.0f : 65535.0f;
    __WS_EACH(__ws_image_norm, most, 0.0f);
  } else if (__WS_TX_IS(type, __WS_TX_TYPES_SNORM)) {
    float most = narrow ? 127.0f : 32767.0f;
    __WS_EACH(__ws_image_norm, most, -1.0f - most);
  } else if (type == __WS_TX_TYPE_HALF) {
    __WS_EACH(__ws_image_half);
  } else if (__WS_TX_IS(type, __WS_TX_TYPES_PACKED)) {
    uint n = __ws_tx_bits(type), green = __ws_tx_green_bits(type);
    float most = (float)((1 << n) - 1), most_green = (float)((1 << green) - 1);
    v.x = __ws_image_norm(v.x, most, 0.0f) << (n + green) | __ws_image_norm(v.y, most_green, 0.0f) << n |
          __ws_image_norm(v.z, most, 0.0f);
  }
  return v;
}
__WS_F uint __ws_image_int(uint v, int most) {
  int n = (int)v;
  return n > most ? most : n < -1 - most ? -1 - most : n;
}
__WS_F __ws_quad __ws_from_int4(int4 n, uint type) {
  __ws_quad v = {n.x, n.y, n.z, n.w};
  int most = __WS_TX_IS(type, __WS_TX_TYPES_OF_8) ? 127 : __WS_TX_IS(type, __WS_TX_TYPES_OF_16) ? 32767 : INT_MAX;
  __WS_EACH(__ws_image_int, most);
  return v;
}
__WS_F uint __ws_image_uint(uint v, uint most) { return v > most ? most : v; }
__WS_F __ws_quad __ws_from_uint4(uint4 n, uint type) {
  __ws_quad v = {n.x, n.y, n.z, n.w};
  uint most = __WS_TX_IS(type, __WS_TX_TYPES_OF_8) ? 255 : __WS_TX_IS(type, __WS_TX_TYPES_OF_16) ? 65535 : UINT_MAX;
  __WS_EACH(__ws_image_uint, most);
  return v;
}
__WS_F void __ws_image_store(uint p, int4 at, int dims, __ws_quad v) {
  uint format = __WS_TX(p, FORMAT), order = __WS_TX_ORDER(format), size = __WS_TX_SIZE(format), x = v.x;
  bool in = (uint)at.x < __WS_TX(p, WIDTH);
  if (dims > 1) in = in && (uint)at.y < __WS_TX(p, HEIGHT);
  if (dims > 2) in = in && (uint)at.z < __WS_TX(p, DEPTH);
  if (!in) return;
  if (order == __WS_TX_ORDER_BGRA) v.x = v.z, v.z = x;
  if (order == __WS_TX_ORDER_A) v.x = v.w;
  if (order == __WS_TX_ORDER_RA) v.y = v.w;
  __ws_tx_store(__ws_tx_place(p, at.x, at.y, at.z, dims, size), size, __ws_tx_packed(v, __WS_TX_TYPE(format)));
}
#define __WS_WRITE(I, N, at, dims, T, name)                                                        \
  __WS_F void name(write_only I i, N c, T v) {                                                     \
    uint p = __WS_IMAGE(i);                                                                        \
    __ws_image_store(p, at(int4), dims, __ws_from_##T(v, __WS_TX_TYPE(__WS_TX(p, FORMAT))));       \
  }
#define __WS_WRITES(I, N, at, dims)                                                                \
  __WS_WRITE(I, N, at, dims, float4, write_imagef)                                                 \
  __WS_WRITE(I, N, at, dims, int4, write_imagei)                                                   \
  __WS_WRITE(I, N, at, dims, uint4, write_imageui)
__WS_WRITES(image1d_t, int, __WS_AT_1, 1)
__WS_WRITES(image1d_buffer_t, int, __WS_AT_1, 1)
__WS_WRITES(image2d_t, int2, __WS_AT_2, 2)
__WS_WRITES(image1d_array_t, int2, __WS_AT_2, 2)
__WS_WRITES(image2d_array_t, int4, __WS_AT_4, 3)
__WS_WRITES(image3d_t, int4, __WS_AT_4, 3)

// What an image is.
#define __WS_ASK(A, I, T, name, value)                                                             \
  __WS_F T get_image_##name(A I i) {                                                               \
    uint p = __WS_IMAGE(i);                                                                        \
    return value;                                                                                  \
  }
#define __WS_ASKS(A, I)                                                                            \
  __WS_ASK(A, I, int, width, __WS_TX(p, WIDTH))                                                    \
  __WS_ASK(A, I, int, channel_data_type, __WS_TX_TYPES + __WS_TX_TYPE(__WS_TX(p, FORMAT)))         \
  __WS_ASK(A, I, int, channel_order, __WS_TX_ORDERS + __WS_TX_ORDER(__WS_TX(p, FORMAT)))
#define __WS_ASKED(A)                                                                              \
  __WS_ASKS(A, image1d_t) __WS_ASKS(A, image1d_buffer_t) __WS_ASKS(A, image2d_t)                   \
  __WS_ASKS(A, image1d_array_t) __WS_ASKS(A, image2d_array_t) __WS_ASKS(A, image3d_t)              \
  __WS_ASK(A, image2d_t, int, height, __WS_TX(p, HEIGHT))                                          \
  __WS_ASK(A, image2d_array_t, int, height, __WS_TX(p, HEIGHT))                                    \
  __WS_ASK(A, image1d_array_t, size_t, array_size, __WS_TX(p, HEIGHT))                             \
  __WS_ASK(A, image2d_array_t, size_t, array_size, __WS_TX(p, DEPTH))                              \
  __WS_ASK(A, image2d_t, int2, dim, (int2)(__WS_TX(p, WIDTH), __WS_TX(p, HEIGHT)))                 \
  __WS_ASK(A, image2d_array_t, int2, dim, (int2)(__WS_TX(p, WIDTH), __WS_TX(p, HEIGHT)))           \
  __WS_ASK(A, image3d_t, int, height, __WS_TX(p, HEIGHT))                                          \
  __WS_ASK(A, image3d_t, int, depth, __WS_TX(p, DEPTH))                                            \
  __WS_ASK(A, image3d_t, int4, dim, (int4)(__WS_TX(p, WIDTH), __WS_TX(p, HEIGHT), __WS_TX(p, DEPTH), 0))
__WS_ASKED(read_only)
__WS_ASKED(write_only)
