#!/usr/bin/env python3
"""Stuck-at faults of the gates of eight units, and what wrong results look like (permanent.md).

  docs/studies/permanent.py [--renew]     --renew: also write the tables into permanent.md

Results go below target/permanent, a JSON object a unit and kernel; stopped and started again, it goes on. COUNT changes
the classes a unit and kernel (200), WARPSMITH is the program (built otherwise), STUDY the folder.
"""

import json
import os
import pathlib
import subprocess
import sys

from study import KERNELS, ROOT, folder, percent, program, publish

UNITS = ["int_unit", "float_unit", "sfu", "decode", "warps", "scoreboard", "coalescer", "divergence"]
OUTCOMES = ["masked", "timing", "sdc", "due", "hang"]
SHAPES = ["one_bit", "one_bit_a_word", "single", "run", "stride", "scattered", "infinite"]


def results(out: pathlib.Path, count: str) -> dict[str, list[dict]]:
    """The object of every unit and kernel; a kernel in which nothing reaches a unit has none."""
    warpsmith, found = program(), {}
    for unit in UNITS:
        for kernel in KERNELS:
            file = out / f"{unit}-{kernel}-{count}.json"
            if not file.exists():
                print(f"== {unit}, {kernel}", flush=True)
                command = ["fault", "gates", "--unit", unit, "--launch", f"kernels/{kernel}/launch.toml", "--config", "default"]
                ran = subprocess.run([warpsmith, *command, "--sample", count, "--json"], cwd=ROOT, capture_output=True, text=True)
                if ran.returncode != 0 and "nothing reaches" not in ran.stderr:
                    sys.exit(ran.stderr)
                new = file.with_suffix(".new")
                new.write_text(ran.stdout if ran.returncode == 0 else "null\n")
                new.rename(file)
            found.setdefault(unit, []).append(json.loads(file.read_text()))
    reached = {unit: [r for r in all if r] for unit, all in found.items()}
    return {unit: all for unit, all in reached.items() if all}


def total(objects: list[dict], group: str, name: str) -> int:
    return sum(o["chip"][group].get(name, {}).get("faults", 0) for o in objects)


def tables(found: dict[str, list[dict]]) -> dict[str, str]:
    ends = ["| unit | faults | show at the unit, % | in the chip | " + " | ".join(f"{o}, %" for o in OUTCOMES) + " |"]
    ends.append("| --- |" + " ---: |" * (3 + len(OUTCOMES)))
    shapes = ["| unit | silent corruptions | one bit | one bit a word | one word | neighbours | one distance | other | of floats | infinite |"]
    shapes.append("| --- |" + " ---: |" * 9)
    everything = [o for objects in found.values() for o in objects]
    for unit, objects in [*found.items(), ("all", everything)]:
        outcomes = {o: total(objects, "outcomes", o) for o in OUTCOMES}
        ran, sdc = sum(outcomes.values()), outcomes["sdc"]
        assert ran == sum(e["faults"] for o in objects for e in o["chip"]["outcomes"].values()), "another outcome"
        seen = sum(o["detected"]["faults"] for o in objects)
        faults = sum(o["faults"] for o in objects)
        name = unit if unit == "all" else f"`{unit}`"
        each = sum(os_[0]["faults"] for os_ in found.values()) if unit == "all" else objects[0]["faults"]
        row = [name, f"{each:,}", percent(seen, faults), f"{ran:,}", *(percent(outcomes[o], ran) for o in OUTCOMES)]
        ends.append("| " + " | ".join(row) + " |")
        of = {s: total(objects, "sdc", s) for s in SHAPES}
        floats = total(objects, "sdc", "floats")
        row = [name, f"{sdc:,}", *(percent(of[s], sdc) for s in SHAPES[:-1]), f"{floats:,}", percent(of["infinite"], floats)]
        shapes.append("| " + " | ".join(row) + " |")
    return {"ends": "\n".join(ends), "shapes": "\n".join(shapes)}


def main() -> None:
    found = results(folder("permanent"), os.environ.get("COUNT", "200"))
    publish(pathlib.Path(__file__).with_name("permanent.md"), tables(found))


if __name__ == "__main__":
    main()
