//! The controller: registers beside the chip's own, a shifter for the chain, and the times of a fault.
//!
//! The bus goes through it. The start of an armed kernel waits for its phase: some state of a chip at rest counts on from reset, and
//! runs that begin in the same state are the same. The start is cycle 0; whether the fault acts at the coming edge is known
//! one cycle before, but for the edge that takes the start, for which it is known when the controller has been armed.

use super::build::{CHANGED, CONSTANT, CONTROL, FLIP, HOLD, IN, OUT, SOURCE};
use super::chain::Chain;
use crate::expr::Binary;
use crate::id::{ExprId, SignalId};
use crate::module::{Module, Signal, SignalKind};
use crate::pass::build::Build;
use warpsmith_contract::inject::DRAIN;
use warpsmith_contract::ports::{self, ChipPort, PortWidth};
use warpsmith_contract::registers::{self as map, BitField, Register};

/// Bits above which the address of a register says that it is one of the controller's, and those below.
const PAGE_BIT: u32 = 6;

/// Bits of the count of cycles since reset.
const PHASE_BITS: u32 = map::INJECT_PHASES.ilog2() + 1;

/// Bits of the counter of the cycles in which the last writes leave a chip that is done.
const DRAIN_BITS: u32 = DRAIN.ilog2();

/// The module for a chain.
pub fn controller(chain: &Chain) -> Module {
    let mut b = Build::new(
        SOURCE,
        "injector".into(),
        "Controller of the saboteurs: shifts a fault's place into the chain, and tells in each cycle of a kernel whether the\nfault acts at the coming edge.",
    );
    let input = |b: &mut Build, port: ChipPort| {
        let PortWidth::Bits(width) = port.width else { panic!("the bus has no lines") };
        b.signal(port.name, width as u32, SignalKind::Input)
    };
    let valid = input(&mut b, ports::BUS_VALID);
    let write = input(&mut b, ports::BUS_WRITE);
    let address = input(&mut b, ports::BUS_ADDRESS);
    let data = input(&mut b, ports::BUS_WDATA);
    let to_chip = [valid, write, address, data].map(|s| {
        let Signal { name, width, .. } = b.0.signals[s.0 as usize].clone();
        b.signal(&format!("chip_{name}"), width, SignalKind::Output)
    });
    let chip_rdata = b.signal("chip_rdata", 32, SignalKind::Input);
    let done = b.signal("done", 1, SignalKind::Input);
    let changed = b.signal(CHANGED, 1, SignalKind::Input);
    let end = b.signal(IN, 1, SignalKind::Input);
    let rdata = b.signal("rdata", 32, SignalKind::Output);
    let control = b.signal(CONTROL, 4, SignalKind::Output);
    let out = b.signal(OUT, 1, SignalKind::Output);
    let mut c = Controller { b, bus: Bus { valid, write, address, data } };
    let shift = c.shifter();
    let starts = c.start(to_chip);
    let time = c.times(&starts, done);
    c.state(&time, changed);
    c.answers(chain, rdata, (chip_rdata, end), &shift, &time);
    let b = &mut c.b;
    let (shifts, first) = (b.get(shift.busy), b.get(shift.first));
    b.set(out, first);
    let acts = b.get(time.acts);
    let becomes = b.get(time.becomes);
    let orders = b.cat(vec![shifts, acts, becomes]);
    b.set(control, orders);
    c.b.finish()
}

struct Bus {
    valid: SignalId,
    write: SignalId,
    address: SignalId,
    data: SignalId,
}

struct Controller {
    b: Build,
    bus: Bus,
}

/// Signals of the shifter.
struct Shift {
    busy: SignalId,
    first: SignalId,
}

/// Signals of the start.
struct Start {
    armed: SignalId,
    /// It goes to the chip in this cycle.
    now: SignalId,
}

/// Signals of the times of a fault.
struct Times {
    armed: SignalId,
    running: SignalId,
    cycles: SignalId,
    /// Armed anew in this cycle.
    arms: SignalId,
    /// It acts at the coming edge.
    acts: SignalId,
    becomes: SignalId,
    seen: SignalId,
    seen_cycle: SignalId,
}

impl Controller {
    fn reg(&mut self, name: &str, width: u32) -> SignalId {
        self.b.signal(name, width, SignalKind::Reg { reset: Some(0) })
    }

    fn and(&mut self, list: Vec<ExprId>) -> ExprId {
        self.b.join(Binary::And, list).expect("a condition")
    }

    fn is_zero(&mut self, signal: SignalId) -> ExprId {
        let value = self.b.get(signal);
        let any = self.b.any(value);
        self.b.not(any)
    }

