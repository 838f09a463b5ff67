// Random numbers of a kernel, as CUDA's library has them by these names: XORWOW (Marsaglia, "Xorshift RNGs", 2003) and
// Philox4x32-10 (Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", 2011). Written from the papers: the
// sequences of a seed are Warpsmith's own, those of Philox are the paper's.
#pragma once
#pragma clang system_header
#define CURAND_KERNEL_H_
#define CURAND_H_

#define __WS_RND static inline __attribute__((device, nodebug, unused))

struct curandStateXORWOW {
  unsigned d, v[5];
  int has, has_double;
  float spare;
  double spare_double;
};
struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned at;
  int has, has_double;
  float spare;
  double spare_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

// The next word of XORWOW.
__WS_RND unsigned curand(curandStateXORWOW *s) {
  unsigned t = s->v[0] ^ (s->v[0] >> 2);
  s->v[0] = s->v[1];
  s->v[1] = s->v[2];
  s->v[2] = s->v[3];
  s->v[3] = s->v[4];
  s->v[4] = (s->v[4] ^ (s->v[4] << 4)) ^ (t ^ (t << 1));
  s->d += 362437;
  return s->d + s->v[4];
}

// Spreads a word over all bits: the finaliser of MurmurHash3.
__WS_RND unsigned __ws_mixed(unsigned h) {
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  return h ^ h >> 16;
}

// A step of ten rounds: four words that depend on a counter and a key alone.
__WS_RND uint4 __ws_philox(uint4 c, uint2 k) {
  for (int round = 0; round < 10; round++) {
    unsigned h0 = __umulhi(0xd2511f53u, c.x), l0 = 0xd2511f53u * c.x;
    unsigned h1 = __umulhi(0xcd9e8d57u, c.z), l1 = 0xcd9e8d57u * c.z;
    c = make_uint4(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0);
    k.x += 0x9e3779b9u;
    k.y += 0xbb67ae85u;
  }
  return c;
}

// Starting points of different seeds and sequences have different keys or counters of Philox, and so do not depend on
// each other; the offset is so many steps.
__WS_RND void skipahead(unsigned long long n, curandStateXORWOW *s) {
  for (; n > 0; n--) curand(s);
}
__WS_RND void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandStateXORWOW *s) {
  uint2 key = make_uint2((unsigned)seed, (unsigned)(seed >> 32));
  uint4 a = __ws_philox(make_uint4((unsigned)sequence, (unsigned)(sequence >> 32), 0, 0), key);
  uint4 b = __ws_philox(make_uint4((unsigned)sequence, (unsigned)(sequence >> 32), 1, 0), key);
  s->v[0] = a.x;
  s->v[1] = a.y;
  s->v[2] = a.z;
  s->v[3] = a.w;
  // Not all words may be zero.
  s->v[4] = b.x | 1;
  s->d = __ws_mixed(b.y);
  s->has = s->has_double = 0;
  s->spare = 0;
  s->spare_double = 0;
  skipahead(offset, s);
}

__WS_RND void __ws_next(uint4 *c) {
  if (++c->x == 0 && ++c->y == 0 && ++c->z == 0) ++c->w;
}
__WS_RND void __ws_ahead(unsigned long long blocks, uint4 *c) {
  unsigned long long low = ((unsigned long long)c->y << 32 | c->x) + blocks;
  if (low < blocks && ++c->z == 0) ++c->w;
  c->x = (unsigned)low;
  c->y = (unsigned)(low >> 32);
}
__WS_RND void skipahead(unsigned long long n, curandStatePhilox4_32_10 *s) {
  n += s->at;
  s->at = (unsigned)n & 3;
  __ws_ahead(n >> 2, &s->ctr);
  s->output = __ws_philox(s->ctr, s->key);
}
__WS_RND void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10 *s) {
  unsigned long long high = ((unsigned long long)s->ctr.w << 32 | s->ctr.z) + n;
  s->ctr.z = (unsigned)high;
  s->ctr.w = (unsigned)(high >> 32);
  s->output = __ws_philox(s->ctr, s->key);
}
__WS_RND void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandStatePhilox4_32_10 *s) {
  s->ctr = make_uint4(0, 0, (unsigned)sequence, (unsigned)(sequence >> 32));
  s->key = make_uint2((unsigned)seed, (unsigned)(seed >> 32));
  s->at = 0;
  s->has = s->has_double = 0;
  s->spare = 0;
  s->spare_double = 0;
  skipahead(offset, s);
}
__WS_RND unsigned curand(curandStatePhilox4_32_10 *s) {
  uint4 o = s->output;
  unsigned word = s->at == 0 ? o.x : s->at == 1 ? o.y : s->at == 2 ? o.z : o.w;
  if (++s->at == 4) {
    s->at = 0;
    __ws_next(&s->ctr);
    s->output = __ws_philox(s->ctr, s->key);
  }
  return word;
}
__WS_RND uint4 curand4(curandStatePhilox4_32_10 *s) {
  uint4 a = s->output;
  __ws_next(&s->ctr);
  uint4 b = s->output = __ws_philox(s->ctr, s->key);
  switch (s->at) {
  case 0: return a;
  case 1: return make_uint4(a.y, a.z, a.w, b.x);
  case 2: return make_uint4(a.z, a.w, b.x, b.y);
  default: return make_uint4(a.w, b.x, b.y, b.z);
  }
}

