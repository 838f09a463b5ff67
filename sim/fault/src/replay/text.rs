//! An explanation as text, as JSON, and as a line of a table.

use super::explanation::{Explanation, Instruction};
use crate::record::{FaultOutcome, How, Record};
use crate::site::{SiteKind, Sites};
use crate::trail::{Step, TRAIL_CYCLES};
use serde_json::{json, Value};
use std::fmt::Write as _;
use std::io::{self, Write};
use warpsmith_cosim::lockstep::report::bits;

/// Lines of the trail and names in one of them that the text shows.
const SHOWN: usize = 12;
const NAMES: usize = 4;
/// Threads whose values the text shows.
const THREADS: usize = 4;

/// Columns of the table of many faults (docs/fault-replay.md).
pub const CSV_COLUMNS: [&str; 19] = [
    "row", "site", "word", "bit", "kind", "injected", "outcome", "class", "study", "cycle", "sm", "block", "warp",
    "pc", "instruction", "field", "lanes", "xor", "target",
];

/// Writes the table: number of a row, its explanation.
///
/// # Errors
/// It cannot be written.
pub fn table(out: impl Write, sites: &Sites, rows: &[(u64, Explanation)]) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    table.write_record(CSV_COLUMNS).map_err(io::Error::other)?;
    for (row, e) in rows {
        table.write_record(csv_line(*row, sites, e)).map_err(io::Error::other)?;
    }
    table.flush()
}

/// A line of that table; what does not apply is empty.
fn csv_line(row: u64, sites: &Sites, e: &Explanation) -> Vec<String> {
    let f = &e.fault;
    let site = sites.site(f.site);
    let mut line = vec![
        row.to_string(),
        site.path.clone(),
        f.word.to_string(),
        fault_bits(e),
        f.kind.to_string(),
        f.cycle.to_string(),
        e.record.outcome.to_string(),
        e.class.map_or("none", |c| c.name()).to_string(),
        e.class.map_or(String::new(), |c| c.study().join("/")),
        e.surfaced.as_ref().map_or(String::new(), |s| s.cycle.to_string()),
    ];
    match e.surfaced.as_ref().and_then(|s| s.instruction.as_ref()) {
        Some(i) => line.extend([
            i.found.sm.to_string(),
            i.block().to_string(),
            i.found.warp.to_string(),
            format!("0x{:04x}", i.found.pc),
            i.text.clone(),
            i.found.mismatch.what.clone(),
            format!("0x{:08x}", i.lanes()),
            format!("0x{:08x}", i.bits()),
            i.target(),
        ]),
        None => {
            if let Some(t) = e.surfaced.as_ref().and_then(|s| s.trap) {
                let at = line.len();
                line.resize(CSV_COLUMNS.len(), String::new());
                (line[at], line[at + 3]) = (t.sm.to_string(), format!("0x{:04x}", t.pc));
                (line[at + 5], line[at + 6]) =
                    (format!("trap {}", t.cause), format!("0x{:08x}", 1u32 << (t.lane & 31)));
            }
            line.resize(CSV_COLUMNS.len(), String::new());
        }
    }
    line
}

/// Bits as a campaign file has them.
fn fault_bits(e: &Explanation) -> String {
    let bits: Vec<String> = e.fault.bits.iter().map(u32::to_string).collect();
    bits.join("+")
}

impl Explanation {
    /// For a reader; `row`: its number, `trail`: what it reached.
    pub fn text(&self, row: u64, sites: &Sites, trail: &[Step]) -> String {
        let mut out = String::new();
        self.write(&mut out, row, sites, trail).expect("a string takes all");
        out
    }

