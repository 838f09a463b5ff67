// Launches, and the record of the first launch of each kernel.
#pragma once

namespace fibre {

struct Shape {
  dim3 grid, block;
  size_t shared;
  Shape(dim3 grid, dim3 block, size_t shared = 0, const void * = nullptr) : grid(grid), block(block), shared(shared) {}
};

// The launch that runs.
struct Running {
  dim3 asked; // the grid of the program
  size_t shared;
  bool entered;       // by a first thread
  std::string record; // path of its record without the ending; empty: none
};

inline Running running;
inline std::set<void *> recorded; // kernels
inline bool launch_failed;        // the last launch was none

// Writes a file, with holes where there are zeros.
inline void write(const std::string &path, const void *p, size_t bytes) {
  static const size_t CHUNK = 64 << 10;
  static const char zeros[CHUNK] = {};
  FILE *out = fopen(path.c_str(), "wb");
  if (!out || ftruncate(fileno(out), bytes)) abort();
  for (size_t at = 0; at < bytes; at += CHUNK) {
    size_t n = std::min(CHUNK, bytes - at);
    const char *from = (const char *)p + at;
    if (memcmp(from, zeros, n) && pwrite(fileno(out), from, n, at) != (ssize_t)n) abort();
  }
  fclose(out);
}

// Writes the contents of all allocations and variables.
inline void write_memory(const char *when) {
  for (auto &[address, allocation] : allocations)
    write(running.record + "." + std::to_string(address) + "." + when, (void *)address, allocation.bytes);
  for (auto &symbol : symbols())
    write(running.record + "." + symbol.name + "." + when, symbol.at, symbol.bytes);
}

// Parameters as bytes, each at the alignment of its type.
struct Parameters {
  std::string bytes, problem;

  // By value: a type without `__restrict`.
  template <class T> void add(T value) {
    size_t align = alignof(T);
    bytes.resize((bytes.size() + align - 1) / align * align);
    bytes.append((const char *)&value, sizeof value);
    if constexpr (std::is_pointer_v<T>) {
      if constexpr (!std::is_function_v<std::remove_pointer_t<T>>) {
        auto found = allocation_of((const void *)value);
        if (found == allocations.end()) {
          if (value) problem = "a parameter points to memory of the host";
        } else if (char k = kind<std::remove_pointer_t<T>>(); k != '?') {
          char &known = found->second.kind;
          known = known == '?' || known == k ? k : '?';
        }
      } else if (value) {
        problem = "a parameter points to a function";
      }
    }
  }
};

// Begins the record of the launch that runs: what it is, and memory before it.
__attribute__((noinline)) inline void begin_record(void *kernel, const char *unit, const Parameters &parameters) {
  static const char *folder = getenv("FIBRE_RECORDS");
  if (!folder || !recorded.insert(kernel).second) return;
  char number[16];
  snprintf(number, sizeof number, "%03zu", recorded.size() - 1);
  running.record = std::string(folder) + "/" + number;
  FILE *out = fopen((running.record + ".record").c_str(), "w");
  if (!out) abort();
  fprintf(out, "unit %s\naddress %lu\n", unit, (unsigned long)(uintptr_t)kernel);
  fprintf(out, "asked %u %u %u\ngrid %u %u\n", running.asked.x, running.asked.y, running.asked.z, gridDim.x, gridDim.y);
  fprintf(out, "block %u %u %u\nshared %zu\nparameters ", blockDim.x, blockDim.y, blockDim.z, running.shared);
  for (unsigned char byte : parameters.bytes) fprintf(out, "%02x", byte);
  for (auto &[address, allocation] : allocations) fprintf(out, "\nbuffer %lu %zu %c", (unsigned long)address, allocation.bytes, allocation.kind);
  for (auto &symbol : symbols()) fprintf(out, "\nsymbol %s %zu %c %d", symbol.name, symbol.bytes, symbol.kind, symbol.changed());
  if (!parameters.problem.empty()) fprintf(out, "\nproblem %s", parameters.problem.c_str());
  fprintf(out, "\n");
  fclose(out);
  write_memory("before");
}

// Passes the place of its caller, which is within the kernel.
template <class... P> __attribute__((noinline)) void note(const char *unit, const P &...parameters) {
  Parameters all;
  (all.add(parameters), ...);
  begin_record(__builtin_return_address(0), unit, all);
}

// The first statement of every kernel: `rewrite.py` puts it there with the file that is compiled and the kernel's parameters. The first thread records
// the launch.
template <class... P> __attribute__((always_inline)) inline void entered(const char *unit, const P &...parameters) {
  if (running.entered) return;
  running.entered = true;
  note(unit, parameters...);
}

// Fewer blocks where the grid has too many threads, and one layer in z, which the chip has not.
inline dim3 cut(dim3 grid, dim3 block) {
  static unsigned limit = setting("FIBRE_THREADS", 1 << 15);
  unsigned blocks = std::max(1u, limit / (block.x * block.y * block.z));
  if (grid.x > blocks) return dim3(blocks, 1);
  return dim3(grid.x, std::min(grid.y, std::max(1u, blocks / grid.x)));
}

// Runs a launch, all of it or the blocks that `cut` leaves. A program that goes on for many launches without a new kernel ends here.
inline void run(const Shape &shape, std::function<void()> kernel) {
  static size_t known = 0, launches = 0, limit = setting("FIBRE_LAUNCHES", 300);
  launches = recorded.size() == known ? launches + 1 : 0;
  known = recorded.size();
  if (launches > limit) {
    fflush(stdout);
    _exit(0);
  }
  size_t count = (size_t)shape.block.x * shape.block.y * shape.block.z;
  launch_failed = !shape.grid.x || !shape.grid.y || !shape.grid.z || !count || count > 1024 || shape.shared > sizeof dynamic_shared;
  if (launch_failed) return;
  running = {shape.grid, shape.shared, false, ""};
  gridDim = cut(shape.grid, shape.block);
  blockDim = shape.block;
  body = std::move(kernel);
  for (unsigned y = 0; y < gridDim.y; y++)
    for (unsigned x = 0; x < gridDim.x; x++) {
      blockIdx = {x, y, 0};
      run_block();
    }
  if (running.record.empty()) return;
  write_memory("after");
  FILE *out = fopen((running.record + ".record").c_str(), "a");
  fprintf(out, "ended\n");
  fclose(out);
}

// `kernel<<<shape>>>(arguments)` after rewrite.py: the arguments are evaluated once.
template <class F, class... A> void launch(const Shape &shape, F call, A... arguments) {
  run(shape, [&] { call(arguments...); });
}

} // namespace fibre

// Launch of a kernel with pointers to its arguments.
template <class... P, size_t... I> void fibre_spread(void (*kernel)(P...), void **p, std::index_sequence<I...>) {
  kernel(*(std::remove_reference_t<P> *)p[I]...);
}
