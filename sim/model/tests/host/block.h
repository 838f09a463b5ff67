// What the two halves of the program share: operands come in blocks.
#include <stdint.h>
#define BLOCK 4096
typedef void Evaluate(const float *x, float *out);
typedef void Exact(const float *x, double *out);
typedef void EvaluatePair(const float *x, const float *y, const float *z, const int *n, float *out);
typedef void ExactPair(const float *x, const float *y, const float *z, const int *n, double *out);
