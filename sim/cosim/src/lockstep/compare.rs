//! One retire record of the chip against one step of the model.

use super::collect::{Destination, MemoryAccess, RtlRecord};
use crate::instruction::{predicate, register};
use warpsmith_isa::{Family, Instr, Isa, MemSize, Op, Src, WARP_SIZE};
use warpsmith_model::{half_of, AccessKind, Lanes, PredicateWrites, Retired, RetiredDst, Space};

/// Which part of a retired instruction differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// The model cannot execute anything in this warp now.
    Order,
    /// Byte address.
    Pc,
    /// Instruction words.
    Word,
    /// Active mask.
    Active,
    /// Execution mask: active threads whose guard holds.
    Executed,
    /// Entries of the divergence stack.
    Depth,
    /// Kind of destination.
    DstKind,
    /// Number of the destination register, or halves of it.
    DstNumber,
    /// Value of the destination.
    Value,
    /// Whether flags are written.
    FlagWrite,
    /// Number of the flag register.
    FlagNumber,
    /// Flags.
    Flags,
    /// Number of the address register incremented.
    StepNumber,
    /// Its value.
    StepValue,
    /// Kind or width of a memory access.
    Access,
    /// Address of a memory access.
    Address,
    /// Data stored.
    Stored,
    /// Register that a load wrote.
    LoadNumber,
    /// Threads that a load wrote.
    LoadThreads,
    /// Value that a load, or a special-function unit, delivered.
    Loaded,
}

/// The first thing that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Which part.
    pub field: Field,
    /// What: `pc`, `active mask`, `R5`, `address`, …
    pub what: String,
    /// Lane, when it is a thread's value.
    pub lane: Option<usize>,
    /// The model's side.
    pub model: u32,
    /// The chip's side.
    pub rtl: u32,
    /// When it is a thread's value: lane, model's and chip's side of every thread that differs.
    pub lanes: Vec<(usize, u32, u32)>,
}

impl Mismatch {
    /// Of something a warp has once.
    pub fn warp(field: Field, what: impl Into<String>, model: u32, rtl: u32) -> Self {
        Mismatch { field, what: what.into(), lane: None, model, rtl, lanes: vec![] }
    }

    /// Of the threads that differ: lane, model's and chip's side. `None` when there are none.
    pub fn threads(field: Field, what: impl FnOnce() -> String, lanes: Vec<(usize, u32, u32)>) -> Option<Self> {
        let &(lane, model, rtl) = lanes.first()?;
        Some(Mismatch { field, what: what(), lane: Some(lane), model, rtl, lanes })
    }
}

/// Lanes of `mask` whose values differ after masking with `bits`.
fn lanes(
    field: Field, what: impl Fn() -> String, mask: u32, bits: u32, model: &Lanes, rtl: &Lanes,
) -> Option<Mismatch> {
    let differs = |&l: &usize| mask >> l & 1 != 0 && (model[l] ^ rtl[l]) & bits != 0;
    let all = (0..WARP_SIZE).filter(differs).map(|l| (l, model[l] & bits, rtl[l] & bits));
    Mismatch::threads(field, what, all.collect())
}

/// Bits of a register that an access of this size stores.
fn stored_bits(size: MemSize) -> u32 {
    match size.bytes() {
        1 => 0xff,
        2 => 0xffff,
        _ => u32::MAX,
    }
}

/// Where the value of an instruction comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The pipeline, or memory.
    Pipeline,
    /// The cycle counter, of which the model knows nothing: not compared.
    Clock,
    /// A special-function unit: it comes later, like that of a load.
    Special,
}

impl Origin {
    /// The origin of what `instr` writes.
    pub fn of(instr: &Instr) -> Self {
        let special = matches!(instr.op, Op::Sfu { .. }) || instr.op.family() == Family::Double;
        Origin::from_facts(special, instr.src.contains(&Src::Special(1)))
    }

    /// The origin of what a special-function unit computes, or the clock is read into.
    pub fn from_facts(special: bool, clock: bool) -> Self {
        match (special, clock) {
            (true, _) => Origin::Special,
            (_, true) => Origin::Clock,
            _ => Origin::Pipeline,
        }
    }
}

