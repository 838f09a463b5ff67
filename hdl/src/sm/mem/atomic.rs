//! Atomic accesses: reads a line, replaces the words of its lanes one after the other, and writes it back.
//!
//! L lanes, P words a line. While a sequence is under way the port belongs to it, from the first sequence of an
//! instruction to its last one in all SMs (`lock`): what other SMs see of an instruction is all or nothing.
//!
//! | port        | width            | meaning                                                                  |
//! |-------------|------------------|--------------------------------------------------------------------------|
//! | `req_valid` | 1                | a request with an operation waits                                        |
//! | `req`       | `Request::width` | it; without lanes it only ends its instruction                           |
//! | `req_ready` | 1                | it is done                                                               |
//! | `may_begin` | 1                | nothing before it is under way, and what follows from it has a place     |
//! | `halt`      | 1                | the kernel has trapped: no lock is kept; with several SMs                |
//! | `valid`     | 1                | a request to the port, kept until `ready`                                |
//! | `ready`     | 1                | the port takes it                                                        |
//! | `write`     | 1                | the line goes back, else it is read                                      |
//! | `line`      | 32P              | the line to store, undefined outside the mask                            |
//! | `mask`      | 4P               | bytes to store; 0 of a read                                              |
//! | `rvalid`    | 1                | the line has been read                                                   |
//! | `rdata`     | 32P              | the line                                                                 |
//! | `answer`    | 1                | the sequence ends in this cycle, and its results are those at `old`      |
//! | `old`       | 32P              | what each lane found, that of lane i in word i                           |
//! | `busy`      | 1                | a sequence is under way (a register)                                     |
//! | `lock`      | 1                | no other SM may use the port (a register); with several SMs              |
//!
//! Timing: two cycles for each lane between the read and the write, from the lowest lane on: a lane sees what lanes
//!   below it have left. A request without lanes takes one cycle.
//! Reset: no sequence, no lock. Errors: none; addresses are checked in stage M.
//! Source: docs/semantics.md, Atomic accesses.

use super::choice::{chosen, first_of};
use super::coalescer::{line_bits, Lanes, Request};
use super::operation::{atomic, Operation};
use crate::config::GpuConfig;
use crate::rtl::prelude::*;
use crate::sm::dims::Dims;

block! {
    /// See the module.
    pub struct AtomicUnit(cfg: &GpuConfig) {
        in req_valid(1),
        in req(Request::width(cfg)),
        out req_ready(1),
        in may_begin(1),
        in halt(if locks(cfg); 1),
        out valid(1),
        in ready(1),
        out write(1),
        out line(32 * cfg.port_words),
        out mask(4 * cfg.port_words),
        in rvalid(1),
        in rdata(32 * cfg.port_words),
        out answer(1),
        out old(32 * cfg.port_words),
        out busy(1),
        out lock(if locks(cfg); 1),
        /// One of the four at most: the read is asked, it is under way, lanes are served, the write is asked.
        reg asks(1),
        reg waits(1),
        reg serves(1),
        reg stores(1),
        reg locked(if locks(cfg); 1),
        /// Words of the line, those that have changed, and what lanes found.
        data words([cfg.port_words] 32),
        reg changed(cfg.port_words),
        data found([cfg.lanes] 32),
        /// Lanes that are served; whether one is in its second cycle, which, its word, what it found, its operands.
        reg served(cfg.lanes),
        reg second(1),
        data hot(cfg.lanes),
        data place(line_bits(cfg) - 2),
        data there(32),
        data operand(32),
        data compare(32),
        keep _cfg(GpuConfig = cfg.clone()),
    }
}

/// Whether sequences keep other SMs from the port: there are some.
pub fn locks(cfg: &GpuConfig) -> bool {
    Dims::of(cfg).has.atomics && cfg.sms > 1
}

/// What an operation, of a unit that `subtracts` or does not, makes of a word (`old`), its operand, and what CAS compares with.
fn replaced(operation: &Operation, subtracts: bool, old: &Expr, operand: &Expr, compare: &Expr) -> Expr {
    let is = |code: u64| operation.code.is(code);
    let step = is(atomic::INC).mux(&lit(32, 1), &is(atomic::DEC).mux(&ones(32), operand));
    let sum = match subtracts {
        true => {
            let minus = wire("minus", is(atomic::SUB));
            carry_chain(old, &(step ^ minus.repeat(32)), &minus).bits(0, 32)
        }
        false => old + &step,
    };
    let sum = wire("sum", sum);
    let versus = wire("versus", is(atomic::CAS).mux(compare, operand));
    // Words are compared without a sign; the highest bit of both is turned round where they have one.
    let turned = |x: &Expr| cat([&(x.msb() ^ &operation.signed), &x.bits(0, 31)]);
    let less = wire("less", turned(old).lt(&turned(&versus)));
    let equal = wire("equal", old.eq(&versus));
    let zero_or_above = wire("zero_or_above", !old.any() | !(&less | &equal));
    let exchanged = equal.mux(operand, old);
    let up = less.mux(&sum, &zero(32));
    let down = zero_or_above.mux(operand, &sum);
    let (larger, smaller) = (less.mux(operand, old), less.mux(old, operand));
    let of = |code: u64| match code {
        atomic::ADD => sum.clone(),
        atomic::SUB if subtracts => sum.clone(),
        atomic::CAS => exchanged.clone(),
        atomic::INC => up.clone(),
        atomic::DEC => down.clone(),
        atomic::MAX => larger.clone(),
        atomic::MIN => smaller.clone(),
        atomic::AND => old & operand,
        atomic::OR => old | operand,
        atomic::XOR => old ^ operand,
        _ => operand.clone(),
    };
    let all: Vec<Expr> = (0..16).map(of).collect();
    wire("replaced", select(&operation.code, &all))
}

