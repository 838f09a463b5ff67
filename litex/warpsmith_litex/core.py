"""The GPU as a LiteX module, from a folder of `warpsmith package --wrapper axi`."""

import json
from pathlib import Path

from litedram.frontend.axi import LiteDRAMAXI2Native
from litex.gen import LiteXModule
from litex.soc.integration.soc import SoCRegion
from litex.soc.interconnect import axi
from litex.soc.interconnect.csr import CSRStatus
from litex.soc.interconnect.csr_eventmanager import EventManager, EventSourceLevel
from migen import ClockSignal, Instance, ResetSignal, Signal

CHANNELS = ("aw", "ar", "w", "b", "r")


class Warpsmith(LiteXModule):
    """`control`: AXI-Lite slave of the registers. `memory`: AXI master. `ev.done`: the kernel has ended.

    Ports and widths are those of the folder's manifest.json.
    """

    def __init__(self, platform, folder):
        folder = Path(folder)
        self.manifest = manifest = json.loads((folder / "manifest.json").read_text())
        wrapper = manifest.get("wrapper", {})
        if wrapper.get("name") != "axi" or "ports" not in wrapper:
            raise ValueError(f"{folder}: no folder of `warpsmith package --wrapper axi`; write it anew with this command")
        width = {port["name"]: port["width"] for port in wrapper["ports"]}
        # Upper bits of the address choose the slave on the SoC's bus: the chip does not see them.
        self.control = axi.AXILiteInterface(data_width=width["s_axi_wdata"], address_width=32)
        self.control_bytes = 1 << width["s_axi_awaddr"]
        self.memory = axi.AXIInterface(
            data_width=width["m_axi_wdata"], address_width=width["m_axi_awaddr"], id_width=width["m_axi_awid"]
        )
        irq = Signal()
        self.ev = EventManager()
        self.ev.done = EventSourceLevel()
        self.ev.finalize()
        self.comb += self.ev.done.trigger.eq(irq)
        # A host sees whether the chip is the one that it has the manifest of.
        self.chip_number = int(manifest["files"]["rtl/warpsmith.v"][:8], 16)
        self.chip = CSRStatus(32, description="First 32 bits of the SHA-256 of the chip's Verilog.")
        self.comb += self.chip.status.eq(self.chip_number)

        signals = {"aclk": ClockSignal("sys"), "aresetn": ~ResetSignal("sys"), "irq": irq}
        for name in width.keys() - signals.keys():
            side, field = {"s_axi_": self.control, "m_axi_": self.memory}[name[:6]], name[6:]
            channel = next(c for c in CHANNELS if field.startswith(c))
            signals[name] = getattr(getattr(side, channel), field[len(channel) :])[: width[name]]
        prefix = {"input": "i_", "output": "o_"}
        ports = {prefix[p["direction"]] + p["name"]: signals[p["name"]] for p in wrapper["ports"]}
        self.specials += Instance(wrapper["top"], **ports)
        for line in (folder / "rtl/files.f").read_text().split():
            platform.add_source(str(folder.resolve() / "rtl" / line), "verilog")


def add_warpsmith(soc, folder, name="gpu", origin=0x9000_0000):
    """The GPU in a SoC: registers on its bus at `origin`, memory at a port of its LiteDRAM, interrupt at its CPU."""
    gpu = Warpsmith(soc.platform, folder)
    soc.add_module(name, gpu)
    soc.bus.add_slave(name, gpu.control, SoCRegion(origin=origin, size=gpu.control_bytes, cached=False))
    # LiteDRAM converts between the widths of a line and of the memory.
    port = soc.sdram.crossbar.get_port(data_width=gpu.memory.data_width)
    soc.add_module(f"{name}_memory", LiteDRAMAXI2Native(gpu.memory, port))
    if soc.irq.enabled:
        soc.irq.add(name)
    return gpu
