//! Boards: the link that a port leads to, and the words that move over it, shown on a terminal.

use super::rtl::bar;
use crate::cli::Port;
use anyhow::Result;
use indicatif::ProgressBar;
use warpsmith_fpga::link::{etherbone, Etherbone, Link, Serial, Session, Soc};
use warpsmith_fpga::soc::served;

/// Does something over the link to a board.
///
/// # Errors
/// There is no such port or server; those of the work.
pub fn connected<T>(port: &Port, work: impl FnOnce(&mut dyn Link) -> Result<T>) -> Result<T> {
    match port {
        Port::Uart { port, baud } => work(&mut Session::new(Serial::open(port, *baud)?)),
        Port::Soc { folder, server } => {
            let soc = Soc::read(folder)?;
            let simulated = soc.is_simulation();
            let on = |at: &str| work(&mut Etherbone::connect(soc, at)?);
            match server {
                Some(at) => on(at),
                None if simulated => served(folder, on)?,
                None => on(etherbone::SERVER),
            }
        }
    }
}

/// What goes over a link, on a terminal; silent elsewhere.
pub struct Moving(ProgressBar);

/// Shows it until it is dropped.
pub fn moving() -> Moving {
    Moving(bar(0, "{prefix}{msg} [{bar:30}] {pos}/{len}"))
}

impl Moving {
    /// Does something that prints; what is shown makes room for it.
    pub fn aside<T>(&self, work: impl FnOnce() -> T) -> T {
        self.0.suspend(work)
    }

    /// What a link is told to report to: what is going on, how much is done, and of how much.
    pub fn shown(&self, of: &str) -> impl FnMut(&'static str, u64, u64) + '_ {
        self.0.set_prefix(of.to_string());
        |what, done, total| {
            if self.0.message() != what {
                self.0.set_message(what);
            }
            self.0.set_length(total.max(1));
            self.0.set_position(done);
        }
    }
}

impl Drop for Moving {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
