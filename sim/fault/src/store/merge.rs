//! Two databases of one campaign become one.

use super::columns::{self, RECORD};
use super::meta::same;
use super::Store;
use crate::error::FaultError;
use rusqlite::params;
use std::fmt::Write as _;
use std::path::Path;

impl Store {
    /// Takes over the results of another database of the same campaign; returns how many were new.
    ///
    /// # Errors
    /// It is of another campaign, or a row is in both and differs: then nothing is taken.
    pub fn merge(&mut self, path: &Path) -> Result<u64, FaultError> {
        let other = Store::open_read(path)?;
        same(path, &other.meta, &self.meta)?;
        if let Some(control) = other.control()? {
            self.set_control(&control)?;
        }
        drop(other);
        let name =
            path.to_str().ok_or_else(|| FaultError::file(path, "the name is no text; rename the file to merge it"))?;
        self.tried(|db| db.execute("ATTACH DATABASE ?1 AS part", params![name]))?;
        let merged = self.merge_attached(path);
        self.tried(|db| db.execute("DETACH DATABASE part", []))?;
        merged
    }

    fn merge_attached(&mut self, path: &Path) -> Result<u64, FaultError> {
        let mut equal = String::new();
        for (i, column) in RECORD.iter().enumerate() {
            let and = if i == 0 { "" } else { " AND " };
            let _ = write!(equal, "{and}a.{0} IS b.{0}", column.0);
        }
        let differing = self.tried(|db| {
            let mut query = db.prepare(&format!(
                "SELECT row FROM main.result a JOIN part.result b USING (row) WHERE NOT ({equal}) ORDER BY row LIMIT 1"
            ))?;
            let mut rows = query.query([])?;
            let Some(row) = rows.next()? else { return Ok(None) };
            let row: u64 = row.get(0)?;
            let of = |table: &str| {
                db.query_row(&format!("SELECT * FROM {table}.result WHERE row = ?1"), [row], columns::record)
            };
            Ok(Some((row, of("main")?, of("part")?)))
        })?;
        if let Some((row, here, there)) = differing {
            return Err(FaultError::file(path, format!("row {row} differs from the one in {}: {}; the two were not made by the same program on the same chip", self.path.display(), columns::difference(&there, &here))));
        }
        self.changed(|t| {
            let new = t.execute("INSERT OR IGNORE INTO main.result SELECT * FROM part.result", [])?;
            Ok(new as u64)
        })
    }
}
