//! What G13's decoder derives from the rows of the instruction table, and what it does not.

use super::super::derive::{Derived, Rules, LACKS};
use crate::sm::control::encode::{g13, ControlWord, Launch};
use std::sync::OnceLock;
use warpsmith_contract::TrapCause;
use warpsmith_isa::g13::table::TABLE;
use warpsmith_isa::g13::G13;
use warpsmith_isa::set::InstructionSet;
use warpsmith_isa::Options;

/// The fields of the control word in each row, of chips with these options.
pub(super) fn derived(options: Options) -> &'static Derived {
    static DERIVED: [OnceLock<Derived>; Options::COUNT] = [const { OnceLock::new() }; Options::COUNT];
    DERIVED[options.number()].get_or_init(|| derive(options))
}

fn derive(options: Options) -> Derived {
    let launch = Launch { pc: 33, registers: 130, options };
    let rules = Rules {
        bases: &|row| bases(row, &launch),
        reserved: false,
        decode: &|bits| decode(bits, &launch),
        // What follows number and mode of a source, or the other sources.
        by_hand: &[
            "r1", "r2", "r3", "use1", "use2", "use3", "n1", "n2", "n3", "n4", "s1_hi", "s2_hi", "s3_hi", "hi4",
            "base_hi", "half_a", "half_b", "half_c", "port3", "port4", "length",
        ],
        ignored: &[
            // The number of an address, and its bytes.
            ("O", "imm"),
            ("Ot", "imm"),
            ("Ou", "imm"),
            ("F", "imm"),
            ("s", "imm"),
            // The address behind the instruction.
            ("call", "imm"),
            ("call_reg", "imm"),
            // A source that a shift drops, see `Operand::zero`.
            ("s", "from1"),
            ("s", "from3"),
            // Sums that saturate.
            ("iadd", "sat"),
            ("imadd", "sat"),
            ("iadd", "to"),
            ("imadd", "to"),
            // … or have 64 bits.
            ("iadd", LACKS),
            ("imadd", LACKS),
            ("iadd", "passes"),
            ("imadd", "passes"),
            ("iadd", "reverse"),
            ("imadd", "reverse"),
            ("iadd", "sum_of_two"),
            ("imadd", "sum_of_two"),
            // The uniform that is stored.
            ("uniform_store", "dst_half"),
            ("uniform_store", "dst_hi"),
            ("uniform_store", "s1_half"),
            ("uniform_store", LACKS),
        ],
        together: &[
            ("cond", &["cc", "ccn"]),
            ("table", &["tt0", "tt1", "tt2", "tt3"]),
            ("extend1", &["As", "At", "cc"]),
            ("extend1", &["Bs", "Bt"]),
            ("extend2", &["As", "At"]),
            ("extend2", &["Bs", "Bt", "cc"]),
            ("extend3", &["Cs", "Ct"]),
            ("s3_half", &["Xt", "Dt"]),
            ("half4", &["Yt", "Dt"]),
            ("dst_hi", &["R", "Rt"]),
            // The difference of two halves is one where the destination is.
            ("format", &["Dt", "At"]),
            ("number_3", &["R", "Rt"]),
            ("number_2", &["O", "Ot"]),
            ("register_2", &["O", "Ot"]),
            ("scale", &["F", "s"]),
            (LACKS, &["mask", "F", "Rt"]),
            ("passes", &["mask", "F"]),
            ("places", &["mask", "F"]),
            (LACKS, &["At", "Ot"]),
        ],
    };
    Derived::of(TABLE.forms(), &rules)
}

/// The control word of an instruction at address 0, where a target is its offset.
fn decode(bits: u128, launch: &Launch) -> Result<ControlWord, TrapCause> {
    g13::decode(&bits.to_le_bytes()[..12], 0, launch)
}

/// Instructions of a row whose sources are whole registers, where they may be, and halves.
fn bases(row: usize, launch: &Launch) -> Vec<u128> {
    let Some(sample) = G13.sample(row) else { return vec![] };
    let with_modes = |modes: &[u64]| {
        TABLE.forms()[row].operands.iter().fold(sample.code.bits(), |bits, o| {
            let Some(mode) = o.fields.get(1) else { return bits };
            let mut tried = modes.iter().filter(|m| mode.fits(**m)).map(|m| mode.put(bits, *m));
            tried.find(|bits| decode(*bits, launch).is_ok()).unwrap_or(bits)
        })
    };
    vec![with_modes(&[9, 1]), with_modes(&[1])]
}
