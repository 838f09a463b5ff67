//! A campaign that needs no chip: its simulator makes a record out of the numbers of the fault.

use std::path::Path;
use std::time::Duration;
use warpsmith_fault::run::{run, Progress, Work};
use warpsmith_fault::{
    Campaign, Fault, FaultError, FaultKind, FaultOutcome, FaultSimulator, How, Meta, Pattern, Record, Row, Site,
    SiteKind, Sites, Store,
};

/// Failure of the simulator at a fault of one cycle.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    None,
    Error(u64),
    Panic(u64),
    /// Never activates.
    Idle,
}

/// A fault simulator without a chip.
pub struct Dummy {
    pub trouble: Trouble,
    /// Time of a run.
    pub time: Duration,
}

impl Dummy {
    pub fn run_one(&mut self, f: &Fault) -> Result<Record, FaultError> {
        std::thread::sleep(self.time);
        match self.trouble {
            Trouble::Error(c) if c == f.cycle => return Err(FaultError::Ask(format!("no memory at cycle {c}"))),
            Trouble::Panic(c) if c == f.cycle => panic!("cycle {c} is odd"),
            Trouble::Idle => return Ok(Record::of(FaultOutcome::NotActivated, 100)),
            _ => {}
        }
        // Some numbers that depend on all of the fault.
        let mix =
            (f.cycle * 31 + f.site as u64 * 7 + u64::from(f.bits[0]) * 3 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let mut r = Record::of(FaultOutcome::ALL[mix as usize % FaultOutcome::ALL.len()], 100 + mix % 10);
        r.activated = (r.outcome != FaultOutcome::NotActivated).then_some(f.cycle);
        r.simulated = mix % 64;
        match r.outcome {
            FaultOutcome::Masked => {
                r.how = Some(How::ALL[(mix % 4) as usize]);
                r.converged = Some(f.cycle + 8);
            }
            FaultOutcome::Due => r.cause = Some((mix % 11) as u8 + 1),
            FaultOutcome::Sdc => {
                r.spread = Some((f.cycle + 1, 1));
                (r.wrong_words, r.wrong_bits) = (mix % 5 + 1, mix % 99 + 1);
                r.first_wrong = Some(0xffff_fff0);
                r.pattern = Some(Pattern::ALL[(mix % 4) as usize]);
                r.relative_error = Some(if mix % 2 == 0 { f64::INFINITY } else { 0.125 });
                r.words_outside = mix % 3;
            }
            _ => {}
        }
        Ok(r)
    }
}

impl FaultSimulator for Dummy {
    /// The last fault first.
    fn run(&mut self, faults: &[&Fault], done: &mut dyn FnMut(usize, Record) -> bool) -> Result<(), FaultError> {
        for (i, fault) in faults.iter().enumerate().rev() {
            if !done(i, self.run_one(fault)?) {
                break;
            }
        }
        Ok(())
    }
}

pub fn sites() -> Sites {
    let site = |path: &str| Site {
        path: path.into(),
        block: "warps".into(),
        kind: SiteKind::Reg,
        width: 40,
        depth: 1,
        zeroed: false,
    };
    Sites::new(vec![site("u_sm_0.u_warps.live"), site("u_sm_0.u_warps.pc")])
}

/// So many rows; no two of the same cycle, cycles not in the order of the rows.
pub fn campaign(count: u64) -> Campaign {
    let mut c = Campaign::default();
    c.header.cycles = 1_000;
    c.header.seed = u64::MAX;
    c.header.chip = "c0ffee".into();
    c.rows = (0..count)
        .map(|row| Row {
            row,
            fault: Fault::simple(
                (row % 2) as usize,
                0,
                vec![(row % 39) as u32, 39],
                row * 7_919 % count.max(1),
                if row % 3 == 0 { FaultKind::StuckAt1 } else { FaultKind::Mbu },
            ),
            weight: 1.0,
        })
        .collect();
    c
}

pub fn meta(c: &Campaign) -> Meta {
    Meta::of(c, &sites())
}

pub fn control() -> Record {
    Record::of(FaultOutcome::Masked, 1_000)
}

/// Runs rows into a store.
pub fn go(
    rows: &[Row], store: &mut Store, workers: usize, time: Duration, trouble: Trouble,
) -> Result<Progress, FaultError> {
    let work = Work {
        rows,
        sites: &sites(),
        simulator: &|| Ok(Box::new(Dummy { trouble, time })),
        ran_on: warpsmith_fault::RanOn::Engine(warpsmith_fault::Engine::Verilator),
        side_by_side: false,
        workers,
        time: None,
        stop: || false,
    };
    run(&work, Ok(control()), store, &mut |_| {})
}

/// The whole campaign into a new database, in one go.
pub fn whole(c: &Campaign, path: &Path) -> Store {
    let mut store = Store::open(path, &meta(c)).expect("a new database");
    go(&c.rows, &mut store, 1, Duration::ZERO, Trouble::None).expect("it runs");
    store
}
