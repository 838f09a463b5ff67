"""Programs of the suites that run on the host: files, options and small arguments."""
import re

SOURCES = (".cu", ".cpp", ".cc", ".c")

# Programs of Rodinia that bring their data or make it: folder, files, arguments.
RODINIA = [
    ("backprop", "backprop_cuda.cu facetrain.c imagenet.c backprop.c", "256"),
    ("gaussian", "gaussian.cu", "-s 32 -q"),
    ("hybridsort", "main.cu bucketsort.cu mergesort.cu", "r"),
    ("lavaMD", "main.c kernel/kernel_gpu_cuda_wrapper.cu util/timer/timer.c util/num/num.c util/device/device.cu", "-boxes1d 2"),
    ("lud", "cuda/lud.cu cuda/lud_kernel.cu common/common.c", "-s 64"),
    ("myocyte", "main.cu", "3 1 0"),
    ("nn", "nn_cuda.cu", "filelist_4 -r 5 -lat 30 -lng 90"),
    ("nw", "needle.cu", "64 10"),
    ("particlefilter", "ex_particle_CUDA_naive_seq.cu", "-x 32 -y 32 -z 4 -np 200"),
    ("particlefilter", "ex_particle_CUDA_float_seq.cu", "-x 32 -y 32 -z 4 -np 200"),
    ("pathfinder", "pathfinder.cu", "600 40 10"),
    ("srad/srad_v1", "main.cu", "1 0.5 64 64"),
    ("srad/srad_v2", "srad.cu", "64 64 0 31 0 31 0.5 2"),
    ("streamcluster", "streamcluster_cuda_cpu.cpp streamcluster_cuda.cu", "3 5 16 256 256 50 none /dev/null 1"),
    ("dwt2d", "main.cu components.cu dwt.cu dwt_cuda/common.cu dwt_cuda/fdwt53.cu dwt_cuda/fdwt97.cu dwt_cuda/rdwt53.cu dwt_cuda/rdwt97.cu",
     "image.bmp -d 64x64 -f -5 -l 3"),
    ("bfs", "bfs.cu", ""),
    ("b+tree", "main.c kernel/kernel_gpu_cuda_wrapper.cu kernel/kernel_gpu_cuda_wrapper_2.cu util/timer/timer.c util/num/num.c util/cuda/cuda.cu", ""),
    ("cfd", "euler3d.cu", ""),
    ("heartwall", "main.cu", ""),
    ("hotspot", "hotspot.cu", ""),
    ("hotspot3D", "3D.cu", ""),
    ("huffman", "main_test_cu.cu", ""),
    ("kmeans", "kmeans.c", ""),
    ("leukocyte", "CUDA/detect_main.c", ""),
    ("mummergpu", "src/mummergpu.cu", ""),
]

class Program:
    """Files that are compiled together, macros that hold behind all headers, and how the program is called."""

    def __init__(self, name, folder, units, arguments=(), options=(), macros=None):
        self.name, self.folder = name, folder
        self.units, self.arguments, self.options = list(units), list(arguments), list(options)
        self.macros = macros or {}


def without_included(folder, suffixes=SOURCES):
    """The source files of a folder that no other one includes."""
    found = sorted(p for p in folder.iterdir() if p.suffix in suffixes and p.is_file())
    texts = [p.read_text(errors="replace") for p in [*found, *folder.glob("*.h"), *folder.glob("*.cuh"), *folder.glob("*.hpp")]]
    included = {name.rsplit("/", 1)[-1] for t in texts for name in re.findall(r'#\s*include\s*"([^"]+)"', t)}
    return [p for p in found if p.name not in included]


def small(words):
    """Arguments with small numbers; repetitions come last."""
    numbers = [i for i, w in enumerate(words) if w.isdigit()]
    most = {i: 128 for i in numbers}
    if numbers:
        most[numbers[-1]] = 2 if len(numbers) > 1 else 16
    return [str(min(int(w), most[i])) if i in most else w for i, w in enumerate(words)]


def polybench(root):
    """Sizes are what the headers define unless `N` is given; a block of 256 threads needs 256. Arrays of three dimensions have 64 in each."""
    for unit in sorted((root / "CUDA").glob("*/*.cu")):
        folder = unit.parent
        texts = "".join(p.read_text(errors="replace") for p in folder.glob("*.cuh"))
        most = 64 if folder.name in ("3DCONV", "DOITGEN") else 256
        sizes = {n: min(int(v), 2 if n in ("TSTEPS", "TMAX") else most) for n, v in re.findall(r"#\s*define\s+(\w+)\s+(\d+)\b", texts) if "DIM_THREAD" not in n}
        yield Program(folder.name, folder, [unit], options=["-DPOLYBENCH_STACK_ARRAYS_NO"], macros={"N": 256, **sizes})


def rodinia(root):
    for folder, units, arguments in RODINIA:
        place = root / "cuda" / folder
        yield Program(f"{folder}/{units.split()[0]}", place, [place / u for u in units.split()], arguments.split())


def shoc(root):
    common = root / "src" / "common"
    shared = [root / "src/cuda/common/main.cpp", *(p for p in sorted(common.glob("*.cpp")) if p.stem not in ("CTimer", "Matrix2DFileSupport"))]
    for main in sorted((root / "src/cuda").rglob("*.cu")):
        folder = main.parent
        if "RunBenchmark" not in main.read_text(errors="replace") and not any("RunBenchmark" in p.read_text(errors="replace") for p in folder.glob("*.cpp")):
            continue
        if folder.name == "level0":
            units = [main]
        else:
            units = [p for p in without_included(folder) if not re.match(r"tp|TP|MPI", p.name)]
            if main != next(p for p in units if p.suffix == ".cu"):
                continue
        yield Program(str(main.relative_to(root / "src/cuda")), folder, [*units, *shared], ["-s", "1", "-n", "1", "--passes", "1"], [f"-I{common}", f"-I{common / 'Spmv'}"])


def parboil(root):
    for folder in sorted((root / "benchmarks").glob("*/src/cuda*")):
        units = without_included(folder)
        yield Program(str(folder.relative_to(root / "benchmarks")), folder, [*units, root / "common/src/parboil_cuda.c"], options=[f"-I{root / 'common/include'}"])


def samples(root):
    for folder in sorted({p.parent for p in (root / "Samples").rglob("*.cu")}):
        yield Program(str(folder.relative_to(root / "Samples")), folder, without_included(folder))


def hecbench(root):
    """Files and arguments from the Makefile; every eighth folder first."""
    folders = sorted(f for f in (root / "src").iterdir() if f.name.endswith("-cuda"))
    for folder in (f for first in range(8) for f in folders[first::8] if (f / "Makefile").is_file()):
        makefile = (folder / "Makefile").read_text(errors="replace").replace("\\\n", " ")
        source = re.search(r"^source\s*=\s*(.*)$", makefile, re.MULTILINE)
        units = [folder / w for w in (source[1].split() if source else []) if "$" not in w]
        run = re.search(r"^\t(?:\$\(LAUNCHER\)\s+)?\./\$\(program\)(.*)$", makefile, re.MULTILINE)
        yield Program(folder.name, folder, units or without_included(folder), small(run[1].split() if run else []))


PROGRAMS = {"PolyBench": polybench, "Rodinia": rodinia, "SHOC": shoc, "Parboil": parboil, "samples": samples, "HeCBench": hecbench}
