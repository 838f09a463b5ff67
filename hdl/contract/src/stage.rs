//! Stage of a site: the part of the chip as its users name it (docs/architecture.md), by the names of
//! blocks and instances.

use crate::site::Site;

macro_rules! stages {
    ($($stage:ident $name:literal $holds:literal;)*) => {
        /// A part of the chip.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Stage {
            $(
                #[doc = concat!($holds, ".")]
                $stage,
            )*
        }

        impl Stage {
            /// All of them, in the order of tables.
            pub const ALL: [Stage; [$($name),*].len()] = [$(Stage::$stage),*];

            /// Name in tables.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Stage::$stage => $name,)*
                }
            }

            /// What lies in it.
            pub const fn holds(self) -> &'static str {
                match self {
                    $(Stage::$stage => $holds,)*
                }
            }
        }
    };
}

stages! {
    Launch "launch" "launch registers, block scheduler, controllers: a kernel's and a block's start and end";
    Scheduler "scheduler" "warp table and selection, registers of DEC and H, scoreboard, issue";
    Fetch "fetch" "program store and line buffers";
    Decode "decode" "the decoder";
    Operands "operands, registers" "register file, flags, address registers, and the registers of the stages A, M, D and O";
    Lanes "lanes" "integers, floats, multiplier";
    WriteBack "write-back" "tags, addresses and store data that travel beside the lanes";
    Special "special functions" "units, queue and results";
    LoadStore "load/store unit" "access checks, queue, coalescer, return path";
    Shared "shared memory" "its banks";
    Constant "constant memory" "its words and their broadcast";
    Divergence "divergence" "stacks and thread states";
    Barrier "barriers" "who has arrived and who waits";
    Cache "caches" "their tags, lines and queues";
    Arbiter "memory arbiter" "between the SMs and the memory port";
    Counters "counters, trace" "performance counters, clock and trace port: no result depends on them";
    Top "chip pins, wiring" "the chip's own pins and wiring";
}

/// Names of instances, without their numbers; the last one of a path that is listed decides.
pub const INSTANCES: [(&str, Stage); 27] = [
    ("u_launch", Stage::Launch),
    ("u_counters", Stage::Counters),
    ("u_scheduler", Stage::Launch),
    ("u_arbiter", Stage::Arbiter),
    ("u_l1", Stage::Cache),
    ("u_l2", Stage::Cache),
    ("u_controller", Stage::Launch),
    ("u_warps", Stage::Scheduler),
    ("u_dispatch", Stage::Scheduler),
    ("u_decode", Stage::Decode),
    ("u_scoreboard", Stage::Scheduler),
    ("u_issue", Stage::Scheduler),
    ("u_fetch", Stage::Fetch),
    ("u_datapath", Stage::Operands),
    ("u_lane", Stage::Lanes),
    ("u_compare", Stage::Lanes),
    ("u_special", Stage::Special),
    ("u_double", Stage::Special),
    ("u_check", Stage::LoadStore),
    ("u_lsu", Stage::LoadStore),
    ("u_shared", Stage::Shared),
    ("u_constants", Stage::Constant),
    ("u_branch", Stage::Divergence),
    ("u_divergence", Stage::Divergence),
    ("u_barrier", Stage::Barrier),
    ("u_bar_place", Stage::Barrier),
    ("u_sm", Stage::Top),
];

/// Beginnings of the names of sites that do not belong where their block does: block type,
/// beginning, part.
pub const SITES: [(&str, &str, Stage); 34] = [
    ("warpsmith", "clock_count", Stage::Counters),
    ("sm", "stall_", Stage::Counters),
    ("sm", "bar_", Stage::Barrier),
    ("sm", "flow_", Stage::Divergence),
    ("sm", "result_", Stage::Divergence),
    ("sm", "mem_", Stage::LoadStore),
    ("sm", "count_", Stage::Counters),
    ("sm", "tr_", Stage::Counters),
    ("sm", "block_", Stage::Launch),
    ("sm", "trap", Stage::Launch),
    ("datapath", "lsu_", Stage::LoadStore),
    ("datapath", "flow_", Stage::Divergence),
    ("datapath", "bar_", Stage::Barrier),
    ("datapath", "tr_", Stage::Counters),
    ("datapath", "done_", Stage::Special),
    ("datapath", "late_", Stage::Counters),
    ("address_stage", "flow_", Stage::Divergence),
    ("address_stage", "bar_", Stage::Barrier),
    ("memory_stage", "lsu_", Stage::LoadStore),
    ("memory_stage", "special_", Stage::Special),
    ("memory_stage", "double_", Stage::Special),
    ("memory_stage", "words_constant", Stage::Constant),
    ("memory_stage", "words_", Stage::Shared),
    ("memory_stage", "tr_", Stage::Counters),
    ("execute_stage", "x_", Stage::WriteBack),
    ("execute_stage", "w_y", Stage::Lanes),
    ("execute_stage", "w_conditions", Stage::Lanes),
    ("execute_stage", "w_", Stage::WriteBack),
    ("execute_stage", "place_", Stage::Special),
    ("execute_stage", "double_place_", Stage::Special),
    ("execute_stage", "results_", Stage::Special),
    ("write_back_stage", "done_", Stage::Special),
    ("write_back_stage", "late_", Stage::Counters),
    ("write_back_stage", "tr_", Stage::Counters),
];

