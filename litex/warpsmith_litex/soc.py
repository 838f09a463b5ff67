"""SoCs around the GPU, on boards and in simulation: `python -m warpsmith_litex.soc`, called by `warpsmith soc`.

Writes into the folder `--out`, which holds the packaged GPU in `gpu/`: gateware/, csr.json, and soc.json for the host.
"""

import argparse
import importlib
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

from litedram import modules
from litedram.gen import LiteDRAMCoreControl
from litedram.init import get_sdram_phy_py_header
from litedram.phy.model import SDRAMPHYModel
from litex.build.generic_platform import Pins, Subsignal
from litex.build.io import CRG
from litex.build.lattice.trellis import LatticeTrellisToolchain
from litex.build.sim import SimPlatform
from litex.build.sim.config import SimConfig
from litex.soc.integration.builder import Builder
from litex.soc.integration.export import get_csr_json
from litex.soc.integration.soc_core import SoCCore
from litex.soc.cores.uart import RS232PHYModel, UARTBone
from migen import Signal

from warpsmith_litex.core import add_warpsmith

BOARDS = tomllib.loads((Path(__file__).parent / "boards.toml").read_text())

STREAM = [("valid", 1), ("ready", 1), ("data", 8)]
SIM_IO = [
    ("sys_clk", 0, Pins(1)),
    ("serial", 0, *(Subsignal(f"{end}_{name}", Pins(n)) for end in ("source", "sink") for name, n in STREAM)),
]


class SimSoC(SoCCore):
    """LiteX's simulation with the memory of the ULX3S: MT48LC16M16, 16 bits wide, timing of the real chip."""

    def __init__(self, sys_clk_freq, **kwargs):
        platform = SimPlatform("SIM", SIM_IO)
        reset = Signal()
        self.crg = CRG(platform.request("sys_clk"), reset)
        self.crg.rst = reset
        SoCCore.__init__(self, platform, sys_clk_freq, ident="Warpsmith in simulation", **kwargs)
        module = modules.MT48LC16M16(sys_clk_freq, "1:1")
        self.sdrphy = SDRAMPHYModel(module, data_width=16, clk_freq=sys_clk_freq)
        self.add_sdram("sdram", phy=self.sdrphy, module=module, l2_cache_size=kwargs["l2_size"])
        # As add_uartbone, with a UART of bytes instead of bits.
        self.uartbone_phy = RS232PHYModel(platform.request("serial"))
        self.uartbone = UARTBone(self.uartbone_phy, sys_clk_freq)
        self.bus.add_master(name="uartbone", master=self.uartbone.wishbone)


def make(args):
    """The SoC that was asked for."""
    board = BOARDS[args.board]
    options = dict(
        sys_clk_freq=int(args.clock * 1e6),
        cpu_type=args.cpu,
        with_uart=False,
        integrated_rom_size=0x20000 if args.cpu else 0,
        integrated_sram_size=0x2000 if args.cpu else 0,
        # The GPU writes memory behind a cache of the bus.
        l2_size=0,
    )
    if args.link == "etherbone":
        options["with_etherbone"] = True
    if args.board == "sim":
        soc = SimSoC(**options)
    else:
        target = importlib.import_module(f"litex_boards.targets.{board['target']}")
        soc = target.BaseSoC(**options, **board.get("options", {}), with_led_chaser=False)
    if args.link == "uart":
        if "serial" in board:
            platform = sys.modules[type(soc.platform).__module__]
            soc.platform.add_extension(getattr(platform, board["serial"]))
        if args.board != "sim":
            soc.add_uartbone(baudrate=args.baud)
    if args.cpu:
        # The BIOS's console, through the bridge, and where it says that the memory works.
        soc.add_uart(name="uart", uart_name="crossover")
        soc.ddrctrl = LiteDRAMCoreControl()
    add_warpsmith(soc, args.out / "gpu")
    return soc


