"""The chip behind AXI: masters and slaves of cocotbext-axi around `warpsmith_axi`."""

import json
import logging
import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiResp, AxiSlave
from monitor import Memory, Monitor

JOB = json.load(open(os.environ["AXI_JOB"]))
REGISTERS = JOB["registers"]
ID, CONTROL, STATUS, TRAP, GRID, COUNTER = (
    REGISTERS[name] for name in ("ID", "CONTROL", "STATUS", "TRAP", "GRID", "COUNTER")
)
BASE_LO, BASE_HI, ENABLE = (REGISTERS[name] for name in ("MEMORY_BASE_LO", "MEMORY_BASE_HI", "INTERRUPT_ENABLE"))
BUSY, DONE, TRAPPED = (JOB["status"][name] for name in ("busy", "done", "trapped"))


def stalls(p):
    r = random.Random(random.getrandbits(32))
    while True:
        yield r.random() < p


class Bench:
    """Clock, reset, host, memory and monitor of a test."""

    def __init__(self, dut):
        self.dut = dut
        for name in ("cocotb.warpsmith_axi.s_axi", "cocotb.warpsmith_axi.m_axi"):
            logging.getLogger(name).setLevel(logging.ERROR)
        cocotb.start_soon(Clock(dut.aclk, 10, unit="ns").start())
        dut.aresetn.value = 0
        self.host = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axi"), dut.aclk, dut.aresetn, False)
        self.slave = AxiSlave(AxiBus.from_prefix(dut, "m_axi"), dut.aclk, dut.aresetn, None, False)
        self.monitor = Monitor(dut, JOB)
        self.channels = {}
        for side, ends in (("s", self.host), ("m", self.slave)):
            for end, names in ((ends.write_if, ("aw", "w", "b")), (ends.read_if, ("ar", "r"))):
                for name in names:
                    channel = getattr(end, name + "_channel")
                    channel.log.setLevel(logging.ERROR)
                    self.channels[side + name] = channel

    async def reset(self):
        self.dut.aresetn.value = 0
        for _ in range(10):
            await RisingEdge(self.dut.aclk)
        self.dut.aresetn.value = 1
        for _ in range(4):
            await RisingEdge(self.dut.aclk)

    def stall(self, **p):
        """Stalls channels in a share of the cycles: `saw=0.5`."""
        for name, share in p.items():
            self.channels[name].set_pause_generator(stalls(share) if share else None)
            self.channels[name].pause = False

    def stall_all(self, most):
        self.stall(**{name: random.uniform(0, most) for name in self.channels})

    async def write(self, address, value, resp=AxiResp.OKAY):
        answer = await self.host.write(address, value.to_bytes(4, "little"))
        assert answer.resp == resp, f"write of 0x{address:x}: {answer.resp!r}"

    async def read(self, address):
        answer = await self.host.read(address, 4)
        assert answer.resp == AxiResp.OKAY
        return int.from_bytes(answer.data, "little")

    async def load(self, kernel, base, **refused):
        """Program, registers and memory of a kernel; the memory."""
        k = JOB["kernels"][kernel]
        memory = Memory(self.dut.aclk, base, bytes.fromhex(k["memory"]))
        for name, lines in refused.items():
            setattr(memory, name, lines)
        self.slave.write_if.target = self.slave.read_if.target = memory
        self.monitor.base, self.monitor.size = base, len(memory.contents())
        await self.write(BASE_LO, base & 0xFFFFFFFF)
        await self.write(BASE_HI, base >> 32)
        for address, value in k["writes"]:
            await self.write(address, value)
        return memory

    async def start(self):
        await self.write(CONTROL, 1)
        assert await self.read(STATUS) & BUSY

    async def finish(self):
        """Polls until done; the STATUS then."""
        for _ in range(1500):
            status = await self.read(STATUS)
            if not status & BUSY:
                assert status & DONE
                return status
        raise AssertionError("the kernel does not end")

    @staticmethod
    def check(memory, kernel):
        right = memory.contents() == bytes.fromhex(JOB["kernels"][kernel]["expect"])
        assert right, f"wrong results of {kernel}"

    async def run(self, kernel, base):
        """A kernel from the beginning to its right results."""
        memory = await self.load(kernel, base)
        await self.start()
        assert await self.finish() == DONE
        self.check(memory, kernel)


def some_base():
    """A multiple of the line, above 32 bits if the port is wider."""
    return random.randrange(1, 1 << JOB["address_bits"] - 20) << 16 | random.randrange(64) * 128


