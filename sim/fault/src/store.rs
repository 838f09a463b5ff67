//! Results of a campaign: an SQLite database that a kill at any moment leaves whole.
//!
//! Three tables: `campaign` has one row with chip, launch and options of the results, `control` one row for
//! the run without a fault, `result` a row for each fault with the fault as text beside it, so that
//! the database can be read without this program. Rows are committed in transactions of a write-ahead
//! log and flushed; [`Store::finish`] folds the log into the one file. One process at a time writes: it
//! holds the lock file beside the database.

use crate::campaign::Row;
use crate::engine::RanOn;
use crate::error::FaultError;
use crate::record::{FaultOutcome, Record};
use crate::site::Sites;
use columns::RECORD;
use lock::lock;
use meta::same;
use rusqlite::{params_from_iter, Connection, OpenFlags, Transaction};
use std::collections::{BTreeMap, BTreeSet};
use std::iter;
use std::path::{Path, PathBuf};
use std::time::Duration;
use warpsmith_cache::lock::Lock;

pub(crate) mod columns;
mod lock;
mod merge;
mod meta;

pub use lock::store_files;
pub use meta::{digest, Meta};

/// Format of the tables.
const FORMAT: i64 = 1;
/// Memory for pages of the database.
const CACHE_KIB: i64 = 128 << 10;
/// Marks an SQLite file as ours: `WSfi`.
const APPLICATION: i64 = 0x5753_6669;
/// Version of the program that writes.
const PROGRAM: &str = env!("CARGO_PKG_VERSION");

/// A database of results.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    meta: Meta,
    db: Connection,
    /// Held as long as the database is written to.
    lock: Option<Lock>,
}

impl Store {
    /// Creates the database of a campaign, or continues it.
    ///
    /// # Errors
    /// Another process writes to it, or the file holds something else, which is left as it is.
    pub fn open(path: &Path, meta: &Meta) -> Result<Self, FaultError> {
        let lock = lock(path)?;
        Store::begin(path, meta, "WAL", Some(lock))
    }

