// What differs in OpenCL C: address spaces of pointers, constant arguments, local arguments.
__constant int table[3] = {7, 8, 9};

__kernel void spaces(__global float4 *a, __constant int *c, __local int *l, long n, uchar4 u) {
  int i = __nvvm_read_ptx_sreg_tid_x();
  l[i] = c[i & 3] + table[i % 3];
  __nvvm_bar_sync(0);
  a[i].x = (float)(l[i ^ 7] + n + u.y);
}
