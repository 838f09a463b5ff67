// Steps of z = z*z + c until |z|^2 > 4, for every pixel c, at most `limit`; and the smooth count
// steps + 2 - log2(log2 |z|^2) that shades without bands.

#define LEFT -2.265625f
#define TOP 1.1103515625f
#define PITCH 0.046875f

__kernel __attribute__((reqd_work_group_size(10, 7, 1)))
void mandelbrot(__global int *counts, __global float *smooth, int w, int h, int limit)
{
    int column = get_group_id(0) * 10 + get_local_id(0);
    int row = get_group_id(1) * 7 + get_local_id(1);
    if (column >= w || row >= h)
        return;
    float cx = column * PITCH + LEFT;
    float cy = row * -PITCH + TOP;
    float x = 0.0f, y = 0.0f, square;
    int count = 0;
    for (;;) {
        float xx = x * x, yy = y * y;
        // The sum of rounded products; the launch's results allow any order.
        square = xx + yy;
        if (square > 4.0f || count == limit)
            break;
        y = (x + x) * y + cy;
        x = xx - yy + cx;
        count++;
    }
    float shade = count;
    if (square > 4.0f)
        shade = shade + 2.0f - native_log2(native_log2(square));
    int pixel = mul24(row, w) + column;
    counts[pixel] = count;
    smooth[pixel] = shade;
}
