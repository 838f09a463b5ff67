//! What a profile says in words: the hottest instructions, and what is wrong with them.

use super::profile::{main_cause, Profile, Row};
use warpsmith_contract::StallCause;

/// Hot spots shown.
const SHOWN: usize = 5;

/// One of the instructions that cost most.
#[derive(Clone, Debug, PartialEq)]
pub struct HotSpot {
    /// Byte address.
    pub pc: u32,
    /// Share of the cycles of all SMs or their memory ports, 0 to 1.
    pub share: f64,
    /// What the reader may want to know, worst first; at least one.
    pub remarks: Vec<String>,
}

impl Profile {
    /// The instructions that cost most cycles, issued or lost, or of the memory port; none whose share would be printed
    /// as 0.0 %.
    pub fn hot_spots(&self) -> Vec<HotSpot> {
        let costs = |r: &(&u32, &Row)| r.1.weight() > 0 && 2000 * r.1.weight() >= self.sm_cycles;
        let mut rows: Vec<(&u32, &Row)> = self.rows.iter().filter(costs).collect();
        rows.sort_by_key(|(pc, r)| (std::cmp::Reverse(r.weight()), **pc));
        rows.into_iter()
            .take(SHOWN)
            .map(|(pc, row)| HotSpot {
                pc: *pc,
                share: row.weight() as f64 / self.sm_cycles.max(1) as f64,
                remarks: remarks(row, self.threads.into()),
            })
            .collect()
    }
}

/// 3 as `3`, 2.5 as `2.5`.
pub(super) fn short(x: f64) -> String {
    let text = format!("{x:.1}");
    text.strip_suffix(".0").map_or(text.clone(), String::from)
}

/// Whether an access takes at least half more requests than it needs.
pub(super) fn is_scattered(row: &Row) -> bool {
    2 * row.requests > 3 * row.ideal && row.executions > 0
}

/// Remarks on an instruction of warps of so many threads.
fn remarks(row: &Row, threads: u64) -> Vec<String> {
    let mut out: Vec<(u64, String)> = vec![];
    let n = row.executions;
    if let (Some(access), true) = (row.access, is_scattered(row)) {
        out.push((
            row.requests - row.ideal,
            format!(
                "not coalesced: its {access}s touch {} lines an execution where {} would do",
                short(row.each(row.requests)),
                short(row.each(row.ideal))
            ),
        ));
    }
    for (cause, what) in [
        (StallCause::SharedConflict, "bank conflicts in shared memory"),
        (StallCause::ConstantConflict, "different constant addresses in a warp"),
    ] {
        let cycles = Row::by(&row.lost, cause);
        if cycles > 0 && n > 0 {
            let each = short(row.each(cycles));
            out.push((cycles, format!("{what} cost {each} extra cycles an execution")));
        }
    }
    if 4 * row.splits > n {
        let percent = 100.0 * row.each(row.splits);
        out.push((row.slots, format!("divergent: {percent:.0} % of its executions split the warp")));
    }
    if n > 0 && 4 * row.active < 3 * threads * n {
        out.push((
            row.slots / 2,
            format!("{} of {threads} threads active on average: the other lanes are idle", short(row.each(row.active))),
        ));
    }
    // A tenth of what it costs is worth a word.
    let worth = main_cause(&row.lost).filter(|c| 10 * c.1 > row.cost());
    if let Some((cause, cycles)) = worth {
        let each = short(row.each(cycles));
        let text = match cause {
            StallCause::Hazard => Some(format!("needs an earlier result too soon: {each} cycles an execution in which no warp could issue; put independent instructions before it or run more warps")),
            StallCause::Load => Some(format!("needs loaded data too soon: {each} cycles an execution in which no warp could issue; load earlier or run more warps")),
            StallCause::Sfu => Some(format!("needs a special function's result too soon: {each} cycles an execution in which no warp could issue")),
            StallCause::Control => Some(format!("no other warp could issue while it decided where its warp goes on: {each} cycles an execution")),
            StallCause::Barrier => Some(format!("all warps wait at this barrier: {each} cycles an execution; the work before it is uneven or waits for memory")),
            StallCause::Memory => Some(format!("the memory unit is full: {each} cycles an execution")),
            StallCause::Fetch => Some(format!("its warp waits for the instruction fetch: {each} cycles an execution")),
            StallCause::Operand => Some(format!("loads write back in its place: {each} cycles an execution")),
            StallCause::Launch
            | StallCause::SharedConflict
            | StallCause::ConstantConflict
            | StallCause::Select => None,
        };
        out.extend(text.map(|t| (cycles, t)));
    }
    out.sort_by_key(|r| std::cmp::Reverse(r.0));
    if out.is_empty() {
        out.push((0, format!("executed often: {n} times, little is wasted")));
    }
    out.into_iter().map(|r| r.1).collect()
}
