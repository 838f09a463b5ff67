//! The JSON trace event format, as far as timelines use it: a validator.
//!
//! Source: "Trace Event Format", Google, 2016: which keys each phase needs; slices of one thread
//! nest or lie apart.

use serde_json::{json, Value};
use std::collections::{BTreeMap, HashMap, HashSet};

/// What a valid trace holds.
#[derive(Debug)]
pub struct Checked {
    /// Slices of instructions by SM and warp slot.
    pub instructions: BTreeMap<(u64, u64), u64>,
}

/// Checks a trace of a run of `cycles` cycles.
pub fn validate(trace: &Value, cycles: u64) -> Result<Checked, String> {
    let events = trace["traceEvents"].as_array().ok_or("no list traceEvents")?;
    let mut slices: HashMap<(u64, u64), Vec<(u64, u64)>> = HashMap::new();
    let mut open: HashMap<(u64, u64), Vec<u64>> = HashMap::new();
    let mut names: HashMap<(u64, u64), String> = HashMap::new();
    let mut processes = HashSet::new();
    let mut instructions: Vec<(u64, u64)> = vec![];
    for (i, e) in events.iter().enumerate() {
        let fail = |what: &str| format!("event {i}: {what}: {e}");
        let number =
            |key: &str| e[key].as_u64().ok_or_else(|| fail(&format!("{key} is no number of cycles or tracks")));
        let phase = e["ph"].as_str().ok_or_else(|| fail("no ph"))?;
        let name = e["name"].as_str().filter(|n| !n.is_empty());
        let name = name.ok_or_else(|| fail("no name"))?;
        let (pid, tid, ts) = (number("pid")?, number("tid")?, number("ts")?);
        if ts > cycles {
            return Err(fail("ts after the end"));
        }
        match phase {
            "M" => match (name, &e["args"]) {
                ("process_name", a) if a["name"].is_string() => drop(processes.insert(pid)),
                ("thread_name", a) if a["name"].is_string() => {
                    let text = a["name"].as_str().unwrap_or_default().to_string();
                    if names.insert((pid, tid), text).is_some() {
                        return Err(fail("a second name"));
                    }
                }
                ("process_sort_index" | "thread_sort_index", a) if a["sort_index"].is_u64() => {}
                _ => return Err(fail("unknown metadata")),
            },
            "X" => {
                let dur = number("dur")?;
                if dur == 0 || ts + dur > cycles {
                    return Err(fail("dur is empty or goes past the end"));
                }
                slices.entry((pid, tid)).or_default().push((ts, ts + dur));
                if e["cat"] == "instruction" {
                    instructions.push((pid, tid));
                }
            }
            "B" => open.entry((pid, tid)).or_default().push(ts),
            "E" => {
                let begin = open.get_mut(&(pid, tid)).and_then(Vec::pop);
                let begin = begin.ok_or_else(|| fail("E without B"))?;
                if begin > ts {
                    return Err(fail("E before its B"));
                }
                slices.entry((pid, tid)).or_default().push((begin, ts));
            }
            "i" if matches!(e["s"].as_str(), Some("t" | "p" | "g")) => {}
            "i" => return Err(fail("an instant without scope")),
            "C" => {
                let values = e["args"].as_object().filter(|a| !a.is_empty());
                if !values.is_some_and(|a| a.values().all(Value::is_number)) {
                    return Err(fail("a counter without numbers"));
                }
            }
            _ => return Err(fail("unknown phase")),
        }
    }
    if let Some((track, _)) = open.iter().find(|o| !o.1.is_empty()) {
        return Err(format!("B without E on track {track:?}"));
    }
    for (track, list) in &mut slices {
        if !names.contains_key(track) || !processes.contains(&track.0) {
            return Err(format!("track {track:?} has no name"));
        }
        // Longer first where two begin together: the outer one.
        list.sort_by_key(|s| (s.0, std::cmp::Reverse(s.1)));
        let mut around: Vec<u64> = vec![];
        for (begin, end) in list {
            around.retain(|outer| *outer > *begin);
            if around.last().is_some_and(|outer| *outer < *end) {
                return Err(format!("slices of track {track:?} overlap at {begin}"));
            }
            around.push(*end);
        }
    }
    let mut counted = BTreeMap::new();
    for (pid, tid) in instructions {
        let name = &names[&(pid, tid)];
        let warp = name
            .strip_prefix("warp ")
            .and_then(|n| n.strip_suffix(" instructions"))
            .and_then(|n| n.parse().ok())
            .ok_or_else(|| format!("instructions on track {name}"))?;
        *counted.entry((pid - 1, warp)).or_default() += 1;
    }
    Ok(Checked { instructions: counted })
}

/// A valid trace of 100 cycles.
pub fn small() -> Value {
    let name = |what: &str, tid: u64, text: &str| json!({"ph": "M", "pid": 1, "tid": tid, "ts": 0, "name": what, "args": {"name": text}});
    let slice = |tid: u64, ts: u64, dur: u64| json!({"ph": "X", "pid": 1, "tid": tid, "ts": ts, "dur": dur, "name": "NOP", "cat": "instruction", "args": {}});
    json!({"traceEvents": [
        name("process_name", 0, "SM 0"),
        name("thread_name", 100, "warp 0"),
        name("thread_name", 101, "warp 0 instructions"),
        {"ph": "B", "pid": 1, "tid": 100, "ts": 2, "name": "resident"},
        {"ph": "X", "pid": 1, "tid": 100, "ts": 2, "dur": 8, "name": "fetch", "cat": "wait"},
        slice(101, 10, 20),
        slice(101, 30, 20),
        {"ph": "C", "pid": 1, "tid": 0, "ts": 64, "name": "resident warps", "args": {"warps": 1}},
        {"ph": "i", "pid": 1, "tid": 100, "ts": 90, "name": "exit", "s": "t"},
        {"ph": "E", "pid": 1, "tid": 100, "ts": 90, "name": "resident"},
    ]})
}

type Change = fn(&mut Vec<Value>);

/// Ways to break [`small`]: what, a piece of the message, and how.
pub fn breakages() -> Vec<(&'static str, &'static str, Change)> {
    vec![
        ("an unknown phase", "unknown phase", |e| e[5]["ph"] = "Z".into()),
        ("no phase", "no ph", |e| e[5]["ph"] = Value::Null),
        ("no name", "no name", |e| e[5]["name"] = "".into()),
        ("no duration", "dur", |e| e[5]["dur"] = Value::Null),
        ("an empty slice", "dur", |e| e[5]["dur"] = 0.into()),
        ("a slice past the end", "past the end", |e| e[6]["dur"] = 80.into()),
        ("a time past the end", "after the end", |e| e[7]["ts"] = 101.into()),
        ("a negative time", "ts", |e| e[7]["ts"] = (-1).into()),
        ("slices that overlap", "overlap", |e| e[5]["dur"] = 21.into()),
        ("a wait outside its warp", "overlap", |e| e[4]["ts"] = 1.into()),
        ("an end without begin", "E without B", |e| drop(e.remove(3))),
        ("a begin without end", "B without E", |e| drop(e.pop())),
        ("a track without name", "no name", |e| drop(e.remove(2))),
        ("a process without name", "no name", |e| drop(e.remove(0))),
        ("an instant without scope", "scope", |e| e[8]["s"] = Value::Null),
        ("a counter of text", "numbers", |e| e[7]["args"]["warps"] = "1".into()),
        ("a counter of nothing", "numbers", |e| e[7]["args"] = json!({})),
        ("unknown metadata", "metadata", |e| e[0]["name"] = "colour".into()),
    ]
}
