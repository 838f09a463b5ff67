//! Values of sites along the fault-free run.

use super::fault_free::{FaultFree, Reference};
use crate::error::FaultError;
use crate::site::SiteKind;

impl Reference<'_> {
    /// Hands over the values of registers and outputs of blocks in every cycle, from cycle 0 until the chip has drained:
    /// the cycle, and 64 bits an element, the sites in their order, least significant element first. They are the values
    /// before the clock edge that ends the cycle.
    ///
    /// # Errors
    /// [`FaultError::Ask`]: a site is a memory.
    pub fn trace(&self, sites: &[usize], mut each: impl FnMut(u64, &[u64])) -> Result<(), FaultError> {
        let mut nodes: Vec<Option<u32>> = vec![];
        for number in sites {
            let site = self.golden.sites().site(*number);
            if site.kind == SiteKind::Ram {
                return Err(FaultError::Ask(format!("{}: a memory has no value of its own in a cycle", site.path)));
            }
            let first = nodes.len();
            nodes.resize(first + site.width.div_ceil(64) as usize, None);
            for piece in &self.graph.pieces[*number] {
                nodes[first + piece.lo as usize / 64] = Some(piece.node);
            }
        }
        let mut run = FaultFree::new(self);
        run.take_inputs();
        let mut row = vec![0; nodes.len()];
        loop {
            for (value, node) in row.iter_mut().zip(&nodes) {
                *value = node.map_or(0, |n| run.v[n as usize]);
            }
            each(run.cycle, &row);
            if run.cycle == self.last() {
                return Ok(());
            }
            run.advance(false);
        }
    }
}
