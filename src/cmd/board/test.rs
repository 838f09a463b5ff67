//! `warpsmith board test`: memory, clock, kernels and random programs of a board beside the model, and their report.

use super::report::{has_floats, Bitstream, Frequency, Kernel, LeftOut, Line, Memory, Random, Report, Verdict};
use crate::cli::board::BoardTest;
use crate::cmd::chip::Chip;
use crate::cmd::link::{connected, moving, Moving};
use crate::cmd::output::{print, print_json, write_all};
use crate::cmd::outputs::{Files, Form};
use crate::cmd::report::error_json;
use crate::cmd::rtl::any_seed;
use crate::cmd::{AGREED, DIFFERED};
use anyhow::{bail, Context as _, Result};
use sha2::{Digest as _, Sha256};
use std::path::Path;
use std::time::Duration;
use warpsmith_bench::{lacks, suite, Case};
use warpsmith_cosim::random::{seeded, Limits};
use warpsmith_cosim::thousands;
use warpsmith_fpga::link::{About, Link, LinkError, Options};
use warpsmith_isa::ChipInfo;
use warpsmith_model::Launch;
use warpsmith_run::{beside, Beside, RunError};

/// Time over which cycles are counted.
const CLOCK_TIME: Duration = Duration::from_secs(1);
/// Random programs in a row that the board's memory does not hold, before they are given up.
const TOO_LARGE: u64 = 500;

pub fn run(args: &BoardTest) -> Result<u8> {
    let result = execute(args);
    match &result {
        Ok(report) if args.json => print_json(serde_json::to_value(report)?)?,
        Err(e) if args.json => print(&error_json(e))?,
        _ => {}
    }
    Ok(match result?.outcome {
        Verdict::Pass => AGREED,
        Verdict::Fail => DIFFERED,
    })
}

fn execute(args: &BoardTest) -> Result<Report> {
    let mut files = Files::default();
    if let Some(file) = &args.bitstream {
        files.reads("the bitstream", file);
    }
    if let Some(chip) = args.chip() {
        files.chip(&chip);
    }
    let outputs = files.writes("--out", Some(&args.out), Form::Any).check()?;
    let expected = args.chip().map(|chip| Chip::resolve(&chip)).transpose()?;
    let bitstream = args.bitstream.as_deref().map(digested).transpose()?;
    let cases = cases(args.filter.as_deref())?;
    outputs.open()?;
    let mut report = connected(&args.port, |link| {
        let about = link.hello()?.clone();
        if let Some(expected) = &expected {
            same_chip(&about.info, &expected.info())?;
        }
        let seed = args.seed.unwrap_or_else(any_seed);
        let report = Report::new(&about, seed);
        Test { args, link, about, seed, report, bar: moving() }.run(&cases)
    })?;
    (report.board, report.by, report.bitstream) = (args.board.clone(), args.by.clone(), bitstream);
    report.outcome = report.verdict();
    write_all(&args.out, toml::to_string(&report)?)?;
    say(args, &format!("{}: {}: written", report.outcome.name(), args.out.display()))?;
    Ok(report)
}

/// A line for a reader.
fn say(args: &BoardTest, line: &str) -> Result<()> {
    match args.json {
        true => Ok(()),
        false => print(&format!("{line}\n")),
    }
}

/// Name and SHA-256 of a bitstream.
fn digested(path: &Path) -> Result<Bitstream> {
    let named = || format!("--bitstream {}", path.display());
    let mut sum = Sha256::new();
    let mut file = std::fs::File::open(path).with_context(named)?;
    std::io::copy(&mut file, &mut sum).with_context(named)?;
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Bitstream { file, sha256: format!("{:x}", sum.finalize()) })
}

