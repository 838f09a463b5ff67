// What SM 1.0 has no instructions for. A call is an error of the compiler that says what to do instead.
#pragma once
#pragma clang system_header

#define __WS_ATOMICS "SM 1.0 has no atomics: let every thread or block write a result of its own and add them up behind a barrier or in a second kernel"
#define __WS_WARP "SM 1.0 exchanges no values between threads of a warp: use a __shared__ array and __syncthreads()"
#define __WS_TEXTURE "SM 1.0 as built here has no textures: pass the array as a pointer to global memory"
#define __WS_ROUND "SM 1.0 rounds to nearest or to zero only: use the function that ends in _rn or _rz"
#define __WS_HEAP "there is no heap on the device: use an array, or a buffer that the launch passes"

#define __WS_ATOMIC(n)                                                                             \
  template <class T, class U> __WS_REFUSED(__WS_ATOMICS) T n(T *, U);                              \
  template <class T, class U> __WS_REFUSED(__WS_ATOMICS) T n##_block(T *, U);                      \
  template <class T, class U> __WS_REFUSED(__WS_ATOMICS) T n##_system(T *, U);
__WS_ATOMIC(atomicAdd)
__WS_ATOMIC(atomicSub)
__WS_ATOMIC(atomicExch)
__WS_ATOMIC(atomicMin)
__WS_ATOMIC(atomicMax)
__WS_ATOMIC(atomicInc)
__WS_ATOMIC(atomicDec)
__WS_ATOMIC(atomicAnd)
__WS_ATOMIC(atomicOr)
__WS_ATOMIC(atomicXor)
#undef __WS_ATOMIC
template <class T, class U, class V> __WS_REFUSED(__WS_ATOMICS) T atomicCAS(T *, U, V);

__WS_REFUSED(__WS_WARP) int __all(int);
__WS_REFUSED(__WS_WARP) int __any(int);
__WS_REFUSED(__WS_WARP) unsigned __ballot(int);
__WS_REFUSED(__WS_WARP) int __all_sync(unsigned, int);
__WS_REFUSED(__WS_WARP) int __any_sync(unsigned, int);
__WS_REFUSED(__WS_WARP) unsigned __ballot_sync(unsigned, int);
__WS_REFUSED(__WS_WARP) unsigned __activemask();
__WS_REFUSED(__WS_WARP) int __syncthreads_count(int);
__WS_REFUSED(__WS_WARP) int __syncthreads_and(int);
__WS_REFUSED(__WS_WARP) int __syncthreads_or(int);
#define __WS_SHUFFLE(n)                                                                            \
  template <class T> __WS_REFUSED(__WS_WARP) T n(T, int, int = 32);                                \
  template <class T> __WS_REFUSED(__WS_WARP) T n##_sync(unsigned, T, int, int = 32);
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
enum { cudaTextureType1D = 1, cudaTextureType2D = 2, cudaTextureType3D = 3 };
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
template <class T, int d, cudaTextureReadMode m> __WS_REFUSED(__WS_TEXTURE) T tex1Dfetch(const texture<T, d, m> &, int);
template <class T, int d, cudaTextureReadMode m> __WS_REFUSED(__WS_TEXTURE) T tex1D(const texture<T, d, m> &, float);
template <class T, int d, cudaTextureReadMode m> __WS_REFUSED(__WS_TEXTURE) T tex2D(const texture<T, d, m> &, float, float);
template <class T, int d, cudaTextureReadMode m> __WS_REFUSED(__WS_TEXTURE) T tex3D(const texture<T, d, m> &, float, float, float);
template <class T> __WS_REFUSED(__WS_TEXTURE) T tex1Dfetch(cudaTextureObject_t, int);
template <class T> __WS_REFUSED(__WS_TEXTURE) T tex1D(cudaTextureObject_t, float);
template <class T> __WS_REFUSED(__WS_TEXTURE) T tex2D(cudaTextureObject_t, float, float);
template <class T> __WS_REFUSED(__WS_TEXTURE) T tex3D(cudaTextureObject_t, float, float, float);

__WS_REFUSED("SM 1.0 counts cycles in 32 bits: use clock()") long long clock64();
__WS_REFUSED(__WS_ROUND) float __fadd_ru(float, float);
__WS_REFUSED(__WS_ROUND) float __fadd_rd(float, float);
__WS_REFUSED(__WS_ROUND) float __fmul_ru(float, float);
__WS_REFUSED(__WS_ROUND) float __fmul_rd(float, float);
__WS_REFUSED(__WS_HEAP) void *malloc(size_t);
__WS_REFUSED(__WS_HEAP) void free(void *);
