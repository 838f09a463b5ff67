// Alignment of sequences: Needleman-Wunsch (whole sequences) and Smith-Waterman (best parts).
//
// A block takes a pair; thread t goes down column t + 1 of the matrix of scores, one row later than
// its left neighbour. Three anti-diagonals are in shared memory, by column.

#define LENGTH 40
#define GAP 4

// Scores of letters A, C, G, T: the same, a transition, another one.
__constant__ signed char score[4][4] = {
    { 5, -3, -1, -3 },
    { -3, 5, -3, -1 },
    { -1, -3, 5, -3 },
    { -3, -1, -3, 5 },
};

// Letters to 0 … 3: bits 1 and 2 tell A, C, G and T apart (A 00, C 01, T 10, G 11).
__device__ int letter(char c)
{
    int code = (c >> 1) & 3;
    return code ^ (code >> 1);
}

// matrix[pair] has LENGTH + 1 rows of LENGTH + 1 scores.
__global__ void __launch_bounds__(LENGTH)
needleman_wunsch(const char *first, const char *second, int *matrix)
{
    __shared__ int diagonal[3][LENGTH + 1];
    __shared__ signed char rows[LENGTH];
    int t = threadIdx.x, column = t + 1;
    int *own = matrix + blockIdx.x * (LENGTH + 1) * (LENGTH + 1);
    rows[t] = letter(second[blockIdx.x * LENGTH + t]);
    const signed char *likes = score[letter(first[blockIdx.x * LENGTH + t])];
    own[column] = -GAP * column;
    own[column * (LENGTH + 1)] = -GAP * column;
    if (t == 0)
        own[0] = 0;
    int *now = diagonal[0], *last = diagonal[1], *older = diagonal[2];
    for (int d = 0; d < 2 * LENGTH - 1; d++) {
        int row = d - t + 1; // 1 … LENGTH where there is work
        __syncthreads();
        if (row >= 1 && row <= LENGTH) {
            // Row 0 and column 0 hold gaps alone.
            int left = t == 0 ? -GAP * row : last[column - 1];
            int above = row == 1 ? -GAP * column : last[column];
            int corner = row == 1 ? -GAP * (column - 1) : t == 0 ? -GAP * (row - 1) : older[column - 1];
            int best = max(corner + likes[rows[row - 1]], max(left, above) - GAP);
            now[column] = best;
            own[row * (LENGTH + 1) + column] = best;
        }
        int *free = older;
        older = last;
        last = now;
        now = free;
    }
}

struct Best {
    int score;
    short row, column;
};

// The greatest score of any parts, where it ends; of equal ones the least column, then the least row.
__global__ void __launch_bounds__(LENGTH)
smith_waterman(const char *first, const char *second, Best *best)
{
    __shared__ int diagonal[3][LENGTH + 1];
    __shared__ Best bests[LENGTH];
    int t = threadIdx.x, column = t + 1;
    for (int k = 0; k < 3; k++) {
        diagonal[k][column] = 0;
        if (t == 0)
            diagonal[k][0] = 0;
    }
    const char *rows = second + blockIdx.x * LENGTH;
    const signed char *likes = score[letter(first[blockIdx.x * LENGTH + t])];
    Best own = { 0, 0, 0 };
    int now = 0, last = 2, older = 1;
    for (int d = 0; d < 2 * LENGTH - 1; d++) {
        int row = d - t + 1;
        __syncthreads();
        if (row >= 1 && row <= LENGTH) {
            int above = row == 1 ? 0 : diagonal[last][column];
            int corner = row == 1 ? 0 : diagonal[older][column - 1];
            int value = corner + likes[letter(rows[row - 1])];
            value = max(value, max(diagonal[last][column - 1], above) - GAP);
            if (value < 0)
                value = 0;
            diagonal[now][column] = value;
            if (value > own.score) {
                own.score = value;
                own.row = row;
                own.column = column;
            }
        }
        older = last;
        last = now;
        now = now == 2 ? 0 : now + 1;
    }
    bests[t] = own;
    __syncthreads();
    if (t != 0)
        return;
    for (int k = 1; k < LENGTH; k++)
        if (bests[k].score > own.score)
            own = bests[k];
    best[blockIdx.x] = own;
}
