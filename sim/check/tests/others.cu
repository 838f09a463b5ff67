// Kernels with a mistake each: accesses outside buffers, barriers, undefined values, alignment. See races.cu.

#ifdef FIXED
#define BUG(wrong, right) right
#else
#define BUG(wrong, right) wrong
#endif

//@ 2 64 x:100 out:100 n=100
__global__ void no_guard(const int *x, int *out, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (BUG(i <= n, i < n)) out[i] = x[i] + 1;  // out_of_bounds
}

//@ 1 64 x:64 out:64
__global__ void one_read_too_far(const int *x, int *out) {
  int t = threadIdx.x;
  out[t] = x[t] + x[BUG(t + 1, t)];  // out_of_bounds
}

//@ 1 64 x:64 out:64
__global__ void one_read_before(const int *x, int *out) {
  int t = threadIdx.x;
  out[t] = x[t] + x[BUG(t - 1, t)];  // out_of_bounds
}

//@ 1 64 out:64
__global__ void one_write_too_far(int *out) {
  out[threadIdx.x + BUG(1, 0)] = 1;  // out_of_bounds
}

//@ 1 64 out:64
__global__ void one_write_before(int *out) {
  out[threadIdx.x - BUG(1, 0)] = 1;  // out_of_bounds
}

//@ 1 16x4 x:64 out:64
__global__ void row_too_far(const float *x, float *out) {
  int c = threadIdx.x, r = threadIdx.y;
  out[16 * r + c] = x[16 * (r + BUG(1, 0)) + c];  // out_of_bounds
}

//@ 1 16x4 x:64 out:64
__global__ void wrong_pitch(const float *x, float *out) {
  int c = threadIdx.x, r = threadIdx.y;
  out[16 * r + c] = x[BUG(20, 16) * r + c];  // out_of_bounds
}

//@ 1 32 x:32 out:32
__global__ void bytes_for_words(const int *x, int *out) {
  int t = threadIdx.x;
  out[t] = x[BUG(4, 1) * t];  // out_of_bounds
}

//@ 1 32 x:32 out:128
__global__ void swapped(int *first, int *second) {
  int t = threadIdx.x, *x = BUG(second, first), *out = BUG(first, second);
  for (int k = 0; k < 4; k++) out[4 * t + k] = x[t];  // out_of_bounds
}

//@ 1 32 x:32 out:32
__global__ void loop_with_equal(const int *x, int *out) {
  int sum = 0;
  for (int k = 0; k BUG(<=, <) 32; k++) sum += x[k];  // out_of_bounds
  out[threadIdx.x] = sum;
}

//@ 1 32 p:32 x:16 out:32
__global__ void index_from_memory(const int *p, const int *x, int *out) {
  int t = threadIdx.x;
  out[t] = x[p[t] BUG(, % 16)];  // out_of_bounds
}

//@ 1 32 x:32 out:32
__global__ void from_the_end(const int *x, int *out) {
  int t = threadIdx.x;
  out[t] = x[BUG(32, 31) - t];  // out_of_bounds
}

//@ 1 32 x:32 out:32
__global__ void vector_behind_the_end(const int *x, int *out) {
  int t = threadIdx.x;
  int2 v = ((const int2 *)x)[BUG(t, t / 2)];  // out_of_bounds
  out[t] = v.x + v.y;
}

//@ 1 32 x:16 out:32
__global__ void halves_too_far(const short *x, int *out) {
  int t = threadIdx.x;
  out[t] = x[t + BUG(2, 0)];  // out_of_bounds
}

//@ 1 32 x:8 out:32
__global__ void byte_too_far(const char *x, int *out) {
  int t = threadIdx.x;
  out[t] = x[t + BUG(1, 0)];  // out_of_bounds
}

__device__ int table[32];

//@ 1 32 out:32
__global__ void variable_too_far(int *out) {
  int t = threadIdx.x;
  out[t] = table[t BUG(* 2, )];  // out_of_bounds
}

//@ 1 64 x:64 out:64
__global__ void shared_read_too_far(const int *x, int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  out[t] = s[t + x[0] + BUG(1, 0)];  // out_of_bounds
}

