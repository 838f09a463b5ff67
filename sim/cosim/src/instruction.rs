//! What lockstep, reports and observers ask of an instruction, whichever set it is of.

use warpsmith_isa::fermi::is_double;
use warpsmith_isa::ivb::lower::file;
use warpsmith_isa::uop::{Builtin, Flow, Lowered, MaskFlow, Op as Uop, Place, Space, Special, StackFlow};
use warpsmith_isa::{decode_in, Family, Instr, Isa, Op, Resource, Src};
use warpsmith_model::Launch;

/// First predicate, or flag register, among the [writers](Instruction::reads) of a warp.
pub const CONDITIONS: usize = 128;
/// First address register among them.
pub const ADDRESSES: usize = 132;
/// How many there are.
pub const WRITERS: usize = 140;

/// Name of a register.
pub fn register(isa: Isa, number: u32) -> String {
    match isa {
        Isa::Ivb => format!("g{number}"),
        _ => format!("R{number}"),
    }
}

/// Name of a predicate; of Ivy Bridge a flag.
pub fn predicate(isa: Isa, number: u8) -> String {
    match isa {
        Isa::Ivb => format!("f{}.{}", number / 2, number % 2),
        _ => format!("P{number}"),
    }
}

/// Facts of one instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instruction {
    /// As the assembler writes it.
    pub text: String,
    /// A special-function unit computes it.
    pub special: bool,
    /// It reads the clock.
    pub clock: bool,
    /// It comes to a barrier.
    pub barrier: bool,
    /// Threads may go elsewhere.
    pub branch: bool,
    /// `load` or `store` to global or local memory, and the bytes of a thread.
    pub access: Option<(&'static str, u32)>,
    /// What it reads: number among the things that a warp writes (registers, from [`CONDITIONS`] on flags or
    /// predicates, from [`ADDRESSES`] on address registers) and name.
    pub reads: Vec<(usize, String)>,
}

/// The instruction at byte address `pc` whose first 8 bytes are `word`; `None` where that is none.
pub fn of(launch: &Launch, pc: u32, word: [u32; 2]) -> Option<Instruction> {
    let here = launch.program.bytes.get(pc as usize..).unwrap_or_default();
    of_bytes(launch, pc, word, here)
}

/// The instruction of the program at byte address `pc`.
pub fn at(launch: &Launch, pc: u32) -> Option<Instruction> {
    let here = launch.program.bytes.get(pc as usize..)?;
    let word = |n: usize| here.iter().skip(4 * n).take(4).rev();
    let word = |n| word(n).fold(0, |w, b| w << 8 | u32::from(*b));
    of_bytes(launch, pc, [word(0), word(1)], here)
}

/// The same of a set; `here`: the program from `pc` on, of which more than 8 bytes count if it begins so.
fn of_bytes(launch: &Launch, pc: u32, word: [u32; 2], here: &[u8]) -> Option<Instruction> {
    let [w0, w1] = word;
    if launch.isa() == Isa::Sm10 {
        return Some(of_sm10(&decode_in(launch.program.semantics, w0, w1).ok()?));
    }
    let set = launch.isa().set();
    let first = (u64::from(w1) << 32 | u64::from(w0)).to_le_bytes();
    let known = here.len() > 8 && here.starts_with(&first);
    let instr = set.decode(if known { here } else { &first }).ok()?;
    let lowered = set.lower(&instr, pc.into());
    Some(Instruction {
        text: set.print(&instr, pc.into()),
        ..lowered.map_or_else(|_| Instruction::default(), |l| of_uops(launch.isa(), &l))
    })
}

/// The instruction as the assembler writes it.
pub fn text(launch: &Launch, pc: u32, word: [u32; 2]) -> String {
    of(launch, pc, word).map_or_else(|| "undefined".to_string(), |i| i.text)
}

fn of_sm10(i: &Instr) -> Instruction {
    let place = |r: Resource| match r {
        Resource::Reg(r) => (usize::from(r), format!("R{r}")),
        Resource::Flag(c) => (CONDITIONS + usize::from(c & 3), format!("C{c}")),
        Resource::Addr(a) => (ADDRESSES + usize::from(a & 7), format!("A{a}")),
    };
    // A wide store may name registers beyond the last.
    let known = |r: &Resource| !matches!(r, Resource::Reg(128..));
    let mut reads: Vec<_> = i.reads().filter(known).map(place).collect();
    reads.sort();
    Instruction {
        text: warpsmith_isa::text(i),
        special: matches!(i.op, Op::Sfu { .. }) || i.op.family() == Family::Double,
        clock: i.src.contains(&Src::Special(1)),
        barrier: matches!(i.op, Op::Bar { .. }),
        branch: matches!(i.op, Op::Bra { .. } | Op::Cal { .. } | Op::Ret | Op::Brk),
        access: match i.op {
            Op::LdGlobal { size, .. } => Some(("load", size.bytes())),
            Op::StGlobal { size, .. } => Some(("store", size.bytes())),
            Op::Atomic { .. } => Some(("atomic", 4)),
            Op::LdLocal { at } => Some(("load", at.size.bytes())),
            Op::StLocal { at } => Some(("store", at.size.bytes())),
            _ => None,
        },
        reads,
    }
}