    /// Bits of what the host writes.
    fn field(&mut self, field: BitField) -> ExprId {
        self.b.slice(self.bus.data, field.low, field.width())
    }

    /// The address is that of a register.
    fn is(&mut self, register: Register) -> ExprId {
        let word = self.b.slice(self.bus.address, 2, ports::BUS_ADDRESS_BITS as u32 - 2);
        let number = self.b.lit(ports::BUS_ADDRESS_BITS as u32 - 2, register.word().into());
        self.b.binary(Binary::Eq, word, number)
    }

    /// The host writes a register.
    fn writes(&mut self, register: Register) -> ExprId {
        let (valid, write, here) = (self.b.get(self.bus.valid), self.b.get(self.bus.write), self.is(register));
        self.and(vec![valid, write, here])
    }

    /// A register that the host writes as a whole.
    fn written(&mut self, name: &str, register: Register) -> SignalId {
        let signal = self.reg(name, 32);
        let (writes, data) = (self.writes(register), self.b.get(self.bus.data));
        self.b.when(writes, |b| b.set(signal, data));
        signal
    }

    /// As many cycles as bits, in each of which the chain shifts.
    fn shifter(&mut self) -> Shift {
        let count = map::inject_shift::COUNT;
        let left = self.reg("shift_left", count.width());
        let first = self.reg("shift_first", 1);
        let value = self.b.get(left);
        let busy = self.b.any(value);
        let busy = self.b.wire("shifts", busy);
        let writes = self.writes(map::INJECT_SHIFT);
        let (bits, bit) = (self.field(count), self.field(map::inject_shift::FIRST));
        let b = &mut self.b;
        let (one, none, shifts) = (b.lit(count.width(), 1), b.zero(1), b.get(busy));
        let less = b.binary(Binary::Sub, value, one);
        b.when(shifts, |b| {
            b.set(left, less);
            b.set(first, none);
        });
        b.when(writes, |b| {
            b.set(left, bits);
            b.set(first, bit);
        });
        Shift { busy, first }
    }

    /// Hands the bus on to the chip, but for the start of an armed kernel, which waits for its phase.
    fn start(&mut self, to_chip: [SignalId; 4]) -> Start {
        let phase = self.written("start_phase", map::INJECT_PHASE);
        let [armed, waits] = ["armed", "start_waits"].map(|name| self.reg(name, 1));
        let word = self.reg("start_word", 32);
        let age = self.reg("age", PHASE_BITS);
        let (asked, start) = (self.writes(map::CONTROL), self.field(map::control::START));
        let b = &mut self.b;
        let (counted, one, last) =
            (b.get(age), b.lit(PHASE_BITS, 1), b.lit(PHASE_BITS, u64::from(map::INJECT_PHASES) - 1));
        let wraps = b.binary(Binary::Eq, counted, last);
        let (next, none) = (b.binary(Binary::Add, counted, one), b.zero(PHASE_BITS));
        let next = b.mux(wraps, none, next);
        b.set(age, next);
        let is_armed = b.get(armed);
        let asks = b.join(Binary::And, [asked, start, is_armed]).expect("three");
        let asks = b.wire("start_asked", asks);
        let (asks, waiting, low) = (b.get(asks), b.get(waits), b.slice(phase, 0, PHASE_BITS));
        let in_phase = b.binary(Binary::Eq, counted, low);
        let now = b.binary(Binary::And, waiting, in_phase);
        let now = b.wire("starts", now);
        let (goes, yes, no) = (b.get(now), b.lit(1, 1), b.zero(1));
        let data = b.get(self.bus.data);
        b.when(asks, |b| {
            b.set(waits, yes);
            b.set(word, data);
        });
        b.when(goes, |b| {
            b.set(waits, no);
            b.set(armed, no);
        });
        let held = b.not(asks);
        let (valid, write, address) = (b.get(self.bus.valid), b.get(self.bus.write), b.get(self.bus.address));
        let passed = b.binary(Binary::And, valid, held);
        let to = b.lit(ports::BUS_ADDRESS_BITS as u32, map::CONTROL.address.into());
        let stored = b.get(word);
        for (port, mine, theirs) in
            [(to_chip[0], yes, passed), (to_chip[1], yes, write), (to_chip[2], to, address), (to_chip[3], stored, data)]
        {
            let value = b.mux(goes, mine, theirs);
            b.set(port, value);
        }
        Start { armed, now }
    }