//@ 1 64 x:64 out:64
__global__ void shared_write_too_far(const int *x, int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t + BUG(8, 0)] = x[t];  // out_of_bounds
  __syncthreads();
  out[t] = s[BUG(t | 32, t)];
}

//@ 1 32 x:32 out:32
__global__ void shared_write_before(const int *x, int *out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[BUG(t - 1, t)] = x[t];  // out_of_bounds
  out[t] = s[BUG(t / 2, t)];
}

//@ 1 64 out:64 dynamic=128
__global__ void dynamic_too_small(int *out) {
  extern __shared__ int dyn[];
  int t = threadIdx.x;
  dyn[BUG(t, t & 31)] = t & 31;  // out_of_bounds
  out[t] = t;
}

//@ 2 32 x:64 out:64
__global__ void grid_too_large(const int *x, int *out) {
  int i = blockIdx.x * BUG(64, 32) + threadIdx.x;
  out[i] = 1;  // out_of_bounds
}

//@ 1 32 n:4 level=sm11
__global__ void atomic_too_far(int *n) {
  atomicAdd(&n[threadIdx.x BUG(>> 2, & 3)], 1);  // out_of_bounds
}

struct Point { float x, y, z; };

//@ 1 32 p:96 out:32
__global__ void structs_too_far(const Point *p, float *out) {
  int t = threadIdx.x;
  out[t] = p[t + BUG(1, 0)].z;  // out_of_bounds
}

//@ 1 32 x:32 out:32
__global__ void unsigned_below_zero(const int *x, int *out) {
  unsigned t = threadIdx.x;
  out[t] = x[BUG(t - 4, t)];  // out_of_bounds
}

//@ 1 32 x:32 out:32
__global__ void doubles_in_words(const long long *x, int *out) {
  int t = threadIdx.x;
  out[t] = x[BUG(t, t / 2)];  // out_of_bounds
}

//@ 1 32 x:32 out:32 n=32
__global__ void search_without_end(const int *x, int *out, int n) {
  int k = 0;
  while (BUG(k < n + 4, k < n) && x[k] != 1000) k++;  // out_of_bounds
  out[threadIdx.x] = k;
}

//@ 1 32 x:32 out:32
__global__ void copy_of_one_word_more(const char *x, char *out) {
  int t = threadIdx.x;
  for (int k = t; k < 128 + BUG(4, 0); k += 32) out[k] = 1;  // out_of_bounds
}

//@ 1 32 out:32
__global__ void barrier_in_a_branch(int *out) {
  int t = threadIdx.x;
  if (BUG(t < 16, 1)) {
    __syncthreads();  // barrier_divergence
    out[t] = t;
  }
}

//@ 1 64 x:64 out:64
__global__ void early_return(const int *x, int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  if (BUG(t > 50, 0)) return;
  s[t] = x[t];
  __syncthreads();  // barrier_divergence
  out[t] = s[t];
}

//@ 1 64 x:64 out:64
__global__ void warp_returns_early(const int *x, int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  if (BUG(t >= 32, 0)) return;
  s[t] = x[t];
  __syncthreads();  // barrier_divergence
  out[t] = s[t];
}

//@ 1 32 out:32
__global__ void loops_of_different_length(int *out) {
  int t = threadIdx.x, n = 0;
  for (int k = 0; k < BUG(t % 3, 2); k++) {
    n += t * k;
    __syncthreads();  // barrier_divergence
  }
  out[t] = n;
}

//@ 1 32 out:32
__global__ void barriers_in_both_branches(int *out) {
  int t = threadIdx.x;
  if (BUG(t % 2, 0)) {
    out[t] = 1;
    __syncthreads();  // barrier_divergence
    out[t] += 5;
  } else {
    out[t] = 2;
    __syncthreads();
    out[t] -= 3;
  }
}

//@ 1 96 out:96
__global__ void warps_of_one_branch(int *out) {
  int t = threadIdx.x;
  if (BUG(t < 64, 1)) {
    out[t] = t;
    __syncthreads();  // barrier_divergence
  }
}

