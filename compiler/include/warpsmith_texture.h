// Texture and surface references and objects of CUDA C: descriptors in constant memory, sampled by software
// (warpsmith_texel.h). A reference is a variable that the launch fills with its descriptor, an object is a handle.
#pragma once
#pragma clang system_header

#define __WS_TX_CONST __attribute__((address_space(4)))
#define __WS_TX_GLOBAL __attribute__((address_space(1)))
// CUDA's filter has 8 bits of fraction.
#define __WS_TX_FRACTION(a) (__builtin_rintf((a) * 256.0f) * 0.00390625f)
#include "warpsmith_texel.h"

enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureAddressMode { cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder };
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
enum cudaSurfaceFormatMode { cudaFormatModeForced, cudaFormatModeAuto };
enum cudaChannelFormatKind { cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned, cudaChannelFormatKindFloat, cudaChannelFormatKindNone };
enum cudaTextureTypes {
  cudaTextureType1D = 1, cudaTextureType2D = 2, cudaTextureType3D = 3, cudaTextureTypeCubemap = 12,
  cudaTextureType1DLayered = 241, cudaTextureType2DLayered = 242, cudaSurfaceType1D = 1, cudaSurfaceType2D = 2,
  cudaSurfaceType3D = 3, cudaSurfaceType1DLayered = 241, cudaSurfaceType2DLayered = 242
};
struct cudaChannelFormatDesc { int x, y, z, w; cudaChannelFormatKind f; };
struct textureReference {
  int normalized;
  cudaTextureFilterMode filterMode;
  cudaTextureAddressMode addressMode[3];
  cudaChannelFormatDesc channelDesc;
  int sRGB;
  unsigned maxAnisotropy;
  cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
};
struct surfaceReference { cudaChannelFormatDesc channelDesc; };
// clang makes variables of such a type ones of the device, which the host may name as well.
template <class T, int dim = 1, cudaTextureReadMode mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : textureReference {
  texture(int n = 0, cudaTextureFilterMode f = cudaFilterModePoint, cudaTextureAddressMode a = cudaAddressModeClamp) {}
  texture(int n, cudaTextureFilterMode f, cudaTextureAddressMode a, cudaChannelFormatDesc d) {}
};
template <class T, int dim = 1> struct __attribute__((device_builtin_surface_type)) surface : surfaceReference { surface() {} };
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;

#define __WS_TX_STATIC static __attribute__((device, always_inline, nodebug))
// A type of channels: its numbers in formats, and a value from and to a word.
template <class C> struct __ws_channel;
#define __WS_TX_CHANNEL(C, element, normal, from, back)                                            \
  template <> struct __ws_channel<C> {                                                             \
    static constexpr unsigned type = __WS_TX_TYPE_##element, norm = __WS_TX_TYPE_##normal;         \
    __WS_TX_STATIC C of(unsigned w) { return from; }                                               \
    __WS_TX_STATIC unsigned word(C v) { return back; }                                             \
  };
__WS_TX_CHANNEL(char, INT8, SNORM8, (char)w, (unsigned)(int)v)
__WS_TX_CHANNEL(signed char, INT8, SNORM8, (signed char)w, (unsigned)(int)v)
__WS_TX_CHANNEL(unsigned char, UINT8, UNORM8, (unsigned char)w, v)
__WS_TX_CHANNEL(short, INT16, SNORM16, (short)w, (unsigned)(int)v)
__WS_TX_CHANNEL(unsigned short, UINT16, UNORM16, (unsigned short)w, v)
__WS_TX_CHANNEL(int, INT32, INT32, (int)w, (unsigned)v)
__WS_TX_CHANNEL(unsigned, UINT32, UINT32, w, v)
__WS_TX_CHANNEL(long, INT32, INT32, (long)w, (unsigned)v)
__WS_TX_CHANNEL(unsigned long, UINT32, UINT32, (unsigned long)w, (unsigned)v)
__WS_TX_CHANNEL(float, FLOAT, FLOAT, __WS_FLOAT(w), __WS_BITS(v))
#undef __WS_TX_CHANNEL

