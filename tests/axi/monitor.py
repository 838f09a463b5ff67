"""Watches the wrapper's AXI ports every cycle; memory behind the master."""

import random

import cocotb
from cocotb.triggers import RisingEdge

ADDRESS = ("id", "addr", "len", "size", "burst", "lock", "cache", "prot")
# Channels the wrapper drives: their fields must stand still until they are taken.
DRIVEN = {
    "m_axi_aw": ADDRESS,
    "m_axi_ar": ADDRESS,
    "m_axi_w": ("data", "strb", "last"),
    "s_axi_b": ("resp",),
    "s_axi_r": ("data", "resp"),
}


class Monitor:
    """Raises in the cycle of the first broken rule. `base`, `size`: where bursts may go."""

    def __init__(self, dut, job):
        self.dut, self.line, self.limit = dut, job["line_bytes"], job["outstanding"]
        self.beat = job["data_bits"] // 8
        self.beats = self.line // self.beat
        self.base, self.size = 0, 0
        self.most_reads = self.most_writes = 0
        self.bursts = 0
        self.clear()
        self.task = cocotb.start_soon(self.run())

    def clear(self):
        self.before = {}
        self.reads, self.writes = [], []
        self.read_beats = self.write_beats = self.ended = 0

    async def run(self):
        while True:
            await RisingEdge(self.dut.aclk)
            if self.dut.aresetn.value == 0:
                self.clear()
            else:
                self.cycle()

    def bit(self, name):
        value = str(getattr(self.dut, name).value)
        assert value in "01", f"{name} is {value}"
        return value == "1"

    def field(self, name):
        return int(getattr(self.dut, name).value)

    def cycle(self):
        taken = {}
        for channel, fields in DRIVEN.items():
            valid = self.bit(channel + "valid")
            taken[channel] = valid and self.bit(channel + "ready")
            now = [str(getattr(self.dut, channel + f).value) for f in fields] if valid else None
            kept = self.before.get(channel)
            assert kept is None or kept == now, f"{channel}: {kept} became {now} before it was taken"
            self.before[channel] = None if taken[channel] else now
        if taken["m_axi_ar"]:
            line = self.burst("m_axi_ar")
            assert line not in self.writes, f"read of 0x{line:x} beside a write of it"
            self.reads.append(line)
        if taken["m_axi_aw"]:
            line = self.burst("m_axi_aw")
            assert line not in self.reads, f"write of 0x{line:x} beside a read of it"
            self.writes.append(line)
        if taken["m_axi_w"]:
            self.beat_of_write()
        if self.bit("m_axi_rvalid") and self.bit("m_axi_rready"):
            self.read_beats += 1
            if self.read_beats == self.beats:
                self.read_beats = 0
                self.reads.pop(0)
        if self.bit("m_axi_bvalid") and self.bit("m_axi_bready"):
            assert self.ended > 0, "an answer to no write"
            self.ended -= 1
            self.writes.pop(0)
        self.most_reads = max(self.most_reads, len(self.reads))
        self.most_writes = max(self.most_writes, len(self.writes))
        assert len(self.reads) <= self.limit and len(self.writes) <= self.limit
        if self.bit("irq"):
            assert not self.reads and not self.writes, "done before memory is"

    def burst(self, channel):
        """Rules of a burst; gives its line."""
        address = self.field(channel + "addr")
        size = self.field(channel + "len") + 1 << self.field(channel + "size")
        assert self.field(channel + "len") + 1 == self.beats and size == self.line
        assert self.field(channel + "burst") == 1
        assert address % self.line == 0 and address % 4096 + size <= 4096
        assert self.base <= address and address + size <= self.base + self.size, hex(address)
        self.bursts += 1
        return address // self.line

    def beat_of_write(self):
        self.write_beats += 1
        last = self.write_beats == self.beats
        assert self.bit("m_axi_wlast") == last
        data = str(self.dut.m_axi_wdata.value)[::-1]
        strobes = str(self.dut.m_axi_wstrb.value)[::-1]
        assert set(strobes) <= {"0", "1"}
        for i, strobe in enumerate(strobes):
            if strobe == "1":
                assert set(data[8 * i : 8 * i + 8]) <= {"0", "1"}, f"byte {i} undefined"
        if last:
            self.write_beats = 0
            self.ended += 1


class Memory:
    """Target of an AxiSlave: `size` bytes at `base`, guards around them, late if asked to be."""

    GUARD = 256

    def __init__(self, clock, base, contents):
        self.clock, self.base = clock, base
        self.bytes = bytearray(b"\xa5" * self.GUARD) + contents + b"\xa5" * self.GUARD
        self.refused_reads, self.refused_writes = set(), set()
        self.slow_reads = self.slow_writes = 0

    def contents(self):
        """Everything but the guards, which must be as they were."""
        for guard in (self.bytes[: self.GUARD], self.bytes[-self.GUARD :]):
            assert guard == b"\xa5" * self.GUARD, "written outside"
        return bytes(self.bytes[self.GUARD : -self.GUARD])

    def at(self, address, length):
        offset = address - self.base + self.GUARD
        assert 0 <= offset and offset + length <= len(self.bytes), hex(address)
        return offset

    async def wait(self, most):
        for _ in range(random.randint(0, most) if most else 0):
            await RisingEdge(self.clock)

    async def read(self, address, length):
        await self.wait(self.slow_reads)
        if (address - self.base) // 128 in self.refused_reads:
            raise PermissionError(hex(address))
        offset = self.at(address, length)
        return bytes(self.bytes[offset : offset + length])

    async def write(self, address, data):
        await self.wait(self.slow_writes)
        if (address - self.base) // 128 in self.refused_writes:
            raise PermissionError(hex(address))
        offset = self.at(address, len(data))
        self.bytes[offset : offset + len(data)] = data
