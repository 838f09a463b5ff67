// Breadth-first search without atomic operations: distance of every node from a source, -1 where
// there is no way. Threads that reach a node at once write the same value.

struct Node {
    int first; // index of its first edge
    int edges;
};

// Nodes of the frontier reach their neighbours.
__global__ void expand(const Node *nodes, const int *edges, bool *frontier, bool *reached,
                       const bool *visited, int *distance, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && frontier[i]) {
        frontier[i] = false;
        for (int e = nodes[i].first; e < nodes[i].first + nodes[i].edges; e++) {
            int other = edges[e];
            if (!visited[other]) {
                distance[other] = distance[i] + 1;
                reached[other] = true;
            }
        }
    }
}

// What has been reached is the new frontier.
__global__ void advance(bool *frontier, bool *reached, bool *visited, bool *more, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && reached[i]) {
        frontier[i] = true;
        visited[i] = true;
        *more = true;
        reached[i] = false;
    }
}

// A block searches one graph of `n` nodes from its first node, level by level.
__global__ void search(const Node *nodes, const int *edges, int *distance, int n)
{
    __shared__ int more;
    nodes += blockIdx.x * n;
    distance += blockIdx.x * n;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        distance[i] = i == 0 ? 0 : -1;
    int level = 0;
    do {
        __syncthreads();
        more = 0;
        __syncthreads();
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            if (distance[i] != level)
                continue;
            Node node = nodes[i];
            for (int e = 0; e < node.edges; e++) {
                int other = edges[node.first + e];
                if (distance[other] < 0) {
                    distance[other] = level + 1;
                    more = 1;
                }
            }
        }
        level++;
        __syncthreads();
    } while (more);
}