// A type of texels: its channels, a value from and to words, and the type that reads of normalised floats have.
template <class T> struct __ws_texel;
#define __WS_TX_TEXEL(T, C, n, F, value, quad)                                                     \
  template <> struct __ws_texel<T> {                                                               \
    typedef __ws_channel<C> c;                                                                     \
    typedef F floats;                                                                              \
    static constexpr int count = n;                                                                \
    static constexpr unsigned size = sizeof(T) == 16 ? 4 : sizeof(T) == 8 ? 3 : sizeof(T) / 2;     \
    static constexpr unsigned shape = __WS_TX_ORDER_RGBA << __WS_TX_ORDER_BIT | size << __WS_TX_SIZE_BIT; \
    static constexpr unsigned format = c::type | shape, norm = c::norm | shape;                    \
    __WS_TX_STATIC T of(__ws_quad q) { return value; }                                             \
    __WS_TX_STATIC __ws_quad words(T v) { return quad; }                                           \
  };
#define __WS_TX_TEXELS(C, V)                                                                       \
  __WS_TX_TEXEL(C, C, 1, float, c::of(q.x), (__ws_quad{c::word(v), 0, 0, 0}))                      \
  __WS_TX_TEXEL(V##1, C, 1, float1, V##1{c::of(q.x)}, (__ws_quad{c::word(v.x), 0, 0, 0}))          \
  __WS_TX_TEXEL(V##2, C, 2, float2, (V##2{c::of(q.x), c::of(q.y)}), (__ws_quad{c::word(v.x), c::word(v.y), 0, 0})) \
  __WS_TX_TEXEL(V##4, C, 4, float4, (V##4{c::of(q.x), c::of(q.y), c::of(q.z), c::of(q.w)}),        \
                (__ws_quad{c::word(v.x), c::word(v.y), c::word(v.z), c::word(v.w)}))
__WS_TX_TEXELS(signed char, char)
__WS_TX_TEXEL(char, char, 1, float, c::of(q.x), (__ws_quad{c::word(v), 0, 0, 0}))
__WS_TX_TEXELS(unsigned char, uchar)
__WS_TX_TEXELS(short, short)
__WS_TX_TEXELS(unsigned short, ushort)
__WS_TX_TEXELS(int, int)
__WS_TX_TEXELS(unsigned, uint)
__WS_TX_TEXELS(long, long)
__WS_TX_TEXELS(unsigned long, ulong)
__WS_TX_TEXELS(float, float)
#undef __WS_TX_TEXELS
#undef __WS_TX_TEXEL

// What a read of a reference gives, and of which format; an object's is in its descriptor where floats are asked for.
template <class T, cudaTextureReadMode m> struct __ws_read {
  typedef T type;
  __WS_TX_STATIC unsigned format(unsigned) { return __ws_texel<T>::format; }
};
template <class T> struct __ws_read<T, cudaReadModeNormalizedFloat> {
  typedef typename __ws_texel<T>::floats type;
  __WS_TX_STATIC unsigned format(unsigned) { return __ws_texel<T>::norm; }
};
template <class T> struct __ws_object : __ws_read<T, cudaReadModeElementType> {};
#define __WS_TX_OBJECT(T)                                                                          \
  template <> struct __ws_object<T> {                                                              \
    typedef T type;                                                                                \
    __WS_TX_STATIC unsigned format(unsigned p) {                                                   \
      unsigned f = __WS_TX(p, FORMAT);                                                             \
      return __WS_TX_TYPE(f) | __WS_TX_ORDER_RGBA << __WS_TX_ORDER_BIT | __WS_TX_SIZE(f) << __WS_TX_SIZE_BIT; \
    }                                                                                              \
  };
__WS_TX_OBJECT(float)
__WS_TX_OBJECT(float1)
__WS_TX_OBJECT(float2)
__WS_TX_OBJECT(float4)
#undef __WS_TX_OBJECT

// Reads of a descriptor as R says.
template <class R> __WS_DEVICE typename R::type __ws_fetched(unsigned p, int i) {
  typedef __ws_texel<typename R::type> texel;
  return texel::of(__ws_tx_fetch(p, i, R::format(p), texel::count, texel::c::type == __WS_TX_TYPE_FLOAT));
}
template <class R>
__WS_DEVICE typename R::type __ws_sampled(unsigned p, float x, float y, float z, int dims, int layered, int layer) {
  typedef __ws_texel<typename R::type> texel;
  int filters = texel::c::type == __WS_TX_TYPE_FLOAT;
  layer = layered ? __ws_tx_layer(layer, dims == 1 ? __WS_TX(p, HEIGHT) : __WS_TX(p, DEPTH)) : 0;
  return texel::of(__ws_tx_sample(p, __WS_TX(p, SAMPLER), R::format(p), x, y, z, dims, layered, layer, filters, texel::count, 0));
}
// A cube's faces are layers; the axis of the largest coordinate tells which.
template <class R> __WS_DEVICE typename R::type __ws_cube(unsigned p, float x, float y, float z, int layer) {
  float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y), az = __builtin_fabsf(z), m = az, s = z < 0 ? -x : x, t = -y;
  int face = z < 0 ? 5 : 4;
  if (ax >= ay && ax >= az) m = ax, s = x < 0 ? z : -z, face = x < 0;
  else if (ay >= az) m = ay, s = x, t = y < 0 ? -z : z, face = y < 0 ? 3 : 2;
  float half = 0.5f / m;
  typedef __ws_texel<typename R::type> texel;
  unsigned sampler = __WS_TX_NORMALIZED | (__WS_TX(p, SAMPLER) & __WS_TX_LINEAR);
  int first = 6 * layer, last = (int)__WS_TX(p, DEPTH) - 6;
  first = first > last ? last : first;
  layer = (first < 0 ? 0 : first) + face;
  int filters = texel::c::type == __WS_TX_TYPE_FLOAT;
  return texel::of(__ws_tx_sample(p, sampler, R::format(p), s * half + 0.5f, t * half + 0.5f, 0.0f, 2, 1, layer, filters, texel::count, 0));
}
template <class T> __WS_DEVICE unsigned __ws_reference(const T &t) { return __ws_tx((unsigned)(size_t)&t); }

// A function of references, and of objects with its result as value or through a pointer: parameters, and the read.
#define __WS_TEXTURE(name, read, values, ...)                                                      \
  template <class T, int d, cudaTextureReadMode m>                                                 \
  __WS_DEVICE typename __ws_read<T, m>::type name(const texture<T, d, m> &t, __VA_ARGS__) {        \
    typedef __ws_read<T, m> R;                                                                     \
    unsigned p = __ws_reference(t);                                                                \
    return read<R> values;                                                                         \
  }                                                                                                \
  template <class T> __WS_DEVICE T name(cudaTextureObject_t t, __VA_ARGS__) {                      \
    typedef __ws_object<T> R;                                                                      \
    unsigned p = __ws_tx((unsigned)t);                                                             \
    return read<R> values;                                                                         \
  }                                                                                                \
  template <class T> __WS_DEVICE void name(T *to, cudaTextureObject_t t, __VA_ARGS__) {            \
    typedef __ws_object<T> R;                                                                      \
    unsigned p = __ws_tx((unsigned)t);                                                             \
    *to = read<R> values;                                                                          \
  }
__WS_TEXTURE(tex1Dfetch, __ws_fetched, (p, i), int i)
__WS_TEXTURE(tex1D, __ws_sampled, (p, x, 0.0f, 0.0f, 1, 0, 0), float x)
__WS_TEXTURE(tex2D, __ws_sampled, (p, x, y, 0.0f, 2, 0, 0), float x, float y)
__WS_TEXTURE(tex3D, __ws_sampled, (p, x, y, z, 3, 0, 0), float x, float y, float z)
__WS_TEXTURE(tex1DLayered, __ws_sampled, (p, x, 0.0f, 0.0f, 1, 1, layer), float x, int layer)
__WS_TEXTURE(tex2DLayered, __ws_sampled, (p, x, y, 0.0f, 2, 1, layer), float x, float y, int layer)
// There is one level: any level, and any gradients, mean it.
__WS_TEXTURE(tex1DLod, __ws_sampled, (p, x, 0.0f, 0.0f, 1, 0, 0), float x, float level)
__WS_TEXTURE(tex2DLod, __ws_sampled, (p, x, y, 0.0f, 2, 0, 0), float x, float y, float level)
__WS_TEXTURE(tex3DLod, __ws_sampled, (p, x, y, z, 3, 0, 0), float x, float y, float z, float level)
__WS_TEXTURE(tex1DGrad, __ws_sampled, (p, x, 0.0f, 0.0f, 1, 0, 0), float x, float dx, float dy)
__WS_TEXTURE(tex2DGrad, __ws_sampled, (p, x, y, 0.0f, 2, 0, 0), float x, float y, float2 dx, float2 dy)
__WS_TEXTURE(tex3DGrad, __ws_sampled, (p, x, y, z, 3, 0, 0), float x, float y, float z, float4 dx, float4 dy)
__WS_TEXTURE(tex1DLayeredLod, __ws_sampled, (p, x, 0.0f, 0.0f, 1, 1, layer), float x, int layer, float level)
__WS_TEXTURE(tex2DLayeredLod, __ws_sampled, (p, x, y, 0.0f, 2, 1, layer), float x, float y, int layer, float level)
__WS_TEXTURE(texCubemap, __ws_cube, (p, x, y, z, 0), float x, float y, float z)
__WS_TEXTURE(texCubemapLod, __ws_cube, (p, x, y, z, 0), float x, float y, float z, float level)
__WS_TEXTURE(texCubemapLayered, __ws_cube, (p, x, y, z, layer), float x, float y, float z, int layer)
__WS_TEXTURE(texCubemapLayeredLod, __ws_cube, (p, x, y, z, layer), float x, float y, float z, int layer, float level)
#undef __WS_TEXTURE

// One component of the four texels that a linear filter would read, counted from the lower left.
template <class C> struct __ws_four;
#define __WS_FOUR(C, V) template <> struct __ws_four<__ws_channel<C>> { typedef V type; };
__WS_FOUR(char, char4)
__WS_FOUR(signed char, char4)
__WS_FOUR(unsigned char, uchar4)
__WS_FOUR(short, short4)
__WS_FOUR(unsigned short, ushort4)
__WS_FOUR(int, int4)
__WS_FOUR(unsigned, uint4)
__WS_FOUR(long, long4)
__WS_FOUR(unsigned long, ulong4)
__WS_FOUR(float, float4)
#undef __WS_FOUR
template <class T> __WS_DEVICE T __ws_gathered(unsigned p, unsigned format, float x, float y, int component) {
  typedef __ws_texel<T> texel;
  unsigned s = __WS_TX(p, SAMPLER) | __WS_TX_LINEAR;
  __ws_axis ax = __ws_tx_axis(x, __WS_TX(p, WIDTH), s, s), ay = __ws_tx_axis(y, __WS_TX(p, HEIGHT), s, s >> 8);
  __ws_quad r = {0, 0, 0, 0};
  for (int n = 0; n < 4; n++) {
    int i = n == 1 || n == 2 ? ax.j : ax.i, j = n < 2 ? ay.j : ay.i;
    __ws_quad t;
    if ((i | j) < 0) t = __ws_tx_border(p);
    else t = __ws_tx_texel(__ws_tx_place(p, i, j, 0, 2, __WS_TX_SIZE(format)), format, 4, texel::c::type == __WS_TX_TYPE_FLOAT, 0);
    unsigned v = component == 0 ? t.x : component == 1 ? t.y : component == 2 ? t.z : t.w;
    r.x = n == 0 ? v : r.x, r.y = n == 1 ? v : r.y, r.z = n == 2 ? v : r.z, r.w = n == 3 ? v : r.w;
  }
  return texel::of(r);
}
template <class T, int d, cudaTextureReadMode m>
__WS_DEVICE typename __ws_four<typename __ws_texel<typename __ws_read<T, m>::type>::c>::type
tex2Dgather(const texture<T, d, m> &t, float x, float y, int component = 0) {
  typedef __ws_read<T, m> R;
  unsigned p = __ws_reference(t);
  return __ws_gathered<typename __ws_four<typename __ws_texel<typename R::type>::c>::type>(p, R::format(p), x, y, component);
}
// Channels and type are the object's.
template <class T> __WS_DEVICE T tex2Dgather(cudaTextureObject_t t, float x, float y, int component = 0) {
  unsigned p = __ws_tx((unsigned)t), f = __WS_TX(p, FORMAT);
  f = __WS_TX_TYPE(f) | __WS_TX_ORDER_RGBA << __WS_TX_ORDER_BIT | __WS_TX_SIZE(f) << __WS_TX_SIZE_BIT;
  return __ws_gathered<T>(p, f, x, y, component);
}
template <class T> __WS_DEVICE void tex2Dgather(T *to, cudaTextureObject_t t, float x, float y, int component = 0) {
  *to = tex2Dgather<T>(t, x, y, component);
}

// Surfaces: x counts bytes, and a value has its own type whatever the format is.
__WS_DEVICE bool __ws_inside(int &at, unsigned size, int mode) {
  if ((unsigned)at < size) return true;
  if (mode == cudaBoundaryModeTrap) __asm__ volatile("trap;");
  if (mode != cudaBoundaryModeClamp) return false;
  at = at < 0 ? 0 : (int)size - 1;
  return true;
}
template <class T>
__WS_DEVICE bool __ws_surface(unsigned p, int x, int y, int z, int dims, int layered, int mode, unsigned &at) {
  x >>= __ws_texel<T>::size;
  int all = dims + layered;
  bool in = __ws_inside(x, __WS_TX(p, WIDTH), mode);
  if (all > 1) in = in && __ws_inside(y, __WS_TX(p, HEIGHT), mode);
  if (all > 2) in = in && __ws_inside(z, __WS_TX(p, DEPTH), mode);
  at = __ws_tx_place(p, x, y, z, all, __ws_texel<T>::size);
  return in;
}
template <class T> __WS_DEVICE T __ws_surface_read(unsigned p, int x, int y, int z, int dims, int layered, int mode) {
  unsigned at;
  __ws_quad q = {0, 0, 0, 0};
  if (__ws_surface<T>(p, x, y, z, dims, layered, mode, at)) q = __ws_tx_texel(at, __ws_texel<T>::format, 4, 0, 0);
  return __ws_texel<T>::of(q);
}
template <class T>
__WS_DEVICE void __ws_surface_write(T v, unsigned p, int x, int y, int z, int dims, int layered, int mode) {
  unsigned at;
  typedef __ws_texel<T> texel;
  if (__ws_surface<T>(p, x, y, z, dims, layered, mode, at)) __ws_tx_store(at, texel::size, __ws_tx_packed(texel::words(v), texel::c::type));
}
#define __WS_SURFACE(name, values, dims, layered, ...)                                             \
  template <class T, class S, int d> __WS_DEVICE T name##read(const surface<S, d> &s, __VA_ARGS__, int mode = cudaBoundaryModeTrap) { \
    return __ws_surface_read<T>(__ws_reference(s), values, dims, layered, mode);                   \
  }                                                                                                \
  template <class T, class S, int d> __WS_DEVICE void name##read(T *to, const surface<S, d> &s, __VA_ARGS__, int mode = cudaBoundaryModeTrap) { \
    *to = __ws_surface_read<T>(__ws_reference(s), values, dims, layered, mode);                    \
  }                                                                                                \
  template <class T, class S, int d> __WS_DEVICE void name##write(T v, const surface<S, d> &s, __VA_ARGS__, int mode = cudaBoundaryModeTrap) { \
    __ws_surface_write(v, __ws_reference(s), values, dims, layered, mode);                         \
  }                                                                                                \
  template <class T> __WS_DEVICE T name##read(cudaSurfaceObject_t s, __VA_ARGS__, int mode = cudaBoundaryModeTrap) { \
    return __ws_surface_read<T>(__ws_tx((unsigned)s), values, dims, layered, mode);                \
  }                                                                                                \
  template <class T> __WS_DEVICE void name##read(T *to, cudaSurfaceObject_t s, __VA_ARGS__, int mode = cudaBoundaryModeTrap) { \
    *to = __ws_surface_read<T>(__ws_tx((unsigned)s), values, dims, layered, mode);                 \
  }                                                                                                \
  template <class T> __WS_DEVICE void name##write(T v, cudaSurfaceObject_t s, __VA_ARGS__, int mode = cudaBoundaryModeTrap) { \
    __ws_surface_write(v, __ws_tx((unsigned)s), values, dims, layered, mode);                      \
  }
#define __WS_TX_X x, 0, 0
#define __WS_TX_XY x, y, 0
#define __WS_TX_XYZ x, y, z
#define __WS_TX_XL x, layer, 0
#define __WS_TX_XYL x, y, layer
__WS_SURFACE(surf1D, __WS_TX_X, 1, 0, int x)
__WS_SURFACE(surf2D, __WS_TX_XY, 2, 0, int x, int y)
__WS_SURFACE(surf3D, __WS_TX_XYZ, 3, 0, int x, int y, int z)
__WS_SURFACE(surf1DLayered, __WS_TX_XL, 1, 1, int x, int layer)
__WS_SURFACE(surf2DLayered, __WS_TX_XYL, 2, 1, int x, int y, int layer)
#undef __WS_SURFACE
#undef __WS_TX_X
#undef __WS_TX_XY
#undef __WS_TX_XYZ
#undef __WS_TX_XL
#undef __WS_TX_XYL
