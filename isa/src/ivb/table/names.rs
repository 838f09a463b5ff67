//! Names and values of the encodings.

/// Types of a register operand.
pub const TYPES: [&str; 8] = ["UD", "D", "UW", "W", "UB", "B", "DF", "F"];
/// Types of an immediate.
pub const IMMEDIATES: [&str; 8] = ["UD", "D", "UW", "W", "UV", "VF", "V", "F"];
/// Types of three sources.
pub const THREE: [&str; 4] = ["F", "D", "UD", "DF"];

/// Bytes of a type.
pub fn size(name: &str) -> u32 {
    match name {
        "UB" | "B" => 1,
        "UW" | "W" => 2,
        "DF" => 8,
        _ => 4,
    }
}

/// Bytes that strides and widths of a region of a type count: a double is a pair of packed floats.
pub fn unit(name: &str) -> u32 {
    size(name).min(4)
}

/// Horizontal strides in elements.
pub const HORIZONTAL: [u32; 4] = [0, 1, 2, 4];
/// Vertical strides in elements; [`EACH`] is `VxH`.
pub const VERTICAL: [u32; 7] = [0, 1, 2, 4, 8, 16, 32];
/// Vertical stride of an indirect operand whose rows have an address each.
pub const EACH: u64 = 15;
/// Largest code of a width, 1 << code elements.
pub const WIDEST: u64 = 4;
/// Largest code of an execution size, 1 << code channels.
pub const LONGEST: u64 = 5;

/// Condition modifiers; "" is none, a value beyond or `?` is reserved.
pub const CONDITIONS: [&str; 10] = ["", "z", "nz", "g", "ge", "l", "le", "?", "o", "u"];
/// Functions of `math`.
pub const FUNCTIONS: [&str; 14] =
    ["?", "inv", "log", "exp", "sqrt", "rsq", "sin", "cos", "?", "fdiv", "pow", "intdivmod", "intdiv", "intmod"];
/// Shared functions that a message goes to.
pub const TARGETS: [&str; 12] = [
    "null", "?", "sampler", "gateway", "sampler cache", "render", "urb", "thread spawner", "vme", "const", "data", "pi",
];
/// How the flags of the channels make the predicate, align1; 0 is no predicate, "" each its own.
pub const PREDICATES: [&str; 14] = [
    "", "", "anyv", "allv", "any2h", "all2h", "any4h", "all4h", "any8h", "all8h", "any16h", "all16h", "any32h",
    "all32h",
];
/// The same, align16.
pub const PREDICATES16: [&str; 8] = ["", "", "x", "y", "z", "w", "any4h", "all4h"];
/// Thread control; "" is none, 3 is reserved.
pub const THREADS: [&str; 3] = ["", "atomic", "switch"];

/// Architecture registers: number of the first, how many, name without number, whether a number follows.
pub const ARCHITECTURE: [(u8, u8, &str, bool); 10] = [
    (0x00, 1, "null", false),
    (0x10, 1, "a", true),
    (0x20, 2, "acc", true),
    (0x30, 2, "f", true),
    (0x70, 1, "sr", true),
    (0x80, 1, "cr", true),
    (0x90, 3, "n", true),
    (0xa0, 1, "ip", false),
    (0xb0, 1, "tdr", true),
    (0xc0, 1, "tm", true),
];
/// Number of `null`.
pub const NULL: u64 = 0x00;
/// Number of `ip`.
pub const IP: u64 = 0xa0;

/// The name of a value, `None` where it is reserved.
pub fn name(names: &[&'static str], value: u64) -> Option<&'static str> {
    let name = names.get(value as usize).copied();
    name.filter(|n| *n != "?")
}

/// The value of a name that is not empty.
pub fn value(names: &[&str], name: &str) -> Option<u64> {
    let known = !name.is_empty() && name != "?";
    let at = names.iter().position(|n| *n == name && known);
    at.map(|v| v as u64)
}
