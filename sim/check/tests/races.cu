// Kernels with a mistake each: data races. tests/check.rs runs them as they are, and with -DFIXED without the mistake.
//
// In front of each: grid, block, and its arguments: a buffer with its words, or a number. The comment at the end of a
// line names what is found there.

#ifdef FIXED
#define BUG(wrong, right) right
#else
#define BUG(wrong, right) wrong
#endif
#define SYNC BUG(, __syncthreads())

//@ 1 64 out:64
__global__ void neighbour(int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t * t;
  SYNC;
  out[t] = s[(t + 1) % 64];  // race
}

//@ 1 128 out:128
__global__ void reversed(int *out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = 3 * t;
  SYNC;
  out[t] = s[127 - t];  // race
}

//@ 1 64 x:64 out:64
__global__ void written_too_early(const int *x, int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  int a = s[63 - t];
  SYNC;
  s[t] = a + 1;  // race
  __syncthreads();
  out[t] = s[63 - t];
}

//@ 1 8x8 a:64 b:64 c:64
__global__ void tile_before_use(const float *a, const float *b, float *c) {
  __shared__ float p[8][8], q[8][8];
  int x = threadIdx.x, y = threadIdx.y;
  p[y][x] = a[8 * y + x];
  q[y][x] = b[8 * y + x];
  SYNC;
  float sum = 0;
  for (int k = 0; k < 8; k++) sum += p[y][k] * q[k][x];  // race
  c[8 * y + x] = sum;
}

//@ 1 8x8 a:128 c:64
__global__ void tile_after_use(const float *a, float *c) {
  __shared__ float p[8][8];
  int x = threadIdx.x, y = threadIdx.y;
  float sum = 0;
  for (int n = 0; n < 2; n++) {
    p[y][x] = a[64 * n + 8 * y + x];  // race
    __syncthreads();
    for (int k = 0; k < 8; k++) sum += p[k][x];
    SYNC;
  }
  c[8 * y + x] = sum;
}

//@ 1 128 x:128 out:1
__global__ void reduction(const int *x, int *out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int d = 64; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];  // race
    SYNC;
  }
  if (t == 0) *out = s[0];
}

//@ 1 64 x:64 out:64
__global__ void scan(const int *x, int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int d = 1; d < 64; d *= 2) {
    int v = t >= d ? s[t - d] : 0;  // race
    SYNC;
    s[t] += v;
    __syncthreads();
  }
  out[t] = s[t];
}

//@ 1 16x4 x:64 out:64
__global__ void transposed(const int *x, int *out) {
  __shared__ int s[4][17];
  int a = threadIdx.x, b = threadIdx.y;
  s[b][a] = x[16 * b + a];
  SYNC;
  int n = 16 * b + a;
  out[n] = s[n % 4][n / 4];  // race
}

//@ 1 64 x:64 out:16
__global__ void histogram(const int *x, int *out) {
  __shared__ int s[64 * 16];
  int t = threadIdx.x;
  for (int k = 0; k < 16; k++) s[16 * t + k] = 0;
  __syncthreads();
  s[BUG(0, 16 * t) + x[t] % 16] += 1;  // race
  __syncthreads();
  if (t < 16) {
    int sum = 0;
    for (int k = 0; k < 64; k++) sum += s[16 * k + t];
    out[t] = sum;
  }
}

//@ 1 96 x:1 out:96
__global__ void broadcast(const int *x, int *out) {
  __shared__ int s;
  if (threadIdx.x == 0) s = x[0] + 1;
  SYNC;
  out[threadIdx.x] = s;  // race
}

//@ 1 64 x:64 out:1
__global__ void last_to_first(const int *x, int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  SYNC;
  if (t == 0) *out = s[63];  // race
}

//@ 1 64 x:66 out:64
__global__ void halo(const float *x, float *out) {
  __shared__ float s[66];
  int t = threadIdx.x;
  s[t + 1] = x[t + 1];
  if (t == 0) s[0] = x[0];
  if (t == 63) s[65] = x[65];
  SYNC;
  out[t] = s[t] + s[t + 1] + s[t + 2];  // race
}

//@ 1 64 out:64
__global__ void ping_pong(int *out) {
  __shared__ int s[2][64];
  int t = threadIdx.x;
  s[0][t] = t;
  __syncthreads();
  for (int n = 0; n < 4; n++) {
    s[BUG(0, (n + 1) & 1)][t] = s[BUG(0, n & 1)][(t + 33) % 64] + 1;  // race
    __syncthreads();
  }
  out[t] = s[0][t];
}

//@ 1 64 out:1
__global__ void from_the_other_warp(int *out) {
  __shared__ int n;
  int t = threadIdx.x;
  if (t == 40) n = 5;
  SYNC;
  if (t == 0) *out = n;  // race
}

