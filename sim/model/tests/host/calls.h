// What the rows call beside the built-in functions.
FUNCTION float quotient_bits(float x, float y) { int n; remquo(x, y, &n); return (float)n; }
FUNCTION float frexp_exponent(float x) { int n; frexp(x, &n); return (float)n; }
