#!/usr/bin/env python3
"""Kernels behind slower memories, without and with caches: the tables of docs/memory.md.

  docs/studies/memory.py [--renew]     --renew: also write the tables into docs/memory.md

WARPSMITH is the program (built otherwise).
"""

import json
import subprocess

from study import ROOT, percent, program, publish

CACHE = "l2_bytes=16384"
MORE = "reads_in_flight=32"
# Head of a column; chips without and with a cache; memory.
COLUMNS = [
    ("40 cycles", "default", f"default,{CACHE}", ["--memory-latency", "40"]),
    ("100 cycles", "default", f"default,{CACHE}", ["--memory-latency", "100"]),
    ("100 cycles, 32 reads", f"default,{MORE}", f"default,{MORE},{CACHE}", ["--memory-latency", "100"]),
    ("DDR3", "default", f"default,{CACHE}", ["--memory-model", "ddr3"]),
    ("SDRAM", "default", f"default,{CACHE}", ["--memory-model", "sdram"]),
]


def rows(chip: str, memory: list[str]) -> dict[str, dict]:
    """Rows of the benchmark's kernels by their names."""
    command = [program(), "bench", "--suite", "kernels", "--json", "--config", chip, *memory]
    ran = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return {row["kernel"]: row for row in json.loads(ran.stdout)["rows"]}


def through(row: dict) -> int:
    """Lines at the memory port."""
    lines = row.get("lines")
    return lines["read"] + lines["written"] if lines else row["requests"]


def kept() -> str:
    """Throughput that is left of that with an ideal memory."""
    ideal = rows("default", [])
    columns = [(rows(without, memory), rows(cached, memory)) for _, without, cached, memory in COLUMNS]
    heads = " | ".join(f"{name}, %" for name, *_ in COLUMNS)
    table = [f"| kernel | warps | ideal, cycles | {heads} |", "| --- | --: | --: |" + " --: |" * len(COLUMNS)]
    for kernel, row in ideal.items():
        cycles = row["cycles"]
        share = lambda of: percent(cycles, of[kernel]["cycles"])
        cells = " | ".join(f"{share(without)} → {share(cached)}" for without, cached in columns)
        table.append(f"| `{kernel}` | {row['warps']} | {cycles:,} | {cells} |")
    return "\n".join(table)


def shared() -> str:
    """Four SMs at one port, each with a cache or without."""
    without, cached = rows("quad", []), rows("quad,l1_bytes=4096", [])
    table = ["| kernel | cycles | with L1 | lines at the port | with L1 |", "| --- | --: | --: | --: | --: |"]
    for kernel, row in without.items():
        other = cached[kernel]
        if through(other) < through(row):
            table.append(f"| `{kernel}` | {row['cycles']:,} | {other['cycles']:,} | {through(row):,} | {through(other):,} |")
    return "\n".join(table)


def main() -> None:
    publish(ROOT / "docs/memory.md", {"kept": kept(), "shared": shared()})


if __name__ == "__main__":
    main()