    /// Counts the cycles of an armed kernel, and those of its fault one ahead of them.
    fn times(&mut self, start: &Start, done: SignalId) -> Times {
        let wait = self.written("cycles_before", map::INJECT_CYCLE);
        let left = self.written("cycles_left", map::INJECT_DURATION);
        let period = self.written("period", map::INJECT_PERIOD);
        let active = self.written("active", map::INJECT_ACTIVE);
        let [phase, cycles] = ["phase", "cycles"].map(|name| self.reg(name, 32));
        let armed = start.armed;
        let [primed, at_start, acted, running] =
            ["primed", "acts_at_start", "acts_next", "running"].map(|name| self.reg(name, 1));
        let [ended, drain] = [("ended", 1), ("drain", DRAIN_BITS)].map(|(name, width)| self.reg(name, width));
        let [kind, seen, fired] = [("kind", 2), ("seen", 1), ("fired", 1)].map(|(name, width)| self.reg(name, width));
        let seen_cycle = self.reg("seen_cycle", 32);
        let (writes, arm, to) =
            (self.writes(map::INJECT_ARM), self.field(map::inject_arm::ARM), self.field(map::inject_arm::BECOMES));
        let arms = self.b.wire("arms", writes);
        let (is_armed, is_primed) = (self.b.get(armed), self.b.get(primed));
        // Whether the fault acts in the next cycle that is not decided yet.
        let (came, bursts, over) = (self.is_zero(wait), self.is_zero(period), self.is_zero(left));
        let b = &mut self.b;
        let (at, long) = (b.get(phase), b.get(active));
        let inside = b.binary(Binary::Lt, at, long);
        let inside = b.binary(Binary::Or, bursts, inside);
        let goes_on = b.not(over);
        let in_time = b.binary(Binary::And, came, goes_on);
        let in_time = b.wire("in_time", in_time);
        let in_time = b.get(in_time);
        let acts = b.binary(Binary::And, in_time, inside);
        let acts = b.wire("acts_then", acts);
        let (goes, done) = (b.get(running), b.get(done));
        let unprimed = b.not(is_primed);
        let primes = b.binary(Binary::And, is_armed, unprimed);
        let primes = b.wire("primes", primes);
        let (primes, begins) = (b.get(primes), b.get(start.now));
        let steps = b.join(Binary::Or, [primes, begins, goes]).expect("three");
        let steps = b.wire("steps", steps);
        let (acts, steps) = (b.get(acts), b.get(steps));
        self.step(steps, in_time, (wait, left, phase, period));
        let b = &mut self.b;
        let (yes, no, one, zero) = (b.lit(1, 1), b.zero(1), b.lit(32, 1), b.zero(32));
        let (one_more, all_ones, none) =
            (b.lit(DRAIN_BITS, 1), b.lit(DRAIN_BITS, (1 << DRAIN_BITS) - 1), b.zero(DRAIN_BITS));
        b.when(primes, |b| {
            b.set(primed, yes);
            b.set(at_start, acts);
        });
        let count = b.get(cycles);
        let more = b.binary(Binary::Add, count, one);
        let (was_done, drained) = (b.get(ended), b.get(drain));
        let is_done = b.binary(Binary::Or, was_done, done);
        let counts = b.not(is_done);
        let counts = b.binary(Binary::And, goes, counts);
        let ends = b.binary(Binary::And, goes, is_done);
        let (drained_more, last) = (b.binary(Binary::Add, drained, one_more), b.binary(Binary::Eq, drained, all_ones));
        let over = b.binary(Binary::And, ends, last);
        b.when(goes, |b| b.set(acted, acts));
        b.when(counts, |b| b.set(cycles, more));
        // The last writes leave the chip after it says done; the fault is over with them.
        b.when(ends, |b| {
            b.set(ended, yes);
            b.set(drain, drained_more);
        });
        b.when(over, |b| b.set(running, no));
        b.when(begins, |b| {
            b.set(acted, acts);
            b.set(cycles, zero);
            b.set(drain, none);
            b.set(ended, no);
            b.set(running, yes);
        });
        let (first, later) = (b.get(at_start), b.get(acted));
        let first = b.binary(Binary::And, begins, first);
        let later = b.binary(Binary::And, later, goes);
        let now = b.binary(Binary::Or, first, later);
        let now = b.wire("acts", now);
        let (acting, kind_of, was) = (b.get(now), b.get(kind), b.get(fired));
        b.when(acting, |b| b.set(fired, yes));
        let constant = b.slice(kind, CONSTANT.ilog2(), 1);
        let (flip, hold) = (b.lit(2, FLIP), b.lit(2, HOLD));
        let inverse = b.mux(was, hold, flip);
        let becomes = b.mux(constant, kind_of, inverse);
        let becomes = b.wire("becomes", becomes);
        let arming = b.get(arms);
        b.when(arming, |b| {
            for flag in [primed, at_start, acted, running, fired] {
                b.set(flag, no);
            }
            b.set(phase, zero);
            b.set(armed, arm);
            b.set(kind, to);
        });
        Times { armed, running, cycles, arms, acts: now, becomes, seen, seen_cycle }
    }