/// A name without the number at its end.
pub fn unnumbered(name: &str) -> &str {
    match name.rsplit_once('_') {
        Some((stem, digits)) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => stem,
        _ => name,
    }
}

/// The part of the chip a site lies in; `None` for instances this table does not know.
pub fn known(site: &Site) -> Option<Stage> {
    let (instances, name) = match site.path.rsplit_once('.') {
        Some((instances, name)) => (instances, name),
        None => ("", site.path.as_str()),
    };
    let listed = SITES.iter().find(|(block, start, _)| site.block == *block && name.starts_with(start));
    if let Some((_, _, stage)) = listed {
        return Some(*stage);
    }
    if instances.is_empty() {
        return Some(Stage::Top);
    }
    instances
        .rsplit('.')
        .map(unnumbered)
        .find_map(|i| INSTANCES.iter().find(|(name, _)| *name == i))
        .map(|(_, stage)| *stage)
}

/// The part of the chip a site lies in; what is not known counts as the chip's wiring.
pub fn of(site: &Site) -> Stage {
    known(site).unwrap_or(Stage::Top)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::SiteKind;

    #[test]
    fn every_site_of_the_default_chip_has_a_stage() {
        let text = include_str!("../../../rtl-out/default/sites.json");
        let sites: Vec<Site> = serde_json::from_str(text).expect("a list of sites");
        assert!(sites.len() > 500);
        let mut seen: Vec<Stage> = vec![];
        for s in &sites {
            let stage = known(s).unwrap_or_else(|| panic!("no stage of {} in {}", s.path, s.block));
            assert!(stage != Stage::Top, "{} in {} is wiring", s.path, s.block);
            seen.push(stage);
        }
        // The decoder and, with one SM, the arbiter hold no state; there is no cache.
        for stage in Stage::ALL {
            let stateless = matches!(stage, Stage::Decode | Stage::Cache | Stage::Arbiter | Stage::Top);
            assert!(seen.contains(&stage) != stateless, "{}", stage.name());
        }
    }

    #[test]
    fn the_innermost_known_instance_decides() {
        for (path, block, stage) in [
            ("clock_count", "warpsmith", Stage::Counters),
            ("u_launch.go", "launch_regs", Stage::Launch),
            ("u_launch.u_counters.u_sums.mem", "lutram", Stage::Counters),
            ("u_sm_3.u_datapath.u_execute.u_lane_12.u_float.e1", "float_unit", Stage::Lanes),
            ("u_sm_0.u_datapath.u_execute.x_tag_4", "execute_stage", Stage::WriteBack),
            ("u_sm_0.u_datapath.u_memory.m_7", "memory_stage", Stage::Operands),
            ("u_sm_0.u_datapath.u_execute.u_special.u_unit_0.e3", "sfu", Stage::Special),
            ("u_sm_0.u_datapath.u_execute.u_double.u_unit.s6_sum", "double_unit", Stage::Special),
            ("u_sm_0.u_datapath.u_execute.u_compare_3.words", "double_compare", Stage::Lanes),
            ("u_sm_0.u_datapath.u_memory.u_shared.u_bank_0.mem", "bram", Stage::Shared),
            ("u_sm_0.u_dispatch.u_decode.control", "decode", Stage::Decode),
            ("u_sm_0.bar_taken", "sm", Stage::Barrier),
            ("u_sm_0.idle", "sm", Stage::Top),
        ] {
            let site =
                Site { path: path.into(), block: block.into(), kind: SiteKind::Reg, width: 1, depth: 1, zeroed: false };
            assert_eq!(known(&site), Some(stage), "{path}");
        }
    }

    #[test]
    fn names_of_stages_differ() {
        for (i, a) in Stage::ALL.iter().enumerate() {
            assert!(Stage::ALL[i + 1..].iter().all(|b| a.name() != b.name()));
        }
    }
}
