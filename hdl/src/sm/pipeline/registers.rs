//! General registers: one block RAM a lane, three reads and one write a cycle.
//!
//! A register of a warp is 32 / lanes entries of every lane's RAM: `base + register·beats + beat`.
//!
//! | port        | width       | meaning                                                    |
//! |-------------|-------------|------------------------------------------------------------|
//! | `read`      | 1           | take the read addresses; data stay until the next          |
//! | `entry_i`   | entry       | address of operand i = 0, 1, 2, the same in every lane      |
//! | `d1_l` …    | 32          | operands of lane l, the cycle after                        |
//! | `alu_*`     |             | results of the lanes; low and high half enabled apart, one |
//! |             |             | half alone takes bits 15:0                                 |
//! | `late_*`    |             | loads and special functions, in cycles without results of the lanes                 |
//! | `init_*`    |             | R0 of a new warp, in cycles without either                 |
//!
//! Timing: as in the table; a write is read one cycle later. Without forwarding nobody uses what is
//! read in its cycle: the scoreboard lets no reader into stage I before the write is done.
//! Reset: content undefined. Errors: none. Source: docs/architecture.md, The chip: three register reads a lane.

use super::bundles::{LaneWrite, RegisterOperands, RegisterWrite};
use crate::config::GpuConfig;
use crate::rtl::prelude::*;
use crate::sm::dims::Dims;

block! {
    /// See the module.
    pub struct Registers(cfg: &GpuConfig) {
        in read(1),
        in entry([3] d.entry),
        part operands(RegisterOperands<Source>: &d),
        part alu(LaneWrite<Sink>: &d),
        part deferred(Named<RegisterWrite<Sink>> = Named::new("late", RegisterWrite::new(&d))),
        /// Halves that a load writes, one half alone takes bits 15:0.
        in late_halves(if d.has.late_halves; 2),
        part init(RegisterWrite<Sink>: &d),
        part bank(Vec<Ram> = (0..l).map(|_| bank()).collect()),
        keep _d(Dims = d),
    } where {
        let d = Dims::of(cfg);
        let l = d.lanes;
        let depth = cfg.registers / l;
        let bank = || d.rdw_dont_care(Ram::with_granule(RamKind::Block, depth, 32, 16, 3));
    }
}

/// Who of the lanes, loads and special functions, and a starting warp writes, the first in this order; and which entry.
pub fn writer(lanes: &LaneWrite<Sink>, late: &RegisterWrite<Sink>, new: &RegisterWrite<Sink>) -> ([Expr; 3], Expr) {
    let (alu, later) = (get(&lanes.valid), get(&late.valid));
    let deferred = wire("late_goes", &later & !&alu);
    set(&late.ready, !&alu);
    set(&new.ready, !&alu & !&later);
    let init = wire("init_goes", get(&new.valid) & !&alu & !&later);
    let entry = alu.mux(&get(&lanes.entry), &deferred.mux(&get(&late.entry), &get(&new.entry)));
    ([alu, deferred, init], entry)
}

impl Rtl for Registers {
    fn rtl(&self) {
        let ([alu, deferred, init], entry) = writer(&self.alu, &self.deferred, &self.init);
        let entry = wire("entry_written", entry);
        // Two bits choose the data: a lookup table a bit.
        let whole = wire("alu_whole", get(&self.alu.halves).is(3));
        let first = wire("first_of_two", alu.mux(&whole, &get(&self.deferred.valid)));
        let late_halves = self.late_halves.get().map(get);
        let read = get(&self.read);
        let entries = get_all(&self.entry);
        let (am, dm, im) = (get(&self.alu.mask), get(&self.deferred.mask), get(&self.init.mask));
        for (l, ram) in self.bank.iter().enumerate() {
            let out: Vec<Expr> = entries.iter().enumerate().map(|(p, e)| ram.read_when(p, e, &read)).collect();
            set(&self.operands.d1[l], &out[0]);
            set(&self.operands.d2[l], &out[1]);
            set(&self.operands.d3[l], &out[2]);
            let loaded = get(&self.deferred.data[l]);
            let loaded = match &late_halves {
                Some(halves) => {
                    let high = halves.all().mux(&loaded.bits(16, 16), &loaded.bits(0, 16));
                    cat([&high, &loaded.bits(0, 16)])
                }
                None => loaded,
            };
            let later = first.mux(&loaded, &get(&self.init.data[l]));
            let (low, high) = (get(&self.alu.data[l]).bits(0, 16), get(&self.alu.data[l]).bits(16, 16));
            let result = cat([&first.mux(&high, &low), &low]);
            let data = alu.mux(&result, &later);
            let (by_load, by_start) = (&deferred & &dm.bit(l), &init & &im.bit(l));
            let others = match &late_halves {
                Some(halves) => (halves & &by_load.repeat(2)) | by_start.repeat(2),
                None => (by_load | by_start).repeat(2),
            };
            let some = get(&self.alu.halves) & (&alu & &am.bit(l)).repeat(2);
            ram.write(&entry, &data, &(some | others));
        }
    }
}

rtl_block!(Registers, "registers");