    fn write(&self, out: &mut String, row: u64, sites: &Sites, trail: &[Step]) -> std::fmt::Result {
        let (f, r) = (&self.fault, &self.record);
        let site = sites.site(f.site);
        let word = match site.kind {
            SiteKind::Ram => format!(" word {}", f.word),
            _ => String::new(),
        };
        writeln!(
            out,
            "row {row}: {} in cycle {} at {}{word} bit {} ({} of block {}, {} bits)",
            f.kind,
            f.cycle,
            site.path,
            fault_bits(self),
            site.kind.name(),
            site.block,
            site.width
        )?;
        writeln!(out, "outcome: {}", outcome(r))?;
        match r.activated {
            Some(c) => writeln!(out, "first changed a bit in cycle {c}")?,
            None => writeln!(out, "never changed a bit")?,
        }
        if let Some((cycle, site)) = r.spread {
            let name = sites.list().get(site).map_or(WAITING, |s| &s.path);
            writeln!(out, "first other state: {name}, at the comparison of cycle {cycle}")?;
        }
        match (&self.class, &self.surfaced) {
            (Some(class), Some(s)) => {
                let study = match class.study() {
                    [] => String::new(),
                    names => format!(" (SC'23: {})", names.join(" or ")),
                };
                writeln!(out, "class: {class}{study}")?;
                if matches!(r.outcome, FaultOutcome::Masked) {
                    writeln!(
                        out,
                        "masked all the same: what differs below was overcome, or only the trace port shows it"
                    )?;
                }
                match &s.instruction {
                    Some(i) => instruction(out, i, s.cycle)?,
                    None => writeln!(out, "first architectural difference, cycle {}:\n  {}", s.cycle, s.text)?,
                }
            }
            (Some(class), None) => writeln!(out, "class: {class}; no instruction differs")?,
            (None, _) => writeln!(
                out,
                "no architectural difference: {} warp instructions agree with the model{}",
                self.compared,
                match r.outcome {
                    FaultOutcome::Timing => "; only time differs",
                    _ => "",
                }
            )?,
        }
        propagation(out, sites, trail, f.cycle)
    }

    /// For a program.
    pub fn json(&self, row: u64, sites: &Sites, trail: &[Step]) -> Value {
        let (f, r) = (&self.fault, &self.record);
        let site = sites.site(f.site);
        let name = |n: usize| sites.list().get(n).map_or(WAITING, |s| s.path.as_str());
        json!({
            "row": row,
            "site": site.path,
            "block_type": site.block,
            "site_kind": site.kind.name(),
            "word": f.word,
            "bits": f.bits,
            "kind": f.kind.name(),
            "injected": f.cycle,
            "outcome": r.outcome.name(),
            "how": r.how.map(How::name),
            "cause": r.cause,
            "cycles": r.cycles,
            "activated": r.activated,
            "converged": r.converged,
            "spread": r.spread.map(|(cycle, n)| json!({ "cycle": cycle, "site": name(n) })),
            "wrong_words": r.wrong_words,
            "class": self.class.map(|c| c.name()),
            "study": self.class.map_or(&[][..], |c| c.study()),
            "compared": self.compared,
            "surfaced": self.surfaced.as_ref().map(|s| json!({
                "cycle": s.cycle,
                "text": s.text,
                "trap": s.trap.map(|t| json!({ "cause": t.cause, "sm": t.sm, "pc": t.pc, "lane": t.lane })),
                "instruction": s.instruction.as_ref().map(instruction_json),
            })),
            "propagation": trail.iter().map(|s| json!({
                "cycle": s.cycle,
                "sites": s.sites,
                "words": s.words,
                "new": s.new.iter().map(|n| name(*n)).collect::<Vec<_>>(),
            })).collect::<Vec<_>>(),
        })
    }
}

/// Name used for outstanding reads of memory in a comparison of sites.
const WAITING: &str = "the reads that wait";

/// A record in words.
fn outcome(r: &Record) -> String {
    let mut text = r.outcome.to_string();
    let mut add = |s: String| {
        let _ = write!(text, ", {s}");
    };
    if let Some(how) = r.how {
        add(match how {
            How::Overwritten => "overwritten: the faulty bits were written anew before anything used them".into(),
            How::Logical => {
                "logically masked: other state differed, and all of it met the fault-free run again or never mattered"
                    .into()
            }
            How::Unused => "unused: nothing ever used the faulty bits".into(),
            How::Outside => "memory differs only where nothing is expected".into(),
        });
    }
    if let Some(c) = r.converged {
        add(format!("all state as without the fault in cycle {c}"));
    }
    if let Some(c) = r.cause {
        let name = warpsmith_contract::TrapCause::from_number(c);
        add(format!("trap {c} ({})", name.map_or("no known cause", |n| n.name())));
    }
    if r.wrong_words > 0 {
        add(format!(
            "{} wrong words, {} wrong bits, the first at 0x{:08x}",
            r.wrong_words,
            r.wrong_bits,
            r.first_wrong.unwrap_or(0)
        ));
    }
    add(match r.outcome {
        FaultOutcome::Hang => format!("given up after {} cycles", r.cycles),
        _ => format!("{} cycles", r.cycles),
    });
    text
}