    /// The times of the fault, a cycle on.
    fn step(
        &mut self, steps: ExprId, in_time: ExprId,
        (wait, left, phase, period): (SignalId, SignalId, SignalId, SignalId),
    ) {
        let b = &mut self.b;
        let (one, all, zero) = (b.lit(32, 1), b.lit(32, u32::MAX.into()), b.zero(32));
        let (waits, remaining, at, long) = (b.get(wait), b.get(left), b.get(phase), b.get(period));
        let less = b.binary(Binary::Sub, waits, one);
        let waiting = b.any(waits);
        let waiting = b.binary(Binary::And, steps, waiting);
        b.when(waiting, |b| b.set(wait, less));
        let fewer = b.binary(Binary::Sub, remaining, one);
        let next = b.binary(Binary::Add, at, one);
        let wraps = b.binary(Binary::Eq, next, long);
        let next = b.mux(wraps, zero, next);
        let ends = b.binary(Binary::Ne, remaining, all);
        let passes = b.binary(Binary::And, steps, in_time);
        b.when(passes, |b| {
            b.set(phase, next);
            b.when(ends, |b| b.set(left, fewer));
        });
    }

    /// When a bit first changed.
    fn state(&mut self, time: &Times, changed: SignalId) {
        let b = &mut self.b;
        let (go, tells, was, arming) = (b.get(time.running), b.get(changed), b.get(time.seen), b.get(time.arms));
        let new = b.not(was);
        let first = b.join(Binary::And, [go, tells, new]).expect("three");
        let (yes, no, cycle) = (b.lit(1, 1), b.zero(1), b.get(time.cycles));
        b.when(first, |b| {
            b.set(time.seen, yes);
            b.set(time.seen_cycle, cycle);
        });
        b.when(arming, |b| b.set(time.seen, no));
    }

    /// The controller's registers as the bus reads them, the chip's otherwise.
    fn answers(
        &mut self, chain: &Chain, rdata: SignalId, (chip_rdata, end): (SignalId, SignalId), shift: &Shift, time: &Times,
    ) {
        let put = |b: &mut Build, fields: Vec<(BitField, SignalId)>| {
            let mut parts = vec![];
            let mut low = 0;
            for (field, signal) in fields {
                if field.low > low {
                    parts.push(b.zero(field.low - low));
                }
                parts.push(b.get(signal));
                low = field.high + 1;
            }
            parts.push(b.zero(32 - low));
            b.cat(parts)
        };
        let b = &mut self.b;
        let shifting = put(b, vec![(map::inject_shift::SHIFTING, shift.busy)]);
        use map::inject_state::{ARMED, CHANGED, END, RUNNING};
        let state = put(b, vec![(ARMED, time.armed), (RUNNING, time.running), (CHANGED, time.seen), (END, end)]);
        let (cycles, seen) = (b.get(time.cycles), b.get(time.seen_cycle));
        let (length, layout) = (b.lit(32, chain.length.into()), b.lit(32, chain.layout().into()));
        let mut value = b.zero(32);
        for (register, word) in [
            (map::INJECT_SHIFT, shifting),
            (map::INJECT_STATE, state),
            (map::INJECT_CYCLES, cycles),
            (map::INJECT_CHANGED, seen),
            (map::INJECT_LENGTH, length),
            (map::INJECT_LAYOUT, layout),
        ] {
            let here = self.is(register);
            value = self.b.mux(here, word, value);
        }
        let answer = self.reg("answer", 32);
        let is_mine = self.reg("answers", 1);
        self.b.set(answer, value);
        let high = ports::BUS_ADDRESS_BITS as u32 - PAGE_BIT;
        let b = &mut self.b;
        let page = b.slice(self.bus.address, PAGE_BIT, high);
        let ours = b.lit(high, (map::INJECT_SHIFT.address >> PAGE_BIT).into());
        let here = b.binary(Binary::Eq, page, ours);
        b.set(is_mine, here);
        let (mine, ours, theirs) = (b.get(is_mine), b.get(answer), b.get(chip_rdata));
        let word = b.mux(mine, ours, theirs);
        b.set(rdata, word);
    }
}
