//! The buffer of `printf`, and the text of assertions.

use super::failed::is_failed;
use crate::ptx::ast::{Init, Module, Space, Ty, TypeKind, Variable};
use warpsmith_isa::print;

/// Gives a module whose code prints the variables that [`warpsmith_isa::print`] describes.
pub fn give_print_buffer(module: &mut Module) {
    let calls = |wanted: &dyn Fn(&str) -> bool| module.functions.iter().find(|f| wanted(&f.name)).map(|f| f.line);
    let (prints, fails) = (calls(&|name| name == print::TAKE), calls(&is_failed));
    let variable = |name: &str, line, bits, count, init| Variable {
        name: name.into(),
        line,
        space: Space::Global,
        ty: Ty { kind: TypeKind::Bits, bits },
        align: 8,
        count: Some(count),
        external: false,
        init,
        texture: false,
    };
    if let Some(line) = prints.or(fails) {
        module.vars.push(variable(print::BUFFER, line, 32, print::BYTES / 4, Vec::new()));
    }
    if let Some(line) = fails {
        let text: Vec<Init> = print::ASSERT_FORMAT.bytes().chain([0]).map(|b| Init::Int(b.into())).collect();
        module.vars.push(variable(print::ASSERT_TEXT, line, 8, text.len() as u32, text));
    }
}