def sdram_init(soc, registers):
    """What a host has to write so that the memory works: address, value, cycles to wait."""
    # LiteDRAM writes the sequence as Python.
    header = {}
    exec(get_sdram_phy_py_header(soc.sdram.controller.settings.phy, soc.sdram.controller.settings.timing), header)
    write = lambda name, value, cycles=0: [registers[f"sdram_dfii_{name}"]["addr"], value, cycles]
    steps = []
    for _, address, bank, command, cycles in header["init_sequence"]:
        # CKE and reset are bits of the control register, all else is a command to the memory.
        if command & header["dfii_control_cke"] and not command & header["dfii_command_cs"]:
            steps.append(write("control", command, cycles))
        else:
            steps += [
                write("pi0_address", address),
                write("pi0_baddress", bank),
                write("pi0_command", command),
                write("pi0_command_issue", 1, cycles),
            ]
    return steps + [write("control", header["dfii_control_sel"])]


def bios(registers):
    """Where LiteX's BIOS says that the memory works, and its console: it waits until its words are read."""
    names = {"done": "ddrctrl_init_done", "error": "ddrctrl_init_error", "empty": "uart_xover_rxempty", "text": "uart_xover_rxtx"}
    return {key: registers[name]["addr"] for key, name in names.items()}


def description(soc, args):
    """soc.json: what a host has to know."""
    csr = json.loads(get_csr_json(soc.csr_regions, soc.constants, soc.mem_regions))
    registers, memories = csr["csr_registers"], csr["memories"]
    return {
        "board": args.board,
        "clock_hz": int(soc.sys_clk_freq),
        "control": memories["gpu"]["base"],
        "memory": memories["main_ram"]["base"],
        "memory_bytes": memories["main_ram"]["size"],
        "chip_register": registers["gpu_chip"]["addr"],
        "chip": soc.gpu.chip_number,
        "reset_register": registers["ctrl_reset"]["addr"],
        # With a CPU LiteX's BIOS makes the memory work and says so, else the host does.
        "sdram_init": [] if args.cpu else sdram_init(soc, registers),
        "bios": bios(registers) if args.cpu else None,
    }


def ecp5(soc):
    """gateware/ecp5.json: what Yosys and nextpnr have to know."""
    return {
        "top": soc.build_name,
        "device": soc.platform.device,
        "sources": sorted({str(source) for source, *_ in soc.platform.sources}),
    }


def arguments():
    parser = argparse.ArgumentParser(prog="warpsmith_litex.soc", description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="folder with the packaged GPU in gpu/")
    parser.add_argument("--board", choices=BOARDS, required=True)
    parser.add_argument("--clock", type=float, required=True, help="MHz")
    parser.add_argument("--cpu", help="CPU of LiteX, such as vexriscv")
    parser.add_argument("--link", choices=("uart", "etherbone"), default="uart")
    parser.add_argument("--baud", type=int, default=1_000_000)
    parser.add_argument("--no-build", action="store_true", help="Verilog and constraints, no bitstream, no simulation")
    return parser.parse_args()


def build(args):
    # The BIOS is compiled with Meson, Ninja and this Python by name.
    os.environ["PATH"] = str(Path(sys.executable).parent) + os.pathsep + os.environ["PATH"]
    soc = make(args)
    complete = not args.no_build
    builder = Builder(
        soc,
        output_dir=str(args.out),
        csr_json=str(args.out / "csr.json"),
        compile_software=complete,
        compile_gateware=complete,
    )
    if args.board == "sim":
        # As LiteX's own simulation: little to test, for it takes long.
        soc.add_constant("MEMTEST_DATA_SIZE", 8 * 1024)
        soc.add_constant("MEMTEST_ADDR_SIZE", 8 * 1024)
        config = SimConfig()
        config.add_clocker("sys_clk", freq_hz=soc.sys_clk_freq)
        # serve.py replaces the port.
        config.add_module("serial2tcp", ("serial", 0), args={"port": 2000})
        # gateware/build_sim.sh compiles it.
        builder.build(sim_config=config, run=False, jobs=os.cpu_count(), opt_level="O1", interactive=False)
    elif isinstance(soc.platform.toolchain, LatticeTrellisToolchain):
        # `warpsmith soc` places and routes: with its own tools, options and report.
        builder.build(run=False)
        Path(builder.gateware_dir, "ecp5.json").write_text(json.dumps(ecp5(soc), indent=2) + "\n")
    else:
        builder.build(run=complete)
    (args.out / "soc.json").write_text(json.dumps(description(soc, args), indent=2) + "\n")


def main():
    try:
        build(arguments())
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"{error}\nVerilog and constraints alone need no further programs: --no-build")


if __name__ == "__main__":
    main()
