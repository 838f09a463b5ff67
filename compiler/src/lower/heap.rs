//! The heap of `malloc` and `new`: the variable that the headers declare, of a size.

use crate::ptx::ast::{Init, Module, Ty, TypeKind};
use warpsmith_isa::heap;

/// Gives the heap that a module uses the bytes that it has unless a launch says otherwise.
pub fn give_heap(module: &mut Module) {
    for v in module.vars.iter_mut().filter(|v| v.name == heap::HEAP) {
        v.external = false;
        v.ty = Ty { kind: TypeKind::Unsigned, bits: 32 };
        v.align = 16;
        v.count = Some(heap::BYTES / 4);
        v.init = vec![Init::Int(heap::BYTES.into())];
    }
}
