//! Proofs for the classes that no program detects, and patterns for the others.

use super::findings::{Findings, Open, Status};
use super::steering::Steering;
use super::subject::Subject;
use crate::cmd::chip::Chip;
use crate::cmd::interrupt;
use crate::cmd::rtl::bar;
use anyhow::{anyhow, Result};
use warpsmith_gates::prove::{bits_of_site, of_site, Bounds, Differing, Frame, Prover, Reach, Stuck, Verdict};
use warpsmith_gates::splice::instance;
use warpsmith_gates::{splice, Model, PinId, SourceKind, Spliced};
use warpsmith_hdl::config::GpuConfig;
use warpsmith_hdl::rtl::field_place;
use warpsmith_hdl::sm::control::Control;
use warpsmith_hdl::sm::dims::Dims;
use warpsmith_netlist::flat::{Flat, NodeId, Options};
use warpsmith_netlist::{Design, Tree};

/// Variables of the solver after which registers are any.
const VARIABLES: usize = 150_000;
/// Variables at which it begins anew.
const MOST: usize = 400_000;

/// The instruction in the decoder of the first SM.
const INSTRUCTION: &str = "u_sm_0.u_dispatch.word";

/// Times that registers are let differ, and how many at most.
const ROUNDS: u32 = 6;
const DIFFERING: usize = 24;

/// The decoded instruction.
const DECODED: &str = "u_sm_0.u_dispatch.h_control";

/// How proofs are tried.
#[derive(Clone, Copy)]
pub struct Effort {
    pub depth: u32,
    pub conflicts: u64,
}

impl Effort {
    fn bounds(self, depth: u32) -> Bounds {
        Bounds {
            reach: Reach { depth, variables: VARIABLES },
            conflicts: self.conflicts,
            most: MOST,
            rounds: ROUNDS,
            differing: DIFFERING,
        }
    }
}

/// Whether the stuck value can be seen by the host alone, and so is no difference.
fn ignored(path: &str) -> bool {
    path.contains("u_counters")
}

/// Tries a proof for every open class; tells the steering what patterns there are. `false`: a signal came.
///
/// A transition fault is wrong in some of the cycles in which the stuck-at fault is that it has for a cycle.
///
/// # Errors
/// The chip has no flat form.
pub fn prove(
    described: &Chip, subject: &Subject, findings: &mut Findings, steering: &mut Steering, effort: Effort,
) -> Result<bool> {
    let open: Vec<usize> = findings.open().collect();
    if open.is_empty() {
        return Ok(true);
    }
    let representatives = subject.faults.representatives();
    let mut pins: Vec<PinId> = open.iter().map(|c| representatives[*c].pin).collect();
    pins.sort_unstable();
    pins.dedup();
    let spliced = splice(subject.unit.tree.clone(), &subject.unit.path, subject.circuit, Model::StuckAt, &pins)?;
    let alone = instance(&spliced.tree, &subject.unit.path)?.clone();
    let (alone, chip) = (flat(alone)?, flat(spliced.tree.clone())?);
    let mut gates = Prover::new(&alone, effort.bounds(0), &|_| false, Differing::new());
    let bounds = effort.bounds(effort.depth);
    let mut whole = Prover::new(&chip, Bounds { rounds: 0, ..bounds }, &ignored, Differing::new());
    let mut legal = Prover::new(&chip, bounds, &ignored, traps(&chip, &described.config));
    let instruction = of_site(&chip, INSTRUCTION);
    let operands = operands(&chip, subject, &spliced);
    let asked: Vec<NodeId> = instruction.iter().chain(&operands).copied().collect();
    let within = format!("{}.", subject.unit.path);
    let bar = bar(open.len() as u64, "{bar:30} {human_pos} of {human_len} faults given to the solver");
    for class in open {
        if interrupt::asked() {
            return Ok(false);
        }
        let (path, value) = spliced.force(representatives[class]);
        let missing = || anyhow!("internal error, please report it: no place for a fault at {path}");
        // A transition fault is not wrong in every cycle.
        let always = subject.faults.model() == Model::StuckAt;
        let stuck = |tap| Stuck { tap, value, always };
        let inner = path.strip_prefix(&within).unwrap_or(&path);
        let tap = |flat: &Flat, path: &str| of_site(flat, path).first().copied().ok_or_else(missing);
        findings.status[class] = if gates.stuck(stuck(tap(&alone, inner)?), &[]) == Verdict::Impossible {
            Status::Untestable
        } else {
            let fault = stuck(tap(&chip, &path)?);
            match legal.stuck(fault, &asked) {
                Verdict::Impossible => match whole.stuck(fault, &[]) {
                    Verdict::Impossible => Status::Functional,
                    _ => Status::TrapOnly,
                },
                Verdict::Unknown => Status::Open(Open::Unknown),
                Verdict::Shows(values) => {
                    let (words, operands) = values.split_at(instruction.len());
                    let words: Vec<u64> = words.iter().flatten().map(|w| w.1).collect();
                    steering.pattern(&words, &together(operands));
                    Status::Open(Open::Pattern)
                }
            }
        };
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(true)
}

/// Inputs of the unit that hold words of registers, in their order.
fn operands(chip: &Flat, subject: &Subject, spliced: &Spliced) -> Vec<NodeId> {
    let sources = subject.circuit.sources.iter().zip(&spliced.sources);
    let words = sources.filter(|(s, _)| s.kind == SourceKind::Port && s.width == 32);
    words.filter_map(|(_, path)| of_site(chip, path.as_ref()?).first().copied()).collect()
}

/// Operands of a pattern. An instruction takes its operands in different stages, so those of several frames belong
/// together: the first of each.
fn together(values: &[Vec<(Frame, u64)>]) -> Vec<u64> {
    values.iter().map(|v| v.first().map_or(0, |v| v.1)).collect()
}

fn flat(tree: Tree) -> Result<Flat> {
    Ok(Flat::new(&Design::new(tree), Options { taps: true })?)
}

/// Bits of the cause of a trap in the decoded instruction: zero in all cycles of a program that does not trap.
fn traps(chip: &Flat, config: &GpuConfig) -> Differing {
    let place = field_place(&Control::fields(&Dims::of(config)), "trap");
    place.map_or_else(Differing::new, |(at, width)| bits_of_site(chip, DECODED, at as u32, width as u32))
}