//@ 1 64 out:64
__global__ void bytes(int *out) {
  __shared__ unsigned char s[64];
  int t = threadIdx.x;
  s[t] = t;
  SYNC;
  out[t] = s[t ^ 32];  // race
}

//@ 1 64 out:64
__global__ void halves(int *out) {
  __shared__ short s[64];
  int t = threadIdx.x;
  s[t] = -t;
  SYNC;
  out[t] = s[t ^ 63];  // race
}

struct Pair { int key, value; };

//@ 1 64 out:64
__global__ void members(int *out) {
  __shared__ Pair s[64];
  int t = threadIdx.x;
  s[t].key = t;
  __syncthreads();
  s[t].value = 2 * t;
  SYNC;
  out[t] = s[63 - t].value + s[63 - t].key;  // race
}

//@ 1 64 x:256 out:64
__global__ void vectors(const float4 *x, float *out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  float4 v = x[t];
  s[4 * t] = v.x; s[4 * t + 1] = v.y; s[4 * t + 2] = v.z; s[4 * t + 3] = v.w;
  SYNC;
  out[t] = s[255 - 4 * t];  // race
}

//@ 1 4x4x8 out:128
__global__ void three_dimensions(int *out) {
  __shared__ int s[8][4][4];
  int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  s[z][y][x] = x + y + z;
  SYNC;
  out[16 * z + 4 * y + x] = s[7 - z][y][x];  // race
}

//@ 1 64 out:64 flag=0
__global__ void barrier_in_one_branch(int *out, int flag) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  if (BUG(flag, 1)) __syncthreads();
  out[t] = s[63 - t];  // race
}

//@ 1 64 out:64 dynamic=256
__global__ void dynamic(int *out) {
  extern __shared__ int dyn[];
  int t = threadIdx.x;
  dyn[t] = t;
  SYNC;
  out[t] = dyn[63 - t];  // race
}

//@ 1 64 out:64
__global__ void barrier_too_late(int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  SYNC;
  int v = s[63 - t];  // race
  __syncthreads();
  out[t] = v;
}

//@ 1 64 x:64 out:64
__global__ void bitonic(const int *x, int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int k = 2; k <= 64; k *= 2) {
    for (int j = k / 2; j > 0; j /= 2) {
      int o = t ^ j;
      if (o > t && (s[t] > s[o]) == ((t & k) == 0)) {  // race
        int v = s[t];
        s[t] = s[o];
        s[o] = v;
      }
      SYNC;
    }
  }
  out[t] = s[t];
}

//@ 1 64 p:64 out:64
__global__ void gathered(const int *p, int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = 5 * t;
  SYNC;
  out[t] = s[63 - p[t] % 64];  // race
}

//@ 1 64 p:64 out:64
__global__ void scattered(const int *p, int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[63 - p[t] % 64] = t;
  SYNC;
  out[t] = s[t];  // race
}

//@ 4 64 out:1
__global__ void count_without_atomic(int *out) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (BUG(threadIdx.x == 0, t == 0)) *out += 3;  // race
}

//@ 4 32 out:32
__global__ void blocks_write_the_same(int *out) {
  if (BUG(1, blockIdx.x == 0)) out[threadIdx.x] = blockIdx.x;  // race
}

//@ 4 32 x:128 out:128
__global__ void result_of_the_next_block(const int *x, int *out) {
  int i = blockIdx.x * 32 + threadIdx.x;
  out[i] = x[i] + 1;
  __syncthreads();
  if (i + 32 < 128) out[i] += BUG(out[i + 32], x[i + 32]);  // race
}

//@ 2 64 x:128
__global__ void stencil_in_place(int *x) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i > 0) x[i] = x[i] + x[BUG(i - 1, i)];  // race
}

//@ 2 64 x:128 out:128
__global__ void reversed_in_place(int *x, int *out) {
  int i = blockIdx.x * 64 + threadIdx.x;
  int v = x[127 - i];  // race
  BUG(x, out)[i] = v;
}

//@ 4 32 sums:5
__global__ void chain_of_blocks(int *sums) {
  if (threadIdx.x == 0) sums[blockIdx.x + 1] = BUG(sums[blockIdx.x], 0) + 7;  // race
}

//@ 4 32 out:132
__global__ void ranges_overlap(int *out) {
  int first = blockIdx.x * 32, last = first + BUG(33, 32);
  for (int i = first + threadIdx.x; i < last; i += 32) out[i] = blockIdx.x;  // race
}

//@ 2 64 out:128
__global__ void index_divided(int *out) {
  int i = blockIdx.x * 64 + threadIdx.x;
  out[BUG(i / 64 * 2 + i % 2, i)] = i;  // race
}

