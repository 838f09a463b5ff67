// Blocks of the heap: taken, written, read, given back.
struct Node { int value; Node *next; };
__global__ void k(int *a, int rounds) {
  int i = threadIdx.x + blockIdx.x * blockDim.x, sum = 0;
  for (int round = 0; round < rounds; round++) {
    Node *list = nullptr;
    for (int n = 0; n <= i % 5; n++) list = new Node{i * 10 + n, list};
    char *text = (char *)malloc(i + 1);
    if (text == nullptr) { a[i] = -1; return; }
    for (int n = 0; n <= i; n++) text[n] = (char)(n ^ i);
    for (int n = 0; n <= i; n++) sum += text[n];
    free(text);
    while (list) { Node *next = list->next; sum += list->value; delete list; list = next; }
  }
  a[i] = sum;
}
__global__ void full(int *a, int bytes) {
  int n = 0;
  while (malloc(bytes)) n++;
  a[threadIdx.x] = n;
}
__global__ void twice(int *a, int) { int *p = new int[4]; p[0] = a[0]; delete[] p; delete[] p; }
