//! Memory arbiter: the request ports of the SMs onto the one port of the chip.
//!
//! S SMs, P words a line.
//!
//! | port          | width    | meaning                                                          |
//! |---------------|----------|------------------------------------------------------------------|
//! | `sm_valid`    | [S][1]   | a request of the SM, kept with its fields until `sm_ready`       |
//! | `sm_ready`    | [S][1]   | it is taken                                                      |
//! | `sm_write`    | [S][1]   | store, else load                                                 |
//! | `sm_address`  | [S][32]  | byte address, a multiple of 4P                                   |
//! | `sm_wdata`    | [S][32P] | store data                                                       |
//! | `sm_wmask`    | [S][4P]  | bytes to store                                                   |
//! | `sm_rvalid`   | [S][1]   | read data for the SM, in the order of its requests               |
//! | `sm_rdata`    | [S][32P] | the line                                                         |
//! | `mem_*`       | as above | the same signals of the chip's port                              |
//!
//! Timing: no delay either way; at most one request a cycle, round robin; a request that waits at
//!   the chip's port stays there. The order of the reads in flight is kept, for as many as the SMs
//!   may have; with one SM the block is wires.
//! Reset: nothing in flight, SM 0 first. Errors: none; read data nobody asked for is dropped on SM 0.
// The header, which the Verilog shows, has widths such as [L][32]: they are no links.
#![allow(rustdoc::broken_intra_doc_links)]

use crate::config::GpuConfig;
use crate::rtl::prelude::*;
use crate::sm::mem::atomic::locks;
use crate::sm::mem::fifo::Fifo;
use crate::sm::mem::port::MemoryPort;

block! {
    /// See the module.
    pub struct MemoryArbiter(cfg: &GpuConfig) {
        in sm_valid([s] 1),
        out sm_ready([s] 1),
        in sm_write([s] 1),
        in sm_address([s] 32),
        in sm_wdata([s] line),
        in sm_wmask([s] line / 8),
        /// No other SM may use the port, of one SM at most; with atomic accesses.
        in sm_lock([locks(cfg).bits(s)] 1),
        out sm_rvalid([s] 1),
        out sm_rdata([s] line),
        part mem(MemoryPort<Source>: cfg.port_words),
        /// One-hot: the SM that is first in turn. None with one SM.
        part turn(Vec<Reg> = if s > 1 { vec![Reg::reset_to(s, 1)] } else { vec![] }),
        /// SM of each read in flight. None with one SM.
        part order(Vec<Fifo> = if s > 1 { vec![Fifo::new(depth, clog2(s))] } else { vec![] }),
        keep _sms(usize = s),
    } where {
        let (s, line) = (cfg.sms, 32 * cfg.port_words);
        let depth = (s * cfg.reads_in_flight).next_power_of_two();
    }
}

impl MemoryArbiter {
    /// The SM whose request is at the port, one-hot, and whether that request may be taken.
    fn grant(&self, turn: &Reg, order: &Fifo) -> (Expr, Expr) {
        let n = self._sms;
        let valid = pack(get_all(&self.sm_valid).iter());
        let valid = match &self.sm_lock[..] {
            [] => valid,
            locks => {
                let locks = wire("locks", pack(get_all(locks).iter()));
                valid & (&locks | !locks.any().repeat(n))
            }
        };
        let valid = wire("requests", valid);
        // The first request at or after the turn: subtracting the turn from the requests written
        // twice borrows up to exactly that one.
        let twice = wire("twice", cat([&valid, &valid]));
        let first = wire("first", &twice & &!(&twice - &get(turn).zext(2 * n)));
        let grant = wire("grant", first.bits(0, n) | first.bits(n, n));
        let write = one_hot_mux(&grant, &get_all(&self.sm_write));
        let may = wire("may", valid.any() & (&write | &get(&order.in_ready)));
        let taken = wire("taken", &may & &get(&self.mem.ready));
        // A request that is shown and not taken is first next time, so it cannot be displaced.
        let after = cat([&grant.bits(0, n - 1), &grant.msb()]);
        when(&may, || set(turn, taken.mux(&after, &grant)));
        set(&order.in_valid, &taken & &!&write);
        set(&order.in_data, one_hot_index(&grant, clog2(n)));
        set(&order.out_ready, get(&self.mem.rvalid));
        (grant, may)
    }
}

impl Rtl for MemoryArbiter {
    fn rtl(&self) {
        let n = self._sms;
        let (grant, may, to) = match (&self.turn[..], &self.order[..]) {
            ([turn], [order]) => {
                let (grant, may) = self.grant(turn, order);
                (grant, may, get(&order.out_data))
            }
            _ => (lit(1, 1), get(&self.sm_valid[0]), zero(1)),
        };
        let choose = |of: &[Input]| {
            if n == 1 {
                get(&of[0])
            } else {
                one_hot_mux(&grant, &get_all(of))
            }
        };
        set(&self.mem.write, choose(&self.sm_write));
        set(&self.mem.address, choose(&self.sm_address));
        set(&self.mem.wdata, choose(&self.sm_wdata));
        set(&self.mem.wmask, choose(&self.sm_wmask));
        for i in 0..n {
            let (mine, for_me) = if n == 1 { (lit(1, 1), lit(1, 1)) } else { (grant.bit(i), to.is(i as u64)) };
            let ready = get(&self.mem.ready);
            set(&self.sm_ready[i], if n == 1 { ready } else { &(&may & &ready) & &mine });
            let rvalid = get(&self.mem.rvalid);
            set(&self.sm_rvalid[i], if n == 1 { rvalid } else { &rvalid & &for_me });
            set(&self.sm_rdata[i], get(&self.mem.rdata));
        }
        set(&self.mem.valid, may);
    }
}
rtl_block!(MemoryArbiter, "memory_arbiter");
