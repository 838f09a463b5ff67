//! What travels from stage to stage: bundles of ports, and the words that they carry whole.

mod ports;
mod words;

pub use ports::*;
pub use words::*;

use crate::rtl::{Sink, Table};
use crate::sm::control::g13::SourceControl;
use crate::sm::control::uop::{AddressControl, PredicateControl, UopControl};
use crate::sm::control::{AluControl, Control};
use crate::sm::divergence::g13::MaskBeat;
use crate::sm::mem::port::MemoryPort;

/// All of them, and the control word: ports between stages, then words.
pub fn tables() -> [Vec<Table>; 2] {
    [
        vec![
            IssuedBeat::<Sink>::table(),
            ReadBeat::<Sink>::table(),
            RegisterOperands::<Sink>::table(),
            MemorySizes::<Sink>::table(),
            WarpThreads::<Sink>::table(),
            AddressedBeat::<Sink>::table(),
            MemoryStalls::<Sink>::table(),
            SpecialPlace::<Sink>::table(),
            CheckedBeat::<Sink>::table(),
            MemoryWords::<Sink>::table(),
            OperandBeat::<Sink>::table(),
            ResultBeat::<Sink>::table(),
            SpecialResults::<Sink>::table(),
            LaneWrite::<Sink>::table(),
            ConditionWrite::<Sink>::table(),
            AddressRegisterWrite::<Sink>::table(),
            Selected::<Sink>::table(),
            Line::<Sink>::table(),
            FetchRequest::<Sink>::table(),
            WarpEvent::<Sink>::table(),
            WarpEvents::<Sink>::table(),
            Continuation::<Sink>::table(),
            Completion::<Sink>::table(),
            ControlTransfer::<Sink>::table(),
            BarrierOperation::<Sink>::table(),
            Access::<Sink>::table(),
            MemoryPort::<Sink>::table(),
            Loaded::<Sink>::table(),
            RegisterWrite::<Sink>::table(),
            InitialWord::<Sink>::table(),
            ConstantWord::<Sink>::table(),
            BeatTrap::<Sink>::table(),
            DeferredWrite::<Sink>::table(),
            MaskBeat::<Sink>::table(),
            RetiredBeat::<Sink>::table(),
        ],
        vec![
            Control::table(),
            AluControl::table(),
            UopControl::table(),
            PredicateControl::table(),
            AddressControl::table(),
            SourceControl::table(),
            Issue::table(),
            BeatTag::table(),
            Addresses::table(),
            Limits::table(),
            Values::table(),
            Operands::table(),
            Operation::table(),
        ],
    ]
}
