// Distances of the vertices of a graph from vertex 0, with a queue in global memory; see bfs.sass.

__global__ void bfs(const int *first, const int *edges, int *distance, int *queue, int *tail)
{
    int begin = 0;
    for (int level = 1;; level++) {
        __syncthreads();
        int end = *(volatile int *)tail;
        __syncthreads();
        if (begin >= end)
            return;
        for (int place = begin + threadIdx.x; place < end; place += blockDim.x) {
            int vertex = ((volatile int *)queue)[place];
            for (int e = first[vertex]; e < first[vertex + 1]; e++)
                if (atomicCAS(&distance[edges[e]], -1, level) == -1)
                    queue[atomicAdd(tail, 1)] = edges[e];
        }
        begin = end;
    }
}
