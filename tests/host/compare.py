"""A program on the host with fibre.h, its launches as launch files, and the model's results beside the host's."""
import array
import bisect
import json
import math
import os
import pathlib
import re
import resource
import shlex
import signal
import subprocess

from . import rewrite

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parents[1] / "compiler" / "include"

# Floats as the model has them: SSE, nothing fused. Structs as device code lays them out.
HOST = """-std=gnu++17 -O1 -w -fpermissive -fopenmp -m32 -msse2 -mfpmath=sse -malign-double -ffp-contract=off -fno-strict-aliasing -fno-ipa-cp
-fno-pie -pthread""".split()

# Options that a launch file passes on to clang.
PASSED = re.compile(r"-[DUI].*|-std=.*|-include.*")

# Of an SM of the chip `compute`: a block of many threads leaves fewer to each.
REGISTERS = 16384

# Floats are equal that differ by no more than this part of the host's, or of a hundredth of the buffer's root mean square.
TOLERANCE = 1e-3


def limited(seconds):
    """A function for a child process that ends it after that many seconds of CPU time."""
    def set_limits():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    return set_limits


def called(words, wall, log, cpu=None, **more):
    """Runs a command: exit code, or None where it was out of time, and what it said."""
    log.write(f"$ {shlex.join(str(w) for w in words)}\n")
    child = subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        start_new_session=True, preexec_fn=limited(cpu or int(wall)), **more,
    )
    try:
        said, _ = child.communicate(timeout=wall)
        code = child.returncode
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        said, _ = child.communicate()
        code = None
    log.write(said[-20000:])
    log.flush()
    return (None if code in (-signal.SIGXCPU, -signal.SIGKILL) else code), said


def errors(said):
    """The first line with an error."""
    lines = [l for l in said.splitlines() if "error" in l or "undefined reference" in l] or said.splitlines() or ["no message"]
    return " ".join(lines[0].split())


def header(args, log):
    """The header compiled beforehand, and the folder of include names; made once."""
    folder = args.results / "fibre"
    main = folder / "fibre.h"
    newest = max(f.stat().st_mtime for f in [HERE / "fibre.h", *(HERE / "fibre").iterdir()])
    compiled = folder / "fibre.h.gch"
    if not compiled.is_file() or compiled.stat().st_mtime < newest:
        rewrite.names(folder / "names", main)
        main.write_text(f'#pragma once\n#include "{HERE / "fibre.h"}"\n')
        code, said = called([args.cxx, *HOST, "-x", "c++-header", main, "-o", compiled], args.wall, log)
        if code != 0:
            raise SystemExit(f"{args.cxx} cannot compile fibre.h, which needs a compiler and libraries for -m32: {errors(said)}")
    return main, folder / "names"


def built(args, program, root, folder, log):
    """Compiles a program for the host: its path, or None, and the compiler's error."""
    main, names = header(args, log)
    to = folder / "source"
    macros = folder / "macros.h"
    macros.write_text("".join(f"#define {name} {value}\n" for name, value in program.macros.items()))
    beside = [pathlib.Path(o[2:]) for o in program.options if o.startswith("-I")]
    seen = set()
    for unit in program.units:
        rewrite.tree(unit, root, to, beside, seen)
    moved = [f"-I{to / b.relative_to(root)}" for b in beside if b.is_relative_to(root)]
    defines = [o for o in program.options if re.match("-[DU]", o)]
    after = [w for f in [*beside, INCLUDE] for w in ("-idirafter", f)]
    objects = []
    for n, unit in enumerate(program.units):
        out = folder / f"{n}.o"
        objects.append(out)
        source = to / unit.relative_to(root)
        if unit.suffix == ".c" and not re.search("<<<|_gpu_cuda", unit.read_text(errors="replace")):
            words = ["gcc", "-O1", "-w", "-m32", "-msse2", "-mfpmath=sse", "-malign-double", "-fno-pie", "-fopenmp", "-c", source]
        else:
            words = [args.cxx, *HOST, "-include", main, "-include", macros, f'-DFIBRE_UNIT="{unit}"', "-x", "c++", "-c", source]
        code, said = called([*words, *defines, f"-I{source.parent}", *moved, f"-I{names}", *after, "-o", out], args.wall, log)
        if code != 0:
            return None, errors(said)
    binary = folder / "program"
    code, said = called([args.cxx, *HOST, "-no-pie", "-Wl,--allow-multiple-definition", *objects, "-o", binary, "-lm"], args.wall, log)
    return (binary, "") if code == 0 else (None, errors(said))


