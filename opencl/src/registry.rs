//! Handles: what programs hold of the driver's objects, checked on every use.
//!
//! A handle is the address of a cell whose first word points to the dispatch table, as the ICD loader
//! demands. The loader reads that word before any check, so cells are never freed; cells of dead objects
//! are used again only after [`QUARANTINE`] others, so that a stale handle is found to be stale.
//!
//! An object lives while the program holds references or another object needs it; its handle is valid
//! as long.

use crate::error::{Error, Result};
use std::any::Any;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

/// Cells of dead objects kept unused.
const QUARANTINE: usize = 1 << 16;

/// Anything with a handle.
pub trait Object: Any + Send + Sync {
    /// Its handle.
    fn handle(&self) -> &Handle;
}

type Shared = dyn Any + Send + Sync;

/// What a handle points to.
#[repr(C)]
struct Cell {
    dispatch: usize,
}

struct Entry {
    object: Weak<Shared>,
    /// The program's share of it, while its count is above 0.
    held: Option<Arc<Shared>>,
    count: u32,
    /// Lives as long as the process: reference counts do not change it.
    permanent: bool,
}

#[derive(Default)]
struct Registry {
    entries: HashMap<usize, Entry>,
    retired: VecDeque<usize>,
}

static REGISTRY: LazyLock<Mutex<Registry>> = LazyLock::new(Mutex::default);
static DISPATCH: OnceLock<usize> = OnceLock::new();

fn registry() -> MutexGuard<'static, Registry> {
    // Nothing panics while it is held; the tables are whole in any case.
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sets the address of the dispatch table that all cells name; the first call counts.
pub fn set_dispatch(table: usize) {
    let _ = DISPATCH.set(table);
}

/// A cell that belongs to one object; given back when the object dies.
#[derive(Debug)]
pub struct Handle(usize);

impl Handle {
    /// The address that programs see.
    pub fn address(&self) -> usize {
        self.0
    }

    /// References that the program holds.
    pub fn count(&self) -> u32 {
        registry().entries.get(&self.0).map_or(0, |e| e.count)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let mut r = registry();
        r.entries.remove(&self.0);
        r.retired.push_back(self.0);
    }
}

fn cell(r: &mut Registry) -> usize {
    if r.retired.len() > QUARANTINE {
        if let Some(address) = r.retired.pop_front() {
            return address;
        }
    }
    let dispatch = DISPATCH.get().copied().unwrap_or(0);
    std::ptr::from_ref::<Cell>(Box::leak(Box::new(Cell { dispatch }))) as usize
}

fn enter<T: Object>(make: impl FnOnce(Handle) -> T, permanent: bool) -> Arc<T> {
    let address = cell(&mut registry());
    let object = Arc::new(make(Handle(address)));
    let shared: Arc<Shared> = object.clone();
    let entry = Entry { object: Arc::downgrade(&shared), held: Some(shared), count: 1, permanent };
    registry().entries.insert(address, entry);
    object
}

/// A new object that the program holds one reference of.
pub fn publish<T: Object>(make: impl FnOnce(Handle) -> T) -> Arc<T> {
    enter(make, false)
}

/// A new object that lives as long as the process.
pub fn publish_forever<T: Object>(make: impl FnOnce(Handle) -> T) -> Arc<T> {
    enter(make, true)
}

/// The object behind a handle.
///
/// # Errors
/// `invalid` for anything but the handle of a living object of this type.
pub fn find<T: Object>(address: usize, invalid: i32) -> Result<Arc<T>> {
    let object = registry().entries.get(&address).map(|e| e.object.clone());
    let object = object.and_then(|o| o.upgrade());
    object.and_then(|o| o.downcast().ok()).ok_or_else(|| Error::from(invalid))
}

/// One more reference of the program.
///
/// # Errors
/// As [`find`].
pub fn retain<T: Object>(address: usize, invalid: i32) -> Result<()> {
    let object: Arc<T> = find(address, invalid)?;
    let mut r = registry();
    let entry = r.entries.get_mut(&address).ok_or(Error::from(invalid))?;
    if !entry.permanent {
        entry.count += 1;
        entry.held = Some(object);
    }
    Ok(())
}

/// One reference of the program less.
///
/// # Errors
/// As [`find`], and when the program holds none.
pub fn release<T: Object>(address: usize, invalid: i32) -> Result<()> {
    // Kept until the registry is unlocked again: the end of an object enters it.
    let _object: Arc<T> = find(address, invalid)?;
    let mut r = registry();
    let entry = r.entries.get_mut(&address).ok_or(Error::from(invalid))?;
    if entry.permanent {
        return Ok(());
    }
    if entry.count == 0 {
        return Err(Error::new(invalid, "released more often than retained"));
    }
    entry.count -= 1;
    let last = match entry.count {
        0 => entry.held.take(),
        _ => None,
    };
    drop(r);
    drop(last);
    Ok(())
}

/// Objects alive, without platform and devices.
pub fn living() -> usize {
    let r = registry();
    r.entries.values().filter(|e| !e.permanent).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Thing(Handle);
    struct Other(Handle);

    impl Object for Thing {
        fn handle(&self) -> &Handle {
            &self.0
        }
    }

    impl Object for Other {
        fn handle(&self) -> &Handle {
            &self.0
        }
    }

    const BAD: i32 = -99;

    #[test]
    fn stale_foreign_and_other_handles_are_found_out() {
        let address = publish(Thing).handle().address();
        assert!(find::<Thing>(address, BAD).is_ok());
        assert!(find::<Other>(address, BAD).is_err());
        for foreign in [0, 1, address + 8, usize::MAX] {
            assert!(find::<Thing>(foreign, BAD).is_err());
        }
        assert!(retain::<Thing>(address, BAD).is_ok());
        assert!(release::<Other>(address, BAD).is_err());
        assert!(release::<Thing>(address, BAD).is_ok());
        assert!(release::<Thing>(address, BAD).is_ok());
        assert_eq!(release::<Thing>(address, BAD).unwrap_err().code, BAD);
        // The next objects do not take its place.
        let next: Vec<_> = (0..100).map(|_| publish(Other)).collect();
        assert!(next.iter().all(|n| n.handle().address() != address));
        assert!(find::<Other>(address, BAD).is_err());
        for n in next {
            release::<Other>(n.handle().address(), BAD).unwrap();
        }
    }

    #[test]
    fn an_object_that_others_need_keeps_its_handle() {
        let needed = publish(Thing);
        let address = needed.handle().address();
        release::<Thing>(address, BAD).unwrap();
        assert_eq!(needed.handle().count(), 0);
        assert!(find::<Thing>(address, BAD).is_ok());
        assert!(release::<Thing>(address, BAD).is_err());
        retain::<Thing>(address, BAD).unwrap();
        drop(needed);
        assert!(find::<Thing>(address, BAD).is_ok());
        release::<Thing>(address, BAD).unwrap();
        assert!(find::<Thing>(address, BAD).is_err());
    }

    #[test]
    fn what_lives_forever_is_not_counted() {
        let forever = publish_forever(Thing);
        let address = forever.handle().address();
        release::<Thing>(address, BAD).unwrap();
        release::<Thing>(address, BAD).unwrap();
        assert_eq!(find::<Thing>(address, BAD).unwrap().handle().count(), 1);
    }
}