@cocotb.test()
async def registers(dut):
    """All orders and timings of the channels; what may not be written is not."""
    b = Bench(dut)
    await b.reset()
    own = {BASE_LO: 0, BASE_HI: 0, ENABLE: 0}
    mask = {
        BASE_LO: 0xFFFFFFFF & -JOB["line_bytes"],
        BASE_HI: (1 << JOB["address_bits"] - 32) - 1,
        ENABLE: 1,
    }
    patterns = ({}, {"saw": 0.9}, {"sw": 0.9}, {"sb": 0.9, "sr": 0.9}, {"saw": 0.5, "sw": 0.5, "sar": 0.5})
    for pattern in patterns:
        b.stall(**{**dict.fromkeys(("saw", "sw", "sb", "sar", "sr"), 0), **pattern})
        assert await b.read(ID) == JOB["id"]
        for _ in range(30):
            address = random.choice(list(own))
            value = random.getrandbits(32)
            if random.random() < 0.5:
                # Some bytes of the word: refused.
                first = random.randrange(4)
                length = random.randint(1, 4 - first) if first else random.randint(1, 3)
                answer = await b.host.write(address + first, value.to_bytes(4, "little")[:length])
                assert answer.resp == AxiResp.SLVERR, "a part was written"
            else:
                await b.write(address, value)
                own[address] = value & mask[address]
            for a, expected in own.items():
                assert await b.read(a) == expected, hex(a)
        # Reads and writes at once.
        jobs = [cocotb.start_soon(b.read(ID)) for _ in range(5)]
        jobs += [cocotb.start_soon(b.write(BASE_LO, 0)) for _ in range(5)]
        for job in jobs:
            await job
        own[BASE_LO] = 0
        for address in (0x5C, 0x7C, 0x180, 0x300, 0x40000, 0x80000):
            assert await b.read(address) == 0
    assert b.monitor.bursts == 0
    await b.reset()
    for address in own:
        assert await b.read(address) == 0


@cocotb.test()
async def kernels(dut):
    """Kernels one after the other, every channel stalled, memory late; the interrupt; writes while busy."""
    b = Bench(dut)
    await b.reset()
    await b.run("vector_add", 0)
    for kernel in ("order", "vector_add", "order"):
        b.stall_all(0.7)
        base = some_base()
        memory = await b.load(kernel, base)
        memory.slow_reads, memory.slow_writes = random.choice(((0, 12), (12, 0), (5, 5)))
        enabled = random.getrandbits(1)
        await b.write(ENABLE, enabled)
        await b.start()
        await b.write(GRID, 0xFFFFFFFF, AxiResp.SLVERR)
        await b.write(BASE_LO, 0, AxiResp.SLVERR)
        await b.write(CONTROL, 1, AxiResp.SLVERR)
        assert dut.irq.value == 0
        await b.write(ENABLE, enabled)
        assert await b.finish() == DONE
        b.check(memory, kernel)
        assert await b.read(BASE_LO) | await b.read(BASE_HI) << 32 == base
        assert dut.irq.value == enabled
        await b.write(ENABLE, 1)
        await RisingEdge(dut.aclk)
        assert dut.irq.value == 1
        await b.write(ENABLE, 0)
        await RisingEdge(dut.aclk)
        assert dut.irq.value == 0
        cycles = await b.read(COUNTER)
        assert await b.read(COUNTER + 4) == 0 and cycles > 100
    assert b.monitor.bursts > 100
    dut._log.info("bursts %d, reads under way %d, writes %d", b.monitor.bursts, b.monitor.most_reads, b.monitor.most_writes)


@cocotb.test()
async def errors(dut):
    """Memory refuses a read, a write, all: trap 12, then a good kernel without a reset."""
    b = Bench(dut)
    await b.reset()
    for refused in (
        {"refused_reads": {3}},
        {"refused_writes": {16 + random.randrange(6)}},
        {"refused_reads": set(range(32)), "refused_writes": set(range(32))},
    ):
        b.stall_all(0.4)
        await b.write(ENABLE, 1)
        await b.load("vector_add", some_base(), **refused)
        await b.start()
        assert await b.finish() == DONE | TRAPPED, "the error is lost"
        assert dut.irq.value == 1
        assert await b.read(TRAP) == 12
        await b.run("order", some_base())


@cocotb.test()
async def speed(dut):
    """No stalls: cycles of a kernel, and how much goes on at once."""
    b = Bench(dut)
    await b.reset()
    await b.run("vector_add", some_base())
    cycles = await b.read(COUNTER)
    dut._log.info("CYCLES vector_add data_bits %d: %d", JOB["data_bits"], cycles)
    assert b.monitor.most_reads > 1 and b.monitor.most_writes > 1
