// out[x][y] = in[y][x], in is h rows of w words.
//
// A group turns one tile of 10 by 10, kept in local memory with rows of 11 words.

#define TILE 10

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void transpose(__global int *out, __global const int *in, int w, int h)
{
    __local int tile[TILE][TILE + 1];
    int tx = get_local_id(0), ty = get_local_id(1);
    int left = get_group_id(0) * TILE, top = get_group_id(1) * TILE;
    int x = left + tx, y = top + ty;
    if (x < w && y < h)
        tile[ty][tx] = in[mul24(y, w) + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    x = top + tx;
    y = left + ty;
    if (x < h && y < w)
        out[mul24(y, h) + x] = tile[tx][ty];
}