class Record:
    """A launch that the header wrote down: `NNN.record`, and memory before and after it."""

    def __init__(self, path):
        self.path = path
        self.buffers, self.symbols, self.problem, self.ended = [], [], None, False
        for line in path.read_text().splitlines():
            key, _, value = line.partition(" ")
            words = value.split()
            if key == "unit":
                self.unit = value
            elif key == "address":
                self.address = int(value)
            elif key in ("asked", "grid", "block"):
                setattr(self, key, [int(w) for w in words])
            elif key == "shared":
                self.shared = int(value)
            elif key == "parameters":
                raw = bytes.fromhex(value)
                self.parameters = words_of(raw + b"\0" * (-len(raw) % 4))
            elif key == "buffer":
                self.buffers.append((int(words[0]), int(words[1]), words[2]))
            elif key == "symbol":
                self.symbols.append((words[0], int(words[1]), words[2]))
            elif key == "problem":
                self.problem = value
            elif key == "ended":
                self.ended = True

    def file(self, name, when):
        return self.path.with_suffix(f".{name}.{when}")

    def launch_file(self, kernel, options):
        """Writes the launch file: its path."""
        end = max([a + b for a, b, _ in self.buffers], default=0)
        text = f'program = {json.dumps(self.unit)}\nkernel = "{kernel}"\ngrid = {self.grid}\nblock = {self.block}\nfp = "strict"\n'
        text += f"params = {list(self.parameters)}\ndynamic_shared_bytes = {self.shared}\nglobal_bytes = {end + (64 << 10)}\n"
        text += f"max_registers = {min(128, REGISTERS // math.prod(self.block))}\n"
        text += f"options = {json.dumps([o for o in options if PASSED.fullmatch(o)])}\n"
        for address, size, _ in self.buffers:
            raw = self.file(address, "before").rename(self.file(address, "before.bin"))
            text += f'\n[[global]]\noffset = {address}\nname = "at_{address:x}"\nfile = "{raw.name}"\n'
        for name, size, kind in self.symbols:
            before, after = self.file(name, "before").read_bytes(), self.file(name, "after").read_bytes()
            if size % 4 or before == after and not any(before):
                continue
            for when in ("before", "after"):
                self.file(name, when).rename(self.file(name, f"{when}.bin"))
            text += f'\n[[symbol]]\nname = "{name}"\nfile = "{self.file(name, "before.bin").name}"\n'
            if before != after:
                text += f'expect = {{ file = "{self.file(name, "after.bin").name}"{", max_ulp = 8192" if kind == "f" else ""} }}\n'
        path = self.path.with_suffix(".toml")
        path.write_text(text)
        return path


