//! Fault counters: what a hardened chip has corrected and detected since the start.
//!
//! H schemes of hardening.
//!
//! | port          | width | meaning                                                     |
//! |---------------|-------|-------------------------------------------------------------|
//! | `start`       | 1     | all become 0; the events of this cycle are not counted      |
//! | `corrections` | H     | a bit for each scheme: it corrected something in this cycle |
//! | `detections`  | H     | a bit for each scheme: it detected something in this cycle  |
//! | `cycles`      | 32    | cycles in which something was corrected                     |
//! | `schemes`     | H     | schemes that corrected or detected something                |
//!
//! Timing: an event shows in the next cycle. Reset: all 0. Errors: none; 2^32 wraps. Nothing but the host reads them:
//! a run whose state differs here alone goes on as the fault-free one.
//! Source: ours; FlexGripPlus has no protection.

use crate::rtl::prelude::*;

block! {
    /// See the module.
    pub struct FaultCounters(schemes: usize) {
        in start(1),
        in corrections(schemes),
        in detections(schemes),
        out cycles(32),
        out schemes(schemes),
        reg count(32),
        reg met(schemes),
    }
}

impl Rtl for FaultCounters {
    fn rtl(&self) {
        let (start, corrected) = (get(&self.start), get(&self.corrections));
        let (count, met) = (get(&self.count), get(&self.met));
        let more = wire("more", corrected.any().zext(32));
        let seen = wire("seen", &met | &corrected | get(&self.detections));
        set(&self.count, start.mux(&zero(32), &(&count + more)));
        set(&self.met, start.mux(&zero(met.width()), &seen));
        set(&self.cycles, count);
        set(&self.schemes, met);
    }
}

rtl_block!(FaultCounters, "fault_counters");
