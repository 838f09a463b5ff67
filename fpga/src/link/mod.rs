//! The host's end of the wire: a chip behind a serial port.