/// The project's kernels that take seconds at most; in a folder without `kernels/` those that this program brings along.
fn cases(filter: Option<&str>) -> Result<Vec<Case>> {
    let mut cases = match Path::new("kernels").is_dir() {
        true => suite::cases(Path::new("."))?,
        false => {
            eprintln!(
                "warpsmith: there is no kernels/ in this folder: its kernels are left out, those of `bench` are run"
            );
            suite::built_in()
        }
    };
    cases.retain(|c| c.in_baseline() && filter.is_none_or(|f| c.key().contains(f)));
    if cases.is_empty() {
        bail!(
            "--filter {}: no kernel has this in its name, such as kernels/vector_add or micro/",
            filter.unwrap_or("")
        );
    }
    Ok(cases)
}

/// Refuses another chip than the one that was named.
fn same_chip(board: &ChipInfo, expected: &ChipInfo) -> Result<()> {
    let numbers = |i: &ChipInfo| {
        [
            ("sms", i.sms),
            ("lanes", i.lanes),
            ("warps", i.warps),
            ("blocks", i.blocks),
            ("registers", i.registers),
            ("shared_bytes", i.shared_bytes),
            ("constant_bytes", i.constant_bytes),
            ("program_bytes", i.program_bytes),
            ("stack_depth", i.stack_depth),
            ("port_words", i.port_words),
            ("float", has_floats(i).into()),
        ]
    };
    let differs = numbers(board).into_iter().zip(numbers(expected)).find(|(b, e)| b != e);
    let Some(((key, has), (_, wants))) = differs else { return Ok(()) };
    bail!(
        "the board's chip {} has {key} = {has}, the chip {} of --config has {wants}: load the bitstream of that chip, \
         or leave out --config and --set",
        board.name,
        expected.name
    )
}

/// A test under way.
struct Test<'a> {
    args: &'a BoardTest,
    link: &'a mut dyn Link,
    about: About,
    seed: u64,
    report: Report,
    bar: Moving,
}

