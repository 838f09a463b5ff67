//! Trace port of an SM, and the events that a simulation records from it.
//!
//! Signals come in groups, one a purpose. The signal of a field on SM 3 is the port `tr3_<name>`. A
//! group with a valid signal gives an [event](GroupKind) in each cycle in which that is 1; its fields
//! lie one behind the other in 32-bit words, see [`Layout`].

use crate::manifest::Manifest;
use serde::Serialize;

/// Threads of a warp, and warp slots of an SM at most.
pub const WARP: usize = 32;

/// Width of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Width {
    /// Bits.
    Bits(usize),
    /// Bits a lane, lane 0 lowest.
    PerLane(usize),
    /// The number of a beat: 3 bits, and 4 on two lanes, whose warps have sixteen.
    Beat,
}

impl Width {
    /// Bits on `lanes` lanes.
    pub fn bits(self, lanes: usize) -> usize {
        match self {
            Width::Bits(n) => n,
            Width::PerLane(n) => n * lanes,
            Width::Beat => ((WARP / lanes).ilog2() as usize).max(3),
        }
    }
}

/// A signal of the trace port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Signal {
    /// Name without the prefix `tr<sm>_`.
    pub name: &'static str,
    /// Width.
    pub width: Width,
    /// What it carries.
    pub meaning: &'static str,
}

/// A group of signals, and the kind of the events made of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// Kind.
    pub kind: GroupKind,
    /// What it is for.
    pub meaning: &'static str,
    /// The signal that says in which cycles the fields mean something; `None`: in all.
    pub valid: Option<Field>,
    /// Fields of an event, in their order.
    pub fields: &'static [Field],
}

macro_rules! groups {
    ($($kind:ident = $number:literal $about:literal
       $(valid $valid:ident $valid_name:literal)?
       { $($field:ident $name:literal $width:expr, $meaning:literal;)* })*) => {
        /// Kind of an event; the discriminant is in the event's header word.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum GroupKind {
            $(
                #[doc = concat!($about, ".")]
                $kind = $number,
            )*
        }

        impl GroupKind {
            /// The kind of a header word's low byte.
            pub fn from_number(n: u8) -> Option<Self> {
                match n {
                    $($number => Some(GroupKind::$kind),)*
                    _ => None,
                }
            }

            /// Name in tables.
            pub const fn name(self) -> &'static str {
                match self {
                    $(GroupKind::$kind => stringify!($kind),)*
                }
            }
        }

        /// A signal of the trace port; its discriminant is its position in [`SIGNALS`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Field {
            $(
                $(
                    #[doc = concat!("`", $valid_name, "`: the other fields of its group hold in this cycle.")]
                    $valid,
                )?
                $(
                    #[doc = concat!("`", $name, "`: ", $meaning, ".")]
                    $field,
                )*
            )*
        }

        impl Field {
            /// All of them.
            pub const ALL: &[Field] = &[$($(Field::$valid,)? $(Field::$field,)*)*];
        }

        /// The signals of an SM in the order of the ports, indexed by [`Field`].
        pub const SIGNALS: [Signal; Field::ALL.len()] = [
            $(
                $(Signal {
                    name: $valid_name,
                    width: Width::Bits(1),
                    meaning: "the other fields of its group hold in this cycle",
                },)?
                $(Signal { name: $name, width: $width, meaning: $meaning },)*
            )*
        ];

        /// The groups, in the order of the ports.
        pub const GROUPS: &[Group] = &[$(
            Group {
                kind: GroupKind::$kind,
                meaning: $about,
                valid: [$(Some(Field::$valid),)? None][0],
                fields: &[$(Field::$field),*],
            },
        )*];
    };
}

use Width::{Beat, Bits, PerLane};

