// Runs a kernel on the host: a block at a time, a thread at a time, each a coroutine that gives up
// the processor at a barrier.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define __device__
#define __constant__ static const
#define __shared__ static
struct Index { unsigned x, y, z; };
static Index threadIdx, blockIdx;

enum { STACK = 1 << 16 };
static ucontext_t scheduler, context[1024];
static bool ended[1024];
static int current;
static void (*body)();

static void __syncthreads() { swapcontext(&context[current], &scheduler); }

static void thread()
{
    body();
    ended[current] = true;
    swapcontext(&context[current], &scheduler);
}

static void launch(int blocks, int threads, int width, void (*kernel)())
{
    static char *stacks = (char *)malloc((size_t)1024 * STACK);
    body = kernel;
    for (int b = 0; b < blocks; b++) {
        blockIdx.x = b;
        for (int t = 0; t < threads; t++) {
            getcontext(&context[t]);
            context[t].uc_stack.ss_sp = stacks + (size_t)t * STACK;
            context[t].uc_stack.ss_size = STACK;
            context[t].uc_link = 0;
            makecontext(&context[t], thread, 0);
            ended[t] = false;
        }
        for (bool live = true; live;) {
            live = false;
            for (int t = 0; t < threads; t++) {
                if (ended[t])
                    continue;
                current = t;
                threadIdx.x = t % width;
                threadIdx.y = t / width;
                swapcontext(&scheduler, &context[t]);
                live |= !ended[t];
            }
        }
    }
}
