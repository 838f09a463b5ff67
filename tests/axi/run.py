"""Builds a wrapped chip with Icarus and runs suite.py on it, once a seed.

Argument: a job, JSON written by tests/axi/suite.rs. Prints a line `RESULT ...` a seed.
"""

import json
import os
import sys
from pathlib import Path

from cocotb_tools.runner import get_results, get_runner

job_file = Path(sys.argv[1]).resolve()
job = json.loads(job_file.read_text())
build = job_file.parent / "build"
runner = get_runner("icarus")
runner.build(
    sources=[Path(s) for s in job["sources"]],
    hdl_toplevel="warpsmith_axi",
    build_args=["-g2005"],
    build_dir=build,
    timescale=("1ns", "1ps"),
    always=True,
)
os.environ["PYTHONPATH"] = str(Path(__file__).resolve().parent)
for seed in job["seeds"]:
    xml = runner.test(
        hdl_toplevel="warpsmith_axi",
        test_module="suite",
        build_dir=build,
        test_filter=job["filter"],
        results_xml=str(build / f"results-{seed}.xml"),
        extra_env={
            "AXI_JOB": str(job_file),
            "COCOTB_RANDOM_SEED": str(seed),
            "COCOTB_LOG_LEVEL": "INFO",
            # Bytes of a store outside its strobes are undefined; they are not looked at.
            "COCOTB_RESOLVE_X": "zeros",
            "PYTHONWARNINGS": "ignore",
        },
    )
    tests, failed = get_results(xml)
    print(f"RESULT seed {seed} tests {tests} failed {failed}", flush=True)
