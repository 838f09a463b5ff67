//! Results that come after their instruction has retired: what loads and special functions deliver, against what the model
//! has.

use super::compare::{Field, Mismatch};
use crate::instruction::register;
use warpsmith_isa::{Isa, WARP_SIZE};
use warpsmith_model::{half_of, Lanes, Retired, RetiredDst, Spread};

/// What a beat delivered: entry of the register file, lanes, data.
pub type Load = (u32, u32, [u32; WARP_SIZE]);

/// How the register file of a chip holds registers.
#[derive(Clone, Copy)]
pub struct Geometry {
    /// Its set.
    pub isa: Isa,
    /// Lanes of an SM.
    pub lanes: usize,
}

/// What a load must deliver.
#[derive(Clone)]
pub struct Expected {
    /// Values of each pass.
    pub values: [Lanes; 4],
    /// Undefined bits of them, for which the model takes what is delivered.
    pub undefined: Option<Box<[Lanes; 4]>>,
    /// Entry of the register file where the warp's registers begin.
    pub rf: u32,
    /// First register.
    pub first: u32,
    /// How lanes share it.
    pub spread: Spread,
    /// Passes.
    pub count: usize,
    /// Halves of registers are written, from the high one of the first on.
    pub half: Option<bool>,
    /// Threads that load.
    pub mask: u32,
    /// A flag register and what it gets: of floats of 64 bits of SM 1.3.
    pub flags: Option<(u8, [u8; WARP_SIZE])>,
}

/// The entry that stands for flag register 0; the others follow.
const FLAGS: u32 = 0x8000;

impl Expected {
    /// Of an instruction that the model has executed; `rf`: where its warp's registers begin. `None`: it loads nothing.
    pub fn of(model: &mut Retired, rf: u32) -> Option<Self> {
        if model.mem.is_some_and(|m| !m.kind.loads()) {
            return None;
        }
        let flags = model.flags.map(|c| (c, model.flag_values));
        let (first, count, half) = match model.dst {
            RetiredDst::Gpr { first, count } => (first, count, None),
            RetiredDst::Half { reg, high, count } => (reg, count, Some(high)),
            _ if flags.is_some() => (0, 0, None),
            _ => return None,
        };
        Some(Self {
            values: model.values,
            undefined: model.undefined.take(),
            rf,
            first: first.into(),
            spread: model.spread,
            count: count.into(),
            half,
            mask: model.write_mask,
            flags,
        })
    }

    /// Pass, and first thread, of a beat that went to an entry of the register file; `None`: to no register of it. Of a
    /// register whose halves two passes write the first of them.
    fn place(&self, entry: u32, g: Geometry) -> Option<(usize, usize)> {
        let relative = entry.wrapping_sub(self.rf);
        let (pass, beat) = match g.isa {
            Isa::Ivb => self.shared(relative, g.lanes as u32 / 8)?,
            _ => {
                let beats = g.isa.beats(g.lanes as u32);
                ((relative / beats).wrapping_sub(self.first), relative % beats)
            }
        };
        let pass = self.half.map_or(pass, |high| pass.saturating_mul(2).saturating_sub(high.into()));
        ((pass as usize) < self.count).then_some((pass as usize, beat as usize * g.lanes))
    }

    /// Pass that wrote a thread's value: the second of a register's two halves follows the first. `got`: threads that each
    /// pass has written.
    fn pass(&self, first: usize, got: &[u32; 4], thread: usize) -> usize {
        let low = self.half.is_some_and(|high| (first + usize::from(high)) % 2 == 0);
        first + usize::from(low && first + 1 < self.count && got[first] >> thread & 1 == 1)
    }

    /// Bits of a value: the low ones where halves are written.
    fn bits(&self) -> u32 {
        self.half.map_or(u32::MAX, |_| 0xffff)
    }

    /// Register of a pass, and the place of its value there.
    fn register(&self, pass: usize) -> (u32, u32) {
        match self.half {
            Some(high) => {
                let (register, high) = half_of(self.first as u8, high, pass);
                (register.into(), 16 * u32::from(high))
            }
            None => (self.spread.register(self.first, pass), 0),
        }
    }

