// SPDX-License-Identifier: MIT OR Apache-2.0
// A board in Verilator behind a pseudo-terminal: the line is simulated bit by bit at rx and tx.
#include "model.h"
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <string>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace {

const uint64_t DIVISOR = {{ divisor }}; // cycles of a bit
const uint64_t REST = 5000 * DIVISOR;   // idle cycles before it sleeps: the bridge forgets half a frame before

volatile sig_atomic_t ended = 0, pressed = 0;
void end(int) { ended = 1; }
void press(int) { pressed = 1; }

double sc_time = 0;

[[noreturn]] void fail(const char* what) {
    std::fprintf(stderr, "warpsmith: %s: %s\n", what, std::strerror(errno));
    std::exit(2);
}

// xorshift64*: the same disturbances for the same seed.
struct Random {
    uint64_t state;
    uint64_t next() {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        return state * 2685821657736338717ull;
    }
    bool happens(double share) { return (next() >> 11) * 0x1p-53 < share; }
};

// A byte as it goes down the line: start bit, 8 data bits, stop bit, low bit first.
uint16_t framed(uint8_t byte) { return uint16_t(1u << 9 | unsigned(byte) << 1); }

} // namespace

double sc_time_stamp() { return sc_time; }

int main(int argc, char** argv) {
    std::string link;
    double noise = 0;
    uint64_t seed = 1;
    uint64_t reset_after = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string key = argv[i], value = argv[i + 1];
        if (key == "--link") link = value;
        else if (key == "--noise") noise = std::atof(value.c_str());
        else if (key == "--seed") seed = std::strtoull(value.c_str(), nullptr, 0);
        else if (key == "--reset-after") reset_after = std::strtoull(value.c_str(), nullptr, 0);
    }
    // No SA_RESTART: a signal ends the sleep in poll.
    struct sigaction act {};
    act.sa_handler = end;
    sigaction(SIGINT, &act, nullptr);
    sigaction(SIGTERM, &act, nullptr);
    sigaction(SIGHUP, &act, nullptr);
    act.sa_handler = press;
    sigaction(SIGUSR1, &act, nullptr);

    const int pty = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (pty < 0 || grantpt(pty) != 0 || unlockpt(pty) != 0) fail("no pseudo-terminal");
    const std::string path = ptsname(pty);
    // Kept open, so that a host that leaves does not end the line; raw, so that bytes stay bytes.
    const int slave = open(path.c_str(), O_RDWR | O_NOCTTY);
    termios raw{};
    if (slave < 0 || tcgetattr(slave, &raw) != 0) fail(path.c_str());
    cfmakeraw(&raw);
    if (tcsetattr(slave, TCSANOW, &raw) != 0) fail(path.c_str());
    if (!link.empty() && symlink(path.c_str(), link.c_str()) != 0) fail(link.c_str());
    std::printf("%s\n", path.c_str());
    std::fflush(stdout);

    VerilatedContext context;
    context.randReset(2);
    context.randSeed(int(seed % 0x7fffffff) + 1);
    Model top{&context};
    Random random{seed * 0x9e3779b97f4a7c15ull | 1};

    uint8_t in[4096], out[4096];
    size_t in_size = 0, in_at = 0, out_size = 0;
    uint64_t received = 0, sent = 0, lost = 0, flipped = 0, added = 0;
    // What goes to rx: bits left to send, and cycles left of this one.
    uint16_t rx_bits = 0;
    int rx_left = 0;
    uint64_t rx_cycles = 0;
    bool adding = false;
    // What comes from tx: cycles until the next bit is looked at, and the bits so far.
    uint8_t tx_byte = 0;
    int tx_place = 0;
    uint64_t tx_cycles = 0;
    uint64_t idle = 0, cycle = 0, reset_until = 16;
    top.rx = 1;
    while (!ended) {
        if (pressed || (reset_after != 0 && received >= reset_after)) {
            pressed = 0;
            reset_after = 0;
            reset_until = cycle + 16;
        }
        top.reset = cycle < reset_until;

        // The host's byte, a bit every DIVISOR cycles.
        if (rx_cycles == 0) {
            if (rx_left == 0 && in_at < in_size) {
                idle = 0;
                uint8_t byte = in[in_at];
                if (!adding && random.happens(noise)) {
                    switch (random.next() % 3) {
                    case 0: // lost
                        lost++, received++, in_at++;
                        continue;
                    case 1: // a wrong bit, start and stop bit among them
                        flipped++, received++, in_at++;
                        rx_bits = framed(byte) ^ (1u << random.next() % 10);
                        break;
                    default: // one more in front of it
                        added++;
                        adding = true;
                        rx_bits = framed(uint8_t(random.next() >> 20));
                    }
                } else {
                    adding = false;
                    received++, in_at++;
                    rx_bits = framed(byte);
                }
                rx_left = 10;
            }
            if (rx_left > 0) {
                top.rx = rx_bits & 1;
                rx_bits >>= 1;
                rx_left--;
                rx_cycles = DIVISOR;
            } else {
                top.rx = 1;
            }
        }
        if (rx_cycles > 0) rx_cycles--;

        top.clock = 0;
        top.eval();
        top.clock = 1;
        top.eval();
        cycle++;
        idle++;

        // The board's byte, looked at in the middle of each bit.
        if (tx_place == 0) {
            if (!top.tx) {
                tx_place = 1;
                tx_cycles = DIVISOR + DIVISOR / 2;
            }
        } else if (--tx_cycles == 0) {
            tx_cycles = DIVISOR;
            if (tx_place <= 8) {
                tx_byte = uint8_t(tx_byte >> 1 | (top.tx ? 0x80 : 0));
                tx_place++;
            } else {
                tx_place = 0;
                idle = 0;
                sent++;
                if (!random.happens(noise)) {
                    out[out_size++] = tx_byte;
                } else {
                    switch (random.next() % 3) {
                    case 0: lost++; break;
                    case 1:
                        flipped++;
                        out[out_size++] = tx_byte ^ uint8_t(1u << random.next() % 8);
                        break;
                    default:
                        added++;
                        out[out_size++] = uint8_t(random.next() >> 20);
                        out[out_size++] = tx_byte;
                    }
                }
            }
        }
        if (top.status & 1) idle = 0;

        // The pseudo-terminal, a few times a byte.
        const bool rest = idle > REST && in_at == in_size && rx_left == 0 && tx_place == 0;
        if (!rest && cycle % (4 * DIVISOR) != 0) continue;
        if (out_size > 0) {
            const ssize_t n = write(pty, out, out_size);
            if (n > 0) {
                std::memmove(out, out + n, out_size - size_t(n));
                out_size -= size_t(n);
            }
            // Nobody reads: what a wire would lose is lost here.
            if (out_size > sizeof out - 64) out_size = 0;
        }
        if (in_at == in_size) {
            if (rest) {
                // A host that was killed leaves its lock behind.
                ioctl(slave, TIOCNXCL);
                pollfd wake{pty, POLLIN, 0};
                poll(&wake, 1, 200);
            }
            const ssize_t n = read(pty, in, sizeof in);
            in_at = 0;
            in_size = n > 0 ? size_t(n) : 0;
        }
    }
    if (!link.empty()) unlink(link.c_str());
    std::fprintf(stderr, "%llu bytes from the host, %llu to it; %llu lost, %llu with a wrong bit, %llu added; %llu cycles\n",
        (unsigned long long)received, (unsigned long long)sent, (unsigned long long)lost,
        (unsigned long long)flipped, (unsigned long long)added, (unsigned long long)cycle);
    return 0;
}