/// Compares everything but values that come later. `depth` is the model's stack depth before the
/// step.
pub fn compare(rtl: &RtlRecord, model: &Retired, depth: u32, origin: Origin, isa: Isa) -> Option<Mismatch> {
    for (field, what, m, r) in [
        (Field::Pc, "pc", model.pc, rtl.pc),
        (Field::Word, "word 0", model.word[0], rtl.word[0]),
        (Field::Word, "word 1", model.word[1], rtl.word[1]),
        (Field::Active, "active mask", model.active_mask, rtl.active),
        (Field::Executed, "execution mask", model.exec_mask, rtl.exec),
        (Field::Depth, "stack depth", depth, rtl.depth),
    ] {
        if m != r {
            return Some(Mismatch::warp(field, what, m, r));
        }
    }
    if model.exec_mask == 0 {
        // Nobody executed it: what it would have written means nothing.
        return None;
    }
    destination(rtl, model, origin, isa)
        .or_else(|| side_effects(rtl, model, origin, isa))
        .or_else(|| memory(rtl, model))
}

fn destination(rtl: &RtlRecord, model: &Retired, origin: Origin, isa: Isa) -> Option<Mismatch> {
    let mask = model.write_mask;
    let later = origin == Origin::Special || model.mem.is_some_and(|m| m.kind.loads());
    let kind = |d: Destination| d as u32;
    let want = match model.dst {
        RetiredDst::None if origin == Origin::Special && model.flags.is_some() => Destination::Pending,
        RetiredDst::None => Destination::None,
        RetiredDst::Gpr { .. } | RetiredDst::Half { .. } if later => Destination::Pending,
        RetiredDst::Gpr { .. } | RetiredDst::Half { .. } => Destination::Gpr,
        RetiredDst::Addr { .. } => Destination::Addr,
    };
    // $a0 cannot be written: naming it is naming nothing.
    let got = if rtl.dst == Destination::Addr && rtl.reg & 7 == 0 { Destination::None } else { rtl.dst };
    if want != got && mask != 0 {
        return Some(Mismatch::warp(
            Field::DstKind,
            "destination kind (0 none, 1 register, 2 address register, 3 register, later)",
            kind(want),
            kind(got),
        ));
    }
    if mask == 0 {
        return None;
    }
    let (number, halves, bits) = match model.dst {
        RetiredDst::None => return None,
        RetiredDst::Gpr { first, .. } => (u32::from(first), 3, u32::MAX),
        RetiredDst::Half { reg, high, .. } => (u32::from(reg), 1 << u32::from(high), 0xffff),
        RetiredDst::Addr { index } => (u32::from(index), rtl.half, 0xffff),
    };
    if number != rtl.reg {
        return Some(Mismatch::warp(Field::DstNumber, "destination number", number, rtl.reg));
    }
    if halves != rtl.half {
        return Some(Mismatch::warp(Field::DstNumber, "halves written (bit 0 low, bit 1 high)", halves, rtl.half));
    }
    if later || origin == Origin::Clock {
        return None;
    }
    let name = |p: usize| match model.dst {
        RetiredDst::Half { reg, high, .. } => {
            let (reg, high) = half_of(reg, high, p);
            format!("{}{}", register(isa, reg.into()), if high { 'H' } else { 'L' })
        }
        RetiredDst::Addr { index } => format!("A{index}"),
        _ => register(isa, model.spread.register(number, p)),
    };
    // Several registers, loaded from shared memory or constants: a pass each.
    let count = match model.dst {
        RetiredDst::Gpr { count: count @ 2.., .. } | RetiredDst::Half { count: count @ 2.., .. } => count.into(),
        _ => 1,
    };
    if count != 1 && count != rtl.passes {
        return Some(Mismatch::warp(Field::DstNumber, "registers written", count as u32, rtl.passes as u32));
    }
    (0..count).find_map(|p| lanes(Field::Value, || name(p), mask, bits, &model.values[p], &rtl.y[p]))
}

/// The two results that are predicates.
fn predicates(rtl: &RtlRecord, model: &Retired, want: &PredicateWrites, isa: Isa) -> Option<Mismatch> {
    let [q1, q2] = want.number;
    let (m, r) = (q1.or(q2).is_some(), rtl.flags_we);
    if m != r {
        let what = "predicate write";
        return Some(Mismatch::warp(Field::FlagWrite, what, m.into(), r.into()));
    }
    if let Some(n) = q1.map(u32::from).filter(|n| *n != rtl.predicate) {
        return Some(Mismatch::warp(Field::FlagNumber, "predicate number", n, rtl.predicate));
    }
    [q1, q2].into_iter().enumerate().find_map(|(q, number)| {
        let number = number?;
        let bits = |l: usize| (want.value[q] >> l & 1, u32::from(rtl.flags[l] >> q & 1));
        let all = (0..WARP_SIZE)
            .filter(|&l| model.exec_mask >> l & 1 != 0 && bits(l).0 != bits(l).1)
            .map(|l| (l, bits(l).0, bits(l).1));
        Mismatch::threads(Field::Flags, || predicate(isa, number), all.collect())
    })
}

