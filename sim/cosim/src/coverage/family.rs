//! Families of counts: what a coverage page groups.

/// What belongs together, with a count for each item.
pub struct Family {
    /// Name, plural.
    pub name: &'static str,
    /// Items and how often each was met; those of a list that is known beforehand also when never.
    pub items: Vec<(String, u64)>,
    /// Whether all items are known beforehand, so that one can be missing.
    pub closed: bool,
}

impl Family {
    /// Items that were met.
    pub fn covered(&self) -> usize {
        self.items.iter().filter(|(_, n)| *n > 0).count()
    }

    /// Names of items never met.
    pub fn missing(&self) -> Vec<&str> {
        let never = self.items.iter().filter(|(_, n)| *n == 0);
        never.map(|(name, _)| name.as_str()).collect()
    }

    /// Items met, of how many.
    pub(super) fn share(&self) -> String {
        match self.closed {
            true => format!("{} / {}", self.covered(), self.items.len()),
            false => self.covered().to_string(),
        }
    }
}
