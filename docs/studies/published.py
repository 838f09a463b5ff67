#!/usr/bin/env python3
"""Experiments of FlexGripPlus papers, repeated: which flip-flops matter, and what protecting them is worth (published.md).

  docs/studies/published.py [--renew]     --renew: also write the tables into published.md

Campaigns and results go below target/published; stopped and started again, it goes on. COUNT changes the upsets a kernel
that choose flip-flops (50,000), WARPSMITH is the program (built otherwise), STUDY the folder.
"""

import collections
import csv
import os
import pathlib
import subprocess

from study import KERNELS, ROOT, folder, percent, program, publish

# Parts of the chip as `fault report` names them, by the groups of the papers.
GROUPS = {
    "pipeline": ["fetch", "decode", "operands, registers", "write-back"],
    "functional units": ["lanes", "special functions"],
    "warp scheduler": ["scheduler", "divergence", "barriers"],
    "memories' units": ["load/store unit", "shared memory", "constant memory", "caches", "memory arbiter"],
    "rest": ["launch", "counters, trace", "chip pins, wiring"],
}
GROUP = {stage: group for group, stages in GROUPS.items() for stage in stages}
# Of permanent faults every one runs: kernels of few cycles.
SHORT = ["vector_add", "saxpy", "reduction"]
HARMFUL = {"sdc", "due", "hang"}


def rows(out: pathlib.Path, name: str, kernel: str, options: list[str]) -> list[dict[str, str]]:
    """Draws and runs a campaign, or goes on with it; its rows with their outcomes."""
    warpsmith, campaign, drawn = program(), out / f"{name}-{kernel}.csv", out / "drawn.csv"
    call = lambda *command: subprocess.run([warpsmith, "fault", *map(str, command)], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    call("plan", f"kernels/{kernel}/launch.toml", "--config", "default", "--site-kind", "reg", *options, "--force", "-o", drawn)
    # The line of the command names the file.
    same = lambda file: [line for line in file.read_text().splitlines() if not line.startswith("# plan")]
    if campaign.exists() and same(campaign) == same(drawn):
        drawn.unlink()
    else:
        campaign.with_suffix(".db").unlink(missing_ok=True)
        drawn.rename(campaign)
    print(f"== {name}, {kernel}", flush=True)
    call("run", campaign)
    table = out / "rows.csv"
    call("report", campaign, "--csv", table)
    with table.open() as file:
        return [row for row in csv.DictReader(file) if row["outcome"]]


def bit(row: dict[str, str]) -> tuple[str, str]:
    return row["site"], row["bits"]


def tables(out: pathlib.Path, count: int) -> dict[str, str]:
    group, harmful = {}, {}
    for name, seed, n in [("choose", 1, count), ("judge", 2, count // 5)]:
        for kernel in KERNELS:
            for row in rows(out, name, kernel, ["--kind", "seu", "--count", str(n), "--seed", str(seed)]):
                group[bit(row)] = GROUP[row["stage"]]
                if row["outcome"] in HARMFUL:
                    harmful.setdefault((name, kernel), collections.Counter())[bit(row)] += 1
    broken = {}
    for kernel in SHORT:
        options = ["--kind", "stuck-at", "--strategy", "exhaustive"]
        found = rows(out, "stuck", kernel, options)
        broken[kernel] = {bit(row) for row in found if row["outcome"] in HARMFUL}
    chosen = {b for kernel in KERNELS for b in harmful["choose", kernel]}
    elsewhere = {kernel: {b for other in KERNELS if other != kernel for b in harmful["choose", other]} for kernel in KERNELS}

    protect = [
        "| flip-flops of | all | chosen | chosen, % | harmful upsets to judge | in chosen ones, % | in ones chosen by the other five kernels, % |",
        "| --- |" + " ---: |" * 6,
    ]
    permanent = ["| flip-flops of | critical for upsets | of them critical when stuck, % |", "| --- |" + " ---: |" * 2]
    for name in [*GROUPS, "all"]:
        here = lambda b: name in ("all", group[b])
        size, picked = sum(map(here, group)), sum(map(here, chosen))
        hits = [(kernel, b, n) for kernel in KERNELS for b, n in harmful["judge", kernel].items() if here(b)]
        judged, held = sum(n for _, _, n in hits), sum(n for _, b, n in hits if b in chosen)
        foreign = sum(n for kernel, b, n in hits if b in elsewhere[kernel])
        shares = f"{percent(held, judged)} | {percent(foreign, judged)}"
        protect.append(f"| {name} | {size:,} | {picked:,} | {percent(picked, size)} | {judged:,} | {shares} |")
        transient = {(k, b) for k in SHORT for b in harmful["choose", k] if here(b)}
        both = sum(b in broken[k] for k, b in transient)
        permanent.append(f"| {name} | {len(transient):,} | {percent(both, len(transient))} |")
    return {"protect": "\n".join(protect), "permanent": "\n".join(permanent)}


def main() -> None:
    out = folder("published")
    made = tables(out, int(os.environ.get("COUNT", "50000")))
    publish(pathlib.Path(__file__).with_name("published.md"), made)


if __name__ == "__main__":
    main()