//@ 1 32 x:32 out:32
__global__ void barrier_by_data(const int *x, int *out) {
  int t = threadIdx.x;
  if (x[BUG(t, 0)] % 4 == 0) {
    __syncthreads();  // barrier_divergence
    out[t] = 1;
  }
}

//@ 1 64 out:64
__global__ void only_the_first(int *out) {
  int t = threadIdx.x;
  out[t] = t;
  if (BUG(t == 0, 1)) __syncthreads();  // barrier_divergence
}

//@ 1 32 x:32 out:32
__global__ void barrier_in_a_search(const int *x, int *out) {
  int t = threadIdx.x, k = 0;
  while (k < 8 && x[BUG(t, 0) + k] < 20) {
    k++;
    __syncthreads();  // barrier_divergence
  }
  out[t] = k;
}

//@ 1 32 out:32
__global__ void return_in_a_loop(int *out) {
  int t = threadIdx.x;
  for (int k = 0; k < 4; k++) {
    if (BUG(t == 3 * k + 3, 0)) return;
    out[t] = k;
    __syncthreads();  // barrier_divergence
  }
}

//@ 1 64 x:64 out:64
__global__ void half_of_shared_unwritten(const int *x, int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  if (BUG(t < 32, 1)) s[t] = x[t];
  __syncthreads();
  out[t] = s[t];  // undefined
}

//@ 1 32 out:33
__global__ void sum_not_started(int *out) {
  __shared__ int s[33];
  int t = threadIdx.x;
  if (BUG(t > 0, 1)) s[t] = 0;
  s[t] += t;
  out[t] = s[t];  // undefined
}

//@ 1 32 x:32 out:32
__global__ void halo_unwritten(const int *x, int *out) {
  __shared__ int s[34];
  int t = threadIdx.x;
  s[t + 1] = x[t];
  if (BUG(0, t == 0)) s[0] = s[33] = 0;
  __syncthreads();
  out[t] = s[t] + s[t + 2];  // undefined
}

//@ 1 32 x:32 out:32
__global__ void index_unwritten(const int *x, int *out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  if (BUG(t != 9, 1)) s[t] = t;
  out[t] = x[s[t]];  // undefined
}

//@ 1 32 out:32
__global__ void branch_unwritten(int *out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  if (BUG(t < 8, 1)) s[t] = t;
  __syncthreads();
  for (int k = 0; k < s[t]; k++) out[t] += k;  // undefined
}

//@ 1 32 x:32 out:32
__global__ void local_unwritten(const int *x, int *out) {
  int a[8];
  int t = threadIdx.x;
  for (int k = 0; k < BUG(6, 8); k++) a[x[k] & 7] = k + t;
  out[t] = a[x[t] & 7];  // undefined
}

//@ 1 32 out:32
__global__ void bytes_unwritten(int *out) {
  __shared__ unsigned char s[128];
  int t = threadIdx.x;
  s[4 * t] = s[4 * t + 1] = s[4 * t + 2] = t;
  if (BUG(0, 1)) s[4 * t + 3] = 0;
  __syncthreads();
  out[t] = *(int *)&s[4 * t];  // undefined
}

//@ 1 32 x:33 out:32
__global__ void word_of_a_byte_address(const char *x, int *out) {
  int t = threadIdx.x;
  out[t] = *(const int *)(x + 4 * t + BUG(1, 0));  // misaligned
}

//@ 1 32 x:40 out:64
__global__ void vector_of_a_word_address(const int *x, int *out) {
  int t = threadIdx.x;
  int2 v = *(const int2 *)(x + t + BUG(0, (t & 1)));  // misaligned
  out[2 * t] = v.x;
  out[2 * t + 1] = v.y;
}

//@ 1 32 x:32 out:32 p=0
__global__ void null_read(const int *x, int *out, const int *p) {
  int t = threadIdx.x;
  out[t] = BUG(p, x)[t];  // null
}

//@ 1 32 out:32 p=0
__global__ void null_write(int *out, Point *p) {
  out[threadIdx.x] = 1;
  if (BUG(1, 0)) p->y = 1;  // null
}
