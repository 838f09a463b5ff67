#!/usr/bin/env python3
"""Khronos's conformance tests of OpenCL on a device of Warpsmith, and the table of docs/opencl-conformance.md.

    conformance.py build [GROUP…]    fetches and builds the suite outside the project
    conformance.py run [GROUP…]      runs tests that have no result yet, each as a process of its own
    conformance.py table             prints the results as the page has them
    conformance.py failures [GROUP…] prints the end of the output of each failed test
    conformance.py list [GROUP…]     prints the tests

Nothing of the suite becomes part of the project: sources, programs and results are in --dir.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

# Versions: the suite, and the headers that it asks for. The loader is the system's.
SOURCES = {
    "cts": ("https://github.com/KhronosGroup/OpenCL-CTS", "v2026-07-09-00"),
    "headers": ("https://github.com/KhronosGroup/OpenCL-Headers", "v2026.05.29"),
    "spirv-headers": ("https://github.com/KhronosGroup/SPIRV-Headers", "v2026.08.0"),
}

# Options of the suite's programs for images: sizes 1 to 13 x 1 to 9 instead of random ones up to the device's largest.
SMALL = ["small_images"]
# How much of its values a test in wimpy mode leaves out: the most that the suite recommends, and for functions a buffer of values of each type.
FEW = ["-[4096]"]
ONE = ["-[512]"]


class Group:
    """A program of the suite: its target, its path below `test_conformance`, options of every test, tests left out."""

    def __init__(self, path, options=(), without=None, common=("-w",)):
        self.target = path.rsplit("/", 1)[-1]
        self.path = path
        self.options = [*common, *options]
        self.without = re.compile(without) if without else None


# Order: that of the table.
GROUPS = {
    "allocations": Group("allocations/test_allocations"),
    "api": Group("api/test_api"),
    "atomics": Group("atomics/test_atomics"),
    "basic": Group("basic/test_basic"),
    "buffers": Group("buffers/test_buffers"),
    "commonfns": Group("commonfns/test_commonfns"),
    "compiler": Group("compiler/test_compiler"),
    "computeinfo": Group("computeinfo/test_computeinfo"),
    "contractions": Group("contractions/test_contractions"),
    "conversions": Group("conversions/test_conversions", FEW),
    "device_partition": Group("device_partition/test_device_partition"),
    "events": Group("events/test_events"),
    "geometrics": Group("geometrics/test_geometrics"),
    "half": Group("half/test_half", FEW),
    "images/clCopyImage": Group("images/clCopyImage/test_cl_copy_images", SMALL),
    "images/clFillImage": Group("images/clFillImage/test_cl_fill_images", SMALL),
    "images/clGetInfo": Group("images/clGetInfo/test_cl_get_info", SMALL),
    "images/clReadWriteImage": Group("images/clReadWriteImage/test_cl_read_write_images", SMALL),
    "images/kernel_image_methods": Group("images/kernel_image_methods/test_kernel_image_methods", SMALL),
    "images/kernel_read_write": Group("images/kernel_read_write/test_image_streams", [*SMALL, "CL_FILTER_NEAREST"]),
    "images/samplerlessReads": Group("images/samplerlessReads/test_samplerless_reads", SMALL),
    # As the suite's quick list: `quick_` stands for the test without it.
    "integer_ops": Group("integer_ops/test_integer_ops", without=r"^u?(long|int|short|char)_"),
    # Doubles run in software: scalars alone.
    "math_brute_force/floats": Group("math_brute_force/test_bruteforce", [*ONE, "-d"]),
    "math_brute_force/doubles": Group("math_brute_force/test_bruteforce", [*ONE, "-f", "-1"]),
    "mem_host_flags": Group("mem_host_flags/test_mem_host_flags"),
    "multiples": Group("multiple_device_context/test_multiples"),
    "printf": Group("printf/test_printf"),
    "profiling": Group("profiling/test_profiling"),
    "relationals": Group("relationals/test_relationals"),
    "select": Group("select/test_select", FEW),
    "thread_dimensions": Group("thread_dimensions/test_thread_dimensions", without=r"^full_"),
    "vectors": Group("vectors/test_vectors"),
}
STATES = ["pass", "fail", "skip", "time"]

# Where the suite is unless --dir says so.
OUTSIDE = pathlib.Path(tempfile.gettempdir()) / "opencl-cts"


def command(*words, **more):
    """A command that must succeed."""
    print("$", *words, file=sys.stderr)
    subprocess.run(words, check=True, **more)


def build(args):
    for name, (address, tag) in SOURCES.items():
        if not (args.dir / name).is_dir():
            command("git", "clone", "--quiet", "--depth=1", "--branch", tag, address, str(args.dir / name))
    to = args.dir / "build"
    command(
        "cmake", "-S", str(args.dir / "cts"), "-B", str(to), "--compile-no-warning-as-error", "-DCMAKE_BUILD_TYPE=Release",
        f"-DCL_INCLUDE_DIR={args.dir / 'headers'}", f"-DSPIRV_INCLUDE_DIR={args.dir / 'spirv-headers'}",
        "-DCL_LIB_DIR=/usr/lib", "-DOPENCL_LIBRARIES=OpenCL", "-DSPIRV_TOOLS_DIR=/usr/bin",
        stdout=subprocess.DEVNULL,
    )
    for name in args.groups:
        command("nice", "make", "-C", str(to), f"-j{args.jobs}", GROUPS[name].target, stdout=subprocess.DEVNULL)


class Results:
    """`results.tsv`: group, test, state, seconds of wall and of CPU, a line a test; the last line of a test holds."""

    def __init__(self, dir):
        self.file = dir / "results.tsv"
        self.lock = threading.Lock()
        self.of = {}
        if self.file.is_file():
            for line in self.file.read_text().splitlines():
                group, test, state, wall, cpu = line.split("\t")
                self.of[group, test] = (state, float(wall), float(cpu))

    def add(self, group, test, state, wall, cpu):
        with self.lock:
            self.of[group, test] = (state, wall, cpu)
            with self.file.open("a") as out:
                print(group, test, state, f"{wall:.1f}", f"{cpu:.1f}", sep="\t", file=out)
            print(f"{state:4} {wall:6.1f} s  {group} {test}", flush=True)


def warpsmith(args):
    """What stands in front of a program of the suite."""
    if args.warpsmith == "":
        return []
    start = [args.warpsmith, "opencl", "run", "--device", args.device]
    return [*start, *(["--cosim"] if args.cosim else []), "--"]


def path(args, name):
    return args.dir / "build/test_conformance" / GROUPS[name].path


def program(args, name):
    found = path(args, name)
    if not found.is_file():
        sys.exit(f"{found}: not built; `conformance.py build {name}` builds it")
    return str(found)


def tests(args, name):
    """The tests of a group, sorted."""
    group = GROUPS[name]
    out = subprocess.run([program(args, name), "--list"], capture_output=True, text=True, check=False).stdout
    found = [line.strip() for line in out.splitlines() if line.startswith("\t")]
    if not found:
        sys.exit(f"{name}: the program lists no test")
    return sorted({t for t in found if not (group.without and group.without.search(t))})


def cpu_seconds(pid):
    """CPU time of a process with the children that it has waited for: clang is one."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def run_one(args, results, name, test):
    """Runs one test; its output is in `logs/GROUP/TEST.log`."""
    log = args.results / "logs" / name / f"{test}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    verdict = log.with_suffix(".json")
    verdict.unlink(missing_ok=True)
    test_program = program(args, name)
    words = [*warpsmith(args), test_program, *GROUPS[name].options, *args.option, test]
    env = {**os.environ, "CL_CONFORMANCE_RESULTS_FILENAME": str(verdict)}
    start = time.monotonic()
    with log.open("w") as out:
        child = subprocess.Popen(
            words, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env=env, start_new_session=True,
            cwd=os.path.dirname(test_program),
        )
        late = False
        while (ended := os.wait4(child.pid, os.WNOHANG))[0] == 0:
            late = late or cpu_seconds(child.pid) > args.limit or time.monotonic() - start > args.wall
            if late:
                os.killpg(child.pid, signal.SIGKILL)
            time.sleep(0.05)
    _, status, usage = ended
    wall = time.monotonic() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    state = "fail"
    if late:
        state = "time"
    elif verdict.is_file():
        said = set(json.loads(verdict.read_text())["results"].values())
        # A crash behind the verdict is a failure all the same.
        if child.returncode == 0 and said <= {"pass", "skip"}:
            state = "pass" if "pass" in said else "skip"
    results.add(name, test, state, wall, usage.ru_utime + usage.ru_stime)


