"""What the studies in Python share: the program, the kernels, and tables of a page."""

import functools
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNELS = ["vector_add", "saxpy", "reduction", "transpose", "matmul_tiled", "black_scholes"]


@functools.cache
def program() -> str:
    """Path of the program: WARPSMITH, or built."""
    if "WARPSMITH" in os.environ:
        return os.environ["WARPSMITH"]
    subprocess.run([os.environ.get("CARGO", "cargo"), "build", "--release", "--quiet", "--bin", "warpsmith"], cwd=ROOT, check=True)
    return str(pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/warpsmith")


def folder(name: str) -> pathlib.Path:
    """Folder of the results: STUDY, or target/NAME; made."""
    out = pathlib.Path(os.environ.get("STUDY", ROOT / "target" / name))
    out.mkdir(parents=True, exist_ok=True)
    return out


def percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f}" if whole else "–"


def publish(page: pathlib.Path, tables: dict[str, str]) -> None:
    """Prints tables by name; with --renew also writes each between `<!-- table: NAME -->` and `<!-- end of table -->` of a page."""
    print("\n\n".join(tables.values()))
    if "--renew" not in sys.argv[1:]:
        return
    text = page.read_text()
    for name, table in tables.items():
        begin, end = f"<!-- table: {name} -->\n", "<!-- end of table -->"
        before, rest = text.split(begin)
        text = before + begin + table + "\n" + end + rest.split(end, 1)[1]
    page.write_text(text)