groups! {
    Retire = 0 "a beat of a retiring instruction, with what it wrote and where" valid Valid "valid" {
        First "first" Bits(1), "first beat of the record";
        Last "last" Bits(1), "last beat of the record";
        Warp "warp" Bits(5), "warp slot";
        Slot "slot" Bits(2), "scoreboard slot, with the warp slot the key of later events";
        Block "block" Bits(3), "block slot";
        Pc "pc" Bits(24), "byte address";
        Word "word" Bits(64), "instruction, word 0 in the low half";
        Active "active" Bits(WARP), "active mask";
        Exec "exec" PerLane(1), "lanes of the beat that execute";
        BeatNumber "beat" Beat, "number of the beat within its pass";
        Pass "pass" Bits(2), "number of the 32-bit pass";
        Dst "dst" Bits(3), "kind of the destination, see `Destination`";
        Reg "reg" Bits(8), "register number of the first pass";
        Half "half" Bits(2), "write enables of the halves, bit 0 low";
        Y "y" PerLane(32), "values written";
        FlagsWe "flags_we" Bits(1), "flags are written";
        Cc "cc" Bits(2), "flag register";
        Flags "flags" PerLane(4), "flag values";
        PostInc "postinc" Bits(1), "an address register is post-incremented";
        AReg "areg" Bits(3), "its number";
        ARegValue "areg_value" PerLane(16), "its new values";
        Mem "mem" Bits(3), "memory access, see `MemoryAccess`";
        Addr "addr" PerLane(32), "byte addresses";
        Data "data" PerLane(32), "store data";
        Depth "depth" Bits(7), "entries on the divergence stack when the instruction issued";
    }
    Load = 1 "registers written later, by a load or a special function" valid LdValid "ld_valid" {
        LdWarp "ld_warp" Bits(5), "warp slot";
        LdSlot "ld_slot" Bits(2), "scoreboard slot";
        LdRf "ld_rf" Bits(16), "entry of the register file; bit 15: flags in the low 4 bits of the values, and their register";
        LdMask "ld_mask" PerLane(1), "lanes of the beat";
        LdData "ld_data" PerLane(32), "values";
    }
    Done = 2 "the load/store unit or a special-function unit has finished an instruction" valid DoneValid "done_valid" {
        DoneWarp "done_warp" Bits(5), "warp slot";
        DoneSlot "done_slot" Bits(2), "scoreboard slot";
    }
    Performed = 3 "an instruction's last request was accepted at the SM's port: the order among SMs" valid PerfValid "perf_valid" {
        PerfWarp "perf_warp" Bits(5), "warp slot";
        PerfSlot "perf_slot" Bits(2), "scoreboard slot";
    }
    Start = 4 "a warp begins" valid StartValid "start_valid" {
        StartWarp "start_warp" Bits(5), "warp slot";
        StartBlock "start_block" Bits(3), "block slot";
        StartMask "start_mask" Bits(WARP), "threads that exist";
        StartX "start_x" Bits(16), "block index x in the grid";
        StartY "start_y" Bits(16), "block index y in the grid";
        StartIndex "start_index" Bits(5), "warp within its block";
        StartRf "start_rf" Bits(16), "entry of R0 in the register file";
    }
    Exit = 5 "a warp has ended" valid ExitValid "exit_valid" {
        ExitWarp "exit_warp" Bits(5), "warp slot";
    }
    Stall = 6 "the stall cause changed" {
        StallCounter "stall" Bits(4), "counter of the cause why nothing was issued in this cycle, 0 for none";
    }
    Issue = 7 "an instruction leaves decode; only when observed, as are the kinds below" valid IssueValid "issue_valid" {
        IssueWarp "issue_warp" Bits(5), "warp slot";
        IssuePc "issue_pc" Bits(24), "byte address";
        IssueSlot "issue_slot" Bits(2), "scoreboard slot";
    }
    Status = 9 "the state of the warps or the stall changed" {
        AtLive "at_live" Bits(WARP), "the warp exists, a bit a warp slot as in the next six";
        AtBlocked "at_blocked" Bits(WARP), "a control operation is under way";
        AtHazard "at_hazard" Bits(WARP), "the next instruction waits for an earlier one";
        AtHazardLoad "at_hazard_load" Bits(WARP), "of these: for a load";
        AtHazardSfu "at_hazard_sfu" Bits(WARP), "of these: for a special function";
        AtUnfetched "at_unfetched" Bits(WARP), "no instruction fetched";
        AtWaiting "at_waiting" Bits(WARP), "it waits at a barrier";
        HeldPc "held_pc" Bits(24), "byte address in stage M or D, whichever holds the front in a stall there";
    }
    Request = 8 "the SM's port takes a request of the load/store unit" valid ReqValid "req_valid" {}
    Port = 10 "the chip's memory port was used" {}
}