impl Rtl for AtomicUnit {
    fn rtl(&self) {
        let cfg = &self._cfg;
        let n = cfg.lanes;
        let request = Request::unpack(cfg, "request", &get(&self.req));
        let lanes = Lanes::unpack(cfg, "of", &request.lanes);
        let operation = Operation::unpack((), "operation", &request.operation);
        let (asks, waits, serves, stores) = (get(&self.asks), get(&self.waits), get(&self.serves), get(&self.stores));
        let (served, second) = (get(&self.served), get(&self.second));
        let busy = wire("under_way", any_of(&[asks.clone(), waits.clone(), serves.clone(), stores.clone()]));
        let begins = wire("begins", all_of(&[get(&self.req_valid), get(&self.may_begin), !&busy]));
        let accesses = wire("accesses", lanes.lanes.any());

        // The lane in turn: its word and operands in the first cycle, what becomes of it in the second.
        let waiting = wire("waiting", &lanes.lanes & &!&served);
        let first = wire("first", first_of(&waiting.each_bit()));
        let hot = wire("hot_lane", lowest_one_hot(&waiting));
        let offset = wire("offset", chosen(&first, &lanes.offset.each_word(line_bits(cfg))));
        let place = wire("place_of_lane", offset.bits(2, offset.width() - 2));
        let words = get_all(&self.words);
        let reads = wire("reads", &serves & &!&second);
        when(&reads, || {
            set(&self.hot, &hot);
            set(&self.place, &place);
            set(&self.there, select(&place, &words));
            set(&self.operand, chosen(&first, &request.data.each_word(32)));
            set(&self.compare, chosen(&first, &request.compare.each_word(32)));
        });
        let writes = wire("writes", &serves & &second);
        let new = replaced(
            &operation,
            Dims::of(cfg).has.atomic_signs,
            &get(&self.there),
            &get(&self.operand),
            &get(&self.compare),
        );
        let none_left = wire("none_left", !(&waiting & &!get(&self.hot)).any());
        let last = wire("last_lane", &writes & &none_left);
        let came = wire("came", &waits & get(&self.rvalid));
        let read = get(&self.rdata).each_word(32);
        let mut changes = vec![];
        for (p, word) in self.words.iter().enumerate() {
            let here = wire(&format!("here_{p}"), &writes & &get(&self.place).is(p as u64));
            when(&(&came | &here), || set(word, came.mux(&read[p], &new)));
            changes.push(here);
        }
        for (found, hot) in self.found.iter().zip(get(&self.hot).each_bit()) {
            when(&(&writes & &hot), || set(found, get(&self.there)));
        }
        set(&self.second, reads);
        let now_served = &served | &(get(&self.hot) & writes.repeat(n));
        let ends = wire("ends", (&stores & get(&self.ready)) | (&begins & &!&accesses));
        set(&self.served, now_served & !ends.repeat(n));
        let changed = get(&self.changed) | pack(changes.iter());
        set(&self.changed, changed & !ends.repeat(cfg.port_words));

        let asked = wire("asked", &asks & get(&self.ready));
        set(&self.asks, (&begins & &accesses) | (&asks & &!&asked));
        set(&self.waits, &asked | &(&waits & &!&came));
        set(&self.serves, &came | &(&serves & &!&last));
        set(&self.stores, &last | &(&stores & !get(&self.ready)));
        if let (Some(locked), Some(halt), Some(lock)) = (self.locked.get(), self.halt.get(), self.lock.get()) {
            let keeps = wire("keeps", &asked | &get(locked));
            set(locked, keeps & !(&ends & &lanes.last) & !get(halt));
            set(lock, get(locked));
        }

        set(&self.req_ready, &ends);
        set(&self.answer, &ends);
        set(&self.valid, &asks | &stores);
        set(&self.write, &stores);
        set(&self.line, pack(words.iter()));
        let mask: Vec<Expr> = get(&self.changed).each_bit().iter().map(|w| w.repeat(4)).collect();
        set(&self.mask, pack(mask.iter()) & stores.repeat(4 * cfg.port_words));
        let mut found = get_all(&self.found);
        found.resize(cfg.port_words, zero(32));
        set(&self.old, pack(found.iter()));
        set(&self.busy, busy);
    }
}
rtl_block!(AtomicUnit, "atomic_unit");
