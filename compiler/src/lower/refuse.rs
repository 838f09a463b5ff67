//! What SM 1.0 cannot do, by instruction, and what to do instead.

/// Why an instruction is refused; `None` where it is not on the list.
pub(super) fn reason(parts: &[&str]) -> Option<&'static str> {
    let name = parts.first().copied().unwrap_or("");
    Some(match name {
        "atom" | "red" | "multimem" => {
            "atomic operations do not exist on SM 1.0: give each thread or block its own place and sum up in a second kernel"
        }
        "shfl" | "redux" | "match" | "activemask" | "elect" => {
            "threads of a warp cannot exchange registers on SM 1.0: use shared memory and __syncthreads()"
        }
        "vote" => {
            "votes of a warp do not exist on SM 1.0: use shared memory and __syncthreads()"
        }
        "tex" | "tld4" | "txq" | "suld" | "sust" | "sured" | "suq" | "istypep" => {
            "textures and surfaces do not exist on this chip: read the buffer through a pointer"
        }
        "wmma" | "mma" | "ldmatrix" | "stmatrix" | "movmatrix" | "wgmma" | "tcgen05" => {
            "matrix instructions do not exist on SM 1.0: write the loops out"
        }
        "cp" | "mbarrier" | "tensormap" | "clusterlaunchcontrol" | "griddepcontrol" | "mapa"
        | "getctarank" => {
            "asynchronous copies and clusters do not exist on SM 1.0: load and store, then __syncthreads()"
        }
        "alloca" | "stacksave" | "stackrestore" => {
            "arrays whose length is known only at run time are not possible: give the array a constant length"
        }
        "nanosleep" | "pmevent" | "brkpt" | "setmaxnreg" => {
            "does not exist on SM 1.0: leave it away"
        }
        "tanh" => "not an instruction of SM 1.0: use 1 - 2 / (exp(2x) + 1)",
        "vadd" | "vsub" | "vabsdiff" | "vmin" | "vmax" | "vshl" | "vshr" | "vmad" | "vset"
        | "vadd2" | "vsub2" | "vavrg2" | "vabsdiff2" | "vmin2" | "vmax2" | "vset2" | "vadd4"
        | "vsub4" | "vavrg4" | "vabsdiff4" | "vmin4" | "vmax4" | "vset4" => {
            "video instructions do not exist on SM 1.0: write the arithmetic out"
        }
        "dp4a" | "dp2a" => "dot products of bytes do not exist on SM 1.0: multiply and add",
        "call" => "a call that could not be inlined",
        _ => return None,
    })
}

/// The message for double precision.
pub(super) fn double(op: &str) -> String {
    format!(
        "`{op}`: double precision does not exist on SM 1.0: use float, write constants as 1.5f (-Xclang -cl-single-precision-constant makes them so)"
    )
}

/// Arithmetic that some type has.
pub(super) fn is_arithmetic(name: &str) -> bool {
    const NAMES: [&str; 34] = [
        "abs", "add", "addc", "and", "cnot", "copysign", "cos", "div", "ex2", "fma", "lg2", "mad",
        "mad24", "madc", "max", "min", "mul", "mul24", "neg", "not", "or", "rcp", "rem", "rsqrt",
        "sad", "shl", "shr", "sin", "sqrt", "sub", "subc", "xor", "set", "setp",
    ];
    NAMES.contains(&name)
}
