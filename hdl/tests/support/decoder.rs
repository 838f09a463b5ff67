//! A decoder of a set of micro-operations, held against the control word of what an instruction lowers to.

use super::control_word::Layout;
use super::{mutants, Random, Simulation};
use rust_hdl_core::block::Block;
use std::collections::BTreeMap;
use warpsmith_contract::TrapCause;
use warpsmith_hdl::config::GpuConfig;
use warpsmith_hdl::sm::control::encode::{ControlWord, Launch};
use warpsmith_hdl::sm::dims::Dims;
use warpsmith_isa::set::InstructionSet;
use warpsmith_isa::Options;

/// The bytes at an address, and the value of the launch register REGISTERS.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    pub code: u128,
    pub pc: u32,
    pub registers: u32,
}

/// A decoder and what it must give.
pub struct Decoder {
    set: &'static dyn InstructionSet,
    /// 32-bit words of its first port.
    words: usize,
    decode: fn(&Work, &Launch) -> Result<ControlWord, TrapCause>,
    simulation: Simulation,
    layout: Layout,
    /// Bits of a pc.
    pc: usize,
    options: Options,
}

/// Words of each row and trap cause.
pub type Seen = BTreeMap<(Option<usize>, u8), usize>;

impl Decoder {
    /// The decoder of a configuration, whose bytes `decode` turns into a control word.
    pub fn new(
        set: &'static dyn InstructionSet, words: usize, cfg: &GpuConfig, block: &dyn Block,
        decode: fn(&Work, &Launch) -> Result<ControlWord, TrapCause>,
    ) -> Self {
        let d = Dims::of(cfg);
        Self {
            set,
            words,
            decode,
            simulation: Simulation::native(block),
            layout: Layout::new(&d),
            pc: d.pc,
            options: cfg.options(),
        }
    }

    /// An instruction somewhere in the program.
    pub fn at(&self, code: u128, registers: u32, r: &mut Random) -> Work {
        let aligned = !(self.set.unit() as u32 - 1);
        Work { code, pc: r.below(1 << (self.pc - 1)) & aligned, registers }
    }

    /// What a decoder gives: control word, register numbers, and where it has one the length.
    fn run(&self, simulation: &Simulation, work: &[Work]) -> Vec<Vec<u32>> {
        let ports = simulation.input_words();
        let row = |w: &Work| {
            let code = (0..self.words).map(|i| (w.code >> (32 * i)) as u32);
            // Not every decoder knows the registers of the launch.
            code.chain([w.pc, w.registers]).take(ports).collect()
        };
        simulation.run(&work.iter().map(row).collect::<Vec<Vec<u32>>>())
    }

    /// What it must give.
    fn want(&self, w: &Work) -> Result<ControlWord, TrapCause> {
        (self.decode)(w, &Launch { pc: self.pc, registers: w.registers, options: self.options })
    }

    /// Compares every field that matters.
    pub fn check(&self, work: &[Work]) -> Seen {
        let mut seen = Seen::new();
        // One example and a count for each field of each row that is wrong.
        let mut wrong: BTreeMap<(Option<usize>, &str), (usize, String)> = BTreeMap::new();
        for (w, got) in work.iter().zip(self.run(&self.simulation, work)) {
            let instr = self.set.decode(&w.code.to_le_bytes()[..4 * self.words]);
            let row = instr.as_ref().ok().map(|i| i.row);
            let want = self.want(w);
            let trap = want.as_ref().err().map_or(0, |cause| cause.number());
            *seen.entry((row, trap)).or_insert(0) += 1;
            let length = instr.as_ref().ok().map(|i| i.code.len() as u64 / 2);
            let of_length = self.layout.length(&got).zip(length).filter(|(is, must)| is != must);
            let of_length = of_length.map(|(is, must)| ("length", is, must));
            for (field, is, must) in self.layout.differences(&want, &got).into_iter().chain(of_length) {
                let text = || match &instr {
                    Ok(i) => self.set.print(i, w.pc.into()),
                    Err(e) => e.to_string(),
                };
                let example = || format!("{w:x?}: {}: {field} is {is:#x}, not {must:#x}", text());
                wrong.entry((row, field)).or_insert_with(|| (0, example())).0 += 1;
            }
        }
        let lines: Vec<String> = wrong.values().map(|(n, s)| format!("{n} times: {s}")).collect();
        assert!(lines.is_empty(), "decoder differs:\n{}", lines.join("\n"));
        seen
    }

    /// Each wrong bit that an instruction asks for is noticed.
    pub fn notices_wrong_bits(&self, work: &Work) {
        let got = self.run(&self.simulation, &[*work]).remove(0);
        let want = self.want(work);
        assert_eq!(self.layout.differences(&want, &got), []);
        for (field, mask, _) in self.layout.wanted(&want) {
            let (at, width) = self.layout.place(field);
            for bit in (0..width).filter(|bit| mask >> bit & 1 == 1) {
                let mut mutated = got.clone();
                mutated[(at + bit) / 32] ^= 1 << ((at + bit) % 32);
                let wrong = self.layout.differences(&want, &mutated);
                assert!(wrong.iter().any(|d| d.0 == field), "{field} of {work:x?}");
            }
        }
    }

    /// What the decoder gives for an instruction is not what another one asks for.
    pub fn tells(&self, work: &Work, other: &Work) -> bool {
        let got = self.run(&self.simulation, &[*work]).remove(0);
        !self.layout.differences(&self.want(other), &got).is_empty()
    }

    /// A decoder of which a wire, whose name begins with one of these, is inverted is noticed by some instruction.
    pub fn notices_mutants(&self, block: &dyn Block, prefixes: &[&str], work: &[Work]) {
        let of = |prefix: &&str| {
            let of = mutants(block, prefix);
            assert!(!of.is_empty(), "no wire begins with {prefix}");
            of
        };
        let mutants: Vec<(String, Simulation)> = prefixes.iter().flat_map(of).collect();
        assert!(mutants.len() > 40, "{} wires", mutants.len());
        let wants: Vec<_> = work.iter().map(|w| self.want(w)).collect();
        let alive = mutants.iter().filter(|(_, mutant)| {
            let differs = |(want, got): (&_, Vec<u32>)| !self.layout.differences(want, &got).is_empty();
            !wants.iter().zip(self.run(mutant, work)).any(differs)
        });
        let alive: Vec<&String> = alive.map(|m| &m.0).collect();
        println!("{} mutants", mutants.len());
        assert!(alive.is_empty(), "not noticed: {alive:?}");
    }
}
