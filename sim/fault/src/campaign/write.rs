//! Writing a campaign file.

use super::digest::table_digest;
use super::types::{Campaign, Row, COLUMNS, DEF_USE, FIRST};
use crate::error::FaultError;
use crate::fault::Times;
use crate::site::Sites;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use warpsmith_cache::whole;

impl Campaign {
    /// Writes the file under a temporary name beside it, then renames it. Sets `header.rows`.
    ///
    /// # Errors
    /// [`FaultError::File`] naming the path; [`FaultError::Ask`] for a header that fits no line.
    pub fn write(&mut self, path: &Path, sites: &Sites) -> Result<(), FaultError> {
        let text = self.text(sites)?;
        whole::write(path, text).map_err(|e| FaultError::file(path, format!("cannot be written ({e})")))
    }

    /// The file's text. Sets `header.rows`.
    ///
    /// # Errors
    /// [`FaultError::Ask`] for a header that fits no line.
    pub fn text(&mut self, sites: &Sites) -> Result<String, FaultError> {
        let mut table = csv::Writer::from_writer(Vec::with_capacity(64 * self.rows.len()));
        let wrong = |e: csv::Error| FaultError::Ask(format!("the rows cannot be written ({e})"));
        table.write_record(COLUMNS).map_err(wrong)?;
        for row in &self.rows {
            table.write_record(cells(row, sites)).map_err(wrong)?;
        }
        let table = table.into_inner().map_err(|e| FaultError::Ask(format!("the rows cannot be written ({e})")))?;
        let table = String::from_utf8(table).expect("made of text");
        self.header.rows = table_digest(table.lines());
        Ok(self.head()? + &table)
    }

    /// The comment lines.
    fn head(&self) -> Result<String, FaultError> {
        let h = &self.header;
        let launch = h.launch.to_str().ok_or_else(|| {
            FaultError::Ask(format!(
                "the path {} is no UTF-8 text and cannot stand in a campaign file",
                h.launch.display()
            ))
        })?;
        let mut lines = vec![("config", h.config.clone())];
        lines.extend(h.set.iter().map(|s| ("set", s.clone())));
        lines.extend([
            ("chip", h.chip.clone()),
            ("launch", launch.to_string()),
            ("program", h.program.clone()),
            ("power_on", h.power_on.to_string()),
            ("cycles", h.cycles.to_string()),
            ("plan", h.plan.clone()),
            ("seed", h.seed.to_string()),
            ("population", h.population.to_string()),
        ]);
        if h.pruned {
            lines.push(("pruned", DEF_USE.into()));
        }
        for c in &h.collapsed {
            let text = format!("{}: row {} stands for {} faults", c.rule, c.row, c.faults);
            lines.push(("collapsed", text));
        }
        lines.push(("rows", h.rows.clone()));
        let mut text = format!("{FIRST}\n");
        for (key, value) in lines {
            if value.contains(['\n', '\r']) || value.trim() != value {
                return Err(FaultError::Ask(format!(
                    "{key} of a campaign must be one line without blanks around it, found {value:?}"
                )));
            }
            if !value.is_empty() {
                writeln!(text, "# {key} = {value}").expect("a string takes all");
            }
        }
        Ok(text)
    }
}

/// The cells of a row, in the order of [`COLUMNS`].
fn cells(row: &Row, sites: &Sites) -> [String; COLUMNS.len()] {
    let f = &row.fault;
    let bits: Vec<String> = f.bits.iter().map(u32::to_string).collect();
    let [duration, period, active] = match f.kind.times() {
        Times::Duration => [f.duration.to_string(), String::new(), String::new()],
        Times::Bursts => [f.duration, f.period, f.active].map(|n| n.to_string()),
        Times::Once | Times::Always => Default::default(),
    };
    [
        row.row.to_string(),
        sites.site(f.site).path.clone(),
        f.word.to_string(),
        bits.join("+"),
        f.cycle.to_string(),
        f.kind.name().to_string(),
        duration,
        period,
        active,
        row.weight.to_string(),
    ]
}

/// The path of `file` as seen from the folder of `campaign`, which must exist.
///
/// # Errors
/// [`FaultError::File`] naming what cannot be found.
pub fn relative(campaign: &Path, file: &Path) -> Result<PathBuf, FaultError> {
    let find = |p: &Path| p.canonicalize().map_err(|e| FaultError::file(p, format!("cannot be found ({e})")));
    let folder = match campaign.parent() {
        Some(p) if p != Path::new("") => find(p)?,
        _ => find(Path::new("."))?,
    };
    let file = find(file)?;
    let common = folder.components().zip(file.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(common).map(|_| "..");
    Ok(up.map(PathBuf::from).chain(file.components().skip(common).map(|c| PathBuf::from(c.as_os_str()))).collect())
}
