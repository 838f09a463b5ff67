// What SM 1.0 has no instructions for: names and types. What to do instead, the compiler says at the call.
#pragma once
#pragma clang system_header

#define __WS_ATOMIC(n, T) __WS_REFUSED T n(T *, T);
__WS_ATOMIC(atomicAdd, unsigned long long)
__WS_ATOMIC(atomicAdd, double)
__WS_ATOMIC(atomicExch, unsigned long long)
__WS_ATOMIC(atomicMin, long long)
__WS_ATOMIC(atomicMin, unsigned long long)
__WS_ATOMIC(atomicMax, long long)
__WS_ATOMIC(atomicMax, unsigned long long)
__WS_ATOMIC(atomicAnd, unsigned long long)
__WS_ATOMIC(atomicOr, unsigned long long)
__WS_ATOMIC(atomicXor, unsigned long long)
#undef __WS_ATOMIC
__WS_REFUSED unsigned long long atomicCAS(unsigned long long *, unsigned long long, unsigned long long);

__WS_REFUSED int __all(int);
__WS_REFUSED int __any(int);
__WS_REFUSED unsigned __ballot(int);
__WS_REFUSED int __all_sync(unsigned, int);
__WS_REFUSED int __any_sync(unsigned, int);
__WS_REFUSED unsigned __ballot_sync(unsigned, int);
__WS_REFUSED unsigned __activemask();
__WS_REFUSED int __syncthreads_count(int);
__WS_REFUSED int __syncthreads_and(int);
__WS_REFUSED int __syncthreads_or(int);
#define __WS_SHUFFLE(n)                                                                            \
  template <class T> __WS_REFUSED T n(T, int, int = 32);                                     \
  template <class T> __WS_REFUSED T n##_sync(unsigned, T, int, int = 32);
__WS_SHUFFLE(__shfl)
__WS_SHUFFLE(__shfl_up)
__WS_SHUFFLE(__shfl_down)
__WS_SHUFFLE(__shfl_xor)
#undef __WS_SHUFFLE

// Texture references may stand in a file; reading one is refused.
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureAddressMode { cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder };
enum cudaChannelFormatKind { cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned, cudaChannelFormatKindFloat, cudaChannelFormatKindNone };
enum cudaTextureTypes { cudaTextureType1D = 1, cudaTextureType2D = 2, cudaTextureType3D = 3 };
struct cudaChannelFormatDesc { int x, y, z, w; cudaChannelFormatKind f; };
struct textureReference {
  int normalized;
  cudaTextureFilterMode filterMode;
  cudaTextureAddressMode addressMode[3];
  cudaChannelFormatDesc channelDesc;
};
template <class T, int dim = 1, cudaTextureReadMode mode = cudaReadModeElementType>
struct texture : textureReference {};
template <class T, int dim = 1> struct surface : textureReference {};
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
// A reference stands in the host's memory: only its type is looked at. Objects are numbers.
template <class T> struct __ws_texel {};
template <class T, int d, cudaTextureReadMode m> struct __ws_texel<texture<T, d, m>> { typedef T type; };
template <class T, int d, cudaTextureReadMode m> struct __ws_texel<const texture<T, d, m>> { typedef T type; };
template <class T, int d> struct __ws_texel<surface<T, d>> { typedef int type; };
#define __WS_TEXTURE(n)                                                                            \
  template <class T, class... A> __WS_REFUSED typename __ws_texel<T>::type __ws_##n(A...);         \
  template <class T, class... A> __WS_REFUSED T n(unsigned long long, A...);                       \
  template <class T, class... A> __WS_REFUSED void n(T *, unsigned long long, A...);
__WS_TEXTURE(tex1Dfetch)
__WS_TEXTURE(tex1D)
__WS_TEXTURE(tex2D)
__WS_TEXTURE(tex3D)
__WS_TEXTURE(texCubemap)
__WS_TEXTURE(tex1DLayered)
__WS_TEXTURE(tex2DLayered)
__WS_TEXTURE(tex2DLod)
__WS_TEXTURE(tex3DLod)
__WS_TEXTURE(tex2Dgather)
__WS_TEXTURE(surf1Dread)
__WS_TEXTURE(surf2Dread)
__WS_TEXTURE(surf3Dread)
#undef __WS_TEXTURE
#define tex1Dfetch(t, ...) __ws_tex1Dfetch<decltype(t)>(__VA_ARGS__)
#define tex1D(t, ...) __ws_tex1D<decltype(t)>(__VA_ARGS__)
#define tex2D(t, ...) __ws_tex2D<decltype(t)>(__VA_ARGS__)
#define tex3D(t, ...) __ws_tex3D<decltype(t)>(__VA_ARGS__)
template <class T> __WS_REFUSED void __ws_surface_write(T);
#define surf1Dwrite(value, ...) __ws_surface_write(value)
#define surf2Dwrite(value, ...) __ws_surface_write(value)
#define surf3Dwrite(value, ...) __ws_surface_write(value)

#ifdef __WS_DOUBLES
__WS_REFUSED double erf(double);
__WS_REFUSED double erfc(double);
__WS_REFUSED double tgamma(double);
__WS_REFUSED double lgamma(double);
#endif
__WS_REFUSED long long clock64();
__WS_REFUSED float __fadd_ru(float, float);
__WS_REFUSED float __fadd_rd(float, float);
__WS_REFUSED float __fmul_ru(float, float);
__WS_REFUSED float __fmul_rd(float, float);
__WS_REFUSED void *malloc(size_t);
__WS_REFUSED void free(void *);