def words_of(raw, letter="I"):
    """Little-endian numbers of a Python array's type."""
    found = array.array(letter)
    found.frombytes(raw[: len(raw) // found.itemsize * found.itemsize])
    return found


class Symbols:
    """Names of a program's functions by address."""

    def __init__(self, binary):
        said = subprocess.run(["nm", "-n", "--defined-only", binary], check=True, capture_output=True, text=True).stdout
        rows = [line.split() for line in said.splitlines()]
        rows = [(int(r[0], 16), r[2]) for r in rows if len(r) == 3 and r[1] in "tTwWuV"]
        self.addresses, self.names = [r[0] for r in rows], [r[1] for r in rows]

    def at(self, address):
        name = self.names[bisect.bisect_right(self.addresses, address) - 1]
        return re.sub(r"\.(part|cold|isra|constprop)\.\d+$", "", name)


def readable(name):
    """A kernel's name without its parameters."""
    said = subprocess.run(["c++filt", name], capture_output=True, text=True).stdout.strip() or name
    said = re.sub(r"^void ", "", said).replace("(anonymous namespace)", "{}")
    depth = 0
    for i, letter in enumerate(said):
        depth += (letter in "<") - (letter in ">")
        if letter == "(" and depth == 0:
            return said[:i]
    return said


def far(x, y, scale):
    """How far the model's number is from the host's, as a part of it."""
    if x == y or (x != x and y != y):
        return 0.0
    if not (math.isfinite(x) and math.isfinite(y)):
        return math.inf
    return abs(x - y) / max(abs(y), scale, 1e-30)


def mean_square(numbers):
    """The root mean square of the finite ones."""
    finite = [v for v in numbers if math.isfinite(v) and abs(v) < 1e30]
    return math.sqrt(sum(v * v for v in finite) / len(finite)) if finite else 1.0


def difference(got, want, kind):
    """What differs between two contents of a buffer, or None."""
    if got == want:
        return None
    if kind in "fd":
        x, y = words_of(got, kind), words_of(want, kind)
        scale = mean_square(y) / 100
        off = [(far(a, b, scale), i) for i, (a, b) in enumerate(zip(x, y)) if a != b]
        bad = [o for o in off if o[0] > TOLERANCE]
        if not bad:
            return None
        worst, i = max(bad)
        return f"{len(bad)} of {len(y)} numbers, the worst by {worst:.2g} at {i}: {x[i]:.9g}, host {y[i]:.9g}"
    x, y = words_of(got), words_of(want)
    bad = [i for i, (a, b) in enumerate(zip(x, y)) if a != b]
    if kind == "?":
        bad = [i for i in bad if not alike(got, want, i)]
    if not bad:
        return None
    i = bad[0]
    return f"{len(bad)} of {len(y)} words, the first at {i}: 0x{x[i]:08x}, host 0x{y[i]:08x}"


def alike(got, want, i):
    """Whether a word of unknown type is a float, or a part of a double, that is near enough."""
    for letter, bytes_ in (("f", 4), ("d", 8)):
        at = 4 * i // bytes_ * bytes_
        x, y = words_of(got[at:at + bytes_], letter), words_of(want[at:at + bytes_], letter)
        if len(x) and len(y) and 1e-30 < abs(y[0]) < 1e30 and far(x[0], y[0], 0) <= TOLERANCE:
            return True
    return False


def memory(path):
    """Global memory from a dump of hexadecimal words."""
    words = words_of(bytes.fromhex(path.read_text().replace("\n", "")))
    words.byteswap()
    return words.tobytes()


def compared(args, record, kernel, options, log):
    """Runs a record on the model: state and message."""
    if record.problem:
        return "skipped", record.problem
    if not record.ended:
        return "skipped", "the host did not end the launch"
    toml = record.launch_file(kernel, options)
    dump = record.path.with_suffix(".hex")
    dump.unlink(missing_ok=True)
    words, sets = [args.warpsmith, "run", toml, "--config", args.config, "--dump", dump], []
    environment = {**os.environ, "WARPSMITH_CACHE": str(args.results / "cache")}
    while True:
        code, said = called([*words, *(w for s in sets for w in ("--set", s)), "--threads", "1"], args.wall, log, cpu=args.limit, env=environment)
        more = [s for s in re.findall(r"--set (\w+=\w+)", said) if s not in sets] if code == 2 else []
        if not more or len(sets) > 4:
            break
        sets += more
    if code is None:
        return "time", ""
    if code == 2:
        return "refused", errors(said)
    if not dump.is_file():
        return "trap", next((l.strip() for l in said.splitlines() if "trap" in l), errors(said))
    model = memory(dump)
    dump.unlink()
    found, changed = [], False
    for address, size, kind in record.buffers:
        want = record.file(address, "after").read_bytes()
        changed = changed or want != record.file(address, "before.bin").read_bytes()
        if what := difference(model[address:address + size], want, kind):
            found.append(f"buffer at 0x{address:x}: {what}")
    changed = changed or "expect" in toml.read_text()
    trap = next((l.strip() for l in said.splitlines() if "trap" in l), None)
    if trap:
        return "trap", trap
    if code == 1:
        found.append(errors("\n".join(said.splitlines()[1:])))
    if found:
        _, said = called([*words, *(w for s in sets for w in ("--set", s)), "--check"], args.wall, log, cpu=args.limit, env=environment)
        kinds = dict.fromkeys(re.findall(r"^\s*check: ([\w ]+):", said, re.MULTILINE))
        dump.unlink(missing_ok=True)
        return "differs", "; ".join([*(f"--check: {k}" for k in kinds), *found])
    return ("equal" if changed else "unchanged"), ""


def program(args, program, root, folder, log):
    """Runs a program on the host and its launches on the model: rows of kernel, state and message; the row `-` is the program's."""
    folder.mkdir(parents=True, exist_ok=True)
    binary, message = built(args, program, root, folder, log)
    if not binary:
        return [("-", "host compiler", message)]
    records = folder / "records"
    records.mkdir()
    environment = {**os.environ, "FIBRE_RECORDS": str(records), "FIBRE_THREADS": str(args.threads), "FIBRE_BYTES": str(args.bytes), "OMP_NUM_THREADS": "1"}
    code, said = called([binary, *program.arguments], args.wall, log, cpu=args.host_limit, env=environment, cwd=program.folder)
    found = [Record(p) for p in sorted(records.glob("*.record"))]
    state = "time" if code is None else "ended" if code == 0 else f"exit code {code}"
    rows = [("-", state if found else f"no launch, {state}", " ".join(said.split())[-200:])]
    symbols = Symbols(binary)
    options = [*program.options, f"-include{folder / 'macros.h'}"] if program.macros else program.options
    for record in found:
        kernel = symbols.at(record.address)
        cut = "" if record.asked == [*record.grid, 1] else "cut; "
        try:
            result, message = compared(args, record, kernel, options, log)
        except OSError as e:
            result, message = "skipped", str(e)
        rows.append((readable(kernel), result, cut + message))
        if result in ("equal", "unchanged", "skipped", "refused"):
            for file in records.glob(f"{record.path.stem}.*"):
                file.unlink()
    return rows
