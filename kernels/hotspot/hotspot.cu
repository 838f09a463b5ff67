// Temperatures of a chip after some steps of heat conduction, with the host's part of the program.
//
// A block computes SIDE by SIDE cells and, in every step but the last, one ring less of the cells
// around it that the next steps need; so blocks do not wait for each other.

#include <stdio.h>
#include <stdlib.h>

#define SIDE 8
#define STEPS 2
#define TILE (SIDE + 2 * STEPS)

#define AMBIENT 80.0f

struct Chip {
    float step;       // time step / capacity
    float rx, ry, rz; // 1 / resistance to the sides, up and down, to the air
};

#define CLAMP(x, low, high) ((x) < (low) ? (low) : (x) > (high) ? (high) : (x))

__global__ void __launch_bounds__(TILE * TILE)
hotspot(const float *power, const float *before, float *after, int columns, int rows, Chip chip)
{
    __shared__ float heat[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * SIDE + tx - STEPS;
    int y = blockIdx.y * SIDE + ty - STEPS;
    // Cells beyond the border stand for those on it.
    int at = CLAMP(y, 0, rows - 1) * columns + CLAMP(x, 0, columns - 1);
    float own = before[at];
    float heating = power[at];
    heat[ty][tx] = own;
    __syncthreads();

    // Neighbours in the tile; at the border of the chip the cell itself.
    int north = y <= 0 ? ty : ty - 1, south = y >= rows - 1 ? ty : ty + 1;
    int west = x <= 0 ? tx : tx - 1, east = x >= columns - 1 ? tx : tx + 1;
    bool inside = x >= 0 && x < columns && y >= 0 && y < rows;
    for (int step = 1; step <= STEPS; step++) {
        bool counts = inside && tx >= step && tx < TILE - step && ty >= step && ty < TILE - step;
        if (counts) {
            float up_down = heat[south][tx] + heat[north][tx] - 2.0f * own;
            float sides = heat[ty][east] + heat[ty][west] - 2.0f * own;
            own += chip.step * (heating + up_down * chip.ry + sides * chip.rx + (AMBIENT - own) * chip.rz);
        }
        __syncthreads();
        if (counts)
            heat[ty][tx] = own;
        __syncthreads();
    }
    if (inside && tx >= STEPS && tx < TILE - STEPS && ty >= STEPS && ty < TILE - STEPS)
        after[y * columns + x] = own;
}

int main(int argc, char **argv)
{
    int columns = argc > 1 ? atoi(argv[1]) : 30, rows = argc > 2 ? atoi(argv[2]) : 21;
    size_t bytes = columns * rows * sizeof(float);
    float *host = (float *)malloc(bytes), *power, *before, *after;
    cudaMalloc((void **)&power, bytes);
    cudaMalloc((void **)&before, bytes);
    cudaMalloc((void **)&after, bytes);
    for (int i = 0; i < columns * rows; i++)
        host[i] = AMBIENT;
    cudaMemcpy(before, host, bytes, cudaMemcpyHostToDevice);
    for (int i = 0; i < columns * rows; i++)
        host[i] = i % 7 * 0.5f;
    cudaMemcpy(power, host, bytes, cudaMemcpyHostToDevice);
    Chip chip = { 0.0625f, 0.125f, 0.25f, 0.03125f };
    dim3 grid((columns + SIDE - 1) / SIDE, (rows + SIDE - 1) / SIDE), block(TILE, TILE);
    hotspot<<<grid, block>>>(power, before, after, columns, rows, chip);
    cudaMemcpy(host, after, bytes, cudaMemcpyDeviceToHost);
    for (int y = 0; y < rows; y++)
        printf("%f\n", host[y * columns]);
    cudaFree(power);
    cudaFree(before);
    cudaFree(after);
    free(host);
    return 0;
}
