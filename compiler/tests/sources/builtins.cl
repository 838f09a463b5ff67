__constant float tab[4] = {1,2,3,4};
__kernel void saxpy(__global float4* x, __global const float* y, __local float* t, __constant float* c, float a, int n, __global half* hp, __global int4* q, __global uchar4* u) {
  size_t i = get_global_id(0);
  t[get_local_id(0)] = y[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  float4 v = vload4(i, y);
  v = mad(v, (float4)(a), x[i]) + sin(v) + pow(v, v) + clamp(v, 0.0f, 1.0f) + mix(v, v, 0.5f) + c[1] + tab[i&3] + t[get_local_id(0)^1] + vload_half(i, hp) + convert_float4(q[i]) + dot(v, v) + length(v.xyz) + fmod(v, (float4)(3.0f));
  q[i] = min(q[i], 4) + mul24(q[i], q[i]) + rotate(q[i], (int4)(3)) + isnan(v) + (int4)abs_diff(1, 2) + as_int4(v) + select(q[i], (int4)3, v < 1.0f) + mul_hi(q[i], q[i]) + any(v > 1.0f) + clz(q[i]) + popcount(q[i]) + convert_int4_rte(v);
  u[i] = convert_uchar4_sat(v) + convert_uchar4_sat_rte(v) + hadd(u[i], u[i]);
  vstore_half(a, i, hp);
  x[i] = v;
  float cc; x[i].x += sincos(a, &cc) + cc; x[i].y += fract(a, &cc);
  printf("%d\n", n);
}
