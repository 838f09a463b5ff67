//! Control flow and barriers.

use super::{Lowering, Result};
use crate::fermi::table::fields::{BARRIER, COUNT, TARGET};
use crate::uop::{BarrierOp, Entry, Flow, Op, StackFlow, Unimplemented, Uop};

pub(super) fn lower(l: &Lowering) -> Result<Vec<Uop>> {
    let offset = TARGET.get_signed(l.bits);
    let target = l.pc.wrapping_add(8).wrapping_add_signed(offset) as u32;
    let push = |entry| StackFlow::Push { entry, target };
    let flow = match l.form.mnemonic {
        "NOP" => return Ok(vec![]),
        "BAR" => {
            let op = BarrierOp { id: l.get(BARRIER) as u8, wait: l.fixed("SYNC"), threads: l.get(COUNT) as u16 };
            return Ok(vec![Uop::effect(Op::Barrier(op), vec![])]);
        }
        "BRA" => StackFlow::Branch { target },
        "SSY" => push(Entry::Join),
        "PBK" => push(Entry::Break),
        "PCNT" => push(Entry::Continue),
        "PRET" => push(Entry::Return),
        "CAL" => StackFlow::Call { target },
        "BRK" => StackFlow::Leave(Entry::Break),
        "CONT" => StackFlow::Leave(Entry::Continue),
        "RET" => StackFlow::Leave(Entry::Return),
        "EXIT" => return Ok(vec![Uop::effect(Op::Flow(Flow::Exit), vec![])]),
        _ => return Err(Unimplemented("no micro-operations are written for it")),
    };
    Ok(vec![Uop::effect(Op::Flow(Flow::Stack(flow)), vec![])])
}
