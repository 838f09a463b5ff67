// Device memory: allocations at fixed addresses, and variables.
#pragma once

namespace fibre {

// Below the program itself, which a linker of Linux places at 0x08048000.
const uintptr_t MEMORY = 0x00100000, MEMORY_END = 0x08000000;
// Between allocations, and below the first: programs that read beyond a buffer find memory there, the same as on the model.
const size_t APART = 256, BELOW = 64 << 10;

// What the elements of an allocation are: `f` float, `d` double, `i` integers, `?` unknown.
template <class T> constexpr char kind() {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, float> || std::is_same_v<U, float2> || std::is_same_v<U, float3> || std::is_same_v<U, float4>) return 'f';
  if constexpr (std::is_same_v<U, double> || std::is_same_v<U, double2> || std::is_same_v<U, double4>) return 'd';
  if constexpr (std::is_integral_v<U> || std::is_enum_v<U> || std::is_pointer_v<U>) return 'i';
  return '?';
}

struct Allocation {
  size_t bytes;
  char kind;
};

inline std::map<uintptr_t, Allocation> allocations; // by address

// A number from the environment.
inline size_t setting(const char *name, size_t otherwise) {
  const char *value = getenv(name);
  return value ? strtoul(value, nullptr, 0) : otherwise;
}

// Zeroed device memory, in the first gap that is large enough; null where there is none.
inline void *allocate(size_t bytes, char kind) {
  static bool mapped = false;
  static size_t limit = setting("FIBRE_BYTES", 96 << 20);
  if (!mapped) {
    void *memory = mmap((void *)MEMORY, MEMORY_END - MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (memory != (void *)MEMORY) abort();
    mapped = true;
  }
  bytes = std::max<size_t>((bytes + 3) & ~3u, 4);
  if (bytes > limit) return nullptr;
  uintptr_t at = MEMORY + BELOW;
  for (auto &[address, allocation] : allocations) {
    if (at + bytes + APART <= address) break;
    at = (address + allocation.bytes + 2 * APART - 1) / APART * APART;
  }
  if (at + bytes > MEMORY + BELOW + limit) return nullptr;
  memset((void *)at, 0, bytes);
  allocations[at] = {bytes, kind};
  return (void *)at;
}

// Gives device memory back; of what is none, nothing happens.
inline void release(void *p) { allocations.erase((uintptr_t)p); }

// The allocation that an address lies in, or its end.
inline auto allocation_of(const void *p) {
  auto next = allocations.upper_bound((uintptr_t)p);
  if (next == allocations.begin()) return allocations.end();
  --next;
  return (uintptr_t)p <= next->first + next->second.bytes ? next : allocations.end();
}

// A `__constant__` or `__device__` variable, with its contents at the start of the program.
struct Symbol {
  const char *name;
  char *at;
  size_t bytes;
  char kind;
  std::string start;

  // Whether its contents are no longer those of the start.
  bool changed() const { return memcmp(at, start.data(), bytes) != 0; }
};

inline std::vector<Symbol> &symbols() {
  static std::vector<Symbol> all;
  return all;
}

// Announces a variable, see rewrite.py.
template <class T> struct Announce {
  Announce(const char *name, T &variable) {
    const char *at = (const char *)&variable;
    symbols().push_back({name, (char *)at, sizeof(T), kind<std::remove_all_extents_t<T>>(), std::string(at, sizeof(T))});
  }
};

} // namespace fibre
