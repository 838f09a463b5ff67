// Operators and functions on float2, float3, float4 and integer vectors.
#pragma once
#pragma clang system_header

#define __WS_OP(T, S, op, E)                                                                       \
  __WS_HD T operator op(T a, T b) { return E(a, op, b); }                                          \
  __WS_HD T operator op(T a, S b) { return E##R(a, op, b); }                                       \
  __WS_HD T operator op(S a, T b) { return E##L(a, op, b); }                                       \
  __WS_HD void operator op##=(T &a, T b) { a = E(a, op, b); }                                      \
  __WS_HD void operator op##=(T &a, S b) { a = E##R(a, op, b); }
#define __WS_E2(a, op, b) {a.x op b.x, a.y op b.y}
#define __WS_E2R(a, op, b) {a.x op b, a.y op b}
#define __WS_E2L(a, op, b) {a op b.x, a op b.y}
#define __WS_E3(a, op, b) {a.x op b.x, a.y op b.y, a.z op b.z}
#define __WS_E3R(a, op, b) {a.x op b, a.y op b, a.z op b}
#define __WS_E3L(a, op, b) {a op b.x, a op b.y, a op b.z}
#define __WS_E4(a, op, b) {a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w}
#define __WS_E4R(a, op, b) {a.x op b, a.y op b, a.z op b, a.w op b}
#define __WS_E4L(a, op, b) {a op b.x, a op b.y, a op b.z, a op b.w}
#define __WS_OPS(t, s)                                                                             \
  __WS_OP(t##2, s, +, __WS_E2) __WS_OP(t##2, s, -, __WS_E2) __WS_OP(t##2, s, *, __WS_E2)           \
  __WS_OP(t##3, s, +, __WS_E3) __WS_OP(t##3, s, -, __WS_E3) __WS_OP(t##3, s, *, __WS_E3)           \
  __WS_OP(t##4, s, +, __WS_E4) __WS_OP(t##4, s, -, __WS_E4) __WS_OP(t##4, s, *, __WS_E4)
__WS_OPS(float, float)
__WS_OPS(int, int)
__WS_OPS(uint, unsigned)
__WS_OP(float2, float, /, __WS_E2)
__WS_OP(float3, float, /, __WS_E3)
__WS_OP(float4, float, /, __WS_E4)

__WS_HD float2 operator-(float2 a) { return {-a.x, -a.y}; }
__WS_HD float3 operator-(float3 a) { return {-a.x, -a.y, -a.z}; }
__WS_HD float4 operator-(float4 a) { return {-a.x, -a.y, -a.z, -a.w}; }
__WS_HD float2 make_float2(float s) { return {s, s}; }
__WS_HD float3 make_float3(float s) { return {s, s, s}; }
__WS_HD float4 make_float4(float s) { return {s, s, s, s}; }
__WS_HD float3 make_float3(float2 a, float s) { return {a.x, a.y, s}; }
__WS_HD float3 make_float3(float4 a) { return {a.x, a.y, a.z}; }
__WS_HD float4 make_float4(float3 a, float s) { return {a.x, a.y, a.z, s}; }
__WS_HD float4 make_float4(float3 a) { return {a.x, a.y, a.z, 0.0f}; }
__WS_HD int2 make_int2(int s) { return {s, s}; }
__WS_HD int3 make_int3(int s) { return {s, s, s}; }
__WS_HD int4 make_int4(int s) { return {s, s, s, s}; }

__WS_HD float clamp(float x, float a, float b) { return min(max(x, a), b); }
__WS_HD int clamp(int x, int a, int b) { return min(max(x, a), b); }
__WS_HD unsigned clamp(unsigned x, unsigned a, unsigned b) { return min(max(x, a), b); }
__WS_HD float lerp(float a, float b, float t) { return a + t * (b - a); }
__WS_HD float2 lerp(float2 a, float2 b, float t) { return a + t * (b - a); }
__WS_HD float3 lerp(float3 a, float3 b, float t) { return a + t * (b - a); }
__WS_HD float4 lerp(float4 a, float4 b, float t) { return a + t * (b - a); }
__WS_HD float dot(float2 a, float2 b) { return a.x * b.x + a.y * b.y; }
__WS_HD float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__WS_HD float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
__WS_HD float3 cross(float3 a, float3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
#define __WS_LENGTH(T)                                                                             \
  __WS_HD float length(T a) { return __builtin_sqrtf(dot(a, a)); }                                 \
  __WS_HD T normalize(T a) { return a * (1.0f / __builtin_sqrtf(dot(a, a))); }
__WS_LENGTH(float2)
__WS_LENGTH(float3)
__WS_LENGTH(float4)
__WS_HD float3 reflect(float3 i, float3 n) { return i - 2.0f * n * dot(n, i); }
#define __WS_EACH(n, f)                                                                            \
  __WS_DEVICE float2 n(float2 a) { return {f(a.x), f(a.y)}; }                                      \
  __WS_DEVICE float3 n(float3 a) { return {f(a.x), f(a.y), f(a.z)}; }                              \
  __WS_DEVICE float4 n(float4 a) { return {f(a.x), f(a.y), f(a.z), f(a.w)}; }
#define __WS_EACH2(n, f)                                                                           \
  __WS_HD float2 n(float2 a, float2 b) { return {f(a.x, b.x), f(a.y, b.y)}; }                      \
  __WS_HD float3 n(float3 a, float3 b) { return {f(a.x, b.x), f(a.y, b.y), f(a.z, b.z)}; }         \
  __WS_HD float4 n(float4 a, float4 b) { return {f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w)}; }
__WS_EACH(fabs, __builtin_fabsf)
__WS_EACH(floorf, __builtin_floorf)
__WS_EACH2(fminf, __builtin_fminf)
__WS_EACH2(fmaxf, __builtin_fmaxf)