    /// The same on a network's file system, where a write-ahead log does not work: slower, and
    /// readers wait for the writer.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_on_network(path: &Path, meta: &Meta) -> Result<Self, FaultError> {
        let lock = lock(path)?;
        Store::begin(path, meta, "DELETE", Some(lock))
    }

    /// The same under a name that no other process uses: without a lock file.
    ///
    /// # Errors
    /// The file cannot be written, or holds something else.
    pub fn open_private(path: &Path, meta: &Meta) -> Result<Self, FaultError> {
        Store::begin(path, meta, "DELETE", None)
    }

    /// Opens a database to read it, also while a run writes to it.
    ///
    /// # Errors
    /// There is none, or it is of another format.
    pub fn open_read(path: &Path) -> Result<Self, FaultError> {
        if !path.is_file() {
            return Err(FaultError::file(path, "there are no results; `warpsmith fault run CAMPAIGN.csv` writes them"));
        }
        let mut store = Store::connect(path, OpenFlags::empty())?;
        if store.is_empty()? {
            return Err(FaultError::file(path, "holds no results; `warpsmith fault run CAMPAIGN.csv` writes them"));
        }
        store.meta = store.read_meta()?.0;
        Ok(store)
    }

    fn connect(path: &Path, create: OpenFlags) -> Result<Self, FaultError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | create;
        let fail = |source| store_error(path, source);
        let db = Connection::open_with_flags(path, flags).map_err(fail)?;
        db.busy_timeout(Duration::from_secs(30)).map_err(fail)?;
        Ok(Store { path: path.to_path_buf(), meta: Meta::default(), db, lock: None })
    }

    /// Makes the tables, or checks that they are of this campaign.
    fn begin(path: &Path, meta: &Meta, journal: &str, lock: Option<Lock>) -> Result<Self, FaultError> {
        let mut store = Store::connect(path, OpenFlags::SQLITE_OPEN_CREATE)?;
        store.lock = lock;
        if !store.is_empty()? {
            let (found, program) = store.read_meta()?;
            same(path, &found, meta)?;
            if program != PROGRAM {
                return Err(FaultError::file(path, format!("is of version {program} of the program, this is {PROGRAM}: go on with that one, or name another file with --results")));
            }
        }
        store.tried(|db| {
            db.query_row(&format!("PRAGMA journal_mode = {journal}"), [], |_| Ok(()))?;
            db.pragma_update(None, "synchronous", "FULL")?;
            // Rows come in the order of their cycles, not of their numbers: the table's pages stay in memory.
            db.pragma_update(None, "cache_size", -CACHE_KIB)
        })?;
        match store.is_empty()? {
            true => store.create(meta)?,
            false => store.add_engine()?,
        }
        store.meta = meta.clone();
        Ok(store)
    }

    fn create(&mut self, meta: &Meta) -> Result<(), FaultError> {
        let record: Vec<String> = RECORD.iter().map(|c| format!("{} {}", c.0, c.1)).collect();
        let record = record.join(", ");
        self.changed(|t| {
            t.execute_batch(&format!(
                "CREATE TABLE campaign (format INTEGER NOT NULL, program TEXT NOT NULL, campaign TEXT NOT NULL,
                   rows TEXT NOT NULL, chip TEXT NOT NULL, launch TEXT NOT NULL, power_on TEXT NOT NULL,
                   seed TEXT NOT NULL, options TEXT NOT NULL, cycles TEXT NOT NULL);
                 CREATE TABLE control (one INTEGER PRIMARY KEY CHECK (one = 0), {record});
                 CREATE TABLE result (row INTEGER PRIMARY KEY, site TEXT NOT NULL, word INTEGER NOT NULL,
                   bits TEXT NOT NULL, cycle INTEGER NOT NULL, kind TEXT NOT NULL, duration INTEGER NOT NULL,
                   period INTEGER NOT NULL, active INTEGER NOT NULL, spread_path TEXT, {record}, engine TEXT);
                 PRAGMA application_id = {APPLICATION};"
            ))?;
            let values = [FORMAT.to_string(), PROGRAM.to_string()].into_iter().chain(meta.parts().map(|p| p.1));
            t.execute("INSERT INTO campaign VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", params_from_iter(values))?;
            Ok(())
        })
    }

    /// Results of programs before there were two engines do not say which one made them.
    fn add_engine(&self) -> Result<(), FaultError> {
        self.tried(|db| {
            let known = "SELECT count(*) FROM pragma_table_info('result') WHERE name = 'engine'";
            match db.query_row(known, [], |r| r.get(0))? {
                0 => db.execute_batch("ALTER TABLE result ADD COLUMN engine TEXT"),
                _ => Ok(()),
            }
        })
    }

    /// Runs a statement; the error names the file.
    fn tried<T>(&self, f: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, FaultError> {
        f(&self.db).map_err(|source| store_error(&self.path, source))
    }

    /// Runs one transaction: all of it happens, or nothing.
    fn changed<T>(&mut self, f: impl FnOnce(&Transaction) -> rusqlite::Result<T>) -> Result<T, FaultError> {
        let run = |db: &mut Connection| {
            let t = db.transaction()?;
            let value = f(&t)?;
            t.commit()?;
            Ok(value)
        };
        run(&mut self.db).map_err(|source| store_error(&self.path, source))
    }

    fn is_empty(&self) -> Result<bool, FaultError> {
        self.tried(|db| db.query_row("SELECT count(*) = 0 FROM sqlite_master", [], |r| r.get(0)))
    }

    /// Campaign of the database, and the version of the program that created it.
    fn read_meta(&self) -> Result<(Meta, String), FaultError> {
        let application: i64 = self.tried(|db| db.query_row("PRAGMA application_id", [], |r| r.get(0)))?;
        if application != APPLICATION {
            return Err(FaultError::file(
                &self.path,
                "is a database of something else; name another file with --results",
            ));
        }
        let format: i64 = self.tried(|db| db.query_row("SELECT format FROM campaign", [], |r| r.get(0)))?;
        if format != FORMAT {
            return Err(FaultError::file(&self.path, format!("is of format {format}, this program ({PROGRAM}) reads {FORMAT}: use the version that wrote it, or name another file with --results")));
        }
        self.tried(|db| {
            db.query_row("SELECT * FROM campaign", [], |r| {
                let number = |name: &str| columns::parsed(&r.get::<_, String>(name)?);
                let meta = Meta {
                    campaign: r.get("campaign")?,
                    rows: number("rows")?,
                    chip: r.get("chip")?,
                    launch: r.get("launch")?,
                    power_on: number("power_on")?,
                    seed: number("seed")?,
                    options: r.get("options")?,
                    cycles: number("cycles")?,
                };
                Ok((meta, r.get("program")?))
            })
        })
    }

    /// Campaign of the results.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Stores the run without a fault, or compares it with the one stored.
    ///
    /// # Errors
    /// [`FaultError::Control`] when they differ: the machine is not the one of the stored results.
    pub fn set_control(&mut self, record: &Record) -> Result<(), FaultError> {
        match self.control()? {
            None => {
                let values = iter::once(0.into()).chain(columns::values(record));
                let statement = columns::insert("control", &["one"]);
                self.changed(|t| t.execute(&statement, params_from_iter(values))).map(drop)
            }
            Some(stored) if stored == *record => Ok(()),
            Some(stored) => Err(FaultError::Control(format!(
                "it differs from the one stored in {}: {}",
                self.path.display(),
                columns::difference(&stored, record)
            ))),
        }
    }

    /// The run without a fault.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn control(&self) -> Result<Option<Record>, FaultError> {
        self.tried(|db| {
            let mut query = db.prepare("SELECT * FROM control")?;
            let mut rows = query.query([])?;
            rows.next()?.map(columns::record).transpose()
        })
    }

    /// Stores results, all or none.
    ///
    /// # Errors
    /// The database cannot be written, or a row is there already.
    pub fn insert(&mut self, sites: &Sites, engine: RanOn, results: &[(&Row, Record)]) -> Result<(), FaultError> {
        self.changed(|t| {
            let mut statement = t.prepare_cached(&columns::insert("result", &columns::FAULT))?;
            for (row, record) in results {
                let values = columns::fault(row, record, sites, engine);
                statement.execute(params_from_iter(values.into_iter().chain(columns::values(record))))?;
            }
            Ok(())
        })
    }

    /// Numbers of the rows that have a result.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn done(&self) -> Result<BTreeSet<u64>, FaultError> {
        self.tried(|db| {
            let mut query = db.prepare("SELECT row FROM result ORDER BY row")?;
            let rows = query.query_map([], |r| r.get(0))?;
            rows.collect()
        })
    }

    /// Classes by row.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn outcomes(&self) -> Result<BTreeMap<u64, FaultOutcome>, FaultError> {
        self.tried(|db| {
            let mut query = db.prepare("SELECT row, outcome FROM result ORDER BY row")?;
            let rows = query.query_map([], |r| Ok((r.get(0)?, columns::parsed(&r.get::<_, String>(1)?)?)))?;
            rows.collect()
        })
    }

    /// All results by row.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn records(&self) -> Result<BTreeMap<u64, Record>, FaultError> {
        self.tried(|db| {
            let mut query = db.prepare("SELECT * FROM result ORDER BY row")?;
            let rows = query.query_map([], |r| Ok((r.get("row")?, columns::record(r)?)))?;
            rows.collect()
        })
    }

    /// Refuses a campaign that is complete and of which no fault ever changed a bit.
    ///
    /// # Errors
    /// [`FaultError::Ask`] in that case: such a campaign says nothing.
    pub fn check_activation(&self) -> Result<(), FaultError> {
        let (all, active): (u64, u64) = self.tried(|db| {
            db.query_row("SELECT count(*), count(activated) FROM result", [], |r| Ok((r.get(0)?, r.get(1)?)))
        })?;
        if all > 0 && all >= self.meta.rows && active == 0 {
            return Err(FaultError::Ask(format!("no fault of the campaign was activated: none of the {all} changed a bit, so it says nothing about the chip; look at the cycles (the run has {}), and for stuck-at faults at the value the bits have anyway", self.meta.cycles)));
        }
        Ok(())
    }

    /// Folds the log into the file, which then can be copied alone.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(self) -> Result<(), FaultError> {
        // Another process that reads keeps the log: harmless, the next run folds it.
        let folded = self.tried(|db| {
            db.busy_timeout(Duration::from_millis(200))?;
            db.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))
        });
        match folded {
            Err(FaultError::Store { why, .. })
                if why.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy) =>
            {
                Ok(())
            }
            other => other,
        }
    }
}

/// What SQLite refused, with what to do about it.
fn store_error(path: &Path, source: rusqlite::Error) -> FaultError {
    use rusqlite::ErrorCode::{
        CannotOpen, DatabaseBusy, DatabaseLocked, DiskFull, NotADatabase, PermissionDenied, ReadOnly, SystemIoFailure,
    };
    let advice = match source.sqlite_error_code() {
        Some(NotADatabase) => {
            return FaultError::file(
                path,
                "is no database of results, or has lost its beginning; name another file with --results",
            )
        }
        Some(DatabaseBusy | DatabaseLocked) => "another process holds it: wait for it or stop it",
        Some(DiskFull) => "make room and run again: what was stored stays",
        Some(CannotOpen | PermissionDenied | ReadOnly) => {
            "the file and its folder must be there and writable; --results names another"
        }
        Some(SystemIoFailure) => "the disk or the network refused it: see there, then run again",
        // A page, a table or a value is not what was written.
        _ => "the file is damaged: put it aside and run again, or name another file with --results",
    };
    FaultError::Store { path: path.to_path_buf(), why: Box::new(source), advice }
}
