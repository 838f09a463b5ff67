#!/usr/bin/env python3
"""Size, clock and speed of every chip: the table and plot of docs/benchmarks/chips.md.

  docs/studies/chips.py [--route] [--renew]     --route: place and route too, half an hour to two hours a chip and part;
                                                --renew: also write table and plots into docs/benchmarks

Reports of `synth` that are in the folder and belong to the same Verilog are not made again. WARPSMITH is the program (built
otherwise); STUDY the folder.
"""

import hashlib
import json
import math
import os
import pathlib
import subprocess
import sys

from study import KERNELS_OF_ALL, ROOT, folder, program, publish

PAGE = ROOT / "docs/benchmarks/chips.md"
# Chip, what stands in the table, and the folder of its set's kernels.
CHIPS = [
    ("tiny", {}, ""),
    ("default", {}, ""),
    ("wide", {}, ""),
    ("quad", {}, ""),
    ("hardened", {}, ""),
    ("compute", {}, ""),
    ("default", {"isa": "fermi"}, "fermi"),
    ("default", {"isa": "g13"}, "g13"),
    ("default", {"isa": "ivb"}, "ivb"),
]
# Chip, board, device, clock asked for in MHz, seeds.
ROUTES = [
    ("default", "ulx3s", "LFE5U-85F-6BG381C", 65, 1),
    ("default", "orangecrab", "LFE5U-85F-8BG285C", 80, 1),
    ("default", "ecpix5", "LFE5UM5G-85F-8BG554C", 90, 1),
    ("tiny", "ulx3s", "LFE5U-85F-6BG381C", 75, 1),
    ("tiny", "orangecrab", "LFE5U-85F-8BG285C", 95, 1),
    ("tiny", "ecpix5", "LFE5UM5G-85F-8BG554C", 105, 1),
]


def options(config: str, keys: dict[str, str]) -> list[str]:
    return ["--config", config, *(word for k, v in keys.items() for word in ("--set", f"{k}={v}"))]


def name(config: str, keys: dict[str, str]) -> str:
    return " ".join([config, *(f"{k}={v}" for k, v in keys.items())])


def report(out: pathlib.Path, target: str, chip: list[str], more: list[str]) -> dict:
    """The report of `synth`, from the folder if the Verilog is the same."""
    rtl = out / "emitted"
    subprocess.run([program(), "emit", *chip, "--set", "trace=false", "--out", rtl], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    digest = hashlib.sha256((rtl / "warpsmith.v").read_bytes()).hexdigest()
    where = out / "-".join([target, *(w.replace("=", "-") for w in chip if not w.startswith("--"))])
    seen, made = where / "digest", where / "report.json"
    if not (made.is_file() and seen.is_file() and seen.read_text() == digest):
        subprocess.run([program(), "synth", "--target", target, *chip, *more, "--out", where], cwd=ROOT, stdout=subprocess.DEVNULL)
        seen.write_text(digest)
    return json.loads(made.read_text())


def speed(chip: list[str], sub: str) -> tuple[float, int, int]:
    """Cycles of the kernels, as a geometric mean and in all, and their thread instructions."""
    cycles, instructions = [], 0
    for kernel in KERNELS_OF_ALL:
        launch = ROOT / "kernels" / sub / kernel / "launch.toml"
        done = subprocess.run([program(), "run", launch, "--on", "rtl", "--engine", "native", *chip, "--json"], capture_output=True, cwd=ROOT)
        ran = json.loads(done.stdout)
        if ran["outcome"] != "pass":
            sys.exit(f"chips.py: {launch} on {chip}: {ran['outcome']}")
        cycles.append(ran["cycles"])
        instructions += ran["thread_instructions"]
    return math.exp(sum(map(math.log, cycles)) / len(cycles)), sum(cycles), instructions


def main() -> None:
    out = folder("chips")
    size = [
        "| chip | LUT | FF | DSP | BRAM | kernels, cycles | thread instructions a cycle | a cycle and 1,000 LUT |",
        "| --- | --: | --: | --: | --: | --: | --: | --: |",
    ]
    means = {}
    for config, keys, sub in CHIPS:
        chip = options(config, keys)
        r = report(out, "xilinx", chip, [])
        mean, cycles, instructions = speed(chip, sub)
        means[config] = means.get(config, (mean, instructions / cycles))
        rate = instructions / cycles
        size.append(
            f"| `{name(config, keys)}` | {r['luts']:,} | {r['ffs']:,} | {r['dsps']} | {r['brams']:g} | {mean:,.0f} | {rate:.2f} | {1000 * rate / r['luts']:.3f} |"
        )
    clock = [
        "| chip | part | asked, MHz | reached, MHz | LUT4 | kernels, µs | million thread instructions a second | a second and LUT4 |",
        "| --- | --- | --: | --: | --: | --: | --: | --: |",
    ]
    for config, board, part, mhz, seeds in ROUTES:
        made = out / f"{board}-{config}" / "report.json"
        if "--route" in sys.argv[1:]:
            report(out, board, options(config, {}), ["--clock", str(mhz), "--seeds", str(seeds), "--part", part])
        r = json.loads(made.read_text()) if made.is_file() else {}
        reached = r.get("fmax_mhz")
        if not reached:
            continue
        mean, rate = means[config]
        clock.append(
            f"| `{config}` | {part} | {mhz} | {reached:.1f} | {r['luts']:,} | {mean / reached:,.1f} | {rate * reached:,.0f} | {1e6 * rate * reached / r['luts']:,.0f} |"
        )
    publish(PAGE, {"size": "\n".join(size), "clock": "\n".join(clock)})


if __name__ == "__main__":
    main()
