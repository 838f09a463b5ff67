//! What a chip executes.

use crate::config::Floats;
use warpsmith_isa::table::{Form, OpFamily};
use warpsmith_isa::SfuFn;

/// Whether a chip with these float instructions executes a form; the others trap as unimplemented.
/// Exhaustive on purpose: a new operation without hardware does not compile.
pub fn implemented(f: &Form, floats: Floats) -> bool {
    let float = floats == Floats::All;
    match f.kind {
        OpFamily::Mov(_)
        | OpFamily::IAdd(_)
        | OpFamily::IMul16
        | OpFamily::IMul24
        | OpFamily::IMad(..)
        | OpFamily::ISad(_)
        | OpFamily::ISet(_) => true,
        OpFamily::IMin(_)
        | OpFamily::IMax(_)
        | OpFamily::Shl(_)
        | OpFamily::Shr(_)
        | OpFamily::Logic(_)
        | OpFamily::LogicImm(_)
        | OpFamily::I2I(_) => true,
        OpFamily::C2R | OpFamily::R2C | OpFamily::A2R | OpFamily::S2R | OpFamily::R2A | OpFamily::AddA => true,
        OpFamily::StShared
        | OpFamily::LdConst
        | OpFamily::LdGlobal
        | OpFamily::StGlobal
        | OpFamily::LdLocal
        | OpFamily::StLocal => true,
        OpFamily::Bra
        | OpFamily::Cal
        | OpFamily::Ret
        | OpFamily::Pbk
        | OpFamily::Brk
        | OpFamily::Ssy
        | OpFamily::Bar(_) => true,
        OpFamily::Trap | OpFamily::Bpt | OpFamily::Nop | OpFamily::PmTrig => true,
        OpFamily::FMul | OpFamily::I2F(_) | OpFamily::F2I(..) | OpFamily::Sfu(SfuFn::Rcp) => floats != Floats::None,
        OpFamily::FAdd | OpFamily::FMad | OpFamily::FMin | OpFamily::FMax | OpFamily::FSet | OpFamily::FSlct => float,
        OpFamily::F2F(..) | OpFamily::Sfu(_) | OpFamily::Rro(_) => float,
        // SM 1.1 and later, texture, quads, fragments.
        OpFamily::LdShared | OpFamily::Unsupported => false,
    }
}
