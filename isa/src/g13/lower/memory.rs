//! Device, threadgroup and stack memory, atomics.

use super::integer::AND;
use super::operand::{lane, mov, uniform, Code, Dst};
use crate::uop::{Access, AtomicOp, Builtin, Format, Op, Place, Round, Space, Src, Type, Unimplemented, Uop};

type Result<T> = std::result::Result<T, Unimplemented>;

const POINTER: Place = Place::Builtin(Builtin::StackPointer);

/// The micro-operations; `None` for a form of another kind.
pub(super) fn lower(c: &Code) -> Option<Result<Vec<Uop>>> {
    Some(match c.name {
        "device_load" | "device_store" => device(c),
        "threadgroup_load" | "threadgroup_store" => group(c),
        "stack_load" | "stack_store" => stack(c),
        "stack_get_ptr" => {
            let d = lane(c.part(5, 0) & !1);
            Ok(vec![mov(Type::U32, d, Src::new(POINTER, Type::U32))])
        }
        "stack_adjust" => {
            let v = Src::immediate(c.signed(5) as u64, Type::S64);
            Ok(vec![adjust(v)])
        }
        "stack_adjust_reg" => {
            let r = lane(c.part(5, 0) & !1);
            Ok(vec![adjust(Src::new(r, Type::U32))])
        }
        "uniform_store" => uniform_store(c),
        "atomic" => atomic(c, Space::Global),
        "threadgroup_atomic" => atomic(c, Space::Shared),
        _ => return None,
    })
}

fn adjust(by: Src) -> Uop {
    Uop::new(Op::Add, Type::U32, POINTER, vec![Src::new(POINTER, Type::U32), by])
}

/// Element of a format, and what registers have of it.
fn element(format: u64) -> Result<(Type, Format)> {
    let round = if format < 14 { Round::Nearest } else { Round::Zero };
    Ok(match format {
        0 => (Type::U8, Format::Plain),
        1 | 3 => (Type::U16, Format::Plain),
        2 => (Type::U32, Format::Plain),
        4 => (Type::U8, Format::Unorm),
        5 => (Type::S8, Format::Snorm),
        6 => (Type::U16, Format::Unorm),
        7 => (Type::S16, Format::Snorm),
        8 => (Type::U32, Format::Rgb10A2),
        10 => (Type::U8, Format::Srgb),
        12 | 14 => (Type::U32, Format::Rg11B10 { round }),
        13 | 15 => (Type::U32, Format::Rgb9E5 { round }),
        _ => return Err(Unimplemented("no page says what the memory formats 9 and 11 are")),
    })
}

/// Type of the addresses of a memory.
fn address_type(space: Space) -> Type {
    match space {
        Space::Global => Type::U64,
        _ => Type::U32,
    }
}

/// Registers and elements of a load or store.
fn access(c: &Code, space: Space, wide: &str) -> Result<(Place, Type, Access)> {
    let (element, format) = element(c.field("F"))?;
    if format != Format::Plain && space != Space::Global {
        return Err(Unimplemented("no page says that threadgroup memory and stack convert to floats"));
    }
    let register = Type::int(16 << c.field(wide), false);
    if format == Format::Plain && register.bits() < element.bits() {
        return Err(Unimplemented("elements of 32 bits in registers of 16"));
    }
    let access = Access {
        space,
        element,
        // Words of several values have no mask.
        elements: if format.packed().is_some() { 1 } else { c.field("mask") as u8 },
        align: element.bytes() as u8,
        address: address_type(space),
        format,
    };
    let first = c.field("R");
    let place = lane(if register == Type::U32 { first & !1 } else { first });
    Ok((place, register, access))
}

/// A load into the registers from `place` on, or a store of them.
fn transfer(load: bool, place: Place, ty: Type, access: Access, address: Vec<Src>) -> Uop {
    if load {
        return Uop::new(Op::Load(access), ty, place, address);
    }
    let src = [vec![Src::new(place, ty)], address].concat();
    Uop::new(Op::Store(access), ty, Place::None, src)
}

/// Bits by which an index of elements is shifted.
fn scale(element: Type) -> u8 {
    element.bytes().trailing_zeros() as u8
}

/// The index of operand fields O, Ot: a register of 32 bits or a number of 16.
fn index(c: &Code, unsigned: bool, shift: u8) -> Src {
    let o = c.field("O");
    let src = match (c.field("Ot"), unsigned) {
        (0, _) => Src::new(lane(o & 0xfe), Type::int(32, !unsigned)),
        (_, true) => Src::immediate(o, Type::U16),
        (_, false) => Src::immediate(o, Type::S16),
    };
    Src { shift, ..src }
}

/// The pair that holds an address, rounded down to a multiple of the element: micro-operations and source.
fn base(c: &Code, element: Type) -> (Vec<Uop>, Src) {
    let pair = match c.field("At") {
        0 => lane(c.field("A") & !1),
        _ => uniform(c.field("A") & !1),
    };
    let pair = Src::new(pair, Type::U64);
    if element.bytes() == 1 {
        return (vec![], pair);
    }
    let place = Place::Temporary(0);
    let mask = !u64::from(element.bytes() - 1);
    let src = vec![pair, Src::immediate(mask, Type::U64)];
    let round = Uop::new(AND, Type::U64, place, src);
    (vec![round], Src::new(place, Type::U64))
}

