"""CUDA C as C++ for the header fibre.h: the few constructs that are not C++, and the places that the header has to know."""
import os
import pathlib
import re

# Longest first; a string or a comment is one token.
TOKENS = re.compile(r'//(?:\\\n|[^\n])*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^">]+)[">]', re.MULTILINE)

# Attributes of a kernel that have arguments.
ATTRIBUTES = {"__launch_bounds__", "__attribute__", "__cluster_dims__", "__block_size__", "__maxnreg__"}

# Names that stand for the header, or for nothing.
EMPTY = """cuda.h cuda_runtime.h cuda_runtime_api.h cuda_fp16.h cuda_profiler_api.h cutil.h cutil_inline.h cooperative_groups.h cooperative_groups/reduce.h
cooperative_groups/scan.h device_launch_parameters.h device_functions.h driver_types.h driver_functions.h helper_cuda.h host_defines.h
math_constants.h math_functions.h sm_20_atomic_functions.h sm_30_intrinsics.h sm_60_atomic_functions.h vector_types.h vector_functions.h
builtin_types.h channel_descriptor.h GL/glew.h cuda_gl_interop.h crt/host_defines.h""".split()


def uncommented(source):
    """The source without comments; lines keep their numbers."""
    def kept(token):
        return token[0] if token[0][0] in "\"'" else re.sub(r"[^\n]", " ", token[0])

    return TOKENS.sub(kept, source)


def closing(source, at, opening="(", end=")"):
    """The place of the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(source)):
        depth += (source[i] == opening) - (source[i] == end)
        if depth == 0:
            return i
    raise ValueError("a bracket is not closed")


def parts(list_):
    """The parts between the commas of a list, with regard to brackets."""
    found, depth, start = [], 0, 0
    for i, letter in enumerate(list_):
        depth += (letter in "([{<") - (letter in ")]}>")
        if letter == "," and depth == 0:
            found.append(list_[start:i])
            start = i + 1
    found.append(list_[start:])
    return [f for f in found if f.strip()]


def parameter(declaration):
    """The name of a parameter, as an argument."""
    declaration = declaration.split("=")[0]
    if pointer := re.search(r"\(\s*[*&]\s*(?:const\s*)?(\w+)\s*\)", declaration):
        return pointer[1]
    declaration = re.sub(r"(\[[^\]]*\]\s*)+$", "", declaration.strip())
    name = re.search(r"(\w+)$", declaration)
    return name and name[1] + ("..." if "..." in declaration else "")


def with_entries(source):
    """Every kernel begins with a call of `fibre::entered` with the file that is compiled and the kernel's parameters."""
    out, last = [], 0
    for at in re.finditer(r"\b__global__\b", source):
        place = at.end()
        while word := re.compile(r"\s*([\w:~*&]+|<)").match(source, place):
            if word[1] == "<":
                place = closing(source, word.end() - 1, "<", ">") + 1
                continue
            place = word.end()
            bracket = re.compile(r"\s*\(").match(source, place)
            if bracket and word[1] in ATTRIBUTES:
                place = closing(source, bracket.end() - 1) + 1
            elif bracket:
                end = closing(source, bracket.end() - 1)
                body = re.compile(r"\s*\{").match(source, end + 1)
                names = [parameter(p) for p in parts(source[bracket.end():end]) if p.strip() != "void"]
                if body and all(names):
                    out += [source[last:body.end()], f" fibre::entered({', '.join(['FIBRE_UNIT', *names])});"]
                    last = body.end()
                break
    return "".join(out) + source[last:]


def with_symbols(source):
    """Variables of device memory are announced behind their definition."""
    def announced(found):
        before, space, declaration = found[1], found[2], found[3]
        if "(" in declaration.split("=")[0].split("[")[0] or re.search(r"\b(extern|typedef|__shared__|struct|class|operator)\b", found[0].split("=")[0]):
            return found[0]
        name = re.match(r"[\w\s:*&<>,]*?(\w+)\s*((?:\[[^\]]*\]\s*)*)(=|\{|$)", declaration.strip(), re.DOTALL)
        if not name or "," in declaration.split("=")[0].split("<")[0]:
            return found[0]
        static = "" if space == "__constant__" or "static" in before + declaration else "static "
        text = found[0] if space == "__constant__" else found[0].replace("__device__", static, 1)
        return f'{text} static fibre::Announce<decltype({name[1]})> fibre_announced_{name[1]}("{name[1]}", {name[1]});'

    return re.sub(r"((?:\b(?:static|const|volatile|extern)\s+)*)\b(__constant__|__device__)\b((?:[^;{}()=]|__align__\(\d+\))*(?:=\s*[^;{}]*(?:\{(?:[^{};]|\{(?:[^{};]|\{[^{};]*\})*\})*\})?\s*)?);", announced, source)


