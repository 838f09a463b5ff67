//! The memory access that the micro-operations of an instruction of G13 ask for.

use super::{register, Source, Wanted};
use warpsmith_hdl::sm::control::g13::from;
use warpsmith_hdl::sm::control::source1;
use warpsmith_hdl::sm::control::uop::op;
use warpsmith_isa::uop::{Op, Place, Space, Src, Type, Uop};
pub(super) fn access(wanted: &mut Wanted, steps: &[Uop]) -> Option<()> {
    let uop = steps.last()?;
    let (a, load) = match uop.op {
        Op::Load(a) => (a, true),
        Op::Store(a) => (a, false),
        _ => return None,
    };
    let passes = match a.elements {
        1 => 0u64,
        3 => 1,
        7 => 3,
        15 => 2,
        _ => return None,
    };
    let data = if load { uop.ty } else { uop.src[0].ty };
    if passes != 0 && data.bits() == 16 {
        return None;
    }
    let [base, index] = &uop.src[usize::from(!load)..] else {
        return None;
    };
    wanted.set("passes", passes);
    let global = a.space == Space::Global;
    wanted.set(
        "mem",
        match (global, load) {
            (true, true) => 2u64,
            (true, false) => 3,
            (false, true) => 0,
            (false, false) => 1,
        },
    );
    wanted.set(
        "mem_size",
        match a.element.bits() {
            8 => 0u64,
            16 => 2,
            _ => 6,
        },
    );
    if !global && load {
        wanted.op(op::MOVE);
        wanted.set("s1_kind", source1::SHARED);
        wanted.set("s1_half", 0u64);
        wanted.set(
            "s1_size",
            match a.element.bits() {
                8 => 0u64,
                16 => 1,
                _ => 3,
            },
        );
    }
    if !load {
        wanted.sources[2] = Some(Source::of(&uop.src[0]));
    }
    wanted.set("address.far", global);
    let scale = u64::from(index.shift);
    let by_register = register(index.place);
    match index.place {
        Place::Immediate(v) => {
            let number = match index.ty {
                Type::U16 => i64::from(v as u16),
                _ => i64::from(v as i16),
            };
            wanted.set("imm", (number << scale) as u32);
            wanted.set("sources.index", 0u64);
        }
        _ => {
            wanted.sources[1] = Some(Source { extend: false, ..Source::of(index) });
            wanted.set("sources.index", 1u64);
            wanted.set("sources.scale", scale);
            wanted.set("sources.index_signed", index.ty.is_signed());
            wanted.set("imm", 0u64);
        }
    }
    // A pair is rounded down first.
    let base = match base.place {
        Place::Temporary(_) => &steps.first()?.src[0],
        _ => base,
    };
    // Of base and index one register alone may be replaced by a load of several elements.
    if let (true, true, Some((b, _)), Some((i, _))) = (load && !global, passes != 0, register(base.place), by_register)
    {
        let (first, _) = register(uop.dst[0])?;
        let written = first..first + u64::from(a.count());
        if b != i && written.contains(&b) && written.contains(&i) {
            return None;
        }
    }
    wanted.base(base, by_register.is_some())
}

impl Wanted {
    /// The base of an address.
    fn base(&mut self, base: &Src, indexed: bool) -> Option<()> {
        if let Place::Immediate(_) = base.place {
            self.set("address.base", 0u64);
            return Some(());
        }
        let s = Source::of(base);
        self.set("address.base", 1u64);
        self.set("sources.from1", s.from);
        if s.from == from::UNIFORM {
            self.set("sources.n1", s.n);
        } else {
            self.set("r1", s.register);
            self.set("use1", 1u64);
            if base.ty == Type::U64 {
                if indexed {
                    return None;
                }
                self.set("r2", s.register + 1);
                self.set("use2", 1u64);
            }
        }
        self.set("sources.base_half", base.ty == Type::U16);
        self.set("sources.base_hi", s.high);
        Some(())
    }
}
