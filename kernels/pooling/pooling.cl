// Pooling layers: the greatest of 2 by 2 bytes, and the average of up to 3 by 3 floats.

// Every work-item makes two results out of four bytes of two rows; w is a multiple of 4.
__kernel void greatest(__global const char4 *in, __global char2 *out, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    int pitch = w >> 2;
    if (x >= pitch || 2 * y + 1 >= h)
        return;
    char4 a = in[2 * y * pitch + x], b = in[(2 * y + 1) * pitch + x];
    char2 left = (char2)(a.x > a.y ? a.x : a.y, a.z > a.w ? a.z : a.w);
    char2 right = (char2)(b.x > b.y ? b.x : b.y, b.z > b.w ? b.z : b.w);
    out[y * pitch + x] = (char2)(left.x > right.x ? left.x : right.x, left.y > right.y ? left.y : right.y);
}

// Windows of 3 by 3, two apart, centred on even pixels; beyond the border there is nothing.
__kernel void average(__global const float *in, __global float *out, int w, int h)
{
    int ow = (w + 1) / 2, oh = (h + 1) / 2;
    int ox = get_global_id(0), oy = get_global_id(1);
    if (ox >= ow || oy >= oh)
        return;
    int x0 = max(2 * ox - 1, 0), x1 = min(2 * ox + 1, w - 1);
    int y0 = max(2 * oy - 1, 0), y1 = min(2 * oy + 1, h - 1);
    float sum = 0.0f;
    for (int y = y0; y <= y1; y++)
        for (int x = x0; x <= x1; x++)
            sum += in[y * w + x];
    out[oy * ow + ox] = sum / ((x1 - x0 + 1) * (y1 - y0 + 1));
}