//@ 2 64 out:128
__global__ void index_modulo(int *out) {
  int i = blockIdx.x * 64 + threadIdx.x;
  out[i % BUG(64, 128)] += i;  // race
}

//@ 2 64 out:256
__global__ void stride_of_a_block(int *out) {
  for (int i = blockIdx.x * 64 + threadIdx.x; i < 256; i += BUG(64, 128)) out[i] = i + blockIdx.x;  // race
}

//@ 1 64 tmp:64 out:64
__global__ void barrier_for_global(int *tmp, int *out) {
  int t = threadIdx.x;
  tmp[t] = t;
  SYNC;
  out[t] = tmp[63 - t];  // race
}

//@ 2 32 x:64 out:1
__global__ void largest(const int *x, int *out) {
  int v = x[blockIdx.x * 32];
  if (threadIdx.x == 0 && BUG(v >= *out, blockIdx.x == 0)) *out = v + blockIdx.x;  // race
}

//@ 2 32 data:32 flag:1 out:32
__global__ void flag_between_blocks(int *data, volatile int *flag, int *out) {
  int t = threadIdx.x;
  if (blockIdx.x == 0) {
    data[t] = t;
    __threadfence();
    if (t == 0) *flag = 1;
  } else if (BUG(*flag, 0)) {
    out[t] = data[t];  // race
  }
}

//@ 2 32 n:1 out:1 level=sm11
__global__ void read_beside_atomics(unsigned *n, unsigned *out) {
  atomicAdd(n, 1);
  if (threadIdx.x == 0 && blockIdx.x == 1) *out = BUG(*(volatile unsigned *)n, 64);  // race
}

//@ 2 32 n:1 level=sm11
__global__ void store_beside_atomics(unsigned *n) {
  if (BUG(threadIdx.x == 0, 0)) *(volatile unsigned *)n = 0;
  atomicAdd(n, blockIdx.x + 1);  // race
}

//@ 4 32 part:4 ticket:1 out:1 level=sm11
__global__ void last_block(volatile int *part, unsigned *ticket, int *out) {
  if (threadIdx.x == 0) {
    BUG(unsigned n = atomicAdd(ticket, 1); part[blockIdx.x] = n, part[blockIdx.x] = 1; unsigned n = atomicAdd(ticket, 1));  // race
    if (n == 3) *out = part[0] + part[1] + part[2] + part[3];
  }
}

//@ 1 64 x:64 out:16 level=sm12
__global__ void shared_atomics_read_early(const int *x, int *out) {
  __shared__ int s[16];
  int t = threadIdx.x;
  if (t < 16) s[t] = 0;
  __syncthreads();
  atomicAdd(&s[x[t] % 16], 1);  // race
  SYNC;
  if (t < 16) out[t] = s[t];
}

//@ 1 64 x:64 out:16 level=sm12
__global__ void shared_atomics_not_cleared(const int *x, int *out) {
  __shared__ int s[16];
  int t = threadIdx.x;
  if (t >= 48) s[t - 48] = 0;  // race
  SYNC;
  atomicAdd(&s[x[t] % 16], 1);
  __syncthreads();
  if (t < 16) out[t] = s[t];
}

//@ 1 32 out:32
__global__ void two_lanes_one_word(int *out) {
  int t = threadIdx.x;
  out[BUG(t / 2, t)] = t;  // race
}

//@ 1 32 out:32
__global__ void all_lanes_one_word(int *out) {
  int t = threadIdx.x;
  __shared__ int s[32];
  s[BUG(0, t)] = t;  // race
  __syncthreads();
  out[t] = s[BUG(0, t)];
}

//@ 1 32 out:32
__global__ void lanes_modulo(int *out) {
  int t = threadIdx.x;
  out[t % BUG(8, 32)] = 3 * t;  // race
}

//@ 1 32 p:32 out:32
__global__ void lanes_scatter(const int *p, int *out) {
  int t = threadIdx.x;
  out[p[t] BUG(& 7, )] = t;  // race
}

//@ 1 32 out:8
__global__ void lanes_bytes(unsigned char *out) {
  int t = threadIdx.x;
  out[BUG(t & ~1, t)] = t;  // race
}

// Its blocks of the heap are each a thread's own: what the routines of the heap do is no race.
//@ 2 64 out:128 level=sm11
__global__ void blocks_of_the_heap(int *out) {
  int i = blockIdx.x * 64 + threadIdx.x;
  volatile int *p = (volatile int *)malloc(4);
  *p = i;
  int v = *p;
  free((void *)p);
  out[BUG(i % 64, i)] = v;  // race
}

//@ 4 64 out:2 level=sm11
__global__ void sum_of_64_bits(unsigned long long *out) {
  unsigned long long n = threadIdx.x;
  BUG(*out += n, atomicAdd(out, n));  // race
}
