// Common, geometric and relational functions of OpenCL C.
#pragma once

__WS_M1(degrees, x * 57.295779513f)
__WS_M1(radians, x * 0.017453292520f)
__WS_M1(sign, x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : x == x ? x : 0.0f)
__WS_M3(mix, x + (y - x) * z)
__WS_M2(step, y < x ? 0.0f : 1.0f)
__WS_F float __ws_smooth(float a, float b, float x) {
  float t = __builtin_fminf(__builtin_fmaxf((x - a) / (b - a), 0.0f), 1.0f);
  return t * t * (3.0f - 2.0f * t);
}
__WS_M3(smoothstep, __ws_smooth(x, y, z))
__WS_F float dot(float a, float b) { return a * b; }
__WS_F float dot(float2 a, float2 b) { return a.x * b.x + a.y * b.y; }
__WS_F float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__WS_F float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
__WS_F float3 cross(float3 a, float3 b) { return (float3)(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }
__WS_F float4 cross(float4 a, float4 b) {
  return (float4)(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x, 0.0f);
}
// The largest magnitude, infinite beside NaN.
__WS_F float __ws_most(float a) { return __builtin_fabsf(a); }
__WS_F float __ws_most(float2 a) { return __builtin_fmaxf(__builtin_fabsf(a.x), __builtin_fabsf(a.y)); }
__WS_F float __ws_most(float3 a) { return __builtin_fmaxf(__ws_most(a.xy), __builtin_fabsf(a.z)); }
__WS_F float __ws_most(float4 a) { return __builtin_fmaxf(__ws_most(a.lo), __ws_most(a.hi)); }
// 1 of its sign where a number is infinite, else 0 or NaN.
__WS_F float __ws_infinite(float x) { return __builtin_fabsf(x) == __WS_INF ? __ws_copysign(1.0f, x) : 0.0f * x; }
__WS_F float2 __ws_infinite(float2 a) { return (float2)(__ws_infinite(a.x), __ws_infinite(a.y)); }
__WS_F float3 __ws_infinite(float3 a) { return (float3)(__ws_infinite(a.xy), __ws_infinite(a.z)); }
__WS_F float4 __ws_infinite(float4 a) { return (float4)(__ws_infinite(a.lo), __ws_infinite(a.hi)); }
// The squares neither overflow nor vanish; a vector with infinite elements has their direction alone.
#define __WS_LENGTH(T)                                                                             \
  __WS_F float length(T a) {                                                                       \
    float m = __ws_most(a), k = __ws_scale(m);                                                     \
    T s = a * k;                                                                                   \
    return m == __WS_INF ? m : __WS_MUL(__ws_root(dot(s, s)), __WS_RCP(k));                        \
  }                                                                                                \
  __WS_F float fast_length(T a) { return native_sqrt(dot(a, a)); }                                 \
  __WS_F float distance(T a, T b) { return length(a - b); }                                        \
  __WS_F float fast_distance(T a, T b) { return fast_length(a - b); }                              \
  __WS_F T normalize(T a) {                                                                        \
    float m = __ws_most(a);                                                                        \
    T s = m == __WS_INF ? __ws_infinite(a) : a * __ws_scale(m);                                    \
    float d = dot(s, s);                                                                           \
    return d == 0.0f ? a : s * native_rsqrt(d);                                                    \
  }                                                                                                \
  __WS_F T fast_normalize(T a) { float d = dot(a, a); return d == 0.0f ? a : a * native_rsqrt(d); }
__WS_LENGTH(float)
__WS_LENGTH(float2)
__WS_LENGTH(float3)
__WS_LENGTH(float4)

// Relations: 1 or 0 of scalars, -1 or 0 of vectors.
#define __WS_REL_N(n, N) __WS_F int##N n(float##N x, float##N y) { return __ws_##n(x, y); }
#define __WS_RELATION(n) __WS_F int n(float x, float y) { return __ws_##n(x, y); } __WS_WIDTHS(__WS_REL_N, n)
#define __ws_isequal(x, y) (x == y)
#define __ws_isnotequal(x, y) (x != y)
#define __ws_isgreater(x, y) (x > y)
#define __ws_isgreaterequal(x, y) (x >= y)
#define __ws_isless(x, y) (x < y)
#define __ws_islessequal(x, y) (x <= y)
#define __ws_islessgreater(x, y) (x < y || x > y)
#define __ws_isordered(x, y) (x == x && y == y)
#define __ws_isunordered(x, y) (x != x || y != y)
__WS_RELATION(isequal)
__WS_RELATION(isnotequal)
__WS_RELATION(isgreater)
__WS_RELATION(isgreaterequal)
__WS_RELATION(isless)
__WS_RELATION(islessequal)
__WS_RELATION(islessgreater)
__WS_RELATION(isordered)
__WS_RELATION(isunordered)
#define __WS_CLASS_N(n, N) __WS_F int##N n(float##N x) { return __ws_##n(x, N); }
#define __WS_CLASS(n) __WS_F int n(float x) { return __ws_##n(x, ); } __WS_WIDTHS(__WS_CLASS_N, n)
#define __ws_isnan(x, N) (x != x)
#define __ws_isinf(x, N) ((as_uint##N(x) & 0x7fffffffu) == 0x7f800000u)
#define __ws_isfinite(x, N) ((as_uint##N(x) & 0x7f800000u) != 0x7f800000u)
#define __ws_isnormal(x, N) ((as_uint##N(x) & 0x7fffffffu) - 0x00800000u < 0x7f000000u)
__WS_CLASS(isnan)
__WS_CLASS(isinf)
__WS_CLASS(isfinite)
__WS_CLASS(isnormal)
__WS_F int signbit(float x) { return as_uint(x) >> 31; }
#define __WS_SIGN_N(a, N) __WS_F int##N signbit(float##N x) { return as_int##N(x) >> 31; }
__WS_WIDTHS(__WS_SIGN_N, )

// any, all and select look at the highest bit of each element.
#define __WS_ANY(T)                                                                                \
  __WS_F int any(T x) { return x < 0; }                                                            \
  __WS_F int any(T##2 x) { return (x.x | x.y) < 0; }                                               \
  __WS_F int any(T##3 x) { return (x.x | x.y | x.z) < 0; }                                         \
  __WS_F int any(T##4 x) { return (x.x | x.y | x.z | x.w) < 0; }                                   \
  __WS_F int any(T##8 x) { return any(x.lo | x.hi); }                                              \
  __WS_F int any(T##16 x) { return any(x.lo | x.hi); }                                             \
  __WS_F int all(T x) { return x < 0; }                                                            \
  __WS_F int all(T##2 x) { return (x.x & x.y) < 0; }                                               \
  __WS_F int all(T##3 x) { return (x.x & x.y & x.z) < 0; }                                         \
  __WS_F int all(T##4 x) { return (x.x & x.y & x.z & x.w) < 0; }                                   \
  __WS_F int all(T##8 x) { return all(x.lo & x.hi); }                                              \
  __WS_F int all(T##16 x) { return all(x.lo & x.hi); }
__WS_ANY(char)
__WS_ANY(short)
__WS_ANY(int)
__WS_ANY(long)
#define __WS_SELECT_N(T, C, N) __WS_F T##N select(T##N a, T##N b, C##N c) { return c ? b : a; }
#define __WS_SELECT(T, C)                                                                          \
  __WS_F T select(T a, T b, C c) { return c ? b : a; }                                             \
  __WS_SELECT_N(T, C, 2) __WS_SELECT_N(T, C, 3) __WS_SELECT_N(T, C, 4) __WS_SELECT_N(T, C, 8) __WS_SELECT_N(T, C, 16)
#define __WS_SELECTS(S, U) __WS_SELECT(S, S) __WS_SELECT(S, U) __WS_SELECT(U, S) __WS_SELECT(U, U)
__WS_SELECTS(char, uchar)
__WS_SELECTS(short, ushort)
__WS_SELECTS(int, uint)
__WS_SELECTS(long, ulong)
__WS_SELECT(float, int)
__WS_SELECT(float, uint)
#define __WS_BITSELECT_N(T, N) __WS_F T##N bitselect(T##N a, T##N b, T##N c) { return (a & ~c) | (b & c); }
#define __WS_BITSELECT(T) __WS_F T bitselect(T a, T b, T c) { return (a & ~c) | (b & c); } __WS_WIDTHS(__WS_BITSELECT_N, T)
__WS_INTEGERS(__WS_BITSELECT)
__WS_F float bitselect(float a, float b, float c) { return as_float(bitselect(as_uint(a), as_uint(b), as_uint(c))); }
#define __WS_BITSELECT_FLOAT(a, N)                                                                 \
  __WS_F float##N bitselect(float##N x, float##N y, float##N z) {                                  \
    return as_float##N(bitselect(as_uint##N(x), as_uint##N(y), as_uint##N(z)));                    \
  }
__WS_WIDTHS(__WS_BITSELECT_FLOAT, )

// Elements of one or two vectors by number; the numbers count as far as there are elements.
#define __WS_SHUFFLE2(T, M, m, N) __WS_F T##2 shuffle(T##m x, M##2 n) { return (T##2)(x[n.x & N], x[n.y & N]); }
#define __WS_SHUFFLE_N(T, M, m, N)                                                                 \
  __WS_SHUFFLE2(T, M, m, N)                                                                        \
  __WS_F T##4 shuffle(T##m x, M##4 n) { return (T##4)(shuffle(x, n.lo), shuffle(x, n.hi)); }       \
  __WS_F T##8 shuffle(T##m x, M##8 n) { return (T##8)(shuffle(x, n.lo), shuffle(x, n.hi)); }       \
  __WS_F T##16 shuffle(T##m x, M##16 n) { return (T##16)(shuffle(x, n.lo), shuffle(x, n.hi)); }
#define __WS_PAIR_N(T, M, R, N, L)                                                                 \
  __WS_F T##R shuffle2(T##N x, T##N y, M##R n) {                                                   \
    T##R a = shuffle(x, n), b = shuffle(y, n);                                                     \
    return (n & (M)(L)) != (M)(0) ? b : a;                                                         \
  }
#define __WS_PAIRS(T, M, N) __WS_PAIR_N(T, M, 2, N, N) __WS_PAIR_N(T, M, 4, N, N) __WS_PAIR_N(T, M, 8, N, N) __WS_PAIR_N(T, M, 16, N, N)
#define __WS_SHUFFLES(T, M)                                                                        \
  __WS_SHUFFLE_N(T, M, 2, 1) __WS_SHUFFLE_N(T, M, 4, 3) __WS_SHUFFLE_N(T, M, 8, 7) __WS_SHUFFLE_N(T, M, 16, 15) \
  __WS_PAIRS(T, M, 2) __WS_PAIRS(T, M, 4) __WS_PAIRS(T, M, 8) __WS_PAIRS(T, M, 16)
__WS_SHUFFLES(char, uchar)
__WS_SHUFFLES(uchar, uchar)
__WS_SHUFFLES(short, ushort)
__WS_SHUFFLES(ushort, ushort)
__WS_SHUFFLES(int, uint)
__WS_SHUFFLES(uint, uint)
__WS_SHUFFLES(float, uint)
__WS_SHUFFLES(long, ulong)
__WS_SHUFFLES(ulong, ulong)