def with_dynamic_shared(source):
    """`extern __shared__` arrays are pointers to the header's."""
    def pointer(found):
        type_ = re.sub(r"\b(extern|__shared__)\b|__align__\s*\([^)]*\)|__attribute__\s*\(\(.*?\)\)", " ", found[1]).strip()
        if found[3].strip():
            return f"static {type_} (*{found[2]}){found[3]} = ({type_} (*){found[3]})fibre::dynamic_shared;"
        return f"static {type_} *{found[2]} = ({type_} *)fibre::dynamic_shared;"

    return re.sub(r"\b((?:extern|__shared__)\b[^;{}=]*?)(\w+)\s*\[\s*\]((?:\s*\[[^\]]*\])*)\s*;",
                  lambda f: pointer(f) if "extern" in f[1] and "__shared__" in f[1] else f[0], source)


def with_launches(source):
    """`kernel<<<shape>>>(arguments)` becomes a call of `fibre::launch`."""
    source = re.sub(r"<\s*<\s*<", "<<<", source)
    source = re.sub(r">\s*>\s*>(?=\s*(\\\n\s*)?\()", ">>>", source)
    # Kernels as arguments of the runtime keep their type.
    source = re.sub(r"(\bcudaLaunchKernel\s*\(\s*)(?:\(\s*(?:const\s+)?void\s*\*\s*\)|reinterpret_cast<\s*(?:const\s+)?void\s*\*\s*>)\s*", r"\1", source)
    out, last = [], 0
    while (at := source.find("<<<", last)) >= 0:
        begin = len(source[:at].rstrip())
        if source[begin - 1] == ">":
            depth = 0
            while True:
                begin -= 1
                depth += (source[begin] == ">") - (source[begin] == "<")
                if depth == 0:
                    break
            begin = len(source[:begin].rstrip())
        if source[begin - 1] == ")":
            begin = len(source[:begin]) - closing(source[:begin][::-1], 0, ")", "(") - 1
        while source[begin - 1].isalnum() or source[begin - 1] in "_:.":
            begin -= 1
        name = " ".join(source[begin:at].split())
        end = source.index(">>>", at)
        bracket = source.index("(", end)
        close = closing(source, bracket)
        arguments = source[bracket + 1:close].strip()
        call = f"[&](auto... fibre_arguments) {{ {name}(fibre_arguments...); }}"
        out += [source[last:begin], f"fibre::launch(fibre::Shape({source[at + 3:end]}), {call}{', ' if arguments else ''}{arguments})"]
        last = close + 1
    return "".join(out) + source[last:]


def rewritten(source):
    """The source in C++. Strings and letters are set aside meanwhile."""
    aside = []

    def put_aside(token):
        aside.append(token[0])
        return f'"\0{len(aside) - 1}\0"'

    source = TOKENS.sub(put_aside, uncommented(source))
    source = with_launches(with_dynamic_shared(with_symbols(with_entries(source))))
    return re.sub('"\0(\\d+)\0"', lambda place: aside[int(place[1])], source)


def tree(source, root, to, beside, seen):
    """Rewrites a file and those that it includes, from its folder or the folders `beside`, into the same places below `to`; all lie below `root`."""
    if source in seen:
        return
    seen.add(source)
    target = to / source.relative_to(root)
    target.parent.mkdir(parents=True, exist_ok=True)
    text = source.read_text(encoding="utf-8", errors="replace")
    try:
        target.write_text(rewritten(text))
    except (ValueError, IndexError):
        target.write_text(text)
    for name in INCLUDE.findall(uncommented(text)):
        for folder in [source.parent, *beside] if name not in EMPTY else []:
            other = pathlib.Path(os.path.normpath(folder / name))
            if other.is_file() and other.is_relative_to(root):
                tree(other, root, to, beside, seen)
                break


def names(folder, header):
    """Writes the include names that stand for the header."""
    for name in EMPTY:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'#ifdef __cplusplus\n#include "{header}"\n#endif\n')
