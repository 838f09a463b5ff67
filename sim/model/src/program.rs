//! The program as the machine executes it: every word address decoded once.

use crate::quick::{Fetch, Quick, Step, Whole};
use crate::trap::TrapCause;
use crate::types::ModelConfig;
use warpsmith_isa::{Dst, Family, Instr, Src};

/// Fetched and decoded word of one address.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Slot {
    /// An instruction that may execute, and its guard as a truth table over the 16 flag values.
    Run(Instr, u16),
    /// A trap that does not depend on the threads: fetch, encoding, or register allocation.
    Trap(TrapCause),
}

/// Words of a program with their decoding for one launch.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub words: Vec<u32>,
    slots: Vec<Slot>,
    /// Of every slot.
    quick: Vec<Quick>,
    /// The instructions from address 0 on, one behind the other.
    steps: Vec<Step>,
    /// Of every slot, which of them it is.
    places: Vec<Option<u32>>,
}

impl Program {
    /// Decodes every word address. `registers` a thread decides which writes trap.
    pub fn new(words: Vec<u32>, registers: u32, config: &ModelConfig) -> Self {
        let slots: Vec<Slot> = (0..words.len()).map(|i| slot(&words, i, registers, config)).collect();
        let quick = |slot: &Slot| match slot {
            Slot::Run(instr, _) => Quick::of(instr),
            Slot::Trap(_) => Quick::PLAIN,
        };
        let quick = slots.iter().map(quick).collect();
        let (mut steps, mut places, mut i) = (vec![], vec![None; slots.len()], 0);
        while let Some(slot) = slots.get(i) {
            places[i] = Some(steps.len() as u32);
            let whole = match slot {
                Slot::Run(instr, guard) => Whole::of(instr, *guard),
                Slot::Trap(_) => None,
            };
            i += if words[i] & 1 != 0 { 2 } else { 1 };
            steps.push(Step { next: 4 * i as u32, whole });
        }
        Program { words, slots, quick, steps, places }
    }

    /// Whether some instruction reads the clock, which counts what the whole machine has executed.
    pub fn reads_clock(&self) -> bool {
        let clock = |slot: &Slot| matches!(slot, Slot::Run(i, _) if i.src.contains(&Src::Special(1)));
        self.slots.iter().any(clock)
    }

    /// The slot at a byte address.
    #[inline(always)]
    pub fn at(&self, pc: u32) -> &Slot {
        self.slots.get((pc >> 2) as usize).unwrap_or(&Slot::Trap(TrapCause::Fetch))
    }

    /// Words 0 and 1 at a byte address, 0 beyond the end.
    pub fn word(&self, pc: u32, long: bool) -> [u32; 2] {
        let i = (pc >> 2) as usize;
        let get = |i: usize| self.words.get(i).copied().unwrap_or(0);
        [get(i), if long { get(i + 1) } else { 0 }]
    }
}

impl Fetch for Program {
    #[inline(always)]
    fn quick(&self, pc: u32) -> Option<(&Instr, u16, Quick)> {
        let i = (pc >> 2) as usize;
        match (self.slots.get(i), self.quick.get(i)) {
            (Some(Slot::Run(instr, guard)), Some(quick)) => Some((instr, *guard, *quick)),
            _ => None,
        }
    }

    #[inline(always)]
    fn steps(&self, pc: u32) -> &[Step] {
        match self.places.get((pc >> 2) as usize) {
            Some(Some(first)) => &self.steps[*first as usize..],
            _ => &[],
        }
    }
}

/// Checks in the order of the chip: misaligned long, fetch of the second word, illegal,
/// unimplemented, register.
fn slot(words: &[u32], i: usize, registers: u32, config: &ModelConfig) -> Slot {
    let w0 = words[i];
    let long = w0 & 1 != 0;
    if long && i % 2 != 0 {
        return Slot::Trap(TrapCause::MisalignedLong);
    }
    let w1 = match words.get(i + 1) {
        Some(&w) => w,
        None if long => return Slot::Trap(TrapCause::Fetch),
        None => 0,
    };
    let Ok(mut instr) = config.tier.decode(w0, w1) else { return Slot::Trap(TrapCause::Illegal) };
    let has = config.tier.has(instr.form);
    // Chips without floats of 64 bits do not look at what their words write.
    let vague = !has && instr.op.family() == Family::Double;
    if matches!(instr.dst, Dst::Out(_)) && !vague {
        return Slot::Trap(TrapCause::Illegal);
    }
    if !has {
        return Slot::Trap(TrapCause::Unimplemented);
    }
    let last = instr.last_register_written();
    if last.is_some_and(|r| u32::from(r) >= registers) {
        return Slot::Trap(TrapCause::Register);
    }
    if let Some(m) = config.mutant {
        m.apply(&mut instr.op);
    }
    let guard = (0..16).fold(0, |table, flags| {
        let holds = warpsmith_isa::pred_holds(instr.pred.code, flags).unwrap_or(false);
        table | (u16::from(holds) << flags)
    });
    Slot::Run(instr, guard)
}
