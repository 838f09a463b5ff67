//! Machines that differ in memory words alone, by those words: they sleep until one is read or written.

use super::fault_free::FaultFree;
use super::graph::Graph;
use super::machine::Word;

/// Sleeping machines by memory piece. An entry may outlive its reason: who is woken looks again.
#[derive(Debug)]
pub struct Sleepers {
    by_piece: Vec<Vec<u32>>,
}

impl Sleepers {
    /// None, on a chip.
    pub fn new(graph: &Graph) -> Self {
        Sleepers { by_piece: vec![vec![]; graph.words] }
    }

    /// A machine falls asleep on its words.
    pub fn add(&mut self, graph: &Graph, machine: u32, words: &[Word]) {
        for w in words {
            let memory = &graph.memories[w.memory as usize];
            if let Some(at) = memory.at(w.address.into(), w.piece) {
                self.by_piece[at].push(machine);
            }
        }
    }

    /// Those whose words the fault-free run reads or writes in this cycle.
    pub fn wake(&mut self, graph: &Graph, run: &FaultFree, mut woken: impl FnMut(u32)) {
        for memory in graph.memories.iter().filter(|m| m.site.is_some()) {
            for access in run.accesses(memory) {
                let at = memory.at(access.address, access.piece).expect("below the depth");
                self.by_piece[at].drain(..).for_each(&mut woken);
            }
        }
    }
}