fn instruction(out: &mut String, i: &Instruction, cycle: u64) -> std::fmt::Result {
    let d = &i.found;
    let m = &d.mismatch;
    writeln!(
        out,
        "first architectural difference, cycle {cycle}: SM {}, block {}, warp {}, retire {}",
        d.sm,
        i.block(),
        d.warp,
        d.retire
    )?;
    if i.retired != cycle {
        writeln!(out, "  the instruction retired in cycle {}", i.retired)?;
    }
    let place = match &i.line {
        Some((file, line)) => format!("   {file}:{line}"),
        None => String::new(),
    };
    writeln!(out, "  0x{:04x}  {}{place}", d.pc, i.text)?;
    let sides = |a: u32, b: u32| format!("model {}  chip {}  xor {}", bits(a), bits(b), bits(a ^ b));
    if m.lanes.is_empty() {
        writeln!(out, "  {}: {}", m.what, sides(m.model, m.rtl))?;
    } else {
        writeln!(
            out,
            "  {} in lanes {} ({} of {}), bits {}",
            m.what,
            bits(i.lanes()),
            m.lanes.len(),
            d.active[1].count_ones(),
            bits(i.bits())
        )?;
        for (lane, model, chip) in m.lanes.iter().take(THREADS) {
            writeln!(out, "    lane {lane:2}: {}", sides(*model, *chip))?;
        }
        if m.lanes.len() > THREADS {
            writeln!(out, "    and {} more lanes", m.lanes.len() - THREADS)?;
        }
    }
    let writers: Vec<String> = d
        .writers
        .iter()
        .filter_map(|(name, w)| w.map(|w| format!("{name} at pc 0x{:04x} (retire {})", w.pc, w.retire)))
        .collect();
    if !writers.is_empty() {
        writeln!(out, "  its sources were last written: {}", writers.join(", "))?;
    }
    Ok(())
}

fn instruction_json(i: &Instruction) -> Value {
    let d = &i.found;
    let m = &d.mismatch;
    json!({
        "retired": i.retired,
        "retire": d.retire,
        "sm": d.sm,
        "block": i.block(),
        "warp": d.warp,
        "pc": d.pc,
        "words": d.word,
        "text": i.text,
        "file": i.line.as_ref().map(|l| &l.0),
        "line": i.line.as_ref().map(|l| l.1),
        "field": m.what,
        "model": m.model,
        "chip": m.rtl,
        "lanes": i.lanes(),
        "xor": i.bits(),
        "target": i.target(),
        "active": d.active,
        "threads": m.lanes.iter().map(|(lane, model, chip)| json!({
            "lane": lane, "model": model, "chip": chip, "xor": model ^ chip,
        })).collect::<Vec<_>>(),
    })
}

fn propagation(out: &mut String, sites: &Sites, trail: &[Step], injected: u64) -> std::fmt::Result {
    if trail.is_empty() {
        return Ok(());
    }
    writeln!(out, "propagation (cycle, sites that differ, words of global memory that differ, sites reached):")?;
    let skipped = trail.len().saturating_sub(SHOWN);
    for (n, s) in trail.iter().enumerate() {
        // The first and the last of a long trail.
        if skipped > 0 && n == SHOWN - 2 {
            writeln!(out, "  ... {skipped} more changes")?;
        }
        if skipped > 0 && (SHOWN - 2..SHOWN - 2 + skipped).contains(&n) {
            continue;
        }
        let mut names: Vec<&str> = s.new.iter().take(NAMES).map(|n| sites.site(*n).path.as_str()).collect();
        let more = format!("and {} more", s.new.len().saturating_sub(NAMES));
        if s.new.len() > NAMES {
            names.push(&more);
        }
        let line = format!("  {:>8} {:>5} {:>5}  {}", s.cycle, s.sites, s.words, names.join(", "));
        writeln!(out, "{}", line.trim_end())?;
    }
    let reached: usize = trail.iter().map(|s| s.new.len()).sum();
    writeln!(out, "  {reached} sites reached in all")?;
    if trail.last().is_some_and(|s| s.cycle >= injected + TRAIL_CYCLES) {
        writeln!(out, "  not followed further than {TRAIL_CYCLES} cycles")?;
    }
    Ok(())
}