impl Field {
    /// Its row of the table.
    pub const fn signal(self) -> &'static Signal {
        const TABLE: &[Signal] = &SIGNALS;
        &TABLE[self as usize]
    }

    /// Name without the prefix.
    pub const fn name(self) -> &'static str {
        self.signal().name
    }

    /// Name of the port that shows it on an SM.
    pub fn port(self, sm: usize) -> String {
        format!("tr{sm}_{}", self.name())
    }
}

/// Whether a port belongs to a trace port.
pub fn is_trace_port(name: &str) -> bool {
    name.strip_prefix("tr")
        .map(|n| n.trim_start_matches(|c: char| c.is_ascii_digit()))
        .and_then(|n| n.strip_prefix('_'))
        .is_some_and(|n| SIGNALS.iter().any(|s| s.name == n))
}

impl GroupKind {
    /// Its group.
    pub fn group(self) -> &'static Group {
        // Every kind has a row: the macro makes both.
        GROUPS.iter().find(|g| g.kind == self).unwrap_or(&GROUPS[0])
    }

    /// Whether lockstep needs its events; the others are for observers.
    pub const fn is_of_lockstep(self) -> bool {
        self as u8 <= GroupKind::Stall as u8
    }
}

/// What [`GroupKind::Status`] reports when one of it changes, a word each.
pub const STATUS: [Field; 9] = [
    Field::AtLive,
    Field::AtBlocked,
    Field::AtHazard,
    Field::AtHazardLoad,
    Field::AtHazardSfu,
    Field::AtUnfetched,
    Field::AtWaiting,
    Field::StallCounter,
    Field::HeldPc,
];

/// Which groups a run records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Collect {
    /// None: fastest.
    Off = 0,
    /// The events that lockstep compares.
    Lockstep = 1,
    /// The events of lockstep and of observers.
    All = 2,
}

/// Layout of the events of one group of one SM: offsets in 32-bit words after the header words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Kind.
    pub kind: GroupKind,
    /// SM.
    pub sm: usize,
    /// Fields in the order of [`Group::fields`].
    pub fields: Vec<Placed>,
    /// Words of the event without the header.
    pub words: usize,
}

/// Where a field lies within an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The field.
    pub field: Field,
    /// First word.
    pub at: usize,
    /// Words; 0 when the chip does not have the port.
    pub words: usize,
}

impl Layout {
    /// Where a field lies; of no words when it is none of this group.
    pub fn place(&self, field: Field) -> Placed {
        // The fields of a group stand one behind the other in the table.
        let none = Placed { field, at: 0, words: 0 };
        let Some(first) = self.fields.first() else {
            return none;
        };
        (field as usize).checked_sub(first.field as usize).and_then(|i| self.fields.get(i)).copied().unwrap_or(none)
    }
}

/// The layouts of a chip's groups with a valid signal: those of lockstep SM by SM, then those of
/// observers. Empty when the chip has no trace port.
pub fn layouts(manifest: &Manifest) -> Vec<Layout> {
    let sms = (0..).take_while(|sm| manifest.port(&Field::Valid.port(*sm)).is_some()).count();
    let mut out = vec![];
    for (lockstep, sm) in [true, false].into_iter().flat_map(|l| (0..sms).map(move |sm| (l, sm))) {
        for group in GROUPS {
            let exists = group.valid.is_some_and(|v| manifest.port(&v.port(sm)).is_some());
            if !exists || group.kind.is_of_lockstep() != lockstep {
                continue;
            }
            let mut words = 0;
            let fields = group
                .fields
                .iter()
                .map(|&field| {
                    let n = manifest.port(&field.port(sm)).map_or(0, |i| manifest.ports[i].words());
                    let at = words;
                    words += n;
                    Placed { field, at, words: n }
                })
                .collect();
            out.push(Layout { kind: group.kind, sm, fields, words });
        }
    }
    out
}

