//! What a chip executes.

use crate::config::Floats;
use warpsmith_isa::table::{Form, OpFamily as Kind};
use warpsmith_isa::SfuFn;

/// Whether a chip with these float instructions executes a form; the others trap as unimplemented.
/// Exhaustive on purpose: a new operation without hardware does not compile.
pub fn implemented(f: &Form, floats: Floats) -> bool {
    let float = floats == Floats::All;
    match f.kind {
        Kind::Mov(_)
        | Kind::IAdd(_)
        | Kind::IMul16
        | Kind::IMul24
        | Kind::IMad(..)
        | Kind::ISad(_)
        | Kind::ISet(_) => true,
        Kind::IMin(_)
        | Kind::IMax(_)
        | Kind::Shl(_)
        | Kind::Shr(_)
        | Kind::Logic(_)
        | Kind::LogicImm(_)
        | Kind::I2I(_) => true,
        Kind::C2R | Kind::R2C | Kind::A2R | Kind::S2R | Kind::R2A | Kind::AddA => true,
        Kind::StShared
        | Kind::LdConst
        | Kind::LdGlobal
        | Kind::StGlobal
        | Kind::LdLocal
        | Kind::StLocal => true,
        Kind::Bra | Kind::Cal | Kind::Ret | Kind::Pbk | Kind::Brk | Kind::Ssy | Kind::Bar(_) => {
            true
        }
        Kind::Trap | Kind::Bpt | Kind::Nop | Kind::PmTrig => true,
        Kind::FMul | Kind::I2F(_) | Kind::F2I(..) | Kind::Sfu(SfuFn::Rcp) => floats != Floats::None,
        Kind::FAdd | Kind::FMad | Kind::FMin | Kind::FMax | Kind::FSet | Kind::FSlct => float,
        Kind::F2F(..) | Kind::Sfu(_) | Kind::Rro(_) => float,
        // SM 1.1 and later, texture, quads, fragments.
        Kind::LdShared | Kind::Unsupported => false,
    }
}
