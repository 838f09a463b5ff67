// Copies of a work-group in every type: plain and with a stride, to local memory and back.
#include "host.h"

static const char *ELEMENTS[] = {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float"};
static const size_t BYTES[] = {1, 1, 2, 2, 4, 4, 8, 8, 4};
static const size_t WIDTHS[] = {1, 2, 3, 4, 8, 16};

enum { IN = 24, OUT = 36 };

int main(void) {
  open_host(0);
  static char source[1 << 16];
  size_t end = 0;
  for (size_t e = 0; e < COUNT(ELEMENTS); e++)
    for (size_t w = 0; w < COUNT(WIDTHS); w++) {
      char type[16], name[16];
      snprintf(name, sizeof name, "%s%zu", ELEMENTS[e], WIDTHS[w]);
      snprintf(type, sizeof type, WIDTHS[w] == 1 ? "%s" : "%s%zu", ELEMENTS[e], WIDTHS[w]);
      end += (size_t)snprintf(source + end, sizeof source - end,
                      "__kernel void k_%s(__global const %s *in, __global %s *out) {\n"
                      "  __local %s t[18];\n"
                      "  event_t e = async_work_group_copy(t, in, 12, 0);\n"
                      "  e = async_work_group_strided_copy(t + 12, in, 6, 4, e);\n"
                      "  prefetch(in, 4);\n"
                      "  wait_group_events(1, &e);\n"
                      "  event_t f[2];\n"
                      "  f[0] = async_work_group_copy(out, (const __local %s *)t, 18, 0);\n"
                      "  f[1] = async_work_group_strided_copy(out + 18, (const __local %s *)t + 6, 6, 3, 0);\n"
                      "  wait_group_events(2, f);\n"
                      "}\n",
                      name, type, type, type, type, type);
    }
  cl_program p = build(source);
  uint32_t state = 7;
  for (size_t e = 0; e < COUNT(ELEMENTS); e++)
    for (size_t w = 0; w < COUNT(WIDTHS); w++) {
      char name[32];
      snprintf(name, sizeof name, "k_%s%zu", ELEMENTS[e], WIDTHS[w]);
      // Three elements take the place of four, whose last has no value.
      const size_t whole = BYTES[e] * (WIDTHS[w] == 3 ? 4 : WIDTHS[w]), used = BYTES[e] * WIDTHS[w];
      unsigned char in[IN * 128], out[OUT * 128], want[OUT * 128];
      for (size_t i = 0; i < sizeof in; i++) in[i] = (unsigned char)next_random(&state);
      // Floats that are none may change on their way.
      if (e == 8) for (size_t i = 0; i < sizeof in; i += 4) in[i + 3] = 0x40;
      memset(out, 0xee, sizeof out);
      memset(want, 0xee, sizeof want);
#define ELEMENT(of, n) ((of) + (n) * whole)
      for (size_t i = 0; i < 12; i++) memcpy(ELEMENT(want, i), ELEMENT(in, i), whole);
      for (size_t i = 0; i < 6; i++) memcpy(ELEMENT(want, 12 + i), ELEMENT(in, 4 * i), whole);
      for (size_t i = 0; i < 6; i++) memcpy(ELEMENT(want, 18 + 3 * i), ELEMENT(in, 6 + i), whole);
      cl_kernel k = kernel_of(p, name);
      cl_mem a = buffer_of(IN * whole, in), b = buffer_of(OUT * whole, out);
      set_buffer(k, 0, a);
      set_buffer(k, 1, b);
      run1(k, 5, 5);
      read_all(b, out, OUT * whole);
      for (size_t i = 0; i < OUT; i++)
        if (memcmp(ELEMENT(out, i), ELEMENT(want, i), used)) FAIL("%s: element %zu differs", name, i);
      OK(clReleaseMemObject(a));
      OK(clReleaseMemObject(b));
      OK(clReleaseKernel(k));
    }
  OK(clReleaseProgram(p));
  return close_host();
}
