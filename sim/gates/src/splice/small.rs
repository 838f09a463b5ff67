//! The small blocks around the gates.

use crate::fault::Model;
use warpsmith_contract::Direction;
use warpsmith_netlist::{Binary, Body, Kind, Module, Pool, Signal, SignalKind, Stmt, Tree};

/// Output of a block that passes its input `x` on.
pub const OUT: &str = "y";
/// Output of a switch.
pub const ON: &str = "on";
/// The switches of a pin.
pub const RISE: &str = "rise";
pub const FALL: &str = "fall";

/// A block of gates' surroundings.
pub fn tree(instance: String, name: String, body: Body, children: Vec<Tree>) -> Tree {
    let module = Module {
        name,
        source: "sim/gates/src/splice/mod.rs".into(),
        header: vec![],
        body,
        instances: 1,
        clock: false,
        reset: false,
    };
    Tree { instance, module, children }
}

/// Passes `width` bits on.
pub fn pass(instance: String, width: u32) -> Tree {
    let mut body = Body::default();
    let mut pool = Pool::default();
    let x = body.add_signal("x".into(), width, SignalKind::Input);
    let y = body.add_signal(OUT.into(), width, SignalKind::Output);
    body.assigns.push((y, pool.intern(Kind::Signal(x), width)));
    body.exprs = pool.into_list();
    tree(instance, format!("gates_pass_{width}"), body, vec![])
}

/// A pin at which faults of a model can be forced.
pub fn pin(instance: String, model: Model) -> Tree {
    match model {
        Model::StuckAt => pass(instance, 1),
        Model::Transition => slow(instance),
    }
}

/// A bit that is 0 unless a fault says otherwise.
fn switch(instance: &str) -> Tree {
    let mut body = Body::default();
    let mut pool = Pool::default();
    let on = body.add_signal(ON.into(), 1, SignalKind::Output);
    body.assigns.push((on, pool.intern(Kind::Lit(0), 1)));
    body.exprs = pool.into_list();
    tree(instance.into(), "gates_switch".into(), body, vec![])
}

/// A pin that takes a new value a cycle late, if a switch says so.
fn slow(instance: String) -> Tree {
    let mut body = Body::default();
    let mut pool = Pool::default();
    let x = body.add_signal("x".into(), 1, SignalKind::Input);
    let y = body.add_signal(OUT.into(), 1, SignalKind::Output);
    let was = body.add_signal("was".into(), 1, SignalKind::Reg { reset: None });
    let mut net = |child: u32, instance: &str| {
        let port = Signal {
            name: format!("{instance}_{ON}"),
            width: 1,
            kind: SignalKind::Child { child, direction: Direction::Output },
        };
        body.add_signal(port.name, 1, port.kind)
    };
    let (rise, fall) = (net(0, RISE), net(1, FALL));
    let mut signal = |s| pool.intern(Kind::Signal(s), 1);
    let [x_now, x_was, slow_rise, slow_fall] = [x, was, rise, fall].map(&mut signal);
    let both = pool.intern(Kind::Binary(Binary::And, x_now, x_was), 1);
    let any = pool.intern(Kind::Binary(Binary::Or, x_now, x_was), 1);
    let falling = pool.intern(Kind::Mux(slow_fall, any, x_now), 1);
    let value = pool.intern(Kind::Mux(slow_rise, both, falling), 1);
    body.assigns.push((y, value));
    body.clocked.push(Stmt::Set(was, x_now));
    body.exprs = pool.into_list();
    tree(instance, "gates_slow_pin".into(), body, vec![switch(RISE), switch(FALL)])
}
