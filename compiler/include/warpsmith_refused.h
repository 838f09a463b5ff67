// What SM 1.0 has no instructions for: names and types. What to do instead, the compiler says at the call.
#pragma once
#pragma clang system_header

#ifdef __WS_DOUBLES
__WS_REFUSED double erf(double);
__WS_REFUSED double erfc(double);
__WS_REFUSED double tgamma(double);
__WS_REFUSED double lgamma(double);
#endif
__WS_REFUSED void *malloc(size_t);
__WS_REFUSED void free(void *);
