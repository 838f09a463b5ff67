//! Branches, waits, the instructions without operands.

use super::build::Build;
use super::operand::{From, Special, Start};
use super::Parts;
use crate::ivb::fields::{JIP, UIP};
use crate::uop::{BarrierOp, ChannelFlow, Flow, Op, Place, Src, Type, Unimplemented};

/// Bytes that a distance counts.
const STEP: i64 = 8;
/// Bytes of the `while` that a `break` leaves behind.
const WHILE: i64 = 16;

/// Writes the micro-operation.
pub fn lower(p: &Parts, b: &mut Build) -> Result<(), Unimplemented> {
    let here = i64::from(p.pc);
    let at = |distance: i64| (here + distance) as u32;
    let jip = JIP.get_signed(p.bits) * STEP;
    let uip = UIP.get_signed(p.bits) * STEP;
    let hop = at(jip);
    let flow = match p.name {
        "nop" => return Ok(()),
        "illegal" => {
            b.effect(Op::Trap, &[]);
            return Ok(());
        }
        "wait" => return wait(p, b),
        "if" => ChannelFlow::If { other: hop },
        "else" => ChannelFlow::Else { target: hop },
        "endif" => ChannelFlow::Endif { hop },
        "break" => ChannelFlow::Break { exit: at(uip + WHILE), hop },
        "cont" => ChannelFlow::Continue { again: at(uip), hop },
        "halt" => ChannelFlow::Halt { exit: at(uip), hop },
        "while" => ChannelFlow::While { top: hop },
        "brd" => ChannelFlow::BranchDiverging { target: hop },
        "brc" => ChannelFlow::BranchConverging { target: at(uip), hop },
        "jmpi" | "call" => return jump(p, b),
        "ret" => return back(p, b),
        _ => return Err(Unimplemented("this opcode")),
    };
    b.effect(Op::Flow(Flow::Channel(flow)), &[]);
    Ok(())
}

/// Jump and call: a distance in an immediate, or the address computed from a register.
fn jump(p: &Parts, b: &mut Build) -> Result<(), Unimplemented> {
    let call = p.name == "call";
    let from = if call { p.pc } else { p.pc + p.length };
    let distance = *p.source(1)?;
    if distance.kind.is_float() {
        return Err(Unimplemented("distance of a float type"));
    }
    let mut sources = Vec::new();
    let base = match distance.from {
        From::Immediate(all) => {
            let n = i64::from(all[0] as i32) * STEP;
            (i64::from(from) + n) as u32
        }
        From::Region(..) => {
            sources.push(Src { shift: 3, ..b.source(&distance)? });
            from
        }
    };
    if call {
        let dst = b.destination(p.destination()?)?;
        let flow = Op::Flow(Flow::Channel(ChannelFlow::Call { base }));
        b.put(flow, Type::U32, dst, &sources);
    } else {
        let flow = Op::Flow(Flow::Channel(ChannelFlow::Jump { base }));
        b.effect(flow, &sources);
    }
    Ok(())
}

/// The jump to what the instruction has written into ip.
pub fn leave(b: &mut Build) {
    let target = b.target();
    b.effect(Op::Flow(Flow::Channel(ChannelFlow::Jump { base: 0 })), &[target]);
}

/// Return: address and mask are two elements behind each other.
fn back(p: &Parts, b: &mut Build) -> Result<(), Unimplemented> {
    let source = *p.source(0)?;
    let address = b.source(&source)?;
    let Place::Region(mut region) = address.place else {
        return Err(Unimplemented("return without a register"));
    };
    region.vertical = 0;
    region.horizontal = 0;
    region.components = [0, 1, 2, 3];
    let second = crate::uop::Region { byte: region.byte + source.kind.bytes() as i16, ..region };
    let at = |r| Src::new(Place::Region(r), Type::U32);
    let flow = Flow::Channel(ChannelFlow::Return);
    b.effect(Op::Flow(flow), &[at(region), at(second)]);
    Ok(())
}

/// The wait for n0, with the signal of a barrier message: arrival and wait in one.
fn wait(p: &Parts, b: &mut Build) -> Result<(), Unimplemented> {
    match p.destination()?.start {
        Start::Special(Special::Notification(0), _) => {
            let barrier = BarrierOp { id: 0, wait: true, threads: 0 };
            b.effect(Op::Barrier(barrier), &[]);
            Ok(())
        }
        _ => Err(Unimplemented("wait for n1 or n2, which nothing signals")),
    }
}
