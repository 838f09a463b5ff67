//! Instructions that SM 1.0 lacks, with the advice for each.

/// Memory of a thread whose size a run decides.
const RUN_TIME_LENGTH: &str =
    "arrays whose length is known only at run time are not possible: give the array a constant length";

/// Why an instruction is refused; `None` where it is not on the list.
pub(super) fn reason(parts: &[&str]) -> Option<&'static str> {
    let name = parts.first().copied().unwrap_or("");
    Some(match name {
        "multimem" => "memory of several chips does not exist: use a buffer of this one",
        "shfl" | "redux" | "match" | "activemask" | "elect" | "vote" => {
            "no exchange between the threads of a warp that the compiler knows: shfl and match of 32 bits, vote, redux of integers, activemask and elect are"
        }
        "tex" | "tld4" | "txq" | "suld" | "sust" | "sured" | "suq" | "istypep" => {
            "texture instructions of PTX do not exist on this chip: compile from CUDA C, whose textures are read by software"
        }
        "wmma" | "mma" | "ldmatrix" | "stmatrix" | "movmatrix" | "wgmma" | "tcgen05" => {
            "matrix instructions do not exist on SM 1.0: write the loops out"
        }
        "cp" | "mbarrier" | "tensormap" | "clusterlaunchcontrol" | "griddepcontrol" | "mapa" | "getctarank" => {
            "asynchronous copies and clusters do not exist on SM 1.0: load and store, then __syncthreads()"
        }
        "alloca" | "stacksave" | "stackrestore" => RUN_TIME_LENGTH,
        "nanosleep" | "pmevent" | "brkpt" | "setmaxnreg" => "does not exist on SM 1.0: leave it away",
        "tanh" => "not an instruction of SM 1.0: use 1 - 2 / (exp(2x) + 1)",
        "vadd" | "vsub" | "vabsdiff" | "vmin" | "vmax" | "vshl" | "vshr" | "vmad" | "vset" | "vadd2" | "vsub2"
        | "vavrg2" | "vabsdiff2" | "vmin2" | "vmax2" | "vset2" | "vadd4" | "vsub4" | "vavrg4" | "vabsdiff4"
        | "vmin4" | "vmax4" | "vset4" => "video instructions do not exist on SM 1.0: write the arithmetic out",
        "dp4a" | "dp2a" => "dot products of bytes do not exist on SM 1.0: multiply and add",
        _ => return None,
    })
}

/// Why a function that is declared but has no body is refused; `None` where nothing is known of it.
///
/// The headers declare what SM 1.0 has no instructions for, so that the other kernels of a file
/// compile: `symbol` is the name in PTX.
pub(super) fn function(symbol: &str) -> Option<&'static str> {
    let name = symbol_name(symbol);
    let name = name.as_str();
    let one_of = |list: &[&str]| list.contains(&name);
    let begins = |list: &[&str]| list.iter().any(|p| name.starts_with(p));
    Some(if begins(&["atomic", "atom_"]) {
        "atomic accesses are those of integers of 32 bits, in CUDA C of 64 bits too, and sums of floats and doubles, in global and shared memory: let every thread or block write a result of its own and add them up behind a barrier or in a second kernel"
    } else if begins(&["read_image", "write_image", "get_image"]) {
        "a function of images that OpenCL C 1.2 does not have: it is of a later version, or of an extension that the device does not report"
    } else if name == "large_tile" {
        "a tile of more than 32 threads exchanges no values and has no barrier of its own: use tiles of a warp and a __shared__ array, or the block"
    } else if name == "grid_sync" {
        "blocks of a grid cannot wait for each other on SM 1.0: end the kernel there and launch a second one"
    } else if name == "alloca" {
        RUN_TIME_LENGTH
    } else if begins(&["operator new", "operator delete"]) || one_of(&["malloc", "free"]) {
        "the heap of a kernel is in the headers of CUDA C: compile the source, or pass a buffer"
    } else if one_of(&["vprintf", "printf"]) {
        "printf prints by the headers of CUDA C and OpenCL C; PTX that calls it says nothing of its arguments: compile the source"
    } else if begins(&["cudaLaunchDevice", "cudaGetParameterBuffer"]) {
        "a kernel cannot launch another one on SM 1.0: let the launch do it"
    } else {
        return None;
    })
}

/// The name of a function without what C++ adds to it.
pub(super) fn symbol_name(symbol: &str) -> String {
    let full = crate::clang::names::readable(symbol);
    // A template's name begins with its result type only where arguments are printed.
    let end = full.find('<').unwrap_or(full.len());
    let name = full[..end].trim();
    let name = name.strip_prefix("cooperative_groups::").unwrap_or(name);
    name.strip_prefix("__ws_").unwrap_or(name).to_string()
}

/// Arithmetic that some type has.
pub(super) fn is_arithmetic(name: &str) -> bool {
    const NAMES: [&str; 34] = [
        "abs", "add", "addc", "and", "cnot", "copysign", "cos", "div", "ex2", "fma", "lg2", "mad", "mad24", "madc",
        "max", "min", "mul", "mul24", "neg", "not", "or", "rcp", "rem", "rsqrt", "sad", "shl", "shr", "sin", "sqrt",
        "sub", "subc", "xor", "set", "setp",
    ];
    NAMES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::{function, symbol_name};

    #[test]
    fn functions_without_a_body_are_known_by_their_names() {
        assert_eq!(symbol_name("_Z9atomicAddIiiET_PS0_T0_"), "atomicAdd");
        for (symbol, says) in [
            ("_Z9atomicAddPss", "integers of 32 bits"),
            ("_Z8atom_addPU3AS3Vll", "integers of 32 bits"),
            ("malloc", "heap"),
            ("_Znaj", "heap"),
            ("_ZdaPv", "heap"),
            ("vprintf", "printf"),
            ("_Z11__ws_allocam", "constant length"),
        ] {
            assert!(function(symbol).is_some_and(|m| m.contains(says)), "{symbol}");
        }
        assert_eq!(function("_Z4stepf"), None);
    }
}
