//! The wire: a serial port of the system, or a pseudo-terminal with a simulated board behind it.

use super::error::LinkError;
use serialport::{ClearBuffer, SerialPort};
use std::io::{self, Read, Write};
use std::time::Duration;

/// Bytes both ways.
pub trait Transport {
    /// Sends all of it.
    ///
    /// # Errors
    /// The port is gone.
    fn send(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Takes what has come, waiting for the first byte; 0: nothing came in time.
    ///
    /// # Errors
    /// The port is gone.
    fn receive(&mut self, bytes: &mut [u8], wait: Duration) -> io::Result<usize>;
    /// Time of a byte on the line.
    fn byte_time(&self) -> Duration;
}

/// A serial port.
pub struct Serial {
    port: Box<dyn SerialPort>,
    baud: u32,
}

impl Serial {
    /// Opens a port: 8 data bits, no parity, one stop bit, no flow control.
    ///
    /// # Errors
    /// No such port, no permission, a speed the port does not have.
    pub fn open(path: &str, baud: u32) -> Result<Self, LinkError> {
        let refused = |e: serialport::Error| {
            let what = match e.kind() {
                serialport::ErrorKind::NoDevice | serialport::ErrorKind::Io(io::ErrorKind::NotFound) => {
                    "is the board connected? `ls /dev/ttyUSB* /dev/ttyACM*` shows serial ports; `warpsmith board` simulates a board".to_string()
                }
                serialport::ErrorKind::Io(io::ErrorKind::PermissionDenied) => {
                    "you may not use it: join the group that owns it (`sudo usermod -aG dialout $USER`, then log in again)".to_string()
                }
                serialport::ErrorKind::InvalidInput => {
                    format!("the port must be a serial port that can do {baud} baud; choose the board's speed with uart:PATH@BAUD")
                }
                _ => "is it a serial port, and no other program has it open?".to_string(),
            };
            LinkError::Open { path: path.into(), why: e.to_string(), what }
        };
        let port = serialport::new(path, baud).timeout(Duration::from_millis(20)).open().map_err(refused)?;
        // What an earlier program left unread is none of ours.
        port.clear(ClearBuffer::Input).map_err(refused)?;
        Ok(Serial { port, baud })
    }
}

impl Transport for Serial {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut left = bytes;
        let mut refusals = 0;
        while !left.is_empty() {
            match self.port.write(left) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(n) => left = &left[n..],
                // The port's buffer is full: the line takes its time.
                Err(e) if e.kind() == io::ErrorKind::TimedOut && refusals < 500 => refusals += 1,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    fn receive(&mut self, bytes: &mut [u8], wait: Duration) -> io::Result<usize> {
        self.port.set_timeout(wait.max(Duration::from_millis(1)))?;
        match self.port.read(bytes) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => Ok(n),
            Err(e) if matches!(e.kind(), io::ErrorKind::TimedOut | io::ErrorKind::Interrupted) => Ok(0),
            Err(e) => Err(e),
        }
    }

    fn byte_time(&self) -> Duration {
        Duration::from_secs(10) / self.baud.max(1)
    }
}
