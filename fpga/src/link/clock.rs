//! The clock of a board's chip: its counter of cycles against the host's time.

use super::error::LinkError;
use super::run::{place, sum, Progress};
use super::target::Link;
use std::time::{Duration, Instant};
use warpsmith_contract::Counter;
use warpsmith_cosim::start_word;
use warpsmith_isa::asm::assemble;
use warpsmith_model::Launch;

/// Words of the counter of cycles.
const WORDS: u8 = 2;

/// Frequency of a chip's clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    /// Cycles a second.
    pub hertz: f64,
    /// It is at most so much lower or higher, apart from the error of the host's clock.
    pub uncertainty: f64,
    /// Seconds of the host over which cycles were counted.
    pub seconds: f64,
}

/// A look at the counter: it happened at some time between the two.
#[derive(Clone, Copy)]
struct Look {
    before: Instant,
    after: Instant,
    cycles: u64,
}

impl dyn Link + '_ {
    /// Measures the clock while a program without end runs, for about this time, and resets the chip; when the board is
    /// reset meanwhile, does so anew. `None`: the counter of cycles stands still.
    ///
    /// # Errors
    /// The line or the board fails.
    pub fn measure_clock(&mut self, time: Duration, progress: Progress<'_>) -> Result<Option<Clock>, LinkError> {
        Ok(self.anew(|link| link.measured(time, progress))?.0)
    }

    fn measured(&mut self, time: Duration, progress: Progress<'_>) -> Result<Option<Clock>, LinkError> {
        let launch = endless();
        let about = self.hello()?.clone();
        let (placement, need) = place(&about, &launch)?;
        self.load(&launch, &placement, need, &mut |_, _, _| {})?;
        *self.doing() = "measuring the clock";
        self.start(start_word(&launch))?;
        let first = self.counted()?;
        let mut best: Option<Clock> = None;
        let mut passed = Duration::ZERO;
        // Once at least, however long a look takes.
        while passed < time {
            progress(self.doing(), passed.as_millis() as u64, time.as_millis() as u64);
            std::thread::sleep(time / 20);
            let last = self.counted()?;
            let clock = between(&first, &last);
            if let Some(clock) = clock.filter(|c| best.is_none_or(|b| c.relative() < b.relative())) {
                best = Some(clock);
            }
            passed = last.after - first.after;
        }
        self.hello()?;
        Ok(best)
    }

    fn counted(&mut self) -> Result<Look, LinkError> {
        let before = Instant::now();
        let words = self.look(WORDS)?.1;
        Ok(Look { before, after: Instant::now(), cycles: sum(&words, Counter::Cycles) })
    }
}

impl Clock {
    /// Uncertainty as a part of the frequency.
    fn relative(&self) -> f64 {
        self.uncertainty / self.hertz
    }
}

/// A launch that never ends.
fn endless() -> Launch {
    let program = assemble("loop:\nBRA loop;\n", "endless").expect("a program of this crate");
    Launch { block: [1, 1, 1], registers: 1, ..Launch::from_words("endless", program.words) }
}

/// What two looks bound the frequency to; a cycle may be counted on either side.
fn between(a: &Look, b: &Look) -> Option<Clock> {
    let cycles = b.cycles.checked_sub(a.cycles).filter(|n| *n > 0)? as f64;
    let longest = b.after.duration_since(a.before).as_secs_f64();
    let shortest = b.before.checked_duration_since(a.after)?.as_secs_f64();
    if shortest == 0.0 {
        return None;
    }
    let (low, high) = ((cycles - 1.0) / longest, (cycles + 1.0) / shortest);
    Some(Clock { hertz: (low + high) / 2.0, uncertainty: (high - low) / 2.0, seconds: (longest + shortest) / 2.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(start: Instant, before: u64, after: u64, cycles: u64) -> Look {
        let at = |ms| start + Duration::from_millis(ms);
        Look { before: at(before), after: at(after), cycles }
    }

    #[test]
    fn the_true_frequency_lies_within_the_uncertainty() {
        let start = Instant::now();
        // 20 MHz, read 1 ms after the first request and 5 ms after the second one.
        let (a, b) = (look(start, 0, 3, 20_000), look(start, 1_000, 1_010, 20_100_000));
        let clock = between(&a, &b).expect("it counts");
        assert!((clock.hertz - 20e6).abs() <= clock.uncertainty, "{clock:?}");
        assert!(clock.uncertainty < 0.01 * clock.hertz, "{clock:?}");
        assert_eq!((clock.seconds * 1000.0).round(), 1004.0);
    }

    #[test]
    fn must_fail_a_counter_that_stands_still_or_goes_back_is_no_clock() {
        let start = Instant::now();
        for cycles in [20_000, 19_999] {
            assert!(between(&look(start, 0, 3, 20_000), &look(start, 1_000, 1_010, cycles)).is_none());
        }
    }

    #[test]
    fn the_endless_program_never_ends() {
        let mut model = warpsmith_model::Machine::new(&endless(), warpsmith_model::ModelConfig::default());
        assert!(model.run(10_000).is_err());
    }
}