fn side_effects(rtl: &RtlRecord, model: &Retired, origin: Origin, isa: Isa) -> Option<Mismatch> {
    if let Some(want) = &model.predicates {
        return predicates(rtl, model, want, isa);
    }
    // Flags of floats of 64 bits come with their results.
    let flags = model.flags.filter(|_| origin != Origin::Special);
    let (m, r) = (flags.is_some(), rtl.flags_we);
    if m != r {
        return Some(Mismatch::warp(Field::FlagWrite, "flag write", m.into(), r.into()));
    }
    if let Some(c) = flags {
        if u32::from(c) != rtl.cc {
            return Some(Mismatch::warp(Field::FlagNumber, "flag register number", c.into(), rtl.cc));
        }
        let all = (0..WARP_SIZE)
            .filter(|&l| model.exec_mask >> l & 1 != 0 && model.flag_values[l] != rtl.flags[l])
            .map(|l| (l, model.flag_values[l].into(), rtl.flags[l].into()));
        let bad = Mismatch::threads(Field::Flags, || format!("C{c} (Z 1, S 2, C 4, O 8)"), all.collect());
        if bad.is_some() {
            return bad;
        }
    }
    let m = model.post_increment.unwrap_or(0).into();
    if m != rtl.post_increment {
        return Some(Mismatch::warp(
            Field::StepNumber,
            "address register post-incremented (0 none)",
            m,
            rtl.post_increment,
        ));
    }
    if m != 0 {
        return lanes(
            Field::StepValue,
            || format!("A{m} after increment"),
            model.exec_mask,
            0xffff,
            &model.post_increment_values,
            &rtl.post_increment_values,
        );
    }
    None
}

