//! Operations between stage A and their units: each arrives once, as it was, in order.

use super::{field, set_fields, tiny};
use crate::support::{dut::Dut, mutants::tells, Random};
use warpsmith_hdl::sm::dims::Dims;
use warpsmith_hdl::sm::pipeline::bundles::Operation;
use warpsmith_hdl::sm::pipeline::flow::Flow;

#[test]
fn operations_arrive_once_and_wait_for_their_unit() {
    let d = Dims::of(&tiny());
    tells(&Flow::new(&d), 90, |dut| check(dut, &d));
}

fn check(dut: &mut Dut, d: &Dims) {
    let fields = Operation::fields(d);
    let mut r = Random(0x5EED_0202);
    // What is held: whether for the divergence unit, and its address.
    let mut held: Option<(bool, u64)> = None;
    let (mut taken, mut cleared) = (0, 0);
    for n in 0..3000u64 {
        let out_ready = r.chance(50);
        dut.set("out_ready", out_ready);
        dut.eval();
        let waits = matches!(held, Some((true, _))) && !out_ready;
        assert_eq!(dut.is("ready"), !waits);
        assert_eq!((dut.is("out_flow"), dut.is("out_bar")), held.map_or((false, false), |h| (h.0, !h.0)));
        assert_eq!(dut.is("busy"), held.is_some());
        if let Some((_, pc)) = held {
            assert_eq!(field(dut, "out", &fields, "pc"), pc);
            assert_eq!(field(dut, "out", &fields, "exec"), 0xdead_0000 | pc);
        }
        let clear = r.chance(5);
        let (comes, flow) = (!waits && r.chance(70), r.chance(60));
        let pc = n & 0x1ff;
        dut.set("clear", clear);
        dut.set("flow_valid", comes && flow);
        dut.set("bar_valid", comes && !flow);
        let other = [("pc", pc), ("exec", 0xdead_0000 | pc), ("bar_id", r.below_wide(16))];
        // What waits stays, whatever the port shows.
        set_fields(dut, "operation", &fields, &other);
        dut.eval();
        taken += u64::from(held.is_some() && !waits);
        held = match (waits, comes) {
            (true, _) => held,
            (false, true) => Some((flow, pc)),
            (false, false) => None,
        };
        if clear {
            cleared += u64::from(held.is_some());
            held = None;
        }
        dut.tick();
    }
    assert!(taken > 500 && cleared > 20, "{taken} {cleared}");
}