/// Names of trace ports that recording needs and the chip does not have.
pub fn missing_trace_ports(manifest: &Manifest, collect: Collect) -> Vec<String> {
    let needs = |g: &&Group| match collect {
        Collect::All => true,
        _ => g.valid.is_some() && g.kind.is_of_lockstep(),
    };
    GROUPS
        .iter()
        .filter(needs)
        .flat_map(|g| g.valid.iter().chain(g.fields))
        .map(|f| f.port(0))
        .filter(|n| manifest.port(n).is_none())
        .collect()
}

macro_rules! codes {
    ($(#[$doc:meta])* $name:ident: $($(#[$about:meta])* $code:ident = $number:literal;)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize)]
        #[repr(u8)]
        pub enum $name {
            #[default]
            $($(#[$about])* $code = $number,)*
        }

        impl $name {
            /// All of them in the order of their numbers.
            pub const ALL: &[$name] = &[$($name::$code),*];

            /// The one of this number; an unused number is none.
            pub fn from_number(n: u32) -> Self {
                match n {
                    $($number => $name::$code,)*
                    _ => $name::default(),
                }
            }
        }
    };
}

codes! {
    /// Values of [`Field::Dst`].
    Destination:
    /// Nothing.
    None = 0;
    /// A general register, now.
    Gpr = 1;
    /// An address register.
    Addr = 2;
    /// General registers, later on the load group.
    Pending = 3;
}

codes! {
    /// Values of [`Field::Mem`].
    MemoryAccess:
    /// Nothing.
    None = 0;
    /// Shared store.
    SharedStore = 1;
    /// Global load.
    GlobalLoad = 2;
    /// Global store.
    GlobalStore = 3;
    /// Local load.
    LocalLoad = 4;
    /// Local store.
    LocalStore = 5;
    /// Global memory read and replaced, and what was there given to a register.
    GlobalAtomic = 6;
    /// The same without a register.
    GlobalReduction = 7;
}

impl MemoryAccess {
    /// Whether the load/store unit performs it.
    pub fn is_external(self) -> bool {
        !matches!(self, MemoryAccess::None | MemoryAccess::SharedStore)
    }

    /// Whether it touches global memory.
    pub fn is_global(self) -> bool {
        use MemoryAccess::{GlobalAtomic, GlobalLoad, GlobalReduction, GlobalStore};
        matches!(self, GlobalLoad | GlobalStore | GlobalAtomic | GlobalReduction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_stands_in_its_place() {
        for (i, f) in Field::ALL.iter().enumerate() {
            assert_eq!(*f as usize, i);
        }
        for g in GROUPS {
            assert_eq!(g.kind.group(), g);
            assert_eq!(GroupKind::from_number(g.kind as u8), Some(g.kind));
            let fields = g.valid.iter().chain(g.fields).map(|f| *f as usize);
            let fields: Vec<usize> = fields.collect();
            assert!(fields.windows(2).all(|w| w[0] + 1 == w[1]), "{:?}", g.kind);
        }
        for (i, a) in SIGNALS.iter().enumerate() {
            assert!(SIGNALS[i + 1..].iter().all(|b| a.name != b.name));
        }
    }

    #[test]
    fn trace_ports_are_known_by_their_names() {
        assert!(is_trace_port("tr0_valid") && is_trace_port("tr15_held_pc"));
        assert!(!is_trace_port("trapped") && !is_trace_port("tr0_other"));
    }
}
