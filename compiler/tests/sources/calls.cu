// Calls through pointers, virtual functions and functions that call themselves, for the device and for the host.
#ifndef __CUDACC__
#include <cstdio>
#include <new>
#define __device__
#define __global__
#define __constant__
#define __noinline__
struct { unsigned x; } threadIdx;
#endif

typedef int (*Operation)(int, int);
__device__ __noinline__ int sum(int a, int b) { return a + b; }
__device__ __noinline__ int difference(int a, int b) { return a - b; }
__device__ __noinline__ int product(int a, int b) { return a * b; }
__device__ float half(float x) { return 0.5f * x; }
__device__ float twice(float x) { return 2.0f * x; }
__constant__ Operation operations[3] = {sum, difference, product};
struct Named { int weight; float (*function)(float); };
__device__ Named named[2] = {{3, half}, {5, twice}};

__device__ __noinline__ int applied(Operation f, int a, int b) { return f ? f(a, b) : -1; }

__global__ void pointers(int *out, Operation given) {
  int i = threadIdx.x;
  Operation own[2] = {product, difference};
  int v = operations[i % 3](i, 7);
  v = 31 * v + own[i / 3 & 1](v, i);
  v = 31 * v + applied(i % 5 == 4 ? nullptr : operations[i % 4 == 3 ? 1 : 0], v, 3);
  const Named &n = named[i >> 2 & 1];
  v = 31 * v + n.weight + (int)n.function((float)i);
  out[i] = 31 * v + given(v, i);
}

struct Shape {
  int side;
  __device__ Shape(int side) : side(side) {}
  __device__ virtual int area() const = 0;
  __device__ virtual int scaled(int by) const { return area() * by; }
};
struct Square : Shape {
  __device__ Square(int side) : Shape(side) {}
  __device__ int area() const override { return side * side; }
};
struct Box : Square {
  int height;
  __device__ Box(int side, int height) : Square(side), height(height) {}
  __device__ int area() const override { return Square::area() * 2 + 4 * side * height; }
  __device__ int scaled(int by) const override { return area() * by * by; }
};

__device__ __noinline__ int measured(const Shape *s, int by) { return s->area() + s->scaled(by); }

__global__ void objects(int *out) {
  int i = threadIdx.x;
  Square square(i);
  Box box(i, 2);
  int v = 0;
  for (int n = 0; n < 3; n++) v = 7 * v + measured((i + n) & 1 ? (const Shape *)&box : &square, n);
  out[i] = v;
}

__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ __noinline__ int even(int n);
__device__ __noinline__ int odd(int n) { return n == 0 ? 0 : 2 * even(n - 1) + 1; }
__device__ __noinline__ int even(int n) { return n == 0 ? 1 : odd(n - 1) * 3; }
__device__ int ackermann(int m, int n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
__device__ void sort(int *a, int left, int right) {
  if (left >= right) return;
  int pivot = a[right], i = left;
  for (int j = left; j < right; j++)
    if (a[j] < pivot) {
      int t = a[i];
      a[i++] = a[j];
      a[j] = t;
    }
  a[right] = a[i];
  a[i] = pivot;
  sort(a, left, i - 1);
  sort(a, i + 1, right);
}
// An array of each call, whose address goes down.
__device__ int chained(int depth, const int *above) {
  int here[3] = {depth, above ? above[0] + above[1] : 7, 1};
  if (depth == 0) return here[1];
  return chained(depth - 1, here) + chained(depth / 2, here + 1) + here[0] * here[2];
}
// A value of 64 bits, a struct by value, a predicate that lives behind the call.
struct Pair { int a; long long b; };
__device__ long long folded(Pair p, int n, bool turn) {
  if (n == 0) return p.b;
  bool other = p.a > n;
  Pair q = {p.b > 40 ? p.a + 1 : p.a - n, p.b * 3 + n};
  long long r = folded(q, n - 1, !turn);
  return (turn ? r : -r) + (other ? p.b : p.a);
}
// Calls itself through a pointer.
struct Node {
  int value;
  __device__ Node(int value) : value(value) {}
  __device__ virtual int total() const { return value; }
};
struct Branch : Node {
  const Node *left, *right;
  __device__ Branch(int value, const Node *left, const Node *right) : Node(value), left(left), right(right) {}
  __device__ int total() const override { return value + 2 * left->total() + 3 * right->total(); }
};

__device__ char arena[64 * 128];

__global__ void recursion(int *out) {
  int i = threadIdx.x;
  int v = fibonacci(i % 11) * 100 + even(i % 9) + odd(i % 7);
  v += ackermann(i & 1, i % 5) + ackermann(2, i % 3);
  int a[8];
  for (int n = 0; n < 8; n++) a[n] = (n * 37 + i * 11) % 23;
  sort(a, 0, 7);
  for (int n = 0; n < 8; n++) v = v * 5 + a[n];
  v += chained(i % 5, nullptr);
  Pair p = {i, i * 1000000007ll};
  v += (int)(folded(p, i % 6, i & 1) >> 3);
  // Objects in global memory.
  char *at = arena + 128 * i;
  const Node *leaf = new (at) Node(i), *other = new (at + 32) Node(3);
  const Node *one = new (at + 64) Branch(1, leaf, other);
  const Node *two = new (at + 96) Branch(2, one, i & 1 ? one : leaf);
  const Node *root = i % 3 ? two : leaf;
  out[i] = v + root->total();
}

#ifndef __CUDACC__
int main() {
  int out[64] = {};
  auto print = [&] {
    for (int v : out) printf("%d\n", v);
  };
  for (threadIdx.x = 0; threadIdx.x < 64; threadIdx.x++) pointers(out, difference);
  print();
  for (threadIdx.x = 0; threadIdx.x < 64; threadIdx.x++) objects(out);
  print();
  for (threadIdx.x = 0; threadIdx.x < 64; threadIdx.x++) recursion(out);
  print();
}
#endif