def sample(tests, most):
    """At most `most` of the tests, the same in every run and evenly spread over their names; 0: all."""
    return tests if most == 0 or most >= len(tests) else [tests[i * len(tests) // most] for i in range(most)]


def run(args):
    results = Results(args.results)
    left = [
        (name, test)
        for name in args.groups
        for test in sample([t for t in tests(args, name) if re.search(args.only, t)], args.sample)
        if args.again or results.of.get((name, test), ("",))[0] in args.redo
    ]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        list(pool.map(lambda t: run_one(args, results, *t), left))


def table(args):
    results = Results(args.results).of
    rows = collections.defaultdict(lambda: dict.fromkeys([*STATES, "none", "cpu"], 0))
    for name in GROUPS:
        listed = {(name, t) for t in tests(args, name)} if path(args, name).is_file() else set()
        for key in listed | {k for k in results if k[0] == name}:
            state, _, cpu = results.get(key, ("none", 0, 0))
            for row in (rows[name], rows["all"]):
                row[state] += 1
                row["cpu"] += cpu
    print("| group | passed | failed | skipped | out of time | not run | CPU time, s |\n|---|--:|--:|--:|--:|--:|--:|")
    for name, row in ((n, rows[n]) for n in [*GROUPS, "all"] if n in rows):
        print(f"| {name} |", *(f"{row[of]:,.0f} |" for of in [*STATES, "none", "cpu"]))
    finished = rows["all"]["pass"] + rows["all"]["fail"]
    if finished:
        print(f"\nOf {finished:,} finished and not skipped, {rows['all']['pass'] / finished:.1%} pass.")
    for state, title in (("fail", "Failed"), ("time", "Out of time")):
        names = collections.defaultdict(list)
        for group, test in sorted(key for key, result in results.items() if result[0] == state):
            names[group].append(f"`{test}`")
        if names:
            print(f"\n{title}:\n")
            print(*(f"- {group}: {', '.join(names[group])}" for group in GROUPS if group in names), sep="\n")


def failures(args):
    """What the failed tests printed at their end."""
    results = Results(args.results).of
    for group, test in sorted(key for key, result in results.items() if result[0] == "fail" and key[0] in args.groups):
        log = args.results / "logs" / group / f"{test}.log"
        print(f"== {group} {test}: {log}", *log.read_text(errors="replace").splitlines()[-args.lines :], sep="\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["build", "run", "table", "failures", "list"])
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"default: all of {', '.join(GROUPS)}")
    parser.add_argument("--dir", type=pathlib.Path, default=OUTSIDE, help="sources and programs of the suite")
    parser.add_argument("--results", type=pathlib.Path, help="folder of results and logs; default: DIR/results")
    parser.add_argument("--warpsmith", default="warpsmith", help="the command; empty: whatever driver the loader finds")
    parser.add_argument("--device", default="model")
    parser.add_argument("--cosim", action="store_true", help="every launch in lockstep")
    parser.add_argument("--limit", type=float, default=60, help="seconds of CPU time of a test, clang's among them")
    parser.add_argument("--wall", type=float, default=900, help="seconds after which a test is taken for deadlocked")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="regular expression on names of tests")
    parser.add_argument("--sample", type=int, default=0, help="at most that many tests of a group, evenly spread over their names")
    parser.add_argument("--option", action="append", default=[], help="a further option of the suite's programs")
    parser.add_argument("--redo", action="append", choices=STATES, default=[], help="run tests again that ended so")
    parser.add_argument("--lines", type=int, default=12, help="of each output that `failures` prints")
    parser.add_argument("--again", action="store_true", help="run tests again whatever their result")
    args = parser.parse_intermixed_args()
    unknown = [g for g in args.groups if g not in GROUPS]
    if unknown:
        parser.error(f"no group {', '.join(unknown)}; there are {', '.join(GROUPS)}")
    args.groups = args.groups or list(GROUPS)
    args.redo = [*args.redo, ""]
    args.dir = args.dir.resolve()
    args.results = (args.results or args.dir / "results").resolve()
    if args.warpsmith and args.what == "run":
        # Programs of the suite run in folders of their own.
        found = shutil.which(args.warpsmith) or parser.error(f"--warpsmith: there is no command {args.warpsmith}")
        args.warpsmith = os.path.abspath(found)
    args.results.mkdir(parents=True, exist_ok=True)
    if args.what == "list":
        for name in args.groups:
            for test in tests(args, name):
                print(name, test)
    else:
        {"build": build, "run": run, "table": table, "failures": failures}[args.what](args)


if __name__ == "__main__":
    main()
