//! Variables in global and constant memory with their initial contents.

use std::collections::HashMap;

use super::{place, pointers, refuse};
use crate::error::CompileError;
use crate::ir;
use crate::program::Unit;
use crate::ptx::ast::{Init, Module, SourceLine, Space, TypeKind, Variable};

/// Bytes of a variable at most that has initial values or lies in constant memory.
const MAX_BYTES: u32 = 1 << 26;

/// Contents shared by several kernels: files, variables in global and constant memory.
pub fn unit(module: &Module) -> Result<Unit, CompileError> {
    let functions = module.pointed.iter().enumerate().map(|(n, name)| (name.clone(), pointers::number(n))).collect();
    let mut unit = Unit { files: place::files(module), functions, ..Unit::default() };
    let kept: Vec<&Variable> =
        module.vars.iter().filter(|v| matches!(v.space, Space::Global | Space::Const) && !v.external).collect();
    let numbers: HashMap<&str, u32> = kept.iter().zip(0..).map(|(v, n)| (v.name.as_str(), n)).collect();
    for v in kept {
        let (init, pointers) = contents(module, v, &numbers)?;
        let bytes = v.bytes() as u32;
        let constant_offset = (v.space == Space::Const).then(|| {
            let at = unit.constant_bytes.next_multiple_of(v.align);
            unit.constant_bytes = at + bytes;
            at
        });
        if unit.constant_bytes > MAX_BYTES {
            return Err(place::at(
                module,
                v.line,
                None,
                format!("`{}` and the variables in front of it are more constant memory than any chip has", v.name),
            ));
        }
        unit.globals.push(ir::Variable {
            name: v.name.clone(),
            bytes,
            align: v.align,
            init,
            pointers,
            constant_offset,
            texture: v.texture,
        });
    }
    Ok(unit)
}

type Contents = (Option<Vec<u8>>, Vec<(u32, u32, i32)>);

/// Bytes of a variable's initial values, and the words of them that are addresses.
fn contents(module: &Module, v: &Variable, numbers: &HashMap<&str, u32>) -> Result<Contents, CompileError> {
    let error = |message: String| place::at(module, v.line, None, message);
    let most = match (v.space, v.init.is_empty()) {
        (Space::Global, true) => u32::MAX,
        _ => MAX_BYTES,
    };
    if v.bytes() > u64::from(most) {
        return Err(error(format!(
            "`{}` has {} bytes, more than the {most} that a variable may have: let the host allocate a buffer",
            v.name,
            v.bytes()
        )));
    }
    if v.init.is_empty() {
        return Ok((None, Vec::new()));
    }
    let mut bytes = Vec::new();
    let mut pointers: Vec<(u32, u32, i32)> = Vec::new();
    let size = v.ty.bytes() as usize;
    for item in &v.init {
        let value = match item {
            Init::Int(n) if v.ty.kind == TypeKind::Float && v.ty.bits == 32 => u64::from((*n as i64 as f32).to_bits()),
            Init::Int(n) => *n,
            Init::F32(f) => u64::from(*f),
            Init::F64(f) if v.ty.bits == 32 => u64::from((f64::from_bits(*f) as f32).to_bits()),
            Init::F64(f) => *f,
            Init::Symbol { name, offset, mask } => {
                // Kernels that use such a table are refused where they do.
                let Some(&var) = numbers.get(name.as_str()) else {
                    return Ok((None, Vec::new()));
                };
                let offset = *offset as i32;
                match (mask, size) {
                    (None, 4..) | (Some(0xff), 1) => {
                        pointers.push((bytes.len() as u32, var, offset));
                    }
                    // The other bytes of an address whose first byte stands in front.
                    (Some(0xff00 | 0xff_0000 | 0xff00_0000), 1) => {}
                    _ => return Err(error(format!("`{}` holds a part of an address that is no whole word", v.name))),
                }
                0
            }
        };
        bytes.extend(value.to_le_bytes().iter().take(size));
    }
    bytes.resize(v.bytes() as usize, 0);
    Ok((Some(bytes), pointers))
}

/// Refuses a variable whose initial value is the address of a function, or of a variable in shared
/// or local memory.
pub(super) fn no_addresses(
    module: &Module, v: &Variable, own: &[Variable], source: impl Fn() -> Option<SourceLine>,
) -> Result<(), CompileError> {
    let known = |n: &str| {
        let place = |v: &Variable| matches!(v.space, Space::Global | Space::Const) && !v.external;
        module.vars.iter().any(|v| v.name == n && place(v))
    };
    let unknown = v.init.iter().find_map(|i| match i {
        Init::Symbol { name, .. } if !known(name) => Some(name),
        _ => None,
    });
    let Some(name) = unknown else { return Ok(()) };
    // clang gives the initial values of a local array a name of their own.
    let holder = match v.name.starts_with("__const") {
        true => "an initial value of a local array or struct".to_string(),
        false => format!("the initial value of `{}`", place::short(&v.name)),
    };
    let mut vars = own.iter().chain(&module.vars);
    let block = vars.find(|v| v.name == *name && v.space == Space::Shared);
    let message = match block {
        Some(s) => format!(
            "{holder} holds the address of `{}` in shared memory, and a pointer that is read from there is one into global memory: use an index, or a switch over the arrays",
            place::short(&s.name)
        ),
        None => format!(
            "{holder} holds the address of `{}`, which is no function, and no variable in global or constant memory, of this file: put it into the same source",
            refuse::symbol_name(name)
        ),
    };
    Err(place::at(module, v.line, source(), message))
}