// Above 0, up to 1.
__WS_RND float __ws_uniform(unsigned x) { return x * 2.3283064e-10f + 1.1641532e-10f; }
__WS_RND double __ws_uniform_double(unsigned x, unsigned y) {
  unsigned long long z = (unsigned long long)x ^ (unsigned long long)y << 21;
  return (double)(long long)z * 1.1102230246251565e-16 + 5.551115123125783e-17;
}
// Two of the normal distribution of two words each (Box and Muller).
__WS_RND float2 __ws_normal(unsigned x, unsigned y) {
  float r = sqrtf(-2.0f * logf(__ws_uniform(x))), s, c;
  sincosf(6.2831855f * __ws_uniform(y), &s, &c);
  return make_float2(r * s, r * c);
}
__WS_RND double2 __ws_normal_double(uint4 w) {
  double r = sqrt(-2.0 * log(__ws_uniform_double(w.x, w.y))), a = 6.283185307179586 * __ws_uniform_double(w.z, w.w);
  return make_double2(r * sin(a), r * cos(a));
}

template <class S> __WS_RND float curand_uniform(S *s) { return __ws_uniform(curand(s)); }
template <class S> __WS_RND double curand_uniform_double(S *s) {
  unsigned x = curand(s), y = curand(s);
  return __ws_uniform_double(x, y);
}
template <class S> __WS_RND float2 curand_normal2(S *s) {
  unsigned x = curand(s), y = curand(s);
  return __ws_normal(x, y);
}
template <class S> __WS_RND float curand_normal(S *s) {
  if (s->has) {
    s->has = 0;
    return s->spare;
  }
  float2 two = curand_normal2(s);
  s->spare = two.y;
  s->has = 1;
  return two.x;
}
template <class S> __WS_RND double2 curand_normal2_double(S *s) {
  uint4 w;
  w.x = curand(s);
  w.y = curand(s);
  w.z = curand(s);
  w.w = curand(s);
  return __ws_normal_double(w);
}
template <class S> __WS_RND double curand_normal_double(S *s) {
  if (s->has_double) {
    s->has_double = 0;
    return s->spare_double;
  }
  double2 two = curand_normal2_double(s);
  s->spare_double = two.y;
  s->has_double = 1;
  return two.x;
}
template <class S> __WS_RND float curand_log_normal(S *s, float mean, float deviation) {
  return expf(mean + deviation * curand_normal(s));
}
template <class S> __WS_RND float2 curand_log_normal2(S *s, float mean, float deviation) {
  float2 two = curand_normal2(s);
  return make_float2(expf(mean + deviation * two.x), expf(mean + deviation * two.y));
}
template <class S> __WS_RND double curand_log_normal_double(S *s, double mean, double deviation) {
  return exp(mean + deviation * curand_normal_double(s));
}
// Knuth's product of uniform numbers below 16, above a rounded normal number.
template <class S> __WS_RND unsigned curand_poisson(S *s, double lambda) {
  float mean = (float)lambda;
  if (mean >= 16.0f) {
    float x = mean + sqrtf(mean) * curand_normal(s) + 0.5f;
    return x > 0.0f ? (unsigned)x : 0;
  }
  float limit = expf(-mean), product = curand_uniform(s);
  unsigned n = 0;
  for (; product > limit; n++) product *= curand_uniform(s);
  return n;
}

__WS_RND float4 curand_uniform4(curandStatePhilox4_32_10 *s) {
  uint4 w = curand4(s);
  return make_float4(__ws_uniform(w.x), __ws_uniform(w.y), __ws_uniform(w.z), __ws_uniform(w.w));
}
__WS_RND double2 curand_uniform2_double(curandStatePhilox4_32_10 *s) {
  uint4 w = curand4(s);
  return make_double2(__ws_uniform_double(w.x, w.y), __ws_uniform_double(w.z, w.w));
}
__WS_RND float4 curand_normal4(curandStatePhilox4_32_10 *s) {
  uint4 w = curand4(s);
  float2 a = __ws_normal(w.x, w.y), b = __ws_normal(w.z, w.w);
  return make_float4(a.x, a.y, b.x, b.y);
}
__WS_RND float4 curand_log_normal4(curandStatePhilox4_32_10 *s, float mean, float deviation) {
  float4 n = curand_normal4(s);
  return make_float4(expf(mean + deviation * n.x), expf(mean + deviation * n.y), expf(mean + deviation * n.z), expf(mean + deviation * n.w));
}
#undef __WS_RND
