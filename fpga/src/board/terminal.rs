//! A pseudo-terminal: the port that a host opens.

use rustix::event::{poll, PollFd, PollFlags, Timespec};
use rustix::fs::{open, Mode, OFlags};
use rustix::pty::{grantpt, openpt, ptsname, unlockpt, OpenptFlags};
use rustix::termios::{ioctl_tiocnxcl, tcgetattr, tcsetattr, OptionalActions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A raw pseudo-terminal, and a symbolic link to it as long as it lives.
pub struct Terminal {
    ours: OwnedFd,
    /// Kept open, so that a host that leaves does not end the line.
    theirs: OwnedFd,
    path: PathBuf,
    link: Option<PathBuf>,
}

impl Terminal {
    /// Opens one, raw, so that bytes stay bytes; `link`: name of a symbolic link to make.
    ///
    /// # Errors
    /// There is none left, or the link cannot be made.
    pub fn open(link: Option<&Path>) -> io::Result<Self> {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
        grantpt(&ours)?;
        unlockpt(&ours)?;
        rustix::io::ioctl_fionbio(&ours, true)?;
        let path = std::ffi::OsString::from_vec(ptsname(&ours, vec![])?.into_bytes());
        let path = PathBuf::from(path);
        let theirs = open(&path, OFlags::RDWR | OFlags::NOCTTY, Mode::empty())?;
        let mut raw = tcgetattr(&theirs)?;
        raw.make_raw();
        tcsetattr(&theirs, OptionalActions::Now, &raw)?;
        if let Some(link) = link {
            std::os::unix::fs::symlink(&path, link)?;
        }
        Ok(Terminal { ours, theirs, path, link: link.map(Path::to_path_buf) })
    }

    /// The port.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes the host has sent, as many as there are; 0: none.
    pub fn receive(&self, bytes: &mut [u8]) -> usize {
        rustix::io::read(&self.ours, bytes).unwrap_or(0)
    }

    /// Hands bytes to the host; how many it took.
    pub fn send(&self, bytes: &[u8]) -> usize {
        rustix::io::write(&self.ours, bytes).unwrap_or(0)
    }

    /// Sleeps until a byte comes, for a time, or until a signal.
    pub fn wait(&self, time: Duration) {
        // A host that was killed leaves its lock behind.
        let _ = ioctl_tiocnxcl(&self.theirs);
        let mut ours = [PollFd::new(&self.ours, PollFlags::IN)];
        let _ = poll(&mut ours, Timespec::try_from(time).ok().as_ref());
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if let Some(link) = &self.link {
            let _ = std::fs::remove_file(link);
        }
    }
}