/// What micro-operations of a set say; no text.
pub fn of_uops(isa: Isa, lowered: &Lowered) -> Instruction {
    let mut out = Instruction::default();
    let channels = u32::from(lowered.lanes.count);
    if let Some(guard) = &lowered.guard {
        out.reads.extend(read(&guard.place, 1, channels));
    }
    for u in &lowered.uops {
        let outside = |space| !matches!(space, Space::Shared | Space::Constant(_));
        let mut wide = 1;
        // Fermi's floats of 64 bits are a unit's, but for comparisons.
        out.special |= isa == Isa::Fermi && is_double(u) && !matches!(u.op, Uop::Compare { .. });
        match u.op {
            // The lanes compute these.
            Uop::Special(Special::ReduceEx2 | Special::ReduceSin | Special::SinFold) => {}
            Uop::Special(_) => out.special = true,
            Uop::Convert | Uop::Move | Uop::Compare { .. } => {}
            Uop::Barrier(_) => out.barrier = true,
            Uop::Flow(f) => {
                out.branch |= is_branch(f);
                // The counter of the mask.
                if matches!(f, Flow::Mask(m) if m.counts()) {
                    out.reads.extend(read(&u.dst[0], 1, channels));
                }
            }
            Uop::Load(a) if outside(a.space) => {
                let bytes = out.access.map_or(0, |(_, n)| n) + a.count() * a.element.bytes();
                out.access = Some(("load", bytes));
            }
            Uop::Store(a) => {
                wide = a.values();
                if outside(a.space) {
                    let bytes = out.access.map_or(0, |(_, n)| n) + a.count() * a.element.bytes();
                    out.access = Some(("store", bytes));
                }
            }
            Uop::Atomic(a, _) if outside(a.space) => out.access = Some(("atomic", a.element.bytes())),
            // Of several steps of Ivy Bridge the last says whose the result is.
            _ => out.special &= isa != Isa::Ivb,
        }
        for (n, s) in u.src.iter().enumerate() {
            let clock = Place::Builtin(Builtin::ClockLow);
            out.clock |= s.place == clock || s.place == Place::Builtin(Builtin::ClockHigh);
            let own = s.ty.bytes().div_ceil(4);
            let words = if n == 0 { own.max(wide) } else { own };
            out.reads.extend(read(&s.place, words, channels));
        }
    }
    out.reads.sort();
    out.reads.dedup();
    out
}

/// Registers or the predicate that a source of so many words is; `channels`: of an instruction whose channels share
/// registers.
fn read(place: &Place, words: u32, channels: u32) -> Vec<(usize, String)> {
    match *place {
        Place::Register { index, byte } => (0..words)
            .map(|w| usize::from(index) + usize::from(byte / 4) + w as usize)
            .filter(|r| *r < CONDITIONS)
            .map(|r| (r, format!("R{r}")))
            .collect(),
        Place::Region(r) if r.file == file::GENERAL && r.indirect.is_none() => {
            let (width, last) = (u32::from(r.width.max(1)), channels.max(1) - 1);
            let behind = last / width * u32::from(r.vertical) + last % width * u32::from(r.horizontal);
            let first = r.byte.max(0) as u32;
            (first / 32..=(first + behind) / 32)
                .filter(|n| (*n as usize) < CONDITIONS)
                .map(|n| (n as usize, register(Isa::Ivb, n)))
                .collect()
        }
        Place::Flag(f, s) | Place::Picked(f, s, _) => {
            let n = 2 * (f & 1) + (s & 1);
            vec![(CONDITIONS + usize::from(n), predicate(Isa::Ivb, n))]
        }
        Place::Predicate(p) => vec![(CONDITIONS + usize::from(p & 7), format!("P{p}"))],
        _ => vec![],
    }
}

/// Whether threads of a warp may part there.
fn is_branch(flow: Flow) -> bool {
    match flow {
        Flow::Stack(s) => !matches!(s, StackFlow::Push { .. } | StackFlow::Join),
        Flow::Mask(m) => !matches!(m, MaskFlow::Pop { .. }),
        Flow::Channel(_) => true,
        Flow::Exit | Flow::End => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fermi(source: &str) -> Instruction {
        let set = Isa::Fermi.set();
        let bytes = warpsmith_isa::set::assemble(set, source, "test").unwrap_or_else(|e| panic!("{e}")).bytes;
        let launch = Launch::from_code(Isa::Fermi, bytes);
        let words = launch.program.words();
        of(&launch, 0, [words[0], words[1]]).expect("an instruction")
    }

    fn names(i: &Instruction) -> Vec<&str> {
        i.reads.iter().map(|r| r.1.as_str()).collect()
    }

    #[test]
    fn an_instruction_of_another_set_names_what_it_reads() {
        let i = fermi("@!P1 FADD R1, -|R2|, R3;");
        assert!(i.text.contains("FADD"), "{}", i.text);
        assert_eq!(names(&i), ["R2", "R3", "P1"]);
        assert!(!i.special && !i.clock && !i.barrier && i.access.is_none());
    }

    #[test]
    fn a_wide_store_reads_all_its_registers() {
        let i = fermi("ST.64 [R4+0x10], R8;");
        assert_eq!(i.access, Some(("store", 8)));
        assert_eq!(names(&i), ["R4", "R8", "R9"]);
    }

    #[test]
    fn special_functions_and_clocks_are_known() {
        assert!(fermi("MUFU.RCP R1, R2;").special);
        assert!(fermi("S2R R1, SR_ClockLo;").clock);
        assert!(!fermi("RRO.SINCOS R1, R2;").special);
        let ivb = |text: &str| {
            let set = Isa::Ivb.set();
            let instr = set.parse(text, &warpsmith_isa::set::Place::at(0)).unwrap();
            of_uops(Isa::Ivb, &set.lower(&instr, 0).unwrap()).special
        };
        assert!(ivb("math pow(8) g1<1>F g2<8,8,1>F g3<8,8,1>F") && ivb("math sin(8) g1<1>F g2<8,8,1>F null<8,8,1>F"));
        assert!(!ivb("math sqrt(8) g1<1>F g2<8,8,1>F null<8,8,1>F"));
    }
}
