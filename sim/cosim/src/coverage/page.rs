//! Coverage for readers: a table for a terminal, and one HTML page without anything from outside.

use super::family::Family;
use super::{float_events, Coverage};
use crate::error::CosimError;
use crate::figures::thousands;
use crate::random::sm10::tier::implemented;
use askama::Template;
use serde_json::{json, Value};
use std::fmt::Write as _;
use warpsmith_isa::arch::COND_NAMES;
use warpsmith_isa::{op, Pred, Tier, ROWS};

/// Columns of a terminal.
const COLUMNS: usize = 80;

/// Families of forms in the order of the table, with their names.
const FORM_FAMILIES: [(op::Family, &str); 8] = [
    (op::Family::Integer, "integer forms"),
    (op::Family::Float, "float forms"),
    (op::Family::Conversion, "conversion forms"),
    (op::Family::Double, "double forms"),
    (op::Family::Special, "special function forms"),
    (op::Family::Move, "move forms"),
    (op::Family::Memory, "memory forms"),
    (op::Family::Control, "control forms"),
];

/// Names that fit `room` columns, and how many do not.
fn brief(names: &[&str], room: usize) -> String {
    let mut line = String::new();
    for (i, name) in names.iter().enumerate() {
        let comma = if i > 0 { ", " } else { "" };
        let left = names.len() - i - 1;
        let more = match left {
            0 => String::new(),
            n => format!(", {n} more"),
        };
        if line.len() + comma.len() + name.len() + more.len() > room {
            let _ = write!(line, "{comma}{} more", left + 1);
            return line;
        }
        line += comma;
        line += name;
    }
    line
}

impl Coverage {
    /// All counts by family, for a chip of this tier.
    pub fn families(&self, tier: Tier) -> Vec<Family> {
        if let Some(set) = &self.set {
            return set.families();
        }
        let mut list = vec![];
        for (family, name) in FORM_FAMILIES {
            let rows = ROWS.iter().zip(0u8..).filter(|(form, row)| {
                let met = self.forms.contains_key(row);
                form.op.family() == family && (met || implemented(*row, tier))
            });
            let item = |(form, row): (&warpsmith_isa::Form, u8)| {
                let met = self.forms.get(&row).copied().unwrap_or(0);
                (format!("{} ({row})", form.mnemonic), met)
            };
            list.push(Family { name, items: rows.map(item).collect(), closed: true });
        }
        list.retain(|f| !f.items.is_empty());
        // Undefined conditions have no name.
        let conditions = (0u8..).zip(COND_NAMES);
        let conditions = conditions.filter(|(c, n)| *c != Pred::ALWAYS.code && !n.is_empty());
        let condition = |(c, name): (u8, &str)| {
            let met = self.conditions.get(&c).copied().unwrap_or(0);
            (name.to_string(), met)
        };
        list.push(Family { name: "conditions", items: conditions.map(condition).collect(), closed: true });
        let event = |name: &'static str| {
            let met = self.floats.get(name).copied().unwrap_or(0);
            (name.to_string(), met)
        };
        let events: Vec<_> = float_events(tier).map(event).collect();
        if !events.is_empty() {
            list.push(Family { name: "float events", items: events, closed: true });
        }
        for (name, table, all) in [
            ("active threads", &self.active, &["1", "2-31", "32"][..]),
            ("markers", &self.markers, &["exit", "join"][..]),
        ] {
            let item = |k: &&str| (k.to_string(), table.get(*k).copied().unwrap_or(0));
            list.push(Family { name, items: all.iter().map(item).collect(), closed: true });
        }
        for (name, table) in [("operand kinds", &self.operands), ("memory accesses", &self.accesses)] {
            let items = table.iter().map(|(k, n)| (k.clone(), *n));
            list.push(Family { name, items: items.collect(), closed: false });
        }
        for (name, table) in [("stack depths", &self.depths), ("bank conflict degrees", &self.conflicts)] {
            let items = table.iter().map(|(k, n)| (k.to_string(), *n));
            list.push(Family { name, items: items.collect(), closed: false });
        }
        list
    }

    /// The table for a terminal: at most 80 columns.
    pub fn summary(&self, tier: Tier) -> String {
        let mut out = format!("coverage in {} warp instructions\n", self.instructions);
        let _ = writeln!(out, "  {:<22} {:>9}  never met", "", "met");
        for family in self.families(tier) {
            let start = format!("  {:<22} {:>9}  ", family.name, family.share());
            let missing = brief(&family.missing(), COLUMNS - start.len());
            let most = match (family.name, family.items.last()) {
                ("stack depths" | "bank conflict degrees", Some((n, _))) => format!("up to {n}"),
                _ => String::new(),
            };
            let _ = writeln!(out, "{}", format!("{start}{missing}{most}").trim_end());
        }
        out
    }

    /// One object: the tables, the families, and the names never met.
    pub fn to_json(&self, tier: Tier) -> Value {
        let mut v = serde_json::to_value(self).unwrap_or_default();
        if self.set.is_none() {
            let missing: Vec<&str> = self.never_hit(tier).iter().map(|f| ROWS[usize::from(*f)].mnemonic).collect();
            v["never_hit"] = json!(missing);
            v["never_met"] = json!(self.never_met(tier));
        }
        let family = |f: &Family| {
            let total = f.closed.then_some(f.items.len());
            json!({"name": f.name, "covered": f.covered(), "total": total, "missing": f.missing()})
        };
        v["families"] = self.families(tier).iter().map(family).collect();
        v
    }

    /// The page; `facts` are names and values of the run.
    ///
    /// # Errors
    /// [`CosimError::Page`].
    pub fn html(&self, tier: Tier, title: &str, facts: &[(&str, String)]) -> Result<String, CosimError> {
        let families = self.families(tier);
        let section = |f: &Family| {
            let most = f.items.iter().map(|i| i.1).max().unwrap_or(0).max(1);
            let row = |(name, n): &(String, u64)| Row {
                name: name.clone(),
                count: thousands(*n),
                met: *n > 0,
                // Counts differ by powers of ten: a bar of their logarithm.
                bar: format!("{:.3}", (*n as f64 + 1.0).ln() / (most as f64 + 1.0).ln()),
            };
            Section {
                name: f.name,
                share: f.share(),
                closed: f.closed,
                part: match f.items.len() {
                    0 => "0".into(),
                    n => format!("{:.3}", f.covered() as f64 / n as f64),
                },
                missing: f.missing().into_iter().map(String::from).collect(),
                rows: f.items.iter().map(row).collect(),
            }
        };
        let page = Page { title, facts, sections: families.iter().map(section).collect() };
        page.render().map_err(|e| CosimError::Page(e.to_string()))
    }
}

