//! The groups around a signal that a visitor is at: what [`group!`](crate::group) declares says what it is for.

use std::cell::RefCell;

thread_local! {
    /// Descriptions of the groups around the signal that a visitor is at.
    static GROUPS: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
}

/// A visitor is within a group.
#[doc(hidden)]
pub struct Group;

impl Group {
    /// Enters a group; `about` describes it.
    pub fn enter(about: &'static str) -> Self {
        GROUPS.with(|g| g.borrow_mut().push(about));
        Group
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        GROUPS.with(|g| g.borrow_mut().pop());
    }
}

/// Visits a block by itself: the groups around it are those of another.
pub(super) fn apart(visit: impl FnOnce()) {
    let around = GROUPS.take();
    visit();
    GROUPS.set(around);
}

/// What the innermost group is, in a sentence.
pub(super) fn group_of_signal() -> Option<String> {
    let about = GROUPS.with(|g| g.borrow().last().copied()).unwrap_or_default().trim();
    let sentence = about.split_inclusive(". ").next()?.trim();
    (!sentence.is_empty()).then(|| sentence.into())
}
