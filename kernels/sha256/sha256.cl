// SHA-256 of messages of up to 119 bytes: a work-item a message, which is padded to one or two
// blocks of 64 bytes beforehand. Words are little endian in memory.

__constant uint K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

#define ROR(x, n) ((x) >> (n) | (x) << (32 - (n)))
#define SWAP(x) ((x) >> 24 | ((x) >> 8 & 0xff00) | ((x) << 8 & 0xff0000) | (x) << 24)

__kernel void sha256(__global const uint *messages, __global const uint *blocks, __global uint *digests, uint n)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint h[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
    __global const uint *from = messages + i * 32;
    for (uint block = 0; block < blocks[i]; block++) {
        uint w[16];
#pragma unroll
        for (int k = 0; k < 16; k++)
            w[k] = SWAP(from[k]);
        uint a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], last = h[7];
        for (int round = 0; round < 64; round += 16) {
#pragma unroll
            for (int k = 0; k < 16; k++) {
                if (round) {
                    uint w1 = w[(k + 1) & 15], w14 = w[(k + 14) & 15];
                    w[k] += (ROR(w1, 7) ^ ROR(w1, 18) ^ w1 >> 3) + w[(k + 9) & 15]
                          + (ROR(w14, 17) ^ ROR(w14, 19) ^ w14 >> 10);
                }
                uint t1 = last + (ROR(e, 6) ^ ROR(e, 11) ^ ROR(e, 25)) + (g ^ (e & (f ^ g))) + K[round + k] + w[k];
                uint t2 = (ROR(a, 2) ^ ROR(a, 13) ^ ROR(a, 22)) + ((a & b) | (c & (a | b)));
                last = g;
                g = f;
                f = e;
                e = d + t1;
                d = c;
                c = b;
                b = a;
                a = t1 + t2;
            }
        }
        h[0] += a;
        h[1] += b;
        h[2] += c;
        h[3] += d;
        h[4] += e;
        h[5] += f;
        h[6] += g;
        h[7] += last;
        from += 16;
    }
    for (int k = 0; k < 8; k++)
        digests[8 * i + k] = SWAP(h[k]);
}
