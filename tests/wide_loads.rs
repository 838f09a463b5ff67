//! Loads of 64 and 128 bits that replace the register of their own address: every part of the destination,
//! on every number of lanes, in lockstep with the model.

use crate::support::set_chip::native;
use crate::support::sim;
use warpsmith_cosim::Chip;
use warpsmith_isa::assemble;
use warpsmith_model::launch::GlobalSection;
use warpsmith_model::Launch;

/// Bytes read.
const BYTES: u32 = 64 * 16;

/// One launch for every place of the address inside the destination, of every number of a first register:
/// all threads, some of them by a guard, and twice in a row through what was loaded.
fn launches() -> Vec<Launch> {
    let mut all = vec![];
    for (size, parts) in [("S64", 2), ("S128", 4)] {
        for first in 4..8 {
            for part in 0..parts {
                let (address, guard) = (first + part, ["", " (C0.NE)"]);
                for (n, guard) in guard.iter().enumerate() {
                    let text = format!(
                        "MVI R2, 0x1; LOP.AND.C0 o[0x7f], R0, R2; SHL R3, R0, 0x4; MOV R{address}, R3\n\
                         GLD.{size} R{first}{guard}, global14[R{address}]; IADD R1, R{address}, R0\n\
                         MVI R2, 0x3f0; LOP.AND R{address}, R1, R2; GLD.{size} R{first}, global14[R{address}]\n\
                         MVI R2, 0x400; IADD R3, R3, R2; GST.{size} global14[R3], R{first}; RET"
                    );
                    let name = format!("{size} R{first} from R{address}, {n}");
                    let program = assemble(&text, &name).unwrap_or_else(|e| panic!("{e}"));
                    let mut l = Launch::from_words(&name, program.words);
                    (l.grid, l.block) = ([2, 1], [64, 1, 1]);
                    l.global_bytes = u64::from(2 * BYTES);
                    l.globals = vec![GlobalSection::new(0, (0..BYTES).map(|i| (i * 37 + i / 256) as u8).collect())];
                    all.push(l);
                }
            }
        }
    }
    all
}

fn agree(chip: &Chip) {
    for l in launches() {
        sim::agree_on(chip, &l);
    }
}

#[test]
fn a_wide_load_replaces_its_own_address_on_every_number_of_lanes() {
    for set in [&["lanes=2", "port_words=2"][..], &["lanes=4", "port_words=4"], &[]] {
        agree(&native("tiny", set));
    }
    agree(&native("default", &[]));
    agree(&native("default", &["lanes=16", "port_words=16"]));
    agree(&native("wide", &[]));
    agree(&native("quad", &[]));
}

#[test]
fn a_wide_load_replaces_its_own_address_in_verilator() {
    if let Some(chip) = sim::chip("tiny", &[]) {
        agree(&chip);
    }
}