fn memory(rtl: &RtlRecord, model: &Retired) -> Option<Mismatch> {
    let want = match model.mem {
        None => MemoryAccess::None,
        Some(m) => match (m.space, m.kind) {
            (Space::Shared, AccessKind::Store) => MemoryAccess::SharedStore,
            (Space::Global, AccessKind::Load) => MemoryAccess::GlobalLoad,
            (Space::Global, AccessKind::Store) => MemoryAccess::GlobalStore,
            (Space::Global, AccessKind::Atomic) => MemoryAccess::GlobalAtomic,
            (Space::Global, AccessKind::Reduction) => MemoryAccess::GlobalReduction,
            (Space::Local, AccessKind::Load) => MemoryAccess::LocalLoad,
            (Space::Local, AccessKind::Store) => MemoryAccess::LocalStore,
            // Shared and constant loads are operands, not accesses of the trace port; atomics of chips are global.
            (Space::Shared | Space::Constant(_) | Space::Local, _) => MemoryAccess::None,
        },
    };
    if want != rtl.mem {
        return Some(Mismatch::warp(
            Field::Access,
            "memory access (0 none, 1 shared store, 2/3 global load/store, 4/5 local load/store, 6/7 atomic with/without result)",
            want as u32,
            rtl.mem as u32,
        ));
    }
    let access = model.mem?;
    let passes = access.passes();
    if passes != rtl.passes {
        return Some(Mismatch::warp(Field::Access, "passes of the access", passes as u32, rtl.passes as u32));
    }
    for p in 0..passes {
        let (mut want, offset) = (model.address, access.offset(p));
        want.iter_mut().for_each(|a| *a = a.wrapping_add(offset));
        let bad =
            lanes(Field::Address, || format!("address of pass {p}"), model.exec_mask, u32::MAX, &want, &rtl.address[p]);
        if bad.is_some() {
            return bad;
        }
        if access.kind != AccessKind::Load {
            let bad = lanes(
                Field::Stored,
                || format!("data stored by pass {p}"),
                model.exec_mask,
                stored_bits(access.size),
                &model.data[p],
                &rtl.data[p],
            );
            if bad.is_some() {
                return bad;
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpsmith_model::MemAccess;

    fn pair() -> (RtlRecord, Retired) {
        let rtl = RtlRecord {
            pc: 8,
            word: [1, 2],
            active: 0xff,
            exec: 0x0f,
            dst: Destination::Gpr,
            reg: 5,
            half: 3,
            y: [[7; 32]; 4],
            depth: 2,
            ..RtlRecord::default()
        };
        let model = Retired {
            pc: 8,
            word: [1, 2],
            active_mask: 0xff,
            exec_mask: 0x0f,
            write_mask: 0x0f,
            dst: RetiredDst::Gpr { first: 5, count: 1 },
            values: [[7; 32]; 4],
            ..Retired::default()
        };
        (rtl, model)
    }

    #[test]
    fn equal_records_agree_and_lanes_outside_the_mask_do_not_count() {
        let (mut rtl, model) = pair();
        rtl.y[0][4] = 99;
        assert_eq!(compare(&rtl, &model, 2, Origin::Pipeline, Isa::Sm10), None);
    }

    #[test]
    fn a_wrong_value_names_register_and_lane() {
        let (mut rtl, model) = pair();
        rtl.y[0][3] = 9;
        assert_eq!(
            compare(&rtl, &model, 2, Origin::Pipeline, Isa::Sm10),
            Some(Mismatch {
                field: Field::Value,
                what: "R5".into(),
                lane: Some(3),
                model: 7,
                rtl: 9,
                lanes: vec![(3, 7, 9)],
            })
        );
        assert_eq!(compare(&rtl, &model, 2, Origin::Clock, Isa::Sm10), None);
    }

    #[test]
    fn each_kind_of_difference_is_found() {
        let check = |what: &str, change: &dyn Fn(&mut RtlRecord, &mut Retired)| {
            let (mut rtl, mut model) = pair();
            change(&mut rtl, &mut model);
            let found =
                compare(&rtl, &model, 2, Origin::Pipeline, Isa::Sm10).unwrap_or_else(|| panic!("{what} not found"));
            assert!(found.what.contains(what), "{what}: {found:?}");
        };
        check("pc", &|r, _| r.pc = 16);
        check("word 1", &|r, _| r.word[1] = 0);
        check("active mask", &|r, _| r.active = 0xfe);
        check("execution mask", &|r, _| r.exec = 0x1f);
        check("stack depth", &|r, _| r.depth = 0);
        check("destination kind", &|r, _| r.dst = Destination::None);
        check("destination number", &|r, _| r.reg = 6);
        check("halves", &|r, _| r.half = 1);
        check("flag write", &|r, _| r.flags_we = true);
        check("C2", &|r, m| {
            (r.flags_we, r.cc, r.flags[1]) = (true, 2, 8);
            m.flags = Some(2);
        });
        check("post-incremented", &|r, _| r.post_increment = 3);
        check("A3 after", &|r, m| {
            r.post_increment = 3;
            m.post_increment = Some(3);
            m.post_increment_values[2] = 4;
        });
        let store =
            MemAccess { space: Space::Shared, kind: AccessKind::Store, size: MemSize::U8, elements: 1, mask: None };
        check("memory access", &|_, m| m.mem = Some(store));
        check("address", &|r, m| {
            (m.mem, r.mem) = (Some(store), MemoryAccess::SharedStore);
            r.address[0][0] = 1;
        });
        check("data stored", &|r, m| {
            (m.mem, r.mem) = (Some(store), MemoryAccess::SharedStore);
            r.data[0][0] = 1;
        });
    }

    #[test]
    fn only_the_stored_bits_are_compared() {
        let (mut rtl, mut model) = pair();
        (model.mem, rtl.mem) = (
            Some(MemAccess {
                space: Space::Shared,
                kind: AccessKind::Store,
                size: MemSize::U8,
                elements: 1,
                mask: None,
            }),
            MemoryAccess::SharedStore,
        );
        rtl.data[0][0] = 0x100;
        assert_eq!(compare(&rtl, &model, 2, Origin::Pipeline, Isa::Sm10), None);
    }

    #[test]
    fn an_instruction_nobody_executes_is_compared_by_its_masks_only() {
        let (mut rtl, mut model) = pair();
        (rtl.exec, model.exec_mask, rtl.dst) = (0, 0, Destination::None);
        assert_eq!(compare(&rtl, &model, 2, Origin::Pipeline, Isa::Sm10), None);
    }
}