    /// Pass and beat where an entry of 8 lanes is a register, `rows` of them a beat. Lane 0 counts, for an instruction
    /// of the second eight lanes from the register before its first one.
    fn shared(&self, register: u32, rows: u32) -> Option<(u32, u32)> {
        let (rows, step) = (rows.max(1), u32::from(self.spread.step).max(1));
        let before = u32::from(self.spread.first) / 8;
        let behind = register.wrapping_sub(self.first).wrapping_add(before);
        let pass = behind.wrapping_sub(before / rows * rows) / step;
        let within = behind.wrapping_sub(pass.wrapping_mul(step));
        (within % rows == 0).then_some((pass, within / rows))
    }

    /// The register that an entry of the register file belongs to.
    fn number(&self, entry: u32, g: Geometry) -> u32 {
        let relative = entry.wrapping_sub(self.rf);
        match g.isa {
            Isa::Ivb => relative.wrapping_add(u32::from(self.spread.first) / 8),
            _ => relative / g.isa.beats(g.lanes as u32),
        }
    }

    /// Undefined bits of what was delivered are the chip's: each register, its undefined bits, their values.
    pub fn adopted(&self, loads: &[Load], g: Geometry) -> Vec<(u8, Lanes, Lanes)> {
        let Some(undefined) = &self.undefined else { return vec![] };
        let mut values = [[0; WARP_SIZE]; 4];
        let mut got = [0u32; 4];
        for (rf, mask, data) in loads.iter().filter(|l| l.0 < FLAGS) {
            let Some((p, first)) = self.place(*rf, g) else { continue };
            for l in (0..g.lanes).filter(|l| mask >> l & 1 == 1) {
                let p = self.pass(p, &got, first + l);
                got[p] |= 1 << (first + l);
                values[p][first + l] = (data[l] & self.bits()) << self.register(p).1;
            }
        }
        let of_pass = |p: usize| {
            let (register, shift) = self.register(p);
            (register as u8, undefined[p].map(|u| (u & self.bits()) << shift), values[p])
        };
        (0..self.count).map(of_pass).collect()
    }

    /// Flags that came differ from the model's; their beats come one after the other.
    fn flags_differ(&self, loads: &[Load], g: Geometry) -> Option<Mismatch> {
        let came: Vec<&Load> = loads.iter().filter(|l| l.0 >= FLAGS).collect();
        let Some((c, want)) = self.flags else {
            let number = came.first()?.0 - FLAGS;
            return Some(Mismatch::warp(Field::FlagWrite, "flags that a unit wrote", 0, number));
        };
        let number = |l: &&&Load| l.0 != FLAGS + u32::from(c);
        if let Some(other) = came.iter().find(number) {
            return Some(Mismatch::warp(Field::FlagNumber, "flag register number", c.into(), other.0 - FLAGS));
        }
        let (mut got, mut wrong) = (0, vec![]);
        for (beat, (_, mask, data)) in came.into_iter().enumerate() {
            for l in (0..g.lanes).filter(|l| mask >> l & 1 == 1) {
                let t = (beat * g.lanes + l).min(WARP_SIZE - 1);
                got |= 1 << t;
                let undefined = self.undefined.as_ref().is_some_and(|u| u[0][t] != 0);
                let (want, is) = (u32::from(want[t]), data[l] & 15);
                if want != is && !undefined {
                    wrong.push((t, want, is));
                }
            }
        }
        if got != self.mask {
            return Some(Mismatch::warp(Field::LoadThreads, "threads whose flags were written", self.mask, got));
        }
        Mismatch::threads(Field::Flags, || format!("C{c} (Z 1, S 2, C 4, O 8)"), wrong)
    }

