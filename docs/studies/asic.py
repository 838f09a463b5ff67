#!/usr/bin/env python3
"""`tiny` with two lanes in standard cells: the tables of docs/asic.md.

  docs/studies/asic.py [--renew]     --renew: also write the tables into docs/asic.md

LIBERTY is the library of cells, by default that of Debian's package qflow-tech-osu018; WARPSMITH the program (built
otherwise); STUDY the folder. Needs yosys.
"""

import collections
import functools
import json
import os
import pathlib
import re
import subprocess
import sys

from study import ROOT, folder, program, publish

SET = ["lanes=2", "port_words=2", "shared_banks=2", "trace=false"]
LIBERTY = "/usr/share/qflow/tech/osu018/osu018_stdcells.lib"
# The cell that areas are counted in.
UNIT = "NAND2X1"
SCRIPT = """
read_verilog -sv {rtl}/warpsmith.v
blackbox lutram_* bram_*
hierarchy -check -top warpsmith
synth -top warpsmith -flatten -run :check
dfflibmap -liberty {liberty}
abc -liberty {liberty} -D 20000
opt_clean -purge
read_liberty -lib {liberty}
write_json {out}/netlist.json
"""


def library(path: pathlib.Path) -> tuple[dict[str, float], set[str]]:
    """Areas of the cells, and those that hold state."""
    areas, state = {}, set()
    for cell in re.split(r"\n\s*cell\s*\(", path.read_text())[1:]:
        name = cell.split(")", 1)[0].strip().strip('"')
        areas[name] = float(re.search(r"\barea\s*:\s*([\d.]+)", cell)[1])
        if re.search(r"\b(ff|latch)\s*\(", cell):
            state.add(name)
    return areas, state


def deepest(cells: dict[str, dict], ends: set[str]) -> int:
    """Cells on the longest path between state, macros and ports."""
    drivers = {}
    for name, cell in cells.items():
        for port, bits in cell["connections"].items():
            if cell["port_directions"][port] == "output" and cell["type"] not in ends:
                drivers.update((bit, name) for bit in bits)

    @functools.cache
    def depth(name: str) -> int:
        cell = cells[name]
        inputs = (b for p, bits in cell["connections"].items() if cell["port_directions"][p] == "input" for b in bits)
        return 1 + max((depth(drivers[b]) for b in inputs if b in drivers), default=0)

    sys.setrecursionlimit(100_000)
    return max(map(depth, set(drivers.values())))


def main() -> None:
    liberty = pathlib.Path(os.environ.get("LIBERTY", LIBERTY))
    if not liberty.is_file():
        sys.exit(f"asic.py: {liberty} is missing: install Debian's package qflow-tech-osu018, or say another library by LIBERTY")
    areas, state = library(liberty)
    out = folder("asic")
    rtl, script = out / "rtl", out / "synth.ys"
    options = [word for key in SET for word in ("--set", key)]
    subprocess.run([program(), "emit", "--config", "tiny", *options, "--out", rtl], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    script.write_text(SCRIPT.format(rtl=rtl, liberty=liberty, out=out))
    subprocess.run(["yosys", "-q", script], check=True)
    cells = json.loads((out / "netlist.json").read_text())["modules"]["warpsmith"]["cells"]
    counts = collections.Counter(cell["type"] for cell in cells.values())
    macros = [cell for cell in cells.values() if cell["type"] not in areas]
    area = lambda kinds: sum(areas[k] * counts[k] for k in kinds)
    logic = [k for k in counts if k in areas and k not in state]
    flops = [k for k in counts if k in state]
    gates = lambda of: f"{of / areas[UNIT]:,.0f}"
    ends = state | {cell["type"] for cell in macros}
    size = [
        "| what | cells | gate equivalents |",
        "| --- | --: | --: |",
        f"| logic | {sum(counts[k] for k in logic):,} | {gates(area(logic))} |",
        f"| flip-flops | {sum(counts[k] for k in flops):,} | {gates(area(flops))} |",
        f"| together | {sum(counts[k] for k in logic + flops):,} | {gates(area(logic + flops))} |",
        f"| longest path | {deepest(cells, ends)} | |",
    ]
    shapes = collections.Counter()
    for cell in macros:
        kind = "synchronous" if cell["type"].startswith("bram") else "asynchronous"
        ports = cell["connections"]
        reads = sum(port.startswith("rdata") for port in ports)
        shapes[2 ** len(ports["raddr_0"]), len(ports["rdata_0"]), reads, kind] += 1
    table = ["| words | bits | read ports | read | instances | bits together |", "| --: | --: | --: | --- | --: | --: |"]
    for (depth, width, reads, kind), n in sorted(shapes.items(), reverse=True):
        table.append(f"| {depth:,} | {width} | {reads} | {kind} | {n} | {depth * width * n:,} |")
    publish(ROOT / "docs/asic.md", {"size": "\n".join(size), "macros": "\n".join(table)})


if __name__ == "__main__":
    main()
