//! The record of the trace port: events of the groups whose valid signal is set.
//!
//! An event is a header (kind, and SM from bit 8), the cycle in two words, and the words of its fields.

use warpsmith_contract::ports::{MEM_READY, MEM_RVALID, MEM_VALID, MEM_WRITE};
use warpsmith_contract::trace::{layouts, Collect, Field, GroupKind, STATUS};
use warpsmith_contract::Manifest;
use warpsmith_engine::Device;

/// Ports of a group with a valid signal.
struct Group {
    header: u32,
    valid: usize,
    /// Port and words of each field the chip has, in order.
    fields: Vec<(usize, usize)>,
}

/// Ports that are reported together when one changes.
struct Changes {
    header: u32,
    ports: Vec<usize>,
    last: Vec<u32>,
}

impl Changes {
    fn new(kind: GroupKind, sm: usize, ports: Vec<usize>) -> Self {
        Changes { header: header(kind, sm), last: vec![0; ports.len()], ports }
    }
}

/// The chip's memory port.
struct PortSignals {
    valid: usize,
    ready: usize,
    write: usize,
    rvalid: usize,
}

fn header(kind: GroupKind, sm: usize) -> u32 {
    kind as u32 | (sm as u32) << 8
}

/// Records events cycle by cycle.
pub(super) struct Recorder {
    pub collect: Collect,
    pub events: Vec<u32>,
    lockstep: Vec<Group>,
    observed: Vec<Group>,
    stalls: Vec<Changes>,
    states: Vec<Changes>,
    memory: Option<PortSignals>,
}

impl Recorder {
    /// Of a chip; nothing of the trace port is recorded when it has none.
    pub fn new(manifest: &Manifest) -> Self {
        let port = |f: Field, sm: usize| manifest.port(&f.port(sm));
        let (mut lockstep, mut observed) = (vec![], vec![]);
        for l in layouts(manifest) {
            let valid = l.kind.group().valid.and_then(|v| port(v, l.sm));
            let fields = l.fields.iter().filter(|f| f.words > 0);
            let group = Group {
                header: header(l.kind, l.sm),
                valid: valid.expect("layouts look for it"),
                fields: fields.map(|f| (port(f.field, l.sm).expect("layouts look for it"), f.words)).collect(),
            };
            match l.kind.is_of_lockstep() {
                true => lockstep.push(group),
                false => observed.push(group),
            }
        }
        let changes = |kind, fields: &[Field]| -> Vec<Changes> {
            let of = |sm| fields.iter().map(|f| port(*f, sm)).collect::<Option<Vec<_>>>();
            (0..).map_while(|sm| Some(Changes::new(kind, sm, of(sm)?))).collect()
        };
        let memory = || {
            Some(PortSignals {
                valid: manifest.port(MEM_VALID.name)?,
                ready: manifest.port(MEM_READY.name)?,
                write: manifest.port(MEM_WRITE.name)?,
                rvalid: manifest.port(MEM_RVALID.name)?,
            })
        };
        Recorder {
            collect: Collect::Lockstep,
            events: vec![],
            lockstep,
            observed,
            stalls: changes(GroupKind::Stall, &[Field::StallCounter]),
            states: changes(GroupKind::Status, &STATUS),
            memory: memory(),
        }
    }

    /// What was reported last of the ports that are reported when they change.
    pub fn reported(&self) -> Vec<u32> {
        let all = self.states.iter().chain(&self.stalls);
        all.flat_map(|c| c.last.iter().copied()).collect()
    }

    /// Goes back to that, and forgets the events that wait.
    pub fn restore(&mut self, reported: &[u32]) {
        self.events.clear();
        let all = self.states.iter_mut().chain(&mut self.stalls);
        let places = all.flat_map(|c| c.last.iter_mut());
        places.zip(reported).for_each(|(last, was)| *last = *was);
    }

    /// Records a cycle, its logic settled: what observers see comes before the events of lockstep.
    pub fn record(&mut self, device: &dyn Device, cycle: u64) {
        if self.collect == Collect::Off {
            return;
        }
        let events = &mut self.events;
        if self.collect == Collect::All {
            changed(&mut self.states, events, device, cycle);
            groups(&self.observed, events, device, cycle);
            if let Some(m) = &self.memory {
                let on = |p: usize| u32::from(device.get(p, 0) != 0);
                let taken = on(m.valid) & on(m.ready);
                let used = taken | (taken & on(m.write)) << 1 | on(m.rvalid) << 2;
                if used != 0 {
                    begin(events, header(GroupKind::Port, 0), cycle);
                    events.push(used);
                }
            }
        }
        groups(&self.lockstep, events, device, cycle);
        changed(&mut self.stalls, events, device, cycle);
    }
}

fn begin(events: &mut Vec<u32>, header: u32, cycle: u64) {
    events.extend([header, cycle as u32, (cycle >> 32) as u32]);
}

/// Events of the groups that are valid.
fn groups(groups: &[Group], events: &mut Vec<u32>, device: &dyn Device, cycle: u64) {
    for g in groups.iter().filter(|g| device.get(g.valid, 0) != 0) {
        begin(events, g.header, cycle);
        for &(port, words) in &g.fields {
            events.extend((0..words).map(|w| device.get(port, w)));
        }
    }
}

/// Events of what is not as it was.
fn changed(list: &mut [Changes], events: &mut Vec<u32>, device: &dyn Device, cycle: u64) {
    for c in list {
        let mut same = true;
        for (last, port) in c.last.iter_mut().zip(&c.ports) {
            let now = device.get(*port, 0);
            same &= now == *last;
            *last = now;
        }
        if !same {
            begin(events, c.header, cycle);
            events.extend_from_slice(&c.last);
        }
    }
}
