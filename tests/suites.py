#!/usr/bin/env python3
"""Public suites of CUDA programs through the compiler, and the tables of docs/suites.md.

    suites.py get [SUITE…]        fetches the suites outside the project
    suites.py compile [SUITE…]    compiles the kernels of files that have no result yet
    suites.py host [SUITE…]       runs the programs on the host, and the first launch of each kernel on the model, and compares
    suites.py table               prints the results as the page has them
    suites.py list [SUITE…]       prints the files

Nothing of a suite becomes part of the project: sources, PTX and results are in --dir.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
from host import compare, programs


class Suite:
    """A repository, its commit, and which of its folders are tried."""

    def __init__(self, repository, commit, folders=None, options=()):
        self.repository = repository
        self.commit = commit
        self.name = repository.rsplit("/", 1)[-1]
        self.folders = folders or (lambda root: [root])
        self.options = list(options)


def every_eighth(root):
    found = sorted(f for f in (root / "src").iterdir() if f.name.endswith("-cuda"))
    return found[::8]


# What SHOC's `configure` writes into `config.h`.
SHOC = ["-DHAVE_CLOCK_GETTIME=1", "-DHAVE_CLOCK_PROCESS_CPUTIME_ID=1", "-Drestrict=__restrict"]

# Order: that of the table.
SUITES = {
    "PolyBench": Suite("sgrauerg/polybenchGpu", "5584aaa7d0be810ff5eb0b61c49fb64ecc81ba4c"),
    "Rodinia": Suite("yuhc/gpu-rodinia", "9c10d3ea16ddba2ba057cc3951a9efc4c2cc18a4"),
    "SHOC": Suite("vetter/shoc", "0aea03beba2f09fcb5935cc11737372fe4de9ec0", options=SHOC),
    "Parboil": Suite("abduld/Parboil", "a4c63da28f45699e9a274cbc49af3e067162aa2b"),
    "samples": Suite("NVIDIA/cuda-samples", "c94ff366aed18c797b8a85dfaac7817b0228b420"),
    "HeCBench": Suite("zjin-lcf/HeCBench", "f27000a5188f8ac79bd43fc95a1b3f890c18823d", every_eighth),
}

# What device code needs beyond the chips and the library, found by reading it: path of the file, kernel (regular expressions), reason.
LAUNCHES = "a kernel launches kernels, or calls the host's library"
GRID = "a barrier of the grid"
CUB = "Thrust or CUB in device code"
ASYNC = "asynchronous copies and barriers of `cuda::`"
BEYOND = [
    (r".*/cdp(AdvancedQuicksort|SimplePrint|SimpleQuicksort|Quadtree)/.*", r".*", LAUNCHES),
    (r".*/BezierLineCDP\.cu", r"computeBezierLinesCDP|freeVertexMem", LAUNCHES),
    (r".*/graphConditionalNodes\.cu", r"(if|switch)GraphKernelA|doWhileLoopKernel|capturedWhileKernel", "kernels that set a condition of a graph"),
    (r".*/(reductionMultiBlockCG|conjugateGradientMulti(Block|Device)CG)\.cu", r".*", GRID),
    (r".*/reduction_kernel\.cu", r".*multi_warp_cg_reduce.*", "tiles of more than 32 threads"),
    (r".*/\w*TensorCoreGemm\.cu", r".*", "tensor cores"),
    (r".*/globalToShmemAsyncCopy\.cu", r".*Async.*", ASYNC),
    (r".*/simpleD3D1[12]/sinewave_cuda\.cu", r".*", "types of Windows' `DirectXMath.h`"),
    (r".*/stereoDisparity\.cu", r".*", "`vabsdiff4` of PTX in inline assembly"),
    (r".*/cudaGraphPerfScaling\.cu", r"waitWithTimeout", "`%globaltimer` of PTX in inline assembly"),
    (r".*/piestimator\.cu", r".*", "Sobol's numbers of cuRAND"),
    (r".*/LargeKernelParameter\.cu", r".*", "more than 4,096 bytes of parameters"),
    (r"src/(accuracy|attentionMultiHead|multinomial|remap)-cuda/main\.cu", r".*", CUB),
    (r"src/softmax-online-cuda/main\.cu", r"softmax_forward_baseline_kernel", CUB),
    (r"src/topk-cuda/main\.cu", r"radix_topk_one_block_kernel", CUB),
    (r"benchmarks/fft/.*", r".*", "the program is wrong: device code calls functions of the host"),
]

# compiled; compiled for a chip with more memory, as the refusal said; refused; out of time; a file without kernels.
STATES = ["ok", "larger", "refused", "time", "none"]

# Folders with headers, below the file's folder and each above it.
BESIDE = ["", "include", "inc", "common", "common/include", "Common", "util"]

# Where the suites are unless --dir says so.
OUTSIDE = pathlib.Path(tempfile.gettempdir()) / "cuda-suites"

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^">]+)[">]', re.MULTILINE)
# A kernel in PTX; one that is left out with nothing of it there, and what clang says of it.
ENTRY = re.compile(r"^\s*(?:\.visible\s+|\.weak\s+)*\.entry\s+([\w$.]+)", re.MULTILINE)
GONE = re.compile(r'^\.pragma "warpsmith\.left_out", "([^\d"][^"]*)", "[^"]*", "\d*", "([^"]*)";', re.MULTILINE)
SOURCES = {".cu", ".cuh", ".h", ".hpp", ".c", ".cc", ".cpp", ".inl"}


def get(args):
    for name in args.suites:
        suite = SUITES[name]
        to = args.dir / suite.name
        if to.is_dir():
            continue
        for words in (
            ["init", "--quiet", str(to)],
            ["-C", str(to), "fetch", "--quiet", "--depth=1", f"https://github.com/{suite.repository}", suite.commit],
            ["-C", str(to), "checkout", "--quiet", "FETCH_HEAD"],
        ):
            print("$ git", *words, file=sys.stderr)
            subprocess.run(["git", *words], check=True)


def text(path):
    return path.read_text(encoding="utf-8", errors="replace")


def files(args, name):
    """The files of a suite: its `.cu` files that no other file includes."""
    root = args.dir / SUITES[name].name
    if not root.is_dir():
        sys.exit(f"{root}: not there; `suites.py get {name}` fetches it")
    found, included = set(), set()
    for folder in SUITES[name].folders(root):
        for path in folder.rglob("*"):
            if path.suffix not in SOURCES or not path.is_file():
                continue
            if path.suffix == ".cu":
                found.add(path)
            for other in INCLUDE.findall(text(path)):
                if other.endswith(".cu"):
                    above = [path.parent, *path.parents]
                    included.update(p for p in (pathlib.Path(os.path.normpath(f / other)) for f in above) if p.is_file())
    return sorted(found - included)


class Makefile:
    """What a Makefile or CMakeLists.txt gives its compiler: `-D`, `-I`, `-std=`. Conditional parts are left out."""

    def __init__(self, path):
        self.folder = path.parent
        self.variables = {}
        depth, lines = 0, []
        for line in re.sub(r"\\\n", " ", text(path)).splitlines():
            line = re.sub(r"(^|\s)#.*", "", line)
            if re.match(r"\s*(ifeq|ifneq|ifdef|ifndef)\b", line):
                depth += 1
            elif re.match(r"\s*endif\b(?!\s*\()", line) and depth:
                depth -= 1
            elif depth == 0:
                lines.append(line)
        for line in lines:
            if set_to := re.match(r"\s*(\w+)\s*[:?+]?=\s*(.*)", line):
                self.variables.setdefault(set_to[1], set_to[2])
        self.lines = lines

    def expanded(self, word, depth=4):
        def value(use):
            return self.variables.get(use[1] or use[2], use[0])

        new = re.sub(r"\$\((\w+)\)|\$\{(\w+)\}", value, word)
        return new if depth == 0 or new == word else self.expanded(new, depth - 1)

    def options(self):
        found = []
        for line in self.lines:
            try:
                words = shlex.split(line, posix=True)
            except ValueError:
                words = line.split()
            for i, word in enumerate(words):
                if word in ("-I", "-D") and i + 1 < len(words):
                    word += words[i + 1]
                word = self.expanded(word).strip("),;")
                if "$" in word or "@" in word or len(word.split()) != 1:
                    continue
                if re.fullmatch(r"-D[A-Za-z_]\w*(=.*)?|-std=(c|gnu)\+\+\w+", word):
                    found.append(word)
                elif word.startswith("-I"):
                    folder = (self.folder / word[2:]).resolve()
                    if folder.is_dir():
                        found.append(f"-I{folder}")
        return found


def options(path, root):
    """Options for a file: what the nearest Makefile has, and folders with headers."""
    above = [path.parent]
    while above[-1] != root:
        above.append(above[-1].parent)
    makefiles = [f / name for f in above for name in ("Makefile", "makefile", "Makefile.am", "CMakeLists.txt") if (f / name).is_file()]
    given = [o for m in makefiles[:1] for o in Makefile(m).options()]
    beside = [f"-I{folder / name}" for folder in above for name in BESIDE if (folder / name).is_dir()]
    return list(dict.fromkeys([*given, *beside]))


def uncommented(source):
    return re.sub(r"//[^\n]*|/\*.*?\*/", " ", source, flags=re.DOTALL)


def written(path, root, seen=None):
    """Names of the kernels that a file and the files that it includes define, in the source."""
    seen = set() if seen is None else seen
    path = pathlib.Path(os.path.normpath(path))
    if path in seen or not path.is_file():
        return []
    seen.add(path)
    source = uncommented(text(path))
    found = []
    for other in INCLUDE.findall(source):
        found += written(path.parent / other, root, seen)
    for at in re.finditer(r"\b__global__\b", source):
        depth = 0
        name = "?"
        for word in re.finditer(r"\w+|[();{]", source[at.end():]):
            if word[0] == "(":
                depth += 1
            elif word[0] == ")":
                depth -= 1
            elif word[0] == "{" and depth == 0:
                found.append(name)
                break
            elif word[0] == ";" and depth == 0:
                break
            elif depth == 0 and name != "__launch_bounds__" and not word[0].startswith("__"):
                name = word[0]
    return found


class Results:
    """`results.tsv` or `host.tsv`: suite, file or program, kernel (`-`: the file itself), state, seconds, message; the last line of a kernel holds."""

    def __init__(self, dir, name="results.tsv"):
        self.file = dir / name
        self.lock = threading.Lock()
        self.of = {}
        if self.file.is_file():
            for line in self.file.read_text().splitlines():
                suite, path, kernel, *rest = line.split("\t")
                self.put(suite, path, kernel, rest)

    def put(self, suite, path, kernel, rest):
        kernels = self.of.setdefault((suite, path), {})
        if kernel == "-":
            kernels.clear()
        kernels[kernel] = rest

    def add(self, suite, path, rows):
        with self.lock, self.file.open("a") as out:
            for kernel, state, seconds, message in rows:
                self.put(suite, path, kernel, [state, f"{seconds:.1f}", message])
                print(suite, path, kernel, state, f"{seconds:.1f}", message, sep="\t", file=out)
                print(f"{state:7} {seconds:6.1f} s  {path} {kernel} {message}", flush=True)


def called(args, words, log):
    """Runs `warpsmith cc`: state, seconds on the clock, first line of its error."""
    def limited():
        resource.setrlimit(resource.RLIMIT_CPU, (args.limit, args.limit + 1))

    start = time.monotonic()
    child = subprocess.Popen(
        [args.warpsmith, "cc", *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
        errors="replace", start_new_session=True, preexec_fn=limited, env={**os.environ, "WARPSMITH_CACHE": str(args.results / "cache")},
    )
    late = False
    try:
        _, said = child.communicate(timeout=args.wall)
    except subprocess.TimeoutExpired:
        late = True
        os.killpg(child.pid, signal.SIGKILL)
        _, said = child.communicate()
    seconds = time.monotonic() - start
    log.write(f"$ warpsmith cc {shlex.join(words)}\n{said}")
    if late or child.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return "time", seconds, ""
    if child.returncode == 0:
        return "ok", seconds, ""
    lines = [l for l in said.splitlines() if "error" in l] or said.splitlines() or [f"exit {child.returncode}"]
    return "refused", seconds, " ".join(lines[0].split())


def compiled(args, ptx, kernel, log):
    """Compiles a kernel of a PTX file; where the chip is too small, for the chip that the message names."""
    words = [str(ptx), "--kernel", kernel, "--config", args.config, "--emit", "hex"]
    result = called(args, words, log)
    sets = []
    while result[0] == "refused" and (more := [s for s in re.findall(r"--set (\w+=\w+)", result[2]) if s not in sets]) and len(sets) < 4:
        sets += more
        then = called(args, [*words, *(w for s in sets for w in ("--set", s))], log)
        if then[0] == "ok":
            return "larger", then[1], " ".join(f"--set {s}" for s in sets)
        result = then if then[0] == "refused" else result
    return result


def compile_file(args, results, name, path):
    root = args.dir / SUITES[name].name
    short = str(path.relative_to(root))
    place = args.results / "logs" / name / short
    place.parent.mkdir(parents=True, exist_ok=True)
    ptx = place.with_name(place.name + ".ptx")
    ptx.unlink(missing_ok=True)
    with place.with_name(place.name + ".log").open("w") as log:
        state, seconds, message = called(args, [str(path), "--emit", "ptx", "-o", str(ptx), *SUITES[name].options, *options(path, root)], log)
        made = ptx.read_text() if state == "ok" else ""
        kernels = ENTRY.findall(made)
        if not kernels and not written(path, root):
            results.add(name, short, [("-", "none", seconds, message)])
            return
        if state == "ok" and not kernels:
            state, message = "refused", "clang's PTX has no kernel"
        rows = [("-", state, seconds, message)]
        if state != "ok":
            rows += [(k, state, 0, "as the file") for k in dict.fromkeys(written(path, root))]
        for kernel in kernels:
            rows.append((kernel, *compiled(args, ptx, kernel, log)))
        rows += [(kernel, "refused", 0, message) for kernel, message in GONE.findall(made)]
        results.add(name, short, rows)


def compile_all(args):
    results = Results(args.results)
    left = []
    for name in args.suites:
        for path in files(args, name):
            rows = results.of.get((name, str(path.relative_to(args.dir / SUITES[name].name))))
            redo = rows is None or args.again or any(row[0] in args.redo for row in rows.values())
            if redo and re.search(args.only, str(path)):
                left.append((name, path))
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        list(pool.map(lambda f: compile_file(args, results, *f), left))


def beyond(path, kernel):
    """What a kernel needs that is beyond the chips and the library, or None."""
    return next((why for where, which, why in BEYOND if re.fullmatch(where, path) and re.search(which, kernel)), None)


# A kernel's result on the host and on the model: as columns of the table. A kernel that changes no memory is not counted as compared.
COMPARED = ["equal", "differs", "trap"]
NOT_COMPARED = ["unchanged", "skipped", "refused", "time"]


def host_program(args, results, name, program):
    """A program of a suite on the host, and its launches on the model."""
    root = args.dir / SUITES[name].name
    folder = args.results / "host" / name / re.sub(r"[^\w.+-]", "_", program.name)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    program.options += [*SUITES[name].options, *options(program.units[0], root)]
    start = time.monotonic()
    with (folder / "log").open("w") as log:
        rows = compare.program(args, program, root, folder, log)
    seconds = time.monotonic() - start
    results.add(name, program.name, [(kernel, state, seconds if kernel == "-" else 0, " ".join(message.split())) for kernel, state, message in rows])


def host(args):
    results = Results(args.results, "host.tsv")
    for name in args.suites:
        for program in programs.PROGRAMS[name](args.dir / SUITES[name].name):
            rows = results.of.get((name, program.name))
            redo = rows is None or args.again or any(row[0] in args.redo for row in rows.values())
            if redo and re.search(args.only, program.name) and program.units and all(u.is_file() for u in program.units):
                host_program(args, results, name, program)


def host_table(args):
    """The table of the comparison with the host, and each difference."""
    results = Results(args.results, "host.tsv").of
    rows = collections.defaultdict(collections.Counter)
    different = []
    for (suite, program), kernels in results.items():
        for row in (rows[suite], rows["all"]):
            row["programs"] += 1
            row["host compiler"] += kernels["-"][0] == "host compiler"
            row["no launch"] += kernels["-"][0].startswith("no launch")
            for kernel, (state, _, message) in kernels.items():
                row[state] += kernel != "-"
                row["cut"] += kernel != "-" and state in COMPARED and message.startswith("cut")
        different += [(suite, program, k, s, m) for k, (s, _, m) in kernels.items() if s in ("differs", "trap")]
    print("\n| suite | programs | not compiled for the host | no launch | kernels compared | of them with fewer blocks | equal | not equal | not compared |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    for name in [*SUITES, "all"]:
        if name in rows:
            row = rows[name]
            numbers = [row["programs"], row["host compiler"], row["no launch"], sum(row[k] for k in COMPARED), row["cut"], row["equal"], row["differs"] + row["trap"],
                       sum(row[k] for k in NOT_COMPARED)]
            print("|", " | ".join([name, *(f"{n:,}" for n in numbers)]), "|")
    print("\nNot equal:")
    for suite, program, kernel, state, message in different:
        print(f"- {suite}: {program} {kernel} ({state}): {message}")


def table(args):
    results = Results(args.results).of
    rows = collections.defaultdict(collections.Counter)
    reasons = collections.defaultdict(list)
    open_ = []
    for (suite, path), kernels in results.items():
        for row in (rows[suite], rows["all"]):
            row["files"] += 1
            row["without"] += kernels["-"][0] == "none"
            for kernel, (state, _, message) in kernels.items():
                if kernel == "-":
                    continue
                why = beyond(path, kernel) if state in ("refused", "time") else None
                row["beyond" if why else state] += 1
                if row is rows["all"]:
                    continue
                if why:
                    reasons[why].append(f"{path}: {kernel}")
                elif state in ("refused", "time"):
                    open_.append((path, kernel, state, kernels["-"][2] if message == "as the file" else message))
    print("| suite | files tried | of them without a kernel | kernels compiled | on a larger chip | refused | out of time | beyond |\n|---|--:|--:|--:|--:|--:|--:|--:|")
    for name in [*SUITES, "all"]:
        if name in rows:
            row = rows[name]
            print("|", " | ".join([name, *(f"{row[k]:,}" for k in ("files", "without", "ok", "larger", "refused", "time", "beyond"))]), "|")
    row = rows["all"]
    within = row["ok"] + row["larger"] + row["refused"] + row["time"]
    if within:
        print(f"\nOf {within:,} kernels that need nothing beyond, {row['ok'] / within:.1%} compile, with larger chips {(row['ok'] + row['larger']) / within:.1%}.")
    print("\n| beyond | kernels |\n|---|--:|")
    for why, kernels in sorted(reasons.items(), key=lambda r: -len(r[1])):
        print(f"| {why} | {len(kernels)} |")
    print("\nRefused or out of time:")
    for path, kernel, state, message in open_:
        print(f"- {path} {kernel} ({state}): {message}")
    host_table(args)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["get", "compile", "host", "table", "list"])
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=f"default: all of {', '.join(SUITES)}")
    parser.add_argument("--dir", type=pathlib.Path, default=OUTSIDE, help="the suites, each a folder of its repository's name")
    parser.add_argument("--results", type=pathlib.Path, help="folder of results, PTX and logs; default: DIR/results")
    parser.add_argument("--warpsmith", default="warpsmith", help="the command")
    parser.add_argument("--config", default="compute", help="the chip")
    parser.add_argument("--limit", type=int, default=60, help="seconds of CPU time of a process")
    parser.add_argument("--wall", type=float, default=300, help="seconds on the clock for a file's PTX and for each kernel, and for a launch")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="", help="regular expression on paths of files, or on names of programs")
    parser.add_argument("--redo", action="append", choices=[*STATES, *COMPARED, *NOT_COMPARED, "host compiler"], default=[],
                        help="take files or programs again that have a kernel with that state")
    parser.add_argument("--again", action="store_true", help="take files or programs again whatever their result")
    parser.add_argument("--cxx", default="g++", help="host: the compiler, with libraries for -m32")
    parser.add_argument("--threads", type=int, default=2048, help="host: of the grid of a launch, about")
    parser.add_argument("--bytes", type=int, default=96 << 20, help="host: of device memory")
    parser.add_argument("--host-limit", type=int, default=3, help="host: seconds of CPU time of a program on the host")
    args = parser.parse_intermixed_args()
    unknown = [s for s in args.suites if s not in SUITES]
    if unknown:
        parser.error(f"no suite {', '.join(unknown)}; there are {', '.join(SUITES)}")
    args.suites = args.suites or list(SUITES)
    args.dir = args.dir.resolve()
    args.results = (args.results or args.dir / "results").resolve()
    args.results.mkdir(parents=True, exist_ok=True)
    if args.what in ("compile", "host"):
        found = shutil.which(args.warpsmith) or parser.error(f"--warpsmith: there is no command {args.warpsmith}")
        args.warpsmith = os.path.abspath(found)
    if args.what == "list":
        for name in args.suites:
            for path in files(args, name):
                print(name, path.relative_to(args.dir / SUITES[name].name))
    else:
        {"get": get, "compile": compile_all, "host": host, "table": table}[args.what](args)


if __name__ == "__main__":
    main()
