//! Timing of a DRAM and its controller: banks with an open row each, one data bus, refresh.
//!
//! Requests are served in order, each as soon as its bank and the bus allow. Address: row above bank above column, as
//! LiteDRAM maps it. Times are in cycles of the chip, whose clock is that of the controller; controller, PHY and the way to
//! the port are in `column`.

use std::collections::VecDeque;

/// A DRAM by its times in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dram {
    /// Banks.
    banks: u32,
    /// Bytes of a row of a bank.
    row_bytes: u32,
    /// Bytes that the bus carries a cycle.
    bus_bytes: u32,
    /// From a request to its first data, its row being open.
    column: u32,
    /// Opens a row.
    activate: u32,
    /// Closes one.
    precharge: u32,
    /// From one refresh to the next, and for how long it takes all banks.
    refresh: [u32; 2],
    /// Between two lines on the bus.
    gap: u32,
    /// Between data in one direction and in the other, further.
    turn: u32,
    /// Requests that wait at most.
    queue: usize,
}

/// 16-bit SDRAM at 100 MHz, that of a ULX3S: 4 banks, rows of 1 KiB, tRFC 66 ns, 8192 refreshes in 64 ms (data sheet of
/// MT48LC16M16A2); the other times are those of LiteDRAM and the way to it, fitted to the system of `soc --board sim`.
pub const SDRAM: Dram = Dram {
    banks: 4,
    row_bytes: 1024,
    bus_bytes: 2,
    column: 8,
    activate: 4,
    precharge: 5,
    refresh: [781, 7],
    gap: 1,
    turn: 5,
    queue: 16,
};

/// 16-bit DDR3-800 whose controller runs at 100 MHz, that of an Arty or OrangeCrab: 8 banks, rows of 2 KiB; tRCD and tRP
/// 13.75 ns, tRFC 160 ns, 8192 refreshes in 64 ms (data sheet of MT41K128M16), and 20 cycles of controller and PHY.
pub const DDR3: Dram = Dram {
    banks: 8,
    row_bytes: 2048,
    bus_bytes: 16,
    column: 20,
    activate: 2,
    precharge: 2,
    refresh: [781, 16],
    gap: 0,
    turn: 4,
    queue: 16,
};

impl Dram {
    /// Cycles that a read takes at most, about: its queue is full of lines of 128 bytes, each in another row.
    pub fn slowest(&self) -> u64 {
        let one = self.precharge + self.activate + self.column + self.turn + self.gap + 128u32.div_ceil(self.bus_bytes);
        u64::from(one) * self.queue as u64 + u64::from(self.refresh[1])
    }
}

/// A bank: its open row, and the cycle from which it takes a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Bank {
    row: Option<u32>,
    free: u64,
}

/// Where a DRAM stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Banks {
    banks: Vec<Bank>,
    /// Cycle from which the bus is free, and whether it carried a store.
    bus: u64,
    stored: bool,
    refreshes: u64,
    /// Cycles in which the requests taken last are done.
    done: VecDeque<u64>,
}

impl Banks {
    /// Whether another request has a place in `cycle`.
    pub fn has_room(&mut self, of: &Dram, cycle: u64) -> bool {
        while self.done.front().is_some_and(|done| *done <= cycle) {
            self.done.pop_front();
        }
        self.done.len() < of.queue
    }

    /// Takes a request for a line of `bytes`, a store or a load; the cycle in which it is done.
    pub fn take(&mut self, of: &Dram, address: u32, bytes: u32, store: bool, cycle: u64) -> u64 {
        self.banks.resize(of.banks as usize, Bank::default());
        let [every, long] = of.refresh.map(u64::from);
        // Refreshes wait for the data that are on their way, and close every row.
        while (self.refreshes + 1) * every <= cycle.max(self.bus) {
            self.refreshes += 1;
            let end = self.bus.max(self.refreshes * every) + long;
            self.bus = end;
            self.banks.fill(Bank { row: None, free: end });
        }
        let (row, bank) = (address / of.row_bytes / of.banks, address / of.row_bytes % of.banks);
        let bank = &mut self.banks[bank as usize];
        let mut begin = cycle.max(bank.free);
        if bank.row != Some(row) {
            let close = bank.row.map_or(0, |_| of.precharge);
            begin += u64::from(close + of.activate);
            bank.row = Some(row);
        }
        let column = u64::from(of.column);
        let turn = if std::mem::replace(&mut self.stored, store) == store { 0 } else { of.turn };
        let data = (self.bus + u64::from(turn)).max(begin + column);
        let transfer = u64::from(bytes.div_ceil(of.bus_bytes) + of.gap);
        bank.free = data - column + transfer;
        self.bus = data + transfer;
        self.done.push_back(self.bus);
        self.bus
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_rows_banks_and_the_bus_take_their_time() {
        let mut b = Banks::default();
        let mut take = |address, store, cycle| b.take(&SDRAM, address, 32, store, cycle);
        // A closed bank: activate, column, 16 transfers of 2 bytes and the gap.
        assert_eq!(take(0, false, 0), 4 + 8 + 17);
        // The same row: the bus alone.
        assert_eq!(take(32, false, 1), 29 + 17);
        // Another bank is opened meanwhile.
        assert_eq!(take(1024, false, 2), 46 + 17);
        // Another row of the first bank: precharge, activate, column.
        assert_eq!(take(4096, false, 100), 100 + 9 + 8 + 17);
        // A store: the bus turns.
        assert_eq!(take(4128, true, 101), 134 + 5 + 17);
    }

    #[test]
    fn a_refresh_closes_the_rows_and_a_full_queue_has_no_room() {
        let mut b = Banks::default();
        b.take(&DDR3, 0, 32, false, 0);
        assert_eq!(b.take(&DDR3, 32, 32, false, 790), 781 + 16 + 2 + 20 + 2);
        let mut b = Banks::default();
        let ends: Vec<u64> = (0..16).map(|i| b.take(&DDR3, 32 * i, 32, false, 0)).collect();
        assert!(!b.has_room(&DDR3, ends[0] - 1));
        assert!(b.has_room(&DDR3, ends[0]));
    }
}