impl Test<'_> {
    fn say(&self, line: &str) -> Result<()> {
        self.bar.aside(|| say(self.args, line))
    }

    fn run(mut self, cases: &[Case]) -> Result<Report> {
        let i = &self.about.info;
        self.say(&format!(
            "board: {}, {} SM of {} lanes, {} warps each, {} bytes of memory",
            i.name,
            i.sms,
            i.lanes,
            i.warps,
            thousands(self.about.memory_bytes)
        ))?;
        self.memory()?;
        self.clock()?;
        self.kernels(cases)?;
        self.random()?;
        self.report.link = Line::new(self.link.statistics());
        let line = &self.report.link;
        self.say(&format!(
            "link: {} requests, {} sent again, {} without an answer, {} with a wrong one, {} resets of the board",
            thousands(line.requests),
            line.sent_again,
            line.without_answer,
            line.with_a_wrong_answer,
            line.resets
        ))?;
        Ok(self.report)
    }

    fn memory(&mut self) -> Result<()> {
        let bytes = self.about.memory_bytes;
        let test = self.link.test_memory(self.seed, &mut self.bar.shown(""))?;
        self.report.memory = Memory::new(&test);
        let tested = format!("{} of {} bytes", thousands(test.bytes), thousands(bytes));
        let line = match test.first {
            None => format!("pass: memory, {tested}"),
            Some(w) => format!(
                "fail: memory, {tested}: {} wrong words, first at 0x{:08x} of the {}: expected 0x{:08x}, read 0x{:08x}",
                thousands(test.wrong),
                w.address,
                w.pattern.name(),
                w.expected,
                w.read
            ),
        };
        self.say(&line)
    }

    fn clock(&mut self) -> Result<()> {
        let clock = self.link.measure_clock(CLOCK_TIME, &mut self.bar.shown(""))?;
        let line = match &clock {
            None => "fail: clock: the chip's counter of cycles stands still".to_string(),
            Some(c) => {
                format!("pass: clock, {:.4} MHz ± {:.4} over {:.1} s", c.hertz / 1e6, c.uncertainty / 1e6, c.seconds)
            }
        };
        self.report.clock = clock.as_ref().map(Frequency::new);
        self.say(&line)
    }

    fn kernels(&mut self, cases: &[Case]) -> Result<()> {
        for case in cases {
            let case = match self.fitting(case) {
                Ok(case) => case,
                Err(why) => {
                    self.report.left_out.push(LeftOut { name: case.key(), why });
                    continue;
                }
            };
            let kernel = match self.beside(&case.launch, &format!("{}: ", case.key()))? {
                Ok(done) => Kernel::new(&case, &done),
                Err(why) => Kernel::failed(&case, why),
            };
            self.say(&format!(
                "{}: {}, {} warp instructions, {} cycles",
                kernel.outcome.name(),
                kernel.name,
                thousands(kernel.warp_instructions),
                thousands(kernel.cycles)
            ))?;
            self.details(&kernel.details)?;
            self.report.kernels.push(kernel);
        }
        match self.report.left_out.len() {
            0 => Ok(()),
            n => self.say(&format!("left out: {n} kernels that this chip or its memory cannot run")),
        }
    }

    /// The case as this board runs it, or why it does not.
    fn fitting(&self, case: &Case) -> std::result::Result<Case, String> {
        let (mut case, info) = (case.clone(), &self.about.info);
        if case.launch.compiled {
            case.launch = warpsmith_launch_file::load_for(&case.launch.file, info).map_err(|e| e.to_string())?;
        }
        case.launch.check_fits(info).map_err(|e| e.to_string())?;
        lacks(info, &case.launch).map_or(Ok(()), Err)?;
        self.about.fits(&case.launch).map_err(|e| e.to_string())?;
        Ok(case)
    }

    fn random(&mut self) -> Result<()> {
        let limits = Limits::of(&self.about.info, self.about.info.tier);
        let mut next = self.seed;
        let mut too_large = 0;
        while self.report.random.warp_instructions < self.args.random && too_large < TOO_LARGE {
            let seed = next;
            next = next.wrapping_add(1);
            let launch = seeded(seed, &limits);
            if self.about.fits(&launch).is_err() {
                too_large += 1;
                self.report.random.too_large += 1;
                continue;
            }
            too_large = 0;
            let done = self.beside(&launch, &format!("random program {}: ", self.report.random.programs + 1))?;
            let random = &mut self.report.random;
            random.programs += 1;
            let details = match done {
                Ok(done) => {
                    random.warp_instructions += done.ran.counters.warp_instructions;
                    done.differences
                }
                Err(why) => vec![why],
            };
            random.outcome = Some(Verdict::of(details.is_empty()));
            if !details.is_empty() {
                random.failed_seed = Some(format!("{seed:#x}"));
                random.details = details;
                break;
            }
        }
        let Random { outcome, programs, warp_instructions, seed, failed_seed, details, .. } = &self.report.random;
        let failed = failed_seed.as_ref().map_or(String::new(), |s| format!(", the last one of seed {s}"));
        let line = format!(
            "{}: {programs} random programs from seed {seed} on, {} warp instructions{failed}",
            outcome.map_or("not run", Verdict::name),
            thousands(*warp_instructions)
        );
        self.say(&line)?;
        if too_large == TOO_LARGE {
            self.say("  the board's memory holds hardly any of them")?;
        }
        self.details(details)
    }

    fn details(&self, lines: &[String]) -> Result<()> {
        lines.iter().try_for_each(|line| self.say(&format!("  {line}")))
    }

    /// A launch beside the model; an answer that makes no sense is the board's mistake, any other failure ends the test.
    fn beside(&mut self, launch: &Launch, of: &str) -> Result<std::result::Result<Beside, String>> {
        match beside(self.link, launch, &Options::default(), &mut self.bar.shown(of)) {
            Ok(done) => Ok(Ok(done)),
            Err(RunError::Link(e @ LinkError::Answer { .. })) => Ok(Err(e.to_string())),
            Err(e) => Err(e.into()),
        }
    }
}
