//! The heap of a kernel: as large as the launch says.

use crate::raw::{RawLaunch, Source};
use std::borrow::Cow;
use warpsmith_compiler::Unit;
use warpsmith_isa::heap::{HEAP, LIMITS};
use warpsmith_launch::LaunchError;

/// The unit with a heap of `heap_bytes`.
pub(crate) fn sized<'a>(source: &Source<'_>, raw: &RawLaunch, unit: &'a Unit) -> Result<Cow<'a, Unit>, LaunchError> {
    let Some(given) = &raw.heap_bytes else { return Ok(Cow::Borrowed(unit)) };
    let (bytes, (least, most)) = (*given.as_ref(), LIMITS);
    if !(least..=most).contains(&bytes) || bytes % 16 != 0 {
        let message = format!("heap_bytes is {bytes}; it must be {least} to {most} and a multiple of 16");
        return Err(source.error(given, message));
    }
    let mut unit = unit.clone();
    let Some(heap) = unit.globals.iter_mut().find(|v| v.name == HEAP) else {
        return Err(source.error(given, "no kernel of the program uses malloc or new: remove heap_bytes"));
    };
    heap.bytes = bytes;
    heap.init = Some(bytes.to_le_bytes().to_vec());
    Ok(Cow::Owned(unit))
}
