// out[y][x] = min(255, sqrt(gx^2 + gy^2) / 4), in is h rows of w grey levels as floats.
//
//         -1 0 1          -1 -2 -1
//   gx =  -2 0 2    gy =   0  0  0     around the pixel; beyond the border everything is black.
//         -1 0 1           1  2  1

struct Row {
    float left, middle, right;
};

__device__ Row row(const float *at, bool has_left, bool has_right)
{
    Row r = { 0.0f, at[0], 0.0f };
    if (has_left)
        r.left = at[-1];
    if (has_right)
        r.right = at[1];
    return r;
}

__global__ void sobel(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    bool has_left = x > 0, has_right = x + 1 < w;
    int pixel = __umul24(y, w) + x;
    const float *at = in + pixel;

    Row r = row(at, has_left, has_right);
    float gx = r.right - r.left, gy = 0.0f;
    gx += gx;
    if (y > 0) {
        r = row(at - w, has_left, has_right);
        gx += r.right - r.left;
        gy = -2.0f * r.middle - (r.left + r.right);
    }
    if (y + 1 < h) {
        r = row(at + w, has_left, has_right);
        gx += r.right - r.left;
        gy = 2.0f * r.middle + (gy + (r.left + r.right));
    }
    float s = gx * gx + gy * gy;
    float root = s > 0.0f ? s * rsqrtf(s) : 0.0f;
    out[pixel] = fminf(0.25f * root, 255.0f);
}