fn device(c: &Code) -> Result<Vec<Uop>> {
    let (place, ty, access) = access(c, Space::Global, "Rt")?;
    let (mut uops, base) = base(c, access.element);
    // … and no shift.
    let shift = if access.format.packed().is_some() { 0 } else { c.field("s").min(2) as u8 };
    let shift = shift + scale(access.element);
    let index = index(c, c.field("Ou") == 1, shift);
    let load = c.name == "device_load";
    uops.push(transfer(load, place, ty, access, vec![base, index]));
    Ok(uops)
}

/// The address of group memory: a half, a uniform or 0, and an index of elements.
fn group_address(c: &Code, element: Type) -> Vec<Src> {
    let (a, o) = (c.field("A"), c.field("O"));
    let base = match c.field("At") {
        0 => Src::new(lane(a), Type::U16),
        2 => Src::immediate(0, Type::U16),
        t => Src::new(uniform(a | (t >> 1) << 8), Type::U16),
    };
    let index = match c.field("Ot") {
        0 => Src::new(lane(o & 0xff), Type::U16),
        _ => Src::immediate(o, Type::S16),
    };
    let index = Src { shift: scale(element), ..index };
    vec![base, index]
}

fn group(c: &Code) -> Result<Vec<Uop>> {
    let (place, ty, access) = access(c, Space::Shared, "Rt")?;
    let address = group_address(c, access.element);
    let load = c.name == "threadgroup_load";
    Ok(vec![transfer(load, place, ty, access, address)])
}

fn stack(c: &Code) -> Result<Vec<Uop>> {
    let (place, ty, access) = access(c, Space::Local, "Rt")?;
    let address = vec![Src::new(POINTER, Type::U32), index(c, false, 0)];
    let load = c.name == "stack_load";
    Ok(vec![transfer(load, place, ty, access, address)])
}

/// Uniform halves from registers, lane after lane.
fn uniform_store(c: &Code) -> Result<Vec<Uop>> {
    if c.field("Ot") == 0 {
        return Err(Unimplemented("a uniform whose number is in a register"));
    }
    if element(c.field("F"))?.0 != Type::U16 {
        return Err(Unimplemented("uniforms other than halves"));
    }
    let wide = c.field("Rt") == 1;
    let first = c.field("O") << c.field("s").min(2);
    let mask = c.field("mask");
    let components = (0..4).filter(|n| mask >> n & 1 == 1);
    let moves = components.enumerate().map(|(k, component)| {
        let step = if wide { 2 } else { 1 };
        let from = Src::new(lane(c.field("R") + step * k as u64), Type::U16);
        let half = first + component;
        (half < 512).then(|| mov(Type::U16, uniform(half), from)).ok_or(Unimplemented("a uniform beyond u255"))
    });
    moves.collect()
}

/// Function and element of an atomic.
fn function(op: u64) -> Option<(AtomicOp, Type)> {
    Some(match op {
        0 => (AtomicOp::Add, Type::U32),
        1 => (AtomicOp::Sub, Type::U32),
        2 => (AtomicOp::Exchange, Type::U32),
        3 => (AtomicOp::CompareExchange, Type::U32),
        4 => (AtomicOp::Min, Type::U32),
        5 => (AtomicOp::Min, Type::S32),
        6 => (AtomicOp::Max, Type::U32),
        7 => (AtomicOp::Max, Type::S32),
        8 => (AtomicOp::And, Type::U32),
        9 => (AtomicOp::Or, Type::U32),
        10 => (AtomicOp::Xor, Type::U32),
        _ => return None,
    })
}

fn atomic(c: &Code, space: Space) -> Result<Vec<Uop>> {
    let Some((op, ty)) = function(c.field("op")) else {
        return Err(Unimplemented("an atomic operation without meaning"));
    };
    let address = address_type(space);
    let access = Access { address, ..Access::row(space, ty, 1) };
    let s = c.field("S") & !1;
    // Compare and exchange: the value to compare with, then the new one.
    let operands = if op == AtomicOp::CompareExchange { 2 } else { 1 };
    let mut src: Vec<Src> = (0..operands).map(|n| Src::new(lane(s + 2 * n), ty)).collect();
    let (mut uops, dst);
    if space == Space::Global {
        let (round, base) = base(c, ty);
        uops = round;
        src.extend([base, index(c, c.field("Ou") == 1, scale(ty))]);
        dst = (c.field("Rt") == 1).then_some((c.field("R") & !1, 32));
    } else {
        uops = vec![];
        src.extend(group_address(c, ty));
        dst = (c.field("Ra") == 1).then(|| match c.field("Rt") {
            0 => (c.field("R"), 16),
            _ => (c.field("R") & !1, 32),
        });
    }
    let uop = Uop::new(Op::Atomic(access, op), ty, Place::None, src);
    match dst {
        None => uops.push(uop),
        Some((half, bits)) => {
            let place = lane(half);
            let saturate = false;
            uops.extend(Dst { place, bits, saturate }.take(uop));
        }
    }
    Ok(uops)
}
