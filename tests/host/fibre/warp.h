// Exchange of values between the threads of a warp.
#pragma once

namespace fibre {

// What a thread hands to the others of its warp.
struct Slot {
  alignas(16) char bytes[32];
  unsigned mask; // of the call: threads with the same mask belong together
};
inline Slot slots[1024];
inline unsigned present[1024 / WARP]; // threads of each warp that take part

// The values of a warp's threads.
template <class T> struct Lanes {
  T value[WARP];
  unsigned present;
};

inline unsigned lane() { return current->number % WARP; }

// Hands a value to the others of the warp and gets theirs.
template <class T> Lanes<T> exchange(const T &mine, unsigned mask) {
  static_assert(sizeof(T) <= sizeof Slot().bytes);
  unsigned warp = current->number / WARP, bit = 1u << lane();
  Slot *all = slots + warp * WARP;
  memcpy(all[lane()].bytes, &mine, sizeof mine);
  all[lane()].mask = mask;
  present[warp] |= bit;
  wait(State::AtWarp);
  Lanes<T> got;
  got.present = 0;
  for (unsigned i = 0; i < WARP; i++) {
    memcpy(&got.value[i], all[i].bytes, sizeof(T));
    if (present[warp] >> i & mask >> i & 1 && all[i].mask == mask) got.present |= 1u << i;
  }
  wait(State::AtWarp);
  present[warp] &= ~bit;
  return got;
}

// The value of a lane, the own one where `from` is none.
template <class T> T shuffled(unsigned mask, const T &mine, int from) {
  Lanes<T> all = exchange(mine, mask);
  return from >= 0 && from < (int)WARP ? all.value[from] : mine;
}

} // namespace fibre

static inline unsigned __activemask() { return fibre::exchange(0, ~0u).present; }

// Shuffles within parts of `width` lanes.
template <class T> T __shfl_sync(unsigned mask, T v, int from, int width = 32) {
  return fibre::shuffled(mask, v, (int)(fibre::lane() & ~(width - 1)) | (from & (width - 1)));
}
template <class T> T __shfl_up_sync(unsigned mask, T v, unsigned by, int width = 32) {
  return fibre::shuffled(mask, v, (fibre::lane() & (width - 1)) >= by ? (int)(fibre::lane() - by) : -1);
}
template <class T> T __shfl_down_sync(unsigned mask, T v, unsigned by, int width = 32) {
  return fibre::shuffled(mask, v, (fibre::lane() & (width - 1)) + by < (unsigned)width ? (int)(fibre::lane() + by) : -1);
}
template <class T> T __shfl_xor_sync(unsigned mask, T v, int with, int width = 32) {
  unsigned to = fibre::lane() ^ with;
  return fibre::shuffled(mask, v, (to & ~(width - 1)) <= (fibre::lane() & ~(width - 1)) ? (int)to : -1);
}
template <class T> T __shfl(T v, int from, int width = 32) { return __shfl_sync(~0u, v, from, width); }
template <class T> T __shfl_up(T v, unsigned by, int width = 32) { return __shfl_up_sync(~0u, v, by, width); }
template <class T> T __shfl_down(T v, unsigned by, int width = 32) { return __shfl_down_sync(~0u, v, by, width); }
template <class T> T __shfl_xor(T v, int with, int width = 32) { return __shfl_xor_sync(~0u, v, with, width); }

// Votes.
static inline unsigned __ballot_sync(unsigned mask, int p) {
  auto all = fibre::exchange(p != 0, mask);
  unsigned votes = 0;
  for (unsigned i = 0; i < fibre::WARP; i++) votes |= (all.present >> i & 1 && all.value[i] ? 1u : 0u) << i;
  return votes;
}
static inline int __any_sync(unsigned mask, int p) { return __ballot_sync(mask, p) != 0; }
static inline int __all_sync(unsigned mask, int p) { return __ballot_sync(mask, !p) == 0; }
static inline unsigned __ballot(int p) { return __ballot_sync(~0u, p); }
static inline int __any(int p) { return __any_sync(~0u, p); }
static inline int __all(int p) { return __all_sync(~0u, p); }

// Threads with the same value.
template <class T> unsigned __match_any_sync(unsigned mask, T v) {
  auto all = fibre::exchange(v, mask);
  unsigned same = 0;
  for (unsigned i = 0; i < fibre::WARP; i++) same |= (all.present >> i & 1 && all.value[i] == v ? 1u : 0u) << i;
  return same;
}
template <class T> unsigned __match_all_sync(unsigned mask, T v, int *pred) {
  unsigned same = __match_any_sync(mask, v);
  *pred = same == mask;
  return *pred ? mask : 0;
}

namespace fibre {

// The values of the threads of a mask, put together by an operation.
template <class T, class F> T reduced(unsigned mask, T v, F operation) {
  auto all = exchange(v, mask);
  bool first = true;
  T sum = v;
  for (unsigned i = 0; i < WARP; i++)
    if (all.present >> i & 1) {
      sum = first ? all.value[i] : operation(sum, all.value[i]);
      first = false;
    }
  return sum;
}

} // namespace fibre

template <class T> T __reduce_add_sync(unsigned mask, T v) { return fibre::reduced(mask, v, [](T a, T b) { return a + b; }); }
template <class T> T __reduce_min_sync(unsigned mask, T v) { return fibre::reduced(mask, v, [](T a, T b) { return a < b ? a : b; }); }
template <class T> T __reduce_max_sync(unsigned mask, T v) { return fibre::reduced(mask, v, [](T a, T b) { return a > b ? a : b; }); }
template <class T> T __reduce_and_sync(unsigned mask, T v) { return fibre::reduced(mask, v, [](T a, T b) { return a & b; }); }
template <class T> T __reduce_or_sync(unsigned mask, T v) { return fibre::reduced(mask, v, [](T a, T b) { return a | b; }); }
template <class T> T __reduce_xor_sync(unsigned mask, T v) { return fibre::reduced(mask, v, [](T a, T b) { return a ^ b; }); }
