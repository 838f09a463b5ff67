//! What PTX does not say of OpenCL kernels: names and types of arguments, the size of groups that the
//! source demands. clang writes it as metadata of its intermediate language.

use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// An argument as the source declares it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Argument {
    /// Name.
    pub name: String,
    /// Type without qualifiers, pointers with `*`.
    pub ty: String,
    /// `const`, `restrict`, `volatile`, separated by blanks.
    pub qualifiers: String,
    /// `read_only`, `write_only` or `read_write` of an image, else `none`.
    pub access: String,
}

/// A kernel as the source declares it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// Name.
    pub name: String,
    /// Arguments in order.
    pub arguments: Vec<Argument>,
    /// `reqd_work_group_size`.
    pub required_block: Option<[u32; 3]>,
    /// `work_group_size_hint`.
    pub hinted_block: Option<[u32; 3]>,
    /// Type of `vec_type_hint`.
    pub hinted_type: Option<String>,
}

/// Option that makes clang write names and types of arguments.
pub(super) const ARGUMENTS: &str = "-cl-kernel-arg-info";

/// Options that make clang print its module before it optimises, beside its warnings.
pub(super) const SHOWN: [&str; 5] =
    [ARGUMENTS, "-mllvm", "-print-before=annotation2metadata", "-mllvm", "-print-module-scope"];

/// First line of a module that clang prints.
const HEADING: &str = "; *** IR Dump Before ";

/// What clang printed with the options [`SHOWN`]: the module, and the rest. `None` where there is no module.
///
/// A module ends with its numbered metadata, line after line.
pub(super) fn shown(printed: &str) -> Option<(&str, String)> {
    let start = match printed.starts_with(HEADING) {
        true => 0,
        false => printed.find(&format!("\n{HEADING}"))? + 1,
    };
    let module = &printed[start..];
    let metadata = module.find("\n!0 = ")? + 1;
    let lines = module[metadata..].split_inclusive('\n').take_while(|l| l.starts_with('!'));
    let end = metadata + lines.map(str::len).sum::<usize>();
    Some((&module[..end], format!("{}{}", &printed[..start], &module[end..])))
}

/// Front of the name that clang 22 gives to the body of a kernel.
const BODY: &str = "__clang_ocl_kern_imp_";

/// The kernels of a module in LLVM's text form.
pub fn signatures(text: &str) -> Vec<Signature> {
    let nodes: HashMap<&str, &str> = text
        .lines()
        .filter_map(|l| {
            let (name, value) = l.strip_prefix('!')?.split_once(" = ")?;
            let value = value.strip_prefix("distinct ").unwrap_or(value);
            Some((name, value.strip_prefix("!{")?.strip_suffix('}')?))
        })
        .collect();
    let kernel = |line: &str| {
        let (front, _) = line.strip_prefix("define ")?.split_once('(')?;
        let name = front.rsplit_once('@')?.1.trim_matches('"');
        let node = |kind: &str| {
            let at = line.find(&format!(" !{kind} !"))? + kind.len() + 4;
            let number = line[at..].split([' ', '{']).next()?;
            nodes.get(number).copied()
        };
        let names = strings(node("kernel_arg_name")?);
        let types = strings(node("kernel_arg_type")?);
        let qualifiers = strings(node("kernel_arg_type_qual")?);
        let access = strings(node("kernel_arg_access_qual").unwrap_or_default());
        let access = access.into_iter().chain(std::iter::repeat("none".to_string()));
        let arguments = names.into_iter().zip(types).zip(qualifiers).zip(access);
        let size = |kind| node(kind).and_then(numbers);
        (!name.starts_with(BODY)).then(|| Signature {
            name: name.into(),
            arguments: arguments
                .map(|(((name, ty), qualifiers), access)| Argument { name, ty, qualifiers, access })
                .collect(),
            required_block: size("reqd_work_group_size"),
            hinted_block: size("work_group_size_hint"),
            hinted_type: node("vec_type_hint").and_then(hinted),
        })
    };
    text.lines().filter_map(kernel).collect()
}

/// `!"a", !"b"`; names and types have no escapes.
fn strings(node: &str) -> Vec<String> {
    let odd = node.split('"').skip(1).step_by(2);
    odd.map(String::from).collect()
}

/// `i32 16, i32 2, i32 1`.
fn numbers(node: &str) -> Option<[u32; 3]> {
    let list: Vec<u32> = node.split(", ").filter_map(|n| n.strip_prefix("i32 ")?.parse().ok()).collect();
    list.try_into().ok()
}

/// `<4 x i32> undef, i32 0` is `uint4`: the number is 1 for types with sign.
fn hinted(node: &str) -> Option<String> {
    let (ty, sign) = node.rsplit_once(", i32 ")?;
    let ty = ty.rsplit_once(' ')?.0;
    let vector = ty.strip_prefix('<').and_then(|t| t.strip_suffix('>'));
    let (count, element) = vector.and_then(|v| v.split_once(" x ")).unwrap_or(("", ty));
    let element = match element {
        "i8" => "char",
        "i16" => "short",
        "i32" => "int",
        "i64" => "long",
        other => return Some(format!("{other}{count}")),
    };
    let unsigned = if sign == "0" { "u" } else { "" };
    Some(format!("{unsigned}{element}{count}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_among_warnings() {
        let module = "; *** IR Dump Before Annotation2MetadataPass on [module] ***\n\ndefine void @k() !a !0 {\n}\n\n!llvm.ident = !{!0}\n\n!0 = !{}\n!1 = !{!\"x\"}\n";
        for (before, after) in [("", ""), ("k.cl:1:2: warning: w\n !x\n", "1 warning generated.\n")] {
            let printed = format!("{before}{module}{after}");
            assert_eq!(shown(&printed), Some((module, format!("{before}{after}"))));
        }
        assert_eq!(shown("k.cl:1:2: warning: w\n"), None);
    }

    #[test]
    fn kernels_of_a_module() {
        let text = "\
define dso_local spir_kernel void @first(ptr addrspace(1) align 4 %0, i32 %1) #0 !kernel_arg_type !9 !kernel_arg_type_qual !11 !kernel_arg_name !12 !reqd_work_group_size !13 !vec_type_hint !14 {
define dso_local spir_kernel void @none() #0 !kernel_arg_type !21 !kernel_arg_type_qual !21 !kernel_arg_name !21 !dbg !3 {
define dso_local float @helper(float %0) #1 {
!9 = !{!\"uint*\", !\"int\"}
!11 = !{!\"const restrict\", !\"\"}
!12 = !{!\"a\", !\"n\"}
!13 = !{i32 16, i32 2, i32 1}
!14 = !{<4 x i32> undef, i32 0}
!21 = !{}
";
        let found = signatures(text);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].required_block, Some([16, 2, 1]));
        assert_eq!(found[0].hinted_type.as_deref(), Some("uint4"));
        assert_eq!(super::hinted("<16 x i64> poison, i32 1").unwrap(), "long16");
        assert_eq!(super::hinted("float undef, i32 0").unwrap(), "float");
        assert_eq!(
            found[0].arguments[0],
            Argument {
                name: "a".into(),
                ty: "uint*".into(),
                qualifiers: "const restrict".into(),
                access: "none".into()
            }
        );
        assert_eq!(found[0].arguments[1].ty, "int");
        assert_eq!((found[1].name.as_str(), found[1].arguments.len()), ("none", 0));
    }
}
