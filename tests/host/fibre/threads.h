// Threads of a block as coroutines, and the order in which they run.
#pragma once

// Of the thread that runs; variables, since programs have local ones of these names.
inline uint3 threadIdx, blockIdx;
inline dim3 blockDim, gridDim;
static const int warpSize = 32;

namespace fibre {

// What a coroutine waits for.
enum class State { Ready, AtBarrier, AtWarp, Finished };

const unsigned WARP = 32;
const size_t STACK_BYTES = 192 << 10;

// A thread of a block; its coroutine lives on from block to block.
struct Thread {
  uint3 index;
  unsigned number; // in the block
  unsigned votes;  // of the block, in which it took part
  State state;
  bool started;
  jmp_buf place; // where it goes on
  char *stack;
};

inline std::vector<std::unique_ptr<Thread>> threads;
inline Thread *current;
inline jmp_buf scheduler;
inline std::function<void()> body; // the kernel with its arguments

// `extern __shared__` arrays.
alignas(256) inline char dynamic_shared[64 << 10];

// Goes back to the scheduler; returns when the thread is ready again.
inline void wait(State state) {
  current->state = state;
  if (!_setjmp(current->place)) _longjmp(scheduler, 1);
}

// The coroutine of a thread: one kernel after the other.
inline void coroutine() {
  for (;;) {
    body();
    wait(State::Finished);
  }
}

// Runs a thread until it waits.
inline void resume(Thread &thread) {
  current = &thread;
  threadIdx = thread.index;
  if (_setjmp(scheduler)) return;
  if (thread.started) _longjmp(thread.place, 1);
  thread.started = true;
  void *stack = mmap(nullptr, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stack == MAP_FAILED) abort();
  mprotect(stack, 4096, PROT_NONE);
  ucontext_t start;
  getcontext(&start);
  start.uc_stack.ss_sp = stack;
  start.uc_stack.ss_size = STACK_BYTES;
  start.uc_link = nullptr;
  makecontext(&start, coroutine, 0);
  setcontext(&start);
}

// Runs the threads of a warp until all are at a barrier of the block or have ended. Those that wait for their warp go on together as soon as no
// thread of the warp can run.
inline void run_warp(unsigned first, unsigned end) {
  for (bool again = true; again;) {
    for (unsigned i = first; i < end; i++)
      if (threads[i]->state == State::Ready) resume(*threads[i]);
    again = false;
    for (unsigned i = first; i < end; i++)
      if (threads[i]->state == State::AtWarp) {
        threads[i]->state = State::Ready;
        again = true;
      }
  }
}

// Runs a block. The threads at a barrier go on as soon as no thread of the block can run.
inline void run_block() {
  unsigned count = blockDim.x * blockDim.y * blockDim.z;
  while (threads.size() < count) threads.push_back(std::make_unique<Thread>());
  for (unsigned i = 0; i < count; i++) {
    Thread &thread = *threads[i];
    thread.index = {i % blockDim.x, i / blockDim.x % blockDim.y, i / (blockDim.x * blockDim.y)};
    thread.number = i;
    thread.votes = 0;
    thread.state = State::Ready;
  }
  for (bool again = true; again;) {
    for (unsigned first = 0; first < count; first += WARP) run_warp(first, std::min(count, first + WARP));
    again = false;
    for (unsigned i = 0; i < count; i++)
      if (threads[i]->state == State::AtBarrier) {
        threads[i]->state = State::Ready;
        again = true;
      }
  }
}

} // namespace fibre