    /// What the load group delivered differs from what the model loaded.
    pub fn differs(&self, loads: &[Load], g: Geometry) -> Option<Mismatch> {
        let lanes = g.lanes;
        let mut got = [0u32; 4];
        let mut wrong: [Vec<(usize, u32, u32)>; 4] = Default::default();
        if let Some(wrong) = self.flags_differ(loads, g) {
            return Some(wrong);
        }
        // A beat without lanes writes nothing.
        for (rf, mask, data) in loads.iter().filter(|l| l.1 != 0 && l.0 < FLAGS) {
            let Some((p, first)) = self.place(*rf, g).filter(|at| at.1 + lanes <= WARP_SIZE) else {
                let number = self.number(*rf, g);
                return Some(Mismatch::warp(Field::LoadNumber, "register the load wrote", self.first, number));
            };
            for l in 0..lanes {
                if mask >> l & 1 == 0 {
                    continue;
                }
                let t = first + l;
                let p = self.pass(p, &got, t);
                got[p] |= 1 << t;
                let undefined = self.undefined.as_ref().map_or(0, |u| u[p][t]);
                let bits = self.bits() & !undefined;
                let (want, is) = (self.values[p][t] & bits, data[l] & bits);
                if want != is {
                    wrong[p].push((t, want, is));
                }
            }
        }
        // Threads first: what a thread got that should get nothing is no value of the model.
        (0..self.count)
            .find(|&p| got[p] != self.mask)
            .map(|p| {
                Mismatch::warp(
                    Field::LoadThreads,
                    format!("threads whose {} was loaded", register(g.isa, self.register(p).0)),
                    self.mask,
                    got[p],
                )
            })
            .or_else(|| {
                (0..self.count).find_map(|p| {
                    wrong[p].sort_unstable();
                    Mismatch::threads(
                        Field::Loaded,
                        || format!("{} (load)", register(g.isa, self.register(p).0)),
                        std::mem::take(&mut wrong[p]),
                    )
                })
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_passes_of_a_register_are_its_halves_in_their_order() {
        // The high half of register 5, then both of register 6.
        let expected = Expected {
            values: [[1; WARP_SIZE], [2; WARP_SIZE], [3; WARP_SIZE], [0; WARP_SIZE]],
            undefined: None,
            rf: 0,
            first: 5,
            spread: Spread::OWN,
            count: 3,
            half: Some(true),
            mask: u32::MAX,
            flags: None,
        };
        let g = Geometry { isa: Isa::G13, lanes: 32 };
        let load = |register, value| (register, u32::MAX, [value; WARP_SIZE]);
        let said = |loads: &[Load]| expected.differs(loads, g).map(|m| m.field);
        assert_eq!(said(&[load(5, 1), load(6, 2), load(6, 3)]), None);
        assert_eq!(said(&[load(5, 1), load(6, 3), load(6, 2)]), Some(Field::Loaded), "the halves change places");
        assert_eq!(said(&[load(5, 1), load(6, 2), load(6, 2)]), Some(Field::Loaded), "the last one is wrong");
        assert_eq!(said(&[load(5, 1), load(6, 2)]), Some(Field::LoadThreads), "the last one is missing");
        assert_eq!(said(&[load(5, 1), load(7, 2)]), Some(Field::LoadNumber), "a register behind them");
    }

    #[test]
    fn registers_of_later_values_are_those_of_the_rows_on_any_lanes() {
        let expected = |first: u8, step: u8| Expected {
            values: [[0; WARP_SIZE]; 4],
            undefined: None,
            first: 20,
            spread: Spread { first, dword: 0, step },
            count: 3,
            half: None,
            mask: 0,
            flags: None,
            rf: 256,
        };
        for lanes in [8usize, 16, 32] {
            for (first, step) in [(0, 1), (8, 1), (0, 2)] {
                let x = expected(first, step);
                let beats = Isa::Ivb.beats(lanes as u32) as usize;
                for (pass, beat) in (0..3).flat_map(|p| (0..beats).map(move |b| (p, b))) {
                    let entry = 256 + 20 + pass * usize::from(step) + beat * lanes / 8 - usize::from(first) / 8;
                    // Eight channels have their lanes in one beat.
                    let lives = step == 2 || lanes > 8 || beat == usize::from(first) / 8;
                    let at = x.place(entry as u32, Geometry { isa: Isa::Ivb, lanes });
                    if lives {
                        assert_eq!(at, Some((pass, beat * lanes)), "{lanes} lanes, {first}, {step}, {pass}, {beat}");
                    }
                }
            }
        }
        assert_eq!(expected(0, 2).place(256 + 21, Geometry { isa: Isa::Ivb, lanes: 16 }), None);
        assert_eq!(expected(0, 1).place(256 + 23, Geometry { isa: Isa::Ivb, lanes: 16 }), None);
        assert_eq!(expected(8, 1).place(256 + 19, Geometry { isa: Isa::Ivb, lanes: 8 }), None);
    }
}