struct Row {
    name: String,
    count: String,
    met: bool,
    bar: String,
}

struct Section {
    name: &'static str,
    share: String,
    closed: bool,
    part: String,
    missing: Vec<String>,
    rows: Vec<Row>,
}

#[derive(Template)]
#[template(path = "coverage.html")]
struct Page<'a> {
    title: &'a str,
    facts: &'a [(&'a str, String)],
    sections: Vec<Section>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_fits_a_terminal_and_names_what_is_missing() {
        let mut coverage = Coverage::default();
        for tier in [Tier::full(), Tier::integer()] {
            let text = coverage.summary(tier);
            assert!(text.lines().all(|l| l.chars().count() <= COLUMNS), "{text}");
            assert!(text.contains(" more\n") && text.contains("exit, join"), "{text}");
        }
        let tier = Tier::full();
        for row in 0..ROWS.len() as u8 {
            if implemented(row, tier) {
                coverage.forms.insert(row, 1);
            }
        }
        let families = coverage.families(tier);
        let forms = families.iter().filter(|f| f.name.ends_with(" forms"));
        let (met, all) = coverage.forms_hit(tier);
        assert_eq!(forms.clone().map(Family::covered).sum::<usize>(), met);
        assert_eq!(forms.map(|f| f.items.len()).sum::<usize>(), all);
        let conditions = families.iter().find(|f| f.name == "conditions");
        assert_eq!(conditions.map(|f| f.items.len()), Some(23));
    }

    #[test]
    fn the_page_holds_every_family() {
        let mut coverage = Coverage::default();
        coverage.operands.insert("src <half>".into(), 12_345);
        let page = coverage.html(Tier::full(), "a < b", &[("seed", "0x1".into())]);
        let page = page.unwrap_or_else(|e| panic!("{e}"));
        for family in coverage.families(Tier::full()) {
            assert!(page.contains(family.name), "{}", family.name);
        }
        assert!(page.contains("a &lt; b") && page.contains("12 345") && !page.contains("<half>"));
    }
}
