// malloc, free, new and delete of a kernel: blocks of a heap in global memory (docs/compiler.md).
#pragma once
#pragma clang system_header

// The heap: its bytes; bytes that were cut off behind the head; for each size a list of free blocks. All but the
// first word are zeros before a launch. A block has 32 << n bytes: a word with a mark and n, the place of the next free
// block, two words of nothing, what it is for. Places are in steps of 16 bytes; above them a list has a count of the
// blocks taken, so that a thread sees that another one was faster even where the same block is in front again.
extern "C" __attribute__((device)) unsigned __warpsmith_heap[];
#define __WS_HEAP_HEAD 128u
#define __WS_HEAP_PLACE 0x3fffffu
#define __WS_HEAP_MARK 0x57534d00u

__WS_DEVICE unsigned *__ws_heap_block(unsigned place) { return __warpsmith_heap + 4 * place; }

// A free block of a size, or null.
__WS_DEVICE unsigned *__ws_heap_take(unsigned n) {
  unsigned *list = __warpsmith_heap + 2 + n;
  unsigned old = *(volatile unsigned *)list;
  while (old & __WS_HEAP_PLACE) {
    unsigned *block = __ws_heap_block(old & __WS_HEAP_PLACE);
    unsigned next = ((volatile unsigned *)block)[1];
    unsigned seen = atomicCAS(list, old, ((old & ~__WS_HEAP_PLACE) + __WS_HEAP_PLACE + 1) | next);
    if (seen == old) return block;
    old = seen;
  }
  return nullptr;
}

// A new block of a size, or null.
__WS_DEVICE unsigned *__ws_heap_cut(unsigned n) {
  unsigned *cut = __warpsmith_heap + 1;
  unsigned room = __warpsmith_heap[0] - __WS_HEAP_HEAD, bytes = 32u << n;
  unsigned old = *(volatile unsigned *)cut;
  while (bytes <= room - old) {
    unsigned seen = atomicCAS(cut, old, old + bytes);
    if (seen == old) return __warpsmith_heap + (__WS_HEAP_HEAD + old) / 4;
    old = seen;
  }
  return nullptr;
}

// A block for so many bytes, at a multiple of 16; null where there is no room.
__WS_DEVICE void *malloc(size_t bytes) {
  if (bytes > 0x3ffffff0u) return nullptr;
  unsigned n = 27 - __clz((unsigned)(bytes + 15) | 31);
  unsigned *block = __ws_heap_take(n);
  if (block == nullptr) block = __ws_heap_cut(n);
  while (block == nullptr && n < 25) block = __ws_heap_take(++n);
  if (block == nullptr) return nullptr;
  *(volatile unsigned *)block = __WS_HEAP_MARK | n;
  return block + 4;
}

// Gives a block back; what is none traps.
__WS_DEVICE void free(void *p) {
  if (p == nullptr) return;
  unsigned *block = (unsigned *)p - 4;
  unsigned mark = *(volatile unsigned *)block, n = mark & 31;
  if ((mark & ~31u) != __WS_HEAP_MARK) __trap();
  *(volatile unsigned *)block = 0;
  unsigned *list = __warpsmith_heap + 2 + n;
  unsigned place = (unsigned)(block - __warpsmith_heap) / 4;
  unsigned old = *(volatile unsigned *)list, seen = old;
  do {
    old = seen;
    ((volatile unsigned *)block)[1] = old & __WS_HEAP_PLACE;
    seen = atomicCAS(list, old, (old & ~__WS_HEAP_PLACE) | place);
  } while (seen != old);
}

__attribute__((device, nodebug)) inline void *operator new(size_t bytes) { return malloc(bytes); }
__attribute__((device, nodebug)) inline void *operator new[](size_t bytes) { return malloc(bytes); }
__attribute__((device, nodebug)) inline void operator delete(void *p) noexcept { free(p); }
__attribute__((device, nodebug)) inline void operator delete[](void *p) noexcept { free(p); }
__attribute__((device, nodebug)) inline void operator delete(void *p, size_t) noexcept { free(p); }
__attribute__((device, nodebug)) inline void operator delete[](void *p, size_t) noexcept { free(p); }
